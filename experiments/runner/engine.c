/* See engine.h. The parts that both engines share: tasks, their results, and the order of the steps. */
#define _GNU_SOURCE
#include "experiments/runner/engine.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/print.h"
#include "base/process.h"
#include "base/sha256.h"
#include "formats/format.h"

enum { TASK_OVERHEAD_S = 600, TASK_OVERHEAD_BYTES = 768 << 20 };

/* Lists the names in a folder that begin and end with these texts, sorted, in the pool. */
static size_t names_in(iso_pool *pool, const char *folder, const char *begin, const char *end, const char ***names) {
    struct dirent **found = NULL;
    int n = scandir(folder, &found, NULL, alphasort);
    size_t kept = 0;
    *names = ISO_NEW(pool, const char *, n < 0 ? 0 : (size_t)n);
    for (int i = 0; i < n; i++) {
        const char *name = found[i]->d_name;
        size_t length = strlen(name);
        if (name[0] != '.' && strncmp(name, begin, strlen(begin)) == 0 && length > strlen(end) &&
            strcmp(name + length - strlen(end), end) == 0) {
            (*names)[kept++] = iso_format_text(pool, "%s/%s", folder, name);
        }
        free(found[i]);
    }
    free(found);
    return kept;
}

static const char *tasks_folder(const iso_engine_settings *settings) {
    return iso_format_text(settings->bench->lab->pool, "%s.tasks", settings->output);
}

const char *iso_engine_part(iso_pool *pool, const char *folder, uint64_t n) {
    return iso_format_text(pool, "%s/part-%06" PRIu64 ".sqlite", folder, n);
}

/* Merges all parts of all tasks. A damaged part is reported and left out, so its questions are still missing. */
static void take_parts(const iso_engine_settings *settings, iso_results *results, FILE *out) {
    iso_pool *pool = settings->bench->lab->pool;
    const char **folders, **parts;
    uint64_t added = 0;
    size_t n_folders = names_in(pool, tasks_folder(settings), "", "", &folders);
    for (size_t f = 0; f < n_folders; f++) {
        size_t n = names_in(pool, folders[f], "part-", ".sqlite", &parts);
        for (size_t p = 0; p < n; p++) {
            uint64_t more;
            int code = iso_results_merge(results, parts[p], &more);
            if (code == ISOLAB_E_INPUT) {
                iso_say(out, "left out: %s: %s\n", pool->env->error.file, pool->env->error.message);
            } else if (code != ISOLAB_OK) {
                iso_rethrow(pool->env);
            }
            added += more;
        }
    }
    if (added > 0) {
        iso_say(out, "%" PRIu64 " runs taken over from tasks\n", added);
    }
}

void iso_write_whole(iso_pool *pool, const char *path, const char *text) {
    iso_file_save(pool->env, path, text, strlen(text));
}

/* Makes a new folder for tasks. Its file `work` says which work it belongs to, since several programs may use the same
 * results. */
static const char *new_folder(const iso_engine_settings *settings, const char *work) {
    iso_pool *pool = settings->bench->lab->pool;
    const char *all = tasks_folder(settings);
    iso_make_folders(pool, all);
    for (unsigned k = 1;; k++) {
        const char *folder = iso_format_text(pool, "%s/%04u", all, k);
        if (mkdir(folder, 0777) == 0) {
            iso_write_whole(pool, iso_format_text(pool, "%s/work", folder), work);
            return folder;
        }
        if (errno != EEXIST) {
            iso_throw(pool->env, ISOLAB_E_IO, "cannot make the folder %s: %s", folder, strerror(errno));
        }
    }
}

/* Removes the folders of this work when no run is missing. */
static void clean_up(const iso_engine_settings *settings, const char *work) {
    iso_pool *pool = settings->bench->lab->pool;
    const char **folders;
    size_t n = names_in(pool, tasks_folder(settings), "", "", &folders);
    for (size_t f = 0; f < n; f++) {
        char whose[256] = "";
        FILE *in = fopen(iso_format_text(pool, "%s/work", folders[f]), "re");
        if (in != NULL) {
            whose[fread(whose, 1, sizeof whose - 1, in)] = '\0';
            fclose(in);
        }
        if (strcmp(whose, work) == 0) {
            iso_remove_folder(folders[f]);
        }
    }
    rmdir(tasks_folder(settings)); /* fails if folders of other work exist */
}

/* Returns the shell command that runs a task, without its number. It sets the environment of published checkers, which
 * ssh would not pass on. */
static const char *command_of(const iso_tasks *t) {
    const iso_bench *b = t->settings->bench;
    const char *adapters = getenv("ISOLAB_ADAPTERS"), *path = getenv("PATH");
    char *real = adapters != NULL && *adapters != '\0' ? realpath(adapters, NULL) : NULL;
    const char *words[32], *command = "exec env";
    size_t n = 0;
    words[n++] = iso_format_text(t->pool, "PATH=%s", path != NULL ? path : "/usr/bin:/bin");
    if (real != NULL) {
        words[n++] = iso_format_text(t->pool, "ISOLAB_ADAPTERS=%s", real);
    }
    free(real);
    const char *histories = getenv("HISTORIES");
    real = histories != NULL && *histories != '\0' ? realpath(histories, NULL) : NULL;
    if (real != NULL) {
        words[n++] = iso_format_text(t->pool, "HISTORIES=%s", real);
    }
    free(real);
    words[n++] = b->lab->own;
    words[n++] = "bench";
    words[n++] = t->settings->suite;
    words[n++] = "--work";
    words[n++] = b->lab->work;
    if (b->label[0] != '\0') {
        words[n++] = "--label";
        words[n++] = b->label;
    }
    if (t->settings->scale != NULL) {
        words[n++] = "--scale";
        words[n++] = t->settings->scale;
    }
    if (t->settings->program != NULL) {
        words[n++] = "--program";
        words[n++] = t->settings->program;
    }
    if (t->settings->repeat != 0) {
        words[n++] = "--repeat";
        words[n++] = iso_format_text(t->pool, "%" PRIu64, t->settings->repeat);
    }
    words[n++] = "--tasks";
    words[n++] = t->folder;
    words[n++] = "--task";
    for (size_t i = 0; i < n; i++) {
        command = iso_format_text(t->pool, "%s %s", command, iso_shell_word(t->pool, words[i]));
    }
    return command;
}

static void write_lines(iso_pool *pool, const char *path, const char *const *line, size_t n) {
    iso_file f;
    iso_file_open(pool->env, &f, path);
    for (size_t i = 0; i < n; i++) {
        iso_file_bytes(f.out, line[i], strlen(line[i]));
        iso_file_bytes(f.out, "\n", 1);
    }
    iso_file_close(pool->env, &f);
}

/* Divides the missing questions into tasks of `batch` questions, or of one history: then the checkers of a history are
 * compared on one machine, and only one task generates it. */
static void cut(iso_tasks *t, const iso_missing_question *missing, size_t n) {
    const char **line = ISO_NEW(t->pool, const char *, n);
    double seconds = 0;
    for (size_t i = 0, in_task = 0; i < n; i++, in_task++) {
        const iso_missing_question *q = &missing[i];
        bool full = t->settings->batch != 0 ? in_task == t->settings->batch
                                            : i > 0 && strcmp(q->name.history, missing[i - 1].name.history) != 0;
        if (i == 0 || full) {
            t->n++;
            in_task = 0;
            seconds = TASK_OVERHEAD_S;
        }
        seconds += q->seconds;
        t->seconds = seconds > t->seconds ? seconds : t->seconds;
        t->threads = q->threads > t->threads ? q->threads : t->threads;
        uint64_t memory = q->memory != 0 ? q->memory + q->memory / 4 + TASK_OVERHEAD_BYTES : 0;
        t->memory = memory > t->memory ? memory : t->memory;
        line[i] = iso_format_text(t->pool, "%zu\t%s\t%s\t%s\t%u", t->n - 1, q->name.history, q->name.level,
                                  q->name.checker, q->name.from);
        if (t->settings->dry) {
            iso_say(t->out, "%zu\t%s\t%s\t%s\t%u\n", t->n - 1, q->name.history, q->name.level, q->name.checker,
                    q->name.from);
        }
    }
    if (!t->settings->dry) {
        write_lines(t->pool, iso_format_text(t->pool, "%s/tasks", t->folder), line, n);
    }
}

void iso_engine_task(iso_pool *pool, const char *folder, uint64_t n, iso_bench *bench) {
    const char *path = iso_format_text(pool, "%s/tasks", folder);
    size_t size;
    char *all = iso_source_text(pool, path, 0, &size);
    iso_question_name *only = NULL;
    size_t room = 0;
    bench->n_only = 0;
    for (char *line = all, *next; *line != '\0'; line = next) {
        next = strchr(line, '\n');
        char *field[5] = {line, NULL, NULL, NULL, NULL};
        for (int f = 1; f < 5 && field[f - 1] != NULL; f++) {
            field[f] = strchr(field[f - 1], '\t');
            if (field[f] != NULL) {
                *field[f]++ = '\0';
            }
        }
        if (next == NULL || field[4] == NULL || field[4] > next) {
            iso_throw(pool->env, ISOLAB_E_INPUT, "%s: expected lines of task, history, level, checker, repetition",
                      path);
        }
        *next++ = '\0';
        if (strtoull(field[0], NULL, 10) == n) {
            ISO_GROW(pool, only, bench->n_only, room);
            only[bench->n_only++] =
                (iso_question_name){field[1], field[2], field[3], (unsigned)strtoul(field[4], NULL, 10)};
        }
    }
    if (only == NULL) {
        iso_throw(pool->env, ISOLAB_E_INPUT, "%s: there is no task %" PRIu64, path, n);
    }
    bench->only = only;
}

void iso_tasks_command(const iso_tasks *t, const char *const *argv, size_t n) {
    for (size_t i = 0; i < n; i++) {
        iso_say(t->out, "%s%s", i > 0 ? " " : "", iso_shell_word(t->pool, argv[i]));
    }
    iso_say(t->out, "\n");
}

void iso_tasks_show(iso_tasks *t, size_t done) {
    FILE *terminal = t->settings->bench->progress;
    int64_t now = iso_now();
    if (terminal == NULL || now - t->shown < 500000000) {
        return;
    }
    t->shown = now;
    iso_say(terminal, "\r\033[K%s: %zu of %zu tasks done", t->settings->bench->suite->name, done, t->n);
    if (done > 0 && done < t->n) {
        double s = (double)(now - t->began) / 1e9 / (double)done * (double)(t->n - done);
        iso_say(terminal, "; about %.0f %s left", s < 90 ? s : s / 60, s < 90 ? "s" : "min");
    }
    iso_say(terminal, "\r");
    fflush(terminal);
}

/* Prints the last lines of the logs of unfinished tasks, which usually say why. */
static void tell_logs(const iso_tasks *t) {
    const char **logs;
    size_t n = names_in(t->pool, t->folder, "log-", "", &logs), told = 0;
    for (size_t i = 0; i < n && told < 3; i++) {
        char line[400], last[400] = "";
        FILE *in = fopen(logs[i], "re");
        while (in != NULL && fgets(line, sizeof line, in) != NULL) {
            if (strncmp(line, "isolab:", 7) == 0 || strstr(line, "rror") != NULL) {
                memcpy(last, line, sizeof last);
            }
        }
        if (in != NULL) {
            fclose(in);
        }
        last[strcspn(last, "\n")] = '\0';
        if (last[0] != '\0') {
            iso_say(t->out, "%s: %s\n", logs[i], last);
            told++;
        }
    }
}

/* Returns a job name that squeue accepts: letters, digits, dashes. */
static const char *work_name(iso_pool *pool, const char *suite, const char *hex) {
    char *name = iso_alloc(pool, 100, 1);
    snprintf(name, 100, "isolab-%.60s-%.12s", suite, hex);
    for (char *at = name; *at != '\0'; at++) {
        bool plain = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9');
        *at = plain ? *at : '-';
    }
    return name;
}

/* One session with the file of results. */
typedef struct session {
    const iso_engine_settings *settings;
    const char *engine;
    iso_bench_summary *summary;
    FILE *out;
    iso_results *results;
    iso_engine_end end;
} session;

static size_t find_missing(session *s, iso_missing_question **missing) {
    return iso_bench_look(s->settings->bench, s->results, s->summary, missing);
}

static void run_tasks(void *arg) {
    session *s = arg;
    const iso_engine_settings *settings = s->settings;
    iso_pool *pool = settings->bench->lab->pool;
    bool slurm = strcmp(s->engine, "slurm") == 0;
    iso_environment environment = iso_environment_now(
        pool, settings->bench->lab->program, strcmp(settings->bench->lab->program, settings->bench->lab->own) == 0);
    char hex[65];
    iso_sha256 sha;
    iso_sha256_init(&sha);
    iso_sha256_add(&sha, settings->output, strlen(settings->output) + 1);
    iso_sha256_add(&sha, settings->suite, strlen(settings->suite) + 1);
    iso_sha256_add(&sha, settings->bench->label, strlen(settings->bench->label) + 1);
    iso_sha256_add(&sha, environment.program, strlen(environment.program));
    iso_sha256_hex(&sha, hex);
    iso_tasks t = {.settings = settings,
                   .pool = pool,
                   .threads = 1,
                   .out = s->out,
                   .began = iso_now(),
                   .name = work_name(pool, settings->bench->suite->name, hex)};
    iso_missing_question *missing;
    if (!settings->dry || access(settings->output, F_OK) == 0) {
        s->results = iso_results_open(pool, settings->output, settings->dry ? ISO_RESULTS_READ : ISO_RESULTS_SHARED);
        iso_results_any_machine(s->results, settings->bench->label, environment.program);
    }
    size_t alive = slurm && !settings->dry ? iso_slurm_alive(pool, t.name) : 0;
    if (!settings->dry) {
        take_parts(settings, s->results, s->out);
        iso_bench_forget_absent(settings->bench->lab, s->results);
        iso_bench_write_plan(settings->bench, s->results);
    }
    size_t n = find_missing(s, &missing);
    s->end = ISO_ENGINE_SUBMITTED;
    if (n > 0 && alive > 0 && !settings->wait) {
        iso_say(s->out, "%zu tasks of %s wait or run; nothing new is submitted\n", alive, t.name);
        return;
    }
    if (n > 0 && alive == 0) {
        t.folder =
            settings->dry ? iso_format_text(pool, "%s/NEW", tasks_folder(settings)) : new_folder(settings, t.name);
        cut(&t, missing, n);
        t.command = command_of(&t);
        if (slurm) {
            iso_slurm_submit(&t);
        } else {
            iso_parallel_run(&t);
        }
    }
    if (settings->dry || (n > 0 && slurm && !settings->wait)) {
        return;
    }
    if (slurm && (n > 0 || alive > 0)) {
        t.n = t.n > 0 ? t.n : alive;
        iso_slurm_wait(&t);
    }
    if (n > 0) {
        take_parts(settings, s->results, s->out);
        n = find_missing(s, &missing);
    }
    if (n > 0) {
        if (t.folder != NULL) {
            tell_logs(&t);
        }
        iso_say(s->out, "%zu questions have no result; the same command asks them again\n", n);
    } else {
        clean_up(settings, t.name);
    }
    s->end = n > 0 ? ISO_ENGINE_MISSING : ISO_ENGINE_DONE;
}

iso_engine_end iso_engine_run(const iso_engine_settings *settings, const char *engine, iso_bench_summary *summary,
                              FILE *out) {
    session s = {.settings = settings, .engine = engine, .summary = summary, .out = out};
    *summary = (iso_bench_summary){.histories = 0};
    iso_env *env = settings->bench->lab->pool->env;
    int code = iso_guard(env, run_tasks, &s);
    iso_results_close(s.results);
    if (code != ISOLAB_OK) {
        iso_rethrow(env);
    }
    return s.end;
}
