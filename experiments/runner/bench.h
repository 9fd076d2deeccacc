/* Runs a suite: every history at every level by every checker, repeatedly; each run is a process and a row of the
 * results.
 *
 * Repetitions are interleaved (all first ones, then all second ones), so that a busy moment of the machine does not
 * affect only one checker. Runs that are already in the file of results are not repeated. */
#ifndef ISOLAB_EXPERIMENTS_RUNNER_BENCH_H
#define ISOLAB_EXPERIMENTS_RUNNER_BENCH_H

#include <stdio.h>

#include "experiments/runner/results.h"

/* The name of a question of a suite: its history, level and checker. */
typedef struct iso_question_name {
    const char *history, *level, *checker;
    unsigned from; /* the first repetition to run; earlier ones are made elsewhere */
} iso_question_name;

typedef struct iso_bench {
    const iso_lab *lab;
    const iso_suite *suite;
    const char *label;             /* of this program in the results */
    const iso_lab *other;          /* the same with another program, which repeats each run; NULL: none */
    unsigned repeat;               /* 0: as the suite says */
    FILE *progress;                /* a terminal; NULL: do not show progress */
    const iso_question_name *only; /* run only these n_only questions, which must exist; NULL: all */
    size_t n_only;
} iso_bench;

enum { ISO_BENCH_NOTES = 20 };

typedef struct iso_bench_summary {
    size_t histories, runs, before, now; /* runs of the suite; runs in the file before; runs of this call */
    size_t missing;                      /* number of runs that are still missing */
    size_t unreadable;                   /* given histories that could not be read, and were left out */
    size_t left_out;                     /* repetitions that were not run because an earlier one timed out or was
                                          * refused */
    size_t state[ISO_RUN_STATES];        /* by state: runs of the suite */
    const char *note[ISO_BENCH_NOTES];   /* descriptions of wrong verdicts, crashes and missing databases */
    size_t notes;                        /* number of such descriptions, also descriptions that did not fit */
} iso_bench_summary;

/* Removes the runs of published checkers that were not installed then and are installed now. */
void iso_bench_forget_absent(const iso_lab *lab, iso_results *results);

/* Runs the missing runs of a suite. If it is interrupted it throws ISOLAB_E_LIMIT, and the summary describes the runs
 * until then. */
void iso_bench_run(const iso_bench *bench, iso_results *results, iso_bench_summary *summary);

/* Only writes into the results what the suite asks, for work that other processes do. */
void iso_bench_write_plan(const iso_bench *bench, iso_results *results);

/* A question with missing runs, and the longest time in seconds that they can take. */
typedef struct iso_missing_question {
    iso_question_name name;
    double seconds;
    uint64_t memory; /* memory limit of a run in bytes; 0 = none */
    unsigned threads;
} iso_missing_question;

/* Reads the results of this program and label, made by any process, and finds the questions with missing runs, in the
 * order of the suite. It runs and generates nothing. Returns the number of these questions; *missing belongs to the
 * pool. */
size_t iso_bench_look(const iso_bench *bench, iso_results *results, iso_bench_summary *summary,
                      iso_missing_question **missing);

/* Prints the runs that would be made. */
void iso_bench_plan(const iso_bench *bench, FILE *out);

/* Makes all histories, and prints the table of a line `frozen:`: name and SHA-256. */
void iso_bench_freeze(const iso_bench *bench, FILE *out);

#endif
