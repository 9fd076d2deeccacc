/* Reads suites. See suite.h. One pass over the lines; every message names the line and what was expected. */
#include "experiments/runner/suite.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/option.h"
#include "experiments/runner/results_check.h"
#include "formats/format.h"
#include "history/level.h"

enum { MOST_BYTES = 1 << 20, MOST_RANGE = 10000 };

const char iso_suite_scales[] = "smoke paper full";

typedef struct parser {
    iso_pool *pool;
    iso_suite *suite;
    uint64_t line;
    iso_suite_settings common; /* settings before the first block */
    iso_suite_block *block;    /* NULL: before the first block */
    size_t room_blocks, room_contenders;
    const char *scale; /* whose lines are taken, too; NULL: none */
    bool scaled;       /* the current line is one of them: it replaces the block's earlier line of the same key */
} parser;

static _Noreturn void wrong(parser *p, const char *expected, const char *found) {
    iso_throw_input(p->pool->env, p->line, ISOLAB_NO_OFFSET, "expected %s, found \"%.100s\"", expected, found);
}

static const char *copy(parser *p, const char *text, size_t n) {
    char *c = iso_alloc(p->pool, n + 1, 1);
    memcpy(c, text, n);
    c[n] = '\0';
    return c;
}

/* Splits a text at the separators; a NULL ends the words. */
static iso_words split(parser *p, const char *text, const char *separators) {
    iso_words w = {NULL, 0};
    size_t room = 0;
    for (;;) {
        text += strspn(text, separators);
        ISO_GROW(p->pool, w.at, w.n, room);
        if (*text == '\0') {
            w.at[w.n] = NULL;
            return w;
        }
        size_t n = strcspn(text, separators);
        w.at[w.n++] = copy(p, text, n);
        text += n;
    }
}

static unsigned long whole(parser *p, const char *text, unsigned long least, unsigned long most) {
    uint64_t n = 0;
    if (!iso_count_of(text, &n) || n < least || n > most) {
        char expected[80];
        snprintf(expected, sizeof expected, "a whole number from %lu to %lu", least, most);
        wrong(p, expected, text);
    }
    return n;
}

static double seconds(parser *p, const char *text) {
    int64_t ns = 0;
    if (!iso_seconds_of(text, &ns)) {
        wrong(p, "a time such as 30, 30s, 5m or 2h", text);
    }
    return (double)(ns - 1) / 1e9;
}

static uint64_t bytes(parser *p, const char *text) {
    uint64_t n = 0;
    if (!iso_bytes_of(text, &n) || n == 0) {
        wrong(p, "a size such as 512M or 4G", text);
    }
    return n;
}

static const iso_contender *contender(const iso_suite *s, const char *label) {
    for (size_t i = 0; i < s->n_contenders; i++) {
        if (strcmp(s->contenders[i].label, label) == 0) {
            return &s->contenders[i];
        }
    }
    return NULL;
}

static const char *canonical_level(parser *p, const char *name) {
    const char *why = NULL;
    iso_level level = iso_level_find(name, &why);
    if (level == ISO_NO_LEVEL) {
        wrong(p, why != NULL ? why : "a level of `isolab list levels`", name);
    }
    return iso_level_get(level)->name;
}

static void set_levels(parser *p, iso_suite_settings *s, iso_words w) {
    for (size_t i = 0; i < w.n; i++) {
        w.at[i] = canonical_level(p, w.at[i]);
    }
    s->levels = w;
}

/* Parses `rc satisfied, cc violated` or `all satisfied`. */
static void set_expect(parser *p, iso_suite_settings *s, iso_words w) {
    for (size_t i = 0; i < w.n; i += 2) {
        if (strcmp(w.at[i], "all") != 0) {
            w.at[i] = canonical_level(p, w.at[i]);
        }
        const char *verdict = i + 1 < w.n ? w.at[i + 1] : "the end of the line";
        if (strcmp(verdict, "satisfied") != 0 && strcmp(verdict, "violated") != 0) {
            wrong(p, "satisfied or violated after the level", verdict);
        }
    }
    s->expect = w;
}

/* Parses a line `checker: LABEL = NAME OPTIONS`. */
static void add_contender(parser *p, const char *value) {
    iso_suite *s = p->suite;
    iso_words w = split(p, value, " \t");
    if (w.n < 3 || strcmp(w.at[1], "=") != 0) {
        wrong(p, "LABEL = CHECKER [OPTION]...", value);
    }
    if (strlen(w.at[0]) > ISO_LONGEST_NAME) {
        wrong(p, "a shorter label", w.at[0]);
    }
    if (contender(s, w.at[0]) != NULL) {
        wrong(p, "a label that is not taken", w.at[0]);
    }
    ISO_GROW(p->pool, s->contenders, s->n_contenders, p->room_contenders);
    s->contenders[s->n_contenders++] = (iso_contender){w.at[0], {w.at + 2, w.n - 2}};
}

/* Parses a range: `1..5` stands for 1 2 3 4 5. */
static bool range(const char *text, long *from, long *to) {
    int used = 0;
    return sscanf(text, "%9ld..%9ld%n", from, to, &used) == 2 && text[used] == '\0';
}

static void add_row(parser *p, iso_variation *v, size_t *room, iso_words row) {
    if (row.n != v->names.n) {
        wrong(p, "as many values as names, separated by commas", row.n > 0 ? row.at[0] : "");
    }
    ISO_GROW(p->pool, v->rows, v->n, *room);
    v->rows[v->n++] = row;
}

/* Parses `txns 1k 2k 4k`, `seed 1..5`, or several in step: `txns,ops 8k,2 4k,4`. */
static void add_variation(parser *p, const char *value) {
    iso_suite_block *b = p->block;
    iso_words w = split(p, value, " \t");
    if (b == NULL || w.n < 2) {
        wrong(p, b == NULL ? "`history:` before `vary:`" : "a name and its values", value);
    }
    iso_variation v = {.label = w.at[0], .names = split(p, w.at[0], ",")};
    size_t room = 0;
    for (size_t i = 0; i < v.names.n; i++) {
        for (const char *c = v.names.at[i]; *c != '\0'; c++) {
            if (!isalnum((unsigned char)*c) && *c != '_' && *c != '-') {
                wrong(p, "a name of letters, digits, _ and -", v.names.at[i]);
            }
        }
    }
    for (size_t i = 1; i < w.n; i++) {
        long from, to;
        if (!range(w.at[i], &from, &to)) {
            add_row(p, &v, &room, split(p, w.at[i], ","));
            continue;
        }
        if (from > to || to - from >= MOST_RANGE) {
            wrong(p, "a range that goes up, of at most 10000 values", w.at[i]);
        }
        for (long n = from; n <= to; n++) {
            char number[24];
            snprintf(number, sizeof number, "%ld", n);
            add_row(p, &v, &room, split(p, number, ","));
        }
    }
    for (size_t i = 0; i < b->n_vary && p->scaled; i++) {
        if (strcmp(b->vary[i].label, w.at[0]) == 0) {
            b->vary[i] = v;
            return;
        }
    }
    iso_variation *more = ISO_NEW(p->pool, iso_variation, b->n_vary + 1);
    if (b->n_vary != 0) {
        memcpy(more, b->vary, b->n_vary * sizeof *more);
    }
    more[b->n_vary++] = v;
    b->vary = more;
}

static void check_block(parser *p) {
    const iso_suite_block *b = p->block;
    if (b == NULL) {
        return;
    }
    const char *missing = b->what.n == 0                ? "a line `files:`, `generate:`, `reduce:` or `collect:`"
                          : b->settings.levels.n == 0   ? "a line `levels:`"
                          : b->settings.checkers.n == 0 ? "a line `checkers:`"
                                                        : NULL;
    if (missing != NULL) {
        iso_throw_input(p->pool->env, b->line, ISOLAB_NO_OFFSET, "history \"%.100s\": expected %s", b->name, missing);
    }
}

static void begin_block(parser *p, const char *name) {
    iso_suite *s = p->suite;
    check_block(p);
    if (*name == '\0') {
        wrong(p, "a name of the histories", name);
    }
    ISO_GROW(p->pool, s->blocks, s->n_blocks, p->room_blocks);
    p->block = &s->blocks[s->n_blocks++];
    *p->block = (iso_suite_block){.name = name, .line = p->line, .settings = p->common};
}

static bool set_source(parser *p, const char *key, const char *value) {
    static const char *const names[] = {"files", "generate", "reduce", "collect"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(key, names[i]) != 0) {
            continue;
        }
        if (p->block == NULL || (p->block->what.n != 0 && !p->scaled)) {
            wrong(p, p->block == NULL ? "`history:` before its source" : "one source a history", key);
        }
        p->block->source = (iso_suite_source)i;
        p->block->what = split(p, value, " \t");
        if (p->block->what.n == 0) {
            wrong(p, "a value", value);
        }
        return true;
    }
    return false;
}

static bool yes_or_no(parser *p, const char *value) {
    if (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0) {
        wrong(p, "yes or no", value);
    }
    return value[0] == 'y';
}

static bool set_setting(parser *p, iso_suite_settings *s, const char *key, const char *value) {
    if (strcmp(key, "levels") == 0) {
        set_levels(p, s, split(p, value, " \t,"));
    } else if (strcmp(key, "checkers") == 0) {
        s->checkers = split(p, value, " \t,");
    } else if (strcmp(key, "expect") == 0) {
        set_expect(p, s, split(p, value, " \t,"));
    } else if (strcmp(key, "expected") == 0) {
        s->expected = value;
    } else if (strcmp(key, "frozen") == 0) {
        s->frozen = value;
    } else if (strcmp(key, "format") == 0) {
        s->format = value;
    } else if (strcmp(key, "repeat") == 0) {
        s->repeat = whole(p, value, 1, 1000);
    } else if (strcmp(key, "published-repeat") == 0) {
        s->published_repeat = whole(p, value, 1, 1000);
    } else if (strcmp(key, "warmup") == 0) {
        s->warmup = whole(p, value, 0, 100);
    } else if (strcmp(key, "threads") == 0) {
        s->threads = whole(p, value, 1, 1024);
    } else if (strcmp(key, "timeout") == 0) {
        s->timeout = seconds(p, value);
    } else if (strcmp(key, "published-timeout") == 0) {
        s->published_timeout = seconds(p, value);
    } else if (strcmp(key, "memory") == 0) {
        s->memory = bytes(p, value);
    } else if (strcmp(key, "certificates") == 0) {
        s->unproved = !yes_or_no(p, value);
    } else {
        return false;
    }
    return true;
}

static void line_of(parser *p, const char *key, const char *value) {
    if (strcmp(key, "suite") == 0 && p->block == NULL) {
        p->suite->title = value;
    } else if (strcmp(key, "history") == 0) {
        begin_block(p, value);
    } else if (strcmp(key, "checker") == 0) {
        add_contender(p, value);
    } else if (strcmp(key, "vary") == 0) {
        add_variation(p, value);
    } else if (strcmp(key, "optional") == 0 && p->block != NULL) {
        p->block->optional = yes_or_no(p, value);
    } else if (*value == '\0') {
        wrong(p, "a value after the colon", key);
    } else if (!set_source(p, key, value) &&
               !set_setting(p, p->block != NULL ? &p->block->settings : &p->common, key, value)) {
        wrong(p,
              "suite, levels, checkers, checker, repeat, published-repeat, warmup, timeout, published-timeout, memory, "
              "threads, format, expect, expected, certificates, frozen, history, files, generate, reduce, collect, "
              "vary or optional",
              key);
    }
}

/* A comment begins with # at the beginning of the line or after a space. */
static size_t without_comment(const char *text, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '#' && (i == 0 || text[i - 1] == ' ' || text[i - 1] == '\t')) {
            n = i;
        }
    }
    while (n > 0 && isspace((unsigned char)text[n - 1])) {
        n--;
    }
    return n;
}

/* Reads the `[SCALE]` before a line. Returns the rest of the line; NULL: it is of another scale. */
static const char *of_scale(parser *p, const char *line) {
    p->scaled = *line == '[';
    if (!p->scaled) {
        return line;
    }
    size_t n = strcspn(line + 1, "]");
    if (line[n + 1] != ']' || !iso_is_among(iso_suite_scales, line + 1, n)) {
        wrong(p, "[smoke], [paper] or [full]", line);
    }
    if (p->scale == NULL || strlen(p->scale) != n || memcmp(p->scale, line + 1, n) != 0) {
        return NULL;
    }
    return line + n + 2 + strspn(line + n + 2, " \t");
}

iso_suite *iso_suite_parse(iso_pool *pool, const char *name, const char *folder, const char *scale, const char *text,
                           size_t size) {
    iso_suite *s = ISO_ZNEW(pool, iso_suite, 1);
    s->name = name;
    s->title = name;
    s->folder = folder;
    parser p = {.pool = pool, .suite = s, .scale = scale};
    p.common = (iso_suite_settings){.repeat = 3, .timeout = 60, .threads = 1};
    for (size_t at = 0; at < size;) {
        const char *line = text + at, *end = memchr(line, '\n', size - at);
        size_t length = end != NULL ? (size_t)(end - line) : size - at;
        at += length + 1;
        p.line++;
        if (memchr(line, '\0', length) != NULL) {
            wrong(&p, "text", "a NUL byte");
        }
        const char *whole_line = copy(&p, line, without_comment(line, length));
        whole_line = of_scale(&p, whole_line + strspn(whole_line, " \t"));
        if (whole_line == NULL) {
            continue;
        }
        size_t n = strcspn(whole_line, ":");
        if (*whole_line == '\0') {
            continue;
        }
        if (whole_line[n] != ':') {
            wrong(&p, "KEY: VALUE", whole_line);
        }
        const char *value = whole_line + n + 1;
        line_of(&p, copy(&p, whole_line, n), value + strspn(value, " \t"));
    }
    check_block(&p);
    if (s->n_blocks == 0) {
        p.line += p.line == 0;
        wrong(&p, "at least one `history:`", "the end of the file");
    }
    return s;
}

iso_suite *iso_suite_load(iso_pool *pool, const char *path, const char *scale) {
    size_t n;
    const char *text = iso_source_text(pool, path, MOST_BYTES, &n);
    parser p = {.pool = pool};
    path = strcmp(path, "-") == 0 ? "stdin" : path; /* used for the name of the results */
    const char *slash = strrchr(path, '/'), *base = slash != NULL ? slash + 1 : path, *dot = strrchr(base, '.');
    size_t length = dot != NULL && dot != base ? (size_t)(dot - base) : strlen(base);
    const char *folder = slash != NULL ? copy(&p, path, (size_t)(slash - path) + (slash == path)) : ".";
    return iso_suite_parse(pool, copy(&p, base, length), folder, scale, text, n);
}
