/* Random small histories for tests: every feature that a history can have, in a mix of well-behaved, stale and
 * wild, so that each level is often just satisfied and often just violated. One seed gives one history. */
#ifndef ISOLAB_GENERATORS_RANDOM_SMALL_H
#define ISOLAB_GENERATORS_RANDOM_SMALL_H

#include "history/history.h"

typedef struct iso_small_shape {
    unsigned txns, ops, keys, sessions; /* at most; operations are of one transaction. 0 counts as 1 */
    bool aborted, indeterminate;        /* may some transactions be that? */
    bool times;                         /* give most transactions start and end */
    bool duplicates;                    /* values from 1 to 3 instead of unique ones */
    bool unique_elements;               /* but those of lists */
    bool lists;                         /* make about half of the keys lists */
    bool torn;                          /* and list reads of indeterminate transactions often random */
    bool wild;                          /* allow histories whose reads are wholly random (they mostly fail INT) */
} iso_small_shape;

/* The history is of the pool. */
isolab_history *iso_random_small(iso_pool *pool, uint64_t seed, const iso_small_shape *shape);

#endif
