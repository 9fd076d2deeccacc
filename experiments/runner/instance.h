/* One history of a suite: what its block stands for after every `vary:` and every file pattern is expanded.
 *
 * Generated histories are kept in the work folder under the SHA-256 of what makes them (command, parameters,
 * format), so the same parameters are generated once; what is known of a history's content is kept beside it. */
#ifndef ISOLAB_EXPERIMENTS_RUNNER_INSTANCE_H
#define ISOLAB_EXPERIMENTS_RUNNER_INSTANCE_H

#include "experiments/runner/lab.h"
#include "experiments/runner/suite.h"

typedef struct iso_instance {
    const iso_suite_block *block;
    const char *name;        /* unique in the suite */
    const char *family;      /* what the histories of its block have in common */
    const char *parameters;  /* JSON object of the varied ones */
    const char *const *argv; /* of the command that makes it, without -o; NULL: the file is given */
    const char *source;      /* the command in words, or the given file */
    /* Known after iso_instance_prepare(): */
    const char *path, *sha256;
    uint64_t bytes, sessions, transactions, operations, keys;
} iso_instance;

typedef struct iso_instances {
    iso_instance *at;
    size_t n;
    size_t skipped; /* blocks that are optional and have no files */
} iso_instances;

/* Throws ISOLAB_E_INPUT with the line where a pattern fits no file. */
iso_instances iso_instances_of(const iso_lab *lab, const iso_suite *suite);

/* Makes the history's file if it is not there yet. Throws ISOLAB_E_INTERNAL or _IO when its command fails. */
void iso_instance_prepare(const iso_lab *lab, iso_instance *instance);

/* Is it known from before what the history is? Then fills that in; makes nothing. */
bool iso_instance_known(const iso_lab *lab, iso_instance *instance);

/* `satisfied`, `violated`, or NULL: what the suite expects of this history at this level. */
const char *iso_instance_expected(const iso_lab *lab, const iso_suite *suite, const iso_instance *instance,
                                  const char *level);

#endif
