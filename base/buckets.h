/* Counting sort: puts items into rows by a small number. Stable, in linear time.
 *
 *     iso_buckets rows = iso_buckets_new(pool, n_keys);
 *     for each item:  iso_buckets_count(&rows, key);
 *     uint32_t *item = ISO_NEW(pool, uint32_t, iso_buckets_sum(&rows));
 *     for each item:  item[iso_buckets_place(&rows, key)] = the item;
 *
 * The items of row k are then item[rows.first[k] .. rows.first[k + 1]). Both loops must visit the same items. */
#ifndef ISOLAB_BASE_BUCKETS_H
#define ISOLAB_BASE_BUCKETS_H

#include <stdint.h>

#include "base/assert.h"
#include "base/env.h"

typedef struct iso_buckets {
    uint32_t *first; /* n + 2 entries; after placing, the items of row k are [first[k], first[k + 1]) */
    uint32_t n;      /* number of rows */
} iso_buckets;

static inline iso_buckets iso_buckets_new(iso_pool *pool, uint32_t n) {
    return (iso_buckets){iso_zalloc(pool, (size_t)n + 2, sizeof(uint32_t)), n};
}

static inline void iso_buckets_count(iso_buckets *rows, uint32_t row) {
    iso_assert(row < rows->n);
    rows->first[row + 2]++;
}

/* Ends the counting. Returns the number of items. */
static inline uint32_t iso_buckets_sum(iso_buckets *rows) {
    for (uint32_t k = 2; k <= rows->n + 1; k++) {
        rows->first[k] += rows->first[k - 1];
    }
    return rows->first[rows->n + 1];
}

/* Returns the next free place of a row. */
static inline uint32_t iso_buckets_place(iso_buckets *rows, uint32_t row) {
    iso_assert(row < rows->n);
    return rows->first[row + 1]++;
}

#endif
