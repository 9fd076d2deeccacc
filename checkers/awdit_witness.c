/* Anomalies and their proofs (awdit.txt, section 3.4). Only reached when a violation is certain.
 *
 * - Read consistency: every read that offends.
 * - Causality: a short cycle of so and wr for each strongly connected component.
 * - Reads of one key from two others: the first pair of each transaction; after that, as algorithm 2 does, the
 *   first read of the key is the only one.
 * - Commit order: for each component of so, wr and the inferred edges a cycle with the fewest inferred ones
 *   (by searches from the inferred edges of the component, layer by layer; in a huge component as many as the
 *   budget allows), each with t1, t2, t3, the key and why t3 sees t2.
 *
 * Without --all the first one found ends it. */
#include <string.h>

#include "checkers/awdit.h"
#include "graph/digraph.h"
#include "history/internal.h"

#define SEARCH_STEPS ((uint64_t)1 << 24) /* for the cycles of one component */

/* Nodes are the transactions, and n_txns for the initial one. Edges are numbered: session order, then reads
 * from, then inferred. */
typedef struct witness {
    iso_awdit *a;
    uint32_t n_nodes, n_so, n_causal, n_edges;
    uint32_t *from, *to;
    iso_digraph graph;
    uint32_t *component;
    /* a search: stamped, so that nothing has to be cleared */
    uint32_t *stamp, search;
    uint32_t *parent; /* the edge by which the search came */
    uint32_t *queue, *later;
    /* the cycle at hand and its best length */
    uint32_t *cycle, n_cycle, weight;
    uint32_t cycle_room;
} witness;

static bool keep(iso_awdit *a, iso_anomaly_kind kind) {
    iso_result *r = a->result;
    r->verdict = ISOLAB_VIOLATED;
    if ((a->request->all || r->n_anomalies == 0) &&
        (a->request->limit == 0 || r->n_anomalies < a->request->limit)) {
        return true;
    }
    r->seen[kind]++;
    return false;
}

/* ---- read consistency ---- */

static void offence(void *arg, iso_int_kind kind, uint32_t read_op, uint32_t other_op) {
    static const uint8_t anomaly[ISO_INT_KINDS] = {
        [ISO_INT_THIN_AIR] = ISO_A_THIN_AIR,           [ISO_INT_ABORTED] = ISO_A_ABORTED_READ,
        [ISO_INT_FUTURE] = ISO_A_FUTURE_READ,          [ISO_INT_NOT_OWN] = ISO_A_NOT_MY_OWN_WRITE,
        [ISO_INT_NOT_LAST_OWN] = ISO_A_NOT_MY_LAST_WRITE, [ISO_INT_NOT_LAST] = ISO_A_INTERMEDIATE_READ};
    iso_awdit *a = arg;
    a->dropped[read_op >> 6] |= (uint64_t)1 << (read_op & 63);
    if (keep(a, (iso_anomaly_kind)anomaly[kind])) {
        iso_result_anomaly(a->result, (iso_anomaly){.kind = anomaly[kind], .op = read_op, .other_op = other_op});
    }
}

static void make_dropped(iso_awdit *a) {
    if (a->dropped == NULL) {
        a->dropped = ISO_ZNEW(a->pool, uint64_t, (size_t)a->h->n_ops / 64 + 1);
    }
}

void iso_awdit_report_reads(iso_awdit *a) {
    make_dropped(a);
    if (iso_check_int(a->h, a->pool, offence, a) == 0) {
        iso_throw(a->pool->env, ISOLAB_E_INTERNAL, "awdit found a read that offends, but not which one");
    }
}

/* From whom a read reads, if from another transaction that takes part; else ISO_NONE. */
static uint32_t source_of(const iso_awdit *a, uint32_t o) {
    const isolab_history *h = a->h;
    uint32_t w = h->op_writer[o];
    if (h->op_kind[o] != ISO_READ || (a->dropped != NULL && (a->dropped[o >> 6] >> (o & 63) & 1))) {
        return ISO_NONE;
    }
    if (w >= h->n_ops) {
        return w;
    }
    uint32_t t = h->op_txn[w];
    return t == h->op_txn[o] || !iso_awdit_in(a, t) ? ISO_NONE : t;
}

bool iso_awdit_report_unrepeatable(iso_awdit *a) {
    const isolab_history *h = a->h;
    bool any = false;
    uint32_t *before = ISO_ZNEW(a->pool, uint32_t, h->n_keys); /* the first read from another one, plus 1 */
    make_dropped(a);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        iso_tick(a->pool->env);
        bool mine = false;
        for (uint32_t o = h->txn_op[t]; iso_awdit_in(a, t) && o < h->txn_op[t + 1]; o++) {
            uint32_t source = source_of(a, o), b = before[h->op_key[o]];
            if (source == ISO_NONE) {
                continue;
            }
            if (b <= h->txn_op[t]) {
                before[h->op_key[o]] = o + 1;
            } else if (source_of(a, b - 1) != source) {
                a->dropped[o >> 6] |= (uint64_t)1 << (o & 63);
                if (!mine && keep(a, ISO_A_NON_REPEATABLE_READ)) {
                    iso_result_anomaly(a->result, (iso_anomaly){.kind = ISO_A_NON_REPEATABLE_READ,
                                                                .op = o,
                                                                .other_op = b - 1});
                }
                mine = true;
            }
        }
        any |= mine;
    }
    iso_free(a->pool, before);
    return any;
}

/* ---- the graph ---- */

static uint32_t node(const witness *w, uint32_t t) { return t == ISO_INIT ? w->n_nodes - 1 : t; }
static uint32_t txn(const witness *w, uint32_t n) { return n == w->n_nodes - 1 ? ISO_INIT : n; }

static void add(witness *w, uint32_t from, uint32_t to) {
    w->from[w->n_edges] = node(w, from);
    w->to[w->n_edges++] = node(w, to);
}

static void build(witness *w, bool inferred) {
    const iso_awdit *a = w->a;
    const isolab_history *h = a->h;
    uint64_t most = (uint64_t)h->n_txns + h->n_ops + (inferred ? a->edges.n : 0);
    if (most >= ISO_ID_MAX) {
        iso_throw(a->pool->env, ISOLAB_E_LIMIT, "too many edges to look for a cycle");
    }
    w->n_nodes = h->n_txns + 1;
    w->from = ISO_NEW(a->pool, uint32_t, most);
    w->to = ISO_NEW(a->pool, uint32_t, most);
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        uint32_t before = ISO_INIT;
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
            if (iso_awdit_in(a, t)) {
                add(w, before, t);
                before = t;
            }
        }
    }
    w->n_so = w->n_edges;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        for (uint32_t i = h->txn_op[t]; i < a->reads_end[t]; i++) {
            if (a->source[i] != ISO_INIT) {
                add(w, a->source[i], t);
            }
        }
    }
    w->n_causal = w->n_edges;
    for (uint32_t i = 0; inferred && i < a->edges.n; i++) {
        add(w, a->edges.from[i], a->edges.to[i]);
    }
    w->graph = iso_digraph_build(a->pool, w->n_nodes, w->from, w->to, w->n_edges, true);
    w->component = ISO_NEW(a->pool, uint32_t, w->n_nodes);
    iso_digraph_components(&w->graph, a->pool, w->component);
    w->stamp = ISO_ZNEW(a->pool, uint32_t, w->n_nodes);
    w->parent = ISO_NEW(a->pool, uint32_t, w->n_nodes);
    w->queue = ISO_NEW(a->pool, uint32_t, w->n_nodes);
    w->later = ISO_NEW(a->pool, uint32_t, w->n_edges);
}

static void demolish(witness *w) {
    iso_pool *pool = w->a->pool;
    uint32_t *arrays[] = {w->from,  w->to,    w->component, w->stamp,
                          w->parent, w->queue, w->later,     w->cycle};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        iso_free(pool, arrays[i]);
    }
    iso_digraph_free(pool, &w->graph);
}

/* ---- cycles ---- */

/* Searches from the end of an edge to its start within the component: first along so and wr, then (layers)
 * with one inferred edge more, while the cycle can still be better than the best. Returns the number of
 * inferred edges on the way; UINT32_MAX: given up. */
static uint32_t search(witness *w, uint32_t seed, uint64_t *steps) {
    uint32_t target = w->from[seed], start = w->to[seed], c = w->component[target];
    uint32_t base = seed >= w->n_causal, n_queue = 0, n_later = 0, layer = 0;
    w->search++;
    w->stamp[start] = w->search;
    w->parent[start] = ISO_NONE;
    w->queue[n_queue++] = start;
    for (uint32_t head = 0;;) {
        if (head == n_queue) { /* the next layer: the edges kept for later */
            layer++;
            if (w->n_cycle > 0 && base + layer >= w->weight) {
                return UINT32_MAX;
            }
            head = n_queue = 0;
            for (uint32_t i = 0; i < n_later; i++) {
                uint32_t e = w->later[i], v = w->to[e];
                if (w->stamp[v] != w->search) {
                    w->stamp[v] = w->search;
                    w->parent[v] = e;
                    w->queue[n_queue++] = v;
                }
            }
            n_later = 0;
            if (n_queue == 0) {
                return UINT32_MAX;
            }
            if (w->stamp[target] == w->search) {
                return layer;
            }
        }
        uint32_t v = w->queue[head++];
        for (uint32_t i = w->graph.first[v]; i < w->graph.first[v + 1]; i++) {
            uint32_t u = w->graph.to[i], e = w->graph.edge[i];
            ++*steps;
            if (w->component[u] != c || w->stamp[u] == w->search) {
                continue;
            }
            if (e >= w->n_causal) {
                w->later[n_later++] = e;
                continue;
            }
            w->stamp[u] = w->search;
            w->parent[u] = e;
            w->queue[n_queue++] = u;
            if (u == target) {
                return layer;
            }
        }
        iso_tick(w->a->pool->env);
    }
}

/* Keeps the cycle of a search if it is better: fewer inferred edges, then shorter. */
static void consider(witness *w, uint32_t seed, uint32_t inferred) {
    uint32_t weight = inferred + (seed >= w->n_causal), length = 1;
    for (uint32_t v = w->from[seed]; w->parent[v] != ISO_NONE; v = w->from[w->parent[v]]) {
        length++;
    }
    if (w->n_cycle > 0 && (weight > w->weight || (weight == w->weight && length >= w->n_cycle))) {
        return;
    }
    if (length > w->cycle_room) {
        w->cycle_room = 2 * length;
        w->cycle = iso_resize(w->a->pool, w->cycle, w->cycle_room, sizeof *w->cycle);
    }
    w->weight = weight;
    w->n_cycle = length;
    w->cycle[0] = seed;
    for (uint32_t v = w->from[seed], i = length; w->parent[v] != ISO_NONE; v = w->from[w->parent[v]]) {
        w->cycle[--i] = w->parent[v];
    }
}

/* The best cycle through one of the seeds, edges of one component. Leaves it in w->cycle. */
static void find_cycle(witness *w, const uint32_t *seeds, uint32_t n) {
    uint64_t steps = 0;
    w->n_cycle = 0;
    for (uint32_t i = 0; i < n && (i == 0 || steps < SEARCH_STEPS); i++) {
        uint32_t inferred = search(w, seeds[i], &steps);
        if (inferred != UINT32_MAX) {
            consider(w, seeds[i], inferred);
        }
    }
    if (w->n_cycle == 0) {
        iso_throw(w->a->pool->env, ISOLAB_E_INTERNAL, "awdit found no cycle in a component that must have one");
    }
}

/* ---- proofs ---- */

static uint32_t so_or_wr(const iso_awdit *a, uint32_t t2, uint32_t t3) {
    const isolab_history *h = a->h;
    for (uint32_t o = h->txn_op[t3]; o < h->txn_op[t3 + 1]; o++) {
        if (source_of(a, o) == t2) {
            return o;
        }
    }
    return ISO_NONE;
}

static iso_edge plain_edge(const iso_awdit *a, uint32_t from, uint32_t to, uint32_t read) {
    const isolab_history *h = a->h;
    return (iso_edge){.from = from,
                      .to = to,
                      .kind = read == ISO_NONE ? ISO_EDGE_SO : ISO_EDGE_WR,
                      .key = read == ISO_NONE ? ISO_NONE : h->op_key[read],
                      .op_from = read == ISO_NONE || from == ISO_INIT ? ISO_NONE : h->op_writer[read],
                      .op_to = read,
                      .reader_op = ISO_NONE};
}

/* How t3 sees t2, for the names of Plume's patterns (docs/levels.md). */
typedef enum { MONO, ATOMIC, CAUSAL } grade;

/* Why an edge was inferred: how t3 sees t2, by a read from t2, the session, or a path that the search left. */
typedef struct reason {
    uint32_t read;  /* of x by t3 from t1 */
    uint32_t seen;  /* rc, ra: the read of t3 from t2; ISO_NONE: session order */
    bool path;      /* cc: parents lead from t3 back to t2 */
} reason;

/* A read from t2, and then one of a key that t2 writes from t1; other_key: of two keys. */
static bool reason_rc(const iso_awdit *a, bool other_key, uint32_t t2, uint32_t t1, uint32_t t3, reason *why) {
    const isolab_history *h = a->h;
    uint32_t first = ISO_NONE, other = ISO_NONE; /* the first read of t2; the first one of another key */
    for (uint32_t o = h->txn_op[t3]; o < h->txn_op[t3 + 1]; o++) {
        uint32_t source = source_of(a, o);
        if (source == t2) {
            other = other == ISO_NONE && first != ISO_NONE && h->op_key[o] != h->op_key[first] ? o : other;
            first = first == ISO_NONE ? o : first;
        } else if (source == t1 && first != ISO_NONE && iso_awdit_writes(a, t2, h->op_key[o])) {
            bool same = other_key && h->op_key[first] == h->op_key[o];
            if (!same || other != ISO_NONE) {
                *why = (reason){o, same ? other : first, false};
                return true;
            }
        }
    }
    return false;
}

/* The read by which t3 misses a write of t2. */
static uint32_t missed_by(const iso_awdit *a, uint32_t t2, uint32_t t1, uint32_t t3) {
    const isolab_history *h = a->h;
    for (uint32_t o = h->txn_op[t3]; o < h->txn_op[t3 + 1]; o++) {
        if (source_of(a, o) == t1 && iso_awdit_writes(a, t2, h->op_key[o])) {
            return o;
        }
    }
    return ISO_NONE;
}

static bool reason_ra(const iso_awdit *a, uint32_t t2, uint32_t t1, uint32_t t3, reason *why) {
    if (reason_rc(a, true, t2, t1, t3, why)) {
        return true; /* the same, and a worse anomaly */
    }
    uint32_t read = missed_by(a, t2, t1, t3), seen = so_or_wr(a, t2, t3);
    bool session = a->h->txn_session[t2] == a->h->txn_session[t3] && t2 < t3;
    *why = (reason){read, seen, false};
    return read != ISO_NONE && (seen != ISO_NONE || session);
}

/* cc: forward from t2 to the nearest reader that misses it. */
static bool reason_cc(witness *w, uint32_t t2, uint32_t t1, reason *why) {
    uint32_t n = 0;
    w->search++;
    w->stamp[t2] = w->search;
    w->parent[t2] = ISO_NONE;
    w->queue[n++] = t2;
    for (uint32_t head = 0; head < n; head++) {
        uint32_t v = w->queue[head];
        iso_tick(w->a->pool->env);
        *why = (reason){head == 0 ? ISO_NONE : missed_by(w->a, t2, t1, v), ISO_NONE, true};
        if (why->read != ISO_NONE) {
            return true;
        }
        for (uint32_t i = w->graph.first[v]; i < w->graph.first[v + 1]; i++) {
            uint32_t u = w->graph.to[i];
            if (w->graph.edge[i] < w->n_causal && w->stamp[u] != w->search) {
                w->stamp[u] = w->search;
                w->parent[u] = w->graph.edge[i];
                w->queue[n++] = u;
            }
        }
    }
    return false;
}

static bool reason_at(const iso_awdit *a, uint32_t t2, uint32_t t1, uint32_t t3, reason *why) {
    return a->level == ISO_RA ? reason_ra(a, t2, t1, t3, why)
                              : reason_rc(a, a->level == ISO_RC_PLUME, t2, t1, t3, why);
}

static reason find_reason(witness *w, uint32_t t2, uint32_t t1) {
    const iso_awdit *a = w->a;
    reason why;
    if (a->level == ISO_CC) {
        if (reason_cc(w, t2, t1, &why)) {
            return why;
        }
    } else if (t1 != ISO_INIT) { /* the readers of t1 are among its successors */
        for (uint32_t i = w->graph.first[t1]; i < w->graph.first[t1 + 1]; i++) {
            uint32_t e = w->graph.edge[i], t3 = w->graph.to[i];
            if (e >= w->n_so && e < w->n_causal && reason_at(a, t2, t1, t3, &why)) {
                return why;
            }
        }
    } else { /* those that see t2 are among the successors of t2, or after it in its session */
        for (uint32_t i = w->graph.first[t2]; i < w->graph.first[t2 + 1]; i++) {
            uint32_t e = w->graph.edge[i], t3 = w->graph.to[i];
            if (e >= w->n_so && e < w->n_causal && reason_at(a, t2, t1, t3, &why)) {
                return why;
            }
        }
        uint32_t end = a->h->session_txn[a->h->txn_session[t2] + 1];
        for (uint32_t t3 = t2 + 1; a->level == ISO_RA && t3 < end; t3++) {
            if (iso_awdit_in(a, t3) && reason_ra(a, t2, t1, t3, &why)) {
                return why;
            }
        }
    }
    iso_throw(a->pool->env, ISOLAB_E_INTERNAL, "awdit cannot say why it inferred an edge");
}

/* Adds the edges of a row to the result, runs of session order as one. e[0 .. n) in order. */
static uint32_t add_row(witness *w, const uint32_t *e, uint32_t n) {
    iso_awdit *a = w->a;
    uint32_t added = 0;
    for (uint32_t i = 0; i < n; added++) {
        uint32_t from = w->from[e[i]], to = w->to[e[i]];
        bool so = e[i++] < w->n_so;
        while (so && i < n && e[i] < w->n_so) {
            to = w->to[e[i++]];
        }
        iso_result_edge(a->result, plain_edge(a, txn(w, from), txn(w, to), so ? ISO_NONE : so_or_wr(a, from, to)));
    }
    return added;
}

/* Adds the premises of an inferred edge, and returns the edge. */
static iso_edge justify(witness *w, uint32_t e, grade *how) {
    iso_awdit *a = w->a;
    const isolab_history *h = a->h;
    uint32_t t2 = txn(w, w->from[e]), t1 = txn(w, w->to[e]);
    reason why = find_reason(w, t2, t1);
    uint32_t t3 = h->op_txn[why.read];
    iso_edge edge = {.from = t2,
                     .to = t1,
                     .kind = ISO_EDGE_AXIOM,
                     .key = h->op_key[why.read],
                     .op_from = ISO_NONE,
                     .op_to = ISO_NONE,
                     .reader_op = why.read,
                     .premise = a->result->n_edges,
                     .n_premise = 1};
    if (why.path) {
        uint32_t n = 0;
        for (uint32_t v = t3; w->parent[v] != ISO_NONE; v = w->from[w->parent[v]]) {
            n++;
        }
        uint32_t *row = ISO_NEW(a->pool, uint32_t, n), i = n;
        for (uint32_t v = t3; w->parent[v] != ISO_NONE; v = w->from[w->parent[v]]) {
            row[--i] = w->parent[v];
        }
        edge.n_premise = add_row(w, row, n);
        iso_free(a->pool, row);
    } else {
        iso_result_edge(a->result, plain_edge(a, t2, t3, why.seen));
    }
    *how = edge.n_premise > 1 ? CAUSAL : ATOMIC;
    if (edge.n_premise == 1 && (a->level == ISO_RC || reason_rc(a, true, t2, t1, t3, &why))) {
        *how = MONO;
    }
    return edge;
}

/* Plume's name of a cycle (plume.txt, table 1): with one inferred edge t2 -> t1 the rest is t1 CO t2, else CM. */
static iso_anomaly_kind classify(uint32_t inferred, grade worst) {
    static const uint8_t by_co[] = {ISO_A_NON_MONO_READ_CO, ISO_A_FRACTURED_READ_CO, ISO_A_CO_CONFLICT_CM};
    static const uint8_t by_cm[] = {ISO_A_NON_MONO_READ_CM, ISO_A_FRACTURED_READ_CM, ISO_A_CONFLICT_CM};
    return (iso_anomaly_kind)(inferred == 0   ? ISO_A_CYCLIC_CO
                              : inferred == 1 ? by_co[worst]
                                              : by_cm[worst]);
}

/* The cycle at hand as an anomaly: premises first, then the cycle's edges side by side. */
static void report(witness *w) {
    iso_awdit *a = w->a;
    iso_edge *edges = ISO_NEW(a->pool, iso_edge, w->n_cycle);
    uint32_t *cycle = ISO_NEW(a->pool, uint32_t, w->n_cycle), n = w->n_cycle, inferred = 0;
    memcpy(cycle, w->cycle, n * sizeof *cycle);
    grade worst = MONO;
    for (uint32_t i = 0; i < n; i++) {
        if (cycle[i] >= w->n_causal) {
            grade how;
            edges[inferred++] = justify(w, cycle[i], &how);
            worst = how > worst ? how : worst;
        }
    }
    iso_anomaly anomaly = {.kind = (uint8_t)classify(inferred, worst),
                           .op = ISO_NONE,
                           .other_op = ISO_NONE,
                           .cycle = a->result->n_edges};
    inferred = 0;
    for (uint32_t i = 0; i < n;) {
        if (cycle[i] >= w->n_causal) {
            iso_result_edge(a->result, edges[inferred++]);
            i++;
            continue;
        }
        uint32_t run = i;
        while (run < n && cycle[run] < w->n_causal) {
            run++;
        }
        add_row(w, cycle + i, run - i);
        i = run;
    }
    anomaly.n_cycle = a->result->n_edges - anomaly.cycle;
    iso_result_anomaly(a->result, anomaly);
    iso_free(a->pool, cycle);
    iso_free(a->pool, edges);
}

/* One cycle for each component that has a seed inside: an edge of [first, end). Components in skip are left out. */
static bool report_components(witness *w, uint32_t first, uint32_t end, iso_anomaly_kind kind, const uint8_t *skip) {
    iso_awdit *a = w->a;
    uint32_t n = 0;
    uint32_t *head = ISO_NEW(a->pool, uint32_t, w->n_nodes); /* by component: its last seed */
    uint32_t *next = ISO_NEW(a->pool, uint32_t, end - first), *seeds = ISO_NEW(a->pool, uint32_t, end - first);
    memset(head, 0xff, w->n_nodes * sizeof *head);
    for (uint32_t e = end; e-- > first;) {
        uint32_t c = w->component[w->from[e]];
        if (c == w->component[w->to[e]] && (skip == NULL || !skip[c])) {
            next[e - first] = head[c];
            head[c] = e;
        }
    }
    bool any = false;
    for (uint32_t v = 0; v < w->n_nodes; v++) {
        uint32_t c = w->component[v];
        if (head[c] == ISO_NONE) {
            continue;
        }
        any = true;
        for (n = 0; head[c] != ISO_NONE; head[c] = next[head[c] - first]) {
            seeds[n++] = head[c];
        }
        if (keep(a, kind)) {
            find_cycle(w, seeds, n);
            report(w);
        }
    }
    iso_free(a->pool, seeds);
    iso_free(a->pool, next);
    iso_free(a->pool, head);
    return any;
}

bool iso_awdit_report_causality(iso_awdit *a) {
    witness w = {.a = a};
    build(&w, false);
    /* a cycle of so and wr has a wr edge: sessions are orders */
    bool any = report_components(&w, w.n_so, w.n_causal, ISO_A_CYCLIC_CO, NULL);
    demolish(&w);
    return any;
}

/* Components that have a cycle of so and wr were reported. */
static uint8_t *with_causal_cycle(witness *w) {
    iso_awdit *a = w->a;
    iso_digraph causal = iso_digraph_build(a->pool, w->n_nodes, w->from, w->to, w->n_causal, false);
    uint32_t *component = ISO_NEW(a->pool, uint32_t, w->n_nodes);
    iso_digraph_components(&causal, a->pool, component);
    uint8_t *skip = ISO_ZNEW(a->pool, uint8_t, w->n_nodes);
    for (uint32_t e = w->n_so; e < w->n_causal; e++) {
        if (component[w->from[e]] == component[w->to[e]]) {
            skip[w->component[w->from[e]]] = 1;
        }
    }
    iso_free(a->pool, component);
    iso_digraph_free(a->pool, &causal);
    return skip;
}

void iso_awdit_report_cycles(iso_awdit *a) {
    witness w = {.a = a};
    build(&w, true);
    uint8_t *skip = with_causal_cycle(&w);
    grade usual = a->level < ISO_RA ? MONO : a->level == ISO_RA ? ATOMIC : CAUSAL; /* of those not looked at */
    report_components(&w, w.n_causal, w.n_edges, classify(2, usual), skip);
    iso_free(a->pool, skip);
    demolish(&w);
}
