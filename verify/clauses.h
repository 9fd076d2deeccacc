/* Clauses and what follows from them by unit propagation: the engine under clausal proofs. Literals are those of
 * DIMACS. What is unit stays true for good; a lemma is tested by assuming that it is false. */
#ifndef ISOLAB_VERIFY_CLAUSES_H
#define ISOLAB_VERIFY_CLAUSES_H

#include "base/env.h"

typedef struct iso_clauses iso_clauses;

iso_clauses *iso_clauses_new(iso_pool *pool);
int iso_clauses_var(iso_clauses *c); /* a new variable, from 1 */

/* Believes a clause. */
void iso_clauses_add(iso_clauses *c, const int *literals, uint32_t n);

/* Does the clause follow by unit propagation (RUP)? */
bool iso_clauses_follows(iso_clauses *c, const int *literals, uint32_t n);

/* Has propagation found a contradiction? */
bool iso_clauses_refuted(const iso_clauses *c);

#endif
