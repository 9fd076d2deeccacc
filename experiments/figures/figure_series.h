/* Types and functions that the files of figures share. See figure.h. */
#ifndef ISOLAB_EXPERIMENTS_FIGURES_FIGURE_SERIES_H
#define ISOLAB_EXPERIMENTS_FIGURES_FIGURE_SERIES_H

#include "experiments/figures/figure.h"

typedef struct iso_point {
    double x, y, low, high;
} iso_point;

/* The results of one checker at one level, of one family or of all families. The label leaves out the parts of the name
 * that all series share. */
typedef struct iso_series {
    const char *label, *checker, *level, *family; /* family: NULL: of all */
    iso_point *at;
    size_t n, room;
} iso_series;

typedef struct iso_maker {
    const iso_figure_spec *r;
    iso_pool *pool;
    iso_series *series;
    size_t n, room;
    bool levels, checkers;      /* there are several levels, several checkers */
    bool families;              /* there are several families, and each has series of its own */
    iso_printer settings, data; /* the text of gnuplot so far */
    size_t longest;             /* characters of the longest label */
} iso_maker;

/* Makes the series of the cells by checker and level, checkers in the requested order. Throws ISOLAB_E_USAGE if there
 * is no series. */
iso_maker iso_figure_begin(const iso_figure_spec *spec);
bool iso_of_series(const iso_series *series, const iso_cell *cell);

const char *iso_figure_y_title(const iso_figure_spec *spec);
double iso_figure_median(const iso_maker *m, const iso_cell *cell); /* in seconds or MiB; NaN: no measurement */
/* Returns the measurements of the runs in that unit, without missing ones; a time of 0 becomes 1 ns. *runs: their
 * number. */
double *iso_figure_runs(const iso_maker *m, const iso_cell *cell, size_t *runs);
bool iso_same_history(const iso_cell *a, const iso_cell *b);

/* Adds a row of data; a number that is not finite is missing. */
void iso_figure_row(iso_maker *m, const double *number, size_t n);

void iso_figure_end_part(iso_maker *m, bool empty); /* ends a part of the data; empty: it has no row */

/* Returns the number of wrong and disputed answers of a checker at a level, of a family (NULL: of all). */
size_t iso_figure_bad(const iso_maker *m, const char *checker, const char *level, const char *family);

/* Returns a label with what is wrong with the answers: `ext:mine (18 wrong)`. */
const char *iso_figure_marked(const iso_maker *m, const char *label, const char *checker, const char *level,
                              const char *family);

/* Makes the picture one of sentences, a line each. */
void iso_figure_sentences(iso_maker *m, iso_figure *figure, const char *const *text, size_t n);

/* Adds a setting of the template: an array of strings. name is one of the template's variables. */
void iso_figure_array(iso_maker *m, const char *name, const char *const *text, size_t n);

void iso_figure_titles(iso_grid *grid, const char *const *title); /* ended by NULL */
void iso_figure_finish(iso_maker *m, iso_figure *figure, size_t n, double width, double height);

void iso_figure_scatter(const iso_figure_spec *spec, iso_figure *figure);
void iso_figure_stages(const iso_figure_spec *spec, iso_figure *figure);
void iso_figure_memory(const iso_figure_spec *spec, iso_figure *figure);
void iso_figure_ablation(const iso_figure_spec *spec, iso_figure *figure);
void iso_figure_mean(const iso_figure_spec *spec, iso_figure *figure);
void iso_figure_table(const iso_figure_spec *spec, iso_figure *figure);
void iso_figure_verdicts(const iso_figure_spec *spec, iso_figure *figure);
void iso_figure_matrix(const iso_figure_spec *spec, iso_figure *figure);
void iso_figure_predictors(const iso_figure_spec *spec, iso_figure *figure);

#endif
