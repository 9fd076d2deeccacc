/* List reads of transactions that may or may not count (optional.h). */
#ifndef ISOLAB_CHECKERS_STRONG_LISTS_H
#define ISOLAB_CHECKERS_STRONG_LISTS_H

#include "history/history.h"

/* What such a read shows of others: versions [first, first + length) of h->list_version. */
typedef struct strong_list_part {
    uint32_t first, length;
    uint32_t writer; /* the append that made the last of them; ISO_INIT: there is none */
    uint32_t torn;   /* an append that stands there twice, or without the others of its transaction; ISO_NONE */
} strong_list_part;

/* False: no order makes the read right, by INT. Elements must be unique. Quadratic in the
 * list: such reads are few. */
bool iso_strong_list_judge(const isolab_history *h, uint32_t read, strong_list_part *part);

#endif
