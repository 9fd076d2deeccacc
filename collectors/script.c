/* Reading and writing scripts. See script.h. */
#include "collectors/script.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/print.h"
#include "collectors/collector.h"

enum { WORDS = 2 + 2 * ISO_SCRIPT_KEYS };

static const char *const words[] = {
    [ISO_STEP_BEGIN] = "begin",   [ISO_STEP_READ] = "read",     [ISO_STEP_WRITE] = "write",
    [ISO_STEP_APPEND] = "append", [ISO_STEP_COMMIT] = "commit", [ISO_STEP_ABORT] = "abort"};

const char *iso_step_word(iso_step_kind kind) { return words[kind]; }

typedef struct reader {
    iso_pool *pool;
    iso_script *first, *last;
    uint64_t line;
    uint8_t running[ISO_SCRIPT_SESSIONS]; /* 1: the session is inside a transaction */
} reader;

static _Noreturn void refuse(const reader *r, const char *why, const char *word) {
    iso_throw_input(r->pool->env, r->line, ISOLAB_NO_OFFSET, "%s \"%.60s\"", why, word);
}

/* Names stay harmless in every statement and comment that they may be printed in. */
static void check_name(const reader *r, const char *name) {
    for (const char *c = name; *c != '\0'; c++) {
        if (!isalnum((unsigned char)*c) && strchr("_-./", *c) == NULL) {
            refuse(r, "expected a name of letters, digits, _, -, . and /, found", name);
        }
    }
}

/* Returns the number of a name in a table, to which it is added if it is new. */
static uint32_t number_of(const reader *r, const char **table, uint32_t *n, uint32_t most, const char *name) {
    for (uint32_t i = 0; i < *n; i++) {
        if (strcmp(table[i], name) == 0) {
            return i;
        }
    }
    if (*n == most) {
        refuse(r, "too many names: no room for", name);
    }
    check_name(r, name);
    table[*n] = name;
    return (*n)++;
}

static int64_t value_of(const reader *r, const char *word) {
    char *end;
    errno = 0;
    int64_t value = strtoll(word, &end, 10);
    if (end == word || *end != '\0' || errno != 0 || value == ISO_NO_VALUE) {
        refuse(r, "expected a whole number, found", word);
    }
    return value;
}

/* Begins a script: `script NAME: what it tries`. */
static void begin_script(reader *r, char *rest) {
    iso_script *s = ISO_ZNEW(r->pool, iso_script, 1);
    char *colon = strchr(rest, ':');
    if (colon != NULL) {
        *colon = '\0';
        s->summary = colon + 1 + strspn(colon + 1, " \t");
    }
    s->name = rest;
    s->forbids = ISO_NO_LEVEL;
    for (uint32_t k = 0; k < ISO_SCRIPT_KEYS; k++) {
        s->initial[k] = ISO_NO_VALUE;
    }
    memset(r->running, 0, sizeof r->running);
    if (r->last != NULL) {
        r->last->next = s;
    } else {
        r->first = s;
    }
    r->last = s;
}

static void set_up(reader *r, uint32_t n, char **word) {
    iso_script *s = r->last;
    for (uint32_t i = 1; i < n; i += 2) {
        if (i + 1 == n) {
            refuse(r, "expected a value after the key", word[i]);
        }
        s->initial[number_of(r, s->key, &s->n_keys, ISO_SCRIPT_KEYS, word[i])] = value_of(r, word[i + 1]);
    }
}

/* A step begins a transaction only outside of one, and does everything else only inside. */
static void check_order(reader *r, const iso_step *step, const char *word) {
    uint8_t *running = &r->running[step->session];
    if ((step->kind == ISO_STEP_BEGIN) == (*running != 0)) {
        refuse(r,
               *running ? "this session is inside a transaction, and cannot"
                        : "this session is in no transaction, and cannot",
               word);
    }
    *running = step->kind != ISO_STEP_COMMIT && step->kind != ISO_STEP_ABORT;
}

static void add_step(reader *r, uint32_t n, char **word) {
    iso_script *s = r->last;
    iso_step step = {.line = r->line};
    uint32_t kind = 0;
    while (n > 1 && kind < sizeof words / sizeof *words && strcmp(words[kind], word[1]) != 0) {
        kind++;
    }
    if (n < 2 || kind == sizeof words / sizeof *words) {
        refuse(r, "expected begin, read, write, append, commit or abort, found", n < 2 ? "" : word[1]);
    }
    step.kind = (iso_step_kind)kind;
    bool changes = step.kind == ISO_STEP_WRITE || step.kind == ISO_STEP_APPEND;
    uint32_t expected = changes ? 4 : step.kind == ISO_STEP_READ ? 3 : 2;
    if (n != expected) {
        refuse(r,
               expected == 2 ? "expected nothing after"
               : changes     ? "expected a key and a value after"
                             : "expected a key after",
               word[1]);
    }
    step.session = number_of(r, s->session, &s->n_sessions, ISO_SCRIPT_SESSIONS, word[0]);
    if (n > 2) {
        step.key = number_of(r, s->key, &s->n_keys, ISO_SCRIPT_KEYS, word[2]);
    }
    step.value = changes ? value_of(r, word[3]) : 0;
    s->lists |= step.kind == ISO_STEP_APPEND;
    check_order(r, &step, word[1]);
    ISO_GROW(r->pool, s->steps, s->n, s->room);
    s->steps[s->n++] = step;
}

static void take_line(reader *r, char *line) {
    char *word[WORDS];
    uint32_t n = 0;
    line[strcspn(line, "#\r")] = '\0';
    line += strspn(line, " \t");
    if (strncmp(line, "script ", 7) == 0) {
        begin_script(r, line + 7 + strspn(line + 7, " \t"));
        return;
    }
    for (char *at = line; *at != '\0';) {
        size_t size = strcspn(at, " \t,");
        if (size > 0 && n == WORDS) {
            refuse(r, "too many words before", at);
        }
        if (size > 0) {
            word[n++] = at;
        }
        at += size + (at[size] != '\0');
        if (size > 0) {
            word[n - 1][size] = '\0';
        }
    }
    if (n == 0) {
        return;
    }
    if (r->last == NULL) {
        begin_script(r, iso_copy_text(r->pool, "script", 6));
    }
    if (strcmp(word[0], "setup") == 0) {
        set_up(r, n, word);
    } else if (strcmp(word[0], "forbids") == 0 && n == 2) {
        r->last->forbids = iso_level_find(word[1], NULL);
        if (r->last->forbids == ISO_NO_LEVEL) {
            refuse(r, "expected a level, found", word[1]);
        }
    } else {
        add_step(r, n, word);
    }
}

iso_script *iso_script_parse(iso_pool *pool, const char *text) {
    reader r = {.pool = pool};
    char *copy = iso_copy_text(pool, text, strlen(text));
    for (char *at = copy; *at != '\0';) {
        size_t n = strcspn(at, "\n");
        bool last = at[n] == '\0';
        at[n] = '\0';
        r.line++;
        take_line(&r, at);
        at += n + !last;
    }
    for (const iso_script *s = r.first; s != NULL; s = s->next) {
        if (s->n == 0) {
            refuse(&r, "no step in the script", s->name);
        }
    }
    if (r.first == NULL) {
        iso_throw_input(pool->env, 0, ISOLAB_NO_OFFSET, "no step of a script");
    }
    return r.first;
}

typedef struct file {
    iso_pool *pool;
    const char *path;
    iso_script *scripts;
} file;

static void read_file(void *arg) {
    file *f = arg;
    size_t n;
    const char *text = iso_file_content(f->pool, f->path, &n);
    if (text == NULL) {
        iso_throw_file(f->pool->env, ISOLAB_E_IO, f->path, "%s", strerror(errno));
    }
    f->scripts = iso_script_parse(f->pool, text);
}

iso_script *iso_script_read(iso_pool *pool, const char *path) {
    file f = {pool, path, NULL};
    if (iso_guard(pool->env, read_file, &f) != ISOLAB_OK) {
        isolab_error *e = &pool->env->error;
        if (e->file[0] == '\0') {
            snprintf(e->file, sizeof e->file, "%s", path);
        }
        iso_rethrow(pool->env);
    }
    return f.scripts;
}

void iso_script_print(FILE *out, const iso_script *s) {
    iso_printer p = {.out = out};
    iso_print(&p, "script %s%s%s\n", s->name, s->summary != NULL ? ": " : "", s->summary != NULL ? s->summary : "");
    if (s->forbids != ISO_NO_LEVEL) {
        iso_print(&p, "forbids %s\n", iso_level_get(s->forbids)->name);
    }
    for (uint32_t k = 0; k < s->n_keys; k++) {
        if (s->initial[k] != ISO_NO_VALUE) {
            iso_print(&p, "setup %s %lld\n", s->key[k], (long long)s->initial[k]);
        }
    }
    for (uint32_t i = 0; i < s->n; i++) {
        const iso_step *step = &s->steps[i];
        iso_print(&p, "%s %s", s->session[step->session], words[step->kind]);
        if (step->kind == ISO_STEP_READ || step->kind == ISO_STEP_WRITE || step->kind == ISO_STEP_APPEND) {
            iso_print(&p, " %s", s->key[step->key]);
        }
        if (step->kind == ISO_STEP_WRITE || step->kind == ISO_STEP_APPEND) {
            iso_print(&p, " %lld", (long long)step->value);
        }
        iso_print(&p, "\n");
    }
}
