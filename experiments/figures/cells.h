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
    double *net; /* n each: ms of reading and checking; of a published checker: of its process, without its start */
    const char **counters; /* n each: a JSON object of numbers, or NULL */
    size_t n_phases;       /* means of all runs */
    const char *phase[ISO_MOST_PHASES];
    double phase_ms[ISO_MOST_PHASES];
} iso_cell;

typedef struct iso_cells {
    iso_cell *at; /* ordered by history (as measured), level (by strength), checker */
    size_t n;
    double load;         /* of the machine: mean before the runs; NaN: not known */
    const char *about;   /* commit, processor and kernel in one line */
    const char *program; /* SHA-256 of the measured program */
} iso_cells;

/* The selection; NULL: everything. level and checker are lists with commas; family and history are patterns
 * (fnmatch). */
typedef struct iso_filter {
    const char *suite, *level, *checker, *family, *history;
    const char *label; /* of the environment, or a prefix of its commit or program; NULL: the newest */
} iso_filter;

/* Throws ISOLAB_E_USAGE if no environment matches the label. */
iso_cells iso_cells_load(iso_pool *pool, iso_results *results, const iso_filter *filter);

/* Leaves out the published checkers that were never asked: each of their cells is `unsupported`, most often since
 * they are not installed. Returns the reasons, one line each; "": none was left out. */
const char *iso_cells_leave_out(iso_pool *pool, iso_cells *cells);

/* measure: `wall`, `total` (wall, and the time in which the history was made; NaN: not known), `served` (the same, but
 * of a recording only the time in which its workload ran), `net`, `cpu`, `load`, `check` (ms), `peak` (MiB), `aborted`
 * (the share of a recording's transactions that did not commit), or `counter:NAME`: a number that the checker counted,
 * 0 if it did not. Throws ISOLAB_E_USAGE for others. */
const double *iso_cell_measure(iso_pool *pool, const iso_cell *cell, const char *measure);

/* Returns the varied parameters whose values are numbers, as text: `, or a parameter: ops users`; "": none. */
const char *iso_cells_parameters(iso_pool *pool, const iso_cells *cells);

/* what: transactions, operations, sessions, keys, bytes, or a varied parameter. NaN: the history has none. */
double iso_cell_size(const iso_cell *cell, const char *what);

#endif
