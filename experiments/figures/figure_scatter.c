/* Scatter plots of one checker's time against another's. See figure.h. */
#include "experiments/figures/figure_series.h"

#include <math.h>
#include <string.h>

#include "experiments/figures/statistics.h"

static bool is(const char *a, const char *b) { return strcmp(a, b) == 0; }

/* One level of a scatter plot, or one family at one level: x is the first checker's time, y the second one's. */
typedef struct panel {
    const char *level, *family, *label; /* family: NULL: all */
    iso_point *at;                      /* INFINITY: no verdict, so the point is beyond the end of its axis */
    size_t n;                           /* number of points */
    size_t both;                        /* number of points with two times, which have a pair */
    iso_paired *pair;
    double *size;
} panel;

static panel *panels_of(const iso_maker *m, size_t *n) {
    panel *panels = ISO_ZNEW(m->pool, panel, m->n);
    *n = 0;
    for (size_t i = 0; i < m->n; i++) {
        bool known = false;
        for (size_t k = 0; k < *n; k++) {
            const char *family = m->series[i].family;
            known |= is(panels[k].level, m->series[i].level) && (family == NULL || is(panels[k].family, family));
        }
        if (!known) {
            const iso_series *s = &m->series[i];
            const char *label = s->family == NULL ? s->level
                                : m->levels       ? iso_format_text(m->pool, "%s, %s", s->family, s->level)
                                                  : s->family;
            panels[(*n)++] = (panel){.level = s->level, .family = s->family, .label = label};
        }
    }
    return panels;
}

static const iso_cell *partner(const iso_cells *cells, const iso_cell *of, const char *checker) {
    const iso_cell *found = NULL;
    for (size_t k = 0; k < cells->n; k++) {
        const iso_cell *c = &cells->at[k];
        found = is(c->checker, checker) && is(c->level, of->level) && iso_same_history(of, c) ? c : found;
    }
    return found;
}

static void fill(const iso_maker *m, panel *p, const char *first, const char *second) {
    const iso_cells *cells = m->r->cells;
    p->at = ISO_NEW(m->pool, iso_point, cells->n);
    p->pair = ISO_NEW(m->pool, iso_paired, cells->n);
    p->size = ISO_NEW(m->pool, double, cells->n);
    for (size_t i = 0; i < cells->n; i++) {
        iso_tick(m->pool->env);
        const iso_cell *a = &cells->at[i];
        bool its = is(a->checker, first) && is(a->level, p->level) && (p->family == NULL || is(a->family, p->family));
        const iso_cell *b = its ? partner(cells, a, second) : NULL;
        double x = b != NULL && a->n > 0 ? iso_figure_median(m, a) : NAN;
        double y = b != NULL && b->n > 0 ? iso_figure_median(m, b) : NAN;
        if (isnan(x) && isnan(y)) {
            continue;
        }
        if (!isnan(x) && !isnan(y)) {
            iso_paired *pair = &p->pair[p->both];
            pair->x = iso_figure_runs(m, a, &pair->n_x);
            pair->y = iso_figure_runs(m, b, &pair->n_y);
            p->size[p->both++] = a->transactions;
        }
        p->at[p->n++] = (iso_point){isnan(x) ? INFINITY : x, isnan(y) ? INFINITY : y, 0, 0};
    }
}

/* Fills the panels and leaves out panels without a point, unless no panel has one. Returns the number of panels. */
static size_t fill_all(const iso_maker *m, panel *panels, size_t n, const char *first, const char *second) {
    size_t kept = 0;
    for (size_t l = 0; l < n; l++) {
        fill(m, &panels[l], first, second);
        if (panels[l].n > 0) {
            panels[kept++] = panels[l];
        }
    }
    return kept > 0 ? kept : n;
}

/* Returns who is faster: `awdit is 3.5× faster than plume`. */
static const char *comparison(const iso_maker *m, double ratio, const char *first, const char *second) {
    bool slower = ratio < 1;
    double by = slower ? 1 / ratio : ratio;
    const char *much = iso_format_text(m->pool, "%.3g× faster than", by);
    return isnan(ratio) ? "no history that both answered"
                        : iso_format_text(m->pool, "%s is %s %s", slower ? first : second,
                                          by < 1.005 ? "as fast as" : much, slower ? second : first);
}

/* Adds a row to the table. Returns the two lines of the panel's title. */
static const char *summarize(const iso_maker *m, const panel *p, iso_grid *grid, const char *first, const char *second,
                             const char **who) {
    const iso_interval none = {NAN, NAN, NAN};
    iso_paired *large = ISO_NEW(m->pool, iso_paired, p->both);
    double bound = 0;
    size_t n_large = 0;
    if (p->both > 0) {
        bound = iso_stat_quantile(m->pool, p->size, p->both, 0.8);
    }
    for (size_t i = 0; i < p->both; i++) {
        if (p->size[i] >= bound) {
            large[n_large++] = p->pair[i];
        }
    }
    iso_interval all = p->both > 0 ? iso_stat_ratio(m->pool, p->pair, p->both) : none;
    iso_interval fifth = p->both > 0 ? iso_stat_ratio(m->pool, large, n_large) : none;
    iso_grid_text(grid, p->label);
    iso_grid_count(grid, p->both);
    const double numbers[] = {all.value, all.low, all.high, fifth.value, fifth.low, fifth.high};
    for (int i = 0; i < 6; i++) {
        iso_grid_number(grid, numbers[i]);
    }
    iso_grid_count(grid, p->n - p->both);
    iso_grid_count(grid,
                   iso_figure_bad(m, first, p->level, p->family) + iso_figure_bad(m, second, p->level, p->family));
    *who = comparison(m, all.value, first, second);
    return p->label;
}

/* Prints two parts of the data: the points with two verdicts, then those with only one. */
static void print_panel(iso_maker *m, const panel *p, double edge) {
    for (int part = 0; part < 2; part++) {
        bool empty = true;
        for (size_t i = 0; i < p->n; i++) {
            bool alone = isinf(p->at[i].x) || isinf(p->at[i].y);
            if (alone == (part == 1)) {
                iso_figure_row(m, (const double[]){fmin(p->at[i].x, edge), fmin(p->at[i].y, edge)}, 2);
                empty = false;
            }
        }
        iso_figure_end_part(m, empty);
    }
}

void iso_figure_scatter(const iso_figure_spec *r, iso_figure *f) {
    iso_maker m = iso_figure_begin(r);
    const char *first = m.series[0].checker, *second = NULL;
    for (size_t i = 0; i < m.n && second == NULL; i++) {
        second = !is(m.series[i].checker, first) ? m.series[i].checker : NULL;
    }
    if (second == NULL) {
        iso_throw(m.pool->env, ISOLAB_E_USAGE, "a scatter needs two checkers: --checker SLOW,FAST");
    }
    f->grid = iso_grid_new(m.pool, iso_format_text(m.pool,
                                                   "Time of %s over time of %s: above 1, the second one is "
                                                   "faster (geometric means, 95 %% intervals). "
                                                   "Large: the fifth of the histories with the most transactions. "
                                                   "%s.",
                                                   first, second, r->cells->about));
    iso_figure_titles(f->grid, (const char *const[]){"level", "histories", "ratio", "low", "high", "large", "large low",
                                                     "large high", "only one answered", "wrong", NULL});
    size_t n;
    panel *panels = panels_of(&m, &n);
    const char **note = ISO_NEW(m.pool, const char *, n), **who = ISO_NEW(m.pool, const char *, n + 2);
    size_t points = 0;
    double least = INFINITY, most = 0;
    n = fill_all(&m, panels, n, first, second);
    for (size_t l = 0; l < n; l++) {
        note[l] = summarize(&m, &panels[l], f->grid, first, second, &who[l]);
        points += panels[l].n;
        for (size_t i = 0; i < panels[l].n; i++) {
            const iso_point *p = &panels[l].at[i];
            least = fmin(least, fmin(p->x, p->y));
            most = fmax(most, fmax(isinf(p->x) ? 0 : p->x, isinf(p->y) ? 0 : p->y));
        }
    }
    const char *x = iso_figure_marked(&m, first, first, NULL, NULL);
    const char *y = iso_figure_marked(&m, second, second, NULL, NULL);
    if (points < 2) {
        for (size_t l = 0; l < n; l++) {
            who[l] = iso_format_text(m.pool, "%s: %s", note[l], who[l]);
        }
        who[n] = x;
        who[n + 1] = y;
        iso_figure_sentences(&m, f, who, n + 2);
        return;
    }
    double high = pow(10, ceil(log10(fmax(most * 1.05, 1e-5))));
    double low = fmin(pow(10, floor(log10(fmax(least, 1e-6)))), high / 100);
    for (size_t l = 0; l < n; l++) {
        print_panel(&m, &panels[l], high * 1.8);
    }
    iso_figure_array(&m, "LABEL", note, n);
    iso_figure_array(&m, "WHO", who, n);
    iso_print(&m.settings, "LOW = %.9g\nHIGH = %.9g\nFIRST = %s\nSECOND = %s\n", low, high, x, y);
    iso_figure_finish(&m, f, n, 2.7 * (double)n + 0.2, 2.95);
}
