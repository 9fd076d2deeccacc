/* What the words `plant`, `addedges`, `removetriangles` and `sample` do to a graph. See family.h. */
#include <inttypes.h>
#include <string.h>

#include "reductions/family.h"

/* ---- plant ---- */

/* A graph that is changed at few places: edges of the rows that are gone, and edges that came. */
typedef struct patched {
    iso_pool *pool;
    const iso_graph *g;
    uint8_t *gone;    /* by index in the rows, at both ends */
    iso_edges added;  /* between used nodes */
    bool *used;       /* whether the node is in a planted triangle */
    uint32_t *common; /* work space */
} patched;

static bool joined(const patched *p, uint32_t a, uint32_t b) {
    if (iso_graph_has(p->g, a, b)) {
        return !p->gone[iso_graph_place(p->g, a, b)];
    }
    for (uint64_t i = 0; p->used[a] && p->used[b] && i < p->added.n; i++) {
        if ((p->added.a[i] == a && p->added.b[i] == b) || (p->added.a[i] == b && p->added.b[i] == a)) {
            return true;
        }
    }
    return false;
}

static void separate(patched *p, uint32_t a, uint32_t b) {
    p->gone[iso_graph_place(p->g, a, b)] = p->gone[iso_graph_place(p->g, b, a)] = 1;
}

/* Finds the common neighbours of a node that was in no planted triangle and of another node. */
static uint32_t common_of(patched *p, uint32_t fresh, uint32_t other) {
    uint32_t n = 0;
    for (uint64_t i = p->g->first[fresh]; i < p->g->first[fresh + 1]; i++) {
        iso_tick(p->pool->env);
        if (!p->gone[i] && joined(p, p->g->to[i], other)) {
            p->common[n++] = p->g->to[i];
        }
    }
    return n;
}

/* Removes the edges from a fresh node to its common neighbours with another one, except one of them. */
static void keep_common(patched *p, uint32_t fresh, uint32_t other, uint32_t except) {
    uint32_t n = common_of(p, fresh, other);
    for (uint32_t i = 0; i < n; i++) {
        if (p->common[i] != except) {
            separate(p, fresh, p->common[i]);
        }
    }
}

/* Chooses two nodes that are not neighbours and in no planted triangle. Returns false if it finds none. */
static bool choose_pair(const patched *p, iso_rng *rng, uint32_t *u, uint32_t *v) {
    for (unsigned i = 0; i < 10000; i++) {
        *u = (uint32_t)iso_random_below(rng, p->g->n);
        *v = (uint32_t)iso_random_below(rng, p->g->n);
        if (*u != *v && !p->used[*u] && !p->used[*v] && !joined(p, *u, *v)) {
            return true;
        }
    }
    return false;
}

/* Makes one triangle u v w. u and v are in no triangle, so removing edges from them destroys none; after that u, v and
 * w have no common neighbours except each other, so no other triangle comes into being. */
static bool plant_one(patched *p, iso_rng *rng) {
    uint32_t u, v, w;
    if (!choose_pair(p, rng, &u, &v)) {
        return false;
    }
    uint32_t n = common_of(p, u, v);
    if (n > 0) {
        w = p->common[iso_random_below(rng, n)];
    } else {
        do {
            w = (uint32_t)iso_random_below(rng, p->g->n);
        } while (w == u || w == v);
    }
    const uint32_t pair[3][2] = {{u, v}, {u, w}, {v, w}};
    const uint32_t third[3] = {w, v, u};
    for (int i = 0; i < 3; i++) {
        keep_common(p, pair[i][0], pair[i][1], third[i]);
    }
    p->used[u] = p->used[v] = p->used[w] = true;
    for (int i = 0; i < 3; i++) {
        uint32_t a = pair[i][0], b = pair[i][1];
        if (iso_graph_has(p->g, a, b)) { /* it was removed for an earlier triangle */
            p->gone[iso_graph_place(p->g, a, b)] = p->gone[iso_graph_place(p->g, b, a)] = 0;
        } else if (!joined(p, a, b)) {
            iso_edges_add(&p->added, a, b);
        }
    }
    return true;
}

static iso_graph patched_graph(patched *p) {
    for (uint32_t a = 0; a < p->g->n; a++) {
        for (uint64_t i = p->g->first[a]; i < p->g->first[a + 1]; i++) {
            if (p->g->to[i] < a && !p->gone[i]) {
                iso_edges_add(&p->added, a, p->g->to[i]);
            }
        }
    }
    return iso_graph_of_edges(&p->added, p->g->n);
}

iso_graph iso_graph_plant(iso_pool *pool, iso_graph g, uint64_t triangles, iso_rng *rng) {
    uint32_t found[3];
    if (iso_graph_triangle(&g, pool, found)) {
        iso_throw(pool->env, ISOLAB_E_USAGE,
                  "plant: expected a graph without triangles, found nodes %u, %u and %u; put removetriangles before it",
                  found[0], found[1], found[2]);
    }
    patched p = {pool,
                 &g,
                 ISO_ZNEW(pool, uint8_t, g.first[g.n]),
                 {.pool = pool},
                 ISO_ZNEW(pool, bool, g.n),
                 ISO_NEW(pool, uint32_t, g.n)};
    for (uint64_t i = 0; i < triangles; i++) {
        if (g.n < 3 || !plant_one(&p, rng)) {
            iso_throw(pool->env, ISOLAB_E_USAGE,
                      "plant: the graph has room for %" PRIu64 " triangles, not for %" PRIu64, i, triangles);
        }
    }
    iso_graph made = patched_graph(&p);
    iso_graph_free(pool, &g);
    iso_free(pool, p.gone);
    iso_free(pool, p.used);
    iso_free(pool, p.common);
    return made;
}

/* ---- addedges, sample ---- */

iso_graph iso_graph_add_edges(iso_pool *pool, iso_graph g, uint64_t edges, iso_rng *rng) {
    uint64_t pairs = g.n < 2 ? 0 : (uint64_t)g.n * (g.n - 1) / 2, m = g.first[g.n] / 2;
    if (edges > pairs - m) {
        iso_throw(pool->env, ISOLAB_E_USAGE, "addedges: the graph has room for %" PRIu64 " edges, not for %" PRIu64,
                  (pairs - m), edges);
    }
    for (uint64_t missing = edges; missing > 0;) { /* again, while some were chosen twice */
        uint64_t before = g.first[g.n] / 2;
        iso_edges e = iso_graph_edges(pool, &g);
        for (uint64_t i = 0; i < missing; i++) {
            uint32_t a, b;
            do {
                iso_tick(pool->env);
                a = (uint32_t)iso_random_below(rng, g.n);
                b = (uint32_t)iso_random_below(rng, g.n);
            } while (a == b || iso_graph_has(&g, a, b));
            iso_edges_add(&e, a, b);
        }
        uint32_t n = g.n;
        iso_graph_free(pool, &g);
        g = iso_graph_of_edges(&e, n);
        missing -= g.first[n] / 2 - before;
    }
    return g;
}

iso_graph iso_graph_sample(iso_pool *pool, iso_graph g, uint64_t nodes, iso_rng *rng) {
    if (nodes > g.n) {
        iso_throw(pool->env, ISOLAB_E_USAGE, "sample: the graph has %u nodes, not %" PRIu64, g.n, nodes);
    }
    uint32_t *order = ISO_NEW(pool, uint32_t, g.n), *name = ISO_NEW(pool, uint32_t, g.n);
    for (uint32_t a = 0; a < g.n; a++) {
        order[a] = a;
    }
    iso_shuffle(pool->env, rng, order, g.n);
    for (uint32_t i = 0; i < g.n; i++) {
        name[order[i]] = i < nodes ? i : UINT32_MAX;
    }
    iso_edges all = iso_graph_edges(pool, &g), e = {.pool = pool};
    for (uint64_t i = 0; i < all.n; i++) {
        if (name[all.a[i]] != UINT32_MAX && name[all.b[i]] != UINT32_MAX) {
            iso_edges_add(&e, name[all.a[i]], name[all.b[i]]);
        }
    }
    iso_free(pool, all.a);
    iso_free(pool, all.b);
    iso_free(pool, order);
    iso_free(pool, name);
    iso_graph_free(pool, &g);
    return iso_graph_of_edges(&e, (uint32_t)nodes);
}

/* ---- removetriangles ---- */

/* The edges that were kept: rows that grow inside those of the graph, and a hash table of pairs. */
typedef struct kept {
    uint32_t *to, *degree;
    uint64_t *slot; /* a pair and 1; 0: empty */
    uint64_t mask;
} kept;

static uint64_t *place_of(const kept *k, uint32_t a, uint32_t b) {
    uint64_t pair = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
    uint64_t at = (pair + 1) * 0x9e3779b97f4a7c15u >> 20;
    while (k->slot[at & k->mask] != 0 && k->slot[at & k->mask] != pair + 1) {
        at++;
    }
    return &k->slot[at & k->mask];
}

static bool closes(iso_env *env, const kept *k, const iso_graph *g, uint32_t a, uint32_t b) {
    if (k->degree[a] > k->degree[b]) {
        uint32_t swap = a;
        a = b;
        b = swap;
    }
    for (uint64_t i = g->first[a]; i < g->first[a] + k->degree[a]; i++) {
        iso_tick(env);
        if (*place_of(k, k->to[i], b) != 0) {
            return true;
        }
    }
    return false;
}

/* Keeps each edge, in random order, that closes no triangle with earlier ones. */
iso_graph iso_graph_remove_triangles(iso_pool *pool, iso_graph g, iso_rng *rng) {
    iso_edges all = iso_graph_edges(pool, &g), e = {.pool = pool};
    if (all.n > UINT32_MAX) {
        iso_throw(pool->env, ISOLAB_E_LIMIT, "removetriangles: expected at most %u edges", UINT32_MAX);
    }
    kept k = {ISO_NEW(pool, uint32_t, g.first[g.n]), ISO_ZNEW(pool, uint32_t, g.n), NULL, 1};
    while (k.mask < 2 * all.n) {
        k.mask = 2 * k.mask + 1;
    }
    k.slot = ISO_ZNEW(pool, uint64_t, k.mask + 1);
    uint32_t *order = ISO_NEW(pool, uint32_t, all.n);
    for (uint32_t i = 0; i < all.n; i++) {
        order[i] = i;
    }
    iso_shuffle(pool->env, rng, order, (uint32_t)all.n);
    for (uint32_t i = 0; i < all.n; i++) {
        uint32_t a = all.a[order[i]], b = all.b[order[i]];
        if (!closes(pool->env, &k, &g, a, b)) {
            *place_of(&k, a, b) = 1 + (a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a);
            k.to[g.first[a] + k.degree[a]++] = b;
            k.to[g.first[b] + k.degree[b]++] = a;
            iso_edges_add(&e, a, b);
        }
    }
    uint32_t n = g.n;
    iso_free(pool, all.a);
    iso_free(pool, all.b);
    iso_free(pool, order);
    iso_free(pool, k.to);
    iso_free(pool, k.degree);
    iso_free(pool, k.slot);
    iso_graph_free(pool, &g);
    return iso_graph_of_edges(&e, n);
}
