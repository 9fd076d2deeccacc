/* Divergence, and cycles of two edges, in one pass over the transactions that were not executed: nearly every violated
 * history has one. It keeps the first one that breaks the weakest level. */
#include <string.h>

#include "checkers/mtc/mtc.h"

/* Number of later transactions whose neighbours are prefetched. */
#define AHEAD 16

/* The level that a pair of edges breaks, the weakest first. (A session against its times may break SSER alone.) */
typedef enum { G1, RA, SI, SER, LSER, SSER, NOTHING } breaks;

/* By the number of a read of a transaction: the transaction from which it reads, and the transaction that overwrites
 * the version; ISO_NONE: none. They are together in memory, because this pass mostly waits for memory. */
typedef struct neighbours {
    uint32_t source[MTC_READS], overwriter[MTC_READS];
} neighbours;

typedef struct pairs {
    mtc *m;
    breaks best;
    mtc_step step[2];
    neighbours *of;      /* by transaction that is not done */
    uint32_t first, end; /* the chain that is looked at */
} pairs;

static void keep(pairs *p, breaks what, mtc_step one, mtc_step two) {
    if (what < p->best) {
        p->best = what;
        p->step[0] = one;
        p->step[1] = two;
    }
}

static mtc_step rw(const mtc *m, uint32_t read) { return mtc_rw(m, read, mtc_overwriter(m, read)); }

static mtc_step wr(const mtc *m, uint32_t read) {
    uint32_t write = m->h->op_writer[read];
    return (mtc_step){m->h->op_txn[write], m->h->op_txn[read], ISO_EDGE_WR, write, read};
}

static mtc_step plain(uint32_t from, uint32_t to, iso_edge_kind kind) {
    return (mtc_step){from, to, (uint8_t)kind, ISO_NONE, ISO_NONE};
}

/* Records that the transaction overwrites the version of its read. Two overwriters of one version are Divergence. */
static void enter_overwriter(pairs *p, uint32_t t, uint32_t read) {
    mtc *m = p->m;
    const isolab_history *h = m->h;
    uint32_t *first = &m->overwriter[h->op_version[read]];
    if (*first == ISO_NONE) {
        *first = t;
    } else if (*first != t && p->best > SI) {
        uint32_t again = h->txn_op[*first];
        while (h->op_version[again] != h->op_version[read]) {
            again++;
        }
        keep(p, SI, mtc_rw(m, again, t), rw(m, read));
    }
}

/* Finds the overwriter of each version. Before a version is overwritten all have read it, so where transactions are
 * executed at once the overwriters of done transactions are not needed. */
static void find_overwriters(pairs *p) {
    mtc *m = p->m;
    const isolab_history *h = m->h;
    m->overwriter = ISO_NEW_NONE(m->pool, h->n_versions);
    for (uint32_t c = 0; c < m->n_chains; c++) {
        for (uint32_t t = m->level == ISO_SI ? m->chain_txn[c] : m->next[c]; t < m->chain_txn[c + 1]; t++) {
            iso_tick(m->pool->env);
            mtc_fetch(h, m->overwriter, t + AHEAD);
            mtc_txn x = mtc_in(m, t) ? mtc_look(h, t) : (mtc_txn){.n_reads = 0};
            for (uint32_t i = 0; i < x.n_reads; i++) {
                for (uint32_t w = 0; w < x.n_writes; w++) {
                    if (h->op_key[x.write[w]] == h->op_key[x.read[i]]) {
                        enter_overwriter(p, t, x.read[i]);
                    }
                }
            }
        }
    }
}

static bool timed(const pairs *p) { return p->m->clock != NULL || p->m->queues != NULL; }

/* Returns whether real time counts, and puts t before u; for two transactions that access a common key. */
static bool ended_before(const pairs *p, uint32_t t, uint32_t u) {
    return timed(p) && iso_before_in_time(p->m->h, t, u);
}

/* Prefetches the memory from which the neighbours of a transaction are computed. */
static void fetch_neighbours(const mtc *m, uint32_t t) {
    const isolab_history *h = m->h;
    mtc_fetch(h, m->overwriter, t);
    for (uint32_t o = t < h->n_txns ? h->txn_op[t] : h->n_ops; o < h->n_ops && o < h->txn_op[t + 1]; o++) {
        __builtin_prefetch(&h->op_txn[h->op_writer[o] < h->n_ops ? h->op_writer[o] : o]);
    }
}

static void find_neighbours(pairs *p) {
    mtc *m = p->m;
    const isolab_history *h = m->h;
    p->of = ISO_NEW(m->pool, neighbours, h->n_txns);
    memset(p->of, 0xff, h->n_txns * sizeof *p->of); /* all fields: ISO_NONE */
    for (uint32_t c = 0; c < m->n_chains; c++) {
        for (uint32_t t = m->next[c]; t < m->chain_txn[c + 1]; t++) {
            iso_tick(m->pool->env);
            fetch_neighbours(m, t + AHEAD);
            mtc_txn x = mtc_in(m, t) ? mtc_look(h, t) : (mtc_txn){.n_reads = 0};
            for (uint32_t i = 0; i < x.n_reads; i++) {
                p->of[t].source[i] = mtc_source(m, x.read[i]);
                p->of[t].overwriter[i] = mtc_overwriter(m, x.read[i]);
            }
        }
    }
}

/* Tests cycles with the edge from the writer u of a version that t reads. */
static void try_writer(pairs *p, uint32_t t, uint32_t u, uint32_t read) {
    const mtc *m = p->m;
    if (u > t && u < p->end) {
        keep(p, G1, plain(t, u, ISO_EDGE_SO), wr(m, read));
    }
    for (uint32_t i = 0; i < MTC_READS; i++) {
        if (p->of[u].source[i] == t) {
            keep(p, G1, wr(m, mtc_look(m->h, u).read[i]), wr(m, read));
        }
    }
    if (ended_before(p, t, u)) {
        keep(p, LSER, plain(t, u, ISO_EDGE_RT), wr(m, read));
    }
}

/* Tests cycles with the edge to the overwriter u of a version that t reads. */
static void try_overwriter(pairs *p, const mtc_txn *x, uint32_t t, uint32_t u, uint32_t read) {
    const mtc *m = p->m;
    if (u < t && u >= p->first) {
        keep(p, RA, plain(u, t, ISO_EDGE_SO), rw(m, read));
    }
    for (uint32_t i = 0; i < x->n_reads; i++) {
        if (p->of[t].source[i] == u) {
            keep(p, RA, wr(m, x->read[i]), rw(m, read));
        }
    }
    if (m->level == ISO_SI) {
        return;
    }
    for (uint32_t i = 0; i < MTC_READS; i++) {
        if (p->of[u].overwriter[i] == t) {
            keep(p, SER, rw(m, mtc_look(m->h, u).read[i]), rw(m, read));
        }
    }
    if (ended_before(p, u, t)) {
        keep(p, LSER, plain(u, t, ISO_EDGE_RT), rw(m, read));
    }
}

/* sser: tests a contradiction of time and session: a transaction after t ended before t started. */
static void try_session(pairs *p, uint32_t t) {
    const mtc *m = p->m;
    if (m->clock == NULL || p->best <= SSER || t + 1 == p->end ||
        m->h->txn_start[t] <= iso_mtc_earliest_end(m, t + 1)) {
        return;
    }
    for (uint32_t u = t + 1; u < p->end; u++) {
        if (mtc_in(m, u) && iso_before_in_time(m->h, u, t)) {
            keep(p, SSER, plain(t, u, ISO_EDGE_SO), plain(u, t, ISO_EDGE_RT));
            return;
        }
    }
}

/* lser: the same for each key, going back from the end of each session. */
static void try_sessions_by_key(pairs *p) {
    const mtc *m = p->m;
    const isolab_history *h = m->h;
    if (m->queues == NULL || p->best <= LSER) {
        return;
    }
    uint32_t *earliest = ISO_NEW_NONE(m->pool, h->n_keys); /* the later transaction of the session that ended first */
    for (uint32_t c = 0; c < m->n_chains; c++) {
        for (uint32_t t = m->chain_txn[c + 1]; t-- > m->next[c];) {
            iso_tick(m->pool->env);
            for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1] && mtc_in(m, t); o++) {
                uint32_t *of = &earliest[h->op_key[o]], u = *of;
                bool later = u != ISO_NONE && mtc_chain(m, u) == c;
                if (later && u != t && iso_before_in_time(h, u, t)) {
                    keep(p, LSER, plain(t, u, ISO_EDGE_SO), plain(u, t, ISO_EDGE_RT));
                    return;
                }
                if (h->txn_end[t] != ISO_NO_TIME && (!later || h->txn_end[t] < h->txn_end[u])) {
                    *of = t;
                }
            }
        }
    }
}

/* Prefetches the neighbours of the neighbours of a transaction. */
static void fetch_pairs(const pairs *p, uint32_t t) {
    const isolab_history *h = p->m->h;
    for (uint32_t i = 0; t < h->n_txns && i < MTC_READS; i++) {
        uint32_t source = p->of[t].source[i], overwriter = p->of[t].overwriter[i];
        source = source < ISO_INIT ? source : t;
        overwriter = overwriter != ISO_NONE ? overwriter : t;
        __builtin_prefetch(&p->of[source]);
        __builtin_prefetch(&p->of[overwriter]);
        if (timed(p)) {
            __builtin_prefetch(&h->txn_start[source]);
            __builtin_prefetch(&h->txn_end[overwriter]);
        }
    }
}

bool iso_mtc_pairs(mtc *m) {
    pairs p = {.m = m, .best = NOTHING};
    find_overwriters(&p);
    find_neighbours(&p);
    for (uint32_t c = 0; c < m->n_chains && p.best > G1; c++) {
        p.first = m->chain_txn[c];
        p.end = m->chain_txn[c + 1];
        for (uint32_t t = m->next[c]; t < p.end && p.best > G1; t++) {
            iso_tick(m->pool->env);
            fetch_pairs(&p, t + AHEAD);
            if (!mtc_in(m, t)) {
                continue;
            }
            mtc_txn x = mtc_look(m->h, t);
            for (uint32_t i = 0; i < x.n_reads; i++) {
                uint32_t source = p.of[t].source[i], overwriter = p.of[t].overwriter[i];
                if (source < ISO_INIT) {
                    try_writer(&p, t, source, x.read[i]);
                }
                if (overwriter != ISO_NONE && overwriter != t) {
                    try_overwriter(&p, &x, t, overwriter, x.read[i]);
                }
            }
            try_session(&p, t);
        }
    }
    try_sessions_by_key(&p);
    if (p.best < NOTHING) {
        iso_mtc_report(m, p.step, 2);
    }
    return p.best < NOTHING;
}
