/* `dbcop`: the algorithms of Biswas and Enea (On the Complexity of Checking Transactional Consistency, 2019) in their
 * common form: saturation for rc, ra and cc; for strong levels a search over prefixes of the sessions, polynomial for a
 * bounded number of sessions. It uses no solver and no clocks, so it is a reference for checkers that do. The files, in
 * the order in which a history passes:
 *
 *   dbcop.c     the history in dense arrays; the descriptor
 *   saturate.c  rc, ra and cc: inferred edges, and a cycle of them
 *   search.c    pc, si, ser and sser: prefixes of the sessions, one after the other */
#ifndef ISOLAB_CHECKERS_DBCOP_DBCOP_H
#define ISOLAB_CHECKERS_DBCOP_DBCOP_H

#include "checkers/checker.h"

/* The history in dense arrays: the included transactions, session by session, the reads of each from other
 * transactions, and the keys that each writes. */
typedef struct iso_dbcop_problem {
    const isolab_history *h;
    iso_pool *pool;
    iso_level level;
    uint32_t n, *txn, *dense;                              /* dense: by number in the history; ISO_NONE: excluded */
    uint32_t k, *first;                                    /* transactions of session s: [first[s], first[s+1]) */
    uint32_t *session;                                     /* by transaction */
    uint32_t *read_first, *read_key, *read_from, *read_op; /* distinct pairs of key and writer; read_from is a slot or
                                                            * ISO_INIT */
    uint32_t *slot_first, *slot_key, *slot_txn;            /* the keys that each transaction writes */
    uint32_t *readers; /* by slot: number of transactions that read from it; then by key: that read its initial value */
} iso_dbcop_problem;

/* rc, ra, cc: adds t2 before t1 for every instance of the axiom, and searches for a cycle. */
void iso_dbcop_saturate(const iso_dbcop_problem *p, iso_result *result, bool certificate);

/* pc, si, ser, sser. */
void iso_dbcop_search(const iso_dbcop_problem *p, iso_result *result, bool certificate);

#endif
