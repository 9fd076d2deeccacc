/* See columns.h. */
#include "base/columns.h"

#include <string.h>

#include "base/clones.h"

enum { PLANES = 6, MOST_ROWS = (1 << PLANES) - 1 };

void iso_columns_init(iso_columns *c, iso_pool *pool, size_t words) {
    *c = (iso_columns){.sum = ISO_NEW(pool, uint32_t, 64 * words),
                       .planes = ISO_ZNEW(pool, uint64_t, PLANES * words),
                       .carry = ISO_NEW(pool, uint64_t, words)};
}

void iso_columns_begin(iso_columns *c, uint32_t words) {
    c->words = words;
    memset(c->sum, 0, (size_t)words * 64 * sizeof *c->sum);
}

ISO_VECTOR static void add_row(uint64_t *restrict planes, uint64_t *restrict carry, uint32_t words) {
    for (uint32_t p = 0; p < PLANES; p++, planes += words) {
        for (uint32_t i = 0; i < words; i++) {
            uint64_t both = planes[i] & carry[i];
            planes[i] ^= carry[i];
            carry[i] = both;
        }
    }
}

ISO_VECTOR static void add_plane(uint32_t *restrict sum, const uint64_t *restrict plane, uint32_t words, uint32_t p) {
    for (uint32_t i = 0; i < words; i++) {
        for (uint32_t j = 0; j < 64; j++) {
            sum[64 * i + j] += (uint32_t)(plane[i] >> j & 1) << p;
        }
    }
}

void iso_columns_end(iso_columns *c) {
    for (uint32_t p = 0; p < PLANES; p++) {
        add_plane(c->sum, c->planes + (size_t)p * c->words, c->words, p);
    }
    memset(c->planes, 0, (size_t)PLANES * c->words * sizeof *c->planes);
    c->rows = 0;
}

void iso_columns_add(iso_columns *c, const uint64_t *row) {
    memcpy(c->carry, row, c->words * sizeof *row);
    add_row(c->planes, c->carry, c->words);
    if (++c->rows == MOST_ROWS) {
        iso_columns_end(c);
    }
}
