/* Adapters from a configuration file. See adapters.h and docs/referee.md. */
#include <ctype.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/asking/adapters.h"

static const char **field_of(iso_adapter *adapter, const iso_adapter_field *f) {
    return (const char **)(void *)((char *)adapter + f->offset);
}

/* Returns the line without spaces around it, as a string in the pool. */
static char *trimmed(iso_pool *pool, const char *from, const char *to) {
    while (from < to && isspace((unsigned char)*from)) {
        from++;
    }
    while (to > from && isspace((unsigned char)to[-1])) {
        to--;
    }
    return iso_copy_text(pool, from, (size_t)(to - from));
}

static const struct {
    const char *field, *words;
} choices[] = {{"initial", "first written own"}, {"sessions", "yes no"}, {"duplicates", "yes no"},
               {"lists", "yes no only"},         {"pack", "yes no"},     {"trust", "both violated satisfied"},
               {"limit", "address none"},        {"told", "path text"}};

/* Tests a field's value when the file is read, not in the middle of an experiment. */
static void check(iso_pool *pool, const iso_adapter_field *f, const char *value, uint64_t line) {
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        if (strcmp(f->name, choices[i].field) == 0) {
            size_t n = strlen(value);
            const char *at = strstr(choices[i].words, value);
            if (n == 0 || strchr(value, ' ') != NULL || at == NULL || (at[n] != '\0' && at[n] != ' ') ||
                (at != choices[i].words && at[-1] != ' ')) {
                iso_throw_input(pool->env, line, ISOLAB_NO_OFFSET, "%s is one of: %s; found \"%.60s\"", f->name,
                                choices[i].words, value);
            }
        }
    }
    bool pattern = strcmp(f->name, "satisfied") == 0 || strcmp(f->name, "violated") == 0 ||
                   strcmp(f->name, "unknown") == 0 || strcmp(f->name, "refused") == 0 ||
                   strcmp(f->name, "anomaly") == 0;
    if (pattern && *value != '\0') {
        char *plain = trimmed(pool, value, value + strlen(value));
        for (char *at; (at = strstr(plain, "{file}")) != NULL || (at = strstr(plain, "{name}")) != NULL;) {
            memcpy(at, "aaaaaa", 6);
        }
        regex_t compiled;
        int error = regcomp(&compiled, plain, REG_EXTENDED | REG_NEWLINE);
        if (error != 0) {
            char why[100];
            regerror(error, &compiled, why, sizeof why);
            iso_throw_input(pool->env, line, ISOLAB_NO_OFFSET, "%s is no regular expression: %s", f->name, why);
        }
        regfree(&compiled);
    }
    bool cannot = strcmp(f->name, "cannot") == 0, levels = strcmp(f->name, "levels") == 0;
    const char *word;
    for (size_t n; (cannot || levels) && (n = iso_next_word(&value, &word)) > 0;) {
        const char *name = iso_copy_text(pool, word, levels ? strcspn(word, " =") : n);
        size_t t = ISO_TRAIT_ABORTED;
        while (t < ISO_TRAITS && strcmp(iso_trait_word[t], name) != 0) {
            t++;
        }
        if (cannot && t == ISO_TRAITS) {
            iso_throw_input(
                pool->env, line, ISOLAB_NO_OFFSET,
                "cannot is words of: aborted empty-sessions own-reads rereads thin-air blind-writes mixed; found "
                "\"%.60s\"",
                name);
        } else if (levels && iso_level_find(name, NULL) == ISO_NO_LEVEL) {
            iso_throw_input(pool->env, line, ISOLAB_NO_OFFSET, "there is no level \"%.63s\"", name);
        }
    }
}

/* A relative path in a file is one from the file's folder, wherever isolab was started. */
static const char *from_folder(iso_pool *pool, const char *file, const char *path) {
    if (path[0] == '/' || strchr(path, '/') == NULL) {
        return path;
    }
    const char *whole_file = iso_absolute_path(pool, file), *slash = strrchr(whole_file, '/');
    return iso_format_text(pool, "%.*s%s", slash == NULL ? 0 : (int)(slash - whole_file) + 1, whole_file, path);
}

static void set(iso_adapters *a, iso_adapter *adapter, const char *name, const char *value, uint64_t line) {
    if (strcmp(name, "like") == 0) {
        const iso_adapter *other = iso_adapters_find(a, value);
        if (other == NULL) {
            iso_throw_input(a->pool->env, line, ISOLAB_NO_OFFSET, "there is no adapter \"%.60s\" to be like", value);
        }
        const char *own = adapter->name;
        *adapter = *other;
        adapter->name = own;
        return;
    }
    for (const iso_adapter_field *f = iso_adapter_fields; f->name != NULL; f++) {
        if (strcmp(f->name, name) == 0) {
            check(a->pool, f, value, line);
            *field_of(adapter, f) = value;
            return;
        }
    }
    iso_throw_input(a->pool->env, line, ISOLAB_NO_OFFSET, "an adapter has no field \"%.60s\"", name);
}

static void finish(iso_adapters *a, const iso_adapter *adapter, uint64_t line) {
    if (adapter->name == NULL) {
        return;
    }
    if (*adapter->program == '\0' || *adapter->levels == '\0') {
        iso_throw_input(a->pool->env, line, ISOLAB_NO_OFFSET, "adapter %.60s needs a program and levels",
                        adapter->name);
    }
    if (iso_adapter_format(adapter) == NULL) {
        iso_throw_input(a->pool->env, line, ISOLAB_NO_OFFSET, "adapter %.60s reads no format that isolab writes",
                        adapter->name);
    }
    if (iso_adapter_is(adapter->told, "text") && (iso_adapter_format(adapter)->flags & ISO_FORMAT_FOLDER) != 0) {
        iso_throw_input(a->pool->env, line, ISOLAB_NO_OFFSET, "adapter %.60s: told = text needs a format of one file",
                        adapter->name);
    }
    ISO_GROW(a->pool, a->list, a->n, a->room);
    a->list[a->n++] = *adapter;
}

typedef struct reading {
    iso_adapters *a;
    const char *path;
} reading;

static void read_lines(void *arg) {
    reading *r = arg;
    iso_adapters *a = r->a;
    iso_env *env = a->pool->env;
    size_t size;
    const char *at = iso_source_text(a->pool, r->path, 0, &size), *end = at + size;
    iso_adapter adapter = {0};
    uint64_t line = 0;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop == NULL ? end : stop;
        char *text = trimmed(a->pool, at, stop), *equals = strchr(text, '=');
        size_t n = strlen(text);
        line++;
        at = stop + 1;
        if (n == 0 || *text == '#') {
            continue;
        }
        if (*text == '[' && text[n - 1] == ']' && n > 2) {
            finish(a, &adapter, line);
            adapter = (iso_adapter){.name = trimmed(a->pool, text + 1, text + n - 1)};
            for (const iso_adapter_field *f = iso_adapter_fields; f->name != NULL; f++) {
                *field_of(&adapter, f) = f->initial;
            }
            const iso_adapter *known = iso_adapters_find(a, adapter.name);
            if (known != NULL) { /* fields that the file leaves out are unchanged */
                adapter = *known;
            }
        } else if (equals == NULL || adapter.name == NULL) {
            iso_throw_input(env, line, ISOLAB_NO_OFFSET, "expected %s, found \"%.60s\"",
                            adapter.name == NULL ? "[NAME]" : "[NAME] or `field = text`", text);
        } else {
            const char *name = trimmed(a->pool, text, equals);
            const char *value = trimmed(a->pool, equals + 1, text + n);
            bool path = strcmp(name, "program") == 0 || strcmp(name, "config") == 0;
            set(a, &adapter, name, path ? from_folder(a->pool, r->path, value) : value, line);
        }
    }
    finish(a, &adapter, line);
}

void iso_adapters_read(iso_adapters *a, const char *path) {
    iso_env *env = a->pool->env;
    reading r = {a, path};
    if (iso_guard(env, read_lines, &r) != ISOLAB_OK) {
        if (env->error.file[0] == '\0') {
            snprintf(env->error.file, sizeof env->error.file, "%s", path);
        }
        iso_rethrow(env);
    }
}

void iso_adapters_load(iso_adapters *a, iso_pool *pool, const char *path) {
    const char *usual = getenv("ISOLAB_ADAPTERS");
    iso_adapters_init(a, pool);
    if (usual != NULL && *usual != '\0') {
        iso_adapters_read(a, usual);
    }
    if (path != NULL) {
        iso_adapters_read(a, path);
    }
}

void iso_adapters_place(iso_adapters *a, const char *text) {
    while (text != NULL && *text != '\0') {
        size_t n = strcspn(text, ","), name = strcspn(text, "=");
        if (name >= n) {
            iso_throw(a->pool->env, ISOLAB_E_USAGE, "--adapter: expected NAME=PATH, found \"%.60s\"", text);
        }
        const iso_adapter *known = iso_adapters_find(a, trimmed(a->pool, text, text + name));
        if (known == NULL) {
            iso_throw(a->pool->env, ISOLAB_E_USAGE,
                      "--adapter: there is no adapter \"%.*s\": describe it in a file for --adapters", (int)name, text);
        }
        iso_adapter placed = *known;
        placed.program = trimmed(a->pool, text + name + 1, text + n);
        ISO_GROW(a->pool, a->list, a->n, a->room);
        a->list[a->n++] = placed;
        text += n + (text[n] == ',');
    }
}
