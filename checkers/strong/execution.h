/* A history executed operation by operation, one transaction after the other, as a store with a single copy of the
 * data would: the definition of serializability. A key holds the version that was written last, and a read is stale
 * that returned another one. So read consistency needs no check of its own, and a value that several transactions
 * wrote no choice between them: an order in which no read is stale is a serial execution.
 *
 * Time is linear in the operations, except for the waiting of iso_strong_execution_first().
 */
#ifndef ISOLAB_CHECKERS_STRONG_EXECUTION_H
#define ISOLAB_CHECKERS_STRONG_EXECUTION_H

#include "history/history.h"

typedef struct strong_execution {
    const isolab_history *h;
    iso_pool *pool;
    bool sessions;     /* their order counts */
    uint32_t *initial; /* by key: its initial version; ISO_NONE: no operation has it */

    /* Of iso_strong_execution_first(): the included transactions, in the order that it found, and by transaction its
     * place in it (ISO_NONE: not included). And the places of the transactions that the one at place i must follow,
     * by session order or because it read from them: [after_first[i], after_first[i + 1]) of after. */
    uint32_t n, *txn, *place, *after_first, *after;

    /* Of the last execution: */
    uint32_t *before;                     /* by operation: the write that was last of its key; ISO_NONE: none was */
    uint32_t *stale, n_stale, stale_room; /* reads that returned another version than their key held */
    uint64_t most;                        /* limit of stale reads, at which it ends */
} strong_execution;

/* Can a history be executed? Registers only, no very long transactions, and none that is optional. */
bool iso_strong_executable(const isolab_history *h);

void iso_strong_execution_init(strong_execution *x, iso_pool *pool, const isolab_history *h, bool sessions);

/* Finds an order on the way. Sessions take turns; a transaction waits for the writers of what it reads, while others
 * still have to read what it overwrites, and for values of several writers until one of them is there. One that has
 * waited for long, or longest where all wait, goes on all the same: there the order needs repair. False: no order
 * keeps writers before their readers and sessions in order, a read is stale in all, too many were stale, or the
 * waiting took too long. */
bool iso_strong_execution_first(strong_execution *x);

/* Notes that a read returned another version than its key held. */
void iso_strong_note_stale(strong_execution *x, uint32_t read);

/* Executes it in another order: first txn[at[0]], then txn[at[1]], and so on. */
void iso_strong_execution_run(strong_execution *x, const uint32_t *at);

#endif
