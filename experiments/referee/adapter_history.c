/* Prepares a history for a published tool. See iso_adapter_history() in adapters.h.
 *
 * The first session does not change the answer. It writes the initial values that are read, and the key `anchor`, which
 * no other session writes and every other session reads first. So it is before every transaction by write-read and
 * session order, at every level. A rule that would put another writer before it (a read of an initial value, where the
 * reader sees another writer of the key) closes a cycle exactly if it does so with the initial transaction. Its values
 * are new numbers, because 0 is special for some tools, and all different, because Cobra names a write by its value
 * alone, whatever its key, and an initial one by its key: so no value is a key either. */
#include <string.h>

#include "experiments/referee/adapters.h"

typedef struct retelling {
    iso_pool *pool;
    const isolab_history *h;
    iso_builder *b;
    const iso_adapter *adapter;
    uint32_t *key;   /* the new number; ISO_NONE: not used yet */
    uint32_t traits; /* traits that get another form */
    bool aborted, anchored;
    bool indeterminate; /* the tool takes transactions that are indeterminate */
    int64_t epoch;      /* is added to every time, so that all are after 0, where Chronos has its initial transaction */
    uint64_t base, first, anchor; /* the first value; the first of the values written first; the anchor key */
} retelling;

static iso_atom number(uint64_t n) { return iso_atom_uint(n); }

static uint32_t key_of(retelling *r, uint32_t k) {
    if (r->key[k] == ISO_NONE) {
        r->key[k] = iso_builder_key(r->b, number((uint64_t)k + 1));
    }
    return r->key[k];
}

static iso_atom value_of(const retelling *r, uint32_t version) {
    if (iso_version_is_initial(r->h, version)) {
        return r->anchored ? number(r->first + r->h->version_key[version]) : iso_atom_nil();
    }
    return number(r->base + version);
}

static bool is_told(const retelling *r, uint32_t t) {
    bool may_be = r->indeterminate && r->h->txn_status[t] == ISO_INDETERMINATE && r->h->txn_counts[t] != ISO_EXCLUDED;
    return r->h->txn_counts[t] == ISO_INCLUDED || may_be || (r->aborted && r->h->txn_status[t] == ISO_ABORTED);
}

static void tell_first(retelling *r) {
    uint32_t session = iso_builder_session(r->b, iso_atom_nil());
    uint32_t txn = iso_builder_txn(r->b, session, iso_atom_nil(), ISO_COMMITTED);
    for (uint32_t v = 0; v < r->h->n_versions; v++) {
        uint32_t k = r->h->version_key[v];
        if (iso_version_is_initial(r->h, v) && !r->h->key_is_list[k]) {
            iso_builder_op(r->b, txn, ISO_WRITE, key_of(r, k), number(r->first + k));
        }
    }
    iso_builder_op(r->b, txn, ISO_WRITE, iso_builder_key(r->b, number(r->anchor)), number(r->first + r->h->n_keys));
}

static void tell_op(retelling *r, uint32_t txn, uint32_t o) {
    const isolab_history *h = r->h;
    if (h->op_kind[o] != ISO_LIST_READ) {
        iso_builder_op(r->b, txn, (iso_op_kind)h->op_kind[o], key_of(r, h->op_key[o]), value_of(r, h->op_version[o]));
        return;
    }
    uint32_t first = h->list_first[h->op_version[o]], n = h->list_first[h->op_version[o] + 1] - first;
    iso_atom *element = ISO_NEW(r->pool, iso_atom, n);
    for (uint32_t e = 0; e < n; e++) {
        element[e] = value_of(r, h->list_version[first + e]);
    }
    iso_builder_list_read(r->b, txn, key_of(r, h->op_key[o]), element, n);
    iso_free(r->pool, element);
}

/* Returns whether a session has a committed transaction. */
static bool has_committed(const isolab_history *h, uint32_t s) {
    for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
        if (h->txn_counts[t] == ISO_INCLUDED && h->txn_op[t] < h->txn_op[t + 1]) {
            return true;
        }
    }
    return false;
}

static int64_t moved(const retelling *r, int64_t time) { return time == ISO_NO_TIME ? time : time + r->epoch; }

/* Returns what makes every time positive: 0 if they are. */
static int64_t find_epoch(const isolab_history *h) {
    int64_t first = 1;
    for (uint32_t t = 0; h->txn_start != NULL && t < h->n_txns; t++) {
        int64_t start = h->txn_start[t], end = h->txn_end[t];
        first = start != ISO_NO_TIME && start < first ? start : first;
        first = end != ISO_NO_TIME && end < first ? end : first;
    }
    int64_t epoch = first < -(INT64_MAX / 2) ? INT64_MAX / 2 : 1 - first;
    for (uint32_t t = 0; h->txn_start != NULL && t < h->n_txns; t++) { /* no time may pass the largest one */
        epoch = h->txn_start[t] > INT64_MAX - epoch || h->txn_end[t] > INT64_MAX - epoch ? 0 : epoch;
    }
    return epoch;
}

static void tell_session(retelling *r, uint32_t s) {
    const isolab_history *h = r->h;
    uint32_t session = ISO_NONE;
    bool anchored = !r->anchored;
    if ((r->traits & ISO_TRAIT_BIT(ISO_TRAIT_EMPTY_SESSIONS)) != 0 && !has_committed(h, s)) {
        return;
    }
    for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
        iso_tick(r->pool->env);
        if (!is_told(r, t) || h->txn_op[t] == h->txn_op[t + 1]) {
            continue;
        }
        bool in = h->txn_counts[t] == ISO_INCLUDED;
        if (session == ISO_NONE) {
            session = iso_builder_session(r->b, iso_atom_nil());
        }
        bool may_be = r->indeterminate && h->txn_status[t] == ISO_INDETERMINATE;
        uint32_t txn = iso_builder_txn(r->b, session, iso_atom_nil(),
                                       may_be ? ISO_INDETERMINATE
                                       : in   ? ISO_COMMITTED
                                              : ISO_ABORTED);
        if (in && !anchored) {
            iso_builder_op(r->b, txn, ISO_READ, iso_builder_key(r->b, number(r->anchor)), number(r->first + h->n_keys));
            anchored =
                iso_adapter_is(r->adapter->sessions, "yes"); /* otherwise every transaction needs its own read of it */
        }
        if (h->txn_start != NULL && (r->traits & ISO_TRAIT_BIT(ISO_TRAIT_TIMES)) == 0) {
            iso_builder_times(r->b, txn, moved(r, h->txn_start[t]), moved(r, h->txn_end[t]));
        }
        for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
            tell_op(r, txn, o);
        }
    }
}

isolab_history *iso_adapter_history(iso_pool *pool, const iso_adapter *adapter, const isolab_history *h,
                                    uint32_t plain) {
    const iso_format *format = iso_adapter_format(adapter);
    retelling r = {.pool = pool, .h = h, .b = iso_builder_new(pool), .adapter = adapter};
    /* without aborted transactions an aborted read becomes a thin-air read, which is also an offence */
    r.traits = iso_adapter_traits(adapter, h) & ~plain;
    r.aborted =
        (format == NULL || strcmp(format->name, "test") != 0) && (r.traits & ISO_TRAIT_BIT(ISO_TRAIT_ABORTED)) == 0;
    r.indeterminate = format != NULL && strcmp(format->name, "elle-registers") == 0;
    r.key = ISO_NEW_NONE(pool, h->n_keys);
    r.epoch = find_epoch(h);
    r.anchor = (uint64_t)h->n_keys + 1;
    r.base = r.anchor + 1;
    r.first = r.base + h->n_versions;
    r.anchored = (r.traits & ISO_TRAIT_BIT(ISO_TRAIT_INITIAL)) != 0;
    if (r.anchored) {
        tell_first(&r);
    }
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        tell_session(&r, s);
    }
    return iso_builder_finish(r.b);
}
