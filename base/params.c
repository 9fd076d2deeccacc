/* Parameters by name. See params.h. */
#include "base/params.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void iso_args_init(iso_args *args, iso_pool *pool, const char *owner, const iso_param *const *tables) {
    memset(args, 0, sizeof *args);
    args->pool = pool;
    args->owner = owner;
    for (unsigned t = 0; t < ISO_PARAM_TABLES && tables[t] != NULL; t++) {
        size_t n = 0;
        while (tables[t][n].name != NULL) {
            n++;
        }
        args->table[t] = tables[t];
        args->text[t] = ISO_ZNEW(pool, const char *, n + 1);
        args->read[t] = ISO_ZNEW(pool, bool, n + 1);
    }
}

/* Where the value of a parameter is kept, and whether it was asked for; NULL: there is none of that name. */
static const char **slot(const iso_args *args, const char *name, const iso_param **param, bool **read) {
    for (unsigned t = 0; t < ISO_PARAM_TABLES && args->table[t] != NULL; t++) {
        for (const iso_param *p = args->table[t]; p->name != NULL; p++) {
            if (strcmp(p->name, name) == 0) {
                *param = p;
                *read = &args->read[t][p - args->table[t]];
                return &args->text[t][p - args->table[t]];
            }
        }
    }
    return NULL;
}

const iso_param *iso_args_find(const iso_args *args, const char *name) {
    const iso_param *param = NULL;
    bool *read;
    return slot(args, name, &param, &read) == NULL ? NULL : param;
}

static bool among(const char *words, const char *text) {
    size_t n = strlen(text);
    for (const char *at = words; *at != '\0';) {
        size_t length = strcspn(at, " ");
        if (n == length && strncmp(at, text, n) == 0) {
            return true;
        }
        at += length + (at[length] == ' ');
    }
    return false;
}

/* Whole numbers may be written 1000000, 1e6 or 1M. */
static bool parse_int(const char *text, uint64_t *value) {
    char *end = NULL;
    errno = 0;
    if (!isdigit((unsigned char)text[0])) {
        return false;
    }
    unsigned long long plain = strtoull(text, &end, 10);
    if (errno != 0) {
        return false;
    }
    *value = plain;
    if (*end == '\0') {
        return true;
    }
    double scaled = strtod(text, &end);
    if (*end == 'k' || *end == 'K') {
        scaled *= 1e3;
        end++;
    } else if (*end == 'm' || *end == 'M') {
        scaled *= 1e6;
        end++;
    }
    if (*end != '\0' || !(scaled >= 0) || scaled > 9e15) {
        return false;
    }
    *value = (uint64_t)scaled;
    return (double)*value == scaled;
}

static bool parse_real(const char *text, double *value) {
    char *end = NULL;
    *value = strtod(text, &end);
    if (end != text && *end == '%') {
        *value /= 100;
        end++;
    }
    return end != text && *end == '\0';
}

void iso_args_set(iso_args *args, const char *name, const char *text) {
    const iso_param *p = NULL;
    bool *read = NULL;
    const char **kept = slot(args, name, &p, &read);
    iso_env *env = args->pool->env;
    if (kept == NULL) {
        iso_throw(env, ISOLAB_E_USAGE, "%s has no option --%s", args->owner, name);
    }
    uint64_t whole = 0;
    double real = 0;
    switch (p->kind) {
    case ISO_PARAM_INT:
        if (!parse_int(text, &whole) || (double)whole < p->least || (double)whole > p->most) {
            iso_throw(env, ISOLAB_E_USAGE, "--%s needs a whole number from %.0f to %.0f, not `%s`", name, p->least,
                      p->most, text);
        }
        break;
    case ISO_PARAM_REAL:
        if (!parse_real(text, &real) || !(real >= p->least && real <= p->most)) {
            iso_throw(env, ISOLAB_E_USAGE, "--%s needs a number from %g to %g, not `%s`", name, p->least, p->most,
                      text);
        }
        break;
    case ISO_PARAM_WORD:
        if (!among(p->words, text)) {
            iso_throw(env, ISOLAB_E_USAGE, "--%s needs one of: %s; not `%s`", name, p->words, text);
        }
        break;
    case ISO_PARAM_TEXT:
        break;
    }
    *kept = text;
}

const char *iso_arg_text(const iso_args *args, const char *name) {
    const iso_param *p = NULL;
    bool *read = NULL;
    const char **kept = slot(args, name, &p, &read);
    if (kept == NULL) {
        iso_throw(args->pool->env, ISOLAB_E_INTERNAL, "%s: parameter %s is in no table", args->owner, name);
    }
    *read = true;
    return *kept != NULL ? *kept : p->initial;
}

uint64_t iso_arg_int(const iso_args *args, const char *name) {
    uint64_t value = 0;
    parse_int(iso_arg_text(args, name), &value);
    return value;
}

double iso_arg_real(const iso_args *args, const char *name) {
    double value = 0;
    parse_real(iso_arg_text(args, name), &value);
    return value;
}

bool iso_arg_is(const iso_args *args, const char *name, const char *word) {
    return strcmp(iso_arg_text(args, name), word) == 0;
}

bool iso_arg_given(const iso_args *args, const char *name) {
    const iso_param *p = NULL;
    bool *read = NULL;
    const char **kept = slot(args, name, &p, &read);
    return kept != NULL && *kept != NULL;
}

void iso_args_default(iso_args *args, const char *name, const char *text) {
    if (!iso_arg_given(args, name)) {
        iso_args_set(args, name, text);
        iso_arg_text(args, name); /* the user did not give it */
    }
}

void iso_args_refuse(const iso_args *args, bool ignored, const char *name, const char *why) {
    if (ignored && args->strict && iso_arg_given(args, name)) {
        iso_throw(args->pool->env, ISOLAB_E_USAGE, "--%s %s", name, why);
    }
}

void iso_args_refuse_unread(const iso_args *args) {
    for (unsigned t = 0; t < ISO_PARAM_TABLES && args->strict && args->table[t] != NULL; t++) {
        for (const iso_param *p = args->table[t]; p->name != NULL; p++) {
            size_t i = (size_t)(p - args->table[t]);
            if (args->text[t][i] != NULL && !args->read[t][i]) {
                iso_throw(args->pool->env, ISOLAB_E_USAGE, "--%s has no effect on what the other options of %s ask for",
                          p->name, args->owner);
            }
        }
    }
}
