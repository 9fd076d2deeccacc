/* Verifies the certificates of a file of results by isolab-verify, without running a checker, and counts how many cells
 * of the tables rest on a proof.
 *
 * A cell is the verdict of a checker about a history and a level. It is proved if a valid certificate proves this
 * verdict of this history, by whatever checker; it is refuted if one proves the opposite.
 *
 * The file may come from outside: a certificate counts only if isolab-verify accepts it for the bytes of the history
 * that the row names by SHA-256, for the row's level and the row's verdict. */
#ifndef ISOLAB_EXPERIMENTS_RUNNER_VERIFY_RESULTS_H
#define ISOLAB_EXPERIMENTS_RUNNER_VERIFY_RESULTS_H

#include "experiments/runner/results.h"

typedef struct iso_verify_settings {
    iso_pool *pool;
    iso_results *results;
    const char *verifier;  /* path of isolab-verify */
    const char *generator; /* path of isolab, which makes the histories that are missing; NULL: they stay missing */
    const char *histories; /* folder of the histories */
    unsigned at_once;
    double timeout; /* seconds for each certificate */
    /* Returns why the words of a command may not be run; NULL: they may. They come from the file. */
    const char *(*refuse)(void *arg, const char *const *words);
    void *refuse_arg;
} iso_verify_settings;

/* The cells of a suite, or of all. */
typedef struct iso_verified_suite {
    const char *name;
    size_t cells, proved, refuted, none; /* none: without a valid certificate */
} iso_verified_suite;

enum { ISO_VERIFY_NOTES = 20 };

typedef struct iso_verified {
    size_t certificates, valid, refused, unknown; /* unknown: without its history, or the time was too short */
    iso_verified_suite *suites;                   /* n, and then the sum */
    size_t n;
    const char *note[ISO_VERIFY_NOTES]; /* what is refused, refuted or unknown */
    size_t notes;
    bool contradiction; /* both verdicts of a question were proved: a defect of isolab-verify */
} iso_verified;

void iso_verify_results(const iso_verify_settings *settings, iso_verified *verified);

#endif
