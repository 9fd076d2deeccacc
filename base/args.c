/* Values by name. See args.h. */
#include "base/args.h"

#include <string.h>

void iso_args_init(iso_args *args, iso_pool *pool, const char *owner, const iso_option *const *tables) {
    memset(args, 0, sizeof *args);
    args->pool = pool;
    args->owner = owner;
    for (unsigned t = 0; t < ISO_ARG_TABLES && tables[t] != NULL; t++) {
        size_t n = 0;
        while (tables[t][n].name != NULL) {
            n++;
        }
        args->table[t] = tables[t];
        args->text[t] = ISO_ZNEW(pool, const char *, n + 1);
        args->read[t] = ISO_ZNEW(pool, bool, n + 1);
    }
}

/* Returns where the value of an option is stored, with its row and its flag "was read"; NULL: no option has this
 * name. */
static const char **slot(const iso_args *args, const char *name, const iso_option **option, bool **read) {
    for (unsigned t = 0; t < ISO_ARG_TABLES && args->table[t] != NULL; t++) {
        for (const iso_option *o = args->table[t]; o->name != NULL; o++) {
            if (strcmp(o->name, name) == 0) {
                *option = o;
                *read = &args->read[t][o - args->table[t]];
                return &args->text[t][o - args->table[t]];
            }
        }
    }
    return NULL;
}

const iso_option *iso_args_find(const iso_args *args, const char *name) {
    const iso_option *option = NULL;
    bool *read;
    return slot(args, name, &option, &read) == NULL ? NULL : option;
}

void iso_args_each(const iso_args *args, void (*each)(void *arg, const iso_option *o), void *arg) {
    for (unsigned t = 0; t < ISO_ARG_TABLES && args->table[t] != NULL; t++) {
        for (const iso_option *o = args->table[t]; o->name != NULL; o++) {
            if (iso_args_find(args, o->name) == o) {
                each(arg, o);
            }
        }
    }
}

void iso_args_set(iso_args *args, const char *name, const char *text) {
    const iso_option *o = NULL;
    bool *read = NULL;
    const char **kept = slot(args, name, &o, &read);
    iso_env *env = args->pool->env;
    char why[512];
    if (kept == NULL) {
        iso_throw(env, ISOLAB_E_USAGE, "--%s: %s has no such option", name, args->owner);
    }
    if (!iso_option_set(o, text, NULL, why, sizeof why)) {
        iso_throw(env, ISOLAB_E_USAGE, "--%s: %s", name, why);
    }
    *kept = text;
}

const char *iso_arg_text(const iso_args *args, const char *name) {
    const iso_option *o = NULL;
    bool *read = NULL;
    const char **kept = slot(args, name, &o, &read);
    if (kept == NULL) {
        iso_throw(args->pool->env, ISOLAB_E_INTERNAL, "%s: option %s is in no table", args->owner, name);
    }
    *read = true;
    return *kept != NULL ? *kept : o->initial;
}

uint64_t iso_arg_count(const iso_args *args, const char *name) {
    uint64_t value = 0;
    iso_count_of(iso_arg_text(args, name), &value);
    return value;
}

double iso_arg_real(const iso_args *args, const char *name) {
    double value = 0;
    iso_real_of(iso_arg_text(args, name), &value);
    return value;
}

bool iso_arg_is(const iso_args *args, const char *name, const char *word) {
    return strcmp(iso_arg_text(args, name), word) == 0;
}

bool iso_arg_given(const iso_args *args, const char *name) {
    const iso_option *o = NULL;
    bool *read = NULL;
    const char **kept = slot(args, name, &o, &read);
    return kept != NULL && *kept != NULL;
}

void iso_args_default(iso_args *args, const char *name, const char *text) {
    if (!iso_arg_given(args, name)) {
        iso_args_set(args, name, text);
        iso_arg_text(args, name); /* reading it marks it as read; it was not given by the user */
    }
}

void iso_args_refuse(const iso_args *args, bool ignored, const char *name, const char *why) {
    if (ignored && args->strict && iso_arg_given(args, name)) {
        iso_throw(args->pool->env, ISOLAB_E_USAGE, "--%s %s", name, why);
    }
}

void iso_args_refuse_unread(const iso_args *args) {
    for (unsigned t = 0; t < ISO_ARG_TABLES && args->strict && args->table[t] != NULL; t++) {
        for (const iso_option *o = args->table[t]; o->name != NULL; o++) {
            size_t i = (size_t)(o - args->table[t]);
            if (args->text[t][i] != NULL && !args->read[t][i]) {
                iso_throw(args->pool->env, ISOLAB_E_USAGE, "--%s has no effect on what the other options of %s ask for",
                          o->name, args->owner);
            }
        }
    }
}
