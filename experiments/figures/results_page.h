/* A page about a file of results: what was asked, where checkers disagree, pictures of times and memory, and a table of
 * all answers that can be sorted and searched. */
#ifndef ISOLAB_EXPERIMENTS_FIGURES_RESULTS_PAGE_H
#define ISOLAB_EXPERIMENTS_FIGURES_RESULTS_PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/env.h"

/* label: of the environment; NULL: the newest. */
void iso_results_page(iso_pool *pool, const char *path, const char *label, FILE *out);
bool iso_is_results(const char *path); /* whether a file begins as one; a pipe does not */

#endif
