/* Finds the lines of a clausal proof that its contradiction needs.
 *
 * The forward pass adds all clauses until unit propagation finds a contradiction. The backward pass checks each needed
 * lemma again against the clauses before it, and marks the clauses that this check needs (Heule, Hunt and Wetzler,
 * Trimming while checking clausal proofs). The marked clauses are usually a small part of what the search logged. */
#ifndef ISOLAB_CERTIFICATES_PROOF_TRIM_H
#define ISOLAB_CERTIFICATES_PROOF_TRIM_H

#include "base/env.h"

typedef enum { ISO_CLAUSE_RULE, ISO_CLAUSE_LEMMA, ISO_CLAUSE_TRUE } iso_clause_kind;

/* Clause i has the literals [first[i], first[i + 1]): variables from 1 to n_vars, negated by minus. Clauses of kind
 * TRUE are ignored. */
typedef struct iso_clause_list {
    const uint32_t *first;
    const int *literals;
    const uint8_t *kind;
    uint32_t n, n_vars;
} iso_clause_list;

/* Sets needed[i] for each clause that the contradiction needs. Returns false if there is no contradiction or a lemma
 * does not follow; then `needed` has no meaning. */
bool iso_proof_trim(iso_pool *scratch, const iso_clause_list *clauses, uint8_t *needed);

#endif
