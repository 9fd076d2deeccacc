/* See rest.h. */
#include "history/rest.h"

#include "history/copy.h"

/* Returns whether some transaction that is left out writes the version. no_txn: by transaction. */
static bool may_be_gone(const isolab_history *h, const uint8_t *no_txn, uint32_t version) {
    uint32_t n;
    const uint32_t *writer = iso_writers(h, version, &n);
    for (uint32_t i = 0; i < n; i++) {
        if (no_txn[h->op_txn[writer[i]]]) {
            return true;
        }
    }
    return false;
}

/* Returns whether an operation of a remaining transaction is left out. */
static bool is_out(const isolab_history *h, const uint8_t *no_txn, const uint8_t *no_op, uint32_t op) {
    if (iso_is_write(h->op_kind[op]) || no_op[op]) {
        return !iso_is_write(h->op_kind[op]);
    }
    if (h->op_kind[op] == ISO_READ) {
        return may_be_gone(h, no_txn, h->op_version[op]);
    }
    for (uint32_t e = h->list_first[h->op_version[op]]; e < h->list_first[h->op_version[op] + 1]; e++) {
        if (may_be_gone(h, no_txn, h->list_version[e])) {
            return true;
        }
    }
    return false;
}

iso_rest iso_rest_of(iso_pool *pool, const isolab_history *h, const uint8_t *no_txn, const uint8_t *no_op) {
    iso_rest rest = {.op = ISO_NEW(pool, uint32_t, h->n_ops)};
    iso_builder *b = iso_builder_new(pool);
    uint32_t n = 0;
    iso_copy_names(b, h);
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        uint32_t session = iso_builder_session(b, h->session_name[s]);
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
            iso_tick(pool->env);
            uint32_t txn = iso_copy_txn(b, session, h, t);
            if (no_txn[t]) {
                iso_builder_status(b, txn, ISO_ABORTED);
                continue;
            }
            iso_builder_status(b, txn, h->txn_counts[t] == ISO_INCLUDED ? ISO_COMMITTED : (iso_status)h->txn_status[t]);
            for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
                if (!is_out(h, no_txn, no_op, o)) {
                    iso_copy_op(pool, b, txn, h, o, o);
                    rest.op[n++] = o;
                }
            }
        }
    }
    rest.h = iso_builder_finish(b);
    return rest;
}
