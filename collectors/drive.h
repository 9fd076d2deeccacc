/* The driver: runs a workload on a database by many sessions at once and records what each of them saw. Each session
 * has a thread, a connection and a pool of its own.
 *
 * Outcomes are exact: see iso_did in collector.h. Times are those of one monotonic clock in ns: the start is taken
 * before begin(), the end after the answer to commit(). A transaction that was refused is tried again as a new
 * transaction, with new values. */
#ifndef ISOLAB_COLLECTORS_DRIVE_H
#define ISOLAB_COLLECTORS_DRIVE_H

#include <stdatomic.h>

#include "collectors/database.h"
#include "generators/workload.h"

/* Options of every recording, beside those of the workload and of the collector: level, sessions, txns, seed, ... */
extern const iso_option iso_drive_options[];

typedef struct iso_tally {
    atomic_uint_least64_t committed, aborted, indeterminate; /* transactions */
    atomic_uint_least64_t refused;                           /* by the database; the other aborted ones are given up */
    atomic_uint_least64_t reconnected;
} iso_tally;

typedef struct iso_driving {
    const iso_workload *workload;
    const iso_args *args;
    const char *output; /* NULL: record nothing */
    /* the outcome */
    iso_tally tally;
    int64_t elapsed;  /* ns */
    bool interrupted; /* it ended early: an interrupt or a limit */
} iso_driving;

/* Runs the workload on an open database. Throws the first error of a session, after all of them have ended and what
 * they did is recorded. */
void iso_drive(iso_database *db, iso_driving *d);

#endif
