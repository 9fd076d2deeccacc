/* Runs a suite: every history at every level by every checker, again and again, one process a run, one row a run.
 *
 * Repetitions are interleaved (all first ones, then all second ones), so that a busy moment of the machine does not
 * hit one checker alone. What the file of results already has is not run again. */
#ifndef ISOLAB_EXPERIMENTS_RUNNER_BENCH_H
#define ISOLAB_EXPERIMENTS_RUNNER_BENCH_H

#include <stdio.h>

#include "experiments/runner/results.h"

/* What one question of a suite is called: its history, level and checker. */
typedef struct iso_question_name {
    const char *history, *level, *checker;
    unsigned from; /* earlier repetitions are elsewhere */
} iso_question_name;

typedef struct iso_bench {
    const iso_lab *lab;
    const iso_suite *suite;
    const char *label;             /* of this program in the results */
    const iso_lab *other;          /* the same with another program: each run is followed by one of it; NULL: none */
    unsigned repeat;               /* 0: as the suite says */
    FILE *progress;                /* a terminal; NULL: none */
    const iso_question_name *only; /* of the suite only these n_only, which must exist; NULL: all */
    size_t n_only;
} iso_bench;

enum { ISO_BENCH_STATES = ISO_RUN_REFUSED + 1, ISO_BENCH_NOTES = 20 };

typedef struct iso_bench_summary {
    size_t histories, runs, before, now; /* runs of the suite; of these in the file before; run now */
    size_t open;                         /* runs that are missing: only after iso_bench_look() */
    size_t left_out;                     /* repetitions of what timed out or was refused */
    size_t state[ISO_BENCH_STATES];      /* of all runs of the suite */
    const char *note[ISO_BENCH_NOTES];   /* what is wrong or crashed, in words */
    size_t notes;                        /* how many there are, also notes that have no room */
} iso_bench_summary;

/* Throws what ends it: ISOLAB_E_LIMIT when interrupted. The summary tells what happened until then. */
void iso_bench_run(const iso_bench *bench, iso_results *results, iso_bench_summary *summary);

/* A question with runs that are missing, and the longest time in seconds that they take. */
typedef struct iso_open_question {
    iso_question_name name;
    double seconds;
    uint64_t memory; /* bytes that a run may take; 0: no limit */
    unsigned threads;
} iso_open_question;

/* What is in the results of this program and label, whoever ran it, and which questions are open, in the order of the
 * suite. Runs and makes nothing. Returns how many are open; *open belongs to the pool. */
size_t iso_bench_look(const iso_bench *bench, iso_results *results, iso_bench_summary *summary,
                      iso_open_question **open);

/* Prints what would be run. */
void iso_bench_plan(const iso_bench *bench, FILE *out);

#endif
