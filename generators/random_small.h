/* Random small histories for tests: every feature of histories, in a mix of consistent, stale and random reads, so that
 * each level is often just satisfied and often just violated. A seed gives one history. */
#ifndef ISOLAB_GENERATORS_RANDOM_SMALL_H
#define ISOLAB_GENERATORS_RANDOM_SMALL_H

#include "history/draft.h"

typedef struct iso_small_shape {
    unsigned txns, ops, keys, sessions; /* limits of their numbers; ops: for each transaction; 0 counts as 1 */
    bool aborted, indeterminate;        /* whether some transactions may be aborted or indeterminate */
    bool times;                         /* most transactions have a start and an end */
    bool all_times;                     /* with times: all transactions have both */
    bool duplicates;                    /* values from 1 to 3 instead of unique ones */
    bool negations;                     /* about half of the reads give only a value that they did not return */
    bool unique_elements;               /* with duplicates: the elements of lists are unique nevertheless */
    bool lists;                         /* about half of the keys are lists */
    bool only_lists;                    /* all keys are lists */
    bool torn;                          /* about half of the list reads of indeterminate transactions are random */
    bool mini;  /* mini-transactions: at most two reads and two writes, each after a read of its key */
    bool calls; /* calls of registers: a read, a write, or both of one key, in sessions that do one after the other */
    bool apart; /* each transaction only writes or only reads; in about half of the histories, reads return any final
                 * write of the key */
    bool empty; /* some transactions have no operations */
    bool wild;  /* allow histories whose reads return random values (they mostly violate int) */
} iso_small_shape;

/* Returns a random history, in the pool. The seed and the shape determine it. */
isolab_history *iso_random_small(iso_pool *pool, uint64_t seed, const iso_small_shape *shape);

/* Returns the same history as a draft, with room for more_ops more operations. The shape must not ask for negations. */
iso_draft *iso_random_draft(iso_pool *pool, uint64_t seed, const iso_small_shape *shape, uint32_t more_ops);

#endif
