/* Real time of lser in an execution. Each key has a queue: the transactions that access it and have an end, by their
 * end. A transaction may be executed when, for each of its keys, all in the queue that ended before it started are
 * done. Their number is known in advance: it is searched for when the queue is made. The done ones at the beginning of
 * a queue are counted, and a transaction that must wait is in the list of the last place of the queue for which it
 * waits, which is passed once. So real time costs O(1) an access, after the ends were sorted. */
#include <string.h>

#include "base/bisect.h"
#include "base/buckets.h"
#include "base/sort.h"
#include "checkers/mtc/mtc.h"

/* Keys of a mini-transaction: each of them is read. */
#define KEYS MTC_READS

/* Number of later transactions, by their ends, that are prefetched. */
#define AHEAD 16

/* A key of a transaction, which may be executed when the places before `until` of this key's queue are passed. */
typedef struct mtc_access {
    uint32_t key, until; /* key: ISO_NONE: there are no more */
} mtc_access;

struct mtc_queues {
    uint32_t *first;    /* by key: its queue is [first[x], first[x + 1]) of txn */
    uint32_t *txn;      /* by place */
    uint32_t *waiting;  /* by place: the first chain that waits until this place is passed; ISO_NONE: none */
    uint32_t *done;     /* by key: the places of its queue before this one are passed: their transactions are done */
    mtc_access *access; /* by KEYS t + i: the keys of transaction t */
};

static bool has_end(const mtc *m, uint32_t t) { return mtc_in(m, t) && m->h->txn_end[t] != ISO_NO_TIME; }

static mtc_access *first_access(const mtc_queues *q, uint32_t t) { return q->access + KEYS * (size_t)t; }

/* Returns the number of keys of a transaction. */
static uint32_t count_keys(const mtc_access *a) { return a[0].key == ISO_NONE ? 0 : a[1].key == ISO_NONE ? 1 : 2; }

/* Finds the keys of all transactions. Counts accesses that have an end by key. */
static void find_keys(mtc *m, mtc_queues *q, iso_buckets *rows) {
    const isolab_history *h = m->h;
    q->access = ISO_NEW(m->pool, mtc_access, KEYS * (size_t)h->n_txns);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        mtc_access *a = first_access(q, t);
        a[0].key = a[1].key = ISO_NONE;
        iso_tick(m->pool->env);
        for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1] && mtc_in(m, t); o++) {
            uint32_t x = h->op_key[o];
            a[a[0].key != ISO_NONE && a[0].key != x].key = x;
        }
        for (uint32_t n = has_end(m, t) ? count_keys(a) : 0; n-- > 0;) {
            iso_buckets_count(rows, a[n].key);
        }
    }
}

/* Returns the first of the places [first, last) whose end is not before a start, searched from the last one on, in
 * steps that double: few transactions of a key overlap. */
static uint32_t places_before(const int64_t *end, uint32_t first, uint32_t last, int64_t start) {
    uint32_t low = last, step = 1;
    while (low > first && end[low - 1] >= start) { /* the places from `last` on do not count */
        last = low - 1;
        low = low - first > step ? low - step : first;
        step *= 2;
    }
    return ISO_BISECT(i, low, last, end[i] < start);
}

/* Puts the transactions into the queues of their keys, and finds how far each queue must be done for each of them. */
static void line_up(mtc *m, mtc_queues *q) {
    const isolab_history *h = m->h;
    iso_buckets rows = iso_buckets_new(m->pool, h->n_keys);
    find_keys(m, q, &rows);
    uint32_t *by_end = iso_sorted_by(m->pool, h->txn_end, h->n_txns);
    uint32_t places = iso_buckets_sum(&rows);
    int64_t *end = ISO_NEW(m->pool, int64_t, places);
    q->txn = ISO_NEW(m->pool, uint32_t, places);
    q->waiting = ISO_NEW_NONE(m->pool, places);
    memcpy(q->done, rows.first + 1, h->n_keys * sizeof *q->done); /* where each queue begins */
    for (uint32_t i = 0; i < h->n_txns; i++) {
        uint32_t t = by_end[i], later = by_end[i + AHEAD < h->n_txns ? i + AHEAD : i];
        mtc_access *a = first_access(q, t);
        iso_tick(m->pool->env);
        __builtin_prefetch(first_access(q, later), 1);
        __builtin_prefetch(&h->txn_start[later]);
        __builtin_prefetch(&h->txn_end[later]);
        for (uint32_t n = has_end(m, t) ? count_keys(a) : 0; n-- > 0;) {
            uint32_t place = iso_buckets_place(&rows, a[n].key);
            q->txn[place] = t;
            end[place] = h->txn_end[t];
            a[n].until = places_before(end, q->done[a[n].key], place, h->txn_start[t]); /* ISO_NO_TIME is before all */
        }
    }
    q->first = rows.first;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        mtc_access *a = first_access(q, t);
        for (uint32_t n = has_end(m, t) ? 0 : count_keys(a); n-- > 0;) {
            uint32_t x = a[n].key;
            a[n].until = places_before(end, q->first[x], q->first[x + 1], h->txn_start[t]);
        }
    }
    iso_free(m->pool, by_end);
    iso_free(m->pool, end);
}

void iso_mtc_queues_start(mtc *m) {
    mtc_queues *q = m->queues = ISO_ZNEW(m->pool, mtc_queues, 1);
    q->done = ISO_NEW(m->pool, uint32_t, m->h->n_keys);
    line_up(m, q);
}

void iso_mtc_queues_fetch(const mtc *m, uint32_t t) {
    const mtc_queues *q = m->queues;
    const mtc_access *a = first_access(q, t);
    for (uint32_t n = count_keys(a); n-- > 0;) {
        __builtin_prefetch(&q->txn[q->done[a[n].key]]);
        __builtin_prefetch(&q->waiting[q->done[a[n].key]], 1);
    }
}

bool iso_mtc_queues_allow(mtc *m, uint32_t c, uint32_t t) {
    mtc_queues *q = m->queues;
    const mtc_access *a = first_access(q, t);
    for (uint32_t n = count_keys(a), i = 0; i < n; i++) {
        if (q->done[a[i].key] < a[i].until) {
            m->also[c] = q->waiting[a[i].until - 1];
            q->waiting[a[i].until - 1] = c;
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
    const mtc_access *a = first_access(q, t);
    for (uint32_t n = count_keys(a); n-- > 0;) {
        uint32_t *at = &q->done[a[n].key], end = q->first[a[n].key + 1];
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
    const mtc_access *a = first_access(q, t);
    uint32_t n = count_keys(a);
    for (uint32_t i = 0; i < n; i++) {
        of[i] = (mtc_range){a[i].key, q->done[a[i].key], a[i].until};
    }
    return n;
}

uint32_t iso_mtc_queues_at(const mtc *m, uint32_t place) { return m->queues->txn[place]; }
