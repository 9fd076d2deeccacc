/* See blame.h. */
#include "explain/blame.h"

#include <stdlib.h>

/* A read that missed a write in a proof, or offends by itself. */
typedef struct miss {
    uint32_t read, chain;
} miss;

typedef struct misses {
    const isolab_history *h;
    iso_pool *pool;
    miss *at;
    uint32_t n, room, chain, steps;
} misses;

static void add_miss(misses *m, uint32_t op) {
    if (op < m->h->n_ops && !iso_is_write(m->h->op_kind[op])) {
        ISO_GROW(m->pool, m->at, m->n, m->room);
        m->at[m->n++] = (miss){op, m->chain};
    }
}

static void add_step(void *arg, const iso_word_step *s) {
    misses *m = arg;
    m->steps++;
    if (s->edge->kind == ISO_EDGE_RW) {
        add_miss(m, s->edge->op_from);
    } else if (s->edge->kind == ISO_EDGE_AXIOM || s->edge->kind == ISO_EDGE_LIST) {
        add_miss(m, s->edge->reader_op);
    }
}

static int by_read(const void *a, const void *b) {
    const miss *x = a, *y = b;
    return x->read != y->read ? (x->read > y->read) - (x->read < y->read)
                              : (x->chain > y->chain) - (x->chain < y->chain);
}

/* Blames the read that most anomalies without a blamed read share; false: no two of them share one. */
static bool blame_next(const misses *m, iso_blame *blame) {
    uint32_t best = ISO_NONE, most = 1;
    for (uint32_t i = 0, end; i < m->n; i = end) {
        uint32_t n = 0, last = ISO_NONE;
        for (end = i; end < m->n && m->at[end].read == m->at[i].read; end++) {
            n += blame[m->at[end].chain].read == ISO_NONE && m->at[end].chain != last;
            last = m->at[end].chain;
        }
        best = n > most ? i : best;
        most = n > most ? n : most;
    }
    for (uint32_t i = best; best != ISO_NONE && i < m->n && m->at[i].read == m->at[best].read; i++) {
        iso_blame *b = &blame[m->at[i].chain];
        b->read = b->read == ISO_NONE ? m->at[i].read : b->read;
    }
    return best != ISO_NONE;
}

void iso_blame_all(iso_pool *pool, const isolab_history *h, const iso_chain *chain, uint32_t n, iso_blame *blame) {
    misses m = {.h = h, .pool = pool};
    for (uint32_t i = 0; i < n; i++) {
        m.chain = i;
        m.steps = 0;
        if (chain[i].n == 0) {
            add_miss(&m, chain[i].op);
            add_miss(&m, chain[i].other_op);
        }
        iso_chain_steps(h, &chain[i], add_step, &m);
        blame[i] = (iso_blame){ISO_NONE, m.steps};
    }
    if (m.n > 0) {
        qsort(m.at, m.n, sizeof *m.at, by_read);
    }
    while (blame_next(&m, blame)) {
    }
    iso_free(pool, m.at);
}

static iso_edge edge_of(iso_edge_kind kind, uint32_t from, uint32_t to, uint32_t key) {
    return (iso_edge){from, to, (uint8_t)kind, key, ISO_NONE, ISO_NONE, ISO_NONE, 0, 0};
}

static bool is_before_in_session(const isolab_history *h, uint32_t from, uint32_t to) {
    return from == ISO_INIT || (h->txn_session[from] == h->txn_session[to] && from < to);
}

const iso_result *iso_stale_read(iso_pool *pool, const isolab_history *h, uint32_t read) {
    uint32_t from = iso_writer_txn(h, read), reader = h->op_txn[read], key = h->op_key[read], newer = ISO_NONE;
    if (h->txn_start == NULL || h->op_kind[read] != ISO_READ || from == ISO_NONE || from == reader ||
        h->txn_counts[reader] != ISO_INCLUDED) {
        return NULL;
    }
    for (uint32_t o = 0; o < h->n_ops; o++) {
        uint32_t t = h->op_txn[o];
        bool later = h->op_key[o] == key && h->op_kind[o] == ISO_WRITE && t != from && t != reader &&
                     h->txn_counts[t] == ISO_INCLUDED && iso_before_in_time(h, t, reader) &&
                     (is_before_in_session(h, from, t) || iso_before_in_time(h, from, t));
        newer = later && (newer == ISO_NONE || h->txn_end[t] > h->txn_end[newer]) ? t : newer; /* the last of them */
    }
    if (newer == ISO_NONE) {
        return NULL;
    }
    iso_result *r = ISO_ZNEW(pool, iso_result, 1);
    iso_result_init(r, pool);
    bool session = is_before_in_session(h, from, newer);
    iso_result_edge(r, edge_of(session ? ISO_EDGE_SO : ISO_EDGE_RT, from, newer, session ? ISO_NONE : key));
    iso_result_edge(r, (iso_edge){reader, newer, ISO_EDGE_RW, key, read, ISO_NONE, ISO_NONE, 0, 1});
    iso_result_edge(r, edge_of(ISO_EDGE_RT, newer, reader, key));
    iso_result_anomaly(r, (iso_anomaly){.kind = ISO_A_KEY_TIME,
                                        .op = ISO_NONE,
                                        .other_op = ISO_NONE,
                                        .cycle = 1,
                                        .n_cycle = 2,
                                        .pattern = ISO_A_KEY_TIME});
    return r;
}
