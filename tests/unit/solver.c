/* The solver against CaDiCaL: random and pigeonhole formulas, clauses added between calls, and the theory of
 * acyclicity against the plain encoding of an order. Every learnt clause must follow from the formula. */
#include "graph/solver.h"

#include <ccadical.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "graph/acyclic.h"
#include "tests/tap.h"

static iso_env env;
static bool quick;

/* CaDiCaL beside the solver: the same variables (numbered from 1), and order variables behind them. */
typedef struct twin {
    iso_pool pool;
    iso_solver *s;
    CCaDiCaL *c;
    uint64_t learnt, wrong;
    bool check; /* every learnt clause */
} twin;

static int dimacs(iso_lit l) { return l & 1 ? -(int)(l >> 1) - 1 : (int)(l >> 1) + 1; }

static void on_log(void *arg, iso_log_kind kind, const iso_lit *l, uint32_t n) {
    twin *t = arg;
    if (kind == ISO_LOG_LEARNT && t->check) {
        t->learnt++;
        for (uint32_t i = 0; i < n; i++) {
            ccadical_assume(t->c, -dimacs(l[i]));
        }
        t->wrong += ccadical_solve(t->c) != 20;
    }
}

static void begin(twin *t) {
    *t = (twin){.check = true};
    iso_pool_init(&t->pool, &env);
    t->s = iso_solver_new(&t->pool);
    t->c = ccadical_init();
    ccadical_set_option(t->c, "quiet", 1);
    iso_solver_log(t->s, on_log, t);
}

static void end(twin *t) {
    ccadical_release(t->c);
    iso_pool_free(&t->pool);
}

static bool clause(twin *t, const iso_lit *l, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        ccadical_add(t->c, dimacs(l[i]));
    }
    ccadical_add(t->c, 0);
    return iso_solver_clause(t->s, l, n);
}

static bool model_satisfies(const iso_solver *s, const iso_lit *clauses, uint32_t n, uint32_t width) {
    for (uint32_t i = 0; i < n; i++) {
        bool satisfied = false;
        for (uint32_t k = 0; k < width; k++) {
            satisfied |= iso_solver_value(s, clauses[i * width + k]) > 0;
        }
        if (!satisfied) {
            return false;
        }
    }
    return true;
}

/* Random 3-SAT around the threshold, clauses in three portions with a call of solve behind each. */
static void random_formulas(uint64_t seed, int rounds, uint32_t most_vars, bool check) {
    int wrong = 0, models = 0, sat = 0;
    uint64_t lemmas = 0, bad_lemmas = 0, conflicts = 0;
    iso_rng rng = {seed};
    for (int r = 0; r < rounds; r++) {
        twin t;
        begin(&t);
        t.check = check;
        uint32_t vars = 5 + (uint32_t)iso_random_below(&rng, most_vars), n = vars * 43 / 10;
        iso_lit *clauses = ISO_NEW(&t.pool, iso_lit, 3 * (size_t)n);
        for (uint32_t v = 0; v < vars; v++) {
            iso_solver_var(t.s);
        }
        bool open = true;
        for (uint32_t i = 0; i < n; i++) {
            for (int k = 0; k < 3; k++) {
                clauses[3 * i + (uint32_t)k] =
                    iso_lit_of((uint32_t)iso_random_below(&rng, vars), iso_random_below(&rng, 2));
            }
            open = clause(&t, clauses + 3 * (size_t)i, 3) && open;
            if (i == n / 2 || i == n / 4 * 3 || i == n - 1) {
                int expected = ccadical_solve(t.c);
                iso_solver_answer got = iso_solver_solve(t.s, 0);
                wrong += got != (expected == 10 ? ISO_SOLVER_SAT : ISO_SOLVER_UNSAT) ||
                         (!open && got == ISO_SOLVER_SAT);
                if (got == ISO_SOLVER_SAT) {
                    sat++;
                    models += !model_satisfies(t.s, clauses, i + 1, 3);
                }
            }
        }
        lemmas += t.learnt;
        bad_lemmas += t.wrong;
        conflicts += iso_solver_counters(t.s).conflicts;
        end(&t);
    }
    diag("seed %llu: %d formulas, %d satisfiable stages, %llu conflicts, %llu lemmas checked",
         (unsigned long long)seed, rounds, sat, (unsigned long long)conflicts, (unsigned long long)lemmas);
    ok(wrong == 0, "random 3-SAT up to %u variables: answers agree with CaDiCaL", most_vars + 4);
    ok(models == 0, "every model satisfies its formula");
    ok(bad_lemmas == 0, "every learnt clause follows from the formula");
}

static void pigeons(uint32_t holes, bool one_less) {
    twin t;
    begin(&t);
    uint32_t n = one_less ? holes : holes + 1;
    t.check = holes < 6;
    for (uint32_t v = 0; v < n * holes; v++) {
        iso_solver_var(t.s);
    }
    iso_lit l[16];
    for (uint32_t p = 0; p < n; p++) {
        for (uint32_t h = 0; h < holes; h++) {
            l[h] = iso_lit_of(p * holes + h, false);
        }
        clause(&t, l, holes);
    }
    for (uint32_t h = 0; h < holes; h++) {
        for (uint32_t p = 0; p < n; p++) {
            for (uint32_t q = 0; q < p; q++) {
                iso_lit pair[2] = {iso_lit_of(p * holes + h, true), iso_lit_of(q * holes + h, true)};
                clause(&t, pair, 2);
            }
        }
    }
    iso_solver_answer expected = one_less ? ISO_SOLVER_SAT : ISO_SOLVER_UNSAT;
    bool right = iso_solver_solve(t.s, 0) == expected && t.wrong == 0;
    ok(right, "%u pigeons in %u holes (%llu conflicts)", n, holes,
       (unsigned long long)iso_solver_counters(t.s).conflicts);
    end(&t);
}

/* Many conflicts, so that learnt clauses are dropped, and limits on conflicts. */
static void long_search(void) {
    twin t;
    begin(&t);
    t.check = false;
    iso_rng rng = {98};
    uint32_t vars = 220;
    for (uint32_t v = 0; v < vars; v++) {
        iso_solver_var(t.s);
    }
    for (uint32_t i = 0; i < vars * 45 / 10; i++) {
        iso_lit l[3];
        for (int k = 0; k < 3; k++) {
            l[k] = iso_lit_of((uint32_t)iso_random_below(&rng, vars), iso_random_below(&rng, 2));
        }
        clause(&t, l, 3);
    }
    int calls = 0;
    iso_solver_answer got;
    while ((got = iso_solver_solve(t.s, 500)) == ISO_SOLVER_OPEN && calls < 1000) {
        calls++;
    }
    iso_solver_counts c = iso_solver_counters(t.s);
    ok(got == (ccadical_solve(t.c) == 10 ? ISO_SOLVER_SAT : ISO_SOLVER_UNSAT),
       "an answer in portions of 500 conflicts (%d portions, %llu clauses dropped)", calls,
       (unsigned long long)c.deleted);
    end(&t);
}

/* Random graphs whose arcs carry literals, with random clauses on these. Beside it CaDiCaL has the order of all
 * pairs of vertices, transitive, and each arc's literals imply its order. */
static void random_graphs(uint64_t seed, int rounds, uint32_t most_vertices, bool imply) {
    int wrong = 0, sat = 0, bad_order = 0, known = 0;
    uint64_t lemmas = 0, bad_lemmas = 0, cycles = 0, implied = 0;
    iso_rng rng = {seed};
    for (int r = 0; r < rounds; r++) {
        twin t;
        begin(&t);
        uint32_t n = 2 + (uint32_t)iso_random_below(&rng, most_vertices);
        uint32_t vars = 1 + (uint32_t)iso_random_below(&rng, 3 * n);
        for (uint32_t v = 0; v < vars; v++) {
            iso_solver_var(t.s);
        }
        /* order variables u < v, u < v as numbers: vars + v (v - 1) / 2 + u + 1 */
#define ORDER(u, v)                                                                                     \
    ((u) < (v) ? (int)(vars + (v) * ((v)-1) / 2 + (u) + 1) : -(int)(vars + (u) * ((u)-1) / 2 + (v) + 1))
        for (uint32_t u = 0; u < n; u++) {
            for (uint32_t v = 0; v < n; v++) {
                for (uint32_t w = 0; w < n; w++) {
                    if (u != v && v != w && u != w) {
                        ccadical_add(t.c, -ORDER(u, v));
                        ccadical_add(t.c, -ORDER(v, w));
                        ccadical_add(t.c, ORDER(u, w));
                        ccadical_add(t.c, 0);
                    }
                }
            }
        }
        iso_acyclic *g = iso_acyclic_new(&t.pool, t.s, n);
        iso_acyclic_options(g, imply, iso_random_below(&rng, 2));
        bool open = true;
        uint32_t n_arcs = 0;
        for (int portion = 0; portion < 2 && open; portion++) {
            uint32_t arcs = (uint32_t)iso_random_below(&rng, 4 * n + 1);
            for (uint32_t i = 0; i < arcs; i++) {
                uint32_t u = (uint32_t)iso_random_below(&rng, n), v = (uint32_t)iso_random_below(&rng, n);
                iso_arc a = {u, v, ISO_LIT_TRUE, ISO_LIT_TRUE, 0};
                uint64_t kind = iso_random_below(&rng, 8);
                if (u == v) {
                    continue;
                }
                if (kind == 0 && (u < v || iso_random_below(&rng, 8) == 0)) {
                    ccadical_add(t.c, ORDER(u, v));
                    ccadical_add(t.c, 0);
                } else {
                    a.a = iso_lit_of((uint32_t)iso_random_below(&rng, vars), iso_random_below(&rng, 2));
                    a.b = kind < 4 ? iso_lit_of((uint32_t)iso_random_below(&rng, vars), iso_random_below(&rng, 2))
                                   : ISO_LIT_TRUE;
                    ccadical_add(t.c, -dimacs(a.a));
                    if (a.b != ISO_LIT_TRUE) {
                        ccadical_add(t.c, -dimacs(a.b));
                    }
                    ccadical_add(t.c, ORDER(u, v));
                    ccadical_add(t.c, 0);
                }
                n_arcs = iso_acyclic_arc(g, a) + 1;
            }
            for (uint32_t i = 0; i < vars; i++) {
                iso_lit l[3];
                uint32_t width = 2 + (uint32_t)iso_random_below(&rng, 2);
                for (uint32_t k = 0; k < width; k++) {
                    l[k] = iso_lit_of((uint32_t)iso_random_below(&rng, vars), iso_random_below(&rng, 2));
                }
                open = clause(&t, l, width) && open;
            }
            int expected = ccadical_solve(t.c);
            bool ready = iso_acyclic_ready(g);
            iso_solver_answer got = ready ? iso_solver_solve(t.s, 0) : ISO_SOLVER_UNSAT;
            known += !ready;
            open = got == ISO_SOLVER_SAT;
            wrong += got != (expected == 10 ? ISO_SOLVER_SAT : ISO_SOLVER_UNSAT);
            sat += open;
            for (uint32_t e = 0; open && e < n_arcs; e++) { /* the order of a model has all its arcs */
                const iso_arc *a = iso_acyclic_get(g, e);
                if ((a->a == ISO_LIT_TRUE || iso_solver_value(t.s, a->a) > 0) &&
                    (a->b == ISO_LIT_TRUE || iso_solver_value(t.s, a->b) > 0)) {
                    bad_order += iso_acyclic_position(g, a->from) >= iso_acyclic_position(g, a->to);
                }
            }
        }
        lemmas += t.learnt;
        bad_lemmas += t.wrong;
        cycles += iso_acyclic_counters(g).cycles;
        implied += iso_acyclic_counters(g).implied;
        end(&t);
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
