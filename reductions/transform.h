/* Transformations of histories: an axis of experiments of its own. Each keeps the answer at the levels that its line of
 * transform.def names, so a hard instance, or one with a known verdict, becomes many.
 *
 *   split   A transaction becomes two, one after the other in its session. All others, and the first half, write a
 *           lock; the second half reads it from the first. So in a serial order no transaction is between the two
 *           halves, and they may be one again. It drops times. Weaker levels may be violated before and satisfied
 *           after.
 *   merge   More session order only adds conditions at every level, so what is violated stays violated. A commit order
 *           of ser contains the new session order, so it still satisfies ser, and all weaker levels. At rc and below
 *           nothing but the commit order knows sessions, so any order of that level will do. */
#ifndef ISOLAB_REDUCTIONS_TRANSFORM_H
#define ISOLAB_REDUCTIONS_TRANSFORM_H

#include "base/random.h"
#include "history/builder.h"
#include "history/level.h"

typedef struct iso_transform {
    const char *name, *keeps, *summary;
    uint64_t number; /* its default; ISO_NO_NUMBER: the word takes none */
} iso_transform;

#define ISO_NO_NUMBER UINT64_MAX

extern const iso_transform iso_transforms[]; /* ended by a NULL name */

/* Applies transformations in their order: `shuffle,pad=20`. Returns another history in the pool, and the levels at
 * which its answer is that of h. A word that is no transformation throws ISOLAB_E_USAGE. */
isolab_history *iso_transform_all(iso_pool *pool, const isolab_history *h, const char *words, uint64_t seed,
                                  iso_levels *kept);

#endif
