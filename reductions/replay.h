/* Tests whether an order of transactions explains a history: when they run one by one, every read returns its value.
 * This is the definition of serializability, so it tests every answer that is such an order. */
#ifndef ISOLAB_REDUCTIONS_REPLAY_H
#define ISOLAB_REDUCTIONS_REPLAY_H

#include "history/history.h"

/* Returns whether the order explains the history. The order must have each transaction of the history once, in session
 * order, and (real_time) none before another one that ended before it began. Registers only. O(operations). */
bool iso_replay(const isolab_history *h, iso_pool *scratch, const uint32_t *order, uint32_t n, bool real_time);

/* Returns, by operation, the last write of its key before it in such an order; ISO_INIT: none. */
uint32_t *iso_replay_reads(const isolab_history *h, iso_pool *pool, const uint32_t *order, uint32_t n);

#endif
