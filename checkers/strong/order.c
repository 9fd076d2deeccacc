/* See order.h. */
#include "checkers/strong/order.h"
#include "base/assert.h"
#include "base/sort.h"
#include "graph/intervals.h"

#include <string.h>

void iso_strong_add_edge(strong_order *o, strong_edge edge) {
    iso_assert(edge.from < o->n && edge.to < o->n);
    if (o->n_edges >= ISO_ID_MAX) {
        iso_throw(o->pool->env, ISOLAB_E_LIMIT, "more than %u inferred edges", ISO_ID_MAX);
    }
    if (o->n_edges == o->edges_room) { /* edges take much of the memory, so the array does not double */
        o->edges_room += o->edges_room / 4 + 32;
        o->edge = iso_resize(o->pool, o->edge, o->edges_room, sizeof *o->edge);
    }
    edge.next = o->out[edge.from];
    o->out[edge.from] = o->n_edges;
    o->edge[o->n_edges++] = edge;
}

uint32_t *iso_strong_degrees(const strong_order *o, iso_pool *pool) {
    const strong_model *m = o->m;
    uint32_t *degree = ISO_ZNEW(pool, uint32_t, o->n);
    for (uint32_t t = 0; t < m->n; t++) {
        uint32_t read_from = 0;
        for (uint32_t r = m->read_first[t]; r < m->read_first[t + 1]; r++) {
            read_from += m->read_slot[r] != ISO_INIT;
        }
        degree[strong_start(m, t)] += read_from;
        degree[strong_commit(m, t)] += m->per_txn - 1;
        if (strong_next_follows(m, t)) {
            degree[strong_start(m, t + 1)]++;
        }
        if (m->end != NULL && t < m->n_included && m->end[t] != ISO_NONE) {
            degree[strong_start(m, m->end[t])]++;
        }
    }
    for (uint32_t i = 0; m->end != NULL && i < m->after_first[m->n - m->n_txns]; i++) {
        degree[strong_start(m, m->after[i])]++;
    }
    for (uint32_t e = 0; e < o->n_edges; e++) {
        degree[o->edge[e].to]++;
    }
    return degree;
}

static void add_arc(void *arg, uint32_t to, uint32_t read, uint32_t edge) {
    strong_arcs *a = arg;
    if (a->tag != NULL) {
        a->tag[a->n] = iso_strong_arc_tag(read, edge);
    }
    a->to[a->n++] = a->vertex == NULL ? to : a->vertex[to];
}

strong_arcs iso_strong_arcs(const strong_order *o, iso_pool *pool, const uint32_t *event, const uint32_t *vertex,
                            bool tags) {
    const strong_model *m = o->m;
    uint64_t most = (uint64_t)o->n + m->read_first[m->n] + (m->end == NULL ? 0 : 2 * (uint64_t)m->n_txns) + o->n_edges;
    if (most > UINT32_MAX / 2) {
        iso_throw(pool->env, ISOLAB_E_LIMIT, "strong takes at most %u known edges", UINT32_MAX / 2);
    }
    strong_arcs a = {.vertex = vertex};
    a.first = ISO_NEW(pool, uint32_t, (size_t)o->n + 1);
    a.to = ISO_NEW(pool, uint32_t, most);
    a.tag = tags ? ISO_NEW(pool, uint32_t, most) : NULL;
    for (uint32_t v = 0; v < o->n; v++) {
        a.first[v] = a.n;
        strong_each_out(o, event == NULL ? v : event[v], add_arc, &a);
    }
    a.first[o->n] = a.n;
    iso_assert(a.n <= most);
    return a;
}

/* Kahn's algorithm. */
typedef struct kahn {
    uint32_t *degree, *queue, n;
} kahn;

static void release(void *arg, uint32_t to, uint32_t read, uint32_t edge) {
    (void)read, (void)edge;
    kahn *q = arg;
    iso_assert(q->degree[to] > 0);
    if (--q->degree[to] == 0) {
        q->queue[q->n++] = to;
    }
}

bool iso_strong_topological(const strong_order *o, iso_pool *scratch, uint32_t *by_rank) {
    kahn q = {.degree = iso_strong_degrees(o, scratch), .queue = by_rank};
    for (uint32_t v = 0; v < o->n; v++) {
        if (q.degree[v] == 0) {
            q.queue[q.n++] = v;
        }
    }
    for (uint32_t i = 0; i < q.n; i++) {
        strong_each_out(o, by_rank[i], release, &q);
    }
    iso_free(scratch, q.degree);
    return q.n == o->n;
}

/* t writes key x after another writer (ISO_NONE: none), as read op shows. */
static void follow(strong_order *o, uint32_t before, uint32_t t, uint32_t x, uint32_t op) {
    iso_assert(before != t && t < o->m->n_txns);
    const strong_model *m = o->m;
    if (before != ISO_NONE) {
        iso_strong_add_edge(o, (strong_edge){.from = strong_commit(m, before),
                                             .to = m->level == ISO_SI ? strong_start(m, t) : strong_commit(m, t),
                                             .op = op,
                                             .slot = iso_strong_slot_of(m, t, x),
                                             .kind = ISO_EDGE_LIST});
    }
}

/* Orders the writers of each list that were read as shown, and the others after them. For si two writers of a key are
 * not concurrent, so one commits before the start of the other. */
static void order_lists(strong_order *o) {
    const strong_model *m = o->m;
    const iso_lists *l = m->lists;
    for (uint32_t x = 0; l != NULL && x < m->h->n_keys; x++) {
        uint32_t before = ISO_NONE, op = l->longest[x] == ISO_NONE ? ISO_NONE : l->read[l->longest[x]].op;
        for (uint32_t i = l->block_first[x]; i < l->block_first[x + 1]; i++) {
            uint32_t t = m->dense[l->block_txn[i]];
            follow(o, before, t, x, op);
            before = t;
        }
        for (uint32_t i = l->rest_first[x]; i < l->rest_first[x + 1]; i++) {
            follow(o, before, m->dense[l->rest_txn[i]], x, op);
        }
        for (uint32_t i = m->key_first[x + 1]; i > m->key_first[x] && m->key_txn[i - 1] >= m->n_included; i--) {
            follow(o, before, m->key_txn[i - 1], x, op);
        }
    }
}

/* ---- lser: edges of real time between transactions that access a common key ---- */

static void add_time(void *arg, uint32_t from, uint32_t to) {
    strong_order *o = arg;
    const strong_model *m = o->m;
    bool known = m->chain[from] == m->chain[to] && from < to; /* by session order */
    if (!known) {
        iso_strong_add_edge(o, (strong_edge){.from = strong_commit(m, from),
                                             .to = strong_start(m, to),
                                             .op = ISO_NONE,
                                             .slot = ISO_NONE,
                                             .kind = ISO_EDGE_RT});
    }
}

/* Writes the transactions of operations op[0 .. n), each once: first the included ones. Returns their number. */
static uint32_t txns_of(const strong_model *m, const uint32_t *op, uint32_t n, uint32_t *txn) {
    uint32_t found = 0;
    for (int optional = 0; optional < 2; optional++) {
        for (uint32_t i = 0; i < n; i++) { /* operations of one transaction are adjacent */
            uint32_t t = m->dense[m->h->op_txn[op[i]]];
            bool wanted = t != ISO_NONE && (t >= m->n_included) == optional;
            if (wanted && (found == 0 || txn[found - 1] != t)) {
                txn[found++] = t;
            }
        }
    }
    return found;
}

/* Adds them, except edges that follow from others (graph/intervals.h). */
static void add_times(strong_order *o) {
    const strong_model *m = o->m;
    const isolab_history *h = m->h;
    if (m->level != ISO_LSER || h->txn_start == NULL || m->n_txns == 0) {
        return;
    }
    iso_intervals ended = {.at = ISO_NEW(o->pool, iso_interval, m->n_txns), .last = ISO_NEW_NONE(o->pool, m->k)};
    uint32_t *first, *op = iso_sorted_into(o->pool, h->op_key, h->n_ops, h->n_keys, &first);
    uint32_t *txn = ISO_NEW(o->pool, uint32_t, m->n_txns);
    for (uint32_t x = 0; x < h->n_keys; x++) {
        uint32_t n = txns_of(m, op + first[x], first[x + 1] - first[x], txn);
        ended.n = 0;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t t = txn[i], u = m->txn[t];
            if (t < m->n_included && h->txn_end[u] != ISO_NO_TIME) {
                ended.at[ended.n++] = (iso_interval){h->txn_start[u], h->txn_end[u], 0, t, m->chain[t]};
            }
        }
        iso_intervals_sort(&ended);
        for (uint32_t i = 0; i < n; i++) {
            iso_tick(o->pool->env);
            iso_intervals_before(&ended, h->txn_start[m->txn[txn[i]]], txn[i], add_time, o);
        }
    }
    iso_free(o->pool, ended.at);
    iso_free(o->pool, ended.last);
    iso_free(o->pool, first);
    iso_free(o->pool, op);
    iso_free(o->pool, txn);
}

/* ---- all of them ---- */

void iso_strong_order_init(strong_order *o, const strong_model *m, iso_pool *pool) {
    memset(o, 0, sizeof *o);
    o->m = m;
    o->pool = pool;
    o->n = m->n * m->per_txn;
    o->cycle = ISO_NONE;
    o->out = ISO_NEW_NONE(pool, o->n);
    order_lists(o);
    add_times(o);
    o->stride = (m->k + STRONG_LANES - 1) / STRONG_LANES * STRONG_LANES;
}

bool iso_strong_order_rank(strong_order *o) {
    o->rank = ISO_NEW(o->pool, uint32_t, o->n);
    o->by_rank = ISO_NEW(o->pool, uint32_t, o->n);
    if (!iso_strong_topological(o, o->pool, o->by_rank)) {
        return false;
    }
    for (uint32_t i = 0; i < o->n; i++) {
        o->rank[o->by_rank[i]] = i;
        iso_assert(o->by_rank[i] < o->n);
    }
    return true;
}
