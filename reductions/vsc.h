/* Traces of single reads and writes of memory, and the search for an interleaving that explains one. */
#ifndef ISOLAB_REDUCTIONS_VSC_H
#define ISOLAB_REDUCTIONS_VSC_H

#include "base/random.h"
#include "history/builder.h"

typedef struct iso_trace_op {
    int64_t value, start, end; /* ISO_NO_TIME if missing */
    int64_t old;               /* what an update reads */
    uint32_t location;
    uint8_t kind; /* ISO_READ or ISO_WRITE */
    bool update;  /* a write that reads in the same instant */
} iso_trace_op;

/* The operations of process p are op[first[p] .. first[p + 1]), in its order. All locations start with 0. */
typedef struct iso_trace_ops {
    uint32_t n_processes, n_ops, n_locations;
    uint32_t *first;
    iso_trace_op *op;
    const char **name; /* by location; NULL: their numbers */
} iso_trace_ops;

typedef struct iso_trace_shape {
    uint32_t processes, ops, locations, values;
    double reads, updates, delay;
} iso_trace_shape;

iso_trace_ops iso_trace_random(iso_pool *pool, const iso_trace_shape *shape, iso_rng *rng);
void iso_trace_build(const iso_trace_ops *t, bool times, iso_env *env, iso_builder *b);

/* Searches for an interleaving in which every read returns the last written value (and that respects real time).
 * Returns 1 if there is one, 0 if there is none, and -1 if the trace is too large to try. order, unless NULL, gets the
 * operations in the found order. This is an independent answer: it uses no history and no checker. */
int iso_trace_search(const iso_trace_ops *t, bool real_time, iso_pool *scratch, uint32_t *order);

#endif
