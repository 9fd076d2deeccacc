/* Paths of known edges, and premises of inferred edges: for cycles and hints (hints.h). */
#ifndef ISOLAB_CHECKERS_STRONG_PATH_H
#define ISOLAB_CHECKERS_STRONG_PATH_H

#include "checkers/strong/order.h"
#include "graph/layers.h"

/* A step of a path: the event that it leads to, and its read or inferred edge (both ISO_NONE: session order). */
typedef struct strong_step {
    uint32_t from, to, read, edge;
} strong_step;

typedef struct strong_path {
    strong_step *at;
    uint32_t n;
} strong_path;

/* A search for paths; the caller sets the first fields. */
typedef struct strong_paths {
    const uint32_t *ambiguous_of; /* by operation: the number of the ambiguous read; NULL: rounds do not matter */
    uint32_t round;               /* use only reads that were resolved before this round of narrowing */
    const strong_order *o;
    iso_pool *pool;
    uint32_t goal, limit; /* use only inferred edges below limit */
    uint32_t *cost;       /* by event: number of inferred edges on the path; UINT32_MAX: not reached */
    strong_step *by;      /* by event: the step that led to it */
    uint32_t *touched, n_touched, touched_room;
    iso_layers queue; /* of events */
    uint32_t here;
    bool goal_reached;
    strong_step last; /* the step to the goal */
    uint32_t last_cost;
} strong_paths;

void iso_strong_paths_init(strong_paths *s, const strong_order *o, iso_pool *pool);

/* Returns a path from one event to another (or back to itself) with the fewest inferred edges, all below limit, by a
 * 0-1 search. It must exist. */
strong_path iso_strong_find_path(strong_paths *s, uint32_t from, uint32_t to, uint32_t limit);

/* Returns where the premise of an inferred edge begins and ends, if it has one. */
bool iso_strong_has_premise(const strong_order *o, const strong_edge *e);
bool iso_strong_leans_on_init(const strong_order *o, const strong_edge *e);
void iso_strong_premise_ends(const strong_order *o, const strong_edge *e, uint32_t *from, uint32_t *to);

/* Returns the write-read edge of a read. */
static inline iso_edge iso_strong_read_edge(const strong_model *m, uint32_t read) {
    uint32_t slot = m->read_slot[read];
    return iso_edge_of_read(m->h, m->txn[m->write_txn[slot]], m->slot_op[slot], m->read_op[read]);
}

#endif
