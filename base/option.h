/* Options. A row has an option's name, the kind of its value, its default, and its purpose. The command line,
 * generators, reductions, checkers and the library have tables of rows, from which parsing, messages, help, lists, the
 * manual and completion come:
 *
 *     typedef struct values { bool json; uint64_t threads; const char *output; } values;
 *
 *     static const iso_option options[] = {
 *         {ISO_FLAG("json", "no", "print JSON"), ISO_TO(values, json)},
 *         {ISO_COUNT("threads", "1", 1, 4096, "use N threads"), ISO_TO(values, threads)},
 *         {ISO_TEXT("output", NULL, "write there"), .letter = 'o', ISO_TO(values, output)},
 *         ISO_END};
 *
 * A value is stored in a field, or by the option's name (base/args.h); in the second case the row needs no field. */
#ifndef ISOLAB_BASE_OPTION_H
#define ISOLAB_BASE_OPTION_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/env.h"

/* How a value is written, and the type of its field. */
typedef enum {
    ISO_IS_FLAG,    /* bool: `yes` or `no`; `1` and `0` are also accepted */
    ISO_IS_COUNT,   /* uint64_t, from least to most: `1000000`, `1e6` or `1M` */
    ISO_IS_REAL,    /* double, from least to most: `0.5` or `50%` */
    ISO_IS_SIZE,    /* uint64_t, bytes, from least to most: `512M` */
    ISO_IS_SECONDS, /* int64_t, ns, more than 0: `1.5`, `30s`, `5m`, `1h` */
    ISO_IS_TEXT,    /* const char *: one of words, if there are any */
    ISO_IS_LIST,    /* const char *: texts separated by commas */
} iso_option_kind;

/* The kind of names that a text may be. The command line (cli/words.c) has the tables of names, and checks them. */
typedef enum {
    ISO_OF_WORDS, /* the option's words; without words, anything */
    ISO_OF_FILES,
    ISO_OF_OUTPUTS,     /* files that are written; a suite may not name any, since it may come from outside */
    ISO_OF_LEVELS,      /* and words */
    ISO_OF_SOME_LEVELS, /* words, which are names of levels */
    ISO_OF_CHECKERS,    /* and words */
    ISO_OF_FORMATS,
    ISO_OF_COMMANDS,
    ISO_OF_GENERATORS,
    ISO_OF_REDUCTIONS,
    ISO_OF_DATABASES,
    ISO_OF_ANOMALIES, /* and words */
} iso_option_of;

typedef struct iso_option {
    const char *name;    /* without dashes */
    const char *help;    /* one phrase without a final dot */
    const char *initial; /* the default, as a user would write it; NULL: none */
    iso_option_kind kind;
    double least, most; /* of numbers */
    const char *words;  /* separated by spaces; NULL: none */
    iso_option_of of;
    size_t offset;        /* of the field */
    const char *argument; /* name of the value in the help; NULL: depends on the kind (iso_option_argument()) */
    char letter;          /* `-o`; 0: none */
} iso_option;

#define ISO_ANY INFINITY /* as `most`: no limit */

/* The fields of a row: name n, default i, what it takes, help h. */
#define ISO_FLAG(n, i, h) .name = (n), .kind = ISO_IS_FLAG, .initial = (i), .help = (h)
#define ISO_COUNT(n, i, low, high, h)                                                                                  \
    .name = (n), .kind = ISO_IS_COUNT, .initial = (i), .least = (low), .most = (high), .help = (h)
#define ISO_REAL(n, i, low, high, h)                                                                                   \
    .name = (n), .kind = ISO_IS_REAL, .initial = (i), .least = (low), .most = (high), .help = (h)
#define ISO_SIZE(n, i, low, h)                                                                                         \
    .name = (n), .kind = ISO_IS_SIZE, .initial = (i), .least = (low), .most = ISO_ANY, .help = (h)
#define ISO_SECONDS(n, i, h) .name = (n), .kind = ISO_IS_SECONDS, .initial = (i), .help = (h)
#define ISO_TEXT(n, i, h) .name = (n), .kind = ISO_IS_TEXT, .initial = (i), .help = (h)
#define ISO_WORD(n, i, w, h) .name = (n), .kind = ISO_IS_TEXT, .initial = (i), .words = (w), .help = (h)
#define ISO_LIST(n, i, h) .name = (n), .kind = ISO_IS_LIST, .initial = (i), .help = (h)
#define ISO_TO(type, field) .offset = offsetof(type, field)
#define ISO_END                                                                                                        \
    { .name = NULL }

/* Returns the option with a name (n characters) in a table ended by a NULL name; NULL: none, or no table. */
const iso_option *iso_option_find(const iso_option *table, const char *name, size_t n);

/* Stores the value of a text in the option's field of values; if that is NULL, only checks the value. A text is stored
 * without a copy. If the option does not take the value, returns false and writes `expected 1 or 2, found "3"` to
 * why. */
bool iso_option_set(const iso_option *o, const char *text, void *values, char *why, size_t size);

/* Stores the defaults of a table. Fields of options without a default are unchanged. */
void iso_option_defaults(const iso_option *table, void *values);

/* Writes the values of an option in short: `yes|no`, `1..4`, `0..`, `own|cadical`; "": any text. Returns buffer. */
const char *iso_option_values(const iso_option *o, char *buffer, size_t size);

/* Writes the remark after the help of an option: ` (default: 2; 1..4)`, or "". Without the range, which a list shows
 * before it, also the default of a flag. Returns buffer. */
const char *iso_option_note(const iso_option *o, bool with_range, char *buffer, size_t size);

/* Returns the name of the value in the help: `N`; NULL: a flag has none. */
const char *iso_option_argument(const iso_option *o);

/* Parse numbers with suffixes and exponents. Return false, and leave *value unchanged, if the text is not a number. */
bool iso_count_of(const char *text, uint64_t *value);
bool iso_real_of(const char *text, double *value);
bool iso_bytes_of(const char *text, uint64_t *value);
bool iso_seconds_of(const char *text, int64_t *ns);

/* Calls each(arg, word) for every word of a text, separated by spaces. NULL: no words. Words of more than 63 bytes are
 * truncated. */
void iso_each_of(const char *words, void (*each)(void *arg, const char *word), void *arg);
bool iso_is_among(const char *words, const char *text, size_t n);

/* A pair of `name=value,name=value`, the argument of --option. */
typedef struct iso_pair {
    const char *name, *value;
    size_t name_size, value_size;
} iso_pair;

/* Removes the first pair from *text. Returns false if there is none. Without `=` the value is "". */
bool iso_pair_next(const char **text, iso_pair *pair);

/* Stores the defaults of a table and the values of the pairs that it has, copied to the pool. Names that are not in the
 * table belong to other tables. Throws ISOLAB_E_USAGE. */
void iso_options_read(iso_pool *pool, const iso_option *table, const char *pairs, void *values);

#endif
