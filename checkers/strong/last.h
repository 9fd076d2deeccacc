/* For a key and an event: the last writer of the key in each chain before the event.
 *
 * Keys that many chains write have a table with a lane for each chain, which remembers the answer to the last question:
 * events are visited in roughly the order in which they happened, so nearly all answers still hold, which is tested by
 * comparing the event's clock with two vectors. Other keys are searched group by group.
 *
 * Counts below are numbers of transactions of a chain that commit before the event (for a read), or that start before
 * it (for a write). */
#ifndef ISOLAB_CHECKERS_STRONG_LAST_H
#define ISOLAB_CHECKERS_STRONG_LAST_H

#include "checkers/strong/model.h"

/* A number of events of a chain (model.h). Rows are padded to a multiple of STRONG_LANES, for vectors. */
typedef uint16_t strong_count;
#define STRONG_LANES 32

typedef struct strong_last {
    const strong_model *m;
    uint32_t stride;    /* number of lanes of a table, the same as of a clock */
    uint32_t *table;    /* by key: the number of its table; ISO_NONE: none */
    strong_count *low;  /* by table and lane: 1 + the place of the writer found; 0: none */
    strong_count *high; /* 1 + the place of the next writer; UINT16_MAX: none */
    uint32_t *group;    /* the group of the key and the chain; ISO_NONE: the chain never writes the key */
    uint32_t *at;       /* the writer's index in key_txn, where low is not 0 */
    uint32_t *before;   /* by slot: the slot of the same key with the next lower rank; ISO_NONE: none. NULL: no
                         * tables */
} strong_last;

/* rank: of events, to order the writers of a key roughly. without: keys that will not be asked about. */
void iso_strong_last_init(strong_last *l, const strong_model *m, iso_pool *pool, uint32_t stride, const uint32_t *rank,
                          const uint8_t *without);

/* Updates a table to the counts (clock[c] + add) >> shift. */
void iso_strong_last_move(strong_last *l, uint32_t table, const strong_count *clock, uint32_t add, uint32_t shift);

/* Returns the number of lanes with a writer that the counts (clock[c] + add) >> shift do not include. */
uint32_t iso_strong_last_missing(const strong_last *l, uint32_t table, const strong_count *clock, uint32_t add,
                                 uint32_t shift);

/* Updates one lane. Returns the index of its writer in key_txn, or ISO_NONE. The chain must write the key. */
uint32_t iso_strong_last_in_lane(strong_last *l, uint32_t table, uint32_t chain, uint32_t count);

/* Returns the last writer of a group among the first `count` transactions of its chain: an index in key_txn, or
 * ISO_NONE. */
uint32_t iso_strong_last_in_group(const strong_model *m, uint32_t group, uint32_t count);

#endif
