/* graph/chain_order.h against the order of a graph with the same edges (graph/digraph.h), on random chains. The seed is
 * printed. */
#include "graph/chain_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "graph/digraph.h"
#include "tests/seed.h"
#include "tests/tap.h"

#define NOTHING (UINT32_MAX - 1)

typedef struct edges {
    uint32_t from[4096], to[4096], n;
} edges;

static void add(edges *e, uint32_t from, uint32_t to) {
    e->from[e->n] = from;
    e->to[e->n++] = to;
}

/* Most edges lead forward by node number, so that some graphs are acyclic. */
static uint32_t any_before(iso_rng *rng, uint32_t v, uint32_t n) {
    bool forward = iso_random_below(rng, 300) > 0;
    return forward && v > 0 ? (uint32_t)iso_random_below(rng, v) : (uint32_t)iso_random_below(rng, n);
}

static bool round_agrees(iso_env *env, iso_rng *rng, uint64_t *acyclic) {
    iso_pool pool;
    iso_pool_init(&pool, env);
    static edges all;
    all.n = 0;
    uint32_t n_chains = 1 + (uint32_t)iso_random_below(rng, 6), alone = (uint32_t)iso_random_below(rng, 4);
    uint32_t first[8] = {0}, before[1024], begin[128], end[128], more_from[256], more_to[256], n_more = 0, n = 0,
             used = 0;
    uint8_t kind[128];
    for (uint32_t c = 0; c < n_chains; c++) {
        n += (uint32_t)iso_random_below(rng, 12);
        first[c + 1] = n;
    }
    uint32_t n_nodes = n + alone;
    for (uint32_t c = 0; c < n_chains; c++) {
        for (uint32_t v = first[c]; v < first[c + 1]; v++) {
            kind[v] = (uint8_t)iso_random_below(rng, 3);
            begin[v] = used;
            for (uint64_t k = iso_random_below(rng, 3); k > 0; k--) {
                before[used] = iso_random_below(rng, 5) == 0 ? NOTHING : any_before(rng, v, n_nodes);
                if (before[used] != NOTHING) {
                    add(&all, before[used], v);
                }
                used++;
            }
            end[v] = used++; /* a gap, that is not to be read */
            before[end[v]] = v;
            if (v > first[c]) {
                add(&all, v - 1, v);
            }
        }
    }
    for (uint64_t k = n_nodes > 0 ? iso_random_below(rng, 20) : 0; k > 0; k--) {
        more_to[n_more] = (uint32_t)iso_random_below(rng, n_nodes);
        more_from[n_more] = any_before(rng, more_to[n_more], n_nodes);
        add(&all, more_from[n_more], more_to[n_more]);
        n_more++;
    }
    iso_digraph g = iso_digraph_build(&pool, n_nodes, all.from, all.to, all.n, false);
    uint32_t *other = ISO_NEW(&pool, uint32_t, n_nodes), order[128], place[128], n_order = 0, kept = 0;
    bool expected = iso_digraph_order(&g, &pool, other);
    static const uint32_t turns[] = {0, 1, 2, 8};
    iso_chains chains = {.first = first,
                         .n_chains = n_chains,
                         .n_alone = alone,
                         .before = before,
                         .before_first = begin,
                         .before_end = end,
                         .nothing = NOTHING,
                         .from = more_from,
                         .to = more_to,
                         .n_edges = n_more,
                         .kind = kind,
                         .kept = 1,
                         .turn = turns[iso_random_below(rng, 4)]};
    bool good = iso_chain_order(&chains, &pool, order, &n_order) == expected;
    for (uint32_t v = 0; v < n; v++) {
        kept += kind[v] == 1;
    }
    /* A gap of nodes that are not kept hides no edge: the order is that of all nodes, with some left out. */
    memset(place, 0xff, sizeof place);
    for (uint32_t i = 0; i < n_order; i++) {
        good &= order[i] < n && kind[order[i]] == 1 && place[order[i]] == UINT32_MAX;
        place[order[i]] = i;
    }
    for (uint32_t i = 0; expected && i < all.n; i++) {
        bool both = all.from[i] < n && all.to[i] < n && kind[all.from[i]] == 1 && kind[all.to[i]] == 1;
        good &= !both || place[all.from[i]] < place[all.to[i]];
    }
    good &= !expected || n_order == kept;
    uint32_t counted;
    good &= iso_chain_order(&chains, &pool, NULL, &counted) == expected && counted == n_order;
    *acyclic += expected;
    iso_pool_free(&pool);
    return good;
}

int main(void) {
    iso_rng rng = {seed_or(1)};
    diag("seed %llu", (unsigned long long)rng.state);
    iso_env env;
    iso_env_init(&env);
    uint64_t rounds = getenv("ISOLAB_QUICK") != NULL ? 2000 : 20000, acyclic = 0, wrong = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        wrong += !round_agrees(&env, &rng, &acyclic);
    }
    cmp_ok((int64_t)wrong, "==", 0, "orders and cycles of %llu random graphs, %llu of them acyclic",
           (unsigned long long)rounds, (unsigned long long)acyclic);
    ok(acyclic > rounds / 10 && acyclic < rounds * 9 / 10, "both kinds were there");
    ok(env.limits->used == 0, "all memory was given back");
    return done_testing();
}
