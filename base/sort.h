/* Sorts numbers by times or into rows, in linear time. */
#ifndef ISOLAB_BASE_SORT_H
#define ISOLAB_BASE_SORT_H

#include <stdint.h>

#include "base/env.h"

/* Returns the numbers below n in the order of at[number]; equal ones stay in the order of their numbers. */
uint32_t *iso_sorted_by(iso_pool *pool, const int64_t *at, uint32_t n);

/* Returns the numbers below n by row[number], in their order: the numbers of row k are at [first[k], first[k + 1]). A
 * number whose row is not below n_rows is left out. base/buckets.h is for items that are not numbers. */
uint32_t *iso_sorted_into(iso_pool *pool, const uint32_t *row, uint32_t n, uint32_t n_rows, uint32_t **first);

#endif
