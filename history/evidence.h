/* What a history can tell at all, apart from what it tells. */
#ifndef ISOLAB_HISTORY_EVIDENCE_H
#define ISOLAB_HISTORY_EVIDENCE_H

#include "history/history.h"

/* Does some transaction that takes part have a start, and some an end? Else real time orders none. */
bool iso_orders_in_time(const isolab_history *h);

#endif
