/* Tests collectors/recording.h: lines that grow, against the C library's way to write numbers. */
#include "collectors/recording.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "tests/guarded.h"
#include "tests/seed.h"

static bool is_number(iso_pool *pool, int64_t number) {
    iso_line l = {.pool = pool};
    char expected[40];
    int n = snprintf(expected, sizeof expected, "x%" PRId64 "]", number);
    iso_line_text(&l, "x");
    iso_line_number(&l, number);
    iso_line_text(&l, "]");
    bool same = l.n == (size_t)n && memcmp(l.text, expected, l.n) == 0;
    iso_free(pool, l.text);
    return same;
}

static void numbers(iso_pool *pool) {
    bool good = is_number(pool, INT64_MIN) && is_number(pool, INT64_MAX) && is_number(pool, 0);
    int64_t power = 1;
    for (int digits = 1; digits <= 18; digits++) {
        power *= 10;
        for (int64_t near = power - 2; near <= power + 2; near++) {
            good &= is_number(pool, near) && is_number(pool, -near);
        }
    }
    ok(good, "numbers of every length, and the extreme ones");
    uint64_t seed = seed_of_run();
    iso_rng rng = {seed};
    bool all = true;
    for (int i = 0; i < 20000 && all; i++) {
        all = is_number(pool, (int64_t)(iso_random(&rng) >> iso_random_below(&rng, 64)));
    }
    ok(all, "random numbers, seed %llu", (unsigned long long)seed);
}

/* A line of n numbers, longer than any room that was made at once. */
static void growth(iso_pool *pool) {
    iso_line l = {.pool = pool};
    for (int i = 0; i < 10000; i++) {
        iso_line_number(&l, i);
        iso_line_text(&l, ",");
    }
    size_t at = 0;
    bool same = true;
    for (int i = 0; i < 10000 && same; i++) {
        char expected[16];
        size_t n = (size_t)snprintf(expected, sizeof expected, "%d,", i);
        same = at + n <= l.n && memcmp(l.text + at, expected, n) == 0;
        at += n;
    }
    ok(same && at == l.n, "a line longer than the first buffer keeps all its bytes");
    l.n = 0;
    iso_line_string(&l, "a\"\n<");
    ok(l.n == 8 && memcmp(l.text, "\"a\\\"\\n<\"", 8) == 0, "a string is quoted");
    iso_free(pool, l.text);
}

static void tests(void *arg) {
    numbers(arg);
    growth(arg);
}

int main(void) {
    static iso_env env;
    return run_guarded(&env, tests);
}
