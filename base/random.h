/* The only pseudo-random generator of the project. */
#ifndef ISOLAB_BASE_RANDOM_H
#define ISOLAB_BASE_RANDOM_H

#include <stdint.h>

/* splitmix64. Its state is one number, so a seed reproduces everything. */
typedef struct iso_rng {
    uint64_t state;
} iso_rng;

static inline uint64_t iso_random(iso_rng *rng) {
    uint64_t z = (rng->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Returns a uniform number below n, where n > 0. The bias is below n / 2^64. */
static inline uint64_t iso_random_below(iso_rng *rng, uint64_t n) {
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)(((wide)iso_random(rng) * n) >> 64);
}

/* Returns a uniform number in [0, 1). */
static inline double iso_random_unit(iso_rng *rng) { return (double)(iso_random(rng) >> 11) * 0x1p-53; }

#endif
