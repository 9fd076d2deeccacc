/* Reads results: one cell for each history, level and checker, with all its repetitions. */
#ifndef ISOLAB_EXPERIMENTS_FIGURES_CELLS_H
#define ISOLAB_EXPERIMENTS_FIGURES_CELLS_H

#include "experiments/runner/results.h"

enum { ISO_MOST_PHASES = 24 };
#define ISO_COUNTER "counter:"

/* What an answer counts as. This is the only place that decides it: figures, tables, claims and pages measure the
 * answers that count (iso_cell_counts()), and mark the rest by these classes. */
typedef enum iso_cell_class {
    ISO_CELL_RIGHT,    /* the verdict that the suite expects, or else that a certificate in the results proves */
    ISO_CELL_ANSWERED, /* the right verdict is not known, and no checker gave another one */
    ISO_CELL_WRONG,    /* not the right verdict */
    ISO_CELL_DISPUTED, /* the right verdict is not known, and checkers, or runs of this one, contradict each other */
    ISO_CELL_TIMEOUT,  /* no verdict in one of its runs; the rest as iso_run_state */
    ISO_CELL_MEMORY,
    ISO_CELL_CRASH,
    ISO_CELL_UNSUPPORTED,
    ISO_CELL_REFUSED,
    ISO_CELL_ABSENT,
    ISO_CELL_CLASSES
} iso_cell_class;

const char *iso_cell_class_name(iso_cell_class class); /* `right`, `not installed` */

typedef struct iso_cell {
    int64_t environment;
    const char *suite, *history, *family, *source, *level, *checker;
    const char *parameters; /* JSON object */
    double bytes, sessions, transactions, operations, keys;
    iso_cell_class class;
    const char *verdict, *expected, *reason; /* of the first run that is not ok, else of the last run */
    size_t n;                                /* number of measured runs; 0 unless the answer counts */
    double *wall, *cpu, *peak;               /* n each: ms, ms, MiB */
    double *load, *check;                    /* n each: ms, as the checker itself reports; NaN: it does not */
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
    unsigned cores;          /* processors of the machine */
    const char *about;       /* commit, processor and kernel in one line, what is missing, and the marks */
    const char *marks;       /* which checkers gave answers that do not count, in words; "": none */
    size_t planned, missing; /* selected runs that the suites ask for, and the ones of them that are not in the
                              * results; 0: the results do not say */
    size_t unasked;          /* selected questions of which all runs are missing */
    const char *program;     /* SHA-256 of the measured program */
} iso_cells;

/* A selection of cells; a field that is NULL selects all. level and checker are lists with commas; family and history
 * are patterns (fnmatch). */
typedef struct iso_filter {
    const char *suite, *level, *checker, *family, *history;
    const char *rename; /* a list with commas: CHECKER=NAME shows a checker by another name; NULL: none */
    const char *label;  /* of the environment, or a prefix of its commit or program; NULL: the newest */
} iso_filter;

/* Returns the selected cells. Throws ISOLAB_E_USAGE if no environment matches the label. */
iso_cells iso_cells_load(iso_pool *pool, iso_results *results, const iso_filter *filter);

/* Returns the name by which a checker is shown (iso_filter.rename). Throws ISOLAB_E_USAGE if `rename` is no such
 * list. */
const char *iso_cells_renamed(iso_pool *pool, const char *rename, const char *checker);

/* Returns whether an answer counts: it is right, or nothing contradicts it. */
static inline bool iso_cell_counts(const iso_cell *c) { return c->class <= ISO_CELL_ANSWERED; }

/* Returns what is wrong with the answers of a checker, among the cells of a level and a family (NULL: of any): `18
 * wrong`, `3 disputed`; "": nothing. */
const char *iso_cells_mark(iso_pool *pool, const iso_cells *cells, const char *checker, const char *level,
                           const char *family);

/* Returns `load 12.3 on 2 processors` if the machine was busy: on the average more processes than processors wanted to
 * run before each run. NULL: it was not, or its load is not known. */
const char *iso_cells_busy(iso_pool *pool, const iso_cells *cells);

/* Removes the cells of published checkers that were never asked, most often because they are not installed: no cell of
 * such a checker has another class. Returns the reasons, one line for each such checker. Also removes the cells of
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
