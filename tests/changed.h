/* Copies of a history with one change, for tests: one transaction or one operation is missing, an operation has the
 * value of another operation, or there are additional aborted transactions. */
#ifndef ISOLAB_TESTS_CHANGED_H
#define ISOLAB_TESTS_CHANGED_H

#include "history/history.h"

/* What to change; ISO_NONE: nothing. */
typedef struct iso_change {
    uint32_t without_txn;
    uint32_t without_op;
    uint32_t op, from; /* op takes over the value of from, or a read of a list that of another one */
    bool retried;      /* iso_retried() */
} iso_change;

/* A copy of the history in the pool, except the change. Strings, keys and sessions keep their numbers. */
isolab_history *iso_changed(iso_pool *pool, const isolab_history *h, iso_change change);

/* The same operations with an integer as the initial value: then transactions may write the initial value, too. */
isolab_history *iso_begun_at(iso_pool *pool, const isolab_history *h, int64_t value);

/* The same history, and a session of aborted transactions that repeat all writes of its committed transactions: what a
 * client leaves that tried each of them once before, without success. */
isolab_history *iso_retried(iso_pool *pool, const isolab_history *h);

#endif
