/* Why a history violates a level when no choice was needed: two unrepeatable reads of one key, or a short cycle of
 * session order, reads with one writer, and instances of the axiom. See candidates.h.
 *
 * From the end of each instance a breadth-first search looks for a path to its start, where session order between any
 * two transactions of a session is one edge. The shortest cycle is taken, among as many searches as a budget allows. */
#include <string.h>

#include "checkers/candidates/candidates.h"
#include "graph/digraph.h"

#define STEPS ((uint64_t)1 << 24)

typedef struct edge {
    uint32_t from, to;
    uint32_t read;  /* wr: the read; else ISO_NONE */
    uint32_t axiom; /* its number; else ISO_NONE */
} edge;

typedef struct finder {
    cand *c;
    edge *edges;
    uint32_t n_edges, edges_room;
    iso_digraph graph;
    uint32_t *component;
    uint32_t *stamp, search;
    uint32_t *from, *via; /* by transaction: how the search reached it; via: an edge, or ISO_NONE for session order */
    uint32_t *distance, *queue;
    uint32_t *low, *low_stamp; /* by session: all its transactions from this one on have been reached */
    uint64_t done;
    edge *best;
    uint32_t n_best, best_room;
} finder;

static void add_edge(finder *f, edge e) {
    ISO_GROW(f->c->pool, f->edges, f->n_edges, f->edges_room);
    f->edges[f->n_edges++] = e;
}

bool iso_cand_certain(const cand *c, const cand_axiom *a) {
    bool certain = c->reads[a->read].writer != ISO_MANY && c->reads[a->read].settled == 0 &&
                   (a->n_steps > 0 || a->sweep == 1); /* in the first sweep no read had been settled */
    uint32_t at = a->t2;
    for (uint32_t i = 0; certain && i < a->n_steps; i++) {
        const iso_proof_step *s = &c->steps[a->first_step + i];
        const cand_read *r = s->kind == ISO_STEP_WR ? &c->reads[iso_cand_read_of(c, s->a)] : NULL;
        certain = r != NULL ? r->writer != ISO_MANY && r->settled == 0 : cand_in(c, at);
        at = r != NULL ? c->h->op_txn[s->a] : s->a;
    }
    return certain;
}

static void build(finder *f) {
    const cand *c = f->c;
    const isolab_history *h = c->h;
    for (uint32_t t = 0, before = ISO_NONE; t < h->n_txns; t++) {
        if (!cand_in(c, t)) {
            continue;
        }
        if (before != ISO_NONE && h->txn_session[before] == h->txn_session[t]) {
            add_edge(f, (edge){before, t, ISO_NONE, ISO_NONE});
        }
        before = t;
        for (uint32_t i = c->read_first[t]; i < c->read_first[t + 1]; i++) {
            if (c->reads[i].writer < ISO_MANY && c->reads[i].settled == 0) {
                add_edge(f, (edge){h->op_txn[c->reads[i].writer], t, i, ISO_NONE});
            }
        }
    }
    for (uint32_t i = 0; i < c->n_axioms; i++) {
        if (iso_cand_certain(c, &c->axioms[i])) {
            add_edge(f, (edge){c->axioms[i].t2, h->op_txn[c->axioms[i].write], ISO_NONE, i});
        }
    }
    uint32_t *from = ISO_NEW(c->pool, uint32_t, f->n_edges), *to = ISO_NEW(c->pool, uint32_t, f->n_edges);
    for (uint32_t i = 0; i < f->n_edges; i++) {
        from[i] = f->edges[i].from;
        to[i] = f->edges[i].to;
    }
    f->graph = iso_digraph_build(c->pool, h->n_txns, from, to, f->n_edges, true);
    f->component = ISO_NEW(c->pool, uint32_t, h->n_txns);
    iso_digraph_components(&f->graph, c->pool, f->component);
    f->stamp = ISO_ZNEW(c->pool, uint32_t, h->n_txns);
    f->from = ISO_NEW(c->pool, uint32_t, h->n_txns);
    f->via = ISO_NEW(c->pool, uint32_t, h->n_txns);
    f->distance = ISO_NEW(c->pool, uint32_t, h->n_txns);
    f->queue = ISO_NEW(c->pool, uint32_t, h->n_txns);
    f->low = ISO_NEW(c->pool, uint32_t, h->n_sessions);
    f->low_stamp = ISO_ZNEW(c->pool, uint32_t, h->n_sessions);
}

static void meet(finder *f, uint32_t *n, uint32_t t, uint32_t from, uint32_t via) {
    f->done++;
    if (f->stamp[t] != f->search && f->component[t] == f->component[from]) {
        f->stamp[t] = f->search;
        f->from[t] = from;
        f->via[t] = via;
        f->distance[t] = f->distance[from] + 1;
        f->queue[(*n)++] = t;
    }
}

/* Searches for a path from the end of an edge to its start. Returns false if there is no cycle shorter than the best
 * one. */
static bool search(finder *f, uint32_t start, uint32_t target) {
    const isolab_history *h = f->c->h;
    uint32_t n = 1;
    f->search++;
    f->queue[0] = start;
    f->stamp[start] = f->search;
    f->distance[start] = 0;
    for (uint32_t head = 0; head < n; head++) {
        uint32_t u = f->queue[head], s = h->txn_session[u];
        iso_tick(f->c->pool->env);
        if (u == target) {
            return true;
        }
        if (f->n_best > 0 && f->distance[u] + 2 >= f->n_best) {
            return false;
        }
        uint32_t end = f->low_stamp[s] == f->search ? f->low[s] : h->session_txn[s + 1];
        for (uint32_t t = u + 1; t < end && (!cand_in(f->c, t) || f->component[t] == f->component[u]); t++) {
            if (cand_in(f->c, t)) {
                meet(f, &n, t, u, ISO_NONE);
            }
        }
        f->low[s] = u < end ? u : end;
        f->low_stamp[s] = f->search;
        for (uint32_t i = f->graph.first[u]; i < f->graph.first[u + 1]; i++) {
            uint32_t e = f->graph.edge[i];
            if (f->edges[e].read != ISO_NONE || f->edges[e].axiom != ISO_NONE) {
                meet(f, &n, f->graph.to[i], u, e);
            }
        }
    }
    return false;
}

static void keep(finder *f, uint32_t e) {
    uint32_t n = f->distance[f->edges[e].from] + 1;
    if (n > f->best_room) {
        f->best_room = 2 * n;
        f->best = iso_resize(f->c->pool, f->best, f->best_room, sizeof *f->best);
    }
    f->n_best = n;
    f->best[0] = f->edges[e];
    for (uint32_t t = f->edges[e].from; n-- > 1; t = f->from[t]) {
        f->best[n] = f->via[t] == ISO_NONE ? (edge){f->from[t], t, ISO_NONE, ISO_NONE} : f->edges[f->via[t]];
    }
}

/* ---- edges of the result ---- */

/* Adds the premises to the result, neighbours of one session as one; returns the edge. */
static iso_edge axiom_edge(const finder *f, cand_axiom *a) {
    const isolab_history *h = f->c->h;
    iso_cand_find_steps(f->c, a);
    iso_result *result = f->c->result;
    iso_edge e =
        iso_edge_of_axiom(h, a->t2, a->write == ISO_INIT ? ISO_INIT : h->op_txn[a->write], f->c->reads[a->read].op);
    e.premise = result->n_edges;
    uint32_t at = a->t2;
    for (uint32_t i = 0; i < a->n_steps; i++) {
        const iso_proof_step *s = &f->c->steps[a->first_step + i];
        bool read = s->kind == ISO_STEP_WR;
        if (!read && e.n_premise > 0 && result->edges[result->n_edges - 1].kind == ISO_EDGE_SO) {
            at = result->edges[--result->n_edges].from;
            e.n_premise--;
        }
        iso_result_edge(result,
                        read ? iso_edge_of_read(h, h->op_txn[s->b], s->b, s->a) : iso_edge_of(ISO_EDGE_SO, at, s->a));
        e.n_premise++;
        at = read ? h->op_txn[s->a] : s->a;
    }
    return e;
}

/* Returns how t3 sees t2: 0 by an earlier read of another key (rc: of any key), 1 directly, 2 by a path. */
static int grade(const finder *f, const cand_axiom *a) {
    const isolab_history *h = f->c->h;
    const iso_proof_step *s = &f->c->steps[a->first_step];
    uint32_t read = f->c->reads[a->read].op;
    if (a->n_steps > 1) {
        return 2;
    }
    bool mono = s->kind == ISO_STEP_WR && s->a < read && (f->c->level == ISO_RC || h->op_key[s->a] != h->op_key[read]);
    return mono ? 0 : 1;
}

/* Returns Plume's name of a cycle (plume.txt, table 1): with one instance the remaining path is t1 CO t2; otherwise
 * CM. */
static iso_anomaly_kind name(const finder *f) {
    static const uint8_t by_co[] = {ISO_A_NON_MONO_READ_CO, ISO_A_FRACTURED_READ_CO, ISO_A_CO_CONFLICT_CM};
    static const uint8_t by_cm[] = {ISO_A_NON_MONO_READ_CM, ISO_A_FRACTURED_READ_CM, ISO_A_CONFLICT_CM};
    int n = 0, worst = 0;
    for (uint32_t i = 0; i < f->n_best; i++) {
        if (f->best[i].axiom != ISO_NONE) {
            int g = grade(f, &f->c->axioms[f->best[i].axiom]);
            worst = g > worst ? g : worst;
            n++;
        }
    }
    return (iso_anomaly_kind)(n == 0 ? ISO_A_CYCLIC_CO : n == 1 ? by_co[worst] : by_cm[worst]);
}

static void report_cycle(finder *f) {
    const isolab_history *h = f->c->h;
    iso_result *result = f->c->result;
    iso_edge *edges = ISO_NEW(f->c->pool, iso_edge, f->n_best);
    for (uint32_t i = 0; i < f->n_best; i++) {
        const edge *e = &f->best[i];
        const cand_read *r = e->read != ISO_NONE ? &f->c->reads[e->read] : NULL;
        edges[i] = e->axiom != ISO_NONE ? axiom_edge(f, &f->c->axioms[e->axiom])
                   : r != NULL          ? iso_edge_of_read(h, h->op_txn[r->writer], r->writer, r->op)
                                        : iso_edge_of(ISO_EDGE_SO, e->from, e->to);
    }
    iso_anomaly anomaly = {
        .kind = (uint8_t)name(f), .op = ISO_NONE, .other_op = ISO_NONE, .cycle = result->n_edges, .n_cycle = f->n_best};
    for (uint32_t i = 0; i < f->n_best; i++) {
        iso_result_edge(result, edges[i]);
    }
    iso_result_anomaly(result, anomaly);
}

/* Reports two reads of one key from two other transactions, which no cycle describes as well. */
static bool report_unrepeatable(const cand *c) {
    for (uint32_t i = 0; i < c->n_axioms && iso_level_has(c->level, ISO_SEES_READ); i++) {
        const cand_axiom *a = &c->axioms[i];
        uint32_t read = c->reads[a->read].op, seen = a->n_steps == 1 ? c->steps[a->first_step].a : ISO_NONE;
        if (a->n_steps == 1 && c->steps[a->first_step].kind == ISO_STEP_WR &&
            c->h->op_key[seen] == c->h->op_key[read] && c->h->op_writer[read] != ISO_MANY &&
            c->h->op_writer[seen] != ISO_MANY && iso_cand_certain(c, a)) {
            iso_result_anomaly(c->result, (iso_anomaly){.kind = ISO_A_NON_REPEATABLE_READ,
                                                        .op = seen > read ? seen : read,
                                                        .other_op = seen > read ? read : seen});
            return true;
        }
    }
    return false;
}

/* Looks for an instance that ends at the initial transaction: every transaction comes after that one. */
static bool find_initial(finder *f) {
    const cand *c = f->c;
    uint32_t i = 0;
    while (i < c->n_axioms && (c->axioms[i].write != ISO_INIT || !iso_cand_certain(c, &c->axioms[i]))) {
        i++;
    }
    if (i == c->n_axioms) {
        return false;
    }
    f->best = ISO_NEW(c->pool, edge, 2);
    f->best[0] = (edge){c->axioms[i].t2, ISO_INIT, ISO_NONE, i};
    f->best[1] = (edge){ISO_INIT, c->axioms[i].t2, ISO_NONE, ISO_NONE};
    f->n_best = 2;
    return true;
}

static void find_best(finder *f) {
    bool any = false; /* without instances there is a cycle of session order and reads */
    build(f);
    for (uint32_t e = 0; e < f->n_edges; e++) {
        any |= f->edges[e].axiom != ISO_NONE && f->component[f->edges[e].from] == f->component[f->edges[e].to];
    }
    for (uint32_t e = 0; e < f->n_edges && (f->n_best == 0 || f->done < STEPS); e++) {
        const edge *seed = &f->edges[e];
        bool fits = any ? seed->axiom != ISO_NONE : seed->read != ISO_NONE;
        if (fits && f->component[seed->from] == f->component[seed->to] && search(f, seed->to, seed->from)) {
            keep(f, e);
        }
    }
    if (f->n_best == 0) {
        iso_throw(f->c->pool->env, ISOLAB_E_INTERNAL, "candidates found no cycle where there must be one");
    }
}

void iso_cand_report_cycle(cand *c) {
    finder f = {.c = c};
    if (report_unrepeatable(c)) {
        return;
    }
    if (!find_initial(&f)) {
        find_best(&f);
    }
    report_cycle(&f);
}
