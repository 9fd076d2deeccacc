/* Patterns of single reads and single transactions: a to f, j, and contradictions between list reads. */
#include <string.h>

#include "checkers/anomaly.h"
#include "checkers/plume/plume.h"
#include "history/read_consistency.h"

bool iso_plume_keep(iso_plume *p, iso_anomaly_kind kind) {
    if (!iso_plume_enough(p) && iso_result_has_room(p->result, p->question->limit)) {
        return true;
    }
    if (p->question->all) {
        p->result->seen[kind]++;
    }
    return false;
}

static void report_read(iso_plume *p, iso_anomaly_kind kind, uint32_t op, uint32_t other) {
    if (iso_plume_keep(p, kind)) {
        iso_result_anomaly(p->result, (iso_anomaly){.kind = (uint8_t)kind, .op = op, .other_op = other});
    }
}

/* ---- a to f ---- */

static void offence(void *arg, iso_int_kind kind, uint32_t read_op, uint32_t other_op) {
    iso_plume *p = arg;
    if (p->dropped == NULL) {
        p->dropped = ISO_ZNEW(p->pool, uint64_t, (size_t)p->h->n_ops / 64 + 1);
    }
    iso_plume_set(p->dropped, read_op);
    /* the kinds of INT are in the order of the patterns */
    if (p->patterns & ISO_TAP_BIT(ISO_TAP_A + (int)kind)) {
        report_read(p, iso_anomaly_of_int(kind), read_op, other_op);
    }
}

void iso_plume_offences(iso_plume *p) { iso_check_int(p->h, p->pool, offence, p); }

/* ---- j ---- */

/* Returns the transaction that a read reads from if it is another included one; else ISO_NONE. Offending reads also
 * count. */
static uint32_t source_of(const iso_plume *p, uint32_t op) {
    const isolab_history *h = p->h;
    uint32_t w = h->op_writer[op];
    if (h->op_kind[op] != ISO_READ || w >= h->n_ops) {
        return h->op_kind[op] == ISO_READ ? w : ISO_NONE; /* ISO_INIT, or ISO_NONE for thin air */
    }
    uint32_t t = h->op_txn[w];
    return t == h->op_txn[op] || !iso_plume_in(p, t) ? ISO_NONE : t;
}

/* Returns the next element of a list, from `at` on, that the reader did not append itself. */
static uint32_t foreign(const isolab_history *h, uint32_t t, uint32_t at, uint32_t end) {
    for (; at < end; at++) {
        uint32_t w = h->version_writer[h->list_version[at]];
        if (w >= h->n_ops || h->op_txn[w] != t) {
            break;
        }
    }
    return at;
}

/* Returns whether two reads of one key by one transaction show the same state of other transactions. Lists are compared
 * by elements, registers by writer. */
static bool same(const iso_plume *p, uint32_t a, uint32_t b) {
    const isolab_history *h = p->h;
    if (h->op_kind[a] == ISO_READ) {
        return source_of(p, a) == source_of(p, b);
    }
    uint32_t t = h->op_txn[a], i = h->list_first[h->op_version[a]], j = h->list_first[h->op_version[b]];
    uint32_t i_end = h->list_first[h->op_version[a] + 1], j_end = h->list_first[h->op_version[b] + 1];
    for (;; i++, j++) {
        iso_tick(p->pool->env);
        i = foreign(h, t, i, i_end);
        j = foreign(h, t, j, j_end);
        if (i == i_end || j == j_end) {
            return i == i_end && j == j_end;
        }
        if (h->list_version[i] != h->list_version[j]) {
            return false;
        }
    }
}

static bool counts(const iso_plume *p, uint32_t op) {
    return p->h->op_kind[op] == ISO_LIST_READ || source_of(p, op) != ISO_NONE;
}

/* Reports all pairs of one transaction: the first reads of every two different states of a key. */
static void report_pairs(iso_plume *p, uint32_t t, uint32_t *first) {
    const isolab_history *h = p->h;
    uint32_t n = 0;
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        if (!counts(p, o)) {
            continue;
        }
        bool again = false;
        for (uint32_t i = 0; i < n && !again; i++) {
            iso_tick(p->pool->env);
            again = h->op_key[first[i]] == h->op_key[o] && same(p, first[i], o);
        }
        for (uint32_t i = 0; i < n && !again; i++) {
            if (h->op_key[first[i]] == h->op_key[o]) {
                report_read(p, ISO_A_NON_REPEATABLE_READ, o, first[i]);
            }
        }
        if (!again) {
            first[n++] = o;
        }
    }
}

void iso_plume_unrepeatable(iso_plume *p) {
    const isolab_history *h = p->h;
    uint32_t *before = ISO_ZNEW(p->pool, uint32_t, h->n_keys); /* 1 + the last read of the key */
    uint32_t longest = 0;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        uint32_t n = h->txn_op[t + 1] - h->txn_op[t];
        longest = n > longest ? n : longest;
    }
    uint32_t *first = ISO_NEW(p->pool, uint32_t, longest);
    for (uint32_t t = 0; t < h->n_txns && !iso_plume_enough(p); t++) {
        bool differ = false;
        for (uint32_t o = h->txn_op[t]; iso_plume_in(p, t) && o < h->txn_op[t + 1]; o++) {
            iso_tick(p->pool->env);
            if (!counts(p, o)) {
                continue;
            }
            uint32_t b = before[h->op_key[o]];
            differ = differ || (b > h->txn_op[t] && !same(p, b - 1, o));
            before[h->op_key[o]] = o + 1;
        }
        if (differ) {
            report_pairs(p, t, first);
        }
    }
    iso_free(p->pool, before);
    iso_free(p->pool, first);
}

/* ---- lists ---- */

static void contradiction(void *arg, const iso_list_fault *f) {
    static const uint8_t kind[] = {[ISO_LIST_INCOMPATIBLE] = ISO_A_INCOMPATIBLE_ORDER,
                                   [ISO_LIST_DUPLICATE] = ISO_A_DUPLICATE_APPEND,
                                   [ISO_LIST_LOST] = ISO_A_LOST_ELEMENT};
    iso_plume *p = arg;
    if (p->patterns & ISO_TAP_BIT(ISO_TAP_G)) {
        report_read(p, (iso_anomaly_kind)kind[f->kind], f->read_op, f->other_op);
    }
}

void iso_plume_lists(iso_plume *p) {
    if (p->h->has_lists) {
        p->lists = iso_lists_infer(p->h, p->pool, contradiction, p);
    }
}
