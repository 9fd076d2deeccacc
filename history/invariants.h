/* What history.h says about the columns of a finished history, as assertions. */
#ifndef ISOLAB_HISTORY_INVARIANTS_H
#define ISOLAB_HISTORY_INVARIANTS_H

#include "history/history.h"

#ifdef ISOLAB_ASSERT
void iso_history_check(const isolab_history *h); /* linear; ends the process where a column is wrong */
#else
static inline void iso_history_check(const isolab_history *h) { (void)h; }
#endif

#endif
