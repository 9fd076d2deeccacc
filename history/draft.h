/* A draft: a small history as plain columns that can be changed, for programs that make very many histories. Keys,
 * values and sessions are numbers.
 *
 * Operations are in the order of their transactions, and transactions in the order of their sessions. Sessions and keys
 * of the history are numbered in the order of their first mention; sessions without transactions, and keys without
 * operations, are not in it. */
#ifndef ISOLAB_HISTORY_DRAFT_H
#define ISOLAB_HISTORY_DRAFT_H

#include "history/history.h"

typedef struct iso_draft {
    iso_pool *pool;
    uint32_t n_sessions, n_txns, n_ops, n_keys; /* sessions and keys: larger than every number */
    uint32_t room;                              /* for operations */

    uint32_t *session; /* by transaction */
    uint8_t *status;
    int64_t *start, *end; /* NULL: there are no times */

    uint32_t *txn, *key, *value; /* by operation; value 0 is the initial one; of a list read: the number of its list */
    uint8_t *kind;

    uint32_t n_lists, *element; /* the elements of list l: [list_first[l], list_first[l + 1]) */
    const uint32_t *list_first;
    bool unique; /* the values of a key shall stay different */
} iso_draft;

/* Returns an empty draft with room for this many transactions and operations. times: whether it has times. */
iso_draft *iso_draft_new(iso_pool *pool, uint32_t txns, uint32_t ops, bool times);

/* Returns a draft of a history, with room for some more operations. A value is the number of its version and 1. */
iso_draft *iso_draft_of(iso_pool *pool, const isolab_history *h, uint32_t more_ops);

/* Returns another draft of the same content. */
iso_draft *iso_draft_copy(iso_pool *pool, const iso_draft *d);

/* Makes an operation equal to another one, after the operation before `at`; there must be room. */
void iso_draft_repeat(iso_draft *d, uint32_t op, uint32_t at);
void iso_draft_remove(iso_draft *d, uint32_t op);

/* Returns the history, the same one as a builder's. A key is named by its number and 1, so is a value by its number. */
isolab_history *iso_draft_history(iso_pool *pool, const iso_draft *d);

#endif
