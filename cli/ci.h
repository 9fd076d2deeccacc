/* Files for continuous integration: JUnit XML, in which a history is a suite and a level a case, and SARIF, in which an
 * anomaly is a result at the lines of its transactions. */
#ifndef ISOLAB_CLI_CI_H
#define ISOLAB_CLI_CI_H

#include "base/json.h"
#include "base/print.h"
#include "cli/answer.h"
#include "cli/command.h"

typedef struct iso_ci {
    iso_env *env;
    iso_printer junit; /* without a file: not requested */
    iso_json sarif;
} iso_ci;

/* Opens the files (NULL: none) and writes their heads. Throws ISOLAB_E_IO. */
void iso_ci_begin(iso_ci *ci, iso_env *env, const char *junit, const char *sarif);
/* Writes the answers about a history; most: the limit of anomalies. */
void iso_ci_history(iso_ci *ci, const char *path, const isolab_history *h, const iso_answer *const *answer, size_t n,
                    uint64_t most);
/* Writes that a history could not be read. */
void iso_ci_failed(iso_ci *ci, const char *path, const isolab_error *error);
void iso_ci_end(iso_ci *ci);

#endif
