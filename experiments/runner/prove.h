/* The certificates of results: after its measured runs, each verdict about a history and a level is proved once, by a
 * run that is not measured, and the certificate is stored in the file of results (docs/suites.md). So every reader can
 * verify the verdicts without running a checker: prove.c stores, verify_results.h verifies. */
#ifndef ISOLAB_EXPERIMENTS_RUNNER_PROVE_H
#define ISOLAB_EXPERIMENTS_RUNNER_PROVE_H

#include "experiments/runner/door.h"
#include "experiments/runner/results.h"

/* Returns whether a question can have a certificate: published checkers write none. */
bool iso_prove_can(const iso_suite_question *question);

/* Asks for the certificate of a verdict and stores it; does nothing if the results have one already, of any checker,
 * or if this checker was asked before and gave none. */
void iso_prove(iso_pool *pool, iso_results *results, const iso_suite_question *question, int64_t environment,
               int64_t history, const char *verdict);

#endif
