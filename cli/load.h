/* Reading histories for commands: the options for it, and messages about the initial transaction. */
#ifndef ISOLAB_CLI_LOAD_H
#define ISOLAB_CLI_LOAD_H

#include "cli/command.h"
#include "history/clock.h"
#include "history/suspect.h"

typedef struct iso_cli_reading {
    const char *format, *initial, *transaction;
    bool truncated;
    uint64_t threads; /* of commands that have the option; else 0, which means one */
} iso_cli_reading;

/* Rows of a command's options whose values have an iso_cli_reading called `field`. */
#define ISO_READING_OPTIONS(values, field)                                                                             \
    {ISO_TEXT("format", NULL, "read histories as this format instead of detecting it"), .of = ISO_OF_FORMATS,          \
     ISO_TO(values, field.format)},                                                                                    \
        {ISO_TEXT("initial", NULL,                                                                                     \
                  "another value that means initial: a number, or else a string; unwritten: for each "                 \
                  "key the only value that no transaction wrote"),                                                     \
         .argument = "VALUE", ISO_TO(values, field.initial)},                                                          \
        {ISO_FLAG("truncated", "no", "the input is cut off: leave out what follows its last end of line"),             \
         ISO_TO(values, field.truncated)},                                                                             \
    {                                                                                                                  \
        ISO_WORD("initial-transaction", NULL, "auto no yes",                                                           \
                 "is the first transaction the initial one? auto: if it only writes initial values; yes: whatever it " \
                 "writes"),                                                                                            \
            .argument = "WHEN", ISO_TO(values, field.transaction)                                                      \
    }

isolab_history *iso_cli_load(iso_cli *cli, iso_pool *pool, const char *path, const iso_cli_reading *reading);

/* Prints on standard error which transaction was taken as the initial one, or that another one may be it. */
void iso_cli_tell_initial(iso_cli *cli, const isolab_history *h, const char *path, const iso_cli_reading *reading);
/* Prints only what a reader may doubt: that the history is torn, that another transaction may be the initial one. */
void iso_cli_doubt(iso_cli *cli, const isolab_history *h, const char *path, const iso_cli_reading *reading);

/* Says on standard error that values are repeated, if they are, and what that costs. */
void iso_cli_tell_repeated(const isolab_history *h, const char *path);

struct iso_json;
void iso_cli_json_read(struct iso_json *json, const isolab_history *h); /* members of an object: how it was read */
void iso_cli_json_clock(struct iso_json *json, const isolab_history *h,
                        const iso_clock *clock); /* another, where there are places */
/* Another, where mistakes are suspected: they and their first places. */
void iso_cli_json_suspects(struct iso_json *json, const isolab_history *h, const iso_suspects *suspects);

#endif
