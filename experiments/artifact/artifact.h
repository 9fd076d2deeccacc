/* Artifacts of papers: one file with everything that another person needs to check the results, and the check.
 *
 *   pack.c     puts suites, claims, results with their certificates, histories that no command makes, the source and
 *              the programs into a folder, and the folder into a tar file
 *   predict.c  how long a scale of the suites takes on this machine, and how much memory
 *   check.c    what of a packed artifact differs from its manifest, from this machine, from results measured here */
#ifndef ISOLAB_EXPERIMENTS_ARTIFACT_ARTIFACT_H
#define ISOLAB_EXPERIMENTS_ARTIFACT_ARTIFACT_H

#include <stdio.h>

#include "experiments/runner/results.h"

typedef struct iso_artifact_parts {
    iso_pool *pool;
    const char *program;        /* path of isolab */
    const char *verifier;       /* path of isolab-verify */
    const char *source;         /* folder of isolab's source; NULL: not packed */
    const char *results;        /* folder: NAME.sqlite for each artifact, and histories */
    const char *const *folders; /* n folders of artifacts: NAME with claims.md, run.sh and suites */
    size_t n;
    const iso_lab *lab; /* to expand suites */
} iso_artifact_parts;

/* Writes the artifact to a file, .tar.gz. */
void iso_artifact_pack(const iso_artifact_parts *parts, const char *output);

/* The sum of all runs of a scale of a suite, and the largest peak. */
typedef struct iso_prediction {
    double seconds, mebibytes;
    size_t runs, guessed; /* guessed: of a question without measurements, counted with its time limit */
} iso_prediction;

iso_prediction iso_artifact_predict(const iso_lab *lab, iso_results *results, const char *suite, const char *scale);

/* The name of a file of the artifact that lists the others with their SHA-256. */
#define ISO_MANIFEST "MANIFEST.txt"
#define ISO_MACHINE "MACHINE.txt"

/* Unpacks the artifact into the folder, and compares it with its manifest and with this machine. Prints what differs.
 * Returns the number of files that differ. Sets *root to the folder of the artifact. Nothing of it is run. */
size_t iso_artifact_check(iso_pool *pool, const char *path, const char *folder, const char **root, FILE *out);

/* The lines of MACHINE.txt for this machine and program. */
const char *iso_artifact_machine(iso_pool *pool, const char *program);

/* Calls each(arg, path, relative) for every file below a folder, in the order of their names. Links are an error. */
void iso_artifact_files(iso_pool *pool, const char *folder,
                        void (*each)(void *arg, const char *path, const char *relative), void *arg);

#endif
