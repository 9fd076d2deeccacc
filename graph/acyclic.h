/* A theory for the solver: the graph of the arcs whose literals are all true has no cycle.
 *
 * Vertices are numbered from 0. An arc carries up to two literals and is in the graph when both are true (ISO_LIT_TRUE
 * stands in for a literal that it does not need). Arcs are declared before solving, or between two calls of solve. A
 * topological order is maintained as arcs are added (after Pearce and Kelly, A dynamic topological sort algorithm for
 * directed acyclic graphs). Removing arcs takes time linear in their number and leaves the order as it is.
 *
 * (D ; RW?) for snapshot isolation needs no other theory. Give each transaction t two vertices, its start s_t and its
 * commit c_t, and the permanent arc s_t -> c_t. A dependency (so, wr, ww) t -> u becomes c_t -> s_u, an anti-dependency
 * t -> u becomes s_t -> c_u. Claim: D ; RW? has a cycle if and only if this graph has one. A cycle of D ; RW? is a
 * closed walk of D and RW arcs without two consecutive RW arcs (and not a single RW arc). Replace each D arc t -> u by
 * c_t -> s_u. If the next arc is a D arc, continue through s_u -> c_u; if it is an RW arc, continue at s_u. An RW arc
 * ends in c_u, and the next arc is a D arc, which starts there. So the result is a closed walk of this graph.
 * Conversely, in a cycle of this graph every arc that leaves c_u is a D arc, and every arc that enters c_u is an RW arc
 * or s_u -> c_u. So a D arc lies between any two RW arcs, and without the arcs s_u -> c_u the cycle is such a closed
 * walk. (The order found is SI's order of starts and commits.) */
#ifndef ISOLAB_GRAPH_ACYCLIC_H
#define ISOLAB_GRAPH_ACYCLIC_H

#include "graph/solver.h"

typedef struct iso_acyclic iso_acyclic;

typedef struct iso_arc {
    uint32_t from, to;
    iso_lit a, b; /* both must be true; ISO_LIT_TRUE where it needs fewer */
    uint32_t tag; /* for the client's use */
} iso_arc;

/* Called for every cycle that became a lemma: the numbers of its n arcs, each starting where the one before ends.
 * conflict: the cycle is a conflict; otherwise it explains an implied literal. */
typedef void iso_cycle_fn(void *arg, const iso_acyclic *g, const uint32_t *arcs, uint32_t n, bool conflict);

/* Called with the vertices whose positions changed. */
typedef void iso_moved_fn(void *arg, const uint32_t *vertices, uint32_t n);

typedef struct iso_acyclic_counts {
    uint64_t insertions, reorders, visited, cycles, implied;
} iso_acyclic_counts;

/* Makes a graph in the pool. solver: NULL for a graph without literals. */
iso_acyclic *iso_acyclic_new(iso_pool *pool, iso_solver *solver, uint32_t n_vertices);
void iso_acyclic_on_cycle(iso_acyclic *g, iso_cycle_fn *fn, void *arg);
void iso_acyclic_on_move(iso_acyclic *g, iso_moved_fn *fn, void *arg);

/* imply: imply literals; otherwise cycles are only found as conflicts. polarity: try the value of a variable for which
 * the first arc of its positive literal agrees with the current order; otherwise the solver's saved phase. Both are on
 * by default. */
void iso_acyclic_options(iso_acyclic *g, bool imply, bool polarity);

/* Declares all permanent arcs that exist from the start, before any other arc: the arcs from v lead to end[first[v] ..
 * first[v + 1]), and an arc's number is its index in `end`. tag may be NULL. The arrays must live as long as the graph.
 * For graphs of millions of arcs: an arc takes 8 or 12 bytes here, and 48 when declared alone. */
void iso_acyclic_lay(iso_acyclic *g, const uint32_t *first, const uint32_t *end, const uint32_t *tag);

/* Declares the same arcs by their ends: the arcs to v come from end[first[v] .. first[v + 1]). The arc numbers are
 * those of iso_acyclic_lay(). */
void iso_acyclic_lay_incoming(iso_acyclic *g, const uint32_t *first, const uint32_t *end);

/* Declares an arc and returns its number; numbers count from 0. An arc whose literals are both ISO_LIT_TRUE is
 * permanent. */
uint32_t iso_acyclic_arc(iso_acyclic *g, iso_arc arc);
uint32_t iso_acyclic_arcs(const iso_acyclic *g); /* number of declared arcs */
iso_arc iso_acyclic_get(const iso_acyclic *g, uint32_t arc);

/* Inserts the permanent arcs declared since the last call (the first call takes linear time), and connects the new arcs
 * to the solver. Also inserts arcs whose literals are already true. If all permanent arcs lead from a smaller vertex to
 * a larger one, the first order is that of the numbers. Call it at level 0, before solve. Returns false if permanent
 * arcs form a cycle, which iso_cycle_fn receives. */
bool iso_acyclic_ready(iso_acyclic *g);

/* Returns the vertex's position in a topological order of the current graph; positions are distinct. */
uint64_t iso_acyclic_position(const iso_acyclic *g, uint32_t vertex);
const uint64_t *iso_acyclic_positions(const iso_acyclic *g);         /* by vertex; the address does not change */
void iso_acyclic_vertices(const iso_acyclic *g, uint32_t *vertices); /* writes all vertices in that order */

iso_acyclic_counts iso_acyclic_counters(const iso_acyclic *g);

#endif
