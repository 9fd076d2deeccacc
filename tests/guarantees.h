/* The session guarantees by their definitions, apart from any checker: is there a commit order in which every read of
 * some transactions obeys one of them? The edges of a graph are the orders that must hold, and the guarantee holds if
 * the graph has no cycle. */
#ifndef ISOLAB_TESTS_GUARANTEES_H
#define ISOLAB_TESTS_GUARANTEES_H

#include "history/history.h"

/* Is it the name of an anomaly that breaks a session guarantee? */
bool iso_is_guarantee(const char *name);

/* Of the transactions of a history of unique values that are marked in `in`. All of them are included. */
bool iso_guarantee_kept(const isolab_history *h, const uint8_t *in, const char *name);

#endif
