/* See timed_cycle.h. */
#include "graph/timed_cycle.h"

#include "base/buckets.h"
#include "graph/layers.h"

#define NONE UINT32_MAX

typedef struct search {
    const iso_timed_graph *g;
    iso_pool *pool;
    uint32_t *component;
    int64_t *near; /* by node: the earliest end of a vertex that it reaches at no cost */
    int64_t *low;  /* by component: the earliest end of a vertex that it reaches */

    /* the search from one source */
    uint32_t source, number;
    uint32_t *stamp, *cost, *by; /* by node: the search that reached it, the edges on the path, and its last step */
    iso_layers queue;
    uint64_t steps;
    uint64_t best; /* twice the length of the best cycle, plus 1 with an edge of time; a new cycle must be better */
    iso_timed_cycle cycle; /* the best one; its edges from the last to the first */
    uint32_t room;
} search;

static int64_t lesser(int64_t a, int64_t b) { return a < b ? a : b; }

/* Computes the earliest ends that can be reached. */
static void find_ends(search *s) {
    const iso_timed_graph *g = s->g;
    const iso_digraph *graph = &g->graph;
    for (uint32_t v = 0; v < g->n; v++) {
        s->near[v] = g->end[v];
    }
    for (uint32_t v = g->n_nodes; v-- > g->n;) {
        s->near[v] = INT64_MAX;
        for (uint32_t i = graph->first[v]; i < graph->first[v + 1]; i++) {
            s->near[v] = lesser(s->near[v], s->near[graph->to[i]]);
        }
    }
    iso_buckets rows = iso_buckets_new(s->pool, iso_digraph_components(graph, s->pool, s->component));
    uint32_t *row = ISO_NEW(s->pool, uint32_t, g->n_nodes);
    for (uint32_t v = 0; v < g->n_nodes; v++) {
        iso_buckets_count(&rows, s->component[v]);
        s->low[v] = INT64_MAX; /* there are at most as many components */
    }
    iso_buckets_sum(&rows);
    for (uint32_t v = 0; v < g->n_nodes; v++) {
        row[iso_buckets_place(&rows, s->component[v])] = v;
    }
    for (uint32_t k = 0; k < g->n_nodes; k++) { /* the components of successors come first */
        uint32_t v = row[k], c = s->component[v];
        s->low[c] = lesser(s->low[c], s->near[v]);
        for (uint32_t i = graph->first[v]; i < graph->first[v + 1]; i++) {
            s->low[c] = lesser(s->low[c], s->low[s->component[graph->to[i]]]);
        }
    }
}

/* Keeps the cycle whose path ends with an edge. */
static void keep(search *s, uint64_t value, uint32_t last, bool in_time) {
    s->best = value;
    s->cycle.n = 0;
    s->cycle.source = s->source;
    s->cycle.in_time = in_time;
    for (uint32_t e = last;; e = s->by[s->g->from[e]]) {
        ISO_GROW(s->pool, s->cycle.edge, s->cycle.n, s->room);
        s->cycle.edge[s->cycle.n++] = e;
        if (s->g->from[e] == s->source) {
            break;
        }
    }
}

/* Returns whether a path of `edges` edges to node v may be continued to a cycle better than the best one. */
static bool is_of_use(const search *s, uint32_t v, uint64_t edges) {
    uint64_t more = v < s->g->n; /* to come back to the source */
    bool back = s->component[v] == s->component[s->source] && 2 * (edges + more) < s->best;
    int64_t start = s->g->start[s->source];
    bool in_time =
        2 * (edges + 1) + 1 < s->best && (2 * (edges + 2) + 1 < s->best ? s->low[s->component[v]] : s->near[v]) < start;
    return back || in_time;
}

static void take_step(search *s, uint32_t number, uint32_t edges) {
    uint32_t v = s->g->to[number];
    s->steps++;
    if (v == s->source) {
        if (edges > 1 && 2 * (uint64_t)edges < s->best) {
            keep(s, 2 * (uint64_t)edges, number, false);
        }
        return;
    }
    bool reached = s->stamp[v] == s->number && s->cost[v] <= edges;
    if (reached || !is_of_use(s, v, edges)) {
        return;
    }
    s->stamp[v] = s->number;
    s->cost[v] = edges;
    s->by[v] = number;
    if (v < s->g->n && s->g->end[v] < s->g->start[s->source] && 2 * ((uint64_t)edges + 1) + 1 < s->best) {
        keep(s, 2 * ((uint64_t)edges + 1) + 1, number, true);
    }
    iso_layers_add(&s->queue, v, edges > s->queue.cost);
}

static void search_from(search *s, uint32_t source) {
    const iso_digraph *graph = &s->g->graph;
    s->source = source;
    s->number++;
    s->stamp[source] = s->number;
    s->cost[source] = 0;
    iso_layers_clear(&s->queue);
    for (uint32_t v = source; v != NONE; v = iso_layers_take(&s->queue)) {
        uint32_t cost = s->queue.cost;
        if (s->cost[v] == cost && is_of_use(s, v, cost)) {
            for (uint32_t i = graph->first[v]; i < graph->first[v + 1]; i++) {
                take_step(s, graph->edge[i], cost + (v < s->g->n));
            }
        }
    }
    iso_tick(s->pool->env);
}

/* Lists the vertices that may begin the path of a cycle. Returns their number. */
static uint32_t list_sources(const search *s, uint32_t *source) {
    uint32_t *size = ISO_ZNEW(s->pool, uint32_t, s->g->n_nodes), n = 0;
    for (uint32_t v = 0; v < s->g->n_nodes; v++) {
        size[s->component[v]]++;
    }
    for (uint32_t v = 0; v < s->g->n_sources; v++) {
        source[n] = v;
        n += s->low[s->component[v]] < s->g->start[v] || size[s->component[v]] > 1;
    }
    iso_free(s->pool, size);
    return n;
}

static void search_all(search *s) {
    uint32_t *source = ISO_NEW(s->pool, uint32_t, s->g->n_sources), n = list_sources(s, source);
    for (uint64_t most = 2; s->cycle.n == 0 && n > 0 && most < 4 * (uint64_t)s->g->n_sources; most *= 2) {
        s->best = 2 * most + 2;
        for (uint32_t i = 0; i < n && s->best > 4; i++) {
            if (s->steps > s->g->most_steps) {
                if (s->cycle.n > 0) {
                    break;
                }
                s->best = UINT64_MAX;
            }
            search_from(s, source[i]);
        }
    }
}

iso_timed_cycle iso_timed_cycle_find(const iso_timed_graph *g, iso_pool *pool) {
    search s = {.g = g, .pool = pool, .queue = {.pool = pool}};
    s.component = ISO_NEW(pool, uint32_t, g->n_nodes);
    s.near = ISO_NEW(pool, int64_t, g->n_nodes);
    s.low = ISO_NEW(pool, int64_t, g->n_nodes);
    s.stamp = ISO_ZNEW(pool, uint32_t, g->n_nodes);
    s.cost = ISO_NEW(pool, uint32_t, g->n_nodes);
    s.by = ISO_NEW(pool, uint32_t, g->n_nodes);
    find_ends(&s);
    search_all(&s);
    for (uint32_t i = 0; i < s.cycle.n / 2; i++) {
        uint32_t e = s.cycle.edge[i], other = s.cycle.n - 1 - i;
        s.cycle.edge[i] = s.cycle.edge[other];
        s.cycle.edge[other] = e;
    }
    return s.cycle;
}
