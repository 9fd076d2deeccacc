/* Executes a history operation by operation, one transaction after the other, like a store with a single copy of the
 * data: this is the definition of serializability. A key holds the last written version, and a read is stale if it
 * returned another one. So read consistency needs no separate check, and values with several writers need no choice: an
 * order without stale reads is a serial execution.
 *
 * Time is linear in the operations, except for the waiting in iso_strong_execution_first(). */
#ifndef ISOLAB_CHECKERS_STRONG_EXECUTION_H
#define ISOLAB_CHECKERS_STRONG_EXECUTION_H

#include "history/history.h"

/* Numbers of transactions (or events) and of operations to prefetch ahead. */
#define STRONG_AHEAD 6
#define STRONG_OPS_AHEAD 20

typedef struct strong_execution {
    const isolab_history *h;
    iso_pool *pool;
    bool sessions;     /* session order counts */
    uint32_t *initial; /* by key: its initial version; ISO_NONE: no operation has it */

    /* Set by iso_strong_execution_first(): the included transactions in the order found, and by transaction its place
     * in this order (ISO_NONE: not included). Also the places of the transactions that the one at place i must follow,
     * by session order or because it read from them: [after_first[i], after_first[i + 1]) of after. */
    uint32_t n, *txn, *place, *after_first, *after;

    /* of the last execution: */
    uint32_t *before;                     /* by operation: the last write of its key before it; ISO_NONE: none */
    uint32_t *stale, n_stale, stale_room; /* reads that returned another version than their key held */
    uint64_t most;                        /* limit of stale reads, at which the execution ends */
} strong_execution;

/* Returns whether a history can be executed: only registers, reads that all say what they returned, no very long
 * transactions, and no optional transaction. */
bool iso_strong_executable(const isolab_history *h);

void iso_strong_execution_init(strong_execution *x, iso_pool *pool, const isolab_history *h, bool sessions);

/* Finds an order by executing the history. Sessions take turns. A transaction waits for the writers of its reads, while
 * other transactions still have to read a version that it overwrites, and, for values of several writers, until one of
 * them was executed. A transaction that has waited long, or longest if all wait, is executed anyway: there the order
 * needs repair. Returns false if no order keeps writers before their readers and sessions in order, if a read is stale
 * in every order, if too many reads were stale, or if the waiting took too long. */
bool iso_strong_execution_first(strong_execution *x);

/* Records that a read returned another version than its key held. */
void iso_strong_note_stale(strong_execution *x, uint32_t read);

/* Executes the history in another order: first txn[at[0]], then txn[at[1]], and so on. */
void iso_strong_execution_run(strong_execution *x, const uint32_t *at);

#endif
