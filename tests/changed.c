/* See changed.h. */
#include "tests/changed.h"

#include "history/copy.h"

/* Copies the writes of the committed transactions into aborted ones. */
static void abort_all(iso_pool *pool, iso_builder *b, const isolab_history *h) {
    uint32_t session = iso_builder_session(b, iso_atom_nil());
    for (uint32_t t = 0; t < h->n_txns; t++) {
        if (h->txn_status[t] == ISO_COMMITTED) {
            uint32_t to = iso_builder_txn(b, session, iso_atom_nil(), ISO_ABORTED);
            for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
                if (iso_is_write(h->op_kind[o])) {
                    iso_copy_op(pool, b, to, h, o, o);
                }
            }
        }
    }
}

static isolab_history *copy(iso_pool *pool, iso_builder *b, const isolab_history *h, iso_change change) {
    iso_copy_names(b, h);
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        uint32_t session = iso_builder_session(b, h->session_name[s]);
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
            if (t == change.without_txn) {
                continue;
            }
            uint32_t to = iso_copy_txn(b, session, h, t);
            for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
                if (o != change.without_op) {
                    iso_copy_op(pool, b, to, h, o, o == change.op ? change.from : o);
                }
            }
        }
    }
    if (change.retried) {
        abort_all(pool, b, h);
    }
    return iso_builder_finish(b);
}

isolab_history *iso_changed(iso_pool *pool, const isolab_history *h, iso_change change) {
    return copy(pool, iso_builder_new(pool), h, change);
}

isolab_history *iso_begun_at(iso_pool *pool, const isolab_history *h, int64_t value) {
    iso_builder *b = iso_builder_new(pool);
    iso_builder_initial(b, iso_atom_int(value));
    return copy(pool, b, h, (iso_change){ISO_NONE, ISO_NONE, ISO_NONE, ISO_NONE, false});
}

isolab_history *iso_retried(iso_pool *pool, const isolab_history *h) {
    return copy(pool, iso_builder_new(pool), h, (iso_change){ISO_NONE, ISO_NONE, ISO_NONE, ISO_NONE, true});
}
