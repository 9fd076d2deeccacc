/* Bars: stages, memory, ablations. See figure.h. */
#include "experiments/figures/figure_series.h"

#include <math.h>
#include <string.h>

#include "base/print.h"
#include "experiments/figures/statistics.h"

static bool is(const char *a, const char *b) { return strcmp(a, b) == 0; }

/* A row of bars. The label is the family and the parts of the name in which rows differ. */
typedef struct row {
    const char *label, *family, *level, *checker; /* family: NULL: all */
} row;

static bool of_family(const row *r, const iso_cell *c) { return r->family == NULL || is(r->family, c->family); }

static row *rows_of(iso_maker *m, size_t *n) {
    row *rows = NULL;
    size_t room = 0;
    bool families = false;
    *n = 0;
    for (size_t i = 0; i < m->r->cells->n; i++) {
        families |= !m->r->pooled && !is(m->r->cells->at[i].family, m->r->cells->at[0].family);
    }
    for (size_t s = 0; s < m->n; s++) {
        for (size_t i = 0; i < m->r->cells->n; i++) {
            iso_tick(m->pool->env);
            const iso_cell *c = &m->r->cells->at[i];
            bool known = !iso_of_series(&m->series[s], c) ||
                         (c->n == 0 && c->class != ISO_CELL_WRONG && c->class != ISO_CELL_DISPUTED);
            for (size_t k = 0; k < *n && !known; k++) {
                known = of_family(&rows[k], c) && is(rows[k].level, c->level) && is(rows[k].checker, c->checker);
            }
            if (!known) {
                ISO_GROW(m->pool, rows, *n, room);
                const char *label =
                    families ? iso_format_text(m->pool, "%s, %s", c->family, m->series[s].label) : m->series[s].label;
                rows[(*n)++] = (row){label, m->r->pooled ? NULL : c->family, c->level, c->checker};
            }
        }
    }
    if (*n == 0) {
        iso_throw(m->pool->env, ISOLAB_E_USAGE, "no results fit");
    }
    return rows;
}

static bool of_row(const row *r, const iso_cell *c) {
    return of_family(r, c) && is(r->level, c->level) && is(r->checker, c->checker) && c->n > 0;
}

static void row_labels(iso_maker *m, const row *rows, size_t n) {
    const char **text = ISO_ZNEW(m->pool, const char *, n);
    for (size_t i = 0; i < n; i++) {
        text[i] = iso_figure_marked(m, rows[i].label, rows[i].checker, rows[i].level, rows[i].family);
    }
    iso_figure_array(m, "LABEL", text, n);
}

/* Sets the distance of ticks on an axis from 0 to `most`, so that the axis has at most five labels. */
static void tick_step(iso_maker *m, double most) {
    double step = pow(10, floor(log10(fmax(most, 1e-9) / 5)));
    while (most / step > 5) {
        step *= most / step > 10 ? 5 : 2;
    }
    iso_print(&m->settings, "STEP = %.9g\n", step);
}

/* Adds a phase of a cell. Phases add up to the wall time: `check` is the sum of its phases and a rest; the time before
 * and after is the process. */
static void stage(iso_maker *m, const char **names, size_t *n_names, double *sum, const char *name, double ms) {
    size_t i = 0;
    while (i < *n_names && !is(names[i], name)) {
        i++;
    }
    if (i == ISO_MOST_PHASES - 1) {
        return;
    }
    if (i == *n_names) {
        names[(*n_names)++] = iso_format_text(m->pool, "%s", name);
    }
    sum[i] += fmax(0, ms);
}

/* Merges the smallest stages into `other`, the last one, because only this many fills can be distinguished. */
static void merge_small(const char **names, size_t *n_names, double (*sum)[ISO_MOST_PHASES], size_t n) {
    enum { FILLS = 8 };
    double total[ISO_MOST_PHASES] = {0}, all = 0;
    for (size_t p = 0; p < *n_names; p++) {
        for (size_t i = 0; i < n; i++) {
            total[p] += sum[i][p];
        }
        all += total[p];
    }
    for (bool merged = false;;) {
        size_t least = *n_names;
        for (size_t p = 0; p < *n_names - merged; p++) {
            least = least == *n_names || total[p] < total[least] || is(names[p], "other") ? p : least;
            if (is(names[p], "other")) {
                break;
            }
        }
        if (least == *n_names || (!is(names[least], "other") && *n_names <= FILLS && total[least] > 0.01 * all)) {
            return;
        }
        if (!merged) { /* make room at the end */
            merged = true;
            if (*n_names == ISO_MOST_PHASES) {
                return;
            }
            names[*n_names] = "other";
            total[*n_names] = INFINITY;
            for (size_t i = 0; i < n; i++) {
                sum[i][*n_names] = 0;
            }
            ++*n_names;
        }
        for (size_t i = 0; i < n; i++) {
            sum[i][*n_names - 1] += sum[i][least];
            memmove(&sum[i][least], &sum[i][least + 1], (*n_names - least - 1) * sizeof sum[i][0]);
        }
        memmove(&names[least], &names[least + 1], (*n_names - least - 1) * sizeof *names);
        memmove(&total[least], &total[least + 1], (*n_names - least - 1) * sizeof *total);
        --*n_names;
    }
}

/* Adds the mean times of a cell's stages to a row: of the process, of loading, of the stages of the check, and of what
 * follows the check. */
static void add_stages(iso_maker *m, const iso_cell *c, const char **names, size_t *n_names, double *into) {
    double wall = 0, inside = 0, load = 0, check = 0, evidence = 0, listed = 0;
    for (size_t v = 0; v < c->n; v++) {
        wall += c->wall[v] / (double)c->n;
    }
    for (size_t p = 0; p < c->n_phases; p++) {
        load += is(c->phase[p], "load") ? c->phase_ms[p] : 0;
        check += is(c->phase[p], "check") ? c->phase_ms[p] : 0;
        evidence += is(c->phase[p], "evidence") ? c->phase_ms[p] : 0; /* it follows the check */
        listed += c->phase_ms[p];
    }
    bool whole = !isnan(c->check[0]); /* false: a published checker prints stages, but not their sum */
    stage(m, names, n_names, into, "process", wall - (whole ? load + check + evidence : listed));
    stage(m, names, n_names, into, "load", load);
    for (size_t p = 0; p < c->n_phases; p++) {
        if (!is(c->phase[p], "load") && !is(c->phase[p], "check")) {
            stage(m, names, n_names, into, c->phase[p], c->phase_ms[p]);
            inside += c->phase_ms[p];
        }
    }
    if (whole) {
        stage(m, names, n_names, into, inside > 0 ? "rest of check" : "check", check - (inside - evidence));
    }
}

void iso_figure_stages(const iso_figure_spec *r, iso_figure *f) {
    iso_maker m = iso_figure_begin(r);
    size_t n, n_names = 0;
    row *rows = rows_of(&m, &n);
    const char *names[ISO_MOST_PHASES];
    double(*sum)[ISO_MOST_PHASES] = iso_zalloc(m.pool, n, sizeof *sum);
    for (size_t i = 0; i < n; i++) {
        size_t histories = 0;
        for (size_t k = 0; k < r->cells->n; k++) {
            iso_tick(m.pool->env);
            const iso_cell *c = &r->cells->at[k];
            if (!of_row(&rows[i], c)) {
                continue;
            }
            add_stages(&m, c, names, &n_names, sum[i]);
            histories++;
        }
        for (size_t p = 0; p < ISO_MOST_PHASES; p++) {
            sum[i][p] /= 1e3 * (double)(histories > 0 ? histories : 1);
        }
    }
    merge_small(names, &n_names, sum, n);
    double longest = 0;
    f->grid = iso_grid_new(m.pool, iso_format_text(m.pool, "Mean seconds by stage. %s.", r->cells->about));
    iso_grid_title(f->grid, "");
    for (size_t p = 0; p < n_names; p++) {
        iso_grid_title(f->grid, names[p]);
    }
    iso_grid_title(f->grid, "wrong");
    for (size_t i = 0; i < n; i++) {
        iso_grid_text(f->grid, rows[i].label);
        double total = 0, numbers[ISO_MOST_PHASES + 1] = {(double)(i + 1)};
        for (size_t p = 0; p < n_names; p++) {
            total += sum[i][p];
            longest = fmax(longest, total);
            iso_grid_number(f->grid, total > 0 ? sum[i][p] : NAN);
            numbers[p + 1] = sum[i][p];
        }
        iso_grid_count(f->grid, iso_figure_bad(&m, rows[i].checker, rows[i].level, rows[i].family));
        iso_figure_row(&m, numbers, n_names + 1);
    }
    iso_figure_array(&m, "STAGE", names, n_names);
    size_t columns = (size_t)(4.4 / (0.45 + 0.075 * (double)m.longest)), lines;
    columns = columns > 0 ? columns : 1;
    lines = (n_names + columns - 1) / columns;
    row_labels(&m, rows, n);
    tick_step(&m, longest);
    iso_print(&m.settings, "STAGES = %zu\nKEYROWS = %zu\n", n_names, lines);
    iso_figure_finish(&m, f, n, 4.6, 0.8 + 0.17 * (double)lines + 0.24 * (double)n);
}

void iso_figure_memory(const iso_figure_spec *r, iso_figure *f) {
    iso_maker m = iso_figure_begin(r);
    size_t n;
    row *rows = rows_of(&m, &n);
    double most = 0;
    f->grid =
        iso_grid_new(m.pool, iso_format_text(m.pool, "Peak memory in MiB: median and largest of all histories. %s.",
                                             r->cells->about));
    iso_figure_titles(f->grid, (const char *const[]){"", "median", "largest", "wrong", NULL});
    for (size_t i = 0; i < n; i++) {
        double *values = NULL, largest = 0;
        size_t count = 0, room = 0;
        for (size_t k = 0; k < r->cells->n; k++) {
            iso_tick(m.pool->env);
            const iso_cell *c = &r->cells->at[k];
            for (size_t v = 0; of_row(&rows[i], c) && v < c->n; v++) {
                ISO_GROW(m.pool, values, count, room);
                values[count++] = c->peak[v];
                largest = fmax(largest, c->peak[v]);
            }
        }
        most = fmax(most, largest);
        double median = count > 0 ? iso_stat_quantile(m.pool, values, count, 0.5) : NAN;
        largest = count > 0 ? largest : NAN;
        iso_figure_row(&m, (const double[]){(double)(i + 1), median, largest}, 3);
        iso_grid_text(f->grid, rows[i].label);
        iso_grid_number(f->grid, median);
        iso_grid_number(f->grid, largest);
        iso_grid_count(f->grid, iso_figure_bad(&m, rows[i].checker, rows[i].level, rows[i].family));
    }
    row_labels(&m, rows, n);
    tick_step(&m, most);
    iso_figure_finish(&m, f, n, 4.6, 0.9 + 0.24 * (double)n);
}

/* Shows the time of every checker as a multiple of the time of the first checker, by family and level. */
void iso_figure_ablation(const iso_figure_spec *r, iso_figure *f) {
    iso_maker m = iso_figure_begin(r);
    size_t n, kept = 0;
    row *rows = rows_of(&m, &n);
    const char *base = m.series[0].checker;
    f->grid = iso_grid_new(
        m.pool, iso_format_text(
                    m.pool, "Time as a multiple of that of %s (geometric means over histories, 95 %% intervals). %s.",
                    base, r->cells->about));
    iso_figure_titles(f->grid,
                      (const char *const[]){"", "histories", "ratio", "low", "high", "without verdict", "wrong", NULL});
    for (size_t i = 0; i < n; i++) {
        iso_paired *pair = ISO_NEW(m.pool, iso_paired, r->cells->n);
        size_t count = 0, missing = 0;
        for (size_t k = 0; k < r->cells->n && !is(rows[i].checker, base); k++) {
            iso_tick(m.pool->env);
            const iso_cell *c = &r->cells->at[k];
            if (!of_family(&rows[i], c) || !is(rows[i].level, c->level) || !is(rows[i].checker, c->checker)) {
                continue;
            }
            missing += c->verdict == NULL;
            for (size_t b = 0; b < r->cells->n && c->n > 0; b++) {
                const iso_cell *d = &r->cells->at[b];
                if (is(d->checker, base) && is(d->level, c->level) && iso_same_history(c, d) && d->n > 0) {
                    iso_paired *p = &pair[count];
                    p->x = iso_figure_runs(&m, c, &p->n_x);
                    p->y = iso_figure_runs(&m, d, &p->n_y);
                    count += p->n_x > 0 && p->n_y > 0;
                    break;
                }
            }
        }
        size_t bad = iso_figure_bad(&m, rows[i].checker, rows[i].level, rows[i].family);
        if (count == 0 && (bad == 0 || is(rows[i].checker, base))) {
            continue;
        }
        iso_interval g = {NAN, NAN, NAN};
        if (count > 0) {
            g = iso_stat_ratio(m.pool, pair, count);
        }
        rows[kept] = rows[i];
        iso_figure_row(&m, (const double[]){(double)++kept, g.value, g.low, g.high}, 4);
        iso_grid_text(f->grid, rows[i].label);
        iso_grid_count(f->grid, count);
        iso_grid_number(f->grid, g.value);
        iso_grid_number(f->grid, g.low);
        iso_grid_number(f->grid, g.high);
        iso_grid_count(f->grid, missing);
        iso_grid_count(f->grid, bad);
    }
    if (kept == 0) {
        iso_throw(m.pool->env, ISOLAB_E_USAGE, "an ablation needs at least two checkers");
    }
    row_labels(&m, rows, kept);
    iso_print(&m.settings, "BASE = %s\n", iso_figure_marked(&m, base, base, NULL, NULL));
    iso_figure_finish(&m, f, kept, 4.6, 0.9 + 0.24 * (double)kept);
}
