/* Compares two sets of results: which questions are answered faster or slower, and whether the difference is more than
 * chance. */
#ifndef ISOLAB_EXPERIMENTS_FIGURES_COMPARE_H
#define ISOLAB_EXPERIMENTS_FIGURES_COMPARE_H

#include <stdio.h>

#include "experiments/figures/cells.h"

/* Prints a line for each question that both sets measured, the most certain differences first, and the geometric mean
 * of the ratios B / A by level and checker. Differences of verdict come first. Says so if both sets are from the same
 * build, and compares nothing if they have the same runs. Returns the number of questions that became significantly
 * slower (ratio at least 1.02, p below 0.05 after Holm's correction) or have other verdicts. */
size_t iso_compare(iso_pool *pool, const iso_cells *a, const iso_cells *b, const char *measure, FILE *out);

#endif
