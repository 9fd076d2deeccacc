/* Orders and components of so, wr and the edges of a commit relation.
 *
 * Sessions are walked in turns, a few transactions at a time, so that the order resembles time and what is still needed
 * of the past stays little (graph/chain_order.h). Only where that fails is the graph made, and its strongly connected
 * components. */
#include <string.h>

#include "base/buckets.h"
#include "checkers/plume/plume.h"
#include "graph/chain_order.h"

#define TURN 8 /* transactions of one session before the next session has its turn */

/* cm: NULL: so and wr alone. False: there is a cycle. */
static bool sort(iso_plume *p, const iso_plume_cm *cm, uint32_t *order) {
    const isolab_history *h = p->h;
    return iso_chain_order(&(iso_chains){.first = h->session_txn,
                                         .n_chains = h->n_sessions,
                                         .before = p->read_from,
                                         .before_first = p->read_first,
                                         .before_end = p->read_first + 1,
                                         .nothing = ISO_INIT,
                                         .from = cm != NULL ? cm->from : NULL,
                                         .to = cm != NULL ? cm->to : NULL,
                                         .n_edges = cm != NULL ? cm->n : 0,
                                         .n_alone = cm != NULL && cm->n_nodes > 0 ? cm->n_nodes + 1 : 0,
                                         .kind = h->txn_counts,
                                         .kept = ISO_INCLUDED,
                                         .turn = TURN},
                           p->pool, order, &p->n_order);
}

/* ---- the graph ---- */

static void add_edge(iso_plume_cm *cm, uint32_t *n, uint32_t from, uint32_t to) {
    cm->edge_from[*n] = from;
    cm->edge_to[(*n)++] = to;
}

static void build(iso_plume *p, iso_plume_cm *cm) {
    const isolab_history *h = p->h;
    uint64_t most = (uint64_t)h->n_txns + p->read_first[h->n_txns] + cm->n;
    uint32_t n_nodes = h->n_txns + 1 + cm->n_nodes;
    if (most >= ISO_ID_MAX) {
        iso_throw(p->pool->env, ISOLAB_E_LIMIT, "too many edges to look for a cycle");
    }
    cm->edge_from = ISO_NEW(p->pool, uint32_t, most);
    cm->edge_to = ISO_NEW(p->pool, uint32_t, most);
    uint32_t n = 0;
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        for (uint32_t t = h->session_txn[s], before = h->n_txns; t < h->session_txn[s + 1]; t++) {
            if (iso_plume_in(p, t)) {
                add_edge(cm, &n, before, t);
                before = t;
            }
        }
    }
    cm->n_so = n;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        for (uint32_t r = p->read_first[t]; r < p->read_first[t + 1]; r++) {
            if (p->read_from[r] != ISO_INIT && iso_plume_bit(p->fact, r)) {
                add_edge(cm, &n, p->read_from[r], t);
            }
        }
    }
    cm->n_causal = n;
    for (uint32_t i = 0; i < cm->n; i++) {
        add_edge(cm, &n, cm->from[i], iso_plume_node(p, cm->to[i]));
    }
    cm->graph = iso_digraph_build(p->pool, n_nodes, cm->edge_from, cm->edge_to, n, true);
    cm->component = ISO_NEW(p->pool, uint32_t, n_nodes);
    iso_digraph_components(&cm->graph, p->pool, cm->component);
    cm->cycle = ISO_ZNEW(p->pool, uint64_t, (size_t)n_nodes / 64 + 1);
    for (uint32_t e = 0; e < n; e++) {
        if (cm->component[cm->edge_from[e]] == cm->component[cm->edge_to[e]]) {
            iso_plume_set(cm->cycle, cm->edge_from[e]);
        }
    }
    iso_plume_searches(p, n_nodes);
}

void iso_plume_forget(iso_plume *p, iso_plume_cm *cm) {
    void *arrays[] = {cm->from, cm->to, cm->why, cm->edge_from, cm->edge_to, cm->component, cm->cycle};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        iso_free(p->pool, arrays[i]);
    }
    if (cm->cyclic) {
        iso_digraph_free(p->pool, &cm->graph);
    }
    *cm = (iso_plume_cm){.grade = cm->grade};
}

/* Sorts the transactions by component; components are in reverse topological order, and transactions keep their order
 * within one. */
static void order_by_component(iso_plume *p, const uint32_t *component) {
    uint32_t n = p->h->n_txns;
    iso_buckets rows = iso_buckets_new(p->pool, n + 1);
    p->n_order = 0;
    for (uint32_t t = 0; t < n; t++) {
        if (iso_plume_in(p, t)) {
            iso_buckets_count(&rows, n - component[t]);
        }
    }
    iso_buckets_sum(&rows);
    for (uint32_t t = 0; t < n; t++) {
        if (iso_plume_in(p, t)) {
            p->order[iso_buckets_place(&rows, n - component[t])] = t;
            p->n_order++;
        }
    }
    iso_free(p->pool, rows.first);
}

void iso_plume_causal_order(iso_plume *p) {
    p->order = ISO_NEW(p->pool, uint32_t, p->h->n_txns);
    if (sort(p, NULL, p->order)) {
        return;
    }
    iso_plume_cm causal = {.grade = ISO_PLUME_NO_AXIOM, .cyclic = true};
    build(p, &causal);
    p->component = ISO_NEW(p->pool, uint32_t, (size_t)p->h->n_txns + 1);
    memcpy(p->component, causal.component, ((size_t)p->h->n_txns + 1) * sizeof *p->component);
    order_by_component(p, causal.component);
    iso_plume_forget(p, &causal);
}

/* Returns whether all edges of CM lead forward in the existing order. */
static bool fits(iso_plume *p, const iso_plume_cm *cm) {
    uint32_t *place = ISO_NEW(p->pool, uint32_t, p->h->n_txns);
    for (uint32_t i = 0; i < p->n_order; i++) {
        place[p->order[i]] = i;
    }
    bool fine = cm->n_nodes == 0;
    for (uint32_t i = 0; i < cm->n && fine; i++) {
        fine = place[cm->from[i]] < place[cm->to[i]];
    }
    iso_free(p->pool, place);
    return fine;
}

void iso_plume_close(iso_plume *p, iso_plume_cm *cm) {
    bool acyclic = p->component == NULL && !cm->into_initial;
    if (acyclic && !fits(p, cm)) {
        uint32_t *order = ISO_NEW(p->pool, uint32_t, p->h->n_txns), n_order = p->n_order;
        acyclic = sort(p, cm, order);
        if (acyclic) {
            iso_free(p->pool, p->order);
            p->order = order;
        } else { /* the graph of so|wr is still needed */
            iso_free(p->pool, order);
            p->n_order = n_order;
        }
    }
    if (!acyclic) {
        cm->cyclic = true;
        build(p, cm);
    }
}
