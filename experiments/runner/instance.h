/* One history of a suite: a block after every `vary:` and every file pattern is expanded.
 *
 * Generated histories are kept in the work folder, named by the SHA-256 of their command, parameters and format, so
 * each is generated once, and a database recorded once. Facts about a history's content are kept beside it, among them
 * how long it took to make it. */
#ifndef ISOLAB_EXPERIMENTS_RUNNER_INSTANCE_H
#define ISOLAB_EXPERIMENTS_RUNNER_INSTANCE_H

#include <jansson.h>

#include "experiments/runner/lab.h"
#include "experiments/runner/suite.h"

/* Parameters of a history that say how long its command took, and of a recording: how long its workload ran, and the
 * share of transactions that did not commit. */
#define ISO_MADE_MS "made-ms"
#define ISO_RAN_MS "ran-ms"
#define ISO_ABORTED_SHARE "aborted"

typedef struct iso_instance {
    const iso_suite_block *block;
    const char *name;        /* unique in the suite */
    const char *family;      /* the common name of the histories of its block */
    const char *parameters;  /* JSON object of the varied parameters */
    const char *const *argv; /* the command that makes it, without -o; NULL: the file is given */
    const char *source;      /* the command in words, or the given file */
    const char *frozen;      /* the SHA-256 that it must have; "": its table has none; NULL: any */
    /* set by iso_instance_prepare(): */
    const char *path, *sha256;
    const char *absent; /* why an optional recording could not be made; NULL: it was made */
    double made_ms;     /* time in which this call made it; 0: it existed */
    double ran_ms;      /* time in which its workload ran, if this call recorded it; else 0 */
    uint64_t bytes, sessions, transactions, operations, keys;
} iso_instance;

typedef struct iso_instances {
    iso_instance *at;
    size_t n;
    size_t skipped; /* number of optional blocks without files */
} iso_instances;

/* Returns the histories of a suite. Throws ISOLAB_E_INPUT with the line if a pattern matches no file. */
iso_instances iso_instances_of(const iso_lab *lab, const iso_suite *suite);

/* Makes the history's file if it does not exist, and sets `absent` if it is optional and its database cannot be
 * recorded. Throws ISOLAB_E_INTERNAL or _IO if its command fails, and _INPUT if the history is frozen and has another
 * SHA-256. */
void iso_instance_prepare(const iso_lab *lab, iso_instance *instance);

/* Returns the stored facts about a history; NULL: there are none, or they are no JSON. */
json_t *iso_instance_facts(iso_pool *pool, const char *path);

/* Returns whether facts about the history are stored, and fills them in. Makes nothing. */
bool iso_instance_known(const iso_lab *lab, iso_instance *instance);

/* Returns the verdict that the suite expects for this history at this level: `satisfied`, `violated`, or NULL. */
const char *iso_instance_expected(const iso_lab *lab, const iso_suite *suite, const iso_instance *instance,
                                  const char *level);

#endif
