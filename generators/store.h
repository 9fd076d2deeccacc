/* The simulated store: many clients, interleaved step by step, on a multi-version store that provides exactly one
 * isolation level and can have bugs. It is deterministic: the seed decides everything.
 *
 * A workload (workload.h) gives the requests of each client; the store answers them and records the history as the
 * clients saw it. Transactions are interactive only in form: a workload knows all operations of a transaction before it
 * runs, so a store with snapshots may read all of them at one moment.
 *
 *   sser  one copy; reads are validated at the commit, so the commit is the moment of the transaction
 *   lser  as ser, with timestamps in the order of real time among the transactions that access a key
 *   ser   one copy, timestamps from clocks that lag by session: serial by timestamp, not by real time
 *   si    one copy; a snapshot at the begin, and the first committer of a key wins
 *   pc    as si without the test of writes: updates get lost, snapshots are prefixes
 *   cc    replicas that deliver transactions causally; the last writer wins; clients stay at their replica
 *   ra    replicas that deliver whole transactions in any order
 *   rc    one copy; every read returns the version that is committed at its own moment */
#ifndef ISOLAB_GENERATORS_STORE_H
#define ISOLAB_GENERATORS_STORE_H

#include "generators/workload.h"

/* Options: sessions, transactions, level, seed, aborts, times, bugs. */
extern const iso_option iso_store_options[];

/* Runs a workload and records it. */
void iso_store_run(const iso_args *args, const iso_workload *workload, iso_builder *b);

/* A bug of the store: see bugs.def. */
typedef struct iso_bug {
    const char *name;
    const char *keeps;   /* the strongest level that the bug alone leaves satisfied, or `none` */
    const char *breaks;  /* a level that it violates */
    const char *anomaly; /* the name of the anomaly that it shows (checkers/result.h) */
    const char *script;
    const char *meaning; /* one phrase */
    bool lists;          /* for workloads of lists; else for registers */
} iso_bug;

extern const iso_bug iso_bugs[]; /* ended by a NULL name; some names exist for both kinds of workload */

#endif
