/* Real time of lser in an execution. Each key has a queue: the transactions that access it and have an end, by their end. A
 * transaction may be executed when, for each of its keys, all in the queue that ended before it started are done. Their number
 * is known in advance. The done ones at the beginning of a queue are counted, and a transaction that must wait is in the list of
 * the last place of the queue for which it waits, which is passed once. So real time costs O(1) an access, after the ends were
 * sorted. */
#include <string.h>

#include "base/buckets.h"
#include "base/sort.h"
#include "checkers/mtc/mtc.h"

/* Keys of a mini-transaction: each of them is read. */
#define KEYS MTC_READS

struct mtc_queues {
    uint32_t *first;   /* by key: its queue is [first[x], first[x + 1]) of txn */
    uint32_t *txn;     /* by place */
    uint32_t *waiting; /* by place: the first chain that waits until this place is passed; ISO_NONE: none */
    uint32_t *done;    /* by key: the places of its queue before this one are passed: their transactions are done */
    uint32_t *until;   /* by KEYS t + i: the transaction t may be executed when the places before this one are passed,
                        * of the queue of its key number i */
};

/* Finds the keys of a transaction. Returns their number. */
static uint32_t keys_of(const isolab_history *h, uint32_t t, uint32_t key[KEYS]) {
    uint32_t n = 0;
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        uint32_t x = h->op_key[o];
        if ((n == 0 || key[0] != x) && (n < 2 || key[1] != x)) {
            key[n++] = x;
        }
    }
    return n;
}

static bool has_end(const mtc *m, uint32_t t) { return mtc_in(m, t) && m->h->txn_end[t] != ISO_NO_TIME; }

/* Finds how far each queue must be done for each transaction, in the order of their starts. end: by place. */
static void find_starts(mtc *m, mtc_queues *q, const int64_t *end) {
    const isolab_history *h = m->h;
    uint32_t *by_start = iso_sorted_by(m->pool, h->txn_start, h->n_txns), key[KEYS]; /* ISO_NO_TIME is before all */
    uint32_t *at = ISO_NEW(m->pool, uint32_t, h->n_keys);
    memcpy(at, q->first, h->n_keys * sizeof *at);
    for (uint32_t i = 0; i < h->n_txns; i++) {
        uint32_t t = by_start[i];
        iso_tick(m->pool->env);
        for (uint32_t n = mtc_in(m, t) ? keys_of(h, t, key) : 0; n-- > 0;) {
            uint32_t *place = &at[key[n]];
            while (*place < q->first[key[n] + 1] && end[*place] < h->txn_start[t]) {
                ++*place;
            }
            q->until[KEYS * (size_t)t + n] = *place;
        }
    }
    iso_free(m->pool, by_start);
    iso_free(m->pool, at);
}

static void line_up(mtc *m, mtc_queues *q) {
    const isolab_history *h = m->h;
    iso_buckets rows = iso_buckets_new(m->pool, h->n_keys);
    uint32_t *by_end = iso_sorted_by(m->pool, h->txn_end, h->n_txns), key[KEYS];
    for (uint32_t t = 0; t < h->n_txns; t++) {
        for (uint32_t n = has_end(m, t) ? keys_of(h, t, key) : 0; n-- > 0;) {
            iso_buckets_count(&rows, key[n]);
        }
    }
    uint32_t places = iso_buckets_sum(&rows);
    int64_t *end = ISO_NEW(m->pool, int64_t, places);
    q->txn = ISO_NEW(m->pool, uint32_t, places);
    q->waiting = ISO_NEW_NONE(m->pool, places);
    for (uint32_t i = 0; i < h->n_txns; i++) {
        iso_tick(m->pool->env);
        for (uint32_t n = has_end(m, by_end[i]) ? keys_of(h, by_end[i], key) : 0; n-- > 0;) {
            uint32_t place = iso_buckets_place(&rows, key[n]);
            q->txn[place] = by_end[i];
            end[place] = h->txn_end[by_end[i]];
        }
    }
    q->first = rows.first;
    find_starts(m, q, end);
    iso_free(m->pool, by_end);
    iso_free(m->pool, end);
}

void iso_mtc_queues_start(mtc *m) {
    mtc_queues *q = m->queues = ISO_ZNEW(m->pool, mtc_queues, 1);
    q->until = ISO_NEW(m->pool, uint32_t, KEYS * (size_t)m->h->n_txns);
    line_up(m, q);
    q->done = ISO_NEW(m->pool, uint32_t, m->h->n_keys);
    for (uint32_t x = 0; x < m->h->n_keys; x++) {
        q->done[x] = q->first[x];
    }
}

bool iso_mtc_queues_allow(mtc *m, uint32_t c, uint32_t t) {
    mtc_queues *q = m->queues;
    uint32_t key[KEYS], n = keys_of(m->h, t, key);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t until = q->until[KEYS * (size_t)t + i];
        if (q->done[key[i]] < until) {
            m->also[c] = q->waiting[until - 1];
            q->waiting[until - 1] = c;
            return false;
        }
    }
    return true;
}

static void wake(mtc *m, uint32_t place) {
    for (uint32_t c = m->queues->waiting[place]; c != ISO_NONE; c = m->also[c]) {
        m->ready[m->n_ready++] = c;
    }
    m->queues->waiting[place] = ISO_NONE;
}

void iso_mtc_queues_done(mtc *m, uint32_t t) {
    mtc_queues *q = m->queues;
    uint32_t key[KEYS];
    for (uint32_t n = keys_of(m->h, t, key); n-- > 0;) {
        uint32_t *at = &q->done[key[n]], end = q->first[key[n] + 1];
        while (*at < end && (q->txn[*at] == t || mtc_done(m, q->txn[*at]))) {
            wake(m, (*at)++);
        }
    }
}

void iso_mtc_queues_release(mtc *m) {
    for (uint32_t i = 0; i < m->queues->first[m->h->n_keys]; i++) {
        wake(m, i);
    }
}

uint32_t iso_mtc_queues_before(const mtc *m, uint32_t t, mtc_range of[MTC_READS]) {
    const mtc_queues *q = m->queues;
    uint32_t key[KEYS], n = keys_of(m->h, t, key);
    for (uint32_t i = 0; i < n; i++) {
        of[i] = (mtc_range){key[i], q->done[key[i]], q->until[KEYS * (size_t)t + i]};
    }
    return n;
}

uint32_t iso_mtc_queues_at(const mtc *m, uint32_t place) { return m->queues->txn[place]; }
