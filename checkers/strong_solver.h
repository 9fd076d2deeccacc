/* The solver and its graph, as both searches use them: edges and choices become variables when a clause that
 * speaks of them is given to the solver. */
#ifndef ISOLAB_CHECKERS_STRONG_SOLVER_H
#define ISOLAB_CHECKERS_STRONG_SOLVER_H

#include "checkers/strong_search.h"
#include "graph/acyclic.h"

typedef struct strong_solver {
    const strong_open *open;
    const uint32_t *vertex; /* by event */
    iso_solver *solver;
    iso_acyclic *graph;
    uint32_t *var; /* by edge or choice; ISO_NONE: the solver does not know it yet */
    uint32_t n_var, var_room;
    uint32_t *of_var; /* by variable: its edge or choice */
    uint32_t of_var_room;
} strong_solver;

void strong_solver_init(strong_solver *s, const strong_open *open, const uint32_t *vertex, uint32_t n_vertices);

/* The variable of an edge or choice. */
uint32_t strong_solver_know(strong_solver *s, uint32_t edge);

/* Does clause c hold, in the order of the moment and, for choices, the last model? The literal it holds by, or
 * ISO_NONE. */
uint32_t strong_solver_met_by(const strong_solver *s, uint32_t clause);

/* Gives clauses to the solver and solves. False: they cannot be met. */
bool strong_solver_solve(strong_solver *s, const uint32_t *clause, uint32_t n);

/* Every clause holds: adds the edge that each one holds by to the order, and puts choices into the model. */
void strong_solver_take(const strong_solver *s, strong_order *o, strong_model *m);

#endif
