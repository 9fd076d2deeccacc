/* Reads of repeated values: rules out writers by the known order. */
#ifndef ISOLAB_CHECKERS_STRONG_NARROW_H
#define ISOLAB_CHECKERS_STRONG_NARROW_H

#include "checkers/strong/order.h"

/* Call this at a fixed point of saturation. Returns STRONG_NARROWED if a read got its only possible writer, so that
 * saturation must continue. A read without a possible writer is not changed: see iso_strong_hints_of_read(). */
enum { STRONG_SAME, STRONG_NARROWED };
int iso_strong_narrow(strong_order *o, strong_model *m);

/* The same for n ambiguous reads of included transactions, and for a caller that knows the order in another way than by
 * clocks (stretches.h). fn returns whether ambiguous read i may read from slot w1 (or ISO_INIT); if a writer in between
 * rules that out, it sets `by` to its slot. Returns the number of reads that got their only possible writer: they come
 * first in `reads` then, and the model's reads were collected again. An optional transaction is never the only possible
 * writer, since it may be excluded. */
typedef bool strong_possible_fn(void *arg, uint32_t i, uint32_t w1, uint32_t *by);
uint32_t iso_strong_narrow_reads(strong_order *o, strong_model *m, uint32_t *reads, uint32_t n, strong_possible_fn *fn,
                                 void *arg);

/* Returns the number, among all reads, of an ambiguous read that was resolved. */
uint32_t iso_strong_resolved_read(const strong_model *m, uint32_t i);

/* Given the events in a commit order: returns, by operation, the write that each read of a repeated value reads from, the
 * last one before it, which may differ from the one that the search chose; ISO_NONE for other operations. */
uint32_t *iso_strong_settle_reads(const strong_model *m, const uint32_t *by_rank, uint32_t n_events, iso_pool *pool);

#endif
