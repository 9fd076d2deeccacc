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
#include "base/index.h"
#include "checkers/strong/hints.h"
#include "graph/acyclic.h"

/* ---- clauses over unknown facts: the order of two events, the writer of a read, whether a transaction is included
 * ---- */

/* An atom is a statement that is true or false. */
typedef enum {
    STRONG_EDGE, /* event `from` is before event `to`; `edge` says why (ISO_EDGE_...), `op` and `slot` as in order.h */
    STRONG_CHOICE, /* read `op`, at event `to`, reads from slot `slot`, committed by event `from` (ISO_NONE: initial) */
    STRONG_INCLUDED, /* optional transaction `from` is included */
    STRONG_LABEL     /* names an arc of the graph, and has no variable */
} strong_atom_kind;

typedef struct strong_atom {
    uint32_t from, to, op, slot;
    uint8_t kind, edge;
} strong_atom;

static inline strong_atom strong_edge_atom(strong_edge e) {
    return (strong_atom){e.from, e.to, e.op, e.slot, STRONG_EDGE, e.kind};
}

typedef uint32_t strong_literal; /* 2 * number of an atom, plus 1 if it is negated */
static inline strong_literal strong_yes(uint32_t atom) { return 2 * atom; }
static inline strong_literal strong_no(uint32_t atom) { return 2 * atom + 1; }
static inline uint32_t strong_atom_of(strong_literal l) { return l / 2; }
static inline bool strong_negated(strong_literal l) { return l % 2 != 0; }

typedef struct strong_clauses {
    iso_pool *pool;
    strong_atom *atom; /* by number */
    uint32_t n_atoms, atoms_room;
    iso_index edges; /* atoms of edges, by their two events */
    strong_literal *literal;
    uint32_t *first; /* clause i is [first[i], first[i+1]) of literal */
    uint32_t n, first_room, n_literals, literals_room;
    strong_hint *why; /* by clause: the constraint that it expresses (w2 ISO_NONE: none) */
    uint32_t why_room;
} strong_clauses;

void iso_strong_clauses_init(strong_clauses *c, iso_pool *pool);

/* Return the number of a new atom, and of the atom of an edge: an equal edge has the same number, and keeps its first
 * reason. */
uint32_t iso_strong_atom(strong_clauses *c, strong_atom atom);
uint32_t iso_strong_edge(strong_clauses *c, strong_atom edge);

/* A clause is built literal by literal. The second function ends it and returns its number. */
void iso_strong_literal(strong_clauses *c, strong_literal literal);
uint32_t iso_strong_clause(strong_clauses *c, strong_hint why);

#define STRONG_NO_HINT ((strong_hint){ISO_NONE, ISO_NONE, ISO_NONE})

/* ---- the solver ---- */

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
