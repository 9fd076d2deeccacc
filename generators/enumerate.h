/* All small register histories with unique values, each once up to renaming of keys, values, transactions and
 * the order of sessions.
 *
 * Every read may return any write of its key (own, earlier or later; another's; an aborted one's), the initial
 * value, or a value without a writer. Transactions have at least one operation. Aborted transactions only
 * write: their reads mean nothing. */
#ifndef ISOLAB_GENERATORS_ENUMERATE_H
#define ISOLAB_GENERATORS_ENUMERATE_H

#include "history/history.h"

#define ISO_ENUMERATE_TXNS 5
#define ISO_ENUMERATE_OPS 3 /* of one transaction */
#define ISO_ENUMERATE_KEYS 3

typedef struct iso_enumeration {
    unsigned txns, ops, keys; /* at most; up to the numbers above */
    bool exactly;             /* that many transactions, each of that many operations */
    bool no_thin_air;         /* every value read was written, or is the initial one */
    bool aborted;             /* also every way to abort some of the transactions */
    unsigned part, parts;     /* only part `part` of `parts` about equal ones; parts 0: all */
} iso_enumeration;

/* Returns false to stop. The history is gone when the function returns. */
typedef bool iso_enumerate_fn(void *arg, const isolab_history *h);

/* Calls the function for every history, and returns how many there were. Histories are built in the pool, which
 * is freed after each: it must hold nothing else. */
uint64_t iso_enumerate(iso_pool *pool, const iso_enumeration *what, iso_enumerate_fn *fn, void *arg);

#endif
