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
    uint64_t ops, repeat;
    point *at;
} scaling;

static const iso_level levels[LEVELS] = {ISO_RC, ISO_RA, ISO_CC};

static void measure(void *arg) {
    scaling *x = arg;
    const point *p = x->at;
    const iso_checker *checker = iso_checker_find(x->checker);
    if (checker == NULL) {
        iso_throw(&x->env, ISOLAB_E_USAGE, "there is no checker %s", x->checker);
    }
    iso_pool pool;
    iso_pool_init(&pool, &x->env);
    isolab_history *h =
        grow_history(&pool, "random", "txns %llu sessions %llu ops %llu keys 10000 level cc",
                     (unsigned long long)p->txns, (unsigned long long)p->sessions, (unsigned long long)p->ops);
    for (int l = 0; l < LEVELS; l++) {
        iso_question question = {.level = levels[l]};
        grow_time t = grow_check(&x->env, checker, h, &question, x->repeat);
        if (t.verdict != ISOLAB_SATISFIED) {
            iso_throw(&x->env, ISOLAB_E_INTERNAL, "a benign history does not satisfy %s",
                      iso_level_get(levels[l])->name);
        }
        x->at->ms[l] = t.ms;
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

static const iso_option options[] = {
    {ISO_TEXT("checker", "awdit", "the checker to measure"), ISO_TO(scaling, checker)},
    {ISO_COUNT("ops", "1000000", 1, ISO_ANY, "operations of each history"), ISO_TO(scaling, ops)},
    {ISO_COUNT("repeat", "2", 1, ISO_ANY, "runs of each history"), ISO_TO(scaling, repeat)},
    ISO_END};

int main(int argc, char **argv) {
    static scaling x;
    grow_options("scaling", options, &x, argc, argv);
    uint64_t ops = x.ops;
    iso_env_init(&x.env);
    iso_install_handlers();
    static const char *const what[SWEEPS] = {"transactions (50 sessions)", "sessions", "operations of a transaction"};
    printf("checker %s, ms of processor time, benign histories of about %llu operations on 10000 keys\n", x.checker,
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
            x.at = &p[i];
            if (iso_guard(&x.env, measure, &x) != ISOLAB_OK) {
                fprintf(stderr, "scaling: %s\n", x.env.error.message);
                return x.env.error.code;
            }
        }
        print_point(&x.env, what[s], p);
        fflush(stdout);
    }
    return 0;
}
