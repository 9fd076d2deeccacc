/* The table of adapters, and a tool's own words. See adapters.h. */
#include "experiments/asking/adapters.h"

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
#include "experiments/asking/adapters.def"
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

/* Makes the adapter of isolab's own checker as a program. */
static iso_adapter own(iso_pool *pool, const iso_checker *c, const char *program, const char *formats) {
    const char *levels = "";
    for (int l = 0; l < iso_n_levels; l++) {
        if (iso_checker_takes(c, l)) {
            levels = iso_format_text(pool, "%s%s ", levels, iso_level_get((iso_level)l)->name);
        }
    }
    const char *command = iso_format_text(pool, "check -l {level} -c %s --format {format} {files}", c->name);
    return (iso_adapter){.name = iso_format_text(pool, "isolab-%s", c->name),
                         .summary = c->summary,
                         .program = program,
                         .arguments = command,
                         .formats = formats,
                         .levels = levels,
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
        formats = iso_format_text(pool, "%s%s%s", formats, i > 0 ? " " : "", iso_formats[i]->name);
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
        const char *path = whole != NULL ? iso_find_program(pool, iso_format_text(pool, "%s", whole)) : NULL;
        free(whole);
        return path;
    }
    const char *path = NULL, *word;
    size_t n;
    for (const char *at = adapter->program; path == NULL && (n = iso_next_word(&at, &word)) > 0;) {
        path = iso_find_program(pool, iso_copy_text(pool, word, n));
    }
    return path;
}

size_t iso_next_word(const char **list, const char **word) {
    *word = *list + strspn(*list, " ");
    size_t n = strcspn(*word, " ");
    *list = *word + n;
    return n;
}

const char *iso_word_for(const char *list, const char *name, size_t *size) {
    size_t length = strlen(name), n;
    for (const char *word; (n = iso_next_word(&list, &word)) > 0;) {
        if (n >= length && memcmp(word, name, length) == 0 && (n == length || word[length] == '=')) {
            size_t skip = n == length ? 0 : length + 1;
            *size = n - skip;
            return word + skip;
        }
    }
    return NULL;
}

/* Returns the same, as a string in the pool. */
static const char *word_for(iso_pool *pool, const char *list, const char *name) {
    size_t n;
    const char *word = iso_word_for(list, name, &n);
    return word != NULL ? iso_copy_text(pool, word, n) : NULL;
}

const char *iso_adapter_level(iso_pool *pool, const iso_adapter *adapter, iso_level level) {
    return word_for(pool, adapter->levels, iso_level_get(level)->name);
}

const char *iso_adapter_format_word(iso_pool *pool, const iso_adapter *adapter, const iso_format *format) {
    return word_for(pool, adapter->formats, format->name);
}

bool iso_adapter_is(const char *field, const char *word) { return strcmp(field, word) == 0; }

const iso_format *iso_adapter_format(const iso_adapter *adapter) {
    const iso_format *best = NULL;
    const char *word;
    size_t n;
    for (const char *at = adapter->formats; best == NULL && (n = iso_next_word(&at, &word)) > 0;) {
        for (size_t i = 0; best == NULL && iso_formats[i] != NULL; i++) {
            size_t length = strlen(iso_formats[i]->name);
            bool is =
                length <= n && memcmp(iso_formats[i]->name, word, length) == 0 && strchr("= ", word[length]) != NULL;
            best = is && iso_formats[i]->write != NULL ? iso_formats[i] : NULL;
        }
    }
    return best;
}

size_t iso_adapter_batch(const iso_adapter *adapter) {
    bool folder = strstr(adapter->arguments, "{folder}") != NULL && *adapter->file == '\0';
    bool many = strstr(adapter->arguments, "{files}") != NULL || folder;
    return many ? SIZE_MAX : 1;
}
