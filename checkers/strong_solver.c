/* See strong_solver.h. */
#include "checkers/strong_solver.h"

#include <string.h>

void strong_solver_init(strong_solver *s, const strong_open *open, const uint32_t *vertex, uint32_t n_vertices) {
    memset(s, 0, sizeof *s);
    s->open = open;
    s->vertex = vertex;
    s->solver = iso_solver_new(open->pool);
    s->graph = iso_acyclic_new(open->pool, s->solver, n_vertices);
    iso_acyclic_options(s->graph, true, true);
}

static uint32_t var_of(const strong_solver *s, uint32_t e) { return e < s->n_var ? s->var[e] : ISO_NONE; }

static bool holds(const strong_solver *s, uint32_t literal) {
    const strong_edge *e = &s->open->edge[literal / 2];
    bool positive;
    if (e->kind == ISO_EDGE_KINDS) {
        uint32_t var = var_of(s, literal / 2);
        positive = var != ISO_NONE && iso_solver_value(s->solver, iso_lit_of(var, false)) > 0;
    } else {
        positive = iso_acyclic_position(s->graph, s->vertex[e->from]) <
                   iso_acyclic_position(s->graph, s->vertex[e->to]);
    }
    return positive == (literal % 2 == 0);
}

uint32_t strong_solver_met_by(const strong_solver *s, uint32_t c) {
    for (uint32_t i = s->open->clause[c]; i < s->open->clause[c + 1]; i++) {
        if (holds(s, s->open->literal[i])) {
            return s->open->literal[i];
        }
    }
    return ISO_NONE;
}

uint32_t strong_solver_know(strong_solver *s, uint32_t e) {
    while (s->n_var <= e) {
        ISO_GROW(s->open->pool, s->var, s->n_var, s->var_room);
        s->var[s->n_var++] = ISO_NONE;
    }
    if (s->var[e] != ISO_NONE) {
        return s->var[e];
    }
    const strong_edge *edge = &s->open->edge[e];
    s->var[e] = iso_solver_var(s->solver);
    ISO_GROW(s->open->pool, s->of_var, s->var[e], s->of_var_room);
    s->of_var[s->var[e]] = e;
    if (edge->kind != ISO_EDGE_KINDS) {
        iso_acyclic_arc(s->graph, (iso_arc){s->vertex[edge->from], s->vertex[edge->to], iso_lit_of(s->var[e], false),
                                            ISO_LIT_TRUE, e});
    }
    return s->var[e];
}

static bool add_clauses(strong_solver *s, const uint32_t *clause, uint32_t n) {
    const strong_open *p = s->open;
    uint32_t *literal = NULL, room = 0;
    bool open = true;
    for (uint32_t j = 0; open && j < n; j++) {
        iso_tick(p->pool->env);
        uint32_t size = 0;
        for (uint32_t i = p->clause[clause[j]]; i < p->clause[clause[j] + 1]; i++) {
            ISO_GROW(p->pool, literal, size, room);
            uint32_t l = p->literal[i];
            literal[size++] = iso_lit_of(s->var[l / 2], l % 2 != 0);
        }
        open = iso_solver_clause(s->solver, literal, size);
    }
    iso_free(p->pool, literal);
    return open;
}

bool strong_solver_solve(strong_solver *s, const uint32_t *clause, uint32_t n) {
    const strong_open *p = s->open;
    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t i = p->clause[clause[j]]; i < p->clause[clause[j] + 1]; i++) {
            strong_solver_know(s, p->literal[i] / 2);
        }
    }
    return iso_acyclic_ready(s->graph) && add_clauses(s, clause, n) &&
           iso_solver_solve(s->solver, 0) == ISO_SOLVER_SAT;
}

void strong_solver_take(const strong_solver *s, strong_order *o, strong_model *m) {
    const strong_open *p = s->open;
    uint8_t *taken = ISO_ZNEW(p->pool, uint8_t, p->n_edges);
    for (uint32_t c = 0; c < p->n_clauses; c++) {
        uint32_t literal = strong_solver_met_by(s, c);
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
