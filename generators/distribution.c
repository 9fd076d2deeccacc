/* The choice of keys and values. See distribution.h. */
#include "generators/distribution.h"
#include "base/apart.h"
#include "base/random.h"

#include <inttypes.h>
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

/* GSL makes a table of this many choices in less than a second; a larger table is made in a separate process. */
#define MOST_AT_ONCE ((uint64_t)1 << 22)

typedef struct making {
    iso_env *env;
    const double *weight;
    uint64_t n;
} making;

static gsl_ran_discrete_t *make_table(const making *m) {
    gsl_ran_discrete_t *made = gsl_ran_discrete_preproc(m->n, m->weight);
    if (made == NULL) {
        iso_throw_limit(m->env, ISO_LIMIT_MEMORY,
                        "memory limit reached (GSL cannot make a table of %" PRIu64 " choices)", m->n);
    }
    return made;
}

/* Sends the aliases, then the shares. */
static void send_table(void *arg, FILE *out) {
    const making *m = arg;
    const gsl_ran_discrete_t *made = make_table(m);
    iso_apart_send(out, made->A, m->n * sizeof *made->A);
    iso_apart_send(out, made->F, m->n * sizeof *made->F);
}

static char *copy_table(iso_pool *pool, const making *m) {
    size_t half = m->n * sizeof(size_t);
    char *table = iso_alloc(pool, m->n, sizeof(size_t) + sizeof(double));
    gsl_ran_discrete_t *made = make_table(m);
    memcpy(table, made->A, half); /* into the pool, so that an error cannot leak it */
    memcpy(table + half, made->F, m->n * sizeof *made->F);
    gsl_ran_discrete_free(made);
    return table;
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
        iso_tick(pool->env);
        weight[i] = zipfian ? pow((double)i + 1, -theta) : exp(-10 * theta * (double)i / (double)n);
    }
    making m = {pool->env, weight, n};
    size_t size;
    char *table = n > MOST_AT_ONCE ? iso_apart(pool, send_table, &m, &size) : copy_table(pool, &m);
    iso_free(pool, weight);
    d->table = (gsl_ran_discrete_t){n, (size_t *)(void *)table, (double *)(void *)(table + n * sizeof(size_t))};
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
