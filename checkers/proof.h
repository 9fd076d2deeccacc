/* Makes a clausal proof in the format of docs/certificates.md: that no order of points satisfies pc, si, ser or sser.
 * Shared by checkers; it knows the format and nothing of how a contradiction was found.
 *
 * A point is a transaction of the history for ser and sser; for pc and si 2 t is the start of t, and 2 t + 1 its
 * commit. Literals are those of the proof's atoms; negate by minus. Lines that were added before are not repeated. At
 * the end only lines that the contradiction needs are written (proof_trim.h). */
#ifndef ISOLAB_CHECKERS_PROOF_H
#define ISOLAB_CHECKERS_PROOF_H

#include "checkers/result.h"

typedef struct iso_proof iso_proof;

iso_proof *iso_proof_new(iso_pool *pool, const isolab_history *h, iso_level level);

/* Atoms. */
int iso_proof_before(iso_proof *p, uint32_t point, uint32_t later); /* of two transactions */
int iso_proof_took(iso_proof *p, uint32_t read, uint32_t write);    /* write: ISO_INIT too */
int iso_proof_in(iso_proof *p, uint32_t txn);

/* Rules, each a clause that the verifier makes by itself. took(r, w) is true without an atom where r is of a
 * committed transaction and nothing but w was possible; in(t) where t is committed. */
void iso_proof_so(iso_proof *p, uint32_t t, uint32_t u);     /* in(t) => t before u */
void iso_proof_rt(iso_proof *p, uint32_t t, uint32_t u);     /* the same by real time (sser) */
void iso_proof_wr(iso_proof *p, uint32_t r, uint32_t w);     /* took(r, w) => its transaction before the reader */
void iso_proof_ww(iso_proof *p, uint32_t w, uint32_t w2);    /* si: one of the two comes first */
void iso_proof_rw(iso_proof *p, uint32_t r, uint32_t w, uint32_t w2); /* took(r, w) => w2 before w or behind r */
void iso_proof_choice(iso_proof *p, uint32_t r);             /* in(reader) => it took something possible */
void iso_proof_one(iso_proof *p, uint32_t r, uint32_t w, uint32_t w2); /* not both */
void iso_proof_part(iso_proof *p, uint32_t r, uint32_t w);   /* took(r, w) => in(writer) */
void iso_proof_list(iso_proof *p, uint32_t r, uint32_t t, uint32_t u); /* list read r shows t before u */

/* Points in a circle are not each before the next. The circle is built point by point; a point that was the
 * last one already is not repeated. */
void iso_proof_cycle(iso_proof *p, uint32_t point);
void iso_proof_close(iso_proof *p);

/* A clause that follows from all lines before by unit propagation. The empty one ends the proof. */
void iso_proof_lemma(iso_proof *p, const int *literals, uint32_t n);

/* Writes the proof into the result. */
void iso_proof_give(iso_proof *p, iso_result *result);

/* Afterwards: adds the anomaly, the least bad of the cases that the proof needs. */
void iso_proof_anomaly(iso_proof *p, iso_result *result);

#endif
