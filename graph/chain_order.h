/* A topological order of nodes in chains, such as transactions in sessions, without a graph in memory.
 *
 * Each chain is followed as far as possible. A node can be placed when all nodes that it follows are placed; otherwise
 * its chain waits for the first of them that is not. The number of its edges that are done is stored, so each edge is
 * visited once: O(n + m). Whether a node is placed is one bit, so the table stays in the cache. */
#ifndef ISOLAB_GRAPH_CHAIN_ORDER_H
#define ISOLAB_GRAPH_CHAIN_ORDER_H

#include "base/env.h"

typedef struct iso_chains {
    const uint32_t *first; /* chain c has the nodes [first[c], first[c + 1]), each of which follows the one before */
    uint32_t n_chains;
    uint32_t n_alone; /* number of nodes from first[n_chains] on, each a chain by itself */

    /* A node v of a chain follows before[i] for i in [before_first[v], before_end[v]); `nothing` stands for no node. */
    const uint32_t *before, *before_first, *before_end;
    uint32_t nothing;
    /* Node to[i] follows from[i]; the nodes may be any. */
    const uint32_t *from, *to;
    uint32_t n_edges;

    const uint8_t *kind; /* by node of a chain: nodes of kind `kept` are written to the order */
    uint8_t kept;
    uint32_t
        turn; /* nodes of one chain before the next chain has its turn, so that the order resembles time; 0: no limit,
               * and then the chain that was woken last */
} iso_chains;

/* Writes the order (NULL: only counts), and sets its number of nodes. Returns false if there is a cycle. */
bool iso_chain_order(const iso_chains *c, iso_pool *pool, uint32_t *order, uint32_t *n_order);

#endif
