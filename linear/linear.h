/* Linearizability: strict serializability of transactions of one key each, which is decided key by key.
 *
 * A transaction of one key is a *call*: the value that it needs the key to hold, and the value that it leaves. Only
 * real time orders calls of different keys, and if each key has an order that contains real time, all calls have one
 * (Herlihy and Wing, "Linearizability", theorem 1): let a call happen at the latest start among itself and the calls
 * before it in the order of its key. This instant is between its start and its end, and the instants merge the orders.
 * So a history is decided key by key only if session order implies no more than real time does, except for calls of one
 * key.
 *
 * Files: chains.c decides histories of unique values in linear time, without a search. For all others, calls.c makes
 * calls of transactions, search.c searches for an order of the calls of one key, order.c merges the orders of the keys.
 *
 * The search is Wing and Gong's, just in time and with memory as in Lowe's "Testing for linearizability": it visits the
 * starts and ends of calls in the order of time, and keeps all configurations that the key may be in. A call is put
 * into the order when it ends, after other open calls if that helps. A configuration is the value that the key holds
 * and the set of open calls that were used. Four rules keep the number of configurations small:
 *
 * - a call that changes nothing is put into the order as soon as it fits;
 * - a write that needs no value may be put directly before another write, so that no call reads it. Such a write is
 *   *hidden* from then on: it may count as done, or be used later;
 * - of optional calls (they are open to the end and may have no effect) of the same needs and gives, the earliest is
 *   used first;
 * - a configuration is dropped if another one with the same value has used fewer calls that may still be needed. */
#ifndef ISOLAB_LINEAR_LINEAR_H
#define ISOLAB_LINEAR_LINEAR_H

#include "base/assert.h"
#include "history/history.h"

/* A transaction of one key, or of no key (key ISO_NONE). Values are versions of the key; ISO_INIT: the initial one. */
typedef struct iso_call {
    uint32_t txn, key;
    uint32_t needs;            /* the value that it reads; ISO_NONE: it reads none */
    uint32_t gives;            /* the value that it leaves; ISO_NONE: it changes nothing */
    uint32_t not_first, n_not; /* values that it must not find: iso_calls.excluded */
    uint32_t after;     /* a call of its key and session that must precede it without ending before it starts; ISO_NONE:
                         * none */
    uint32_t slot;      /* while it is open: the number of its bit in a configuration */
    uint32_t place;     /* its place in the order of its key; ISO_NONE: it is left out */
    int64_t start, end; /* INT64_MIN and INT64_MAX: not known */
    int64_t point;      /* set after the search: the instant at which it happens */
    bool optional;      /* it may have no effect */
    bool blind;         /* it only writes, so that it can be hidden */
} iso_call;

typedef struct iso_calls {
    const isolab_history *h;
    iso_pool *pool;
    iso_call *call; /* sorted by key; calls of no key are last */
    uint32_t n;
    uint32_t *key_first; /* n_keys + 2 */
    uint32_t *excluded, n_excluded, excluded_room;

    /* Set if iso_linear_keys() finds no order: the calls of this key that start at this time or before have no order,
     * whatever later calls of the key read. */
    uint32_t refuted_key;
    int64_t refuted_at;
} iso_calls;

/* Makes the calls of a history, for which INT must hold. Returns false if the history cannot be decided key by key. */
bool iso_calls_build(iso_calls *c, iso_pool *pool, const isolab_history *h);

typedef enum { ISO_LINEAR, ISO_NOT_LINEAR, ISO_LINEAR_TOO_MANY } iso_linear_answer;

/* Searches for an order of the calls of each key; ends at the first key without one. order: also sets the places of the
 * calls. *steps: the number of configurations that were made. */
iso_linear_answer iso_linear_keys(iso_calls *c, bool order, uint64_t *steps);

/* After an order was found for each key: returns all transactions in one order, *n of them. *read_from: by operation,
 * the write that a read reads from; NULL if values are unique. Optional calls from which no call reads are left out. */
uint32_t *iso_linear_order(iso_calls *c, iso_pool *pool, uint32_t *n, uint32_t **read_from);

/* Decides a history of unique values at sser or lser, which are equal for transactions of one key each. INT need not
 * hold. sessions: session order counts. *order: receives the included transactions in one order, in the pool; NULL: not
 * wanted. Returns ISO_LINEAR_TOO_MANY if it cannot decide the history: values repeat, a transaction has several keys,
 * or session order implies more than real time does. */
iso_linear_answer iso_linear_chains(const isolab_history *h, bool sessions, iso_pool *scratch, iso_pool *pool,
                                    uint32_t **order, uint32_t *n_order);

static inline bool iso_call_fits(const iso_calls *c, const iso_call *call, uint32_t value) {
    iso_assert(call->not_first + call->n_not <= c->n_excluded);
    bool fits = call->needs == ISO_NONE || call->needs == value;
    for (uint32_t i = 0; fits && i < call->n_not; i++) {
        fits = c->excluded[call->not_first + i] != value;
    }
    return fits;
}

#endif
