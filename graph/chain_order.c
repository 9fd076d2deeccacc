/* Topological orders of chains. See chain_order.h. */
#include "graph/chain_order.h"

#include <string.h>

#include "base/assert.h"
#include "base/buckets.h"

typedef struct walk {
    const iso_chains *c;
    iso_pool *pool;
    uint32_t n;                     /* number of chains, including those of one node */
    uint32_t n_chained;             /* number of nodes in chains of the caller; the others are alone */
    uint64_t *done;                 /* bit by node */
    uint32_t *next, *resume;        /* by chain: its next node, and the number of that node's edges that are done */
    uint32_t *waiting;              /* by node: a chain that waits for it */
    uint32_t *also;                 /* by chain: another chain that waits for the same node */
    uint32_t *ready, head, n_ready; /* a ring of chains that can continue */
    uint32_t *more_first, *more;    /* the edges of from and to, by their end; NULL: none */
    uint32_t *order, n_order;
} walk;

static void sort_edges(walk *w, uint32_t n_nodes) {
    const iso_chains *c = w->c;
    iso_buckets rows = iso_buckets_new(w->pool, n_nodes);
    for (uint32_t i = 0; i < c->n_edges; i++) {
        iso_buckets_count(&rows, c->to[i]);
    }
    w->more = ISO_NEW(w->pool, uint32_t, iso_buckets_sum(&rows));
    for (uint32_t i = 0; i < c->n_edges; i++) {
        w->more[iso_buckets_place(&rows, c->to[i])] = c->from[i];
    }
    w->more_first = rows.first;
}

static bool is_done(const walk *w, uint32_t v) { return v == w->c->nothing || (w->done[v >> 6] >> (v & 63) & 1); }

/* Returns a node that v must wait for, among its edges from number *at on; UINT32_MAX: none. */
static uint32_t obstacle(const walk *w, uint32_t v, uint32_t *at) {
    const iso_chains *c = w->c;
    bool chained = v < w->n_chained;
    uint32_t first = chained ? c->before_first[v] : 0, n = chained ? c->before_end[v] - first : 0, i = *at;
    for (; i < n; i++) {
        if (!is_done(w, c->before[first + i])) {
            *at = i;
            return c->before[first + i];
        }
    }
    if (w->more != NULL) {
        for (uint32_t from = w->more_first[v], m = w->more_first[v + 1] - from; i - n < m; i++) {
            if (!is_done(w, w->more[from + i - n])) {
                *at = i;
                return w->more[from + i - n];
            }
        }
    }
    return UINT32_MAX;
}

static void make_ready(walk *w, uint32_t chain) {
    iso_assert(w->n_ready < w->n && chain < w->n);
    uint32_t at = w->head + w->n_ready++;
    w->ready[at < w->n ? at : at - w->n] = chain;
}

/* Returns the chain that became ready first; if chains are followed as far as possible, the one that became ready
 * last. */
static uint32_t take_ready(walk *w) {
    iso_assert(w->n_ready > 0);
    w->n_ready--;
    if (w->c->turn == 0) {
        return w->ready[w->n_ready];
    }
    uint32_t chain = w->ready[w->head];
    w->head = w->head + 1 < w->n ? w->head + 1 : 0;
    return chain;
}

static uint32_t end_of(const walk *w, uint32_t chain) {
    const iso_chains *c = w->c;
    return chain < c->n_chains ? c->first[chain + 1] : c->first[c->n_chains] + (chain - c->n_chains) + 1;
}

/* Returns whether the node is one of the order. */
static bool finish(walk *w, uint32_t v) {
    iso_assert(!is_done(w, v));
    const iso_chains *c = w->c;
    bool kept = v < w->n_chained && c->kind[v] == c->kept;
    w->done[v >> 6] |= (uint64_t)1 << (v & 63);
    if (kept && w->order != NULL) {
        w->order[w->n_order] = v;
    }
    w->n_order += kept;
    for (uint32_t chain = w->waiting[v]; chain != UINT32_MAX; chain = w->also[chain]) {
        make_ready(w, chain);
    }
    return kept;
}

static void run_chain(walk *w, uint32_t chain) {
    uint32_t end = end_of(w, chain), turn = 0;
    while (w->next[chain] < end) {
        if (w->c->turn != 0 && turn == w->c->turn) {
            make_ready(w, chain);
            return;
        }
        iso_tick(w->pool->env);
        uint32_t v = w->next[chain], blocker = obstacle(w, v, &w->resume[chain]);
        if (blocker != UINT32_MAX) {
            w->also[chain] = w->waiting[blocker];
            w->waiting[blocker] = chain;
            return;
        }
        w->resume[chain] = 0;
        w->next[chain]++;
        turn += finish(w, v);
    }
}

bool iso_chain_order(const iso_chains *c, iso_pool *pool, uint32_t *order, uint32_t *n_order) {
    uint32_t n_nodes = c->first[c->n_chains] + c->n_alone;
    walk w = {.c = c, .pool = pool, .order = order, .n = c->n_chains + c->n_alone, .n_chained = c->first[c->n_chains]};
    w.done = ISO_ZNEW(pool, uint64_t, (size_t)n_nodes / 64 + 1);
    w.next = ISO_NEW(pool, uint32_t, w.n);
    memcpy(w.next, c->first, c->n_chains * sizeof *w.next);
    for (uint32_t chain = c->n_chains; chain < w.n; chain++) {
        w.next[chain] = end_of(&w, chain) - 1;
    }
    w.resume = ISO_ZNEW(pool, uint32_t, w.n);
    w.also = ISO_NEW(pool, uint32_t, w.n);
    w.ready = ISO_NEW(pool, uint32_t, w.n);
    w.waiting = ISO_NEW_NONE(pool, n_nodes);
    if (c->n_edges > 0) {
        sort_edges(&w, n_nodes);
    }
    for (uint32_t i = 0; i < w.n; i++) { /* the first chain is taken first */
        make_ready(&w, c->turn != 0 ? i : w.n - 1 - i);
    }
    while (w.n_ready > 0) {
        run_chain(&w, take_ready(&w));
    }
    bool acyclic = true;
    for (uint32_t chain = 0; chain < w.n; chain++) {
        acyclic &= w.next[chain] == end_of(&w, chain);
    }
    *n_order = w.n_order;
    void *arrays[] = {w.more, w.more_first, w.waiting, w.ready, w.also, w.resume, w.next, w.done};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        iso_free(pool, arrays[i]);
    }
    return acyclic;
}
