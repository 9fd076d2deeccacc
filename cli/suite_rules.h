/* Rules for suites, which may not be trusted: a suite names only checkers that exist, writes nothing except results,
 * and records only databases that isolab starts or opens itself. */
#ifndef ISOLAB_CLI_SUITE_RULES_H
#define ISOLAB_CLI_SUITE_RULES_H

#include "cli/command.h"
#include "experiments/runner/lab.h"
#include "experiments/runner/suite.h"

/* Throws ISOLAB_E_INPUT or _USAGE if the suite breaks these rules. plan: it will not be run, so the adapters of its
 * published checkers need not be known. */
void iso_cli_know_suite(iso_cli *cli, const iso_lab *lab, const iso_suite *suite, bool plan);

#endif
