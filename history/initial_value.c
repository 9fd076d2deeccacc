/* Finds the number at which the registers of a history seem to begin. See initial.h. */
#include "history/initial.h"
#include "history/resolve.h"

/* Returns whether a read of a register in an included transaction returned what no transaction wrote. */
static bool is_unwritten(const isolab_history *h, uint32_t o) {
    return h->op_kind[o] == ISO_READ && !iso_op_is_negation(h, o) && h->version_writer[h->op_version[o]] == ISO_NONE &&
           h->txn_counts[h->op_txn[o]] == ISO_INCLUDED;
}

iso_atom iso_initial_number(iso_pool *pool, const isolab_history *h, uint32_t *n_keys) {
    *n_keys = 0;
    if (!iso_any_unwritten(h)) { /* most histories */
        return iso_atom_nil();
    }
    uint32_t *session = ISO_NEW(pool, uint32_t, h->n_keys); /* by key: the last one that accessed it */
    uint8_t *seen = ISO_ZNEW(pool, uint8_t, h->n_keys);     /* 1: an unwritten value; 2: first in a session */
    iso_atom value = iso_atom_nil();
    uint32_t n_reads = 0;
    bool one = h->initial.kind == ISO_ATOM_NIL && h->taken.n_txns == 0;
    for (uint32_t k = 0; k < h->n_keys; k++) {
        session[k] = ISO_NONE;
    }
    for (uint32_t o = 0; o < h->n_ops && one; o++) {
        uint32_t k = h->op_key[o], s = h->txn_session[h->op_txn[o]];
        if (is_unwritten(h, o)) {
            iso_atom now = iso_version_value(h, h->op_version[o]);
            one = now.kind == ISO_ATOM_INT && (value.kind == ISO_ATOM_NIL || iso_atom_equal(now, value));
            value = now;
            n_reads++;
            seen[k] |= session[k] == s ? 1 : 3;
        } else if (h->op_kind[o] == ISO_READ && h->version_kind[h->op_version[o]] == ISO_ATOM_NIL) {
            one = false;
        }
        session[k] = s;
    }
    for (uint32_t k = 0; k < h->n_keys; k++) {
        one = one && seen[k] != 1;
        *n_keys += seen[k] != 0;
    }
    iso_free(pool, session);
    iso_free(pool, seen);
    one = one && (*n_keys > 1 || (h->n_keys == 1 && (n_reads > 1 || value.bits == 0)));
    return one ? value : iso_atom_nil();
}
