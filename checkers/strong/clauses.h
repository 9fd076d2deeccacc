/* Clauses over unknown facts: the order of two events, the writer of a read, whether a transaction is included. */
#ifndef ISOLAB_CHECKERS_STRONG_CLAUSES_H
#define ISOLAB_CHECKERS_STRONG_CLAUSES_H

#include "base/index.h"
#include "checkers/strong/hints.h"

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

/* The atom of an edge. */
static inline strong_atom strong_edge_atom(uint32_t from, uint32_t to, uint32_t op, uint32_t slot, iso_edge_kind edge) {
    return (strong_atom){from, to, op, slot, STRONG_EDGE, (uint8_t)edge};
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

#endif
