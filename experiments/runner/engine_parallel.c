/* Tasks by GNU parallel: on this machine, or over ssh on the machines of a list. See engine.h. */
#include <inttypes.h>
#include <string.h>

#include "base/print.h"
#include "base/process.h"
#include "experiments/runner/engine.h"

/* A word that occurs in no path. */
#define NUMBER "@TASK@"

/* Counts finished tasks: parallel's log has a line for each, after a line of headings. */
static void watch(void *arg) {
    iso_tasks *t = arg;
    if (t->settings->bench->progress == NULL || iso_now() - t->shown < 500000000) {
        return;
    }
    size_t lines = 0;
    char name[4096], buffer[8192];
    snprintf(name, sizeof name, "%s/joblog", t->folder);
    FILE *in = fopen(name, "re");
    for (size_t got; in != NULL && (got = fread(buffer, 1, sizeof buffer, in)) > 0;) {
        for (size_t i = 0; i < got; i++) {
            lines += buffer[i] == '\n';
        }
    }
    if (in != NULL) {
        fclose(in);
    }
    iso_tasks_show(t, lines > 0 ? lines - 1 : 0);
}

void iso_parallel_run(iso_tasks *t) {
    iso_pool *pool = t->pool;
    const iso_engine_settings *settings = t->settings;
    const char *argv[32];
    size_t n = 0;
    argv[n++] = iso_find_program(pool, "parallel");
    if (argv[0] == NULL && !settings->dry) {
        iso_throw(pool->env, ISOLAB_E_IO, "there is no parallel: GNU parallel is in the package of that name");
    }
    argv[0] = argv[0] != NULL ? argv[0] : "parallel";
    argv[n++] = "--plain";
    argv[n++] = "--will-cite";
    argv[n++] = "-I";
    argv[n++] = NUMBER;
    argv[n++] = "--joblog";
    argv[n++] = iso_format_text(pool, "%s/joblog", t->folder);
    if (settings->throttle != 0) {
        argv[n++] = iso_format_text(pool, "--jobs=%" PRIu64, settings->throttle);
    }
    if (settings->hosts != NULL) {
        argv[n++] = "--sshloginfile";
        argv[n++] = settings->hosts;
    }
    const char *list = iso_format_text(pool, "%s/numbers", t->folder);
    argv[n++] = "--arg-file";
    argv[n++] = list;
    argv[n++] =
        iso_format_text(pool, "%s %s >%s/log-%s 2>&1", t->command, NUMBER, iso_shell_word(pool, t->folder), NUMBER);
    argv[n] = NULL;
    if (settings->dry) {
        iso_tasks_command(t, argv, n);
        return;
    }
    char *numbers = iso_zalloc(pool, t->n, 24);
    size_t used = 0;
    for (size_t i = 0; i < t->n; i++) {
        used += (size_t)snprintf(numbers + used, 24, "%zu\n", i);
    }
    iso_write_whole(pool, list, numbers);
    iso_job run = {.argv = argv, .meanwhile = watch, .meanwhile_arg = t};
    iso_run_jobs(pool, &run, 1, 1);
    if (run.end == ISO_JOB_NOT_STARTED) {
        iso_throw(pool->env, ISOLAB_E_IO, "%s", run.why);
    }
    if (run.code != 0 || run.end != ISO_JOB_EXITED) { /* some tasks failed, or parallel itself */
        run.err[strcspn(run.err, "\n")] = '\0';
        if (run.err[0] != '\0') {
            iso_say(t->out, "parallel: %s\n", run.err);
        }
    }
}
