/* Do two histories say the same? Names, statuses, times and operations are compared as the input had them, in
 * order. A session or transaction without a name equals one of any name: a format may have to number it. What
 * is derived (resolution, counts) and how the initial value was spelled (isolab_history.initial) are not
 * compared. Linear. */
#ifndef ISOLAB_HISTORY_EQUAL_H
#define ISOLAB_HISTORY_EQUAL_H

#include "history/history.h"

/* Where they differ first goes to why, one line, if why is not NULL. */
bool iso_history_equal(const isolab_history *a, const isolab_history *b, char *why, size_t size);

#endif
