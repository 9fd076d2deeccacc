/* What a contradiction after narrowing leans on, traced back through inferred edges and ruled-out writers, each within
 * what was known when it was inferred. These constraints alone are enough for a proof (proof.h). */
#ifndef ISOLAB_CHECKERS_STRONG_HINTS_H
#define ISOLAB_CHECKERS_STRONG_HINTS_H

#include "checkers/strong/order.h"

/* Constraints that refute the history together: a read and the slots of the writer read from and of another one, or
 * (op ISO_NONE) two writers. And the ambiguous reads that matter, by operation. */
typedef struct strong_hint {
    uint32_t op, w1, w2;
} strong_hint;

typedef struct strong_hints {
    strong_hint *at;
    uint32_t n, room;
    uint8_t *choices;
} strong_hints;

/* Where iso_strong_explain() has returned false: what the cycle leans on. Linear in the size of its justification,
 * except for the search of paths. */
strong_hints iso_strong_hints_of_cycle(const strong_order *o, iso_pool *pool);

/* The same for a read of which narrowing has ruled out every writer. False: there is none. */
bool iso_strong_hints_of_read(const strong_order *o, iso_pool *pool, strong_hints *hints);

/* Where a search after saturation and narrowing has failed: all that these had inferred, and the n
 * constraints `why` that the solver was given. */
strong_hints iso_strong_hints_of_search(const strong_order *o, const strong_hint *why, uint32_t n, iso_pool *pool);

#endif
