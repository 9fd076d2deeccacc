/* The ablation `solver=cadical`: gives the encoded formula to CaDiCaL, which has no graph theory. Each model is
 * searched for cycles, and each found cycle becomes a clause, until a model has none. It shows what a solver without a
 * theory costs, compared with graph/solver.h and graph/acyclic.h (docs/solver.md). */
#include <ccadical.h>
#include <string.h>

#include "checkers/veristrong/veristrong.h"

typedef struct lazy {
    vs *s;
    CCaDiCaL *cadical;
    bool satisfied;
    uint32_t *first, *arc;         /* arcs of the model, by their first point */
    uint32_t *before, *queue, *by; /* by point */
    uint32_t *seen;
    uint64_t rounds, clauses;
} lazy;

static int stop(void *state) { return iso_over(state) != ISO_LIMIT_NONE; }

static int dimacs(iso_lit l) { return l & 1 ? -(int)(l >> 1) - 1 : (int)(l >> 1) + 1; }

static bool holds(const lazy *z, iso_lit l) { return l == ISO_LIT_TRUE || ccadical_val(z->cadical, dimacs(l)) > 0; }

/* Lists the arcs whose literals are true in the model. */
static void index_model(lazy *z) {
    const vs *s = z->s;
    uint32_t n = iso_acyclic_arcs(s->graph);
    iso_buckets rows = {z->first, s->points};
    memset(z->first, 0, ((size_t)s->points + 2) * sizeof *z->first);
    for (int turn = 0; turn < 2; turn++) {
        for (uint32_t e = 0; e < n; e++) {
            iso_arc a = iso_acyclic_get(s->graph, e);
            iso_tick(s->env);
            if (!holds(z, a.a) || !holds(z, a.b)) {
                continue;
            }
            if (turn == 0) {
                iso_buckets_count(&rows, a.from);
            } else {
                z->arc[iso_buckets_place(&rows, a.from)] = e;
            }
        }
        if (turn == 0) {
            iso_buckets_sum(&rows);
        }
    }
}

/* Counts predecessors down. A point that keeps some is on a cycle or after one. */
static bool acyclic(lazy *z) {
    const vs *s = z->s;
    uint32_t done = 0;
    memset(z->before, 0, s->points * sizeof *z->before);
    for (uint32_t k = 0; k < z->first[s->points]; k++) {
        z->before[iso_acyclic_get(s->graph, z->arc[k]).to]++;
    }
    for (uint32_t p = 0; p < s->points; p++) {
        if (z->before[p] == 0) {
            z->queue[done++] = p;
        }
    }
    for (uint32_t i = 0; i < done; i++) {
        for (uint32_t k = z->first[z->queue[i]]; k < z->first[z->queue[i] + 1]; k++) {
            uint32_t to = iso_acyclic_get(s->graph, z->arc[k]).to;
            iso_tick(s->env);
            if (--z->before[to] == 0) {
                z->queue[done++] = to;
            }
        }
    }
    return done == s->points;
}

/* Finds a shortest cycle through a point, breadth first among the remaining points. Leaves it in by[], backwards from
 * start. */
static bool find_cycle(lazy *z, uint32_t start) {
    const vs *s = z->s;
    uint32_t n = 0;
    z->queue[n++] = start;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = z->first[z->queue[i]]; k < z->first[z->queue[i] + 1]; k++) {
            uint32_t to = iso_acyclic_get(s->graph, z->arc[k]).to;
            iso_tick(s->env);
            if (z->before[to] != 0 && (to == start || z->seen[to] != start + 1)) {
                z->seen[to] = start + 1;
                z->by[to] = z->arc[k];
                if (to == start) {
                    return true;
                }
                z->queue[n++] = to;
            }
        }
    }
    return false;
}

static void forbid_cycles(lazy *z) {
    const vs *s = z->s;
    memset(z->seen, 0, s->points * sizeof *z->seen);
    iso_lits all = {0}; /* the first added clause destroys the model, so collect all clauses first */
    for (uint32_t start = 0; start < s->points; start++) {
        if (z->before[start] == 0 || !find_cycle(z, start)) {
            continue;
        }
        uint32_t p = start;
        do {
            iso_arc a = iso_acyclic_get(s->graph, z->by[p]);
            if (a.a != ISO_LIT_TRUE) {
                iso_lits_add(s->solver, &all, iso_lit_not(a.a));
            }
            if (a.b != ISO_LIT_TRUE) {
                iso_lits_add(s->solver, &all, iso_lit_not(a.b));
            }
            p = a.from;
        } while (p != start);
        iso_lits_add(s->solver, &all, ISO_LIT_NONE);
        z->clauses++;
    }
    for (uint32_t i = 0; i < all.n; i++) {
        iso_tick(s->env);
        ccadical_add(z->cadical, all.at[i] == ISO_LIT_NONE ? 0 : dimacs(all.at[i]));
    }
    iso_free(s->pool, all.at);
}

static void work(void *arg) {
    lazy *z = arg;
    vs *s = z->s;
    z->first = ISO_NEW(s->pool, uint32_t, (size_t)s->points + 2);
    z->arc = ISO_NEW(s->pool, uint32_t, iso_acyclic_arcs(s->graph));
    z->before = ISO_NEW(s->pool, uint32_t, s->points);
    z->queue = ISO_NEW(s->pool, uint32_t, s->points);
    z->by = ISO_NEW(s->pool, uint32_t, s->points);
    z->seen = ISO_NEW(s->pool, uint32_t, s->points);
    uint64_t room = 2; /* CaDiCaL's tables take 136 bytes a variable and double at once, which no callback can stop */
    while (room <= iso_solver_vars(s->solver)) {
        room *= 2;
    }
    iso_expect(s->env, 136 * room);
    for (uint32_t i = 0; i < s->formula.n; i++) {
        iso_tick(s->env);
        ccadical_add(z->cadical, s->formula.at[i] == ISO_LIT_NONE ? 0 : dimacs(s->formula.at[i]));
    }
    for (;;) {
        iso_tick_slow(s->env);
        z->rounds++;
        int answer = ccadical_solve(z->cadical);
        if (answer != 10 && answer != 20) {
            iso_tick_slow(s->env);
            iso_throw(s->env, ISOLAB_E_INTERNAL, "CaDiCaL stopped without an answer");
        }
        if (answer == 20) {
            return;
        }
        index_model(z);
        if (acyclic(z)) {
            break;
        }
        forbid_cycles(z);
    }
    z->satisfied = true;
    for (uint32_t v = 0; v < iso_solver_vars(s->solver); v++) { /* the model, for the order and as a cross-check */
        iso_lit l = iso_lit_of(v, ccadical_val(z->cadical, (int)v + 1) <= 0);
        iso_solver_clause(s->solver, &l, 1);
    }
}

bool iso_vs_solve_lazily(vs *s) {
    lazy z = {.s = s, .cadical = ccadical_init()};
    if (z.cadical == NULL) {
        iso_throw_limit(s->env, ISO_LIMIT_MEMORY, "out of memory (CaDiCaL)");
    }
    ccadical_set_option(z.cadical, "quiet", 1);
    ccadical_set_option(z.cadical, "lucky", 0); /* this technique may run for minutes without a call of stop() */
    ccadical_set_terminate(z.cadical, s->env->limits, stop);
    int code = iso_guard(s->env, work, &z);
    ccadical_release(z.cadical);
    if (code != ISOLAB_OK) {
        iso_rethrow(s->env);
    }
    iso_result_counter(s->result, "CaDiCaL rounds", z.rounds);
    iso_result_counter(s->result, "CaDiCaL cycle clauses", z.clauses);
    if (z.satisfied && iso_solver_solve(s->solver, 0) != ISO_SOLVER_SAT) {
        iso_throw(s->env, ISOLAB_E_INTERNAL, "veristrong: CaDiCaL's model is none");
    }
    return z.satisfied;
}
