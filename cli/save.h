/* Writing a history where a command's user asked for. */
#ifndef ISOLAB_CLI_SAVE_H
#define ISOLAB_CLI_SAVE_H

#include "cli/command.h"

/* The format named; else that of the path's extension, which must tell one; on standard output isolab text. */
const iso_format *iso_cli_format_for(iso_cli *cli, const char *name, const char *path);

/* Saves; what the format cannot hold is an error (ISOLAB_E_INPUT) with counts, unless lossy, then a warning.
 * NULL path: `-`. */
void iso_cli_save(iso_cli *cli, iso_pool *pool, const isolab_history *h, const char *path, const iso_format *format,
                  bool lossy);

#endif
