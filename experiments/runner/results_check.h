/* A file of results may come from anybody: this is what all of it is held against before anything of it is used. */
#ifndef ISOLAB_EXPERIMENTS_RUNNER_RESULTS_CHECK_H
#define ISOLAB_EXPERIMENTS_RUNNER_RESULTS_CHECK_H

#include <sqlite3.h>

#include "base/env.h"

/* Longest name of a suite, a history, a family, a checker or a label, in bytes. */
#define ISO_LONGEST_NAME 1000
/* Of everything else; what has no end is cut when it is written. */
#define ISO_LONGEST_TEXT 1000000
#define ISO_MOST_MS 1e12 /* thirty years */
#define ISO_MOST_COUNT 1e18

/* Makes the connection deaf to what the file says: no views, triggers or functions of its schema are run, and work ends
 * at the limits. */
void iso_results_harden(sqlite3 *db, iso_limits *limits);

/* The tables of the database called `main` or `part`: that they are tables, with all columns, and that every value of every
 * row has its type and range; numbers are finite. So who reads rows need not look at them again. Throws ISOLAB_E_INPUT with
 * the path and the place. */
void iso_results_check(iso_pool *pool, sqlite3 *db, const char *database, const char *path);

/* Throws what SQLite says: damage is ISOLAB_E_INPUT, the system's refusal ISOLAB_E_IO, a limit ISOLAB_E_LIMIT. */
_Noreturn void iso_results_failed(iso_pool *pool, sqlite3 *db, const char *path);

#endif
