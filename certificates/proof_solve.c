/* Searches for a refutation of the rules of a proof of commits. See proof.h.
 *
 * Atoms become variables of the solver. An order of two transactions becomes two arcs, one in each direction, and the
 * theory keeps the graph of true arcs acyclic. So of transitivity, the proof contains only the cycles that the search
 * met. */
#include "certificates/proof_lines.h"
#include "certificates/proof_trim.h"
#include "graph/acyclic.h"

typedef struct search {
    iso_proof *p;
    int *lemma;
    uint32_t lemma_room;
} search;

static void on_cycle(void *arg, const iso_acyclic *g, const uint32_t *arcs, uint32_t n, bool conflict) {
    (void)conflict;
    search *s = arg;
    for (uint32_t i = 0; i < n; i++) {
        iso_proof_cycle(s->p, iso_acyclic_get(g, arcs[i]).from);
    }
    iso_proof_close(s->p);
}

static void on_learnt(void *arg, iso_log_kind kind, const iso_lit *literals, uint32_t n) {
    search *s = arg;
    if (kind == ISO_LOG_LEARNT) {
        for (uint32_t i = 0; i < n; i++) {
            ISO_GROW(s->p->pool, s->lemma, i, s->lemma_room);
            s->lemma[i] = (int)iso_lit_var(literals[i]) + 1;
            s->lemma[i] = literals[i] & 1 ? -s->lemma[i] : s->lemma[i];
        }
        iso_proof_lemma(s->p, s->lemma, n);
    }
}

/* Adds the rules to the solver. Returns false if they already contradict each other. */
static bool add_rules(const iso_proof *p, iso_solver *solver) {
    iso_lit *clause = NULL;
    uint32_t room = 0, n_lines = p->n_lines; /* the log adds more lines */
    bool consistent = true;
    for (uint32_t i = 0; consistent && i < n_lines; i++) {
        uint32_t n = 0;
        iso_tick(p->pool->env);
        if (p->kind[i] != ISO_CLAUSE_RULE) {
            continue;
        }
        for (uint32_t k = p->first[i]; k < p->first[i + 1]; k++) {
            int l = p->literals[k];
            ISO_GROW(p->pool, clause, n, room);
            clause[n++] = iso_lit_of((uint32_t)(l < 0 ? -l : l) - 1, l < 0);
        }
        consistent = iso_solver_clause(solver, clause, n);
    }
    iso_free(p->pool, clause);
    return consistent;
}

iso_solver_answer iso_proof_solve(iso_proof *p, uint64_t conflicts) {
    search s = {.p = p};
    iso_solver *solver = iso_solver_new(p->pool);
    iso_acyclic *graph = iso_acyclic_new(p->pool, solver, p->h->n_txns);
    iso_acyclic_options(graph, true, true);
    iso_acyclic_on_cycle(graph, on_cycle, &s);
    iso_solver_log(solver, on_learnt, &s);
    for (uint32_t a = 0; a < p->n_atoms; a++) {
        const entry *e = &p->atoms[a];
        uint32_t var = iso_solver_var(solver);
        if (e->kind == BEFORE + 1) {
            iso_acyclic_arc(graph, (iso_arc){e->a, e->b, iso_lit_of(var, false), ISO_LIT_TRUE, a});
            iso_acyclic_arc(graph, (iso_arc){e->b, e->a, iso_lit_of(var, true), ISO_LIT_TRUE, a});
        }
    }
    if (!iso_acyclic_ready(graph) || !add_rules(p, solver)) {
        return ISO_SOLVER_UNSAT;
    }
    return iso_solver_solve(solver, conflicts);
}
