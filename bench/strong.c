/* How checking strong levels grows with the number of transactions, on histories of the simulated store: the balanced
 * workload of veristrong.txt section 7.1 (8 operations, 50 sessions, 50,000 keys, half of the operations read), with
 * unique values and with half of the keys repeating 100 of them, at si and ser.
 *
 *     strong [--checker NAME] [--from N] [--to N] [--repeat N]
 *
 * Transactions double from N to N; the least processor time of --repeat runs counts, and the peak memory of the check
 * beyond the history's own. The exponent is that of the best fit of time = c n^e (GSL, least squares of logarithms) with
 * its standard error. The building of the history is not counted. */
#include <gsl/gsl_fit.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "checkers/checker.h"
#include "generators/generator.h"
#include "graph/handlers.h"

enum { MOST_POINTS = 24, CURVES = 4 };

static const iso_level level_of[CURVES] = {ISO_SER, ISO_SI, ISO_SER, ISO_SI};
static const char *const duplicates_of[CURVES] = {"0", "0", "0.5", "0.5"};

typedef struct job {
    iso_env env;
    const char *checker;
    uint64_t txns, repeat;
    unsigned point;
    double ms[CURVES][MOST_POINTS], megabytes[CURVES][MOST_POINTS];
} job;

static double cpu_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static isolab_history *make(iso_pool *pool, uint64_t txns, const char *duplicates) {
    const iso_generator *g = iso_generator_find("ycsb");
    char text[32]; /* the arguments point there */
    iso_args args;
    iso_generator_args(g, pool, &args);
    snprintf(text, sizeof text, "%llu", (unsigned long long)txns);
    const char *const set[][2] = {{"txns", text}, {"sessions", "50"}, {"keys", "50000"}, {"ops", "8"}, {"level", "ser"},
                                  {"duplicates", duplicates}};
    for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
        iso_args_set(&args, set[i][0], set[i][1]);
    }
    iso_builder *b = iso_builder_new(pool);
    g->run(&args, b);
    return iso_builder_finish(b);
}

static void measure_curve(job *j, const isolab_history *h, int c) {
    iso_request request = {.level = level_of[c]};
    iso_limits *limits = j->env.limits;
    double *ms = &j->ms[c][j->point];
    *ms = INFINITY;
    for (uint64_t i = 0; i < j->repeat; i++) {
        iso_pool pool;
        iso_result result;
        iso_pool_init(&pool, &j->env);
        iso_result_init(&result, &pool);
        uint64_t before = atomic_load(&limits->used);
        atomic_store(&limits->peak, before);
        double begin = cpu_ms();
        iso_check(iso_checker_find(j->checker), h, &request, &result);
        double took = cpu_ms() - begin;
        *ms = took < *ms ? took : *ms;
        j->megabytes[c][j->point] = (double)(atomic_load(&limits->peak) - before) / 1e6;
        if (result.verdict != ISOLAB_SATISFIED) {
            iso_throw(&j->env, ISOLAB_E_INTERNAL, "a serializable history is not said to satisfy %s: %s",
                      iso_level_get(level_of[c])->name, result.reason);
        }
        iso_pool_free(&pool);
    }
}

static void measure(void *arg) {
    job *j = arg;
    if (iso_checker_find(j->checker) == NULL) {
        iso_throw(&j->env, ISOLAB_E_USAGE, "there is no checker %s", j->checker);
    }
    for (int c = 0; c < CURVES; c += 2) { /* two levels of one history */
        iso_pool pool;
        iso_pool_init(&pool, &j->env);
        const isolab_history *h = make(&pool, j->txns, duplicates_of[c]);
        measure_curve(j, h, c);
        measure_curve(j, h, c + 1);
        iso_pool_free(&pool);
    }
}

static void report(const job *j, const double *txns) {
    for (int c = 0; c < CURVES; c++) {
        double x[MOST_POINTS], y[MOST_POINTS], c0, c1, cov00, cov01, cov11, sum;
        for (unsigned i = 0; i < j->point; i++) {
            x[i] = log(txns[i]);
            y[i] = log(j->ms[c][i]);
        }
        gsl_fit_linear(x, 1, y, 1, j->point, &c0, &c1, &cov00, &cov01, &cov11, &sum);
        printf("%-4s %-15s exponent %.2f +- %.2f\n", iso_level_get(level_of[c])->name,
               c < 2 ? "unique values" : "repeated values", c1, sqrt(cov11));
    }
}

int main(int argc, char **argv) {
    static job j = {.checker = "strong", .repeat = 2};
    uint64_t from = 1000, to = 64000;
    double txns[MOST_POINTS];
    for (int i = 1; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        uint64_t *number = strcmp(argv[i], "--from") == 0   ? &from
                           : strcmp(argv[i], "--to") == 0     ? &to
                           : strcmp(argv[i], "--repeat") == 0 ? &j.repeat
                                                              : NULL;
        if (strcmp(argv[i], "--checker") == 0) {
            j.checker = value;
        } else if (number == NULL || (*number = strtoull(value, NULL, 10)) == 0) {
            fprintf(stderr, "usage: strong [--checker NAME] [--from N] [--to N] [--repeat N]\n");
            return ISOLAB_E_USAGE;
        }
    }
    iso_env_init(&j.env);
    iso_install_handlers();
    printf("checker %s, ms of processor time and MB of memory, balanced histories of 8 operations a transaction\n"
           "%10s %19s %19s %19s %19s\n", j.checker, "txns", "ser", "si", "ser, repeated", "si, repeated");
    for (uint64_t n = from; n <= to && j.point < MOST_POINTS; n *= 2) {
        txns[j.point] = (double)n;
        j.txns = n;
        if (iso_guard(&j.env, measure, &j) != ISOLAB_OK) {
            fprintf(stderr, "strong: %s\n", j.env.error.message);
            return j.env.error.code;
        }
        printf("%10llu", (unsigned long long)n);
        for (int c = 0; c < CURVES; c++) {
            printf(" %9.1f ms %4.0f MB", j.ms[c][j.point], j.megabytes[c][j.point]);
        }
        putchar('\n');
        fflush(stdout);
        j.point++;
    }
    if (j.point > 2) {
        report(&j, txns);
    }
    return 0;
}
