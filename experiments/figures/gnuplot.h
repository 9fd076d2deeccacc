/* Drawing a figure with gnuplot: the settings and data of the figure, plots/style.gp and plots/KIND.gp become
 * one script. */
#ifndef ISOLAB_EXPERIMENTS_FIGURES_GNUPLOT_H
#define ISOLAB_EXPERIMENTS_FIGURES_GNUPLOT_H

#include <stdio.h>

#include "experiments/figures/figure.h"

/* svg, pdf or png. */
bool iso_gnuplot_draws(const char *extension);

/* Both take the templates of $ISOLAB_PLOTS, of the tree that the program was built in, or of the installation, and throw
 * ISOLAB_E_IO when they are nowhere. The script draws an SVG to standard output. Neither it nor what gnuplot is called with
 * holds a name that somebody chose, except as strings of ISO_GNUPLOT, so nothing in names is ever executed. */
iso_markup iso_gnuplot_script(iso_pool *pool, const char *kind, const iso_figure *figure);

/* Throws ISOLAB_E_IO when gnuplot is not installed (saying what to install) or fails. */
void iso_gnuplot_draw(iso_pool *pool, const char *kind, const iso_figure *figure, const char *extension, FILE *out);

#endif
