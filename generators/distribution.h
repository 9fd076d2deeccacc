/* How keys and values are chosen: uniformly, by Zipf's law, exponentially, or with a hot spot. GSL draws; its
 * randomness comes from the one seed. */
#ifndef ISOLAB_GENERATORS_DISTRIBUTION_H
#define ISOLAB_GENERATORS_DISTRIBUTION_H

#include <gsl/gsl_randist.h>

#include "base/params.h"
#include "base/random.h"

typedef struct iso_distribution {
    uint64_t n;
    gsl_ran_discrete_t table; /* Walker's aliases; its arrays belong to the pool; A is NULL: uniform or hotspot */
    bool hotspot;
} iso_distribution;

#define ISO_DISTRIBUTIONS "uniform zipfian hotspot exponential"

/* kind is a word of ISO_DISTRIBUTIONS, over 0 .. n-1.
 * zipfian: rank i has weight (i + 1)^-theta. hotspot: 80 % of the draws from the first 20 %.
 * exponential: weight e^(-i theta 10 / n), as Elle's key choice. O(n) once, O(1) a draw. */
void iso_distribution_init(iso_distribution *d, iso_pool *pool, const char *kind, uint64_t n, double theta);

/* Refuses an exponent (`skew`) of a kind (`distribution`) that has none. */
void iso_distribution_refuse(const iso_args *args);

uint64_t iso_draw(const iso_distribution *d, iso_rng *rng);

/* GSL's view of a generator of ours: a stream of the same state. */
extern const gsl_rng_type iso_gsl_type;
#define ISO_GSL(rng) (&(gsl_rng){&iso_gsl_type, (rng)})

#endif
