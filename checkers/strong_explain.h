/* Turns a cycle of the order into an anomaly with its justification: every inferred edge leans on a path of
 * edges that were there before it. */
#ifndef ISOLAB_CHECKERS_STRONG_EXPLAIN_H
#define ISOLAB_CHECKERS_STRONG_EXPLAIN_H

#include "checkers/result.h"
#include "checkers/strong_order.h"

/* The order has a cycle (o->cycle); rows may be missing when session order and reads-from alone have one. False: it
 * leans on reads whose writer follows only from the order, which edges cannot justify; nothing is reported. */
bool strong_explain(const strong_order *o, iso_result *result);

/* What a cycle is called: the least bad of all cases that its inferred edges exclude. The result's edges up to its end
 * are its own and their premises. */
iso_anomaly_kind strong_name(iso_result *result, const isolab_history *h, const iso_anomaly *a);

/* Constraints that refute the history together: a read and the slots of the writer read from and of another one, or
 * (op ISO_NONE) two writers. And the open reads that matter, by operation. */
typedef struct strong_hint {
    uint32_t op, w1, w2;
} strong_hint;

typedef struct strong_hints {
    strong_hint *at;
    uint32_t n, room;
    uint8_t *choices;
} strong_hints;

/* Where strong_explain() has returned false: what the cycle leans on. */
strong_hints strong_hints_of_cycle(const strong_order *o, iso_pool *pool);

#endif
