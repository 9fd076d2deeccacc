/* Random small histories in a loop, each with the next seed. $ISOLAB_SEED is the first one. */
#ifndef ISOLAB_TESTS_RANDOM_ROUNDS_H
#define ISOLAB_TESTS_RANDOM_ROUNDS_H

#include "generators/random_small.h"
#include "tests/seed.h"
#include "tests/tap.h"

/* Calls test(arg, history) for `rounds` histories of a shape, or until it returns false: then it prints the seed. */
static inline void random_rounds(iso_env *env, const iso_small_shape *shape, uint64_t rounds,
                                 bool (*test)(void *arg, const isolab_history *h), void *arg) {
    bool good = true;
    uint64_t first = seed_or(1);
    for (uint64_t seed = first; seed < first + rounds && good; seed++) {
        iso_pool pool;
        iso_pool_init(&pool, env);
        good = test(arg, iso_random_small(&pool, seed, shape));
        iso_pool_free(&pool);
        if (!good) {
            diag("seed %llu", (unsigned long long)seed);
        }
    }
}

#endif
