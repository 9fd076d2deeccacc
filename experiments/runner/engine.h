/* A suite on many machines: its missing questions are divided into tasks, which a cluster (Slurm) or GNU parallel runs.
 *
 * A task is `isolab bench SUITE --tasks FOLDER --task N`: the questions of task N in FOLDER/tasks, with their results
 * in a separate file, FOLDER/part-N.sqlite. Tasks share nothing and may run twice. Every call first merges the existing
 * parts. So the same command continues after any interruption, and makes tasks only for missing runs. Folders are
 * RESULTS.tasks/0001, 0002, ...; they are removed when no run of their work is missing.
 *
 * The machines must see the files under the same names (a shared file system). */
#ifndef ISOLAB_EXPERIMENTS_RUNNER_ENGINE_H
#define ISOLAB_EXPERIMENTS_RUNNER_ENGINE_H

#include "experiments/runner/bench.h"

typedef struct iso_tasks iso_tasks;

/* The input of an engine. */
typedef struct iso_engine_settings {
    const iso_bench *bench;
    const char *suite, *output; /* paths */
    const char *scale;          /* of the suite; NULL: none */
    const char *program;        /* the program to measure; NULL: this one */
    const char *hosts;          /* parallel: file with ssh hosts; NULL: this machine */
    const char *submit;         /* slurm: more options of sbatch */
    uint64_t batch;             /* number of questions for each task; 0: the questions of one history */
    uint64_t throttle;          /* limit of tasks at once (parallel: on each machine); 0: the engine's default */
    uint64_t repeat;
    bool wait; /* slurm: wait until all tasks have ended */
    bool dry;  /* only print the commands */
} iso_engine_settings;

typedef enum {
    ISO_ENGINE_DONE,      /* no run is missing */
    ISO_ENGINE_SUBMITTED, /* tasks wait or run */
    ISO_ENGINE_MISSING    /* all tasks have ended, and runs are missing */
} iso_engine_end;

/* Runs a suite by the engine `slurm` or `parallel`. Prints its steps to out. The summary describes the results at the
 * end. */
iso_engine_end iso_engine_run(const iso_engine_settings *settings, const char *engine, iso_bench_summary *summary,
                              FILE *out);

/* Reads the questions of task n of the folder. Throws ISOLAB_E_INPUT. */
void iso_engine_task(iso_pool *pool, const char *folder, uint64_t n, iso_bench *bench);
const char *iso_engine_part(iso_pool *pool, const char *folder, uint64_t n);

/* --- For the engines (engine_slurm.c, engine_parallel.c). --- */
struct iso_tasks {
    const iso_engine_settings *settings;
    iso_pool *pool;
    const char *folder;  /* folder of these tasks; it exists unless settings->dry */
    const char *command; /* the shell command of a task, without its number */
    const char *name;    /* identifies the work: the same for the same results, suite, label and program */
    size_t n;            /* tasks 0 to n - 1 */
    double seconds;      /* limit for a task */
    uint64_t memory;     /* bytes that a task may need; 0: not known */
    unsigned threads;
    FILE *out;
    int64_t began, shown;
};

/* Returns the number of tasks of earlier calls that wait or run. */
size_t iso_slurm_alive(iso_pool *pool, const char *name);
void iso_slurm_submit(iso_tasks *tasks);
void iso_slurm_wait(iso_tasks *tasks);
void iso_parallel_run(iso_tasks *tasks);

/* Prints the command that the engine would run. */
void iso_tasks_command(const iso_tasks *tasks, const char *const *argv, size_t n);

void iso_write_whole(iso_pool *pool, const char *path, const char *text);
/* Shows, at most twice a second, the number of finished tasks and the estimated time of the others. */
void iso_tasks_show(iso_tasks *tasks, size_t done);

#endif
