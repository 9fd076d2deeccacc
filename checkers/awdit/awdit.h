/* What the files of the checker `awdit` share (awdit.txt, algorithms 1 to 4):
 *
 *   awdit.c    the steps in order, and the table of the ways to infer edges; the descriptor
 *   view.c     the checker's own arrays, and read consistency (algorithm 4)
 *   rc.c       edges inferred for rc and rc-plume (algorithm 1)
 *   ra.c       edges inferred for ra (algorithm 2), and ra with one session (theorem 1.6)
 *   sieve.c    rc, ra and cc of heavy transactions: an order in which no inferred edge leads back, or a violation
 *              (sieve_list.inc: its lists, by the width of a number)
 *   rows.c     heavy transactions as rows of bits, for rc, ra and cc
 *   seen.c     cc: the writers that happen before each transaction; if they are few, ra.c infers the edges for cc
 *   cc.c       edges inferred for cc (algorithm 3), in blocks of clocks (clock.inc)
 *   single.c   the same for chains with a single writer each, with bits instead of clocks
 *   chains.c   chains for cc: fewer than sessions if sessions are short
 *   choose.c   clocks or guessed orders for cc
 *   between.c  cc without clocks, for many sessions, by orders that guess.c makes
 *   order.c    a commit order, or none
 *   parts.c    threads
 *   witness.c  anomalies with their proofs (section 3.4), and witness.h; used only after a violation is certain:
 *              complete.c adds edges that shorten cycles, cycle.c finds the best cycle, reason.c why its edges hold
 *
 * Transactions have the history's numbers. An inferred edge (t2, t1) may have t1 = ISO_INIT: this is a violation. */
#ifndef ISOLAB_CHECKERS_AWDIT_AWDIT_H
#define ISOLAB_CHECKERS_AWDIT_AWDIT_H

#include "base/assert.h"
#include "checkers/checker.h"

/* A transaction with at most this many reads is handled by comparing all pairs of reads, a larger one by tables by
 * key. */
#define ISO_AWDIT_FEW 16

/* A binary search in a sorted row costs about as much as walking over this many entries of another row. */
#define ISO_AWDIT_SEARCH 8

/* Inferred edges from[i] -> to[i]. rc-plume has nodes that stand for many transactions; their numbers come after those
 * of transactions. An edge to such a node stands for an edge to each transaction that paths of such nodes reach. */
typedef struct iso_awdit_edges {
    iso_pool *pool;
    uint32_t *from, *to;
    uint32_t n, room, n_nodes;
    bool into_initial; /* some edge leads to the initial transaction */
} iso_awdit_edges;

/* Rows of bits, for heavy transactions and for chains with one writer. NEVER: as in the paper; ALWAYS: for all
 * transactions of every history. */
typedef enum { ISO_AWDIT_NEVER, ISO_AWDIT_IF_HEAVY, ISO_AWDIT_ALWAYS } iso_awdit_when;
typedef enum { ISO_AWDIT_ESTIMATE, ISO_AWDIT_CLOCKS, ISO_AWDIT_GUESSES } iso_awdit_way;

typedef struct iso_awdit {
    iso_pool *pool; /* of this run; freed at its end */
    const isolab_history *h;
    const iso_question *question;
    iso_result *result;
    iso_level level;
    unsigned threads;
    iso_awdit_way way;   /* option: what decides cc */
    iso_awdit_when bits; /* option */
    bool sieve;          /* option: look for edges that lead back before all edges are inferred */
    bool heavy;          /* the history has heavy transactions (rows.h) */

    /* The view. For an included transaction t:
     *   reads from other transactions, in program order: key[i], source[i] for i in [txn_op[t], reads_end[t])
     *   distinct keys written: key[i] for i in [writes_first[t], txn_op[t + 1]), sorted if there are more than FEW
     *   signature[t]: iso_awdit_bits() of all of these written keys */
    uint32_t *key, *source;
    uint32_t *reads_end, *writes_first;
    uint64_t *signature;
    bool unsorted;     /* some transaction writes more than FEW keys, and they are not sorted */
    uint64_t *dropped; /* bit by operation: offending reads, left out of the view; NULL: none */

    iso_awdit_edges edges;
    uint64_t most_edges; /* rc-plume: limit of the edges inferred from a long transaction, for each of its reads */
    bool plain;          /* infer edges only between transactions, without other nodes */
    bool
        unrepeatable; /* some transaction reads a key from two other ones; set by the view (cc) or the inference (ra) */
    uint32_t unrepeatable_from; /* ra: the smallest number of such a transaction that was met */
    uint32_t *order;            /* NULL: not requested */
    uint32_t n_order;
} iso_awdit;

/* Returns two of 64 bits for a key, as in a Bloom filter. A transaction that writes the key has both in its
 * signature. */
static inline uint64_t iso_awdit_bits(uint32_t key) {
    uint32_t mixed = key * 0x9e3779b1u;
    return (uint64_t)1 << (mixed >> 26) | (uint64_t)1 << (mixed >> 20 & 63);
}

/* Returns whether t may write the key with these bits. */
static inline bool iso_awdit_may_write(const iso_awdit *a, uint32_t t, uint64_t bits) {
    iso_assert(t < a->h->n_txns);
    return (a->signature[t] & bits) == bits;
}

/* Prefetches the signatures of the transactions that t reads from. */
static inline void iso_awdit_expect(const iso_awdit *a, uint32_t t) {
    for (uint32_t i = a->h->txn_op[t]; i < a->reads_end[t]; i++) {
        if (a->source[i] != ISO_INIT) {
            __builtin_prefetch(&a->signature[a->source[i]]);
        }
    }
}

/* Returns the largest number of reads for which all pairs of reads are compared. */
static inline uint32_t iso_awdit_few(const iso_awdit *a) { return a->bits == ISO_AWDIT_ALWAYS ? 0 : ISO_AWDIT_FEW; }

static inline bool iso_awdit_in(const iso_awdit *a, uint32_t t) { return a->h->txn_counts[t] == ISO_INCLUDED; }

/* One thread's part of the work: sessions [first, end), or what `arg` says. */
typedef struct iso_awdit_part iso_awdit_part;
typedef void iso_awdit_work(iso_awdit_part *part);
struct iso_awdit_part {
    iso_awdit *a;
    uint32_t first, end;
    void *arg;
    iso_pool *pool;        /* for the tables of this part */
    iso_awdit_edges edges; /* inferred edges; joined with those of the other parts, in order */
    bool good;             /* the answer of this part */
    iso_awdit_work *work;  /* parts.c */
};

/* Runs the parts, each on its own thread. The memory of their pools is freed afterwards. */
void iso_awdit_run(iso_awdit *a, iso_awdit_part *parts, unsigned n, iso_awdit_work *work);
/* Runs all sessions, in as many parts as there are threads. Returns whether all parts are good. */
bool iso_awdit_by_session(iso_awdit *a, iso_awdit_work *work, void *arg);
/* The same for work that infers edges. early: now and then it looks for a cycle in the edges so far, and stops if there
 * is one, unless all anomalies are wanted. */
bool iso_awdit_infer_by_session(iso_awdit *a, iso_awdit_work *work, void *arg, bool early);

/* Builds the view, with the keys written not sorted yet. Returns false if some read offends against read consistency
 * (iso_check_int() says which). hasty: it may stop at the first reads that are not repeatable; if `unrepeatable` is
 * set, it is not complete. */
bool iso_awdit_view(iso_awdit *a, bool hasty);
/* Sorts the keys written by transactions that write more than FEW, unless they are sorted. */
void iso_awdit_sort_keys(iso_awdit *a);

void iso_awdit_edge(iso_awdit_edges *edges, uint32_t t2, uint32_t t1);
uint32_t iso_awdit_new_node(const iso_awdit *a, iso_awdit_edges *edges);

/* Returns whether t writes the key. O(log) of the number of keys that it writes. */
bool iso_awdit_writes(const iso_awdit *a, uint32_t t, uint32_t key);

void iso_awdit_rc(iso_awdit *a); /* and rc-plume */
void iso_awdit_ra(iso_awdit *a);
/* For a history whose included transactions are in one session: returns whether ra holds, with session order as the
 * commit order. O(n). */
bool iso_awdit_ra_alone(iso_awdit *a);
/* Returns the number of bits of a clock's entry for a chain (or session). writers: how many of its transactions write;
 * size: how many it has. */
uint32_t iso_awdit_entry_bits(const iso_awdit *a, uint32_t writers, uint32_t size);
/* Returns whether guesses shall decide cc. */
bool iso_awdit_choose_guesses(const iso_awdit *a);
/* Infers the edges for cc by clocks. order: a topological order of so and wr. */
void iso_awdit_cc(iso_awdit *a, const uint32_t *order);
/* How a way to infer edges ends. */
typedef enum {
    ISO_AWDIT_GAVE_UP, /* without inferred edges */
    ISO_AWDIT_EDGES,   /* a cycle of so, wr and the inferred edges decides: these are all edges, or have a cycle */
    ISO_AWDIT_FOUND    /* a commit order; the inferred edges alone do not say it */
} iso_awdit_answer;
/* Decides cc without clocks, by guessing an order; overwrites `order`. */
iso_awdit_answer iso_awdit_cc_between(iso_awdit *a, uint32_t *order);

/* Writes a topological order of so, wr and, if `inferred`, the inferred edges to order (NULL: not needed). Returns
 * false if there is a cycle. */
bool iso_awdit_sort(iso_awdit *a, bool inferred, uint32_t *order);

/* Reports offending reads: all, or the first. Fills in `dropped`. */
void iso_awdit_report_reads(iso_awdit *a);
/* Reports cycles of so and wr. Returns false if there is none. */
bool iso_awdit_report_causality(iso_awdit *a);
/* ra, ci: reports two reads of one key from two other transactions, at most one pair a transaction, of the transactions
 * [first, end). Returns false if there is none. Marks all of these reads except the first ones as dropped. */
bool iso_awdit_report_unrepeatable(iso_awdit *a, uint32_t first, uint32_t end);
/* Reports cycles with inferred edges. */
void iso_awdit_report_cycles(iso_awdit *a);

#endif
