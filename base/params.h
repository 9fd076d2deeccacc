/* Parameters by name: what a generator or a reduction can be told, as a table from which its options, their
 * checking and its help come. A parameter has a default, so that everything runs without any.
 *
 * The values belong to the pool given; what does not fit is thrown as ISOLAB_E_USAGE.
 */
#ifndef ISOLAB_BASE_PARAMS_H
#define ISOLAB_BASE_PARAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/env.h"

typedef enum {
    ISO_PARAM_INT,  /* from least to most */
    ISO_PARAM_REAL, /* from least to most */
    ISO_PARAM_WORD, /* one of words */
    ISO_PARAM_TEXT  /* anything: a file, a list */
} iso_param_kind;

typedef struct iso_param {
    const char *name; /* of the option, without dashes */
    iso_param_kind kind;
    const char *initial; /* the default, as a user would write it */
    double least, most;
    const char *words; /* ISO_PARAM_WORD: those allowed, separated by spaces */
    const char *help;  /* one phrase */
} iso_param;

#define ISO_PARAM_TABLES 4

typedef struct iso_args {
    iso_pool *pool;
    const char *owner;                        /* for messages: `generator random` */
    const iso_param *table[ISO_PARAM_TABLES]; /* each ended by a NULL name; a NULL table ends the list */
    const char **text[ISO_PARAM_TABLES];      /* what the user gave, or NULL */
    bool *read[ISO_PARAM_TABLES];             /* was it asked for? */
    bool strict;                              /* a value that would be ignored is refused */
} iso_args;

/* Takes up to four tables; a parameter of an earlier table hides one of the same name of a later one. */
void iso_args_init(iso_args *args, iso_pool *pool, const char *owner, const iso_param *const *tables);

const iso_param *iso_args_find(const iso_args *args, const char *name); /* NULL: there is none */

/* Checks and keeps a value; the text must outlive args. */
void iso_args_set(iso_args *args, const char *name, const char *text);

/* A default that other parameters decide: kept unless the user gave a value. */
void iso_args_default(iso_args *args, const char *name, const char *text);

/* The value given, or the default. The name must be of a table: anything else is a bug. */
uint64_t iso_arg_int(const iso_args *args, const char *name);
double iso_arg_real(const iso_args *args, const char *name);
const char *iso_arg_text(const iso_args *args, const char *name);
bool iso_arg_is(const iso_args *args, const char *name, const char *word);
bool iso_arg_given(const iso_args *args, const char *name);

/* If the values are strict, nothing that was given is ignored: where it would be, ISOLAB_E_USAGE is thrown. Either since the
 * owner knows why (`--skew is for zipfian and exponential keys`), or since nothing has asked for the value: call that one
 * when all has been asked for, before there is any output. */
void iso_args_refuse(const iso_args *args, bool ignored, const char *name, const char *why);
void iso_args_refuse_unread(const iso_args *args);

#endif
