/* Turns a cycle of the order into an anomaly with its justification: every inferred edge leans on a path of
 * edges that were there before it. */
#ifndef ISOLAB_CHECKERS_STRONG_EXPLAIN_H
#define ISOLAB_CHECKERS_STRONG_EXPLAIN_H

#include "checkers/result.h"
#include "checkers/strong_order.h"

/* The order has a cycle (o->cycle); rows may be missing when session order and reads-from alone have one. */
void strong_explain(const strong_order *o, iso_result *result);

#endif
