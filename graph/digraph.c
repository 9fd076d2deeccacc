/* See digraph.h. */
#include "graph/digraph.h"

#include "base/assert.h"
#include "base/buckets.h"

#include <string.h>

#define NONE UINT32_MAX

iso_digraph iso_digraph_build(iso_pool *pool, uint32_t n, const uint32_t *from, const uint32_t *to, uint32_t m,
                              bool numbers) {
    iso_digraph g = {.n = n};
    iso_buckets rows = iso_buckets_new(pool, n);
    g.to = ISO_NEW(pool, uint32_t, m);
    g.edge = numbers ? ISO_NEW(pool, uint32_t, m) : NULL;
    for (uint32_t i = 0; i < m; i++) {
        iso_buckets_count(&rows, from[i]);
    }
    iso_buckets_sum(&rows);
    for (uint32_t i = 0; i < m; i++) {
        iso_assert(to[i] < n);
        uint32_t at = iso_buckets_place(&rows, from[i]);
        g.to[at] = to[i];
        if (numbers) {
            g.edge[at] = i;
        }
    }
    g.first = rows.first;
    return g;
}

void iso_digraph_free(iso_pool *pool, iso_digraph *g) {
    iso_free(pool, g->first);
    iso_free(pool, g->to);
    iso_free(pool, g->edge);
}

uint32_t iso_digraph_components(const iso_digraph *g, iso_pool *scratch, uint32_t *component) {
    uint32_t n = g->n, clock = 0, components = 0, depth = 0, open = 0;
    uint32_t *index = ISO_NEW_NONE(scratch, n);      /* order of the first visit; NONE: not visited yet */
    uint32_t *low = ISO_NEW(scratch, uint32_t, n);   /* the least index known to be reachable */
    uint32_t *next = ISO_NEW(scratch, uint32_t, n);  /* the next edge to follow */
    uint32_t *path = ISO_NEW(scratch, uint32_t, n);  /* the current path of the search */
    uint32_t *stack = ISO_NEW(scratch, uint32_t, n); /* visited, and not in a component yet */
    iso_fill_none(component, n);
    for (uint32_t root = 0; root < n; root++) {
        if (index[root] != NONE) {
            continue;
        }
        path[depth++] = root;
        while (depth > 0) {
            uint32_t v = path[depth - 1];
            if (index[v] == NONE) {
                index[v] = low[v] = clock++;
                next[v] = g->first[v];
                stack[open++] = v;
            }
            uint32_t at = next[v], end = g->first[v + 1];
            for (; at < end && index[g->to[at]] != NONE; at++) {
                uint32_t u = g->to[at];
                if (component[u] == NONE && index[u] < low[v]) {
                    low[v] = index[u];
                }
            }
            if (at < end) {
                next[v] = at + 1;
                path[depth++] = g->to[at];
                continue;
            }
            depth--;
            if (low[v] == index[v]) {
                while (component[v] == NONE) {
                    component[stack[--open]] = components;
                }
                components++;
            } else if (low[v] < low[path[depth - 1]]) { /* not a root, so it has a parent */
                low[path[depth - 1]] = low[v];
            }
        }
    }
    iso_free(scratch, index);
    iso_free(scratch, low);
    iso_free(scratch, next);
    iso_free(scratch, path);
    iso_free(scratch, stack);
    return components;
}

bool iso_digraph_order(const iso_digraph *g, iso_pool *scratch, uint32_t *order) {
    iso_assert(g->first[0] == 0);
    uint32_t *degree = ISO_ZNEW(scratch, uint32_t, g->n), tail = 0;
    for (uint32_t i = 0; i < g->first[g->n]; i++) {
        degree[g->to[i]]++;
    }
    for (uint32_t v = 0; v < g->n; v++) {
        if (degree[v] == 0) {
            order[tail++] = v;
        }
    }
    for (uint32_t head = 0; head < tail; head++) {
        uint32_t v = order[head];
        for (uint32_t i = g->first[v]; i < g->first[v + 1]; i++) {
            if (--degree[g->to[i]] == 0) {
                order[tail++] = g->to[i];
            }
        }
    }
    iso_free(scratch, degree);
    return tail == g->n;
}
