/* How a checker is asked and how its answer is read: isolab's own by `isolab check --json`, published ones by the table
 * of adapters (`ext:NAME`). */
#ifndef ISOLAB_EXPERIMENTS_RUNNER_DOOR_H
#define ISOLAB_EXPERIMENTS_RUNNER_DOOR_H

#include "experiments/runner/foreign.h"
#include "experiments/runner/results.h"

/* One question. */
typedef struct iso_suite_question {
    const iso_lab *lab;
    const iso_instance *instance;
    const char *level;
    const iso_contender *contender;
    const iso_foreign *foreign; /* NULL: a checker of isolab */
} iso_suite_question;

/* Returns the program, its arguments and limits, in the pool. */
iso_job iso_door_job(iso_pool *pool, const iso_suite_question *question);

/* Returns the time of a published checker for a smallest history, in ms, the least of three runs; negative: not
 * known. */
double iso_door_start_up(const iso_suite_question *question);

/* Fills in state, verdict, reason, phases, counters and measurements of the run from the finished job. */
void iso_door_judge(iso_pool *pool, const iso_suite_question *question, const iso_job *job, iso_run *run);

#endif
