/* Chains: sequences of transactions, each of which is known to follow the one before it. See candidates.h.
 *
 * Clocks have an entry for each chain. A session is a chain. Short sessions would make too many chains, so a chain
 * whose session has ended continues with a transaction that certainly read from its last one. */
#include <string.h>

#include "base/bisect.h"
#include "base/buckets.h"
#include "checkers/candidates/candidates.h"

/* By chain: its last transaction so far. */
typedef struct ends {
    uint32_t *last, room;
} ends;

static bool goes_on(const cand *c, const ends *e, uint32_t t, uint32_t with) {
    const isolab_history *h = c->h;
    uint32_t end = h->session_txn[h->txn_session[t] + 1], next = t + 1;
    if (c->chain[t] == ISO_NONE || e->last[c->chain[t]] != t) {
        return false;
    }
    while (next < end && !cand_in(c, next)) {
        next++;
    }
    return next == end || next == with;
}

/* Returns the chain that the transaction continues; ISO_NONE: none. */
static uint32_t continued(const cand *c, const ends *e, uint32_t t) {
    if (c->before[t] != ISO_NONE && goes_on(c, e, c->before[t], t)) {
        return c->chain[c->before[t]];
    }
    for (uint32_t i = c->read_first[t]; i < c->read_first[t + 1]; i++) {
        if (c->reads[i].writer < ISO_MANY && goes_on(c, e, c->h->op_txn[c->reads[i].writer], t)) {
            return c->chain[c->h->op_txn[c->reads[i].writer]];
        }
    }
    return ISO_NONE;
}

static void find_before(cand *c) {
    const isolab_history *h = c->h;
    c->before = ISO_NEW(c->pool, uint32_t, h->n_txns);
    for (uint32_t t = 0, before = ISO_NONE; t < h->n_txns; t++) {
        c->before[t] = before != ISO_NONE && h->txn_session[before] == h->txn_session[t] ? before : ISO_NONE;
        before = cand_in(c, t) ? t : before;
    }
    c->after = ISO_NEW(c->pool, uint32_t, h->n_txns);
    for (uint32_t t = h->n_txns, after = ISO_NONE; t-- > 0;) {
        c->after[t] = after != ISO_NONE && h->txn_session[after] == h->txn_session[t] ? after : ISO_NONE;
        after = cand_in(c, t) ? t : after;
    }
}

/* Sorts the order by chain. */
static void sort_by_chain(cand *c) {
    iso_buckets chains = iso_buckets_new(c->pool, c->n_chains + c->n_open);
    for (uint32_t i = 0; i < c->n_order; i++) {
        iso_buckets_count(&chains, c->chain[c->order[i]]);
    }
    c->by_chain = ISO_NEW(c->pool, uint32_t, iso_buckets_sum(&chains));
    for (uint32_t i = 0; i < c->n_order; i++) {
        c->by_chain[iso_buckets_place(&chains, c->chain[c->order[i]])] = c->order[i];
    }
    iso_free(c->pool, chains.first);
}

/* Returns the number of transactions, of a row in one chain, whose rank is below `rank`. */
uint32_t iso_cand_below(const cand *c, const uint32_t *txns, uint32_t n, uint32_t rank) {
    return ISO_BISECT(i, 0, n, c->rank[txns[i]] < rank);
}

/* Groups the writers of each key by chain. */
static void group_writers(cand *c) {
    const isolab_history *h = c->h;
    iso_buckets keys = iso_buckets_new(c->pool, h->n_keys);
    uint32_t *first = keys.first, n = c->write_first[h->n_txns], groups = 0;
    c->writer = ISO_NEW(c->pool, uint32_t, n);
    c->group = ISO_NEW(c->pool, uint32_t, (size_t)n + 1);
    c->group_first = ISO_NEW(c->pool, uint32_t, (size_t)h->n_keys + 1);
    for (uint32_t turn = 0; turn < 2; turn++) {
        for (uint32_t i = 0; i < c->n_order; i++) {
            uint32_t t = c->by_chain[i];
            for (uint32_t w = c->write_first[t]; w < c->write_first[t + 1]; w++) {
                if (turn == 0) {
                    iso_buckets_count(&keys, c->write_key[w]);
                } else {
                    c->writer[iso_buckets_place(&keys, c->write_key[w])] = t;
                }
            }
        }
        if (turn == 0) {
            iso_buckets_sum(&keys);
        }
    }
    for (uint32_t k = 0; k < h->n_keys; k++) {
        c->group_first[k] = groups;
        for (uint32_t i = first[k]; i < first[k + 1]; i++) {
            if (i == first[k] || c->chain[c->writer[i]] != c->chain[c->writer[i - 1]]) {
                c->group[groups++] = i;
            }
        }
    }
    c->group_first[h->n_keys] = groups;
    c->group[groups] = first[h->n_keys];
    iso_free(c->pool, first);
}

void iso_cand_chains(cand *c) {
    const isolab_history *h = c->h;
    ends e = {0};
    find_before(c);
    c->chain = ISO_NEW_NONE(c->pool, h->n_txns);
    c->rank = ISO_NEW(c->pool, uint32_t, h->n_txns);
    for (uint32_t i = 0; i < c->n_order; i++) {
        uint32_t t = c->order[i], chain = cand_in(c, t) ? continued(c, &e, t) : ISO_NONE;
        if (!cand_in(c, t)) {
            continue;
        }
        if (chain == ISO_NONE) {
            chain = c->n_chains++;
            ISO_GROW(c->pool, e.last, chain, e.room);
            c->rank[t] = 1;
        } else {
            c->rank[t] = c->rank[e.last[chain]] + 1;
        }
        c->chain[t] = chain;
        e.last[chain] = t;
    }
    for (uint32_t i = 0; i < c->n_order; i++) {
        if (!cand_in(c, c->order[i])) {
            c->chain[c->order[i]] = c->n_chains + c->n_open++;
            c->rank[c->order[i]] = 1;
        }
    }
    iso_free(c->pool, e.last);
    sort_by_chain(c);
    group_writers(c);
}
