/* Guessing an order of a level's own, and repairing the guess.
 *
 * A replay of a history that was recorded from a store that keeps its promises (replay.h) is nearly an order
 * that explains it. The search that starts there (search.c) mends it, which takes few conflicts, and nothing has
 * to be inferred, and no clocks to be made. So this is tried first, but for a serial order where the history can be executed
 * without a model (serial.h). It is given up early: where it does not succeed soon, more must be known
 * (saturate.c).
 *
 * At pc and si a serial order is looked for before one of the level itself: it is an order of these levels, too, and of
 * half as many events.
 */
#ifndef ISOLAB_CHECKERS_STRONG_GUESS_H
#define ISOLAB_CHECKERS_STRONG_GUESS_H

#include "checkers/checker.h"
#include "checkers/strong/order.h"

/* The events in an order that meets every constraint, in the pool; NULL: none was found. o as iso_strong_order_init() made
 * it. Then the result counts what was done. */
uint32_t *iso_strong_guess(iso_pool *pool, const strong_order *o, strong_model *m, const iso_request *request,
                       iso_result *result);

#endif
