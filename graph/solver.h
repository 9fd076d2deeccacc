/* A CDCL solver that takes a theory.
 *
 * Clauses over literals, two watched literals with blockers, VSIDS, phase saving, Luby restarts, first-UIP learning
 * with minimisation, dropping of learnt clauses by their number of levels (LBD), and a log from which a proof can be
 * written. A theory (for example graph/acyclic.h) sees every literal that becomes true. It may answer with a conflict
 * clause, and it may imply literals, which it explains only when asked.
 *
 * The solver belongs to the pool in which it was made. It throws when a limit is reached, and has no global state. */
#ifndef ISOLAB_GRAPH_SOLVER_H
#define ISOLAB_GRAPH_SOLVER_H

#include "base/env.h"

typedef uint32_t iso_lit; /* 2 * variable, plus 1 if it is negated */
#define ISO_LIT_NONE UINT32_MAX
#define ISO_LIT_TRUE (UINT32_MAX - 1) /* a label of theories that is always true; never in clauses */

static inline iso_lit iso_lit_of(uint32_t var, bool negated) { return 2 * var + negated; }
static inline iso_lit iso_lit_not(iso_lit l) { return l ^ 1; }
static inline uint32_t iso_lit_var(iso_lit l) { return l >> 1; }

typedef struct iso_solver iso_solver;

/* A growing array of the solver, to which a theory writes clauses. */
typedef struct iso_lits {
    iso_lit *at;
    uint32_t n, room;
} iso_lits;

typedef struct iso_theory {
    void *arg;
    /* push: a decision level begins. pop: all levels above `level` end; undo what was done on them. */
    void (*push)(void *arg);
    void (*pop)(void *arg, uint32_t level);
    /* The literal became true. May call iso_solver_imply(). On conflict, writes a clause of false literals to out and
     * returns false. */
    bool (*assign)(void *arg, iso_lit literal, iso_lits *out);
    /* Explains an implied literal: writes a clause of this literal and literals that were false before it was
     * implied. */
    void (*explain)(void *arg, iso_lit literal, uint32_t token, iso_lits *out);
    /* Returns the literal of the variable to try first; ISO_LIT_NONE: use the saved phase. NULL: always use the saved
     * phase. */
    iso_lit (*polarity)(void *arg, uint32_t var);
} iso_theory;

/* The events of the log. A learnt clause follows by unit propagation from all clauses before it and from the theory's
 * lemmas, which the theory logs itself, since it knows why they hold. */
typedef enum { ISO_LOG_LEARNT, ISO_LOG_DELETED } iso_log_kind;
typedef void iso_log_fn(void *arg, iso_log_kind kind, const iso_lit *literals, uint32_t n);

typedef struct iso_solver_counts {
    uint64_t conflicts, theory_conflicts, decisions, propagations, theory_implied, restarts, learnt_literals,
        minimised_literals, deleted;
} iso_solver_counts;

typedef enum { ISO_SOLVER_UNSAT, ISO_SOLVER_SAT, ISO_SOLVER_UNKNOWN } iso_solver_answer;

/* Decides in place of the solver's own activity: returns the next literal to make true, of a variable without a value;
 * ISO_LIT_NONE: no further decision is needed. Then solve answers SAT, and some variables have no value. */
typedef iso_lit iso_decide_fn(void *arg);

iso_solver *iso_solver_new(iso_pool *pool);
void iso_solver_theory(iso_solver *s, const iso_theory *theory); /* call it before the first literal is assigned */
void iso_solver_log(iso_solver *s, iso_log_fn *log, void *arg);
void iso_solver_decider(iso_solver *s, iso_decide_fn *decide, void *arg);
/* Chronological backtracking: if a learnt clause allows a jump of more than this number of levels, only the last level
 * is undone, and the learnt literal's level is below that of its place on the trail. For instances of nearly
 * independent parts: decisions about the other parts stay. */
void iso_solver_stay(iso_solver *s, uint32_t levels);
/* The unit of Luby restarts, in conflicts. */
#define ISO_SOLVER_PATIENCE 100u /* the default */
void iso_solver_patience(iso_solver *s, uint32_t conflicts);

uint32_t iso_solver_var(iso_solver *s); /* adds a variable and returns its number, from 0 */
uint32_t iso_solver_vars(const iso_solver *s);
/* Adds a clause; also allowed between two calls of solve. Returns false if the formula is now unsatisfiable. */
bool iso_solver_clause(iso_solver *s, const iso_lit *literals, uint32_t n);

/* conflicts: conflict limit, after which the answer is OPEN; 0 = none. May be called repeatedly. */
iso_solver_answer iso_solver_solve(iso_solver *s, uint64_t conflicts);

/* Undoes all decisions, as adding a clause does: the variables lose the values of the last model. */
void iso_solver_undo(iso_solver *s);

/* Returns 1 for true, -1 for false, 0 for no value: in a model (after SAT), or during search (for a theory). */
int iso_solver_value(const iso_solver *s, iso_lit literal);
uint32_t iso_solver_level(const iso_solver *s, uint32_t var); /* of a variable that has a value */

/* For a theory, during assign: makes the literal true. Returns false if it is already false, a conflict that the theory
 * must then explain. */
bool iso_solver_imply(iso_solver *s, iso_lit literal, uint32_t token);

iso_solver_counts iso_solver_counters(const iso_solver *s);

void iso_lits_add(iso_solver *s, iso_lits *list, iso_lit literal);

#endif
