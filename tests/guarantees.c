/* See guarantees.h. The graph is a matrix over transactions; the initial transaction is the last of its rows. */
#include "tests/guarantees.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"read-your-writes", "monotonic-reads", "monotonic-writes", "writes-follow-reads"};

bool iso_is_guarantee(const char *name) {
    bool is = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        is |= strcmp(names[i], name) == 0;
    }
    return is;
}

typedef struct graph {
    const isolab_history *h;
    const uint8_t *in;
    uint32_t n;    /* transactions, the initial one included */
    uint8_t *edge; /* n times n */
    /* by operation: the transaction that a read, or the last element of a list that another one appended, is from; or
     * ISO_NONE */
    uint32_t *from;
} graph;

static uint8_t *at(const graph *g, uint32_t a, uint32_t b) { return &g->edge[(size_t)a * g->n + b]; }

static uint32_t writer_of(const isolab_history *h, uint32_t version) {
    uint32_t n;
    const uint32_t *w = iso_writers(h, version, &n);
    return n == 0 || w[0] == ISO_NONE ? ISO_NONE : w[0] == ISO_INIT ? h->n_txns : h->op_txn[w[0]];
}

static uint32_t read_from(const graph *g, uint32_t op) {
    const isolab_history *h = g->h;
    if (iso_is_write(h->op_kind[op])) {
        return ISO_NONE;
    } else if (h->op_kind[op] == ISO_LIST_READ) {
        uint32_t first = h->list_first[h->op_version[op]], last = h->list_first[h->op_version[op] + 1];
        while (last > first && writer_of(h, h->list_version[last - 1]) == h->op_txn[op]) {
            last--; /* its own elements come last */
        }
        return last > first ? writer_of(h, h->list_version[last - 1]) : h->n_txns;
    }
    uint32_t w = h->op_writer[op];
    return w == ISO_INIT ? h->n_txns : w < h->n_ops ? h->op_txn[w] : ISO_NONE;
}

static bool writes(const isolab_history *h, uint32_t txn, uint32_t key) {
    for (uint32_t o = h->txn_op[txn]; o < h->txn_op[txn + 1]; o++) {
        if (h->op_key[o] == key && iso_is_write(h->op_kind[o])) {
            return true;
        }
    }
    return false;
}

static bool so(const graph *g, uint32_t a, uint32_t b) {
    return a < b && b < g->h->n_txns && g->h->txn_session[a] == g->h->txn_session[b];
}

/* Does a read from b, the key (or any, for ISO_NONE)? */
static bool reads(const graph *g, uint32_t a, uint32_t b, uint32_t key) {
    for (uint32_t o = g->h->txn_op[a]; a != b && o < g->h->txn_op[a + 1]; o++) {
        if (g->from[o] == b && (key == ISO_NONE || g->h->op_key[o] == key)) {
            return true;
        }
    }
    return false;
}

/* By the guarantee, does t3 see what t2 wrote of the key? */
static bool sees(const graph *g, const char *name, uint32_t t2, uint32_t t3, uint32_t key) {
    if (strcmp(name, "read-your-writes") == 0) {
        return so(g, t2, t3);
    }
    bool mw = strcmp(name, "monotonic-writes") == 0, mr = strcmp(name, "monotonic-reads") == 0;
    for (uint32_t t = 0; t < g->h->n_txns; t++) {
        if (!g->in[t] || t == t2) {
            continue;
        } else if (mr ? reads(g, t, t2, key) && so(g, t, t3) : mw && so(g, t2, t) && reads(g, t3, t, ISO_NONE)) {
            return true;
        }
        for (uint32_t u = 0; u < g->h->n_txns && !mr && !mw && reads(g, t, t2, key); u++) {
            if (g->in[u] && (u == t || so(g, t, u)) && reads(g, t3, u, ISO_NONE)) {
                return true;
            }
        }
    }
    return false;
}

/* What a list shows: its elements one after the other, and all others later. */
static void show_list(const graph *g, uint32_t op) {
    const isolab_history *h = g->h;
    uint32_t first = h->list_first[h->op_version[op]], last = h->list_first[h->op_version[op] + 1];
    for (uint32_t t = 0; t < h->n_txns; t++) {
        bool shown = false;
        for (uint32_t e = first; e < last; e++) {
            uint32_t w = writer_of(h, h->list_version[e]),
                     before = e > first ? writer_of(h, h->list_version[e - 1]) : w;
            shown |= w == t;
            if (w == t && before != t && before != ISO_NONE) {
                *at(g, before, t) = 1;
            }
        }
        if (!shown && last > first && g->in[t] && writes(h, t, h->op_key[op]) && t != h->op_txn[op]) {
            uint32_t w = writer_of(h, h->list_version[last - 1]);
            if (w != ISO_NONE) {
                *at(g, w, t) = 1;
            }
        }
    }
}

static void show(graph *g, const char *name) {
    const isolab_history *h = g->h;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        uint32_t t3 = h->op_txn[o], t1 = g->from[o], key = h->op_key[o];
        if (!g->in[t3] || t1 == ISO_NONE || t1 == t3) {
            continue;
        }
        *at(g, t1, t3) = 1;
        if (h->op_kind[o] == ISO_LIST_READ) {
            show_list(g, o);
        }
        for (uint32_t t2 = 0; t2 < h->n_txns; t2++) {
            if (g->in[t2] && t2 != t1 && t2 != t3 && writes(h, t2, key) && sees(g, name, t2, t3, key)) {
                *at(g, t2, t1) = 1;
            }
        }
    }
    for (uint32_t a = 0; a < h->n_txns; a++) {
        *at(g, h->n_txns, a) = 1;
        for (uint32_t b = a + 1; b < h->n_txns; b++) {
            *at(g, a, b) |= g->in[a] && g->in[b] && so(g, a, b);
        }
    }
}

bool iso_guarantee_kept(const isolab_history *h, const uint8_t *in, const char *name) {
    graph g = {.h = h, .in = in, .n = h->n_txns + 1};
    g.edge = calloc((size_t)g.n * g.n, 1);
    g.from = calloc(h->n_ops + 1, sizeof *g.from);
    for (uint32_t o = 0; o < h->n_ops; o++) {
        g.from[o] = read_from(&g, o);
    }
    show(&g, name);
    for (uint32_t k = 0; k < g.n; k++) {
        for (uint32_t a = 0; a < g.n; a++) {
            for (uint32_t b = 0; b < g.n && *at(&g, a, k); b++) {
                *at(&g, a, b) |= *at(&g, k, b);
            }
        }
    }
    bool kept = true;
    for (uint32_t a = 0; a < g.n; a++) {
        kept &= !*at(&g, a, a);
    }
    free(g.edge);
    free(g.from);
    return kept;
}
