/* Runs a suite: every history at every level by every checker, again and again, one process a run, one row a run.
 *
 * Repetitions are interleaved (all first ones, then all second ones), so that a busy moment of the machine does not
 * hit one checker alone. What the file of results already has is not run again. */
#ifndef ISOLAB_EXPERIMENTS_BENCH_H
#define ISOLAB_EXPERIMENTS_BENCH_H

#include <stdio.h>

#include "experiments/results.h"

typedef struct iso_bench {
    const iso_lab *lab;
    const iso_suite *suite;
    const char *label;  /* of this program in the results */
    unsigned repeat;    /* 0: as the suite says */
    FILE *progress;     /* a terminal; NULL: none */
} iso_bench;

enum { ISO_BENCH_STATES = ISO_RUN_REFUSED + 1, ISO_BENCH_NOTES = 20 };

typedef struct iso_bench_summary {
    size_t histories, runs, before, now; /* runs of the suite; of these in the file before; run now */
    size_t left_out;                     /* repetitions of what timed out or was refused */
    size_t state[ISO_BENCH_STATES];      /* of all runs of the suite */
    const char *note[ISO_BENCH_NOTES];   /* what is wrong or crashed, in words */
    size_t notes;                        /* how many there are, also those that have no room */
} iso_bench_summary;

/* Throws what ends it: ISOLAB_E_LIMIT when interrupted. The summary tells what happened until then. */
void iso_bench_run(const iso_bench *bench, iso_results *results, iso_bench_summary *summary);

/* Prints what would be run. */
void iso_bench_plan(const iso_bench *bench, FILE *out);

#endif
