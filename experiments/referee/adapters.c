/* The table of adapters, and a tool's own words. See adapters.h. */
#include "experiments/referee/adapters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/checker.h"

#define FIELD(name, initial, help)                                                                                     \
    { #name, initial, help, offsetof(iso_adapter, name) }
const iso_adapter_field iso_adapter_fields[] = {
    FIELD(summary, "", "one line for people"),
    FIELD(program, "", "names to look for on the PATH, or one path"),
    FIELD(arguments, "{file}", "words; {file} {files} {folder} {level} {format} {model} {config} are replaced"),
    FIELD(serve, "", "words with which it stays: histories in, a verdict a line out"),
    FIELD(told, "path",
          "path or text: what it is told then: a path a line; or a line with a number of bytes, and these"),
    FIELD(config, "", "a file that the tool wants: {config}"),
    FIELD(environment, "", "words NAME=value; {megabytes} is the memory limit"),
    FIELD(formats, "isolab", "formats that it reads, the best first; `cobra=cobra-uv` where it has its own word"),
    FIELD(file, "", "what the history's file must be called"),
    FIELD(levels, "", "levels that it answers: `rc=read-committed ra`"),
    FIELD(initial, "first", "first: initial values as in isolab; written, own: they have to be written out"),
    FIELD(sessions, "yes", "yes or no: session order counts at si and ser"),
    FIELD(duplicates, "no", "yes or no: takes values that have several writers"),
    FIELD(lists, "no", "yes, no or only: takes lists"),
    FIELD(pack, "no", "yes or no: one file may hold many independent histories"),
    FIELD(cannot, "",
          "aborted empty-sessions times own-reads rereads thin-air blind-writes untimed mixed: what it does not take"),
    FIELD(trust, "both", "both; violated: finding nothing proves nothing; satisfied: finding something proves nothing"),
    FIELD(limit, "address", "address: memory is limited by the address space; none: by the environment alone"),
    FIELD(satisfied, "^(satisfied|Consistent|ACCEPT)",
          "extended regular expression of a line; {file} and {name} are "
          "the history's path and its last part"),
    FIELD(violated, "^(violated|Inconsistent|REJECT)", "the same"),
    FIELD(unknown, "", "the same"),
    FIELD(refused, "", "the same"),
    FIELD(anomaly, "", "the same; its first group names anomalies"),
    FIELD(phases, "([A-Za-z][A-Za-z0-9_ /=+,]*) *[:=] *([0-9]+[.]?[0-9]*) *(ns|us|ms|s)([^A-Za-z]|$)",
          "extended regular expression of the time of a stage: its name, its number, its unit (else milliseconds)"),
    FIELD(statuses, "0 1", "exit statuses with which it prints a verdict"),
    FIELD(refusals, "", "exit statuses that mean that it refused"),
    {NULL, NULL, NULL, 0}};
#undef FIELD

#define ADAPTER(...) {__VA_ARGS__},
static const iso_adapter published[] = {
#include "experiments/referee/adapters.def"
};
#undef ADAPTER

static void add_adapter(iso_adapters *a, iso_adapter adapter) {
    for (const iso_adapter_field *f = iso_adapter_fields; f->name != NULL; f++) {
        const char **text = (const char **)(void *)((char *)&adapter + f->offset);
        *text = *text == NULL ? f->initial : *text;
    }
    ISO_GROW(a->pool, a->list, a->n, a->room);
    a->list[a->n++] = adapter;
}

static const char *joined(iso_pool *pool, const char *a, const char *b) { return iso_format_text(pool, "%s%s", a, b); }

/* Makes the adapter of isolab's own checker as a program. */
static iso_adapter own(iso_pool *pool, const iso_checker *c, const char *program, const char *formats) {
    char levels[256] = "";
    for (int l = 0; l < iso_n_levels; l++) {
        if (iso_checker_takes(c, l)) {
            snprintf(levels + strlen(levels), sizeof levels - strlen(levels), "%s ", iso_level_get((iso_level)l)->name);
        }
    }
    const char *command = joined(pool, joined(pool, "check -l {level} -c ", c->name), " --format {format} {files}");
    return (iso_adapter){.name = joined(pool, "isolab-", c->name),
                         .summary = c->summary,
                         .program = program,
                         .arguments = command,
                         .formats = formats,
                         .levels = joined(pool, levels, ""),
                         .duplicates = c->can & ISO_CAN_DUPLICATES ? "yes" : "no",
                         .lists = c->can & ISO_CAN_LISTS ? "yes" : "no",
                         .satisfied = "^{file}: satisfied ",
                         .violated = "^{file}: violated ",
                         .unknown = "^{file}: unknown ",
                         .refused = "^isolab: {file}: ",
                         .anomaly = "^  ([a-z0-9-]+)( \\(|:)",
                         .statuses = "0 1 2",
                         .refusals = "64 65"};
}

void iso_adapters_init(iso_adapters *a, iso_pool *pool) {
    *a = (iso_adapters){.pool = pool};
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        add_adapter(a, published[i]);
    }
    const char *program = iso_own_program(pool), *formats = "";
    for (size_t i = 0; iso_formats[i] != NULL; i++) {
        formats = joined(pool, formats, joined(pool, i > 0 ? " " : "", iso_formats[i]->name));
    }
    for (size_t i = 0; iso_checkers[i] != NULL; i++) {
        add_adapter(a, own(pool, iso_checkers[i], program, formats));
    }
}

const iso_adapter *iso_adapters_find(const iso_adapters *a, const char *name) {
    for (size_t i = a->n; i-- > 0;) { /* the last one is used: a file may redefine a published tool */
        if (strcmp(a->list[i].name, name) == 0) {
            return &a->list[i];
        }
    }
    return NULL;
}

const char *iso_adapter_program(iso_pool *pool, const iso_adapter *adapter) {
    if (strchr(adapter->program, '/') != NULL) { /* a path may have spaces, and programs run in another folder */
        char *whole = realpath(adapter->program, NULL);
        const char *path = whole != NULL ? iso_find_program(pool, joined(pool, whole, "")) : NULL;
        free(whole);
        return path;
    }
    for (const char *at = adapter->program; *at != '\0';) {
        size_t n = strcspn(at, " ");
        char name[256];
        snprintf(name, sizeof name, "%.*s", (int)(n < 255 ? n : 255), at);
        const char *path = n > 0 ? iso_find_program(pool, name) : NULL;
        if (path != NULL) {
            return path;
        }
        at += n + (at[n] == ' ');
    }
    return NULL;
}

/* Returns the tool's word for a name in a list of `name` and `name=word`; NULL: the name is not in it. */
static const char *word_for(iso_pool *pool, const char *list, const char *name) {
    size_t length = strlen(name);
    for (const char *at = list; *at != '\0';) {
        size_t n = strcspn(at, " ");
        if (n >= length && memcmp(at, name, length) == 0 && (n == length || at[length] == '=')) {
            size_t skip = n == length ? 0 : length + 1;
            char *word = iso_zalloc(pool, n - skip + 1, 1);
            memcpy(word, at + skip, n - skip);
            return word;
        }
        at += n + (at[n] == ' ');
    }
    return NULL;
}

const char *iso_adapter_level(iso_pool *pool, const iso_adapter *adapter, iso_level level) {
    return word_for(pool, adapter->levels, iso_level_get(level)->name);
}

const char *iso_adapter_format_word(iso_pool *pool, const iso_adapter *adapter, const iso_format *format) {
    return word_for(pool, adapter->formats, format->name);
}

bool iso_adapter_is(const char *field, const char *word) { return strcmp(field, word) == 0; }

const iso_format *iso_adapter_format(const iso_adapter *adapter) {
    for (const char *at = adapter->formats; *at != '\0';) {
        size_t n = strcspn(at, " "), length = strcspn(at, " =");
        for (size_t i = 0; iso_formats[i] != NULL; i++) {
            if (iso_formats[i]->write != NULL && strlen(iso_formats[i]->name) == length &&
                memcmp(iso_formats[i]->name, at, length) == 0) {
                return iso_formats[i];
            }
        }
        at += n + (at[n] == ' ');
    }
    return NULL;
}

size_t iso_adapter_batch(const iso_adapter *adapter) {
    bool folder = strstr(adapter->arguments, "{folder}") != NULL && *adapter->file == '\0';
    bool many = strstr(adapter->arguments, "{files}") != NULL || folder;
    return many ? SIZE_MAX : 1;
}
