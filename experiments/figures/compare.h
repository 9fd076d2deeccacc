/* Two sets of results side by side: which questions are answered faster now, and is the difference more than chance? */
#ifndef ISOLAB_EXPERIMENTS_FIGURES_COMPARE_H
#define ISOLAB_EXPERIMENTS_FIGURES_COMPARE_H

#include <stdio.h>

#include "experiments/figures/cells.h"

/* Says so where both are the same build, and compares nothing where they are the same runs. Prints a line a question that both have measured, the most certain differences first, and the geometric mean of the
 * ratios B / A by level and checker. Differences of verdict come before everything. Returns how many questions got
 * significantly slower (ratio at least 1.02, p below 0.05 after Holm's correction) or other verdicts. */
size_t iso_compare(iso_pool *pool, const iso_cells *a, const iso_cells *b, const char *measure, FILE *out);

#endif
