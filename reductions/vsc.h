/* Traces of single reads and writes of memory, and the search for an interleaving that explains one. */
#ifndef ISOLAB_REDUCTIONS_VSC_H
#define ISOLAB_REDUCTIONS_VSC_H

#include "base/random.h"
#include "history/builder.h"

typedef struct iso_trace_op {
    int64_t value, start, end; /* ISO_NO_TIME where missing */
    uint32_t location;
    uint8_t kind; /* ISO_READ, ISO_WRITE */
} iso_trace_op;

/* Operations of process p are op[first[p] .. first[p + 1]), in its order. All locations begin with 0. */
typedef struct iso_trace_ops {
    uint32_t n_processes, n_ops, n_locations;
    uint32_t *first;
    iso_trace_op *op;
    const char **name; /* of locations; NULL: their numbers */
} iso_trace_ops;

typedef struct iso_trace_shape {
    uint32_t processes, ops, locations, values;
    double reads, delay;
} iso_trace_shape;

iso_trace_ops iso_trace_load(iso_pool *pool, const char *path);
iso_trace_ops iso_trace_random(iso_pool *pool, const iso_trace_shape *shape, iso_rng *rng);
void iso_trace_build(const iso_trace_ops *t, bool times, iso_env *env, iso_builder *b);

/* Is there an interleaving in which every read returns the value written last (and that respects real time)? 1 yes,
 * 0 no, -1 the trace is too large to try. order, unless NULL, gets the operations in the order found. An
 * independent answer: no history and no checker is involved. */
int iso_trace_search(const iso_trace_ops *t, bool real_time, iso_pool *scratch, uint32_t *order);

#endif
