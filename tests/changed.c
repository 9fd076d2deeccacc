/* See changed.h. */
#include "tests/changed.h"

#include "history/copy.h"

isolab_history *iso_changed(iso_pool *pool, const isolab_history *h, iso_change change) {
    iso_builder *b = iso_builder_new(pool);
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
    return iso_builder_finish(b);
}
