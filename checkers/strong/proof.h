/* Clausal proofs of what `strong` refutes by narrowing repeated values or by search (certificates/proof.h).
 *
 * The search (search.c) runs again over the history as it was read. Every clause that it gives to the solver, every
 * cycle of the theory and every learnt clause becomes a line; trimming keeps the lines that are needed. So a proof
 * needs no result of saturation.
 *
 * The reported anomaly is the mildest of the cases that fail (proof_cases.c). */
#ifndef ISOLAB_CHECKERS_STRONG_PROOF_H
#define ISOLAB_CHECKERS_STRONG_PROOF_H

#include "certificates/proof.h"
#include "checkers/strong/solver.h"

typedef struct strong_proof strong_proof;

/* The search calls these; they do nothing if the proof is NULL. */
void iso_strong_proof_follow(strong_proof *proof, strong_solver *s, const uint32_t *event_of);
void iso_strong_proof_read(strong_proof *proof, uint32_t op, uint32_t w1, uint32_t w2); /* slots; w1: also ISO_INIT */
void iso_strong_proof_choice(strong_proof *proof, uint32_t op, bool any); /* any: some candidate is possible */

/* Adds a line of a rule of two operations (certificates/proof.h). */
typedef void strong_rule(iso_proof *out, uint32_t a, uint32_t b);
void iso_strong_proof_rule(strong_proof *proof, strong_rule *rule, uint32_t a, uint32_t b);

/* Returns the tag of a permanent arc: its kind, as in strong_each_out(). */
uint32_t iso_strong_arc_tag(uint32_t read, uint32_t edge);

#endif
