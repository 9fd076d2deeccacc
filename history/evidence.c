/* See evidence.h. */
#include "history/evidence.h"

bool iso_orders_in_time(const isolab_history *h) {
    bool start = false, end = false;
    for (uint32_t t = 0; h->txn_start != NULL && t < h->n_txns && !(start && end); t++) {
        if (h->txn_counts[t] != ISO_OUT) {
            start |= h->txn_start[t] != ISO_NO_TIME;
            end |= h->txn_end[t] != ISO_NO_TIME;
        }
    }
    return start && end;
}
