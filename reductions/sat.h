/* Formulas in conjunctive normal form, and the histories that stand for them. */
#ifndef ISOLAB_REDUCTIONS_SAT_H
#define ISOLAB_REDUCTIONS_SAT_H

#include "base/random.h"
#include "history/builder.h"

/* Literals as in DIMACS: x and -x, variables from 1. Clause c is literal[first[c] .. first[c + 1]). */
typedef struct iso_cnf {
    uint32_t n_vars, n_clauses, n_literals;
    uint32_t *first;
    int32_t *literal;
} iso_cnf;

iso_cnf iso_cnf_load(iso_pool *pool, const char *path); /* from DIMACS; throws ISOLAB_E_INPUT with the line */
iso_cnf iso_cnf_random(iso_pool *pool, uint32_t vars, uint32_t clauses, uint32_t width, iso_rng *rng);
bool iso_cnf_solve(iso_env *env, const iso_cnf *f,
                   bool *value); /* by CaDiCaL; if satisfiable, value has the assignment by
                                                                  * variable */

typedef enum { ISO_SAT_UNIQUE, ISO_SAT_MINI, ISO_SAT_PRINTED } iso_cnf_construction;

/* The transactions: A and B by variable, the others by occurrence of a literal; ISO_NONE: none. */
typedef struct iso_cnf_txns {
    uint32_t *a, *b, *w, *y, *z, *relay, *q;
} iso_cnf_txns;

/* The numbers are those of the builder and of the finished history, since transactions are added session by session. */
iso_cnf_txns iso_cnf_build(iso_pool *pool, const iso_cnf *f, iso_cnf_construction construction, iso_builder *b);

bool iso_cnf_holds(const iso_cnf *f, const bool *value);

/* Turn a commit order into an assignment, and a satisfying assignment into a serial order (returns its length). */
void iso_cnf_assignment(const iso_cnf *f, const iso_cnf_txns *t, iso_pool *scratch, const uint32_t *order, uint32_t n,
                        bool *value);
uint32_t iso_cnf_order(const iso_cnf *f, const iso_cnf_txns *t, iso_pool *scratch, const bool *value, uint32_t *order);

#endif
