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

#endif
