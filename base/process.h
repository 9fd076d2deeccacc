/* Running programs without a shell, with limits of time and memory, and with bounded capture of their output.
 *
 * The owner fills in a job, and this file completes it; the captured output belongs to the pool. Every child is the
 * leader of its own process group. The whole group is killed at the time limit, when the child ends (so no process that
 * it started remains), and when the caller is interrupted or dies. Standard input is empty. */
#ifndef ISOLAB_BASE_PROCESS_H
#define ISOLAB_BASE_PROCESS_H

#include <sys/types.h>

#include "base/env.h"
#include "base/file.h"

typedef enum {
    ISO_JOB_EXITED,    /* code is the exit status */
    ISO_JOB_SIGNALLED, /* code is the signal */
    ISO_JOB_TIMED_OUT,
    ISO_JOB_TOO_LARGE,  /* more resident memory than allowed */
    ISO_JOB_NOT_STARTED /* `why` has the reason */
} iso_job_end;

typedef struct iso_job {
    const char *const *argv;        /* argv[0] is a path; ended by NULL */
    const char *const *environment; /* `NAME=value`, added to our environment, ended by NULL; NULL: none */
    const char *folder;             /* working folder; NULL: ours */
    const char *input;              /* a file that is its standard input; NULL: it has none */
    int64_t timeout;                /* in ns; 0 = none */
    uint64_t memory;                /* limit of the address space in bytes (RLIMIT_AS); 0 = none */
    size_t keep;                    /* limit of kept bytes of each output; 0: 1 MiB */
    int core;                       /* pin it to this processor, counted from 1; 0: do not pin */
    unsigned cores;                 /* and to this many processors in all, this one and the next ones; 0: 1 */
    void (*meanwhile)(void *);      /* called repeatedly while the job runs, with the next field; NULL: nothing */
    void *meanwhile_arg;
    uint64_t
        resident;    /* limit of resident bytes of it and its descendants, tested 20 times a second; 0 = none, and they
                        * are not looked at */
    uid_t run_as;    /* the account that runs it, if the caller is root; 0: ours */
    gid_t group;     /* of that account */
    int death;       /* the signal that it gets when our process dies; 0: SIGKILL */
    const char *log; /* both outputs are appended to this file instead of the pipes; NULL: no file */

    iso_job_end end;
    int code;
    char *out, *err; /* NUL-terminated; never NULL */
    size_t out_size, err_size;
    bool cut; /* some output was discarded */
    char why[160];
    int64_t wall, user, system; /* ns */
    uint64_t peak_tree;         /* resident bytes of all of its processes together, the largest of the times when they
                                 * were looked at; 0: never */
    uint64_t peak;              /* largest number of resident bytes (of the largest process, including ours before
                                 * exec) */
} iso_job;

/* Runs n jobs, at most at_once at a time. If it is interrupted or reaches the environment's deadline, kills the running
 * jobs and throws ISOLAB_E_LIMIT. */
void iso_run_jobs(iso_pool *pool, iso_job *jobs, size_t n, unsigned at_once);

/* The pipes that a child writes to. FAIL: the errno of a child that could not start. */
enum { ISO_PIPE_OUT, ISO_PIPE_ERR, ISO_PIPE_FAIL, ISO_PIPES };

/* Starts a job. Sets the reading ends of its pipes, which do not block, and returns its process; -1 and errno: it could
 * not be started. For a caller that waits by itself (served.h). in: its standard input; -1: empty. */
pid_t iso_job_fork(iso_pool *pool, const iso_job *job, int in, int pipes[ISO_PIPES]);

/* Returns the resident bytes of a process and of all that descend from it; 0: it has ended. */
uint64_t iso_resident(pid_t pid);

/* A path that means the same in every folder; of the pool where it is another one. */
const char *iso_absolute_path(iso_pool *pool, const char *path);

/* The path of a program, from the root: a name with a slash is a path itself, others are found on the PATH. NULL: there
 * is no such program. */
const char *iso_find_program(iso_pool *pool, const char *name);

/* Returns the path of this program, and of a program in the same folder. */
const char *iso_own_program(iso_pool *pool);
const char *iso_program_beside(iso_pool *pool, const char *name);

#endif
