/* What a measurement depends on besides the checker and the history: program, compiler, machine, load. */
#ifndef ISOLAB_EXPERIMENTS_RUNNER_ENVIRONMENT_H
#define ISOLAB_EXPERIMENTS_RUNNER_ENVIRONMENT_H

#include "base/env.h"

typedef struct iso_environment {
    const char *commit;  /* of isolab, `-dirty` if changed since */
    const char *program; /* SHA-256 of the program that is run */
    const char *version, *compiler, *flags;
    const char *host, *kernel, *cpu, *governor;
    unsigned cores;
    uint64_t memory; /* bytes */
} iso_environment;

/* Of this machine and the program at the path given, which is this one (own) or another isolab, whose file says how it
 * was made. What is not told is "unknown". */
iso_environment iso_environment_now(iso_pool *pool, const char *program, bool own);

double iso_environment_load(void); /* of the last minute; negative: unknown */

#endif
