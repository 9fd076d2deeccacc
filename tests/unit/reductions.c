/* Tests reductions/. The reductions against other people's answers: triangles as igraph and the trace of the cube count
 * them, satisfiability as CaDiCaL says, memory traces as a search over interleavings says. Every checker that can take
 * a history is asked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "graph/handlers.h"
#include "reductions/reduction.h"
#include "reductions/replay.h"
#include "reductions/sat.h"
#include "reductions/triangle.h"
#include "reductions/vsc.h"
#include "tests/reductions.h"
#include "tests/tap.h"

/* Larger histories take these checkers too long. */
static const score nothing = {.most_brute = 8, .most_sat = 40};

static iso_env env;
static bool quick;

/* All constructions and levels of one graph. */
static void ask_graph(const iso_graph *g, score *s, bool *counts_agree) {
    iso_pool pool;
    iso_pool_init(&pool, &env);
    mpz_t traced;
    mpz_init(traced);
    iso_graph_trace(g, &pool, traced);
    double counted = iso_graph_igraph_triangles(g, &pool);
    uint32_t triangle[3];
    bool has = iso_graph_triangle(g, &pool, triangle);
    *counts_agree = *counts_agree && mpz_cmp_d(traced, counted) == 0 && has == (counted > 0);
    if (has) {
        *counts_agree = *counts_agree && iso_graph_has(g, triangle[0], triangle[1]) &&
                        iso_graph_has(g, triangle[1], triangle[2]) && iso_graph_has(g, triangle[0], triangle[2]);
    }
    mpz_clear(traced);
    static const struct {
        iso_construction construction;
        iso_level level;
    } ways[] = {{ISO_TRIANGLE_GENERAL, ISO_RC},
                {ISO_TRIANGLE_GENERAL, ISO_RA},
                {ISO_TRIANGLE_GENERAL, ISO_CC},
                {ISO_TRIANGLE_RA2, ISO_RA},
                {ISO_TRIANGLE_RC1, ISO_RC}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        iso_builder *b = iso_builder_new(&pool);
        iso_triangle_build(&pool, g, ways[i].construction, b);
        isolab_history *h = iso_builder_finish(b);
        uint64_t m = g->first[g->n] / 2;
        uint32_t nodes = 0;
        for (uint32_t a = 0; a < g->n; a++) {
            nodes += g->first[a] < g->first[a + 1];
        }
        uint64_t expected = (ways[i].construction == ISO_TRIANGLE_RA2 ? 4 : 8) * m + nodes;
        if (h->n_ops != expected || !h->unique) {
            s->wrong++;
            diag("the history has %u operations instead of %llu", h->n_ops, (unsigned long long)expected);
        }
        ask(&pool, h, ways[i].level, counted == 0, s);
    }
    iso_pool_free(&pool);
}

static void triangles(void) {
    bool agree = true;
    score all = nothing, random = nothing;
    unsigned n = quick ? 4 : 5, pairs = n * (n - 1) / 2;
    for (unsigned graph = 0; graph < 1u << pairs; graph++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        iso_edges e = {.pool = &pool};
        unsigned bit = 0;
        for (uint32_t a = 0; a < n; a++) {
            for (uint32_t b = 0; b < a; b++, bit++) {
                if (graph >> bit & 1) {
                    iso_edges_add(&e, b, a);
                    iso_edges_add(&e, a, b); /* twice: the graph stays simple */
                }
            }
        }
        iso_graph g = iso_graph_of_edges(&e, n);
        ask_graph(&g, &all, &agree);
        iso_pool_free(&pool);
    }
    report(&all, "all small graphs");
    iso_rng rng = {20260101};
    for (uint64_t round = 0; round < iso_agree_rounds(20, 200, 5000); round++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        iso_edges e = {.pool = &pool};
        n = 6 + (unsigned)iso_random_below(&rng, 20);
        uint64_t m = iso_random_below(&rng, 3 * n);
        for (uint64_t i = 0; i < m; i++) {
            iso_edges_add(&e, (uint32_t)iso_random_below(&rng, n), (uint32_t)iso_random_below(&rng, n));
        }
        iso_graph g = iso_graph_of_edges(&e, n);
        ask_graph(&g, &random, &agree);
        iso_pool_free(&pool);
    }
    report(&random, "random graphs");
    ok(agree, "triangles counted by igraph, by the trace of the cube and by search agree");
}

/* What a family is known for. */
static void families(void) {
    static const struct {
        const char *family, *nodes, *k;
        double triangles; /* -1: any number */
        uint32_t n;       /* 0: as given */
        uint64_t edges;   /* 0: any */
    } known[] = {
        {"bipartite", "31", "3", 0, 31, 0},     {"planted", "31", "3", 1, 31, 0},   {"planted", "4", "3", 1, 4, 0},
        {"tripartite", "15", "3", 125, 15, 75}, {"c5", "20", "3", 0, 20, 80},       {"andrasfai", "20", "3", 0, 20, 70},
        {"mycielski", "0", "4", 0, 11, 20},     {"mycielski", "0", "5", 0, 23, 71}, {"kneser", "0", "2", 0, 10, 15},
        {"kneser", "0", "3", 0, 56, 280},       {"regular", "30", "3", -1, 30, 0},  {"power-law", "30", "3", -1, 30, 0},
        {"gnp", "30", "3", -1, 30, 0},
    };
    const iso_reduction *reduction = iso_reduction_find("triangle");
    bool agree = true;
    score s = nothing;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        for (int seed = 1; seed <= 3; seed++) {
            iso_pool pool;
            iso_pool_init(&pool, &env);
            iso_args args;
            char text[16];
            snprintf(text, sizeof text, "%d", seed);
            iso_reduction_args(reduction, &pool, &args);
            iso_args_set(&args, "family", known[i].family);
            iso_args_set(&args, "nodes", known[i].nodes);
            iso_args_set(&args, "k", known[i].k);
            iso_args_set(&args, "seed", text);
            iso_graph g = iso_graph_from_args(&args, NULL);
            double counted = iso_graph_igraph_triangles(&g, &pool);
            ok(g.n == known[i].n && (known[i].edges == 0 || g.first[g.n] == 2 * known[i].edges) &&
                   (known[i].triangles < 0 || counted == known[i].triangles),
               "%s: %u nodes, %llu edges, %.0f triangles", known[i].family, g.n, (unsigned long long)(g.first[g.n] / 2),
               counted);
            ask_graph(&g, &s, &agree);
            iso_pool_free(&pool);
        }
    }
    report(&s, "families");
}

static isolab_history *sat_history(iso_pool *pool, const iso_cnf *f, iso_cnf_construction construction,
                                   iso_cnf_txns *txns) {
    iso_builder *b = iso_builder_new(pool);
    *txns = iso_cnf_build(pool, f, construction, b);
    return iso_builder_finish(b);
}

/* At most two reads and two writes, and every write after a read of its key. */
static bool is_mini(const isolab_history *h) {
    for (uint32_t t = 0; t < h->n_txns; t++) {
        unsigned reads = 0, writes = 0;
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++) {
            bool write = iso_is_write(h->op_kind[op]), before = false;
            reads += !write;
            writes += write;
            for (uint32_t r = h->txn_op[t]; r < op; r++) {
                before = before || (!iso_is_write(h->op_kind[r]) && h->op_key[r] == h->op_key[op]);
            }
            if (write && !before) {
                return false;
            }
        }
        if (reads > 2 || writes > 2) {
            return false;
        }
    }
    return true;
}

static void formulas(void) {
    static const struct {
        iso_cnf_construction construction;
        iso_level level;
        const char *what;
    } ways[] = {{ISO_SAT_UNIQUE, ISO_SI, "formulas as si, unique values"},
                {ISO_SAT_UNIQUE, ISO_SER, "formulas as ser, unique values"},
                {ISO_SAT_UNIQUE, ISO_PC, "formulas as pc, unique values"},
                {ISO_SAT_MINI, ISO_SI, "formulas as si, mini-transactions"},
                {ISO_SAT_MINI, ISO_SER, "formulas as ser, mini-transactions"}};
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        score s = nothing;
        iso_rng rng = {77 + w};
        uint64_t bad_shape = 0, bad_order = 0, orders = 0, bad_back = 0, back = 0,
                 n = iso_agree_rounds(40, 1000, 20000);
        for (uint64_t round = 0; round < n; round++) {
            iso_pool pool;
            iso_pool_init(&pool, &env);
            uint32_t vars = 1 + (uint32_t)iso_random_below(&rng, 4), width = 1 + (uint32_t)iso_random_below(&rng, 3);
            uint32_t clauses = (uint32_t)iso_random_below(&rng, width == 1 ? 5 : width == 2 ? 12 : 24);
            iso_cnf f = iso_cnf_random(&pool, vars, clauses, width, &rng);
            bool *value = ISO_ZNEW(&pool, bool, vars + 1);
            bool satisfiable = iso_cnf_solve(&env, &f, value);
            iso_cnf_txns txns;
            isolab_history *h = sat_history(&pool, &f, ways[w].construction, &txns);
            bool mini = ways[w].construction == ISO_SAT_MINI;
            bad_shape += mini ? !is_mini(h) : !h->unique;
            ask(&pool, h, ways[w].level, satisfiable, &s);
            if (satisfiable) {
                uint32_t *order = ISO_NEW(&pool, uint32_t, h->n_txns);
                uint32_t placed = iso_cnf_order(&f, &txns, &pool, value, order);
                orders++;
                bad_order += !iso_replay(h, &pool, order, placed, false);
            }
            iso_question question = {.level = ways[w].level, .certificate = true};
            const iso_checker *c = iso_checker_auto(h, &question);
            iso_result result;
            iso_result_init(&result, &pool);
            if (c != NULL) {
                iso_check(c, h, &question, &result);
            }
            if (c != NULL && result.verdict == ISOLAB_SATISFIED && result.n_order == h->n_txns) {
                iso_cnf_assignment(&f, &txns, &pool, result.order, result.n_order, value);
                back++;
                bad_back += !iso_cnf_holds(&f, value);
            }
            iso_pool_free(&pool);
        }
        report(&s, ways[w].what);
        cmp_ok(bad_shape, "==", 0, "the histories are of the kind promised");
        ok(bad_order == 0 && orders > 0, "%llu assignments give serial orders", (unsigned long long)orders);
        ok(bad_back == 0 && back > 0, "%llu commit orders give satisfying assignments", (unsigned long long)back);
    }
}

/* The construction as it is printed loses the tie between occurrences and variables: x and not x. */
static void printed(void) {
    iso_pool pool;
    iso_pool_init(&pool, &env);
    uint32_t first[] = {0, 1, 2};
    int32_t literal[] = {1, -1};
    iso_cnf f = {1, 2, 2, first, literal};
    bool value[2];
    ok(!iso_cnf_solve(&env, &f, value), "x and not x cannot be satisfied");
    iso_cnf_txns txns;
    isolab_history *h = sat_history(&pool, &f, ISO_SAT_PRINTED, &txns);
    score s = nothing;
    ok(is_mini(h), "theorem 11 as printed makes mini-transactions");
    const iso_checker *brute = iso_checker_find("brute");
    iso_result result;
    iso_result_init(&result, &pool);
    iso_check(brute, h, &(iso_question){.level = ISO_SI}, &result);
    cmp_ok(result.verdict, "==", ISOLAB_SATISFIED, "and a history that satisfies si nevertheless");
    h = sat_history(&pool, &f, ISO_SAT_MINI, &txns);
    ask(&pool, h, ISO_SI, false, &s);
    ok(s.wrong == 0 && s.violated > 0, "ours violates si");
    iso_pool_free(&pool);
}

static void traces(bool updates) {
    for (int lin = 0; lin < 2; lin++) {
        score s = nothing;
        iso_rng rng = {5 + (uint64_t)lin};
        for (uint64_t round = 0; round < iso_agree_rounds(40, 1000, 20000); round++) {
            iso_pool pool;
            iso_pool_init(&pool, &env);
            iso_trace_shape shape = {1 + (uint32_t)iso_random_below(&rng, 4),
                                     1 + (uint32_t)iso_random_below(&rng, 5),
                                     1 + (uint32_t)iso_random_below(&rng, 3),
                                     1 + (uint32_t)iso_random_below(&rng, 3),
                                     updates ? 0.2 : 0.6,
                                     updates,
                                     updates ? 0.2 : 0.8};
            iso_trace_ops t = iso_trace_random(&pool, &shape, &rng);
            if (round % 2 == 1) { /* some operation sees or stores something else */
                t.op[iso_random_below(&rng, t.n_ops)].value = (int64_t)iso_random_below(&rng, 3);
            }
            int expected = iso_trace_search(&t, lin, &pool, NULL);
            iso_builder *b = iso_builder_new(&pool);
            iso_trace_build(&t, lin, &env, b);
            ask(&pool, iso_builder_finish(b), lin ? ISO_SSER : ISO_SER, expected == 1, &s);
            iso_pool_free(&pool);
        }
        report(&s, updates ? (lin ? "updates as linearizability" : "updates as sequential consistency")
                   : lin   ? "traces as linearizability"
                           : "traces as sequential consistency");
    }
}

static void products(void) {
    const iso_reduction *bmm = iso_reduction_find("bmm");
    static const char *const constructions[] = {"general", "ra2", "rc1"};
    for (int i = 0; i < 3; i++) {
        for (int size = 1; size <= (quick ? 5 : 9); size += 2) {
            iso_pool pool;
            iso_pool_init(&pool, &env);
            iso_args args;
            iso_reduce r = {.args = &args, .pool = &pool, .checker = "auto"};
            char text[16];
            snprintf(text, sizeof text, "%d", size);
            iso_reduction_args(bmm, &pool, &args);
            iso_args_set(&args, "construction", constructions[i]);
            iso_args_set(&args, "size", text);
            FILE *out = fopen("/dev/null", "w");
            ok(bmm->compute(&r, out), "a product of %d rows by %s equals the direct one", size, constructions[i]);
            fclose(out);
            iso_pool_free(&pool);
        }
    }
}

int main(void) {
    quick = getenv("ISOLAB_QUICK") != NULL;
    iso_env_init(&env);
    iso_install_handlers();
    triangles();
    families();
    formulas();
    printed();
    traces(false);
    traces(true);
    products();
    done_testing();
    return exit_status();
}
