/* Clausal proofs of what `strong` refutes by narrowing repeated values or by search (checkers/proof.h).
 *
 * The search (search.c) is run once more over the history as it was read, and every clause that it gives to the
 * solver becomes a line, every cycle of the theory and every learnt clause too; trimming leaves the lines that
 * are needed. So a proof needs nothing of what saturation found out.
 *
 * The anomaly that is reported is the least bad of the cases that fail (proof_cases.c).
 */
#ifndef ISOLAB_CHECKERS_STRONG_PROOF_H
#define ISOLAB_CHECKERS_STRONG_PROOF_H

#include "checkers/strong/solver.h"

typedef struct strong_proof strong_proof;

/* Told by the search; nothing is done where the proof is NULL. */
void iso_strong_proof_follow(strong_proof *proof, strong_solver *s, const uint32_t *event_of);
void iso_strong_proof_read(strong_proof *proof, uint32_t op, uint32_t w1, uint32_t w2); /* slots; w1: ISO_INIT too */
void iso_strong_proof_writers(strong_proof *proof, uint32_t w1, uint32_t w2);
void iso_strong_proof_choice(strong_proof *proof, uint32_t op, bool any); /* any: some candidate is possible */
void iso_strong_proof_part(strong_proof *proof, uint32_t op, uint32_t w1);
void iso_strong_proof_wr(strong_proof *proof, uint32_t op, uint32_t w1);
void iso_strong_proof_shown(strong_proof *proof, uint32_t op, uint32_t element);
void iso_strong_proof_torn(strong_proof *proof, uint32_t op, uint32_t append);

/* The tag of a permanent arc: what it is, as strong_each_out() says it. */
uint32_t iso_strong_arc_tag(uint32_t read, uint32_t edge);

#endif
