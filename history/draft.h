/* A draft: a small history as plain columns that can be changed, for programs that make very many histories. Keys,
 * values and sessions are numbers.
 *
 * Operations are in the order of their transactions, and the transactions of a session in session order. The history
 * that a draft becomes numbers its sessions and keys in the order in which they occur; sessions without transactions,
 * and keys without operations, are left out. */
#ifndef ISOLAB_HISTORY_DRAFT_H
#define ISOLAB_HISTORY_DRAFT_H

#include "history/history.h"

typedef struct iso_draft {
    iso_pool *pool;
    uint32_t n_sessions, n_txns, n_ops, n_keys; /* every number of a session or key is below n_sessions or n_keys */
    uint32_t room;                              /* limit of n_ops */

    /* By transaction. */
    uint32_t *session;
    uint8_t *status;      /* iso_status */
    int64_t *start, *end; /* NULL: there are no times */

    /* By operation. */
    uint32_t *txn, *key;
    uint32_t *value; /* 0: the initial value; of a list read: the number of its list */
    uint8_t *kind;   /* iso_op_kind */

    uint32_t n_lists, *element; /* the elements of list l are element[list_first[l] .. list_first[l + 1]) */
    const uint32_t *list_first;
    bool unique; /* changes shall write no value of a key twice */
} iso_draft;

/* Returns an empty draft. txns, ops: limits of its transactions and operations. times: whether it has times. */
iso_draft *iso_draft_new(iso_pool *pool, uint32_t txns, uint32_t ops, bool times);

/* Returns a draft of a history without negations, with room for more_ops more operations. The value of an operation is
 * the number of its version, plus 1. */
iso_draft *iso_draft_of(iso_pool *pool, const isolab_history *h, uint32_t more_ops);

/* Returns a copy of a draft, which shares its lists. */
iso_draft *iso_draft_copy(iso_pool *pool, const iso_draft *d);

/* Inserts a copy of operation `op`, which becomes operation `at`, greater than op; there must be room. */
void iso_draft_repeat(iso_draft *d, uint32_t op, uint32_t at);
/* Removes an operation. */
void iso_draft_remove(iso_draft *d, uint32_t op);

/* Returns the history of a draft, equal to the one that a builder makes. The name of a key is its number plus 1, and a
 * value is its number. */
isolab_history *iso_draft_history(iso_pool *pool, const iso_draft *d);

#endif
