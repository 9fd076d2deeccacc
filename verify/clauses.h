/* Clauses and unit propagation, the basis of clausal proofs. Literals are written as in DIMACS. An implied literal
 * stays true permanently; a lemma is tested by assuming its negation. */
#ifndef ISOLAB_VERIFY_CLAUSES_H
#define ISOLAB_VERIFY_CLAUSES_H

#include "base/env.h"

typedef struct iso_clauses iso_clauses;

iso_clauses *iso_clauses_new(iso_pool *pool);
int iso_clauses_var(iso_clauses *c); /* adds a variable and returns its number, from 1 */

/* Adds a clause without a test. */
void iso_clauses_add(iso_clauses *c, const int *literals, uint32_t n);

/* Returns whether the clause follows by unit propagation (RUP). */
bool iso_clauses_follows(iso_clauses *c, const int *literals, uint32_t n);

/* Returns whether propagation has found a contradiction. */
bool iso_clauses_refuted(const iso_clauses *c);

#endif
