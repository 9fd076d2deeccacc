/* What the programs that measure growth (growth, scaling, strong) share: options, histories, times, exponents. */
#ifndef ISOLAB_BENCH_GROW_H
#define ISOLAB_BENCH_GROW_H

#include <stdio.h>

#include "base/option.h"
#include "checkers/checker.h"

/* Stores the defaults of a table (base/option.h) and the options of the command line in values. Ends the program, with
 * its usage, if an option is wrong. */
void grow_options(const char *program, const iso_option *table, void *values, int argc, char **argv);

/* A history of a generator. The words are its arguments and their values in turns: "txns 100 level cc". */
isolab_history *grow_history(iso_pool *pool, const char *generator, const char *words, ...)
    __attribute__((format(printf, 3, 4)));

typedef struct grow_time {
    double ms;        /* the least processor time of all repetitions */
    double megabytes; /* peak of a check, beyond what was there before */
    isolab_verdict verdict;
} grow_time;

double grow_cpu_ms(void); /* processor time of the process */

/* Throws when the verdict is unknown. */
grow_time grow_check(iso_env *env, const iso_checker *checker, const isolab_history *h, const iso_question *question,
                     uint64_t repeat);

#endif
