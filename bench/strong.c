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

typedef struct scaling {
    iso_env env;
    const char *checker;
    uint64_t txns, repeat;
    unsigned point;
    double ms[CURVES][MOST_POINTS], megabytes[CURVES][MOST_POINTS];
} scaling;

static void measure_curve(scaling *s, const isolab_history *h, int c) {
    iso_question question = {.level = level_of[c]};
    grow_time t = grow_check(&s->env, iso_checker_find(s->checker), h, &question, s->repeat);
    if (t.verdict != ISOLAB_SATISFIED) {
        iso_throw(&s->env, ISOLAB_E_INTERNAL, "a serializable history is not said to satisfy %s",
                  iso_level_get(level_of[c])->name);
    }
    s->ms[c][s->point] = t.ms;
    s->megabytes[c][s->point] = t.megabytes;
}

static void measure(void *arg) {
    scaling *s = arg;
    if (iso_checker_find(s->checker) == NULL) {
        iso_throw(&s->env, ISOLAB_E_USAGE, "there is no checker %s", s->checker);
    }
    for (int c = 0; c < CURVES; c += 2) { /* two levels of one history */
        iso_pool pool;
        iso_pool_init(&pool, &s->env);
        const isolab_history *h =
            grow_history(&pool, "ycsb", "txns %llu sessions 50 keys 50000 ops 8 level ser duplicates %s",
                         (unsigned long long)s->txns, duplicates_of[c]);
        measure_curve(s, h, c);
        measure_curve(s, h, c + 1);
        iso_pool_free(&pool);
    }
}

static void print_scaling(iso_env *env, const scaling *s, const double *txns) {
    iso_pool pool;
    iso_pool_init(&pool, env);
    for (int c = 0; c < CURVES; c++) {
        iso_interval e = iso_stat_power_law(&pool, txns, s->ms[c], s->point).exponent;
        printf("%-4s %-15s exponent %.2f [%.2f, %.2f]\n", iso_level_get(level_of[c])->name,
               c < 2 ? "unique values" : "repeated values", e.value, e.low, e.high);
    }
    iso_pool_free(&pool);
}

int main(int argc, char **argv) {
    static scaling s = {.checker = "strong", .repeat = 2};
    uint64_t from = 1000, to = 64000;
    double txns[MOST_POINTS];
    const grow_option options[] = {{"--checker", "NAME", .text = &s.checker},
                                   {"--from", "N", .number = &from},
                                   {"--to", "N", .number = &to},
                                   {"--repeat", "N", .number = &s.repeat},
                                   {.name = NULL}};
    grow_options("strong", options, argc, argv);
    iso_env_init(&s.env);
    iso_install_handlers();
    printf("checker %s, ms of processor time and MB of memory, balanced histories of 8 operations a transaction\n"
           "%10s %19s %19s %19s %19s\n",
           s.checker, "txns", "ser", "si", "ser, repeated", "si, repeated");
    for (uint64_t n = from; n <= to && s.point < MOST_POINTS; n *= 2) {
        txns[s.point] = (double)n;
        s.txns = n;
        if (iso_guard(&s.env, measure, &s) != ISOLAB_OK) {
            fprintf(stderr, "strong: %s\n", s.env.error.message);
            return s.env.error.code;
        }
        printf("%10llu", (unsigned long long)n);
        for (int c = 0; c < CURVES; c++) {
            printf(" %9.1f ms %4.0f MB", s.ms[c][s.point], s.megabytes[c][s.point]);
        }
        putchar('\n');
        fflush(stdout);
        s.point++;
    }
    if (s.point > 2) {
        print_scaling(&s.env, &s, txns);
    }
    return 0;
}
