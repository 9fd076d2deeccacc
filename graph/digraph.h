/* Directed graphs as compressed sparse rows, with strongly connected components and topological orders. No function
 * recurses, because a path may be as long as the history. */
#ifndef ISOLAB_GRAPH_DIGRAPH_H
#define ISOLAB_GRAPH_DIGRAPH_H

#include "base/env.h"

/* The successors of v are to[first[v] .. first[v+1]). edge[i], if wanted, is the number of the edge in the list from
 * which the graph was built. */
typedef struct iso_digraph {
    uint32_t n;
    uint32_t *first; /* n + 1 */
    uint32_t *to;
    uint32_t *edge;
} iso_digraph;

/* Builds a graph of m edges from[i] -> to[i]; the edges of a node keep their order. O(n + m). */
iso_digraph iso_digraph_build(iso_pool *pool, uint32_t n, const uint32_t *from, const uint32_t *to, uint32_t m,
                              bool numbers);
void iso_digraph_free(iso_pool *pool, iso_digraph *g);

/* Writes the number of each node's strongly connected component to component[v], in reverse topological order: an edge
 * never leads to a component with a larger number. Returns the number of components. Tarjan's algorithm, O(n + m). */
uint32_t iso_digraph_components(const iso_digraph *g, iso_pool *scratch, uint32_t *component);

/* Writes a topological order. Returns false if there is a cycle. Among the available nodes, the one that became
 * available first comes next. O(n + m). */
bool iso_digraph_order(const iso_digraph *g, iso_pool *scratch, uint32_t *order);

#endif
