/* Tests graph/digraph.h. Components and orders of random graphs against igraph, and a path of a million nodes (nothing
 * recurses). */
#include "graph/digraph.h"

#include <igraph/igraph.h>

#include "base/random.h"
#include "tests/guarded.h"

#define SEED 20261118u

/* Two numberings make the same partition. */
static bool same_partition(const uint32_t *a, const igraph_vector_int_t *b, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if ((a[i] == a[j]) != (VECTOR(*b)[i] == VECTOR(*b)[j])) {
                return false;
            }
        }
    }
    return true;
}

static void random_graphs(iso_pool *pool) {
    iso_rng rng = {SEED};
    uint32_t wrong_parts = 0, wrong_numbers = 0, wrong_orders = 0;
    enum { ROUNDS = 2000 };
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t n = 1 + (uint32_t)iso_random_below(&rng, 12), m = (uint32_t)iso_random_below(&rng, 2 * n + 1);
        uint32_t from[24], to[24], component[12], order[12], place[12];
        igraph_vector_int_t edges, membership;
        igraph_vector_int_init(&edges, 2 * m);
        igraph_vector_int_init(&membership, 0);
        for (uint32_t i = 0; i < m; i++) {
            from[i] = (uint32_t)iso_random_below(&rng, n);
            to[i] = (uint32_t)iso_random_below(&rng, n);
            VECTOR(edges)[2 * i] = from[i];
            VECTOR(edges)[2 * i + 1] = to[i];
        }
        igraph_t graph;
        igraph_create(&graph, &edges, (igraph_integer_t)n, true);
        igraph_connected_components(&graph, &membership, NULL, NULL, IGRAPH_STRONG);
        iso_digraph g = iso_digraph_build(pool, n, from, to, m, true);
        iso_digraph_components(&g, pool, component);
        wrong_parts += !same_partition(component, &membership, n);
        igraph_bool_t acyclic;
        igraph_is_dag(&graph, &acyclic);
        bool ordered = iso_digraph_order(&g, pool, order);
        wrong_orders += ordered != acyclic;
        for (uint32_t i = 0; ordered && i < n; i++) {
            place[order[i]] = i;
        }
        for (uint32_t i = 0; i < m; i++) {
            wrong_numbers += component[from[i]] < component[to[i]];
            wrong_orders += ordered && place[from[i]] >= place[to[i]];
        }
        iso_digraph_free(pool, &g);
        igraph_destroy(&graph);
        igraph_vector_int_destroy(&edges);
        igraph_vector_int_destroy(&membership);
    }
    diag("%d random graphs, seed %u", ROUNDS, SEED);
    cmp_ok(wrong_parts, "==", 0, "components are igraph's");
    cmp_ok(wrong_numbers, "==", 0, "components are numbered in reverse topological order");
    cmp_ok(wrong_orders, "==", 0, "an order exists when igraph says so, and is one");
}

static void long_path(iso_pool *pool) {
    uint32_t n = 1000000;
    uint32_t *from = ISO_NEW(pool, uint32_t, n), *to = ISO_NEW(pool, uint32_t, n);
    uint32_t *component = ISO_NEW(pool, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        from[i] = i;
        to[i] = (i + 1) % n;
    }
    iso_digraph g = iso_digraph_build(pool, n, from, to, n, false);
    cmp_ok(iso_digraph_components(&g, pool, component), "==", 1, "a cycle of a million nodes is one component");
    iso_digraph path = iso_digraph_build(pool, n, from, to, n - 1, false);
    cmp_ok(iso_digraph_components(&path, pool, component), "==", n, "a path of a million nodes has a million");
    ok(iso_digraph_order(&path, pool, component), "the path of a million nodes has a topological order");
}

static void run(void *arg) {
    random_graphs(arg);
    long_path(arg);
}

int main(void) {
    iso_env env;
    return run_guarded(&env, run);
}
