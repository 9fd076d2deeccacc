/* Why the known order has a cycle. A cycle becomes an anomaly with its justification: the premise of every inferred
 * edge is a path of older edges (explain.c). If that is not enough, because a writer of a repeated value follows only
 * from the order, the *hints* are the constraints on which the contradiction depends, traced back through inferred
 * edges and ruled-out writers, each limited to what was known when it was inferred (hints.c). They are enough for a
 * proof (proof.c). */
#ifndef ISOLAB_CHECKERS_STRONG_HINTS_H
#define ISOLAB_CHECKERS_STRONG_HINTS_H

#include "checkers/strong/order.h"
#include "graph/layers.h"

/* Constraints that together refute the history: a read, the slot of the writer read from and the slot of another
 * writer, or (op ISO_NONE) two writers. And the ambiguous reads that matter, by operation. */
typedef struct strong_hint {
    uint32_t op, w1, w2;
} strong_hint;

typedef struct strong_hints {
    strong_hint *at;
    uint32_t n, room;
    uint8_t *choices;
} strong_hints;

/* Reports the cycle of the order (o->cycle). Rows may be missing if session order and write-read edges alone have a
 * cycle. Returns false if the cycle depends on reads whose writer is known only from the order, which edges cannot
 * justify; nothing is reported then. */
bool iso_strong_explain(const strong_order *o, iso_result *result);

/* Returns an event on a cycle of the order. There must be a cycle. */
uint32_t iso_strong_event_on_cycle(const strong_order *o, iso_pool *pool);

/* Call this after iso_strong_explain() returned false: returns what the cycle depends on. Linear in the size of its
 * justification, except for the search for paths. */
strong_hints iso_strong_hints_of_cycle(const strong_order *o, iso_pool *pool);

/* Does the same for a read of which narrowing has ruled out every writer. Returns false if there is none. */
bool iso_strong_hints_of_read(const strong_order *o, iso_pool *pool, strong_hints *hints);

/* For a search that failed after saturation and narrowing: returns everything that these inferred, and the n
 * constraints `why` that the solver was given. */
strong_hints iso_strong_hints_of_search(const strong_order *o, const strong_hint *why, uint32_t n, iso_pool *pool);

/* ---- paths of known edges (path.c) ---- */

/* A step of a path: the event that it leads to, and its read or inferred edge (both ISO_NONE: session order). */
typedef struct strong_step {
    uint32_t from, to, read, edge;
} strong_step;

typedef struct strong_path {
    strong_step *at;
    uint32_t n;
} strong_path;

/* A search for paths. */
typedef struct strong_paths {
    uint32_t round; /* use only reads that were resolved before this round of narrowing; the caller may lower it */
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

/* Returns whether an inferred edge has a premise, and where it begins and ends. A read of the initial value needs
 * none. */
bool iso_strong_premise(const strong_order *o, const strong_edge *e, uint32_t *from, uint32_t *to);

/* Returns the write-read edge of a read. */
static inline iso_edge iso_strong_read_edge(const strong_model *m, uint32_t read) {
    uint32_t slot = m->read_slot[read];
    return iso_edge_of_read(m->h, m->txn[m->write_txn[slot]], m->slot_op[slot], m->read_op[read]);
}

#endif
