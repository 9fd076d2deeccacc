/* Saturation where there are too many chains for clocks: many short sessions, or no session order.
 *
 * Stretches of an order in which things probably happened (replay.h) are taken one after another, the next one
 * from the middle of the last, and each is saturated by itself: constraints of its transactions alone, with one bit for
 * each pair of events. What is inferred there holds in the whole history. That transactions far apart are not
 * compared costs little: the search (search.c) looks at constraints only where its order does not meet them.
 *
 * A sweep goes through a topological order of the stretch. An event that something new comes before takes in the rows
 * of the events before it, and then applies its rules, as in order.c. Sweeps go on until nothing is new.
 *
 * Time O(e w / 64) a sweep for e edges in a stretch of w events, memory w^2 / 8 bytes.
 */
#ifndef ISOLAB_CHECKERS_STRONG_STRETCHES_H
#define ISOLAB_CHECKERS_STRONG_STRETCHES_H

#include "checkers/strong/hints.h"
#include "checkers/strong/order.h"

/* What saturation tells the search: constraints that are open within a stretch, and when each event probably
 * happened. */
typedef struct strong_leftover {
    strong_hints constraints; /* none after saturation by clocks */
    uint32_t *when; /* by event: a guess of when it happened, by how many events are known to be before and after it */
    uint8_t *redundant; /* by inferred edge: it follows from others; NULL: not known */
    uint32_t n_redundant;
    uint32_t stretches; /* that were saturated; 0: clocks were */
} strong_leftover;

/* by_rank: all events in an order in which they may have happened; width: of a stretch, in events. Adds the edges
 * that it infers to the order, and resolves ambiguous reads of which the stretch rules out all candidates except one
 * (narrow.h), so that saturation goes on. False when they close a cycle. Optional transactions are left out. */
bool iso_strong_stretches_saturate(strong_order *o, strong_model *m, const uint32_t *by_rank, uint32_t width,
                                   strong_leftover *leftover);

#endif
