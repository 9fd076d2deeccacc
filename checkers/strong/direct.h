/* The graph of stage `direct` (direct.c), and the search of a shortest cycle of sser in it (shortest.c). */
#ifndef ISOLAB_CHECKERS_STRONG_DIRECT_H
#define ISOLAB_CHECKERS_STRONG_DIRECT_H

#include "checkers/strong/path.h"
#include "graph/digraph.h"

/* Limit of arcs followed in the search for a short cycle; then the best cycle so far is kept. */
#define SEARCH_STEPS ((uint64_t)1 << 26)

/* WW: an anti-dependency that also orders two writers of a key. RT: real-time order. */
typedef enum { SO, WR, RW, WW, RT } direct_arc_kind;

typedef struct direct_arc {
    uint32_t from, to; /* events; for SO in the graph: of neighbours in a session, or of one transaction */
    uint8_t kind;
    uint32_t read, overwrite; /* WR, RW: the read; RW: the slot that overwrites its version */
    uint32_t via;             /* RW: the slot from which that follows: the same one, or an earlier one of the session */
} direct_arc;

typedef struct direct {
    const strong_model *m;
    const strong_order *order;
    iso_pool *pool;
    iso_result *result; /* NULL: nothing is reported */
    bool violated;
    direct_arc *arc;
    uint32_t n, room, most;
    uint32_t *group_place; /* by slot: its index in key_slot */

    uint32_t *best, n_best, best_room; /* the cycle that is reported: arcs */
} direct;

/* The history is certainly violated, and stays so if a limit is reached before it is explained. */
void iso_strong_convict(direct *d);

/* sser: finds a shortest cycle of all arcs, session order and real-time order, where any number of steps along a session are one
 * edge. Makes it `best`; leaves that empty if there is no cycle. */
void iso_strong_shortest(direct *d);

#endif
