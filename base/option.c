/* Options. See option.h. */
#include "base/option.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const iso_option *iso_option_find(const iso_option *table, const char *name, size_t n) {
    for (const iso_option *o = table; o != NULL && o->name != NULL; o++) {
        if (strlen(o->name) == n && memcmp(o->name, name, n) == 0) {
            return o;
        }
    }
    return NULL;
}

void iso_each_of(const char *words, void (*each)(void *, const char *), void *arg) {
    while (words != NULL && *words != '\0') {
        char word[64];
        size_t n = strcspn(words, " ");
        snprintf(word, sizeof word, "%.*s", (int)n, words);
        if (n > 0) {
            each(arg, word);
        }
        words += n + (words[n] == ' ');
    }
}

bool iso_is_among(const char *words, const char *text, size_t n) {
    while (words != NULL && *words != '\0') {
        size_t length = strcspn(words, " ");
        if (n == length && n > 0 && memcmp(words, text, n) == 0) {
            return true;
        }
        words += length + (words[length] == ' ');
    }
    return false;
}

/* Reads the digits at the beginning of a text. Sets *end to the first character after them. */
static bool digits(const char *text, unsigned long long *n, char **end) {
    errno = 0;
    *n = isdigit((unsigned char)text[0]) ? strtoull(text, end, 10) : 0;
    return isdigit((unsigned char)text[0]) && errno == 0;
}

bool iso_count_of(const char *text, uint64_t *value) {
    char *end = NULL;
    unsigned long long plain;
    if (!digits(text, &plain, &end)) {
        return false;
    }
    if (*end == '\0') {
        *value = plain;
        return true;
    }
    double scaled = *end == 'x' || *end == 'X' ? -1 : strtod(text, &end);
    double unit = *end == 'k' || *end == 'K' ? 1e3 : *end == 'm' || *end == 'M' ? 1e6 : 1;
    end += unit > 1;
    scaled *= unit;
    if (*end != '\0' || !(scaled >= 0) || scaled > 9e15 || scaled != floor(scaled)) {
        return false;
    }
    *value = (uint64_t)scaled;
    return true;
}

bool iso_real_of(const char *text, double *value) {
    char *end = NULL;
    double x = strtod(text, &end);
    bool percent = end != text && *end == '%';
    if (end == text || end[percent] != '\0' || !isfinite(x)) {
        return false;
    }
    *value = percent ? x / 100 : x;
    return true;
}

bool iso_bytes_of(const char *text, uint64_t *value) {
    static const char suffixes[] = "KMGT";
    char *end = NULL;
    unsigned long long n;
    if (!digits(text, &n, &end)) {
        return false;
    }
    const char *suffix = *end != '\0' ? strchr(suffixes, *end & ~0x20) : NULL;
    unsigned shift = suffix != NULL && *suffix != '\0' ? 10 * (unsigned)(suffix - suffixes + 1) : 0;
    if (end[shift != 0] != '\0' || (n << shift) >> shift != n) {
        return false;
    }
    *value = (uint64_t)n << shift;
    return true;
}

bool iso_seconds_of(const char *text, int64_t *ns) {
    char *end = NULL;
    double s = strtod(text, &end);
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"m", 60}, {"min", 60}, {"h", 3600}, {"d", 86400}};
    enum { UNITS = sizeof units / sizeof *units };
    size_t u = 0;
    while (u < UNITS && strcmp(end, units[u].name) != 0) {
        u++;
    }
    if (end == text || u == UNITS || !(s * units[u].seconds > 0 && s * units[u].seconds <= 1e9)) {
        return false;
    }
    *ns = (int64_t)(s * units[u].seconds * 1e9) + 1;
    return true;
}

/* words: the allowed ones of yes and no; NULL: both. */
static bool flag_of(const char *text, const char *words, bool *value) {
    bool yes = strcmp(text, "yes") == 0 || strcmp(text, "1") == 0;
    bool no = strcmp(text, "no") == 0 || strcmp(text, "0") == 0;
    *value = yes;
    return (yes || no) && (words == NULL || iso_is_among(words, yes ? "yes" : "no", yes ? 3 : 2));
}

static void expected_number(const iso_option *o, const char *noun, char *text, size_t size) {
    if (!isinf(o->most)) {
        snprintf(text, size, "%s from %.15g to %.15g", noun, o->least, o->most);
    } else if (o->least > 1) {
        snprintf(text, size, "%s of at least %.15g", noun, o->least);
    } else {
        snprintf(text, size, "%s%s", noun, o->least == 1 ? " above 0" : "");
    }
}

/* Writes a phrase about the values that the option takes. */
static void expected(const iso_option *o, char *text, size_t size) {
    switch (o->kind) {
    case ISO_IS_FLAG:
        snprintf(text, size, "%s", o->words != NULL ? o->words : "yes or no");
        break;
    case ISO_IS_COUNT:
        expected_number(o, "a whole number", text, size);
        break;
    case ISO_IS_REAL:
        expected_number(o, "a number", text, size);
        break;
    case ISO_IS_SIZE:
        snprintf(text, size, "a size such as 512M");
        break;
    case ISO_IS_SECONDS:
        snprintf(text, size, "a time such as 30, 30s, 5m or 1h");
        break;
    case ISO_IS_TEXT:
    case ISO_IS_LIST:
        snprintf(text, size, "one of %s", o->words);
        break;
    }
}

typedef union value {
    bool flag;
    uint64_t count;
    double real;
    int64_t ns;
    const char *text;
} value;

/* Parses a value and returns its size; 0: the option does not take this value. */
static size_t read_value(const iso_option *o, const char *text, value *v) {
    switch (o->kind) {
    case ISO_IS_FLAG:
        return flag_of(text, o->words, &v->flag) ? sizeof v->flag : 0;
    case ISO_IS_COUNT:
    case ISO_IS_SIZE: {
        bool good = o->kind == ISO_IS_SIZE ? iso_bytes_of(text, &v->count) : iso_count_of(text, &v->count);
        return good && (double)v->count >= o->least && (double)v->count <= o->most ? sizeof v->count : 0;
    }
    case ISO_IS_REAL:
        return iso_real_of(text, &v->real) && v->real >= o->least && v->real <= o->most ? sizeof v->real : 0;
    case ISO_IS_SECONDS:
        return iso_seconds_of(text, &v->ns) ? sizeof v->ns : 0;
    case ISO_IS_TEXT:
    case ISO_IS_LIST:
        break;
    }
    v->text = text;
    bool any = o->kind == ISO_IS_LIST || o->words == NULL || (o->of != ISO_OF_WORDS && o->of != ISO_OF_SOME_LEVELS);
    return any || iso_is_among(o->words, text, strlen(text)) ? sizeof v->text : 0;
}

bool iso_option_set(const iso_option *o, const char *text, void *values, char *why, size_t size) {
    value v;
    size_t bytes = read_value(o, text, &v);
    if (bytes == 0) {
        char what[512];
        expected(o, what, sizeof what);
        snprintf(why, size, "expected %s, found \"%s\"", what, text);
        return false;
    }
    if (values != NULL) {
        memcpy((char *)values + o->offset, &v, bytes);
    }
    return true;
}

void iso_option_defaults(const iso_option *table, void *values) {
    char why[8];
    for (const iso_option *o = table; o != NULL && o->name != NULL; o++) {
        if (o->initial != NULL) {
            iso_option_set(o, o->initial, values, why, sizeof why);
        }
    }
}

const char *iso_option_values(const iso_option *o, char *buffer, size_t size) {
    buffer[0] = '\0';
    if (o->kind == ISO_IS_FLAG && o->words == NULL) {
        snprintf(buffer, size, "yes|no");
    } else if (o->kind == ISO_IS_COUNT || o->kind == ISO_IS_REAL) {
        char most[32] = "";
        if (isinf(o->most)) {
            most[0] = '\0';
        } else {
            snprintf(most, sizeof most, "%.15g", o->most);
        }
        snprintf(buffer, size, "%.15g..%s", o->least, most);
    } else if (o->words != NULL) {
        snprintf(buffer, size, "%s", o->words);
        for (char *at = buffer; *at != '\0'; at++) {
            *at = *at == ' ' ? '|' : *at;
        }
    }
    return buffer;
}

const char *iso_option_note(const iso_option *o, bool with_range, char *buffer, size_t size) {
    char range[64] = "";
    bool number = o->kind == ISO_IS_COUNT || o->kind == ISO_IS_REAL;
    if (with_range && number && (o->least != 0 || !isinf(o->most))) {
        iso_option_values(o, range, sizeof range);
    }
    bool is_default = o->initial != NULL && (o->kind != ISO_IS_FLAG || !with_range);
    buffer[0] = '\0';
    if (is_default || range[0] != '\0') {
        const char *initial = !is_default ? "" : o->initial[0] != '\0' ? o->initial : "none";
        snprintf(buffer, size, " (%s%s%s%s)", is_default ? "default: " : "", initial,
                 is_default && range[0] != '\0' ? "; " : "", range);
    }
    return buffer;
}

const char *iso_option_argument(const iso_option *o) {
    static const char *const by_kind[] = {
        [ISO_IS_FLAG] = NULL,   [ISO_IS_COUNT] = "N",   [ISO_IS_REAL] = "X",   [ISO_IS_SIZE] = "SIZE",
        [ISO_IS_SECONDS] = "S", [ISO_IS_TEXT] = "TEXT", [ISO_IS_LIST] = "LIST"};
    static const char *const by_table[] = {
        [ISO_OF_WORDS] = "WORD",   [ISO_OF_FILES] = "FILE",        [ISO_OF_OUTPUTS] = "FILE",
        [ISO_OF_LEVELS] = "LEVEL", [ISO_OF_SOME_LEVELS] = "LEVEL", [ISO_OF_CHECKERS] = "CHECKER",
        [ISO_OF_FORMATS] = "F"};
    bool named = o->kind == ISO_IS_TEXT && o->of < sizeof by_table / sizeof *by_table &&
                 (o->of != ISO_OF_WORDS || o->words != NULL);
    return o->argument != NULL ? o->argument : named ? by_table[o->of] : by_kind[o->kind];
}

bool iso_pair_next(const char **text, iso_pair *pair) {
    const char *at = *text;
    if (at == NULL || *at == '\0') {
        return false;
    }
    size_t length = strcspn(at, ","), n = strcspn(at, "=,");
    size_t begin = n + (at[n] == '=');
    *pair = (iso_pair){.name = at, .name_size = n, .value = at + begin, .value_size = length - begin};
    *text = at + length + (at[length] == ',');
    return true;
}

void iso_options_read(iso_pool *pool, const iso_option *table, const char *pairs, void *values) {
    iso_pair pair;
    char why[512];
    iso_option_defaults(table, values);
    while (iso_pair_next(&pairs, &pair)) {
        const iso_option *o = iso_option_find(table, pair.name, pair.name_size);
        char *text = ISO_ZNEW(pool, char, pair.value_size + 1);
        memcpy(text, pair.value, pair.value_size);
        if (o != NULL && !iso_option_set(o, text, values, why, sizeof why)) {
            iso_throw(pool->env, ISOLAB_E_USAGE, "option %s: %s", o->name, why);
        }
    }
}
