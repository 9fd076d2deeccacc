/* See cheap_cycle.h. */
#include "graph/cheap_cycle.h"

#include "base/assert.h"

void iso_cheap_cycle_begin(iso_cheap_cycle *c) {
    iso_assert(c->graph.edge != NULL);
    uint32_t n = c->graph.n;
    c->queue.pool = c->pool;
    c->component = ISO_NEW(c->pool, uint32_t, n);
    c->stamp = ISO_ZNEW(c->pool, uint32_t, n);
    c->by = ISO_NEW(c->pool, uint32_t, n);
    c->before = ISO_NEW(c->pool, uint32_t, n);
    c->done = ISO_ZNEW(c->pool, uint8_t, n);
    c->gone = ISO_ZNEW(c->pool, uint8_t, n);
    iso_digraph_components(&c->graph, c->pool, c->component);
}

bool iso_cheap_cycle_may_have(const iso_cheap_cycle *c, uint32_t from, uint32_t to) {
    iso_assert(from < c->graph.n && to < c->graph.n);
    return c->component[from] == c->component[to] && !c->gone[from];
}

/* Reaches v by an edge from another vertex. */
static void reach(iso_cheap_cycle *c, uint32_t v, uint32_t edge, uint32_t from, uint32_t cost) {
    if (c->stamp[v] == c->search && (c->done[v] || cost > 0)) {
        return;
    }
    if (c->stamp[v] != c->search) {
        c->stamp[v] = c->search;
        c->done[v] = 0;
    }
    c->by[v] = edge;
    c->before[v] = from;
    iso_layers_add(&c->queue, v, cost > 0);
}

/* Returns the length of the n edges of `way`, which counts consecutive free edges once. */
static uint32_t length_of(const iso_cheap_cycle *c, uint32_t n) {
    uint32_t length = 0;
    for (uint32_t i = 0; i < n; i++) {
        length += !c->is_free[c->way[i]] || !c->is_free[c->way[i == 0 ? n - 1 : i - 1]];
    }
    return length;
}

/* Keeps the cycle that ends with the edge `last` from v, if it is better than the best one. */
static void keep_if_better(iso_cheap_cycle *c, uint32_t start, uint32_t v, uint32_t last, uint32_t cost) {
    uint32_t n = 0;
    for (uint32_t e = last;; e = c->by[v], v = c->before[v]) {
        ISO_GROW(c->pool, c->way, n, c->way_room);
        c->way[n++] = e;
        if (v == start) {
            break;
        }
    }
    uint32_t length = length_of(c, n);
    if (c->n_best > 0 && (cost > c->cost || (cost == c->cost && length >= c->length))) {
        return;
    }
    c->cost = cost;
    c->length = length;
    c->n_best = 0;
    for (uint32_t i = n; i-- > 0;) {
        ISO_GROW(c->pool, c->best, c->n_best, c->best_room);
        c->best[c->n_best++] = c->way[i];
    }
}

/* Follows the edges of v within its component. */
static void follow(iso_cheap_cycle *c, uint32_t start, uint32_t v, uint32_t cost) {
    for (uint32_t i = c->graph.first[v]; i < c->graph.first[v + 1]; i++) {
        uint32_t e = c->graph.edge[i], more = !c->is_free[e], to = c->graph.to[i];
        c->steps++;
        if (c->component[to] != c->component[start] || c->gone[to] || (c->n_best > 0 && cost + more > c->cost)) {
            continue;
        }
        if (to == start) {
            keep_if_better(c, start, v, e, cost + more);
        } else {
            reach(c, to, e, v, more);
        }
    }
}

void iso_cheap_cycle_from(iso_cheap_cycle *c, uint32_t start) {
    iso_assert(start < c->graph.n);
    c->search++;
    c->stamp[start] = c->search;
    c->done[start] = 0;
    iso_layers_clear(&c->queue);
    for (uint32_t v = start; v != UINT32_MAX; v = iso_layers_take(&c->queue)) {
        uint32_t cost = c->queue.cost;
        if (c->n_best > 0 && cost > c->cost) {
            break;
        }
        if (!c->done[v]) {
            c->done[v] = 1;
            follow(c, start, v, cost);
            iso_tick(c->pool->env);
        }
    }
    c->gone[start] = 1;
}
