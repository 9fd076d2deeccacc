/* A clausal proof while it is read: what proof.c and axiom.c share. */
#ifndef ISOLAB_VERIFY_PROOF_H
#define ISOLAB_VERIFY_PROOF_H

#include "verify/clauses.h"
#include "verify/verify.h"

#define PROOF_ALWAYS INT32_MAX /* a literal that is true */

typedef struct atom {
    enum { BEFORE, READS, TAKES_PART } kind;
    uint32_t a, b; /* points; a read and its write; a transaction */
    int var;
} atom;

typedef struct proof {
    const iso_verifier *v;
    const isolab_history *h;
    iso_clauses *clauses;
    bool si, two; /* two points a transaction: si and pc */
    const char *at, *end;
    uint64_t line;
    atom *atoms; /* open addressing by what they say; var 0: free */
    uint64_t mask, n_atoms;
    int *declared; /* literal of each declared number, from 1 */
    uint32_t n_declared, declared_room;
    int *clause;
    uint32_t n_clause, clause_room;
    uint32_t *points, points_room;
    uint8_t *readable, *marked; /* axiom.c: by transaction; NULL: not asked for yet */
    uint32_t *listed, listed_room;
} proof;

/* A proof of which no line is read yet, and its next line: a refusal, or one clause more. Every line ends in a line feed. */
void iso_clausal_start(proof *p, const iso_verifier *v, const char *lines, size_t size);
void iso_clausal_line(proof *p);

/* Reading. */
_Noreturn void iso_clausal_bad(const proof *p, const char *expected);
bool iso_clausal_take(proof *p, const char *word); /* the word and, not taken, a space or the end of the line */
void iso_clausal_space(proof *p);
uint32_t iso_clausal_digits(proof *p, uint32_t below, const char *what);
uint32_t iso_clausal_txn(proof *p); /* this and the next two: after a space */
uint32_t iso_clausal_operation(proof *p);
uint32_t iso_clausal_writer(proof *p); /* a write, or `init` */
uint32_t iso_clausal_list_read(proof *p);

/* Literals. */
int iso_clausal_before(proof *p, uint32_t a, uint32_t b);  /* of two different points */
int iso_clausal_takes_part(proof *p, uint32_t txn);        /* refuses aborted ones */
int iso_clausal_took(proof *p, uint32_t read, uint32_t w); /* refuses what the read cannot have taken */

/* The clause of a line. */
void iso_clausal_add(proof *p, int literal);
void iso_clausal_believe(proof *p);

/* The rules of proofs of commits. False: the line is none of them. */
bool iso_verify_commit_rule(proof *p);

#endif
