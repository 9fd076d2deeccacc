/* Drawing a figure with gnuplot: the settings and data of the figure, plots/style.gp and plots/KIND.gp become
 * one script. */
#ifndef ISOLAB_EXPERIMENTS_FIGURES_GNUPLOT_H
#define ISOLAB_EXPERIMENTS_FIGURES_GNUPLOT_H

#include <stdio.h>

#include "experiments/figures/figure.h"

/* svg, pdf or png. */
bool iso_gnuplot_draws(const char *extension);

/* The script that draws the figure to the path. The templates are those of $ISOLAB_PLOTS, of the tree that the program
 * was built in, or of the installation. Throws ISOLAB_E_IO when they are nowhere. */
const char *iso_gnuplot_script(iso_pool *pool, const char *kind, const iso_figure *figure, const char *extension,
                               const char *path);

/* Runs it. Throws ISOLAB_E_IO when gnuplot is not installed (saying what to install) or fails. */
void iso_gnuplot_run(iso_pool *pool, const char *script, const char *path);

#endif
