/* See copy.h. */
#include "history/copy.h"

#include <string.h>

#include "history/about.h"

void iso_copy_names(iso_builder *b, const isolab_history *h) {
    for (uint32_t i = 0; i < h->n_strings; i++) {
        uint64_t length;
        const char *s = iso_string(h, i, &length);
        iso_builder_string(b, s, (size_t)length);
    }
    for (uint32_t k = 0; k < h->n_keys; k++) {
        iso_builder_key(b, h->key_name[k]);
    }
}

uint32_t iso_copy_txn(iso_builder *b, uint32_t session, const isolab_history *h, uint32_t txn) {
    uint32_t to = iso_builder_txn(b, session, iso_txn_name(h, txn), (iso_status)h->txn_status[txn]);
    if (h->txn_start != NULL) {
        iso_builder_times(b, to, h->txn_start[txn], h->txn_end[txn]);
        iso_builder_time_unit(b, (iso_time_unit)h->time_unit);
    }
    iso_builder_place(b, to, h->txn_line != NULL ? h->txn_line[txn] : ISO_NONE,
                      h->txn_index != NULL ? h->txn_index[txn] : ISO_NONE);
    return to;
}

void iso_copy_op(iso_pool *scratch, iso_builder *b, uint32_t txn, const isolab_history *h, uint32_t op, uint32_t from) {
    uint32_t version = h->op_version[from], key = iso_builder_key(b, h->key_name[h->op_key[op]]);
    if (h->op_kind[op] != ISO_LIST_READ) {
        iso_builder_op(b, txn, (iso_op_kind)h->op_kind[op], key, iso_version_value(h, version));
        return;
    }
    uint32_t first = h->list_first[version], n = h->list_first[version + 1] - first;
    iso_atom *element = ISO_NEW(scratch, iso_atom, n);
    for (uint32_t e = 0; e < n; e++) {
        element[e] = iso_version_value(h, h->list_version[first + e]);
    }
    iso_builder_list_read(b, txn, key, element, n);
    iso_free(scratch, element);
}

static void copy_all(iso_pool *scratch, iso_builder *b, const isolab_history *h, iso_copy_choice *keeps) {
    iso_copy_names(b, h);
    if (h->about != NULL) {
        iso_builder_about(b, h->about, strlen(h->about));
    }
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        uint32_t session = iso_builder_session(b, h->session_name[s]);
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
            uint32_t txn = iso_copy_txn(b, session, h, t);
            for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
                if (keeps == NULL || keeps(h, o)) {
                    iso_copy_op(scratch, b, txn, h, o, o);
                }
            }
        }
    }
    for (uint32_t i = 0; i < h->n_notes; i++) {
        iso_builder_note(b, h->notes[i].text, h->notes[i].start, h->notes[i].end);
    }
}

void iso_copy_all(iso_pool *scratch, iso_builder *b, const isolab_history *h) { copy_all(scratch, b, h, NULL); }

isolab_history *iso_copy(iso_pool *pool, const isolab_history *h) {
    iso_builder *b = iso_builder_new(pool);
    iso_copy_all(pool, b, h);
    return iso_builder_finish(b);
}

isolab_history *iso_copy_some(iso_pool *pool, const isolab_history *h, iso_copy_choice *keeps) {
    iso_builder *b = iso_builder_new(pool);
    iso_builder_initial(b, h->initial);
    iso_builder_custom(b, h->custom);
    copy_all(pool, b, h, keeps);
    return iso_builder_finish(b);
}

static bool is_no_negation(const isolab_history *h, uint32_t op) { return !iso_op_is_negation(h, op); }

isolab_history *iso_copy_without_negations(iso_pool *pool, const isolab_history *h) {
    return iso_copy_some(pool, h, is_no_negation);
}
