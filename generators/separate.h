/* Separators: histories that satisfy one level and violate another. */
#ifndef ISOLAB_GENERATORS_SEPARATE_H
#define ISOLAB_GENERATORS_SEPARATE_H

#include "history/history.h"
#include "history/level.h"

/* For each pair of levels the smallest history found that satisfies the first and violates the second: fewest
 * transactions, then fewest operations. */
typedef struct iso_separators {
    isolab_history *h[ISO_MOST_LEVELS][ISO_MOST_LEVELS]; /* [satisfied][violated]; NULL: none */
    uint64_t histories;                                  /* number of histories examined */
} iso_separators;

/* Returns whether such a history exists: not if `satisfied` implies `violated`. */
bool iso_separable(iso_level satisfied, iso_level violated);

/* Exhaustive search over all histories of 1, 2, 3 or 4 transactions on two keys, with at most 3, 3, 2 and 1 operations
 * in each transaction (and every order in which two transactions may follow each other in time, for lser and sser),
 * decided by brute. It searches only for pairs in wanted[satisfied] (sets of levels), and ends when all of them are
 * found and no smaller history can follow. The histories belong to `keep`. */
void iso_separate(iso_pool *keep, const iso_levels wanted[ISO_MOST_LEVELS], iso_separators *found);

/* Random search: histories of n_txns transactions (of more, once in a thousand tries); then, if `shrink`, without every
 * transaction and operation that can be left out. NULL: none found in this number of tries. */
isolab_history *iso_separate_randomly(iso_pool *keep, iso_level satisfied, iso_level violated, uint64_t n_txns,
                                      uint64_t seed, uint64_t tries, bool shrink);

#endif
