/* Work of a library that knows no limits, in a process of its own: whatever it does, the limits hold, since the process can
 * be killed.
 *
 * The work runs in a copy of this process and sends bytes back. What it throws is thrown here. It has the memory that
 * this process may have, and its ends closes nothing that belongs to this one. Not for processes of several threads. */
#ifndef ISOLAB_BASE_APART_H
#define ISOLAB_BASE_APART_H

#include <stdio.h>

#include "base/env.h"

/* Bytes of the work's answer. */
void iso_apart_send(FILE *out, const void *bytes, size_t n);

/* Runs work(arg, out) apart, and returns all that it sent, in the pool. The work ends before: by its end, by what it
 * throws, or by a limit of this environment, which is thrown. */
char *iso_apart(iso_pool *pool, void (*work)(void *arg, FILE *out), void *arg, size_t *size);

#endif
