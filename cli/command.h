/* The commands of isolab. A command is one file with one descriptor and one line in commands.def.
 *
 * To add one: write cli/NAME.c that defines `const iso_command iso_command_NAME`, and add `COMMAND(NAME)` to
 * commands.def. Nothing else: parsing, `isolab help`, the shell completions and the manual page come from the
 * tables. A small complete command:
 *
 *     typedef struct values { bool json; uint64_t seed; const char *output; } values;
 *
 *     static int run(iso_cli *cli, const void *given, int n, char **operands) {
 *         const values *v = given;
 *         ... iso_load(&cli->pool, operands[0], NULL) ... iso_say(stdout, "%s\n", operands[0]) ... // base/print.h
 *         return ISOLAB_OK;                 // the exit status
 *     }
 *
 *     const iso_command iso_command_NAME = {
 *         .summary = "does one thing", .operands = "FILE", .least = 1, .most = 1, .run = run,
 *         .defaults = &(const values){.seed = 1}, .size = sizeof(values),
 *         .options = (const iso_option[]){
 *             {'j', "json", NULL, "print JSON", ISO_FLAG, offsetof(values, json), ISO_OF_WORDS, NULL},
 *             ISO_END},
 *         .examples = "isolab NAME history.txt"};
 *
 * Errors are thrown (base/env.h) and printed by main: a wrong use with iso_throw(env, ISOLAB_E_USAGE, ...).
 * --help, --timeout and --memory belong to every command and are applied before run() is called.
 */
#ifndef ISOLAB_CLI_COMMAND_H
#define ISOLAB_CLI_COMMAND_H

#include <stddef.h>
#include <stdio.h>

#include "base/env.h"
#include "checkers/checker.h"
#include "formats/format.h"
#include "history/level.h"

/* What one run of the program owns. */
typedef struct iso_cli {
    iso_env env;
    iso_pool pool;       /* of the whole run */
    iso_pool item;       /* for a command that takes its operands one by one: empty it between them */
    const char *command; /* its name; NULL before it is known */
    int64_t timeout;     /* ns; 0: none. Already applied to env, from the start of the program on */
    uint64_t memory;
    bool help;
    const char **given; /* the names of the command's options that were given */
    size_t n_given;
} iso_cli;

/* How an option's argument is read, and the type of the field that it fills. */
typedef enum {
    ISO_FLAG,    /* bool, no argument */
    ISO_TEXT,    /* const char * */
    ISO_LIST,    /* const char *: may be repeated, joined with commas */
    ISO_COUNT,   /* uint64_t */
    ISO_REAL,    /* double */
    ISO_SIZE,    /* uint64_t, bytes: `512M` */
    ISO_SECONDS, /* int64_t, ns: `1.5` */
} iso_option_kind;

/* What an argument names, for completion and for refusing what does not exist. */
typedef enum {
    ISO_OF_WORDS, /* the option's words; none: anything */
    ISO_OF_FILES,
    ISO_OF_OUTPUTS, /* files that are written: a suite, which may come from anybody, names none */
    ISO_OF_LEVELS,
    ISO_OF_CHECKERS, /* words are allowed besides */
    ISO_OF_FORMATS,
    ISO_OF_COMMANDS,
    ISO_OF_GENERATORS,
    ISO_OF_REDUCTIONS,
} iso_option_of;

typedef struct iso_option {
    char letter;          /* 0: none */
    const char *name;     /* without the dashes */
    const char *argument; /* `LEVEL`; NULL for a flag */
    const char *help;     /* one sentence without the final dot */
    iso_option_kind kind;
    size_t offset; /* of its field in the command's values */
    iso_option_of of;
    const char *words; /* separated by spaces: the arguments that there are; NULL: any */
} iso_option;

#define ISO_END                                                                                                        \
    { 0, NULL, NULL, NULL, ISO_FLAG, 0, ISO_OF_WORDS, NULL }

/* What an option needs beside itself, or stands in the way of: words separated by spaces, names of options. One that would
 * be ignored is refused. */
typedef struct iso_need {
    const char *option;
    const char *needs;   /* one of these must be given, too; NULL: none */
    const char *without; /* none of these may be given, too; NULL: any may */
} iso_need;

struct iso_command;
typedef const struct iso_command *iso_refine(iso_cli *cli, const struct iso_command *command, int argc, char **argv);

typedef struct iso_command {
    const char *summary;  /* `says whether histories satisfy a level` */
    const char *operands; /* `FILE...`; NULL: none */
    int least, most;      /* operands; most < 0: any number */
    iso_option_of of;     /* what the operands name */
    const char *words;
    const iso_option *options; /* ended by ISO_END; NULL: none */
    const iso_need *needs;     /* ended by a NULL option; NULL: each option stands for itself */
    const void *defaults;      /* what the values are before parsing; NULL: all zero */
    size_t size;               /* of the values */
    const char *details;       /* paragraphs for the help; NULL: none */
    const char *examples;      /* one a line */
    int (*run)(iso_cli *cli, const void *values, int n, char **operands);
    /* The command with the options that its arguments call for (those of one generator); NULL: as it is. */
    iso_refine *refine;
} iso_command;

typedef struct iso_command_entry {
    const char *name;
    const iso_command *command;
} iso_command_entry;

extern const iso_command_entry iso_commands[]; /* in the order of commands.def, ended by a NULL name */
extern const iso_option iso_common_options[];  /* those of every command, fields of iso_cli */

/* Fills values and cli from the arguments, moves the operands to the front of argv and returns their number.
 * Throws ISOLAB_E_USAGE, with a hint where the name is nearly right, and for options that do not go together. */
int iso_parse(iso_cli *cli, const iso_command *command, void *values, int argc, char **argv);

/* Was an option of the command given? */
bool iso_cli_given(const iso_cli *cli, const char *option);

/* Throws ISOLAB_E_USAGE where an option was given that would be ignored: `--OPTION WHY`. */
void iso_cli_refuse(iso_cli *cli, bool ignored, const char *option, const char *why);

/* The table's level, checker or format of a name; throws ISOLAB_E_USAGE with a hint. NULL format: NULL. */
iso_level iso_cli_level(iso_cli *cli, const char *name);
const iso_checker *iso_cli_checker(iso_cli *cli, const char *name);
const iso_format *iso_cli_format(iso_cli *cli, const char *name);

/* Calls each(arg, word) for everything that an argument of this kind may be. */
void iso_each_word(iso_option_of of, const char *words, void (*each)(void *arg, const char *word), void *arg);

/* `; did you mean "x"?` when a word is near to one that exists, else which list has them, where there is one; else the
 * empty string. Returns buffer. */
const char *iso_did_you_mean(const char *word, iso_option_of of, const char *words, char buffer[128]);

extern const char iso_exit_statuses[];                    /* what they mean, one sentence */
void iso_help(FILE *out, const iso_command_entry *entry); /* of one command */
void iso_help_all(FILE *out);

/* Clears the line that tells the progress on a terminal: call it before something is printed. */
void iso_clear_progress(void);

/* One line on standard error: `isolab: FILE: line 3: message`. */
void iso_print_error(const isolab_error *error);

#endif
