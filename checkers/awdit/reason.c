/* Why an edge (t2, t1) was inferred: which t3 reads from t1 a key that t2 writes, and how t3 sees t2: by a read from
 * t2, by session order, or (cc) by a path of so and wr, the shortest if there are several. */
#include "checkers/awdit/witness.h"

typedef struct reason {
    uint32_t read; /* of x, by t3 from t1 */
    uint32_t seen; /* rc, ra: the read of t3 from t2; ISO_NONE: session order */
    bool path;     /* cc: the parents lead from t3 back to t2 */
} reason;

/* Returns the first read of t3 from t2; ISO_NONE: none. */
static uint32_t read_from(const iso_awdit *a, uint32_t t2, uint32_t t3) {
    const isolab_history *h = a->h;
    for (uint32_t o = h->txn_op[t3]; o < h->txn_op[t3 + 1]; o++) {
        if (iso_awdit_source(a, o) == t2) {
            return o;
        }
    }
    return ISO_NONE;
}

/* Returns a wr edge for a read, or an so edge if read is ISO_NONE. */
static iso_edge plain(const iso_awdit *a, uint32_t from, uint32_t to, uint32_t read) {
    const isolab_history *h = a->h;
    return read == ISO_NONE ? iso_edge_of(ISO_EDGE_SO, from, to)
                            : iso_edge_of_read(h, from, from == ISO_INIT ? ISO_NONE : h->op_writer[read], read);
}

iso_edge iso_awdit_plain(const iso_awdit_witness *w, const iso_awdit_step *step) {
    uint32_t from = iso_awdit_txn(w, step->from), to = iso_awdit_txn(w, step->to);
    return plain(w->a, from, to, step->edge == ISO_AWDIT_SO ? ISO_NONE : read_from(w->a, from, to));
}

/* Finds a read from t2 and a later read, from t1, of a key that t2 writes. other_key: the two keys must differ. */
static bool reason_rc(const iso_awdit *a, bool other_key, uint32_t t2, uint32_t t1, uint32_t t3, reason *why) {
    const isolab_history *h = a->h;
    uint32_t first = ISO_NONE, other = ISO_NONE; /* the first read from t2, and the first from t2 of another key */
    for (uint32_t o = h->txn_op[t3]; o < h->txn_op[t3 + 1]; o++) {
        uint32_t source = iso_awdit_source(a, o);
        if (source == t2) {
            other = other == ISO_NONE && first != ISO_NONE && h->op_key[o] != h->op_key[first] ? o : other;
            first = first == ISO_NONE ? o : first;
        } else if (source == t1 && first != ISO_NONE && iso_awdit_writes(a, t2, h->op_key[o])) {
            bool same = other_key && h->op_key[first] == h->op_key[o];
            if (!same || other != ISO_NONE) {
                *why = (reason){o, same ? other : first, false};
                return true;
            }
        }
    }
    return false;
}

/* Returns the read by which t3 misses a write of t2. */
static uint32_t missed_by(const iso_awdit *a, uint32_t t2, uint32_t t1, uint32_t t3) {
    const isolab_history *h = a->h;
    for (uint32_t o = h->txn_op[t3]; o < h->txn_op[t3 + 1]; o++) {
        if (iso_awdit_source(a, o) == t1 && iso_awdit_writes(a, t2, h->op_key[o])) {
            return o;
        }
    }
    return ISO_NONE;
}

static bool reason_ra(const iso_awdit *a, uint32_t t2, uint32_t t1, uint32_t t3, reason *why) {
    if (reason_rc(a, true, t2, t1, t3, why)) {
        return true; /* the same t3, and a more serious anomaly */
    }
    uint32_t read = missed_by(a, t2, t1, t3), seen = read_from(a, t2, t3);
    bool session = a->h->txn_session[t2] == a->h->txn_session[t3] && t2 < t3;
    *why = (reason){read, seen, false};
    return read != ISO_NONE && (seen != ISO_NONE || session);
}

/* cc: searches forward from t2 for the nearest reader that misses its write. */
static bool reason_cc(iso_awdit_witness *w, uint32_t t2, uint32_t t1, reason *why) {
    iso_awdit_begin(w, t2);
    for (uint32_t head = 0; head < w->n_queue; head++) {
        uint32_t v = w->queue[head];
        *why = (reason){head == 0 ? ISO_NONE : missed_by(w->a, t2, t1, v), ISO_NONE, true};
        if (why->read != ISO_NONE) {
            return true;
        }
        iso_awdit_expand(w, v, ISO_NONE);
    }
    return false;
}

static bool reason_at(const iso_awdit *a, uint32_t t2, uint32_t t1, uint32_t t3, reason *why) {
    return a->level == ISO_RA ? reason_ra(a, t2, t1, t3, why) : reason_rc(a, a->level == ISO_RC_PLUME, t2, t1, t3, why);
}

static reason find_reason(iso_awdit_witness *w, uint32_t t2, uint32_t t1) {
    const iso_awdit *a = w->a;
    reason why;
    if (a->level == ISO_CC) {
        if (reason_cc(w, t2, t1, &why)) {
            return why;
        }
    } else if (t1 != ISO_INIT) { /* the readers of t1 are among its successors */
        for (uint32_t i = w->graph.first[t1]; i < w->graph.first[t1 + 1]; i++) {
            uint32_t e = w->graph.edge[i], t3 = w->graph.to[i];
            if (e >= w->n_so && e < w->n_causal && reason_at(a, t2, t1, t3, &why)) {
                return why;
            }
        }
    } else { /* the transactions that see t2 are among its successors, or after it in its session */
        for (uint32_t i = w->graph.first[t2]; i < w->graph.first[t2 + 1]; i++) {
            uint32_t e = w->graph.edge[i], t3 = w->graph.to[i];
            if (e >= w->n_so && e < w->n_causal && reason_at(a, t2, t1, t3, &why)) {
                return why;
            }
        }
        uint32_t end = a->h->session_txn[a->h->txn_session[t2] + 1];
        for (uint32_t t3 = t2 + 1; a->level == ISO_RA && t3 < end; t3++) {
            if (iso_awdit_in(a, t3) && reason_ra(a, t2, t1, t3, &why)) {
                return why;
            }
        }
    }
    iso_throw(a->pool->env, ISOLAB_E_INTERNAL, "awdit cannot say why it inferred an edge");
}

/* Adds the edges by which a search reached a node to the result. Returns their number. */
static uint32_t add_path(iso_awdit_witness *w, uint32_t to) {
    uint32_t n = w->distance[to];
    iso_awdit_step *row = ISO_NEW(w->a->pool, iso_awdit_step, n);
    for (uint32_t v = to, i = n; i-- > 0; v = w->parent[v]) {
        row[i] = (iso_awdit_step){w->parent[v], v, w->via[v]};
    }
    for (uint32_t i = 0; i < n; i++) {
        iso_result_edge(w->a->result, iso_awdit_plain(w, &row[i]));
    }
    iso_free(w->a->pool, row);
    return n;
}

iso_edge iso_awdit_justify(iso_awdit_witness *w, uint32_t e, iso_awdit_grade *how) {
    iso_awdit *a = w->a;
    const isolab_history *h = a->h;
    uint32_t t2 = iso_awdit_txn(w, w->from[e]), t1 = iso_awdit_txn(w, w->to[e]);
    reason why = find_reason(w, t2, t1);
    uint32_t t3 = h->op_txn[why.read];
    iso_edge edge = iso_edge_of_axiom(h, t2, t1, why.read);
    edge.premise = a->result->n_edges;
    edge.n_premise = 1;
    if (why.path) {
        edge.n_premise = add_path(w, t3);
    } else {
        iso_result_edge(a->result, plain(a, t2, t3, why.seen));
    }
    *how = edge.n_premise > 1 ? ISO_AWDIT_CAUSAL : ISO_AWDIT_ATOMIC;
    if (edge.n_premise == 1 && (a->level == ISO_RC || reason_rc(a, true, t2, t1, t3, &why))) {
        *how = ISO_AWDIT_MONO;
    }
    return edge;
}
