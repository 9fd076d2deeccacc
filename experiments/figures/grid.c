/* See grid.h. */
#include "experiments/figures/grid.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"

iso_grid *iso_grid_new(iso_pool *pool, const char *caption) {
    iso_grid *g = ISO_ZNEW(pool, iso_grid, 1);
    g->pool = pool;
    g->caption = caption;
    return g;
}

static void add_cell(iso_grid *g, const char *text) {
    ISO_GROW(g->pool, g->number, g->filled, g->room_numbers);
    g->number[g->filled] = NAN;
    ISO_GROW(g->pool, g->cell, g->filled, g->room);
    g->cell[g->filled++] = text != NULL ? text : "";
}

void iso_grid_title(iso_grid *g, const char *title) {
    add_cell(g, title);
    g->columns++;
}

void iso_grid_text(iso_grid *g, const char *text) {
    add_cell(g, text);
    g->rows = (g->filled + g->columns - 1) / g->columns - 1;
}

void iso_grid_number(iso_grid *g, double value) {
    char text[40] = "";
    if (isfinite(value)) {
        snprintf(text, sizeof text, "%.2e", fabs(value));
        double size = strtod(text, NULL); /* rounded, since 9.999 has the digits of 10.0 */
        if (size >= 1e6 || size < 1e-4) {
            snprintf(text, sizeof text, "%.3g", value);
        } else { /* three significant digits */
            int digits = size >= 100     ? 0
                         : size >= 10    ? 1
                         : size >= 1     ? 2
                         : size >= 0.1   ? 3
                         : size >= 0.01  ? 4
                         : size >= 0.001 ? 5
                                         : 6;
            snprintf(text, sizeof text, "%.*f", digits, value);
        }
    }
    iso_grid_text(g, iso_format_text(g->pool, "%s", text));
    g->number[g->filled - 1] = value;
}

void iso_grid_count(iso_grid *g, size_t value) {
    iso_grid_text(g, iso_format_text(g->pool, "%zu", value));
    g->number[g->filled - 1] = (double)value;
}

static const char *at(const iso_grid *g, size_t row, size_t column) {
    size_t i = row * g->columns + column;
    return i < g->filled ? g->cell[i] : "";
}

/* Returns the number of the column with a title; columns: none. */
static size_t column_of(const iso_grid *g, const char *title) {
    size_t c = 0;
    while (c < g->columns && strcmp(at(g, 0, c), title) != 0) {
        c++;
    }
    return c;
}

/* Returns the row of a name of n characters; 0: none. */
static size_t row_of(const iso_grid *g, const char *name, size_t n) {
    for (size_t r = 1; r <= g->rows; r++) {
        const char *row = at(g, r, 0);
        if (strlen(row) == n && memcmp(row, name, n) == 0) {
            return r;
        }
    }
    return 0;
}

const char *iso_grid_find(const iso_grid *g, const char *row_and_column) {
    const char *colon = strrchr(row_and_column, ':');
    size_t row = colon != NULL ? row_of(g, row_and_column, (size_t)(colon - row_and_column)) : 0;
    size_t column = colon != NULL ? column_of(g, colon + 1) : g->columns;
    return row > 0 && column < g->columns ? at(g, row, column) : NULL;
}

static double number_at(const iso_grid *g, size_t row, size_t column) {
    size_t i = row * g->columns + column;
    return column < g->columns && i < g->filled ? g->number[i] : NAN;
}

bool iso_grid_measure(const iso_grid *g, const char *row_and_column, iso_grid_cell *cell) {
    const char *colon = strrchr(row_and_column, ':');
    size_t row = colon != NULL ? row_of(g, row_and_column, (size_t)(colon - row_and_column)) : 0;
    if (row == 0) {
        return false;
    }
    const char *title = colon + 1;
    size_t column = column_of(g, title);
    size_t low = column_of(g, iso_format_text(g->pool, "%s low", title));
    size_t high = column_of(g, iso_format_text(g->pool, "%s high", title));
    bool estimate = strcmp(title, "ratio") == 0 || strcmp(title, "exponent") == 0 || strcmp(title, "median") == 0 ||
                    strcmp(title, "mean") == 0 || strcmp(title, "share") == 0;
    if (low == g->columns && estimate) {
        low = column_of(g, "low");
        high = column_of(g, "high");
    }
    *cell = (iso_grid_cell){number_at(g, row, column), number_at(g, row, low), number_at(g, row, high)};
    return !isnan(cell->value);
}

/* Returns whether every cell of the column is empty or begins with a number. */
static bool numeric(const iso_grid *g, size_t column) {
    bool any = false;
    for (size_t r = 1; r <= g->rows; r++) {
        const char *c = at(g, r, column);
        any |= *c != '\0';
        if (*c != '\0' && !isdigit((unsigned char)c[c[0] == '-'])) {
            return false;
        }
    }
    return any;
}

static void markdown(const iso_grid *g, FILE *file) {
    iso_printer *out = &(iso_printer){.out = file, .target = ISO_MARKDOWN};
    for (size_t r = 0; r <= g->rows; r++) {
        iso_print(out, "|");
        for (size_t c = 0; c < g->columns; c++) {
            iso_print(out, " %s |", at(g, r, c));
        }
        iso_print(out, "\n");
        for (size_t c = 0; r == 0 && c < g->columns; c++) {
            iso_print_markup(out, numeric(g, c) ? ISO_MARKUP("|---:") : ISO_MARKUP("|---"));
        }
        if (r == 0) {
            iso_print(out, "|\n");
        }
    }
    iso_print(out, "\n%s\n", g->caption);
}

static void latex(const iso_grid *g, FILE *file) {
    iso_printer *out = &(iso_printer){.out = file, .target = ISO_LATEX};
    iso_print(out, "%% needs \\usepackage{booktabs}\n\\begin{table}\n\\centering\n\\caption{%s}\n\\begin{tabular}{@{}",
              g->caption);
    for (size_t c = 0; c < g->columns; c++) {
        iso_print(out, "%c", numeric(g, c) ? 'r' : 'l');
    }
    iso_print(out, "@{}}\n\\toprule\n");
    for (size_t r = 0; r <= g->rows; r++) {
        for (size_t c = 0; c < g->columns; c++) {
            iso_print_markup(out, c == 0 ? ISO_MARKUP("") : ISO_MARKUP(" & "));
            iso_print(out, "%s", at(g, r, c));
        }
        iso_print_markup(out, r == 0 ? ISO_MARKUP(" \\\\\n\\midrule\n") : ISO_MARKUP(" \\\\\n"));
    }
    iso_print(out, "\\bottomrule\n\\end{tabular}\n\\end{table}\n");
}

static void csv(const iso_grid *g, FILE *file) {
    iso_printer *out = &(iso_printer){.out = file, .target = ISO_CSV};
    for (size_t r = 0; r <= g->rows; r++) {
        for (size_t c = 0; c < g->columns; c++) {
            iso_print_markup(out, c == 0 ? ISO_MARKUP("") : ISO_MARKUP(","));
            iso_print(out, "%s", at(g, r, c));
        }
        iso_print(out, "\n");
    }
}

void iso_grid_write(const iso_grid *g, iso_grid_form form, FILE *out) {
    (form == ISO_GRID_MARKDOWN ? markdown : form == ISO_GRID_LATEX ? latex : csv)(g, out);
}
