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

/* Returns the collector of a name. Throws ISOLAB_E_USAGE with a hint if it does not exist. */
const iso_collector *iso_cli_collector(iso_cli *cli, const char *name);

#endif
