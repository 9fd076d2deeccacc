/* See changed.h. */
#include "tests/changed.h"

#include "history/builder.h"

/* Adds operation o with the result of another one. */
static void add(iso_pool *pool, iso_builder *b, uint32_t txn, const isolab_history *h, uint32_t o,
                uint32_t from) {
    uint32_t version = h->op_version[from];
    if (h->op_kind[o] != ISO_LIST_READ) {
        iso_builder_op(b, txn, (iso_op_kind)h->op_kind[o], h->op_key[o], iso_version_value(h, version));
        return;
    }
    uint32_t first = h->list_first[version], n = h->list_first[version + 1] - first;
    iso_atom *element = ISO_NEW(pool, iso_atom, n);
    for (uint32_t e = 0; e < n; e++) {
        element[e] = iso_version_value(h, h->list_version[first + e]);
    }
    iso_builder_list_read(b, txn, h->op_key[o], element, n);
}

isolab_history *iso_changed(iso_pool *pool, const isolab_history *h, iso_change change) {
    iso_builder *b = iso_builder_new(pool);
    for (uint32_t i = 0; i < h->n_strings; i++) { /* in this order strings keep their numbers */
        uint64_t length;
        const char *s = iso_string(h, i, &length);
        iso_builder_string(b, s, (size_t)length);
    }
    for (uint32_t k = 0; k < h->n_keys; k++) {
        iso_builder_key(b, h->key_name[k]);
    }
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        uint32_t session = iso_builder_session(b, h->session_name[s]);
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
            if (t == change.without_txn) {
                continue;
            }
            uint32_t to = iso_builder_txn(b, session, iso_txn_name(h, t), (iso_status)h->txn_status[t]);
            if (h->txn_start != NULL) {
                iso_builder_times(b, to, h->txn_start[t], h->txn_end[t]);
            }
            for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
                if (o != change.without_op) {
                    add(pool, b, to, h, o, o == change.op ? change.from : o);
                }
            }
        }
    }
    return iso_builder_finish(b);
}
