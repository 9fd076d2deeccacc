/* Checks that an order of transactions explains a history: run one by one, every read returns what it returned.
 * This is serializability by its definition, so it does for every answer that is such an order. */
#ifndef ISOLAB_REDUCTIONS_REPLAY_H
#define ISOLAB_REDUCTIONS_REPLAY_H

#include "history/history.h"

/* order must hold each of the history's transactions once, in session order, and (real_time) without one before
 * another that ended before it began. Registers only. O(operations). */
bool iso_replay(const isolab_history *h, iso_pool *scratch, const uint32_t *order, uint32_t n, bool real_time);

/* The last write of its key before each operation of such an order, by operation; ISO_INIT: none. */
uint32_t *iso_replay_reads(const isolab_history *h, iso_pool *pool, const uint32_t *order, uint32_t n);

#endif
