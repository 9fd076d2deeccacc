/* `dbcop`: the algorithms of Biswas and Enea (On the Complexity of Checking Transactional Consistency, 2019) as
 * they are commonly told: saturation for rc, ra and cc, and for strong levels a search over prefixes of the
 * sessions, polynomial for a bounded number of them. No solver and no clocks: a reference for checkers that have them.
 */
#ifndef ISOLAB_CHECKERS_DBCOP_DBCOP_H
#define ISOLAB_CHECKERS_DBCOP_DBCOP_H

#include "checkers/checker.h"

/* The history in dense arrays: transactions that take part, session by session; what each reads from others and
 * which keys it writes. */
typedef struct iso_dbcop_problem {
    const isolab_history *h;
    iso_pool *pool;
    iso_level level;
    uint32_t n, *txn, *dense; /* dense: by number in the history; ISO_NONE: takes no part */
    uint32_t k, *first;       /* sessions: [first[s], first[s+1]) */
    uint32_t *session;        /* by transaction */
    uint32_t *read_first, *read_key, *read_from, *read_op; /* distinct (key, writer); from a slot or ISO_INIT */
    uint32_t *slot_first, *slot_key, *slot_txn;            /* the keys that each transaction writes */
    uint32_t *readers; /* by slot: transactions that read from it; then by key: of the initial value */
} iso_dbcop_problem;

/* rc, ra, cc: adds t2 before t1 for every instance of the axiom, and looks for a cycle. */
void iso_dbcop_saturate(const iso_dbcop_problem *p, iso_result *result, bool certificate);

/* pc, si, ser, sser. */
void iso_dbcop_search(const iso_dbcop_problem *p, iso_result *result, bool certificate);

#endif
