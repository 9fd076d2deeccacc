/* Lists (docs/lists.md). A list read has an external part, followed by the reader's own appends. In a commit order the
 * external part must be the state of the list after some transaction; the read then reads from that transaction. Linear
 * in the elements read. */
#include <string.h>

#include "verify/verify.h"

static const uint32_t *elements(const isolab_history *h, uint32_t o, uint32_t *n) {
    uint32_t first = h->list_first[h->op_version[o]];
    *n = h->list_first[h->op_version[o] + 1] - first;
    return h->list_version + first;
}

static bool appends(const isolab_history *h, uint32_t o, uint32_t key) {
    return iso_is_write(h->op_kind[o]) && h->op_key[o] == key;
}

bool iso_list_external(const isolab_history *h, uint32_t o, uint32_t *length) {
    const uint32_t *list = elements(h, o, length);
    for (uint32_t own = o; own-- > h->txn_op[h->op_txn[o]];) { /* the latest own append first */
        if (appends(h, own, h->op_key[o])) {
            if (*length == 0 || list[*length - 1] != h->op_version[own]) {
                return false;
            }
            --*length;
        }
    }
    return true;
}

/* Returns the only append that wrote a version; ISO_NONE: none, or several. */
static uint32_t only_append(const isolab_history *h, uint32_t version) {
    return h->version_writer[version] < h->n_ops ? h->version_writer[version] : ISO_NONE;
}

uint32_t iso_list_source(const isolab_history *h, uint32_t o) {
    uint32_t n, length;
    const uint32_t *list = elements(h, o, &n);
    if (!iso_list_external(h, o, &length)) {
        return ISO_NONE;
    }
    uint32_t w = length == 0 ? ISO_INIT : only_append(h, list[length - 1]);
    return w < h->n_ops && h->op_txn[w] == h->op_txn[o] ? ISO_NONE : w;
}

/* ---- read consistency of one list read, without an order ---- */

/* Returns whether this append may have made an element of the external part of read o. */
static bool fits(const iso_verifier *v, uint32_t o, uint32_t w, bool last) {
    const isolab_history *h = v->h;
    uint32_t t = h->op_txn[w];
    if (t == h->op_txn[o] || (v->claim->satisfied ? !v->in[t] : h->txn_status[t] == ISO_ABORTED)) {
        return false;
    }
    for (uint32_t i = w + 1; last && i < h->txn_op[t + 1]; i++) {
        iso_tick(v->pool->env);
        if (appends(h, i, h->op_key[o])) {
            return false;
        }
    }
    return true;
}

bool iso_list_consistent(const iso_verifier *v, uint32_t o) {
    const isolab_history *h = v->h;
    uint32_t n, length;
    const uint32_t *list = elements(h, o, &n);
    if (!iso_list_external(h, o, &length)) {
        return false;
    }
    for (uint32_t e = 0; e < length; e++) {
        uint32_t m;
        const uint32_t *writer = iso_writers(h, list[e], &m);
        bool any = false;
        for (uint32_t i = 0; i < m && !any; i++) {
            iso_tick(v->pool->env);
            any = fits(v, o, writer[i], e + 1 == length);
        }
        if (!any) {
            return false;
        }
    }
    return true;
}

void iso_verify_list_int(const iso_verifier *v) {
    const isolab_history *h = v->h;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        iso_tick(v->pool->env);
        if (h->op_kind[o] == ISO_LIST_READ && v->in[h->op_txn[o]] && !iso_list_consistent(v, o)) {
            iso_refuse(v, "list read %u is not consistent", o);
        }
    }
}

uint32_t iso_list_last(const isolab_history *h, uint32_t o) {
    uint32_t n, length;
    const uint32_t *list = elements(h, o, &n);
    return iso_list_external(h, o, &length) && length > 0 ? list[length - 1] : ISO_NONE;
}

bool iso_list_may_read(const iso_verifier *v, uint32_t o, uint32_t w) {
    const isolab_history *h = v->h;
    uint32_t length;
    if (w == ISO_INIT) {
        return iso_list_external(h, o, &length) && length == 0;
    }
    return iso_is_write(h->op_kind[w]) && h->op_version[w] == iso_list_last(h, o) && fits(v, o, w, true);
}

/* ---- with an order ---- */

/* Builds the list of every key after all transactions: its appends in commit order, append[first[k] .. first[k +
 * 1]). */
static uint32_t *replay(iso_verifier *v, uint32_t **append) {
    const isolab_history *h = v->h;
    uint32_t *first = ISO_ZNEW(v->pool, uint32_t, (size_t)h->n_keys + 2);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < v->claim->n_order; i++) {
            uint32_t t = v->claim->order[i];
            for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
                if (h->op_kind[o] == ISO_APPEND && pass == 0) {
                    first[h->op_key[o] + 2]++;
                } else if (h->op_kind[o] == ISO_APPEND) {
                    (*append)[first[h->op_key[o] + 1]++] = o;
                }
            }
        }
        for (uint32_t k = 0; pass == 0 && k < h->n_keys; k++) {
            first[k + 2] += first[k + 1];
        }
        *append = pass == 0 ? ISO_NEW(v->pool, uint32_t, first[h->n_keys + 1]) : *append;
    }
    return first;
}

void iso_verify_list_states(iso_verifier *v) {
    const isolab_history *h = v->h;
    uint32_t *append, *first = replay(v, &append);
    for (uint32_t o = 0; o < h->n_ops; o++) {
        if (h->op_kind[o] != ISO_LIST_READ || !v->in[h->op_txn[o]]) {
            continue;
        }
        uint32_t n, length, key = h->op_key[o];
        const uint32_t *list = elements(h, o, &n), *state = append + first[key];
        iso_list_external(h, o, &length); /* cannot fail: the read is consistent */
        uint32_t all = first[key + 1] - first[key];
        for (uint32_t e = 0; e < length; e++) {
            iso_tick(v->pool->env);
            if (e >= all || h->op_version[state[e]] != list[e]) {
                iso_refuse(v, "element %u of list read %u is not the element that the order puts there", e, o);
            }
        }
        v->source[o] = length == 0 ? ISO_INIT : state[length - 1];
        if (length > 0 && (h->op_txn[v->source[o]] == h->op_txn[o] ||
                           (length < all && h->op_txn[state[length]] == h->op_txn[v->source[o]]))) {
            iso_refuse(v, "list read %u does not show the state after another transaction", o);
        }
    }
    iso_free(v->pool, append);
    iso_free(v->pool, first);
}

/* ---- ci ---- */

/* Returns whether two reads of one transaction show different lists of other transactions. */
bool iso_lists_differ(const iso_verifier *v, uint32_t a, uint32_t b) {
    const isolab_history *h = v->h;
    const uint32_t *list[2];
    uint32_t n[2], at[2] = {0, 0}, op[2] = {a, b};
    list[0] = elements(h, a, &n[0]);
    list[1] = elements(h, b, &n[1]);
    for (;;) {
        for (int i = 0; i < 2; i++) { /* go to the next element that the reader itself did not append */
            while (at[i] < n[i]) {
                uint32_t m;
                const uint32_t *writer = iso_writers(h, list[i][at[i]], &m);
                bool own = false;
                for (uint32_t j = 0; j < m && !own; j++) {
                    iso_tick(v->pool->env);
                    own = h->op_txn[writer[j]] == h->op_txn[op[i]];
                }
                if (!own) {
                    break;
                }
                at[i]++;
            }
        }
        if (at[0] == n[0] || at[1] == n[1]) {
            return at[0] < n[0] || at[1] < n[1];
        }
        if (list[0][at[0]++] != list[1][at[1]++]) {
            return true;
        }
    }
}

/* ---- violations ---- */

/* Returns the place, from 1, of the first element of a transaction in the external part; 0: it has none there. *last is
 * the place of its last element (an element that was appended once may be shown twice). */
static uint32_t place_in(const isolab_history *h, uint32_t o, uint32_t t, uint32_t *last) {
    uint32_t first = *last = 0;
    uint32_t n, length;
    const uint32_t *list = elements(h, o, &n);
    if (!iso_list_external(h, o, &length)) {
        return 0;
    }
    for (uint32_t e = 0; e < length; e++) {
        uint32_t w = only_append(h, list[e]);
        if (w != ISO_NONE && h->op_txn[w] == t) {
            *last = e + 1;
            first = first == 0 ? e + 1 : first;
        }
    }
    return first;
}

bool iso_list_orders(const iso_verifier *v, uint32_t o, uint32_t from, uint32_t to) {
    const isolab_history *h = v->h;
    if (h->op_kind[o] != ISO_LIST_READ || to == ISO_INIT || from == to || !iso_asks(v, ISO_RULE_ORDER)) {
        return false;
    }
    bool writes = false;
    for (uint32_t i = h->txn_op[to]; i < h->txn_op[to + 1]; i++) {
        writes |= appends(h, i, h->op_key[o]);
    }
    uint32_t n, length, b, a = place_in(h, o, from, &b);
    place_in(h, o, to, &b);
    const uint32_t *list = elements(h, o, &n);
    if (b == 0 && iso_list_external(h, o, &length)) { /* unread only if no element can be its own */
        for (uint32_t e = 0; e < length; e++) {
            writes &= only_append(h, list[e]) != ISO_NONE;
        }
    }
    return writes && a != 0 && (b == 0 || a < b);
}

/* Returns how often the read shows a version. */
static uint32_t times_shown(const isolab_history *h, uint32_t o, uint32_t version) {
    uint32_t n, times = 0;
    const uint32_t *list = elements(h, o, &n);
    for (uint32_t e = 0; e < n; e++) {
        times += list[e] == version;
    }
    return times;
}

/* Returns whether the list's elements are unique and the read shows one of them twice. */
static bool is_duplicate(const isolab_history *h, uint32_t o, uint32_t other) {
    return times_shown(h, o, h->op_version[other]) > 1 && only_append(h, h->op_version[other]) == other;
}

static bool is_incompatible(const isolab_history *h, uint32_t a, uint32_t b) {
    uint32_t n[2], length[2];
    const uint32_t *one = elements(h, a, &n[0]), *two = elements(h, b, &n[1]);
    if (h->op_key[a] != h->op_key[b] || !iso_list_external(h, a, &length[0]) || !iso_list_external(h, b, &length[1])) {
        return false;
    }
    for (uint32_t e = 0; e < length[0] && e < length[1]; e++) {
        if (one[e] != two[e]) {
            return true;
        }
    }
    return false;
}

/* Returns whether a read shows an append of other's transaction, but not all of them together in program order. */
static bool is_lost(const isolab_history *h, uint32_t o, uint32_t other) {
    uint32_t n, length, last, t = h->op_txn[other], place = place_in(h, o, t, &last);
    const uint32_t *list = elements(h, o, &n);
    if (h->op_key[other] != h->op_key[o] || t == h->op_txn[o] || place == 0 || !iso_list_external(h, o, &length)) {
        return false;
    }
    for (uint32_t i = h->txn_op[t]; i < h->txn_op[t + 1];
         i++) { /* an element that others appended too has no place of its
                                                                  * own */
        if (appends(h, i, h->op_key[o]) && only_append(h, h->op_version[i]) != i) {
            return false;
        }
    }
    for (uint32_t i = h->txn_op[t], e = place - 1; i < h->txn_op[t + 1]; i++) {
        if (appends(h, i, h->op_key[o]) && (e >= length || list[e++] != h->op_version[i])) {
            return true;
        }
    }
    return false;
}

bool iso_list_torn(const isolab_history *h, uint32_t o, uint32_t append) {
    return h->op_kind[append] == ISO_APPEND && (is_lost(h, o, append) || is_duplicate(h, o, append));
}

/* Returns whether the read does not show the reader's own earlier appends exactly once, at its end. */
static bool misses_own(const iso_verifier *v, uint32_t o) {
    const isolab_history *h = v->h;
    uint32_t length;
    bool wrong = !iso_list_external(h, o, &length);
    for (uint32_t own = h->txn_op[h->op_txn[o]]; own < o && !wrong; own++) {
        iso_tick_slow(v->pool->env);
        wrong = appends(h, own, h->op_key[o]) && times_shown(h, o, h->op_version[own]) > 1;
    }
    return wrong;
}

/* Returns whether some element has no writer. */
static bool is_thin_air(const isolab_history *h, uint32_t o) {
    uint32_t n, writers;
    const uint32_t *list = elements(h, o, &n);
    for (uint32_t e = 0; e < n; e++) {
        iso_writers(h, list[e], &writers);
        if (writers == 0) {
            return true;
        }
    }
    return false;
}

/* Read o is not consistent. Returns whether it offends in the claimed way. If elements repeat, any kind is accepted. */
static bool kind_fits(const iso_verifier *v, uint32_t o, uint32_t other) {
    const isolab_history *h = v->h;
    offence_kind kind = v->claim->offence;
    uint32_t t = h->op_txn[o];
    if (kind > OFFENCE_INTERMEDIATE || kind == OFFENCE_THIN_AIR || !h->unique) {
        return kind <= OFFENCE_INTERMEDIATE && (!h->unique || (other == ISO_NONE && is_thin_air(h, o)));
    }
    if (other == ISO_NONE || !appends(h, other, h->op_key[o])) {
        return false;
    }
    uint32_t u = h->op_txn[other], last;
    switch (kind) {
    case OFFENCE_ABORTED:
        return h->txn_status[u] == ISO_ABORTED && u != t && times_shown(h, o, h->op_version[other]) > 0;
    case OFFENCE_FUTURE:
        return u == t && other > o && times_shown(h, o, h->op_version[other]) > 0;
    case OFFENCE_INTERMEDIATE:
        last = iso_list_source(h, o);
        return last < other && u != t && h->op_txn[last] == u;
    default:
        return u == t && other < o && misses_own(v, o);
    }
}

void iso_verify_list_offence(const iso_verifier *v) {
    const iso_claim *c = v->claim;
    const isolab_history *h = v->h;
    uint32_t o = c->offence_op, other = c->offence_other;
    bool two = other != ISO_NONE && iso_asks(v, ISO_RULE_ORDER), good;
    switch (c->offence) {
    case OFFENCE_DUPLICATE:
        good = two && h->op_kind[other] == ISO_APPEND && is_duplicate(h, o, other);
        break;
    case OFFENCE_INCOMPATIBLE:
        good = two && h->op_kind[other] == ISO_LIST_READ && v->in[h->op_txn[other]] && is_incompatible(h, o, other);
        break;
    case OFFENCE_LOST:
        good = two && h->op_kind[other] == ISO_APPEND && is_lost(h, o, other);
        break;
    default: /* the kinds of read consistency */
        good = iso_asks(v, ISO_RULE_INT) && !iso_list_consistent(v, o) && kind_fits(v, o, other);
    }
    if (!good) {
        iso_refuse(v, "list read %u does not offend in this way", o);
    }
}
