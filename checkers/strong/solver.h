/* The solver and its graph, as repairs use them: atoms become variables when a clause that speaks of them is given
 * to the solver.
 *
 * The solver repairs: a literal is decided only to meet a clause that the present order does not meet, by the edge
 * whose ends are nearest, the clause that is earliest in the order first. When the order meets all clauses, that is
 * a solution, whatever the solver has decided so far. (A choice without a value is not made.) So a decision costs
 * what it moves, and a restart loses little: the order stays. Where that takes long, it takes turns with decisions
 * by activity. */
#ifndef ISOLAB_CHECKERS_STRONG_SOLVER_H
#define ISOLAB_CHECKERS_STRONG_SOLVER_H

#include "base/heap.h"
#include "checkers/strong/clauses.h"
#include "graph/acyclic.h"

/* What looking for an order ends with. */
typedef enum {
    STRONG_FOUND,
    STRONG_NONE,   /* there is none: proved */
    STRONG_GAVE_UP /* a limit was reached: nothing is known */
} strong_answer;

typedef struct strong_limits {
    uint64_t conflicts; /* limit; 0 = none */
    uint64_t visits;    /* limit of vertices visited where the order changes; 0 = none */
    uint64_t unmet;     /* limit of constraints that an order does not meet, less every round; 0 = none */
    uint32_t stay;      /* a conflict that would take back more decisions takes back the last one alone */
} strong_limits;

struct strong_link {
    uint32_t what, next, other; /* 2 * vertex, plus 1 where the edge ends there */
};

typedef struct strong_solver {
    const strong_clauses *clauses;
    const strong_limits *limits;
    const uint32_t *vertex; /* by event */
    uint32_t n_vertices;
    iso_solver *solver;
    iso_acyclic *graph;
    uint32_t *var; /* by atom; ISO_NONE: the solver does not know it yet */
    uint32_t n_var, var_room;
    uint32_t *of_var; /* by variable: its atom */
    uint32_t of_var_room;

    /* Repair: clauses that the order may not meet, in a heap, the earliest one first. Which clauses an
     * edge is in, and by vertex the edges of clauses that begin or end there, as lists of links. */
    iso_heap unmet;
    uint64_t *place; /* by clause: where it began in the order, when it came */
    uint8_t *waits;  /* by clause: it is among them */
    uint32_t waits_room;
    uint32_t *clauses_of, clauses_of_room, *edges_of; /* by edge, by vertex: the first link */
    uint8_t *agrees; /* by edge: the order does; kept for edges of clauses that the solver has */
    uint32_t agrees_room;
    struct strong_link *link; /* a clause of an edge; an edge, and the vertex at its other end, of a vertex */
    uint32_t n_links, links_room;
    const uint64_t *position; /* by vertex */
    bool repairs;             /* it is the turn of that; else of decisions by activity */
    uint64_t turn, turn_ends; /* in conflicts: how many it has, and after how many in all */
    uint32_t *choosing, n_choosing,
        choosing_room; /* clauses of choices: no call tells when one is made or taken back */
} strong_solver;

void iso_strong_solver_init(strong_solver *s, const strong_clauses *clauses, const strong_limits *limits,
                            const uint32_t *vertex, uint32_t n_vertices);

/* The variable of an atom. */
uint32_t iso_strong_solver_know(strong_solver *s, uint32_t atom);

/* Gives clauses to the solver and solves: can all clauses so far be met? */
strong_answer iso_strong_solver_solve(strong_solver *s, const uint32_t *clause, uint32_t n);

#endif
