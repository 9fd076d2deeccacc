/* Tests reductions/graph.h: families, the language of graphs, the words that change a graph, and the facts about it.
 * Every count is made again here, by definitions: triangles and 4-cycles from the square of the matrix by its trace,
 * odd cycles from walks. What a family is known for is written down as the literature has it, not as the program
 * prints. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "graph/handlers.h"
#include "reductions/family.h"
#include "reductions/field.h"
#include "reductions/reduction.h"
#include "tests/seed.h"
#include "tests/tap.h"

static iso_env env;
static bool quick;

/* ---- counting again ---- */

typedef struct again {
    uint64_t work, triangles, four_cycles, edges, least, most; /* least, most: degrees */
    uint32_t odd_girth;
} again;

static uint64_t degree(const iso_graph *g, uint32_t a) { return g->first[a + 1] - g->first[a]; }

/* Boolean walks of 1, 2, 3, ... steps from every node: the first odd number that leads back. */
static uint32_t odd_walk(const iso_graph *g, iso_pool *pool) {
    uint32_t best = 0;
    bool *at = ISO_NEW(pool, bool, g->n), *then = ISO_NEW(pool, bool, g->n);
    for (uint32_t from = 0; from < g->n; from++) {
        memset(at, 0, g->n);
        at[from] = true;
        for (uint32_t steps = 1; steps <= g->n && (best == 0 || steps < best); steps++) {
            memset(then, 0, g->n);
            for (uint32_t a = 0; a < g->n; a++) {
                for (uint64_t i = g->first[a]; at[a] && i < g->first[a + 1]; i++) {
                    then[g->to[i]] = true;
                }
            }
            memcpy(at, then, g->n);
            if (steps % 2 == 1 && at[from]) {
                best = steps;
            }
        }
    }
    return best;
}

/* trace(A^3) = 6 triangles; trace(A^4) = 8 four-cycles + 2 sum d(d-1) + 2 m. */
static again count_again(const iso_graph *g, iso_pool *pool) {
    again c = {.least = UINT64_MAX};
    uint32_t n = g->n;
    uint8_t *has = ISO_ZNEW(pool, uint8_t, (size_t)n * n + 1);
    uint64_t cube = 0, fourth = 0, wedges = 0;
    for (uint32_t a = 0; a < n; a++) {
        c.least = degree(g, a) < c.least ? degree(g, a) : c.least;
        c.most = degree(g, a) > c.most ? degree(g, a) : c.most;
        wedges += degree(g, a) * (degree(g, a) - (degree(g, a) > 0));
        for (uint64_t i = g->first[a]; i < g->first[a + 1]; i++) {
            has[(size_t)a * n + g->to[i]] = 1;
        }
    }
    uint64_t *row = ISO_NEW(pool, uint64_t, n);
    for (uint32_t a = 0; a < n; a++) {
        memset(row, 0, n * sizeof *row);
        for (uint32_t b = 0; b < n; b++) {
            for (uint32_t x = 0; has[(size_t)a * n + b] && x < n; x++) {
                row[x] += has[(size_t)b * n + x];
            }
        }
        for (uint32_t b = 0; b < n; b++) {
            fourth += row[b] * row[b];
            if (has[(size_t)a * n + b]) {
                cube += row[b];
                c.edges++;
                c.work += degree(g, a) < degree(g, b) ? degree(g, a) : degree(g, b);
            }
        }
    }
    c.edges /= 2;
    c.work /= 2;
    c.triangles = cube / 6;
    c.four_cycles = (fourth - 2 * wedges - 2 * c.edges) / 8;
    c.odd_girth = odd_walk(g, pool);
    return c;
}

static bool same(const iso_graph_facts *f, const again *c) {
    bool good = f->edges == c->edges && f->work == c->work && f->triangles == c->triangles &&
                f->four_cycles == c->four_cycles && f->odd_girth == c->odd_girth;
    if (!good) {
        diag("facts: %llu edges, work %llu, %llu triangles, %llu 4-cycles, odd girth %u", (unsigned long long)f->edges,
             (unsigned long long)f->work, (unsigned long long)f->triangles, (unsigned long long)f->four_cycles,
             f->odd_girth);
        diag("again: %llu edges, work %llu, %llu triangles, %llu 4-cycles, odd girth %u", (unsigned long long)c->edges,
             (unsigned long long)c->work, (unsigned long long)c->triangles, (unsigned long long)c->four_cycles,
             c->odd_girth);
    }
    return good;
}

/* ---- the language ---- */

typedef struct asking {
    iso_pool *pool;
    const char *graph, *seed, *text;
    iso_graph g;
} asking;

static void ask_graph(void *arg) {
    asking *a = arg;
    iso_args args;
    iso_reduction_args(iso_reduction_find("triangle"), a->pool, &args);
    args.strict = true;
    iso_args_set(&args, "graph", a->graph);
    if (a->seed != NULL) {
        iso_args_set(&args, "seed", a->seed);
    }
    a->g = iso_graph_from_args(&args, &a->text);
}

static iso_graph graph_of(iso_pool *pool, const char *words, const char *seed) {
    asking a = {.pool = pool, .graph = words, .seed = seed};
    if (iso_guard(&env, ask_graph, &a) != ISOLAB_OK) {
        bail_out("%s: %s", words, env.error.message);
    }
    return a.g;
}

#define ANY UINT64_MAX

/* What the literature says about each family. */
static const struct {
    const char *graph;
    uint64_t n, edges, triangles, four_cycles, odd_girth, degree; /* degree ANY: not regular */
} known[] = {
    {"bipartite 31", 31, ANY, 0, ANY, 0, ANY},
    {"planted 31", 31, ANY, 1, ANY, 3, ANY},
    {"tripartite 15", 15, 75, 125, ANY, 3, 10},
    {"tripartite-free 60 .4", 60, ANY, 0, ANY, ANY, ANY},
    {"c5 20", 20, 80, 0, ANY, 5, 8},
    {"andrasfai 20", 20, 70, 0, ANY, 5, 7},
    {"andrasfai 8", 8, 12, 0, 4, 5, 3}, /* the Wagner graph: a Moebius ladder of four squares */
    {"alon 2", 64, 64, 0, ANY, ANY, 2},
    {"alon 4", 4096, 4096 * 56 / 2, 0, ANY, 5, 56},
    {"plane 2", 14, 21, 0, 0, 0, 3}, /* Heawood */
    {"plane 3", 26, 52, 0, 0, 0, 4},
    {"plane 4", 42, 105, 0, 0, 0, 5},
    {"plane 9", 182, 910, 0, 0, 0, 10},
    {"polarity 2", 7, 9, 1, 0, 3, ANY},
    {"polarity 3", 13, 24, 4, 0, 3, ANY},
    {"polarity 4", 21, 50, 10, 0, 3, ANY},
    {"polarity 8", 73, 324, 84, 0, 3, ANY},
    {"polarity 9", 91, 450, 120, 0, 3, ANY},
    {"sidon 5", 25, 60, 10, 0, 3, ANY},
    {"sidon 9", 81, 360, 84, 0, 3, ANY},
    {"mycielski 4", 11, 20, 0, ANY, 5, ANY}, /* Groetzsch */
    {"mycielski 5", 23, 71, 0, ANY, 5, ANY},
    {"kneser 2", 10, 15, 0, 0, 5, 3}, /* Petersen */
    {"kneser 3", 56, 280, 0, ANY, 5, 10},
    {"c5 100 plant 1", 100, ANY, 1, ANY, 3, ANY},
    {"c5 100 plant 9", 100, ANY, 9, ANY, 3, ANY},
    {"andrasfai 101 plant 4", 101, ANY, 4, ANY, 3, ANY},
    {"alon 2 plant 1", 64, ANY, 1, ANY, 3, ANY},
    {"plane 4 plant 3", 42, ANY, 3, ANY, 3, ANY},
    {"tripartite 30 removetriangles", 30, ANY, 0, ANY, ANY, ANY},
    {"gnp 60 .3 removetriangles plant 2", 60, ANY, 2, ANY, 3, ANY},
    {"kneser 2 addedges 4", 10, 19, ANY, ANY, ANY, ANY},
    {"gnp 10 0 addedges 45", 10, 45, 120, 630, 3, 9}, /* the complete graph: 3 C(10, 4) 4-cycles */
    {"alon 4 sample 100", 100, ANY, 0, ANY, ANY, ANY},
    {"kneser 2 sample 10", 10, 15, 0, 0, 5, 3},
};

static void families(void) {
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        iso_graph g = graph_of(&pool, known[i].graph, NULL);
        bool large = g.n > 1000;
        iso_graph_facts f = iso_graph_facts_of(&g, &pool);
        again c = {.least = UINT64_MAX};
        if (!large) {
            c = count_again(&g, &pool);
        }
        uint64_t least = UINT64_MAX, most = 0;
        for (uint32_t a = 0; a < g.n; a++) {
            least = degree(&g, a) < least ? degree(&g, a) : least;
            most = degree(&g, a) > most ? degree(&g, a) : most;
        }
        mpz_t traced;
        mpz_init(traced);
        iso_graph_trace(&g, &pool, traced);
        double counted = iso_graph_igraph_triangles(&g, &pool);
        ok((large || same(&f, &c)) && mpz_cmp_d(traced, (double)f.triangles) == 0 && counted == (double)f.triangles &&
               g.n == known[i].n && (known[i].edges == ANY || f.edges == known[i].edges) &&
               (known[i].triangles == ANY || f.triangles == known[i].triangles) &&
               (known[i].four_cycles == ANY || f.four_cycles == known[i].four_cycles) &&
               (known[i].odd_girth == ANY || f.odd_girth == known[i].odd_girth) &&
               (known[i].degree == ANY || (least == known[i].degree && most == known[i].degree)),
           "%s: %u nodes, %llu edges, %llu triangles, %llu 4-cycles, odd girth %u, degrees %llu to %llu",
           known[i].graph, g.n, (unsigned long long)f.edges, (unsigned long long)f.triangles,
           (unsigned long long)f.four_cycles, f.odd_girth, (unsigned long long)least, (unsigned long long)most);
        mpz_clear(traced);
        iso_pool_free(&pool);
    }
}

/* Every edge is in exactly one triangle, counted edge by edge. */
static void behrend(void) {
    for (unsigned nodes = 3; nodes <= 600; nodes = nodes * 3 + 1) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        char words[32];
        snprintf(words, sizeof words, "behrend %u", nodes);
        iso_graph g = graph_of(&pool, words, NULL);
        uint64_t wrong = 0;
        for (uint32_t a = 0; a < g.n; a++) {
            for (uint64_t i = g.first[a]; i < g.first[a + 1]; i++) {
                unsigned common = 0;
                for (uint64_t j = g.first[a]; j < g.first[a + 1]; j++) {
                    common += g.to[j] != g.to[i] && iso_graph_has(&g, g.to[i], g.to[j]);
                }
                wrong += common != 1;
            }
        }
        ok(wrong == 0 && g.first[g.n] > 0, "%s: each of %llu edges is in one triangle", words,
           (unsigned long long)g.first[g.n] / 2);
        iso_pool_free(&pool);
    }
}

/* ---- random graphs ---- */

static iso_graph random_graph(iso_pool *pool, iso_rng *rng) {
    iso_edges e = {.pool = pool};
    uint32_t n = 1 + (uint32_t)iso_random_below(rng, 30);
    uint64_t m = iso_random_below(rng, iso_random_below(rng, 2) ? 3 * n : (uint64_t)n * n / 2 + 1);
    for (uint64_t i = 0; i < m; i++) {
        iso_edges_add(&e, (uint32_t)iso_random_below(rng, n), (uint32_t)iso_random_below(rng, n));
    }
    return iso_graph_of_edges(&e, n);
}

typedef struct planting {
    iso_pool *pool;
    iso_graph g;
    uint64_t triangles;
    iso_rng *rng;
} planting;

static void plant(void *arg) {
    planting *p = arg;
    p->g = iso_graph_plant(p->pool, p->g, p->triangles, p->rng);
}

static void random_graphs(uint64_t seed) {
    iso_rng rng = {seed};
    uint64_t wrong = 0, not_free = 0, not_most = 0, planted = 0, full = 0, wrong_plant = 0, n = quick ? 300 : 3000;
    for (uint64_t round = 0; round < n; round++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        iso_graph g = random_graph(&pool, &rng), before = g;
        iso_graph_facts f = iso_graph_facts_of(&g, &pool);
        again c = count_again(&g, &pool);
        wrong += !same(&f, &c);
        iso_edges copy = iso_graph_edges(&pool, &g);
        before = iso_graph_of_edges(&copy, g.n);
        g = iso_graph_remove_triangles(&pool, g, &rng);
        again free_of = count_again(&g, &pool);
        not_free += free_of.triangles != 0;
        for (uint32_t a = 0; a < g.n; a++) { /* each removed edge would close a triangle, and no edge is new */
            for (uint32_t b = 0; b < a; b++) {
                bool was = iso_graph_has(&before, a, b), is = iso_graph_has(&g, a, b), closes = false;
                for (uint32_t x = 0; x < g.n; x++) {
                    closes |= iso_graph_has(&g, a, x) && iso_graph_has(&g, x, b);
                }
                not_most += was ? !is && !closes : is;
            }
        }
        planting p = {&pool, g, 1 + iso_random_below(&rng, 4), &rng};
        if (iso_guard(&env, plant, &p) == ISOLAB_OK) {
            planted++;
            wrong_plant += count_again(&p.g, &pool).triangles != p.triangles;
        } else {
            full++;
        }
        iso_pool_free(&pool);
    }
    cmp_ok(wrong, "==", 0, "the facts of %llu random graphs are right", (unsigned long long)n);
    cmp_ok(not_free, "==", 0, "removetriangles leaves none");
    cmp_ok(not_most, "==", 0, "and removes only edges that would close one");
    ok(wrong_plant == 0 && planted > n / 3 && full > 0,
       "plant makes as many triangles as it says (%llu graphs; no room in %llu)", (unsigned long long)planted,
       (unsigned long long)full);
}

/* ---- fields ---- */

static void fields(void) {
    static const bool prime_power[33] = {
        [2] = 1,  [3] = 1,  [4] = 1,  [5] = 1,  [7] = 1,  [8] = 1,  [9] = 1,  [11] = 1, [13] = 1,
        [16] = 1, [17] = 1, [19] = 1, [23] = 1, [25] = 1, [27] = 1, [29] = 1, [31] = 1, [32] = 1};
    for (uint32_t q = 0; q <= 32; q++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        iso_field f;
        bool made = iso_field_make(&pool, q, &f);
        uint64_t wrong = made != prime_power[q];
        for (uint32_t a = 0; made && a < q; a++) {
            wrong += iso_field_add(&f, a, 0) != a || iso_field_times(&f, a, 1) != a;
            wrong += iso_field_add(&f, a, iso_field_negative(&f, a)) != 0;
            for (uint32_t b = 0; b < q; b++) {
                wrong += iso_field_add(&f, a, b) != iso_field_add(&f, b, a);
                wrong += iso_field_times(&f, a, b) != iso_field_times(&f, b, a);
                wrong += (iso_field_times(&f, a, b) == 0) != (a == 0 || b == 0);
                wrong += b != 0 && iso_field_times(&f, iso_field_over(&f, a, b), b) != a;
                for (uint32_t c = 0; c < q; c++) {
                    wrong += iso_field_times(&f, a, iso_field_add(&f, b, c)) !=
                             iso_field_add(&f, iso_field_times(&f, a, b), iso_field_times(&f, a, c));
                    wrong += iso_field_times(&f, a, iso_field_times(&f, b, c)) !=
                             iso_field_times(&f, iso_field_times(&f, a, b), c);
                }
            }
        }
        ok(wrong == 0, "%u elements: %s", q, made ? "a field" : "no field");
        iso_pool_free(&pool);
    }
}

static void messages(void) {
    static const char *const bad[][2] = {
        {"foo", "there is no family and no file"},
        {"gnp x", "expected a number, plant"},
        {"gnp 10 2", "from 0 to 1, found \"2\", for p of gnp"},
        {"gnp 10 .5 7", "family gnp takes nodes p"},
        {"gnp 10 .5 plant", "expected a number of triangles, found the end"},
        {"gnp 10 .5 plant x", "expected a number of triangles, found \"x\""},
        {"gnp 10 .5 save", "expected the name of a file"},
        {"gnp 10 1 plant 1", "put removetriangles before it"},
        {"c5 5 plant 9", "has room for"},
        {"gnp 3 1 addedges 1", "has room for 0 edges"},
        {"c5 5 sample 6", "has 5 nodes"},
        {"alon 3", "expected 2, 4 or 5"},
        {"plane 6", "a power of a prime"},
        {"sidon 8", "an odd k"},
        {"mycielski 21", "k up to 20"},
        {"kneser 7", "k up to 6"},
        {"planted 3", "at least 4 nodes"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        asking a = {.pool = &pool, .graph = bad[i][0]};
        int code = iso_guard(&env, ask_graph, &a);
        ok(code == ISOLAB_E_USAGE && strstr(env.error.message, bad[i][1]) != NULL, "%s: %s", bad[i][0],
           code == ISOLAB_OK ? "accepted" : env.error.message);
        iso_pool_free(&pool);
    }
}

/* The same words and seed give the same graph; another seed another one. */
static void seeds(void) {
    static const char *const words[] = {"gnp 60 .3", "c5 60 plant 2", "alon 2 sample 40", "kneser 3 addedges 5",
                                        "tripartite-free 50 .5"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        iso_graph one = graph_of(&pool, words[i], "7"), two = graph_of(&pool, words[i], "7"),
                  other = graph_of(&pool, words[i], "8");
        size_t n = one.first[one.n] * sizeof *one.to;
        ok(one.first[one.n] == two.first[two.n] && memcmp(one.to, two.to, n) == 0 &&
               (one.first[one.n] != other.first[other.n] || memcmp(one.to, other.to, n) != 0),
           "%s: the seed decides", words[i]);
        iso_pool_free(&pool);
    }
}

int main(void) {
    uint64_t seed = seed_of_run();
    diag("ISOLAB_SEED=%llu", (unsigned long long)seed);
    quick = getenv("ISOLAB_QUICK") != NULL;
    iso_env_init(&env);
    iso_install_handlers();
    fields();
    families();
    behrend();
    random_graphs(seed);
    messages();
    seeds();
    done_testing();
    return exit_status();
}
