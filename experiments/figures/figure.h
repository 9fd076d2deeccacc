/* Figures and tables of results. A figure kind is a function that makes the data, and a gnuplot template in plots/ that
 * draws them. */
#ifndef ISOLAB_EXPERIMENTS_FIGURES_FIGURE_H
#define ISOLAB_EXPERIMENTS_FIGURES_FIGURE_H

#include "base/print.h"
#include "experiments/figures/cells.h"
#include "experiments/figures/grid.h"

typedef struct iso_figure_spec {
    iso_pool *pool;
    const iso_cells *cells;
    const char *x;        /* a size of iso_cell_size() */
    const char *y;        /* a measure of iso_cell_measure() */
    const char *over;     /* mean: the measure of which y is shown as a share; NULL: y itself */
    const char *title;    /* NULL: none */
    bool pooled;          /* unlike families are joined; otherwise each is a series, a panel or a row of its own */
    bool apart;           /* families are series of their own: set for kinds that keep them apart, if not pooled */
    const char *checkers; /* in the requested order, with commas; NULL: in the order of the results */
} iso_figure_spec;

/* The content of a picture. data is the text of one gnuplot datablock with only numbers; two blank lines separate its
 * parts. Names are strings of the settings, escaped so that gnuplot interprets nothing in them (ISO_GNUPLOT). */
typedef struct iso_figure {
    iso_markup settings; /* lines of gnuplot that the template uses: N, LABEL, ... */
    iso_markup data;
    double width, height; /* inches */
    bool sentences;       /* too few points for axes: plots/sentences.gp writes the numbers instead */
    iso_grid *grid;       /* the same numbers as a table */
} iso_figure;

typedef struct iso_figure_kind {
    const char *name; /* also the name of its template, plots/NAME.gp; `table` has none */
    const char *help;
    bool drawn;
    bool x, y;     /* whether it uses them */
    bool families; /* whether it distinguishes families */
    bool apart;    /* whether series and panels are of one family each */
    void (*make)(const iso_figure_spec *spec, iso_figure *figure);
} iso_figure_kind;

extern const iso_figure_kind iso_figure_kinds[]; /* ended by a NULL name */

#endif
