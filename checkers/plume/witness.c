/* The proof of an instance: a cycle whose edges have their reasons. Paths are as short as a breadth-first search finds
 * them; a step along a session is one edge, whatever its distance. */
#include <string.h>

#include "base/bisect.h"
#include "checkers/anomaly.h"
#include "checkers/plume/plume.h"

/* ---- paths of so and wr ---- */

/* parent[] by transaction: the read by which its successor on the path sees it; SESSION: by session order. after: that
 * successor. */
#define SESSION UINT32_MAX

typedef struct path {
    iso_plume *p;
    uint32_t from;
    const uint32_t *within; /* only transactions of from's component; NULL: transactions that `from` reaches */
    uint32_t *after, tail;
    uint32_t *above; /* by session: all its transactions before this one were visited, or may not be passed */
} path;

static bool may_pass(const path *w, uint32_t u) {
    iso_plume *p = w->p;
    if (w->within != NULL) {
        return w->within[u] == w->within[w->from];
    }
    return p->clock == NULL || p->clock[(size_t)u * p->h->n_sessions + p->h->txn_session[w->from]] > w->from;
}

/* Visits u, the predecessor of `after`. Returns whether u is the start of the path. */
static bool step(path *w, uint32_t u, uint32_t after, uint32_t read) {
    iso_plume *p = w->p;
    if (u != w->from && p->stamp[u] == p->search) {
        return false;
    }
    p->stamp[u] = p->search;
    p->parent[u] = read;
    w->after[u] = after;
    p->queue[w->tail++] = u;
    return u == w->from;
}

/* Visits the transactions before v in its session; in all visits together each transaction once. Returns whether one is
 * the start of the path. */
static bool visit_session(path *w, uint32_t v) {
    iso_plume *p = w->p;
    uint32_t *above = &w->above[p->h->txn_session[v]];
    for (uint32_t u = v; u-- > *above;) {
        if (!iso_plume_in(p, u)) {
            continue;
        }
        if (!may_pass(w, u)) {
            break; /* nor any earlier one */
        }
        if (step(w, u, v, SESSION)) {
            return true;
        }
    }
    *above = *above > v ? *above : v;
    return false;
}

/* Finds a shortest path of at least one edge, backwards from `to`. from and to are included. O(n); with clocks it
 * visits only transactions between them. */
static void find_path(path *w, uint32_t to) {
    iso_plume *p = w->p;
    p->search++;
    w->tail = 0;
    p->count.traversals++;
    if (to != w->from) {
        p->stamp[to] = p->search;
    }
    for (uint32_t head = 0, v = to;; v = p->queue[head++]) {
        iso_tick(p->pool->env);
        p->count.visited++;
        for (uint32_t r = p->read_first[v]; r < p->read_first[v + 1]; r++) {
            uint32_t u = p->read_from[r];
            if (u != ISO_INIT && may_pass(w, u) && step(w, u, v, r)) {
                return;
            }
        }
        if (visit_session(w, v)) {
            return;
        }
        if (head == w->tail) {
            iso_throw(p->pool->env, ISOLAB_E_INTERNAL, "plume found no path where causality says that there is one");
        }
    }
}

/* The write that a read of the view is from: of a list, the append of the last element that others made. */
static uint32_t write_of(const iso_plume *p, uint32_t r) {
    uint32_t op = p->read_op[r];
    if (p->read_from[r] == ISO_INIT) {
        return ISO_INIT;
    }
    if (p->h->op_kind[op] == ISO_READ) {
        return p->h->op_writer[op];
    }
    return p->lists->read[ISO_BISECT(i, 1, p->lists->n_reads, p->lists->read[i].op <= op) - 1].writer;
}

static iso_edge read_edge(const iso_plume *p, uint32_t r) {
    return iso_edge_of_read(p->h, p->read_from[r], write_of(p, r), p->read_op[r]);
}

/* Appends the edges of a shortest path. Returns their number. */
static uint32_t add_path(iso_plume *p, uint32_t from, uint32_t to, const uint32_t *within) {
    if (from == ISO_INIT) {
        iso_result_edge(p->result, iso_edge_of(ISO_EDGE_SO, from, to));
        return 1;
    }
    path w = {.p = p, .from = from, .within = within, .after = ISO_NEW(p->pool, uint32_t, p->h->n_txns)};
    w.above = ISO_NEW(p->pool, uint32_t, p->h->n_sessions);
    memcpy(w.above, p->h->session_txn, p->h->n_sessions * sizeof *w.above);
    find_path(&w, to);
    uint32_t n = 0;
    for (uint32_t t = from; n == 0 || t != to; n++, t = w.after[t]) {
        iso_result_edge(p->result,
                        p->parent[t] == SESSION ? iso_edge_of(ISO_EDGE_SO, t, w.after[t]) : read_edge(p, p->parent[t]));
    }
    iso_free(p->pool, w.after);
    iso_free(p->pool, w.above);
    return n;
}

static iso_anomaly anomaly(iso_anomaly_kind kind, uint32_t first, uint32_t n) {
    return (iso_anomaly){.kind = (uint8_t)kind, .op = ISO_NONE, .other_op = ISO_NONE, .cycle = first, .n_cycle = n};
}

iso_anomaly iso_plume_causal_cycle(iso_plume *p, uint32_t txn) {
    uint32_t first = p->result->n_edges;
    return anomaly(ISO_A_CYCLIC_CO, first, add_path(p, txn, txn, p->component));
}

/* ---- paths of CM ---- */

/* Writes a shortest path of at least one edge of cm, as edge numbers, to *edges. Returns its length. */
static uint32_t find_edges(iso_plume *p, const iso_plume_cm *cm, uint32_t from, uint32_t to, uint32_t **edges) {
    uint32_t tail = 0, arrived = ISO_NONE;
    p->search++;
    p->count.traversals++;
    if (from != to) {
        p->stamp[from] = p->search;
    }
    p->queue[tail++] = from;
    for (uint32_t head = 0; arrived == ISO_NONE; head++) {
        if (head == tail) {
            iso_throw(p->pool->env, ISOLAB_E_INTERNAL, "plume found no path within a component");
        }
        uint32_t v = p->queue[head];
        iso_tick(p->pool->env);
        p->count.visited++;
        for (uint32_t i = cm->graph.first[v]; i < cm->graph.first[v + 1]; i++) {
            uint32_t u = cm->graph.to[i];
            if (cm->component[u] != cm->component[from] || p->stamp[u] == p->search) {
                continue;
            }
            p->stamp[u] = p->search;
            p->parent[u] = cm->graph.edge[i];
            p->queue[tail++] = u;
            if (u == to) {
                arrived = u;
                break;
            }
        }
    }
    uint32_t n = 0;
    for (uint32_t v = to; n == 0 || v != from; v = cm->edge_from[p->parent[v]]) {
        n++;
    }
    *edges = ISO_NEW(p->pool, uint32_t, n);
    uint32_t i = n;
    for (uint32_t v = to; i > 0; v = cm->edge_from[p->parent[v]]) {
        (*edges)[--i] = p->parent[v];
    }
    return n;
}

/* Returns the earliest read by which the reader of a fact sees t2, for MONO or ATOMIC (with_x: y = x is allowed);
 * ISO_NONE: none. */
static uint32_t earliest_sight(const iso_plume *p, uint32_t t2, uint32_t fact, bool mono, bool with_x) {
    uint32_t t3 = p->h->op_txn[p->read_op[fact]];
    for (uint32_t r = p->read_first[t3]; r < (mono ? fact : p->read_first[t3 + 1]); r++) {
        if (p->read_from[r] == t2 && (with_x || p->read_key[r] != p->read_key[fact])) {
            return r;
        }
    }
    return ISO_NONE;
}

/* Returns the edge t2 -> t1 of an axiom, and appends its premises. in_cm: an edge of CM, where ATOMIC allows y = x. */
static iso_edge axiom_edge(iso_plume *p, iso_plume_grade grade, uint32_t t2, uint32_t fact, bool in_cm) {
    uint32_t t3 = p->h->op_txn[p->read_op[fact]];
    iso_edge edge = iso_edge_of(ISO_EDGE_AXIOM, t2, p->read_from[fact]);
    edge.key = p->read_key[fact];
    edge.reader_op = p->read_op[fact];
    edge.premise = p->result->n_edges;
    edge.n_premise = 1;
    if (grade == ISO_PLUME_CAUSAL) {
        edge.n_premise = add_path(p, t2, t3, NULL);
        return edge;
    }
    bool mono = grade == ISO_PLUME_MONO;
    uint32_t r = earliest_sight(p, t2, fact, mono, mono ? p->any_key : in_cm);
    iso_result_edge(p->result, r == ISO_NONE ? iso_edge_of(ISO_EDGE_SO, t2, t3) : read_edge(p, r));
    return edge;
}

/* Returns edge number e of cm. If it begins a run of session order, or leads to a node of many.c, that run, or the way
 * through such nodes, which ends with edge `last`, becomes one edge. */
static iso_edge edge_of(iso_plume *p, const iso_plume_cm *cm, uint32_t e, uint32_t last) {
    uint32_t from = iso_plume_txn(p, cm->edge_from[e]), to = iso_plume_txn(p, cm->edge_to[last]);
    if (e < cm->n_so) {
        return iso_edge_of(ISO_EDGE_SO, from, to);
    }
    if (e < cm->n_causal) {
        uint32_t r = p->read_first[to];
        while (p->read_from[r] != from || !iso_plume_bit(p->fact, r)) {
            r++;
        }
        return read_edge(p, r);
    }
    uint32_t why = cm->why[last - cm->n_causal];
    if (last - cm->n_causal < cm->n_axioms) {
        return axiom_edge(p, cm->grade, from, why, true);
    }
    iso_edge edge = iso_edge_of(ISO_EDGE_LIST, from, to);
    edge.key = why;
    edge.reader_op = p->lists->read[p->lists->longest[why]].op;
    return edge;
}

/* Appends the premises, then the edges without gaps, then `last` unless it is NULL. Returns the place of the first
 * edge. */
static uint32_t add_edges(iso_plume *p, const iso_plume_cm *cm, const uint32_t *edges, uint32_t n, const iso_edge *last,
                          uint32_t *first) {
    iso_edge *row = ISO_NEW(p->pool, iso_edge, n);
    uint32_t rows = 0;
    for (uint32_t i = 0; i < n;) {
        uint32_t end = i;
        while (end + 1 < n &&
               ((edges[i] < cm->n_so && edges[end + 1] < cm->n_so) || cm->edge_to[edges[end]] > p->h->n_txns)) {
            end++;
        }
        row[rows++] = edge_of(p, cm, edges[i], edges[end]);
        i = end + 1;
    }
    *first = p->result->n_edges;
    for (uint32_t i = 0; i < rows; i++) {
        iso_result_edge(p->result, row[i]);
    }
    iso_free(p->pool, row);
    if (last != NULL) {
        iso_result_edge(p->result, *last);
    }
    return rows + (last != NULL);
}

iso_anomaly iso_plume_list_cycle(iso_plume *p, uint32_t node) {
    const iso_plume_cm *cm = &p->cm[ISO_PLUME_NO_AXIOM];
    uint32_t *edges, first, n = find_edges(p, cm, node, node, &edges);
    n = add_edges(p, cm, edges, n, NULL, &first);
    iso_free(p->pool, edges);
    return anomaly(iso_anomaly_of_cycle(p->h, p->result->edges + first, n, p->result->edges), first, n);
}

iso_anomaly iso_plume_cycle(iso_plume *p, iso_anomaly_kind kind, const iso_plume_cm *cm, iso_plume_grade grade,
                            uint32_t t2, uint32_t fact) {
    uint32_t t1 = p->read_from[fact], first;
    iso_edge last = axiom_edge(p, grade, t2, fact, false);
    if (cm == NULL) {
        first = p->result->n_edges;
        uint32_t n = add_path(p, t1, t2, NULL);
        iso_result_edge(p->result, last);
        return anomaly(kind, first, n + 1);
    }
    uint32_t *edges, n = find_edges(p, cm, iso_plume_node(p, t1), t2, &edges);
    n = add_edges(p, cm, edges, n, &last, &first);
    iso_free(p->pool, edges);
    return anomaly(kind, first, n);
}
