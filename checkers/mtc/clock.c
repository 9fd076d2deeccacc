/* Real time in an execution. The sweep goes through the times: the present is the earliest end of a transaction that is
 * not done, and a transaction may be executed if it does not start later. The earliest end of a chain comes from minima
 * from its end backwards, and the earliest of all chains from a tree of minima. So a transaction costs O(log k), and no
 * edge joins two transactions. A transaction without an end precedes none, one without a start follows none. */
#include "base/sort.h"
#include "checkers/mtc/mtc.h"

#define NEVER INT64_MAX

/* Number of children of a node of a tree, and of levels: enough for any number of chains. */
#define WIDTH 8
#define LEVELS 18

/* A tree of minima: row[0] has a number for each chain, and the next rows the minima of WIDTH entries; level `top` is
 * the root. The processor cannot predict what changes, so there is no branch on it. */
typedef struct minima {
    int64_t *row[LEVELS];
    unsigned top;
} minima;

struct mtc_clock {
    const int64_t *end; /* by transaction: the earliest end among it and the later transactions of its chain */
    minima ends;        /* by chain: the earliest end of its transactions that are not done; the root is the present */
    minima late;        /* by chain: if it waits, one less than the start of its next transaction; else NEVER */
    uint32_t woken; /* the chain that has just been woken, whose entry in `late` is not removed yet; ISO_NONE: none */
};

static int64_t lesser(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t least(const int64_t entry[WIDTH]) {
    return lesser(lesser(lesser(entry[0], entry[1]), lesser(entry[2], entry[3])),
                  lesser(lesser(entry[4], entry[5]), lesser(entry[6], entry[7])));
}

static int64_t root(const minima *m) { return m->row[m->top][0]; }

static void put(minima *m, uint32_t chain, int64_t value) {
    for (unsigned level = 0;; level++) {
        m->row[level][chain] = value;
        if (level == m->top) {
            return;
        }
        chain /= WIDTH;
        value = least(m->row[level] + (size_t)chain * WIDTH);
    }
}

/* Returns a chain that has the least number. */
static uint32_t find(const minima *m) {
    int64_t wanted = root(m);
    uint32_t at = 0;
    for (unsigned level = m->top; level-- > 0;) {
        const int64_t *entry = m->row[level] + (size_t)at * WIDTH;
        uint32_t child = WIDTH - 1;
        for (uint32_t i = WIDTH - 1; i-- > 0;) {
            child = entry[i] == wanted ? i : child;
        }
        at = at * WIDTH + child;
    }
    return at;
}

/* Makes a tree of NEVER. */
static void grow(minima *m, iso_pool *pool, size_t chains) {
    for (size_t n = chains > 0 ? chains : 1;; n = (n + WIDTH - 1) / WIDTH) {
        size_t room = (n + WIDTH - 1) / WIDTH * WIDTH;
        int64_t *row = m->row[m->top] = ISO_NEW(pool, int64_t, room);
        for (size_t i = 0; i < room; i++) {
            row[i] = NEVER;
        }
        if (n == 1) {
            return;
        }
        m->top++;
    }
}

/* Returns whether all ends are known and increase in each chain, so that the next transaction has the earliest end. */
static bool ends_in_order(const mtc *m) {
    const isolab_history *h = m->h;
    bool in_order = h->n_aborted == 0 && h->n_indeterminate == 0;
    for (uint32_t c = 0; c < m->n_chains && in_order; c++) {
        int64_t before = INT64_MIN + 1; /* an unknown end is ISO_NO_TIME, which is less */
        for (uint32_t t = m->chain_txn[c]; t < m->chain_txn[c + 1]; t++) {
            in_order &= h->txn_end[t] >= before;
            before = h->txn_end[t];
        }
    }
    return in_order;
}

static const int64_t *earliest_ends(const mtc *m) {
    const isolab_history *h = m->h;
    int64_t *end = ISO_NEW(m->pool, int64_t, h->n_txns);
    for (uint32_t c = 0; c < m->n_chains; c++) {
        int64_t earliest = NEVER;
        for (uint32_t t = m->chain_txn[c + 1]; t-- > m->chain_txn[c];) {
            iso_tick(m->pool->env);
            bool known = mtc_in(m, t) && h->txn_end[t] != ISO_NO_TIME && h->txn_end[t] < earliest;
            earliest = known ? h->txn_end[t] : earliest;
            end[t] = earliest;
        }
    }
    return end;
}

void iso_mtc_clock_start(mtc *m) {
    mtc_clock *k = ISO_ZNEW(m->pool, mtc_clock, 1);
    m->clock = k;
    k->woken = ISO_NONE;
    k->end = ends_in_order(m) ? m->h->txn_end : earliest_ends(m);
    grow(&k->late, m->pool, m->n_chains);
    grow(&k->ends, m->pool, m->n_chains);
    for (uint32_t c = 0; c < m->n_chains; c++) {
        if (m->chain_txn[c] < m->chain_txn[c + 1]) {
            put(&k->ends, c, k->end[m->chain_txn[c]]);
        }
    }
}

int64_t iso_mtc_earliest_end(const mtc *m, uint32_t t) { return m->clock->end[t]; }

void iso_mtc_clock_done(mtc *m, uint32_t c, uint32_t t) {
    put(&m->clock->ends, c, t + 1 < m->chain_txn[c + 1] ? m->clock->end[t + 1] : NEVER);
}

bool iso_mtc_clock_allows(mtc *m, uint32_t c, uint32_t t) {
    mtc_clock *k = m->clock;
    int64_t start = m->h->txn_start[t]; /* ISO_NO_TIME is before all times */
    if (start <= root(&k->ends)) {
        return true;
    }
    put(&k->late, c, start - 1);
    k->woken = k->woken == c ? ISO_NONE : k->woken;
    return false;
}

/* Usually the chain waits again after a transaction or two, so its number stays until then. */
static void settle(mtc_clock *k) {
    if (k->woken != ISO_NONE) {
        put(&k->late, k->woken, NEVER);
        k->woken = ISO_NONE;
    }
}

void iso_mtc_clock_wake(mtc *m) {
    mtc_clock *k = m->clock;
    settle(k);
    if (root(&k->late) < root(&k->ends)) {
        k->woken = find(&k->late);
        m->ready[m->n_ready++] = k->woken;
    }
}

void iso_mtc_clock_release(mtc *m) {
    mtc_clock *k = m->clock;
    settle(k);
    while (root(&k->late) < NEVER) {
        uint32_t c = find(&k->late);
        put(&k->late, c, NEVER);
        m->ready[m->n_ready++] = c;
    }
}

uint32_t iso_mtc_clock_first(const mtc *m) { return find(&m->clock->ends); }

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
