/* Small changes of a history, as a draft. See referee.h. */
#include "base/hash.h"
#include "base/random.h"
#include "experiments/referee/run.h"

/* Repeats operation o, directly after itself or later in its transaction. Returns false if there is no room, or if the
 * operation writes a value that must stay unique. */
static bool repeat(iso_draft *d, uint32_t o, iso_rng *rng) {
    uint32_t at = o + 1;
    if (d->kind[o] == ISO_WRITE || d->n_ops == d->room || (d->kind[o] == ISO_APPEND && d->unique)) {
        return false;
    }
    while (at < d->n_ops && d->txn[at] == d->txn[o] && iso_random_below(rng, 2) == 0) {
        at++;
    }
    iso_draft_repeat(d, o, at);
    return true;
}

#define THIN_AIR 999 /* a value that no operation of a random history writes */

/* Gives read o the value of another operation of its key, or sometimes the initial value, or a value that no operation
 * wrote. Returns false if o is no read, or if the random choice does not fit. */
static bool reread(iso_draft *d, uint32_t o, iso_rng *rng) {
    uint32_t other = (uint32_t)iso_random_below(rng, d->n_ops), way = (uint32_t)iso_random_below(rng, 24);
    uint32_t value = way == 0 ? THIN_AIR : way < 4 ? 0 : d->value[other];
    bool fits = way < 4 || (d->key[other] == d->key[o] && d->kind[other] <= ISO_WRITE);
    if (d->kind[o] != ISO_READ || !fits || value == d->value[o]) {
        return false;
    }
    d->value[o] = value;
    return true;
}

/* Exchanges operation o with the next one of its transaction, if there is one. */
static void exchange(iso_draft *d, uint32_t o) {
    if (o + 1 < d->n_ops && d->txn[o] == d->txn[o + 1]) {
        uint32_t key = d->key[o], value = d->value[o];
        uint8_t kind = d->kind[o];
        d->key[o] = d->key[o + 1];
        d->value[o] = d->value[o + 1];
        d->kind[o] = d->kind[o + 1];
        d->key[o + 1] = key;
        d->value[o + 1] = value;
        d->kind[o + 1] = kind;
    }
}

/* Makes one small change. */
static void mutate(iso_draft *d, iso_rng *rng) {
    uint32_t o = (uint32_t)iso_random_below(rng, d->n_ops), t = (uint32_t)iso_random_below(rng, d->n_txns);
    switch (iso_random_below(rng, 10)) {
    case 0: /* a transaction becomes aborted, or committed */
        d->status[t] = d->status[t] == ISO_COMMITTED ? ISO_ABORTED : ISO_COMMITTED;
        break;
    case 1: /* a transaction moves to another session, perhaps a new one, and keeps its place among all transactions */
        d->session[t] = (uint32_t)iso_random_below(rng, d->n_sessions + 1);
        d->n_sessions += d->session[t] == d->n_sessions;
        break;
    case 2: /* an operation is removed */
        iso_draft_remove(d, o);
        break;
    case 3: /* two neighbours of one transaction are exchanged */
        exchange(d, o);
        break;
    case 4:
    case 5:
        repeat(d, o, rng);
        break;
    default: /* a read returns another value */
        for (uint32_t tries = 0; tries < 20 && !reread(d, o, rng); tries++) {
            o = (uint32_t)iso_random_below(rng, d->n_ops);
        }
    }
}

void iso_mutate(iso_draft *d, uint64_t seed) {
    iso_rng rng = {iso_mix(seed)};
    for (uint64_t n = 1 + iso_random_below(&rng, 3); n > 0 && d->n_ops > 0; n--) {
        mutate(d, &rng);
    }
}

isolab_history *iso_mutant(iso_pool *pool, const isolab_history *h, uint64_t seed) {
    iso_draft *d = iso_draft_of(pool, h, ISO_MORE_OPS);
    iso_mutate(d, seed);
    return iso_draft_history(pool, d);
}

bool iso_repeat(iso_draft *d, iso_rng *rng) {
    bool any = false;
    for (uint32_t tries = 0; tries < 8 && !any && d->n_ops > 0; tries++) {
        any = repeat(d, (uint32_t)iso_random_below(rng, d->n_ops), rng);
    }
    return any;
}

bool iso_reread(iso_draft *d, uint32_t op, iso_rng *rng) {
    bool any = false;
    for (uint32_t tries = 0; d->kind[op] == ISO_READ && tries < 2 * d->n_ops && !any; tries++) {
        any = reread(d, op, rng);
    }
    return any;
}
