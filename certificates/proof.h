/* Builds a clausal proof in the format of docs/certificates.md: a proof that no order of points satisfies pc or a
 * stronger level, or that no commit order satisfies a level. Checkers share it. It knows the format, but not how the
 * contradiction was found.
 *
 * For ser, lser and sser a point is a transaction of the history. For pc and si, point 2 t is the start of t, and point
 * 2 t + 1 its commit. Literals are those of the proof's atoms; minus negates. A line that was already added is not
 * repeated. Finally, only the lines that the contradiction needs are written (proof_trim.h). */
#ifndef ISOLAB_CERTIFICATES_PROOF_H
#define ISOLAB_CERTIFICATES_PROOF_H

#include "checkers/result.h"
#include "graph/solver.h"

typedef struct iso_proof iso_proof;

iso_proof *iso_proof_new(iso_pool *pool, const isolab_history *h, iso_level level);

/* Starts a proof of commits, for any level: points are transactions, the order is the commit order, and the level's
 * axiom holds for it. */
iso_proof *iso_proof_commits(iso_pool *pool, const isolab_history *h, iso_level level);

/* Atoms. */
int iso_proof_before(iso_proof *p, uint32_t point, uint32_t later); /* of two different points */
int iso_proof_took(iso_proof *p, uint32_t read, uint32_t write);    /* write: ISO_INIT too */
int iso_proof_in(iso_proof *p, uint32_t txn);

/* Rules. Each is a clause that the verifier derives itself. took(r, w) is true, without an atom, if r is of a committed
 * transaction and could read from no other write; in(t) is true if t is committed. */
void iso_proof_so(iso_proof *p, uint32_t t, uint32_t u);  /* in(t) => t before u */
void iso_proof_rt(iso_proof *p, uint32_t t, uint32_t u);  /* the same for real time (lser, sser) */
void iso_proof_wr(iso_proof *p, uint32_t r, uint32_t w);  /* took(r, w) => transaction of w before the reader */
void iso_proof_ww(iso_proof *p, uint32_t w, uint32_t w2); /* si: one of the two is before the other */
void iso_proof_rw(iso_proof *p, uint32_t r, uint32_t w, uint32_t w2); /* took(r, w) => w2 before w or after r */
void iso_proof_choice(iso_proof *p, uint32_t r); /* in(reader) => r took one of its possible writes */
void iso_proof_one(iso_proof *p, uint32_t r, uint32_t w, uint32_t w2); /* r does not take both */
void iso_proof_part(iso_proof *p, uint32_t r, uint32_t w);             /* took(r, w) => in(writer) */
void iso_proof_list(iso_proof *p, uint32_t r, uint32_t t,
                    uint32_t u);                     /* in(reader) => t before u, as list read r shows */
void iso_proof_impossible(iso_proof *p, uint32_t r); /* list read r offends by itself: its reader is not included */
/* in(reader) => an included transaction appended element e of list read r */
void iso_proof_shown(iso_proof *p, uint32_t r, uint32_t e);

void iso_proof_torn(iso_proof *p, uint32_t r, uint32_t w); /* list read r shows w twice, or only a part of its
                                                            * transaction's appends */

/* For proofs of commits only. The level's axiom: took(r, w), and the reader sees t2, which also writes the key, through
 * these steps from one transaction to the next. Then t2 is before the transaction of w. */
typedef enum {
    ISO_STEP_SO, /* a: a later transaction of the session */
    ISO_STEP_WR, /* a: a read of the next transaction, which took write b of this one */
    ISO_STEP_CO, /* a: a transaction after this one in the commit order */
    ISO_STEP_WW  /* si: the same, where writes a of this transaction and b of the next one write one key */
} iso_proof_step_kind;
typedef struct iso_proof_step {
    iso_proof_step_kind kind;
    uint32_t a, b;
} iso_proof_step;
void iso_proof_axiom(iso_proof *p, uint32_t r, uint32_t w, uint32_t t2, const iso_proof_step *steps, uint32_t n);
/* List read r took append w. If exactly these n transactions, in this order, were the list's writers up to the last of
 * them, and that one is not after w, then the read would begin with their elements. The transactions in `without` are
 * excluded instead. All other writers of the key come later; the caller lists them (n_others). */
void iso_proof_state(iso_proof *p, uint32_t r, uint32_t w, const uint32_t *txns, uint32_t n, const uint32_t *without,
                     uint32_t n_without, const uint32_t *others, uint32_t n_others);
void iso_proof_cut(iso_proof *p, uint32_t r, uint32_t w, uint32_t r2,
                   uint32_t w2); /* ci: r does not take w, or r2 does not take w2 */
void iso_proof_differ(iso_proof *p, uint32_t r,
                      uint32_t r2); /* ci: two list reads show different lists: their reader is
                                                               * not included */

/* For proofs of commits only. Searches for lemmas that show that the rules contradict each other, by CDCL modulo
 * acyclicity. conflicts: conflict limit. Returns ISO_SOLVER_UNKNOWN if it is reached. */
iso_solver_answer iso_proof_solve(iso_proof *p, uint64_t conflicts);

/* Adds a point to the current cycle: the points of a cycle are not all before the next point. A point equal to the last
 * one is not repeated. */
void iso_proof_cycle(iso_proof *p, uint32_t point);
void iso_proof_close(iso_proof *p);

/* Adds a clause that follows from all earlier lines by unit propagation. The empty clause ends the proof. */
void iso_proof_lemma(iso_proof *p, const int *literals, uint32_t n);

/* Adds a literal that the caller will prove before the proof is written: a line that serves only the search. */
void iso_proof_claim(iso_proof *p, int literal);
/* Call this after the search: lists the claims that the contradiction needs. Every claim says that a read did not take
 * a write. */
typedef void iso_proof_claim_fn(void *arg, uint32_t read, uint32_t write);
void iso_proof_claims(iso_proof *p, iso_proof_claim_fn *claim, void *arg);
/* Adds all lines that the contradiction of another proof needs, except its claims. Call iso_proof_claims() first. */
void iso_proof_append(iso_proof *p, const iso_proof *other);

/* Writes the proof into the result. */
void iso_proof_give(iso_proof *p, iso_result *result);

/* Call these after iso_proof_give(). The first adds the anomaly, which is the mildest case that the proof contains; the
 * second names the reads that the proof needs, for an anomaly without a cycle. */
void iso_proof_anomaly(iso_proof *p, iso_result *result);
void iso_proof_name_reads(const iso_proof *p, iso_anomaly *anomaly);

#endif
