/* Packs several histories into one. See iso_adapter_pack() in adapters.h.
 *
 * Nothing relates two members: they have no key, no value and no session in common. So every relation of the pack is
 * the union of those of its members, a cycle is in one of them, and orders of all members, one after the other, are an
 * order of the pack. All values are larger than all keys, because some tools name an initial value by its key alone. */
#include "experiments/asking/adapters.h"

typedef struct packing {
    iso_pool *pool;
    iso_builder *b;
    const isolab_history *h; /* the member that is being added */
    uint64_t key, value;     /* the first numbers of its keys and versions */
} packing;

static iso_atom value_of(const packing *p, uint32_t version) {
    return iso_version_is_initial(p->h, version) ? iso_atom_nil() : iso_atom_uint(p->value + version);
}

static void add_op(packing *p, uint32_t txn, uint32_t o) {
    const isolab_history *h = p->h;
    uint32_t key = iso_builder_key(p->b, iso_atom_uint(p->key + h->op_key[o]));
    if (h->op_kind[o] != ISO_LIST_READ) {
        iso_builder_op(p->b, txn, (iso_op_kind)h->op_kind[o], key, value_of(p, h->op_version[o]));
        return;
    }
    uint32_t first = h->list_first[h->op_version[o]], n = h->list_first[h->op_version[o] + 1] - first;
    iso_atom *element = ISO_NEW(p->pool, iso_atom, n);
    for (uint32_t e = 0; e < n; e++) {
        element[e] = value_of(p, h->list_version[first + e]);
    }
    iso_builder_list_read(p->b, txn, key, element, n);
    iso_free(p->pool, element);
}

static void add_member(packing *p) {
    const isolab_history *h = p->h;
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        uint32_t session = iso_builder_session(p->b, iso_atom_nil());
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
            iso_tick(p->pool->env);
            uint32_t txn = iso_builder_txn(p->b, session, iso_atom_nil(), (iso_status)h->txn_status[t]);
            if (h->txn_start != NULL) {
                iso_builder_times(p->b, txn, h->txn_start[t], h->txn_end[t]);
            }
            for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
                add_op(p, txn, o);
            }
        }
    }
}

isolab_history *iso_adapter_pack(iso_pool *pool, const isolab_history *const *told, size_t n) {
    packing p = {.pool = pool, .b = iso_builder_new(pool), .key = 1, .value = 1};
    for (size_t i = 0; i < n; i++) {
        p.value += told[i]->n_keys;
    }
    for (size_t i = 0; i < n; i++) {
        p.h = told[i];
        add_member(&p);
        p.key += told[i]->n_keys;
        p.value += told[i]->n_versions;
    }
    return iso_builder_finish(p.b);
}

bool iso_adapter_packs(const iso_adapter *adapter, const isolab_history *h, iso_level level) {
    return iso_adapter_is(adapter->pack, "yes") && (h->txn_start == NULL || !iso_level_is_timed(level));
}
