/* Reads of values that several transactions wrote: rules out writers by what is known of the order. */
#ifndef ISOLAB_CHECKERS_STRONG_NARROW_H
#define ISOLAB_CHECKERS_STRONG_NARROW_H

#include "checkers/strong/order.h"

/* At a fixed point: NARROWED when a read got its only possible writer, so that saturation goes on. A read without
 * a possible writer is left as it is: see iso_strong_hints_of_read(). */
enum { STRONG_SAME, STRONG_NARROWED };
int iso_strong_narrow(strong_order *o, strong_model *m);

/* The same for n ambiguous reads of included transactions, and for a caller that knows the order in another way than
 * by clocks (stretches.h). It is asked whether ambiguous read i may read from slot w1 (ISO_INIT); where a writer in
 * between rules that out, `by` is to be its slot. Returns how many got their only possible writer: they come first
 * in `reads` then, and the model's reads were collected again. An optional transaction is no only writer: perhaps it
 * is excluded. */
typedef bool strong_possible_fn(void *arg, uint32_t i, uint32_t w1, uint32_t *by);
uint32_t iso_strong_narrow_reads(strong_order *o, strong_model *m, uint32_t *reads, uint32_t n, strong_possible_fn *fn,
                                 void *arg);

/* The number of an ambiguous read that was resolved, among all reads. */
uint32_t iso_strong_resolved_read(const strong_model *m, uint32_t i);

/* Given the events in a commit order: every read with several possible writers reads from the last writer before it,
 * which wrote the value, but need not be the one that the search chose. */
void iso_strong_settle_reads(strong_model *m, const uint32_t *by_rank, uint32_t n_events);

/* By operation, for certificates: the write that each read with several possible writers reads from; ISO_NONE
 * for other operations. All reads must have been decided. */
uint32_t *iso_strong_choices(const strong_model *m, iso_pool *pool);

#endif
