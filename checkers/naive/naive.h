/* `naive`: Plume's patterns and the axiom of rc, by their formulas. The files, in the order in which a history passes:
 *
 *   naive.c  reads, facts, and the instances of every pattern; the descriptor
 *   graph.c  the relations as bit matrices, and the cycles that prove an instance
 *
 * The included transactions are nodes 1, 2, ...; the initial transaction is node 0. A relation is a bit matrix: row u
 * has bit v if u is before v. */
#ifndef ISOLAB_CHECKERS_NAIVE_NAIVE_H
#define ISOLAB_CHECKERS_NAIVE_NAIVE_H

#include "base/buckets.h"
#include "checkers/checker.h"

/* How t3 sees t2, in t1 -wr_x-> t3 and t2 writes x. */
typedef enum {
    ISO_SEES_MONO,   /* t3 reads some y != x from t2 (rc: any y), and then x from t1 */
    ISO_SEES_ATOMIC, /* t2 so t3, or t3 reads some y != x from t2 */
    ISO_SEES_DIRECT, /* t2 (so|wr) t3: as ATOMIC, but also for y = x */
    ISO_SEES_CAUSAL, /* t2 (so|wr)+ t3 */
    ISO_SEES_KINDS
} iso_sees;

/* A read of another transaction's final write: operation op of node reads key from node `from`. */
typedef struct iso_naive_read {
    uint32_t op, key, from;
} iso_naive_read;

/* t1 -wr_x-> t3; if several reads make it, the last one is kept. */
typedef struct iso_naive_fact {
    uint32_t t1, t3, key, op;
} iso_naive_fact;

/* t2 CM t1, because of a fact. */
typedef struct iso_naive_axiom {
    uint32_t t2, fact;
} iso_naive_axiom;

/* A commit relation: so|wr and, for one way of seeing, every t2 -> t1 that the axiom requires. */
typedef struct iso_naive_cm {
    uint64_t *base, *closure;
    iso_naive_axiom *axioms;
    uint32_t n_axioms, axioms_room;
    iso_sees by;
} iso_naive_cm;

typedef struct iso_naive {
    iso_pool *pool;
    const isolab_history *h;
    const iso_question *question;
    iso_result *result;
    uint32_t patterns; /* the requested patterns */
    bool any_key;      /* rc: y = x is allowed for ISO_SEES_MONO */

    uint32_t n;        /* nodes */
    uint32_t *txn;     /* by node: its number in the history, or ISO_INIT */
    uint32_t *node;    /* by number in the history; ISO_NONE: excluded */
    uint32_t *read_of; /* by node: its first read; n + 1 entries */
    iso_naive_read *reads;
    iso_naive_fact *facts;
    uint32_t n_facts;
    uint32_t *writer_of, *writers; /* by key: the nodes that write it, in increasing order; n_keys + 1 entries */

    size_t words;             /* of a row */
    uint64_t *direct, *co;    /* so|wr, and its closure */
    iso_naive_cm cm[3];       /* for patterns i, l and n */
    uint32_t *parent, *queue; /* for paths */
} iso_naive;

static inline bool iso_naive_has(const iso_naive *v, const uint64_t *matrix, uint32_t from, uint32_t to) {
    return (matrix[(size_t)from * v->words + to / 64] >> to % 64 & 1) != 0;
}

static inline bool iso_naive_is_so(const iso_naive *v, uint32_t from, uint32_t to) {
    return from == 0 ? to != 0 : from < to && v->h->txn_session[v->txn[from]] == v->h->txn_session[v->txn[to]];
}

/* graph.c */
void iso_naive_relate(iso_naive *v); /* direct and co */
void iso_naive_free(iso_naive *v);   /* frees the matrices; all else is small and belongs to the result's pool */
void iso_naive_commit(iso_naive *v, iso_naive_cm *cm, iso_sees by);
bool iso_naive_sees(const iso_naive *v, iso_sees by, uint32_t t2, const iso_naive_fact *fact);
/* Gives the certificate of a satisfied level: an order that contains an acyclic closure. */
void iso_naive_give_order(iso_naive *v, const uint64_t *acyclic);
/* Reports a shortest cycle of so|wr through a node. */
void iso_naive_report_cycle(iso_naive *v, uint32_t node);
/* Reports t1 -> ... -> t2 -> t1, where the first part is in so|wr if cm is NULL, and the last edge is by the axiom. */
void iso_naive_report(iso_naive *v, iso_anomaly_kind kind, const iso_naive_cm *cm, uint32_t t2,
                      const iso_naive_fact *fact, iso_sees by);

#endif
