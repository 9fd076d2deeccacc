/* The small table after `isolab bench`: a row for each family, level and checker. Times are of the answers
 * that count: the median of all runs, with the quartiles if there are several. Families are never pooled. */
#ifndef ISOLAB_EXPERIMENTS_FIGURES_BRIEF_H
#define ISOLAB_EXPERIMENTS_FIGURES_BRIEF_H

#include <stdio.h>

#include "experiments/figures/cells.h"

/* Prints at most `most` rows. Returns the number of rows that were left out. */
size_t iso_brief(iso_pool *pool, const iso_cells *cells, size_t most, FILE *out);

#endif
