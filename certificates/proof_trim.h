/* Which lines of a clausal proof does its contradiction need?
 *
 * Forwards all clauses are taken in until unit propagation finds a contradiction; backwards each lemma that is needed
 * is checked again over the clauses before it, and marks the clauses that its own check needs (Heule, Hunt and Wetzler,
 * Trimming while checking clausal proofs). The marked clauses are usually a small part of what a search wrote down. */
#ifndef ISOLAB_CERTIFICATES_PROOF_TRIM_H
#define ISOLAB_CERTIFICATES_PROOF_TRIM_H

#include "base/env.h"

typedef enum { ISO_CLAUSE_RULE, ISO_CLAUSE_LEMMA, ISO_CLAUSE_TRUE } iso_clause_kind;

/* Clause i is [first[i], first[i + 1]) of literals, which are variables from 1 to n_vars, negated by minus. Those
 * of kind TRUE are left out. */
typedef struct iso_clause_list {
    const uint32_t *first;
    const int *literals;
    const uint8_t *kind;
    uint32_t n, n_vars;
} iso_clause_list;

/* needed: by clause. Returns false when there is no contradiction, or a lemma does not follow; then needed is of no
 * use. */
bool iso_proof_trim(iso_pool *scratch, const iso_clause_list *clauses, uint8_t *needed);

#endif
