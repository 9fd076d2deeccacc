/* What predicts how hard a history is. See hardness.h. */
#include "checkers/hardness.h"

#include <math.h>
#include <string.h>

#include "base/buckets.h"
#include "graph/digraph.h"

typedef struct view {
    const isolab_history *h;
    iso_pool *pool;
    uint32_t *from, *to; /* edges of so|wr between included transactions, each once */
    uint64_t m, from_room, to_room;
    uint64_t n_so;
} view;

static bool included(const isolab_history *h, uint32_t t) { return h->txn_counts[t] == ISO_INCLUDED; }

/* Returns the transaction that a read reads from, another one than its own; ISO_NONE: none, or not known. */
static uint32_t read_from(const isolab_history *h, uint32_t op) {
    uint32_t w = h->op_writer[op];
    bool known = !iso_is_write(h->op_kind[op]) && w < h->n_ops && h->op_txn[w] != h->op_txn[op];
    return known && included(h, h->op_txn[w]) ? h->op_txn[w] : ISO_NONE;
}

static void add_edge(view *v, uint32_t from, uint32_t to) {
    ISO_GROW(v->pool, v->from, v->m, v->from_room);
    ISO_GROW(v->pool, v->to, v->m, v->to_room);
    v->from[v->m] = from;
    v->to[v->m++] = to;
}

static void collect(view *v, iso_hardness *out) {
    const isolab_history *h = v->h;
    uint32_t *writes = ISO_ZNEW(v->pool, uint32_t, h->n_txns), *met = ISO_NEW_NONE(v->pool, h->n_txns);
    double root = sqrt((double)h->n_ops);
    for (uint32_t o = 0; o < h->n_ops; o++) {
        writes[h->op_txn[o]] += iso_is_write(h->op_kind[o]);
    }
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        uint32_t last = ISO_NONE;
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
            if (included(h, t)) {
                if (last != ISO_NONE) {
                    add_edge(v, last, t);
                }
                last = t;
                out->heavy += h->txn_op[t + 1] - h->txn_op[t] > root;
            }
        }
        out->sessions += last != ISO_NONE;
    }
    v->n_so = v->m;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        uint64_t reads = 0, first = v->m;
        for (uint32_t o = h->txn_op[t]; included(h, t) && o < h->txn_op[t + 1]; o++) {
            iso_tick(v->pool->env);
            uint32_t w = read_from(h, o);
            out->ambiguous += !iso_is_write(h->op_kind[o]) && h->op_writer[o] == ISO_MANY;
            reads += w != ISO_NONE;
            if (w != ISO_NONE && met[w] != t) {
                met[w] = t;
                add_edge(v, w, t);
            }
        }
        for (uint64_t i = first; i < v->m; i++) {
            out->work += writes[v->from[i]] < reads ? writes[v->from[i]] : reads;
        }
    }
    iso_free(v->pool, writes);
    iso_free(v->pool, met);
}

/* ---- so|wr as an order ---- */

/* A set of one depth is an antichain; each path is a chain, so no antichain is larger than the number of paths that
 * cover all. */
static void measure_order(view *v, const iso_digraph *g, const uint32_t *order, iso_hardness *out) {
    const isolab_history *h = v->h;
    uint32_t *depth = ISO_ZNEW(v->pool, uint32_t, h->n_txns), *of_depth = ISO_ZNEW(v->pool, uint32_t, h->n_txns + 1);
    bool *begins = ISO_ZNEW(v->pool, bool, h->n_txns); /* a path begins here */
    uint64_t paths = 0;
    out->depth = out->width_least = 0;
    for (uint32_t i = 0; i < h->n_txns; i++) {
        if (!included(h, order[i])) {
            continue;
        }
        uint32_t t = order[i], d = depth[t] + 1;
        out->depth = d > out->depth ? d : out->depth;
        of_depth[d]++;
        out->width_least = of_depth[d] > out->width_least ? of_depth[d] : out->width_least;
        for (uint32_t j = g->first[t]; j < g->first[t + 1]; j++) {
            iso_tick(v->pool->env);
            uint32_t s = g->to[j];
            depth[s] = depth[s] < d ? d : depth[s];
        }
    }
    /* Backwards, every transaction is put before one of its successors that begins a path. */
    for (uint32_t i = h->n_txns; i-- > 0;) {
        uint32_t t = order[i];
        bool grows = false;
        for (uint32_t j = g->first[t]; included(h, t) && !grows && j < g->first[t + 1]; j++) {
            grows = begins[g->to[j]];
            begins[g->to[j]] = false;
        }
        paths += included(h, t) && !grows;
        begins[t] = included(h, t);
    }
    out->width_most = paths;
    iso_free(v->pool, depth);
    iso_free(v->pool, of_depth);
    iso_free(v->pool, begins);
}

static void measure_components(view *v, const iso_digraph *g, iso_hardness *out) {
    const isolab_history *h = v->h;
    uint32_t *component = ISO_NEW(v->pool, uint32_t, h->n_txns), *size = ISO_ZNEW(v->pool, uint32_t, h->n_txns);
    iso_digraph_components(g, v->pool, component);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        uint32_t n = included(h, t) ? ++size[component[t]] : 0;
        out->largest_component = n > out->largest_component ? n : out->largest_component;
    }
    iso_free(v->pool, component);
    iso_free(v->pool, size);
}

/* ---- open pairs ---- */

typedef struct matrix {
    uint32_t n, words;
    uint64_t steps; /* so far: a deterministic bound, which the clock is not */
    uint64_t *row;  /* bit b of row a: a is before b */
} matrix;

static bool has(const matrix *m, uint32_t a, uint32_t b) {
    return m->row[(size_t)a * m->words + b / 64] >> (b % 64) & 1;
}

/* Adds a before b and all that follows by transitivity. Returns whether it is new. */
static bool put_before(iso_env *env, matrix *m, uint32_t a, uint32_t b) {
    if (has(m, a, b)) {
        return false;
    }
    for (uint32_t x = 0; x < m->n; x++) {
        if (x == a || has(m, x, a)) {
            iso_tick_steps(env, m->words);
            m->steps += m->words;
            m->row[(size_t)x * m->words + b / 64] |= (uint64_t)1 << (b % 64);
            for (uint32_t w = 0; w < m->words; w++) {
                m->row[(size_t)x * m->words + w] |= m->row[(size_t)b * m->words + w];
            }
        }
    }
    return true;
}

/* The writers of each key, each once. */
typedef struct writers {
    uint32_t *first, *txn;
} writers;

static writers writers_of(view *v) {
    const isolab_history *h = v->h;
    iso_buckets rows = iso_buckets_new(v->pool, h->n_keys);
    writers w = {rows.first, ISO_NEW(v->pool, uint32_t, h->n_ops)};
    uint32_t *last = ISO_NEW(v->pool, uint32_t, h->n_keys);
    for (int fill = 0; fill < 2; fill++) {
        iso_fill_none(last, h->n_keys);
        for (uint32_t o = 0; o < h->n_ops; o++) {
            uint32_t k = h->op_key[o], t = h->op_txn[o];
            if (iso_is_write(h->op_kind[o]) && included(h, t) && last[k] != t) {
                last[k] = t;
                if (fill == 0) {
                    iso_buckets_count(&rows, k);
                } else {
                    w.txn[iso_buckets_place(&rows, k)] = t;
                }
            }
        }
        if (fill == 0) {
            iso_buckets_sum(&rows);
        }
    }
    iso_free(v->pool, last);
    return w;
}

/* For t that reads x from w (ISO_INIT: the initial transaction) and another writer u of x: if u is before t, then it is
 * before w; if w is before u, then t is before u. */
static bool infer(view *v, matrix *m, const writers *w) {
    const isolab_history *h = v->h;
    bool more = false;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        uint32_t t = h->op_txn[o], from = h->op_writer[o] == ISO_INIT ? ISO_INIT : read_from(h, o);
        if (iso_is_write(h->op_kind[o]) || !included(h, t) || from == ISO_NONE) {
            continue;
        }
        for (uint32_t i = w->first[h->op_key[o]]; i < w->first[h->op_key[o] + 1]; i++) {
            iso_tick(v->pool->env);
            if (++m->steps > ISO_HARDNESS_STEPS) {
                return false;
            }
            uint32_t u = w->txn[i];
            if (u == t || u == from) {
                continue;
            }
            if (from != ISO_INIT && has(m, u, t)) {
                more |= put_before(v->pool->env, m, u, from);
            }
            if (from == ISO_INIT || has(m, from, u)) {
                more |= put_before(v->pool->env, m, t, u);
            }
        }
    }
    return more;
}

static uint64_t open_pairs(view *v) {
    const isolab_history *h = v->h;
    if (h->n_txns > ISO_HARDNESS_TXNS) {
        return ISO_HARDNESS_UNKNOWN;
    }
    matrix m = {h->n_txns, (h->n_txns + 63) / 64, 0, NULL};
    m.row = ISO_ZNEW(v->pool, uint64_t, (size_t)m.n * m.words + 1);
    for (uint64_t i = 0; i < v->m; i++) {
        put_before(v->pool->env, &m, v->from[i], v->to[i]);
    }
    writers w = writers_of(v);
    while (infer(v, &m, &w)) {
    }
    uint64_t open = 0;
    bool cycle = false;
    for (uint32_t t = 0; t < m.n; t++) {
        cycle |= has(&m, t, t);
    }
    for (uint32_t k = 0; k < h->n_keys; k++) {
        for (uint32_t i = w.first[k]; i < w.first[k + 1]; i++) {
            for (uint32_t j = w.first[k]; j < i; j++) {
                open += !has(&m, w.txn[i], w.txn[j]) && !has(&m, w.txn[j], w.txn[i]);
            }
        }
    }
    iso_free(v->pool, m.row);
    iso_free(v->pool, w.first);
    iso_free(v->pool, w.txn);
    return cycle || m.steps > ISO_HARDNESS_STEPS ? ISO_HARDNESS_UNKNOWN : open;
}

static double duplicate_factor(const isolab_history *h, iso_pool *scratch) {
    bool *written = ISO_ZNEW(scratch, bool, h->n_versions);
    uint64_t writes = 0, different = 0;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        if (iso_is_write(h->op_kind[o])) {
            writes++;
            different += !written[h->op_version[o]];
            written[h->op_version[o]] = true;
        }
    }
    iso_free(scratch, written);
    return different == 0 ? 1 : (double)writes / (double)different;
}

iso_hardness iso_hardness_of(const isolab_history *h, iso_pool *scratch) {
    iso_hardness out = {.width_least = ISO_HARDNESS_UNKNOWN,
                        .width_most = ISO_HARDNESS_UNKNOWN,
                        .depth = ISO_HARDNESS_UNKNOWN,
                        .open_pairs = ISO_HARDNESS_UNKNOWN};
    view v = {.h = h, .pool = scratch};
    collect(&v, &out);
    iso_digraph g = iso_digraph_build(scratch, h->n_txns, v.from, v.to, (uint32_t)v.m, false);
    uint32_t *order = ISO_NEW(scratch, uint32_t, h->n_txns);
    measure_components(&v, &g, &out);
    if (iso_digraph_order(&g, scratch, order)) {
        measure_order(&v, &g, order, &out);
        out.open_pairs = open_pairs(&v);
    }
    iso_hardness_blocks(h, scratch, &out);
    out.duplicates = duplicate_factor(h, scratch);
    iso_digraph_free(scratch, &g);
    iso_free(scratch, order);
    iso_free(scratch, v.from);
    iso_free(scratch, v.to);
    return out;
}
