/* The order of all calls, from the orders of their keys. See linear.h. */
#define _GNU_SOURCE
#include <stdlib.h>

#include "linear/linear.h"

static int compare_places(const void *x, const void *y) {
    const iso_call *a = x, *b = y;
    return (a->place > b->place) - (a->place < b->place);
}

static int compare_points(const void *x, const void *y, void *of) {
    const iso_call *call = of;
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return call[a].point != call[b].point ? (call[a].point < call[b].point ? -1 : 1) : (a > b) - (a < b);
}

/* Sets the write that each read of a call reads from. last: the last write of the key before the call; receives the
 * last one after it. */
static void read_writers(iso_calls *c, iso_call *call, uint32_t *last, uint32_t *from) {
    const isolab_history *h = c->h;
    uint32_t own = *last;
    for (uint32_t o = h->txn_op[call->txn]; o < h->txn_op[call->txn + 1]; o++) {
        if (h->op_kind[o] == ISO_WRITE) {
            own = o;
        } else {
            from[o] = own;
        }
    }
    *last = own;
}

/* Leaves out the optional calls of a key that no call reads from, directly or through others. used: by transaction. */
static void leave_out(iso_calls *c, uint32_t first, uint32_t end, const uint32_t *from, uint8_t *used) {
    const isolab_history *h = c->h;
    for (uint32_t i = end; i-- > first;) {
        iso_call *call = &c->call[i];
        if (call->place == ISO_NONE || (call->optional && !used[call->txn])) {
            call->place = ISO_NONE;
            continue;
        }
        for (uint32_t o = h->txn_op[call->txn]; o < h->txn_op[call->txn + 1]; o++) {
            if (h->op_kind[o] == ISO_READ && from[o] != ISO_INIT) {
                used[h->op_txn[from[o]]] = 1;
            }
        }
    }
}

/* Sorts the calls of a key by their places, and sets the write that each of their reads reads from. */
static void settle_key(iso_calls *c, uint32_t first, uint32_t end, uint32_t *from, uint8_t *used) {
    qsort(c->call + first, end - first, sizeof *c->call, compare_places); /* the ones without a place come last */
    uint32_t last = ISO_INIT;
    for (uint32_t i = first; i < end; i++) {
        if (c->call[i].place != ISO_NONE) {
            read_writers(c, &c->call[i], &last, from);
        }
    }
    leave_out(c, first, end, from, used); /* the others read from the same writes without these */
}

uint32_t *iso_linear_order(iso_calls *c, iso_pool *pool, uint32_t *n, uint32_t **read_from) {
    const isolab_history *h = c->h;
    uint32_t *from = ISO_NEW_NONE(pool, h->n_ops), *order = ISO_NEW(pool, uint32_t, c->n);
    uint8_t *used = ISO_ZNEW(c->pool, uint8_t, h->n_txns);
    *n = 0;
    for (uint32_t k = 0; k <= h->n_keys; k++) {
        int64_t point = INT64_MIN;
        uint32_t first = c->key_first[k], end = c->key_first[k + 1];
        if (k < h->n_keys && first < end) {
            settle_key(c, first, end, from, used);
        }
        for (uint32_t i = first; i < end; i++) {
            iso_call *call = &c->call[i];
            point = call->start > point || k == h->n_keys ? call->start : point;
            call->point = point;
            if (call->place != ISO_NONE || k == h->n_keys) {
                order[(*n)++] = i;
            }
        }
    }
    qsort_r(order, *n, sizeof *order, compare_points, c->call);
    for (uint32_t i = 0; i < *n; i++) {
        order[i] = c->call[order[i]].txn;
    }
    *read_from = h->unique ? NULL : from;
    return order;
}
