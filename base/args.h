/* Values stored by the names of their options (base/option.h): the input of a generator or a reduction. Every option
 * has a default, so no option is required. The struct records which values were read, so that none is ignored.
 *
 * The values belong to the given pool. A wrong name or value throws ISOLAB_E_USAGE. */
#ifndef ISOLAB_BASE_ARGS_H
#define ISOLAB_BASE_ARGS_H

#include "base/option.h"

#define ISO_ARG_TABLES 4

typedef struct iso_args {
    iso_pool *pool;
    const char *owner;                       /* for messages: `generator random` */
    const iso_option *table[ISO_ARG_TABLES]; /* each ends with a NULL name; a NULL table ends the list */
    const char **text[ISO_ARG_TABLES];       /* the text that the user gave, or NULL */
    bool *read[ISO_ARG_TABLES];              /* whether the owner read the value */
    bool strict;                             /* refuse a given value that would have no effect */
} iso_args;

/* Takes up to four tables. An option of an earlier table hides one with the same name in a later table. */
void iso_args_init(iso_args *args, iso_pool *pool, const char *owner, const iso_option *const *tables);

const iso_option *iso_args_find(const iso_args *args, const char *name); /* NULL: no option has this name */

/* Calls each(arg, option) for every option that is not hidden. */
void iso_args_each(const iso_args *args, void (*each)(void *arg, const iso_option *o), void *arg);

/* Checks and stores a value. The text must outlive args. */
void iso_args_set(iso_args *args, const char *name, const char *text);

/* Stores a default that depends on other options; a value that the user gave stays. */
void iso_args_default(iso_args *args, const char *name, const char *text);

/* Return the given value, or the default. The name must be in a table: an unknown name is a bug. */
uint64_t iso_arg_count(const iso_args *args, const char *name);
double iso_arg_real(const iso_args *args, const char *name);
const char *iso_arg_text(const iso_args *args, const char *name);
bool iso_arg_is(const iso_args *args, const char *name, const char *word);
bool iso_arg_given(const iso_args *args, const char *name);

/* If args is strict, throw ISOLAB_E_USAGE for a value that was given and would have no effect. The first function is
 * for an owner that knows the reason (`--skew is for zipfian and exponential keys`). The second refuses every given
 * value that was never read: call it after all reads and before any output. */
void iso_args_refuse(const iso_args *args, bool ignored, const char *name, const char *why);
void iso_args_refuse_unread(const iso_args *args);

#endif
