/* See lists.h. */
#include "checkers/strong/lists.h"

static bool appends(const isolab_history *h, uint32_t o, uint32_t key) {
    return h->op_kind[o] == ISO_APPEND && h->op_key[o] == key;
}

/* The appends of a transaction to the key of the read must be elements [e, ...), all of them. Returns the one
 * that is not in its place, or ISO_NONE; *e: behind them. */
static uint32_t whole_block(const isolab_history *h, uint32_t read, const strong_list_part *p, uint32_t txn,
                            uint32_t *e) {
    for (uint32_t o = h->txn_op[txn]; o < h->txn_op[txn + 1]; o++) {
        if (appends(h, o, h->op_key[read]) &&
            (*e >= p->length || h->list_version[p->first + (*e)++] != h->op_version[o])) {
            return o;
        }
    }
    return ISO_NONE;
}

bool iso_strong_list_judge(const isolab_history *h, uint32_t read, strong_list_part *p) {
    uint32_t list = h->op_version[read], end = h->list_first[list + 1], key = h->op_key[read], t = h->op_txn[read];
    *p = (strong_list_part){h->list_first[list], 0, ISO_INIT, ISO_NONE};
    for (uint32_t o = read; o-- > h->txn_op[t];) {
        if (appends(h, o, key)) {
            if (end == p->first || h->list_version[end - 1] != h->op_version[o]) {
                return false;
            }
            end--;
        }
    }
    p->length = end - p->first;
    for (uint32_t e = 0; e < p->length; e++) {
        uint32_t w = h->version_writer[h->list_version[p->first + e]];
        if (w >= h->n_ops || h->op_txn[w] == t || h->txn_counts[h->op_txn[w]] == ISO_OUT) {
            return false;
        }
        p->writer = w;
    }
    for (uint32_t o = p->writer + 1; p->writer != ISO_INIT && o < h->txn_op[h->op_txn[p->writer] + 1]; o++) {
        if (appends(h, o, key)) {
            return false; /* an intermediate read */
        }
    }
    /* First what stands twice: behind its block it would look like a block that is torn. */
    for (uint32_t e = 0; e < p->length && p->torn == ISO_NONE; e++) {
        uint32_t w = h->version_writer[h->list_version[p->first + e]];
        for (uint32_t before = 0; before < e && p->torn == ISO_NONE; before++) {
            p->torn = h->list_version[p->first + before] == h->list_version[p->first + e] ? w : ISO_NONE;
        }
    }
    for (uint32_t e = 0; e < p->length && p->torn == ISO_NONE;) {
        p->torn = whole_block(h, read, p, h->op_txn[h->version_writer[h->list_version[p->first + e]]], &e);
    }
    return true;
}
