/* Mutants of a history: copies with a few small changes. See referee.h. */
#include <string.h>

#include "base/hash.h"
#include "base/random.h"
#include "experiments/referee/referee.h"

#define MOST_REPEATED 8 /* limit of operations that are added to a history */

typedef struct draft {
    uint32_t n_txns, n_ops;
    uint32_t *session; /* by transaction; the transactions of a session are in order */
    uint8_t *status;
    uint32_t *txn, *key, *version; /* by operation, in order; for a list read, version is the list */
    uint8_t *kind;
    bool *out;
} draft;

static draft draft_of(iso_pool *pool, const isolab_history *h) {
    draft d = {.n_txns = h->n_txns, .n_ops = h->n_ops};
    d.session = ISO_NEW(pool, uint32_t, h->n_txns);
    d.status = ISO_NEW(pool, uint8_t, h->n_txns);
    d.txn = ISO_NEW(pool, uint32_t, h->n_ops + MOST_REPEATED);
    d.key = ISO_NEW(pool, uint32_t, h->n_ops + MOST_REPEATED);
    d.version = ISO_NEW(pool, uint32_t, h->n_ops + MOST_REPEATED);
    d.kind = ISO_NEW(pool, uint8_t, h->n_ops + MOST_REPEATED);
    d.out = ISO_ZNEW(pool, bool, h->n_ops + MOST_REPEATED);
    memcpy(d.session, h->txn_session, h->n_txns * sizeof *d.session);
    memcpy(d.status, h->txn_status, h->n_txns);
    memcpy(d.txn, h->op_txn, h->n_ops * sizeof *d.txn);
    memcpy(d.key, h->op_key, h->n_ops * sizeof *d.key);
    memcpy(d.version, h->op_version, h->n_ops * sizeof *d.version);
    memcpy(d.kind, h->op_kind, h->n_ops);
    return d;
}

static isolab_history *history_of(iso_pool *pool, const isolab_history *h, const draft *d) {
    iso_builder *b = iso_builder_new(pool);
    uint32_t *txn = ISO_NEW(pool, uint32_t, d->n_txns);
    for (uint32_t t = 0; t < d->n_txns; t++) {
        uint32_t session = iso_builder_session(b, iso_atom_uint(d->session[t]));
        txn[t] = iso_builder_txn(b, session, iso_atom_nil(), (iso_status)d->status[t]);
        if (h->txn_start != NULL) {
            iso_builder_times(b, txn[t], h->txn_start[t], h->txn_end[t]);
        }
    }
    for (uint32_t o = 0; o < d->n_ops; o++) {
        if (d->out[o]) {
            continue;
        }
        uint32_t key = iso_builder_key(b, iso_atom_uint((uint64_t)d->key[o] + 1)), v = d->version[o];
        if (d->kind[o] != ISO_LIST_READ) {
            iso_atom value = iso_version_is_initial(h, v) ? iso_atom_nil() : iso_atom_uint((uint64_t)v + 1);
            iso_builder_op(b, txn[d->txn[o]], (iso_op_kind)d->kind[o], key, value);
            continue;
        }
        uint32_t first = h->list_first[v], n = h->list_first[v + 1] - first;
        iso_atom *element = ISO_NEW(pool, iso_atom, n);
        for (uint32_t e = 0; e < n; e++) {
            element[e] = iso_atom_uint((uint64_t)h->list_version[first + e] + 1);
        }
        iso_builder_list_read(b, txn[d->txn[o]], key, element, n);
    }
    return iso_builder_finish(b);
}

/* Repeats an operation, directly after itself or later in its transaction. Only reads and appends are repeated, since a
 * repeated write would repeat its value. */
static bool repeat(const isolab_history *h, draft *d, uint32_t o, iso_rng *rng) {
    uint32_t at = o + 1;
    if (d->kind[o] == ISO_WRITE || d->n_ops >= h->n_ops + MOST_REPEATED || (d->kind[o] == ISO_APPEND && h->unique)) {
        return false;
    }
    while (at < d->n_ops && d->txn[at] == d->txn[o] && iso_random_below(rng, 2) == 0) {
        at++;
    }
    size_t rest = d->n_ops - at;
    memmove(d->txn + at + 1, d->txn + at, rest * sizeof *d->txn);
    memmove(d->key + at + 1, d->key + at, rest * sizeof *d->key);
    memmove(d->version + at + 1, d->version + at, rest * sizeof *d->version);
    memmove(d->kind + at + 1, d->kind + at, rest);
    memmove(d->out + at + 1, d->out + at, rest * sizeof *d->out);
    d->txn[at] = d->txn[o];
    d->key[at] = d->key[o];
    d->version[at] = d->version[o];
    d->kind[at] = d->kind[o];
    d->out[at] = d->out[o];
    d->n_ops++;
    return true;
}

static bool reread(const isolab_history *h, draft *d, uint32_t o, iso_rng *rng) {
    uint32_t v = (uint32_t)iso_random_below(rng, h->n_versions);
    if (d->kind[o] != ISO_READ || h->version_key[v] != d->key[o] || v == d->version[o]) {
        return false;
    }
    d->version[o] = v;
    return true;
}

/* Makes one small change. */
static void mutate(const isolab_history *h, draft *d, iso_rng *rng) {
    uint32_t o = (uint32_t)iso_random_below(rng, d->n_ops), t = (uint32_t)iso_random_below(rng, d->n_txns);
    switch (iso_random_below(rng, 10)) {
    case 0: /* a transaction becomes aborted, or committed */
        d->status[t] = d->status[t] == ISO_COMMITTED ? ISO_ABORTED : ISO_COMMITTED;
        break;
    case 1: /* it moves to another session, at its place in time */
        d->session[t] = (uint32_t)iso_random_below(rng, h->n_sessions + 1);
        break;
    case 2: /* an operation is removed */
        d->out[o] = true;
        break;
    case 3: /* two neighbours of one transaction are exchanged */
        if (o + 1 < d->n_ops && d->txn[o] == d->txn[o + 1]) {
            draft old = *d;
            uint32_t key = old.key[o], version = old.version[o];
            uint8_t kind = old.kind[o];
            d->key[o] = d->key[o + 1];
            d->version[o] = d->version[o + 1];
            d->kind[o] = d->kind[o + 1];
            d->key[o + 1] = key;
            d->version[o + 1] = version;
            d->kind[o + 1] = kind;
        }
        break;
    case 4:
    case 5:
        repeat(h, d, o, rng);
        break;
    default: /* a read reads another value of its key, or the initial one */
        for (uint32_t tries = 0; tries < 20 && !reread(h, d, o, rng); tries++) {
            o = (uint32_t)iso_random_below(rng, d->n_ops);
        }
    }
}

isolab_history *iso_mutant(iso_pool *pool, const isolab_history *h, uint64_t seed) {
    draft d = draft_of(pool, h);
    iso_rng rng = {iso_mix(seed)};
    for (uint64_t n = 1 + iso_random_below(&rng, 3); n > 0 && d.n_ops > 0; n--) {
        mutate(h, &d, &rng);
    }
    return history_of(pool, h, &d);
}

isolab_history *iso_repeated(iso_pool *pool, const isolab_history *h, uint64_t seed) {
    draft d = draft_of(pool, h);
    iso_rng rng = {iso_mix(seed)};
    bool any = false;
    for (uint32_t tries = 0; tries < 8 && !any && d.n_ops > 0; tries++) {
        any = repeat(h, &d, (uint32_t)iso_random_below(&rng, d.n_ops), &rng);
    }
    return any ? history_of(pool, h, &d) : NULL;
}

isolab_history *iso_without_op(iso_pool *pool, const isolab_history *h, uint32_t op) {
    draft d = draft_of(pool, h);
    d.out[op] = true;
    return history_of(pool, h, &d);
}

isolab_history *iso_with_other_read(iso_pool *pool, const isolab_history *h, uint32_t op, uint64_t seed) {
    draft d = draft_of(pool, h);
    iso_rng rng = {iso_mix(seed)};
    bool any = false;
    for (uint32_t tries = 0; tries < 4 * h->n_versions && !any; tries++) {
        any = reread(h, &d, op, &rng);
    }
    return any ? history_of(pool, h, &d) : NULL;
}
