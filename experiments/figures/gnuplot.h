/* Draws a figure with gnuplot: the settings and data of the figure, plots/style.gp and plots/KIND.gp make one
 * script. */
#ifndef ISOLAB_EXPERIMENTS_FIGURES_GNUPLOT_H
#define ISOLAB_EXPERIMENTS_FIGURES_GNUPLOT_H

#include "experiments/figures/figure.h"

/* svg, pdf or png. */
bool iso_gnuplot_draws(const char *extension);

/* Both take the templates of $ISOLAB_PLOTS, of the tree in which the program was built, or of the installation, and
 * throw ISOLAB_E_IO if there are none. The script draws an SVG to standard output. The script and gnuplot's arguments
 * contain names from outside only as strings of ISO_GNUPLOT, so nothing in names is executed. */
iso_markup iso_gnuplot_script(iso_pool *pool, const char *kind, const iso_figure *figure);

bool iso_gnuplot_is_there(iso_pool *pool);

/* Returns the picture, *size bytes in the pool. Throws ISOLAB_E_IO if gnuplot is not installed (with what to install)
 * or fails. */
const char *iso_gnuplot_draw(iso_pool *pool, const char *kind, const iso_figure *figure, const char *extension,
                             size_t *size);

#endif
