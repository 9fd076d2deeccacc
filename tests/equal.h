/* Compares two histories: names, statuses, times and operations as the input had them, in order. A session or
 * transaction without a name equals one with any name, because some formats must number them. Derived data (resolution,
 * counts) and the spelling of the initial value (isolab_history.initial) are not compared. Linear. */
#ifndef ISOLAB_TESTS_EQUAL_H
#define ISOLAB_TESTS_EQUAL_H

#include "history/history.h"

/* Returns whether they are equal. If they are not, and why is not NULL, writes the first difference to why, on one
 * line. */
bool iso_history_equal(const isolab_history *a, const isolab_history *b, char *why, size_t size);

#endif
