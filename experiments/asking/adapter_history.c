/* Prepares a history for a published tool. See iso_adapter_history() in adapters.h.
 *
 * The first session does not change the answer. It writes the initial values that are read, and the key `anchor`, which
 * no other session writes and every other session reads first. So it is before every transaction by write-read and
 * session order, at every level. A rule that would put another writer before it (a read of an initial value, where the
 * reader sees another writer of the key) closes a cycle exactly if it does so with the initial transaction. Its values
 * are new numbers, because 0 is special for some tools, and all different, because Cobra names a write by its value
 * alone, whatever its key, and an initial write by its key: so no value is a key either. */
#include <string.h>

#include "experiments/asking/adapters.h"
#include "history/draft.h"

typedef struct retelling {
    const isolab_history *h;
    iso_draft *d;
    const iso_adapter *adapter;
    uint32_t traits; /* traits that get another form */
    bool aborted, anchored;
    bool indeterminate; /* the tool takes transactions that are indeterminate */
    int64_t epoch;      /* added to every time, so that all are after 0, where Chronos has its initial transaction */
    uint32_t base;      /* the first value */
    uint32_t first;     /* the first value that the first session writes */
    uint32_t anchor;    /* the anchor key */
} retelling;

static uint32_t value_of(const retelling *r, uint32_t version) {
    if (iso_version_is_initial(r->h, version)) {
        return r->anchored ? r->first + r->h->version_key[version] : 0;
    }
    return r->base + version;
}

static bool is_told(const retelling *r, uint32_t t) {
    bool may_be = r->indeterminate && r->h->txn_status[t] == ISO_INDETERMINATE && r->h->txn_counts[t] != ISO_EXCLUDED;
    return r->h->txn_counts[t] == ISO_INCLUDED || may_be || (r->aborted && r->h->txn_status[t] == ISO_ABORTED);
}

/* Adds an operation to the last transaction. */
static void add_op(iso_draft *d, uint8_t kind, uint32_t key, uint32_t value) {
    d->txn[d->n_ops] = d->n_txns - 1;
    d->kind[d->n_ops] = kind;
    d->key[d->n_ops] = key;
    d->value[d->n_ops++] = value;
}

static void add_txn(iso_draft *d, uint32_t session, iso_status status) {
    d->session[d->n_txns] = session;
    d->status[d->n_txns] = (uint8_t)status;
    if (d->start != NULL) {
        d->start[d->n_txns] = d->end[d->n_txns] = ISO_NO_TIME;
    }
    d->n_txns++;
}

static void tell_first(retelling *r) {
    add_txn(r->d, r->d->n_sessions++, ISO_COMMITTED);
    for (uint32_t v = 0; v < r->h->n_versions; v++) {
        uint32_t k = r->h->version_key[v];
        if (iso_version_is_initial(r->h, v) && !r->h->key_is_list[k]) {
            add_op(r->d, ISO_WRITE, k, r->first + k);
        }
    }
    add_op(r->d, ISO_WRITE, r->anchor, r->first + r->h->n_keys);
}

static void tell_op(retelling *r, uint32_t o) {
    const isolab_history *h = r->h;
    uint32_t v = h->op_version[o];
    add_op(r->d, h->op_kind[o], h->op_key[o], h->op_kind[o] == ISO_LIST_READ ? v : value_of(r, v));
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

/* Returns the number that makes every time positive if it is added; 0 if all times are positive. */
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
    iso_draft *d = r->d;
    uint32_t session = ISO_NONE;
    bool anchored = !r->anchored;
    if ((r->traits & ISO_TRAIT_BIT(ISO_TRAIT_EMPTY_SESSIONS)) != 0 && !has_committed(h, s)) {
        return;
    }
    for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
        iso_tick(d->pool->env);
        if (!is_told(r, t) || h->txn_op[t] == h->txn_op[t + 1]) {
            continue;
        }
        bool in = h->txn_counts[t] == ISO_INCLUDED, may_be = r->indeterminate && h->txn_status[t] == ISO_INDETERMINATE;
        session = session == ISO_NONE ? d->n_sessions++ : session;
        add_txn(d, session, may_be ? ISO_INDETERMINATE : in ? ISO_COMMITTED : ISO_ABORTED);
        if (in && !anchored) {
            add_op(d, ISO_READ, r->anchor, r->first + h->n_keys);
            anchored =
                iso_adapter_is(r->adapter->sessions, "yes"); /* otherwise every transaction needs its own read of it */
        }
        if (d->start != NULL) {
            d->start[d->n_txns - 1] = moved(r, h->txn_start[t]);
            d->end[d->n_txns - 1] = moved(r, h->txn_end[t]);
        }
        for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
            tell_op(r, o);
        }
    }
}

/* Copies the lists, which keep their numbers. */
static void tell_lists(retelling *r) {
    const isolab_history *h = r->h;
    uint32_t n = h->n_lists > 0 ? h->list_first[h->n_lists] : 0;
    r->d->n_lists = h->n_lists;
    r->d->list_first = h->list_first;
    r->d->element = n > 0 ? ISO_NEW(r->d->pool, uint32_t, n) : NULL;
    for (uint32_t e = 0; e < n; e++) {
        r->d->element[e] = value_of(r, h->list_version[e]);
    }
}

isolab_history *iso_adapter_history(iso_pool *pool, const iso_adapter *adapter, const isolab_history *h,
                                    uint32_t plain) {
    const iso_format *format = iso_adapter_format(adapter);
    retelling r = {.h = h, .adapter = adapter};
    /* without aborted transactions an aborted read becomes a thin-air read, which is also an offence */
    r.traits = iso_adapter_traits(adapter, h) & ~plain;
    r.aborted =
        (format == NULL || strcmp(format->name, "test") != 0) && (r.traits & ISO_TRAIT_BIT(ISO_TRAIT_ABORTED)) == 0;
    r.indeterminate = format != NULL && strcmp(format->name, "elle-registers") == 0;
    r.epoch = find_epoch(h);
    r.anchor = h->n_keys;
    r.base = r.anchor + 2; /* larger than the name of every key */
    r.first = r.base + h->n_versions;
    r.anchored = (r.traits & ISO_TRAIT_BIT(ISO_TRAIT_INITIAL)) != 0;
    uint64_t ops = (uint64_t)h->n_ops + h->n_versions + h->n_txns + 1;
    if (ops > ISO_ID_MAX || (uint64_t)r.first + h->n_keys > ISO_ID_MAX) {
        iso_throw(pool->env, ISOLAB_E_LIMIT, "the history is too large to be told to %s", adapter->name);
    }
    bool times = h->txn_start != NULL && (r.traits & ISO_TRAIT_BIT(ISO_TRAIT_TIMES)) == 0;
    r.d = iso_draft_new(pool, h->n_txns + 1, (uint32_t)ops, times);
    r.d->n_keys = h->n_keys + 1;
    tell_lists(&r);
    if (r.anchored) {
        tell_first(&r);
    }
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        tell_session(&r, s);
    }
    return iso_draft_history(pool, r.d);
}
