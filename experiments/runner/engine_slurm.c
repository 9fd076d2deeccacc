/* Tasks as job arrays of Slurm: sbatch submits them, squeue counts the tasks that wait or run. See engine.h. */
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "base/process.h"
#include "experiments/runner/engine.h"

/* Runs a program of Slurm. Returns its output, or NULL if it fails and `must` is false. */
static const char *ask(iso_pool *pool, const char **argv, bool must) {
    const char *name = argv[0];
    argv[0] = iso_find_program(pool, name);
    if (argv[0] == NULL && !must) {
        return NULL;
    }
    if (argv[0] == NULL) {
        iso_throw(pool->env, ISOLAB_E_IO, "there is no %s: is this a machine of a Slurm cluster?", name);
    }
    iso_job job = {.argv = argv, .timeout = 120000000000};
    iso_run_jobs(pool, &job, 1, 1);
    if (!must && (job.end != ISO_JOB_EXITED || job.code != 0)) {
        return NULL;
    }
    if (job.end != ISO_JOB_EXITED || job.code != 0) {
        job.err[strcspn(job.err, "\n")] = '\0';
        iso_throw(pool->env, ISOLAB_E_IO, "%s: %s", name,
                  job.end == ISO_JOB_NOT_STARTED ? job.why
                  : job.end == ISO_JOB_TIMED_OUT ? "no answer within two minutes"
                  : job.err[0] != '\0'           ? job.err
                                                 : "it failed");
    }
    return job.out;
}

size_t iso_slurm_alive(iso_pool *pool, const char *name) {
    const char *argv[] = {"squeue", "--noheader", "--array", "--name", name, "--format=%i", NULL};
    const char *lines = ask(pool, argv, true);
    size_t n = 0;
    while ((lines = strchr(lines, '\n')) != NULL) {
        n++;
        lines++;
    }
    return n;
}

/* Returns the largest number of tasks in an array. */
static size_t most_of_an_array(iso_pool *pool) {
    const char *argv[] = {"scontrol", "show", "config", NULL};
    const char *config = ask(pool, argv, false), *line = config != NULL ? strstr(config, "MaxArraySize") : NULL;
    const char *sign = line != NULL ? strchr(line, '=') : NULL;
    long most = sign != NULL ? atol(sign + 1) : 1001;
    return most > 1 ? (size_t)most : 1;
}

/* Splits a text into words. */
static size_t split(iso_pool *pool, const char *words, const char **to, size_t room) {
    size_t n = 0;
    for (const char *at = words != NULL ? words : ""; n < room && *(at += strspn(at, " \t")) != '\0';) {
        size_t length = strcspn(at, " \t");
        to[n++] = iso_format_text(pool, "%.*s", (int)length, at);
        at += length;
    }
    return n;
}

/* The indices of an array start at 0 and are limited, so the script adds the number of the array's first task. */
void iso_slurm_submit(iso_tasks *t) {
    iso_pool *pool = t->pool;
    const iso_engine_settings *settings = t->settings;
    size_t most = most_of_an_array(pool);
    const char *script = iso_format_text(pool, "%s/job.sh", t->folder);
    const char *text = iso_format_text(
        pool, "#!/bin/sh\n# The first task of this array is $1.\n%s \"$((SLURM_ARRAY_TASK_ID + $1))\"\n", t->command);
    if (settings->dry) {
        iso_say(t->out, "%s:\n", script);
        iso_print_lines(&(iso_printer){.out = t->out}, text);
    } else {
        iso_write_whole(pool, script, text);
    }
    const char *before = NULL;
    for (size_t first = 0; first < t->n; first += most) {
        size_t last = (t->n - first < most ? t->n - first : most) - 1, n = 0;
        const char *argv[64];
        argv[n++] = "sbatch";
        argv[n++] = "--parsable";
        argv[n++] = iso_format_text(pool, "--job-name=%s", t->name);
        argv[n++] = settings->throttle != 0 ? iso_format_text(pool, "--array=0-%zu%%%" PRIu64, last, settings->throttle)
                                            : iso_format_text(pool, "--array=0-%zu", last);
        argv[n++] = iso_format_text(pool, "--output=%s/log-%%A_%%a", t->folder);
        argv[n++] = "--ntasks=1";
        argv[n++] = iso_format_text(pool, "--cpus-per-task=%u", t->threads);
        argv[n++] = iso_format_text(pool, "--time=%.0f", t->seconds / 60 + 1);
        if (t->memory != 0) {
            argv[n++] = iso_format_text(pool, "--mem=%" PRIu64 "M", t->memory >> 20);
        }
        argv[n++] = "--requeue";
        if (settings->throttle != 0 && before != NULL) { /* the throttle applies to all arrays together */
            argv[n++] = iso_format_text(pool, "--dependency=afterany:%s", before);
        }
        n += split(pool, settings->submit, argv + n, 40);
        argv[n++] = script;
        argv[n++] = iso_format_text(pool, "%zu", first);
        argv[n] = NULL;
        if (settings->dry) {
            iso_tasks_command(t, argv, n);
            before = "JOB";
            continue;
        }
        const char *id = ask(pool, argv, true);
        before = iso_format_text(pool, "%.*s", (int)strcspn(id, ";\n"), id);
        iso_say(t->out, "job %s: %zu tasks\n", before, last + 1);
        fflush(t->out);
    }
}

/* Waits with growing intervals between requests, so as not to load the controller. */
void iso_slurm_wait(iso_tasks *t) {
    size_t alive;
    for (int64_t pause = 200000000; (alive = iso_slurm_alive(t->pool, t->name)) > 0;) {
        for (int64_t until = iso_now() + pause; iso_now() < until;) {
            iso_tasks_show(t, alive < t->n ? t->n - alive : 0);
            t->pool->env->countdown = 0;
            iso_tick(t->pool->env);
            poll(NULL, 0, 100);
        }
        pause = pause < 10000000000 ? pause * 3 / 2 : pause;
    }
}
