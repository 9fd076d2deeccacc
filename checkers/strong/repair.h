/* Repairing an order: the loop that finds an order which meets every constraint.
 *
 * Constraints are never listed. A walk along an order of the vertices finds the constraints that it does not meet, and
 * adds a clause for each. The solver (solver.h) changes the order until these clauses are met, which breaks other
 * constraints; the next walk finds those, and so on, until a walk finds none. There are two kinds of walk: an execution
 * of the history (execute.c), and a walk along the events of the model (search.c). */
#ifndef ISOLAB_CHECKERS_STRONG_REPAIR_H
#define ISOLAB_CHECKERS_STRONG_REPAIR_H

#include "base/assert.h"
#include "certificates/proof.h"
#include "checkers/strong/solver.h"
#include "checkers/strong/strong.h"

/* Limit of clauses that one read adds in a round: more clauses make fewer, longer rounds. */
#define STRONG_AT_ONCE 4

typedef struct strong_proof strong_proof;

typedef struct strong_repair {
    strong_clauses clauses;
    strong_solver solver;
    strong_limits limits;
    uint32_t *added, n_added, added_room; /* clauses that the solver does not have yet */
    uint64_t rounds, tried;               /* walks; clauses that the solver was given */
    /* Theory propagation is turned on after there is one conflict for this many clauses; 0: always on. Below that
     * number it costs more than it saves. */
    uint32_t clauses_a_conflict;
    strong_proof *proof;       /* its log; NULL: no proof is needed */
    const strong_hints *hints; /* solve only the constraints of these hints, without walks; NULL: all
                                       * constraints */
} strong_repair;

void iso_strong_repair_init(strong_repair *r, iso_pool *pool);

/* Sets limits of a guess with this many vertices: it is given up when saturation is faster. */
void iso_strong_give_up_early(strong_repair *r, uint32_t vertices);

/* Begins with vertex i at place i: see solver.h. */
void iso_strong_repair_begin(strong_repair *r, const uint32_t *vertex, uint32_t n_vertices);

/* Adds a clause for each constraint that the order of the graph does not meet, or only for the first ones if there are
 * more than iso_strong_most_unmet(). unmet: the number of these constraints or reads. Returns STRONG_NONE if no order
 * meets one of them, and STRONG_FOUND if the loop may continue. */
typedef strong_answer strong_walk(void *arg, uint32_t *unmet);
uint64_t iso_strong_most_unmet(const strong_repair *r);

strong_answer iso_strong_repair(strong_repair *r, strong_walk *walk, void *arg);

/* Searches for an order of all events of the model that meets all constraints (search.c), beginning with that of a
 * replay. If it is found, by_rank has the events in that order, in the pool of the
 * repair, which must be initialised by iso_strong_repair_init(). */
strong_answer iso_strong_find_order(strong *s, strong_repair *r, uint32_t **by_rank);

/* Clauses. The first function ends the clause that was built (solver.h). The others add: unless `unless` (an atom, or
 * ISO_NONE) is false, edge a (NULL: impossible) or edge b; one of the atoms [first, end) if `where` (an atom, or
 * ISO_NONE) is true; if a choice is made, the writer is before the reader. */
void iso_strong_end_clause(strong_repair *r, strong_hint why);
void iso_strong_meet(strong_repair *r, uint32_t unless, const strong_atom *a, const strong_atom *b, strong_hint why);
void iso_strong_one_of(strong_repair *r, uint32_t where, uint32_t first, uint32_t end);
void iso_strong_choice_reads(strong_repair *r, uint32_t choice);

/* Returns whether an atom of the solver is true. */
bool iso_strong_is_true(const strong_repair *r, uint32_t atom);

/* Adds counters to the result: undecided constraints, and the work of the solver. */
void iso_strong_repair_count(const strong_repair *r, iso_result *result);

/* ---- optional transactions (optional.c) ---- */

typedef struct strong_optional {
    const strong_model *m;
    strong_repair *r;
    uint32_t first; /* atom of the first optional transaction, m->n_included */
} strong_optional;

static inline uint32_t strong_inclusion(const strong_optional *p, uint32_t t) {
    iso_assert(t >= p->m->n_included);
    return p->first + (t - p->m->n_included);
}

/* Make the atoms, the arcs that hold if a transaction is included, and the clauses of its list reads. sessions: session
 * order holds. There are two functions because choices are numbered between them. */
void iso_strong_optional_begin(strong_optional *p, strong_repair *r, const strong_model *m, bool sessions);
void iso_strong_optional_lists(const strong_optional *p);

/* Returns whether optional transaction t is included in the order with which the solver ended. */
bool iso_strong_is_included(const strong_optional *p, uint32_t t);

/* Moves optional transactions next to their session predecessors: a replay does not know these edges, and the solver
 * would have to move each transaction over a long distance. */
void iso_strong_optional_place(const strong_model *m, iso_pool *pool, uint32_t *by_rank, uint32_t n_events);

/* ---- clausal proofs (proof.c) ---- */

/* The search calls these; they do nothing if the proof is NULL. */
void iso_strong_proof_follow(strong_proof *proof, strong_solver *s, const uint32_t *event_of);
void iso_strong_proof_read(strong_proof *proof, uint32_t op, uint32_t w1, uint32_t w2); /* slots; w1: also ISO_INIT */
void iso_strong_proof_choice(strong_proof *proof, uint32_t op, bool any); /* any: some candidate is possible */

/* Adds a line of a rule of two operations (certificates/proof.h). */
typedef void strong_rule(iso_proof *out, uint32_t a, uint32_t b);
void iso_strong_proof_rule(strong_proof *proof, strong_rule *rule, uint32_t a, uint32_t b);

#endif
