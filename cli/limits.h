/* --timeout and --memory of a run. Without --memory, most of what the machine has is the limit: a run that would need
 * more ends as unknown, and is not killed, nor what runs beside it.
 *
 * Pools count their own bytes exactly. Libraries (CaDiCaL, GMP, igraph, zstd, ...) ask malloc(), so the process gets a
 * bound of its own besides: the private memory that it has now, and --memory, and ISO_CLI_SPARE for what any program
 * needs. Where a library meets the bound and can be told, it reports an error. CaDiCaL and GMP cannot be told: they
 * are lent a little more, once, and `exhausted` ends their work at the next look at the limits. If even that is not
 * enough, the program ends with one line and exit status 2. */
#ifndef ISOLAB_CLI_LIMITS_H
#define ISOLAB_CLI_LIMITS_H

#include "cli/command.h"

#define ISO_CLI_SPARE ((uint64_t)32 << 20)

/* Once, before anything else: who is asked when memory ends. */
void iso_limits_install(iso_limits *limits);

/* The limits of the command line begin to hold (the time from now on), or are lifted: what is known is told. */
void iso_limits_apply(iso_cli *cli, bool on);

/* Takes back what was lent, for the next checker. */
void iso_limits_repay(void);

#endif
