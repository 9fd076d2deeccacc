/* What awdit_cc.c and its loops over clocks (awdit_clock.h) share. */
#ifndef ISOLAB_CHECKERS_AWDIT_CC_H
#define ISOLAB_CHECKERS_AWDIT_CC_H

#include "checkers/awdit.h"

/* Who writes and who reads each key.
 *
 * The writers of key k are writer[writer_first[k] .. writer_first[k+1]), ascending, and so session by
 * session: its groups are [group_first[k] .. group_first[k+1]), group g has the writers
 * [group[g], group[g+1]) of session group_session[g].
 * The reads of k from others are [read_first[k] .. read_first[k+1]), by source (ISO_INIT last), then by reader. */
typedef struct iso_awdit_index {
    uint32_t *writer_first, *writer;
    uint32_t *group_first, *group, *group_session;
    uint32_t *read_first, *read_source, *reader;
    uint32_t most_groups; /* of a key */
} iso_awdit_index;

/* Some sessions, and a column for each in a table that has a row for each transaction: how many transactions of
 * the session happen before this one, itself included. Rows are padded to 64 bytes. */
typedef struct iso_awdit_block {
    iso_awdit *a;
    const iso_awdit_index *index;
    const uint32_t *order;
    uint32_t *column;  /* by session; ISO_NONE: not of this block */
    uint32_t stride;   /* elements of a row */
    void *clock;
    iso_awdit_edges edges;
    iso_pool *pool;
} iso_awdit_block;

/* The place of t in its session, from 1. */
static inline uint32_t iso_awdit_place(const isolab_history *h, uint32_t t) {
    return t - h->session_txn[h->txn_session[t]] + 1;
}

#endif
