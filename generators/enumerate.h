/* All small register histories with unique values, each once up to the names of keys, values and transactions, and the
 * order of sessions.
 *
 * Every read may return any write of its key (an own one, earlier or later; another transaction's; an aborted one), the
 * initial value, or a value without a writer. Transactions have at least one operation. Aborted transactions only
 * write, since their reads are ignored. */
#ifndef ISOLAB_GENERATORS_ENUMERATE_H
#define ISOLAB_GENERATORS_ENUMERATE_H

#include "history/history.h"

#define ISO_ENUMERATE_TXNS 5
#define ISO_ENUMERATE_OPS 3 /* of one transaction */
#define ISO_ENUMERATE_KEYS 3

typedef struct iso_enumeration {
    unsigned txns, ops, keys; /* limits, up to the numbers above */
    bool exactly;             /* exactly this many transactions, each with exactly this many operations */
    bool no_thin_air;         /* every value read was written, or is the initial one */
    bool mini;                /* mini-transactions alone, up to the order of operations: each key is read by a
                                 transaction once at most, in the order of keys, from another one, and then
                                 written or not. Then ops does not count */
    bool aborted;             /* also every way to abort some of the transactions */
    unsigned part, parts;     /* only part `part` of `parts` about equal ones; parts 0: all */
} iso_enumeration;

/* Returns false to stop. The history is freed when the function returns. */
typedef bool iso_enumerate_fn(void *arg, const isolab_history *h);

/* Calls the function for every history, and returns their number. Histories are built in the pool, which is freed after
 * each one, so it must contain nothing else. */
uint64_t iso_enumerate(iso_pool *pool, const iso_enumeration *what, iso_enumerate_fn *fn, void *arg);

#endif
