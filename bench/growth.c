/* How checking grows: processor time on the histories of dense triangle-free graphs (reductions/triangle.c, the
 * worst case of awdit.txt section 4) against benign histories of the same size, with fitted exponents.
 *
 *     growth [--checker NAME] [--from N] [--to N] [--steps N] [--repeat N] [--only CURVE] [--plot FILE]
 *
 * N operations, doubled in --steps steps; the least of --repeat runs counts; the exponent is that of the best fit of
 * time = c N^e (experiments/figures/statistics.h), with its 95 % confidence interval, and likewise of time = c W^e for
 * the predicted work W of a graph (reductions/graph.h). The building of the history is not
 * counted. --plot draws log-log curves by gnuplot: .svg, .pdf or .png. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/grow.h"
#include "experiments/figures/statistics.h"
#include "graph/handlers.h"
#include "reductions/reduction.h"
#include "reductions/triangle.h"

enum { MOST_POINTS = 32, CURVES = 8 };

typedef struct curve {
    const char *name;
    iso_level level;
    const char *family; /* NULL: benign */
    iso_construction construction;
    double ops[MOST_POINTS], work[MOST_POINTS], ms[MOST_POINTS], exponent;
    unsigned n;
} curve;

typedef struct growth {
    iso_env env;
    const char *checker, *plot, *only;
    uint64_t from, to, steps, repeat;
    curve curve[CURVES];
    curve *now;
    uint64_t size;
} growth;

/* 100 operations a key, as in a million of them over 10,000 keys: so that larger ones are alike. */
static isolab_history *benign(iso_pool *pool, uint64_t ops) {
    return grow_history(pool, "random", "txns %llu sessions 50 keys %llu level cc", (unsigned long long)(ops / 8),
                        (unsigned long long)(ops / 100 + 1));
}

static double work_of(const iso_graph *g) {
    double sum = 0;
    for (uint32_t a = 0; a < g->n; a++) {
        uint64_t own = g->first[a + 1] - g->first[a];
        for (uint64_t i = g->first[a]; i < g->first[a + 1] && g->to[i] < a; i++) {
            uint64_t other = g->first[g->to[i] + 1] - g->first[g->to[i]];
            sum += (double)(own < other ? own : other);
        }
    }
    return sum;
}

/* Half of all pairs between two halves: n^2/8 edges for n nodes. */
static isolab_history *hard(iso_pool *pool, curve *c, uint64_t ops) {
    double edges = (double)ops / (c->construction == ISO_TRIANGLE_RA2 ? 4 : 8);
    char nodes[32];
    iso_args args;
    snprintf(nodes, sizeof nodes, "%.0f", sqrt(8 * edges));
    iso_reduction_args(iso_reduction_find("triangle"), pool, &args);
    iso_args_set(&args, "family", c->family);
    iso_args_set(&args, "nodes", nodes);
    iso_graph g = iso_graph_from_args(&args, NULL);
    c->work[c->n] = work_of(&g);
    iso_builder *b = iso_builder_new(pool);
    iso_triangle_build(pool, &g, c->construction, b);
    return iso_builder_finish(b);
}

static void measure(void *arg) {
    growth *g = arg;
    curve *c = g->now;
    iso_pool pool;
    iso_pool_init(&pool, &g->env);
    isolab_history *h = c->family == NULL ? benign(&pool, g->size) : hard(&pool, c, g->size);
    iso_question question = {.level = c->level, .limit = 1};
    const iso_checker *checker =
        strcmp(g->checker, "auto") == 0 ? iso_checker_auto(h, &question) : iso_checker_find(g->checker);
    if (checker == NULL) {
        iso_throw(&g->env, ISOLAB_E_USAGE, "there is no checker %s for this", g->checker);
    }
    c->ms[c->n] = grow_check(&g->env, checker, h, &question, g->repeat).ms;
    c->ops[c->n++] = h->n_ops;
    iso_pool_free(&pool);
}

static void print_curve(iso_env *env, curve *c) {
    printf("%-28s", c->name);
    for (unsigned i = 0; i < c->n; i++) {
        printf(" %9.2f", c->ms[i]);
    }
    if (c->n > 2) {
        iso_pool pool;
        iso_pool_init(&pool, env);
        iso_interval e = iso_stat_power_law(&pool, c->ops, c->ms, c->n).exponent;
        c->exponent = e.value;
        printf("  N^%.2f [%.2f, %.2f]", e.value, e.low, e.high);
        if (c->family != NULL) {
            e = iso_stat_power_law(&pool, c->work, c->ms, c->n).exponent;
            printf("  W^%.2f [%.2f, %.2f]", e.value, e.low, e.high);
        }
        iso_pool_free(&pool);
    }
    putchar('\n');
}

/* Told apart without colours too: a mark for each curve, and benign ones are dashed. The colours are from the palette
 * of Okabe and Ito. Two thin lines show what the exponents 1 and 1.5 look like. */
static bool draw(const growth *g) {
    static const char *const colour[] = {"#D55E00", "#0072B2", "#009E73"};
    static const iso_level level[] = {ISO_RC, ISO_RA, ISO_CC};
    FILE *out = grow_gnuplot(g->plot, 900, 560);
    if (out == NULL) {
        return false;
    }
    fprintf(out, "set logscale xy\nset key outside right top Left reverse\nset format xy '10^{%%T}'\n");
    double least = INFINITY, low = INFINITY, high = 0;
    for (int i = 0; i < CURVES; i++) {
        const curve *c = &g->curve[i];
        for (unsigned p = 0; p < c->n; p++) {
            least = fmin(least, c->ms[p]);
            low = fmin(low, c->ops[p]);
            high = fmax(high, c->ops[p]);
        }
    }
    fprintf(out,
            "set xrange [%g:%g]\nset yrange [%g:*]\nset xlabel 'operations N'\nset ylabel 'processor time "
            "(ms)'\nplot ",
            low / 1.3, high * 1.3, least / 4);
    for (int i = 0; i < CURVES; i++) {
        const curve *c = &g->curve[i];
        int which = 0;
        while (which < 2 && level[which] != c->level) {
            which++;
        }
        fprintf(out, "'-' with linespoints lw 2 pt %d dt %d lc rgb '%s' title '%s: N^{%.2f}', ", i + 4,
                c->family == NULL ? 2 : 1, colour[which], c->name, c->exponent);
    }
    fprintf(out, "%g*(x/%g)**1.5 with lines lw 1 dt 3 lc rgb '#888888' title 'N^{1.5}', ", least / 2, low);
    fprintf(out, "%g*(x/%g) with lines lw 1 dt 4 lc rgb '#888888' title 'N'\n", least / 2, low);
    for (int i = 0; i < CURVES; i++) {
        for (unsigned p = 0; p < g->curve[i].n; p++) {
            fprintf(out, "%.0f %g\n", g->curve[i].ops[p], g->curve[i].ms[p]);
        }
        fprintf(out, "e\n");
    }
    return pclose(out) == 0;
}

static uint64_t size_of(const growth *g, unsigned step) {
    return (uint64_t)(0.5 + (double)g->from * exp2((double)step / (double)g->steps));
}

int main(int argc, char **argv) {
    static growth g = {
        .checker = "auto",
        .only = "",
        .from = 128000,
        .to = 4096000,
        .steps = 2,
        .repeat = 2,
        .curve = {
            {.name = "rc, bipartite", .level = ISO_RC, .family = "bipartite", .construction = ISO_TRIANGLE_GENERAL},
            {.name = "rc, bipartite, 1 session",
             .level = ISO_RC,
             .family = "bipartite",
             .construction = ISO_TRIANGLE_RC1},
            {.name = "ra, bipartite", .level = ISO_RA, .family = "bipartite", .construction = ISO_TRIANGLE_GENERAL},
            {.name = "ra, bipartite, 2 sessions",
             .level = ISO_RA,
             .family = "bipartite",
             .construction = ISO_TRIANGLE_RA2},
            {.name = "cc, bipartite", .level = ISO_CC, .family = "bipartite", .construction = ISO_TRIANGLE_GENERAL},
            {.name = "rc, benign", .level = ISO_RC},
            {.name = "ra, benign", .level = ISO_RA},
            {.name = "cc, benign", .level = ISO_CC}}};
    const grow_option options[] = {{"--checker", "NAME", .text = &g.checker},
                                   {"--from", "N", .number = &g.from},
                                   {"--to", "N", .number = &g.to},
                                   {"--steps", "N", .number = &g.steps},
                                   {"--repeat", "N", .number = &g.repeat},
                                   {"--only", "CURVE", .text = &g.only},
                                   {"--plot", "FILE", .text = &g.plot},
                                   {.name = NULL}};
    grow_options("growth", options, argc, argv);
    iso_env_init(&g.env);
    iso_install_handlers();
    printf("checker %s, ms of processor time for N operations, N =\n%-28s", g.checker, "");
    for (unsigned step = 0; size_of(&g, step) <= g.to; step++) {
        printf(" %9llu", (unsigned long long)size_of(&g, step));
    }
    putchar('\n');
    for (int i = 0; i < CURVES; i++) {
        g.now = &g.curve[i];
        if (strncmp(g.now->name, g.only, strlen(g.only)) != 0) {
            continue;
        }
        for (; (g.size = size_of(&g, g.now->n)) <= g.to && g.now->n < MOST_POINTS;) {
            if (iso_guard(&g.env, measure, &g) != ISOLAB_OK) {
                fprintf(stderr, "growth: %s: %s\n", g.now->name, g.env.error.message);
                break;
            }
        }
        print_curve(&g.env, g.now);
        fflush(stdout);
    }
    if (g.plot != NULL) {
        bool drawn = draw(&g);
        printf(drawn ? "drawn as %s\n" : "%s could not be drawn: is gnuplot installed?\n", g.plot);
    }
    return 0;
}
