/* Pictures of measurements as parts of a page, drawn without another program: points on logarithmic scales, one sort of
 * mark for each checker, so that they are told apart by form and not by colour alone. */
#ifndef ISOLAB_CLI_REPORT_PLOTS_H
#define ISOLAB_CLI_REPORT_PLOTS_H

#include "base/print.h"

typedef struct iso_plot_point {
    double x, y;      /* left out unless both are positive and finite */
    unsigned series;  /* which checker */
    const char *says; /* what the mark says when it is pointed at */
} iso_plot_point;

typedef struct iso_plot {
    const char *title, *x, *y; /* y: of the axis, with its unit */
    const char *const *series; /* their names */
    unsigned n_series;
    iso_plot_point *point;
    size_t n;
    bool lines;    /* the points of a series are joined, in their order */
    bool x_counts; /* the x axis is linear from 0 on */
} iso_plot;

void iso_plot_draw(iso_printer *page, const iso_plot *plot);

#endif
