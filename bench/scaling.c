/* How checking grows on benign histories: processor time against the number of transactions, of sessions, and of
 * operations in a transaction, one at a time, with fitted exponents and their 95 % confidence intervals.
 *
 *     scaling [--checker NAME] [--ops N] [--repeat N]
 *
 * N operations in the middle of each sweep; the least of --repeat runs counts; the fit is that of time = c x^e
 * (experiments/figures/statistics.h). Growing sessions and growing
 * transactions leave the number of operations as it is. The building of the history is not counted. */
#include <stdio.h>

#include "bench/grow.h"
#include "experiments/figures/statistics.h"
#include "graph/handlers.h"

enum { POINTS = 6, LEVELS = 3, SWEEPS = 3 };

typedef struct point {
    uint64_t txns, sessions, ops; /* operations of a transaction */
    double x;                     /* what grows */
    double ms[LEVELS];
} point;

typedef struct scaling {
    iso_env env;
    const char *checker;
    uint64_t repeat;
    point *at;
} scaling;

static const iso_level levels[LEVELS] = {ISO_RC, ISO_RA, ISO_CC};

static void measure(void *arg) {
    scaling *s = arg;
    const point *p = s->at;
    const iso_checker *checker = iso_checker_find(s->checker);
    if (checker == NULL) {
        iso_throw(&s->env, ISOLAB_E_USAGE, "there is no checker %s", s->checker);
    }
    iso_pool pool;
    iso_pool_init(&pool, &s->env);
    isolab_history *h =
        grow_history(&pool, "random", "txns %llu sessions %llu ops %llu keys 10000 level cc",
                     (unsigned long long)p->txns, (unsigned long long)p->sessions, (unsigned long long)p->ops);
    for (int l = 0; l < LEVELS; l++) {
        iso_question question = {.level = levels[l]};
        grow_time t = grow_check(&s->env, checker, h, &question, s->repeat);
        if (t.verdict != ISOLAB_SATISFIED) {
            iso_throw(&s->env, ISOLAB_E_INTERNAL, "a benign history does not satisfy %s",
                      iso_level_get(levels[l])->name);
        }
        s->at->ms[l] = t.ms;
    }
    iso_pool_free(&pool);
}

static void print_point(iso_env *env, const char *what, const point *p) {
    iso_pool pool;
    iso_pool_init(&pool, env);
    printf("\n%-28s", what);
    for (int i = 0; i < POINTS; i++) {
        printf(" %9.0f", p[i].x);
    }
    putchar('\n');
    for (int l = 0; l < LEVELS; l++) {
        double x[POINTS], y[POINTS];
        printf("  %-26s", iso_level_get(levels[l])->name);
        for (int i = 0; i < POINTS; i++) {
            x[i] = p[i].x;
            y[i] = p[i].ms[l];
            printf(" %9.2f", y[i]);
        }
        iso_interval e = iso_stat_power_law(&pool, x, y, POINTS).exponent;
        printf("  exponent %5.2f [%5.2f, %5.2f]\n", e.value, e.low, e.high);
    }
    iso_pool_free(&pool);
}

int main(int argc, char **argv) {
    static scaling s = {.checker = "awdit", .repeat = 2};
    uint64_t ops = 1000000;
    const grow_option options[] = {{"--checker", "NAME", .text = &s.checker},
                                   {"--ops", "N", .number = &ops},
                                   {"--repeat", "N", .number = &s.repeat},
                                   {.name = NULL}};
    grow_options("scaling", options, argc, argv);
    iso_env_init(&s.env);
    iso_install_handlers();
    static const char *const what[SWEEPS] = {"transactions (50 sessions)", "sessions", "operations of a transaction"};
    printf("checker %s, ms of processor time, benign histories of about %llu operations on 10000 keys\n", s.checker,
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
            s.at = &p[i];
            if (iso_guard(&s.env, measure, &s) != ISOLAB_OK) {
                fprintf(stderr, "scaling: %s\n", s.env.error.message);
                return s.env.error.code;
            }
        }
        print_point(&s.env, what[s], p);
        fflush(stdout);
    }
    return 0;
}
