/* A cycle with the fewest edges that cost, in a graph of which some edges are free. From a vertex, a search looks for a
 * path back to it, layer by layer, and stops when the cycle cannot be better than the best one so far: O(m) for a
 * vertex. */
#ifndef ISOLAB_GRAPH_CHEAP_CYCLE_H
#define ISOLAB_GRAPH_CHEAP_CYCLE_H

#include "graph/digraph.h"
#include "graph/layers.h"

typedef struct iso_cheap_cycle {
    /* set by the caller */
    iso_pool *pool;
    iso_digraph graph;      /* with numbers of edges */
    const uint8_t *is_free; /* by edge */

    /* The best cycle so far: its edges, its cost, and its length, which counts consecutive free edges once. */
    uint32_t *best, n_best, cost, length, best_room;

    uint32_t *component;
    uint32_t *stamp, *by, *before; /* by vertex: the search that reached it, the last edge, and the vertex before it */
    uint8_t *done;                 /* by vertex: this search has followed its edges */
    uint8_t *gone;                 /* by vertex: the search for the best cycle through it is done */
    iso_layers queue;
    uint32_t search;
    uint64_t steps; /* edges that were followed */
    uint32_t *way, way_room;
} iso_cheap_cycle;

void iso_cheap_cycle_begin(iso_cheap_cycle *c);

/* Returns whether an edge between two vertices is on a cycle, and no search started at its first vertex. */
bool iso_cheap_cycle_may_have(const iso_cheap_cycle *c, uint32_t from, uint32_t to);

/* Searches for the best cycle through a vertex. Later searches do not visit it. */
void iso_cheap_cycle_from(iso_cheap_cycle *c, uint32_t start);

#endif
