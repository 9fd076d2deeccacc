/* Finds a shortest cycle of a history by a matrix of all edges, for tests of the cycles that checkers show. The edges
 * are session order and real-time order from each transaction to all later ones, write-read edges, and
 * anti-dependencies that need no inference. */
#ifndef ISOLAB_TESTS_MATRIX_H
#define ISOLAB_TESTS_MATRIX_H

#include "history/history.h"
#include "history/level.h"

enum { MATRIX_MOST = 200 };

typedef struct matrix {
    const isolab_history *h;
    bool direct; /* a version is overwritten only by its readers, as in the graph of docs/mtc.md */
    bool edge[MATRIX_MOST][MATRIX_MOST];
} matrix;

static inline bool matrix_in(const matrix *m, uint32_t t) { return m->h->txn_counts[t] == ISO_INCLUDED; }

static inline bool matrix_later_in_session(const isolab_history *h, uint32_t t, uint32_t u) {
    return h->txn_session[t] == h->txn_session[u] && t < u;
}

static inline bool matrix_writes(const isolab_history *h, uint32_t t, uint32_t key) {
    bool yes = false;
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        yes |= iso_is_write(h->op_kind[o]) && h->op_key[o] == key;
    }
    return yes;
}

/* Returns whether t reads the same version as read o, from another transaction. */
static inline bool matrix_reads_it(const isolab_history *h, uint32_t t, uint32_t o) {
    bool yes = false;
    for (uint32_t r = h->txn_op[t]; r < h->txn_op[t + 1]; r++) {
        yes |= h->op_kind[r] == ISO_READ && h->op_version[r] == h->op_version[o] && h->op_txn[h->op_writer[o]] != t;
    }
    return yes;
}

/* Returns whether t2, which writes the key of read o, certainly does so after the version that o returned: it or an
 * earlier writer of its session read the version, or its session wrote the version earlier, or the version is
 * initial. */
static inline bool matrix_overwrites(const matrix *m, uint32_t o, uint32_t t2) {
    const isolab_history *h = m->h;
    uint32_t key = h->op_key[o];
    if (m->direct) {
        bool reads = false;
        for (uint32_t r = h->txn_op[t2]; r < h->txn_op[t2 + 1]; r++) {
            reads |= h->op_kind[r] == ISO_READ && h->op_version[r] == h->op_version[o];
        }
        return reads;
    }
    if (h->op_writer[o] == ISO_INIT) {
        return true;
    }
    bool yes = matrix_later_in_session(h, h->op_txn[h->op_writer[o]], t2);
    for (uint32_t t = h->session_txn[h->txn_session[t2]]; t <= t2; t++) {
        yes |= matrix_in(m, t) && matrix_writes(h, t, key) && matrix_reads_it(h, t, o);
    }
    return yes;
}

/* Returns whether real time puts t before u at the level. */
static inline bool matrix_in_time(const isolab_history *h, uint32_t t, uint32_t u, iso_level level) {
    bool meet = level == ISO_SSER;
    for (uint32_t o = h->txn_op[t]; level == ISO_LSER && o < h->txn_op[t + 1]; o++) {
        for (uint32_t p = h->txn_op[u]; p < h->txn_op[u + 1]; p++) {
            meet |= h->op_key[o] == h->op_key[p];
        }
    }
    return meet && iso_before_in_time(h, t, u);
}

/* level: ser, lser or sser. */
static inline void matrix_fill(matrix *m, const isolab_history *h, iso_level level, bool direct) {
    *m = (matrix){.h = h, .direct = direct};
    for (uint32_t t = 0; t < h->n_txns; t++) {
        for (uint32_t u = 0; u < h->n_txns; u++) {
            m->edge[t][u] = matrix_in(m, t) && matrix_in(m, u) && t != u &&
                            (matrix_later_in_session(h, t, u) || matrix_in_time(h, t, u, level));
        }
    }
    for (uint32_t o = 0; o < h->n_ops; o++) {
        uint32_t t3 = h->op_txn[o], from = h->op_writer[o];
        if (h->op_kind[o] != ISO_READ || !matrix_in(m, t3) || (from != ISO_INIT && h->op_txn[from] == t3)) {
            continue;
        }
        if (from != ISO_INIT) {
            m->edge[h->op_txn[from]][t3] = true;
        }
        for (uint32_t t2 = 0; t2 < h->n_txns; t2++) {
            if (t2 != t3 && matrix_in(m, t2) && matrix_writes(h, t2, h->op_key[o]) &&
                (from == ISO_INIT || h->op_txn[from] != t2) && matrix_overwrites(m, o, t2)) {
                m->edge[t3][t2] = true;
            }
        }
    }
}

/* Returns the length of a shortest cycle; 0: there is none. */
static inline uint32_t matrix_shortest(const matrix *m) {
    uint32_t best = 0, n = m->h->n_txns;
    for (uint32_t from = 0; from < n; from++) {
        uint32_t distance[MATRIX_MOST] = {0}, queue[MATRIX_MOST], head = 0, tail = 0;
        queue[tail++] = from;
        while (head < tail) {
            uint32_t t = queue[head++];
            for (uint32_t u = 0; u < n; u++) {
                if (m->edge[t][u] && u == from && (best == 0 || distance[t] + 1 < best)) {
                    best = distance[t] + 1;
                }
                if (m->edge[t][u] && u != from && distance[u] == 0) {
                    distance[u] = distance[t] + 1;
                    queue[tail++] = u;
                }
            }
        }
    }
    return best;
}

#endif
