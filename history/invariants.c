/* The invariants of the columns, for builds with assertions. See invariants.h. */
#include "history/invariants.h"

#include "base/assert.h"

#ifdef ISOLAB_ASSERT

static void check_txns(const isolab_history *h) {
    uint32_t n_status[3] = {0};
    iso_assert(h->session_txn[0] == 0 && h->session_txn[h->n_sessions] == h->n_txns);
    iso_assert(h->n_txns == 0 || (h->txn_op[0] == 0 && h->txn_op[h->n_txns] == h->n_ops));
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        iso_assert(h->session_txn[s] <= h->session_txn[s + 1]);
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
            iso_assert(h->txn_session[t] == s);
        }
    }
    for (uint32_t t = 0; t < h->n_txns; t++) {
        iso_assert(h->txn_op[t] <= h->txn_op[t + 1]);
        iso_assert(h->txn_status[t] <= ISO_INDETERMINATE && h->txn_counts[t] <= ISO_OPTIONAL);
        iso_assert((h->txn_status[t] != ISO_COMMITTED) | (h->txn_counts[t] == ISO_INCLUDED));
        iso_assert((h->txn_status[t] != ISO_ABORTED) | (h->txn_counts[t] == ISO_EXCLUDED));
        iso_assert(!h->unique || h->txn_counts[t] != ISO_OPTIONAL);
        n_status[h->txn_status[t]]++;
        for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
            iso_assert(h->op_txn[o] == t);
        }
    }
    iso_assert(n_status[ISO_COMMITTED] == h->n_committed && n_status[ISO_ABORTED] == h->n_aborted);
    iso_assert(n_status[ISO_INDETERMINATE] == h->n_indeterminate);
    iso_assert(h->first_txn == ISO_NONE || h->first_txn < h->n_txns);
    iso_assert((h->txn_start == NULL) == (h->txn_end == NULL));
}

/* Asserts that a writer of a version is one: a write of it, or none. */
static void check_writer(const isolab_history *h, uint32_t version, uint32_t writer) {
    if (writer < ISO_MANY) {
        iso_assert(writer < h->n_ops && iso_is_write(h->op_kind[writer]));
        iso_assert(iso_version_covers(h, version, h->op_version[writer]));
    } else {
        iso_assert(writer != ISO_MANY || h->writers_first != NULL);
        iso_assert(writer != ISO_INIT || iso_version_is_initial(h, version));
    }
}

static void check_ops(const isolab_history *h) {
    for (uint32_t o = 0; o < h->n_ops; o++) {
        uint32_t key = h->op_key[o], v = h->op_version[o], kind = h->op_kind[o];
        iso_assert(kind <= ISO_LIST_READ && key < h->n_keys);
        iso_assert((kind >= ISO_APPEND) == (h->key_is_list[key] != 0));
        iso_assert(kind < ISO_APPEND || h->has_lists);
        if (iso_is_write(h->op_kind[o])) {
            iso_assert(v < h->n_versions && h->version_key[v] == key && !iso_version_is_negation(h, v));
            iso_assert(h->op_writer[o] == ISO_NONE);
        } else if (kind == ISO_READ) {
            iso_assert(v < h->n_versions && h->version_key[v] == key);
            iso_assert(h->op_writer[o] == h->version_writer[v]);
        } else {
            iso_assert(v < h->n_lists);
            uint32_t end = h->list_first[v + 1];
            iso_assert(h->op_writer[o] ==
                       (h->list_first[v] == end ? ISO_INIT : h->version_writer[h->list_version[end - 1]]));
            for (uint32_t e = h->list_first[v]; e < end; e++) {
                iso_assert(h->list_version[e] < h->n_versions && h->version_key[h->list_version[e]] == key);
            }
        }
    }
}

static void check_versions(const isolab_history *h) {
    iso_assert(h->list_first[0] == 0);
    for (uint32_t l = 0; l < h->n_lists; l++) {
        iso_assert(h->list_first[l] <= h->list_first[l + 1]);
    }
    for (uint32_t v = 0; v < h->n_versions; v++) {
        iso_assert(h->version_key[v] < h->n_keys);
        iso_assert(!iso_version_is_negation(h, v) || h->version_not != NULL);
        iso_assert(h->version_not == NULL || h->version_not[v] == ISO_NONE || iso_version_is_negation(h, v));
        check_writer(h, v, h->version_writer[v]);
        if (h->writers_first == NULL) {
            continue;
        }
        uint32_t n, last = 0;
        const uint32_t *writer = iso_writers(h, v, &n);
        iso_assert((h->version_writer[v] == ISO_MANY) == (n + iso_version_is_initial(h, v) > 1));
        for (uint32_t i = 0; i < n; i++) {
            check_writer(h, v, writer[i]);
            iso_assert(i == 0 || last < writer[i]);
            last = writer[i];
        }
    }
}

static void check_unique(const isolab_history *h) {
    iso_assert(h->unique == (h->writers_first == NULL));
    iso_assert(!h->unique || (h->twin_b == ISO_NONE && h->version_not == NULL));
    iso_assert(h->unique || h->twin_b != ISO_NONE || h->version_not != NULL);
    if (h->twin_b != ISO_NONE) {
        uint32_t v = h->op_version[h->twin_b];
        iso_assert(iso_is_write(h->op_kind[h->twin_b]) && !iso_version_is_negation(h, v));
        iso_assert(h->twin_a == ISO_INIT ? iso_version_is_initial(h, v) : h->op_version[h->twin_a] == v);
        iso_assert(h->twin_a == ISO_INIT || h->twin_a < h->twin_b);
    }
}

void iso_history_check(const isolab_history *h) {
    check_txns(h);
    check_ops(h);
    check_versions(h);
    check_unique(h);
}

#endif
