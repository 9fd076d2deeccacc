/* Gives the undecided constraints to the solver: a variable each, true if side one holds. See polygraph.h. */
#include "checkers/polygraph/polygraph.h"
#include "graph/acyclic.h"

typedef struct encoding {
    iso_pg *p;
    iso_solver *solver;
    iso_acyclic *graph;
    bool contradiction;
} encoding;

/* An edge and the literal that it holds. */
typedef struct labelled {
    iso_pg_edge edge;
    iso_lit when;
} labelled;

static void arc(encoding *e, uint32_t from, uint32_t to, iso_lit a, iso_lit b) {
    if (a != ISO_LIT_TRUE && b != ISO_LIT_TRUE && a == iso_lit_not(b)) {
        return;
    }
    if (from != to) {
        iso_acyclic_arc(e->graph, (iso_arc){from, to, a, a == b ? ISO_LIT_TRUE : b, 0});
        return;
    }
    iso_lit clause[2];
    uint32_t n = 0;
    if (a != ISO_LIT_TRUE) {
        clause[n++] = iso_lit_not(a);
    }
    if (b != ISO_LIT_TRUE && b != a) {
        clause[n++] = iso_lit_not(b);
    }
    e->contradiction |= n == 0 || !iso_solver_clause(e->solver, clause, n);
}

/* The graph of transactions, or of begins and commits. */
static void encode_plain(encoding *e, const labelled *all, uint32_t n) {
    const iso_pg *p = e->p;
    for (uint32_t v = 0; v < p->n && p->si; v++) {
        arc(e, 2 * v, 2 * v + 1, ISO_LIT_TRUE, ISO_LIT_TRUE);
    }
    for (uint32_t i = 0; i < n; i++) {
        const iso_pg_edge *x = &all[i].edge;
        arc(e, iso_pg_from(p, x->from, x->rw), iso_pg_to(p, x->to, x->rw), all[i].when, ISO_LIT_TRUE);
    }
}

/* PolySI's induced graph: i -> j if i -> j is a dependency, or i -> k is one and k -> j an anti-dependency. An arc that
 * depends on a literal and follows from known edges is left out. */
static void encode_induced(encoding *e, const labelled *all, uint32_t n) {
    const iso_pg *p = e->p;
    uint32_t *from = ISO_NEW(p->pool, uint32_t, n), *to = ISO_NEW(p->pool, uint32_t, n);
    uint32_t *which = ISO_NEW(p->pool, uint32_t, n), m = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (all[i].edge.rw) {
            from[m] = all[i].edge.from;
            to[m] = all[i].edge.to;
            which[m++] = i;
        }
    }
    iso_digraph rw = iso_digraph_build(p->pool, p->n, from, to, m, true);
    for (uint32_t i = 0; i < n; i++) {
        const iso_pg_edge *x = &all[i].edge;
        if (x->rw) {
            continue;
        }
        arc(e, x->from, x->to, all[i].when, ISO_LIT_TRUE);
        for (uint32_t k = rw.first[x->to]; k < rw.first[x->to + 1]; k++) {
            iso_tick(p->env);
            const labelled *then = &all[which[rw.edge[k]]];
            bool needed = all[i].when == ISO_LIT_TRUE && then->when == ISO_LIT_TRUE;
            needed |= x->from == then->edge.to; /* a loop: the two exclude each other */
            if (needed || !iso_pg_reaches(p, 2 * x->from + 1, 2 * then->edge.to + 1)) {
                arc(e, x->from, then->edge.to, all[i].when, then->when);
            }
        }
    }
    iso_digraph_free(p->pool, &rw);
    iso_free(p->pool, from);
    iso_free(p->pool, to);
    iso_free(p->pool, which);
}

/* tcc-mono: a reader of `first` that another writer reaches by so and wr: that one is before `first`. */
static bool overtaken(const iso_pg *p, uint32_t first, uint32_t other) {
    for (uint32_t i = p->reader_first[first]; i < p->reader_first[first + 1]; i++) {
        if (p->readers[i] != p->entry_vertex[other] && iso_pg_reaches(p, p->entry_vertex[other], p->readers[i])) {
            return true;
        }
    }
    return false;
}

static void unit(encoding *e, iso_lit l) { e->contradiction |= !iso_solver_clause(e->solver, &l, 1); }

static labelled *label(encoding *e, uint32_t *n) {
    iso_pg *p = e->p;
    labelled *all = ISO_NEW(p->pool, labelled, (size_t)p->n_known + p->n_edges);
    *n = 0;
    for (uint32_t i = 0; i < p->n_known; i++) {
        all[(*n)++] = (labelled){p->known[i], ISO_LIT_TRUE};
    }
    for (uint32_t i = 0; i < p->n_constraints; i++) {
        const iso_pg_constraint *c = &p->constraints[i];
        iso_tick(p->env);
        iso_lit forward = c->side == PG_UNDECIDED ? iso_lit_of(iso_solver_var(e->solver), false) : ISO_LIT_TRUE;
        for (uint32_t x = c->first; x < c->end && c->side == PG_UNDECIDED; x++) {
            all[(*n)++] = (labelled){p->edges[x], x < c->middle ? forward : iso_lit_not(forward)};
        }
        if (p->like == PG_TCC_MONO && overtaken(p, c->a, c->b)) {
            if (forward == ISO_LIT_TRUE) {
                e->contradiction = true; /* the initial transaction is first */
            } else {
                unit(e, iso_lit_not(forward));
            }
        }
        if (p->like == PG_TCC_MONO && forward != ISO_LIT_TRUE && overtaken(p, c->b, c->a)) {
            unit(e, forward);
        }
    }
    return all;
}

/* Viper's guess: the later of two transactions that are more than `distance` places apart in a topological order of the
 * known graph is after the other. Returns the number of guesses. */
static uint32_t guess(encoding *e, const uint32_t *place, uint32_t distance) {
    const iso_pg *p = e->p;
    uint32_t guesses = 0, var = 0;
    for (uint32_t i = 0; i < p->n_constraints; i++) {
        const iso_pg_constraint *c = &p->constraints[i];
        if (c->side != PG_UNDECIDED) {
            continue;
        }
        uint32_t a = place[2 * p->entry_vertex[c->a]], b = place[2 * p->entry_vertex[c->b]];
        if ((a < b ? b - a : a - b) > distance) {
            unit(e, iso_lit_of(var, a > b));
            guesses++;
        }
        var++;
    }
    return guesses;
}

/* Solves with guesses by places (NULL: none). Returns whether there is an order; sets *guesses. */
static bool attempt(iso_pg *p, const uint32_t *place, uint32_t distance, uint32_t *guesses) {
    bool induced = p->like == PG_POLYSI;
    uint32_t n, points = induced ? p->n : p->points;
    encoding e = {.p = p, .solver = iso_solver_new(p->pool)};
    e.graph = iso_acyclic_new(p->pool, e.solver, points);
    iso_acyclic_options(e.graph, true, false);
    int64_t since = iso_now();
    labelled *all = label(&e, &n);
    if (induced) {
        encode_induced(&e, all, n);
    } else {
        encode_plain(&e, all, n);
    }
    iso_free(p->pool, all);
    *guesses = place != NULL ? guess(&e, place, distance) : 0;
    bool good = iso_acyclic_ready(e.graph) && !e.contradiction;
    iso_result_phase(p->result, "encode", since);
    since = iso_now();
    good = good && iso_solver_solve(e.solver, 0) == ISO_SOLVER_SAT;
    iso_result_phase(p->result, "solve", since);
    if (good || *guesses == 0) {
        iso_solver_counts c = iso_solver_counters(e.solver);
        iso_result_counter(p->result, "variables", iso_solver_vars(e.solver));
        iso_result_counter(p->result, "arcs", iso_acyclic_arcs(e.graph));
        iso_result_counter(p->result, "decisions", c.decisions);
        iso_result_counter(p->result, "conflicts", c.conflicts);
    }
    if (good) {
        uint32_t *order = ISO_NEW(p->pool, uint32_t, points);
        iso_acyclic_vertices(e.graph, order);
        p->result->order = ISO_NEW(p->result->pool, uint32_t, p->n);
        for (uint32_t i = 0; i < points; i++) {
            bool commit = points == p->n || order[i] % 2 == 1;
            uint32_t v = points == p->n ? order[i] : order[i] / 2;
            if (commit && v != 0) {
                p->result->order[p->result->n_order++] = p->txn[v];
            }
        }
    }
    return good;
}

bool iso_pg_solve(iso_pg *p) {
    uint32_t guesses;
    if (p->like != PG_VIPER) {
        return attempt(p, NULL, 0, &guesses);
    }
    uint32_t *place = ISO_NEW(p->pool, uint32_t, p->points);
    for (uint32_t i = 0; i < p->points; i++) {
        place[p->order[i]] = i;
    }
    uint64_t attempts = 1;
    bool good = false;
    for (uint32_t distance = p->points / 16 + 1; !good; distance *= 2, attempts++) {
        good = attempt(p, place, distance, &guesses);
        if (!good && guesses == 0) {
            break;
        }
    }
    iso_result_counter(p->result, "attempts", attempts);
    return good;
}
