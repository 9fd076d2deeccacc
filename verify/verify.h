/* Verification of certificates (docs/certificates.md). Nothing is believed but the history as it was read:
 * who takes part, read consistency and every rule of every level are worked out here again, and no code is
 * shared with the checkers.
 *
 *   scan.c    the text of a certificate, into an iso_claim
 *   reads.c   who takes part, what each read reads from, read consistency
 *   order.c   a commit order against the rules of a level;  causal.c: those of cc
 *   edges.c   a violation: one read that offends, or a cycle of edges with their reasons
 *   lists.c   what all of this is for lists
 *   proof.c   a violation: clauses that contradict each other;  clauses.c: unit propagation
 *   axiom.c   the rules of such clauses that speak of commits alone
 *
 * A refusal is thrown with code ISO_REFUSED and one line that says why. */
#ifndef ISOLAB_VERIFY_VERIFY_H
#define ISOLAB_VERIFY_VERIFY_H

#include "history/history.h"
#include "history/level.h"

#define ISO_REFUSED 1

typedef enum { CLAIM_SO, CLAIM_WR, CLAIM_RT, CLAIM_AXIOM, CLAIM_RW, CLAIM_WW, CLAIM_LIST } claim_kind;

typedef enum {
    OFFENCE_NONE, /* the claim names no read that offends */
    OFFENCE_THIN_AIR,
    OFFENCE_ABORTED,
    OFFENCE_FUTURE,
    OFFENCE_NOT_MY_OWN,
    OFFENCE_NOT_MY_LAST,
    OFFENCE_INTERMEDIATE,
    OFFENCE_NON_REPEATABLE,
    OFFENCE_DUPLICATE,
    OFFENCE_INCOMPATIBLE,
    OFFENCE_LOST, /* the last three: of lists */
    OFFENCE_KINDS
} offence_kind;

typedef struct claim_edge {
    uint8_t kind;
    uint32_t from, to;     /* transactions; ISO_INIT */
    uint32_t op[3];        /* the operations of its line, in order */
    uint32_t first, count; /* premises: edges before this one */
} claim_edge;

/* A certificate, taken apart but not yet believed. Numbers are below n_txns or n_ops, or ISO_INIT, ISO_NONE. */
typedef struct iso_claim {
    uint32_t n_sessions, n_txns, n_ops;
    uint64_t fingerprint;
    iso_level level;
    bool no_session_order;
    bool satisfied;

    uint32_t *order; /* NULL: none given */
    uint32_t n_order;
    uint32_t *read_op, *read_from; /* choices: this read reads from that write */
    uint32_t n_reads;

    offence_kind offence;
    uint32_t offence_op, offence_other;
    claim_edge *edges;
    uint32_t n_edges;
    uint32_t cycle, n_cycle; /* n_cycle 0: none */
    const char *proof;       /* the lines of a clausal proof; NULL: none */
    size_t proof_size;
    bool commits;        /* its order is that of commits */
    uint64_t proof_line; /* the line number of its first line */
} iso_claim;

typedef struct iso_verifier {
    iso_pool *pool;
    const isolab_history *h;
    const iso_claim *claim;
    bool sessions;    /* session order counts */
    uint8_t *in;      /* by transaction: it takes part */
    uint32_t *source; /* by operation: reads of included transactions: the write read from, ISO_INIT, ISO_NONE */
    uint32_t *place;  /* by transaction: its place in the order, from 1 (the initial transaction has 0) */
} iso_verifier;

/* Verifies a certificate of size bytes (a zero byte follows) for the history. Returns 0 when it is valid,
 * ISO_REFUSED or ISOLAB_E_INPUT when it is not, with the reason in pool->env->error.message; other errors
 * (limits) are returned the same way. */
int iso_verify(iso_pool *pool, const isolab_history *h, const char *text, size_t size);

void iso_verify_scan(iso_pool *pool, const char *text, size_t size, iso_claim *claim);

_Noreturn void iso_refuse(const iso_verifier *v, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Fills in, place (where an order is given) and source. */
void iso_verify_reads(iso_verifier *v);
/* Read consistency (awdit.txt definition 2.3) of all who take part. */
void iso_verify_int(const iso_verifier *v);
/* No transaction reads two values of one key from others. */
void iso_verify_cut(const iso_verifier *v);
void iso_verify_order(const iso_verifier *v);
void iso_verify_causal(const iso_verifier *v);
/* Does an edge of the claim follow from the history and its premises? */
bool iso_verify_edge(const iso_verifier *v, const claim_edge *e);
/* Are the n edges from this one on a cycle, which cannot be? */
bool iso_verify_cycle(const iso_verifier *v, uint32_t first, uint32_t n);
/* Could a read have got its value from write w (ISO_INIT: from the initial transaction) under INT? ci: of any. */
bool iso_verify_may_read(const iso_verifier *v, uint32_t read, uint32_t w);
void iso_verify_violation(const iso_verifier *v);
void iso_verify_proof(const iso_verifier *v);

/* lists.c. The length of the external part of a list read; false: it does not end in the reader's own appends. */
bool iso_list_external(const isolab_history *h, uint32_t read, uint32_t *length);
/* Could a list read have got the last element of its external part from this append (ISO_INIT: it is empty)? */
bool iso_list_may_read(const iso_verifier *v, uint32_t read, uint32_t append);
/* The version of that element; ISO_NONE: there is none, or the read does not end in its transaction's own appends. */
uint32_t iso_list_last(const isolab_history *h, uint32_t read);
/* The append that made its last element; ISO_INIT: it is empty; ISO_NONE: not known, or the reader's own. */
uint32_t iso_list_source(const isolab_history *h, uint32_t read);
bool iso_list_consistent(const iso_verifier *v, uint32_t read);
void iso_verify_list_int(const iso_verifier *v);
/* Every list read shows a state that the order goes through. Fills source. */
void iso_verify_list_states(iso_verifier *v);
/* Do two reads of one transaction and key show different lists of others? */
bool iso_lists_differ(const iso_verifier *v, uint32_t a, uint32_t b);
/* Does a list read prove that one transaction is before another, if its own transaction takes part? */
bool iso_list_orders(const iso_verifier *v, uint32_t read, uint32_t from, uint32_t to);
/* Does a list read show an append of the transaction of this one, and not all of them side by side, or this
 * one twice? */
bool iso_list_torn(const isolab_history *h, uint32_t read, uint32_t append);
void iso_verify_list_offence(const iso_verifier *v);

/* The transaction that a read reads from; ISO_INIT; ISO_NONE. */
static inline uint32_t iso_source_txn(const iso_verifier *v, uint32_t op) {
    uint32_t w = v->source[op];
    return w < v->h->n_ops ? v->h->op_txn[w] : w;
}

static inline uint32_t iso_place(const iso_verifier *v, uint32_t txn) { return txn == ISO_INIT ? 0 : v->place[txn]; }

#endif
