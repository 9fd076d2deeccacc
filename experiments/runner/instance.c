/* See instance.h. */
#define _GNU_SOURCE
#include "experiments/runner/instance.h"

#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/process.h"
#include "base/sha256.h"
#include "experiments/runner/results_check.h"
#include "formats/format.h"

/* Returns the value of a varied name in a choice (one row of each variation), or NULL. */
static const char *value_of(const iso_suite_block *b, const size_t *choice, const char *name, size_t n) {
    for (size_t v = 0; v < b->n_vary; v++) {
        const iso_variation *vary = &b->vary[v];
        for (size_t i = 0; i < vary->names.n; i++) {
            if (strlen(vary->names.at[i]) == n && memcmp(vary->names.at[i], name, n) == 0) {
                return vary->rows[choice[v]].at[i];
            }
        }
    }
    return NULL;
}

/* Returns the text with each {name} replaced. */
static const char *fill(iso_pool *pool, const iso_suite_block *b, const size_t *choice, const char *text) {
    const char *done = "";
    while (*text != '\0') {
        const char *open = strchr(text, '{'), *close = open != NULL ? strchr(open, '}') : NULL;
        if (close == NULL) {
            return iso_format_text(pool, "%s%s", done, text);
        }
        const char *value = value_of(b, choice, open + 1, (size_t)(close - open - 1));
        if (value == NULL) {
            iso_throw_input(pool->env, b->line, ISOLAB_NO_OFFSET, "history \"%.100s\": nothing varies {%.*s}", b->name,
                            (int)(close - open - 1), open + 1);
        }
        done = iso_format_text(pool, "%s%.*s%s", done, (int)(open - text), text, value);
        text = close + 1;
    }
    return done;
}

/* Returns the block's name, followed by the varied values that it does not contain. */
static const char *name_of(iso_pool *pool, const iso_suite_block *b, const size_t *choice) {
    const char *name = fill(pool, b, choice, b->name);
    for (size_t v = 0; v < b->n_vary; v++) {
        for (size_t i = 0; i < b->vary[v].names.n; i++) {
            const char *key = iso_format_text(pool, "{%s}", b->vary[v].names.at[i]);
            if (strstr(b->name, key) == NULL) {
                name =
                    iso_format_text(pool, "%s,%s=%s", name, b->vary[v].names.at[i], b->vary[v].rows[choice[v]].at[i]);
            }
        }
    }
    return name;
}

/* Parses a number such as `10k`. */
static bool number(const char *text, double *value) {
    char *end;
    *value = strtod(text, &end);
    if (end == text || !(isdigit((unsigned char)text[0]) || text[0] == '.' || text[0] == '-')) {
        return false;
    }
    double unit = *end == 'k' ? 1e3 : *end == 'M' ? 1e6 : *end == 'G' ? 1e9 : 1;
    *value *= unit;
    return end[unit > 1] == '\0';
}

/* Returns the block's name without its replaced parts, except a word at its beginning: in `{workload}-{store}` each
 * workload is a family. */
static const char *family_of(iso_pool *pool, const iso_suite_block *b, const size_t *choice) {
    const char *name = b->name, *close = strchr(name, '}');
    if (name[0] == '{' && close != NULL) {
        name = iso_format_text(pool, "%s%s",
                               fill(pool, b, choice, iso_format_text(pool, "%.*s", (int)(close - name) + 1, name)),
                               close + 1);
    }
    size_t n = strcspn(name, "{");
    while (n > 1 && strchr("-_,./ ", name[n - 1]) != NULL) {
        n--;
    }
    return n > 0 ? iso_format_text(pool, "%.*s", (int)n, name) : name;
}

static const char *parameters_of(iso_pool *pool, const iso_suite_block *b, const size_t *choice) {
    const char *text = "{", *comma = "";
    for (size_t v = 0; v < b->n_vary; v++) {
        for (size_t i = 0; i < b->vary[v].names.n; i++) {
            const char *value = b->vary[v].rows[choice[v]].at[i];
            double n;
            json_t *json = number(value, &n) ? json_real(n) : json_string(value);
            char *dumped = json_dumps(json, JSON_ENCODE_ANY | JSON_REAL_PRECISION(12));
            text = iso_format_text(pool, "%s%s\"%s\":%s", text, comma, b->vary[v].names.at[i],
                                   dumped != NULL ? dumped : "null");
            free(dumped);
            json_decref(json);
            comma = ",";
        }
    }
    return iso_format_text(pool, "%s}", text);
}

typedef struct expansion {
    const iso_lab *lab;
    const iso_suite *suite;
    iso_instances all;
    size_t room;
} expansion;

/* Names identify histories in the results, so they must be unique. */
static void must_be_new(const expansion *e, const iso_instance *instance) {
    if (strlen(instance->name) > ISO_LONGEST_NAME || strlen(instance->source) > ISO_LONGEST_TEXT) {
        iso_throw_input(e->lab->pool->env, instance->block->line, ISOLAB_NO_OFFSET,
                        "history \"%.100s\": expected a name of at most %d bytes, and a command of at most %d",
                        instance->block->name, ISO_LONGEST_NAME, ISO_LONGEST_TEXT);
    }
    for (size_t i = 0; i < e->all.n; i++) {
        if (strcmp(e->all.at[i].name, instance->name) == 0) {
            iso_throw_input(e->lab->pool->env, instance->block->line, ISOLAB_NO_OFFSET,
                            "there are two histories called \"%.200s\"", instance->name);
        }
    }
}

static const char *under(iso_pool *pool, const char *folder, const char *path) {
    return path[0] == '/' ? path : iso_format_text(pool, "%s/%s", folder, path);
}

/* Returns the text of a table of verdicts or digests, with a newline before it. Each table is read once. */
static const char *table_text(const iso_lab *lab, const char *path) {
    if (lab->table->path != NULL && strcmp(lab->table->path, path) == 0) {
        return lab->table->text;
    }
    size_t size;
    const char *bytes = iso_source_text(lab->pool, path, 0, &size);
    char *text = iso_alloc(lab->pool, size + 2, 1);
    text[0] = '\n';
    memcpy(text + 1, bytes, size + 1);
    lab->table->path = path;
    lab->table->text = text;
    return text;
}

/* Returns the SHA-256 that the suite's table of frozen histories has for a name, "" if it has none. */
static const char *frozen_as(const iso_lab *lab, const iso_suite *suite, const iso_suite_block *b, const char *name) {
    const char *text = table_text(lab, under(lab->pool, suite->folder, b->settings.frozen));
    const char *line = strstr(text, iso_format_text(lab->pool, "\n%s\t", name));
    return line == NULL ? "" : iso_format_text(lab->pool, "%.64s", line + strlen(name) + 2);
}

static iso_instance *add_instance(expansion *e, iso_instance instance) {
    must_be_new(e, &instance);
    if (instance.block->settings.frozen != NULL && !e->lab->freezing) {
        instance.frozen = frozen_as(e->lab, e->suite, instance.block, instance.name);
    }
    ISO_GROW(e->lab->pool, e->all.at, e->all.n, e->room);
    e->all.at[e->all.n] = instance;
    return &e->all.at[e->all.n++];
}

/* Returns a pattern with $HISTORIES/ at its beginning replaced by the folder of real histories, which is not part of
 * the project. NULL: that folder is not given. */
static const char *pattern_of(const expansion *e, const char *what) {
    static const char variable[] = "$HISTORIES/";
    size_t n = sizeof variable - 1;
    const char *folder = getenv("HISTORIES");
    if (strncmp(what, variable, n) != 0) {
        return under(e->lab->pool, e->suite->folder, what);
    }
    return folder != NULL && *folder != '\0' ? iso_format_text(e->lab->pool, "%s/%s", folder, what + n) : NULL;
}

/* Adds the histories that fit one pattern of a block. */
static void expand_pattern(expansion *e, const iso_suite_block *b, const char *pattern) {
    iso_pool *pool = e->lab->pool;
    glob_t found;
    size_t fixed = strcspn(pattern, "*?["); /* a file is named by the part that matches the wildcards */
    while (fixed > 0 && pattern[fixed - 1] != '/') {
        fixed--;
    }
    if (glob(pattern, 0, NULL, &found) != 0) {
        return;
    }
    size_t n = found.gl_pathc;
    char **paths = ISO_NEW(pool, char *, n);
    for (size_t i = 0; i < n; i++) {
        size_t length = strlen(found.gl_pathv[i]);
        paths[i] = memcpy(iso_alloc(pool, length + 1, 1), found.gl_pathv[i], length + 1);
    }
    globfree(&found);
    for (size_t i = 0; i < n; i++) {
        add_instance(e, (iso_instance){.block = b,
                                       .name = iso_format_text(pool, "%s/%s", b->name, paths[i] + fixed),
                                       .family = b->name,
                                       .parameters = "{}",
                                       .source = paths[i]});
    }
}

/* Adds the histories of a block's patterns. Patterns after a `|` are used only if no file fits the patterns before
 * it. */
static void expand_files(expansion *e, const iso_suite_block *b) {
    size_t before = e->all.n;
    for (size_t w = 0; w < b->what.n; w++) {
        if (strcmp(b->what.at[w], "|") == 0) {
            if (e->all.n > before) {
                break;
            }
            continue;
        }
        const char *pattern = pattern_of(e, b->what.at[w]);
        if (pattern != NULL) {
            expand_pattern(e, b, pattern);
        }
    }
    if (e->all.n == before && !b->optional) {
        iso_throw_input(e->lab->pool->env, b->line, ISOLAB_NO_OFFSET, "history \"%.100s\": no file fits \"%.200s\"",
                        b->name, b->what.at[0]);
    }
    e->all.skipped += e->all.n == before;
}

static void expand_choice(expansion *e, const iso_suite_block *b, const size_t *choice) {
    static const char *const commands[] = {NULL, "generate", "reduce", "collect"};
    iso_pool *pool = e->lab->pool;
    const char **argv = ISO_ZNEW(pool, const char *, b->what.n + 5);
    size_t n = 0;
    argv[n++] = e->lab->own;
    argv[n++] = commands[b->source];
    const char *source = commands[b->source];
    for (size_t w = 0; w < b->what.n; w++) {
        argv[n] = fill(pool, b, choice, b->what.at[w]);
        source = iso_format_text(pool, "%s %s", source, argv[n++]);
    }
    if (b->source != ISO_FROM_COLLECT) { /* a recording is written as it happens */
        argv[n++] = "--to";
        argv[n++] = b->settings.format != NULL ? b->settings.format : "ilb";
    }
    add_instance(e, (iso_instance){.block = b,
                                   .name = name_of(pool, b, choice),
                                   .family = family_of(pool, b, choice),
                                   .parameters = parameters_of(pool, b, choice),
                                   .argv = argv,
                                   .source = source});
}

iso_instances iso_instances_of(const iso_lab *lab, const iso_suite *suite) {
    expansion e = {.lab = lab, .suite = suite};
    for (size_t i = 0; i < suite->n_blocks; i++) {
        const iso_suite_block *b = &suite->blocks[i];
        if (b->source == ISO_FROM_FILES) {
            expand_files(&e, b);
            continue;
        }
        size_t *choice = ISO_ZNEW(lab->pool, size_t, b->n_vary + 1);
        for (bool more = true; more;) { /* an odometer, with the last variation fastest */
            expand_choice(&e, b, choice);
            more = false;
            for (size_t v = b->n_vary; v-- > 0 && !more;) {
                more = ++choice[v] < b->vary[v].n;
                choice[v] = more ? choice[v] : 0;
            }
        }
    }
    return e.all;
}

/* Returns the milliseconds that a workload ran, without the time to start and stop the database, from what
 * `collect --json` printed. */
static double ran(const char *printed) {
    json_t *summary = json_loads(printed, 0, NULL);
    double seconds = json_number_value(json_object_get(summary, "seconds"));
    json_decref(summary);
    return seconds * 1e3;
}

/* Returns whether a history can be left out if this command fails: an optional recording, or a given file that is none.
 * A history with a known SHA-256 must exist. */
static bool dispensable(const iso_instance *i, const char *command, int code) {
    return i->block->source == ISO_FROM_COLLECT
               ? i->block->optional && strcmp(command, "collect") == 0
               : i->block->source == ISO_FROM_FILES && code == ISOLAB_E_INPUT && i->frozen == NULL;
}

/* Runs a command of isolab and returns its output. If the history is absent, the output is not to be used. */
static const char *ask(const iso_lab *lab, iso_instance *instance, const char *const *argv) {
    iso_job job = {.argv = argv};
    iso_run_jobs(lab->pool, &job, 1, 1);
    if (job.end == ISO_JOB_EXITED && job.code != 0 && dispensable(instance, argv[1], job.code)) {
        job.err[strcspn(job.err, "\n")] = '\0';
        instance->absent = iso_format_text(lab->pool, "%s", job.err);
        return job.out;
    }
    if (job.end != ISO_JOB_EXITED || job.code != 0) {
        job.err[strcspn(job.err, "\n")] = '\0';
        int code = job.end == ISO_JOB_NOT_STARTED ? ISOLAB_E_IO
                   : job.end != ISO_JOB_EXITED    ? ISOLAB_E_INTERNAL
                                                  : job.code;
        code = code == ISOLAB_E_USAGE ? ISOLAB_E_INPUT : code; /* the suite asks for something that does not exist */
        code = code == ISOLAB_E_INPUT || code == ISOLAB_E_IO || code == ISOLAB_E_LIMIT ? code : ISOLAB_E_INTERNAL;
        iso_throw(lab->pool->env, code, "history \"%s\": `isolab %s` failed: %s", instance->name, argv[1],
                  job.end == ISO_JOB_NOT_STARTED ? job.why
                  : job.end == ISO_JOB_SIGNALLED ? strsignal(job.code)
                                                 : job.err);
    }
    if (strcmp(argv[1], "collect") == 0) {
        instance->ran_ms = ran(job.out);
    }
    return job.out;
}

static uint64_t member(const json_t *facts, const char *name) {
    json_int_t n = json_integer_value(json_object_get(facts, name));
    return n < 0 ? 0 : (uint64_t)n;
}

/* Adds numbers of a history (what it says about itself, how hard it is) to the parameters: sizes for `plot`. A varied
 * parameter of the same name keeps its value. */
static const char *with_numbers(iso_pool *pool, const char *parameters, const json_t *numbers) {
    json_t *all = json_loads(parameters, 0, NULL);
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)numbers, name, value) {
        if (json_is_number(value) && json_object_get(all, name) == NULL) {
            json_object_set(all, name, value);
        }
    }
    char *text = json_dumps(all, JSON_COMPACT);
    json_decref(all);
    const char *kept = text == NULL ? parameters : iso_format_text(pool, "%s", text);
    free(text);
    return kept;
}

/* Adds to the facts how the history was made, if it was made now. */
static void add_making(const iso_instance *i, json_t *facts) {
    if (i->made_ms <= 0) {
        return;
    }
    json_t *about = json_object_get(facts, "about");
    if (about == NULL && json_object_set_new(facts, "about", json_object()) == 0) {
        about = json_object_get(facts, "about");
    }
    json_object_set_new(about, ISO_MADE_MS, json_real(i->made_ms));
    if (i->ran_ms > 0) {
        double all = (double)member(facts, "transactions"), kept = (double)member(facts, "committed");
        json_object_set_new(about, ISO_RAN_MS, json_real(i->ran_ms));
        json_object_set_new(about, ISO_ABORTED_SHARE, json_real(all > 0 ? 1 - kept / all : 0));
    }
}

static bool read_facts(const iso_lab *lab, iso_instance *i, json_t *facts) {
    const char *sha = json_string_value(json_object_get(facts, "sha256"));
    if (sha == NULL) {
        return false;
    }
    i->sha256 = iso_format_text(lab->pool, "%s", sha);
    i->sessions = member(facts, "sessions");
    i->transactions = member(facts, "transactions");
    i->operations = member(facts, "operations");
    i->keys = member(facts, "keys");
    i->parameters = with_numbers(lab->pool, i->parameters, json_object_get(facts, "about"));
    i->parameters = with_numbers(lab->pool, i->parameters, json_object_get(facts, "hardness"));
    i->bytes = member(facts, "size");
    return true;
}

json_t *iso_instance_facts(iso_pool *pool, const char *path) {
    size_t n;
    char *text = iso_file_content(pool, path, &n);
    json_t *json = text != NULL ? json_loadb(text, n, 0, NULL) : NULL;
    iso_free(pool, text);
    return json;
}

/* Reads stored facts about a history. Returns whether they exist. */
static bool learnt(const iso_lab *lab, iso_instance *i, const char *kept) {
    json_t *facts = iso_instance_facts(lab->pool, kept);
    bool known = facts != NULL && read_facts(lab, i, facts);
    json_decref(facts);
    return known;
}

/* Stores facts about the file: the output of `isolab stats`, its digest and its size. */
static void learn(const iso_lab *lab, iso_instance *i, const char *kept) {
    if (learnt(lab, i, kept)) {
        return;
    }
    const char *argv[] = {lab->own, "stats", "--json", "--hardness", i->path, NULL};
    const char *text = ask(lab, i, argv);
    if (i->absent != NULL) {
        return;
    }
    char sha[65];
    struct stat st = {.st_size = 0};
    iso_digest(lab->pool->env, i->path, sha);
    stat(i->path, &st);
    json_t *facts = json_loads(text, 0, NULL);
    add_making(i, facts);
    bool fine = facts != NULL && json_object_set_new(facts, "sha256", json_string(sha)) == 0 &&
                json_object_set_new(facts, "size", json_integer((json_int_t)st.st_size)) == 0;
    fine =
        fine && json_dump_file(facts, kept, JSON_COMPACT) == 0; /* a truncated file would not be read, but made again */
    fine = fine && read_facts(lab, i, facts);
    json_decref(facts);
    if (!fine) {
        iso_throw(lab->pool->env, ISOLAB_E_IO, "history \"%s\": cannot write %s", i->name, kept);
    }
}

static const char *key_of(const iso_lab *lab, const char *const *words) {
    iso_sha256 sha;
    char hex[65];
    iso_sha256_init(&sha);
    for (; *words != NULL; words++) {
        iso_sha256_add(&sha, *words, strlen(*words) + 1);
    }
    iso_sha256_hex(&sha, hex);
    return iso_format_text(lab->pool, "%.32s", hex);
}

/* Runs the command, which gives the file its name only when it is complete. So a file with this name is complete, and a
 * killed command leaves no other file. */
static void make(const iso_lab *lab, iso_instance *i, const char *const *argv, const char *path) {
    i->path = path;
    if (access(path, R_OK) == 0) {
        return;
    }
    size_t n = 0;
    while (argv[n] != NULL) {
        n++;
    }
    const char **words = ISO_ZNEW(lab->pool, const char *, n + 4);
    memcpy(words, argv, n * sizeof *words);
    words[n] = "-o";
    words[n + 1] = path;
    words[n + 2] = strcmp(argv[1], "collect") == 0 ? "--json" : NULL;
    if (strcmp(argv[1], "convert") == 0) { /* its output is an operand */
        words[n] = path;
        words[n + 1] = NULL;
    }
    int64_t since = iso_now();
    ask(lab, i, words);
    i->made_ms = i->block->source == ISO_FROM_FILES ? 0 : (double)(iso_now() - since) * 1e-6;
    if (i->absent == NULL && access(path, R_OK) != 0) {
        iso_throw(lab->pool->env, ISOLAB_E_IO, "history \"%s\": cannot write %s: %s", i->name, path, strerror(errno));
    }
}

/* Returns the text that identifies the history: for a generated one its command, for a given one its name, size and
 * time. */
static const char *identity(const iso_lab *lab, const iso_instance *i) {
    if (i->argv != NULL) {
        return key_of(lab, i->argv + 1);
    }
    struct stat st = {.st_size = 0};
    if (stat(i->source, &st) != 0) {
        iso_throw(lab->pool->env, ISOLAB_E_IO, "cannot open %s: %s", i->source, strerror(errno));
    }
    if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
        iso_throw_file(lab->pool->env, ISOLAB_E_INPUT, i->source,
                       "expected a file or a folder: the history of a suite is read once a run");
    }
    const char *words[] = {i->source,
                           iso_format_text(lab->pool, "%lld %lld.%09ld", (long long)st.st_size,
                                           (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec),
                           i->block->settings.format, NULL};
    return key_of(lab, words);
}

bool iso_instance_known(const iso_lab *lab, iso_instance *i) {
    return i->sha256 != NULL || learnt(lab, i, iso_format_text(lab->pool, "%s/%s.json", lab->work, identity(lab, i)));
}

void iso_instance_prepare(const iso_lab *lab, iso_instance *i) {
    if (i->path != NULL) {
        return;
    }
    const char *format = i->block->settings.format, *key = identity(lab, i);
    if (i->argv != NULL) {
        const char *made = i->block->source == ISO_FROM_COLLECT ? "jsonl" : format != NULL ? format : "ilb";
        make(lab, i, i->argv, iso_format_text(lab->pool, "%s/%s.%s", lab->work, key, made));
        if (i->absent != NULL) {
            return;
        }
    } else if (format != NULL) {
        const char *argv[] = {lab->own, "convert", "--to", format, i->source, NULL};
        make(lab, i, argv, iso_format_text(lab->pool, "%s/%s.%s", lab->work, key, format));
        if (i->absent != NULL) {
            return;
        }
    } else {
        i->path = i->source;
    }
    learn(lab, i, iso_format_text(lab->pool, "%s/%s.json", lab->work, key));
    if (i->absent == NULL && i->frozen != NULL && strcmp(i->frozen, i->sha256) != 0) {
        iso_throw(lab->pool->env, ISOLAB_E_INPUT, "history \"%s\": expected SHA-256 %s (the suite is frozen), found %s",
                  i->name, i->frozen[0] != '\0' ? i->frozen : "of the table, which has no such history", i->sha256);
    }
}

/* Finds a verdict in the table: lines of file, format, level and verdict, separated by tabs; the file is relative to
 * the table's folder. */
static const char *in_table(const iso_lab *lab, const iso_suite *suite, const iso_instance *i, const char *level) {
    const expansion e = {.lab = lab, .suite = suite};
    const char *path = pattern_of(&e, i->block->settings.expected);
    if (path == NULL) {
        return NULL;
    }
    const char *slash = strrchr(path, '/');
    size_t folder = slash != NULL ? (size_t)(slash - path) + 1 : 0;
    if (strncmp(i->source, path, folder) != 0) {
        return NULL;
    }
    const char *line = table_text(lab, path), *begin = iso_format_text(lab->pool, "\n%s\t", i->source + folder);
    while ((line = strstr(line, begin)) != NULL) {
        char named[64], found[32];
        line += strlen(begin);
        if (sscanf(line, "%*[^\t\n]\t%63[^\t\n]\t%31[^\t\n]", named, found) == 2 && strcmp(named, level) == 0) {
            return strcmp(found, "satisfied") == 0 ? "satisfied" : strcmp(found, "violated") == 0 ? "violated" : NULL;
        }
    }
    return NULL;
}

const char *iso_instance_expected(const iso_lab *lab, const iso_suite *suite, const iso_instance *i,
                                  const char *level) {
    const iso_words *expect = &i->block->settings.expect;
    for (size_t w = 0; w + 1 < expect->n; w += 2) {
        if (strcmp(expect->at[w], level) == 0 || strcmp(expect->at[w], "all") == 0) {
            return expect->at[w + 1];
        }
    }
    return i->block->settings.expected != NULL && i->argv == NULL ? in_table(lab, suite, i, level) : NULL;
}
