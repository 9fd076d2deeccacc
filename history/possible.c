/* See possible.h. */
#include "history/possible.h"

/* Returns whether the read may have got its value from this write by INT. own: the reader's own latest write. */
static bool may_read(const isolab_history *h, uint32_t read, uint32_t w, uint32_t own) {
    uint32_t t = h->op_txn[w];
    if (t == h->op_txn[read] || own != ISO_NONE) {
        return w == own;
    }
    return h->txn_status[t] != ISO_ABORTED && iso_write_after(h, w) == ISO_NONE;
}

/* Sets the number of elements of a list read before the reader's own appends. Returns false if the read does not end in
 * these appends. */
static bool external(const isolab_history *h, uint32_t read, uint32_t *length) {
    uint32_t first = h->list_first[h->op_version[read]], end = h->list_first[h->op_version[read] + 1];
    for (uint32_t o = read; o-- > h->txn_op[h->op_txn[read]];) {
        if (iso_is_write(h->op_kind[o]) && h->op_key[o] == h->op_key[read]) {
            if (end == first || h->list_version[end - 1] != h->op_version[o]) {
                return false;
            }
            end--;
        }
    }
    *length = end - first;
    return true;
}

/* Returns the next append that may have made the last external element of a list read. *at is the state of the
 * search. */
static uint32_t next_append(const isolab_history *h, uint32_t read, uint32_t *at) {
    uint32_t length, n;
    if (!external(h, read, &length)) {
        return ISO_NONE;
    }
    if (length == 0) {
        return (*at)++ == 0 ? ISO_INIT : ISO_NONE;
    }
    const uint32_t *writers = iso_writers(h, h->list_version[h->list_first[h->op_version[read]] + length - 1], &n);
    while (*at < n) {
        uint32_t w = writers[(*at)++];
        if (h->op_txn[w] != h->op_txn[read] && may_read(h, read, w, ISO_NONE)) {
            return w;
        }
    }
    return ISO_NONE;
}

uint32_t iso_next_possible(const isolab_history *h, bool any, uint32_t read, uint32_t *at) {
    if (h->op_kind[read] == ISO_LIST_READ) {
        return next_append(h, read, at);
    }
    uint32_t n, version = h->op_version[read], own = iso_write_before(h, read);
    const uint32_t *writers = iso_writers(h, version, &n);
    while (*at < n) {
        uint32_t w = writers[(*at)++];
        if (any || may_read(h, read, w, own)) {
            return w;
        }
    }
    bool initial = *at == n && iso_version_is_initial(h, version) && (any || own == ISO_NONE);
    return initial ? ++*at, ISO_INIT : ISO_NONE;
}

uint32_t iso_sure_writer(const isolab_history *h, uint32_t read) {
    uint32_t at = 0, w = read < h->n_ops ? iso_next_possible(h, false, read, &at) : ISO_NONE;
    if (w == ISO_NONE || iso_next_possible(h, false, read, &at) != ISO_NONE) {
        return ISO_NONE;
    }
    return w == ISO_INIT ? ISO_INIT : h->op_txn[w];
}
