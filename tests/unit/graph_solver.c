/* Tests graph/solver.h. The solver against CaDiCaL: random and pigeonhole formulas, clauses added between calls, and
 * the theory of acyclicity against the plain encoding of an order. Every learnt clause must follow from the formula. */
#include "base/random.h"
#include "graph/solver.h"

#include <stdlib.h>

#include "tests/tap.h"
#include "tests/twin.h"

static iso_env env;
static bool quick;

/* Random 3-SAT around the threshold, clauses in three portions with a call of solve after each. */
static void random_formulas(uint64_t seed, int rounds, uint32_t most_vars, bool check) {
    int wrong = 0, models = 0, sat = 0;
    uint64_t lemmas = 0, bad_lemmas = 0, conflicts = 0;
    iso_rng rng = {seed};
    for (int r = 0; r < rounds; r++) {
        twin t;
        uint32_t vars = 5 + (uint32_t)iso_random_below(&rng, most_vars), n = vars * 43 / 10;
        twin_begin(&t, &env, vars, check);
        for (uint32_t i = 0; i < n; i++) {
            twin_random_clause(&t, &rng, 3);
            if (i == n / 2 || i == n / 4 * 3 || i == n - 1) {
                iso_solver_answer expected = twin_expected(&t), got = twin_solve(&t);
                wrong += got != expected || (!t.open && got == ISO_SOLVER_SAT);
                if (got == ISO_SOLVER_SAT) {
                    sat++;
                    models += twin_unmet(&t) > 0;
                }
            }
        }
        lemmas += t.learnt;
        bad_lemmas += t.wrong;
        conflicts += iso_solver_counters(t.s).conflicts;
        twin_end(&t);
    }
    diag("seed %llu: %d formulas, %d satisfiable stages, %llu conflicts, %llu lemmas checked", (unsigned long long)seed,
         rounds, sat, (unsigned long long)conflicts, (unsigned long long)lemmas);
    ok(wrong == 0, "random 3-SAT up to %u variables: answers agree with CaDiCaL", most_vars + 4);
    ok(models == 0, "every model satisfies its formula");
    ok(bad_lemmas == 0, "every learnt clause follows from the formula");
}

static void pigeons(uint32_t holes, bool one_less) {
    twin t;
    uint32_t n = one_less ? holes : holes + 1;
    twin_begin(&t, &env, n * holes, holes < 6);
    iso_lit l[16];
    for (uint32_t p = 0; p < n; p++) {
        for (uint32_t h = 0; h < holes; h++) {
            l[h] = iso_lit_of(p * holes + h, false);
        }
        twin_clause(&t, l, holes);
    }
    for (uint32_t h = 0; h < holes; h++) {
        for (uint32_t p = 0; p < n; p++) {
            for (uint32_t q = 0; q < p; q++) {
                iso_lit pair[2] = {iso_lit_of(p * holes + h, true), iso_lit_of(q * holes + h, true)};
                twin_clause(&t, pair, 2);
            }
        }
    }
    iso_solver_answer expected = one_less ? ISO_SOLVER_SAT : ISO_SOLVER_UNSAT;
    bool right = iso_solver_solve(t.s, 0) == expected && t.wrong == 0;
    ok(right, "%u pigeons in %u holes (%llu conflicts)", n, holes,
       (unsigned long long)iso_solver_counters(t.s).conflicts);
    twin_end(&t);
}

/* Many conflicts, so that learnt clauses are dropped, and limits on conflicts. */
static void long_search(void) {
    twin t;
    iso_rng rng = {98};
    uint32_t vars = 220;
    twin_begin(&t, &env, vars, false);
    for (uint32_t i = 0; i < vars * 45 / 10; i++) {
        twin_random_clause(&t, &rng, 3);
    }
    int calls = 0;
    iso_solver_answer got;
    while ((got = iso_solver_solve(t.s, 500)) == ISO_SOLVER_UNKNOWN && calls < 1000) {
        calls++;
    }
    iso_solver_counts c = iso_solver_counters(t.s);
    ok(got == twin_expected(&t), "an answer in portions of 500 conflicts (%d portions, %llu clauses dropped)", calls,
       (unsigned long long)c.deleted);
    twin_end(&t);
}

/* Random graphs whose arcs carry literals, with random clauses on these. */
static void random_graphs(uint64_t seed, int rounds, uint32_t most_vertices, bool imply) {
    int wrong = 0, sat = 0, bad_order = 0, known = 0;
    uint64_t lemmas = 0, bad_lemmas = 0, cycles = 0, implied = 0;
    iso_rng rng = {seed};
    for (int r = 0; r < rounds; r++) {
        twin t;
        uint32_t n = 2 + (uint32_t)iso_random_below(&rng, most_vertices);
        twin_begin(&t, &env, 1 + (uint32_t)iso_random_below(&rng, 3 * n), true);
        twin_graph(&t, n, imply, iso_random_below(&rng, 2));
        bool open = true;
        for (int portion = 0; portion < 2 && open; portion++) {
            twin_random_portion(&t, &rng);
            iso_solver_answer expected = twin_expected(&t), got = twin_solve(&t);
            open = got == ISO_SOLVER_SAT;
            known += t.cyclic;
            wrong += got != expected;
            sat += open;
            bad_order += open && twin_backward(&t) > 0; /* the order of a model has all its arcs */
        }
        lemmas += t.learnt;
        bad_lemmas += t.wrong;
        cycles += iso_acyclic_counters(t.g).cycles;
        implied += iso_acyclic_counters(t.g).implied;
        twin_end(&t);
    }
    diag("seed %llu: %d graphs, %d satisfiable, %d cyclic at once, %llu cycles, %llu implied, %llu lemmas",
         (unsigned long long)seed, rounds, sat, known, (unsigned long long)cycles, (unsigned long long)implied,
         (unsigned long long)lemmas);
    ok(wrong == 0, "random graphs up to %u vertices%s: answers agree with an encoded order", most_vertices + 1,
       imply ? " with implied literals" : "");
    ok(bad_order == 0, "the order of a model contains its arcs");
    ok(bad_lemmas == 0, "every learnt clause follows from the encoded order");
}

/* Start and commit vertices: acyclic if and only if (D ; RW?) is, by closure of the relation. */
static void induced(uint64_t seed, int rounds) {
    int wrong = 0, cyclic = 0;
    iso_rng rng = {seed};
    for (int r = 0; r < rounds; r++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        enum { MOST = 7 };
        uint32_t n = 2 + (uint32_t)iso_random_below(&rng, MOST - 1);
        bool reach[MOST][MOST] = {{false}}, d[MOST][MOST] = {{false}}, rw[MOST][MOST] = {{false}};
        iso_acyclic *g = iso_acyclic_new(&pool, NULL, 2 * n);
        iso_arc arc = {0, 0, ISO_LIT_TRUE, ISO_LIT_TRUE, 0};
        for (uint32_t v = 0; v < n; v++) {
            arc.from = 2 * v;
            arc.to = 2 * v + 1;
            iso_acyclic_arc(g, arc);
        }
        for (uint32_t i = 0; i < n + iso_random_below(&rng, n); i++) {
            uint32_t u = (uint32_t)iso_random_below(&rng, n), v = (uint32_t)iso_random_below(&rng, n);
            bool dependency = iso_random_below(&rng, 2);
            if (u == v) {
                continue;
            }
            (dependency ? d : rw)[u][v] = true;
            arc.from = dependency ? 2 * u + 1 : 2 * u;
            arc.to = dependency ? 2 * v : 2 * v + 1;
            iso_acyclic_arc(g, arc);
        }
        for (uint32_t u = 0; u < n; u++) {
            for (uint32_t v = 0; v < n; v++) {
                for (uint32_t w = 0; w < n && d[u][v]; w++) {
                    reach[u][v] = true;
                    reach[u][w] |= rw[v][w];
                }
            }
        }
        bool cycle = false;
        for (uint32_t k = 0; k < n; k++) {
            for (uint32_t u = 0; u < n; u++) {
                for (uint32_t v = 0; v < n; v++) {
                    reach[u][v] |= reach[u][k] && reach[k][v];
                }
            }
        }
        for (uint32_t v = 0; v < n; v++) {
            cycle |= reach[v][v];
        }
        cyclic += cycle;
        wrong += iso_acyclic_ready(g) == cycle;
        iso_pool_free(&pool);
    }
    ok(wrong == 0 && cyclic > 0 && cyclic < rounds,
       "start and commit vertices are acyclic where D;RW? is (seed %llu, %d of %d cyclic)", (unsigned long long)seed,
       cyclic, rounds);
}

int main(void) {
    plan(NO_PLAN);
    iso_env_init(&env);
    quick = getenv("ISOLAB_QUICK") != NULL;
    int factor = quick ? 1 : getenv("ISOLAB_DEEP") != NULL ? 40 : 5;
    random_formulas(1, 200 * factor, 20, true);
    random_formulas(2, 10 * factor, 110, false);
    for (uint32_t holes = 2; holes <= (quick ? 6 : 8); holes++) {
        pigeons(holes, false);
    }
    pigeons(8, true);
    long_search();
    random_graphs(3, 400 * factor, 8, true);
    random_graphs(4, 400 * factor, 8, false);
    random_graphs(5, 30 * factor, 16, true);
    induced(6, 2000 * factor);
    ok(env.limits->used == 0, "all memory is given back");
    return done_testing();
}
