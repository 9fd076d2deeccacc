/* What the files of the checker `brute` share. See brute.c.
 *
 * Transactions that take part, or may, are nodes 1 to n - 1; node 0 is the initial transaction. Sets of nodes
 * are bit masks, and all relations are arrays of such sets. */
#ifndef ISOLAB_CHECKERS_BRUTE_BRUTE_H
#define ISOLAB_CHECKERS_BRUTE_BRUTE_H

#include "checkers/checker.h"

#define ISO_BRUTE_TXNS 12
#define ISO_BRUTE_NODES (ISO_BRUTE_TXNS + 1)

typedef uint32_t iso_nodes; /* a set */
static inline iso_nodes iso_node(unsigned n) { return (iso_nodes)1 << n; }

/* A read of a transaction that takes part, and the writes that it may have read from. */
typedef struct iso_brute_read {
    uint32_t op, key;
    uint32_t first, n; /* its candidates; none: it offends against INT whatever is chosen */
    uint32_t pick;     /* the candidate chosen */
    uint8_t node;
    bool is_list;
    const uint32_t *external; /* lists: what was read of others (docs/lists.md: E(r)) */
    uint32_t n_external;
} iso_brute_read;

/* A write that a read may have read from: ISO_INIT, ISO_NONE (ci only), or an operation. */
typedef struct iso_brute_candidate {
    uint32_t op;
    uint8_t node; /* of the writer; ISO_BRUTE_NODES: a transaction that does not take part, or no writer */
} iso_brute_candidate;

/* One fact t1 -wr_x-> t3, as the axioms use it. */
typedef struct iso_brute_fact {
    uint8_t t1, t3;
    iso_nodes writers;          /* the other writers of x: every t2 that the axiom may speak of */
    iso_nodes seen;             /* rc, rc-plume: those from which t3 read before this read */
    const iso_brute_read *list; /* the read, if it is one of a list */
} iso_brute_fact;

typedef struct iso_brute {
    iso_pool *pool;
    const isolab_history *h;
    const iso_request *request;
    iso_result *result;

    unsigned n;                        /* nodes, the initial transaction included */
    uint32_t txn[ISO_BRUTE_NODES];     /* the history's number; that of node 0 is ISO_INIT */
    uint8_t *node;                     /* by transaction of the history; ISO_BRUTE_NODES: it takes no part */
    iso_nodes in, open;                /* transactions that take part; optional ones, of which the choice decides */
    iso_nodes *key_writers;            /* by key: who writes it */
    iso_nodes so[ISO_BRUTE_NODES];     /* predecessors in session order, the initial transaction included */
    iso_nodes rt[ISO_BRUTE_NODES];     /* predecessors in real time */
    iso_nodes rivals[ISO_BRUTE_NODES]; /* si: other nodes that write a key that the node writes */

    iso_brute_read *reads; /* by node */
    uint32_t n_reads, read_of[ISO_BRUTE_NODES + 1];
    iso_brute_candidate *candidates;

    /* of one choice of read-from and of members */
    iso_nodes members;
    iso_nodes before_direct[ISO_BRUTE_NODES]; /* so | wr */
    iso_nodes before_causal[ISO_BRUTE_NODES]; /* (so | wr)+ */
    iso_brute_fact *facts;                    /* by t3; room for n_reads */
    uint32_t fact_of[ISO_BRUTE_NODES + 1];

    /* of one commit order */
    uint8_t order[ISO_BRUTE_NODES];
} iso_brute;

/* reads.c: finds the reads and their candidates; INT's offences become anomalies (not for ci). */
void iso_brute_find_reads(iso_brute *b);

/* lists.c: finds the external part of a list read. Returns the first clause of INT against which the read
 * offends whatever wrote its elements, and the write that makes it wrong; ISO_A_KINDS: none. */
iso_anomaly_kind iso_brute_external_part(const isolab_history *h, iso_brute_read *read, uint32_t *other);
/* Is it the last append of its transaction to its key? Else *later is that. */
bool iso_brute_is_last_append(const isolab_history *h, uint32_t append, uint32_t *later);
/* ci: do two list reads of one transaction and key differ in what others appended? */
bool iso_brute_lists_differ(const isolab_history *h, const iso_brute_read *r1, const iso_brute_read *r2);
/* Rule 1: is the external part the state of the list after t1, in the order placed so far? */
bool iso_brute_list_fits(const iso_brute *b, const iso_brute_read *read, unsigned t1);

/* order.c: calls found(b, arg), with b->order filled, for every commit order of the members that
 * contains so and wr (sser: and real time) and satisfies the level's axiom, until found returns true.
 * Returns whether it did. */
bool iso_brute_orders(iso_brute *b, bool (*found)(iso_brute *b, void *arg), void *arg);

#endif
