/* `mtc`: serializability, strict serializability, lser and snapshot isolation of mini-transactions with unique values,
 * in linear time, with real time in O(n log k) for k sessions. This header is the map.
 *
 * A mini-transaction has at most two reads and two writes, and every write follows a read of the same key in the
 * transaction. So a transaction that overwrites a version has read it, and the order of the writers of a key is known:
 * if two transactions read one version and both write the key (Divergence), ser and si are violated; otherwise each
 * version has at most one overwriter. BuildDependency of mtc-appendix.txt, without the transitive closure of WW
 * (theorems 4 and 5), has the edges
 *
 *     SO   session order
 *     WR   from the writer of a version to its readers; WW is a part of it
 *     RW   from the readers of a version to its overwriter
 *     RT   sser: from the end of a transaction to the starts after it; lser: of transactions that access a common key
 *
 * The history satisfies ser (lser, sser) if and only if INT holds and these edges have no cycle; it satisfies si if
 * also there is no Divergence and (SO|WR|WW);RW? has no cycle. For si each transaction is two events, its start and its
 * commit: SO, WR and WW lead from a commit to a start, RW from a start to a commit, and each start leads to its own
 * commit (docs/mtc.md). So the induced graph is never built. Neither is the other graph: the history is executed. A
 * transaction reads when the versions that it read are current, and overwrites a version when all other transactions
 * that read it have done so. This is a topological order of that graph. If everything is executed, the order is the
 * certificate, and INT was tested at the same time. Otherwise the rest contains an offending read, Divergence, or a
 * cycle.
 *
 * Lightweight transactions (of one key each: reads and compare-and-sets) are decided at lser and sser by VL-LWT
 * (linear/chains.c) before, without an execution; if they are violated, the execution finds the reason.
 *
 * A history passes through these files:
 *
 *   mini.c      refuses other histories than those of mini-transactions
 *   execute.c   executes the history; the state that all files share
 *   clock.c     real time of sser, for the execution
 *   queues.c    real time of lser
 *   pairs.c     Divergence and cycles of two edges, in one pass
 *   cycle.c     a shortest cycle of more edges
 *   report.c    cycles as anomalies with their reasons
 *   mtc.c       the order of these steps; the descriptor */
#ifndef ISOLAB_CHECKERS_MTC_MTC_H
#define ISOLAB_CHECKERS_MTC_MTC_H

#include "checkers/checker.h"

/* Limits of a mini-transaction. */
#define MTC_READS 2
#define MTC_WRITES 2

/* A flag in a number of reads. */
#define MTC_WAITED ((uint32_t)1 << 31)

typedef struct mtc_clock mtc_clock;
typedef struct mtc_queues mtc_queues;

typedef struct mtc_options {
    bool count, chains;
} mtc_options;

typedef struct mtc {
    const isolab_history *h;
    const iso_question *question;
    iso_result *result;
    iso_pool *pool; /* of this run */
    iso_level level;
    mtc_options options;

    /* Sessions, or single transactions if session order does not count. */
    uint32_t n_chains;
    const uint32_t *chain_txn; /* n_chains + 1 entries */

    /* The execution: the transactions of chain c before next[c] are done. */
    uint32_t *next;
    uint8_t *started; /* by chain, si: next[c] has started, and not committed */
    uint32_t n_done, n_included;
    uint32_t *order;          /* of commits; NULL: not requested */
    uint32_t *left;           /* by version: number of its reads that were not executed; MTC_WAITED: some chain waits
                               * for it */
    uint32_t *waiting;        /* by awaited version: the first waiting chain */
    uint32_t *current;        /* by key: its current version */
    uint32_t *also;           /* by chain: another chain that waits for the same version */
    uint32_t *ready, n_ready; /* chains that can continue */
    mtc_clock *clock;         /* sser; NULL: real time does not count */
    mtc_queues *queues;       /* the same of lser */

    uint32_t *overwriter; /* by version that is read by a transaction that is not done: the transaction that overwrote
                           * it, set by iso_mtc_pairs(); ISO_NONE: none */
} mtc;

/* The relevant operations of a transaction: its reads from other transactions, and its last write of each key. */
typedef struct mtc_txn {
    uint32_t n_reads, n_writes;
    uint32_t read[MTC_READS];   /* operations */
    uint32_t write[MTC_WRITES]; /* operations */
    bool wrong;                 /* it does not read its own write back: INT is violated */
} mtc_txn;

/* A step of a cycle: so and rt have no operations; wr the write and the read; rw the read and the overwriting write. */
typedef struct mtc_step {
    uint32_t from, to;
    uint8_t kind; /* iso_edge_kind */
    uint32_t op_from, op_to;
} mtc_step;

static inline bool mtc_in(const mtc *m, uint32_t t) { return m->h->txn_counts[t] == ISO_INCLUDED; }

static inline bool mtc_has_sessions(const mtc *m) { return m->chain_txn == m->h->session_txn; }

static inline uint32_t mtc_chain(const mtc *m, uint32_t t) { return mtc_has_sessions(m) ? m->h->txn_session[t] : t; }

static inline bool mtc_done(const mtc *m, uint32_t t) { return t < m->next[mtc_chain(m, t)]; }

static inline bool mtc_started(const mtc *m, uint32_t t) {
    uint32_t c = mtc_chain(m, t);
    return t < m->next[c] || (t == m->next[c] && m->started[c]);
}

/* Returns the transaction that wrote the version of a read, or ISO_INIT. INT must hold. */
static inline uint32_t mtc_source(const mtc *m, uint32_t read) {
    uint32_t w = m->h->op_writer[read];
    return w == ISO_INIT ? ISO_INIT : m->h->op_txn[w];
}

/* Returns the transaction that overwrote the version of a read; ISO_NONE: none. */
static inline uint32_t mtc_overwriter(const mtc *m, uint32_t read) { return m->overwriter[m->h->op_version[read]]; }

/* Returns the step from a read to the transaction that overwrote its version, by its last write of the key. */
static inline mtc_step mtc_rw(const mtc *m, uint32_t read, uint32_t overwriter) {
    const isolab_history *h = m->h;
    uint32_t write = h->txn_op[overwriter + 1] - 1;
    while (h->op_kind[write] != ISO_WRITE || h->op_key[write] != h->op_key[read]) {
        write--;
    }
    return (mtc_step){h->op_txn[read], overwriter, ISO_EDGE_RW, read, write};
}

/* Prefetches what an array has of the versions of a transaction, if there is one of this number. */
static inline void mtc_fetch(const isolab_history *h, const uint32_t *by_version, uint32_t t) {
    for (uint32_t o = t < h->n_txns ? h->txn_op[t] : h->n_ops; o < h->n_ops && o < h->txn_op[t + 1]; o++) {
        __builtin_prefetch(&by_version[h->op_version[o]], 1);
    }
}

static inline mtc_txn mtc_look(const isolab_history *h, uint32_t t) {
    mtc_txn x = {.n_reads = 0};
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        uint32_t key = h->op_key[o], own = 0;
        while (own < x.n_writes && h->op_key[x.write[own]] != key) {
            own++;
        }
        if (h->op_kind[o] == ISO_WRITE) {
            x.write[own] = o;
            x.n_writes += own == x.n_writes;
        } else if (own == x.n_writes) {
            x.read[x.n_reads++] = o;
        } else {
            x.wrong |= h->op_version[x.write[own]] != h->op_version[o];
        }
    }
    return x;
}

extern const iso_option iso_mtc_options[];

/* Returns why the history is refused; NULL: it is a history of mini-transactions. */
const char *iso_mtc_refuses(const iso_checker *self, const isolab_history *h, const iso_question *question,
                            char *buffer, size_t size);

/* Execute as much as possible, from the beginning (prepare) or from where the execution ended. Return whether
 * everything was executed. */
void iso_mtc_prepare(mtc *m);
bool iso_mtc_execute(mtc *m);

/* Real time. A transaction may be executed when all that ended before it started are done. */
void iso_mtc_clock_start(mtc *m);
/* Returns false if chain c, whose next transaction is t, must wait. */
bool iso_mtc_clock_allows(mtc *m, uint32_t c, uint32_t t);
/* Transaction t of chain c is done. */
void iso_mtc_clock_done(mtc *m, uint32_t c, uint32_t t);
/* Makes one of the chains ready that waited only for the present time. */
void iso_mtc_clock_wake(mtc *m);
/* Makes all chains ready that wait for time. */
void iso_mtc_clock_release(mtc *m);
/* Returns the chain with the earliest end among transactions that are not done; there must be one. */
uint32_t iso_mtc_clock_first(const mtc *m);
/* Returns the n transactions that are not done and have an end, by their end. */
uint32_t *iso_mtc_by_end(const mtc *m, uint32_t *n);
/* Returns the earliest end among t and the later transactions of its chain. */
int64_t iso_mtc_earliest_end(const mtc *m, uint32_t t);

/* Real time of lser, likewise. */
void iso_mtc_queues_start(mtc *m);
/* Prefetches the queues of a transaction. */
void iso_mtc_queues_fetch(const mtc *m, uint32_t t);
bool iso_mtc_queues_allow(mtc *m, uint32_t c, uint32_t t);
void iso_mtc_queues_done(mtc *m, uint32_t t);
void iso_mtc_queues_release(mtc *m);

/* Places of a key's queue: of the transactions that ended before another one started, without the first ones if they
 * are done. If any is left, the first one is not done. */
typedef struct mtc_range {
    uint32_t key, first, end;
} mtc_range;

/* The places for which t waits, for each of its keys. Returns the number of keys. */
uint32_t iso_mtc_queues_before(const mtc *m, uint32_t t, mtc_range of[MTC_READS]);
uint32_t iso_mtc_queues_at(const mtc *m, uint32_t place); /* returns its transaction */

/* Call this after an incomplete execution, if INT holds. Reports Divergence, or the cycle of two edges that breaks the
 * weakest level, or returns false if there is none. Fills in overwriter. */
bool iso_mtc_pairs(mtc *m);
/* Reports a cycle of more edges, which must exist. */
void iso_mtc_cycle(mtc *m);

void iso_mtc_report(mtc *m, const mtc_step *step, uint32_t n);

#endif
