/* See compare.h. */
#include "experiments/figures/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "experiments/figures/statistics.h"

static const double certain = 0.05, worth = 1.02;

typedef struct pair {
    const iso_cell *a, *b;
    double ratio, p;
    bool noisy;
} pair;

static bool same_question(const iso_cell *a, const iso_cell *b) {
    return strcmp(a->history, b->history) == 0 && strcmp(a->source, b->source) == 0 &&
           strcmp(a->level, b->level) == 0 && strcmp(a->checker, b->checker) == 0 && strcmp(a->suite, b->suite) == 0;
}

static const iso_cell *partner(iso_env *env, const iso_cells *cells, const iso_cell *of, size_t guess) {
    iso_tick(env);
    for (size_t i = 0; i < cells->n; i++) { /* both files have nearly the same order */
        const iso_cell *c = &cells->at[(guess + i) % cells->n];
        if (same_question(c, of)) {
            return c;
        }
    }
    return NULL;
}

static int by_certainty(const void *x, const void *y) {
    const pair *a = x, *b = y;
    return a->p > b->p ? 1 : a->p < b->p ? -1 : 0;
}

static const char *text(const char *maybe) { return maybe != NULL ? maybe : "none"; }

static size_t other_answers(iso_pool *pool, const iso_cells *a, const iso_cells *b, FILE *out) {
    size_t n = 0;
    for (size_t i = 0; i < a->n; i++) {
        const iso_cell *x = &a->at[i], *y = partner(pool->env, b, x, i);
        bool silent = y != NULL && x->verdict == NULL && y->verdict == NULL;
        if (y != NULL && (strcmp(text(x->verdict), text(y->verdict)) != 0 || (silent && x->class != y->class))) {
            iso_say(out, "%s %s %s: was %s (%s), is %s (%s)\n", x->history, x->level, x->checker,
                    iso_cell_class_name(x->class), text(x->verdict), iso_cell_class_name(y->class), text(y->verdict));
            n++;
        }
    }
    return n;
}

/* Prints geometric means by level and checker. */
static void means(iso_pool *pool, const pair *pairs, size_t n, FILE *out) {
    bool *done = ISO_ZNEW(pool, bool, n);
    double *ratios = ISO_NEW(pool, double, n);
    for (size_t i = 0; i < n; i++) {
        size_t m = 0;
        for (size_t k = i; k < n && !done[i]; k++) {
            if (strcmp(pairs[k].a->level, pairs[i].a->level) == 0 &&
                strcmp(pairs[k].a->checker, pairs[i].a->checker) == 0) {
                ratios[m++] = pairs[k].ratio;
                done[k] = k != i ? true : done[k];
            }
        }
        if (m > 0) {
            iso_interval g = iso_stat_geometric_mean(pool, ratios, m);
            iso_say(out, "%s %s: geometric mean %.3f [%.3f, %.3f] of %zu\n", pairs[i].a->level, pairs[i].a->checker,
                    g.value, g.low, g.high, m);
        }
    }
}

/* Returns whether both cells have the same runs: every measurement is equal, to the last digit. */
static bool same_runs(const iso_cells *a, const iso_cells *b) {
    bool measured = false, same = a->n == b->n;
    for (size_t i = 0; i < a->n && same; i++) {
        const iso_cell *x = &a->at[i], *y = &b->at[i];
        same = same_question(x, y) && x->n == y->n && memcmp(x->wall, y->wall, x->n * sizeof *x->wall) == 0;
        measured |= x->n > 0;
    }
    return same && measured;
}

size_t iso_compare(iso_pool *pool, const iso_cells *a, const iso_cells *b, const char *measure, FILE *out) {
    pair *pairs = ISO_NEW(pool, pair, a->n);
    size_t n = 0, slower = 0, noisy = 0, few = 0;
    iso_say(out, "A: %s, load %.1f\nB: %s, load %.1f\n", a->about, a->load, b->about, b->load);
    if (same_runs(a, b)) {
        iso_say(out, "both are the same set: there is nothing to compare\n");
        return 0;
    } else if (strcmp(text(a->program), text(b->program)) == 0) {
        iso_say(out, "both are the same build (sha256 %.12s): what differs is noise\n", text(a->program));
    }
    if (fabs(a->load - b->load) > 0.5 + 0.2 * fmin(a->load, b->load)) {
        iso_say(out, "the machine was not equally busy: times are not fair (bench --against measures both in turns)\n");
    }
    for (size_t i = 0; i < a->n; i++) {
        const iso_cell *x = &a->at[i], *y = partner(pool->env, b, x, i);
        if (y == NULL || x->n == 0 || y->n == 0) {
            continue;
        }
        const double *mx = iso_cell_measure(pool, x, measure), *my = iso_cell_measure(pool, y, measure);
        double before = iso_stat_median(pool, mx, x->n).value, now = iso_stat_median(pool, my, y->n).value;
        pairs[n] = (pair){x, y, before > 0 ? now / before : 1, iso_stat_mann_whitney(pool, mx, x->n, my, y->n),
                          iso_stat_noise(pool, mx, x->n).noisy || iso_stat_noise(pool, my, y->n).noisy};
        noisy += pairs[n].noisy;
        few += x->n < 4 || y->n < 4;
        n++;
    }
    double *p = ISO_NEW(pool, double, n);
    for (size_t i = 0; i < n; i++) {
        p[i] = pairs[i].p;
    }
    iso_stat_holm(pool, p, n);
    for (size_t i = 0; i < n; i++) {
        pairs[i].p = p[i];
    }
    size_t changed = other_answers(pool, a, b, out);
    if (n > 1) {
        qsort(pairs, n, sizeof *pairs, by_certainty);
    }
    iso_say(out, "%9s %9s %7s %8s\n", "A", "B", "B/A", "p");
    for (size_t i = 0; i < n; i++) {
        const pair *q = &pairs[i];
        const double *mx = iso_cell_measure(pool, q->a, measure), *my = iso_cell_measure(pool, q->b, measure);
        bool differs = q->p < certain, more = differs && q->ratio >= worth, less = differs && q->ratio <= 1 / worth;
        slower += more;
        iso_say(out, "%9.2f %9.2f %7.3f %8.2g %-6s %s %s %s%s\n", iso_stat_median(pool, mx, q->a->n).value,
                iso_stat_median(pool, my, q->b->n).value, q->ratio, q->p,
                more   ? "MORE"
                : less ? "less"
                       : "",
                q->a->history, q->a->level, q->a->checker, q->noisy ? " (noisy)" : "");
    }
    means(pool, pairs, n, out);
    iso_say(out, "%zu questions in both; %zu with more %s, %zu with another answer", n, slower, measure, changed);
    iso_say(out, "; %zu noisy (spread above 10 %% or outliers)\n", noisy);
    if (few > 0) {
        iso_say(out, "%zu have fewer than 4 repetitions on a side: no test can tell their difference from chance\n",
                few);
    }
    return slower + changed;
}
