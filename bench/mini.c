/* How checking mini-transactions grows with their number, by `mtc` and `strong` side by side, on histories of the
 * simulated store (workload mini, 50 sessions, 10,000 keys): one that satisfies every level, one with a few long forks,
 * which violates them, and one of lightweight transactions (a read, or a read and a write, of one of 100 keys), which
 * `mtc` decides by chains of versions, or by the execution as the others; and what each level costs besides loading,
 * where weak levels cost the least.
 *
 *     mini [--from N] [--to N] [--repeat N] [--seeds N] [--only WORD] [--keys N]
 *
 * Transactions grow from N to N, threefold and then to the next power of ten. The least processor time of --repeat runs
 * counts, on the mean of --seeds histories: how much of a violated one is left to look at depends on where its
 * anomalies are; --only: of the rows whose name has the word (`loading`: the last table). The exponent is that of the
 * best fit of time = c n^e with its 95 % confidence interval. The building of the history is not counted. The last
 * table is of the largest history as Plume text: loading and checking together, as multiples of rc, which is what
 * `isolab check` does. Plume text has no times, so that sser is ser there; `.ilb` has. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/grow.h"
#include "experiments/figures/statistics.h"
#include "formats/format.h"
#include "graph/handlers.h"

enum { MOST_POINTS = 16 };

/* What a row measures. */
typedef enum { SATISFIED, VIOLATED, LIGHTWEIGHT, STALE, HISTORIES } history_kind;

static const char *const bugs[HISTORIES] = {[VIOLATED] = "long-fork", [STALE] = "stale-read"};

typedef struct curve {
    const char *name, *checker;
    iso_level level;
    history_kind of;
    const char *options;
    double ms[MOST_POINTS];
} curve;

static curve curves[] = {
    {.name = "rc, awdit", .checker = "awdit", .level = ISO_RC},
    {.name = "ser, mtc", .checker = "mtc", .level = ISO_SER},
    {.name = "si, mtc", .checker = "mtc", .level = ISO_SI},
    {.name = "sser, mtc", .checker = "mtc", .level = ISO_SSER},
    {.name = "lser, mtc", .checker = "mtc", .level = ISO_LSER},
    {.name = "ser, strong", .checker = "strong", .level = ISO_SER},
    {.name = "si, strong", .checker = "strong", .level = ISO_SI},
    {.name = "sser, strong", .checker = "strong", .level = ISO_SSER},
    {.name = "ser violated, mtc", .checker = "mtc", .level = ISO_SER, .of = VIOLATED},
    {.name = "si violated, mtc", .checker = "mtc", .level = ISO_SI, .of = VIOLATED},
    {.name = "sser violated, mtc", .checker = "mtc", .level = ISO_SSER, .of = VIOLATED},
    {.name = "ser violated, strong", .checker = "strong", .level = ISO_SER, .of = VIOLATED},
    {.name = "si violated, strong", .checker = "strong", .level = ISO_SI, .of = VIOLATED},
    {.name = "sser violated, strong", .checker = "strong", .level = ISO_SSER, .of = VIOLATED},
    {.name = "one key, sser, chains", .checker = "mtc", .level = ISO_SSER, .of = LIGHTWEIGHT},
    {.name = "one key, lser, chains", .checker = "mtc", .level = ISO_LSER, .of = LIGHTWEIGHT},
    {.name = "one key, sser violated", .checker = "mtc", .level = ISO_SSER, .of = STALE},
    {.name = "one key, sser, execution",
     .checker = "mtc",
     .level = ISO_SSER,
     .of = LIGHTWEIGHT,
     .options = "chains=no"},
};
enum { CURVES = sizeof curves / sizeof *curves };

typedef struct settings {
    iso_env env;
    uint64_t txns, repeat, keys, seeds;
    unsigned point;
    const char *only;
} settings;

static isolab_history *make(iso_pool *pool, const settings *s, history_kind kind, uint64_t seed) {
    return grow_history(pool, "mini", "seed %llu txns %llu sessions 50 keys %llu level sser times yes%s%s%s%.12g",
                        (unsigned long long)seed, (unsigned long long)s->txns,
                        (unsigned long long)(kind >= LIGHTWEIGHT ? 100 : s->keys),
                        kind >= LIGHTWEIGHT ? " shapes r=1,rw=1 bug " : " bug ",
                        bugs[kind] != NULL ? bugs[kind] : "none", " bug-rate ",
                        bugs[kind] != NULL ? (kind == STALE ? 30.0 : 3.0) / (double)s->txns : 0.0);
}

static bool wanted(const settings *s, const curve *c) { return strstr(c->name, s->only) != NULL; }

/* The mean of the least times of several histories. They take turns, so that the processor does not learn the branches
 * of a small one by heart. */
static double measure_curve(settings *s, const curve *c, const isolab_history *const *h, iso_pool *pool) {
    iso_question question = {.level = c->level, .options = c->options};
    double *least = ISO_NEW(pool, double, s->seeds), sum = 0;
    for (uint64_t i = 0; i < s->repeat; i++) {
        for (uint64_t s = 0; s < s->seeds; s++) {
            grow_time t = grow_check(&s->env, iso_checker_find(c->checker), h[s], &question, 1);
            if ((t.verdict == ISOLAB_VIOLATED) != (bugs[c->of] != NULL)) {
                iso_throw(&s->env, ISOLAB_E_INTERNAL, "%s: a wrong verdict", c->name);
            }
            least[s] = i == 0 || t.ms < least[s] ? t.ms : least[s];
        }
    }
    for (uint64_t s = 0; s < s->seeds; s++) {
        sum += least[s];
    }
    return sum / (double)s->seeds;
}

static void measure_kind(settings *s, history_kind kind) {
    iso_pool pool;
    iso_pool_init(&pool, &s->env);
    const isolab_history **h = ISO_ZNEW(&pool, const isolab_history *, s->seeds);
    for (int c = 0; c < CURVES; c++) {
        if (curves[c].of != kind || !wanted(s, &curves[c])) {
            continue;
        }
        for (uint64_t s = 0; s < s->seeds && h[s] == NULL; s++) {
            h[s] = make(&pool, s, kind, s + 1);
        }
        curves[c].ms[s->point] = measure_curve(s, &curves[c], h, &pool);
    }
    iso_pool_free(&pool);
}

static void measure(void *arg) {
    for (int kind = 0; kind < HISTORIES; kind++) {
        measure_kind(arg, (history_kind)kind);
    }
}

/* Loading and checking a file. */
static double whole(iso_env *env, const char *path, const curve *c) {
    iso_pool pool;
    iso_result result;
    iso_pool_init(&pool, env);
    iso_result_init(&result, &pool);
    double begin = grow_cpu_ms();
    iso_question question = {.level = c->level};
    const isolab_history *h = iso_load(&pool, path, NULL);
    iso_check(iso_checker_auto(h, &question), h, &question, &result);
    double ms = grow_cpu_ms() - begin;
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

#define LOADING "loading and checking"

static void compare(void *arg) {
    settings *s = arg;
    static const char *const formats[] = {"plume", "ilb"};
    for (int f = 0; f < 2; f++) {
        iso_pool pool;
        char path[] = "/tmp/isolab-mini-XXXXXX";
        int fd = mkstemp(path);
        double least[4] = {0};
        iso_pool_init(&pool, &s->env);
        if (fd < 0) {
            iso_throw(&s->env, ISOLAB_E_IO, "cannot write in /tmp");
        }
        close(fd);
        write_file(&pool, make(&pool, s, SATISFIED, 1), formats[f], path);
        iso_pool_free(&pool);
        for (uint64_t i = 0; i < s->repeat * s->seeds; i++) {
            for (int c = 0; c < 4; c++) {
                double ms = whole(&s->env, path, &curves[c]);
                least[c] = i == 0 || ms < least[c] ? ms : least[c];
            }
        }
        unlink(path);
        printf("%s, " LOADING ": rc %.0f ms", formats[f], least[0]);
        for (int c = 1; c < 4; c++) {
            printf(", %s %.0f ms (%.2f x rc)", iso_level_get(curves[c].level)->name, least[c], least[c] / least[0]);
        }
        putchar('\n');
    }
}

static void print(settings *s, const double *txns) {
    printf("%-24s", "mini-transactions, ms");
    for (unsigned i = 0; i < s->point; i++) {
        printf(" %8.0f", txns[i]);
    }
    printf("  exponent\n");
    for (int c = 0; c < CURVES; c++) {
        if (!wanted(s, &curves[c])) {
            continue;
        }
        printf("%-24s", curves[c].name);
        for (unsigned i = 0; i < s->point; i++) {
            printf(" %8.2f", curves[c].ms[i]);
        }
        if (s->point > 2) {
            iso_pool pool;
            iso_pool_init(&pool, &s->env);
            iso_interval e = iso_stat_power_law(&pool, txns, curves[c].ms, s->point).exponent;
            printf("  %.2f [%.2f, %.2f]", e.value, e.low, e.high);
            iso_pool_free(&pool);
        }
        putchar('\n');
    }
}

int main(int argc, char **argv) {
    static settings s = {.repeat = 2, .keys = 10000, .seeds = 3, .only = ""};
    uint64_t from = 1000, to = 1000000;
    double txns[MOST_POINTS];
    const grow_option options[] = {{"--from", "N", .number = &from},
                                   {"--to", "N", .number = &to},
                                   {"--repeat", "N", .number = &s.repeat},
                                   {"--only", "WORD", .text = &s.only},
                                   {"--keys", "N", .number = &s.keys},
                                   {"--seeds", "N", .number = &s.seeds},
                                   {.name = NULL}};
    grow_options("mini", options, argc, argv);
    iso_env_init(&s.env);
    iso_install_handlers();
    for (uint64_t n = from, ten = from * 10; n <= to && s.point < MOST_POINTS;
         ten = n == ten ? ten * 10 : ten, n = n * 10 == ten ? n * 3 : ten) {
        txns[s.point] = (double)n;
        s.txns = n;
        if (iso_guard(&s.env, measure, &s) != ISOLAB_OK) {
            fprintf(stderr, "mini: %s\n", s.env.error.message);
            return s.env.error.code;
        }
        s.point++;
    }
    if (strstr(LOADING, s.only) == NULL || s.only[0] == '\0') {
        print(&s, txns);
    }
    if (strstr(LOADING, s.only) != NULL && iso_guard(&s.env, compare, &s) != ISOLAB_OK) {
        fprintf(stderr, "mini: %s\n", s.env.error.message);
        return s.env.error.code;
    }
    return 0;
}
