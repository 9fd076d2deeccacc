/* Families of graphs without algebra; algebra.c has the other families. families.def describes each.
 *
 * A graph without triangles is a yes-instance of the reductions, for which a checker must examine everything. A
 * bipartite graph is a worst case for checkers that compare neighbours, but an easy graph: it has no odd cycle, which a
 * search shows at once. c5, andrasfai, alon and tripartite-free are dense and have odd cycles. */
#include <string.h>

#include <gsl/gsl_randist.h>

#include "base/random.h"
#include "generators/distribution.h"
#include "reductions/family.h"

/* Calls a function for every pair that is chosen with probability p, in O(chosen). Pairs are numbered below n_pairs. */
typedef void pair_fn(iso_edges *e, uint64_t pair, const void *arg);
static void coins(iso_edges *e, iso_rng *rng, double p, uint64_t n_pairs, pair_fn *keep, const void *arg) {
    if (p <= 0) {
        return;
    }
    for (uint64_t pair = 0; pair < n_pairs; pair++) {
        if (p < 1) {
            pair += (uint64_t)gsl_ran_geometric(ISO_GSL(rng), p) - 1;
            if (pair >= n_pairs) {
                return;
            }
        }
        keep(e, pair, arg);
    }
}

typedef struct halves {
    uint32_t left, right;
} halves;

static void keep_between(iso_edges *e, uint64_t pair, const void *arg) {
    const halves *h = arg;
    iso_edges_add(e, (uint32_t)(pair / h->right), h->left + (uint32_t)(pair % h->right));
}

static void keep_any(iso_edges *e, uint64_t pair, const void *arg) {
    (void)arg;
    /* pairs b < a in the order of a: a is the largest number with a (a - 1) / 2 <= pair */
    uint64_t a = (uint64_t)((1 + __builtin_sqrt(1 + 8 * (double)pair)) / 2);
    while (a * (a - 1) / 2 > pair) {
        a--;
    }
    while (a * (a + 1) / 2 <= pair) {
        a++;
    }
    iso_edges_add(e, (uint32_t)a, (uint32_t)(pair - a * (a - 1) / 2));
}

/* Like gsl_ran_shuffle(), but respects the limits. */
void iso_shuffle(iso_env *env, iso_rng *rng, uint32_t *at, uint32_t n) {
    for (uint32_t i = n; i-- > 1;) {
        iso_tick(env);
        uint32_t j = (uint32_t)gsl_rng_uniform_int(ISO_GSL(rng), (unsigned long)i + 1), swap = at[i];
        at[i] = at[j];
        at[j] = swap;
    }
}

/* Makes nodes 0 and 1 of the left half neighbours, and keeps only the first of their common neighbours. */
static void plant(iso_edges *e, const halves *h, iso_rng *rng, uint32_t n) {
    iso_pool *pool = e->pool;
    uint8_t *of_first = ISO_ZNEW(pool, uint8_t, n);
    uint64_t kept = 0;
    bool common = false;
    for (uint64_t i = 0; i < e->n; i++) { /* edges are in the order of their left nodes */
        iso_tick(pool->env);
        if (e->a[i] == 0) {
            of_first[e->b[i]] = 1;
        }
        if (e->a[i] == 1 && of_first[e->b[i]]) {
            if (common) {
                continue;
            }
            common = true;
        }
        e->a[kept] = e->a[i];
        e->b[kept++] = e->b[i];
    }
    e->n = kept;
    iso_edges_add(e, 0, 1);
    if (!common) {
        uint32_t third = h->left + (uint32_t)iso_random_below(rng, h->right);
        iso_edges_add(e, 0, third);
        iso_edges_add(e, 1, third);
    }
    uint32_t *rename = ISO_NEW(pool, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        rename[i] = i;
    }
    iso_shuffle(pool->env, rng, rename, n);
    for (uint64_t i = 0; i < e->n; i++) {
        iso_tick(pool->env);
        e->a[i] = rename[e->a[i]];
        e->b[i] = rename[e->b[i]];
    }
    iso_free(pool, rename);
    iso_free(pool, of_first);
}

uint32_t iso_family_mycielski(iso_edges *e, const iso_family_numbers *numbers, iso_rng *rng) {
    (void)rng;
    uint64_t order = numbers->k;
    if (order > 20) {
        iso_throw(e->pool->env, ISOLAB_E_USAGE, "family mycielski: expected k up to 20");
    }
    uint32_t n = order == 1 ? 1 : 2;
    if (order >= 2) {
        iso_edges_add(e, 0, 1);
    }
    for (uint64_t k = 2; k < order; k++) {
        uint64_t m = e->n;
        for (uint64_t i = 0; i < m; i++) { /* a copy of each node is joined with its neighbours */
            iso_edges_add(e, e->a[i] + n, e->b[i]);
            iso_edges_add(e, e->a[i], e->b[i] + n);
        }
        for (uint32_t a = 0; a < n; a++) { /* another node is joined with all copies */
            iso_edges_add(e, n + a, 2 * n);
        }
        n = 2 * n + 1;
    }
    return n;
}

uint32_t iso_family_kneser(iso_edges *e, const iso_family_numbers *numbers, iso_rng *rng) {
    (void)rng;
    if (numbers->k > 6) {
        iso_throw(e->pool->env, ISOLAB_E_USAGE, "family kneser: expected k up to 6");
    }
    unsigned k = (unsigned)numbers->k;
    unsigned all = 3 * k - 1;
    uint32_t *sets = NULL, n = 0, room = 0;
    for (uint32_t set = 0; set < (uint32_t)1 << all; set++) {
        if ((unsigned)__builtin_popcount(set) == k) {
            ISO_GROW(e->pool, sets, n, room);
            sets[n++] = set;
        }
    }
    for (uint32_t a = 0; a < n; a++) {
        for (uint32_t b = 0; b < a; b++) {
            iso_tick(e->pool->env);
            if ((sets[a] & sets[b]) == 0) {
                iso_edges_add(e, a, b);
            }
        }
    }
    iso_free(e->pool, sets);
    return n;
}

uint32_t iso_family_regular(iso_edges *e, const iso_family_numbers *numbers, iso_rng *rng) {
    uint32_t n = (uint32_t)numbers->nodes;
    uint64_t degree = numbers->degree;
    uint32_t *order = ISO_NEW(e->pool, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        order[i] = i;
    }
    for (uint64_t d = 0; d < degree && n > 1; d++) {
        iso_shuffle(e->pool->env, rng, order, n);
        for (uint32_t i = 0; i + 1 < n; i += 2) {
            iso_edges_add(e, order[i], order[i + 1]);
        }
    }
    iso_free(e->pool, order);
    return n;
}

/* An end of a random edge is a node drawn in proportion to its degree. */
uint32_t iso_family_power_law(iso_edges *e, const iso_family_numbers *numbers, iso_rng *rng) {
    uint32_t n = (uint32_t)numbers->nodes;
    uint64_t degree = numbers->degree;
    for (uint32_t a = 1; a < n; a++) {
        uint64_t m = e->n;
        for (uint64_t d = 0; d < degree && d < a; d++) {
            uint64_t end = m == 0 ? 0 : iso_random_below(rng, 2 * m);
            uint32_t b = a <= degree ? (uint32_t)d : (end & 1) == 0 ? e->a[end / 2] : e->b[end / 2];
            iso_edges_add(e, a, b);
        }
    }
    return n;
}

uint32_t iso_family_gnp(iso_edges *e, const iso_family_numbers *numbers, iso_rng *rng) {
    uint64_t n = numbers->nodes;
    coins(e, rng, numbers->p, n < 2 ? 0 : n * (n - 1) / 2, keep_any, NULL);
    return (uint32_t)n;
}

static halves between(iso_edges *e, const iso_family_numbers *numbers, iso_rng *rng) {
    uint32_t n = (uint32_t)numbers->nodes;
    halves h = {n / 2, n - n / 2};
    coins(e, rng, numbers->p, (uint64_t)h.left * h.right, keep_between, &h);
    return h;
}

uint32_t iso_family_bipartite(iso_edges *e, const iso_family_numbers *numbers, iso_rng *rng) {
    between(e, numbers, rng);
    return (uint32_t)numbers->nodes;
}

uint32_t iso_family_planted(iso_edges *e, const iso_family_numbers *numbers, iso_rng *rng) {
    if (numbers->nodes < 4) {
        iso_throw(e->pool->env, ISOLAB_E_USAGE, "family planted: expected at least 4 nodes");
    }
    halves h = between(e, numbers, rng);
    plant(e, &h, rng, (uint32_t)numbers->nodes);
    return (uint32_t)numbers->nodes;
}

/* Joins a and b if their difference, modulo parts, is one of the first and the last. */
static uint32_t parts_of(iso_edges *e, uint64_t n, uint32_t parts) {
    for (uint32_t a = 0; a < n; a++) {
        for (uint32_t b = 0; b < a; b++) {
            iso_tick(e->pool->env);
            uint32_t apart = (a % parts + parts - b % parts) % parts;
            if (apart == 1 || apart == parts - 1) {
                iso_edges_add(e, a, b);
            }
        }
    }
    return (uint32_t)n;
}

uint32_t iso_family_tripartite(iso_edges *e, const iso_family_numbers *numbers, iso_rng *rng) {
    (void)rng;
    return parts_of(e, numbers->nodes, 3);
}

uint32_t iso_family_c5(iso_edges *e, const iso_family_numbers *numbers, iso_rng *rng) {
    (void)rng;
    return parts_of(e, numbers->nodes, 5);
}

uint32_t iso_family_andrasfai(iso_edges *e, const iso_family_numbers *numbers, iso_rng *rng) {
    (void)rng;
    uint32_t n = (uint32_t)numbers->nodes;
    n = n > 1 ? n - (n + 1) % 3 : n; /* 3k - 1 */
    for (uint32_t a = 0; a < n; a++) {
        for (uint32_t b = 0; b < a; b++) {
            iso_tick(e->pool->env);
            if ((a - b) % 3 == 1) {
                iso_edges_add(e, a, b);
            }
        }
    }
    return n;
}

static void keep_parts(iso_edges *e, uint64_t pair, const void *arg) {
    uint64_t n = e->n;
    keep_any(e, pair, arg);
    e->n = e->a[n] % 3 == e->b[n] % 3 ? n : e->n;
}

uint32_t iso_family_tripartite_free(iso_edges *e, const iso_family_numbers *numbers, iso_rng *rng) {
    uint64_t n = numbers->nodes;
    coins(e, rng, numbers->p, n < 2 ? 0 : n * (n - 1) / 2, keep_parts, NULL);
    iso_pool *pool = e->pool;
    iso_graph g = iso_graph_remove_triangles(pool, iso_graph_of_edges(e, (uint32_t)n), rng);
    *e = iso_graph_edges(pool, &g);
    iso_graph_free(pool, &g);
    return (uint32_t)n;
}

const iso_family iso_families[] = {
#define FAMILY(name, id, parameters, random, summary) {name, parameters, summary, random, iso_family_##id},
#include "reductions/families.def"
#undef FAMILY
    {.name = NULL}};

const char iso_family_words[] =
#define FAMILY(name, id, parameters, random, summary) " " name
#include "reductions/families.def"
#undef FAMILY
    ;
