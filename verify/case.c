/* The case of a clausal proof that a certificate tells (docs/certificates.md). The proof refutes it, with others, so
 * its edges need not hold in every order. They must be possible: else an explanation would tell what cannot be. */
#include "verify/verify.h"

/* Returns whether the read may have taken the write (ISO_INIT: the initial value). */
static bool may_take(const iso_verifier *v, uint32_t read, uint32_t w) {
    const isolab_history *h = v->h;
    bool list = h->op_kind[read] == ISO_LIST_READ;
    uint32_t n = 0, version = list ? iso_list_last(h, read) : h->op_version[read];
    const uint32_t *writer = version == ISO_NONE ? NULL : iso_writers(h, version, &n);
    bool found = w == ISO_INIT && (list || iso_version_is_initial(h, version));
    for (uint32_t i = 0; i < n && !found; i++) {
        found = writer[i] == w;
    }
    return found && (list ? iso_list_may_read(v, read, w) : iso_verify_may_read(v, read, w));
}

/* Returns whether the read may have taken a write of the transaction; other: of another one. */
static bool may_read_from(const iso_verifier *v, uint32_t read, uint32_t txn, bool other) {
    const isolab_history *h = v->h;
    bool list = h->op_kind[read] == ISO_LIST_READ;
    uint32_t n = 0, version = list ? iso_list_last(h, read) : h->op_version[read];
    const uint32_t *writer = version == ISO_NONE ? NULL : iso_writers(h, version, &n);
    bool may = (txn == ISO_INIT) != other && may_take(v, read, ISO_INIT);
    for (uint32_t i = 0; i < n && !may; i++) {
        may = (h->op_txn[writer[i]] == txn) != other && may_take(v, read, writer[i]);
    }
    return may;
}

static bool writes(const isolab_history *h, uint32_t t, uint32_t key) {
    bool found = false;
    for (uint32_t o = t == ISO_INIT ? 0 : h->txn_op[t]; t != ISO_INIT && o < h->txn_op[t + 1]; o++) {
        found |= iso_is_write(h->op_kind[o]) && h->op_key[o] == key;
    }
    return found;
}

static bool is_read(const isolab_history *h, uint32_t o) { return o != ISO_NONE && !iso_is_write(h->op_kind[o]); }

static bool is_write_of(const isolab_history *h, uint32_t o, uint32_t t) {
    return o != ISO_NONE && h->op_txn[o] == t && iso_is_write(h->op_kind[o]);
}

/* Returns whether n edges are a path. */
static bool is_path(const claim_edge *e, uint32_t n) {
    for (uint32_t i = 1; i < n; i++) {
        if (e[i].from != e[i - 1].to) {
            return false;
        }
    }
    return true;
}

static bool included(const isolab_history *h, uint32_t t) { return t == ISO_INIT || h->txn_status[t] != ISO_ABORTED; }

static bool could_hold(const iso_verifier *v, const claim_edge *e) {
    const isolab_history *h = v->h;
    if (e->from == e->to || !included(h, e->from) || !included(h, e->to) ||
        !is_path(v->claim->told.edges + e->first, e->count)) {
        return false;
    }
    switch (e->kind) {
    case CLAIM_SO:
        return e->from == ISO_INIT || (v->sessions && e->to != ISO_INIT && e->from < e->to &&
                                       h->txn_session[e->from] == h->txn_session[e->to]);
    case CLAIM_WR:
        return is_read(h, e->op[1]) && h->op_txn[e->op[1]] == e->to &&
               (e->op[0] == ISO_NONE ? e->from == ISO_INIT && may_take(v, e->op[1], ISO_INIT)
                                     : is_write_of(h, e->op[0], e->from) && may_take(v, e->op[1], e->op[0]));
    case CLAIM_RT:
        return e->from != ISO_INIT && e->to != ISO_INIT && iso_verify_in_time(v, e->from, e->to);
    case CLAIM_AXIOM:
        return is_read(h, e->op[0]) && may_read_from(v, e->op[0], e->to, false) && h->op_txn[e->op[0]] != e->to &&
               writes(h, e->from, h->op_key[e->op[0]]);
    case CLAIM_RW:
        return is_read(h, e->op[0]) && h->op_txn[e->op[0]] == e->from && may_read_from(v, e->op[0], e->to, true) &&
               writes(h, e->to, h->op_key[e->op[0]]);
    case CLAIM_WW:
        return is_write_of(h, e->op[0], e->from) && is_write_of(h, e->op[1], e->to) &&
               h->op_key[e->op[0]] == h->op_key[e->op[1]];
    default: /* CLAIM_LIST */
        return e->op[0] != ISO_NONE && iso_list_orders(v, e->op[0], e->from, e->to);
    }
}

bool iso_verify_case(iso_verifier *v) {
    const claim_case *c = &v->claim->told;
    if (c->offence == OFFENCE_NON_REPEATABLE) { /* which writes were read is what the proof is about */
        return is_read(v->h, c->op) && is_read(v->h, c->other) && v->h->op_txn[c->op] == v->h->op_txn[c->other] &&
               v->h->op_key[c->op] == v->h->op_key[c->other] && v->h->op_version[c->op] != v->h->op_version[c->other];
    }
    if (c->offence != OFFENCE_NONE) {
        uint32_t t = v->h->op_txn[c->op];
        v->in[t] = v->h->txn_status[t] != ISO_ABORTED;
        iso_verify_offence(v);
        return true;
    }
    for (uint32_t i = 0; i < c->n_edges; i++) {
        iso_tick_slow(v->pool->env);
        if (!could_hold(v, &c->edges[i])) {
            return false;
        }
    }
    return c->n_cycle > 0 && is_path(c->edges + c->cycle, c->n_cycle) &&
           c->edges[c->cycle].from == c->edges[c->cycle + c->n_cycle - 1].to;
}
