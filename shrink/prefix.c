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

/* Returns whether a transaction that is left out may have written a version that transaction t read. */
static bool may_be_gone(const isolab_history *h, const uint8_t *out, uint32_t version, uint32_t t) {
    uint32_t n;
    const uint32_t *writer = iso_writers(h, version, &n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t w = h->op_txn[writer[i]];
        if (out[w] && !iso_before_in_time(h, t, w)) {
            return true;
        }
    }
    return false;
}

static bool is_unsure(const isolab_history *h, const uint8_t *out, uint32_t op) {
    uint32_t t = h->op_txn[op], list = h->op_version[op];
    if (h->op_kind[op] == ISO_READ) {
        return may_be_gone(h, out, list, t);
    }
    for (uint32_t e = h->list_first[list]; e < h->list_first[list + 1]; e++) {
        if (may_be_gone(h, out, h->list_version[e], t)) {
            return true;
        }
    }
    return false;
}

const isolab_history *iso_prefix(iso_pool *pool, const isolab_history *h, int64_t instant) {
    uint8_t *no_txn = ISO_ZNEW(pool, uint8_t, h->n_txns), *no_op = ISO_ZNEW(pool, uint8_t, h->n_ops);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        no_txn[t] = h->txn_start[t] == ISO_NO_TIME || h->txn_start[t] > instant;
    }
    for (uint32_t o = 0; o < h->n_ops; o++) {
        uint32_t t = h->op_txn[o];
        bool ended = h->txn_end[t] != ISO_NO_TIME && h->txn_end[t] <= instant;
        no_op[o] = !no_txn[t] && !ended && !iso_is_write(h->op_kind[o]) && is_unsure(h, no_txn, o);
    }
    iso_edit e = ISO_NO_EDIT;
    e.no_txn = no_txn;
    e.no_op = no_op;
    return iso_edited(pool, h, &e);
}
