/* What certificates may say by docs/certificates.md, for tests of the verifier: which transactions are included, which
 * write each read read from, and what lists show. It shares no code with verify/, and is slower. Histories
 * of at most 32 transactions. */
#ifndef ISOLAB_TESTS_REFERENCE_H
#define ISOLAB_TESTS_REFERENCE_H

#include <string.h>

#include "history/history.h"
#include "history/level.h"

typedef struct reference {
    const isolab_history *h;
    iso_level level;
    bool sessions; /* session order counts */
    bool in[32];   /* included, if there is no order */
} reference;

static inline bool ref_strong(const reference *r) {
    return r->level == ISO_PC || r->level == ISO_SI || r->level == ISO_SER || r->level == ISO_LSER ||
           r->level == ISO_SSER;
}
static inline bool ref_serial(const reference *r) {
    return r->level == ISO_SER || r->level == ISO_LSER || r->level == ISO_SSER;
}
static inline bool ref_has_order(const reference *r) { return r->level != ISO_INT && r->level != ISO_CI; }

static inline uint32_t ref_txn_of(const isolab_history *h, uint32_t w) { return w < h->n_ops ? h->op_txn[w] : w; }
static inline bool ref_is_read(const isolab_history *h, uint32_t o) {
    return h->op_kind[o] == ISO_READ || h->op_kind[o] == ISO_LIST_READ;
}
static inline bool ref_is_write(const isolab_history *h, uint32_t o, uint32_t key) {
    return !ref_is_read(h, o) && h->op_key[o] == key;
}
/* Does transaction t write the key, in operations [from, to)? The initial transaction writes all. */
static inline bool ref_writes_between(const isolab_history *h, uint32_t key, uint32_t from, uint32_t to) {
    bool any = false;
    for (uint32_t o = from; o < to; o++) {
        any = any || ref_is_write(h, o, key);
    }
    return any;
}
static inline bool ref_writes(const isolab_history *h, uint32_t t, uint32_t key) {
    return t == ISO_INIT || ref_writes_between(h, key, h->txn_op[t], h->txn_op[t + 1]);
}

/* Real time puts t before u: by the instants of both, and at lser only if they access a common key. */
static inline bool ref_in_time(const reference *r, uint32_t t, uint32_t u) {
    const isolab_history *h = r->h;
    bool meet = r->level == ISO_SSER;
    for (uint32_t o = h->txn_op[t]; r->level == ISO_LSER && o < h->txn_op[t + 1]; o++) {
        for (uint32_t p = h->txn_op[u]; p < h->txn_op[u + 1]; p++) {
            meet = meet || h->op_key[o] == h->op_key[p];
        }
    }
    return meet && h->txn_start != NULL && h->txn_end[t] != ISO_NO_TIME && h->txn_start[u] != ISO_NO_TIME &&
           h->txn_end[t] < h->txn_start[u];
}

/* Element e of a list read; ISO_NONE beyond its end. */
static inline uint32_t ref_element(const isolab_history *h, uint32_t read, uint32_t e) {
    uint32_t at = h->list_first[h->op_version[read]] + e;
    return at < h->list_first[h->op_version[read] + 1] ? h->list_version[at] : ISO_NONE;
}
static inline uint32_t ref_length(const isolab_history *h, uint32_t read) {
    return h->list_first[h->op_version[read] + 1] - h->list_first[h->op_version[read]];
}

static inline bool ref_is_initial(const isolab_history *h, uint32_t version) {
    return h->version_kind[version] == ISO_ATOM_NIL;
}
/* Is a write one of its version's writers? Those of excluded transactions are not, except the first where there are no
 * others. */
static inline bool ref_is_writer(const isolab_history *h, uint32_t w) {
    bool excluded = h->txn_counts[h->op_txn[w]] == ISO_EXCLUDED, other = ref_is_initial(h, h->op_version[w]);
    for (uint32_t o = 0; o < h->n_ops && excluded; o++) {
        other |= !ref_is_read(h, o) && h->op_version[o] == h->op_version[w] &&
                 (o < w || h->txn_counts[h->op_txn[o]] != ISO_EXCLUDED);
    }
    return !excluded || !other;
}

/* The writers of a version: how many, and the last of them. */
static inline uint32_t ref_writers(const isolab_history *h, uint32_t version, uint32_t *last) {
    uint32_t n = 0;
    *last = ISO_NONE;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        if (!ref_is_read(h, o) && h->op_version[o] == version && ref_is_writer(h, o)) {
            n++;
            *last = o;
        }
    }
    return n;
}
/* The one write of a version; ISO_NONE: none, several, or the initial transaction wrote it too. */
static inline uint32_t ref_only_write(const isolab_history *h, uint32_t version) {
    uint32_t last, n = ref_writers(h, version, &last);
    return n == 1 && !ref_is_initial(h, version) ? last : ISO_NONE;
}

/* The length of the part of a list that the reader did not append itself; -1: it does not end in the reader's
 * appends. */
static inline int ref_external(const isolab_history *h, uint32_t read) {
    uint32_t own[64], n = 0, length = ref_length(h, read);
    for (uint32_t o = h->txn_op[h->op_txn[read]]; o < read; o++) {
        if (ref_is_write(h, o, h->op_key[read])) {
            own[n++] = h->op_version[o];
        }
    }
    if (n > length) {
        return -1;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (ref_element(h, read, length - n + i) != own[i]) {
            return -1;
        }
    }
    return (int)(length - n);
}

/* May a read have got its value (a list: its last element of others) from a write, or the initial transaction? */
static inline bool ref_may_read(const reference *r, uint32_t read, uint32_t w) {
    const isolab_history *h = r->h;
    uint32_t t = h->op_txn[read], key = h->op_key[read];
    bool list = h->op_kind[read] == ISO_LIST_READ;
    if (list && r->level == ISO_CI) { /* which compares lists, not their writers */
        return false;
    }
    int external = list ? ref_external(h, read) : 0;
    uint32_t version = !list          ? h->op_version[read]
                       : external > 0 ? ref_element(h, read, (uint32_t)external - 1)
                                      : ISO_NONE;
    if (w == ISO_INIT ? (list ? external != 0 : !ref_is_initial(h, version))
                      : w >= h->n_ops || ref_is_read(h, w) || h->op_version[w] != version || !ref_is_writer(h, w)) {
        return false;
    }
    if (r->level == ISO_CI) {
        return true;
    }
    if (!list && w != ISO_INIT && h->op_txn[w] == t) { /* its own latest write */
        return w < read && !ref_writes_between(h, key, w + 1, read);
    }
    if (!list && ref_writes_between(h, key, h->txn_op[t], read)) {
        return false;
    }
    return w == ISO_INIT || (h->op_txn[w] != t && h->txn_status[h->op_txn[w]] != ISO_ABORTED &&
                             !ref_writes_between(h, key, w + 1, h->txn_op[h->op_txn[w] + 1]));
}

/* How many writes a read may have taken, and the last of them. */
static inline uint32_t ref_takes(const reference *r, uint32_t read, uint32_t *last) {
    uint32_t n = ref_may_read(r, read, ISO_INIT);
    *last = ISO_INIT;
    for (uint32_t w = 0; w < r->h->n_ops; w++) {
        if (ref_may_read(r, read, w)) {
            n++;
            *last = w;
        }
    }
    return n;
}

/* The write that a read surely read from: no other write of that value could have been read, because there is none, or
 * by read consistency (which ci does not ask for). ISO_INIT; ISO_NONE: not known. */
static inline uint32_t ref_sure_write(const reference *r, uint32_t read) {
    const isolab_history *h = r->h;
    uint32_t w, version = h->op_version[read];
    if (!ref_is_read(h, read)) {
        return ISO_NONE;
    }
    if (h->op_kind[read] == ISO_LIST_READ) {
        int external = ref_external(h, read);
        w = external > 0 ? ref_only_write(h, ref_element(h, read, (uint32_t)external - 1)) : ISO_NONE;
        return external == 0 ? ISO_INIT : w != ISO_NONE && h->op_txn[w] != h->op_txn[read] ? w : ISO_NONE;
    }
    uint32_t n = ref_writers(h, version, &w) + ref_is_initial(h, version);
    if (n == 1) {
        return ref_is_initial(h, version) ? ISO_INIT : w;
    }
    return n > 1 && r->level != ISO_CI && ref_takes(r, read, &w) == 1 ? w : ISO_NONE;
}

/* Computes the included transactions: the committed ones, and the indeterminate ones from which an included one
 * certainly read. */
static inline reference reference_of(const isolab_history *h, iso_level level, bool sessions) {
    reference r = {.h = h, .level = level, .sessions = sessions};
    for (uint32_t t = 0; t < h->n_txns; t++) {
        r.in[t] = h->txn_status[t] == ISO_COMMITTED;
    }
    for (bool more = true; more;) {
        more = false;
        for (uint32_t o = 0; o < h->n_ops; o++) {
            bool list = h->op_kind[o] == ISO_LIST_READ;
            for (uint32_t e = 0; ref_is_read(h, o) && r.in[h->op_txn[o]] && e < (list ? ref_length(h, o) : 1); e++) {
                uint32_t w = ref_only_write(h, list ? ref_element(h, o, e) : h->op_version[o]);
                if (w != ISO_NONE && h->txn_status[h->op_txn[w]] == ISO_INDETERMINATE && !r.in[h->op_txn[w]]) {
                    r.in[h->op_txn[w]] = more = true;
                }
            }
        }
    }
    return r;
}
static inline bool ref_part(const reference *r, uint32_t t) { return t == ISO_INIT || r->in[t]; }

/* ---- lists ---- */

/* Does a list read show an element of from before one of to, in the part of others; or none of to, which appends to it?
 * An element that several appended is of none of them, and might be of to. */
static inline bool ref_list_orders(const reference *r, uint32_t read, uint32_t from, uint32_t to) {
    const isolab_history *h = r->h;
    if (h->op_kind[read] != ISO_LIST_READ || from >= h->n_txns || to >= h->n_txns || from == to || r->level < ISO_G1) {
        return false;
    }
    int length = ref_external(h, read), first = -1, last = -1;
    bool shared = false;
    for (int e = 0; e < length; e++) {
        uint32_t w = ref_only_write(h, ref_element(h, read, (uint32_t)e));
        shared = shared || w == ISO_NONE;
        if (w != ISO_NONE && h->op_txn[w] == from && first < 0) {
            first = e;
        }
        if (w != ISO_NONE && h->op_txn[w] == to) {
            last = e;
        }
    }
    return first >= 0 && ref_writes(h, to, h->op_key[read]) && (last >= 0 ? first < last : !shared);
}

/* Does a list show an element twice that was appended once, by this? */
static inline bool ref_duplicate(const isolab_history *h, uint32_t read, uint32_t append) {
    uint32_t n = 0;
    for (uint32_t e = 0; e < ref_length(h, read); e++) {
        n += ref_element(h, read, e) == h->op_version[append];
    }
    return n > 1 && ref_only_write(h, h->op_version[append]) == append;
}

/* Does a list show an element of the transaction of this append, and not all of them together in program order? */
static inline bool ref_lost(const isolab_history *h, uint32_t read, uint32_t append) {
    uint32_t t = h->op_txn[append], key = h->op_key[read], n = 0, block[64];
    int length = ref_external(h, read), first = -1;
    if (h->op_key[append] != key || t == h->op_txn[read]) {
        return false;
    }
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        if (ref_is_write(h, o, key)) {
            block[n++] = h->op_version[o];
            if (ref_only_write(h, h->op_version[o]) != o) {
                return false; /* what others appended too has no place of its own */
            }
        }
    }
    for (int e = 0; e < length && first < 0; e++) {
        for (uint32_t i = 0; i < n; i++) {
            first = first < 0 && ref_element(h, read, (uint32_t)e) == block[i] ? e : first;
        }
    }
    bool torn = false;
    for (uint32_t i = 0; first >= 0 && i < n; i++) {
        uint32_t e = (uint32_t)first + i;
        torn = torn || e >= (uint32_t)length || ref_element(h, read, e) != block[i];
    }
    return torn;
}

/* Do the parts of others of two list reads of a key have a different element in one place? */
static inline bool ref_incompatible(const isolab_history *h, uint32_t a, uint32_t b) {
    int m = ref_external(h, a), n = ref_external(h, b);
    bool differ = false;
    for (int e = 0; e < m && e < n; e++) {
        differ = differ || ref_element(h, a, (uint32_t)e) != ref_element(h, b, (uint32_t)e);
    }
    return h->op_key[a] == h->op_key[b] && differ;
}

/* The elements of a list that its reader appends nowhere. */
static inline uint32_t ref_foreign(const isolab_history *h, uint32_t read, uint32_t *out) {
    uint32_t n = 0, t = h->op_txn[read];
    for (uint32_t e = 0; e < ref_length(h, read); e++) {
        bool own = false;
        for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
            own = own || (!ref_is_read(h, o) && h->op_version[o] == ref_element(h, read, e));
        }
        if (!own) {
            out[n++] = ref_element(h, read, e);
        }
    }
    return n;
}
static inline bool ref_lists_differ(const isolab_history *h, uint32_t a, uint32_t b) {
    uint32_t one[64], two[64], m = ref_foreign(h, a, one), n = ref_foreign(h, b, two);
    return m != n || memcmp(one, two, n * sizeof *one) != 0;
}

/* Read consistency of a list: it ends in the reader's own appends; every other element is of an append of another
 * transaction that is not aborted; and the last of them is the last append of its transaction. */
static inline bool ref_list_consistent(const reference *r, uint32_t read) {
    const isolab_history *h = r->h;
    int length = ref_external(h, read);
    for (int e = 0; e < length; e++) {
        bool any = false;
        for (uint32_t w = 0; w < h->n_ops; w++) {
            uint32_t t = h->op_txn[w];
            any = any || (!ref_is_read(h, w) && h->op_version[w] == ref_element(h, read, (uint32_t)e) &&
                          t != h->op_txn[read] && h->txn_status[t] != ISO_ABORTED &&
                          !(e + 1 == length && ref_writes_between(h, h->op_key[w], w + 1, h->txn_op[t + 1])));
        }
        if (!any) {
            return false;
        }
    }
    return length >= 0;
}

#endif
