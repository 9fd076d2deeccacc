/* Commands that run one of several things with parameters of its own (base/params.h): the parameters become
 * options, and the options become arguments. */
#ifndef ISOLAB_CLI_PARAMS_H
#define ISOLAB_CLI_PARAMS_H

#include "base/json.h"
#include "base/params.h"
#include "cli/command.h"

#define ISO_CLI_PARAMS 64 /* most of one thing */

/* The fields of the values that the options of parameters fill; a command's values begin with it. */
typedef struct iso_cli_params {
    const char *text[ISO_CLI_PARAMS];
} iso_cli_params;

/* The first operand, if the arguments begin with it; NULL. */
const char *iso_cli_first_word(int argc, char **argv);

/* A copy of the command with one more option for each parameter of args. */
iso_command *iso_cli_with_params(iso_cli *cli, const iso_command *command, const iso_args *args);

/* Gives args what the options got. */
void iso_cli_set_params(iso_cli *cli, const iso_cli_params *values, iso_args *args);

/* Lists the parameters of tables, for people or as JSON. */
void iso_cli_list_params(iso_json *j, const iso_param *table);

#endif
