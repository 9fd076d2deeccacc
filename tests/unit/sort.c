/* Tests base/sort.h: the order is that of a sort by comparison, and equal times keep the order of their numbers; every
 * row has its numbers in order. */
#include "base/sort.h"

#include <stdlib.h>

#include "base/random.h"
#include "tests/guarded.h"
#include "tests/seed.h"

static iso_env env;
static const int64_t *times;

static int compare(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return times[x] != times[y] ? (times[x] > times[y]) - (times[x] < times[y]) : (x > y) - (x < y);
}

static bool is_sorted(const int64_t *at, uint32_t n) {
    iso_pool pool;
    iso_pool_init(&pool, &env);
    uint32_t *number = iso_sorted_by(&pool, at, n), *expected = ISO_NEW(&pool, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        expected[i] = i;
    }
    times = at;
    qsort(expected, n, sizeof *expected, compare);
    bool good = n == 0 || memcmp(number, expected, n * sizeof *number) == 0;
    iso_pool_free(&pool);
    return good;
}

/* Returns whether each of n_rows rows has its numbers; larger rows are left out. */
static bool are_in_rows(const uint32_t *row, uint32_t n, uint32_t n_rows) {
    iso_pool pool;
    iso_pool_init(&pool, &env);
    uint32_t *first, *number = iso_sorted_into(&pool, row, n, n_rows, &first), at = 0;
    bool good = true;
    for (uint32_t k = 0; k < n_rows; k++) {
        good &= first[k] == at;
        for (uint32_t i = 0; i < n; i++) {
            good &= row[i] != k || number[at++] == i;
        }
    }
    good &= first[n_rows] == at;
    iso_pool_free(&pool);
    return good;
}

static void run(void *arg) {
    (void)arg;
    static const int64_t few[][4] = {{1, 2, 3, 4},
                                     {4, 3, 2, 1},
                                     {7, 7, 7, 7},
                                     {INT64_MIN, INT64_MAX, 0, -1},
                                     {INT64_MAX, INT64_MIN, INT64_MAX, INT64_MIN},
                                     {2048, 2047, 0, 4096},
                                     {1 << 22, (1 << 22) - 1, 1 << 11, 0}};
    for (size_t i = 0; i < sizeof few / sizeof *few; i++) {
        ok(is_sorted(few[i], 4) && is_sorted(few[i], 1) && is_sorted(few[i], 0), "four times, number %zu", i);
    }
    iso_rng rng = {seed_or(1)};
    bool good = true;
    for (int round = 0; round < 200; round++) {
        int64_t at[300];
        uint32_t n = (uint32_t)iso_random_below(&rng, 300);
        unsigned shift = (unsigned)iso_random_below(&rng, 64);
        for (uint32_t i = 0; i < n; i++) {
            at[i] = (int64_t)(iso_random(&rng) >> shift) - (shift == 0 ? 0 : (int64_t)1 << (63 - shift));
        }
        good &= is_sorted(at, n);
    }
    ok(good, "200 random lists of times, seed %llu", (unsigned long long)seed_or(1));
    for (uint32_t n_rows = 0; n_rows <= 8; n_rows += 4) {
        uint32_t row[40];
        for (uint32_t i = 0; i < 40; i++) {
            row[i] = (uint32_t)iso_random_below(&rng, 10);
        }
        row[7] = UINT32_MAX;
        ok(are_in_rows(row, 40, n_rows) && are_in_rows(row, 0, n_rows), "%u rows", n_rows);
    }
}

int main(void) { return run_guarded(&env, run); }
