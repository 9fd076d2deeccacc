/* Foreign checkers in suites: `ext:NAME`, by the table of adapters.
 *
 * A tool gets the history as its adapter says that it must be told it, in a folder of its own in the work
 * folder; what is there is not made again. */
#ifndef ISOLAB_EXPERIMENTS_RUNNER_FOREIGN_H
#define ISOLAB_EXPERIMENTS_RUNNER_FOREIGN_H

#include "experiments/referee/adapters.h"
#include "experiments/runner/results.h"

/* What is needed to ask one tool about one history at one level. */
typedef struct iso_foreign {
    const iso_adapter *adapter;
    const iso_format *format;
    iso_level level;
    const char *program;
    const char *file;
    const char *refused; /* not NULL: it is not asked, for this reason */
    bool lists;
} iso_foreign;

/* The adapter's name of a suite's word, or NULL: `ext:plume`. */
const char *iso_foreign_name(const char *word);

/* Writes the history's file for the tool. Of the lab's pool. */
const iso_foreign *iso_foreign_prepare(const iso_lab *lab, const iso_instance *instance, const char *name,
                                       const char *level);

iso_job iso_foreign_job(iso_pool *pool, const iso_foreign *foreign, const iso_suite_settings *settings);
void iso_foreign_judge(iso_pool *pool, const iso_foreign *foreign, const iso_job *job, iso_run *run);

#endif
