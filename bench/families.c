/* What inference costs on each family of graphs (reductions/families.def), against the part of a check that is linear
 * in any case: reading the history and ordering its transactions.
 *
 *     families [--ops N] [--repeat N] [--threads N] [--only FAMILY] [--level LEVEL] [--bits WORD]
 *
 * Each graph is the largest one of its family whose history (construction general) has at most N operations. Least
 * times of the repetitions, in ms; the search for the reason of a violation is not counted. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/grow.h"
#include "graph/handlers.h"
#include "reductions/reduction.h"
#include "reductions/triangle.h"

/* A graph of the family of size x has about scale * x^power edges, and is `words` of the language with x in it. The
 * size is at most the family's most. */
static const struct family {
    const char *words;
    double scale, power;
    unsigned most;
} families[] = {{"bipartite %u .5", 0.125, 2, 1000000},
                {"bipartite %u .02", 0.005, 2, 1000000},
                {"planted %u .5", 0.125, 2, 1000000},
                {"tripartite-free %u .5", 0.58, 1.6, 1000000},
                {"c5 %u", 0.2, 2, 1000000},
                {"andrasfai %u", 1 / 6.0, 2, 1000000},
                {"alon %u", 112, 5, 5}, /* k of 4 and 5 alone */
                {"kneser %u", 8e-10, 21, 6},
                {"mycielski %u", 0.0048, 7.07, 20},
                {"plane %u", 1.07, 3, 1024},
                {"polarity %u", 0.53, 3, 1024},
                {"sidon %u", 0.5, 3, 1024},
                {"behrend %u", 1, 1.51, 1000000},
                {"regular %u 64", 32, 1, 10000000},
                {"power-law %u 64", 64, 1, 10000000},
                {"tripartite %u", 1 / 3.0, 2, 1000000},
                {"gnp %u .5", 0.25, 2, 1000000}};

static const iso_level levels[] = {ISO_RC, ISO_RA, ISO_CC};
enum { LEVELS = sizeof levels / sizeof *levels };

typedef struct sweep {
    iso_env env;
    const char *only, *bits, *level;
    uint64_t ops, repeat, threads;
    const struct family *family;
    unsigned size;
} sweep;

typedef struct times {
    double infer, linear;
    isolab_verdict verdict;
} times;

static times measure(sweep *m, const isolab_history *h, iso_level level) {
    const iso_checker *awdit = iso_checker_find("awdit");
    times least = {INFINITY, INFINITY, ISOLAB_UNKNOWN};
    for (uint64_t i = 0; i < m->repeat; i++) {
        iso_pool pool;
        iso_result result;
        iso_pool_init(&pool, &m->env);
        iso_result_init(&result, &pool);
        iso_question question = {.level = level, .limit = 1, .threads = (unsigned)m->threads, .options = m->bits};
        iso_check(awdit, h, &question, &result);
        times t = {0, 0, result.verdict};
        for (uint32_t p = 0; p < result.n_phases; p++) {
            double ms = (double)result.phase[p].ns / 1e6;
            bool infer = strcmp(result.phase[p].name, "infer") == 0;
            t.infer += infer ? ms : 0;
            t.linear += infer || strcmp(result.phase[p].name, "witnesses") == 0 ? 0 : ms;
        }
        least = (times){fmin(least.infer, t.infer), fmin(least.linear, t.linear), t.verdict};
        iso_pool_free(&pool);
    }
    return least;
}

static void check_family(void *arg) {
    sweep *m = arg;
    iso_pool pool;
    iso_args args;
    char words[64], most[64];
    iso_pool_init(&pool, &m->env);
    iso_reduction_args(iso_reduction_find("triangle"), &pool, &args);
    snprintf(words, sizeof words, m->family->words, m->size);
    iso_args_set(&args, "graph", words);
    iso_graph g = iso_graph_from_args(&args, NULL);
    iso_builder *b = iso_builder_new(&pool);
    iso_triangle_build(&pool, &g, ISO_TRIANGLE_GENERAL, b);
    iso_graph_free(&pool, &g);
    isolab_history *h = iso_builder_finish(b);
    snprintf(most, sizeof most, "%u", h->n_ops);
    printf("%-24s %10s", words, most);
    for (int i = 0; i < LEVELS; i++) {
        if (strcmp(m->level, "all") != 0 && strcmp(m->level, iso_level_get(levels[i])->name) != 0) {
            continue;
        }
        times t = measure(m, h, levels[i]);
        printf("  %9.1f %9.1f %6.2f%s", t.linear, t.infer, t.infer / t.linear,
               t.verdict == ISOLAB_VIOLATED ? "*" : " ");
        fflush(stdout);
    }
    putchar('\n');
    iso_pool_free(&pool);
}

static const iso_option options[] = {
    {ISO_COUNT("ops", "1000000", 1, ISO_ANY, "operations of the largest history of a family"), ISO_TO(sweep, ops)},
    {ISO_COUNT("repeat", "3", 1, ISO_ANY, "runs of each check"), ISO_TO(sweep, repeat)},
    {ISO_COUNT("threads", "1", 1, ISO_ANY, "threads of a check"), ISO_TO(sweep, threads)},
    {ISO_TEXT("only", "", "measure the families whose words begin so"), ISO_TO(sweep, only)},
    {ISO_TEXT("level", "all", "measure this level; all: rc, ra and cc"), ISO_TO(sweep, level)},
    {ISO_TEXT("bits", "bits=yes", "the option of the checker"), ISO_TO(sweep, bits)},
    ISO_END};

int main(int argc, char **argv) {
    static sweep m;
    grow_options("families", options, &m, argc, argv);
    iso_env_init(&m.env);
    iso_install_handlers();
    printf("%-24s %10s", "ms", "operations");
    for (int i = 0; i < LEVELS; i++) {
        printf("  %2s: linear %9s %6s ", iso_level_get(levels[i])->name, "inference", "ratio");
    }
    puts("  (* violated)");
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        m.family = &families[f];
        if (strncmp(m.family->words, m.only, strlen(m.only)) != 0) {
            continue;
        }
        double x = pow((double)m.ops / 8 / m.family->scale, 1 / m.family->power);
        m.size = x < m.family->most ? (unsigned)x : m.family->most;
        while (m.size > 2 && iso_guard(&m.env, check_family, &m) == ISOLAB_E_USAGE) { /* no such size: a smaller one */
            m.size--;
        }
    }
    return 0;
}
