/* See foreign.h. */
#include "experiments/runner/foreign.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/process.h"
#include "experiments/runner/results_check.h"
#include "formats/format.h"
#include "history/builder.h"

/* Loading and writing use a separate pool, so the history is freed after its file is written. */
typedef struct preparing {
    iso_pool pool;
    const iso_instance *instance;
    iso_foreign *f;
    const char *half;
    char why[256];
} preparing;

static void prepare(void *arg) {
    preparing *t = arg;
    const isolab_history *h = iso_load(&t->pool, t->instance->path, NULL);
    t->f->lists = h->has_lists;
    if (iso_adapter_refuses(t->f->tool.adapter, h, t->f->level, 0, t->why, sizeof t->why) == NULL && t->half != NULL) {
        iso_save(&t->pool, iso_adapter_history(&t->pool, t->f->tool.adapter, h, 0), t->half, t->f->tool.format);
    }
}

static void write_file(const iso_lab *lab, iso_foreign *f, const iso_instance *instance) {
    iso_env *env = lab->pool->env;
    bool there = access(f->file, R_OK) == 0;
    preparing t = {.instance = instance, .f = f, .half = there ? NULL : iso_half_name(lab->pool, f->file)};
    iso_pool_init(&t.pool, env);
    int code = iso_guard(env, prepare, &t);
    iso_pool_free(&t.pool);
    if (code != ISOLAB_OK) {
        if (!there) {
            unlink(t.half);
        }
        iso_rethrow(env);
    }
    if (t.why[0] != '\0') {
        f->refused = iso_format_text(lab->pool, "%s", t.why);
    } else if (!there && rename(t.half, f->file) != 0) {
        iso_throw(env, ISOLAB_E_IO, "cannot write %s: %s", f->file, strerror(errno));
    }
}

const char *iso_foreign_absence(iso_pool *pool, const iso_adapter *adapter) {
    return iso_format_text(pool, "%s is not installed (%s)", adapter->name, adapter->program);
}

/* Makes a folder of the lab. Its path is absolute, since a published program may first go to a folder of its own. */
static const char *folder_of(const iso_lab *lab, const char *name) {
    const char *folder = iso_absolute_path(lab->pool, iso_format_text(lab->pool, "%s/%s", lab->work, name));
    iso_make_folders(lab->pool, folder);
    return folder;
}

const iso_foreign *iso_foreign_prepare(const iso_lab *lab, const iso_instance *instance, const char *name,
                                       const char *level) {
    iso_pool *pool = lab->pool;
    iso_foreign *f = ISO_ZNEW(pool, iso_foreign, 1);
    const char *why = NULL;
    const iso_adapter *adapter = iso_adapters_find(lab->adapters, name);
    if (adapter == NULL) {
        iso_throw(pool->env, ISOLAB_E_USAGE, "there is no adapter \"%s\"", name);
    }
    f->tool = iso_tool_of(pool, adapter);
    f->level = iso_level_find(level, &why);
    if (f->tool.path == NULL) {
        f->refused = iso_foreign_absence(pool, adapter);
        return f;
    }
    if (iso_adapter_level(pool, adapter, f->level) == NULL) {
        f->refused = iso_format_text(pool, "%s does not answer level %s", name, level);
        return f;
    }
    const char *folder = folder_of(lab, iso_format_text(pool, "%.32s-%s", instance->sha256, name));
    f->file = iso_tool_file(pool, &f->tool, folder, "history");
    write_file(lab, f, instance);
    return f;
}

/* Writes the input of a persistent program: one question. The program ends after it, since its input ends. */
static const char *write_question(iso_pool *pool, const iso_foreign *f) {
    size_t size;
    const char *path = iso_format_text(pool, "%s.question", f->file);
    const char *bytes = iso_adapter_question(pool, f->tool.adapter, f->file, NULL, 0, &size);
    iso_file_save(pool->env, path, bytes, size);
    return path;
}

iso_job iso_foreign_job(iso_pool *pool, const iso_foreign *f, const iso_suite_settings *s) {
    iso_job job =
        iso_tool_job(pool, &f->tool, iso_tool_argv(pool, &f->tool, f->level, f->lists, &f->file, 1), s->memory);
    job.input = iso_tool_stays(&f->tool) ? write_question(pool, f) : NULL;
    job.timeout = (int64_t)((s->published_timeout > 0 ? s->published_timeout : s->timeout) * 1e9);
    job.resident = s->memory != 0 ? s->memory : UINT64_MAX; /* UINT64_MAX: measured without a limit */
    return job;
}

const char *iso_phases_with(iso_pool *pool, const char *phases, const char *name, double ms) {
    json_t *all = phases != NULL ? json_loads(phases, 0, NULL) : json_object();
    json_object_set_new(all, name, json_real(ms));
    char *text = json_is_object(all) ? json_dumps(all, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    const char *copy = text != NULL && strlen(text) < ISO_LONGEST_TEXT ? iso_format_text(pool, "%s", text) : phases;
    free(text);
    json_decref(all);
    return copy;
}

/* Returns a history of one transaction, which reads a key and writes it; with lists it appends to the key. */
static isolab_history *smallest(iso_pool *pool, const iso_adapter *adapter) {
    iso_builder *b = iso_builder_new(pool);
    uint32_t txn = iso_builder_txn(b, iso_builder_session(b, iso_atom_nil()), iso_atom_nil(), ISO_COMMITTED);
    uint32_t key = iso_builder_key(b, iso_atom_uint(1));
    bool lists = iso_adapter_is(adapter->lists, "only");
    if (!lists) {
        iso_builder_op(b, txn, ISO_READ, key, iso_atom_nil());
    }
    iso_builder_op(b, txn, lists ? ISO_APPEND : ISO_WRITE, key, iso_atom_uint(1));
    if (strstr(adapter->cannot, "untimed") != NULL || strstr(adapter->cannot, "several") != NULL) {
        iso_builder_times(b, txn, 1, 2);
    }
    return iso_builder_finish(b);
}

iso_job iso_foreign_start_up(const iso_lab *lab, const iso_foreign *f, const iso_suite_settings *s) {
    iso_pool *pool = lab->pool;
    isolab_history *h = smallest(pool, f->tool.adapter);
    char why[256];
    if (iso_adapter_refuses(f->tool.adapter, h, f->level, 0, why, sizeof why) != NULL) {
        return (iso_job){.argv = NULL};
    }
    iso_foreign tiny = *f;
    const char *folder = folder_of(lab, iso_format_text(pool, "smallest-%s", f->tool.adapter->name));
    tiny.file = iso_format_text(pool, "%s/%s", folder, iso_base_name(f->file));
    tiny.lists = h->has_lists;
    if (access(tiny.file, R_OK) != 0) { /* an existing folder is not compared: the program may have written in it */
        iso_save(pool, iso_adapter_history(pool, f->tool.adapter, h, 0), tiny.file, f->tool.format);
    }
    const iso_foreign *kept =
        memcpy(ISO_NEW(pool, iso_foreign, 1), &tiny, sizeof tiny); /* the job points to its file */
    return iso_foreign_job(pool, kept, s);
}

/* Returns the stages as JSON; NULL: there are none. */
static const char *phases_of(iso_pool *pool, const iso_foreign *f, const iso_job *job) {
    iso_adapter_phase *list;
    size_t n = iso_adapter_phases(pool, f->tool.adapter, job, &list);
    const char *all = NULL;
    for (size_t i = 0; i < n; i++) {
        all = iso_phases_with(pool, all, list[i].name, list[i].ms);
    }
    return all;
}

/* Returns whether a tool says that it needs another program: `unknown: clasp is not installed`. */
static bool says_absence(const char *reason) {
    static const char words[] = " is not installed";
    size_t n = reason != NULL ? strlen(reason) : 0;
    return n >= sizeof words && strcmp(reason + n - (sizeof words - 1), words) == 0;
}

void iso_foreign_judge(iso_pool *pool, const iso_foreign *f, const iso_job *job, iso_run *run) {
    static const iso_run_state states[ISO_TOOL_STATES] = {[ISO_TOOL_OK] = ISO_RUN_OK,
                                                          [ISO_TOOL_TIMEOUT] = ISO_RUN_TIMEOUT,
                                                          [ISO_TOOL_MEMORY] = ISO_RUN_MEMORY,
                                                          [ISO_TOOL_CRASH] = ISO_RUN_CRASH,
                                                          [ISO_TOOL_REFUSED] = ISO_RUN_REFUSED,
                                                          [ISO_TOOL_UNSUPPORTED] = ISO_RUN_UNSUPPORTED,
                                                          [ISO_TOOL_UNPARSABLE] = ISO_RUN_CRASH,
                                                          [ISO_TOOL_MISSING] = ISO_RUN_CRASH};
    iso_judgement j;
    iso_adapter_judge(pool, f->tool.adapter, NULL, job, f->file, &j);
    run->state = states[j.state];
    run->reason = j.reason[0] != '\0' ? iso_format_text(pool, "%s", j.reason) : NULL;
    run->exit_status = job->end == ISO_JOB_EXITED ? job->code : -1;
    run->signal = job->end == ISO_JOB_SIGNALLED ? job->code : 0;
    run->phases = job->end == ISO_JOB_EXITED ? phases_of(pool, f, job) : NULL;
    bool proves = !iso_adapter_is(f->tool.adapter->trust, "violated");
    if (run->state == ISO_RUN_OK && j.verdict == ISOLAB_VIOLATED) {
        run->verdict = "violated";
    } else if (run->state == ISO_RUN_OK && j.verdict == ISOLAB_SATISFIED && proves) {
        run->verdict = "satisfied";
    } else if (run->state == ISO_RUN_OK) { /* it found no anomaly, which proves nothing for this tool */
        run->state = says_absence(run->reason) ? ISO_RUN_ABSENT : ISO_RUN_REFUSED;
        run->reason = run->reason != NULL ? run->reason : "it found nothing, which proves nothing";
    }
}
