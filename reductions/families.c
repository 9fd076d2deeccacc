/* Families of graphs. The triangle-free ones are the yes-instances of the reductions, and a bipartite graph with one
 * planted triangle is the hardest no-instance.
 *
 *   gnp         every pair with probability p
 *   bipartite   every pair from different halves with probability p: triangle-free
 *   planted     the same with exactly one triangle, at a random place
 *   tripartite  complete between three equal parts: the most triangles that are possible without a K4
 *   c5          a pentagon whose corners are independent sets: triangle-free with n^2/5 edges
 *   andrasfai   numbers modulo n = 3k - 1, joined if their distance is 1 modulo 3: triangle-free, regular
 *               of degree about n/3, not bipartite
 *   mycielski   of order k: triangle-free, and needs k colours
 *   kneser      sets of k numbers below 3k - 1, joined if they are disjoint: triangle-free
 *   regular     the union of random perfect matchings: degree at most d
 *   power-law   every new node is joined with d old ones, chosen in proportion to their degrees */
#include <string.h>

#include <gsl/gsl_randist.h>

#include "base/random.h"
#include "generators/distribution.h"
#include "reductions/graph.h"

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
static void shuffle(iso_env *env, iso_rng *rng, uint32_t *at, uint32_t n) {
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
    shuffle(pool->env, rng, rename, n);
    for (uint64_t i = 0; i < e->n; i++) {
        iso_tick(pool->env);
        e->a[i] = rename[e->a[i]];
        e->b[i] = rename[e->b[i]];
    }
    iso_free(pool, rename);
    iso_free(pool, of_first);
}

static uint32_t mycielski(iso_edges *e, uint64_t order) {
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

static uint32_t kneser(iso_edges *e, unsigned k) {
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

static void matchings(iso_edges *e, iso_rng *rng, uint32_t n, uint64_t degree) {
    uint32_t *order = ISO_NEW(e->pool, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        order[i] = i;
    }
    for (uint64_t d = 0; d < degree && n > 1; d++) {
        shuffle(e->pool->env, rng, order, n);
        for (uint32_t i = 0; i + 1 < n; i += 2) {
            iso_edges_add(e, order[i], order[i + 1]);
        }
    }
    iso_free(e->pool, order);
}

/* An end of a random edge is a node drawn in proportion to its degree. */
static void attachment(iso_edges *e, iso_rng *rng, uint32_t n, uint64_t degree) {
    for (uint32_t a = 1; a < n; a++) {
        uint64_t m = e->n;
        for (uint64_t d = 0; d < degree && d < a; d++) {
            uint64_t end = m == 0 ? 0 : iso_random_below(rng, 2 * m);
            uint32_t b = a <= degree ? (uint32_t)d : (end & 1) == 0 ? e->a[end / 2] : e->b[end / 2];
            iso_edges_add(e, a, b);
        }
    }
}

static bool is(const iso_args *args, const char *family) { return iso_arg_is(args, "family", family); }

static void refuse_ignored(const iso_args *args) {
    bool by_k = is(args, "mycielski") || is(args, "kneser"), by_degree = is(args, "regular") || is(args, "power-law");
    bool by_p = is(args, "gnp") || is(args, "bipartite") || is(args, "planted");
    iso_args_refuse(args, by_k, "nodes", "is not for mycielski and kneser, which take --k");
    iso_args_refuse(args, !by_k, "k", "is for mycielski and kneser");
    iso_args_refuse(args, !by_degree, "degree", "is for regular and power-law");
    iso_args_refuse(args, !by_p, "p", "is for gnp, bipartite and planted");
    iso_args_refuse(args, !by_p && !by_degree, "seed", "is for random families: this one is the same each time");
}

iso_graph iso_graph_family(iso_pool *pool, const iso_args *args) {
    refuse_ignored(args);
    iso_edges e = {.pool = pool};
    iso_rng rng = {iso_arg_count(args, "seed")};
    uint32_t n = (uint32_t)iso_arg_count(args, "nodes");
    uint64_t degree = iso_arg_count(args, "degree"), k = iso_arg_count(args, "k");
    double p = iso_arg_real(args, "p");
    halves h = {n / 2, n - n / 2};
    if (is(args, "gnp")) {
        coins(&e, &rng, p, n < 2 ? 0 : (uint64_t)n * (n - 1) / 2, keep_any, NULL);
    } else if (is(args, "bipartite") || is(args, "planted")) {
        coins(&e, &rng, p, (uint64_t)h.left * h.right, keep_between, &h);
        if (is(args, "planted")) {
            if (h.left < 2) {
                iso_throw(pool->env, ISOLAB_E_USAGE, "--family planted needs at least 4 --nodes");
            }
            plant(&e, &h, &rng, n);
        }
    } else if (is(args, "tripartite") || is(args, "c5") || is(args, "andrasfai")) {
        n = is(args, "andrasfai") && n > 1 ? n - (n + 1) % 3 : n; /* 3k - 1 */
        uint32_t parts = is(args, "tripartite") ? 3 : is(args, "c5") ? 5 : 0;
        for (uint32_t a = 0; a < n; a++) {
            for (uint32_t b = 0; b < a; b++) {
                iso_tick(pool->env);
                uint32_t apart = parts == 0 ? a - b : (a % parts + parts - b % parts) % parts;
                if (parts == 3 ? apart != 0 : parts == 5 ? apart == 1 || apart == 4 : apart % 3 == 1) {
                    iso_edges_add(&e, a, b);
                }
            }
        }
    } else if (is(args, "mycielski")) {
        if (k > 20) {
            iso_throw(pool->env, ISOLAB_E_USAGE, "--family mycielski takes --k up to 20");
        }
        n = mycielski(&e, k);
    } else if (is(args, "kneser")) {
        if (k > 6) {
            iso_throw(pool->env, ISOLAB_E_USAGE, "--family kneser takes --k up to 6");
        }
        n = kneser(&e, (unsigned)k);
    } else if (is(args, "regular")) {
        matchings(&e, &rng, n, degree);
    } else {
        attachment(&e, &rng, n, degree);
    }
    return iso_graph_of_edges(&e, n);
}
