/* Further anomalies, for a checker that finds only one at a time: the anomaly's transactions are left out, and the rest
 * of the history (history/rest.h) is checked, again and again, until the rest satisfies the level.
 *
 * If the anomaly is a cycle, its transactions are left out, so no two cycles share a transaction. If it is a read that
 * offends by itself, the read (and the read that it contradicts) is left out, so its transaction may occur again. An
 * anomaly that shares transactions with an earlier one may not be found. An anomaly of the rest is also one of the
 * whole history; it gets the numbers of the whole, and so does its proof. */
#ifndef ISOLAB_CHECKERS_FURTHER_H
#define ISOLAB_CHECKERS_FURTHER_H

#include "checkers/ladder.h"

/* Adds further anomalies to an answer about the level of the question that has the first one, up to the limit of the
 * question, and sets a->rest. If a limit ends the search, the anomalies found so far stay. On the ladder the search may
 * take about as long as the first anomaly took. */
void iso_find_further(iso_asker *asker, iso_answer *a);

#endif
