/* See report_plots.h. */
#include "cli/report_plots.h"

#include <math.h>

enum { WIDTH = 560, HEIGHT = 320, LEFT = 64, RIGHT = 34, TOP = 14, BOTTOM = 44, SHAPES = 6, COLOURS = 6 };

typedef struct axis {
    double low, high; /* of logarithms, unless it counts */
    bool counts;
    double from, to; /* pixels */
} axis;

static bool is_shown(const iso_plot_point *p) { return isfinite(p->x) && isfinite(p->y) && p->x > 0 && p->y > 0; }

static double place(const axis *a, double value) {
    double at = a->counts ? value : log10(value);
    return a->from + (at - a->low) / (a->high - a->low) * (a->to - a->from);
}

static axis axis_of(const iso_plot *p, bool x) {
    axis a = {.low = INFINITY, .high = -INFINITY, .counts = x && p->x_counts};
    for (size_t i = 0; i < p->n; i++) {
        double value = x ? p->point[i].x : p->point[i].y;
        if (is_shown(&p->point[i])) {
            double at = a.counts ? value : log10(value);
            a.low = fmin(a.low, at);
            a.high = fmax(a.high, at);
        }
    }
    a.low = a.counts ? 0 : floor(a.low);
    a.high = a.counts ? fmax(a.high, 1) : ceil(a.high);
    a.high = a.high > a.low ? a.high : a.low + 1;
    a.from = x ? LEFT : HEIGHT - BOTTOM;
    a.to = x ? WIDTH - RIGHT : TOP;
    return a;
}

/* Prints a value of a scale: `0.01`, `1000`, `1e7`. */
static void tick(iso_printer *page, double x, double y, const char *anchor, double value) {
    iso_print(page, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    if (value == 0 || (value >= 0.001 && value < 1e6)) {
        iso_print(page, "%.6g</text>", value);
    } else {
        iso_print(page, "%.0e</text>", value);
    }
}

/* Returns the step of a scale of counts: 1, 2 or 5 times a power of ten, so that it has at most ten steps. */
static double step_of_counts(double high) {
    double step = 1;
    for (unsigned i = 0; high / step > 10; i++) {
        step *= i % 3 == 1 ? 2.5 : 2;
    }
    return step;
}

static void grid(iso_printer *page, const axis *x, const axis *y) {
    iso_print(page, "<g class=\"grid\">");
    double step = x->counts ? step_of_counts(x->high) : ceil((x->high - x->low) / 8);
    for (double at = x->low; at <= x->high + 1e-9; at += step) {
        double px = x->from + (at - x->low) / (x->high - x->low) * (x->to - x->from);
        iso_print(page, "<path d=\"M%.1f %dV%d\"/>", px, TOP, HEIGHT - BOTTOM);
        tick(page, px, HEIGHT - BOTTOM + 15, "middle", x->counts ? at : pow(10, at));
    }
    step = ceil((y->high - y->low) / 8);
    for (double at = y->low; at <= y->high + 1e-9; at += step) {
        double py = y->from + (at - y->low) / (y->high - y->low) * (y->to - y->from);
        iso_print(page, "<path d=\"M%d %.1fH%d\"/>", LEFT, py, WIDTH - RIGHT);
        tick(page, LEFT - 6, py + 4, "end", pow(10, at));
    }
    iso_print(page, "</g>\n");
}

static void mark(iso_printer *page, unsigned series, double x, double y, const char *says) {
    switch (series % SHAPES) {
    case 0:
        iso_print(page, "<circle class=\"m s%u\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.4\">", series % COLOURS, x, y);
        break;
    case 1:
        iso_print(page, "<path class=\"m s%u\" d=\"M%.1f %.1fh6.4v6.4h-6.4z\">", series % COLOURS, x - 3.2, y - 3.2);
        break;
    case 2:
        iso_print(page, "<path class=\"m s%u\" d=\"M%.1f %.1fl4 7h-8z\">", series % COLOURS, x, y - 4);
        break;
    case 3:
        iso_print(page, "<path class=\"m s%u\" d=\"M%.1f %.1fl4 4-4 4-4-4z\">", series % COLOURS, x, y - 4);
        break;
    case 4:
        iso_print(page, "<path class=\"m open s%u\" d=\"M%.1f %.1fl7 7m0-7l-7 7\">", series % COLOURS, x - 3.5,
                  y - 3.5);
        break;
    default:
        iso_print(page, "<path class=\"m open s%u\" d=\"M%.1f %.1fh8m-4-4v8\">", series % COLOURS, x - 4, y);
    }
    if (says != NULL) {
        iso_print(page, "<title>%s</title>", says);
    }
    iso_print_markup(page, series % SHAPES == 0 ? ISO_MARKUP("</circle>") : ISO_MARKUP("</path>"));
}

static void line(iso_printer *page, const iso_plot *p, unsigned series, const axis *x, const axis *y) {
    bool begun = false;
    for (size_t i = 0; i < p->n; i++) {
        const iso_plot_point *at = &p->point[i];
        if (at->series == series && is_shown(at)) {
            if (!begun) {
                iso_print(page, "<path class=\"l s%u\" d=\"M", series % COLOURS);
            }
            iso_print(page, "%s%.1f %.1f", begun ? "L" : "", place(x, at->x), place(y, at->y));
            begun = true;
        }
    }
    if (begun) {
        iso_print(page, "\"/>\n");
    }
}

static void legend(iso_printer *page, const iso_plot *p) {
    iso_print(page, "<div class=\"key\">");
    for (unsigned s = 0; s < p->n_series; s++) {
        iso_print(page, "<span><svg class=\"plot\" width=\"16\" height=\"14\" aria-hidden=\"true\">");
        mark(page, s, 8, 7, NULL);
        iso_print(page, "</svg> %s</span>", p->series[s]);
    }
    iso_print(page, "</div>\n");
}

void iso_plot_draw(iso_printer *page, const iso_plot *p) {
    size_t shown = 0;
    for (size_t i = 0; i < p->n; i++) {
        shown += is_shown(&p->point[i]);
    }
    if (shown == 0) {
        return;
    }
    axis x = axis_of(p, true), y = axis_of(p, false);
    iso_print(page,
              "<figure><figcaption>%s</figcaption>\n<svg class=\"plot\" viewBox=\"0 0 %d %d\" role=\"img\"><title>%s: "
              "%s by %s, %zu points; the table has their numbers</title>\n",
              p->title, WIDTH, HEIGHT, p->title, p->y, p->x, shown);
    grid(page, &x, &y);
    for (unsigned s = 0; s < p->n_series && p->lines; s++) {
        line(page, p, s, &x, &y);
    }
    for (size_t i = 0; i < p->n; i++) {
        if (is_shown(&p->point[i])) {
            mark(page, p->point[i].series, place(&x, p->point[i].x), place(&y, p->point[i].y), p->point[i].says);
        }
    }
    iso_print(page, "\n<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>", (LEFT + WIDTH - RIGHT) / 2,
              HEIGHT - 8, p->x);
    iso_print(page, "<text transform=\"translate(14 %d)rotate(-90)\" text-anchor=\"middle\">%s</text></svg>\n",
              (TOP + HEIGHT - BOTTOM) / 2, p->y);
    legend(page, p);
    iso_print(page, "</figure>\n");
}
