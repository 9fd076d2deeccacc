/* How a checker is asked and what its answer means: isolab's own as `isolab check --json`, foreign ones by the table
 * of adapters (`ext:NAME`). */
#ifndef ISOLAB_EXPERIMENTS_RUNNER_DOOR_H
#define ISOLAB_EXPERIMENTS_RUNNER_DOOR_H

#include "experiments/runner/foreign.h"
#include "experiments/runner/results.h"

/* One question. */
typedef struct iso_question {
    const iso_lab *lab;
    const iso_instance *instance;
    const char *level;
    const iso_contender *contender;
    const iso_foreign *foreign; /* NULL: one of isolab's own */
} iso_question;

/* The program, its words and limits. Belongs to the pool. */
iso_job iso_door_job(iso_pool *pool, const iso_question *question);

/* Fills state, verdict, reason, phases, counters and measurements of run from the job that is over. */
void iso_door_judge(iso_pool *pool, const iso_question *question, const iso_job *job, iso_run *run);

#endif
