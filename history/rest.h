/* The rest of a history: without some of its transactions, and without some of its reads.
 *
 * Lemma. If the whole history satisfies a level, so does the rest. So a violation of the rest is one of the whole.
 *
 * Left out are the given transactions, the given reads, and every read that may have returned what a transaction left
 * out wrote (of a list: which shows an element that it may have appended). Let the whole satisfy the level by a commit
 * order and a choice of the write that each read took. Take the same order and choice for the rest:
 * - Every read that stays took a write that stays, because all writes that it may have taken stay.
 * - Read consistency compares a read with writes of its own transaction and of the writer, which all stay with them.
 * - An axiom of a level (docs/levels.md) says: if some transactions are related by so, wr, co, real time, or writes of
 *   one key, then one of them is before another. Leaving out transactions and reads adds no relation between the ones
 *   that stay, so every premise that holds in the rest holds in the whole; then its conclusion holds there, and it is
 *   about transactions of the rest, whose order is the same. ci compares two reads in the same way.
 * - A list read shows what the transactions up to some place of the order appended. None of those was left out, or the
 *   read would show an element of it and be left out, too. So it shows the state of the rest at the same place.
 * Transactions that are included in the whole are in every such order. So they stay included: as committed ones.
 *
 * An edge of the rest (checkers/result.h) is also one of the whole, for the same reason: what a read that stays may
 * have taken, and what its transaction wrote, is the same in both. */
#ifndef ISOLAB_HISTORY_REST_H
#define ISOLAB_HISTORY_REST_H

#include "history/history.h"

typedef struct iso_rest {
    isolab_history
        *h; /* sessions, transactions and keys have the same numbers; transactions left out are aborted and empty */
    uint32_t *op; /* by operation of the rest: its number in the whole */
} iso_rest;

/* no_txn, no_op: by number, whether it is left out; operations of transactions that stay must be reads. Everything is
 * in the pool. */
iso_rest iso_rest_of(iso_pool *pool, const isolab_history *h, const uint8_t *no_txn, const uint8_t *no_op);

#endif
