/* A published checker, or your own program, as the checker of `check -c ext:NAME`: the table of adapters
 * (docs/referee.md) says how it is asked and how its answer is read. */
#ifndef ISOLAB_CLI_FOREIGN_H
#define ISOLAB_CLI_FOREIGN_H

#include "cli/command.h"

/* The adapter's name of `ext:NAME`; NULL: the word is the name of a checker of isolab. */
const char *iso_cli_foreign_name(const char *word);

/* The checker. There is one in a run of the program. adapters: a file that describes more of them; NULL:
 * $ISOLAB_ADAPTERS alone. Throws ISOLAB_E_USAGE if the name or the program is not known. */
const iso_checker *iso_cli_foreign(iso_cli *cli, const char *word, const char *adapters);

/* Removes the files from which it read histories. Call it at the end, whether or not such a checker was asked. */
void iso_cli_foreign_end(void);

#endif
