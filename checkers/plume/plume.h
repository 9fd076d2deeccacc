/* What the files of the checker `plume` share (plume.txt, algorithm 1, made for millions of transactions):
 *
 *   plume.c          what is asked, in which order; the three descriptors
 *   view.c     the history as this checker reads it: reads from others, writers by key
 *   reads.c    patterns a to f and j, and what is wrong with lists
 *   order.c    a topological order, or the strongly connected components
 *   clock.c    causal order (CO) by tree clocks, by vectors, or by searching the graph
 *   commit.c   the commit relations (CM) of the three grades
 *   find.c     the instances of h, i, k, l, m and n
 *   witness.c  their cycles, with a reason for every edge
 *
 * A triple is t1 -wr_x-> t3 and another writer t2 of x. The axiom of its grade puts t2 before t1, so it is an instance
 * of i, l or n exactly when t1 and t2 are in one strongly connected component of that grade's CM: no clocks are
 * needed for CM. And where CM has no cycle, there is no instance of any of the six: then nothing is enumerated. */
#ifndef ISOLAB_CHECKERS_PLUME_PLUME_H
#define ISOLAB_CHECKERS_PLUME_PLUME_H

#include "checkers/checker.h"
#include "graph/digraph.h"
#include "graph/tree_clock.h"
#include "history/lists.h"

/* The patterns, as bits of iso_request.patterns. */
enum { TAP_A, TAP_B, TAP_C, TAP_D, TAP_E, TAP_F, TAP_G, TAP_H, TAP_I, TAP_J, TAP_K, TAP_L, TAP_M, TAP_N, TAPS };
#define TAP_BIT(tap) ((uint32_t)1 << (tap))

typedef enum { ISO_PLUME_TREE, ISO_PLUME_VECTOR, ISO_PLUME_SEARCH } iso_plume_mode;

/* How t3 sees t2; each is a case of the next one. NO_AXIOM is the CM of lists alone. */
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
    uint32_t *from, *to;        /* to may be ISO_INIT */
    uint32_t *why;              /* axioms: the read of t3 from t1; lists: the key */
    uint32_t n, room, n_axioms; /* the axioms first, then what lists prove */
    bool into_initial;
    bool cyclic;                   /* then the rest is there */
    uint32_t *component;           /* by node */
    uint64_t *cycle;               /* bit by node: in a component of more than one */
    uint32_t *edge_from, *edge_to; /* all edges of graph, by number: so, wr, the above */
    uint32_t n_so, n_causal;
    iso_digraph graph;
} iso_plume_cm;

typedef struct iso_plume_count {
    uint64_t traversals, comparisons, visited;
    iso_tree_count join;
} iso_plume_count;

typedef struct iso_plume {
    iso_pool *pool; /* of this run */
    const isolab_history *h;
    const iso_request *request;
    iso_result *result;
    iso_plume_mode mode;
    uint32_t patterns; /* those asked for */
    bool any_key;      /* rc: y = x counts for MONO */
    iso_plume_count count;

    /* The view. Reads of t from others, in program order: [read_first[t], read_first[t + 1]). A *fact* is
     * t1 -wr_x-> t3, by however many reads; its last read stands for it. */
    uint64_t *dropped; /* bit by operation: offends against INT; NULL: none does */
    uint32_t *read_first, *read_op, *read_key, *read_from;
    uint64_t *fact;                    /* bit by read */
    uint32_t *write_first, *write_key; /* distinct keys that t writes */
    /* The writers of key k, ascending, so session by session: its groups are [group_first[k], group_first[k + 1]),
     * group g has the writers [group[g], group[g + 1]) of session group_session[g]. */
    uint32_t *writer_first, *writer;
    uint32_t *group_first, *group, *group_session;
    uint32_t most_groups;
    iso_lists *lists; /* NULL: none */

    uint32_t *order, n_order; /* who takes part, in an order of so|wr; members of a component side by side */
    uint32_t *component;      /* of so|wr by transaction; NULL: no cycle */
    uint32_t *clock;          /* n_txns rows of n_sessions: the last transaction of the session that reaches this
                                 one or is it, plus 1. NULL: not made */
    /* Of the transaction met last (iso_plume_meet): whom it reads from is stamped with its number, plus 1; the
     * first read from each, and the first one of another key than that (ISO_NONE: none). */
    uint32_t *met, *met_first, *met_other;
    /* searches of the graph */
    uint32_t *stamp, search, *parent, *queue;

    iso_plume_cm cm[ISO_PLUME_GRADES];
} iso_plume;

static inline bool iso_plume_in(const iso_plume *p, uint32_t t) { return p->h->txn_counts[t] == ISO_IN; }
static inline bool iso_plume_bit(const uint64_t *set, uint32_t i) { return set[i >> 6] >> (i & 63) & 1; }
static inline void iso_plume_set(uint64_t *set, uint32_t i) { set[i >> 6] |= (uint64_t)1 << (i & 63); }
/* Graphs have a node for each transaction, and the last one for the initial transaction. */
static inline uint32_t iso_plume_node(const iso_plume *p, uint32_t t) { return t == ISO_INIT ? p->h->n_txns : t; }
static inline uint32_t iso_plume_txn(const iso_plume *p, uint32_t node) {
    return node == p->h->n_txns ? ISO_INIT : node;
}
static inline bool iso_plume_so(const iso_plume *p, uint32_t a, uint32_t b) {
    return a < b && p->h->txn_session[a] == p->h->txn_session[b];
}

/* One anomaly is enough unless all are asked for. */
static inline bool iso_plume_enough(const iso_plume *p) {
    return p->result->verdict == ISOLAB_VIOLATED && !p->request->all;
}
/* Counts an instance that need not be kept; true: it is to be kept (and then counted by iso_result_anomaly()). */
bool iso_plume_keep(iso_plume *p, iso_anomaly_kind kind);

/* reads.c: a to f, before the view; fills dropped. Then j, and what is wrong with lists. */
void iso_plume_offences(iso_plume *p);
void iso_plume_unrepeatable(iso_plume *p);
void iso_plume_lists(iso_plume *p); /* fills lists; reports if patterns have g */

/* view.c */
void iso_plume_view(iso_plume *p);
bool iso_plume_writes(const iso_plume *p, uint32_t t, uint32_t key);
/* How many writers in [from, to) of p->writer are below a number. */
uint32_t iso_plume_below(const iso_plume *p, uint32_t from, uint32_t to, uint32_t txn);

/* order.c: fills order and component. */
void iso_plume_causal_order(iso_plume *p);
/* Has this CM a cycle? If so, its components and graph are made; if not, order is made to be one of CM. */
void iso_plume_close(iso_plume *p, iso_plume_cm *cm);
void iso_plume_forget(iso_plume *p, iso_plume_cm *cm);

/* clock.c: makes clock, or says that it would be too large. */
bool iso_plume_clocks(iso_plume *p);
/* Columns of the sessions [low, high) of the table, by plain vectors: rows of high - low. */
void iso_plume_vectors(iso_plume *p, uint32_t *clock, uint32_t low, uint32_t high);
/* Sessions that a table of plain vectors has room for. */
uint32_t iso_plume_columns(const iso_plume *p);
/* By search: the last transaction of each session that reaches t or is it, plus 1, into row. */
void iso_plume_search(iso_plume *p, uint32_t t, uint32_t *row);
/* a CO b. Both take part and differ; b is not the initial transaction. */
bool iso_plume_before(iso_plume *p, uint32_t a, uint32_t b);

/* commit.c: the edges of a grade. */
void iso_plume_meet(iso_plume *p, uint32_t t3);
/* The first read of a key other than x from t2 by the transaction met last; ISO_NONE: none. */
static inline uint32_t iso_plume_met_besides(const iso_plume *p, uint32_t t2, uint32_t x) {
    return p->read_key[p->met_first[t2]] != x ? p->met_first[t2] : p->met_other[t2];
}
void iso_plume_commit(iso_plume *p, iso_plume_grade grade);

/* find.c */
void iso_plume_find(iso_plume *p);
void iso_plume_cycles(iso_plume *p); /* g, and cycles with what lists prove */

/* witness.c: append edges to the result and return the anomaly. */
iso_anomaly iso_plume_causal_cycle(iso_plume *p, uint32_t txn);
iso_anomaly iso_plume_list_cycle(iso_plume *p, uint32_t node);
/* t1 -> ... -> t2 (in so|wr when cm is NULL) -> t1, the last edge by the axiom because of the fact. */
iso_anomaly iso_plume_cycle(iso_plume *p, iso_anomaly_kind kind, const iso_plume_cm *cm, iso_plume_grade grade,
                            uint32_t t2, uint32_t fact);
/* The earliest read by which the reader of a fact sees t2 for MONO or ATOMIC (with_x: y = x counts too);
 * ISO_NONE: none. */
uint32_t iso_plume_sees(const iso_plume *p, uint32_t t2, uint32_t fact, bool mono, bool with_x);

#endif
