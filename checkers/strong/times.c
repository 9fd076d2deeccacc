/* lser: edges of real time between transactions that access a common key.
 *
 * For each key, an edge leads to a transaction s from each transaction that ended before s started, except where it follows from
 * others: let z be the one of them that started last. The ones that ended before z started are before z, and z is before s.
 * So the others all ran when z started, and their number is at most that of the sessions if clocks are right. Of one
 * session only the last one has an edge. O(n c) for n operations and c such transactions. */
#include <stdlib.h>

#include "base/buckets.h"
#include "checkers/strong/order.h"

/* A transaction that accesses the key and has an end. */
typedef struct ended {
    int64_t end, latest; /* latest: the latest start among the transactions up to this one, by their end */
    uint32_t t;
} ended;

typedef struct times {
    strong_order *o;
    const strong_model *m;
    iso_pool *pool;
    iso_buckets rows; /* by key: the transactions that access it, in increasing order */
    uint32_t *txn;
    ended *by_end; /* of one key */
    uint32_t n_ended;
    uint32_t *last; /* by chain: the last transaction with an edge to the current one; ISO_NONE: none */
} times;

static void list_accesses(times *w) {
    const strong_model *m = w->m;
    const isolab_history *h = m->h;
    w->rows = iso_buckets_new(w->pool, h->n_keys);
    for (int fill = 0; fill < 2; fill++) {
        uint32_t *seen = ISO_NEW_NONE(w->pool, h->n_keys); /* by key: the last transaction that accesses it */
        for (uint32_t t = 0; t < m->n_txns; t++) {
            iso_tick(w->pool->env);
            for (uint32_t o = h->txn_op[m->txn[t]]; o < h->txn_op[m->txn[t] + 1]; o++) {
                uint32_t x = h->op_key[o];
                if (seen[x] == t) {
                    continue;
                }
                seen[x] = t;
                if (fill) {
                    w->txn[iso_buckets_place(&w->rows, x)] = t;
                } else {
                    iso_buckets_count(&w->rows, x);
                }
            }
        }
        iso_free(w->pool, seen);
        if (!fill) {
            w->txn = ISO_NEW(w->pool, uint32_t, iso_buckets_sum(&w->rows));
        }
    }
}

static int compare_ends(const void *a, const void *b) {
    const ended *x = a, *y = b;
    return x->end != y->end ? (x->end > y->end) - (x->end < y->end) : (x->t > y->t) - (x->t < y->t);
}

/* Sorts the transactions of a key by their ends. */
static void sort_ends(times *w, uint32_t key) {
    const strong_model *m = w->m;
    int64_t latest = ISO_NO_TIME;
    w->n_ended = 0;
    for (uint32_t i = w->rows.first[key]; i < w->rows.first[key + 1]; i++) {
        uint32_t t = w->txn[i];
        int64_t end = t < m->n_included ? m->h->txn_end[m->txn[t]] : ISO_NO_TIME;
        if (end != ISO_NO_TIME) {
            w->by_end[w->n_ended++] = (ended){end, 0, t};
        }
    }
    qsort(w->by_end, w->n_ended, sizeof *w->by_end, compare_ends);
    for (uint32_t i = 0; i < w->n_ended; i++) {
        int64_t start = m->h->txn_start[m->txn[w->by_end[i].t]];
        latest = start > latest ? start : latest;
        w->by_end[i].latest = latest;
    }
}

/* Returns the number of transactions of the key that ended before a time. */
static uint32_t ended_before(const times *w, int64_t time) {
    uint32_t low = 0, high = w->n_ended;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (w->by_end[middle].end < time) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Adds the edges to a transaction that starts when the first n have ended. */
static void add_edges(times *w, uint32_t to, uint32_t n) {
    const strong_model *m = w->m;
    uint32_t first = n;
    while (first > 0 && w->by_end[first - 1].end >= w->by_end[n - 1].latest) {
        iso_tick(w->pool->env);
        uint32_t t = w->by_end[--first].t, *last = &w->last[m->chain[t]];
        *last = *last == ISO_NONE || t > *last ? t : *last;
    }
    for (uint32_t i = first; i < n; i++) {
        uint32_t t = w->by_end[i].t, *last = &w->last[m->chain[t]];
        bool known = m->chain[t] == m->chain[to] && t < to; /* by session order */
        if (*last == t && !known) {
            iso_strong_add_edge(w->o, (strong_edge){.from = strong_commit(m, t),
                                                    .to = strong_start(m, to),
                                                    .op = ISO_NONE,
                                                    .slot = ISO_NONE,
                                                    .kind = ISO_EDGE_RT});
        }
    }
    for (uint32_t i = first; i < n; i++) {
        w->last[m->chain[w->by_end[i].t]] = ISO_NONE;
    }
}

void iso_strong_add_times(strong_order *o) {
    const strong_model *m = o->m;
    const isolab_history *h = m->h;
    if (m->level != ISO_LSER || h->txn_start == NULL || m->n_txns == 0) {
        return;
    }
    times w = {.o = o, .m = m, .pool = o->pool};
    list_accesses(&w);
    w.by_end = ISO_NEW(w.pool, ended, m->n_txns);
    w.last = ISO_NEW_NONE(w.pool, m->k);
    for (uint32_t x = 0; x < h->n_keys; x++) {
        sort_ends(&w, x);
        for (uint32_t i = w.rows.first[x]; i < w.rows.first[x + 1]; i++) {
            int64_t start = h->txn_start[m->txn[w.txn[i]]];
            uint32_t n = start == ISO_NO_TIME ? 0 : ended_before(&w, start);
            if (n > 0) {
                add_edges(&w, w.txn[i], n);
            }
        }
    }
    iso_free(w.pool, w.rows.first);
    iso_free(w.pool, w.txn);
    iso_free(w.pool, w.by_end);
    iso_free(w.pool, w.last);
}
