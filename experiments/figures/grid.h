/* A table of texts, and its output as Markdown, LaTeX and CSV. */
#ifndef ISOLAB_EXPERIMENTS_FIGURES_GRID_H
#define ISOLAB_EXPERIMENTS_FIGURES_GRID_H

#include <stdbool.h>
#include <stdio.h>

#include "base/env.h"

typedef struct iso_grid {
    iso_pool *pool;
    size_t columns, rows, room;
    const char **cell; /* row by row, first the titles */
    double *number;    /* of each cell, all its digits; NaN: a text */
    size_t room_numbers;
    size_t filled; /* number of cells of the last row that are set */
    const char *caption;
} iso_grid;

iso_grid *iso_grid_new(iso_pool *pool, const char *caption);
void iso_grid_title(iso_grid *grid, const char *title); /* adds a column; call it before any cell */
void iso_grid_text(iso_grid *grid, const char *text);   /* sets the next cell */
void iso_grid_number(iso_grid *grid, double value);     /* three significant digits; not finite: empty */
void iso_grid_count(iso_grid *grid, size_t value);

/* Returns the text of a cell; NULL: none. row_and_column: the row's first cell, a colon, and the column's title. */
const char *iso_grid_find(const iso_grid *grid, const char *row_and_column);

/* A cell as a number with its interval, which is in the columns `low` and `high`, or in columns that begin with this
 * column's title. Without these columns low and high are NaN. iso_grid_measure() returns false if there is no cell, or
 * no number in it. */
typedef struct iso_grid_cell {
    double value, low, high;
} iso_grid_cell;
bool iso_grid_measure(const iso_grid *grid, const char *row_and_column, iso_grid_cell *cell);

typedef enum { ISO_GRID_MARKDOWN, ISO_GRID_LATEX, ISO_GRID_CSV } iso_grid_form;
void iso_grid_write(const iso_grid *grid, iso_grid_form form, FILE *out);

#endif
