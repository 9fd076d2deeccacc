/* Reads BenchExec's result XML. See benchexec.h. Only the tags and attributes that results have are looked at; nothing
 * is fetched, and no entity is defined. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"
#include "experiments/runner/benchexec.h"
#include "experiments/runner/results_check.h"
#include "formats/format.h"
#include "history/level.h"

enum { MOST_ATTRIBUTES = 32 };

/* A start tag. */
typedef struct tag {
    const char *name;
    struct {
        const char *name, *value;
    } attribute[MOST_ATTRIBUTES];
    size_t n;
    bool ends; /* it is an end tag, or a tag without content */
} tag;

typedef struct reading {
    iso_pool *pool;
    iso_results *results;
    const char *path, *label, *at, *end;
    uint64_t line;
    const char *benchmark, *tool, *version, *date, *limits;
    iso_environment environment;
    int64_t environment_id; /* 0: not yet */
    /* the current run */
    bool inside;
    iso_instance history;
    iso_run run;
    const char *status, *category, *state;
    json_t *phases;
    size_t added;
} reading;

static _Noreturn void wrong(const reading *r, const char *expected, const char *found) {
    iso_throw_input(r->pool->env, r->line, ISOLAB_NO_OFFSET, "expected %s, found \"%.60s\"", expected, found);
}

/* ---- XML ---- */

static void skip_to(reading *r, const char *end) {
    size_t n = strlen(end);
    while (r->at + n <= r->end && memcmp(r->at, end, n) != 0) {
        r->line += *r->at == '\n';
        r->at++;
    }
    if (r->at + n > r->end) {
        wrong(r, end, "the end of the file");
    }
    r->at += n;
}

static void skip_spaces(reading *r) {
    while (r->at < r->end && strchr(" \t\r\n", *r->at) != NULL && *r->at != '\0') {
        r->line += *r->at++ == '\n';
    }
}

static size_t name_size(const reading *r) {
    size_t n = 0;
    while (r->at + n < r->end && strchr(" \t\r\n=/><\"'&", r->at[n]) == NULL) {
        n++;
    }
    return n;
}

/* Writes a character as UTF-8. Returns its bytes. */
static size_t encode(unsigned long c, char *to) {
    if (c < 0x80) {
        to[0] = (char)c;
        return 1;
    }
    size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n; i-- > 1; c >>= 6) {
        to[i] = (char)(0x80 | (c & 0x3f));
    }
    to[0] = (char)((n == 2 ? 0xc0 : n == 3 ? 0xe0 : 0xf0) | c);
    return n;
}

/* Reads a reference such as `&lt;`, without its `&`. Returns the bytes written. */
static size_t reference(reading *r, const char **at, const char *end, char *to) {
    static const struct {
        const char *name;
        char is;
    } known[] = {{"lt;", '<'}, {"gt;", '>'}, {"amp;", '&'}, {"quot;", '"'}, {"apos;", '\''}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t n = strlen(known[i].name);
        if ((size_t)(end - *at) >= n && memcmp(*at, known[i].name, n) == 0) {
            *at += n;
            *to = known[i].is;
            return 1;
        }
    }
    if (end - *at > 2 && **at == '#') {
        bool hex = (*at)[1] == 'x';
        char *stop;
        unsigned long c = strtoul(*at + 1 + hex, &stop, hex ? 16 : 10);
        if (stop < end && *stop == ';' && c > 0 && c < 0x110000 && (c < 0xd800 || c > 0xdfff)) {
            *at = stop + 1;
            return encode(c, to);
        }
    }
    wrong(r, "a reference such as &lt;",
          iso_copy_text(r->pool, *at, (size_t)(end - *at) < 20 ? (size_t)(end - *at) : 20));
}

static const char *value(reading *r) {
    char quote = r->at < r->end ? *r->at : '\0';
    if (quote != '"' && quote != '\'') {
        wrong(r, "a value in quotes", r->at < r->end ? iso_copy_text(r->pool, r->at, 1) : "the end of the file");
    }
    const char *from = ++r->at;
    skip_to(r, quote == '"' ? "\"" : "'");
    const char *end = r->at - 1;
    char *text = iso_alloc(r->pool, (size_t)(end - from) + 1, 1);
    size_t n = 0;
    while (from < end) {
        if (*from != '&') {
            text[n++] = *from++;
            continue;
        }
        from++;
        n += reference(r, &from, end, text + n); /* never longer than its source */
    }
    text[n] = '\0';
    return text;
}

static void attributes(reading *r, tag *t) {
    for (;;) {
        skip_spaces(r);
        if (r->at < r->end && *r->at == '/') {
            t->ends = true;
            r->at++;
        } else if (r->at < r->end && *r->at == '>') {
            r->at++;
            return;
        } else {
            size_t n = name_size(r);
            if (n == 0 || t->n == MOST_ATTRIBUTES) {
                wrong(r, "an attribute or the end of the tag", t->name);
            }
            t->attribute[t->n].name = iso_copy_text(r->pool, r->at, n);
            r->at += n;
            skip_spaces(r);
            if (r->at == r->end || *r->at != '=') {
                wrong(r, "= after the attribute", t->attribute[t->n].name);
            }
            r->at++;
            skip_spaces(r);
            t->attribute[t->n++].value = value(r);
        }
    }
}

/* Reads the next tag. Returns false at the end. */
static bool next_tag(reading *r, tag *t) {
    *t = (tag){.name = ""};
    for (;;) {
        while (r->at < r->end && *r->at != '<') {
            r->line += *r->at++ == '\n';
        }
        if (r->at == r->end) {
            return false;
        }
        iso_tick(r->pool->env);
        size_t left = (size_t)(r->end - r->at);
        if (left > 3 && memcmp(r->at, "<!--", 4) == 0) {
            r->at += 4;
            skip_to(r, "-->");
        } else if (left > 8 && memcmp(r->at, "<![CDATA[", 9) == 0) {
            skip_to(r, "]]>");
        } else if (left > 1 && r->at[1] == '?') {
            skip_to(r, "?>");
        } else if (left > 1 && r->at[1] == '!') {
            const char *declaration = r->at;
            skip_to(r, ">");
            if (memchr(declaration, '[', (size_t)(r->at - declaration)) != NULL) {
                wrong(r, "no declarations of entities", "<!DOCTYPE ... [");
            }
        } else {
            break;
        }
    }
    r->at++;
    if (r->at < r->end && *r->at == '/') {
        t->ends = true;
        r->at++;
    }
    size_t n = name_size(r);
    t->name = iso_copy_text(r->pool, r->at, n);
    r->at += n;
    attributes(r, t);
    return true;
}

static const char *get(const tag *t, const char *name) {
    for (size_t i = 0; i < t->n; i++) {
        if (strcmp(t->attribute[i].name, name) == 0) {
            return t->attribute[i].value;
        }
    }
    return "";
}

/* ---- results ---- */

static bool is(const char *a, const char *b) { return strcmp(a, b) == 0; }
static bool begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

static const char *short_name(reading *r, const char *text) {
    return iso_copy_text(r->pool, text, strnlen(text, ISO_LONGEST_NAME));
}

/* Parses a quantity such as `0.5s`, `19525632B`, `16 GB` or `16389436 kB`. An empty text is 0. */
static double quantity(const reading *r, const char *text, double most) {
    char *end;
    double x = *text == '\0' || strchr("0123456789.", *text) != NULL ? strtod(text, &end) : -1;
    if (*text == '\0') {
        return 0;
    }
    if (x < 0 || end == text) {
        wrong(r, "a quantity (a number and its unit)", text);
    }
    end += strspn(end, " ");
    x *= begins(end, "k") || begins(end, "K") ? 1e3
         : begins(end, "M")                   ? 1e6
         : begins(end, "G")                   ? 1e9
         : begins(end, "ms")                  ? 1e-3
                                              : 1;
    if (!(x <= most)) {
        wrong(r, iso_format_text(r->pool, "a quantity of at most %g", most), text);
    }
    return x;
}

static void begin_result(reading *r, const tag *t) {
    const char *name = get(t, "name"), *benchmark = get(t, "benchmarkname"), *dot = strrchr(name, '.');
    r->benchmark = short_name(r, benchmark);
    const char *definition = *get(t, "displayName") != '\0'           ? get(t, "displayName")
                             : dot != NULL && begins(name, benchmark) ? dot + 1
                                                                      : "";
    r->tool = short_name(r, *definition != '\0' ? iso_format_text(r->pool, "%s: %s", get(t, "tool"), definition)
                                                : get(t, "tool"));
    r->version = short_name(r, get(t, "version"));
    r->date = short_name(r, *get(t, "starttime") != '\0' ? get(t, "starttime") : get(t, "date"));
    r->limits = iso_format_text(r->pool, "%s %s", get(t, "timelimit"), get(t, "memlimit"));
    if (*r->benchmark == '\0' || *r->tool == '\0') {
        wrong(r, "a <result> with benchmarkname and tool", benchmark);
    }
    r->environment = (iso_environment){.commit = "unknown",
                                       .program = "benchexec",
                                       .version = r->version,
                                       .compiler = "unknown",
                                       .flags = "",
                                       .host = "unknown",
                                       .kernel = "unknown",
                                       .cpu = "unknown",
                                       .governor = "unknown"};
}

static void system_info(reading *r, const tag *t) {
    iso_environment *e = &r->environment;
    if (is(t->name, "systeminfo") && *get(t, "hostname") != '\0') {
        e->host = short_name(r, get(t, "hostname"));
    } else if (is(t->name, "os")) {
        e->kernel = short_name(r, get(t, "name"));
    } else if (is(t->name, "cpu")) {
        e->cpu = short_name(r, get(t, "model"));
        e->cores = (unsigned)quantity(r, get(t, "cores"), 1e6);
    } else if (is(t->name, "ram")) {
        e->memory = (uint64_t)quantity(r, get(t, "size"), ISO_MOST_COUNT);
    }
}

static void begin_run(reading *r, const tag *t) {
    const char *level = get(t, "properties"), *why = NULL, *expected = get(t, "expectedVerdict");
    iso_level known = iso_level_find(level, &why);
    level = known != ISO_NO_LEVEL ? iso_level_get(known)->name : *level != '\0' ? level : "none";
    const char *files = get(t, "files");
    size_t n = strlen(files);
    files = n > 1 && files[0] == '[' && files[n - 1] == ']' ? iso_copy_text(r->pool, files + 1, n - 2) : files;
    if (r->inside || *get(t, "name") == '\0') {
        wrong(r, r->inside ? "the end of the run" : "a run with a name", get(t, "name"));
    }
    r->inside = true;
    r->history =
        (iso_instance){.name = short_name(r, get(t, "name")), .family = r->benchmark, .sha256 = "", .parameters = "{}"};
    r->history.source = iso_copy_text(r->pool, *files != '\0' ? files : r->history.name,
                                      strnlen(*files != '\0' ? files : r->history.name, ISO_LONGEST_TEXT));
    r->run = (iso_run){.suite = r->benchmark,
                       .level = short_name(r, level),
                       .checker = r->tool,
                       .repetition = 1,
                       .exit_status = -1,
                       .load = -1};
    r->run.expected = begins(expected, "true") ? "satisfied" : begins(expected, "false") ? "violated" : NULL;
    r->status = r->category = r->state = "";
    json_decref(r->phases);
    r->phases = json_object();
}

static void column(reading *r, const tag *t) {
    const char *title = get(t, "title"), *v = get(t, "value");
    static const struct {
        const char *title;
        size_t offset;
    } sizes[] = {{"sessions", offsetof(iso_instance, sessions)},
                 {"transactions", offsetof(iso_instance, transactions)},
                 {"operations", offsetof(iso_instance, operations)},
                 {"keys", offsetof(iso_instance, keys)},
                 {"bytes", offsetof(iso_instance, bytes)}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (is(title, sizes[i].title)) {
            *(uint64_t *)(void *)((char *)&r->history + sizes[i].offset) = (uint64_t)quantity(r, v, 1e10);
            return;
        }
    }
    size_t n = strlen(v);
    if (is(title, "status")) {
        r->status = v;
    } else if (is(title, "category")) {
        r->category = v;
    } else if (is(title, "state")) {
        r->state = v;
    } else if (is(title, "walltime")) {
        r->run.wall_ms = quantity(r, v, ISO_MOST_MS / 1e3) * 1e3;
    } else if (is(title, "cputime")) {
        r->run.user_ms = quantity(r, v, ISO_MOST_MS / 1e3) * 1e3;
    } else if (is(title, "memory") || is(title, "memUsage")) {
        r->run.peak_kib = (long)(quantity(r, v, 1e15) / 1024);
    } else if (is(title, "repetition")) {
        r->run.repetition = (unsigned)fmax(1, quantity(r, v, 1e6));
    } else if (is(title, "returnvalue")) {
        r->run.exit_status = (int)quantity(r, v, 255);
    } else if (is(title, "exitsignal")) {
        r->run.signal = (int)quantity(r, v, 255);
    } else if (is(title, "sha256")) {
        r->history.sha256 = short_name(r, v);
    } else if (is(title, "family")) {
        r->history.family = short_name(r, v);
    } else if (is(title, "reason")) {
        r->run.reason = iso_copy_text(r->pool, v, strnlen(v, ISO_LONGEST_TEXT));
    } else if (n > 1 && v[n - 1] == 's' && strlen(title) < ISO_LONGEST_NAME && strspn(v, "0123456789.") == n - 1) {
        json_object_set_new(r->phases, title, json_real(quantity(r, v, ISO_MOST_MS / 1e3) * 1e3));
    }
}

static void judge(reading *r) {
    iso_run *run = &r->run;
    const char *s = r->status;
    run->verdict = is(s, "true") || is(s, "satisfied")       ? "satisfied"
                   : begins(s, "false") || is(s, "violated") ? "violated"
                                                             : NULL;
    bool wrong_verdict = run->verdict != NULL && run->expected != NULL && !is(run->verdict, run->expected);
    run->state = wrong_verdict || is(r->category, "wrong") ? ISO_RUN_WRONG
                 : run->verdict != NULL                    ? ISO_RUN_OK
                 : begins(s, "TIMEOUT")                    ? ISO_RUN_TIMEOUT
                 : begins(s, "OUT OF ")                    ? ISO_RUN_MEMORY
                 : is(r->category, "error")                ? ISO_RUN_CRASH
                                                           : ISO_RUN_REFUSED;
    iso_run_state told = ISO_RUN_OK;
    iso_run_state_find(r->state, &told);
    if (run->verdict == NULL && (told == ISO_RUN_UNSUPPORTED || told == ISO_RUN_ABSENT)) {
        run->state = told;
    }
    if (run->verdict == NULL && run->reason == NULL) {
        run->reason = iso_copy_text(r->pool, s, strnlen(s, 200));
    }
}

static void end_run(reading *r) {
    char key[65];
    iso_sha256 sha;
    judge(r);
    char *phases = json_dumps(r->phases, JSON_COMPACT | JSON_REAL_PRECISION(9));
    r->run.phases = phases != NULL && strlen(phases) < ISO_LONGEST_TEXT ? iso_format_text(r->pool, "%s", phases) : NULL;
    free(phases);
    const char *const words[] = {r->run.suite, r->history.name, r->run.level, r->run.checker,
                                 r->limits,    r->version,      r->date};
    iso_sha256_init(&sha);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        iso_sha256_add(&sha, words[i], strlen(words[i]) + 1);
    }
    iso_sha256_hex(&sha, key);
    if (r->environment_id == 0) {
        r->environment_id = iso_results_environment(r->results, &r->environment, r->label);
    }
    iso_results_add(r->results, r->environment_id, iso_results_history(r->results, &r->history), key, &r->run);
    r->added++;
    r->inside = false;
}

static void read_all(void *arg) {
    reading *r = arg;
    tag t;
    size_t size;
    const char *text = iso_source_text(r->pool, r->path, 0, &size);
    if (size > 3 && memcmp(text, "BZh", 3) == 0) {
        wrong(r, "XML: decompress the file by bunzip2 first", "BZh");
    }
    r->at = text;
    r->end = text + size;
    bool begun = false;
    while (next_tag(r, &t)) {
        bool start = !t.ends || t.n > 0;
        if (!begun && !is(t.name, "result")) {
            wrong(r, "a <result> of BenchExec", t.name);
        } else if (is(t.name, "result") && start) {
            begin_result(r, &t);
            begun = true;
        } else if (is(t.name, "run") && start) {
            begin_run(r, &t);
        }
        if (is(t.name, "column") && r->inside) {
            column(r, &t);
        } else if (is(t.name, "run") && t.ends && r->inside) {
            end_run(r);
        } else if (begun) {
            system_info(r, &t);
        }
    }
    if (!begun || r->inside) {
        wrong(r, begun ? "the end of the run" : "a <result> of BenchExec", "the end of the file");
    }
}

size_t iso_benchexec_read(iso_pool *pool, iso_results *results, const char *path, const char *label) {
    reading r = {.pool = pool, .results = results, .path = path, .label = label, .line = 1};
    int code = iso_guard(pool->env, read_all, &r);
    json_decref(r.phases);
    if (code != ISOLAB_OK) {
        isolab_error *e = &pool->env->error;
        if (e->file[0] == '\0') {
            snprintf(e->file, sizeof e->file, "%s", path);
        }
        iso_rethrow(pool->env);
    }
    return r.added;
}
