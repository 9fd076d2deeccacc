/* The choice of keys and values: uniformly, by Zipf's law, exponentially, or with a hot spot. GSL draws; its randomness
 * comes from the seed. */
#ifndef ISOLAB_GENERATORS_DISTRIBUTION_H
#define ISOLAB_GENERATORS_DISTRIBUTION_H

#include <gsl/gsl_randist.h>

#include "base/args.h"
#include "base/random.h"

typedef struct iso_distribution {
    uint64_t n;
    gsl_ran_discrete_t table; /* Walker's aliases, in arrays of the pool; A is NULL for uniform and hotspot */
    bool hotspot;
} iso_distribution;

#define ISO_DISTRIBUTIONS "uniform zipfian hotspot exponential"

/* Prepares draws from 0 .. n-1. kind is a word of ISO_DISTRIBUTIONS. zipfian: rank i has weight (i + 1)^-theta.
 * hotspot: 80 % of the draws come from the first 20 %. exponential: weight e^(-i theta 10 / n), as Elle chooses keys.
 * O(n) once, O(1) for each draw. */
void iso_distribution_init(iso_distribution *d, iso_pool *pool, const char *kind, uint64_t n, double theta);

/* Refuses an exponent (`skew`) for a kind of `distribution` that has none. */
void iso_distribution_refuse(const iso_args *args);

uint64_t iso_draw(const iso_distribution *d, iso_rng *rng);

/* An iso_rng as a generator of GSL, with the same state. */
extern const gsl_rng_type iso_gsl_type;
#define ISO_GSL(rng) (&(gsl_rng){&iso_gsl_type, (rng)})

#endif
