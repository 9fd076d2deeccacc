/* Functions that the files of the public interface share. */
#ifndef ISOLAB_LIBRARY_LIBRARY_H
#define ISOLAB_LIBRARY_LIBRARY_H

#include "base/env.h"
#include "checkers/result.h"
#include "history/builder.h"

/* Sets the limits of the options; NULL: no limits. */
void iso_library_limits(iso_limits *limits, const isolab_options *options);
iso_reading
iso_library_reading(const isolab_options *options /* may be NULL */); /* valid as long as the options exist */
void iso_library_error(isolab_error *to /* may be NULL */, const isolab_error *from);

/* An anomaly as include/isolab.h shows it. Everything is in the pool. */
typedef struct iso_shape {
    isolab_txn *txn;
    isolab_edge *edge;
    size_t n_txns, n_edges, edges_room;
} iso_shape;
iso_shape iso_library_shape(iso_pool *pool, const isolab_history *h, const iso_result *result, const iso_anomaly *a);

#endif
