/* Real time in an execution. The sweep goes through the times: the present is the earliest end of a transaction that is
 * not done, and a transaction may be executed if it does not start later. The earliest end of a chain comes from minima
 * from its end backwards, and the earliest of all chains from a tree of minima. So a transaction costs O(log k), and no
 * edge joins two transactions. A transaction without an end precedes none, one without a start follows none. */
#include "base/heap.h"
#include "base/sort.h"
#include "checkers/mtc/mtc.h"

#define NEVER INT64_MAX

/* Children of a node of the tree, and a number of levels that is enough for all numbers of chains. */
#define WIDTH 4
#define LEVELS 18

struct mtc_clock {
    int64_t *end;         /* by transaction: the earliest end among it and the later transactions of its chain */
    int64_t *row[LEVELS]; /* the tree: row[0] by chain, the next rows the minima of WIDTH entries */
    unsigned top;         /* the level of the root, which is the present */
    int64_t *start;       /* by waiting chain: the start of its next transaction */
    iso_heap late;        /* the waiting chains, by start */
};

static bool starts_before(const void *context, uint32_t a, uint32_t b) {
    const mtc_clock *k = context;
    return k->start[a] < k->start[b];
}

static int64_t least(const int64_t *entry) {
    int64_t m = entry[0];
    for (int i = 1; i < WIDTH; i++) {
        m = entry[i] < m ? entry[i] : m;
    }
    return m;
}

static void grow_tree(mtc *m, mtc_clock *k) {
    for (size_t n = m->n_chains > 0 ? m->n_chains : 1;; n = (n + WIDTH - 1) / WIDTH) {
        size_t room = (n + WIDTH - 1) / WIDTH * WIDTH;
        int64_t *row = k->row[k->top] = ISO_NEW(m->pool, int64_t, room);
        for (size_t i = 0; i < room; i++) {
            row[i] = NEVER;
            if (k->top > 0 && i < n) {
                row[i] = least(k->row[k->top - 1] + i * WIDTH);
            } else if (k->top == 0 && i < m->n_chains && m->chain_txn[i] < m->chain_txn[i + 1]) {
                row[i] = k->end[m->chain_txn[i]];
            }
        }
        if (n == 1) {
            return;
        }
        k->top++;
    }
}

void iso_mtc_clock_start(mtc *m) {
    const isolab_history *h = m->h;
    mtc_clock *k = ISO_ZNEW(m->pool, mtc_clock, 1);
    m->clock = k;
    k->late.pool = m->pool;
    k->end = ISO_NEW(m->pool, int64_t, h->n_txns);
    k->start = ISO_NEW(m->pool, int64_t, m->n_chains);
    for (uint32_t c = 0; c < m->n_chains; c++) {
        int64_t earliest = NEVER;
        for (uint32_t t = m->chain_txn[c + 1]; t-- > m->chain_txn[c];) {
            iso_tick(m->pool->env);
            bool known = mtc_in(m, t) && h->txn_end[t] != ISO_NO_TIME && h->txn_end[t] < earliest;
            earliest = known ? h->txn_end[t] : earliest;
            k->end[t] = earliest;
        }
    }
    grow_tree(m, k);
}

int64_t iso_mtc_earliest_end(const mtc *m, uint32_t t) { return m->clock->end[t]; }

void iso_mtc_clock_done(mtc *m, uint32_t c, uint32_t t) {
    mtc_clock *k = m->clock;
    int64_t now = t + 1 < m->chain_txn[c + 1] ? k->end[t + 1] : NEVER;
    for (unsigned level = 0;; level++, c /= WIDTH) {
        int64_t before = k->row[level][c];
        k->row[level][c] = now;
        if (level == k->top || before == now || before != k->row[level + 1][c / WIDTH]) {
            return;
        }
        now = least(k->row[level] + c / WIDTH * WIDTH);
    }
}

bool iso_mtc_clock_allows(mtc *m, uint32_t c, uint32_t t) {
    mtc_clock *k = m->clock;
    int64_t start = m->h->txn_start[t]; /* ISO_NO_TIME is before all times */
    if (start <= k->row[k->top][0]) {
        return true;
    }
    k->start[c] = start;
    iso_heap_push(&k->late, c, starts_before, k);
    return false;
}

void iso_mtc_clock_wake(mtc *m) {
    mtc_clock *k = m->clock;
    while (k->late.n > 0 && k->start[k->late.item[0]] <= k->row[k->top][0]) {
        m->ready[m->n_ready++] = iso_heap_pop(&k->late, starts_before, k);
    }
}

void iso_mtc_clock_release(mtc *m) {
    while (m->clock->late.n > 0) {
        m->ready[m->n_ready++] = m->clock->late.item[--m->clock->late.n];
    }
}

uint32_t iso_mtc_clock_first(const mtc *m) {
    const mtc_clock *k = m->clock;
    uint32_t at = 0;
    for (unsigned level = k->top; level-- > 0;) {
        for (at *= WIDTH; k->row[level][at] != k->row[k->top][0];) {
            at++;
        }
    }
    return at;
}

uint32_t *iso_mtc_by_end(const mtc *m, uint32_t *n) {
    const isolab_history *h = m->h;
    uint32_t *txn = iso_sorted_by(m->pool, h->txn_end, h->n_txns);
    *n = 0;
    for (uint32_t i = 0; i < h->n_txns; i++) {
        uint32_t t = txn[i];
        if (mtc_in(m, t) && !mtc_done(m, t) && h->txn_end[t] != ISO_NO_TIME) {
            txn[(*n)++] = t;
        }
    }
    return txn;
}
