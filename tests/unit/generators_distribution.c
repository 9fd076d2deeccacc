/* Tests generators/distribution.h. What is drawn how often: each distribution against the weights of its definition. */
#include "base/random.h"
#include "generators/distribution.h"

#include <math.h>
#include <string.h>

#include "tests/guarded.h"

enum { MOST = 100, DRAWS = 400000 };

/* The weight of value i of n, as distribution.h says. */
static double weight(const char *kind, uint64_t i, uint64_t n, double theta) {
    if (strcmp(kind, "zipfian") == 0) {
        return pow((double)i + 1, -theta);
    }
    if (strcmp(kind, "exponential") == 0) {
        return exp(-(double)i * theta * 10 / (double)n);
    }
    uint64_t hot = n / 5; /* none of fewer than five: then all are alike */
    if (strcmp(kind, "hotspot") == 0 && hot > 0) {
        return i < hot ? 0.8 / (double)hot : 0.2 / (double)(n - hot);
    }
    return 1;
}

/* Five standard deviations: with this seed or another, one value in a million is further away. */
static void draws(iso_pool *pool, const char *kind, uint64_t n, double theta) {
    uint64_t seen[MOST + 1] = {0};
    double sum = 0;
    iso_distribution d;
    iso_rng rng = {n};
    iso_distribution_init(&d, pool, kind, n, theta);
    for (int i = 0; i < DRAWS; i++) {
        uint64_t value = iso_draw(&d, &rng);
        seen[value < n ? value : MOST]++;
    }
    for (uint64_t i = 0; i < n; i++) {
        sum += weight(kind, i, n, theta);
    }
    int wrong = seen[MOST] != 0;
    for (uint64_t i = 0; i < n; i++) {
        double p = weight(kind, i, n, theta) / sum, expected = p * DRAWS;
        if (fabs((double)seen[i] - expected) > 5 * sqrt(expected * (1 - p)) + 1e-6) {
            diag("%s of %llu: %llu was drawn %llu times, expected %.0f", kind, (unsigned long long)n,
                 (unsigned long long)i, (unsigned long long)seen[i], expected);
            wrong++;
        }
    }
    ok(wrong == 0, "%s of %llu, theta %g: every value as often as it should be", kind, (unsigned long long)n, theta);
    iso_pool_free(pool);
}

static void run(void *pool) {
    static const char *const kinds[] = {"uniform", "zipfian", "hotspot", "exponential"};
    static const uint64_t sizes[] = {1, 2, 4, 5, 7, 99};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            draws(pool, kinds[k], sizes[i], 1);
        }
    }
    draws(pool, "zipfian", 50, 0.5);
    draws(pool, "zipfian", 50, 1.5);
    draws(pool, "exponential", 50, 0.3);
}

int main(void) {
    static iso_env env;
    return run_guarded(&env, run);
}
