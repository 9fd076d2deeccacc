/* What cc.c and its loops over clocks (clock.inc) share. */
#ifndef ISOLAB_CHECKERS_AWDIT_CC_H
#define ISOLAB_CHECKERS_AWDIT_CC_H

#include "checkers/awdit/awdit.h"

/* Chains: rows of transactions each of which happens before the next. The transactions of a session are one; but
 * many short sessions are fewer chains, and all that cc says of sessions it may say of chains.
 *
 * A transaction that happens before few others only is *light*: these are looked up one by one, and it is a chain
 * alone, without a column in the clocks. Chains could not go on from most of them. */
typedef struct iso_awdit_chains {
    uint32_t n;
    uint32_t n_heavy; /* chains below are not light */
    uint32_t *of;     /* by transaction: its chain */
    uint32_t *place;  /* by transaction: its place in the chain, from 1 */
    uint32_t *size;   /* by chain: transactions */
    uint32_t *txns;   /* all that take part, chain by chain, in the order of the chain */
    uint32_t n_txns;
} iso_awdit_chains;

/* Who writes and who reads each key.
 *
 * The writers of key k are writer[writer_first[k] .. writer_first[k+1]), chain by chain, in the order of the
 * chain, each with its place there: group g, one of [group_first[k] .. group_first[k+1]), has the writers
 * [group[g], group[g+1]) of chain group_chain[g].
 * The reads of k from others are [read_first[k] .. read_first[k+1]), by source (in the same order, ISO_INIT last),
 * then by reader. */
typedef struct iso_awdit_index {
    iso_awdit_chains chains;
    uint32_t *writer_first, *writer, *place;
    uint32_t *group_first, *group, *group_chain;
    uint32_t *read_first, *read_source, *reader;
    uint32_t most_groups; /* of a key */
} iso_awdit_index;

/* Some chains, and a column for each in a table that has a row for each transaction: the place in the chain of
 * the last transaction that happens before this one, or is it; 0: there is none. Rows are padded to 64 bytes. */
typedef struct iso_awdit_block {
    iso_awdit *a;
    const iso_awdit_index *index;
    const uint32_t *order;
    uint32_t *column; /* by chain; ISO_NONE: not of this block */
    uint32_t stride;  /* elements of a row */
    void *clock;
    iso_awdit_edges edges;
    iso_pool *pool;
} iso_awdit_block;

static inline uint32_t iso_awdit_chain(const iso_awdit_block *b, uint32_t t) { return b->index->chains.of[t]; }

/* The place of t in its chain. */
static inline uint32_t iso_awdit_place(const iso_awdit_block *b, uint32_t t) { return b->index->chains.place[t]; }

/* chains.c. order: a topological order of so and wr. Infers the edges from light sessions. */
iso_awdit_chains iso_awdit_find_chains(iso_awdit *a, const uint32_t *order);
void iso_awdit_free_chains(const iso_awdit *a, iso_awdit_chains *chains);

#endif
