#ifndef ISOLAB_TESTS_SEED_H
#define ISOLAB_TESTS_SEED_H

/* Seeds of random tests. $ISOLAB_SEED repeats a run. Tests that look for something new in every run take another seed
 * each time; `make check` gives them one of the commit ($ISOLAB_COMMIT_SEED), so that two runs of one commit are the
 * same. A test prints its seed. */
#include <stdint.h>
#include <stdlib.h>

#include "base/env.h"

/* $ISOLAB_SEED, or else `usual`. */
static inline uint64_t seed_or(uint64_t usual) {
    const char *given = getenv("ISOLAB_SEED");
    return given != NULL ? strtoull(given, NULL, 10) : usual;
}

/* $ISOLAB_SEED, or else the commit's seed, or else the clock. */
static inline uint64_t seed_of_run(void) {
    const char *commit = getenv("ISOLAB_COMMIT_SEED");
    return seed_or(commit != NULL && *commit != '\0' ? strtoull(commit, NULL, 10) : (uint64_t)iso_now());
}

#endif
