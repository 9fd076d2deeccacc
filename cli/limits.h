/* --timeout and --memory of a run. Without --memory, most of the machine's memory is the limit: a run that needs more
 * ends as unknown, before the system kills it or another process.
 *
 * Pools count their own bytes exactly. Libraries (CaDiCaL, GMP, igraph, zlib, ...) call malloc(), so the process also
 * gets a bound of its own: its current private memory, plus --memory, plus ISO_CLI_SPARE for the basic needs of any
 * program. A library that reaches the bound and can handle it reports an error. CaDiCaL and GMP cannot: they get a
 * little more memory, once, and `exhausted` ends their work at the next test of the limits. If even that is not enough,
 * the program ends with one line and exit status 2. */
#ifndef ISOLAB_CLI_LIMITS_H
#define ISOLAB_CLI_LIMITS_H

#include "cli/command.h"

#define ISO_CLI_SPARE ((uint64_t)32 << 20)

/* Call this once, before anything else: installs the handlers for the end of memory. */
void iso_limits_install(iso_limits *limits);

/* Applies the limits of the command line (the time counts from now), or removes them so that known answers can be
 * printed. */
void iso_limits_apply(iso_cli *cli, bool on);

/* Returns how many bytes of --memory are enough to read a history and to check weak levels; 0: not known. h: the
 * history, if it was read; else the size of its file says it. By measurements, rounded up: docs/architecture.md. */
uint64_t iso_limits_enough(const char *path, const isolab_history *h);

/* Takes back the added memory, for the next checker. */
void iso_limits_repay(void);

#endif
