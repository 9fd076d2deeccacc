/* Running programs: with limits of time and memory, their output captured with a bound, without a shell.
 *
 * A job is filled in by its owner and completed here; what it captured is of the pool. Every child is the leader
 * of a process group of its own that is killed as a whole, at the time limit, when the child ended (so nothing
 * that it started stays), and when the caller is interrupted or dies. Standard input is empty. */
#ifndef ISOLAB_EXPERIMENTS_RUNNER_PROCESS_H
#define ISOLAB_EXPERIMENTS_RUNNER_PROCESS_H

#include "base/env.h"

typedef enum {
    ISO_JOB_EXITED,    /* code is the exit status */
    ISO_JOB_SIGNALLED, /* code is the signal */
    ISO_JOB_TIMED_OUT,
    ISO_JOB_TOO_LARGE,  /* more resident memory than allowed */
    ISO_JOB_NOT_STARTED /* why says why */
} iso_job_end;

typedef struct iso_job {
    const char *const *argv;        /* argv[0] is a path; ended by NULL */
    const char *const *environment; /* `NAME=value`, added to ours, ended by NULL; NULL: none */
    const char *folder;             /* to run in; NULL: ours */
    int64_t timeout;                /* ns; 0: none */
    uint64_t memory;                /* most bytes of address space (RLIMIT_AS); 0: no limit */
    size_t keep;                    /* most bytes of each output that are kept; 0: 1 MiB */
    int core;                       /* pinned to this processor, counted from 1; 0: not pinned */
    unsigned cores;                 /* and to this number in all, this one and the next ones; 0: 1 */
    void (*meanwhile)(void *);      /* called now and then while it runs, with the next field; NULL: nothing */
    void *meanwhile_arg;
    uint64_t resident; /* killed when it holds more bytes (looked at 20 times a second); 0: no limit */

    iso_job_end end;
    int code;
    char *out, *err; /* NUL-terminated; never NULL */
    size_t out_size, err_size;
    bool cut; /* some output was thrown away */
    char why[160];
    int64_t wall, user, system; /* ns */
    uint64_t peak;              /* bytes resident at most (of the largest process, ours before exec included) */
} iso_job;

/* Runs n jobs, at most this number at once. Throws ISOLAB_E_LIMIT when interrupted or at the environment's deadline,
 * after having killed what runs. */
void iso_run_jobs(iso_pool *pool, iso_job *jobs, size_t n, unsigned at_once);

/* The path of a program: itself where it has a slash, else found on the PATH. NULL: there is no such program. */
const char *iso_find_program(iso_pool *pool, const char *name);

/* The path of this program. */
const char *iso_own_program(iso_pool *pool);

/* Removes a folder of files, and their folders, without following links; or one file. */
void iso_remove_folder(const char *path);

#endif
