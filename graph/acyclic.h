/* A theory for the solver: the graph of all arcs whose literals are true has no cycle.
 *
 * Vertices are numbered from 0. An arc carries up to two literals and is in the graph when both are true
 * (ISO_LIT_TRUE where it needs fewer). Arcs are declared before solving, or between two calls of solve.
 * A topological order is kept as arcs come (after Pearce and Kelly, A dynamic topological sort algorithm for
 * directed acyclic graphs); taking arcs back costs what they are and leaves the order as it is.
 *
 * (D ; RW?) for snapshot isolation needs no other theory. Give each transaction t two vertices, its start s_t and
 * its commit c_t, and the permanent arc s_t -> c_t. A dependency (so, wr, ww) t -> u becomes c_t -> s_u, an
 * anti-dependency t -> u becomes s_t -> c_u. Claim: D ; RW? has a cycle if and only if this graph has one.
 * A cycle of D ; RW? is a closed walk of D and RW arcs without two RW arcs in a row (and not one RW arc
 * alone). Replace D by c_t -> s_u, and go on from s_u: to a D arc through s_u -> c_u, to a RW arc directly. A RW
 * arc ends in c_u, and the next arc is a D arc, which begins there. So it is a closed walk here. Conversely, in a cycle
 * here what leaves c_u is a D arc, and what enters c_u is a RW arc or s_u -> c_u; so between two RW arcs
 * lies a D arc, and dropping the arcs s_u -> c_u gives such a closed walk. (The order found is SI's order of
 * starts and commits.)
 */
#ifndef ISOLAB_GRAPH_ACYCLIC_H
#define ISOLAB_GRAPH_ACYCLIC_H

#include "graph/solver.h"

typedef struct iso_acyclic iso_acyclic;

typedef struct iso_arc {
    uint32_t from, to;
    iso_lit a, b; /* both must be true; ISO_LIT_TRUE */
    uint32_t tag; /* the client's */
} iso_arc;

/* Told about every cycle that became a lemma: its n arcs by number, each beginning where the last one ends.
 * conflict: else it explains a literal that was implied. */
typedef void iso_cycle_fn(void *arg, const iso_acyclic *g, const uint32_t *arcs, uint32_t n, bool conflict);

/* Told of the vertices whose positions have changed. */
typedef void iso_moved_fn(void *arg, const uint32_t *vertices, uint32_t n);

typedef struct iso_acyclic_counts {
    uint64_t insertions, reorders, visited, cycles, implied;
} iso_acyclic_counts;

/* The graph belongs to the pool. solver: NULL for a graph without literals. */
iso_acyclic *iso_acyclic_new(iso_pool *pool, iso_solver *solver, uint32_t n_vertices);
void iso_acyclic_on_cycle(iso_acyclic *g, iso_cycle_fn *fn, void *arg);
void iso_acyclic_on_move(iso_acyclic *g, iso_moved_fn *fn, void *arg);

/* Implied literals: false leaves it to conflicts. Polarity: the first arc of the positive literal decides by
 * the current order; false leaves it to saved phases. Both are on unless turned off. */
void iso_acyclic_options(iso_acyclic *g, bool imply, bool polarity);

/* The permanent arcs that are there from the start, all at once and before any other arc: those of v lead to
 * [first[v], first[v + 1]) of end, and are numbered like these. tag may be NULL. The arrays must last as long as the
 * graph. For graphs of millions of them: an arc takes 8 or 12 bytes here, and 48 one by one. */
void iso_acyclic_lay(iso_acyclic *g, const uint32_t *first, const uint32_t *end, const uint32_t *tag);

/* The same arcs from the other side: the arcs that lead to v come from [first[v], first[v + 1]) of end, with the same
 * numbers as above. */
void iso_acyclic_lay_incoming(iso_acyclic *g, const uint32_t *first, const uint32_t *end);

/* Returns the arc's number; numbers count from 0. An arc whose literals are both ISO_LIT_TRUE is permanent. */
uint32_t iso_acyclic_arc(iso_acyclic *g, iso_arc arc);
uint32_t iso_acyclic_arcs(const iso_acyclic *g); /* how many were declared */
iso_arc iso_acyclic_get(const iso_acyclic *g, uint32_t arc);

/* Puts the permanent arcs declared since the last call into the graph (the first time in linear time), and
 * makes the new ones known to the solver. Where all of them lead from a smaller vertex to a larger one, the first
 * order is that of the numbers. Call it at level 0: before solve. False: permanent arcs form a
 * cycle, which iso_cycle_fn is told. Arcs whose literals are true already are inserted too. */
bool iso_acyclic_ready(iso_acyclic *g);

/* A topological order of the current graph: positions are distinct. */
uint64_t iso_acyclic_position(const iso_acyclic *g, uint32_t vertex);
const uint64_t *iso_acyclic_positions(const iso_acyclic *g);         /* by vertex; stays where it is */
void iso_acyclic_vertices(const iso_acyclic *g, uint32_t *vertices); /* all of them, in that order */

iso_acyclic_counts iso_acyclic_counters(const iso_acyclic *g);

#endif
