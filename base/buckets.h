/* Counting sort: things in rows by a small number, stable, in linear time.
 *
 *     iso_buckets rows = iso_buckets_new(pool, n_keys);
 *     for each thing:  iso_buckets_count(&rows, key);
 *     uint32_t *thing = ISO_NEW(pool, uint32_t, iso_buckets_sum(&rows));
 *     for each thing:  thing[iso_buckets_place(&rows, key)] = the thing;
 *
 * The things of row k are then thing[rows.first[k] .. rows.first[k + 1]). Both loops must visit the same things. */
#ifndef ISOLAB_BASE_BUCKETS_H
#define ISOLAB_BASE_BUCKETS_H

#include <stdint.h>

#include "base/assert.h"
#include "base/env.h"

typedef struct iso_buckets {
    uint32_t *first; /* n + 2 entries: after placing, row k is [first[k], first[k + 1]) */
    uint32_t n;      /* rows */
} iso_buckets;

static inline iso_buckets iso_buckets_new(iso_pool *pool, uint32_t n) {
    return (iso_buckets){iso_zalloc(pool, (size_t)n + 2, sizeof(uint32_t)), n};
}

static inline void iso_buckets_count(iso_buckets *rows, uint32_t row) {
    iso_assert(row < rows->n);
    rows->first[row + 2]++;
}

/* Ends counting; returns how many things there are. */
static inline uint32_t iso_buckets_sum(iso_buckets *rows) {
    for (uint32_t k = 2; k <= rows->n + 1; k++) {
        rows->first[k] += rows->first[k - 1];
    }
    return rows->first[rows->n + 1];
}

/* The next free place of a row. */
static inline uint32_t iso_buckets_place(iso_buckets *rows, uint32_t row) {
    iso_assert(row < rows->n);
    return rows->first[row + 1]++;
}

#endif
