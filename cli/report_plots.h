/* Pictures of measurements as parts of a page, drawn without another program: points on logarithmic scales, with marks
 * of another form for each checker, so that a reader need not distinguish colours. */
#ifndef ISOLAB_CLI_REPORT_PLOTS_H
#define ISOLAB_CLI_REPORT_PLOTS_H

#include "base/print.h"

typedef struct iso_plot_point {
    double x, y;      /* left out unless both are positive and finite */
    unsigned series;  /* which checker */
    const char *says; /* the text that the page shows when the pointer is on the mark */
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
