/* Turns a cycle of the order into an anomaly with its justification: the premise of every inferred edge is a path of
 * older edges. */
#ifndef ISOLAB_CHECKERS_STRONG_EXPLAIN_H
#define ISOLAB_CHECKERS_STRONG_EXPLAIN_H

#include "checkers/result.h"
#include "checkers/strong/order.h"

/* Reports the cycle of the order (o->cycle). Rows may be missing if session order and write-read edges alone have a
 * cycle. Returns false if the cycle depends on reads whose writer is known only from the order, which edges cannot
 * justify; nothing is reported then. */
bool iso_strong_explain(const strong_order *o, iso_result *result);

/* Returns an event on a cycle of the known edges. There must be a cycle. */
uint32_t iso_strong_event_on_cycle(const strong_order *o, iso_pool *pool);

#endif
