/* Which transactions are included, which write each read reads from, and read consistency. */
#include <string.h>

#include "verify/verify.h"

/* Includes the transactions of the certificate's order, which has all committed transactions, no aborted one, and any
 * indeterminate ones. Including a transaction from which no transaction reads never helps a certificate. */
static void by_order(iso_verifier *v) {
    const isolab_history *h = v->h;
    const iso_claim *c = v->claim;
    v->place = ISO_ZNEW(v->pool, uint32_t, h->n_txns);
    for (uint32_t i = 0; i < c->n_order; i++) {
        uint32_t t = c->order[i];
        if (v->in[t]) {
            iso_refuse(v, "transaction %u is twice in the order", t);
        }
        if (h->txn_status[t] == ISO_ABORTED) {
            iso_refuse(v, "the aborted transaction %u is in the order", t);
        }
        v->in[t] = 1;
        v->place[t] = i + 1;
    }
    for (uint32_t t = 0; t < h->n_txns; t++) {
        if (h->txn_status[t] == ISO_COMMITTED && !v->in[t]) {
            iso_refuse(v, "the committed transaction %u is not in the order", t);
        }
    }
}

/* Returns the only write from which a read can have its value; ISO_NONE: none, or several. */
static uint32_t only_writer(const isolab_history *h, uint32_t version) {
    uint32_t w = h->version_writer[version];
    return w < h->n_ops ? w : ISO_NONE;
}

/* Without an order: includes the committed transactions, and the indeterminate ones from which an included one must
 * have read. */
static void by_force(iso_verifier *v) {
    const isolab_history *h = v->h;
    uint32_t *stack = ISO_NEW(v->pool, uint32_t, h->n_txns), top = 0;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        if (h->txn_status[t] == ISO_COMMITTED) {
            v->in[t] = 1;
            stack[top++] = t;
        }
    }
    while (top > 0 && h->n_indeterminate > 0) {
        uint32_t t = stack[--top];
        for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
            if (iso_is_write(h->op_kind[o])) {
                continue;
            }
            bool list = h->op_kind[o] == ISO_LIST_READ;
            uint32_t e = list ? h->list_first[h->op_version[o]] : 0;
            uint32_t end = list ? h->list_first[h->op_version[o] + 1] : 1;
            for (; e < end; e++) {
                uint32_t w = only_writer(h, list ? h->list_version[e] : h->op_version[o]);
                if (w != ISO_NONE && h->txn_status[h->op_txn[w]] == ISO_INDETERMINATE && !v->in[h->op_txn[w]]) {
                    v->in[h->op_txn[w]] = 1;
                    stack[top++] = h->op_txn[w];
                }
            }
        }
    }
    iso_free(v->pool, stack);
}

static void take_choices(iso_verifier *v) {
    const isolab_history *h = v->h;
    const iso_claim *c = v->claim;
    for (uint32_t i = 0; i < c->n_reads; i++) {
        uint32_t r = c->read_op[i], w = c->read_from[i];
        if (h->op_kind[r] != ISO_READ || h->op_writer[r] != ISO_MANY) {
            iso_refuse(v, "operation %u is not an ambiguous read", r);
        }
        if (w == ISO_INIT ? !iso_version_is_initial(h, h->op_version[r])
                          : !iso_is_write(h->op_kind[w]) || h->op_key[w] != h->op_key[r] ||
                                !iso_version_covers(h, h->op_version[r], h->op_version[w])) {
            iso_refuse(v, "read %u cannot read from operation %u: it wrote something else", r, w);
        }
        v->source[r] = w;
    }
}

void iso_verify_reads(iso_verifier *v) {
    const isolab_history *h = v->h;
    v->in = ISO_ZNEW(v->pool, uint8_t, h->n_txns);
    if (v->claim->order != NULL) {
        by_order(v);
    } else {
        by_force(v);
    }
    v->source = ISO_NEW(v->pool, uint32_t, h->n_ops);
    memcpy(v->source, h->op_writer, h->n_ops * sizeof *v->source);
    take_choices(v);
    for (uint32_t t = 0; v->claim->satisfied && !h->unique && t < h->n_txns; t++) {
        for (uint32_t o = h->txn_op[t]; v->in[t] && o < h->txn_op[t + 1]; o++) {
            if (h->op_kind[o] == ISO_READ && v->source[o] == ISO_MANY) {
                iso_refuse(v, "several transactions wrote what read %u returned: a `reads` line must choose", o);
            }
        }
    }
}

/* Marks the writes that are the last of their transaction to their key. */
static uint8_t *last_writes(const iso_verifier *v) {
    const isolab_history *h = v->h;
    uint8_t *last = ISO_ZNEW(v->pool, uint8_t, h->n_ops);
    uint32_t *seen = ISO_NEW_NONE(v->pool, h->n_keys); /* by key: the last transaction in which the key was met */
    for (uint32_t o = h->n_ops; o-- > 0;) {
        if (iso_is_write(h->op_kind[o]) && seen[h->op_key[o]] != h->op_txn[o]) {
            last[o] = 1;
            seen[h->op_key[o]] = h->op_txn[o];
        }
    }
    iso_free(v->pool, seen);
    return last;
}

static void check_read(const iso_verifier *v, uint32_t o, uint32_t own, const uint8_t *last) {
    uint32_t w = v->source[o], t = v->h->op_txn[o];
    if (w == ISO_NONE) {
        iso_refuse(v, "read %u returned a value that no transaction wrote", o);
    }
    if (w != ISO_INIT && v->h->op_txn[w] == t) {
        if (w > o) {
            iso_refuse(v, "read %u returned a later write of its own transaction", o);
        }
        if (w != own) {
            iso_refuse(v, "read %u did not return the latest write of its own transaction", o);
        }
        return;
    }
    if (own != ISO_NONE) {
        iso_refuse(v, "read %u did not return the write %u of its own transaction", o, own);
    }
    if (w != ISO_INIT && !v->in[v->h->op_txn[w]]) {
        iso_refuse(v, "read %u reads from transaction %u, which is not included", o, v->h->op_txn[w]);
    }
    if (w != ISO_INIT && !last[w]) {
        iso_refuse(v, "read %u returned a write that transaction %u overwrote", o, v->h->op_txn[w]);
    }
}

void iso_verify_int(const iso_verifier *v) {
    const isolab_history *h = v->h;
    uint8_t *last = last_writes(v);
    uint32_t *own = ISO_NEW_NONE(v->pool, h->n_keys); /* by key: the latest own write so far */
    for (uint32_t o = 0; o < h->n_ops; o++) {
        iso_tick(v->pool->env);
        uint32_t t = h->op_txn[o], key = h->op_key[o];
        if (!v->in[t]) {
            continue;
        }
        if (iso_is_write(h->op_kind[o])) {
            own[key] = o;
        } else if (h->op_kind[o] == ISO_READ) {
            check_read(v, o, own[key] >= h->txn_op[t] ? own[key] : ISO_NONE, last);
        }
    }
    iso_free(v->pool, own);
    iso_free(v->pool, last);
    if (h->has_lists) {
        iso_verify_list_int(v);
    }
}

/* Checks that a writer is included if an included transaction reads from it, unless the writer aborted. */
static void check_closed(const iso_verifier *v, uint32_t o) {
    const isolab_history *h = v->h;
    bool list = h->op_kind[o] == ISO_LIST_READ;
    uint32_t e = list ? h->list_first[h->op_version[o]] : 0, end = list ? h->list_first[h->op_version[o] + 1] : 1;
    for (; e < end; e++) {
        uint32_t w = list ? only_writer(h, h->list_version[e]) : v->source[o];
        if (w < h->n_ops && !v->in[h->op_txn[w]] && h->txn_status[h->op_txn[w]] == ISO_INDETERMINATE) {
            iso_refuse(v, "transaction %u is left out, but read %u reads from it", h->op_txn[w], o);
        }
    }
}

void iso_verify_cut(const iso_verifier *v) {
    const isolab_history *h = v->h;
    uint32_t *before = ISO_NEW_NONE(v->pool, h->n_keys); /* by key: the latest read of it from another transaction */
    for (uint32_t o = 0; o < h->n_ops; o++) {
        uint32_t t = h->op_txn[o], key = h->op_key[o];
        if (v->in[t] && !iso_is_write(h->op_kind[o])) {
            check_closed(v, o);
        }
        bool list = h->op_kind[o] == ISO_LIST_READ;
        uint32_t from = list ? ISO_INIT : iso_source_txn(v, o); /* lists are compared as wholes */
        if (!v->in[t] || iso_is_write(h->op_kind[o]) || from == ISO_NONE || from == t ||
            (from != ISO_INIT && !v->in[from])) {
            continue;
        }
        uint32_t b = before[key];
        if (b != ISO_NONE && b >= h->txn_op[t] && (list ? iso_lists_differ(v, b, o) : iso_source_txn(v, b) != from)) {
            iso_refuse(v, "reads %u and %u of one transaction return values of different transactions", b, o);
        }
        before[key] = o;
    }
    iso_free(v->pool, before);
}
