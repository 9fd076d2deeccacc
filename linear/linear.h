/* Linearizability: strict serializability of transactions of one key each, which is decided key by key.
 *
 * A transaction of one key is a *call*: what it needs the key to hold, and what it leaves in it. Real time alone ties
 * keys together, and where each key has an order that contains real time, so has their union (Herlihy and Wing,
 * "Linearizability", theorem 1): let a call happen at the latest start among itself and the calls of its key before it.
 * That is within its time, and merges the orders. So sessions may say no more than real time, except of two calls of
 * one key.
 *
 * Files: chains.c decides histories of unique values in linear time, without a search. For all others, calls.c makes
 * calls of transactions, search.c searches for an order of the calls of one key, order.c merges the orders of the keys.
 *
 * The search is Wing and Gong's, just in time and with memory as in Lowe's "Testing for linearizability": calls
 * are followed in the order of time, with all configurations that the key may be in, and a call is put into the order
 * when it ends, after other open calls where that helps. A configuration is what the key holds, and which open calls
 * were used. Four things keep them few:
 *
 * - a call that changes nothing is put into the order as soon as it fits;
 * - a write that asks for nothing may be put directly before another one, where no call sees it. Such a write is
 *   *hidden* from then on: it may count as done, or be used later;
 * - of calls that may have no effect (they are open to the end) and do the same, the first is used first;
 * - a configuration that has used less of what others may use is at least as good as them, and the others are
 *   dropped. */
#ifndef ISOLAB_LINEAR_LINEAR_H
#define ISOLAB_LINEAR_LINEAR_H

#include "history/history.h"

/* A transaction of one key, or (key ISO_NONE) of none. Values are versions of the key, ISO_INIT for the initial one. */
typedef struct iso_call {
    uint32_t txn, key;
    uint32_t needs;            /* the value that it reads; ISO_NONE: it reads none */
    uint32_t gives;            /* the value that it leaves; ISO_NONE: it changes nothing */
    uint32_t not_first, n_not; /* values that it must not find: iso_calls.excluded */
    uint32_t after;     /* a call of its key and session that must come before it, although time does not say so */
    uint32_t slot;      /* while it is open: its bit in a configuration */
    uint32_t place;     /* in the order of its key that was found; ISO_NONE: it is left out */
    int64_t start, end; /* INT64_MIN and INT64_MAX: not known */
    int64_t point;      /* when it happens, after the search */
    bool optional;      /* it may have no effect */
    bool blind;         /* it only writes, so that it can be hidden */
} iso_call;

typedef struct iso_calls {
    const isolab_history *h;
    iso_pool *pool;
    iso_call *call; /* key by key, and those of no key at the end */
    uint32_t n;
    uint32_t *key_first; /* n_keys + 2 */
    uint32_t *excluded, n_excluded, excluded_room;

    /* Set where iso_linear_keys() finds no order: there is none of the calls of this key that start at this time or
     * before, whatever the other calls of the key read. */
    uint32_t refuted_key;
    int64_t refuted_at;
} iso_calls;

/* False: the history is not decided key by key. INT must hold. */
bool iso_calls_build(iso_calls *c, iso_pool *pool, const isolab_history *h);

typedef enum { ISO_LINEAR, ISO_NOT_LINEAR, ISO_LINEAR_TOO_MANY } iso_linear_answer;

/* Searches for an order of the calls of each key; ends at the first key that has none. order: also fills in the places
 * of the calls. *steps is the number of configurations that were made. */
iso_linear_answer iso_linear_keys(iso_calls *c, bool order, uint64_t *steps);

/* After an order was found for each key: returns the transactions in one order, and their number. read_from: by
 * operation, the write that a read reads from; NULL if values are unique. Optional calls
 * from which no call reads are left out. */
uint32_t *iso_linear_order(iso_calls *c, iso_pool *pool, uint32_t *n, uint32_t **read_from);

/* Decides a history of unique values, at sser or lser, which are the same where transactions have one key each.
 * sessions: session order counts. ISO_LINEAR_TOO_MANY: it is not one that this decides: values repeat, a transaction
 * has several keys, or a session says more than time does. order: NULL, or where to put the included transactions in
 * one order, from pool. INT need not hold. */
iso_linear_answer iso_linear_chains(const isolab_history *h, bool sessions, iso_pool *scratch, iso_pool *pool,
                                    uint32_t **order, uint32_t *n_order);

static inline bool iso_call_fits(const iso_calls *c, const iso_call *call, uint32_t value) {
    bool fits = call->needs == ISO_NONE || call->needs == value;
    for (uint32_t i = 0; fits && i < call->n_not; i++) {
        fits = c->excluded[call->not_first + i] != value;
    }
    return fits;
}

#endif
