/* Where random instances change from satisfied to violated, and that they are hardest there: histories of random
 * triples "c is not between a and b" (reductions/between.c), by the number of triples for each element.
 *
 *     threshold [--checker NAME] [--level L] [--from N] [--to N] [--step N] [--seeds N] [--plot FILE]
 *
 * For N elements, --step more each time. The triples of one seed are a sequence, of which an instance takes the
 * first ones: so each seed has one critical number of triples, up to which the history is satisfied. It is found by
 * halving. The table has the median of the critical ratio with its 95 % interval (bootstrap over seeds), and for each
 * ratio of a grid the share of satisfied histories, which follows from the critical numbers, and the median processor
 * time of the check. --plot draws both curves by gnuplot. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/grow.h"
#include "experiments/figures/statistics.h"
#include "graph/handlers.h"
#include "reductions/reduction.h"

enum { MOST_SEEDS = 1000, SIZES = 8, GRID = 13, MOST_RATIO = 10 };
static const double grid[GRID] = {1, 2, 2.5, 3, 3.5, 4, 4.25, 4.5, 4.75, 5, 6, 7, 8};

typedef struct size {
    uint64_t n;
    double critical[MOST_SEEDS], satisfied[GRID];
    iso_interval median, ms[GRID];
} size;

typedef struct threshold {
    iso_env env;
    const char *checker, *level, *plot;
    uint64_t from, to, step, seeds;
    size at[SIZES];
    unsigned n_sizes;
    iso_level asked;
    size *now;
} threshold;

static grow_time ask(threshold *x, uint64_t triples, uint64_t seed) {
    iso_pool pool;
    iso_pool_init(&pool, &x->env);
    const iso_reduction *between = iso_reduction_find("between");
    iso_args args;
    iso_reduce r = {.args = &args, .pool = &pool, .checker = "auto"};
    char n[32], ratio[64], text[32];
    snprintf(n, sizeof n, "%llu", (unsigned long long)x->now->n);
    snprintf(ratio, sizeof ratio, "%.9f", (double)triples / (double)x->now->n);
    snprintf(text, sizeof text, "%llu", (unsigned long long)seed);
    iso_reduction_args(between, &pool, &args);
    iso_args_set(&args, "elements", n);
    iso_args_set(&args, "ratio", ratio);
    iso_args_set(&args, "seed", text);
    iso_builder *b = iso_builder_new(&pool);
    between->build(&r, b);
    isolab_history *h = iso_builder_finish(b);
    grow_time t =
        grow_check(&x->env, iso_checker_find(x->checker), h, &(iso_question){.level = x->asked, .limit = 1}, 1);
    iso_pool_free(&pool);
    return t;
}

/* The most triples with which the history of a seed is satisfied. */
static uint64_t critical(threshold *x, uint64_t seed) {
    uint64_t yes = 0, no = MOST_RATIO * x->now->n;
    if (ask(x, no, seed).verdict == ISOLAB_SATISFIED) {
        return no;
    }
    while (no - yes > 1) {
        uint64_t middle = yes + (no - yes) / 2;
        *(ask(x, middle, seed).verdict == ISOLAB_SATISFIED ? &yes : &no) = middle;
    }
    return yes;
}

static void measure(void *arg) {
    threshold *x = arg;
    size *s = x->now;
    static double ms[MOST_SEEDS];
    iso_pool pool;
    iso_pool_init(&pool, &x->env);
    for (uint64_t seed = 0; seed < x->seeds; seed++) {
        s->critical[seed] = (double)critical(x, seed + 1) / (double)s->n;
    }
    s->median = iso_stat_median(&pool, s->critical, x->seeds);
    for (unsigned g = 0; g < GRID; g++) {
        uint64_t triples = (uint64_t)(grid[g] * (double)s->n + 0.5), yes = 0;
        for (uint64_t seed = 0; seed < x->seeds; seed++) {
            ms[seed] = ask(x, triples, seed + 1).ms;
            yes += s->critical[seed] * (double)s->n > (double)triples - 0.5;
        }
        s->satisfied[g] = (double)yes / (double)x->seeds;
        s->ms[g] = iso_stat_median(&pool, ms, x->seeds);
    }
    printf("%llu elements, %llu seeds: critical ratio %.2f [%.2f, %.2f]; nine tenths of the seeds in [%.2f, %.2f]\n",
           (unsigned long long)s->n, (unsigned long long)x->seeds, s->median.value, s->median.low, s->median.high,
           iso_stat_quantile(&pool, s->critical, x->seeds, 0.05),
           iso_stat_quantile(&pool, s->critical, x->seeds, 0.95));
    for (unsigned g = 0; g < GRID; g++) {
        printf("  %.2f triples an element: %3.0f %% satisfied, median %9.3f ms [%.3f, %.3f]\n", grid[g],
               100 * s->satisfied[g], s->ms[g].value, s->ms[g].low, s->ms[g].high);
    }
    iso_pool_free(&pool);
}

/* Two panels over one axis: the share of satisfied histories, and the time. */
static bool draw(const threshold *x) {
    static const char *const colour[] = {"#D55E00", "#0072B2", "#009E73", "#CC79A7"};
    FILE *out = grow_gnuplot(x->plot, 800, 800);
    if (out == NULL) {
        return false;
    }
    fprintf(out, "set lmargin 10\nset multiplot layout 2,1\nset xrange [%g:%g]\n", grid[0], grid[GRID - 1]);
    for (int time = 0; time < 2; time++) {
        fprintf(
            out,
            time ? "unset key\nset logscale y\nset yrange [*:*]\nset ylabel 'processor time (ms), median'\nset xlabel "
                   "'triples for each element'\n"
                 : "set key top right\nset yrange [0:1]\nset ylabel 'satisfied'\n");
        for (unsigned i = 0; i < x->n_sizes; i++) {
            fprintf(out, "%s '-' with linespoints lw 2 pt %u lc rgb '%s' title '%llu elements'%s", i == 0 ? "plot" : "",
                    i + 4, colour[i % 4], (unsigned long long)x->at[i].n, i + 1 < x->n_sizes ? "," : "\n");
        }
        for (unsigned i = 0; i < x->n_sizes; i++) {
            for (unsigned g = 0; g < GRID; g++) {
                fprintf(out, "%g %g\n", grid[g], time ? x->at[i].ms[g].value : x->at[i].satisfied[g]);
            }
            fprintf(out, "e\n");
        }
    }
    fprintf(out, "unset multiplot\n");
    return pclose(out) == 0;
}

static const iso_option options[] = {
    {ISO_TEXT("checker", "strong", "the checker to measure"), ISO_TO(threshold, checker)},
    {ISO_TEXT("level", "ser", "the level to ask about"), ISO_TO(threshold, level)},
    {ISO_COUNT("from", "16", 1, ISO_ANY, "elements of the smallest problem"), ISO_TO(threshold, from)},
    {ISO_COUNT("to", "32", 1, ISO_ANY, "elements of the largest one"), ISO_TO(threshold, to)},
    {ISO_COUNT("step", "8", 1, ISO_ANY, "elements between two sizes"), ISO_TO(threshold, step)},
    {ISO_COUNT("seeds", "50", 1, ISO_ANY, "problems of each size"), ISO_TO(threshold, seeds)},
    {ISO_TEXT("plot", NULL, "draw the curves to this file"), ISO_TO(threshold, plot)},
    ISO_END};

int main(int argc, char **argv) {
    static threshold x;
    grow_options("threshold", options, &x, argc, argv);
    iso_env_init(&x.env);
    iso_install_handlers();
    x.asked = iso_level_find(x.level, NULL);
    if (x.asked == ISO_NO_LEVEL || iso_checker_find(x.checker) == NULL || x.from < 3 || x.seeds > MOST_SEEDS) {
        fprintf(stderr, "threshold: no such level or checker, fewer than 3 elements, or more than %d seeds\n",
                MOST_SEEDS);
        return ISOLAB_E_USAGE;
    }
    printf("random triples \"c is not between a and b\": %s at %s\n", x.checker, x.level);
    for (uint64_t n = x.from; n <= x.to && x.n_sizes < SIZES; n += x.step) {
        x.now = &x.at[x.n_sizes];
        x.now->n = n;
        if (iso_guard(&x.env, measure, &x) != ISOLAB_OK) {
            fprintf(stderr, "threshold: %llu elements: %s\n", (unsigned long long)n, x.env.error.message);
            break;
        }
        x.n_sizes++;
        fflush(stdout);
    }
    if (x.plot != NULL && x.n_sizes > 0) {
        printf(draw(&x) ? "drawn as %s\n" : "%s could not be drawn: is gnuplot installed?\n", x.plot);
    }
    return 0;
}
