/* The search for an order of the model's events: clauses for what saturation does not decide.
 *
 * A constraint is undecided if neither of its two edges is known or impossible: it is a clause of two edges. An
 * ambiguous read with several candidates is a clause of choices, each of which implies the constraints of the read.
 * Real histories leave few of both, and a clause is made only if an order does not meet it (repair.h). */
#ifndef ISOLAB_CHECKERS_STRONG_SEARCH_H
#define ISOLAB_CHECKERS_STRONG_SEARCH_H

#include "checkers/strong/repair.h"

/* Searches for an order of all events that meets all constraints, beginning with the order that saturation gives, or
 * else that of a replay (replay.h). If it is found, by_rank has the events in that order, in the pool of the repair,
 * which must be initialised by iso_strong_repair_init(). */
strong_answer iso_strong_find_order(strong *s, strong_repair *r, uint32_t **by_rank);

#endif
