/* From transactions of one key to calls. See linear.h. */
#include "linear/linear.h"

#include "base/buckets.h"

/* Returns the value of a call for a version. */
static uint32_t value_of(const isolab_history *h, uint32_t version) {
    return iso_version_is_initial(h, version) ? ISO_INIT : version;
}

/* Adds a read of the value before the transaction to its call. Returns false if no value fits all of its reads. */
static bool add_read(iso_calls *c, iso_call *call, uint32_t op) {
    const isolab_history *h = c->h;
    uint32_t version = h->op_version[op];
    if (!iso_version_is_negation(h, version)) {
        uint32_t value = value_of(h, version);
        bool fits = call->needs == ISO_NONE || call->needs == value;
        call->needs = value;
        return fits;
    }
    uint32_t value = iso_version_is_initial(h, version) ? h->version_not[version] : ISO_INIT;
    if (value != ISO_NONE) { /* ISO_NONE: the excluded value never occurs */
        ISO_GROW(c->pool, c->excluded, c->n_excluded, c->excluded_room);
        c->excluded[c->n_excluded++] = value;
        call->n_not++;
    }
    return true;
}

/* Makes the call of a transaction. Returns false if the transaction has several keys or a list, or is not included.
 * *never: set if no value fits its reads. */
static bool make_call(iso_calls *c, uint32_t t, iso_call *call, bool *never) {
    const isolab_history *h = c->h;
    bool times = h->txn_start != NULL, fits = true, written = false;
    *call = (iso_call){.txn = t,
                       .key = ISO_NONE,
                       .needs = ISO_NONE,
                       .gives = ISO_NONE,
                       .not_first = c->n_excluded,
                       .after = ISO_NONE,
                       .place = ISO_NONE,
                       .start = times ? h->txn_start[t] : ISO_NO_TIME,
                       .end = times && h->txn_end[t] != ISO_NO_TIME ? h->txn_end[t] : INT64_MAX};
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        if (h->op_kind[o] > ISO_WRITE || (call->key != ISO_NONE && h->op_key[o] != call->key)) {
            return false;
        }
        call->key = h->op_key[o];
        if (h->op_kind[o] == ISO_WRITE) {
            call->gives = value_of(h, h->op_version[o]);
            written = true;
        } else if (!written) { /* INT, which holds, covers reads of own writes */
            fits &= add_read(c, call, o);
        }
    }
    *never = !fits || (call->needs != ISO_NONE && !iso_call_fits(c, call, call->needs));
    call->gives = call->gives == call->needs ? ISO_NONE : call->gives;
    call->blind = call->needs == ISO_NONE && call->n_not == 0; /* then it writes, if it is of a key */
    call->optional = h->txn_status[t] == ISO_INDETERMINATE && call->end == INT64_MAX;
    return call->optional || h->txn_counts[t] == ISO_INCLUDED;
}

/* Takes two successive calls of a session, and ties the second to the first if time does not order them. Returns false
 * if they cannot be tied: they have different keys, or one is optional. */
static bool tie(iso_call *call, uint32_t before, uint32_t now) {
    iso_call *p = &call[before], *c = &call[now];
    if (p->end < c->start) {
        return true;
    }
    if (p->key == ISO_NONE || p->key != c->key || p->optional || c->optional) {
        return false;
    }
    c->after = before;
    p->blind = c->blind = false;
    return true;
}

/* Sorts the calls by key, stably; calls of no key come last. */
static void sort_calls(iso_calls *c) {
    uint32_t n_keys = c->h->n_keys, *place = ISO_NEW(c->pool, uint32_t, c->n);
    iso_call *sorted = ISO_NEW(c->pool, iso_call, c->n);
    iso_buckets keys = iso_buckets_new(c->pool, n_keys + 1);
    for (uint32_t i = 0; i < c->n; i++) {
        iso_buckets_count(&keys, c->call[i].key == ISO_NONE ? n_keys : c->call[i].key);
    }
    iso_buckets_sum(&keys);
    for (uint32_t i = 0; i < c->n; i++) {
        place[i] = iso_buckets_place(&keys, c->call[i].key == ISO_NONE ? n_keys : c->call[i].key);
        sorted[place[i]] = c->call[i];
    }
    for (uint32_t i = 0; i < c->n; i++) {
        sorted[i].after = sorted[i].after == ISO_NONE ? ISO_NONE : place[sorted[i].after];
    }
    iso_free(c->pool, c->call);
    iso_free(c->pool, place);
    c->key_first = keys.first;
    c->call = sorted;
}

bool iso_calls_build(iso_calls *c, iso_pool *pool, const isolab_history *h) {
    *c = (iso_calls){.h = h, .pool = pool};
    c->call = ISO_NEW(pool, iso_call, h->n_txns);
    for (uint32_t s = 0; s < h->n_sessions && !h->has_lists; s++) {
        uint32_t before = ISO_NONE;
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
            iso_tick(pool->env);
            bool never;
            if (h->txn_counts[t] == ISO_EXCLUDED) {
                continue;
            }
            if (!make_call(c, t, &c->call[c->n], &never) || (never && h->txn_status[t] != ISO_COMMITTED)) {
                return false;
            }
            if (never) { /* then it is not what the key held: the search says so */
                c->call[c->n].needs = ISO_MANY;
            }
            if (before != ISO_NONE && !tie(c->call, before, c->n)) {
                return false;
            }
            before = c->n++;
        }
    }
    if (!h->has_lists) {
        sort_calls(c);
    }
    return !h->has_lists;
}
