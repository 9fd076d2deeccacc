/* The search over what is open. See strong_search.h. */
#include "checkers/strong_search.h"

#include <stdlib.h>
#include <string.h>

#include "graph/acyclic.h"

/* The events that open edges begin or end with, numbered by a guess of when they happened: the number of
 * events known to be before them, which is also a topological order of what is known. */
typedef struct ends {
    uint64_t *guess; /* number of predecessors and event, sorted: in the order of the vertices */
    uint32_t n;
    uint32_t *vertex; /* by event; ISO_NONE */
    uint32_t *first, *place; /* by chain: places of its ends, in order */
    uint32_t *in_chain;      /* vertex of each of those */
} ends;

static int by_number(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void collect_ends(ends *v, const strong_open *p, const strong_order *o, iso_pool *pool) {
    v->vertex = ISO_ZNEW(pool, uint32_t, o->n);
    v->n = 0;
    for (uint32_t e = 0; e < p->n_edges; e++) {
        if (p->edge[e].kind != ISO_EDGE_KINDS) {
            uint32_t pair[2] = {p->edge[e].from, p->edge[e].to};
            for (int i = 0; i < 2; i++) {
                v->n += v->vertex[pair[i]] == 0;
                v->vertex[pair[i]] = 1;
            }
        }
    }
    v->guess = ISO_NEW(pool, uint64_t, v->n);
    v->place = ISO_NEW(pool, uint32_t, v->n);
    v->in_chain = ISO_NEW(pool, uint32_t, v->n);
    v->first = ISO_ZNEW(pool, uint32_t, (size_t)o->m->k + 1);
    uint32_t n = 0;
    for (uint32_t event = 0; event < o->n; event++) { /* events are numbered chain by chain */
        if (v->vertex[event] == 0) {
            v->vertex[event] = ISO_NONE;
            continue;
        }
        const uint32_t *row = o->row + (size_t)event * o->stride;
        uint64_t sum = 0;
        for (uint32_t c = 0; c < o->stride; c++) {
            sum += row[c];
        }
        v->place[n] = o->place[event];
        v->in_chain[n] = event;
        v->guess[n++] = sum << 32 | event;
        v->first[strong_chain_of(o, event) + 1]++;
    }
    qsort(v->guess, v->n, sizeof *v->guess, by_number);
    for (uint32_t i = 0; i < v->n; i++) {
        v->vertex[(uint32_t)v->guess[i]] = i;
    }
    for (uint32_t i = 0; i < v->n; i++) {
        v->in_chain[i] = v->vertex[v->in_chain[i]];
    }
    for (uint32_t c = 0; c < o->m->k; c++) {
        v->first[c + 1] += v->first[c];
    }
}

/* The vertex of the last end among the first count events of a chain; ISO_NONE. */
static uint32_t last_end(const ends *v, uint32_t chain, uint32_t count) {
    uint32_t low = v->first[chain], high = v->first[chain + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (v->place[middle] < count) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low == v->first[chain] ? ISO_NONE : v->in_chain[low - 1];
}

/* Permanent arcs that span what is known between ends: to each, from the last end before it in each chain, left
 * out where another one of these lies between. */
static void add_known(const ends *v, const strong_order *o, iso_acyclic *g, iso_pool *pool) {
    uint32_t k = o->m->k;
    uint32_t *from = ISO_NEW(pool, uint32_t, k), *over = ISO_NEW(pool, uint32_t, o->stride);
    for (uint32_t i = 0; i < v->n; i++) {
        iso_tick(pool->env);
        const uint32_t *row = o->row + (size_t)(uint32_t)v->guess[i] * o->stride;
        memset(over, 0, o->stride * sizeof *over);
        for (uint32_t c = 0; c < k; c++) {
            from[c] = last_end(v, c, row[c]);
            if (from[c] == ISO_NONE) {
                continue;
            }
            const uint32_t *before = o->row + (size_t)(uint32_t)v->guess[from[c]] * o->stride;
            for (uint32_t d = 0; d < o->stride; d++) {
                over[d] = before[d] > over[d] ? before[d] : over[d];
            }
        }
        for (uint32_t c = 0; c < k; c++) {
            if (from[c] != ISO_NONE && over[c] <= o->place[(uint32_t)v->guess[from[c]]]) {
                iso_acyclic_arc(g, (iso_arc){from[c], i, ISO_LIT_TRUE, ISO_LIT_TRUE, 0});
            }
        }
    }
    iso_free(pool, from);
    iso_free(pool, over);
}

/* The state of the search: which edges and clauses the solver knows. */
typedef struct search {
    const strong_open *p;
    const ends *v;
    iso_solver *solver;
    iso_acyclic *graph;
    uint32_t *var;   /* by edge; ISO_NONE: the solver does not know it yet */
    uint8_t *active; /* by clause */
} search;

/* Does the literal hold in the order of the moment, and in the solver's last model where it is a choice? */
static bool holds(const search *s, uint32_t literal) {
    const strong_edge *e = &s->p->edge[literal / 2];
    bool positive;
    if (e->kind == ISO_EDGE_KINDS) {
        uint32_t var = s->var[literal / 2];
        positive = var != ISO_NONE && iso_solver_value(s->solver, iso_lit_of(var, false)) > 0;
    } else {
        positive = iso_acyclic_position(s->graph, s->v->vertex[e->from]) <
                   iso_acyclic_position(s->graph, s->v->vertex[e->to]);
    }
    return positive == (literal % 2 == 0);
}

/* The literal of clause c that holds; ISO_NONE. */
static uint32_t met_by(const search *s, uint32_t c) {
    for (uint32_t i = s->p->clause[c]; i < s->p->clause[c + 1]; i++) {
        if (holds(s, s->p->literal[i])) {
            return s->p->literal[i];
        }
    }
    return ISO_NONE;
}

static void make_known(search *s, uint32_t e) {
    if (s->var[e] != ISO_NONE) {
        return;
    }
    const strong_edge *edge = &s->p->edge[e];
    s->var[e] = iso_solver_var(s->solver);
    if (edge->kind != ISO_EDGE_KINDS) {
        iso_acyclic_arc(s->graph, (iso_arc){s->v->vertex[edge->from], s->v->vertex[edge->to],
                                            iso_lit_of(s->var[e], false), ISO_LIT_TRUE, e});
    }
}

/* Marks the clauses that do not hold, and makes their edges known. Returns how many there are. */
static uint32_t mark_unmet(search *s, uint32_t *unmet) {
    uint32_t n = 0;
    for (uint32_t c = 0; c < s->p->n_clauses; c++) {
        if (!s->active[c] && met_by(s, c) == ISO_NONE) {
            s->active[c] = 1;
            unmet[n++] = c;
        }
    }
    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t i = s->p->clause[unmet[j]]; i < s->p->clause[unmet[j] + 1]; i++) {
            make_known(s, s->p->literal[i] / 2);
        }
    }
    return n;
}

static bool add_clauses(search *s, const uint32_t *clause, uint32_t n) {
    uint32_t *literal = NULL, room = 0;
    bool open = true;
    for (uint32_t j = 0; open && j < n; j++) {
        iso_tick(s->p->pool->env);
        uint32_t size = 0;
        for (uint32_t i = s->p->clause[clause[j]]; i < s->p->clause[clause[j] + 1]; i++) {
            ISO_GROW(s->p->pool, literal, size, room);
            uint32_t l = s->p->literal[i];
            literal[size++] = iso_lit_of(s->var[l / 2], l % 2 != 0);
        }
        open = iso_solver_clause(s->solver, literal, size);
    }
    iso_free(s->p->pool, literal);
    return open;
}

/* Every clause holds: takes the edge that each one holds by, and the choices made. */
static void take_order(const search *s, strong_order *o, strong_model *m) {
    const strong_open *p = s->p;
    uint8_t *taken = ISO_ZNEW(p->pool, uint8_t, p->n_edges);
    for (uint32_t c = 0; c < p->n_clauses; c++) {
        uint32_t literal = met_by(s, c);
        const strong_edge *edge = &p->edge[literal / 2];
        if (literal % 2 != 0 || taken[literal / 2]) {
            continue;
        }
        taken[literal / 2] = 1;
        if (edge->kind != ISO_EDGE_KINDS) {
            strong_choose_edge(o, *edge);
        } else {
            m->writer[edge->op] = edge->slot == ISO_INIT ? ISO_INIT : m->slot_op[edge->slot];
        }
    }
    iso_free(p->pool, taken);
}

bool strong_search(strong_open *p, strong_order *o, strong_model *m) {
    ends v;
    collect_ends(&v, p, o, p->pool);
    search s = {.p = p, .v = &v, .solver = iso_solver_new(p->pool)};
    s.graph = iso_acyclic_new(p->pool, s.solver, v.n);
    s.var = ISO_NEW(p->pool, uint32_t, p->n_edges);
    memset(s.var, 0xff, (size_t)p->n_edges * sizeof *s.var);
    s.active = ISO_ZNEW(p->pool, uint8_t, p->n_clauses);
    uint32_t *unmet = ISO_NEW(p->pool, uint32_t, p->n_clauses), n;
    add_known(&v, o, s.graph, p->pool);
    iso_acyclic_options(s.graph, true, true);
    bool open = iso_acyclic_ready(s.graph);
    while (open && (n = mark_unmet(&s, unmet)) > 0) {
        p->tried += n;
        open = iso_acyclic_ready(s.graph) && add_clauses(&s, unmet, n) &&
               iso_solver_solve(s.solver, 0) == ISO_SOLVER_SAT;
    }
    iso_solver_counts counts = iso_solver_counters(s.solver);
    p->conflicts = counts.conflicts;
    p->decisions = counts.decisions;
    if (open) {
        take_order(&s, o, m);
    }
    return open;
}
