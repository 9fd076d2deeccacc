/* The solver and its graph, as repairs use them. An atom becomes a variable when a clause with it is given to the
 * solver.
 *
 * The solver repairs: it decides a literal only to meet a clause that the current order does not meet. It takes the
 * clause that is earliest in the order first, and the edge whose events are nearest. When the order meets all clauses,
 * it is a solution, whatever the solver has decided. (A choice without a value is not made.) So a decision costs what
 * it moves, and a restart loses little, because the order stays. If this takes long, it takes turns with decisions by
 * activity. */
#ifndef ISOLAB_CHECKERS_STRONG_SOLVER_H
#define ISOLAB_CHECKERS_STRONG_SOLVER_H

#include "base/heap.h"
#include "checkers/strong/clauses.h"
#include "graph/acyclic.h"

/* The outcome of a search for an order. */
typedef enum {
    STRONG_FOUND,
    STRONG_NONE,   /* there is none, as was proved */
    STRONG_GAVE_UP /* a limit was reached: nothing is known */
} strong_answer;

typedef struct strong_limits {
    uint64_t conflicts; /* limit; 0 = none */
    uint64_t visits;    /* limit of vertices visited during reordering; 0 = none */
    uint64_t unmet;     /* limit of constraints that an order does not meet, smaller in every round; 0 = none */
    uint32_t stay;      /* a conflict that would undo more decisions than this undoes only the last one */
} strong_limits;

struct strong_link {
    uint32_t what, next, other; /* 2 * vertex, plus 1 if the edge ends there */
};

typedef struct strong_solver {
    const strong_clauses *clauses;
    const strong_limits *limits;
    const uint32_t *vertex; /* by event */
    uint32_t n_vertices;
    iso_solver *solver;
    iso_acyclic *graph;
    uint32_t *var; /* by atom; ISO_NONE: the solver does not have it yet */
    uint32_t n_var, var_room;
    uint32_t *of_var; /* by variable: its atom */
    uint32_t of_var_room;

    /* Repair: a heap of clauses that the order may not meet, the earliest one first. The clauses of each edge, and by
     * vertex the edges of clauses that begin or end there, as lists of links. */
    iso_heap unmet;
    uint64_t *place; /* by clause: where it began in the order when it entered the heap */
    uint8_t *waits;  /* by clause: it is in the heap */
    uint32_t waits_room;
    uint32_t *clauses_of, clauses_of_room, *edges_of; /* by edge, by vertex: the first link */
    uint8_t *agrees; /* by edge: the order has it; maintained for edges of the solver's clauses */
    uint32_t agrees_room;
    struct strong_link *link; /* a clause of an edge; an edge of a vertex, and the vertex at its other end */
    uint32_t n_links, links_room;
    const uint64_t *position; /* by vertex */
    bool repairs;             /* it is the turn of repair; otherwise of decisions by activity */
    uint64_t turn, turn_ends; /* in conflicts: the length of the turn, and the total number at its end */
    uint32_t *choosing, n_choosing,
        choosing_room; /* clauses of choices: no callback tells when a choice is made or undone */
} strong_solver;

void iso_strong_solver_init(strong_solver *s, const strong_clauses *clauses, const strong_limits *limits,
                            const uint32_t *vertex, uint32_t n_vertices);

/* Returns the variable of an atom. */
uint32_t iso_strong_solver_know(strong_solver *s, uint32_t atom);

/* Gives clauses to the solver and solves. Returns whether all clauses so far can be met. */
strong_answer iso_strong_solver_solve(strong_solver *s, const uint32_t *clause, uint32_t n);

#endif
