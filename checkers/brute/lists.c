/* List reads by the definitions of docs/lists.md: the external part of a read, the conditions of INT on it, and rule 1:
 * the read shows the state of the list after the transaction that it reads from. */
#include "checkers/brute/brute.h"

/* Returns whether transaction txn appends this version in one of its operations [from, to). */
static bool own_append(const isolab_history *h, uint32_t txn, uint32_t version, uint32_t from, uint32_t to) {
    for (uint32_t o = h->txn_op[txn]; o < h->txn_op[txn + 1]; o++) {
        if (o >= from && o < to && h->op_kind[o] == ISO_APPEND && h->op_version[o] == version) {
            return true;
        }
    }
    return false;
}

/* Returns the last own append to the read's key before op; ISO_NONE: none. */
static uint32_t append_before(const isolab_history *h, uint32_t read, uint32_t op) {
    while (op-- > h->txn_op[h->op_txn[read]]) {
        if (h->op_kind[op] == ISO_APPEND && h->op_key[op] == h->op_key[read]) {
            return op;
        }
    }
    return ISO_NONE;
}

bool iso_brute_is_last_append(const isolab_history *h, uint32_t append, uint32_t *later) {
    *later = ISO_NONE;
    for (uint32_t o = append + 1; o < h->txn_op[h->op_txn[append] + 1]; o++) {
        if (h->op_kind[o] == ISO_APPEND && h->op_key[o] == h->op_key[append]) {
            *later = o;
        }
    }
    return *later == ISO_NONE;
}

/* Returns how an element of the external part offends if write w made it; ISO_A_KINDS: it does not. */
static iso_anomaly_kind element_offence(const isolab_history *h, uint32_t read, uint32_t w, bool last,
                                        uint32_t *other) {
    *other = w;
    if (w == ISO_NONE) {
        return ISO_A_THIN_AIR;
    }
    if (h->op_txn[w] == h->op_txn[read]) {
        if (w > read) {
            return ISO_A_FUTURE_READ;
        }
        *other = append_before(h, read, read);
        return ISO_A_NOT_MY_LAST_WRITE;
    }
    if (h->txn_counts[h->op_txn[w]] == ISO_EXCLUDED) {
        return ISO_A_ABORTED_READ;
    }
    return last && !iso_brute_is_last_append(h, w, other) ? ISO_A_INTERMEDIATE_READ : ISO_A_KINDS;
}

iso_anomaly_kind iso_brute_external_part(const isolab_history *h, iso_brute_read *read, uint32_t *other) {
    uint32_t first = h->list_first[h->op_version[read->op]], end = h->list_first[h->op_version[read->op] + 1];
    read->external = h->list_version + first;
    read->n_external = end - first;
    uint32_t own = append_before(h, read->op, read->op);
    iso_anomaly_kind worst = ISO_A_KINDS;
    for (; own != ISO_NONE; own = append_before(h, read->op, own)) {
        if (read->n_external == 0 || read->external[read->n_external - 1] != h->op_version[own]) {
            bool ends_in_own = end > first && own_append(h, h->op_txn[read->op], h->list_version[end - 1], 0, read->op);
            worst = ends_in_own ? ISO_A_NOT_MY_LAST_WRITE : ISO_A_NOT_MY_OWN_WRITE;
            *other = append_before(h, read->op, read->op);
            break;
        }
        read->n_external--;
    }
    for (uint32_t e = 0; e < read->n_external; e++) {
        uint32_t n, none = ISO_NONE, wrong = ISO_NONE;
        const uint32_t *writers = iso_writers(h, read->external[e], &n);
        iso_anomaly_kind mildest = ISO_A_THIN_AIR;
        for (uint32_t i = 0; i < (n == 0 ? 1 : n); i++) {
            uint32_t with;
            iso_anomaly_kind kind =
                element_offence(h, read->op, n == 0 ? none : writers[i], e + 1 == read->n_external, &with);
            if (kind >= mildest) {
                mildest = kind;
                wrong = with;
            }
        }
        if (mildest < worst) {
            worst = mildest;
            *other = wrong;
        }
    }
    return worst;
}

bool iso_brute_lists_differ(const isolab_history *h, const iso_brute_read *r1, const iso_brute_read *r2) {
    uint32_t txn = h->op_txn[r1->op];
    uint32_t i = h->list_first[h->op_version[r1->op]], i_end = h->list_first[h->op_version[r1->op] + 1];
    uint32_t j = h->list_first[h->op_version[r2->op]], j_end = h->list_first[h->op_version[r2->op] + 1];
    for (;; i++, j++) {
        while (i < i_end && own_append(h, txn, h->list_version[i], 0, UINT32_MAX)) {
            i++;
        }
        while (j < j_end && own_append(h, txn, h->list_version[j], 0, UINT32_MAX)) {
            j++;
        }
        if (i == i_end || j == j_end) {
            return i != i_end || j != j_end;
        }
        if (h->list_version[i] != h->list_version[j]) {
            return true;
        }
    }
}

bool iso_brute_list_fits(const iso_brute *b, const iso_brute_read *read, unsigned t1) {
    const isolab_history *h = b->h;
    uint32_t shown = 0;
    for (unsigned place = 0; b->order[place] != t1;) {
        uint32_t t = b->txn[b->order[++place]];
        for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
            if (h->op_kind[o] == ISO_APPEND && h->op_key[o] == read->key) {
                if (shown == read->n_external || read->external[shown] != h->op_version[o]) {
                    return false;
                }
                shown++;
            }
        }
    }
    return shown == read->n_external;
}
