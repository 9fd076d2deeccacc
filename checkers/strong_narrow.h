/* Reads of values that several transactions wrote: rules out writers by what is known of the order. */
#ifndef ISOLAB_CHECKERS_STRONG_NARROW_H
#define ISOLAB_CHECKERS_STRONG_NARROW_H

#include "checkers/strong_order.h"

/* At a fixed point: NARROWED when a read got its only possible writer, so that saturation goes on. A read without
 * a possible writer is left to the search, whose empty clause it is. */
enum { STRONG_SAME, STRONG_NARROWED };
int strong_narrow(strong_order *o, strong_model *m);

/* Given the events in a commit order: every read with several possible writers reads from the last writer before it,
 * which wrote the value, but need not be the one that the search chose. */
void strong_settle_reads(strong_model *m, const uint32_t *by_rank, uint32_t n_events);

/* By operation, for certificates: the write that each read with several possible writers reads from; ISO_NONE
 * for other operations. All reads must have been decided. */
uint32_t *strong_choices(const strong_model *m, iso_pool *pool);

#endif
