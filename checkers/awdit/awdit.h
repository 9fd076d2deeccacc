/* What the files of the checker `awdit` share (awdit.txt, algorithms 1 to 4):
 *
 *   awdit.c          what is asked, in which order; the descriptor
 *   view.c     the history as this checker reads it, and read consistency on the way (algorithm 4)
 *   rc.c       edges inferred for rc and rc-plume (algorithm 1)
 *   ra.c       edges inferred for ra (algorithm 2), and ra with one session (theorem 1.6)
 *   cc.c       edges inferred for cc (algorithm 3), in blocks of clocks (clock.inc)
 *   chains.c   chains for it, fewer than sessions where these are short
 *   order.c    a commit order, or none
 *   parts.c    threads
 *   witness.c  anomalies with their proofs (section 3.4), and witness.h; only after a violation is certain
 *
 * Transactions have the history's numbers. An inferred edge (t2, t1) may have t1 = ISO_INIT: a violation. */
#ifndef ISOLAB_CHECKERS_AWDIT_AWDIT_H
#define ISOLAB_CHECKERS_AWDIT_AWDIT_H

#include <pthread.h>

#include "checkers/checker.h"

/* More reads than this in a transaction, and tables by key take over from comparing all pairs of them. */
#define ISO_AWDIT_FEW 16

/* To search a sorted row costs about as much as to walk this many entries of another one. */
#define ISO_AWDIT_SEARCH 8

/* Inferred edges from[i] -> to[i]. rc-plume has nodes that stand for many transactions: their numbers come after those of
 * transactions. An edge to one of them is an edge to each that paths of such nodes lead to. */
typedef struct iso_awdit_edges {
    iso_pool *pool;
    uint32_t *from, *to;
    uint32_t n, room, n_nodes;
    bool into_initial; /* some edge leads to the initial transaction */
} iso_awdit_edges;

typedef struct iso_awdit {
    iso_pool *pool; /* of this run: freed when it ends */
    const isolab_history *h;
    const iso_request *request;
    iso_result *result;
    iso_level level;
    unsigned threads;

    /* The view. Of transaction t, which takes part:
     *   reads from others, in program order: key[i], source[i] for i in [txn_op[t], reads_end[t])
     *   distinct keys written: key[i] for i in [writes_first[t], txn_op[t + 1]), sorted if more than FEW
     *   signature[t]: a set that has all of those keys, by iso_awdit_bits() */
    uint32_t *key, *source;
    uint32_t *reads_end, *writes_first;
    uint64_t *signature;
    uint64_t *dropped; /* bit by operation: reads that offend, left out of the view; NULL: none */

    iso_awdit_edges edges;
    bool plain;        /* infer edges between transactions alone */
    bool unrepeatable; /* ra: some transaction reads a key from two others */
    uint32_t *order;   /* NULL: not asked for */
    uint32_t n_order;
} iso_awdit;

/* Two of 64 bits for a key, as in a Bloom filter: a transaction that writes it has both in its signature. */
static inline uint64_t iso_awdit_bits(uint32_t key) {
    uint32_t mixed = key * 0x9e3779b1u;
    return (uint64_t)1 << (mixed >> 26) | (uint64_t)1 << (mixed >> 20 & 63);
}

/* May t write the key with these bits? */
static inline bool iso_awdit_may_write(const iso_awdit *a, uint32_t t, uint64_t bits) {
    return (a->signature[t] & bits) == bits;
}

/* Soon the signatures of all that t reads from will be asked for. */
static inline void iso_awdit_expect(const iso_awdit *a, uint32_t t) {
    for (uint32_t i = a->h->txn_op[t]; i < a->reads_end[t]; i++) {
        if (a->source[i] != ISO_INIT) {
            __builtin_prefetch(&a->signature[a->source[i]]);
        }
    }
}

static inline bool iso_awdit_in(const iso_awdit *a, uint32_t t) { return a->h->txn_counts[t] == ISO_IN; }

/* A part of the work: sessions (or what arg says) [first, end), for one thread. */
typedef struct iso_awdit_part iso_awdit_part;
typedef void iso_awdit_work(iso_awdit_part *part);
struct iso_awdit_part {
    iso_awdit *a;
    uint32_t first, end;
    void *arg;
    iso_pool *pool;        /* for the part's own tables */
    iso_awdit_edges edges; /* inferred; joined to those of all parts, in their order */
    bool good;             /* what the part answers */
    /* parts.c */
    iso_awdit_work *work;
    iso_pool own_pool;
    iso_env env;
    pthread_t thread;
    int code;
};

/* Runs the parts, on as many threads. Memory of their pools is gone afterwards. */
void iso_awdit_run(iso_awdit *a, iso_awdit_part *parts, unsigned n, iso_awdit_work *work);
/* All sessions, in as many parts as there are threads. Are all of them good? */
bool iso_awdit_by_session(iso_awdit *a, iso_awdit_work *work, void *arg);

/* Builds the view. False: some read offends against read consistency (which: ask iso_check_int()). */
bool iso_awdit_view(iso_awdit *a);

void iso_awdit_edge(iso_awdit_edges *edges, uint32_t t2, uint32_t t1);
uint32_t iso_awdit_new_node(const iso_awdit *a, iso_awdit_edges *edges);

/* Does t write the key? O(log) of the number of keys that it writes. */
bool iso_awdit_writes(const iso_awdit *a, uint32_t t, uint32_t key);

void iso_awdit_rc(iso_awdit *a); /* and rc-plume */
void iso_awdit_ra(iso_awdit *a);
/* All who take part are in one session: true when ra holds (in an order that is the session's). O(n). */
bool iso_awdit_ra_alone(iso_awdit *a);
/* order: a topological order of so and wr. */
void iso_awdit_cc(iso_awdit *a, const uint32_t *order);

/* A topological order of so, wr and, if wanted, the inferred edges, into order (NULL: not needed). False:
 * there is a cycle. */
bool iso_awdit_sort(iso_awdit *a, bool inferred, uint32_t *order);

/* Reads that offend: all of them, or the first. Fills dropped. */
void iso_awdit_report_reads(iso_awdit *a);
/* Cycles of so and wr; false: there is none. */
bool iso_awdit_report_causality(iso_awdit *a);
/* ra, ci: two reads of one key from two others, at most one pair a transaction; false: there is none. Marks all
 * such reads but the first ones as dropped. */
bool iso_awdit_report_unrepeatable(iso_awdit *a);
/* Cycles with inferred edges. */
void iso_awdit_report_cycles(iso_awdit *a);

#endif
