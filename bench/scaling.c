/* How checking grows on benign histories: processor time against the number of transactions, of sessions, and of
 * operations in a transaction, one at a time, with fitted exponents and their 95 % confidence intervals.
 *
 *     scaling [--checker NAME] [--ops N] [--repeat N]
 *
 * N operations in the middle of each sweep; the least of --repeat runs counts; the fit is that of time = c x^e
 * (GSL, least squares of logarithms; Student's t for the interval). Growing sessions and growing
 * transactions leave the number of operations as it is. The building of the history is not counted. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "checkers/checker.h"
#include "generators/generator.h"
#include "graph/handlers.h"

enum { POINTS = 6, LEVELS = 3, SWEEPS = 3 };

typedef struct point {
    uint64_t txns, sessions, ops; /* operations of a transaction */
    double x;                     /* what grows */
    double ms[LEVELS];
} point;

typedef struct job {
    iso_env env;
    const char *checker;
    uint64_t repeat;
    point *at;
} job;

static const iso_level levels[LEVELS] = {ISO_RC, ISO_RA, ISO_CC};

static double cpu_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static isolab_history *make(iso_pool *pool, const point *p) {
    const iso_generator *g = iso_generator_find("random");
    const char *name[] = {"txns", "sessions", "ops"};
    uint64_t value[] = {p->txns, p->sessions, p->ops};
    iso_args args;
    iso_generator_args(g, pool, &args);
    char text[3][32]; /* the arguments point there */
    for (int i = 0; i < 3; i++) {
        snprintf(text[i], sizeof text[i], "%llu", (unsigned long long)value[i]);
        iso_args_set(&args, name[i], text[i]);
    }
    iso_args_set(&args, "keys", "10000");
    iso_args_set(&args, "level", "cc");
    iso_builder *b = iso_builder_new(pool);
    g->run(&args, b);
    return iso_builder_finish(b);
}

static void measure(void *arg) {
    job *j = arg;
    iso_pool pool;
    iso_pool_init(&pool, &j->env);
    isolab_history *h = make(&pool, j->at);
    for (int l = 0; l < LEVELS; l++) {
        iso_request request = {.level = levels[l]};
        const iso_checker *checker = iso_checker_find(j->checker);
        if (checker == NULL) {
            iso_throw(&j->env, ISOLAB_E_USAGE, "there is no checker %s", j->checker);
        }
        j->at->ms[l] = INFINITY;
        for (uint64_t i = 0; i < j->repeat; i++) {
            iso_pool scratch;
            iso_pool_init(&scratch, &j->env);
            iso_result result;
            iso_result_init(&result, &scratch);
            double begin = cpu_ms();
            iso_check(checker, h, &request, &result);
            double ms = cpu_ms() - begin;
            j->at->ms[l] = ms < j->at->ms[l] ? ms : j->at->ms[l];
            if (result.verdict != ISOLAB_SATISFIED) {
                iso_throw(&j->env, ISOLAB_E_INTERNAL, "a benign history does not satisfy %s: %s",
                          iso_level_get(levels[l])->name, result.reason);
            }
            iso_pool_free(&scratch);
        }
    }
    iso_pool_free(&pool);
}

static void report(const char *what, const point *p) {
    printf("\n%-28s", what);
    for (int i = 0; i < POINTS; i++) {
        printf(" %9.0f", p[i].x);
    }
    putchar('\n');
    for (int l = 0; l < LEVELS; l++) {
        double x[POINTS], y[POINTS], c0, c1, cov00, cov01, cov11, sum;
        printf("  %-26s", iso_level_get(levels[l])->name);
        for (int i = 0; i < POINTS; i++) {
            x[i] = log(p[i].x);
            y[i] = log(p[i].ms[l]);
            printf(" %9.2f", p[i].ms[l]);
        }
        gsl_fit_linear(x, 1, y, 1, POINTS, &c0, &c1, &cov00, &cov01, &cov11, &sum);
        double half = gsl_cdf_tdist_Pinv(0.975, POINTS - 2) * sqrt(cov11);
        printf("  exponent %5.2f [%5.2f, %5.2f]\n", c1, c1 - half, c1 + half);
    }
}

int main(int argc, char **argv) {
    static job j = {.checker = "awdit", .repeat = 2};
    uint64_t ops = 1000000;
    for (int i = 1; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--checker") == 0) {
            j.checker = value;
        } else if (strcmp(argv[i], "--ops") == 0) {
            ops = strtoull(value, NULL, 10);
        } else if (strcmp(argv[i], "--repeat") == 0) {
            j.repeat = strtoull(value, NULL, 10);
        } else {
            fprintf(stderr, "usage: scaling [--checker NAME] [--ops N] [--repeat N]\n");
            return ISOLAB_E_USAGE;
        }
    }
    iso_env_init(&j.env);
    iso_install_handlers();
    static const char *const what[SWEEPS] = {"transactions (50 sessions)", "sessions", "operations of a transaction"};
    printf("checker %s, ms of processor time, benign histories of about %llu operations on 10000 keys\n", j.checker,
           (unsigned long long)ops);
    for (int s = 0; s < SWEEPS; s++) {
        point p[POINTS];
        for (int i = 0; i < POINTS; i++) {
            uint64_t middle = ops / 8 > 8 ? ops / 8 : 8;
            p[i] = (point){.txns = middle, .sessions = 50, .ops = 8};
            switch (s) {
            case 0:
                p[i].txns = (middle << i) / 8 + 1;
                p[i].x = (double)p[i].txns;
                break;
            case 1:
                p[i].sessions = (uint64_t)10 << i;
                p[i].x = (double)p[i].sessions;
                break;
            default:
                p[i].ops = (uint64_t)2 << 2 * i;
                p[i].txns = ops / p[i].ops + 1;
                p[i].x = (double)p[i].ops;
            }
            j.at = &p[i];
            if (iso_guard(&j.env, measure, &j) != ISOLAB_OK) {
                fprintf(stderr, "scaling: %s\n", j.env.error.message);
                return j.env.error.code;
            }
        }
        report(what[s], p);
        fflush(stdout);
    }
    return 0;
}
