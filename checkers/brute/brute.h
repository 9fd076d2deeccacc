/* `brute`: the definitions, applied literally to every order. The files, in the order in which a history passes:
 *
 *   brute.c  numbers the nodes; every choice of the writers of reads; the descriptor
 *   reads.c  the writes that each read may have read from, and INT, clause by clause
 *   lists.c  the same for list reads (docs/lists.md)
 *   order.c  every commit order of a choice, and the axiom on it
 *
 * Included and optional transactions are nodes 1 to n - 1; node 0 is the initial transaction. Sets of nodes are bit
 * masks, and all relations are arrays of such sets. */
#ifndef ISOLAB_CHECKERS_BRUTE_BRUTE_H
#define ISOLAB_CHECKERS_BRUTE_BRUTE_H

#include "checkers/checker.h"

#define ISO_BRUTE_TXNS 12
#define ISO_BRUTE_NODES (ISO_BRUTE_TXNS + 1)

typedef uint32_t iso_nodes; /* a set of nodes */
static inline iso_nodes iso_node(unsigned n) { return (iso_nodes)1 << n; }

/* A read of an included transaction, and the writes that it may have read from. */
typedef struct iso_brute_read {
    uint32_t op, key;
    uint32_t first, n; /* its candidates; none: it offends against INT for every choice */
    uint32_t pick;     /* the chosen candidate */
    uint8_t node;
    bool is_list;
    const uint32_t *external; /* lists: the elements appended by other transactions (docs/lists.md: E(r)) */
    uint32_t n_external;
} iso_brute_read;

/* A write that a read may have read from: ISO_INIT, ISO_NONE (ci only), or an operation. */
typedef struct iso_brute_candidate {
    uint32_t op;
    uint8_t node; /* of the writer; ISO_BRUTE_NODES: an excluded transaction, or no writer */
} iso_brute_candidate;

/* One fact t1 -wr_x-> t3, as the axioms use it. */
typedef struct iso_brute_fact {
    uint8_t t1, t3;
    iso_nodes writers;          /* the other writers of x: every t2 to which the axiom may apply */
    iso_nodes seen;             /* what t3 sees when it reads, beyond what it always sees */
    const iso_brute_read *list; /* the read, if it reads a list */
} iso_brute_fact;

typedef struct iso_brute {
    iso_pool *pool;
    const isolab_history *h;
    const iso_question *question;
    iso_result *result;
    iso_rules rules; /* of the level */

    unsigned n;                        /* number of nodes, including the initial transaction */
    uint32_t txn[ISO_BRUTE_NODES];     /* by node: its number in the history; ISO_INIT for node 0 */
    uint8_t *node;                     /* by transaction of the history; ISO_BRUTE_NODES: excluded */
    iso_nodes in, optional;            /* included transactions; optional ones, for which the choice decides */
    iso_nodes *key_writers;            /* by key: the nodes that write it */
    iso_nodes so[ISO_BRUTE_NODES];     /* predecessors in session order, including the initial transaction */
    iso_nodes rt[ISO_BRUTE_NODES];     /* predecessors in real time */
    iso_nodes rt_key[ISO_BRUTE_NODES]; /* of these, the transactions that access a key of this one */
    iso_nodes rivals[ISO_BRUTE_NODES]; /* the other nodes that write a key of the node */

    iso_brute_read *reads; /* by node */
    uint32_t n_reads, read_of[ISO_BRUTE_NODES + 1];
    iso_brute_candidate *candidates;

    /* of one choice of writers and members */
    iso_nodes members;
    iso_nodes read_from[ISO_BRUTE_NODES];     /* wr */
    iso_nodes before_direct[ISO_BRUTE_NODES]; /* so | wr */
    iso_nodes before_causal[ISO_BRUTE_NODES]; /* (so | wr)+ */
    iso_brute_fact *facts;                    /* by t3; room for n_reads */
    uint32_t fact_of[ISO_BRUTE_NODES + 1];

    /* of one commit order */
    uint8_t order[ISO_BRUTE_NODES];
} iso_brute;

/* reads.c: finds the reads and their candidates, and reports offences against INT as anomalies (not without INT). */
void iso_brute_find_reads(iso_brute *b);

/* lists.c: finds the external part of a list read. Returns the first clause of INT against which the read offends
 * whatever wrote its elements, and the write that shows it; ISO_A_KINDS: it does not offend. */
iso_anomaly_kind iso_brute_external_part(const isolab_history *h, iso_brute_read *read, uint32_t *other);
/* Returns whether it is the last append of its transaction to its key. If not, *later is the last one. */
bool iso_brute_is_last_append(const isolab_history *h, uint32_t append, uint32_t *later);
/* Returns whether two list reads of one transaction and key differ in the elements of other transactions. */
bool iso_brute_lists_differ(const isolab_history *h, const iso_brute_read *r1, const iso_brute_read *r2);
/* Rule 1: returns whether the external part is the state of the list after t1, in the order placed so far. */
bool iso_brute_list_fits(const iso_brute *b, const iso_brute_read *read, unsigned t1);

/* order.c: calls found(b, arg), with b->order filled, for every commit order of the members that contains so and wr
 * (sser: and real time) and satisfies the level's axiom, until found returns true. Returns whether found returned
 * true. */
bool iso_brute_orders(iso_brute *b, bool (*found)(iso_brute *b, void *arg), void *arg);

#endif
