/* Tests experiments/figures/statistics.h. Statistics against closed forms and published tables. */
#include "experiments/figures/statistics.h"

#include <math.h>

#include "base/random.h"
#include "tests/tap.h"

static bool near(double a, double b, double tolerance) { return fabs(a - b) <= tolerance; }

static void test_median(iso_pool *pool) {
    double five[] = {9, 1, 5, 3, 7}, four[] = {4, 1, 2, 3}, same[] = {2, 2, 2};
    ok(near(iso_stat_median(pool, five, 5).value, 5, 0), "median of an odd number");
    ok(near(iso_stat_median(pool, four, 4).value, 2.5, 0), "median of an even number");
    iso_interval i = iso_stat_median(pool, same, 3);
    ok(near(i.low, 2, 0) && near(i.high, 2, 0), "equal numbers leave no doubt");
    ok(near(five[0], 9, 0), "the numbers given stay as they are");
    ok(near(iso_stat_quantile(pool, five, 5, 0.25), 3, 1e-12),
       "the first quartile of five numbers is the second smallest");
    /* The interval must cover the true median in about 95 of 100 samples; the bootstrap's does a little less. */
    iso_rng rng = {7};
    int covered = 0;
    for (int round = 0; round < 200; round++) {
        double x[25];
        for (int k = 0; k < 25; k++) {
            x[k] = -log(1 - iso_random_unit(&rng)); /* exponential: its median is log 2 */
        }
        iso_interval m = iso_stat_median(pool, x, 25);
        covered += m.low <= log(2) && log(2) <= m.high;
    }
    cmp_ok(covered, ">=", 176, "the interval covers the true median in %d of 200 samples", covered);
    cmp_ok(covered, "<", 200, "and is not endless");
}

static void test_ratio(iso_pool *pool) {
    double two[] = {2, 2, 2}, one[] = {1, 1, 1}, eight[] = {8}, unit[] = {1}, wide[] = {1, 4, 16}, flat[] = {4, 4, 4};
    iso_paired pairs[] = {{two, one, 3, 3}, {eight, unit, 1, 1}};
    iso_interval g = iso_stat_ratio(pool, pairs, 2);
    ok(near(g.value, 4, 1e-12), "2 and 8 have the geometric mean 4");
    ok(near(g.low, 2, 1e-12) && near(g.high, 8, 1e-12), "all resampled means of two are between the two");
    g = iso_stat_ratio(pool, pairs, 1);
    ok(near(g.low, 2, 1e-12) && near(g.high, 2, 1e-12), "equal runs of one question leave no doubt");
    g = iso_stat_ratio(pool, pairs + 1, 1);
    ok(near(g.value, 8, 1e-12) && isnan(g.low) && isnan(g.high), "one run of one question has no interval");
    /* Medians of three of 1, 4, 16 with replacement: 1 and 16 with probability 7/27 each. */
    iso_paired noisy = {wide, flat, 3, 3};
    g = iso_stat_ratio(pool, &noisy, 1);
    ok(near(g.value, 1, 1e-12) && near(g.low, 0.25, 1e-12) && near(g.high, 4, 1e-12), "noise within a question counts");
}

static void test_power_law(iso_pool *pool) {
    double x[] = {1, 2, 4, 8, 16}, y[5];
    for (int i = 0; i < 5; i++) {
        y[i] = 3 * pow(x[i], 1.5);
    }
    iso_power_law law = iso_stat_power_law(pool, x, y, 5);
    ok(law.known && near(law.exponent.value, 1.5, 1e-9) && near(law.factor, 3, 1e-9), "3 x^1.5 is found");
    ok(near(law.r2, 1, 1e-9) && law.exponent.high - law.exponent.low < 1e-6, "an exact power law has no doubt");
    /* log y = log x + e with e = +d, -2d, +d at log x = -1, 0, 1: the residuals are orthogonal to 1 and x, so the slope
     * is 1, the variance of the slope is 6 d^2 / 1 / 2, and Student's factor for one degree of freedom is 12.706. */
    double d = 0.01, ex[] = {exp(-1), 1, exp(1)}, ey[] = {exp(-1 + d), exp(-2 * d), exp(1 + d)};
    law = iso_stat_power_law(pool, ex, ey, 3);
    ok(near(law.exponent.value, 1, 1e-9), "the slope of a noisy line");
    ok(near(law.exponent.high - 1, 12.7062 * sqrt(3) * d, 1e-4), "its interval by hand");
    law = iso_stat_power_law(pool, x, y, 2);
    ok(law.known && isinf(law.exponent.high), "two points determine no interval");
    double one[] = {5, 5}, zero[] = {0, 1};
    ok(!iso_stat_power_law(pool, one, y, 2).known, "one x is no law");
    ok(!iso_stat_power_law(pool, x, zero, 2).known, "an x of 0 is no law");
    ok(!iso_stat_power_law(pool, x, y, 0).known, "no points are no law");
}

static void test_difference(iso_pool *pool) {
    double a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8};
    /* Of the C(8,4) = 70 choices only the two extreme ones are as far. */
    ok(near(iso_stat_mann_whitney(pool, a, 4, b, 4), 2.0 / 70, 1e-12), "4 against 4, apart: 2 of 70");
    ok(near(iso_stat_mann_whitney(pool, b, 4, a, 4), 2.0 / 70, 1e-12), "and the other way round");
    ok(near(iso_stat_mann_whitney(pool, a, 4, a, 4), 1, 1e-12), "equal samples do not differ");
    double c[] = {1, 2, 4}, d[] = {3, 5, 6};
    /* Rank sum 7 of 3 out of 6: sums 6 and 7 have one choice each, so do 15 and 14: 4 of 20. */
    ok(near(iso_stat_mann_whitney(pool, c, 3, d, 3), 0.2, 1e-12), "3 against 3: 4 of 20");
    double e[] = {1, 1}, f[] = {1, 2};
    /* Ranks 2 2 | 2 4. The six choices of two: three give 4, three give 6; mean 5: all are as far. */
    ok(near(iso_stat_mann_whitney(pool, e, 2, f, 2), 1, 1e-12), "ties are counted exactly");
    double g[20], h[20], big_g[40], big_h[40];
    for (int i = 0; i < 40; i++) {
        big_g[i] = i;
        big_h[i] = i + 12.5;
        g[i % 20] = i % 20;
        h[i % 20] = i % 20 + 6.5;
    }
    /* By hand: U is the number of pairs with g > h, 13 + 12 + ... + 1 = 91 of 400, and 27 * 28 / 2 = 378 of 1600. */
    double z = (200 - 91 - 0.5) / sqrt(400 * 41 / 12.0);
    double exact = iso_stat_mann_whitney(pool, g, 20, h, 20);
    ok(near(exact, erfc(z / sqrt(2)), 0.002), "the exact p is near the normal one: %g", exact);
    z = (800 - 378 - 0.5) / sqrt(1600 * 81 / 12.0);
    ok(near(iso_stat_mann_whitney(pool, big_g, 40, big_h, 40), erfc(z / sqrt(2)), 1e-9), "many: the normal one");
    double p[] = {0.01, 0.04, 0.03};
    iso_stat_holm(pool, p, 3);
    ok(near(p[0], 0.03, 1e-12) && near(p[2], 0.06, 1e-12) && near(p[1], 0.06, 1e-12),
       "Holm's correction of three tests");
}

static void test_means(iso_pool *pool) {
    double x[] = {1, 10, 100};
    iso_interval g = iso_stat_geometric_mean(pool, x, 3);
    ok(near(g.value, 10, 1e-9) && near(g.low, 1, 1e-9) && near(g.high, 100, 1e-9),
       "the geometric mean and its interval");
    double whole[] = {4, 40, 400}, other[] = {4, 20, 100}, none[] = {0, 0, 1};
    iso_interval q = iso_stat_quotient(pool, x, whole, 3);
    ok(near(q.value, 0.25, 1e-12) && near(q.low, 0.25, 1e-12) && near(q.high, 0.25, 1e-12),
       "a share that is the same in every pair has no width");
    q = iso_stat_quotient(pool, x, other, 3);
    ok(near(q.value, 111 / 124.0, 1e-12) && near(q.low, 0.25, 1e-12) && near(q.high, 1, 1e-12),
       "a share that differs lies between the least and the greatest one of a pair");
    ok(isnan(iso_stat_quotient(pool, x, whole, 1).low), "the interval of one share is unknown");
    ok(isnan(iso_stat_quotient(pool, x, none, 3).low), "the interval is unknown where the whole may be nothing");
    double calm[] = {100, 101, 102, 103, 104, 105}, wild[] = {100, 101, 102, 103, 104, 300};
    ok(!iso_stat_noise(pool, calm, 6).noisy, "numbers close to each other are not noisy");
    iso_noise noise = iso_stat_noise(pool, wild, 6);
    ok(noise.noisy && noise.outliers == 1, "one number far from the others is one outlier, and noise");
    double loud[] = {80, 100, 120};
    ok(iso_stat_noise(pool, loud, 3).noisy, "a wide spread is noise");
}

/* 1 - 6 sum d^2 / (n (n^2 - 1)), by hand. */
static void test_rank_correlation(iso_pool *pool) {
    double x[] = {1, 2, 3, 4, 5}, cubes[] = {1, 8, 27, 64, 125}, down[] = {9, 7, 5, 3, 1}, swapped[] = {2, 1, 4, 3, 5},
           same[] = {4, 4, 4, 4, 4};
    ok(fabs(iso_stat_rank_correlation(pool, x, cubes, 5).value - 1) < 1e-12, "a curve that grows");
    ok(fabs(iso_stat_rank_correlation(pool, x, down, 5).value + 1) < 1e-12, "a falling series");
    iso_interval r = iso_stat_rank_correlation(pool, x, swapped, 5);
    ok(fabs(r.value - 0.8) < 1e-12 && r.low < r.value && r.value < r.high, "two swaps of five");
    ok(isnan(iso_stat_rank_correlation(pool, x, same, 5).value), "a constant has none");
    double seven[] = {1, 2, 3, 4, 5, 6, 7}, one[] = {0, 0, 0, 0, 0, 0, 1}, three[] = {0, 0, 1, 0, 0, 1, 1};
    ok(isnan(iso_stat_rank_correlation(pool, seven, one, 7).value), "nor has a number that differs once");
    r = iso_stat_rank_correlation(pool, seven, three, 7);
    /* ranks of three: 2.5 four times, 6 three times; the covariance of 3.5 (3 + 6 + 7 - 12), by the root of 28 times
     * 21 */
    ok(fabs(r.value - 3.5 * 4 / sqrt(28 * 21)) < 1e-12 && r.low < r.value && r.value < r.high, "three of seven");
}

int main(void) {
    iso_env env;
    iso_pool pool;
    iso_env_init(&env);
    iso_pool_init(&pool, &env);
    test_median(&pool);
    test_ratio(&pool);
    test_power_law(&pool);
    test_difference(&pool);
    test_means(&pool);
    test_rank_correlation(&pool);
    iso_pool_free(&pool);
    return done_testing();
}
