/* Lines, exponents and quantiles, and what all figures share. See figure.h and figure_series.h. */
#include "experiments/figures/figure_series.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "base/utf8.h"
#include "experiments/figures/statistics.h"
#include "experiments/runner/instance.h"

/* Characters of a label: the largest number that is drawn, and the number that fits in a figure of usual size. */
enum { LONGEST_LABEL = 120, USUAL_LABEL = 36 };

/* Seconds that no clock distinguishes from 0. A ratio needs a positive time. */
static const double NOTHING = 1e-9;

static bool is(const char *a, const char *b) { return strcmp(a, b) == 0; }
static bool counts(const iso_figure_spec *r) { return strncmp(r->y, ISO_COUNTER, sizeof ISO_COUNTER - 1) == 0; }
static bool times(const iso_figure_spec *r) { return !is(r->y, "peak") && !is(r->y, ISO_ABORTED_SHARE) && !counts(r); }
/* Returns the factor to seconds or MiB. */
static double unit_factor(const iso_figure_spec *r) { return times(r) ? 1e-3 : 1; }
const char *iso_figure_y_title(const iso_figure_spec *r) {
    return is(r->y, "wall")              ? "time [s]"
           : is(r->y, "total")           ? "time of making and checking [s]"
           : is(r->y, "served")          ? "time of the workload and of checking [s]"
           : is(r->y, ISO_ABORTED_SHARE) ? "share of aborted transactions"
           : is(r->y, "cpu")             ? "processor time [s]"
           : is(r->y, "check")           ? "time of checking [s]"
           : is(r->y, "net")             ? "time of reading and checking [s]"
           : is(r->y, "load")            ? "time of loading [s]"
           : counts(r)                   ? r->y + sizeof ISO_COUNTER - 1
                                         : "peak memory [MiB]";
}

static int rank_of(const iso_figure_spec *r, const char *checker) {
    size_t n = strlen(checker);
    int rank = 0;
    for (const char *at = r->checkers; at != NULL; rank++) {
        if (strncmp(at, checker, n) == 0 && (at[n] == ',' || at[n] == '\0')) {
            return rank;
        }
        at = strchr(at, ',');
        at = at != NULL ? at + 1 : NULL;
    }
    return rank;
}

iso_maker iso_figure_begin(const iso_figure_spec *r) {
    iso_maker m = {.r = r,
                   .pool = r->pool,
                   .settings = {.pool = r->pool, .target = ISO_GNUPLOT},
                   .data = {.pool = r->pool, .target = ISO_GNUPLOT}};
    for (size_t i = 0; i < r->cells->n; i++) {
        const iso_cell *c = &r->cells->at[i];
        m.levels |= !is(c->level, r->cells->at[0].level);
        m.checkers |= !is(c->checker, r->cells->at[0].checker);
        m.families |= r->apart && !is(c->family, r->cells->at[0].family);
    }
    int most = 0;
    for (size_t i = 0; i < r->cells->n; i++) {
        int rank = rank_of(r, r->cells->at[i].checker);
        most = rank > most ? rank : most;
    }
    for (int rank = 0; rank <= most; rank++) {
        for (size_t i = 0; i < r->cells->n; i++) {
            iso_tick(m.pool->env);
            const iso_cell *c = &r->cells->at[i];
            bool known = rank_of(r, c->checker) != rank;
            for (size_t k = 0; k < m.n && !known; k++) {
                known = iso_of_series(&m.series[k], c);
            }
            if (!known) {
                ISO_GROW(m.pool, m.series, m.n, m.room);
                m.series[m.n++] =
                    (iso_series){.checker = c->checker, .level = c->level, .family = m.families ? c->family : NULL};
            }
        }
    }
    for (size_t k = 0; k < m.n; k++) {
        iso_series *s = &m.series[k];
        s->label = m.checkers && m.levels ? iso_format_text(m.pool, "%s %s", s->checker, s->level)
                   : m.checkers           ? s->checker
                                          : s->level;
        if (m.families) {
            bool alone = !m.checkers && !m.levels;
            s->label = alone ? s->family : iso_format_text(m.pool, "%s, %s", s->family, s->label);
        }
    }
    if (m.n == 0) {
        iso_throw(m.pool->env, ISOLAB_E_USAGE, "no results fit");
    }
    return m;
}

bool iso_of_series(const iso_series *s, const iso_cell *c) {
    return is(s->checker, c->checker) && is(s->level, c->level) && (s->family == NULL || is(s->family, c->family));
}

double *iso_figure_runs(const iso_maker *m, const iso_cell *c, size_t *runs) {
    double *values = ISO_NEW(m->pool, double, c->n);
    size_t n = 0;
    const double *measured = iso_cell_measure(m->pool, c, m->r->y);
    for (size_t v = 0; v < c->n; v++) {
        values[n] = times(m->r) ? fmax(measured[v] * unit_factor(m->r), NOTHING) : measured[v];
        n += isnan(measured[v]) ? 0 : 1;
    }
    *runs = n;
    return values;
}

double iso_figure_median(const iso_maker *m, const iso_cell *c) {
    size_t n;
    double *values = iso_figure_runs(m, c, &n);
    double median = n > 0 ? iso_stat_quantile(m->pool, values, n, 0.5) : NAN;
    iso_free(m->pool, values);
    return median;
}

bool iso_same_history(const iso_cell *a, const iso_cell *b) {
    return is(a->history, b->history) && is(a->suite, b->suite) && is(a->source, b->source);
}

static void add_point(iso_maker *m, iso_series *s, iso_point p) {
    ISO_GROW(m->pool, s->at, s->n, s->room);
    s->at[s->n++] = p;
}

static int by_x(const void *a, const void *b) {
    double x = ((const iso_point *)a)->x, y = ((const iso_point *)b)->x;
    return (x > y) - (x < y);
}

static int by_y(const void *a, const void *b) {
    double x = ((const iso_point *)a)->y, y = ((const iso_point *)b)->y;
    return (x > y) - (x < y);
}

/* Makes the points of a series: for each x the median of all measurements of all histories with this x. */
static void against_x(iso_maker *m, iso_series *s) {
    const iso_cells *cells = m->r->cells;
    double *values = NULL;
    size_t room = 0;
    for (size_t i = 0; i < cells->n; i++) {
        iso_tick(m->pool->env);
        double x = iso_cell_size(&cells->at[i], m->r->x);
        bool known = !iso_of_series(s, &cells->at[i]) || isnan(x) || cells->at[i].n == 0;
        for (size_t k = 0; k < s->n && !known; k++) {
            known = !(s->at[k].x < x) && !(s->at[k].x > x);
        }
        size_t n = 0;
        for (size_t k = i; k < cells->n && !known; k++) {
            const iso_cell *c = &cells->at[k];
            double its = iso_cell_size(c, m->r->x);
            if (!iso_of_series(s, c) || its < x || its > x || isnan(its)) {
                continue;
            }
            const double *measured = iso_cell_measure(m->pool, c, m->r->y);
            for (size_t v = 0; v < c->n; v++) {
                ISO_GROW(m->pool, values, n, room);
                values[n] = measured[v] * unit_factor(m->r);
                n += isnan(measured[v]) ? 0 : 1;
            }
        }
        if (n > 0) {
            iso_interval y = iso_stat_median(m->pool, values, n);
            add_point(m, s, (iso_point){x, y.value, y.low, y.high});
        }
    }
    if (s->n > 1) {
        qsort(s->at, s->n, sizeof *s->at, by_x);
    }
}

void iso_figure_row(iso_maker *m, const double *number, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (i > 0) {
            iso_print(&m->data, " ");
        }
        if (isfinite(number[i])) {
            iso_print(&m->data, "%.9g", number[i]);
        } else {
            iso_print(&m->data, "NaN");
        }
    }
    iso_print(&m->data, "\n");
}

/* A part of a datablock must have a row. */
void iso_figure_end_part(iso_maker *m, bool empty) {
    if (empty) {
        iso_figure_row(m, (const double[]){NAN, NAN, NAN, NAN}, 4);
    }
    iso_print(&m->data, "\n\n");
}

static void print_points(iso_maker *m, const iso_series *s) {
    for (size_t k = 0; k < s->n; k++) {
        iso_figure_row(m, (const double[]){s->at[k].x, s->at[k].y, s->at[k].low, s->at[k].high}, 4);
    }
    iso_figure_end_part(m, s->n == 0);
}

/* Returns a label, cut to the characters that a figure can show. */
static const char *short_label(iso_pool *pool, const char *text) {
    char shown[LONGEST_LABEL + 1];
    bool whole = iso_utf8_shown(shown, sizeof shown, text);
    return iso_format_text(pool, "%s%s", shown, whole ? "" : "...");
}

void iso_figure_array(iso_maker *m, const char *name, const char *const *text, size_t n) {
    iso_markup of = {name};
    iso_print(&m->settings, "array ");
    iso_print_markup(&m->settings, of);
    iso_print(&m->settings, "[%zu]\n", n > 0 ? n : 1);
    for (size_t i = 0; i < n; i++) {
        iso_print_markup(&m->settings, of);
        const char *label = short_label(m->pool, text[i]);
        iso_print(&m->settings, "[%zu] = %s\n", i + 1, label);
        m->longest = strlen(label) > m->longest ? strlen(label) : m->longest;
    }
}

size_t iso_figure_bad(const iso_maker *m, const char *checker, const char *level, const char *family) {
    size_t n = 0;
    for (size_t i = 0; i < m->r->cells->n; i++) {
        const iso_cell *c = &m->r->cells->at[i];
        n += (c->class == ISO_CELL_WRONG || c->class == ISO_CELL_DISPUTED) && is(c->checker, checker) &&
             (level == NULL || is(c->level, level)) && (family == NULL || is(c->family, family));
    }
    return n;
}

const char *iso_figure_marked(const iso_maker *m, const char *label, const char *checker, const char *level,
                              const char *family) {
    const char *mark = iso_cells_mark(m->pool, m->r->cells, checker, level, family);
    return *mark != '\0' ? iso_format_text(m->pool, "%s (%s)", label, mark) : label;
}

/* Returns the text of a series in the legend, which says so if the series has no points or wrong answers. */
static const char *of_legend(const iso_maker *m, const iso_series *s, const char *label) {
    const char *none = iso_figure_bad(m, s->checker, s->level, s->family) > 0 ? "no right answer" : "no answer";
    label = s->n > 0 ? label : iso_format_text(m->pool, "%s: %s", s->label, none);
    return iso_figure_marked(m, label, s->checker, s->level, s->family);
}

static void series_labels(iso_maker *m) {
    const char **text = ISO_ZNEW(m->pool, const char *, m->n);
    for (size_t i = 0; i < m->n; i++) {
        text[i] = of_legend(m, &m->series[i], m->series[i].label);
    }
    iso_figure_array(m, "LABEL", text, m->n);
}

void iso_figure_sentences(iso_maker *m, iso_figure *f, const char *const *text, size_t n) {
    bool titled = m->r->title != NULL;
    const char **line = ISO_NEW(m->pool, const char *, n + 1);
    line[0] = m->r->title;
    memcpy(line + titled, text, n * sizeof *text);
    f->sentences = true;
    iso_figure_array(m, "SENTENCE", line, n + titled);
    iso_figure_finish(m, f, n + titled, 4.6, 0.3 + 0.22 * (double)(n + titled));
}

/* Writes what each series measured, if the points have no more than one x: axes would show nothing else. Returns
 * whether this is the picture. */
static bool only_sentences(iso_maker *m, iso_figure *f, const char *what) {
    const char **text = ISO_ZNEW(m->pool, const char *, m->n + 1);
    double x = NAN;
    text[0] = iso_figure_y_title(m->r);
    for (size_t i = 0; i < m->n; i++) {
        const iso_series *s = &m->series[i];
        for (size_t k = 0; k < s->n; k++) {
            if (s->at[k].x < x || s->at[k].x > x) {
                return false;
            }
            x = s->at[k].x;
        }
        text[i + 1] = of_legend(m, s, s->label);
        if (s->n > 0) {
            text[i + 1] = iso_format_text(m->pool, "%s: %.3g, at %.9g %s", text[i + 1], s->at[0].y, s->at[0].x, what);
        }
    }
    iso_figure_sentences(m, f, text, m->n + 1);
    return true;
}

/* Returns the title of an axis for a parameter, whose name is a short word. */
static const char *x_title(const char *x) {
    static const char *const words[][2] = {{"ops", "operations of a transaction"},
                                           {"txns", "transactions"},
                                           {"bytes", "size [bytes]"},
                                           {"nodes", "nodes of the graph"},
                                           {"edges", "edges of the graph"},
                                           {"work", "predicted work W"},
                                           {"four_cycles", "4-cycles of the graph"},
                                           {"triangles", "triangles of the graph"}};
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        x = is(x, words[i][0]) ? words[i][1] : x;
    }
    return x;
}

/* Prints a tick with a label that is exact: ticks are round numbers, so no two have the same label. */
static void tick(iso_printer *out, double value) {
    const char *unit = value >= 1e9 ? "G" : value >= 1e6 ? "M" : value >= 1e4 ? "k" : "";
    double by = value >= 1e9 ? 1e9 : value >= 1e6 ? 1e6 : value >= 1e4 ? 1e3 : 1;
    char label[40];
    snprintf(label, sizeof label, "%.9g%s", value / by, unit);
    iso_print(out, "%s %.9g", label, value);
}

/* Sets a logarithmic axis around the data: ticks at powers of ten, at 1, 2 and 5 if it spans less than two decades, or
 * at multiples of a round number if it spans little. whole: the data are numbers of things, and so are the ticks. */
static void axis(iso_maker *m, char name, double low, double high, bool whole) {
    if (!(low > 1e-15) || !(high >= low) || !(high < 1e30)) {
        return;
    }
    iso_printer *out = &m->settings;
    iso_markup which = name == 'x' ? ISO_MARKUP("set x") : ISO_MARKUP("set y"), comma = ISO_MARKUP("");
    double reach = fmax(1.25, pow(high / low, 0.06)), most = high * reach, least = low / reach;
    iso_print_markup(out, which);
    iso_print(out, "range [%.9g:%.9g]\n", least, most);
    if (most / least >= 100) {
        return;
    }
    double size = (most - least) / 4, ten = pow(10, floor(log10(size)));
    double step = size / ten > 5 ? 10 * ten : size / ten > 2 ? 5 * ten : size / ten > 1 ? 2 * ten : ten;
    step = whole ? fmax(1, step) : step;
    iso_print_markup(out, which);
    iso_print(out, "tics (");
    for (double at = ceil(least / step); most / least < 5 && at * step <= most; at++) {
        iso_print_markup(out, comma);
        tick(out, at * step);
        comma = ISO_MARKUP(", ");
    }
    for (double decade = pow(10, floor(log10(least))); most / least >= 5 && decade <= most; decade *= 10) {
        for (int digit = 1; digit <= 5; digit += digit == 1 ? 1 : 3) {
            if (decade * digit >= least && decade * digit <= most && (!whole || decade >= 1)) {
                iso_print_markup(out, comma);
                tick(out, decade * digit);
                comma = ISO_MARKUP(", ");
            }
        }
    }
    iso_print(out, ")\n");
}

static void axes(iso_maker *m, bool log_x) {
    iso_point low = {INFINITY, INFINITY, 0, 0}, high = {0, 0, 0, 0};
    bool whole = true;
    for (size_t i = 0; i < m->n; i++) {
        for (size_t k = 0; k < m->series[i].n; k++) {
            const iso_point *p = &m->series[i].at[k];
            whole &= p->x <= floor(p->x);
            low.x = fmin(low.x, p->x);
            high.x = fmax(high.x, p->x);
            low.y = fmin(low.y, p->low);
            high.y = fmax(high.y, p->high);
        }
    }
    if (log_x) {
        iso_print(&m->settings, "SHARES = %d\n", low.x < 1);
        axis(m, 'x', low.x, high.x, whole);
    }
    axis(m, 'y', low.y, high.y, false);
}

void iso_figure_finish(iso_maker *m, iso_figure *f, size_t n, double width, double height) {
    iso_print(&m->settings, "N = %zu\nX = %s\nY = %s\nTITLE = %s\n", n, x_title(m->r->x), iso_figure_y_title(m->r),
              m->r->title);
    f->settings = iso_printed_markup(&m->settings);
    f->data = iso_printed_markup(&m->data);
    f->width = width + 0.075 * (double)(m->longest > USUAL_LABEL ? m->longest - USUAL_LABEL : 0);
    f->height = height;
}

/* Finishes a figure with its legend: above it, or below it in two columns (one if labels are long) for many series. */
static void finish_with_key(iso_maker *m, iso_figure *f) {
    enum { ABOVE = 4, SHORT = 14 };
    size_t columns = m->n > ABOVE && m->longest <= SHORT ? 2 : 1, rows = (m->n + columns - 1) / columns;
    iso_print(&m->settings, "KEYROWS = %zu\n", m->n > ABOVE ? rows : 0);
    iso_figure_finish(m, f, m->n, 3.6, 2.4 + 0.18 * (double)rows);
}

void iso_figure_titles(iso_grid *g, const char *const *title) {
    for (; *title != NULL; title++) {
        iso_grid_title(g, *title);
    }
}

/* Throws if no history has the size of the x axis. */
static void must_have_points(const iso_maker *m) {
    size_t points = 0;
    for (size_t i = 0; i < m->n; i++) {
        points += m->series[i].n;
    }
    if (points == 0) {
        iso_throw(m->pool->env, ISOLAB_E_USAGE,
                  "no result has a size \"%s\" and a time: expected transactions, operations, sessions, keys, bytes%s",
                  m->r->x, iso_cells_parameters(m->pool, m->r->cells));
    }
}

static void line(const iso_figure_spec *r, iso_figure *f) {
    iso_maker m = iso_figure_begin(r);
    f->grid = iso_grid_new(m.pool, iso_format_text(m.pool, "Medians of %s by %s, 95 %% intervals. %s.",
                                                   iso_figure_y_title(r), r->x, r->cells->about));
    iso_figure_titles(f->grid, (const char *const[]){"series", r->x, "median", "low", "high", "wrong", NULL});
    for (size_t i = 0; i < m.n; i++) {
        iso_series *s = &m.series[i];
        against_x(&m, s);
        print_points(&m, s);
        size_t bad = iso_figure_bad(&m, s->checker, s->level, s->family);
        for (size_t k = 0; k < s->n + (s->n == 0 && bad > 0); k++) {
            iso_point none = {NAN, NAN, NAN, NAN}, p = s->n > 0 ? s->at[k] : none;
            iso_grid_text(f->grid, s->label);
            iso_grid_text(f->grid, s->n > 0 ? iso_format_text(m.pool, "%.9g", p.x) : "");
            iso_grid_number(f->grid, p.y);
            iso_grid_number(f->grid, p.low);
            iso_grid_number(f->grid, p.high);
            iso_grid_count(f->grid, bad);
        }
    }
    must_have_points(&m);
    if (only_sentences(&m, f, x_title(r->x))) {
        return;
    }
    series_labels(&m);
    axes(&m, true);
    finish_with_key(&m, f);
}

/* The laws are drawn under the points, and their exponents are in the legend. */
static void exponents(const iso_figure_spec *r, iso_figure *f) {
    iso_maker m = iso_figure_begin(r);
    const char **label = ISO_ZNEW(m.pool, const char *, m.n);
    iso_power_law *laws = ISO_NEW(m.pool, iso_power_law, m.n);
    f->grid = iso_grid_new(m.pool, iso_format_text(m.pool, "Exponents of %s in %s, 95 %% intervals. %s.",
                                                   iso_figure_y_title(r), r->x, r->cells->about));
    iso_figure_titles(f->grid,
                      (const char *const[]){"series", "exponent", "low", "high", "R2", "points", "wrong", NULL});
    for (size_t i = 0; i < m.n; i++) {
        iso_series *s = &m.series[i];
        against_x(&m, s);
        double *x = ISO_NEW(m.pool, double, s->n), *y = ISO_NEW(m.pool, double, s->n);
        for (size_t k = 0; k < s->n; k++) {
            x[k] = s->at[k].x;
            y[k] = s->at[k].y;
        }
        iso_power_law law = iso_stat_power_law(m.pool, x, y, s->n);
        label[i] = law.known ? iso_format_text(m.pool, "%s: exponent %.2f ± %.2f", s->label, law.exponent.value,
                                               fmin(99, law.exponent.high - law.exponent.value))
                             : s->label;
        label[i] = of_legend(&m, s, label[i]);
        laws[i] = law;
        print_points(&m, s);
        iso_grid_text(f->grid, s->label);
        iso_grid_number(f->grid, law.known ? law.exponent.value : NAN);
        iso_grid_number(f->grid, law.known ? law.exponent.low : NAN);
        iso_grid_number(f->grid, law.known ? law.exponent.high : NAN);
        iso_grid_number(f->grid, law.known ? law.r2 : NAN);
        iso_grid_count(f->grid, s->n);
        iso_grid_count(f->grid, iso_figure_bad(&m, s->checker, s->level, s->family));
    }
    must_have_points(&m);
    if (only_sentences(&m, f, x_title(r->x))) {
        return;
    }
    iso_figure_array(&m, "LABEL", label, m.n);
    iso_print(&m.settings, "array FACTOR[%zu]\narray EXPONENT[%zu]\n", m.n, m.n);
    for (size_t i = 0; i < m.n; i++) {
        bool known = laws[i].known && isfinite(laws[i].factor) && isfinite(laws[i].exponent.value);
        iso_print(&m.settings, "EXPONENT[%zu] = %.9g\n", i + 1, known ? laws[i].exponent.value : 0);
        if (known) {
            iso_print(&m.settings, "FACTOR[%zu] = %.9g\n", i + 1, laws[i].factor);
        } else {
            iso_print(&m.settings, "FACTOR[%zu] = NaN\n", i + 1);
        }
    }
    axes(&m, true);
    finish_with_key(&m, f);
}

static void quantile(const iso_figure_spec *r, iso_figure *f) {
    iso_maker m = iso_figure_begin(r);
    f->grid = iso_grid_new(m.pool,
                           iso_format_text(m.pool, "Questions answered within a time (medians). %s.", r->cells->about));
    iso_figure_titles(f->grid,
                      (const char *const[]){"series", "asked", "answered", "median", "slowest", "wrong", NULL});
    for (size_t i = 0; i < m.n; i++) {
        iso_series *s = &m.series[i];
        size_t asked = 0;
        for (size_t k = 0; k < r->cells->n; k++) {
            const iso_cell *c = &r->cells->at[k];
            asked += iso_of_series(s, c);
            if (iso_of_series(s, c) && c->n > 0) {
                double y = iso_figure_median(&m, c);
                add_point(&m, s, (iso_point){0, y, y, y});
            }
        }
        if (s->n > 1) {
            qsort(s->at, s->n, sizeof *s->at, by_y);
        }
        for (size_t k = 0; k < s->n; k++) {
            s->at[k].x = (double)(k + 1);
        }
        print_points(&m, s);
        iso_grid_text(f->grid, s->label);
        iso_grid_count(f->grid, asked);
        iso_grid_count(f->grid, s->n);
        iso_grid_number(f->grid, s->n > 0 ? s->at[s->n / 2].y : NAN);
        iso_grid_number(f->grid, s->n > 0 ? s->at[s->n - 1].y : NAN);
        iso_grid_count(f->grid, iso_figure_bad(&m, s->checker, s->level, s->family));
    }
    if (only_sentences(&m, f, "question answered")) {
        return;
    }
    series_labels(&m);
    axes(&m, false);
    finish_with_key(&m, f);
}

const iso_figure_kind iso_figure_kinds[] = {
    {"line", "medians with intervals against a size", true, true, true, true, true, line},
    {"exponents", "the same with fitted power laws", true, true, true, true, true, exponents},
    {"scatter", "one checker's time against another's, with lines of equal speed-up", true, false, true, true, true,
     iso_figure_scatter},
    {"quantile", "number of questions answered within a time (cactus)", true, false, true, false, false, quantile},
    {"stages", "time by stage, as stacked bars", true, false, false, true, false, iso_figure_stages},
    {"memory", "peak memory as bars", true, false, false, true, false, iso_figure_memory},
    {"ablation", "times as multiples of those of the first checker", true, false, true, true, false,
     iso_figure_ablation},
    {"mean", "means of a time, memory or counter by family, level and checker", false, false, true, true, false,
     iso_figure_mean},
    {"table", "a row for each history, a column for each checker and level", false, true, true, false, false,
     iso_figure_table},
    {"verdicts", "right, wrong and missing answers by checker", false, false, false, false, false, iso_figure_verdicts},
    {"matrix", "which checker gives the expected verdict on which history", false, false, false, false, false,
     iso_figure_matrix},
    {"predictors", "which number of a history predicts the time of which checker", false, false, true, false, false,
     iso_figure_predictors},
    {NULL, NULL, false, false, false, false, false, NULL},
};
