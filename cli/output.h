/* The destination of a command's results: a file, or standard output (no name, or `-`).
 *
 * A reader of standard output may close its pipe before the end, as in `isolab generate | head`. This is not an error
 * for the user: no message is printed, and SIGPIPE ends the program at its end, as it ends other programs (a shell
 * shows status 141). Until then the signal is ignored: it would also end a program when a database or helper closes a
 * connection, and a program that has temporary files to remove or measurements to record. */
#ifndef ISOLAB_CLI_OUTPUT_H
#define ISOLAB_CLI_OUTPUT_H

#include <stdio.h>

#include "base/env.h"

/* Opens the destination; NULL or `-`: standard output. Throws ISOLAB_E_IO. Programs that are started do not inherit the
 * descriptor. The path must stay valid. */
FILE *iso_output_open(iso_env *env, const char *path);
/* Gives a file its name (base/file.h); a file that is never closed is removed. Throws ISOLAB_E_IO if not everything was
 * written. Standard output stays open. */
void iso_output_close(iso_env *env, FILE *out);

/* Returns the name of output n: for `a/b.svg` and 3 it is `a/b-3.svg`. The first name is unchanged, and so is that of
 * standard output. */
const char *iso_numbered_name(iso_pool *pool, const char *path, unsigned n);

/* Returns whether standard output failed to take some bytes, so that producing more is useless. */
bool iso_output_failed(void);

/* Returns whether an error should be printed: not if it is only that standard output is closed. */
bool iso_output_tells(const isolab_error *error);

/* Call this last. Returns the program's exit status, which is `status` if standard output took everything. */
int iso_output_end(int status);

#endif
