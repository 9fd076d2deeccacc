/* Published checkers in suites: `ext:NAME`, by the table of adapters.
 *
 * A tool gets the history in the format that its adapter requires, in a separate folder in the work folder. An existing
 * file is not made again. */
#ifndef ISOLAB_EXPERIMENTS_RUNNER_FOREIGN_H
#define ISOLAB_EXPERIMENTS_RUNNER_FOREIGN_H

#include "experiments/asking/tool.h"
#include "experiments/runner/results.h"

/* The data for asking one tool about one history at one level. */
typedef struct iso_foreign {
    iso_tool tool;
    iso_level level;
    const char *file;
    const char *refused; /* not NULL: the reason why it is not asked */
    bool lists;
} iso_foreign;

/* Returns the reason of the tool's runs if it is not installed. */
const char *iso_foreign_absence(iso_pool *pool, const iso_adapter *adapter);

/* Writes the history's file for the tool. The result belongs to the lab's pool. */
const iso_foreign *iso_foreign_prepare(const iso_lab *lab, const iso_instance *instance, const char *name,
                                       const char *level);

iso_job iso_foreign_job(iso_pool *pool, const iso_foreign *foreign, const iso_suite_settings *settings);
void iso_foreign_judge(iso_pool *pool, const iso_foreign *foreign, const iso_job *job, iso_run *run);

/* Returns phases as JSON, with one more. phases: JSON or NULL. */
const char *iso_phases_with(iso_pool *pool, const char *phases, const char *name, double ms);

/* Returns a job that asks the tool about a smallest history, at the level of the question, to measure the tool's start.
 * Its argv is NULL if the tool takes no such history. */
iso_job iso_foreign_start_up(const iso_lab *lab, const iso_foreign *foreign, const iso_suite_settings *settings);

#endif
