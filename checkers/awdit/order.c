/* A topological order of so, wr and the inferred edges, without a graph in memory: each session is walked as far
 * as it goes. A transaction may come when all that it reads from, and all t2 inferred to be before it, are
 * done; else its session waits for the first of them that is not. What remains to look at is remembered, so
 * each edge is looked at once: O(n). Whether a transaction is done is one bit, so the table stays in cache. */
#include <string.h>

#include "checkers/awdit/awdit.h"

typedef struct walk {
    iso_awdit *a;
    uint64_t *done;                  /* bit by transaction */
    uint32_t *next, *resume;         /* by session: its next transaction, and how many of its edges are done */
    uint32_t *waiting;               /* by transaction: a session that waits for it; */
    uint32_t *also;                  /* by session: another session that waits for the same one */
    uint32_t *ready, n_ready;        /* sessions that may go on */
    uint32_t *before_first, *before; /* inferred edges by their end; NULL */
    uint32_t *order, n_order;
    uint32_t n_sessions; /* nodes of inferred edges that are no transactions (awdit.h) are a session each */
} walk;

/* Inferred edges by their end, a counting sort. */
static void sort_edges(walk *w) {
    const iso_awdit_edges *e = &w->a->edges;
    uint32_t n = w->a->h->n_txns + e->n_nodes;
    w->before_first = ISO_ZNEW(w->a->pool, uint32_t, (size_t)n + 2);
    w->before = ISO_NEW(w->a->pool, uint32_t, e->n);
    for (uint32_t i = 0; i < e->n; i++) {
        w->before_first[e->to[i] + 2]++;
    }
    for (uint32_t t = 0; t < n; t++) {
        w->before_first[t + 2] += w->before_first[t + 1];
    }
    for (uint32_t i = 0; i < e->n; i++) {
        w->before[w->before_first[e->to[i] + 1]++] = e->from[i];
    }
}

static bool is_done(const walk *w, uint32_t t) { return t == ISO_INIT || (w->done[t >> 6] >> (t & 63) & 1); }

/* What t has to wait for, from its edge number *at on; ISO_NONE: nothing. */
static uint32_t obstacle(const walk *w, uint32_t t, uint32_t *at) {
    const iso_awdit *a = w->a;
    bool txn = t < a->h->n_txns;
    uint32_t first = txn ? a->h->txn_op[t] : 0, n = txn ? a->reads_end[t] - first : 0, i = *at;
    for (; i < n; i++) {
        if (!is_done(w, a->source[first + i])) {
            *at = i;
            return a->source[first + i];
        }
    }
    if (w->before != NULL) {
        for (uint32_t from = w->before_first[t], m = w->before_first[t + 1] - from; i - n < m; i++) {
            if (!is_done(w, w->before[from + i - n])) {
                *at = i;
                return w->before[from + i - n];
            }
        }
    }
    return ISO_NONE;
}

static void finish(walk *w, uint32_t t) {
    w->done[t >> 6] |= (uint64_t)1 << (t & 63);
    if (t < w->a->h->n_txns && iso_awdit_in(w->a, t)) {
        if (w->order != NULL) {
            w->order[w->n_order] = t;
        }
        w->n_order++;
    }
    for (uint32_t s = w->waiting[t]; s != ISO_NONE; s = w->also[s]) {
        w->ready[w->n_ready++] = s;
    }
}

static uint32_t end_of(const walk *w, uint32_t s) {
    const isolab_history *h = w->a->h;
    return s < h->n_sessions ? h->session_txn[s + 1] : h->n_txns + (s - h->n_sessions) + 1;
}

static void run_session(walk *w, uint32_t s) {
    uint32_t end = end_of(w, s);
    while (w->next[s] < end) {
        iso_tick(w->a->pool->env);
        uint32_t t = w->next[s], blocker = obstacle(w, t, &w->resume[s]);
        if (blocker != ISO_NONE) {
            w->also[s] = w->waiting[blocker];
            w->waiting[blocker] = s;
            return;
        }
        w->resume[s] = 0;
        w->next[s]++;
        finish(w, t);
    }
}

bool iso_awdit_sort(iso_awdit *a, bool inferred, uint32_t *order) {
    const isolab_history *h = a->h;
    if (inferred && a->edges.into_initial) {
        return false;
    }
    uint32_t more = inferred ? a->edges.n_nodes : 0, n_nodes = h->n_txns + more;
    walk w = {.a = a, .order = order, .n_sessions = h->n_sessions + more};
    w.done = ISO_ZNEW(a->pool, uint64_t, (size_t)n_nodes / 64 + 1);
    w.next = ISO_NEW(a->pool, uint32_t, w.n_sessions);
    memcpy(w.next, h->session_txn, h->n_sessions * sizeof *w.next);
    for (uint32_t s = h->n_sessions; s < w.n_sessions; s++) {
        w.next[s] = end_of(&w, s) - 1;
    }
    w.resume = ISO_ZNEW(a->pool, uint32_t, w.n_sessions);
    w.also = ISO_NEW(a->pool, uint32_t, w.n_sessions);
    w.ready = ISO_NEW(a->pool, uint32_t, w.n_sessions);
    w.waiting = ISO_NEW_NONE(a->pool, n_nodes);
    if (inferred && a->edges.n > 0) {
        sort_edges(&w);
    }
    for (uint32_t s = w.n_sessions; s-- > 0;) {
        w.ready[w.n_ready++] = s;
    }
    while (w.n_ready > 0) {
        run_session(&w, w.ready[--w.n_ready]);
    }
    bool acyclic = true;
    for (uint32_t s = 0; s < w.n_sessions; s++) {
        acyclic &= w.next[s] == end_of(&w, s);
    }
    a->n_order = w.n_order;
    iso_free(a->pool, w.before);
    iso_free(a->pool, w.before_first);
    iso_free(a->pool, w.waiting);
    iso_free(a->pool, w.ready);
    iso_free(a->pool, w.also);
    iso_free(a->pool, w.resume);
    iso_free(a->pool, w.next);
    iso_free(a->pool, w.done);
    return acyclic;
}
