/* See equal.h. */
#include "tests/equal.h"

#include <stdio.h>
#include <string.h>

static bool same_atom(const isolab_history *a, iso_atom x, const isolab_history *b, iso_atom y) {
    if (x.kind != y.kind || iso_atom_excluded(x).kind != ISO_ATOM_STRING) {
        return iso_atom_equal(x, y);
    }
    uint64_t m, n;
    const char *s = iso_string(a, x.bits, &m), *t = iso_string(b, y.bits, &n);
    return m == n && memcmp(s, t, m) == 0;
}

static bool same_name(const isolab_history *a, iso_atom x, const isolab_history *b, iso_atom y) {
    return x.kind == ISO_ATOM_NIL || y.kind == ISO_ATOM_NIL || same_atom(a, x, b, y);
}

static int64_t instant(const int64_t *column, uint32_t t) { return column == NULL ? ISO_NO_TIME : column[t]; }

static bool same_op(const isolab_history *a, const isolab_history *b, uint32_t o) {
    if (a->op_kind[o] != b->op_kind[o] || !same_atom(a, a->key_name[a->op_key[o]], b, b->key_name[b->op_key[o]])) {
        return false;
    }
    uint32_t v = a->op_version[o], w = b->op_version[o];
    if (a->op_kind[o] != ISO_LIST_READ) {
        return same_atom(a, iso_version_value(a, v), b, iso_version_value(b, w));
    }
    uint32_t n = a->list_first[v + 1] - a->list_first[v];
    if (b->list_first[w + 1] - b->list_first[w] != n) {
        return false;
    }
    for (uint32_t e = 0; e < n; e++) {
        if (!same_atom(a, iso_version_value(a, a->list_version[a->list_first[v] + e]), b,
                       iso_version_value(b, b->list_version[b->list_first[w] + e]))) {
            return false;
        }
    }
    return true;
}

bool iso_history_equal(const isolab_history *a, const isolab_history *b, char *why, size_t size) {
    const char *what = NULL;
    uint32_t at = 0;
    if (a->n_sessions != b->n_sessions || a->n_txns != b->n_txns || a->n_ops != b->n_ops) {
        what = "the number of sessions, transactions or operations";
    }
    for (uint32_t s = 0; what == NULL && s < a->n_sessions; s++) {
        at = s;
        if (a->session_txn[s + 1] != b->session_txn[s + 1]) {
            what = "the number of transactions of session";
        } else if (!same_name(a, a->session_name[s], b, b->session_name[s])) {
            what = "the name of session";
        }
    }
    for (uint32_t t = 0; what == NULL && t < a->n_txns; t++) {
        at = t;
        if (a->txn_status[t] != b->txn_status[t]) {
            what = "the status of transaction";
        } else if (a->txn_op[t + 1] != b->txn_op[t + 1]) {
            what = "the number of operations of transaction";
        } else if (!same_name(a, iso_txn_name(a, t), b, iso_txn_name(b, t))) {
            what = "the name of transaction";
        } else if (instant(a->txn_start, t) != instant(b->txn_start, t) ||
                   instant(a->txn_end, t) != instant(b->txn_end, t)) {
            what = "the times of transaction";
        }
    }
    for (uint32_t o = 0; what == NULL && o < a->n_ops; o++) {
        at = o;
        if (!same_op(a, b, o)) {
            what = "operation";
        }
    }
    if (what == NULL && a->n_notes != b->n_notes) {
        what = "the number of notes:";
        at = a->n_notes;
    }
    for (uint32_t i = 0; what == NULL && i < a->n_notes; i++) {
        at = i;
        const iso_note *x = &a->notes[i], *y = &b->notes[i];
        if (x->start != y->start || x->end != y->end || !same_name(a, x->text, b, y->text)) {
            what = "note";
        }
    }
    if (what != NULL && why != NULL) {
        snprintf(why, size, "%s %u differs", what, at);
    }
    return what == NULL;
}
