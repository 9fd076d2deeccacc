/* Saturation for too many chains for clocks: many short sessions, or no session order.
 *
 * An order in which things probably happened (replay.c) is divided into stretches, each of which starts in the middle
 * of the previous one. Each stretch is saturated by itself: it uses constraints of its transactions only, with one bit
 * for each pair of events. Edges inferred there hold in the whole history. Not comparing distant transactions costs
 * little, since the search (search.c) handles constraints only if its order does not meet them.
 *
 * A sweep follows a topological order of the stretch. If something before an event has changed, the event joins the
 * rows of the events before it, and then applies its rules, as in order.h. Sweeps are repeated until nothing is new.
 *
 * A sweep takes O(e w / 64) time for e edges in a stretch of w events; memory is w^2 / 8 bytes. */
#ifndef ISOLAB_CHECKERS_STRONG_STRETCHES_H
#define ISOLAB_CHECKERS_STRONG_STRETCHES_H

#include "checkers/strong/hints.h"
#include "checkers/strong/order.h"

/* What saturation tells the search: undecided constraints within a stretch, and when each event probably happened. */
typedef struct strong_leftover {
    strong_hints constraints; /* none after saturation by clocks */
    uint32_t *when;     /* by event: an estimate of when it happened, from the numbers of events known to be before and
                     * after it */
    uint8_t *redundant; /* by inferred edge: it follows from others; NULL: not known */
    uint32_t n_redundant;
    uint32_t stretches; /* number of saturated stretches; 0: clocks were used */
} strong_leftover;

/* by_rank: all events in an order in which they may have happened; width: limit of the events of a stretch. Adds the
 * edges that it infers to the order, and resolves ambiguous reads for which a stretch rules out all candidates except
 * one (narrow.h), so that saturation continues. Returns false if the edges close a cycle. Optional transactions are
 * left out. */
bool iso_strong_stretches_saturate(strong_order *o, strong_model *m, const uint32_t *by_rank, uint32_t width,
                                   strong_leftover *leftover);

#endif
