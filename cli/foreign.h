/* A published checker, or a program of the user, as the checker of `check -c ext:NAME`. The table of adapters
 * (docs/referee.md) describes how it is asked and how its answer is read. */
#ifndef ISOLAB_CLI_FOREIGN_H
#define ISOLAB_CLI_FOREIGN_H

#include "cli/command.h"

/* Returns the adapter's name in `ext:NAME`; NULL: the word is the name of a checker of isolab. */
const char *iso_cli_foreign_name(const char *word);

/* Returns the checker of `ext:NAME`, of which a run of the program can have only one. adapters: a file with more
 * adapters; NULL: only $ISOLAB_ADAPTERS is read. Throws ISOLAB_E_USAGE if the name or the program is not known. */
const iso_checker *iso_cli_foreign(iso_cli *cli, const char *word, const char *adapters);

/* Removes the files of histories that were written for the checker. Call it at the end, also if no such checker was
 * asked. */
void iso_cli_foreign_end(void);

#endif
