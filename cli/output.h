/* Where a command's results go: a file, or standard output (no name, or `-`).
 *
 * A reader of standard output may close its pipe before the end, as in `isolab generate | head`. No user wants to read
 * about that: nothing is said, and at its end the program is ended by SIGPIPE, as other programs are (a shell sees the
 * status 141). Until then the signal is ignored: it would end a program whose database or helper hangs up, and one that
 * has temporary files to remove or measurements to record. */
#ifndef ISOLAB_CLI_OUTPUT_H
#define ISOLAB_CLI_OUTPUT_H

#include <stdio.h>

#include "base/env.h"

/* Throws ISOLAB_E_IO. The descriptor does not reach programs that are started meanwhile. The path must stay. */
FILE *iso_output_open(iso_env *env, const char *path);
/* Gives a file its name (base/file.h); one that is never closed leaves nothing. Throws ISOLAB_E_IO if not all was written.
 * Standard output stays open. */
void iso_output_close(iso_env *env, FILE *out);

/* Standard output did not take all that was written to it: there is no use in making more. */
bool iso_output_failed(void);

/* Whether an error is to be printed: not when it is that standard output is closed. */
bool iso_output_tells(const isolab_error *error);

/* The last thing that the program does. Returns its exit status, which is status when standard output took all. */
int iso_output_end(int status);

#endif
