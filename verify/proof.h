/* A clausal proof while it is being read; shared by proof.c and axiom.c. */
#ifndef ISOLAB_VERIFY_PROOF_H
#define ISOLAB_VERIFY_PROOF_H

#include "base/index.h"
#include "verify/clauses.h"
#include "verify/verify.h"

#define PROOF_ALWAYS INT32_MAX /* a literal that is always true */

typedef struct atom {
    enum { BEFORE, READS, TAKES_PART } kind;
    uint32_t a, b; /* two points, or a read and its write, or a transaction */
    int var;
} atom;

typedef struct proof {
    const iso_verifier *v;
    const isolab_history *h;
    iso_clauses *clauses;
    bool si, two; /* two: each transaction has two points (si and pc) */
    const char *at, *end;
    uint64_t line;
    iso_index index; /* of atoms, by kind and operands */
    atom *atoms;
    uint32_t atoms_room;
    int *declared; /* by declared number, from 1: its literal */
    uint32_t n_declared, declared_room;
    int *clause;
    uint32_t n_clause, clause_room;
    uint32_t *points, points_room;
    uint8_t *readable, *marked; /* axiom.c, by transaction; NULL: not computed yet */
    uint32_t *listed, listed_room;
} proof;

/* The first function starts a proof before its first line. The second reads the next line: it throws a refusal or adds
 * one clause. Every line ends with a line feed. */
void iso_clausal_start(proof *p, const iso_verifier *v, const char *lines, size_t size);
void iso_clausal_line(proof *p);

/* Parsing. */
_Noreturn void iso_clausal_bad(const proof *p, const char *expected);
bool iso_clausal_take(proof *p, const char *word); /* the word, and after it a space (which is not consumed) or the end
                                                    * of the line */
uint32_t iso_clausal_txn(proof *p);                /* this function and the next two first read a space */
uint32_t iso_clausal_operation(proof *p);
uint32_t iso_clausal_writer(proof *p); /* a write, or `init` */
uint32_t iso_clausal_list_read(proof *p);

/* Literals. */
int iso_clausal_before(proof *p, uint32_t a, uint32_t b);  /* the two points are different */
int iso_clausal_included(proof *p, uint32_t txn);          /* refuses an aborted transaction */
int iso_clausal_took(proof *p, uint32_t read, uint32_t w); /* refuses a write that the read cannot have taken */

/* Builds the clause of the current line. */
void iso_clausal_add(proof *p, int literal);
void iso_clausal_believe(proof *p);

/* Applies a rule of proofs of commits. Returns false if the line is not such a rule. */
bool iso_verify_commit_rule(proof *p);

#endif
