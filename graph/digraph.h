/* Directed graphs as compressed rows, their strongly connected components and topological orders. Nothing here
 * recurses: a path may be as long as the history. */
#ifndef ISOLAB_GRAPH_DIGRAPH_H
#define ISOLAB_GRAPH_DIGRAPH_H

#include "base/env.h"

/* The successors of v are to[first[v] .. first[v+1]); edge[i], where wanted, is the number that the edge had in
 * the list it was built from. */
typedef struct iso_digraph {
    uint32_t n;
    uint32_t *first; /* n + 1 */
    uint32_t *to;
    uint32_t *edge;
} iso_digraph;

/* From m edges from[i] -> to[i], in the order of the list at each node. O(n + m). */
iso_digraph iso_digraph_build(iso_pool *pool, uint32_t n, const uint32_t *from, const uint32_t *to, uint32_t m,
                              bool numbers);
void iso_digraph_free(iso_pool *pool, iso_digraph *g);

/* Numbers the strongly connected components in reverse topological order (an edge never leads to a component
 * of a larger number), into component[v]; returns how many there are. Tarjan's algorithm, O(n + m). */
uint32_t iso_digraph_components(const iso_digraph *g, iso_pool *scratch, uint32_t *component);

/* Writes a topological order; false when there is a cycle. Among the nodes that may come next the one that
 * became free first is taken. O(n + m). */
bool iso_digraph_order(const iso_digraph *g, iso_pool *scratch, uint32_t *order);

#endif
