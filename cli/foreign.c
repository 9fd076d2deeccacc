/* See foreign.h. A checker of isolab is a function without a state of its own, so what it needs to know is here. */
#include "cli/foreign.h"

#include <stdlib.h>
#include <string.h>

#include "experiments/referee/adapters.h"
#include "experiments/runner/served.h"

static struct {
    iso_checker checker;
    const iso_adapter *adapter;
    const iso_format *format;
    const char *program;
    iso_pool pool;
    const char *folder; /* of histories; NULL: none was told yet */
    uint64_t memory;
} foreign;

const char *iso_cli_foreign_name(const char *word) { return strncmp(word, "ext:", 4) == 0 ? word + 4 : NULL; }

static void make_folder(iso_env *env) {
    if (foreign.folder == NULL) {
        iso_pool_init(&foreign.pool, env);
        foreign.folder = iso_temporary_folder(&foreign.pool, "foreign", NULL);
    }
}

static const char *write_history(iso_pool *pool, const isolab_history *h) {
    const char *wanted = foreign.adapter->file, *extensions = foreign.format->extensions;
    make_folder(pool->env);
    const char *path = *wanted != '\0' ? iso_format_text(pool, "%s/%s", foreign.folder, wanted)
                                       : iso_format_text(pool, "%s/history%.*s", foreign.folder,
                                                         (int)strcspn(extensions, " "), extensions);
    iso_remove_folder(path); /* of the history before */
    iso_save(pool, iso_adapter_history(pool, foreign.adapter, h, 0), path, foreign.format);
    return path;
}

static void conclude(iso_result *result, const iso_judgement *j) {
    bool violated = j->verdict == ISOLAB_VIOLATED;
    bool proves = !iso_adapter_is(foreign.adapter->trust, violated ? "satisfied" : "violated");
    if (j->state == ISO_TOOL_OK && j->verdict != ISOLAB_UNKNOWN && proves) {
        result->verdict = j->verdict;
    } else if (j->state == ISO_TOOL_OK) {
        iso_result_reason(result, ISO_REASON_REFUSED, "%s",
                          j->reason[0] != '\0' ? j->reason
                          : violated           ? "its \"violated\" is not a proof at this level"
                                               : "its \"satisfied\" is not a proof at this level");
    } else {
        iso_result_reason(result, j->state == ISO_TOOL_MEMORY ? ISO_REASON_MEMORY : ISO_REASON_REFUSED, "%s: %s",
                          iso_tool_state_text[j->state], j->reason);
    }
}

/* Runs the program; one that stays is told the file, and ended after its answer. */
static void run_job(iso_pool *pool, iso_job *job, iso_level level, bool lists, const char *file) {
    if (*foreign.adapter->serve == '\0') {
        iso_run_jobs(pool, job, 1, 1);
        return;
    }
    job->argv = iso_adapter_serve(pool, foreign.adapter, foreign.program, level, foreign.format, lists);
    iso_served *program = iso_served_new(pool, job, 1);
    iso_served_question question;
    question.bytes = iso_adapter_question(pool, foreign.adapter, file, NULL, 0, &question.size);
    iso_served_ask(program, pool, &question, 1, (int)strtol(foreign.adapter->statuses, NULL, 10), 0, job);
    iso_served_end(program);
}

static void run_program(const iso_checker *self, const isolab_history *h, const iso_question *question,
                        iso_result *result) {
    (void)self;
    iso_pool *pool = result->pool;
    char why[240];
    bool strong = question->level == ISO_SI || question->level == ISO_SER;
    bool sessions = !iso_adapter_is(foreign.adapter->sessions, "no");
    if (strong && sessions == question->no_session_order) {
        iso_result_reason(result, ISO_REASON_REFUSED, "session order %s for it: %s --no-session-order",
                          sessions ? "counts" : "does not count", sessions ? "leave out" : "ask with");
        return;
    } else if (iso_adapter_refuses(foreign.adapter, h, question->level, 0, why, sizeof why) != NULL) {
        iso_result_reason(result, ISO_REASON_REFUSED, "%s", why);
        return;
    }
    int64_t since = iso_now();
    const char *file = write_history(pool, h);
    bool by_address = iso_adapter_is(foreign.adapter->limit, "address");
    iso_job job = {.argv = iso_adapter_command(pool, foreign.adapter, foreign.program, question->level, foreign.format,
                                               h->has_lists, &file, 1),
                   .environment = iso_adapter_environment(pool, foreign.adapter, foreign.memory),
                   .folder = foreign.folder,
                   .memory = by_address ? foreign.memory : 0,
                   .resident = by_address ? 0 : foreign.memory};
    iso_judgement j;
    iso_adapter_phase *phases;
    iso_result_phase(result, "write", since);
    since = iso_now();
    run_job(pool, &job, question->level, h->has_lists, file); /* until the environment's deadline */
    iso_result_phase(result, "program", since);
    size_t n = job.end == ISO_JOB_EXITED ? iso_adapter_phases(pool, foreign.adapter, &job, &phases) : 0;
    for (size_t i = 0; i < n; i++) { /* the times of stages that the program printed */
        iso_result_phase(result, phases[i].name, iso_now() - (int64_t)(phases[i].ms * 1e6));
    }
    iso_adapter_judge(pool, foreign.adapter, NULL, &job, file, &j);
    conclude(result, &j);
}

const iso_checker *iso_cli_foreign(iso_cli *cli, const char *word, const char *path) {
    iso_adapters *adapters = ISO_NEW(&cli->pool, iso_adapters, 1);
    const char *name = iso_cli_foreign_name(word);
    iso_adapters_init(adapters, &cli->pool);
    iso_adapters_read_default(adapters);
    if (path != NULL) {
        iso_adapters_read(adapters, path);
    }
    foreign.adapter = iso_adapters_find(adapters, name);
    if (foreign.adapter == NULL) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "there is no adapter \"%s\": describe it in a file for --adapters", name);
    }
    foreign.program = iso_adapter_program(&cli->pool, foreign.adapter);
    if (foreign.program == NULL) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "%s: there is no program %s", word, foreign.adapter->program);
    }
    foreign.format = iso_adapter_format(foreign.adapter);
    foreign.memory = cli->memory;
    foreign.checker = (iso_checker){.name = word, .summary = foreign.adapter->summary, .run = run_program};
    for (int l = 0; l < iso_n_levels; l++) {
        bool answers = iso_adapter_level(&cli->pool, foreign.adapter, (iso_level)l) != NULL;
        foreign.checker.levels |= answers ? ISO_LEVEL_BIT(l) : 0;
    }
    foreign.checker.can = (iso_adapter_is(foreign.adapter->duplicates, "yes") ? (unsigned)ISO_CAN_DUPLICATES : 0u) |
                          (iso_adapter_is(foreign.adapter->lists, "no") ? 0u : (unsigned)ISO_CAN_LISTS) |
                          (iso_adapter_is(foreign.adapter->sessions, "no") ? (unsigned)ISO_CAN_NO_SESSIONS : 0u);
    return &foreign.checker;
}

void iso_cli_foreign_end(void) {
    if (foreign.folder != NULL) {
        iso_remove_folder(foreign.folder);
        iso_pool_free(&foreign.pool);
        foreign.folder = NULL;
    }
}
