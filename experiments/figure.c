/* See figure.h. Labels of several checkers and levels are as short as they can be: what all share is left out. */
#include "experiments/figure.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/statistics.h"

typedef struct point {
    double x, y, low, high;
} point;

typedef struct series {
    const char *label, *checker, *level;
    point *at;
    size_t n, room;
} series;

typedef struct maker {
    const iso_figure_request *r;
    iso_pool *pool;
    series *series;
    size_t n, room;
    bool levels, checkers; /* several of them */
    const char *text;      /* data so far */
} maker;

static bool is(const char *a, const char *b) { return strcmp(a, b) == 0; }
static bool times(const iso_figure_request *r) { return !is(r->y, "peak"); }
/* Seconds or MiB. */
static double unit(const iso_figure_request *r) { return times(r) ? 1e-3 : 1; }
static const char *y_title(const iso_figure_request *r) {
    return is(r->y, "wall") ? "time [s]" : is(r->y, "cpu") ? "processor time [s]" : is(r->y, "check") ? "time of checking [s]" : is(r->y, "load") ? "time of loading [s]" : "peak memory [MiB]";
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
static maker begin(const iso_figure_request *r) {
    maker m = {.r = r, .pool = r->pool, .text = ""};
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
                m.series[m.n++] = (series){.checker = c->checker, .level = c->level};
            }
        }
    }
    for (size_t k = 0; k < m.n; k++) {
        series *s = &m.series[k];
        s->label = m.checkers && m.levels ? iso_lab_text(m.pool, "%s %s", s->checker, s->level)
                   : m.checkers           ? s->checker
                                          : s->level;
    }
    if (m.n == 0) {
        iso_throw(m.pool->env, ISOLAB_E_USAGE, "no results fit");
    }
    return m;
}

static bool of_series(const series *s, const iso_cell *c) {
    return is(s->checker, c->checker) && is(s->level, c->level);
}

static void add_point(maker *m, series *s, point p) {
    ISO_GROW(m->pool, s->at, s->n, s->room);
    s->at[s->n++] = p;
}

static int by_x(const void *a, const void *b) {
    double x = ((const point *)a)->x, y = ((const point *)b)->x;
    return (x > y) - (x < y);
}

static int by_y(const void *a, const void *b) {
    double x = ((const point *)a)->y, y = ((const point *)b)->y;
    return (x > y) - (x < y);
}

/* Points of a series: for each x the median of all measurements there, whatever the history. */
static void against_x(maker *m, series *s) {
    const iso_cells *cells = m->r->cells;
    double *values = NULL;
    size_t room = 0;
    for (size_t i = 0; i < cells->n; i++) {
        double x = iso_cell_size(&cells->at[i], m->r->x);
        bool known = !of_series(s, &cells->at[i]) || isnan(x) || cells->at[i].n == 0;
        for (size_t k = 0; k < s->n && !known; k++) {
            known = !(s->at[k].x < x) && !(s->at[k].x > x);
        }
        size_t n = 0;
        for (size_t k = i; k < cells->n && !known; k++) {
            const iso_cell *c = &cells->at[k];
            double its = iso_cell_size(c, m->r->x);
            if (!of_series(s, c) || its < x || its > x || isnan(its)) {
                continue;
            }
            const double *measured = iso_cell_measure(m->pool, c, m->r->y);
            for (size_t v = 0; v < c->n; v++) {
                ISO_GROW(m->pool, values, n, room);
                values[n] = measured[v] * unit(m->r);
                n += isnan(measured[v]) ? 0 : 1;
            }
        }
        if (n > 0) {
            iso_interval y = iso_stat_median(m->pool, values, n);
            add_point(m, s, (point){x, y.value, y.low, y.high});
        }
    }
    if (s->n > 1) {
        qsort(s->at, s->n, sizeof *s->at, by_x);
    }
}

static void print_points(maker *m, const series *s) {
    const char *text = "";
    for (size_t k = 0; k < s->n; k++) {
        text = iso_lab_text(m->pool, "%s%.9g %.9g %.9g %.9g\n", text, s->at[k].x, s->at[k].y, s->at[k].low,
                            s->at[k].high);
    }
    m->text = iso_lab_text(m->pool, "%s%s\n\n", m->text, s->n > 0 ? text : "NaN NaN NaN NaN\n");
}

/* As a string of gnuplot: in double quotes, without what its enhanced text takes for commands. */
static const char *quoted(iso_pool *pool, const char *text) {
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

static const char *labels(maker *m, const char *name, const char *const *text, size_t n) {
    const char *all = iso_lab_text(m->pool, "array %s[%zu]\n", name, n > 0 ? n : 1);
    for (size_t i = 0; i < n; i++) {
        all = iso_lab_text(m->pool, "%s%s[%zu] = %s\n", all, name, i + 1, quoted(m->pool, text[i]));
    }
    return all;
}

static const char *series_labels(maker *m) {
    const char **text = ISO_ZNEW(m->pool, const char *, m->n);
    for (size_t i = 0; i < m->n; i++) {
        text[i] = m->series[i].label;
    }
    return labels(m, "LABEL", text, m->n);
}

static const char *common(maker *m, size_t n) {
    return iso_lab_text(m->pool, "N = %zu\nX = %s\nY = %s\nTITLE = %s\n", n, quoted(m->pool, m->r->x),
                        quoted(m->pool, y_title(m->r)), quoted(m->pool, m->r->title != NULL ? m->r->title : ""));
}

/* A logarithmic axis around what is drawn, with ticks at 1, 2 and 5 where it spans less than two decades. */
static const char *axis(maker *m, char name, double low, double high) {
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

static const char *axes(maker *m, bool log_x) {
    point low = {INFINITY, INFINITY, 0, 0}, high = {0, 0, 0, 0};
    for (size_t i = 0; i < m->n; i++) {
        for (size_t k = 0; k < m->series[i].n; k++) {
            const point *p = &m->series[i].at[k];
            low.x = fmin(low.x, p->x);
            high.x = fmax(high.x, p->x);
            low.y = fmin(low.y, p->low);
            high.y = fmax(high.y, p->high);
        }
    }
    return iso_lab_text(m->pool, "%s%s", log_x ? axis(m, 'x', low.x, high.x) : "", axis(m, 'y', low.y, high.y));
}

static void finish(maker *m, iso_figure *f, size_t n, const char *more, double width, double height) {
    f->settings = iso_lab_text(m->pool, "%s%s", common(m, n), more);
    f->data = m->text;
    f->width = width;
    f->height = height;
}

/* With many series the legend stands beside the figure. */
static double beside(const maker *m) { return m->n > 4 ? 1.3 : 0; }

static void titles(iso_grid *g, const char *const *title) {
    for (; *title != NULL; title++) {
        iso_grid_title(g, *title);
    }
}

static void line(const iso_figure_request *r, iso_figure *f) {
    maker m = begin(r);
    f->grid = iso_grid_new(m.pool, iso_lab_text(m.pool, "Medians of %s by %s, 95 %% intervals. %s.", y_title(r), r->x,
                                                r->cells->about));
    titles(f->grid, (const char *const[]){"series", r->x, "median", "low", "high", NULL});
    for (size_t i = 0; i < m.n; i++) {
        series *s = &m.series[i];
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
    finish(&m, f, m.n, iso_lab_text(m.pool, "%s%s", series_labels(&m), axes(&m, true)), 3.6 + beside(&m), 2.7);
}

/* The laws are drawn behind the points, and their exponents stand in the legend. */
static void exponents(const iso_figure_request *r, iso_figure *f) {
    maker m = begin(r);
    const char **label = ISO_ZNEW(m.pool, const char *, m.n);
    const char *laws = "";
    f->grid = iso_grid_new(m.pool, iso_lab_text(m.pool, "Exponents of %s in %s, 95 %% intervals. %s.", y_title(r), r->x,
                                                r->cells->about));
    titles(f->grid, (const char *const[]){"series", "exponent", "low", "high", "R2", "points", NULL});
    for (size_t i = 0; i < m.n; i++) {
        series *s = &m.series[i];
        against_x(&m, s);
        double *x = ISO_NEW(m.pool, double, s->n), *y = ISO_NEW(m.pool, double, s->n);
        for (size_t k = 0; k < s->n; k++) {
            x[k] = s->at[k].x;
            y[k] = s->at[k].y;
        }
        iso_power_law law = iso_stat_power_law(m.pool, x, y, s->n);
        label[i] = law.known ? iso_lab_text(m.pool, "%s: %.2f ± %.2f", s->label, law.exponent.value,
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
    const char *text = labels(&m, "LABEL", label, m.n), *factors = "";
    for (size_t i = 0; i < m.n; i++) {
        double a = NAN, b = NAN;
        sscanf(laws, "%lf %lf", &a, &b);
        laws += strcspn(laws, "\n") + 1;
        factors = isnan(a) ? iso_lab_text(m.pool, "%sFACTOR[%zu] = NaN\nEXPONENT[%zu] = 0\n", factors, i + 1, i + 1)
                           : iso_lab_text(m.pool, "%sFACTOR[%zu] = %.9g\nEXPONENT[%zu] = %.9g\n", factors, i + 1, a,
                                          i + 1, b);
    }
    text = iso_lab_text(m.pool, "%sarray FACTOR[%zu]\narray EXPONENT[%zu]\n%s%s", text, m.n, m.n, factors, axes(&m, true));
    finish(&m, f, m.n, text, 3.6 + 1.4 * beside(&m), m.n > 4 ? 2.7 : 2.4 + 0.16 * (double)m.n);
}

static void quantile(const iso_figure_request *r, iso_figure *f) {
    maker m = begin(r);
    f->grid = iso_grid_new(m.pool, iso_lab_text(m.pool, "Questions answered within a time (medians). %s.", r->cells->about));
    titles(f->grid, (const char *const[]){"series", "asked", "answered", "median", "slowest", NULL});
    for (size_t i = 0; i < m.n; i++) {
        series *s = &m.series[i];
        size_t asked = 0;
        for (size_t k = 0; k < r->cells->n; k++) {
            const iso_cell *c = &r->cells->at[k];
            asked += of_series(s, c);
            if (of_series(s, c) && c->n > 0) {
                double y = iso_stat_median(m.pool, iso_cell_measure(m.pool, c, r->y), c->n).value * unit(r);
                add_point(&m, s, (point){0, y, y, y});
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
    finish(&m, f, m.n, iso_lab_text(m.pool, "%s%s", series_labels(&m), axes(&m, false)), 3.6 + beside(&m), 2.7);
}

/* Of two checkers, by level: x is the first one's time, y the second one's. A part of the data for each level: the
 * points, then those of which one has no verdict, at its limit. */
static void scatter(const iso_figure_request *r, iso_figure *f) {
    maker m = begin(r);
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
    titles(f->grid, (const char *const[]){"level", "histories", "ratio", "low", "high", "large", "large low", "large high",
                                          "only one answered", NULL});
    double least = INFINITY, most = 0;
    for (size_t l = 0; l < n; l++) {
        const char *points = "", *missing = "";
        double *ratio = ISO_NEW(m.pool, double, r->cells->n), *size = ISO_NEW(m.pool, double, r->cells->n);
        size_t both = 0, alone = 0;
        for (size_t i = 0; i < r->cells->n; i++) {
            const iso_cell *a = &r->cells->at[i], *b = NULL;
            for (size_t k = 0; k < r->cells->n && is(a->checker, first) && is(a->level, level[l]); k++) {
                const iso_cell *c = &r->cells->at[k];
                b = is(c->checker, second) && is(c->level, level[l]) && is(c->history, a->history) &&
                            is(c->suite, a->suite) && is(c->source, a->source) ? c : b;
            }
            if (b == NULL || (a->n == 0 && b->n == 0)) {
                continue;
            }
            double x = a->n > 0 ? iso_stat_median(m.pool, iso_cell_measure(m.pool, a, r->y), a->n).value * unit(r) : NAN;
            double y = b->n > 0 ? iso_stat_median(m.pool, iso_cell_measure(m.pool, b, r->y), b->n).value * unit(r) : NAN;
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
        note[l] = iso_lab_text(m.pool, "%s: mean %.3g×, large %.3g×", level[l], g.value, h.value);
        iso_grid_text(f->grid, level[l]);
        iso_grid_text(f->grid, iso_lab_text(m.pool, "%zu", both));
        const double numbers[] = {g.value, g.low, g.high, h.value, h.low, h.high};
        for (int i = 0; i < 6; i++) {
            iso_grid_number(f->grid, numbers[i]);
        }
        iso_grid_text(f->grid, iso_lab_text(m.pool, "%zu", alone));
    }
    double low = pow(10, floor(log10(fmax(least, 1e-6)))), high = pow(10, ceil(log10(fmax(most * 1.05, 1e-5))));
    /* What did not answer stands beyond the end of its axis. */
    const char *text = m.text, *edge = iso_lab_text(m.pool, "%.9g", high * 1.8), *done = "";
    for (const char *at; (at = strstr(text, "EDGE")) != NULL; text = at + 4) {
        done = iso_lab_text(m.pool, "%s%.*s%s", done, (int)(at - text), text, edge);
    }
    m.text = iso_lab_text(m.pool, "%s%s", done, text);
    text = iso_lab_text(m.pool, "%sLOW = %.9g\nHIGH = %.9g\nFIRST = %s\nSECOND = %s\n", labels(&m, "LABEL", note, n), low,
                        high, quoted(m.pool, first), quoted(m.pool, second));
    finish(&m, f, n, text, 2.7 * (double)n + 0.2, 2.75);
}

/* Rows of bars: family and what else differs. */
typedef struct row {
    const char *label, *family, *level, *checker;
} row;

static row *rows_of(maker *m, size_t *n) {
    row *rows = NULL;
    size_t room = 0;
    bool families = false;
    *n = 0;
    for (size_t i = 0; i < m->r->cells->n; i++) {
        families |= !is(m->r->cells->at[i].family, m->r->cells->at[0].family);
    }
    for (size_t s = 0; s < m->n; s++) {
        for (size_t i = 0; i < m->r->cells->n; i++) {
            const iso_cell *c = &m->r->cells->at[i];
            bool known = !of_series(&m->series[s], c) || c->n == 0;
            for (size_t k = 0; k < *n && !known; k++) {
                known = is(rows[k].family, c->family) && is(rows[k].level, c->level) && is(rows[k].checker, c->checker);
            }
            if (!known) {
                ISO_GROW(m->pool, rows, *n, room);
                const char *label = families ? iso_lab_text(m->pool, "%s, %s", c->family, m->series[s].label)
                                             : m->series[s].label;
                rows[(*n)++] = (row){label, c->family, c->level, c->checker};
            }
        }
    }
    if (*n == 0) {
        iso_throw(m->pool->env, ISOLAB_E_USAGE, "no results fit");
    }
    return rows;
}

static bool of_row(const row *r, const iso_cell *c) {
    return is(r->family, c->family) && is(r->level, c->level) && is(r->checker, c->checker) && c->n > 0;
}

static const char *row_labels(maker *m, const row *rows, size_t n) {
    const char **text = ISO_ZNEW(m->pool, const char *, n);
    for (size_t i = 0; i < n; i++) {
        text[i] = rows[i].label;
    }
    return labels(m, "LABEL", text, n);
}

/* Phases of a cell so that they add up to the wall time: `check` is the sum of its phases and a rest; what is before
 * and after is the process. */
static void stage(maker *m, const char **names, size_t *n_names, double *sum, const char *name, double ms) {
    size_t i = 0;
    while (i < *n_names && !is(names[i], name)) {
        i++;
    }
    if (i == ISO_MOST_PHASES - 1) {
        return;
    }
    if (i == *n_names) {
        names[(*n_names)++] = iso_lab_text(m->pool, "%s", name);
    }
    sum[i] += fmax(0, ms);
}

/* Only so many fills can be told apart: the smallest stages become `other`, the last one. */
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
        if (!merged) { /* make room for it at the end */
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

static void stages(const iso_figure_request *r, iso_figure *f) {
    maker m = begin(r);
    size_t n, n_names = 0;
    row *rows = rows_of(&m, &n);
    const char *names[ISO_MOST_PHASES];
    double (*sum)[ISO_MOST_PHASES] = iso_zalloc(m.pool, n, sizeof *sum);
    for (size_t i = 0; i < n; i++) {
        size_t histories = 0;
        for (size_t k = 0; k < r->cells->n; k++) {
            const iso_cell *c = &r->cells->at[k];
            if (!of_row(&rows[i], c)) {
                continue;
            }
            double wall = 0, inside = 0, load = 0, check = 0;
            for (size_t v = 0; v < c->n; v++) {
                wall += c->wall[v] / (double)c->n;
            }
            for (size_t p = 0; p < c->n_phases; p++) {
                load += is(c->phase[p], "load") ? c->phase_ms[p] : 0;
                check += is(c->phase[p], "check") ? c->phase_ms[p] : 0;
            }
            stage(&m, names, &n_names, sum[i], "process", wall - load - check);
            stage(&m, names, &n_names, sum[i], "load", load);
            for (size_t p = 0; p < c->n_phases; p++) {
                if (!is(c->phase[p], "load") && !is(c->phase[p], "check")) {
                    stage(&m, names, &n_names, sum[i], c->phase[p], c->phase_ms[p]);
                    inside += c->phase_ms[p];
                }
            }
            stage(&m, names, &n_names, sum[i], inside > 0 ? "rest of check" : "check", check - inside);
            histories++;
        }
        for (size_t p = 0; p < ISO_MOST_PHASES; p++) {
            sum[i][p] /= 1e3 * (double)histories;
        }
    }
    merge_small(names, &n_names, sum, n);
    f->grid = iso_grid_new(m.pool, iso_lab_text(m.pool, "Mean seconds by stage. %s.", r->cells->about));
    iso_grid_title(f->grid, "");
    for (size_t p = 0; p < n_names; p++) {
        iso_grid_title(f->grid, names[p]);
    }
    for (size_t i = 0; i < n; i++) {
        iso_grid_text(f->grid, rows[i].label);
        const char *text = "";
        for (size_t p = 0; p < n_names; p++) {
            iso_grid_number(f->grid, sum[i][p]);
            text = iso_lab_text(m.pool, "%s %.9g", text, sum[i][p]);
        }
        m.text = iso_lab_text(m.pool, "%s%zu%s\n", m.text, i + 1, text);
    }
    finish(&m, f, n, iso_lab_text(m.pool, "%s%sSTAGES = %zu\n", row_labels(&m, rows, n), labels(&m, "STAGE", names, n_names), n_names), 4.6,
           1.1 + 0.24 * (double)n);
}

static void memory(const iso_figure_request *r, iso_figure *f) {
    maker m = begin(r);
    size_t n;
    row *rows = rows_of(&m, &n);
    f->grid = iso_grid_new(m.pool, iso_lab_text(m.pool, "Peak memory in MiB: median and largest of all histories. %s.", r->cells->about));
    titles(f->grid, (const char *const[]){"", "median", "largest", NULL});
    for (size_t i = 0; i < n; i++) {
        double *values = NULL, largest = 0;
        size_t count = 0, room = 0;
        for (size_t k = 0; k < r->cells->n; k++) {
            const iso_cell *c = &r->cells->at[k];
            for (size_t v = 0; of_row(&rows[i], c) && v < c->n; v++) {
                ISO_GROW(m.pool, values, count, room);
                values[count++] = c->peak[v];
                largest = fmax(largest, c->peak[v]);
            }
        }
        double median = iso_stat_quantile(m.pool, values, count, 0.5);
        m.text = iso_lab_text(m.pool, "%s%zu %.9g %.9g\n", m.text, i + 1, median, largest);
        iso_grid_text(f->grid, rows[i].label);
        iso_grid_number(f->grid, median);
        iso_grid_number(f->grid, largest);
    }
    finish(&m, f, n, row_labels(&m, rows, n), 4.6, 0.9 + 0.24 * (double)n);
}

/* Every checker's time as a multiple of the first one's, by family and level. */
static void ablation(const iso_figure_request *r, iso_figure *f) {
    maker m = begin(r);
    size_t n, kept = 0;
    row *rows = rows_of(&m, &n);
    const char *base = m.series[0].checker;
    f->grid = iso_grid_new(m.pool, iso_lab_text(m.pool, "Time as a multiple of that of %s (geometric means over histories, 95 %% intervals). %s.",
                                                base, r->cells->about));
    titles(f->grid, (const char *const[]){"", "histories", "ratio", "low", "high", "without verdict", NULL});
    for (size_t i = 0; i < n; i++) {
        double *ratio = ISO_NEW(m.pool, double, r->cells->n);
        size_t count = 0, missing = 0;
        for (size_t k = 0; k < r->cells->n && !is(rows[i].checker, base); k++) {
            const iso_cell *c = &r->cells->at[k];
            if (!is(rows[i].family, c->family) || !is(rows[i].level, c->level) || !is(rows[i].checker, c->checker)) {
                continue;
            }
            missing += c->n == 0;
            for (size_t b = 0; b < r->cells->n && c->n > 0; b++) {
                const iso_cell *d = &r->cells->at[b];
                if (is(d->checker, base) && is(d->level, c->level) && is(d->history, c->history) &&
                    is(d->suite, c->suite) && is(d->source, c->source) && d->n > 0) {
                    ratio[count++] = iso_stat_median(m.pool, iso_cell_measure(m.pool, c, r->y), c->n).value /
                                     iso_stat_median(m.pool, iso_cell_measure(m.pool, d, r->y), d->n).value;
                    break;
                }
            }
        }
        if (count == 0) {
            continue;
        }
        iso_interval g = iso_stat_geometric_mean(m.pool, ratio, count);
        rows[kept] = rows[i];
        m.text = iso_lab_text(m.pool, "%s%zu %.9g %.9g %.9g\n", m.text, ++kept, g.value, g.low, g.high);
        iso_grid_text(f->grid, rows[i].label);
        iso_grid_text(f->grid, iso_lab_text(m.pool, "%zu", count));
        iso_grid_number(f->grid, g.value);
        iso_grid_number(f->grid, g.low);
        iso_grid_number(f->grid, g.high);
        iso_grid_text(f->grid, iso_lab_text(m.pool, "%zu", missing));
    }
    if (kept == 0) {
        iso_throw(m.pool->env, ISOLAB_E_USAGE, "an ablation needs at least two checkers");
    }
    finish(&m, f, kept, iso_lab_text(m.pool, "%sBASE = %s\n", row_labels(&m, rows, kept), quoted(m.pool, base)), 4.6,
           0.9 + 0.24 * (double)kept);
}

/* Histories by row, checkers and levels by column; how it ended where there is no verdict. */
static void table(const iso_figure_request *r, iso_figure *f) {
    maker m = begin(r);
    f->grid = iso_grid_new(m.pool, iso_lab_text(m.pool, "Medians of %s. %s.", y_title(r), r->cells->about));
    titles(f->grid, (const char *const[]){"history", r->x, NULL});
    for (size_t s = 0; s < m.n; s++) {
        iso_grid_title(f->grid, m.series[s].label);
    }
    for (size_t i = 0; i < r->cells->n; i++) {
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
        iso_grid_text(f->grid, isnan(x) ? "" : iso_lab_text(m.pool, "%.9g", x));
        for (size_t s = 0; s < m.n; s++) {
            const iso_cell *c = NULL;
            for (size_t k = i; k < r->cells->n && c == NULL; k++) {
                const iso_cell *d = &r->cells->at[k];
                c = of_series(&m.series[s], d) && is(d->history, first->history) && is(d->suite, first->suite) ? d : NULL;
            }
            if (c == NULL || c->n == 0) {
                iso_grid_text(f->grid, c != NULL ? c->state : "");
            } else {
                iso_grid_number(f->grid, iso_stat_median(m.pool, iso_cell_measure(m.pool, c, r->y), c->n).value * unit(r));
            }
        }
    }
    finish(&m, f, m.n, "", 0, 0);
}

const iso_figure_kind iso_figure_kinds[] = {
    {"line", "medians with intervals against a size", true, line},
    {"exponents", "the same with fitted power laws", true, exponents},
    {"scatter", "one checker's time against another's, with lines of equal speed-up", true, scatter},
    {"quantile", "how many questions are answered within a time (cactus)", true, quantile},
    {"stages", "where the time goes, as stacked bars", true, stages},
    {"memory", "peak memory as bars", true, memory},
    {"ablation", "times as multiples of those of the first checker", true, ablation},
    {"table", "a row a history, a column a checker and level", false, table},
    {NULL, NULL, false, NULL},
};
