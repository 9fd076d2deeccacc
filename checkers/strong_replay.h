/* A guess of the order in which things happened, by replaying the history.
 *
 * Events are replayed as all known edges allow, and a commit waits while a value that it would overwrite
 * still has readers to come; for si a start waits for the commit of another writer of the same key; a read of
 * a value that several transactions wrote waits until it is there. Where all that could go on waits, the one
 * that waited longest goes on all the same: there the guess is wrong, and the search (strong_search.c) has to
 * mend it.
 */
#ifndef ISOLAB_CHECKERS_STRONG_REPLAY_H
#define ISOLAB_CHECKERS_STRONG_REPLAY_H

#include "checkers/strong_order.h"

/* What the replay of a serial order sees go wrong. */
typedef struct strong_unmet {
    uint64_t most;       /* with more wrong reads the replay ends, and fails */
    uint32_t *before;    /* by slot: the one that wrote its key before it; ISO_NONE */
    uint32_t *read, n;   /* wrong reads, as they come: a read's number, or that of an open one behind all others */
    uint32_t *last;      /* the slot that wrote their key last */
    uint32_t read_room, last_room;
} strong_unmet;

/* Writes all events in the order of the replay; false when the known edges have a cycle, or it ends early. O(n) but for
 * the waiting.
 * unmet, of the scratch pool: NULL where nobody asks; ser only, where all transactions take part. */
bool strong_replay(const strong_order *o, iso_pool *scratch, uint32_t *by_rank, strong_unmet *unmet);

/* Writes all events in an order that known edges allow, of those possible always the earliest one next.
 * False: they have a cycle. */
bool strong_order_by(const strong_order *o, iso_pool *scratch, const uint32_t *when, uint32_t *by_rank);

#endif
