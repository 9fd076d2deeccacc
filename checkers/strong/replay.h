/* Guesses the order in which things happened, by replaying the history.
 *
 * Events are replayed as all known edges allow. A commit waits while a value that it would overwrite still has readers
 * to come; for si a start waits for the commit of another writer of the same key; a read of a repeated value waits
 * until the key has this value. If all events that could be performed wait, the one that has waited longest is
 * performed anyway: there the guess is wrong, and the search (search.c) repairs it. */
#ifndef ISOLAB_CHECKERS_STRONG_REPLAY_H
#define ISOLAB_CHECKERS_STRONG_REPLAY_H

#include "checkers/strong/order.h"

/* Writes all events in the order of the replay. Returns false if the known edges have a cycle. O(n), except for the
 * waiting. */
bool iso_strong_replay(const strong_order *o, iso_env *env, uint32_t *by_rank);

#endif
