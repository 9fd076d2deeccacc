/* Triangle-freeness as a question about a history: the functions of triangle.c that other reductions use. */
#ifndef ISOLAB_REDUCTIONS_TRIANGLE_H
#define ISOLAB_REDUCTIONS_TRIANGLE_H

#include "checkers/result.h"
#include "history/builder.h"
#include "reductions/graph.h"

typedef enum { ISO_TRIANGLE_GENERAL, ISO_TRIANGLE_RA2, ISO_TRIANGLE_RC1 } iso_construction;

/* The transactions of a node; ISO_NONE: an isolated node has none. */
typedef struct iso_triangle_txns {
    uint32_t *writer, *reader; /* by node */
} iso_triangle_txns;

/* Makes the history of a graph, in memory linear in its number of edges. */
iso_triangle_txns iso_triangle_build(iso_pool *pool, const iso_graph *g, iso_construction construction, iso_builder *b);

/* Returns the node of each transaction. An edge that the axiom forces by a reader is a triangle: of the nodes of the
 * reader, of the transaction that must be first, and of the other one. Returns whether the edge is such an edge. */
uint32_t *iso_triangle_nodes(const iso_graph *g, const iso_triangle_txns *txns, iso_pool *pool, uint32_t n_txns);
bool iso_triangle_of_edge(const isolab_history *h, const iso_edge *e, const uint32_t *node_of, uint32_t triangle[3]);

/* The answer about the history from the graph: a triangle is a cycle of two edges, each forced by the axiom; without a
 * triangle all writers may come first. Returns true. */
bool iso_triangle_certify(const iso_graph *g, const iso_triangle_txns *txns, const isolab_history *h,
                          iso_result *result);

#endif
