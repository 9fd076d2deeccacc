/* Graphs as rows of neighbours. See graph.h. */
#include "reductions/graph.h"
#include "base/bisect.h"

#include <string.h>

void iso_edges_add(iso_edges *e, uint32_t a, uint32_t b) {
    iso_tick(e->pool->env);
    ISO_GROW(e->pool, e->a, e->n, e->room_a);
    ISO_GROW(e->pool, e->b, e->n, e->room_b);
    e->a[e->n] = a;
    e->b[e->n++] = b;
}

/* Returns the transposed graph. Its rows are sorted, since sources are visited in order. Places of edges have 64 bits
 * here and below, those of base/buckets.h 32. */
static iso_graph transposed(iso_pool *pool, const iso_graph *g) {
    iso_graph t = {g->n, ISO_ZNEW(pool, uint64_t, (size_t)g->n + 2), ISO_NEW(pool, uint32_t, g->first[g->n])};
    for (uint64_t i = 0; i < g->first[g->n]; i++) {
        iso_tick(pool->env);
        t.first[g->to[i] + 2]++;
    }
    for (uint32_t a = 2; a <= g->n; a++) {
        t.first[a] += t.first[a - 1];
    }
    for (uint32_t a = 0; a < g->n; a++) {
        for (uint64_t i = g->first[a]; i < g->first[a + 1]; i++) {
            iso_tick(pool->env);
            t.to[t.first[g->to[i] + 1]++] = a;
        }
    }
    return t;
}

iso_graph iso_graph_of_edges(iso_edges *e, uint32_t n) {
    iso_pool *pool = e->pool;
    iso_graph g = {n, ISO_ZNEW(pool, uint64_t, (size_t)n + 2), ISO_NEW(pool, uint32_t, 2 * e->n)};
    for (uint64_t i = 0; i < e->n; i++) {
        iso_tick(pool->env);
        if (e->a[i] != e->b[i]) {
            g.first[e->a[i] + 2]++;
            g.first[e->b[i] + 2]++;
        }
    }
    for (uint32_t a = 2; a <= n; a++) {
        g.first[a] += g.first[a - 1];
    }
    for (uint64_t i = 0; i < e->n; i++) {
        iso_tick(pool->env);
        if (e->a[i] != e->b[i]) {
            g.to[g.first[e->a[i] + 1]++] = e->b[i];
            g.to[g.first[e->b[i] + 1]++] = e->a[i];
        }
    }
    iso_free(pool, e->a);
    iso_free(pool, e->b);
    *e = (iso_edges){.pool = pool};
    iso_graph t = transposed(pool, &g); /* the transposed undirected graph is the same graph with sorted rows */
    iso_free(pool, g.first);
    iso_free(pool, g.to);
    uint64_t kept = 0, from = 0;
    for (uint32_t a = 0; a < n; a++) {
        uint64_t start = kept;
        for (; from < t.first[a + 1]; from++) {
            iso_tick(pool->env);
            if (kept == start || t.to[kept - 1] != t.to[from]) {
                t.to[kept++] = t.to[from];
            }
        }
        t.first[a] = start;
    }
    t.first[n] = kept;
    return t;
}

uint64_t iso_graph_place(const iso_graph *g, uint32_t a, uint32_t b) {
    return ISO_BISECT(i, g->first[a], g->first[a + 1], g->to[i] < b);
}

bool iso_graph_has(const iso_graph *g, uint32_t a, uint32_t b) {
    uint64_t place = iso_graph_place(g, a, b);
    return place < g->first[a + 1] && g->to[place] == b;
}

iso_edges iso_graph_edges(iso_pool *pool, const iso_graph *g) {
    iso_edges e = {.pool = pool};
    for (uint32_t a = 0; a < g->n; a++) {
        for (uint64_t i = g->first[a]; i < g->first[a + 1] && g->to[i] < a; i++) {
            iso_edges_add(&e, a, g->to[i]);
        }
    }
    return e;
}

void iso_graph_free(iso_pool *pool, iso_graph *g) {
    iso_free(pool, g->first);
    iso_free(pool, g->to);
    *g = (iso_graph){.n = 0};
}
