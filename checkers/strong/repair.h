/* Repairing an order: the loop that finds one which meets every constraint.
 *
 * Constraints are never listed. A walk along an order of the vertices finds the ones that it does not meet, and adds a
 * clause for each. The solver (solver.h) changes the order until these clauses are met, which breaks other constraints;
 * the next walk finds those, and so on, until a walk finds none. There are two walks: an execution of the history
 * (execute.c), and one along the events of the model (search.c). */
#ifndef ISOLAB_CHECKERS_STRONG_REPAIR_H
#define ISOLAB_CHECKERS_STRONG_REPAIR_H

#include "checkers/strong/solver.h"
#include "checkers/strong/strong.h"

/* Clauses that one read contributes to a round, at most: more of them make fewer, longer rounds. */
#define STRONG_AT_ONCE 4

typedef struct strong_repair {
    strong_clauses clauses;
    strong_solver solver;
    strong_limits limits;
    uint32_t *added, n_added, added_room; /* clauses that the solver does not know yet */
    uint64_t rounds, tried;               /* walks; clauses that the solver was given */
    /* Literals that the graph implies are looked for once there is a conflict for this many clauses; 0: always. Below
     * that it costs more than it saves. */
    uint32_t clauses_a_conflict;
    struct strong_proof *proof;       /* its log (proof.h); NULL: none is wanted */
    const struct strong_hints *hints; /* solves the constraints of these alone, and walks never; NULL: of all */
} strong_repair;

void iso_strong_repair_init(strong_repair *r, iso_pool *pool, const strong_options *options);

/* Limits of a guess of this many vertices: it is given up where saturation is faster. */
void iso_strong_give_up_early(strong_repair *r, uint32_t vertices);

/* Begins with vertex i at place i: see solver.h. */
void iso_strong_repair_begin(strong_repair *r, const uint32_t *vertex, uint32_t n_vertices);

/* Adds a clause for each constraint that the order of the graph does not meet, or for the first ones of more than
 * iso_strong_most_unmet(). unmet: how many constraints, or reads, these are. STRONG_NONE: one of them is met by no
 * order; STRONG_FOUND: it may go on. */
typedef strong_answer strong_walk(void *arg, uint32_t *unmet);
uint64_t iso_strong_most_unmet(const strong_repair *r);

strong_answer iso_strong_repair(strong_repair *r, strong_walk *walk, void *arg);

/* Clauses: ends the one that was built (clauses.h); unless `unless` (an atom, or ISO_NONE) is false, edge a (NULL:
 * impossible) or edge b; one of the atoms [first, end) where `where` (an atom, or ISO_NONE) is true; where a choice is
 * made, the writer is before the reader. */
void iso_strong_end_clause(strong_repair *r, strong_hint why);
void iso_strong_meet(strong_repair *r, uint32_t unless, const strong_atom *a, const strong_atom *b, strong_hint why);
void iso_strong_one_of(strong_repair *r, uint32_t where, uint32_t first, uint32_t end);
void iso_strong_choice_reads(strong_repair *r, uint32_t choice);

/* Is an atom that the solver knows true? */
bool iso_strong_is_true(const strong_repair *r, uint32_t atom);

/* Counters of the result: what was open, and what the solver did. */
void iso_strong_repair_count(const strong_repair *r, iso_result *result);

#endif
