/* A suite on many machines: its open questions are cut into tasks, which a cluster (Slurm) or GNU parallel
 * runs.
 *
 * A task is `isolab bench SUITE --tasks FOLDER --task N`: the questions of task N in FOLDER/tasks, with their
 * results in a file of its own, FOLDER/part-N.sqlite. Tasks share nothing and may run twice. Every call first
 * takes over the parts that are there, so the same command again goes on where things stopped, whatever
 * stopped them: only what is open is made a task again. Folders are RESULTS.tasks/0001, 0002, ... and go when
 * nothing of their work is open.
 *
 * The machines see the files under the same names (a shared file system). */
#ifndef ISOLAB_EXPERIMENTS_RUNNER_ENGINE_H
#define ISOLAB_EXPERIMENTS_RUNNER_ENGINE_H

#include "experiments/runner/bench.h"

typedef struct iso_tasks iso_tasks;

/* What is told to an engine. */
typedef struct iso_engine_job {
    const iso_bench *bench;
    const char *suite, *output; /* paths */
    const char *program;        /* that is measured; NULL: this one */
    const char *hosts;          /* parallel: file of ssh hosts; NULL: this machine */
    const char *submit;         /* slurm: more options of sbatch */
    uint64_t batch;             /* questions of a task; 0: those of a history */
    uint64_t throttle;          /* tasks at once (parallel: on each machine); 0: as the engine likes */
    uint64_t repeat;
    bool wait; /* slurm: until all is over */
    bool dry;  /* only print what would be done */
} iso_engine_job;

typedef enum {
    ISO_ENGINE_DONE,      /* nothing is open */
    ISO_ENGINE_SUBMITTED, /* tasks wait or run */
    ISO_ENGINE_OPEN       /* tasks have ended without having done everything */
} iso_engine_end;

/* Runs a suite by the engine `slurm` or `parallel`. What happens is told on out. The summary is of what is in the
 * results at the end. */
iso_engine_end iso_engine_run(const iso_engine_job *job, const char *engine, iso_bench_summary *summary, FILE *out);

/* What task n of the folder is to do. Throws ISOLAB_E_INPUT. */
void iso_engine_task(iso_pool *pool, const char *folder, uint64_t n, iso_bench *bench);
const char *iso_engine_part(iso_pool *pool, const char *folder, uint64_t n);

/* --- For the engines (engine_slurm.c, engine_parallel.c). --- */
struct iso_tasks {
    const iso_engine_job *job;
    iso_pool *pool;
    const char *folder;  /* of these tasks; it exists unless job->dry */
    const char *command; /* of a task, for a shell; its number follows */
    const char *name;    /* of the work, the same for the same results, suite, label and program */
    size_t n;            /* tasks 0 to n - 1 */
    double seconds;      /* that a task may take */
    uint64_t memory;     /* bytes that a task may need; 0: not known */
    unsigned threads;
    FILE *out;
    int64_t began, shown;
};

/* How many tasks of earlier calls wait or run. */
size_t iso_slurm_alive(iso_pool *pool, const char *name);
void iso_slurm_submit(iso_tasks *tasks);
void iso_slurm_wait(iso_tasks *tasks);
void iso_parallel_run(iso_tasks *tasks);

/* Writes a whole file or throws ISOLAB_E_IO. */
/* Shows the command that an engine would be given. */
void iso_tasks_command(const iso_tasks *tasks, const char *const *argv, size_t n);

void iso_write_whole(iso_pool *pool, const char *path, const char *text);
/* Shows, twice a second at most, how many tasks are done and how long the others will take. */
void iso_tasks_show(iso_tasks *tasks, size_t done);

#endif
