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
 *         .size = sizeof(values),
 *         .options = (const iso_option[]){
 *             {ISO_FLAG("json", "no", "print JSON"), .letter = 'j', ISO_TO(values, json)},
 *             {ISO_COUNT("seed", "1", 0, ISO_ANY, "seed of all random choices"), ISO_TO(values, seed)},
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

#include "base/args.h"
#include "checkers/checker.h"
#include "formats/format.h"
#include "history/level.h"

/* The resources of one run of the program. */
typedef struct iso_cli {
    iso_env env;
    iso_pool pool;       /* lives as long as the run */
    iso_pool item;       /* for a command that takes its operands one by one: empty it between them */
    const char *command; /* its name; NULL while it is not known */
    int64_t timeout;     /* ns; 0 = none. Already applied to env, counted from the start of the program */
    uint64_t memory;
    bool help;
    const char **given; /* names of the command's options that were given */
    size_t n_given;
} iso_cli;

/* Options that an option needs, or excludes: words separated by spaces, names of options. An option that would be
 * ignored is refused. */
typedef struct iso_need {
    const char *option;
    const char *needs;   /* one of these must also be given; NULL: none */
    const char *without; /* none of these may be given; NULL: all may */
} iso_need;

struct iso_command;
typedef const struct iso_command *iso_refine(iso_cli *cli, const struct iso_command *command, int argc, char **argv);

typedef struct iso_command {
    const char *summary;  /* `says whether histories satisfy a level` */
    const char *operands; /* `FILE...`; NULL: none */
    int least, most;      /* number of operands; most < 0: any number */
    iso_option_of of;     /* the kind of the operands */
    const char *words;
    const iso_option *options; /* options for fields of the values, ended by ISO_END; NULL: none */
    iso_args *args;            /* additional options, stored by name, such as those of a generator; NULL: none */
    const iso_need *needs;     /* ended by a NULL option; NULL: options are independent */
    const void *defaults;      /* initial values, for fields without an option's default; NULL: all zero */
    size_t size;               /* of the values */
    const char *details;       /* paragraphs for the help; NULL: none */
    const char *examples;      /* one in each line */
    int (*run)(iso_cli *cli, const void *values, int n, char **operands);
    /* Returns the command with the options that its arguments require (those of one generator); NULL: never changed. */
    iso_refine *refine;
} iso_command;

typedef struct iso_command_entry {
    const char *name;
    const iso_command *command;
} iso_command_entry;

extern const iso_command_entry iso_commands[]; /* in the order of commands.def, ended by a NULL name */
extern const iso_command iso_common;           /* the options of all commands, fields of iso_cli */

/* Calls each(arg, option) for the options of a command, without the common ones. */
void iso_each_option(const iso_command *command, void (*each)(void *arg, const iso_option *o), void *arg);

/* Fills in values, the command's args and cli from the arguments, moves the operands to the front of argv and returns
 * their number. Throws ISOLAB_E_USAGE for a wrong use, with a hint if a name is nearly right, and for options that
 * exclude each other. */
int iso_parse(iso_cli *cli, const iso_command *command, void *values, int argc, char **argv);

/* Returns the first argument if it is an operand, else NULL. */
const char *iso_cli_first_word(int argc, char **argv);

/* Returns a copy of the command with the additional options of args; a value that would be ignored is refused. */
iso_command *iso_command_with(iso_cli *cli, const iso_command *command, iso_args *args);

/* Returns whether an option of the command was given. */
bool iso_cli_given(const iso_cli *cli, const char *option);

/* Throws ISOLAB_E_USAGE if an option was given that would be ignored: `--OPTION WHY`. */
void iso_cli_refuse(iso_cli *cli, bool ignored, const char *option, const char *why);

/* Returns the first word that says where to write, in words that begin with a command; NULL: none. For commands that
 * come from outside. */
const char *iso_cli_output_option(const char *const *words);

/* Return the level, checker or format of a name. Throw ISOLAB_E_USAGE with a hint if it does not exist. NULL format:
 * NULL. */
iso_level iso_cli_level(iso_cli *cli, const char *name);
const iso_checker *iso_cli_checker(iso_cli *cli, const char *name);
const iso_format *iso_cli_format(iso_cli *cli, const char *name);

/* Calls each(arg, word) for every word that an argument of this kind may be. */
void iso_each_word(iso_option_of of, const char *words, void (*each)(void *arg, const char *word), void *arg);

/* Returns a suggestion, `; did you mean "x"?`, if a similar word exists, else the name of the `isolab list` table to
 * consult, if there is one, else the empty string. The text is in buffer. */
const char *iso_did_you_mean(const char *word, iso_option_of of, const char *words, char buffer[128]);

extern const char iso_exit_statuses[];                    /* their meanings, in one sentence */
void iso_help(FILE *out, const iso_command_entry *entry); /* prints the help of one command */
void iso_help_all(FILE *out);

/* Clears the line of progress on a terminal. Call it before anything is printed. */
void iso_clear_progress(void);

/* Prints one line on standard error: `isolab: FILE: line 3: message`. */
void iso_print_error(const isolab_error *error);

#endif
