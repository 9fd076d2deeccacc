/* Turns a cycle of the order into an anomaly with its justification: every inferred edge leans on a path of
 * edges that were there before it. */
#ifndef ISOLAB_CHECKERS_STRONG_EXPLAIN_H
#define ISOLAB_CHECKERS_STRONG_EXPLAIN_H

#include "checkers/result.h"
#include "checkers/strong/order.h"

/* The order has a cycle (o->cycle); rows may be missing when session order and reads-from alone have one. False: it
 * leans on reads whose writer follows only from the order, which edges cannot justify; nothing is reported. */
bool iso_strong_explain(const strong_order *o, iso_result *result);

/* An event on a cycle of the edges that there are. There must be one. */
uint32_t iso_strong_event_on_cycle(const strong_order *o, iso_pool *pool);

#endif
