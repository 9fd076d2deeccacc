/* A guess of the order in which things happened, by replaying the history.
 *
 * Transactions are replayed as session order and reads-from allow, and a write waits while the value it would
 * overwrite still has readers to come. Where all that could go on waits, the one that waited longest goes on all the
 * same: there the guess is wrong, and the search (strong_lazy.h) has to mend it.
 */
#ifndef ISOLAB_CHECKERS_STRONG_REPLAY_H
#define ISOLAB_CHECKERS_STRONG_REPLAY_H

#include "checkers/strong_order.h"

/* Writes all events in the order of the replay; false when session order and reads-from (and real time) have a
 * cycle. *forced: how often nothing could go on. O(n) but for the waiting. */
bool strong_replay(const strong_order *o, iso_pool *scratch, uint32_t *by_rank, uint32_t *forced);

#endif
