/* What a history was at an instant: its prefix by times.
 *
 * The prefix at an instant has every transaction that began by then. Transactions left out began later, so a read whose
 * transaction had ended by then took nothing from them: it stays. A read of a transaction that was still running may
 * have taken what one of them wrote. It is left out if one of them wrote its value and began before its end. So every
 * read that stays took its value from a transaction of the prefix, and if the whole satisfies lser or sser, then so
 * does the prefix, by the same order (history/rest.h).
 *
 * Other levels ignore time: there a read may have taken a repeated value from a transaction that began after its end. A
 * violation of the prefix is then not one of the whole, but what a client would have found who stopped at that instant.
 * `isolab shrink` takes it if the whole violates the level, too. */
#ifndef ISOLAB_SHRINK_PREFIX_H
#define ISOLAB_SHRINK_PREFIX_H

#include "history/history.h"

/* Returns the starts of the included transactions in increasing order, *n of them; NULL: not all of them have a
 * start, so there are no prefixes. */
int64_t *iso_prefix_instants(iso_pool *pool, const isolab_history *h, uint32_t *n);

/* Returns the prefix at an instant. */
const isolab_history *iso_prefix(iso_pool *pool, const isolab_history *h, int64_t instant);

#endif
