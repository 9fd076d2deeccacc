/* Stage `keys`: a history of transactions of one key each is decided key by key (calls.h). */
#define _GNU_SOURCE
#include <stdlib.h>

#include "checkers/strong/calls.h"
#include "checkers/strong/strong.h"

/* The most writers that reads of repeated values may have between them, for the stages below to show why a history is
 * violated. */
#define MOST_CANDIDATES 20000000u

/* ---- the order of all keys ---- */

static int compare_places(const void *x, const void *y) {
    const strong_call *a = x, *b = y;
    return (a->place > b->place) - (a->place < b->place);
}

static int compare_points(const void *x, const void *y, void *of) {
    const strong_call *call = of;
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return call[a].point != call[b].point ? (call[a].point < call[b].point ? -1 : 1) : (a > b) - (a < b);
}

/* The operations of a call from each read's writer on: notes them, and marks a call that another one reads from. */
static void read_writers(strong_calls *c, strong_call *call, uint32_t *last, uint32_t *from) {
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
static void leave_out(strong_calls *c, uint32_t first, uint32_t end, const uint32_t *from, uint8_t *used) {
    const isolab_history *h = c->h;
    for (uint32_t i = end; i-- > first;) {
        strong_call *call = &c->call[i];
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

/* Sorts the calls of a key by their places, and says what each of its reads read from. */
static void settle_key(strong_calls *c, uint32_t first, uint32_t end, uint32_t *from, uint8_t *used) {
    qsort(c->call + first, end - first, sizeof *c->call, compare_places); /* the ones without a place come last */
    for (int turn = 0; turn < 2; turn++) {
        uint32_t last = ISO_INIT;
        for (uint32_t i = first; i < end; i++) {
            if (c->call[i].place != ISO_NONE) {
                read_writers(c, &c->call[i], &last, from);
            }
        }
        if (turn == 0) {
            leave_out(c, first, end, from, used);
        }
    }
}

/* A call happens at the latest start among itself and the calls of its key before it. */
static void write_order(strong *s, strong_calls *c) {
    const isolab_history *h = s->h;
    iso_result *result = s->result;
    uint32_t *from = ISO_NEW_NONE(result->pool, h->n_ops), *order = ISO_NEW(c->pool, uint32_t, c->n), n = 0;
    uint8_t *used = ISO_ZNEW(c->pool, uint8_t, h->n_txns);
    for (uint32_t k = 0; k <= h->n_keys; k++) {
        int64_t point = INT64_MIN;
        uint32_t first = c->key_first[k], end = c->key_first[k + 1];
        if (k < h->n_keys && first < end) {
            settle_key(c, first, end, from, used);
        }
        for (uint32_t i = first; i < end; i++) {
            strong_call *call = &c->call[i];
            point = call->start > point || k == h->n_keys ? call->start : point;
            call->point = point;
            if (call->place != ISO_NONE || k == h->n_keys) {
                order[n++] = i;
            }
        }
    }
    qsort_r(order, n, sizeof *order, compare_points, c->call);
    result->order = ISO_NEW(result->pool, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        result->order[i] = c->call[order[i]].txn;
    }
    result->n_order = n;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        from[o] = h->op_writer[o] == ISO_MANY ? from[o] : ISO_NONE;
    }
    result->read_from = h->unique ? NULL : from;
}

/* ---- the stage ---- */

/* How many writers all reads of repeated values may have read from. */
static uint64_t candidates(const isolab_history *h) {
    uint64_t sum = 0;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        uint32_t n = 0;
        if (h->op_kind[o] == ISO_READ && h->op_writer[o] == ISO_MANY) {
            iso_writers(h, h->op_version[o], &n);
        }
        sum += n;
    }
    return sum;
}

typedef struct deciding {
    strong *s;
    iso_pool *pool;
    isolab_verdict verdict;
} deciding;

static void decide(void *arg) {
    deciding *d = arg;
    strong *s = d->s;
    strong_calls c;
    if (!iso_strong_calls_build(&c, d->pool, s->h)) {
        return;
    }
    strong_linear answer = STRONG_LINEAR;
    uint64_t steps = 0;
    for (uint32_t k = 0; k < s->h->n_keys && answer == STRONG_LINEAR; k++) {
        answer = iso_strong_linear(&c, c.key_first[k], c.key_first[k + 1], s->request->certificate, &steps);
    }
    iso_result_counter(s->result, "configurations", steps);
    d->verdict = answer == STRONG_LINEAR       ? ISOLAB_SATISFIED
                 : answer == STRONG_NOT_LINEAR ? ISOLAB_VIOLATED
                                               : ISOLAB_UNKNOWN;
    if (answer == STRONG_LINEAR && s->request->certificate) {
        write_order(s, &c);
    }
}

isolab_verdict iso_strong_keys(strong *s) {
    if (!iso_level_is_timed(s->level) || s->h->txn_start == NULL) {
        return ISOLAB_UNKNOWN;
    }
    iso_pool pool;
    iso_pool_init(&pool, s->pool->env);
    deciding d = {.s = s, .pool = &pool, .verdict = ISOLAB_UNKNOWN};
    iso_guard_pool(&pool, decide, &d);
    if (d.verdict != ISOLAB_VIOLATED) {
        return d.verdict;
    }
    s->result->verdict = ISOLAB_VIOLATED; /* whatever limit is reached from here on */
    s->decided = true;
    return candidates(s->h) > MOST_CANDIDATES ? iso_strong_without_reason(s) : ISOLAB_UNKNOWN;
}

isolab_verdict iso_strong_without_reason(strong *s) {
    iso_result_anomaly(s->result, (iso_anomaly){.kind = ISO_A_NO_ORDER, .op = ISO_NONE, .other_op = ISO_NONE});
    return ISOLAB_VIOLATED;
}
