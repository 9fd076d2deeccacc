/* See dbcop_initial.h. */
#include "formats/dbcop_initial.h"

#include "history/builder.h"
#include "history/initial.h"

static bool is_zero(iso_atom a) { return iso_atom_equal(a, iso_atom_int(0)); }

void iso_dbcop_settle(iso_pool *pool, iso_builder *b) {
    iso_op_columns *c = iso_builder_room(b, 0);
    uint32_t n_keys = 0;
    for (uint64_t i = 0; i < c->n; i++) {
        n_keys = c->key[i] >= n_keys ? c->key[i] + 1 : n_keys;
    }
    uint8_t *written = ISO_ZNEW(pool, uint8_t, n_keys); /* by key: 0 is written */
    for (int turn = 0; turn < 2; turn++) {
        for (uint64_t i = 0; i < c->n; i++) {
            iso_tick(pool->env);
            if (!is_zero((iso_atom){c->value_bits[i], c->value_kind[i]})) {
                continue;
            }
            if (turn == 0) {
                written[c->key[i]] |= c->kind[i] == ISO_WRITE;
            } else if (!written[c->key[i]]) {
                c->value_kind[i] = ISO_ATOM_NIL;
            }
        }
    }
    iso_free(pool, written);
}

/* Returns whether the version is a 0 that only reads have. */
static bool reads_as_initial(const isolab_history *h, uint32_t version) {
    uint32_t n;
    if (h->key_is_list[h->version_key[version]] || !is_zero(iso_version_value(h, version))) {
        return false;
    }
    iso_writers(h, version, &n);
    return n == 0;
}

void iso_dbcop_numbers(iso_numbers *n, const isolab_history *h, int64_t min) {
    bool any =
        iso_initial_begins_registers(h, iso_atom_int(0)); /* a reader would take it for the initial transaction */
    for (uint32_t v = 0; v < h->n_versions; v++) {
        any |= reads_as_initial(h, v);
    }
    iso_numbers_init(n, h, min, UINT64_MAX, any ? iso_atom_int(0) : iso_atom_nil());
}

iso_atom iso_dbcop_version(const iso_numbers *n, uint32_t op) {
    const isolab_history *h = n->h;
    uint32_t version = h->op_version[op];
    if (!iso_version_is_initial(h, version)) {
        return iso_number_of_version(n, version);
    }
    return h->op_kind[op] == ISO_READ ? iso_atom_nil() : iso_atom_uint(n->value_base + version);
}

void iso_dbcop_survey(const isolab_history *h, int64_t min, iso_losses *losses) {
    iso_numbers n;
    iso_dbcop_numbers(&n, h, min);
    iso_losses_add(losses, &n.losses);
    losses->count[ISO_LOSS_LISTS] += iso_count_list_ops(h);
    losses->count[ISO_LOSS_INDETERMINATE] += h->n_indeterminate;
    losses->count[ISO_LOSS_TIMES] += iso_count_timed(h);
    losses->count[ISO_LOSS_NAMES] += iso_count_named_txns(h) + iso_count_named_sessions(h);
    for (uint32_t o = 0; o < h->n_ops; o++) {
        losses->count[ISO_LOSS_INITIAL] += h->op_kind[o] == ISO_WRITE && iso_version_is_initial(h, h->op_version[o]);
    }
}
