/* The file of results: one SQLite database, a row for each run. A run is written in one transaction when it is over, so
 * whatever ends the work loses at most the run that was going on.
 *
 * docs/suites.md describes the tables. Errors of SQLite are thrown as ISOLAB_E_IO, a file that is no such database
 * as ISOLAB_E_INPUT. */
#ifndef ISOLAB_EXPERIMENTS_RUNNER_RESULTS_H
#define ISOLAB_EXPERIMENTS_RUNNER_RESULTS_H

#include <sqlite3.h>

#include "experiments/runner/environment.h"
#include "experiments/runner/instance.h"

typedef struct iso_results iso_results;

/* How a run ended. The names in the database are those of iso_state_name(). */
typedef enum {
    ISO_RUN_OK,    /* a verdict, and not one that is known to be wrong */
    ISO_RUN_WRONG, /* a verdict that the suite says is wrong */
    ISO_RUN_TIMEOUT,
    ISO_RUN_MEMORY,      /* more than the limit */
    ISO_RUN_CRASH,       /* killed by a signal, an internal error, no output to understand, no such program */
    ISO_RUN_UNSUPPORTED, /* the checker does not know the level */
    ISO_RUN_REFUSED,     /* the checker does not take this history, or gave up */
} iso_run_state;

const char *iso_state_name(iso_run_state state);
bool iso_state_find(const char *name, iso_run_state *state); /* false: there is none of that name */

typedef struct iso_run {
    const char *suite, *level, *checker; /* the checker's label */
    const char *command;                 /* its words, for people */
    unsigned repetition;                 /* from 1 */
    iso_run_state state;
    const char *verdict;  /* NULL: none */
    const char *expected; /* NULL: nothing is */
    const char *reason;   /* NULL: none; why there is no verdict */
    int exit_status, signal;
    double wall_ms, user_ms, system_ms, load;
    long peak_kib;
    uint64_t counted_peak; /* bytes that isolab counted itself */
    const char *phases;    /* JSON object of milliseconds; NULL */
    const char *counters;  /* JSON object; NULL */
} iso_run;

typedef enum {
    ISO_RESULTS_READ,
    ISO_RESULTS_WRITE,  /* makes the file where there is none */
    ISO_RESULTS_SHARED, /* the same on a file system of many machines, where SQLite must not map files */
} iso_results_use;

/* Opens or makes the file. What is in it is checked (results_check.h), so that all values that are read have their types
 * and ranges. The results must be closed; the pool's owner does that under its guard. */
iso_results *iso_results_open(iso_pool *pool, const char *path, iso_results_use use);
void iso_results_close(iso_results *results); /* NULL is ignored */
sqlite3 *iso_results_db(iso_results *results);
_Noreturn void iso_results_throw(iso_results *results); /* what SQLite said last */

/* The environment's and the history's numbers in the file. */
int64_t iso_results_environment(iso_results *results, const iso_environment *environment, const char *label);
int64_t iso_results_history(iso_results *results, const iso_instance *instance);

/* From now on a run is there when this program with this label made it on any machine, and environments are not
 * looked at. For work that is spread over machines. Both texts must stay. */
void iso_results_any_machine(iso_results *results, const char *label, const char *program);

/* Is this run there? Sets how it ended, its wall time and its verdict (NULL: none) of the run. */
bool iso_results_has(iso_results *results, int64_t environment, const char *key, unsigned repetition, iso_run *run);

/* Writes one run, in a transaction of its own. */
void iso_results_add(iso_results *results, int64_t environment, int64_t history, const char *key, const iso_run *run);

/* Takes over what another file of results has and this one has not: a run that the same program with the same
 * label made on whatever machine is there already. All of it or nothing; again adds nothing. The part may be in
 * use. Returns ISOLAB_OK, *added being how many runs are new, or what failed, as iso_guard() does. */
int iso_results_merge(iso_results *results, const char *part, uint64_t *added);

#endif
