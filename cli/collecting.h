/* Commands that take a database, a workload and their options: `collect`. Their values begin with an iso_collecting. */
#ifndef ISOLAB_CLI_COLLECTING_H
#define ISOLAB_CLI_COLLECTING_H

#include "cli/command.h"
#include "collectors/collector.h"
#include "generators/generator.h"

#define ISO_USUAL_WORKLOAD "random"

typedef struct iso_collecting {
    const iso_collector *collector;
    const iso_generator *workload;
    iso_args *args; /* options of both, and of the driver */
} iso_collecting;

/* The refine function of such a command: its options are those of the database and the workload that its arguments
 * name. */
const iso_command *iso_collecting_refine(iso_cli *cli, const iso_command *command, int argc, char **argv);

/* Return the collector or workload of a name. Throw ISOLAB_E_USAGE with a hint if it does not exist. */
const iso_collector *iso_cli_collector(iso_cli *cli, const char *name);
const iso_generator *iso_cli_workload(iso_cli *cli, const char *name);

#endif
