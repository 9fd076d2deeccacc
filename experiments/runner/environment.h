/* The conditions of a measurement besides the checker and the history: program, compiler, machine, load. */
#ifndef ISOLAB_EXPERIMENTS_RUNNER_ENVIRONMENT_H
#define ISOLAB_EXPERIMENTS_RUNNER_ENVIRONMENT_H

#include "base/env.h"

typedef struct iso_environment {
    const char *commit;  /* commit of isolab, with `-dirty` if the tree had changes */
    const char *program; /* SHA-256 of the program that is run */
    const char *version, *compiler, *flags;
    const char *host, *kernel, *cpu, *governor;
    unsigned cores;
    uint64_t memory; /* bytes */
} iso_environment;

/* Returns the environment of this machine and of the program at a path: this program (own), or another isolab, whose
 * stamp is read from its file. Unknown fields are "unknown". */
iso_environment iso_environment_now(iso_pool *pool, const char *program, bool own);

double iso_environment_load(void); /* load of the last minute; negative: unknown */

#endif
