/* Tries lines of certificates on small histories: handwritten ones (claims.h), random ones of a shape, and raw ones
 * (raw.h). The test counts the lines that it tried, the lines that hold by its own definition, and the lines about
 * which the verifier says something else. */
#ifndef ISOLAB_TESTS_TRIAL_H
#define ISOLAB_TESTS_TRIAL_H

#include "generators/random_small.h"
#include "tests/agree.h"
#include "tests/claims.h"
#include "tests/raw.h"
#include "tests/seed.h"
#include "tests/tap.h"

static uint64_t n_tried, n_held, n_wrong, seed;

/* Tries one history at every level. */
typedef void trial(const isolab_history *h);

/* s: the shape of random histories; NULL: raw ones, most reads of which make no sense. */
static inline void try_shape(iso_env *env, trial *one, const iso_small_shape *s, const char *what, uint64_t rounds) {
    if (skip_unselected(what)) {
        return;
    }
    uint64_t tried = n_tried, held = n_held, first = seed_or(1);
    for (seed = first; seed < first + rounds && n_wrong == 0; seed++) {
        iso_pool pool;
        iso_pool_init(&pool, env);
        iso_rng rng = {seed};
        one(s != NULL ? iso_random_small(&pool, seed, s) : raw_small(&pool, &rng, 4, 12));
        iso_pool_free(&pool);
    }
    ok(n_wrong == 0, "%s: %llu lines tried, %llu hold", what, (unsigned long long)(n_tried - tried),
       (unsigned long long)(n_held - held));
}

static inline void try_written(iso_env *env, trial *one) {
    for (seed = 0; seed < 2 * CLAIM_HISTORIES; seed++) {
        iso_pool pool;
        iso_pool_init(&pool, env);
        one(history_of(&pool, claim_histories[seed % CLAIM_HISTORIES]));
        iso_pool_free(&pool);
    }
    ok(n_wrong == 0, "%zu histories by hand", CLAIM_HISTORIES);
}

#endif
