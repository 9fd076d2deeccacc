/* The statistics of measurements, on GSL: medians and geometric means with bootstrap intervals, exponents of power
 * laws, tests of difference, warnings about noise.
 *
 * All intervals are of 95 %. Resampling uses the project's own generator with a fixed seed, so the same measurements
 * always give the same numbers. Scratch memory comes from the pool given. */
#ifndef ISOLAB_EXPERIMENTS_FIGURES_STATISTICS_H
#define ISOLAB_EXPERIMENTS_FIGURES_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/env.h"

typedef struct iso_interval {
    double value, low, high;
} iso_interval;

/* Median of n >= 1 numbers; the interval resamples the numbers (percentiles of 2,000 resampled medians). */
iso_interval iso_stat_median(iso_pool *pool, const double *x, size_t n);

/* Arithmetic mean; the interval resamples the numbers, and is unknown (NaN) for a single one. */
iso_interval iso_stat_mean(iso_pool *pool, const double *x, size_t n);

/* Geometric mean of positive numbers; the interval resamples the numbers. */
iso_interval iso_stat_geometric_mean(iso_pool *pool, const double *x, size_t n);

/* Sum of n >= 1 numbers x over the sum of n numbers y; the interval resamples the pairs (x[i], y[i]). It is unknown
 * (NaN) for a single pair, or if some sum of resampled y is 0. */
iso_interval iso_stat_quotient(iso_pool *pool, const double *x, const double *y, size_t n);

/* The runs of one question by two checkers, all positive. */
typedef struct iso_paired {
    const double *x, *y;
    size_t n_x, n_y;
} iso_paired;

/* Geometric mean over n >= 1 questions of the quotient of the medians, x over y. The interval resamples the questions
 * and the runs of each, so repeated runs of a single question have an interval, too. It is unknown (NaN) if there is
 * one question with a single run on each side. */
iso_interval iso_stat_ratio(iso_pool *pool, const iso_paired *pairs, size_t n);

/* Quantile q of n >= 1 numbers, by linear interpolation. */
double iso_stat_quantile(iso_pool *pool, const double *x, size_t n, double q);

/* y = factor * x^exponent, by least squares of the logarithms. The interval of the exponent is Student's. */
typedef struct iso_power_law {
    iso_interval exponent;
    double factor;
    double r2;  /* share of the variance of log y that the law explains */
    size_t n;   /* number of points */
    bool known; /* false: fewer than two different x, or numbers that are not positive */
} iso_power_law;

iso_power_law iso_stat_power_law(iso_pool *pool, const double *x, const double *y, size_t n);

/* Spearman's rank correlation of n >= 3 pairs; the interval resamples the pairs. Not finite: x or y is constant, or is
 * constant in more than a fifth of the samples, as it is if a single pair differs. */
iso_interval iso_stat_rank_correlation(iso_pool *pool, const double *x, const double *y, size_t n);

/* Returns the two-sided p of the Wilcoxon-Mann-Whitney test that x and y come from one distribution. It is exact,
 * including ties, by counting all ways to choose the ranks of x, if both together have at most 60 numbers; otherwise it
 * uses the normal approximation with corrections for ties and continuity. */
double iso_stat_mann_whitney(iso_pool *pool, const double *x, size_t n, const double *y, size_t m);

/* Applies Holm's correction to n p-values of n tests, in place. */
void iso_stat_holm(iso_pool *pool, double *p, size_t n);

/* Warnings about noise. Outliers are beyond 1.5 interquartile ranges from the quartiles (Tukey). */
typedef struct iso_noise {
    size_t outliers;
    double spread; /* interquartile range over the median */
    bool noisy;    /* spread above 10 %, or outliers among at least five numbers */
} iso_noise;

iso_noise iso_stat_noise(iso_pool *pool, const double *x, size_t n);

#endif
