/* Tests the containers of base/: base/index.h, base/buckets.h, base/heap.h, base/numbered.h, binary search
 * (base/bisect.h), and arrays of "none" (base/env.h), each against the simplest way of doing the same. The seed is
 * printed. */
#include "base/bisect.h"
#include "base/buckets.h"
#include "base/heap.h"
#include "base/index.h"
#include "base/numbered.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "tests/seed.h"
#include "tests/tap.h"

/* Finds x among things by the index, whose hash keeps the low `bits` alone, so that many collide. */
static uint32_t find(const iso_index *index, const uint64_t *things, uint64_t x, uint64_t hash) {
    for (uint32_t at, i = iso_index_first(index, hash, &at); i != UINT32_MAX; i = iso_index_next(index, hash, &at)) {
        if (things[i] == x) {
            return i;
        }
    }
    return UINT32_MAX;
}

static void indexes(iso_pool *pool, iso_rng *rng) {
    for (unsigned round = 0; round < 40; round++) {
        uint32_t n = 0, most = 1 + (uint32_t)iso_random_below(rng, 3000), wrong = 0;
        uint64_t values = 1 + iso_random_below(rng, 4000), spread = round % 4 == 0 ? 3 : UINT64_MAX;
        uint64_t *things = ISO_NEW(pool, uint64_t, most);
        iso_index index;
        iso_index_init(&index, pool, round % 2 == 0 ? 0 : most);
        while (n < most) {
            uint64_t x = iso_random_below(rng, values), hash = iso_mix(x & spread);
            uint32_t plain = 0;
            while (plain < n && things[plain] != x) {
                plain++;
            }
            uint32_t found = find(&index, things, x, hash);
            wrong += found != (plain < n ? plain : UINT32_MAX);
            if (found == UINT32_MAX) {
                things[n] = x;
                iso_index_add(&index, hash, n);
            } else if (n == values || iso_random_below(rng, 8) == 0) {
                break;
            }
            n += found == UINT32_MAX;
        }
        if (wrong != 0 || index.n != n) {
            fail("round %u of the index: %u wrong answers, %u of %u items", round, wrong, index.n, n);
            return;
        }
        iso_index_free(&index);
    }
    pass("an index finds what a linear search finds, also where hashes collide and the index grows");
}

static void rows(iso_pool *pool, iso_rng *rng) {
    bool right = true;
    for (unsigned round = 0; round < 200; round++) {
        uint32_t n = (uint32_t)iso_random_below(rng, 50), m = n == 0 ? 0 : (uint32_t)iso_random_below(rng, 200);
        uint32_t *row = ISO_NEW(pool, uint32_t, m);
        iso_buckets b = iso_buckets_new(pool, n);
        for (uint32_t i = 0; i < m; i++) {
            row[i] = (uint32_t)iso_random_below(rng, n);
            iso_buckets_count(&b, row[i]);
        }
        right &= iso_buckets_sum(&b) == m;
        uint32_t *thing = ISO_NEW(pool, uint32_t, m);
        for (uint32_t i = 0; i < m; i++) {
            thing[iso_buckets_place(&b, row[i])] = i;
        }
        uint32_t at = 0;
        for (uint32_t k = 0; k < n; k++) {
            right &= b.first[k] == at;
            for (uint32_t i = 0; i < m; i++) { /* stable: in the order in which they came */
                right &= row[i] != k || thing[at] == i;
                at += row[i] == k;
            }
            right &= b.first[k + 1] == at;
        }
    }
    ok(right, "rows hold their things in the order in which they came");
}

static bool smaller(const void *context, uint32_t a, uint32_t b) {
    const uint32_t *weight = context;
    return weight[a] < weight[b];
}

static void heaps(iso_pool *pool, iso_rng *rng) {
    uint32_t weight[500];
    bool right = true;
    for (unsigned round = 0; round < 50; round++) {
        bool in[500] = {false};
        iso_heap heap = {.pool = pool};
        for (uint32_t i = 0; i < 500; i++) {
            weight[i] = (uint32_t)iso_random_below(rng, 100);
        }
        for (uint32_t step = 0; step < 2000; step++) {
            uint32_t x = (uint32_t)iso_random_below(rng, 500);
            if (!in[x]) {
                iso_heap_push(&heap, x, smaller, weight);
                in[x] = true;
            } else {
                uint32_t top = iso_heap_pop(&heap, smaller, weight);
                for (uint32_t i = 0; i < 500; i++) {
                    right &= !in[i] || weight[i] >= weight[top];
                }
                right &= in[top];
                in[top] = false;
            }
        }
    }
    ok(right, "a heap gives a least item each time, and each item once");
}

static void numbers(iso_pool *pool, iso_rng *rng) {
    enum { KEYS = 20, MOST = 2 * ISO_NUMBERED_LARGE };
    uint32_t key[20 * MOST], next = 0, wrong = 0;
    iso_numbered numbered = {.key = key, .n_keys = KEYS, .pool = pool};
    for (uint32_t item = 0; item < 20; item++) {
        uint32_t n = (uint32_t)iso_random_below(rng, MOST), last[KEYS];
        iso_fill_none(last, KEYS);
        iso_numbered_begin(&numbered, next, n);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t x = (uint32_t)iso_random_below(rng, KEYS);
            wrong += iso_numbered_before(&numbered, x, next) != last[x];
            key[next] = x;
            last[x] = next++;
            if (numbered.is_large) {
                numbered.last[x] = next;
            }
        }
    }
    ok(wrong == 0, "the last number of a key, in small and in large items: %u wrong answers", wrong);
}

/* A row of few different values, also an empty one, in increasing order: how many from a place on are less than each
 * value? */
static void searches(iso_pool *pool, iso_rng *rng) {
    uint32_t *row = ISO_NEW(pool, uint32_t, 40), wrong = 0;
    for (int round = 0; round < 300; round++) {
        uint32_t n = (uint32_t)iso_random_below(rng, 40), from = (uint32_t)iso_random_below(rng, n + 1);
        for (uint32_t i = 0; i < n; i++) {
            row[i] = (i == 0 ? 0 : row[i - 1]) + (uint32_t)iso_random_below(rng, 3);
        }
        for (uint32_t value = 0; value < 80; value++) {
            uint32_t first = from;
            while (first < n && row[first] < value) {
                first++;
            }
            wrong += ISO_BISECT(i, from, n, row[i] < value) != first;
        }
    }
    ok(wrong == 0, "a binary search finds the first place (%u wrong)", wrong);
}

static void run(void *arg) {
    iso_pool *pool = arg;
    iso_rng rng = {seed_or(20261119)};
    diag("seed %llu", (unsigned long long)rng.state);
    indexes(pool, &rng);
    rows(pool, &rng);
    heaps(pool, &rng);
    numbers(pool, &rng);
    searches(pool, &rng);
    uint32_t *none = ISO_NEW_NONE(pool, 3);
    ok(none[0] == UINT32_MAX && none[1] == UINT32_MAX && none[2] == UINT32_MAX, "an array of none");
    is(iso_copy_text(pool, "abcdef", 3), "abc", "a copy of a text's beginning");
}

int main(void) {
    plan(NO_PLAN);
    iso_env env;
    iso_env_init(&env);
    iso_pool pool;
    iso_pool_init(&pool, &env);
    ok(iso_guard(&env, run, &pool) == ISOLAB_OK, "nothing was thrown %s", env.error.message);
    iso_pool_free(&pool);
    return done_testing();
}
