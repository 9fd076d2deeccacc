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
double iso_figure_unit(const iso_figure_spec *r) { return times(r) ? 1e-3 : 1; }
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
        s->label = m.checkers && m.levels ? iso_lab_text(m.pool, "%s %s", s->checker, s->level)
                   : m.checkers           ? s->checker
                                          : s->level;
        if (m.families) {
            bool alone = !m.checkers && !m.levels;
            s->label = alone ? s->family : iso_lab_text(m.pool, "%s, %s", s->family, s->label);
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
        values[n] = times(m->r) ? fmax(measured[v] * iso_figure_unit(m->r), NOTHING) : measured[v];
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
                values[n] = measured[v] * iso_figure_unit(m->r);
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
    return iso_lab_text(pool, "%s%s", shown, whole ? "" : "...");
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

/* Returns the text of a series in the legend, which says so if the series has no points. */
static const char *of_legend(iso_pool *pool, const iso_series *s, const char *label) {
    return s->n > 0 ? label : iso_lab_text(pool, "%s: no answer", s->label);
}

static void series_labels(iso_maker *m) {
    const char **text = ISO_ZNEW(m->pool, const char *, m->n);
    for (size_t i = 0; i < m->n; i++) {
        text[i] = of_legend(m->pool, &m->series[i], m->series[i].label);
    }
    iso_figure_array(m, "LABEL", text, m->n);
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

/* Sets a logarithmic axis around the data, with ticks at 1, 2 and 5 if it spans less than two decades. */
static void axis(iso_maker *m, char name, double low, double high) {
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
    iso_print_markup(out, which);
    iso_print(out, "tics (");
    if (most / least < 5) { /* multiples of a round number, about four of them */
        double size = (most - least) / 4, step = pow(10, floor(log10(size)));
        step *= size / step >= 5 ? 5 : size / step >= 2 ? 2 : 1;
        for (double at = ceil(least / step); at * step <= most; at++) {
            iso_print_markup(out, comma);
            iso_print(out, "%.9g", at * step);
            comma = ISO_MARKUP(", ");
        }
    }
    for (double decade = pow(10, floor(log10(least))); most / least >= 5 && decade <= most; decade *= 10) {
        for (int digit = 1; digit <= 5; digit += digit == 1 ? 1 : 3) {
            if (decade * digit >= least && decade * digit <= most) {
                iso_print_markup(out, comma);
                iso_print(out, "%.9g", decade * digit);
                comma = ISO_MARKUP(", ");
            }
        }
    }
    iso_print(out, ")\n");
}

static void axes(iso_maker *m, bool log_x) {
    iso_point low = {INFINITY, INFINITY, 0, 0}, high = {0, 0, 0, 0};
    for (size_t i = 0; i < m->n; i++) {
        for (size_t k = 0; k < m->series[i].n; k++) {
            const iso_point *p = &m->series[i].at[k];
            low.x = fmin(low.x, p->x);
            high.x = fmax(high.x, p->x);
            low.y = fmin(low.y, p->low);
            high.y = fmax(high.y, p->high);
        }
    }
    if (log_x) {
        iso_print(&m->settings, "SHARES = %d\n", low.x < 1);
        axis(m, 'x', low.x, high.x);
    }
    axis(m, 'y', low.y, high.y);
}

void iso_figure_finish(iso_maker *m, iso_figure *f, size_t n, double width, double height) {
    iso_print(&m->settings, "N = %zu\nX = %s\nY = %s\nTITLE = %s\n", n, x_title(m->r->x), iso_figure_y_title(m->r),
              m->r->title);
    f->settings = iso_printed_markup(&m->settings);
    f->data = iso_printed_markup(&m->data);
    f->width = width + 0.075 * (double)(m->longest > USUAL_LABEL ? m->longest - USUAL_LABEL : 0);
    f->height = height;
}

/* Returns the extra width of a legend beside the figure, for many series. */
static double beside(const iso_maker *m) { return m->n > 4 ? 1.3 : 0; }
/* Returns the height that such a legend needs, or that a usual figure and a legend above it need. */
static double tall(const iso_maker *m) {
    return m->n > 4 ? fmax(2.7, 0.5 + 0.19 * (double)m->n) : 2.4 + 0.16 * (double)m->n;
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
    f->grid = iso_grid_new(m.pool, iso_lab_text(m.pool, "Medians of %s by %s, 95 %% intervals. %s.",
                                                iso_figure_y_title(r), r->x, r->cells->about));
    iso_figure_titles(f->grid, (const char *const[]){"series", r->x, "median", "low", "high", NULL});
    for (size_t i = 0; i < m.n; i++) {
        iso_series *s = &m.series[i];
        against_x(&m, s);
        print_points(&m, s);
        for (size_t k = 0; k < s->n; k++) {
            iso_grid_text(f->grid, s->label);
            iso_grid_text(f->grid, iso_lab_text(m.pool, "%.9g", s->at[k].x));
            iso_grid_number(f->grid, s->at[k].y);
            iso_grid_number(f->grid, s->at[k].low);
            iso_grid_number(f->grid, s->at[k].high);
        }
    }
    must_have_points(&m);
    series_labels(&m);
    axes(&m, true);
    iso_figure_finish(&m, f, m.n, 3.6 + beside(&m), tall(&m));
}

/* The laws are drawn under the points, and their exponents are in the legend. */
static void exponents(const iso_figure_spec *r, iso_figure *f) {
    iso_maker m = iso_figure_begin(r);
    const char **label = ISO_ZNEW(m.pool, const char *, m.n);
    iso_power_law *laws = ISO_NEW(m.pool, iso_power_law, m.n);
    f->grid = iso_grid_new(m.pool, iso_lab_text(m.pool, "Exponents of %s in %s, 95 %% intervals. %s.",
                                                iso_figure_y_title(r), r->x, r->cells->about));
    iso_figure_titles(f->grid, (const char *const[]){"series", "exponent", "low", "high", "R2", "points", NULL});
    for (size_t i = 0; i < m.n; i++) {
        iso_series *s = &m.series[i];
        against_x(&m, s);
        double *x = ISO_NEW(m.pool, double, s->n), *y = ISO_NEW(m.pool, double, s->n);
        for (size_t k = 0; k < s->n; k++) {
            x[k] = s->at[k].x;
            y[k] = s->at[k].y;
        }
        iso_power_law law = iso_stat_power_law(m.pool, x, y, s->n);
        label[i] = law.known ? iso_lab_text(m.pool, "%s: exponent %.2f ± %.2f", s->label, law.exponent.value,
                                            fmin(99, law.exponent.high - law.exponent.value))
                             : of_legend(m.pool, s, s->label);
        laws[i] = law;
        print_points(&m, s);
        iso_grid_text(f->grid, s->label);
        iso_grid_number(f->grid, law.known ? law.exponent.value : NAN);
        iso_grid_number(f->grid, law.known ? law.exponent.low : NAN);
        iso_grid_number(f->grid, law.known ? law.exponent.high : NAN);
        iso_grid_number(f->grid, law.known ? law.r2 : NAN);
        iso_grid_count(f->grid, s->n);
    }
    must_have_points(&m);
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
    iso_figure_finish(&m, f, m.n, 3.6 + 1.4 * beside(&m), tall(&m));
}

static void quantile(const iso_figure_spec *r, iso_figure *f) {
    iso_maker m = iso_figure_begin(r);
    f->grid =
        iso_grid_new(m.pool, iso_lab_text(m.pool, "Questions answered within a time (medians). %s.", r->cells->about));
    iso_figure_titles(f->grid, (const char *const[]){"series", "asked", "answered", "median", "slowest", NULL});
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
    }
    series_labels(&m);
    axes(&m, false);
    iso_figure_finish(&m, f, m.n, 3.6 + beside(&m), tall(&m));
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
