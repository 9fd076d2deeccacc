/* The writes that a read may have got its value from, by read consistency alone. */
#ifndef ISOLAB_HISTORY_POSSIBLE_H
#define ISOLAB_HISTORY_POSSIBLE_H

#include "history/history.h"

/* Returns, one call after another, the writes that a read may have got its value from (for a list: the write of the
 * last element that the reader did not append), or ISO_INIT. *at is 0 at the first call. any: whatever INT says, as at
 * ci. ISO_NONE: no more. */
uint32_t iso_next_possible(const isolab_history *h, bool any, uint32_t read, uint32_t *at);

/* Returns the transaction of the only possible write, or ISO_INIT; ISO_NONE: there are none or several. */
uint32_t iso_sure_writer(const isolab_history *h, uint32_t read);

#endif
