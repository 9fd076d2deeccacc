/* Counts, for each column of a matrix of bits, how many rows have the bit. A row costs a few operations a word: the
 * numbers are stored bit by bit in planes, which are emptied into the sums before they overflow. */
#ifndef ISOLAB_BASE_COLUMNS_H
#define ISOLAB_BASE_COLUMNS_H

#include "base/env.h"

typedef struct iso_columns {
    uint32_t *sum;    /* by column; set by iso_columns_end() */
    uint64_t *planes; /* plane p has the bits of 1 << p */
    uint64_t *carry;  /* a row, and then the carry from plane to plane */
    uint32_t words, rows;
} iso_columns;

/* words: the most words of a row. */
void iso_columns_init(iso_columns *c, iso_pool *pool, size_t words);

/* Counts rows of `words` words. */
void iso_columns_begin(iso_columns *c, uint32_t words);
void iso_columns_add(iso_columns *c, const uint64_t *row);
void iso_columns_end(iso_columns *c);

#endif
