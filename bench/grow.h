/* What the programs that measure growth (growth, scaling, strong) share: options, histories, times, exponents. */
#ifndef ISOLAB_BENCH_GROW_H
#define ISOLAB_BENCH_GROW_H

#include <stdio.h>

#include "checkers/checker.h"

/* An option sets the number, which is not 0, or the text. */
typedef struct grow_option {
    const char *name, *value; /* as in the usage line: "--ops", "N" */
    const char **text;
    uint64_t *number;
} grow_option;

/* Reads the command line by the table, which ends at a NULL name. Ends the program when it is wrong. */
void grow_options(const char *program, const grow_option *table, int argc, char **argv);

/* A history of a generator. The words are its arguments and their values in turns: "txns 100 level cc". */
isolab_history *grow_history(iso_pool *pool, const char *generator, const char *words, ...)
    __attribute__((format(printf, 3, 4)));

typedef struct grow_time {
    double ms;        /* the least processor time of all repetitions */
    double megabytes; /* peak of a check, beyond what was there before */
    isolab_verdict verdict;
} grow_time;

double grow_cpu_ms(void); /* processor time of the process */

/* Starts gnuplot, which draws to a file by its extension: .pdf, .png, else SVG; in pixels. NULL: it cannot be started.
 * pclose() ends it. */
FILE *grow_gnuplot(const char *path, unsigned width, unsigned height);

/* Throws when the verdict is unknown. */
grow_time grow_check(iso_env *env, const iso_checker *checker, const isolab_history *h, const iso_question *question,
                     uint64_t repeat);

#endif
