/* How checking strong levels grows with the number of transactions, on histories of the simulated store: the balanced
 * workload of veristrong.txt section 7.1 (8 operations, 50 sessions, 50,000 keys, half of the operations read), with
 * unique values and with half of the keys repeating 100 of them, at si and ser.
 *
 *     strong [--checker NAME] [--from N] [--to N] [--repeat N]
 *
 * Transactions double from N to N; the least processor time of --repeat runs counts, and the peak memory of the check
 * beyond the history's own. The exponent is that of the best fit of time = c n^e (experiments/figures/statistics.h)
 * with its 95 % confidence interval. The building of the history is not counted. */
#include <stdio.h>

#include "bench/grow.h"
#include "experiments/figures/statistics.h"
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

static void measure_curve(job *j, const isolab_history *h, int c) {
    iso_question question = {.level = level_of[c]};
    grow_time t = grow_check(&j->env, iso_checker_find(j->checker), h, &question, j->repeat);
    if (t.verdict != ISOLAB_SATISFIED) {
        iso_throw(&j->env, ISOLAB_E_INTERNAL, "a serializable history is not said to satisfy %s",
                  iso_level_get(level_of[c])->name);
    }
    j->ms[c][j->point] = t.ms;
    j->megabytes[c][j->point] = t.megabytes;
}

static void measure(void *arg) {
    job *j = arg;
    if (iso_checker_find(j->checker) == NULL) {
        iso_throw(&j->env, ISOLAB_E_USAGE, "there is no checker %s", j->checker);
    }
    for (int c = 0; c < CURVES; c += 2) { /* two levels of one history */
        iso_pool pool;
        iso_pool_init(&pool, &j->env);
        const isolab_history *h =
            grow_history(&pool, "ycsb", "txns %llu sessions 50 keys 50000 ops 8 level ser duplicates %s",
                         (unsigned long long)j->txns, duplicates_of[c]);
        measure_curve(j, h, c);
        measure_curve(j, h, c + 1);
        iso_pool_free(&pool);
    }
}

static void report(iso_env *env, const job *j, const double *txns) {
    iso_pool pool;
    iso_pool_init(&pool, env);
    for (int c = 0; c < CURVES; c++) {
        iso_interval e = iso_stat_power_law(&pool, txns, j->ms[c], j->point).exponent;
        printf("%-4s %-15s exponent %.2f [%.2f, %.2f]\n", iso_level_get(level_of[c])->name,
               c < 2 ? "unique values" : "repeated values", e.value, e.low, e.high);
    }
    iso_pool_free(&pool);
}

int main(int argc, char **argv) {
    static job j = {.checker = "strong", .repeat = 2};
    uint64_t from = 1000, to = 64000;
    double txns[MOST_POINTS];
    const grow_option options[] = {{"--checker", "NAME", .text = &j.checker},
                                   {"--from", "N", .number = &from},
                                   {"--to", "N", .number = &to},
                                   {"--repeat", "N", .number = &j.repeat},
                                   {.name = NULL}};
    grow_options("strong", options, argc, argv);
    iso_env_init(&j.env);
    iso_install_handlers();
    printf("checker %s, ms of processor time and MB of memory, balanced histories of 8 operations a transaction\n"
           "%10s %19s %19s %19s %19s\n",
           j.checker, "txns", "ser", "si", "ser, repeated", "si, repeated");
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
        report(&j.env, &j, txns);
    }
    return 0;
}
