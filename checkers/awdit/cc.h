/* What cc.c and its loops over clocks (clock.inc) share. */
#ifndef ISOLAB_CHECKERS_AWDIT_CC_H
#define ISOLAB_CHECKERS_AWDIT_CC_H

#include "checkers/awdit/awdit.h"

/* Average transactions of a session from which on sessions are the chains. */
#define ISO_AWDIT_LONG 64

/* Chains: sequences of transactions, each of which happens before the next. The transactions of a session are a chain,
 * but many short sessions can be joined to fewer chains. All that cc says about sessions also holds for chains.
 *
 * A transaction that happens before only a few others is *light*: these others are found one by one, and the light
 * transaction is a chain by itself, without a column in the clocks. Few other transactions could continue such a
 * chain. */
typedef struct iso_awdit_chains {
    uint32_t n;
    uint32_t n_heavy; /* chains below this number are not light */
    uint32_t *of;     /* by transaction: the number of its chain */
    uint32_t *place;  /* by transaction: its place in the chain, from 1 */
    uint32_t *size;   /* by chain: its number of transactions */
    uint32_t *txns;   /* all included transactions, chain by chain, in the order of the chain */
    uint32_t n_txns;
} iso_awdit_chains;

/* A read of a key by t3 = `reader` from t1 = `source`. */
typedef struct iso_awdit_read {
    uint32_t source, reader;
} iso_awdit_read;

/* The writers and the reads of each key.
 *
 * The writers of key k are writer[writer_first[k] .. writer_first[k+1]), chain by chain, in the order of the chain,
 * each with its place in the chain. Group g, one of [group_first[k] .. group_first[k+1]), has the writers [group[g],
 * group[g+1]) of chain group_chain[g]. The reads of k from other transactions are [read_first[k] .. read_first[k+1]),
 * by source (in the same order, ISO_INIT last), then by reader. */
typedef struct iso_awdit_index {
    iso_awdit_chains chains;
    uint32_t *writer_first, *writer, *place;
    uint32_t *group_first, *group, *group_chain;
    uint32_t *read_first;
    iso_awdit_read *read;
    uint32_t *ordered; /* where the writers of each key are in `writer`, in a topological order of so and wr; NULL: too
                        * few keys have enough groups for strands */
    uint32_t most_groups, most_writers, most_reads; /* the largest numbers of a key */
} iso_awdit_index;

/* Strands: the writers of one key in a block, divided into few sequences in each of which each writer happens before
 * the next. Usually there is one: between two writes of a key there is time enough for so and wr to order them. If t3
 * reads the key from t1, then some writer happens before t3 and not before t1 exactly if the first writer of some
 * strand that does not happen before t1 does (and is not t3). So most reads, which need no edge, cost a step for each
 * strand instead of one for each chain. */
typedef struct iso_awdit_strands {
    uint32_t n;                     /* number of strands; 0: too many, or not worth it */
    uint32_t *first;                /* by strand: its first writer; first[n]: their number */
    uint32_t *next;                 /* by strand: its first writer that does not happen before t1 */
    uint32_t *txn, *column, *place; /* by writer, strand by strand */
    uint32_t *cursor;               /* by writer: which one of the key's groups in this block has it */
    uint32_t *reads;                /* by writer: the first read from it; ISO_NONE: none */

    /* by writer of the index: first its cursor; when all strands are known, its number among the writers strand by
     * strand. ISO_NONE: it is in another block */
    uint32_t *slot;

    /* by writer of this block, in the order of the index. met: its number in the index. at: first its strand; when all
     * strands are known, its number among the writers strand by strand */
    uint32_t *met, *at;

    uint32_t *tail_column, *tail_place; /* by strand, while they are found: the last writer so far */

    /* by read of the key, counted from its first read: the offset in `found` of a count, and of that many writers,
     * which happen before t3 and not before t1; or one of the two constants below */
    uint32_t *missed, reads_from;
    uint32_t *found, n_found, found_room;
    uint32_t *last; /* by cursor: the place of the last of these writers; else 0 */
} iso_awdit_strands;

#define ISO_AWDIT_NONE_MISSED UINT32_MAX /* there is none, so the read needs no edge */
#define ISO_AWDIT_MANY_MISSED                                                                                          \
    (UINT32_MAX - 1) /* there are too many to list: the cursors of all chains say from where */

/* When strands are used for a key in a block. */
enum {
    ISO_AWDIT_GROUPS = 16,         /* the key has at least this many groups in the block */
    ISO_AWDIT_WIDE = 4,            /* at least one writer in this many writes a key with that many groups */
    ISO_AWDIT_GROUPS_A_STRAND = 4, /* at least this many groups for each strand */
};

/* Some chains, and a table with a column for each of them and a row for each transaction. An entry is the place in the
 * chain of the last transaction that happens before this one, or is it; 0: there is none. Rows are padded to 64
 * bytes. */
typedef struct iso_awdit_block {
    iso_awdit *a;
    const iso_awdit_index *index;
    const uint32_t *order;
    uint32_t *column;   /* by chain; ISO_NONE: not in this block */
    uint32_t stride;    /* number of elements of a row (single.c: of words) */
    uint32_t from, end; /* clock.inc: the columns that a thread computes */
    void *clock;
    iso_awdit_edges edges;
    iso_pool *pool;
} iso_awdit_block;

static inline uint32_t iso_awdit_chain(const iso_awdit_block *b, uint32_t t) { return b->index->chains.of[t]; }

/* Returns the place of t in its chain. */
static inline uint32_t iso_awdit_place(const iso_awdit_block *b, uint32_t t) { return b->index->chains.place[t]; }

/* single.c. For a block of chains with a single writer each; its stride is in words of 64 columns. */
void iso_awdit_single_block(iso_awdit_block *b);

/* chains.c. Finds the chains, and infers the edges from light transactions. order: a topological order of so and wr. */
iso_awdit_chains iso_awdit_find_chains(iso_awdit *a, const uint32_t *order);
void iso_awdit_free_chains(const iso_awdit *a, iso_awdit_chains *chains);

#endif
