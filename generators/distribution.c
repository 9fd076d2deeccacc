/* How keys and values are chosen. See distribution.h. */
#include "base/random.h"
#include "generators/distribution.h"

#include <math.h>
#include <string.h>

static void seed(void *state, unsigned long value) { ((iso_rng *)state)->state = value; }
static unsigned long get(void *state) { return (unsigned long)(iso_random(state) >> 32); }
static double get_double(void *state) { return iso_random_unit(state); }

const gsl_rng_type iso_gsl_type = {"isolab", UINT32_MAX, 0, sizeof(iso_rng), seed, get, get_double};

void iso_distribution_refuse(const iso_args *args) {
    bool exponent = iso_arg_is(args, "distribution", "zipfian") || iso_arg_is(args, "distribution", "exponential");
    iso_args_refuse(args, !exponent, "skew", "is for --distribution zipfian and exponential");
}

void iso_distribution_init(iso_distribution *d, iso_pool *pool, const char *kind, uint64_t n, double theta) {
    memset(d, 0, sizeof *d);
    d->n = n;
    d->hotspot = strcmp(kind, "hotspot") == 0 && n >= 5;
    bool zipfian = strcmp(kind, "zipfian") == 0, exponential = strcmp(kind, "exponential") == 0;
    if (!zipfian && !exponential) {
        return;
    }
    if (n > (uint64_t)1 << 27) {
        iso_throw(pool->env, ISOLAB_E_USAGE, "a %s choice is among at most %u", kind, 1u << 27);
    }
    double *weight = ISO_NEW(pool, double, n);
    for (uint64_t i = 0; i < n; i++) {
        weight[i] = zipfian ? pow((double)i + 1, -theta) : exp(-10 * theta * (double)i / (double)n);
    }
    size_t *alias = ISO_NEW(pool, size_t, n);
    double *share = ISO_NEW(pool, double, n);
    gsl_ran_discrete_t *made = gsl_ran_discrete_preproc(n, weight);
    if (made == NULL) {
        iso_throw(pool->env, ISOLAB_E_LIMIT, "GSL cannot make a table of %llu choices", (unsigned long long)n);
    }
    memcpy(alias, made->A, n * sizeof *alias); /* into the pool, which outlives errors */
    memcpy(share, made->F, n * sizeof *share);
    gsl_ran_discrete_free(made);
    iso_free(pool, weight);
    d->table = (gsl_ran_discrete_t){n, alias, share};
}

uint64_t iso_draw(const iso_distribution *d, iso_rng *rng) {
    if (d->table.A != NULL) {
        return gsl_ran_discrete(ISO_GSL(rng), &d->table);
    }
    if (d->hotspot) {
        uint64_t hot = d->n / 5;
        return gsl_ran_bernoulli(ISO_GSL(rng), 0.8) ? iso_random_below(rng, hot)
                                                    : hot + iso_random_below(rng, d->n - hot);
    }
    return iso_random_below(rng, d->n);
}
