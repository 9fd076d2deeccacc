/* Figures and tables from results. A figure kind is one function that makes the data, and one template of gnuplot in
 * plots/ that draws them. */
#ifndef ISOLAB_EXPERIMENTS_FIGURES_FIGURE_H
#define ISOLAB_EXPERIMENTS_FIGURES_FIGURE_H

#include "base/print.h"
#include "experiments/figures/cells.h"
#include "experiments/figures/grid.h"

typedef struct iso_figure_request {
    iso_pool *pool;
    const iso_cells *cells;
    const char *x;        /* a size of iso_cell_size() */
    const char *y;        /* a measure of iso_cell_measure() */
    const char *title;    /* NULL: none */
    const char *checkers; /* in the order asked for, with commas; NULL: as they come */
} iso_figure_request;

/* What is drawn. data is the text of one datablock of gnuplot, of numbers alone, its parts separated by two blank lines.
 * Names are strings of the settings, in which nothing is left that gnuplot reads as its own (ISO_GNUPLOT). */
typedef struct iso_figure {
    iso_markup settings; /* lines of gnuplot that the template reads: N, LABEL, ... */
    iso_markup data;
    double width, height; /* inches */
    iso_grid *grid;       /* the same numbers as a table */
} iso_figure;

typedef struct iso_figure_kind {
    const char *name; /* also of its template, plots/NAME.gp; `table` has none */
    const char *help;
    bool drawn;
    bool x, y; /* does it read them? */
    void (*make)(const iso_figure_request *request, iso_figure *figure);
} iso_figure_kind;

extern const iso_figure_kind iso_figure_kinds[]; /* ended by a NULL name */

#endif
