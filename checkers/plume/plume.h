/* The checker `plume` (plume.txt, algorithm 1, made for millions of transactions), and the context of its files:
 *
 *   plume.c    the steps in order; the three descriptors
 *   view.c     the checker's own arrays: reads from other transactions, writers by key
 *   reads.c    patterns a to f and j, and contradictions between list reads
 *   order.c    a topological order, or the strongly connected components
 *   clock.c    causal order (CO) by tree clocks, by vectors, or by searching the graph
 *   commit.c   the commit relations (CM) of the three grades
 *   edges.c    its edges, each once
 *   many.c     the edges of keys that one transaction reads from many writers
 *   find.c     the instances of h, i, k, l, m and n
 *   witness.c  their cycles, with a reason for every edge
 *
 * A triple is t1 -wr_x-> t3 and another writer t2 of x. The axiom of its grade puts t2 before t1, so it is an instance
 * of i, l or n exactly if t1 and t2 are in one strongly connected component of that grade's CM: CM needs no clocks. If
 * CM has no cycle, none of the six patterns has an instance, and nothing is enumerated. */
#ifndef ISOLAB_CHECKERS_PLUME_PLUME_H
#define ISOLAB_CHECKERS_PLUME_PLUME_H

#include "base/buckets.h"
#include "checkers/checker.h"
#include "graph/digraph.h"
#include "graph/tree_clock.h"
#include "history/lists.h"

typedef enum { ISO_PLUME_TREE, ISO_PLUME_VECTOR, ISO_PLUME_SEARCH } iso_plume_mode;

/* How t3 sees t2; each way is a special case of the next one. NO_AXIOM is the CM of lists only. */
typedef enum {
    ISO_PLUME_MONO,
    ISO_PLUME_ATOMIC,
    ISO_PLUME_CAUSAL,
    ISO_PLUME_NO_AXIOM,
    ISO_PLUME_GRADES
} iso_plume_grade;

/* The commit relation of one grade: so, wr, and these edges. */
typedef struct iso_plume_cm {
    iso_plume_grade grade;
    uint32_t *from, *to; /* to may be ISO_INIT; from n_txns + 1 on they are nodes of many.c */
    uint32_t *why;       /* for an axiom: the read of t3 from t1 (to such a node: ISO_NONE); for lists: the key */
    uint32_t n_nodes;    /* number of such nodes */
    uint32_t n, room, n_axioms; /* the axioms' edges first, then the edges that lists prove */
    bool into_initial;
    bool cyclic;                   /* it has a cycle; then the fields below are set */
    uint32_t *component;           /* by node */
    uint64_t *cycle;               /* bit by node: it is in a component of several nodes */
    uint32_t *edge_from, *edge_to; /* all edges of the graph, by number: so, wr, then the above */
    uint32_t n_so, n_causal;
    iso_digraph graph;
} iso_plume_cm;

/* A key of which a transaction has more facts than this is one of many.c. */
#define ISO_PLUME_MANY 16

/* The facts of such a key, in program order, except the fact of its initial value. */
typedef struct iso_plume_group {
    uint32_t first, n; /* of iso_plume_many.fact */
    uint32_t initial;  /* the fact from the initial transaction; ISO_NONE: none */
    uint32_t node;     /* node + v is place v of the tree; ISO_NONE: there is no tree yet */
} iso_plume_group;

typedef struct iso_plume_many {
    uint32_t *fact, n_facts;
    uint32_t *place; /* by group: the places of its facts in `fact`, by their sources */
    iso_plume_group *group;
    uint32_t n_groups, room;
} iso_plume_many;

typedef struct iso_plume_count {
    uint64_t traversals, comparisons, visited;
    iso_tree_count join;
} iso_plume_count;

typedef struct iso_plume {
    iso_pool *pool; /* of this run */
    const isolab_history *h;
    const iso_question *question;
    iso_result *result;
    iso_plume_mode mode;
    uint32_t patterns; /* the requested patterns */
    bool any_key;      /* rc: y = x is allowed for MONO */
    iso_plume_count count;

    /* The view. Reads of t from other transactions, in program order: [read_first[t], read_first[t + 1]). A *fact* is
     * t1 -wr_x-> t3; if several reads make it, the last one stands for it. */
    uint64_t *dropped; /* bit by operation: it offends against INT; NULL: none does */
    uint32_t *read_first, *read_op, *read_key, *read_from;
    uint64_t *fact;                    /* bit by read */
    uint32_t *write_first, *write_key; /* distinct keys that t writes */
    /* The writers of key k, ascending, so session by session. Its groups are [group_first[k], group_first[k + 1]), and
     * group g has the writers [group[g], group[g + 1]) of session group_session[g]. */
    uint32_t *writer_first, *writer;
    uint32_t *group_first, *group, *group_session;
    uint32_t most_groups;
    iso_lists *lists; /* NULL: no lists */

    uint32_t *order, n_order; /* the included transactions in an order of so|wr; the members of a component are
                               * adjacent */
    uint32_t *component;      /* by transaction: its component of so|wr; NULL: no cycle */
    uint32_t *clock;          /* n_txns rows of n_sessions: 1 + the last transaction of the session that reaches this
                               * one or is it. NULL: not computed */
    /* Of the transaction met last (iso_plume_meet): the transactions that it reads from are stamped with its number,
     * plus 1; with the first read from each, and the first read of another key than that (ISO_NONE: none). */
    uint32_t *met, *met_first, *met_other;
    /* searches of the graph */
    uint32_t *stamp, search, *parent, *queue, searched; /* the number of nodes for which they have room */

    iso_plume_cm cm[ISO_PLUME_GRADES];
} iso_plume;

static inline bool iso_plume_in(const iso_plume *p, uint32_t t) { return p->h->txn_counts[t] == ISO_INCLUDED; }
static inline bool iso_plume_bit(const uint64_t *set, uint32_t i) { return set[i >> 6] >> (i & 63) & 1; }
static inline void iso_plume_set(uint64_t *set, uint32_t i) { set[i >> 6] |= (uint64_t)1 << (i & 63); }
/* Returns the node of a transaction. The last node stands for the initial transaction. */
static inline uint32_t iso_plume_node(const iso_plume *p, uint32_t t) { return t == ISO_INIT ? p->h->n_txns : t; }
static inline uint32_t iso_plume_txn(const iso_plume *p, uint32_t node) {
    return node == p->h->n_txns ? ISO_INIT : node;
}
static inline bool iso_plume_so(const iso_plume *p, uint32_t a, uint32_t b) {
    return a < b && p->h->txn_session[a] == p->h->txn_session[b];
}

/* Returns whether the search may stop: one anomaly is enough unless all are requested. */
static inline bool iso_plume_enough(const iso_plume *p) {
    return p->result->verdict == ISOLAB_VIOLATED && !p->question->all;
}
/* Counts an instance that need not be kept. Returns true for one to keep (iso_result_anomaly() then counts it). */
bool iso_plume_keep(iso_plume *p, iso_anomaly_kind kind);

/* reads.c: finds patterns a to f, before the view, and fills in `dropped`. The second function finds j. */
void iso_plume_offences(iso_plume *p);
void iso_plume_unrepeatable(iso_plume *p);
void iso_plume_lists(iso_plume *p); /* fills in `lists`; reports contradictions if the patterns have g */

/* view.c */
void iso_plume_view(iso_plume *p);
void iso_plume_searches(iso_plume *p, uint32_t n_nodes); /* makes room for searches of graphs with that many nodes */
bool iso_plume_writes(const iso_plume *p, uint32_t t, uint32_t key);
/* Returns the number of writers in [from, to) of p->writer that are below a number. */
uint32_t iso_plume_below(const iso_plume *p, uint32_t from, uint32_t to, uint32_t txn);

/* order.c: fills in `order` and `component`. */
void iso_plume_causal_order(iso_plume *p);
/* Returns whether this CM has a cycle. If so, builds its components and graph; if not, makes `order` an order of CM. */
void iso_plume_close(iso_plume *p, iso_plume_cm *cm);
void iso_plume_forget(iso_plume *p, iso_plume_cm *cm);

/* clock.c: computes `clock`. Returns false if it would be too large. */
bool iso_plume_clocks(iso_plume *p);
/* Computes the columns of sessions [low, high) of the table by plain vectors, in rows of high - low. */
void iso_plume_vectors(iso_plume *p, uint32_t *clock, uint32_t low, uint32_t high);
/* Returns the number of sessions for which a table of plain vectors has room. */
uint32_t iso_plume_columns(const iso_plume *p);
/* Writes 1 + the last transaction of each session that reaches t, or is t, to row, by a search. */
void iso_plume_search(iso_plume *p, uint32_t t, uint32_t *row);
/* Returns whether a CO b. Both are included and different; b is not the initial transaction. */
bool iso_plume_before(iso_plume *p, uint32_t a, uint32_t b);

/* commit.c: infers the edges of a grade. */
void iso_plume_meet(iso_plume *p, uint32_t t3);
/* Returns the first read of a key other than x from t2 by the transaction met last; ISO_NONE: none. */
static inline uint32_t iso_plume_met_besides(const iso_plume *p, uint32_t t2, uint32_t x) {
    return p->read_key[p->met_first[t2]] != x ? p->met_first[t2] : p->met_other[t2];
}
void iso_plume_commit(iso_plume *p, iso_plume_grade grade);
/* edges.c */
void iso_plume_add_edge(iso_plume *p, iso_plume_cm *cm, uint32_t t2, uint32_t t1, uint32_t why);

/* many.c: makes a group of the facts of a key, given by the last one and the list of those before each (by the distance
 * from the transaction's first read). Returns its number; ISO_NONE: it has few. */
uint32_t iso_plume_many_add(iso_plume *p, iso_plume_many *m, uint32_t last, const uint32_t *before, uint32_t first);
/* Puts t2 before the sources of all facts of a group from a read on, except itself. */
void iso_plume_many_infer(iso_plume *p, iso_plume_cm *cm, iso_plume_many *m, uint32_t group, uint32_t t2,
                          uint32_t read);

/* find.c */
void iso_plume_find(iso_plume *p);
void iso_plume_cycles(iso_plume *p); /* g, and cycles with edges that lists prove */

/* witness.c: append edges to the result and return the anomaly. */
iso_anomaly iso_plume_causal_cycle(iso_plume *p, uint32_t txn);
iso_anomaly iso_plume_list_cycle(iso_plume *p, uint32_t node);
/* t1 -> ... -> t2 -> t1, where the first part is in so|wr if cm is NULL, and the last edge is by the axiom for the
 * fact. */
iso_anomaly iso_plume_cycle(iso_plume *p, iso_anomaly_kind kind, const iso_plume_cm *cm, iso_plume_grade grade,
                            uint32_t t2, uint32_t fact);

#endif
