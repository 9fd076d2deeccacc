/* Makes a clausal proof in the format of docs/certificates.md: that no order of points satisfies pc, si, ser
 * or sser, or that no commit order satisfies a level. Shared by checkers; it knows the format and nothing of
 * how a contradiction was found.
 *
 * A point is a transaction of the history for ser and sser; for pc and si 2 t is the start of t, and 2 t + 1
 * its commit. Literals are those of the proof's atoms; negate by minus. Lines that were added before are not
 * repeated. At the end only lines that the contradiction needs are written (proof_trim.h). */
#ifndef ISOLAB_CERTIFICATES_PROOF_H
#define ISOLAB_CERTIFICATES_PROOF_H

#include "checkers/result.h"
#include "graph/solver.h"

typedef struct iso_proof iso_proof;

iso_proof *iso_proof_new(iso_pool *pool, const isolab_history *h, iso_level level);

/* For every level: points are transactions, the order is the commit order, and the level's own rules hold of it. */
iso_proof *iso_proof_commits(iso_pool *pool, const isolab_history *h, iso_level level);

/* Atoms. */
int iso_proof_before(iso_proof *p, uint32_t point, uint32_t later); /* of two transactions */
int iso_proof_took(iso_proof *p, uint32_t read, uint32_t write);    /* write: ISO_INIT too */
int iso_proof_in(iso_proof *p, uint32_t txn);

/* Rules, each a clause that the verifier makes by itself. took(r, w) is true without an atom where r is of a
 * committed transaction and nothing but w was possible; in(t) where t is committed. */
void iso_proof_so(iso_proof *p, uint32_t t, uint32_t u);  /* in(t) => t before u */
void iso_proof_rt(iso_proof *p, uint32_t t, uint32_t u);  /* the same by real time (sser) */
void iso_proof_wr(iso_proof *p, uint32_t r, uint32_t w);  /* took(r, w) => its transaction before the reader */
void iso_proof_ww(iso_proof *p, uint32_t w, uint32_t w2); /* si: one of the two comes first */
void iso_proof_rw(iso_proof *p, uint32_t r, uint32_t w, uint32_t w2);  /* took(r, w) => w2 before w or after r */
void iso_proof_choice(iso_proof *p, uint32_t r);                       /* in(reader) => it took something possible */
void iso_proof_one(iso_proof *p, uint32_t r, uint32_t w, uint32_t w2); /* not both */
void iso_proof_part(iso_proof *p, uint32_t r, uint32_t w);             /* took(r, w) => in(writer) */
void iso_proof_list(iso_proof *p, uint32_t r, uint32_t t, uint32_t u); /* in(reader) => list read r shows t before u */
void iso_proof_impossible(iso_proof *p, uint32_t r); /* list read r offends by itself: not in(reader) */
/* in(reader) => element e of list read r is of one who is in */
void iso_proof_shown(iso_proof *p, uint32_t r, uint32_t e);

void iso_proof_torn(iso_proof *p, uint32_t r, uint32_t w); /* list read r shows w twice, or a part of its appends */

/* Proofs of commits alone. The level's axiom: took(r, w), and t2, which writes the key too, is visible to the reader by
 * these steps from one transaction to the next: then t2 is before the transaction of w. */
typedef enum {
    ISO_STEP_SO, /* a: a later transaction of the session */
    ISO_STEP_WR, /* a: a read of the next transaction, which took write b of this one */
    ISO_STEP_CO, /* a: a transaction after this one in the commit order */
    ISO_STEP_WW  /* si: the same, and writes a of this and b of that one are of one key */
} iso_proof_step_kind;
typedef struct iso_proof_step {
    iso_proof_step_kind kind;
    uint32_t a, b;
} iso_proof_step;
void iso_proof_axiom(iso_proof *p, uint32_t r, uint32_t w, uint32_t t2, const iso_proof_step *steps, uint32_t n);
/* List read r took append w. Were the writers of the list up to the last of these n transactions just them,
 * in this order, and that no later than w, then the read would show their elements first. Those in without
 * take no part instead; the other writers of the key, and who they are the caller says (n_others), come
 * later. */
void iso_proof_state(iso_proof *p, uint32_t r, uint32_t w, const uint32_t *txns, uint32_t n, const uint32_t *without,
                     uint32_t n_without, const uint32_t *others, uint32_t n_others);
void iso_proof_cut(iso_proof *p, uint32_t r, uint32_t w, uint32_t r2, uint32_t w2); /* ci: not both */
void iso_proof_differ(iso_proof *p, uint32_t r, uint32_t r2); /* ci: two list reads that differ: not in(reader) */

/* Looks for lemmas that make the rules a contradiction, by CDCL modulo acyclicity, within a limit of conflicts. Proofs of
 * commits alone. ISO_SOLVER_OPEN: the conflicts were not enough. */
iso_solver_answer iso_proof_solve(iso_proof *p, uint64_t conflicts);

/* Points in a circle are not each before the next. The circle is built point by point; a point that was the
 * last one already is not repeated. */
void iso_proof_cycle(iso_proof *p, uint32_t point);
void iso_proof_close(iso_proof *p);

/* A clause that follows from all lines before by unit propagation. The empty one ends the proof. */
void iso_proof_lemma(iso_proof *p, const int *literals, uint32_t n);

/* A literal that the caller will have proved before the proof is written: a line that is there for the search alone. */
void iso_proof_claim(iso_proof *p, int literal);
/* Afterwards: the claims that the contradiction needs. All of them are that a read did not take a write. */
typedef void iso_proof_claim_fn(void *arg, uint32_t read, uint32_t write);
void iso_proof_claims(iso_proof *p, iso_proof_claim_fn *claim, void *arg);
/* Adds all lines that the contradiction of another proof needs but its claims; iso_proof_claims() comes first. */
void iso_proof_append(iso_proof *p, const iso_proof *other);

/* Writes the proof into the result. */
void iso_proof_give(iso_proof *p, iso_result *result);

/* Afterwards: adds the anomaly, the least bad of the cases that the proof needs. */
void iso_proof_anomaly(iso_proof *p, iso_result *result);

#endif
