/* The file of results: one SQLite database with a row for each run. Each finished run is written in one transaction, so
 * if the work ends for any reason, at most the current run is lost.
 *
 * docs/suites.md describes the tables. Errors of SQLite are thrown as ISOLAB_E_IO; a file that is not such a database
 * is an ISOLAB_E_INPUT. */
#ifndef ISOLAB_EXPERIMENTS_RUNNER_RESULTS_H
#define ISOLAB_EXPERIMENTS_RUNNER_RESULTS_H

#include <sqlite3.h>

#include "experiments/runner/environment.h"
#include "experiments/runner/instance.h"

typedef struct iso_results iso_results;

/* What a run counts as in the results. The suite may know that a verdict is wrong; a published tool that printed no
 * verdict (iso_tool_state) counts as a crash. iso_run_state_name() gives the names in the
 * database. */
typedef enum {
    ISO_RUN_OK,    /* a verdict that is not known to be wrong */
    ISO_RUN_WRONG, /* a verdict that is wrong according to the suite */
    ISO_RUN_TIMEOUT,
    ISO_RUN_MEMORY,      /* more than the limit */
    ISO_RUN_CRASH,       /* a signal, an internal error, unreadable output, or a program that cannot be started */
    ISO_RUN_UNSUPPORTED, /* the checker does not support the level */
    ISO_RUN_REFUSED,     /* the checker does not take this history, or gave up */
    ISO_RUN_ABSENT,      /* the checker, or a program that it needs, is not installed */
    ISO_RUN_STATES
} iso_run_state;

const char *iso_run_state_name(iso_run_state state);
bool iso_run_state_find(const char *name, iso_run_state *state); /* false: no state has this name */

typedef struct iso_run {
    const char *suite, *level, *checker; /* checker: its label */
    const char *command;                 /* its arguments, for people */
    unsigned repetition;                 /* from 1 */
    iso_run_state state;
    const char *verdict;  /* NULL: none */
    const char *expected; /* NULL: not known */
    const char *reason;   /* why there is no verdict; NULL: no reason */
    int exit_status, signal;
    double wall_ms, user_ms, system_ms, load;
    long peak_kib;
    uint64_t counted_peak; /* bytes that isolab itself counted */
    const char *phases;    /* JSON object of milliseconds, or NULL */
    const char *counters;  /* JSON object, or NULL */
} iso_run;

typedef enum {
    ISO_RESULTS_READ,
    ISO_RESULTS_WRITE,  /* creates the file if it does not exist */
    ISO_RESULTS_SHARED, /* the same on a file system shared by many machines, where SQLite must not map files */
} iso_results_use;

/* Opens or creates the file. Its content is checked (results_check.h), so all values that are read later have their
 * types and ranges. The results must be closed; the pool's owner does that under its guard. */
iso_results *iso_results_open(iso_pool *pool, const char *path, iso_results_use use);
void iso_results_close(iso_results *results); /* NULL is ignored */
sqlite3 *iso_results_db(iso_results *results);
_Noreturn void iso_results_throw(iso_results *results); /* throws SQLite's last error */

/* Return the numbers of the environment and of the history in the file. */
int64_t iso_results_environment(iso_results *results, const iso_environment *environment, const char *label);
int64_t iso_results_history(iso_results *results, const iso_instance *instance);

/* From now on a run exists if this program with this label made it on any machine; environments are ignored. For work
 * that is distributed over machines. Both texts must stay valid. */
void iso_results_any_machine(iso_results *results, const char *label, const char *program);

/* Returns a static word equal to a verdict from the database; NULL: it is not a verdict. */
const char *iso_verdict_word(const char *found);

/* Returns whether this run exists. Sets its state, wall time and verdict (NULL: none). */
bool iso_results_has(iso_results *results, int64_t environment, const char *key, unsigned repetition, iso_run *run);

/* Removes the runs that were not made because of this reason: a program that was not installed. */
void iso_results_forget(iso_results *results, const char *reason);

/* Writes one run in a transaction. */
void iso_results_add(iso_results *results, int64_t environment, int64_t history, const char *key, const iso_run *run);

/* A question that a suite asks. */
typedef struct iso_planned {
    const char *history, *family, *level, *checker;
    unsigned repeat; /* number of its runs */
} iso_planned;

/* Replaces what this program with this label asks of a suite: so the results say which runs are missing. */
void iso_results_plan(iso_results *results, int64_t environment, const char *suite, const iso_planned *planned,
                      size_t n);

/* Notes that a history could not be made, so none of its runs is missing. */
void iso_results_leave_out(iso_results *results, int64_t environment, const char *suite, const char *history);

/* The proof of a verdict about a history and a level, or the reason why this checker gave none. */
typedef struct iso_certificate_row {
    int64_t environment, history;
    const char *level, *verdict, *checker;
    const char *reason; /* NULL: there is a certificate: */
    const char *sha256; /* of data */
    const void *data;   /* compressed by zstd */
    size_t size, bytes; /* compressed, and not */
} iso_certificate_row;

/* Returns whether the file has a certificate of this verdict by any checker, or knows that this checker gave none. */
bool iso_results_has_certificate(iso_results *results, const iso_certificate_row *row);
void iso_results_add_certificate(iso_results *results, const iso_certificate_row *row);

/* Adds the runs of another file that this file does not have. A run exists if the same program with the same label made
 * it on any machine. It adds all of them or none, and a second call adds nothing. The part may be in use. Returns
 * ISOLAB_OK, with *added the number of new runs, or the error's code, as iso_guard() does. */
int iso_results_merge(iso_results *results, const char *part, uint64_t *added);

#endif
