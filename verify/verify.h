/* Verification of certificates (docs/certificates.md). It trusts only the history, as it was read: it computes again
 * which transactions are included, read consistency, and every rule of every level, and it shares no code with the
 * checkers.
 *
 *   scan.c    parses the text of a certificate into an iso_claim
 *   reads.c   which transactions are included, which write each read reads from, read consistency
 *   order.c   a commit order against the rules of a level;  causal.c: those of cc
 *   edges.c   a violation: one read that offends, or a cycle of edges with their premises
 *   lists.c   the parts of all of these that concern lists
 *   proof.c   a violation: clauses that contradict each other;  clauses.c: unit propagation
 *   explain.c a verified proof in words;  case.c: whether a case of a clausal proof could hold
 *   axiom.c   the rules of clausal proofs that use only the commit order
 *
 * A refusal is thrown with code ISO_REFUSED and one line with the reason. */
#ifndef ISOLAB_VERIFY_VERIFY_H
#define ISOLAB_VERIFY_VERIFY_H

#include <stdio.h>

#include "history/history.h"
#include "history/level.h"

#define ISO_REFUSED 1

typedef enum { CLAIM_SO, CLAIM_WR, CLAIM_RT, CLAIM_AXIOM, CLAIM_RW, CLAIM_WW, CLAIM_LIST } claim_kind;

typedef enum {
    OFFENCE_NONE, /* the claim names no offending read */
    OFFENCE_THIN_AIR,
    OFFENCE_ABORTED,
    OFFENCE_FUTURE,
    OFFENCE_NOT_MY_OWN,
    OFFENCE_NOT_MY_LAST,
    OFFENCE_INTERMEDIATE,
    OFFENCE_NON_REPEATABLE,
    OFFENCE_LOST_UPDATE,
    OFFENCE_DUPLICATE,
    OFFENCE_INCOMPATIBLE,
    OFFENCE_LOST, /* the last three kinds are for lists */
    OFFENCE_KINDS
} offence_kind;

typedef struct claim_edge {
    uint8_t kind;
    uint32_t from, to;     /* transactions, or ISO_INIT */
    uint32_t op[3];        /* the operations of its line, in order */
    uint32_t first, count; /* its premises: earlier edges */
} claim_edge;

/* An example of what a clausal proof refutes: edges that would form a cycle, or a read that offends. It is told, and
 * proves nothing. */
typedef struct claim_case {
    claim_edge *edges;
    uint32_t n_edges, cycle, n_cycle; /* n_cycle 0: none */
    offence_kind offence;
    uint32_t op, other;
} claim_case;

/* A certificate, parsed but not verified. Numbers are below n_txns or n_ops, or ISO_INIT, ISO_NONE. */
typedef struct iso_claim {
    uint32_t n_sessions, n_txns, n_ops;
    uint64_t fingerprint;
    iso_level level;
    iso_rules rules; /* of the level */
    bool no_session_order;
    bool satisfied;

    uint32_t *order; /* NULL: not given */
    uint32_t n_order;
    uint32_t *read_op, *read_from; /* read read_op[i] reads from write read_from[i] */
    uint32_t n_reads;

    offence_kind offence;
    uint32_t offence_op, offence_other;
    claim_edge *edges;
    uint32_t n_edges;
    uint32_t cycle, n_cycle; /* n_cycle 0: none */
    claim_case told;         /* beside a clausal proof */
    const char *proof;       /* the lines of a clausal proof; NULL: not given */
    size_t proof_size;
    bool commits;        /* it is a proof of commits */
    uint64_t proof_line; /* the line number of the proof's first line */
} iso_claim;

typedef struct iso_verifier {
    iso_pool *pool;
    const isolab_history *h;
    const iso_claim *claim;
    bool sessions;    /* session order counts */
    uint8_t *in;      /* by transaction: it is included */
    uint32_t *source; /* by operation: for a read of an included transaction, the write that it reads from, or ISO_INIT,
                       * ISO_NONE */
    uint32_t *place;  /* by transaction: its place in the order, from 1; 0 is the place of the initial transaction */
} iso_verifier;

/* Verifies a certificate of `size` bytes (a zero byte follows) for the history. Returns 0 if it is valid, and
 * ISO_REFUSED or ISOLAB_E_INPUT if it is not, with the reason in pool->env->error.message. Other errors (limits) are
 * returned in the same way. */
int iso_verify(iso_pool *pool, const isolab_history *h, const char *text, size_t size);

/* Prints the proof of a certificate that was verified, in words. */
void iso_verify_explain(FILE *out, iso_pool *pool, const isolab_history *h, const char *text, size_t size);

/* The same, and the certificate must be about this level, with session order, and have this verdict (`satisfied` or
 * `violated`); NULL: any. */
int iso_verify_claim(iso_pool *pool, const isolab_history *h, const char *text, size_t size, const char *level,
                     const char *verdict);

void iso_verify_scan(iso_pool *pool, const char *text, size_t size, iso_claim *claim);

_Noreturn void iso_refuse(const iso_verifier *v, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Fills in `in`, `place` (if an order is given) and `source`. */
void iso_verify_reads(iso_verifier *v);
/* Checks read consistency (awdit.txt definition 2.3) of all included transactions. */
void iso_verify_int(const iso_verifier *v);
/* Checks that no transaction reads two values of one key from other transactions. */
void iso_verify_cut(const iso_verifier *v);
/* Returns whether the level has cut isolation as a rule of its own. Where a transaction sees all that it reads from,
 * cut isolation follows from the axiom. */
static inline bool iso_verify_cuts(const iso_verifier *v) {
    return (v->claim->rules & (ISO_RULE_CUT | ISO_SEES_READ)) == ISO_RULE_CUT;
}
void iso_verify_order(const iso_verifier *v);
void iso_verify_causal(const iso_verifier *v);
/* Returns whether the level puts transaction t before u because of real time. */
bool iso_verify_in_time(const iso_verifier *v, uint32_t t, uint32_t u);
/* Returns whether an edge of the claim follows from the history and its premises. */
bool iso_verify_edge(const iso_verifier *v, const claim_edge *e);
/* Returns whether the n edges from `first` on are a cycle, which contradicts the level. */
bool iso_verify_cycle(const iso_verifier *v, uint32_t first, uint32_t n);
/* Returns whether a read may have got its value from write w (ISO_INIT: from the initial transaction) under INT.
 * Without INT: from any write of the value. */
bool iso_verify_may_read(const iso_verifier *v, uint32_t read, uint32_t w);
void iso_verify_violation(const iso_verifier *v);
void iso_verify_proof(const iso_verifier *v);
/* Checks a read that offends by itself, as the claim says. */
void iso_verify_offence(const iso_verifier *v);
/* Returns whether the case that the claim tells could hold: whether each of its edges is one for some order of the
 * writers of a key and some choice of the writes that were read. */
bool iso_verify_case(iso_verifier *v);

/* lists.c. Sets the length of the external part of a list read. Returns false if the read does not end in the reader's
 * own appends. */
bool iso_list_external(const isolab_history *h, uint32_t read, uint32_t *length);
/* Returns whether a list read may have got the last element of its external part from this append (ISO_INIT: the part
 * is empty). */
bool iso_list_may_read(const iso_verifier *v, uint32_t read, uint32_t append);
/* Returns the version of that element; ISO_NONE: no such element, or the read does not end in its transaction's own
 * appends. */
uint32_t iso_list_last(const isolab_history *h, uint32_t read);
/* Returns the append that made that element; ISO_INIT: the external part is empty; ISO_NONE: not known, or the reader's
 * own append. */
uint32_t iso_list_source(const isolab_history *h, uint32_t read);
bool iso_list_consistent(const iso_verifier *v, uint32_t read);
void iso_verify_list_int(const iso_verifier *v);
/* Checks that every list read shows a state that occurs in the order. Fills in `source`. */
void iso_verify_list_states(iso_verifier *v);
/* Returns whether two reads of one transaction and key show different lists of other transactions. */
bool iso_lists_differ(const iso_verifier *v, uint32_t a, uint32_t b);
/* Returns whether a list read proves that one transaction is before another, if its own transaction is included. */
bool iso_list_orders(const iso_verifier *v, uint32_t read, uint32_t from, uint32_t to);
/* Returns whether a list read shows an append of the transaction of `append`, but not all of them together, or shows
 * `append` twice. */
bool iso_list_torn(const isolab_history *h, uint32_t read, uint32_t append);
void iso_verify_list_offence(const iso_verifier *v);

/* Returns the transaction that a read reads from; ISO_INIT or ISO_NONE. */
static inline uint32_t iso_source_txn(const iso_verifier *v, uint32_t op) {
    uint32_t w = v->source[op];
    return w < v->h->n_ops ? v->h->op_txn[w] : w;
}

/* Returns whether the claimed level has all of these rules (history/level.h). */
static inline bool iso_asks(const iso_verifier *v, iso_rules rules) { return (v->claim->rules & rules) == rules; }

/* Returns whether an earlier transaction matters to a reader because both write a key, and not in any case. */
static inline bool iso_asks_conflicts(const iso_verifier *v) {
    return iso_asks(v, ISO_SEES_CONFLICT) && !iso_asks(v, ISO_SEES_BEFORE);
}

/* Returns whether a transaction sees at once what it read from, by read `through`, when it reads `read`. */
static inline bool iso_asks_read(const iso_verifier *v, uint32_t through, uint32_t read) {
    const isolab_history *h = v->h;
    return iso_asks(v, ISO_SEES_READ) ||
           (through < read && (iso_asks(v, ISO_SEES_READ_BEFORE) ||
                               (iso_asks(v, ISO_SEES_OTHER_KEY) && h->op_key[through] != h->op_key[read])));
}

static inline uint32_t iso_place(const iso_verifier *v, uint32_t txn) { return txn == ISO_INIT ? 0 : v->place[txn]; }

#endif
