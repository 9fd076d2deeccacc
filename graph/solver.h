/* A CDCL solver that takes a theory.
 *
 * Clauses over literals, two-watched literals with blockers, VSIDS, phase saving, Luby restarts, first-UIP
 * learning with minimisation, reduction of the learnt clauses by their number of levels (LBD), and a log from
 * which a proof can be written. A theory (graph/acyclic.h is one) sees every literal that becomes true, may
 * refuse with a clause, may imply others and explains them only when asked.
 *
 * The solver belongs to the pool that it was made in. It throws for limits, and keeps no state elsewhere.
 */
#ifndef ISOLAB_GRAPH_SOLVER_H
#define ISOLAB_GRAPH_SOLVER_H

#include "base/env.h"

typedef uint32_t iso_lit; /* 2 * variable, plus 1 where it is negated */
#define ISO_LIT_NONE UINT32_MAX
#define ISO_LIT_TRUE (UINT32_MAX - 1) /* in labels of a theory: always true. Never in clauses. */

static inline iso_lit iso_lit_of(uint32_t var, bool negated) { return 2 * var + negated; }
static inline iso_lit iso_lit_not(iso_lit l) { return l ^ 1; }
static inline uint32_t iso_lit_var(iso_lit l) { return l >> 1; }

typedef struct iso_solver iso_solver;

/* Clauses that a theory hands over are written to this growing array of the solver. */
typedef struct iso_lits {
    iso_lit *at;
    uint32_t n, room;
} iso_lits;

typedef struct iso_theory {
    void *arg;
    /* A decision level begins; all levels above `level` end. What was done on a level is undone with it. */
    void (*push)(void *arg);
    void (*pop)(void *arg, uint32_t level);
    /* The literal became true. May call iso_solver_imply(). On conflict returns false, with a clause of false
     * literals in out. */
    bool (*assign)(void *arg, iso_lit literal, iso_lits *out);
    /* Why was it implied? Writes a clause that has the literal, and otherwise literals that were false before
     * it was implied. */
    void (*explain)(void *arg, iso_lit literal, uint32_t token, iso_lits *out);
    /* Which literal of the variable to try first; ISO_LIT_NONE: the solver's saved phase. NULL: always so. */
    iso_lit (*polarity)(void *arg, uint32_t var);
} iso_theory;

/* What the log is told. Learnt clauses follow by unit propagation from all clauses before them and from the
 * theory's lemmas, which the theory itself logs (it knows why they hold). */
typedef enum { ISO_LOG_LEARNT, ISO_LOG_DELETED } iso_log_kind;
typedef void iso_log_fn(void *arg, iso_log_kind kind, const iso_lit *literals, uint32_t n);

typedef struct iso_solver_counts {
    uint64_t conflicts, theory_conflicts, decisions, propagations, theory_implied, restarts, learnt_literals,
        minimised_literals, deleted;
} iso_solver_counts;

typedef enum { ISO_SOLVER_UNSAT, ISO_SOLVER_SAT, ISO_SOLVER_OPEN } iso_solver_answer;

/* Decides instead of the solver's own activity: returns the next literal to make true, of a variable without a value;
 * ISO_LIT_NONE: enough is decided. Then solve answers SAT with variables that have no value. */
typedef iso_lit iso_decide_fn(void *arg);

iso_solver *iso_solver_new(iso_pool *pool);
void iso_solver_theory(iso_solver *s, const iso_theory *theory); /* before the first literal is assigned */
void iso_solver_log(iso_solver *s, iso_log_fn *log, void *arg);
void iso_solver_decider(iso_solver *s, iso_decide_fn *decide, void *arg);
/* Where a learnt clause says to go back more than this number of levels, only the last level is taken back, and the literal
 * learnt has a level below that of its place on the trail (chronological backtracking). For instances whose parts have
 * little to do with each other: decisions elsewhere stay. */
void iso_solver_stay(iso_solver *s, uint32_t levels);
/* The unit of Luby restarts, in conflicts. */
#define ISO_SOLVER_PATIENCE 100u /* unless told */
void iso_solver_patience(iso_solver *s, uint32_t conflicts);

uint32_t iso_solver_var(iso_solver *s); /* a new variable; numbers count from 0 */
uint32_t iso_solver_vars(const iso_solver *s);
void iso_solver_phase(iso_solver *s,
                      iso_lit literal); /* is tried first, until search has another value for its variable */
/* Adds a clause, between two calls of solve as well. False: the formula is unsatisfiable now. */
bool iso_solver_clause(iso_solver *s, const iso_lit *literals, uint32_t n);

/* conflicts: conflict limit, after which the answer is OPEN; 0 = none. May be called again. */
iso_solver_answer iso_solver_solve(iso_solver *s, uint64_t conflicts);

/* Takes all decisions back, as adding a clause does: no variable has its value of the last model then. */
void iso_solver_undo(iso_solver *s);

/* In a model (after SAT) and during search (for a theory): 1 true, -1 false, 0 not assigned. */
int iso_solver_value(const iso_solver *s, iso_lit literal);
uint32_t iso_solver_level(const iso_solver *s, uint32_t var); /* of an assigned variable */

/* For a theory, within assign: the literal must be true now. False: it is false already, which is a conflict
 * that the theory must explain instead. */
bool iso_solver_imply(iso_solver *s, iso_lit literal, uint32_t token);

iso_solver_counts iso_solver_counters(const iso_solver *s);

void iso_lits_add(iso_solver *s, iso_lits *list, iso_lit literal);

#endif
