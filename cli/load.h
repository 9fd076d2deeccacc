/* How commands read histories: the options that say it, and what is told of the initial transaction. */
#ifndef ISOLAB_CLI_LOAD_H
#define ISOLAB_CLI_LOAD_H

#include "cli/command.h"

typedef struct iso_cli_reading {
    const char *format, *initial, *transaction;
} iso_cli_reading;

/* Rows of a command's options, where its values have an iso_cli_reading called `field`. */
#define ISO_READING_OPTIONS(values, field)                                                                             \
    {0,                                                                                                                \
     "format",                                                                                                         \
     "F",                                                                                                              \
     "read histories as this format instead of detecting it",                                                          \
     ISO_TEXT,                                                                                                         \
     offsetof(values, field.format),                                                                                   \
     ISO_OF_FORMATS,                                                                                                   \
     NULL},                                                                                                            \
        {0,                                                                                                            \
         "initial",                                                                                                    \
         "VALUE",                                                                                                      \
         "a value that means initial, too: a number, or else a string",                                                \
         ISO_TEXT,                                                                                                     \
         offsetof(values, field.initial),                                                                              \
         ISO_OF_WORDS,                                                                                                 \
         NULL},                                                                                                        \
    {                                                                                                                  \
        0, "initial-transaction", "WHEN",                                                                              \
            "is the first transaction the initial one? auto: if it only writes initial values; yes: whatever it "      \
            "writes",                                                                                                  \
            ISO_TEXT, offsetof(values, field.transaction), ISO_OF_WORDS, "auto no yes"                                 \
    }

isolab_history *iso_cli_load(iso_cli *cli, iso_pool *pool, const char *path, const iso_cli_reading *reading);

/* Says on standard error which transaction was taken as the initial one, or that one may be it which was not. */
void iso_cli_tell_initial(iso_cli *cli, const isolab_history *h, const char *path, const iso_cli_reading *reading);
/* The second of these only. */
void iso_cli_doubt_initial(iso_cli *cli, const isolab_history *h, const char *path, const iso_cli_reading *reading);

struct iso_json;
void iso_cli_json_initial(struct iso_json *json, const isolab_history *h); /* a member of an object */

#endif
