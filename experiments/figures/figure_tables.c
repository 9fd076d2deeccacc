/* Tables without a picture. See figure.h. */
#include "experiments/figures/figure_series.h"

#include <math.h>
#include <string.h>

#include "experiments/figures/statistics.h"

static bool is(const char *a, const char *b) { return strcmp(a, b) == 0; }

/* Returns the median of another measure of a cell. */
static double median_of(const iso_maker *m, const char *measure, const iso_cell *c) {
    iso_figure_spec spec = *m->r;
    iso_maker other = *m;
    spec.y = measure;
    other.r = &spec;
    return iso_figure_median(&other, c);
}

/* Adds a row of means, or of shares, for a checker at a level. family: NULL: all. */
static void add_mean(iso_maker *m, iso_grid *grid, const iso_series *s, const char *family, const char *label) {
    double *values = ISO_NEW(m->pool, double, m->r->cells->n), *whole = ISO_NEW(m->pool, double, m->r->cells->n);
    double sum = 0;
    size_t n = 0, missing = 0, bad = 0;
    for (size_t i = 0; i < m->r->cells->n; i++) {
        const iso_cell *c = &m->r->cells->at[i];
        if (iso_of_series(s, c) && (family == NULL || is(family, c->family))) {
            missing += c->verdict == NULL;
            bad += c->class == ISO_CELL_WRONG || c->class == ISO_CELL_DISPUTED;
            values[n] = c->n > 0 ? iso_figure_median(m, c) : NAN;
            whole[n] = c->n > 0 && m->r->over != NULL ? median_of(m, m->r->over, c) : 1;
            n += isnan(values[n]) ? 0 : 1;
        }
    }
    if (n + missing + bad == 0) {
        return;
    }
    iso_interval mean = {NAN, NAN, NAN};
    for (size_t i = 0; i < n; i++) {
        sum += values[i];
    }
    if (n > 0) {
        mean = m->r->over != NULL ? iso_stat_quotient(m->pool, values, whole, n) : iso_stat_mean(m->pool, values, n);
    }
    iso_grid_text(grid, label);
    iso_grid_count(grid, n);
    iso_grid_number(grid, mean.value);
    iso_grid_number(grid, mean.low);
    iso_grid_number(grid, mean.high);
    iso_grid_number(grid, sum);
    iso_grid_count(grid, missing);
    iso_grid_count(grid, bad);
}

/* Adds the rows of one measure. which: its name in the rows; NULL: it is the only one. */
static void add_means(iso_maker *m, iso_grid *grid, const char *const *family, size_t families, const char *which) {
    bool pooled = m->r->pooled;
    for (size_t k = 0; k < families || (k == 0 && pooled); k++) {
        for (size_t s = 0; s < m->n; s++) {
            const char *label =
                families > 1 ? iso_format_text(m->pool, "%s, %s", family[k], m->series[s].label) : m->series[s].label;
            label = which == NULL                ? label
                    : m->n == 1 && families <= 1 ? which
                                                 : iso_format_text(m->pool, "%s, %s", which, label);
            add_mean(m, grid, &m->series[s], pooled ? NULL : family[k], label);
        }
    }
}

/* Shows means over histories of the median of a measure, or of several measures (with commas); or, with `over`, the
 * quotient of the sum of these medians and the sum of the medians of the other measure. */
void iso_figure_mean(const iso_figure_spec *r, iso_figure *f) {
    iso_maker m = iso_figure_begin(r);
    const char **family = ISO_ZNEW(m.pool, const char *, r->cells->n);
    size_t families = 0;
    for (size_t i = 0; i < r->cells->n; i++) {
        bool known = r->pooled;
        for (size_t k = 0; k < families && !known; k++) {
            known = is(family[k], r->cells->at[i].family);
        }
        if (!known) {
            family[families++] = r->cells->at[i].family;
        }
    }
    bool several = strchr(r->y, ',') != NULL;
    const char *what = r->over != NULL ? iso_format_text(m.pool, "Sum of %s over that of %s", r->y, r->over)
                       : several       ? "Means over histories"
                                       : iso_format_text(m.pool, "Means of %s over histories", iso_figure_y_title(r));
    f->grid = iso_grid_new(m.pool, iso_format_text(m.pool, "%s, 95 %% intervals. %s.", what, r->cells->about));
    iso_figure_titles(f->grid, (const char *const[]){"", "histories", r->over != NULL ? "share" : "mean", "low", "high",
                                                     "sum", "without verdict", "wrong", NULL});
    for (const char *at = r->y; at != NULL; at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : NULL) {
        iso_figure_spec spec = *r;
        spec.y = iso_copy_text(m.pool, at, strcspn(at, ","));
        iso_maker one = m;
        one.r = &spec;
        add_means(&one, f->grid, family, families, several ? iso_figure_y_title(&spec) : NULL);
    }
    iso_figure_finish(&m, f, m.n, 0, 0);
}

/* Shows histories by row, checkers and levels by column. A cell without a verdict has the state of the run. */
void iso_figure_table(const iso_figure_spec *r, iso_figure *f) {
    iso_maker m = iso_figure_begin(r);
    f->grid =
        iso_grid_new(m.pool, iso_format_text(m.pool, "Medians of %s. %s.", iso_figure_y_title(r), r->cells->about));
    iso_figure_titles(f->grid, (const char *const[]){"history", r->x, NULL});
    for (size_t s = 0; s < m.n; s++) {
        iso_grid_title(f->grid, m.series[s].label);
    }
    for (size_t i = 0; i < r->cells->n; i++) {
        iso_tick(m.pool->env);
        const iso_cell *first = &r->cells->at[i];
        bool known = false;
        for (size_t k = 0; k < i && !known; k++) {
            known = is(r->cells->at[k].history, first->history) && is(r->cells->at[k].suite, first->suite);
        }
        if (known) {
            continue;
        }
        double x = iso_cell_size(first, r->x);
        iso_grid_text(f->grid, first->history);
        iso_grid_text(f->grid, isnan(x) ? "" : iso_format_text(m.pool, "%.9g", x));
        for (size_t s = 0; s < m.n; s++) {
            const iso_cell *c = NULL;
            for (size_t k = i; k < r->cells->n && c == NULL; k++) {
                const iso_cell *d = &r->cells->at[k];
                c = iso_of_series(&m.series[s], d) && is(d->history, first->history) && is(d->suite, first->suite)
                        ? d
                        : NULL;
            }
            if (c == NULL || c->n == 0) {
                iso_grid_text(f->grid, c != NULL ? iso_cell_class_name(c->class) : "");
            } else {
                iso_grid_number(f->grid, iso_figure_median(&m, c));
            }
        }
    }
    iso_figure_finish(&m, f, m.n, 0, 0);
}

/* Shows how many answers are right and wrong. The last row is the sum. */
void iso_figure_verdicts(const iso_figure_spec *r, iso_figure *f) {
    iso_maker m = iso_figure_begin(r);
    f->grid = iso_grid_new(
        m.pool, iso_format_text(m.pool,
                                "Verdicts. Right: as the suite expects. Wrong: not as it expects, or as a "
                                "certificate proves. Disputed: neither is known, and checkers contradict each "
                                "other. %s.",
                                r->cells->about));
    iso_figure_titles(f->grid, (const char *const[]){"series", "asked", "right", "wrong", "not expected", "no verdict",
                                                     "satisfied", "violated", "right satisfied", "right violated",
                                                     "disputed", NULL});
    enum { ASKED, RIGHT, WRONG, FREE, NONE, SATISFIED, VIOLATED, RIGHT_SATISFIED, RIGHT_VIOLATED, DISPUTED, COUNTS };
    size_t all[COUNTS] = {0};
    for (size_t s = 0; s <= m.n; s++) {
        size_t count[COUNTS] = {0};
        for (size_t i = 0; i < r->cells->n && s < m.n; i++) {
            iso_tick(m.pool->env);
            const iso_cell *c = &r->cells->at[i];
            if (!iso_of_series(&m.series[s], c)) {
                continue;
            }
            bool verdict = c->verdict != NULL;
            bool right = c->class == ISO_CELL_RIGHT && c->expected != NULL;
            int kind = right ? RIGHT : c->class == ISO_CELL_WRONG ? WRONG : verdict ? FREE : NONE;
            count[ASKED]++;
            count[kind]++;
            count[SATISFIED] += verdict && is(c->verdict, "satisfied");
            count[VIOLATED] += verdict && is(c->verdict, "violated");
            count[DISPUTED] += c->class == ISO_CELL_DISPUTED;
            count[RIGHT_SATISFIED] += kind == RIGHT && is(c->verdict, "satisfied");
            count[RIGHT_VIOLATED] += kind == RIGHT && is(c->verdict, "violated");
        }
        iso_grid_text(f->grid, s < m.n ? m.series[s].label : "all");
        for (int k = 0; k < COUNTS; k++) {
            all[k] += count[k];
            iso_grid_count(f->grid, s < m.n ? count[k] : all[k]);
        }
    }
    iso_figure_finish(&m, f, m.n, 0, 0);
}

/* Returns a history's name, with its parameters only if histories differ in nothing else, and without the family if
 * all are of one. */
static const char *column_title(const iso_maker *m, const iso_cell *c) {
    size_t n = strcspn(c->history, ","), family = strlen(c->family);
    bool shared = false, alone = strncmp(c->history, c->family, family) == 0 && c->history[family] == '/';
    for (size_t i = 0; i < m->r->cells->n && alone; i++) {
        alone = is(m->r->cells->at[i].family, c->family);
    }
    if (alone) {
        return c->history + family + 1;
    }
    for (size_t i = 0; i < m->r->cells->n && !shared; i++) {
        const char *other = m->r->cells->at[i].history;
        shared = strncmp(other, c->history, n) == 0 && strcspn(other, ",") == n && !is(other, c->history);
    }
    return shared ? c->history : iso_format_text(m->pool, "%.*s", (int)n, c->history);
}

/* Shows checkers and levels by row, histories by column. */
void iso_figure_matrix(const iso_figure_spec *r, iso_figure *f) {
    iso_maker m = iso_figure_begin(r);
    f->grid = iso_grid_new(
        m.pool, iso_format_text(m.pool, "● the expected verdict, ○ another one, – none is expected, ? no verdict. %s.",
                                r->cells->about));
    const iso_cell **column = ISO_ZNEW(m.pool, const iso_cell *, r->cells->n);
    size_t columns = 0;
    iso_grid_title(f->grid, "");
    for (size_t i = 0; i < r->cells->n; i++) {
        iso_tick(m.pool->env);
        const iso_cell *c = &r->cells->at[i];
        bool known = false;
        for (size_t k = 0; k < columns && !known; k++) {
            known = iso_same_history(column[k], c);
        }
        if (!known) {
            column[columns++] = c;
            iso_grid_title(f->grid, column_title(&m, c));
        }
    }
    for (size_t s = 0; s < m.n; s++) {
        iso_grid_text(f->grid, m.series[s].label);
        for (size_t k = 0; k < columns; k++) {
            const char *sign = "";
            for (size_t i = 0; i < r->cells->n && *sign == '\0'; i++) {
                const iso_cell *c = &r->cells->at[i];
                if (iso_of_series(&m.series[s], c) && iso_same_history(column[k], c)) {
                    sign = c->class == ISO_CELL_WRONG   ? "○"
                           : c->expected == NULL        ? "–"
                           : c->class == ISO_CELL_RIGHT ? "●"
                                                        : "?";
                }
            }
            iso_grid_text(f->grid, sign);
        }
    }
    iso_figure_finish(&m, f, m.n, 0, 0);
}

/* Returns the rank correlation of the times of a series with a size of its histories; 0 if the size is not known for
 * all of them, since correlations over different histories cannot be compared. *cell: the correlation as text. */
static double predict(const iso_maker *m, const iso_series *s, const char *what, const char **cell) {
    const iso_cells *cells = m->r->cells;
    double *x = ISO_NEW(m->pool, double, cells->n), *y = ISO_NEW(m->pool, double, cells->n);
    size_t n = 0, all = 0;
    for (size_t i = 0; i < cells->n; i++) {
        const iso_cell *c = &cells->at[i];
        double size = iso_cell_size(c, what);
        all += iso_of_series(s, c) && c->n > 0;
        if (iso_of_series(s, c) && c->n > 0 && !isnan(size)) {
            x[n] = size;
            y[n++] = iso_figure_median(m, c);
        }
    }
    iso_interval r = {NAN, NAN, NAN};
    if (n >= 5) {
        r = iso_stat_rank_correlation(m->pool, x, y, n);
    }
    iso_free(m->pool, x);
    iso_free(m->pool, y);
    *cell = isnan(r.value) ? "" : iso_format_text(m->pool, "%.2f (%.2f..%.2f)", r.value, r.low, r.high);
    return isnan(r.value) || n < all ? 0 : r.value;
}

/* Shows which size of a history predicts the time of which checker. Series and sizes without any correlation are left
 * out. */
void iso_figure_predictors(const iso_figure_spec *r, iso_figure *f) {
    static const char *const sizes[] = {"operations", "transactions",    "sessions",        "keys",
                                        "width_most", "depth",           "heavy",           "pair_work",
                                        "work",       "blocks",          "largest_block",   "largest_component",
                                        "open_pairs", "ambiguous_reads", "duplicate_factor"};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    iso_maker m = iso_figure_begin(r);
    const char *(*cell)[SIZES] = (const char *(*)[SIZES])ISO_NEW(m.pool, const char *, SIZES *(m.n + 1));
    const char **best = ISO_NEW(m.pool, const char *, m.n + 1);
    bool known[SIZES] = {false};
    for (size_t s = 0; s < m.n; s++) {
        double most = 0;
        best[s] = NULL;
        for (size_t k = 0; k < SIZES; k++) {
            double value = predict(&m, &m.series[s], sizes[k], &cell[s][k]);
            known[k] |= cell[s][k][0] != '\0';
            best[s] = value > most ? sizes[k] : best[s] == NULL && cell[s][k][0] != '\0' ? "" : best[s];
            most = value > most ? value : most;
        }
    }
    f->grid = iso_grid_new(
        m.pool, iso_format_text(m.pool, "Rank correlations of %s with numbers of the histories, 95 %% intervals. %s.",
                                iso_figure_y_title(r), r->cells->about));
    iso_figure_titles(f->grid, (const char *const[]){"series", "best", NULL});
    for (size_t k = 0; k < SIZES; k++) {
        if (known[k]) {
            iso_grid_title(f->grid, sizes[k]);
        }
    }
    for (size_t s = 0; s < m.n; s++) {
        if (best[s] == NULL) { /* fewer than five times, or all times are equal */
            continue;
        }
        iso_grid_text(f->grid, m.series[s].label);
        iso_grid_text(f->grid, best[s]);
        for (size_t k = 0; k < SIZES; k++) {
            if (known[k]) {
                iso_grid_text(f->grid, cell[s][k]);
            }
        }
    }
    iso_figure_finish(&m, f, m.n, 0, 0);
}
