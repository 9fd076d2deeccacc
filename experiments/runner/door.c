/* See door.h. */
#include "experiments/runner/door.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/result.h"
#include "experiments/runner/results_check.h"

/* isolab respects its limits itself; these are added in case it does not. */
enum { GRACE_S = 2, GRACE_BYTES = 256 << 20 };
/* With --all, anomalies fill megabytes; a truncated answer would count as a crash. */
enum { MOST_OUTPUT = 64 << 20 };

/* Returns the first processor of a run, counted from 1; 0: any. */
static int first_core(const iso_suite_question *q) {
    int threads = (int)q->instance->block->settings.threads, last = q->lab->cpu;
    return last < 0 ? 0 : last + 1 < threads ? 1 : last + 2 - threads;
}

iso_job iso_door_job(iso_pool *pool, const iso_suite_question *q) {
    const iso_suite_settings *s = &q->instance->block->settings;
    if (q->foreign != NULL) {
        iso_job job = iso_foreign_job(pool, q->foreign, s);
        job.core = first_core(q);
        job.cores = (unsigned)s->threads;
        return job;
    }
    const char **argv = ISO_ZNEW(pool, const char *, q->contender->words.n + 16);
    size_t n = 0;
    argv[n++] = q->lab->program;
    argv[n++] = "check";
    argv[n++] = "--json";
    argv[n++] = "--no-digest";
    argv[n++] = "-l";
    argv[n++] = q->level;
    argv[n++] = "-c";
    for (size_t w = 0; w < q->contender->words.n; w++) {
        argv[n++] = q->contender->words.at[w];
    }
    argv[n++] = iso_lab_text(pool, "--timeout=%.9g", s->timeout);
    if (s->memory != 0) {
        argv[n++] = iso_lab_text(pool, "--memory=%" PRIu64, s->memory);
    }
    if (s->threads > 1) {
        argv[n++] = iso_lab_text(pool, "--threads=%lu", s->threads);
    }
    argv[n++] = "--";
    argv[n++] = q->instance->path;
    return (iso_job){
        .argv = argv,
        .timeout = (int64_t)((s->timeout + GRACE_S) * 1e9),
        .resident = s->memory != 0 ? s->memory + s->memory / 4 + GRACE_BYTES : 0,
        .core = first_core(q),
        .cores = (unsigned)s->threads,
        .keep = MOST_OUTPUT,
    };
}

double iso_door_start_up(const iso_suite_question *q) {
    iso_pool *pool = q->lab->pool;
    iso_job job = iso_foreign_start_up(q->lab, q->foreign, &q->instance->block->settings);
    double least = -1;
    job.core = first_core(q);
    job.cores = (unsigned)q->instance->block->settings.threads;
    for (int i = 0; i < 3 && job.argv != NULL; i++) {
        iso_job run = job;
        iso_run_jobs(pool, &run, 1, 1);
        double ms = (double)run.wall / 1e6;
        if (run.end != ISO_JOB_EXITED) {
            return -1;
        }
        least = least < 0 || ms < least ? ms : least;
    }
    return least;
}

/* Returns the state for the reason code of an unknown verdict of `isolab check`; NULL: it gave no code. */
static iso_run_state why(const char *code) {
    switch (iso_reason_find(code)) {
    case ISO_REASON_TIME:
        return ISO_RUN_TIMEOUT;
    case ISO_REASON_MEMORY:
        return ISO_RUN_MEMORY;
    case ISO_REASON_LEVEL:
        return ISO_RUN_UNSUPPORTED;
    case ISO_REASON_NONE:
    case ISO_REASON_INTERRUPTED:
    case ISO_REASON_SIZE:
    case ISO_REASON_EFFORT:
    case ISO_REASON_REFUSED:
    case ISO_REASON_TIMES:
    case ISO_REASON_EVIDENCE:
    case ISO_REASONS:
        break;
    }
    return ISO_RUN_REFUSED;
}

static const char *text_of(iso_pool *pool, const json_t *object, const char *name) {
    const char *text = json_string_value(json_object_get(object, name));
    return text != NULL ? iso_lab_text(pool, "%s", text) : NULL;
}

/* Returns the numeric members of an object as JSON for the results. A program may print anything. */
static const char *numbers(iso_pool *pool, const json_t *object, double most) {
    json_t *kept = json_object(), *value;
    const char *name;
    json_object_foreach((json_t *)(uintptr_t)object, name, value) {
        double number = json_number_value(value);
        if (json_is_number(value) && number >= 0 && number <= most && strlen(name) <= ISO_LONGEST_NAME) {
            json_object_set(kept, name, value);
        }
    }
    char *text = json_is_object(object) ? json_dumps(kept, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    const char *copy = text != NULL && strlen(text) < ISO_LONGEST_TEXT ? iso_lab_text(pool, "%s", text) : NULL;
    free(text);
    json_decref(kept);
    return copy;
}

/* A verdict must come with its own exit status; otherwise the run counts as a crash. */
static void read_json(iso_pool *pool, const iso_job *job, iso_run *run) {
    json_t *json = json_loads(job->out, JSON_DISABLE_EOF_CHECK, NULL);
    const char *verdict = text_of(pool, json, "verdict");
    run->state = ISO_RUN_CRASH;
    if (verdict == NULL || job->code > 2 || strcmp(verdict, iso_verdict_text((isolab_verdict)job->code)) != 0) {
        run->reason = iso_lab_text(pool, "exit status %d, and no verdict to understand", job->code);
    } else if (job->code == 2) {
        run->reason = text_of(pool, json, "reason");
        run->reason = run->reason != NULL ? run->reason : "unknown";
        run->state = why(json_string_value(json_object_get(json, "reason_code")));
    } else if (job->code == 0 && json_is_false(json_object_get(json, "times"))) {
        run->reason = text_of(pool, json, "reason"); /* satisfied, but without times the answer is for ser, not sser */
        run->state = ISO_RUN_REFUSED;
    } else {
        run->verdict = verdict;
        run->state = ISO_RUN_OK;
    }
    run->phases = numbers(pool, json_object_get(json, "milliseconds"), ISO_MOST_MS);
    json_t *counters = json_object_get(json, "counters");
    json_object_update_missing(counters, json_object_get(json, "instances")); /* of the patterns, with --all */
    run->counters = numbers(pool, counters, ISO_MOST_COUNT);
    json_int_t peak = json_integer_value(json_object_get(json, "peak_memory"));
    run->counted_peak = peak > 0 && (double)peak <= ISO_MOST_COUNT ? (uint64_t)peak : 0;
    json_decref(json);
}

static void judge_isolab(iso_pool *pool, const iso_job *job, iso_run *run) {
    run->state = ISO_RUN_CRASH;
    switch (job->end) {
    case ISO_JOB_TIMED_OUT:
        run->state = ISO_RUN_TIMEOUT;
        run->reason = "killed: it went on after its time limit";
        break;
    case ISO_JOB_TOO_LARGE:
        run->state = ISO_RUN_MEMORY;
        run->reason = "killed: it took more than its memory limit";
        break;
    case ISO_JOB_NOT_STARTED:
        run->reason = job->why;
        break;
    case ISO_JOB_SIGNALLED:
        run->signal = job->code;
        run->reason = strsignal(job->code);
        break;
    case ISO_JOB_EXITED:
        run->exit_status = job->code;
        if (job->code <= 2) {
            read_json(pool, job, run);
            break;
        }
        run->state = job->code == ISOLAB_E_INPUT ? ISO_RUN_REFUSED : ISO_RUN_CRASH;
        run->reason = iso_lab_text(pool, "exit status %d: %.*s", job->code, (int)strcspn(job->err, "\n"), job->err);
    }
}

void iso_door_judge(iso_pool *pool, const iso_suite_question *q, const iso_job *job, iso_run *run) {
    run->exit_status = -1;
    if (q->foreign != NULL) {
        iso_foreign_judge(pool, q->foreign, job, run);
    } else {
        judge_isolab(pool, job, run);
    }
    run->wall_ms = (double)job->wall / 1e6;
    run->user_ms = (double)job->user / 1e6;
    run->system_ms = (double)job->system / 1e6;
    run->peak_kib = (long)((job->peak_tree > job->peak ? job->peak_tree : job->peak) / 1024);
    if (run->state == ISO_RUN_OK && run->expected != NULL && strcmp(run->expected, run->verdict) != 0) {
        run->state = ISO_RUN_WRONG;
    }
}
