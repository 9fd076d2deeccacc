/* Sorts numbers by times, in linear time. */
#ifndef ISOLAB_BASE_SORT_H
#define ISOLAB_BASE_SORT_H

#include <stdint.h>

#include "base/env.h"

/* Returns the numbers below n in the order of at[number]; equal ones stay in the order of their numbers. */
uint32_t *iso_sorted_by(iso_pool *pool, const int64_t *at, uint32_t n);

#endif
