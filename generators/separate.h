/* Separators: histories that satisfy one level and violate another. */
#ifndef ISOLAB_GENERATORS_SEPARATE_H
#define ISOLAB_GENERATORS_SEPARATE_H

#include "history/history.h"
#include "history/level.h"

/* For each pair of levels the smallest history found that satisfies the first one and violates the second:
 * fewest transactions, then fewest operations. */
typedef struct iso_separators {
    isolab_history *h[ISO_LEVELS][ISO_LEVELS]; /* [satisfied][violated]; NULL: none */
    uint64_t histories;                        /* looked at */
} iso_separators;

/* Is there any such history? Not where satisfied implies violated. */
bool iso_separable(iso_level satisfied, iso_level violated);

/* Exhaustive search over all histories of 1, 2, 3, 4 transactions on two keys, of at most 3, 3, 2, 1 operations each
 * (and every way in which the two transactions of a pair may follow each other in time, for sser), decided by
 * the checker that enumerates the definitions. Only pairs in wanted[satisfied] (sets of levels) are searched
 * for; it ends when all of them are found and no smaller ones can come. The histories belong to keep. */
void iso_separate(iso_pool *keep, const iso_levels wanted[ISO_LEVELS], iso_separators *found);

/* Random search: histories of n_txns transactions (of more than one in a thousand tries), then (shrink) without every
 * transaction and operation that can be left out. NULL: none was found in that number of tries. */
isolab_history *iso_separate_randomly(iso_pool *keep, iso_level satisfied, iso_level violated, uint64_t n_txns,
                                      uint64_t seed, uint64_t tries, bool shrink);

#endif
