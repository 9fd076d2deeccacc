/* Further anomalies, where a checker finds only one at a time: the anomaly's transactions are left out, and the rest of
 * the history (history/rest.h) is checked, again and again, until the rest satisfies the level.
 *
 * Of an anomaly that is a cycle, the transactions of the cycle are left out, so no two cycles share a transaction. Of a
 * read that offends by itself the read is left out (and the read that it contradicts), so its transaction may occur
 * again. Anomalies that share transactions with the ones that were found may remain unfound. What is found of the rest
 * is translated to the numbers of the whole history, where it holds as well, with its proof. */
#ifndef ISOLAB_CHECKERS_FURTHER_H
#define ISOLAB_CHECKERS_FURTHER_H

#include "checkers/ladder.h"

/* Adds further anomalies to an answer about the level of the question that has the first one, up to the limit of the
 * question, and sets a->rest. If a limit ends the search, the anomalies found so far stay. On the ladder the search may
 * take about as long as the first anomaly took. */
void iso_find_further(iso_asker *asker, iso_answer *a);

#endif
