/* Commands that take a generator and its options: `generate`, `run`. Their values begin with an iso_generating. */
#ifndef ISOLAB_CLI_GENERATING_H
#define ISOLAB_CLI_GENERATING_H

#include "cli/command.h"
#include "generators/generator.h"

typedef struct iso_generating {
    const iso_generator *generator;
    iso_args *args; /* its options */
} iso_generating;

/* The refine function of such a command: its options are those of the generator that its arguments name. */
const iso_command *iso_generating_refine(iso_cli *cli, const iso_command *command, int argc, char **argv);

/* Throws ISOLAB_E_USAGE if the operand names another generator, since it came after the options. */
void iso_generating_named(iso_cli *cli, const iso_generating *by, int n, char **operands);

#endif
