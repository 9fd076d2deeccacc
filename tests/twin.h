/* Compares graph/solver.h with CaDiCaL. Both get the same clauses. CaDiCaL has no theory of acyclic graphs, so it also
 * gets a variable for the order of each pair of vertices, clauses that this order is transitive, and for each arc the
 * clause that its literals imply its order. Every clause that our solver learns must follow from CaDiCaL's clauses. */
#ifndef ISOLAB_TESTS_TWIN_H
#define ISOLAB_TESTS_TWIN_H

#include <ccadical.h>
#include <string.h>

#include "base/random.h"
#include "graph/acyclic.h"

typedef struct twin {
    iso_pool pool;
    iso_solver *s;
    CCaDiCaL *c; /* the same variables (numbered from 1), and order variables after them */
    uint32_t vars;
    bool open; /* no clause has been refused yet */

    iso_acyclic *g; /* NULL: none */
    uint32_t n;     /* its vertices */
    bool cyclic;    /* without a decision: nothing may be asked again */

    /* all clauses: literals of clause i are [first[i], first[i + 1]) */
    iso_lit *literals;
    uint32_t n_literals, literals_room;
    uint32_t *first, n_clauses, first_room;

    bool check; /* every learnt clause */
    uint64_t learnt, wrong;
} twin;

static inline int twin_dimacs(iso_lit l) { return l & 1 ? -(int)(l >> 1) - 1 : (int)(l >> 1) + 1; }

static inline void twin_learns(void *arg, iso_log_kind kind, const iso_lit *l, uint32_t n) {
    twin *t = arg;
    if (kind == ISO_LOG_LEARNT && t->check) {
        t->learnt++;
        for (uint32_t i = 0; i < n; i++) {
            ccadical_assume(t->c, -twin_dimacs(l[i]));
        }
        t->wrong += ccadical_solve(t->c) != 20;
    }
}

static inline void twin_begin(twin *t, iso_env *env, uint32_t vars, bool check) {
    *t = (twin){.vars = vars, .open = true, .check = check};
    iso_pool_init(&t->pool, env);
    t->s = iso_solver_new(&t->pool);
    static uint32_t twins;
    if (++twins % 2 == 0) { /* half of them take back one level at a time where they would go further back */
        iso_solver_stay(t->s, twins / 2 % 4);
    }
    t->c = ccadical_init();
    ccadical_set_option(t->c, "quiet", 1);
    iso_solver_log(t->s, twin_learns, t);
    ISO_GROW(&t->pool, t->first, 0, t->first_room);
    t->first[0] = 0;
    for (uint32_t v = 0; v < vars; v++) {
        iso_solver_var(t->s);
    }
}

static inline void twin_end(twin *t) {
    ccadical_release(t->c);
    iso_pool_free(&t->pool);
}

static inline void twin_clause(twin *t, const iso_lit *l, uint32_t n) {
    ISO_GROW(&t->pool, t->first, t->n_clauses + 1, t->first_room);
    for (uint32_t i = 0; i < n; i++) {
        ISO_GROW(&t->pool, t->literals, t->n_literals, t->literals_room);
        t->literals[t->n_literals++] = l[i];
        ccadical_add(t->c, twin_dimacs(l[i]));
    }
    t->first[++t->n_clauses] = t->n_literals;
    ccadical_add(t->c, 0);
    t->open = iso_solver_clause(t->s, l, n) && t->open;
}

static inline iso_lit twin_random_literal(const twin *t, iso_rng *rng) {
    return iso_lit_of((uint32_t)iso_random_below(rng, t->vars), iso_random_below(rng, 2));
}

static inline void twin_random_clause(twin *t, iso_rng *rng, uint32_t width) {
    iso_lit l[8];
    for (uint32_t k = 0; k < width; k++) {
        l[k] = twin_random_literal(t, rng);
    }
    twin_clause(t, l, width);
}

/* CaDiCaL's literal of u before v. The variables of u < v are t->vars + v (v - 1) / 2 + u + 1. */
static inline int twin_before(const twin *t, uint32_t u, uint32_t v) {
    return u < v ? (int)(t->vars + v * (v - 1) / 2 + u + 1) : -(int)(t->vars + u * (u - 1) / 2 + v + 1);
}

/* From here on the graph of the arcs below, with n vertices, must have no cycle. */
static inline void twin_graph(twin *t, uint32_t n, bool imply, bool polarity) {
    t->n = n;
    t->g = iso_acyclic_new(&t->pool, t->s, n);
    iso_acyclic_options(t->g, imply, polarity);
    for (uint32_t u = 0; u < n; u++) {
        for (uint32_t v = 0; v < n; v++) {
            for (uint32_t w = 0; w < n; w++) {
                if (u != v && v != w && u != w) {
                    ccadical_add(t->c, -twin_before(t, u, v));
                    ccadical_add(t->c, -twin_before(t, v, w));
                    ccadical_add(t->c, twin_before(t, u, w));
                    ccadical_add(t->c, 0);
                }
            }
        }
    }
}

/* An arc between two vertices at random, with no literal, one or two. */
static inline void twin_random_arc(twin *t, iso_rng *rng) {
    uint32_t u = (uint32_t)iso_random_below(rng, t->n), v = (uint32_t)iso_random_below(rng, t->n);
    iso_arc a = {u, v, ISO_LIT_TRUE, ISO_LIT_TRUE, 0};
    uint64_t kind = iso_random_below(rng, 8);
    if (u == v) {
        return;
    }
    if (kind > 0 || (u > v && iso_random_below(rng, 8) > 0)) {
        a.a = twin_random_literal(t, rng);
        ccadical_add(t->c, -twin_dimacs(a.a));
        if (kind < 4) {
            a.b = twin_random_literal(t, rng);
            ccadical_add(t->c, -twin_dimacs(a.b));
        }
    }
    ccadical_add(t->c, twin_before(t, u, v));
    ccadical_add(t->c, 0);
    iso_acyclic_arc(t->g, a);
}

/* Random arcs, and as many clauses of two or three literals as there are variables. */
static inline void twin_random_portion(twin *t, iso_rng *rng) {
    uint64_t arcs = iso_random_below(rng, 4 * t->n + 1);
    for (uint64_t i = 0; i < arcs; i++) {
        twin_random_arc(t, rng);
    }
    for (uint32_t i = 0; i < t->vars; i++) {
        twin_random_clause(t, rng, 2 + (uint32_t)iso_random_below(rng, 2));
    }
}

static inline iso_solver_answer twin_expected(twin *t) {
    return ccadical_solve(t->c) == 10 ? ISO_SOLVER_SAT : ISO_SOLVER_UNSAT;
}

static inline iso_solver_answer twin_solve(twin *t) {
    t->cyclic = t->g != NULL && !iso_acyclic_ready(t->g);
    if (t->cyclic) {
        return ISO_SOLVER_UNSAT;
    }
    return iso_solver_solve(t->s, 0);
}

/* How many clauses have no true literal in the solver's model. */
static inline uint32_t twin_unmet(const twin *t) {
    uint32_t unmet = 0;
    for (uint32_t i = 0; i < t->n_clauses; i++) {
        bool met = false;
        for (uint32_t k = t->first[i]; k < t->first[i + 1]; k++) {
            met |= iso_solver_value(t->s, t->literals[k]) > 0;
        }
        unmet += !met;
    }
    return unmet;
}

/* How many arcs whose literals are true lead backwards in the order that the graph has. */
static inline uint32_t twin_backward(const twin *t) {
    uint32_t backward = 0;
    for (uint32_t e = 0; e < iso_acyclic_arcs(t->g); e++) {
        iso_arc a = iso_acyclic_get(t->g, e);
        bool in = (a.a == ISO_LIT_TRUE || iso_solver_value(t->s, a.a) > 0) &&
                  (a.b == ISO_LIT_TRUE || iso_solver_value(t->s, a.b) > 0);
        backward += in && iso_acyclic_position(t->g, a.from) >= iso_acyclic_position(t->g, a.to);
    }
    return backward;
}

#endif
