/* See statistics.h. */
#include "experiments/figures/statistics.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <string.h>

#include "base/random.h"

enum { RESAMPLES = 2000, MOST_EXACT = 60 };

static double *sorted(iso_pool *pool, const double *x, size_t n) {
    double *copy = ISO_NEW(pool, double, n);
    memcpy(copy, x, n * sizeof *x);
    gsl_sort(copy, 1, n);
    return copy;
}

double iso_stat_quantile(iso_pool *pool, const double *x, size_t n, double q) {
    double *s = sorted(pool, x, n);
    double value = gsl_stats_quantile_from_sorted_data(s, 1, n, q);
    iso_free(pool, s);
    return value;
}

static double median_of(double *x, size_t n) {
    gsl_sort(x, 1, n);
    return gsl_stats_median_from_sorted_data(x, 1, n);
}

static double mean_of(double *x, size_t n) { return gsl_stats_mean(x, 1, n); }

/* Sets the ends of the interval to the percentiles of the resampled values, which it sorts. */
static void limits_of(double *values, iso_interval *interval) {
    gsl_sort(values, 1, RESAMPLES);
    interval->low = gsl_stats_quantile_from_sorted_data(values, 1, RESAMPLES, 0.025);
    interval->high = gsl_stats_quantile_from_sorted_data(values, 1, RESAMPLES, 0.975);
}

/* The percentile bootstrap: computes the statistic of samples drawn with replacement. */
static iso_interval bootstrap(iso_pool *pool, const double *x, size_t n, double (*statistic)(double *, size_t)) {
    double *sample = ISO_NEW(pool, double, n), *values = ISO_NEW(pool, double, RESAMPLES);
    iso_rng rng = {20241109};
    memcpy(sample, x, n * sizeof *x);
    iso_interval result = {.value = statistic(sample, n)};
    for (size_t b = 0; b < RESAMPLES; b++) {
        for (size_t i = 0; i < n; i++) {
            sample[i] = x[iso_random_below(&rng, n)];
        }
        values[b] = statistic(sample, n);
        iso_tick(pool->env);
    }
    limits_of(values, &result);
    iso_free(pool, sample);
    iso_free(pool, values);
    return result;
}

iso_interval iso_stat_median(iso_pool *pool, const double *x, size_t n) { return bootstrap(pool, x, n, median_of); }

iso_interval iso_stat_mean(iso_pool *pool, const double *x, size_t n) {
    return n > 1 ? bootstrap(pool, x, n, mean_of) : (iso_interval){x[0], NAN, NAN};
}

iso_interval iso_stat_geometric_mean(iso_pool *pool, const double *x, size_t n) {
    double *logs = ISO_NEW(pool, double, n);
    for (size_t i = 0; i < n; i++) {
        logs[i] = log(x[i]);
    }
    iso_interval i = bootstrap(pool, logs, n, mean_of);
    iso_free(pool, logs);
    return (iso_interval){exp(i.value), exp(i.low), exp(i.high)};
}

iso_interval iso_stat_quotient(iso_pool *pool, const double *x, const double *y, size_t n) {
    double *values = ISO_NEW(pool, double, RESAMPLES), all_x = 0, all_y = 0;
    for (size_t i = 0; i < n; i++) {
        all_x += x[i];
        all_y += y[i];
    }
    iso_interval result = {all_x / all_y, NAN, NAN};
    iso_rng rng = {20241109};
    bool known = n > 1;
    for (size_t b = 0; known && b < RESAMPLES; b++) {
        double sum_x = 0, sum_y = 0;
        for (size_t i = 0; i < n; i++) {
            size_t drawn = iso_random_below(&rng, n);
            sum_x += x[drawn];
            sum_y += y[drawn];
        }
        values[b] = sum_x / sum_y;
        known = !(fabs(sum_y) <= 0);
        iso_tick(pool->env);
    }
    if (known) {
        limits_of(values, &result);
    }
    iso_free(pool, values);
    return result;
}

/* Returns the median of n numbers that were drawn with replacement; scratch has room for them. */
static double resampled_median(iso_rng *rng, const double *x, size_t n, double *scratch) {
    for (size_t i = 0; i < n; i++) {
        scratch[i] = x[n == 1 ? 0 : iso_random_below(rng, n)];
    }
    return median_of(scratch, n);
}

iso_interval iso_stat_ratio(iso_pool *pool, const iso_paired *pairs, size_t n) {
    double *values = ISO_NEW(pool, double, RESAMPLES), sum = 0;
    size_t longest = 1;
    bool repeated = n > 1;
    for (size_t i = 0; i < n; i++) {
        longest = pairs[i].n_x > longest ? pairs[i].n_x : longest;
        longest = pairs[i].n_y > longest ? pairs[i].n_y : longest;
        repeated |= pairs[i].n_x > 1 || pairs[i].n_y > 1;
    }
    double *scratch = ISO_NEW(pool, double, longest);
    for (size_t i = 0; i < n; i++) {
        sum += log(iso_stat_quantile(pool, pairs[i].x, pairs[i].n_x, 0.5) /
                   iso_stat_quantile(pool, pairs[i].y, pairs[i].n_y, 0.5));
    }
    iso_interval result = {exp(sum / (double)n), NAN, NAN};
    iso_rng rng = {20241109};
    for (size_t b = 0; repeated && b < RESAMPLES; b++) {
        sum = 0;
        for (size_t i = 0; i < n; i++) {
            const iso_paired *p = &pairs[n == 1 ? 0 : iso_random_below(&rng, n)];
            sum += log(resampled_median(&rng, p->x, p->n_x, scratch) / resampled_median(&rng, p->y, p->n_y, scratch));
        }
        values[b] = exp(sum / (double)n);
        iso_tick(pool->env);
    }
    if (repeated) {
        limits_of(values, &result);
    }
    iso_free(pool, values);
    iso_free(pool, scratch);
    return result;
}

static bool is_constant(const double *x, size_t n) {
    for (size_t i = 1; i < n; i++) {
        if (x[i] < x[0] || x[i] > x[0]) {
            return false;
        }
    }
    return true;
}

/* A sample that is constant has no correlation, and is left out. If a single pair differs from all others, a third of
 * the samples are constant, and the others always have this pair: their correlations are no interval of the result. */
iso_interval iso_stat_rank_correlation(iso_pool *pool, const double *x, const double *y, size_t n) {
    double *a = ISO_NEW(pool, double, n), *b = ISO_NEW(pool, double, n), *work = ISO_NEW(pool, double, 2 * n);
    double *values = ISO_NEW(pool, double, RESAMPLES);
    iso_rng rng = {20241109};
    size_t kept = 0;
    bool constant = is_constant(x, n) || is_constant(y, n);
    iso_interval result = {NAN, NAN, NAN};
    if (!constant) {
        result.value = gsl_stats_spearman(x, 1, y, 1, n, work);
    }
    for (size_t s = 0; s < RESAMPLES && !constant; s++) {
        for (size_t i = 0; i < n; i++) {
            size_t from = (size_t)iso_random_below(&rng, n);
            a[i] = x[from];
            b[i] = y[from];
        }
        if (!is_constant(a, n) && !is_constant(b, n)) {
            values[kept++] = gsl_stats_spearman(a, 1, b, 1, n, work);
        }
        iso_tick(pool->env);
    }
    if (kept < RESAMPLES - RESAMPLES / 5) {
        result.value = NAN;
    } else {
        gsl_sort(values, 1, kept);
        result.low = gsl_stats_quantile_from_sorted_data(values, 1, kept, 0.025);
        result.high = gsl_stats_quantile_from_sorted_data(values, 1, kept, 0.975);
    }
    iso_free(pool, a);
    iso_free(pool, b);
    iso_free(pool, work);
    iso_free(pool, values);
    return result;
}

iso_power_law iso_stat_power_law(iso_pool *pool, const double *x, const double *y, size_t n) {
    iso_power_law law = {.n = n};
    double *lx = ISO_NEW(pool, double, n), *ly = ISO_NEW(pool, double, n);
    bool varies = false, positive = true;
    for (size_t i = 0; i < n; i++) {
        positive = positive && x[i] > 0 && y[i] > 0;
        lx[i] = positive ? log(x[i]) : 0;
        ly[i] = positive ? log(y[i]) : 0;
        varies = varies || lx[i] > lx[0] || lx[i] < lx[0];
    }
    if (varies && positive) {
        double c0, c1, v00, v01, v11, rest;
        gsl_fit_linear(lx, 1, ly, 1, n, &c0, &c1, &v00, &v01, &v11, &rest);
        double total = gsl_stats_tss(ly, 1, n);
        double reach = n > 2 ? gsl_cdf_tdist_Pinv(0.975, (double)n - 2) * sqrt(v11) : GSL_POSINF;
        law.exponent = (iso_interval){c1, c1 - reach, c1 + reach};
        law.factor = exp(c0);
        law.r2 = total > 0 ? 1 - rest / total : 1;
        law.known = true;
    }
    iso_free(pool, lx);
    iso_free(pool, ly);
    return law;
}

/* Returns twice the ranks of x followed by y; ties share the mean of their ranks; doubled, ranks are whole numbers.
 * Also sets the sum over ties of t^3 - t. */
static unsigned *ranks(iso_pool *pool, const double *x, size_t n, const double *y, size_t m, double *ties) {
    size_t all = n + m;
    double *v = ISO_NEW(pool, double, all);
    size_t *by = ISO_NEW(pool, size_t, all);
    unsigned *rank = ISO_NEW(pool, unsigned, all);
    memcpy(v, x, n * sizeof *x);
    memcpy(v + n, y, m * sizeof *y);
    gsl_sort_index(by, v, 1, all);
    *ties = 0;
    for (size_t i = 0; i < all;) {
        size_t j = i;
        while (j < all && !(v[by[j]] > v[by[i]])) {
            j++;
        }
        for (size_t k = i; k < j; k++) {
            rank[by[k]] = (unsigned)(i + j + 1); /* ranks from i + 1 to j */
        }
        double t = (double)(j - i);
        *ties += t * t * t - t;
        i = j;
    }
    iso_free(pool, v);
    iso_free(pool, by);
    return rank;
}

/* Returns the share of the choices of n ranks whose sum is at least as far from the mean as the observed one. */
static double exact(iso_pool *pool, const unsigned *rank, size_t n, size_t all, double mean, double distance) {
    size_t width = all * (all + 1) + 1; /* twice the sum of all ranks, and 0 */
    double *ways = ISO_ZNEW(pool, double, (n + 1) * width);
    ways[0] = 1;
    for (size_t i = 0; i < all; i++) {
        for (size_t k = n; k-- > 0;) { /* k ranks chosen before */
            for (size_t s = rank[i]; s < width; s++) {
                ways[(k + 1) * width + s] += ways[k * width + s - rank[i]];
            }
        }
    }
    double far = 0, total = 0;
    for (size_t s = 0; s < width; s++) {
        double w = ways[n * width + s];
        total += w;
        far += fabs((double)s - mean) >= distance - 1e-9 ? w : 0;
    }
    iso_free(pool, ways);
    return far / total;
}

double iso_stat_mann_whitney(iso_pool *pool, const double *x, size_t n, const double *y, size_t m) {
    if (n == 0 || m == 0) {
        return 1;
    }
    double ties, sum = 0, all = (double)(n + m);
    unsigned *rank = ranks(pool, x, n, y, m, &ties);
    for (size_t i = 0; i < n; i++) {
        sum += rank[i];
    }
    double mean = (double)n * (all + 1), distance = fabs(sum - mean), p; /* all doubled, like the ranks */
    if (n + m <= MOST_EXACT) {
        p = exact(pool, rank, n, n + m, mean, distance);
    } else {
        double variance = (double)n * (double)m / 12 * (all + 1 - ties / (all * (all - 1)));
        double z = variance > 0 ? fmax(0, distance / 2 - 0.5) / sqrt(variance) : 0;
        p = 2 * gsl_cdf_ugaussian_Q(z);
    }
    iso_free(pool, rank);
    return fmin(p, 1);
}

void iso_stat_holm(iso_pool *pool, double *p, size_t n) {
    size_t *by = ISO_NEW(pool, size_t, n);
    gsl_sort_index(by, p, 1, n);
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        most = fmax(most, fmin(1, p[by[i]] * (double)(n - i)));
        p[by[i]] = most;
    }
    iso_free(pool, by);
}

iso_noise iso_stat_noise(iso_pool *pool, const double *x, size_t n) {
    double *s = sorted(pool, x, n);
    double low = gsl_stats_quantile_from_sorted_data(s, 1, n, 0.25);
    double high = gsl_stats_quantile_from_sorted_data(s, 1, n, 0.75);
    double median = gsl_stats_median_from_sorted_data(s, 1, n), range = high - low;
    iso_noise noise = {.spread = median > 0 ? range / median : 0};
    for (size_t i = 0; i < n; i++) {
        noise.outliers += x[i] < low - 1.5 * range || x[i] > high + 1.5 * range;
    }
    noise.noisy = noise.spread > 0.1 || (n >= 5 && noise.outliers > 0);
    iso_free(pool, s);
    return noise;
}
