/* Lines, exponents, quantiles and scatters, and what all figures share. See figure.h and figure_series.h. */
#include "experiments/figures/figure_series.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/figures/statistics.h"

static bool is(const char *a, const char *b) { return strcmp(a, b) == 0; }
static bool times(const iso_figure_request *r) { return !is(r->y, "peak"); }
/* Seconds or MiB. */
double iso_figure_unit(const iso_figure_request *r) { return times(r) ? 1e-3 : 1; }
const char *iso_figure_y_title(const iso_figure_request *r) {
    return is(r->y, "wall")    ? "time [s]"
           : is(r->y, "cpu")   ? "processor time [s]"
           : is(r->y, "check") ? "time of checking [s]"
           : is(r->y, "load")  ? "time of loading [s]"
                               : "peak memory [MiB]";
}

static int rank_of(const iso_figure_request *r, const char *checker) {
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

/* Series of the cells by checker and level, checkers in the order asked for. */
iso_maker iso_figure_begin(const iso_figure_request *r) {
    iso_maker m = {.r = r, .pool = r->pool, .text = ""};
    for (size_t i = 0; i < r->cells->n; i++) {
        const iso_cell *c = &r->cells->at[i];
        m.levels |= !is(c->level, r->cells->at[0].level);
        m.checkers |= !is(c->checker, r->cells->at[0].checker);
    }
    int most = 0;
    for (size_t i = 0; i < r->cells->n; i++) {
        int rank = rank_of(r, r->cells->at[i].checker);
        most = rank > most ? rank : most;
    }
    for (int rank = 0; rank <= most; rank++) {
        for (size_t i = 0; i < r->cells->n; i++) {
            const iso_cell *c = &r->cells->at[i];
            bool known = rank_of(r, c->checker) != rank;
            for (size_t k = 0; k < m.n && !known; k++) {
                known = is(m.series[k].checker, c->checker) && is(m.series[k].level, c->level);
            }
            if (!known) {
                ISO_GROW(m.pool, m.series, m.n, m.room);
                m.series[m.n++] = (iso_series){.checker = c->checker, .level = c->level};
            }
        }
    }
    for (size_t k = 0; k < m.n; k++) {
        iso_series *s = &m.series[k];
        s->label = m.checkers && m.levels ? iso_lab_text(m.pool, "%s %s", s->checker, s->level)
                   : m.checkers           ? s->checker
                                          : s->level;
    }
    if (m.n == 0) {
        iso_throw(m.pool->env, ISOLAB_E_USAGE, "no results fit");
    }
    return m;
}

bool iso_of_series(const iso_series *s, const iso_cell *c) {
    return is(s->checker, c->checker) && is(s->level, c->level);
}

double iso_figure_median(const iso_maker *m, const iso_cell *c) {
    double *values = ISO_NEW(m->pool, double, c->n);
    size_t n = 0;
    const double *measured = iso_cell_measure(m->pool, c, m->r->y);
    for (size_t v = 0; v < c->n; v++) {
        values[n] = measured[v] * iso_figure_unit(m->r);
        n += isnan(values[n]) ? 0 : 1;
    }
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

/* Points of a series: for each x the median of all measurements there, whatever the history. */
static void against_x(iso_maker *m, iso_series *s) {
    const iso_cells *cells = m->r->cells;
    double *values = NULL;
    size_t room = 0;
    for (size_t i = 0; i < cells->n; i++) {
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

static void print_points(iso_maker *m, const iso_series *s) {
    const char *text = "";
    for (size_t k = 0; k < s->n; k++) {
        text = iso_lab_text(m->pool, "%s%.9g %.9g %.9g %.9g\n", text, s->at[k].x, s->at[k].y, s->at[k].low,
                            s->at[k].high);
    }
    m->text = iso_lab_text(m->pool, "%s%s\n\n", m->text, s->n > 0 ? text : "NaN NaN NaN NaN\n");
}

/* As a string of gnuplot: in double quotes, without what its enhanced text takes for commands. */
const char *iso_gnuplot_quoted(iso_pool *pool, const char *text) {
    const char *done = "";
    for (; *text != '\0'; text++) {
        bool special = strchr("_^@&{}~", *text) != NULL;
        done = *text == '"' ? iso_lab_text(pool, "%s'", done)
               : special    ? iso_lab_text(pool, "%s\\\\%c", done, *text)
               : *text == '\\' ? iso_lab_text(pool, "%s/", done)
                               : iso_lab_text(pool, "%s%c", done, *text);
    }
    return iso_lab_text(pool, "\"%s\"", done);
}

const char *iso_gnuplot_array(iso_pool *pool, const char *name, const char *const *text, size_t n) {
    const char *all = iso_lab_text(pool, "array %s[%zu]\n", name, n > 0 ? n : 1);
    for (size_t i = 0; i < n; i++) {
        all = iso_lab_text(pool, "%s%s[%zu] = %s\n", all, name, i + 1, iso_gnuplot_quoted(pool, text[i]));
    }
    return all;
}

static const char *series_labels(iso_maker *m) {
    const char **text = ISO_ZNEW(m->pool, const char *, m->n);
    for (size_t i = 0; i < m->n; i++) {
        text[i] = m->series[i].label;
    }
    return iso_gnuplot_array(m->pool, "LABEL", text, m->n);
}

/* Parameters of generators are short words; an axis says what they are. */
static const char *x_title(const char *x) {
    static const char *const words[][2] = {
        {"ops", "operations of a transaction"}, {"txns", "transactions"}, {"bytes", "size [bytes]"}};
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        x = is(x, words[i][0]) ? words[i][1] : x;
    }
    return x;
}

static const char *common(iso_maker *m, size_t n) {
    return iso_lab_text(m->pool, "N = %zu\nX = %s\nY = %s\nTITLE = %s\n", n,
                        iso_gnuplot_quoted(m->pool, x_title(m->r->x)),
                        iso_gnuplot_quoted(m->pool, iso_figure_y_title(m->r)),
                        iso_gnuplot_quoted(m->pool, m->r->title != NULL ? m->r->title : ""));
}

/* A logarithmic axis around what is drawn, with ticks at 1, 2 and 5 where it spans less than two decades. */
static const char *axis(iso_maker *m, char name, double low, double high) {
    if (!(low > 0) || !(high >= low)) {
        return "";
    }
    double reach = fmax(1.25, pow(high / low, 0.06)), most = high * reach, least = low / reach;
    const char *text = iso_lab_text(m->pool, "set %crange [%.9g:%.9g]\n", name, least, most), *comma = "";
    if (most / least >= 100) {
        return text;
    }
    text = iso_lab_text(m->pool, "%sset %ctics (", text, name);
    if (most / least < 5) { /* multiples of a round number, about four of them */
        double size = (most - least) / 4, step = pow(10, floor(log10(size)));
        step *= size / step >= 5 ? 5 : size / step >= 2 ? 2 : 1;
        for (double at = ceil(least / step) * step; at <= most; at += step) {
            text = iso_lab_text(m->pool, "%s%s%.9g", text, comma, at);
            comma = ", ";
        }
        return iso_lab_text(m->pool, "%s)\n", text);
    }
    for (double decade = pow(10, floor(log10(least))); decade <= most; decade *= 10) {
        for (int digit = 1; digit <= 5; digit += digit == 1 ? 1 : 3) {
            if (decade * digit >= least && decade * digit <= most) {
                text = iso_lab_text(m->pool, "%s%s%.9g", text, comma, decade * digit);
                comma = ", ";
            }
        }
    }
    return iso_lab_text(m->pool, "%s)\n", text);
}

static const char *axes(iso_maker *m, bool log_x) {
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
    return iso_lab_text(m->pool, "%s%s", log_x ? axis(m, 'x', low.x, high.x) : "", axis(m, 'y', low.y, high.y));
}

void iso_figure_finish(iso_maker *m, iso_figure *f, size_t n, const char *more, double width, double height) {
    f->settings = iso_lab_text(m->pool, "%s%s", common(m, n), more);
    f->data = m->text;
    f->width = width;
    f->height = height;
}

/* With many series the legend stands beside the figure. */
static double beside(const iso_maker *m) { return m->n > 4 ? 1.3 : 0; }
static double tall(const iso_maker *m) { return m->n > 4 ? 2.7 : 2.4 + 0.16 * (double)m->n; }

void iso_figure_titles(iso_grid *g, const char *const *title) {
    for (; *title != NULL; title++) {
        iso_grid_title(g, *title);
    }
}

static void line(const iso_figure_request *r, iso_figure *f) {
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
    iso_figure_finish(&m, f, m.n, iso_lab_text(m.pool, "%s%s", series_labels(&m), axes(&m, true)),
                      3.6 + beside(&m), tall(&m));
}

/* The laws are drawn under the points, and their exponents stand in the legend. */
static void exponents(const iso_figure_request *r, iso_figure *f) {
    iso_maker m = iso_figure_begin(r);
    const char **label = ISO_ZNEW(m.pool, const char *, m.n);
    const char *laws = "";
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
                             : s->label;
        laws = iso_lab_text(m.pool, "%s%.9g %.9g\n", laws, law.known ? law.factor : NAN, law.exponent.value);
        print_points(&m, s);
        iso_grid_text(f->grid, s->label);
        iso_grid_number(f->grid, law.known ? law.exponent.value : NAN);
        iso_grid_number(f->grid, law.known ? law.exponent.low : NAN);
        iso_grid_number(f->grid, law.known ? law.exponent.high : NAN);
        iso_grid_number(f->grid, law.known ? law.r2 : NAN);
        iso_grid_text(f->grid, iso_lab_text(m.pool, "%zu", s->n));
    }
    const char *text = iso_gnuplot_array(m.pool, "LABEL", label, m.n), *factors = "";
    for (size_t i = 0; i < m.n; i++) {
        double a = NAN, b = NAN;
        sscanf(laws, "%lf %lf", &a, &b);
        laws += strcspn(laws, "\n") + 1;
        factors = isnan(a) ? iso_lab_text(m.pool, "%sFACTOR[%zu] = NaN\nEXPONENT[%zu] = 0\n", factors, i + 1, i + 1)
                           : iso_lab_text(m.pool, "%sFACTOR[%zu] = %.9g\nEXPONENT[%zu] = %.9g\n", factors, i + 1, a,
                                          i + 1, b);
    }
    text = iso_lab_text(m.pool, "%sarray FACTOR[%zu]\narray EXPONENT[%zu]\n%s%s", text, m.n, m.n, factors,
                        axes(&m, true));
    iso_figure_finish(&m, f, m.n, text, 3.6 + 1.4 * beside(&m), tall(&m));
}

static void quantile(const iso_figure_request *r, iso_figure *f) {
    iso_maker m = iso_figure_begin(r);
    f->grid = iso_grid_new(
        m.pool, iso_lab_text(m.pool, "Questions answered within a time (medians). %s.", r->cells->about));
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
        iso_grid_text(f->grid, iso_lab_text(m.pool, "%zu", asked));
        iso_grid_text(f->grid, iso_lab_text(m.pool, "%zu", s->n));
        iso_grid_number(f->grid, s->n > 0 ? s->at[s->n / 2].y : NAN);
        iso_grid_number(f->grid, s->n > 0 ? s->at[s->n - 1].y : NAN);
    }
    iso_figure_finish(&m, f, m.n, iso_lab_text(m.pool, "%s%s", series_labels(&m), axes(&m, false)),
                      3.6 + beside(&m), tall(&m));
}

/* Of two checkers, by level: x is the first one's time, y the second one's. A part of the data for each level: the
 * points, then those of which one has no verdict, at its limit. */
static void scatter(const iso_figure_request *r, iso_figure *f) {
    iso_maker m = iso_figure_begin(r);
    const char *first = m.series[0].checker, *second = NULL, *level[32], *note[32];
    size_t n = 0;
    for (size_t i = 0; i < m.n; i++) {
        second = !is(m.series[i].checker, first) && second == NULL ? m.series[i].checker : second;
        bool known = n == 32;
        for (size_t k = 0; k < n; k++) {
            known |= is(level[k], m.series[i].level);
        }
        level[n] = m.series[i].level;
        n += !known;
    }
    if (second == NULL) {
        iso_throw(m.pool->env, ISOLAB_E_USAGE, "a scatter needs two checkers: --checker SLOW,FAST");
    }
    f->grid = iso_grid_new(m.pool, iso_lab_text(m.pool, "Times as fast as %s is %s (geometric means, 95 %% intervals). "
                                                        "Large: the fifth of the histories with the most transactions. "
                                                        "%s.", first, second, r->cells->about));
    iso_figure_titles(f->grid, (const char *const[]){"level", "histories", "ratio", "low", "high", "large",
                                                     "large low", "large high", "only one answered", NULL});
    double least = INFINITY, most = 0;
    for (size_t l = 0; l < n; l++) {
        const char *points = "", *missing = "";
        double *ratio = ISO_NEW(m.pool, double, r->cells->n), *size = ISO_NEW(m.pool, double, r->cells->n);
        size_t both = 0, alone = 0;
        for (size_t i = 0; i < r->cells->n; i++) {
            const iso_cell *a = &r->cells->at[i], *b = NULL;
            for (size_t k = 0; k < r->cells->n && is(a->checker, first) && is(a->level, level[l]); k++) {
                const iso_cell *c = &r->cells->at[k];
                b = is(c->checker, second) && is(c->level, level[l]) && iso_same_history(a, c) ? c : b;
            }
            if (b == NULL || (a->n == 0 && b->n == 0)) {
                continue;
            }
            double x = a->n > 0 ? iso_figure_median(&m, a) : NAN;
            double y = b->n > 0 ? iso_figure_median(&m, b) : NAN;
            least = fmin(least, fmin(x, y));
            most = fmax(most, fmax(x, y));
            if (a->n > 0 && b->n > 0) {
                points = iso_lab_text(m.pool, "%s%.9g %.9g\n", points, x, y);
                ratio[both] = x / y;
                size[both++] = a->transactions;
            } else {
                missing = isnan(x) ? iso_lab_text(m.pool, "%sEDGE %.9g\n", missing, y)
                                   : iso_lab_text(m.pool, "%s%.9g EDGE\n", missing, x);
                alone++;
            }
        }
        m.text = iso_lab_text(m.pool, "%s%s\n\n%s\n\n", m.text, *points != '\0' ? points : "NaN NaN\n",
                              *missing != '\0' ? missing : "NaN NaN\n");
        double *large = ISO_NEW(m.pool, double, both);
        size_t n_large = 0;
        double bound = both > 0 ? iso_stat_quantile(m.pool, size, both, 0.8) : 0;
        for (size_t i = 0; i < both; i++) {
            if (size[i] >= bound) {
                large[n_large++] = ratio[i];
            }
        }
        iso_interval g = both > 0 ? iso_stat_geometric_mean(m.pool, ratio, both) : (iso_interval){NAN, NAN, NAN};
        iso_interval h = both > 0 ? iso_stat_geometric_mean(m.pool, large, n_large) : (iso_interval){NAN, NAN, NAN};
        note[l] = iso_lab_text(m.pool, "%s: %.3g×, largest fifth %.3g×", level[l], g.value, h.value);
        iso_grid_text(f->grid, level[l]);
        iso_grid_text(f->grid, iso_lab_text(m.pool, "%zu", both));
        const double numbers[] = {g.value, g.low, g.high, h.value, h.low, h.high};
        for (int i = 0; i < 6; i++) {
            iso_grid_number(f->grid, numbers[i]);
        }
        iso_grid_text(f->grid, iso_lab_text(m.pool, "%zu", alone));
    }
    double high = pow(10, ceil(log10(fmax(most * 1.05, 1e-5))));
    double low = fmin(pow(10, floor(log10(fmax(least, 1e-6)))), high / 100);
    /* What did not answer stands beyond the end of its axis. */
    const char *text = m.text, *edge = iso_lab_text(m.pool, "%.9g", high * 1.8), *done = "";
    for (const char *at; (at = strstr(text, "EDGE")) != NULL; text = at + 4) {
        done = iso_lab_text(m.pool, "%s%.*s%s", done, (int)(at - text), text, edge);
    }
    m.text = iso_lab_text(m.pool, "%s%s", done, text);
    text = iso_lab_text(m.pool, "%sLOW = %.9g\nHIGH = %.9g\nFIRST = %s\nSECOND = %s\n",
                        iso_gnuplot_array(m.pool, "LABEL", note, n), low, high,
                        iso_gnuplot_quoted(m.pool, first), iso_gnuplot_quoted(m.pool, second));
    iso_figure_finish(&m, f, n, text, 2.7 * (double)n + 0.2, 2.75);
}

const iso_figure_kind iso_figure_kinds[] = {
    {"line", "medians with intervals against a size", true, line},
    {"exponents", "the same with fitted power laws", true, exponents},
    {"scatter", "one checker's time against another's, with lines of equal speed-up", true, scatter},
    {"quantile", "how many questions are answered within a time (cactus)", true, quantile},
    {"stages", "where the time goes, as stacked bars", true, iso_figure_stages},
    {"memory", "peak memory as bars", true, iso_figure_memory},
    {"ablation", "times as multiples of those of the first checker", true, iso_figure_ablation},
    {"table", "a row a history, a column a checker and level", false, iso_figure_table},
    {"verdicts", "right, wrong and missing answers by checker", false, iso_figure_verdicts},
    {"matrix", "which checker gives the expected verdict on which history", false, iso_figure_matrix},
    {NULL, NULL, false, NULL},
};
