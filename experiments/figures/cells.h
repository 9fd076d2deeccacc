/* Reads results: one cell for each history, level and checker, with all its repetitions. */
#ifndef ISOLAB_EXPERIMENTS_FIGURES_CELLS_H
#define ISOLAB_EXPERIMENTS_FIGURES_CELLS_H

#include "experiments/runner/results.h"

enum { ISO_MOST_PHASES = 24 };
#define ISO_COUNTER "counter:"

typedef struct iso_cell {
    int64_t environment;
    const char *suite, *history, *family, *source, *level, *checker;
    const char *parameters; /* JSON object */
    double bytes, sessions, transactions, operations, keys;
    const char *state, *verdict, *expected, *reason; /* of the first run that is not ok, else of the last run */
    size_t n;                                        /* number of runs with a verdict */
    double *wall, *cpu, *peak;                       /* n each: ms, ms, MiB */
    double *load, *check;                            /* n each: ms, as the checker itself reports; NaN: it does not */
    double *net; /* n each: ms of reading and checking; of a published checker: of its process, except its start */
    const char **counters; /* n each: a JSON object of numbers, or NULL */
    size_t n_phases;       /* phases: their names, and their times as means of all runs */
    const char *phase[ISO_MOST_PHASES];
    double phase_ms[ISO_MOST_PHASES];
} iso_cell;

typedef struct iso_cells {
    iso_cell *at; /* ordered by history (as measured), level (by strength), checker */
    size_t n;
    double load;             /* load average of the machine before the runs, as their mean; NaN: not known */
    const char *about;       /* commit, processor and kernel in one line, and what is missing */
    size_t planned, missing; /* selected runs that the suites ask for, and the ones of them that are not in the
                              * results; 0: the results do not say */
    size_t unasked;          /* selected questions of which all runs are missing */
    const char *program;     /* SHA-256 of the measured program */
} iso_cells;

/* A selection of cells; a field that is NULL selects all. level and checker are lists with commas; family and history
 * are patterns (fnmatch). */
typedef struct iso_filter {
    const char *suite, *level, *checker, *family, *history;
    const char *label; /* of the environment, or a prefix of its commit or program; NULL: the newest */
} iso_filter;

/* Returns the selected cells. Throws ISOLAB_E_USAGE if no environment matches the label. */
iso_cells iso_cells_load(iso_pool *pool, iso_results *results, const iso_filter *filter);

/* Removes the cells of published checkers that were never asked, most often because they are not installed: all cells
 * of such a checker are `unsupported`. Returns the reasons, one line for each such checker. Also removes the cells of
 * checkers at levels that they do not answer, which is no reason. */
const char *iso_cells_leave_out(iso_pool *pool, iso_cells *cells);

/* Returns the values of a measure, one for each of the n runs. Measures in ms: `wall`; `total` (wall, plus the time in
 * which the history was made; NaN: not known); `served` (the same, but of a recording only the time in which its
 * workload ran); `net`; `cpu`; `load`; `check`. Others: `peak` (MiB); `aborted` (the share of a recording's
 * transactions that did not commit); `counter:NAME` (a counter of the checker; 0 if it has none of this name). Throws
 * ISOLAB_E_USAGE for an unknown measure. */
const double *iso_cell_measure(iso_pool *pool, const iso_cell *cell, const char *measure);

/* Returns the names of varied parameters whose values are numbers, as text for a message: `, or a parameter: ops
 * users`; "" if there are none. */
const char *iso_cells_parameters(iso_pool *pool, const iso_cells *cells);

/* Returns a size of the history; NaN: it does not have it. what: transactions, operations, sessions, keys, bytes, or a
 * varied parameter. */
double iso_cell_size(const iso_cell *cell, const char *what);

#endif
