/* A slice with the transactions that ran beside it. See shrink.h. */
#include <string.h>

#include "shrink/edit.h"
#include "shrink/shrink.h"

/* Is the transaction t of h in the slice? A session has no two transactions of one time. */
static bool is_kept(const isolab_history *h, const isolab_history *slice, uint32_t t) {
    iso_atom session = h->session_name[h->txn_session[t]];
    for (uint32_t s = 0; s < slice->n_txns; s++) {
        iso_atom other = slice->session_name[slice->txn_session[s]];
        if (h->txn_start[t] == slice->txn_start[s] && h->txn_end[t] == slice->txn_end[s] &&
            session.kind == other.kind && session.bits == other.bits) {
            return true;
        }
    }
    return false;
}

isolab_history *iso_with_company(iso_pool *pool, const isolab_history *h, const isolab_history *slice) {
    if (!h->has_times || !slice->has_times) {
        return NULL;
    }
    uint8_t *no_txn = ISO_ZNEW(pool, uint8_t, h->n_txns), *no_op = ISO_ZNEW(pool, uint8_t, h->n_ops),
            *named = ISO_ZNEW(pool, uint8_t, h->n_keys);
    uint32_t added = 0;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        no_txn[t] = !is_kept(h, slice, t);
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1] && !no_txn[t]; op++) {
            named[h->op_key[op]] = 1;
        }
    }
    for (uint32_t t = 0; t < h->n_txns; t++) {
        bool overlaps = false, writes = false, out = no_txn[t] != 0;
        for (uint32_t s = 0; s < slice->n_txns && out; s++) {
            overlaps |= h->txn_start[t] < slice->txn_end[s] && slice->txn_start[s] < h->txn_end[t];
        }
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1] && overlaps; op++) {
            no_op[op] = !named[h->op_key[op]] || !iso_is_write(h->op_kind[op]);
            writes |= !no_op[op];
        }
        no_txn[t] = out && !writes;
        added += out && writes;
    }
    iso_edit e = ISO_NO_EDIT;
    e.no_txn = no_txn;
    e.no_op = no_op;
    e.orphans = true;
    e.slice = true;
    return added == 0 ? NULL : iso_edited(pool, h, &e);
}
