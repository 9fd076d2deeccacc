/* Tests graph/solver.h. A solver whose caller decides: by chance, only what no true literal meets yet, or nothing. Its
 * answers are CaDiCaL's, with and without a graph that must have no cycle. */
#include <stdlib.h>

#include "base/random.h"
#include "graph/solver.h"
#include "tests/guarded.h"
#include "tests/twin.h"

static iso_env env;

typedef enum {
    BY_CHANCE, /* any literal without a value, until there is none */
    UNMET,     /* a literal that meets what nothing meets yet, and no more */
    NOTHING,
    WAYS
} way;

static const char *const way_words[] = {"by chance", "what is not met", "nothing"};

typedef struct decider {
    const twin *t;
    iso_rng *rng;
    way way;
    iso_lit last;   /* decided; ISO_LIT_NONE */
    uint64_t quiet; /* conflicts and restarts up to then */
    uint64_t asked, wrong;
} decider;

static int value(const twin *t, iso_lit l) { return l == ISO_LIT_TRUE ? 1 : iso_solver_value(t->s, l); }

/* Returns whether the order of the graph stays right if a literal without a value becomes true, together with all other
 * literals of its arcs. */
static bool in_order(const twin *t, iso_lit l) {
    for (uint32_t e = 0; t->g != NULL && e < iso_acyclic_arcs(t->g); e++) {
        iso_arc a = iso_acyclic_get(t->g, e);
        if ((a.a == l && value(t, a.b) >= 0) || (a.b == l && value(t, a.a) >= 0)) {
            if (iso_acyclic_position(t->g, a.from) > iso_acyclic_position(t->g, a.to)) {
                return false;
            }
        }
    }
    return true;
}

/* The value that a variable without one gets by the order; ISO_LIT_NONE: it must be decided. */
static iso_lit by_order(const twin *t, uint32_t var) {
    for (int negated = 1; negated >= 0; negated--) {
        if (in_order(t, iso_lit_of(var, negated))) {
            return iso_lit_of(var, negated);
        }
    }
    return ISO_LIT_NONE;
}

/* The solver asks for a decision when it has propagated everything. Counts clauses that have no true literal and fewer
 * than two different ones without a value. */
static uint32_t forgotten(const twin *t) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->n_clauses; i++) {
        bool met = false;
        iso_lit open = ISO_LIT_NONE;
        for (uint32_t k = t->first[i]; k < t->first[i + 1] && !met; k++) {
            iso_lit l = t->literals[k];
            met = value(t, l) > 0 || (value(t, l) == 0 && open != ISO_LIT_NONE && open != l);
            open = value(t, l) == 0 ? l : open;
        }
        n += !met;
    }
    return n;
}

/* One of the fitting literals, each as likely. */
static void offer(iso_rng *rng, iso_lit l, uint64_t *n, iso_lit *taken) {
    if (iso_random_below(rng, ++*n) == 0) {
        *taken = l;
    }
}

static iso_lit pick(const decider *d) {
    const twin *t = d->t;
    iso_lit taken = ISO_LIT_NONE;
    uint64_t n = 0;
    for (uint32_t i = 0; d->way == UNMET && i < t->n_clauses; i++) {
        bool met = false;
        for (uint32_t k = t->first[i]; k < t->first[i + 1]; k++) {
            met |= value(t, t->literals[k]) > 0;
        }
        for (uint32_t k = t->first[i]; k < t->first[i + 1] && !met; k++) {
            if (value(t, t->literals[k]) == 0) {
                offer(d->rng, t->literals[k], &n, &taken);
            }
        }
    }
    for (uint32_t v = 0; d->way != NOTHING && taken == ISO_LIT_NONE && v < t->vars; v++) {
        if (value(t, iso_lit_of(v, false)) == 0 && (d->way == BY_CHANCE || by_order(t, v) == ISO_LIT_NONE)) {
            offer(d->rng, iso_lit_of(v, iso_random_below(d->rng, 2)), &n, &taken);
        }
    }
    return taken;
}

static iso_lit decide(void *arg) {
    decider *d = arg;
    iso_solver_counts c = iso_solver_counters(d->t->s);
    d->asked++;
    d->wrong += forgotten(d->t) > 0;
    if (d->last != ISO_LIT_NONE && c.conflicts + c.restarts == d->quiet) { /* the last decision stands, and is kept */
        d->wrong += value(d->t, d->last) <= 0;
    }
    d->quiet = c.conflicts + c.restarts;
    d->last = pick(d);
    return d->last;
}

/* What remains open in a model gets its value by the order: counts the clauses and arcs that it breaks. */
static uint32_t broken(const twin *t) {
    uint32_t n = twin_unmet(t);
    iso_lit *chosen = ISO_NEW((iso_pool *)&t->pool, iso_lit, t->vars);
    for (uint32_t v = 0; v < t->vars; v++) {
        iso_lit l = iso_lit_of(v, false);
        chosen[v] = value(t, l) == 0 ? by_order(t, v) : iso_lit_of(v, value(t, l) < 0);
    }
    for (uint32_t e = 0; t->g != NULL && e < iso_acyclic_arcs(t->g); e++) {
        iso_arc a = iso_acyclic_get(t->g, e);
        bool in = (a.a == ISO_LIT_TRUE || chosen[iso_lit_var(a.a)] == a.a) &&
                  (a.b == ISO_LIT_TRUE || chosen[iso_lit_var(a.b)] == a.b);
        n += in && iso_acyclic_position(t->g, a.from) > iso_acyclic_position(t->g, a.to);
    }
    return n;
}

/* Unit propagation by going over all clauses until nothing changes. Returns false if a clause is false. Otherwise
 * it counts variables with another value in the model. */
static bool plain_propagation(const twin *t, uint32_t *others) {
    int8_t *known = ISO_ZNEW((iso_pool *)&t->pool, int8_t, 2 * t->vars);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < t->n_clauses; i++) {
            iso_lit open = ISO_LIT_NONE;
            bool done = false;
            for (uint32_t k = t->first[i]; k < t->first[i + 1] && !done; k++) {
                iso_lit l = t->literals[k];
                done = known[l] > 0 || (known[l] == 0 && open != ISO_LIT_NONE && open != l);
                open = known[l] == 0 ? l : open;
            }
            if (!done && open == ISO_LIT_NONE) {
                return false;
            }
            if (!done) {
                known[open] = 1;
                known[iso_lit_not(open)] = -1;
                changed = true;
            }
        }
    }
    for (uint32_t v = 0; v < t->vars; v++) {
        *others += known[2 * v] != value(t, 2 * v);
    }
    return true;
}

typedef struct tally {
    way way;
    int asked, sat, wrong;
    uint64_t decided, wrong_moment, broken, left_open, bad_lemmas, lemmas, other_values;
} tally;

/* Asks the question as it stands. */
static void stage(twin *t, decider *d, tally *n) {
    iso_solver_answer expected = twin_expected(t);
    *d = (decider){.t = t, .rng = d->rng, .way = d->way, .last = ISO_LIT_NONE};
    iso_solver_decider(t->s, decide, d);
    iso_solver_answer got = twin_solve(t);
    n->asked++;
    n->sat += got == ISO_SOLVER_SAT;
    n->decided += d->asked;
    n->wrong_moment += d->wrong;
    if (d->way == NOTHING) { /* a theory implies what it likes to */
        uint32_t others = 0;
        bool possible = t->g != NULL || plain_propagation(t, &others);
        n->wrong += (t->g == NULL && (got == ISO_SOLVER_SAT) != possible) ||
                    (got == ISO_SOLVER_UNSAT && expected == ISO_SOLVER_SAT);
        n->other_values += got == ISO_SOLVER_SAT ? others : 0;
        n->broken += t->g != NULL && got == ISO_SOLVER_SAT && twin_backward(t) > 0;
    } else {
        n->wrong += got != expected;
        n->broken += got == ISO_SOLVER_SAT ? broken(t) : 0;
    }
    for (uint32_t v = 0; v < t->vars && got == ISO_SOLVER_SAT; v++) {
        n->left_open += value(t, 2 * v) == 0;
    }
}

static void report(const tally *n, const char *what, uint64_t seed) {
    const char *how = way_words[n->way];
    diag("seed %llu: %d questions, %d answered satisfiable, asked %llu times, %llu variables left open, %llu lemmas",
         (unsigned long long)seed, n->asked, n->sat, (unsigned long long)n->decided, (unsigned long long)n->left_open,
         (unsigned long long)n->lemmas);
    ok(n->wrong == 0, "%s, decided %s: %s", what, how,
       n->way == NOTHING ? "refused by propagation alone" : "the answers are CaDiCaL's");
    ok(n->broken == 0 && n->other_values == 0 && n->sat > 0, "and no answer breaks a clause or an arc");
    ok(n->wrong_moment == 0, "the caller is asked when nothing is left to propagate, and its decisions stand");
    ok(n->bad_lemmas == 0, "every learnt clause follows");
    ok(n->way == UNMET || n->way == NOTHING ? n->left_open > 0 : n->left_open == 0, "variables are left open %s",
       n->way == UNMET || n->way == NOTHING ? "where the caller has enough" : "by no one");
}

/* Clauses of one to three literals (of three if there are many variables), in three portions with a question after
 * each. After the last one the solver, with all that it learnt, decides itself. */
static void formulas(uint64_t seed, uint64_t rounds, uint32_t most_vars, way way_of_all) {
    tally n = {.way = way_of_all};
    iso_rng rng = {seed};
    for (uint64_t r = 0; r < rounds; r++) {
        twin t;
        uint32_t vars = 4 + (uint32_t)iso_random_below(&rng, most_vars), clauses = vars * 43 / 10;
        bool small = most_vars < 30;
        twin_begin(&t, &env, vars, small);
        decider d = {.rng = &rng, .way = way_of_all};
        for (uint32_t i = 0; i < clauses; i++) {
            uint64_t luck = small ? iso_random_below(&rng, 20) : 3;
            twin_random_clause(&t, &rng, luck == 0 ? 1 : luck < 3 ? 2 : 3);
            if (i == clauses / 2 || i == clauses / 4 * 3 || i == clauses - 1) {
                stage(&t, &d, &n);
            }
        }
        iso_solver_decider(t.s, NULL, NULL);
        n.wrong += iso_solver_solve(t.s, 0) != twin_expected(&t);
        n.lemmas += t.learnt;
        n.bad_lemmas += t.wrong;
        twin_end(&t);
    }
    report(&n, "random formulas", seed);
}

static void graphs(uint64_t seed, uint64_t rounds, way way_of_all) {
    tally n = {.way = way_of_all};
    iso_rng rng = {seed};
    for (uint64_t r = 0; r < rounds; r++) {
        twin t;
        uint32_t vertices = 2 + (uint32_t)iso_random_below(&rng, 8);
        twin_begin(&t, &env, 1 + (uint32_t)iso_random_below(&rng, 3 * vertices), true);
        twin_graph(&t, vertices, iso_random_below(&rng, 4) > 0, iso_random_below(&rng, 2));
        decider d = {.rng = &rng, .way = way_of_all};
        for (int portion = 0; portion < 2 && !t.cyclic; portion++) {
            twin_random_portion(&t, &rng);
            stage(&t, &d, &n);
        }
        n.lemmas += t.learnt;
        n.bad_lemmas += t.wrong;
        twin_end(&t);
    }
    report(&n, "random graphs", seed);
}

static void run(void *arg) {
    (void)arg;
    uint64_t rounds = getenv("ISOLAB_QUICK") != NULL ? 1000 : getenv("ISOLAB_DEEP") != NULL ? 100000 : 5000;
    for (way w = BY_CHANCE; w < WAYS; w++) {
        formulas(10 + w, rounds, 20, w);
        graphs(20 + w, rounds, w);
        formulas(30 + w, rounds / 50, 110, w); /* with restarts */
    }
}

int main(void) { return run_guarded(&env, run); }
