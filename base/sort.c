/* Radix sort: 11 bits of the distance from the least time in one pass, a whole table of counts in the first cache. A
 * digit that is equal in all times is skipped. See sort.h. */
#include "base/sort.h"

#include <stdbool.h>
#include <string.h>

#include "base/assert.h"

#define BITS 11
#define SIZE ((uint32_t)1 << BITS)

typedef struct item {
    uint64_t distance;
    uint32_t number;
} item;

/* Sorts by one digit, from one array to another. Returns false, and does nothing, if all digits are equal. */
static bool pass(const item *from, item *to, uint32_t n, unsigned shift) {
    uint32_t first[SIZE] = {0}, sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        first[from[i].distance >> shift & (SIZE - 1)]++;
    }
    if (first[from[0].distance >> shift & (SIZE - 1)] == n) {
        return false;
    }
    for (uint32_t d = 0; d < SIZE; d++) {
        uint32_t here = first[d];
        first[d] = sum;
        sum += here;
    }
    for (uint32_t i = 0; i < n; i++) {
        to[first[from[i].distance >> shift & (SIZE - 1)]++] = from[i];
    }
    return true;
}

uint32_t *iso_sorted_by(iso_pool *pool, const int64_t *at, uint32_t n) {
    item *from = ISO_NEW(pool, item, n), *to = ISO_NEW(pool, item, n);
    int64_t least = INT64_MAX, most = INT64_MIN;
    bool sorted = true;
    for (uint32_t i = 0; i < n; i++) {
        sorted &= i == 0 || at[i - 1] <= at[i];
        least = at[i] < least ? at[i] : least;
        most = at[i] > most ? at[i] : most;
    }
    for (uint32_t i = 0; i < n; i++) {
        from[i] = (item){(uint64_t)at[i] - (uint64_t)least, i};
    }
    uint64_t range = (uint64_t)most - (uint64_t)least;
    for (unsigned shift = 0; !sorted && shift < 64 && range >> shift > 0; shift += BITS) {
        iso_tick(pool->env);
        if (pass(from, to, n, shift)) {
            item *swap = from;
            from = to;
            to = swap;
        }
    }
    uint32_t *number = ISO_NEW(pool, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        number[i] = from[i].number;
        iso_assert(i == 0 || at[number[i - 1]] <= at[number[i]]);
    }
    iso_free(pool, from);
    iso_free(pool, to);
    return number;
}

/* Numbers that are left out are all written to one dummy place, since the processor could not predict a branch on
 * them. */
uint32_t *iso_sorted_into(iso_pool *pool, const uint32_t *row, uint32_t n, uint32_t n_rows, uint32_t **first_out) {
    uint32_t *first = ISO_ZNEW(pool, uint32_t, (size_t)n_rows + 3);
    for (uint32_t i = 0; i < n; i++) {
        first[(row[i] < n_rows ? row[i] : n_rows) + 2]++;
    }
    for (uint32_t k = 0; k < n_rows; k++) {
        first[k + 2] += first[k + 1];
    }
    uint32_t end = first[n_rows + 1], *sorted = ISO_NEW(pool, uint32_t, (size_t)end + 1);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = first[(row[i] < n_rows ? row[i] : n_rows) + 1]++;
        iso_assert(row[i] >= n_rows || at < end);
        sorted[at < end ? at : end] = i;
    }
    *first_out = first;
    return sorted;
}
