/* Writing a history to the place that the user named. */
#ifndef ISOLAB_CLI_SAVE_H
#define ISOLAB_CLI_SAVE_H

#include "cli/command.h"

/* Returns the named format; else the one of the path's extension, which must determine one; for standard output isolab
 * text. */
const iso_format *iso_cli_format_for(iso_cli *cli, const char *name, const char *path);

/* Saves the history. If the format cannot hold everything, that is an error (ISOLAB_E_INPUT) with counts, or with
 * `lossy` a warning. NULL path: `-`. */
void iso_cli_save(iso_cli *cli, iso_pool *pool, const isolab_history *h, const char *path, const iso_format *format,
                  bool lossy);

#endif
