/* See brief.h. */
#include "experiments/figures/brief.h"

#include <math.h>
#include <string.h>

#include "base/print.h"
#include "experiments/figures/statistics.h"
#include "experiments/runner/lab.h"

/* The cells of one family, level and checker. */
typedef struct row {
    const char *family, *level, *checker;
    const iso_cell **cell;
    size_t n, room, answered;
    size_t runs;        /* of the answers that count */
    double quartile[3]; /* of the times of these runs, ms; NaN: none */
    double ratio;       /* to the fastest checker of the family and level; NaN: no history that both answered */
} row;

static bool is(const char *a, const char *b) { return strcmp(a, b) == 0; }

static bool same_group(const row *a, const row *b) { return is(a->family, b->family) && is(a->level, b->level); }

static row *rows_of(iso_pool *pool, const iso_cells *cells, size_t *n) {
    row *rows = NULL;
    size_t room = 0;
    *n = 0;
    for (size_t i = 0; i < cells->n; i++) {
        const iso_cell *c = &cells->at[i];
        size_t k = 0;
        iso_tick(pool->env);
        while (k < *n &&
               !(is(rows[k].family, c->family) && is(rows[k].level, c->level) && is(rows[k].checker, c->checker))) {
            k++;
        }
        if (k == *n) {
            ISO_GROW(pool, rows, *n, room);
            rows[(*n)++] = (row){.family = c->family, .level = c->level, .checker = c->checker, .ratio = NAN};
        }
        ISO_GROW(pool, rows[k].cell, rows[k].n, rows[k].room);
        rows[k].cell[rows[k].n++] = c;
    }
    return rows;
}

static void measure(iso_pool *pool, row *r) {
    double *all = NULL;
    size_t n = 0, room = 0;
    for (size_t i = 0; i < r->n; i++) {
        const iso_cell *c = r->cell[i];
        r->answered += c->n > 0;
        for (size_t k = 0; k < c->n; k++) {
            ISO_GROW(pool, all, n, room);
            all[n++] = c->wall[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        r->quartile[k] = n > 0 ? iso_stat_quantile(pool, all, n, 0.25 * (k + 1)) : NAN;
    }
    r->runs = n;
}

/* Returns the geometric mean of r's times over those of the reference, over the histories that both answered. */
static double ratio_of(iso_pool *pool, const row *r, const row *reference) {
    double logs = 0;
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++) {
        const iso_cell *a = r->cell[i];
        for (size_t k = 0; k < reference->n && a->n > 0; k++) {
            const iso_cell *b = reference->cell[k];
            if (b->n > 0 && is(a->history, b->history) && is(a->source, b->source)) {
                logs += log(fmax(1e-6, iso_stat_quantile(pool, a->wall, a->n, 0.5)) /
                            fmax(1e-6, iso_stat_quantile(pool, b->wall, b->n, 0.5)));
                n++;
                break;
            }
        }
    }
    return n > 0 ? exp(logs / (double)n) : NAN;
}

/* Sets the ratios of a group. The reference is the fastest of the checkers that answered most histories. */
static void compare(iso_pool *pool, row *rows, size_t n, size_t first) {
    size_t best = first;
    for (size_t i = first; i < n; i++) {
        bool more = rows[i].answered > rows[best].answered;
        bool faster = rows[i].answered == rows[best].answered && ratio_of(pool, &rows[i], &rows[best]) < 1;
        best = same_group(&rows[i], &rows[first]) && (more || faster) ? i : best;
    }
    for (size_t i = first; i < n; i++) {
        if (same_group(&rows[i], &rows[first])) {
            rows[i].ratio = ratio_of(pool, &rows[i], &rows[best]);
        }
    }
}

static const char *word_of(const iso_cell *c) {
    return iso_cell_counts(c) ? c->verdict : iso_cell_class_name(c->class);
}

/* Returns the number of histories by verdict, or by how the runs ended: `5 satisfied, 1 timeout`. */
static const char *verdicts_of(iso_pool *pool, const row *r) {
    const char *text = "", *comma = "";
    for (size_t i = 0; i < r->n; i++) {
        const iso_cell *c = r->cell[i];
        const char *word = word_of(c);
        size_t count = 0;
        bool known = false;
        for (size_t k = 0; k < r->n; k++) {
            bool same = is(word, word_of(r->cell[k]));
            known |= same && k < i;
            count += same;
        }
        if (!known) {
            text = iso_format_text(pool, "%s%s%zu %s", text, comma, count, word);
            comma = ", ";
        }
    }
    return text;
}

static const char *time_of(iso_pool *pool, const row *r) {
    double unit = r->quartile[1] >= 1e3 ? 1e3 : 1;
    const char *name = r->quartile[1] >= 1e3 ? "s" : "ms";
    const double q[] = {r->quartile[0] / unit, r->quartile[1] / unit, r->quartile[2] / unit};
    return r->runs == 0   ? ""
           : r->runs == 1 ? iso_format_text(pool, "%.3g %s", q[1], name)
                          : iso_format_text(pool, "%.3g (%.2g..%.2g) %s", q[1], q[0], q[2], name);
}

size_t iso_brief(iso_pool *pool, const iso_cells *cells, size_t most, FILE *out) {
    size_t n, widest = 6, left = 0;
    row *rows = rows_of(pool, cells, &n);
    for (size_t i = 0; i < n; i++) {
        measure(pool, &rows[i]);
        size_t length = strlen(rows[i].family);
        widest = length > widest ? length : widest;
    }
    int width = widest > 28 ? 28 : (int)widest;
    iso_say(out, "%-*s  %-7s %-16s %9s  %-22s %9s  %s\n", width, "family", "level", "checker", "histories",
            "median (quartiles)", "ratio", "verdicts");
    for (size_t i = 0, shown = 0; i < n; i++) {
        bool begins = true;
        for (size_t k = 0; k < i && begins; k++) {
            begins = !same_group(&rows[k], &rows[i]);
        }
        if (!begins) {
            continue;
        }
        compare(pool, rows, n, i);
        for (size_t k = i; k < n; k++) {
            const row *r = &rows[k];
            if (!same_group(r, &rows[i])) {
                continue;
            }
            if (shown++ >= most) {
                left++;
                continue;
            }
            const char *ratio = isnan(r->ratio) ? "" : iso_format_text(pool, "%.2f", r->ratio);
            iso_say(out, "%-*.*s  %-7s %-16.16s %9zu  %-22s %9s  %s\n", width, width, r->family, r->level, r->checker,
                    r->n, time_of(pool, r), ratio, verdicts_of(pool, r));
        }
    }
    return left;
}
