/* A file of results may come from outside: checks all of it before any of it is used. */
#ifndef ISOLAB_EXPERIMENTS_RUNNER_RESULTS_CHECK_H
#define ISOLAB_EXPERIMENTS_RUNNER_RESULTS_CHECK_H

#include <sqlite3.h>

#include "base/env.h"

/* Limit of the name of a suite, history, family, checker or label, in bytes. */
#define ISO_LONGEST_NAME 1000
/* Limit of all other texts; longer ones are truncated when they are written. */
#define ISO_LONGEST_TEXT 1000000
/* Limit of a compressed certificate, in bytes. */
#define ISO_LONGEST_CERTIFICATE (64 << 20)
#define ISO_MOST_MS 1e12 /* thirty years */
#define ISO_MOST_COUNT 1e18

/* Protects the connection against the file: views, triggers and functions of its schema are not run, and work ends at
 * the limits. */
void iso_results_harden(sqlite3 *db, iso_limits *limits);

/* Checks the database called `main` or `part`: it has the tables with all columns, and every value of every row has its
 * type and range; numbers are finite. So readers of rows need not check them again. Throws ISOLAB_E_INPUT with the path
 * and the place. */
void iso_results_check(iso_pool *pool, sqlite3 *db, const char *database, const char *path);

/* Throws SQLite's error: damage is ISOLAB_E_INPUT, a refusal of the system ISOLAB_E_IO, a limit ISOLAB_E_LIMIT. */
_Noreturn void iso_results_failed(iso_pool *pool, sqlite3 *db, const char *path);

#endif
