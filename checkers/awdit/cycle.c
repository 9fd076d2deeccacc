/* The best cycle of a component of so, wr and the inferred edges: the one with the fewest inferred edges, and among
 * these the one with the fewest edges, where session order between any two transactions of a session is one edge.
 *
 * For each inferred edge of the component, a search from its end looks for a path to its start: breadth first along so
 * and wr, then, layer by layer, with one more inferred edge. It stops when the cycle cannot be better than the best
 * cycle so far. In the worst case this visits the component once for each of its inferred edges. So in large components
 * only some edges are tried: at least one, and more as long as all searches together have followed at most SEARCH_STEPS
 * edges. */
#include <string.h>

#include "checkers/awdit/witness.h"

#define SEARCH_STEPS ((uint64_t)1 << 26)

/* ---- the graph ---- */

static void add_edge(iso_awdit_witness *w, uint32_t from, uint32_t to) {
    w->from[w->n_edges] = iso_awdit_node(w, from);
    w->to[w->n_edges++] = iso_awdit_node(w, to);
}

void iso_awdit_build(iso_awdit_witness *w, bool inferred) {
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
                add_edge(w, before, t);
                before = t;
            }
        }
    }
    w->n_so = w->n_edges;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        for (uint32_t i = h->txn_op[t]; i < a->reads_end[t]; i++) {
            if (a->source[i] != ISO_INIT) {
                add_edge(w, a->source[i], t);
            }
        }
    }
    w->n_causal = w->n_edges;
    for (uint32_t i = 0; inferred && i < a->edges.n; i++) {
        add_edge(w, a->edges.from[i], a->edges.to[i]);
    }
    w->graph = iso_digraph_build(a->pool, w->n_nodes, w->from, w->to, w->n_edges, true);
    w->component = ISO_NEW(a->pool, uint32_t, w->n_nodes);
    iso_digraph_components(&w->graph, a->pool, w->component);
    w->stamp = ISO_ZNEW(a->pool, uint32_t, w->n_nodes);
    w->parent = ISO_NEW(a->pool, uint32_t, w->n_nodes);
    w->via = ISO_NEW(a->pool, uint32_t, w->n_nodes);
    w->distance = ISO_NEW(a->pool, uint32_t, w->n_nodes);
    w->queue = ISO_NEW(a->pool, uint32_t, w->n_nodes);
    w->later = ISO_NEW(a->pool, uint32_t, w->n_edges - w->n_causal);
    w->low = ISO_NEW(a->pool, uint32_t, h->n_sessions);
    w->low_stamp = ISO_ZNEW(a->pool, uint32_t, h->n_sessions);
}

void iso_awdit_demolish(iso_awdit_witness *w) {
    iso_pool *pool = w->a->pool;
    uint32_t *arrays[] = {w->from,     w->to,    w->component, w->stamp, w->parent,   w->via,
                          w->distance, w->queue, w->later,     w->low,   w->low_stamp};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        iso_free(pool, arrays[i]);
    }
    iso_free(pool, w->cycle);
    iso_digraph_free(pool, &w->graph);
}

/* ---- searches ---- */

static void come(iso_awdit_witness *w, uint32_t v, uint32_t parent, uint32_t via) {
    w->stamp[v] = w->search;
    w->parent[v] = parent;
    w->via[v] = via;
    w->distance[v] = parent == ISO_NONE ? 0 : w->distance[parent] + 1;
}

void iso_awdit_begin(iso_awdit_witness *w, uint32_t start) {
    w->search++;
    w->n_queue = 0;
    come(w, start, ISO_NONE, ISO_NONE);
    w->queue[w->n_queue++] = start;
}

static void meet(iso_awdit_witness *w, uint32_t v, uint32_t parent, uint32_t via) {
    if (w->stamp[v] != w->search) {
        come(w, v, parent, via);
        w->queue[w->n_queue++] = v;
    }
}

/* Visits the later transactions of the session. Those from `low` on were met before, by a path at most as long. */
static void expand_session(iso_awdit_witness *w, uint32_t v, uint32_t component) {
    const isolab_history *h = w->a->h;
    uint32_t s = h->txn_session[v], end = h->session_txn[s + 1];
    if (w->low_stamp[s] == w->search) {
        end = w->low[s];
    }
    w->low_stamp[s] = w->search;
    for (uint32_t u = v + 1; u < end; u++) {
        w->steps++;
        if (!iso_awdit_in(w->a, u)) {
            continue;
        }
        if (component != ISO_NONE && w->component[u] != component) {
            break; /* the rest of the session is not in the component either */
        }
        meet(w, u, v, ISO_AWDIT_SO);
    }
    w->low[s] = v < end ? v : end;
}

void iso_awdit_expand(iso_awdit_witness *w, uint32_t v, uint32_t component) {
    expand_session(w, v, component);
    for (uint32_t i = w->graph.first[v]; i < w->graph.first[v + 1]; i++) {
        uint32_t u = w->graph.to[i], e = w->graph.edge[i];
        w->steps++;
        if (e >= w->n_so && e < w->n_causal && (component == ISO_NONE || w->component[u] == component)) {
            meet(w, u, v, e);
        }
    }
    iso_tick(w->a->pool->env);
}

/* Searches for a path from the end of the seed to its start. Returns its number of inferred edges; UINT32_MAX: no
 * better cycle. The edges of the next layer are kept in the order of their distance, and merged with the queue. */
static uint32_t search(iso_awdit_witness *w, uint32_t seed) {
    uint32_t target = w->from[seed], c = w->component[target], base = seed >= w->n_causal;
    uint32_t head = 0, at = 0, n_later = 0;
    iso_awdit_begin(w, w->to[seed]);
    for (uint32_t layer = 0;; layer++) {
        uint32_t end = n_later;
        while (at < end || head < w->n_queue) {
            uint32_t v;
            if (at < end && (head == w->n_queue || w->distance[w->from[w->later[at]]] < w->distance[w->queue[head]])) {
                uint32_t e = w->later[at++];
                v = w->to[e];
                if (w->stamp[v] == w->search) {
                    continue;
                }
                come(w, v, w->from[e], e);
            } else {
                v = w->queue[head++];
            }
            if (v == target) {
                return layer;
            }
            if (w->n_cycle > 0 && base + layer >= w->weight) {
                if (base + layer > w->weight || w->distance[v] + 1 >= w->n_cycle) {
                    return UINT32_MAX;
                }
                if (w->distance[v] + 2 >= w->n_cycle) {
                    continue; /* at this distance only the target matters */
                }
            }
            iso_awdit_expand(w, v, c);
            for (uint32_t i = w->graph.first[v]; i < w->graph.first[v + 1]; i++) {
                if (w->graph.edge[i] >= w->n_causal && w->component[w->graph.to[i]] == c) {
                    w->later[n_later++] = w->graph.edge[i];
                }
            }
            if (w->stamp[target] == w->search) {
                return layer;
            }
        }
        if (at == n_later) {
            return UINT32_MAX;
        }
    }
}

static void make_room(iso_awdit_witness *w, uint32_t length) {
    if (length > w->cycle_room) {
        w->cycle_room = 2 * length;
        w->cycle = iso_resize(w->a->pool, w->cycle, w->cycle_room, sizeof *w->cycle);
    }
    w->n_cycle = length;
}

/* Keeps the found cycle if it is better than the best one. */
static void consider(iso_awdit_witness *w, uint32_t seed, uint32_t inferred) {
    uint32_t weight = inferred + (seed >= w->n_causal), length = w->distance[w->from[seed]] + 1;
    if (w->n_cycle > 0 && (weight > w->weight || (weight == w->weight && length >= w->n_cycle))) {
        return;
    }
    make_room(w, length);
    w->weight = weight;
    w->cycle[0] = (iso_awdit_step){w->from[seed], w->to[seed], seed};
    for (uint32_t v = w->from[seed], i = length; w->parent[v] != ISO_NONE; v = w->parent[v]) {
        w->cycle[--i] = (iso_awdit_step){w->parent[v], v, w->via[v]};
    }
}

void iso_awdit_find_cycle(iso_awdit_witness *w, const uint32_t *seeds, uint32_t n) {
    uint32_t initial = w->n_nodes - 1;
    w->n_cycle = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (w->to[seeds[i]] == initial) { /* every transaction comes after the initial one */
            make_room(w, 2);
            w->weight = 1;
            w->cycle[0] = (iso_awdit_step){w->from[seeds[i]], initial, seeds[i]};
            w->cycle[1] = (iso_awdit_step){initial, w->from[seeds[i]], ISO_AWDIT_SO};
            return;
        }
    }
    for (uint32_t i = 0; i < n && (i == 0 || w->steps < SEARCH_STEPS); i++) {
        uint32_t inferred = search(w, seeds[i]);
        if (inferred != UINT32_MAX) {
            consider(w, seeds[i], inferred);
        }
    }
    if (w->n_cycle == 0) {
        iso_throw(w->a->pool->env, ISOLAB_E_INTERNAL, "awdit found no cycle in a component that must have one");
    }
}
