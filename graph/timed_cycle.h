/* A shortest cycle of a graph whose vertices have a start and an end, where a vertex that ended before another one
 * started precedes it. These edges of time, of which there may be n^2, are never listed.
 *
 * A shortest cycle has at most one edge of time. Proof: let it have two, b1 -> a1 and b2 -> a2, and let a1 start no
 * later than a2. Then b1 also ended before a2 started, and b1 -> a2 makes a shorter cycle, without the path from a1 to
 * b2. So a shortest cycle is a path of other edges from a vertex a back to a, or to a vertex b that ended before a
 * started.
 *
 * Vertices from n on are helpers: a step from a helper costs nothing. So a vertex with edges to each of a chain of
 * vertices has one step, to a helper that stands for that part of the chain. For every vertex the search knows the
 * earliest end that can be reached from it, which rules out most sources and cuts most paths.
 *
 * Cycles of at most 2 edges are searched first, from every possible source, then of at most 4, 8, and so on. */
#ifndef ISOLAB_GRAPH_TIMED_CYCLE_H
#define ISOLAB_GRAPH_TIMED_CYCLE_H

#include "graph/digraph.h"

/* Set by the caller. */
typedef struct iso_timed_graph {
    iso_digraph graph; /* with the numbers of its edges; a helper leads to helpers of greater number, and to vertices */
    uint32_t n_nodes;  /* number of vertices and helpers */
    uint32_t n;        /* number of vertices */
    uint32_t n_sources;         /* vertices [0, n_sources) may begin a path */
    const uint32_t *from, *to;  /* by edge */
    const int64_t *start, *end; /* by vertex; INT64_MIN and INT64_MAX: not known */
    uint64_t most_steps; /* limit of steps: after it the best cycle so far is returned, or else the next one found */
} iso_timed_graph;

/* A cycle: a path of edges from a source. in_time: an edge of time leads from its end back to the source. */
typedef struct iso_timed_cycle {
    uint32_t source, *edge, n; /* n 0: there is no cycle */
    bool in_time;
} iso_timed_cycle;

/* Returns a cycle with the fewest edges between vertices. */
iso_timed_cycle iso_timed_cycle_find(const iso_timed_graph *g, iso_pool *pool);

#endif
