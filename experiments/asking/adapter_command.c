/* Runs an adapter's program, and reads its output. See adapters.h. */
#define _GNU_SOURCE
#include <ctype.h>
#include <inttypes.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/asking/adapters.h"

const char *const iso_tool_state_text[ISO_TOOL_STATES] = {"ok",          "timeout", "out-of-memory", "crash",
                                                          "unsupported", "refused", "unparsable",    "missing"};

/* The replacement of a name in braces. */
typedef struct meaning {
    const char *name; /* with its braces */
    const char *text;
} meaning;

/* Returns the text with every known name in braces replaced. Names inside replacements are not replaced. */
static const char *fill(iso_pool *pool, const char *text, size_t length, const meaning *meanings) {
    size_t room = length + 1, used = 0;
    char *filled = iso_alloc(pool, room, 1);
    for (size_t i = 0; i < length;) {
        const meaning *m = meanings;
        while (m->name != NULL && (strlen(m->name) > length - i || memcmp(text + i, m->name, strlen(m->name)) != 0)) {
            m++;
        }
        const char *put = m->name != NULL ? m->text : text + i;
        size_t n = m->name != NULL ? strlen(m->text) : 1;
        if (used + n + length + 1 > room) {
            room = 2 * (used + n + length + 1);
            filled = iso_resize(pool, filled, room, 1);
        }
        memcpy(filled + used, put, n);
        used += n;
        i += m->name != NULL ? strlen(m->name) : 1;
    }
    filled[used] = '\0';
    return filled;
}

/* Returns an argv: the program, then the words of a list with names in braces replaced. {files} becomes n words. */
static const char *const *words_of(iso_pool *pool, const char *program, const char *list, const meaning *meanings,
                                   const char *const *files, size_t n) {
    const char **argv = ISO_NEW(pool, const char *, strlen(list) + n + 2), *word;
    size_t used = 0, length;
    argv[used++] = program;
    while ((length = iso_next_word(&list, &word)) > 0) {
        bool all = length == 7 && memcmp(word, "{files}", 7) == 0;
        for (size_t i = 0; all && i < n; i++) {
            argv[used++] = files[i];
        }
        if (!all) {
            argv[used++] = fill(pool, word, length, meanings);
        }
    }
    argv[used] = NULL;
    return argv;
}

static const char *folder_of(iso_pool *pool, const char *path) {
    char folder[PATH_MAX];
    return iso_format_text(pool, "%s", iso_file_folder(folder, path));
}

/* Returns the argv of the program with these arguments. */
static const char *const *argv_of(iso_pool *pool, const iso_adapter *adapter, const char *program,
                                  const char *arguments, iso_level level, const iso_format *format, bool lists,
                                  const char *const *files, size_t n) {
    const char *level_word = iso_adapter_level(pool, adapter, level);
    const char *format_word = iso_adapter_format_word(pool, adapter, format);
    const meaning meanings[] = {{"{file}", n > 0 ? files[0] : ""},
                                {"{folder}", n > 0 ? folder_of(pool, files[0]) : ""},
                                {"{level}", level_word == NULL ? "" : level_word},
                                {"{format}", format_word == NULL ? format->name : format_word},
                                {"{model}", lists ? "list-append" : "rw-register"},
                                {"{config}", adapter->config},
                                {NULL, NULL}};
    return words_of(pool, program, arguments, meanings, files, n);
}

const char *const *iso_adapter_command(iso_pool *pool, const iso_adapter *adapter, const char *program, iso_level level,
                                       const iso_format *format, bool lists, const char *const *files, size_t n) {
    return argv_of(pool, adapter, program, adapter->arguments, level, format, lists, files, n);
}

const char *const *iso_adapter_serve(iso_pool *pool, const iso_adapter *adapter, const char *program, iso_level level,
                                     const iso_format *format, bool lists) {
    return argv_of(pool, adapter, program, adapter->serve, level, format, lists, NULL, 0);
}

const char *iso_adapter_question(iso_pool *pool, const iso_adapter *adapter, const char *file, const char *text,
                                 size_t size, size_t *n) {
    bool by_path = iso_adapter_is(adapter->told, "path");
    char line[32];
    if (!by_path && text == NULL) {
        text = iso_source_text(pool, file, 0, &size);
    }
    size_t rest = by_path ? 1 : size,
           first = by_path ? strlen(file) : (size_t)snprintf(line, sizeof line, "%zu\n", size);
    char *all = iso_alloc(pool, first + rest + 1, 1);
    memcpy(all, by_path ? file : line, first);
    memcpy(all + first, by_path ? "\n" : text, rest);
    all[first + rest] = '\0';
    *n = first + rest;
    return all;
}

const char *const *iso_adapter_environment(iso_pool *pool, const iso_adapter *adapter, uint64_t memory) {
    const meaning meanings[] = {{"{megabytes}", iso_format_text(pool, "%" PRIu64, memory >> 20)}, {NULL, NULL}};
    const char *list = adapter->environment, **all = ISO_NEW(pool, const char *, strlen(list) + 1), *word;
    size_t used = 0, length;
    while ((length = iso_next_word(&list, &word)) > 0) {
        if (memory > 0 || memmem(word, length, "{megabytes}", strlen("{megabytes}")) == NULL) {
            all[used++] = fill(pool, word, length, meanings);
        }
    }
    all[used] = NULL;
    return all;
}

/* Returns a regular expression that matches only this text. */
static const char *literal(iso_pool *pool, const char *text) {
    char *quoted = iso_alloc(pool, 2 * strlen(text) + 1, 1), *at = quoted;
    for (; *text != '\0'; text++) {
        if (strchr(".[]()*+?{}|^$\\", *text) != NULL) {
            *at++ = '\\';
        }
        *at++ = *text;
    }
    *at = '\0';
    return quoted;
}

/* Compiles a pattern. An invalid one is an error of the configuration. */
static void compile(iso_pool *pool, const char *pattern, const meaning *meanings, regex_t *compiled) {
    int error = regcomp(compiled, fill(pool, pattern, strlen(pattern), meanings), REG_EXTENDED | REG_NEWLINE);
    if (error != 0) {
        char why[100];
        regerror(error, compiled, why, sizeof why);
        iso_throw(pool->env, ISOLAB_E_USAGE, "the pattern \"%.100s\" of an adapter: %s", pattern, why);
    }
}

enum { PATTERNS = 5 };
struct iso_adapter_reader {
    struct {
        const char *pattern; /* the adapter's own string, so pointers are compared */
        regex_t compiled;
    } of[PATTERNS];
    size_t n;
};

iso_adapter_reader *iso_adapter_reader_new(iso_pool *pool, const iso_adapter *adapter) {
    const char *const all[PATTERNS] = {adapter->satisfied, adapter->violated, adapter->unknown, adapter->refused,
                                       adapter->anomaly};
    iso_adapter_reader *r = ISO_ZNEW(pool, iso_adapter_reader, 1);
    const meaning none = {NULL, NULL};
    for (size_t i = 0; i < PATTERNS; i++) {
        if (*all[i] != '\0' && strstr(all[i], "{file}") == NULL && strstr(all[i], "{name}") == NULL) {
            r->of[r->n].pattern = all[i];
            compile(pool, all[i], &none, &r->of[r->n].compiled);
            r->n++;
        }
    }
    return r;
}

void iso_adapter_reader_end(iso_adapter_reader *r) {
    for (size_t i = 0; r != NULL && i < r->n; i++) {
        regfree(&r->of[i].compiled);
    }
}

/* Returns the compiled pattern; NULL: the reader does not have it. */
static const regex_t *compiled_by(const iso_adapter_reader *r, const char *pattern) {
    for (size_t i = 0; r != NULL && i < r->n; i++) {
        if (r->of[i].pattern == pattern) {
            return &r->of[i].compiled;
        }
    }
    return NULL;
}

/* An answer that is being read. */
typedef struct reading {
    iso_pool *pool;
    const iso_adapter_reader *reader;
    const iso_job *job;
    const char *file;
} reading;

/* Returns whether a line of standard output, or else of standard error, matches a compiled pattern. group: receives the
 * match of the first group, if there is one; NULL: not wanted. */
static bool matches(const reading *q, const regex_t *compiled, char *group, size_t size) {
    regmatch_t match[2] = {{-1, -1}, {-1, -1}};
    const char *text = q->job->out;
    bool is = regexec(compiled, text, 2, match, 0) == 0;
    if (!is) {
        text = q->job->err;
        is = regexec(compiled, text, 2, match, 0) == 0;
    }
    if (is && group != NULL && match[1].rm_so >= 0) {
        size_t n = (size_t)(match[1].rm_eo - match[1].rm_so);
        snprintf(group, size, "%.*s", (int)(n < size ? n : size - 1), text + match[1].rm_so);
    }
    return is;
}

/* The same for a pattern of the adapter. An empty pattern matches nothing. */
static bool found(const reading *q, const char *pattern, char *group, size_t size) {
    const regex_t *made = compiled_by(q->reader, pattern);
    if (made != NULL) {
        return matches(q, made, group, size);
    } else if (*pattern == '\0') {
        return false;
    }
    const meaning meanings[] = {
        {"{file}", literal(q->pool, q->file)}, {"{name}", literal(q->pool, iso_base_name(q->file))}, {NULL, NULL}};
    regex_t compiled;
    compile(q->pool, pattern, meanings, &compiled);
    bool is = matches(q, &compiled, group, size);
    regfree(&compiled);
    return is;
}

/* Returns whether a number is in a list. */
static bool listed(const char *list, int status) {
    char *end;
    for (long n; n = strtol(list, &end, 10), end != list; list = end) {
        if (n == status) {
            return true;
        }
    }
    return false;
}

/* Returns whether a line is a notice that a run-time system prints before the program prints anything. */
static bool is_notice(const char *line, size_t n) {
    static const char *const notices[] = {"Picked up JAVA_TOOL_OPTIONS",
                                          "Picked up _JAVA_OPTIONS",
                                          "Picked up JDK_JAVA_OPTIONS",
                                          "OpenJDK 64-Bit Server VM warning:",
                                          "WARNING:",
                                          "Warning:",
                                          "warning:"};
    for (size_t i = 0; i < sizeof notices / sizeof *notices; i++) {
        size_t length = strlen(notices[i]);
        if (n >= length && memcmp(line, notices[i], length) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns the last line of a text that is not empty; after a traceback of Python this line says what failed. */
static const char *last_line(const char *text, size_t *n) {
    const char *last = text;
    for (const char *at = text; *at != '\0'; at += strcspn(at, "\n"), at += *at == '\n') {
        last = strcspn(at, "\r\n") > 0 ? at : last;
    }
    *n = strcspn(last, "\r\n");
    return last;
}

/* Returns the first line of a text that is not empty and, unless `notices`, not a notice. *n: its length; 0: there is
 * none. */
static const char *telling_line(const char *text, bool notices, size_t *n) {
    static const char python[] = "Traceback (most recent call last)";
    do {
        text += strspn(text, " \t\r\n");
        *n = strcspn(text, "\r\n");
        if (strncmp(text, python, sizeof python - 1) == 0) {
            return last_line(text, n);
        } else if (notices || !is_notice(text, *n)) {
            return text;
        }
        text += *n;
    } while (*n > 0);
    return text;
}

/* Copies the first line of standard error or standard output that is no notice, or else any first line, with `?` for
 * control characters. */
static void first_line(const iso_job *job, char *line, size_t size) {
    for (int which = 0; which < 4; which++) {
        size_t n;
        const char *text = telling_line(which % 2 == 0 ? job->err : job->out, which >= 2, &n);
        if (n > 0) {
            snprintf(line, size, "%.*s", (int)(n < size ? n : size - 1), text);
            for (char *c = line; *c != '\0'; c++) {
                *c = iscntrl((unsigned char)*c) ? '?' : *c;
            }
            return;
        }
    }
    snprintf(line, size, "no output");
}

/* Returns whether the output contains the words by which run-time systems report the end of memory. */
static bool tells_no_memory(const iso_job *job) {
    static const char *const words[] = {
        "bad_alloc",   "OutOfMemory",          "out of memory",          "Out of memory",
        "MemoryError", "memory allocation of", "Cannot allocate memory", "memory limit reached"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strstr(job->err, words[i]) != NULL || strstr(job->out, words[i]) != NULL) {
            return true;
        }
    }
    return false;
}

/* Sets the state and the reason of a job that did not exit with a status of a verdict. */
static void judge_end(const iso_adapter *adapter, const iso_job *job, iso_judgement *j) {
    char line[160];
    if (job->end == ISO_JOB_EXITED && listed(adapter->statuses, job->code)) {
        return;
    }
    first_line(job, line, sizeof line);
    if (job->end == ISO_JOB_NOT_STARTED) {
        j->state = ISO_TOOL_MISSING;
        snprintf(j->reason, sizeof j->reason, "%s", job->why);
    } else if (job->end == ISO_JOB_TIMED_OUT) {
        j->state = ISO_TOOL_TIMEOUT;
        snprintf(j->reason, sizeof j->reason, "no answer within %.3g s", (double)job->timeout / 1e9);
    } else if (job->end == ISO_JOB_TOO_LARGE) {
        j->state = ISO_TOOL_MEMORY;
        snprintf(j->reason, sizeof j->reason, "more memory than allowed");
    } else if (job->end == ISO_JOB_SIGNALLED &&
               job->code == SIGKILL) { /* not by a limit of the job: the system kills if it has no memory */
        j->state = ISO_TOOL_MEMORY;
        snprintf(j->reason, sizeof j->reason, "killed by the system: %s", line);
    } else {
        bool refusal = job->end == ISO_JOB_EXITED && listed(adapter->refusals, job->code);
        j->state = tells_no_memory(job) ? ISO_TOOL_MEMORY : refusal ? ISO_TOOL_REFUSED : ISO_TOOL_CRASH;
        snprintf(j->reason, sizeof j->reason, "%s %d: %s", job->end == ISO_JOB_SIGNALLED ? "signal" : "exit status",
                 job->code, line);
    }
}

void iso_adapter_judge(iso_pool *pool, const iso_adapter *adapter, const iso_adapter_reader *reader, const iso_job *job,
                       const char *file, iso_judgement *j) {
    *j = (iso_judgement){.state = ISO_TOOL_OK, .verdict = ISOLAB_UNKNOWN};
    judge_end(adapter, job, j);
    reading q = {pool, reader, job, file};
    if (j->state == ISO_TOOL_CRASH && job->end == ISO_JOB_EXITED && found(&q, adapter->refused, NULL, 0)) {
        j->state = ISO_TOOL_REFUSED; /* for example by an exception that says that it does not take the history */
    }
    if (j->state != ISO_TOOL_OK) {
        return;
    }
    bool satisfied = found(&q, adapter->satisfied, NULL, 0);
    bool violated = found(&q, adapter->violated, NULL, 0);
    if (satisfied != violated) {
        j->verdict = satisfied ? ISOLAB_SATISFIED : ISOLAB_VIOLATED;
        if (violated) {
            found(&q, adapter->anomaly, j->anomalies, sizeof j->anomalies);
        }
        return;
    }
    char line[160];
    first_line(job, line, sizeof line);
    if (satisfied) {
        j->state = ISO_TOOL_UNPARSABLE;
        snprintf(j->reason, sizeof j->reason, "it printed both verdicts: %s", line);
    } else if (found(&q, adapter->unknown, NULL, 0)) {
        snprintf(j->reason, sizeof j->reason, "%s", line);
        j->state = tells_no_memory(job) ? ISO_TOOL_MEMORY : ISO_TOOL_OK;
    } else if (found(&q, adapter->refused, NULL, 0)) {
        j->state = ISO_TOOL_REFUSED;
        snprintf(j->reason, sizeof j->reason, "%s", line);
    } else {
        j->state = tells_no_memory(job) ? ISO_TOOL_MEMORY : ISO_TOOL_UNPARSABLE;
        snprintf(j->reason, sizeof j->reason, "no verdict in what it printed%s: %s", job->cut ? " (cut)" : "", line);
    }
}
