/* Runs work in a separate process, for libraries without limits: the process can be killed at any time, so the limits
 * hold whatever the library does.
 *
 * The work runs in a copy of this process (fork) and sends bytes back. An error that it throws is thrown again
 * here. The copy may use as much memory as this process; when it ends, it closes nothing that belongs to this
 * process. Do not use it in a process with several threads. */
#ifndef ISOLAB_BASE_APART_H
#define ISOLAB_BASE_APART_H

#include <stdio.h>

#include "base/env.h"

/* Called by work(): appends n bytes to the answer. */
void iso_apart_send(FILE *out, const void *bytes, size_t n);

/* Runs work(arg, out) in a separate process and returns all bytes that it sent, in the pool. Throws what the work
 * throws, and ISOLAB_E_LIMIT when a limit of this environment is reached first. */
char *iso_apart(iso_pool *pool, void (*work)(void *arg, FILE *out), void *arg, size_t *size);

#endif
