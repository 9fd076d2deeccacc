/* The rule of cc against a commit order: if t3 reads x from t1, every t2 that writes x and happens before t3 is before
 * t1 (or is t1). Uses vector clocks for a block of sessions at a time: clock[t] has, for each session of the block, 1 +
 * the last of its transactions that happens before t. Of each session only its last writer of x up to that transaction
 * matters. O(n k log n) time for k sessions, and 4 * BLOCK bytes a transaction. */
#include <string.h>

#include "base/buckets.h"
#include "verify/verify.h"

#define BLOCK 32

typedef struct causal {
    const iso_verifier *v;
    uint32_t *first, *writer; /* the writers of each key, ascending: writer[first[k] .. first[k + 1]) */
    uint32_t (*clock)[BLOCK];
    uint32_t low, high; /* the sessions [low, high) of the block */
} causal;

static void list_writers(causal *c) {
    const isolab_history *h = c->v->h;
    iso_buckets rows = iso_buckets_new(c->v->pool, h->n_keys);
    for (int turn = 0; turn < 2; turn++) { /* count, then place */
        for (uint32_t o = 0; o < h->n_ops; o++) {
            if (!iso_is_write(h->op_kind[o]) || !c->v->in[h->op_txn[o]]) {
                continue;
            }
            if (turn == 0) {
                iso_buckets_count(&rows, h->op_key[o]);
            } else {
                c->writer[iso_buckets_place(&rows, h->op_key[o])] = h->op_txn[o];
            }
        }
        if (turn == 0) {
            c->writer = ISO_NEW(c->v->pool, uint32_t, iso_buckets_sum(&rows));
        }
    }
    c->first = rows.first;
}

static void join(uint32_t *into, const uint32_t *from) {
    for (int i = 0; i < BLOCK; i++) {
        into[i] = into[i] > from[i] ? into[i] : from[i];
    }
}

/* Records that `from`, and everything that happens before it, happens before t. */
static void after(const causal *c, uint32_t t, uint32_t from) {
    uint32_t s = c->v->h->txn_session[from];
    join(c->clock[t], c->clock[from]);
    if (s >= c->low && s < c->high && c->clock[t][s - c->low] <= from) {
        c->clock[t][s - c->low] = from + 1;
    }
}

/* Returns the number of writers in [from, to) that are below a transaction. */
static uint32_t below(const uint32_t *writer, uint32_t from, uint32_t to, uint32_t txn) {
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (writer[middle] < txn) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

static void check_read(const causal *c, uint32_t o) {
    const isolab_history *h = c->v->h;
    uint32_t key = h->op_key[o], t1 = iso_source_txn(c->v, o);
    const uint32_t *clock = c->clock[h->op_txn[o]];
    uint32_t at = below(c->writer, c->first[key], c->first[key + 1], h->session_txn[c->low]);
    while (at < c->first[key + 1]) {
        uint32_t s = h->txn_session[c->writer[at]];
        if (s >= c->high) {
            return;
        }
        uint32_t end = below(c->writer, at, c->first[key + 1], h->session_txn[s + 1]);
        uint32_t seen = below(c->writer, at, end, clock[s - c->low]);
        if (seen > at && iso_place(c->v, c->writer[seen - 1]) > iso_place(c->v, t1)) {
            iso_refuse(c->v, "read %u reads from before transaction %u, which happens before it", o,
                       c->writer[seen - 1]);
        }
        at = end;
    }
}

static void check_block(const causal *c, uint32_t *session_before) {
    const iso_verifier *v = c->v;
    const isolab_history *h = v->h;
    iso_fill_none(session_before, h->n_sessions);
    for (uint32_t i = 0; i < v->claim->n_order; i++) {
        iso_tick(v->pool->env);
        uint32_t t = v->claim->order[i], s = h->txn_session[t];
        memset(c->clock[t], 0, sizeof *c->clock);
        if (session_before[s] != ISO_NONE) {
            after(c, t, session_before[s]);
        }
        session_before[s] = t;
        for (int pass = 0; pass < 2; pass++) { /* first the transactions read from, then the reads */
            for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
                if (iso_is_write(h->op_kind[o]) || iso_source_txn(v, o) == t) {
                    continue;
                }
                if (pass == 1) {
                    check_read(c, o);
                } else if (v->source[o] != ISO_INIT) {
                    after(c, t, iso_source_txn(v, o));
                }
            }
        }
    }
}

void iso_verify_causal(const iso_verifier *v) {
    const isolab_history *h = v->h;
    causal c = {.v = v};
    list_writers(&c);
    c.clock = iso_alloc(v->pool, h->n_txns, sizeof *c.clock);
    uint32_t *session_before = ISO_NEW(v->pool, uint32_t, h->n_sessions);
    for (c.low = 0; c.low < h->n_sessions; c.low = c.high) {
        c.high = h->n_sessions - c.low > BLOCK ? c.low + BLOCK : h->n_sessions;
        check_block(&c, session_before);
    }
}
