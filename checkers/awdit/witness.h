/* What the files that explain awdit's verdicts share:
 *
 *   witness.c   the reported anomalies, in order
 *   cycle.c     the graph, and the best cycle of a component
 *   complete.c  implied edges that verdicts do not need
 *   reason.c    why an edge was inferred */
#ifndef ISOLAB_CHECKERS_AWDIT_WITNESS_H
#define ISOLAB_CHECKERS_AWDIT_WITNESS_H

#include "checkers/awdit/awdit.h"
#include "graph/digraph.h"

/* Session order as an edge of a path or cycle: from any transaction of a session to any later one, and from the initial
 * transaction to every other. */
#define ISO_AWDIT_SO (UINT32_MAX - 1)

typedef struct iso_awdit_step {
    uint32_t from, to, edge; /* nodes; the number of the edge, or ISO_AWDIT_SO */
} iso_awdit_step;

/* Nodes are the transactions, and n_txns for the initial one. Edges are numbered: first session order (neighbours),
 * then wr, then inferred edges. */
typedef struct iso_awdit_witness {
    iso_awdit *a;
    uint32_t n_nodes, n_so, n_causal, n_edges;
    uint32_t *from, *to;
    iso_digraph graph;
    uint32_t *component;

    /* A search: entries are stamped, so that nothing has to be reset. */
    uint32_t *stamp, search;
    uint32_t *parent, *via; /* by node: how the search reached it; parent ISO_NONE: the search began there */
    uint32_t *distance;     /* by node: number of edges from the beginning */
    uint32_t *queue, n_queue;
    uint32_t *later;           /* edges of the next layer */
    uint32_t *low, *low_stamp; /* by session: all its transactions from this one on have been reached */
    uint64_t steps;            /* of all searches */

    /* The best cycle so far, and its number of inferred edges. */
    iso_awdit_step *cycle;
    uint32_t n_cycle, weight, cycle_room;
} iso_awdit_witness;

static inline uint32_t iso_awdit_node(const iso_awdit_witness *w, uint32_t t) {
    return t == ISO_INIT ? w->n_nodes - 1 : t;
}
static inline uint32_t iso_awdit_txn(const iso_awdit_witness *w, uint32_t node) {
    return node == w->n_nodes - 1 ? ISO_INIT : node;
}

/* Returns the transaction that a read reads from, if it is another included one and the read was not dropped; else
 * ISO_NONE. */
uint32_t iso_awdit_source(const iso_awdit *a, uint32_t o);

/* cycle.c */
void iso_awdit_build(iso_awdit_witness *w, bool inferred);
void iso_awdit_demolish(iso_awdit_witness *w);
/* Finds the best cycle through one of the seeds, which are edges of one component, and writes it to `cycle`. */
void iso_awdit_find_cycle(iso_awdit_witness *w, const uint32_t *seeds, uint32_t n);
/* A search begins at a node. From there it follows so and wr, within a component unless that is ISO_NONE. The nodes
 * that it meets are put into queue, nearest first. */
void iso_awdit_begin(iso_awdit_witness *w, uint32_t start);
void iso_awdit_expand(iso_awdit_witness *w, uint32_t v, uint32_t component);

/* complete.c: adds to the inferred edges of the run. Returns false if there are none to add. */
bool iso_awdit_complete(iso_awdit_witness *w);

/* reason.c */
/* How t3 sees t2, for the names of Plume's patterns (docs/levels.md). */
typedef enum { ISO_AWDIT_MONO, ISO_AWDIT_ATOMIC, ISO_AWDIT_CAUSAL } iso_awdit_grade;

/* Returns a step of so or wr as an edge of the result. */
iso_edge iso_awdit_plain(const iso_awdit_witness *w, const iso_awdit_step *step);
/* Adds the premises of an inferred edge to the result, and returns the edge. */
iso_edge iso_awdit_justify(iso_awdit_witness *w, uint32_t e, iso_awdit_grade *how);

#endif
