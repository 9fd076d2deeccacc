/* How checking mini-transactions grows with their number, by `mtc` and `strong` side by side, on histories of the simulated
 * store (workload mini, 50 sessions, 10,000 keys): one that satisfies every level, and one with a single long fork, which
 * violates them; and what each level costs besides loading, where weak levels cost the least.
 *
 *     mini [--from N] [--to N] [--repeat N]
 *
 * Transactions grow tenfold from N to N; the least processor time of --repeat runs counts, in turns. The exponent is
 * that of the best fit of time = c n^e with its 95 % confidence interval. The building of the history is not counted. The last
 * table is of the largest history as Plume text: loading and checking together, as multiples of rc, which is what `isolab check`
 * does. Plume text has no times, so that sser is ser there; `.ilb` has. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "bench/grow.h"
#include "experiments/figures/statistics.h"
#include "formats/format.h"
#include "graph/handlers.h"

enum { MOST_POINTS = 8 };

typedef struct curve {
    const char *name, *checker;
    iso_level level;
    bool violated;
    double ms[MOST_POINTS];
} curve;

static curve curves[] = {
    {.name = "rc, awdit", .checker = "awdit", .level = ISO_RC},
    {.name = "ser, mtc", .checker = "mtc", .level = ISO_SER},
    {.name = "si, mtc", .checker = "mtc", .level = ISO_SI},
    {.name = "sser, mtc", .checker = "mtc", .level = ISO_SSER},
    {.name = "ser, strong", .checker = "strong", .level = ISO_SER},
    {.name = "si, strong", .checker = "strong", .level = ISO_SI},
    {.name = "sser, strong", .checker = "strong", .level = ISO_SSER},
    {.name = "ser violated, mtc", .checker = "mtc", .level = ISO_SER, .violated = true},
    {.name = "si violated, mtc", .checker = "mtc", .level = ISO_SI, .violated = true},
    {.name = "sser violated, mtc", .checker = "mtc", .level = ISO_SSER, .violated = true},
    {.name = "ser violated, strong", .checker = "strong", .level = ISO_SER, .violated = true},
    {.name = "si violated, strong", .checker = "strong", .level = ISO_SI, .violated = true},
    {.name = "sser violated, strong", .checker = "strong", .level = ISO_SSER, .violated = true},
};
enum { CURVES = sizeof curves / sizeof *curves };

typedef struct job {
    iso_env env;
    uint64_t txns, repeat;
    unsigned point;
} job;

static isolab_history *make(iso_pool *pool, uint64_t txns, bool violated) {
    return grow_history(pool, "mini", "txns %llu sessions 50 keys 10000 level sser times yes%s%.12g",
                        (unsigned long long)txns, violated ? " bug long-fork bug-rate " : " bug-rate ",
                        violated ? 3.0 / (double)txns : 0.0);
}

static void measure_half(job *j, bool violated) {
    iso_pool pool;
    iso_pool_init(&pool, &j->env);
    const isolab_history *h = make(&pool, j->txns, violated);
    for (int c = 0; c < CURVES; c++) {
        iso_request request = {.level = curves[c].level};
        if (curves[c].violated != violated) {
            continue;
        }
        grow_time t = grow_check(&j->env, iso_checker_find(curves[c].checker), h, &request, j->repeat);
        if ((t.verdict == ISOLAB_VIOLATED) != violated) {
            iso_throw(&j->env, ISOLAB_E_INTERNAL, "%s: a wrong verdict", curves[c].name);
        }
        curves[c].ms[j->point] = t.ms;
    }
    iso_pool_free(&pool);
}

static void measure(void *arg) {
    measure_half(arg, false);
    measure_half(arg, true);
}

static double cpu_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Loading and checking a file. */
static double whole(iso_env *env, const char *path, const curve *c) {
    iso_pool pool;
    iso_result result;
    iso_pool_init(&pool, env);
    iso_result_init(&result, &pool);
    double begin = cpu_ms();
    iso_request request = {.level = c->level};
    const isolab_history *h = iso_load(&pool, path, NULL);
    iso_check(iso_checker_auto(h, &request), h, &request, &result);
    double ms = cpu_ms() - begin;
    iso_pool_free(&pool);
    return ms;
}

static void write_file(iso_pool *pool, const isolab_history *h, const char *format, const char *path) {
    FILE *out = fopen(path, "wb");
    if (out == NULL) {
        iso_throw(pool->env, ISOLAB_E_IO, "cannot write %s", path);
    }
    iso_sink sink = {.pool = pool, .path = path, .out = out};
    iso_format_find(format)->write(h, &sink);
    fclose(out);
}

static void compare(void *arg) {
    job *j = arg;
    static const char *const formats[] = {"plume", "ilb"};
    for (int f = 0; f < 2; f++) {
        iso_pool pool;
        char path[] = "/tmp/isolab-mini-XXXXXX";
        int fd = mkstemp(path);
        double least[4] = {0};
        iso_pool_init(&pool, &j->env);
        if (fd < 0) {
            iso_throw(&j->env, ISOLAB_E_IO, "cannot write in /tmp");
        }
        close(fd);
        write_file(&pool, make(&pool, j->txns, false), formats[f], path);
        iso_pool_free(&pool);
        for (uint64_t i = 0; i < j->repeat; i++) {
            for (int c = 0; c < 4; c++) {
                double ms = whole(&j->env, path, &curves[c]);
                least[c] = i == 0 || ms < least[c] ? ms : least[c];
            }
        }
        unlink(path);
        printf("%s, loading and checking: rc %.0f ms", formats[f], least[0]);
        for (int c = 1; c < 4; c++) {
            printf(", %s %.0f ms (%.2f x rc)", iso_level_get(curves[c].level)->name, least[c], least[c] / least[0]);
        }
        putchar('\n');
    }
}

int main(int argc, char **argv) {
    static job j = {.repeat = 5};
    uint64_t from = 1000, to = 1000000;
    double txns[MOST_POINTS];
    const grow_option options[] = {{"--from", "N", .number = &from},
                                   {"--to", "N", .number = &to},
                                   {"--repeat", "N", .number = &j.repeat},
                                   {.name = NULL}};
    grow_options("mini", options, argc, argv);
    iso_env_init(&j.env);
    iso_install_handlers();
    for (uint64_t n = from; n <= to && j.point < MOST_POINTS; n *= 10) {
        txns[j.point] = (double)n;
        j.txns = n;
        if (iso_guard(&j.env, measure, &j) != ISOLAB_OK) {
            fprintf(stderr, "mini: %s\n", j.env.error.message);
            return j.env.error.code;
        }
        j.point++;
    }
    printf("%-24s", "mini-transactions, ms");
    for (unsigned i = 0; i < j.point; i++) {
        printf(" %10.0f", txns[i]);
    }
    printf("  exponent\n");
    for (int c = 0; c < CURVES; c++) {
        iso_pool pool;
        iso_pool_init(&pool, &j.env);
        printf("%-24s", curves[c].name);
        for (unsigned i = 0; i < j.point; i++) {
            printf(" %10.2f", curves[c].ms[i]);
        }
        if (j.point > 2) {
            iso_interval e = iso_stat_power_law(&pool, txns, curves[c].ms, j.point).exponent;
            printf("  %.2f [%.2f, %.2f]", e.value, e.low, e.high);
        }
        putchar('\n');
        iso_pool_free(&pool);
    }
    if (iso_guard(&j.env, compare, &j) != ISOLAB_OK) {
        fprintf(stderr, "mini: %s\n", j.env.error.message);
        return j.env.error.code;
    }
    return 0;
}
