/* See prefix.h. */
#include "shrink/prefix.h"

#include <stdlib.h>

#include "shrink/edit.h"

static int compare_instants(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

int64_t *iso_prefix_instants(iso_pool *pool, const isolab_history *h, uint32_t *n) {
    *n = 0;
    if (h->txn_start == NULL) {
        return NULL;
    }
    int64_t *instant = ISO_NEW(pool, int64_t, h->n_txns);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        if (h->txn_counts[t] == ISO_EXCLUDED) {
            continue;
        }
        if (h->txn_start[t] == ISO_NO_TIME) {
            return NULL;
        }
        instant[(*n)++] = h->txn_start[t];
    }
    qsort(instant, *n, sizeof *instant, compare_instants);
    return instant;
}

const isolab_history *iso_prefix(iso_pool *pool, const isolab_history *h, int64_t instant) {
    uint8_t *no_txn = ISO_NEW(pool, uint8_t, h->n_txns);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        no_txn[t] = h->txn_start[t] == ISO_NO_TIME || h->txn_start[t] > instant;
    }
    iso_edit e = ISO_NO_EDIT;
    e.no_txn = no_txn;
    e.slice = true;
    return iso_edited(pool, h, &e);
}
