/* Orders and components of so, wr and what a commit relation adds.
 *
 * Without a graph in memory: sessions are walked in turns, a few transactions at a time, so that the order resembles
 * time and what is still needed of the past stays little. A transaction may come when all that it reads from,
 * and all that CM puts before it, have come; else its session waits for the first of them that has not. O(n). Only
 * where that fails is the graph made, and its strongly connected components. */
#include <string.h>

#include "checkers/plume/plume.h"

#define TURN 8 /* transactions of one session before the next one has its turn */

typedef struct walk {
    iso_plume *p;
    const iso_plume_cm *cm; /* NULL: so and wr alone */
    uint64_t *done;
    uint32_t *next, *resume;        /* by session: its next transaction, and how many of its edges are done */
    uint32_t *waiting, *also;       /* by transaction: a session that waits for it; by session: another one that does */
    uint32_t *ready, head, n_ready; /* a ring of sessions that may go on */
    uint32_t *before_first, *before; /* the edges of cm by their end */
    uint32_t *order, n_order;
} walk;

static void sort_edges(walk *w) {
    const iso_plume_cm *cm = w->cm;
    uint32_t n = w->p->h->n_txns;
    w->before_first = ISO_ZNEW(w->p->pool, uint32_t, (size_t)n + 2);
    w->before = ISO_NEW(w->p->pool, uint32_t, cm->n);
    for (uint32_t i = 0; i < cm->n; i++) {
        w->before_first[cm->to[i] + 2]++;
    }
    for (uint32_t t = 0; t < n; t++) {
        w->before_first[t + 2] += w->before_first[t + 1];
    }
    for (uint32_t i = 0; i < cm->n; i++) {
        w->before[w->before_first[cm->to[i] + 1]++] = cm->from[i];
    }
}

static bool is_done(const walk *w, uint32_t t) { return t == ISO_INIT || iso_plume_bit(w->done, t); }

/* What t waits for, from its edge number *at on; ISO_NONE: nothing. */
static uint32_t obstacle(const walk *w, uint32_t t, uint32_t *at) {
    const iso_plume *p = w->p;
    uint32_t first = p->read_first[t], n = p->read_first[t + 1] - first, i = *at;
    for (; i < n; i++) {
        if (!is_done(w, p->read_from[first + i])) {
            *at = i;
            return p->read_from[first + i];
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

static void make_ready(walk *w, uint32_t session) {
    uint32_t n = w->p->h->n_sessions, at = w->head + w->n_ready++;
    w->ready[at < n ? at : at - n] = session;
}

static void run_session(walk *w, uint32_t s) {
    const isolab_history *h = w->p->h;
    for (int turn = 0; turn < TURN && w->next[s] < h->session_txn[s + 1];) {
        iso_tick(w->p->pool->env);
        uint32_t t = w->next[s], blocker = obstacle(w, t, &w->resume[s]);
        if (blocker != ISO_NONE) {
            w->also[s] = w->waiting[blocker];
            w->waiting[blocker] = s;
            return;
        }
        w->resume[s] = 0;
        w->next[s]++;
        iso_plume_set(w->done, t);
        if (iso_plume_in(w->p, t)) {
            w->order[w->n_order++] = t;
            turn++;
        }
        for (uint32_t other = w->waiting[t]; other != ISO_NONE; other = w->also[other]) {
            make_ready(w, other);
        }
    }
    if (w->next[s] < h->session_txn[s + 1]) {
        make_ready(w, s);
    }
}

/* False: there is a cycle. */
static bool sort(iso_plume *p, const iso_plume_cm *cm, uint32_t *order) {
    const isolab_history *h = p->h;
    walk w = {.p = p, .cm = cm, .order = order};
    w.done = ISO_ZNEW(p->pool, uint64_t, (size_t)h->n_txns / 64 + 1);
    w.next = ISO_NEW(p->pool, uint32_t, h->n_sessions);
    memcpy(w.next, h->session_txn, h->n_sessions * sizeof *w.next);
    w.resume = ISO_ZNEW(p->pool, uint32_t, h->n_sessions);
    w.also = ISO_NEW(p->pool, uint32_t, h->n_sessions);
    w.ready = ISO_NEW(p->pool, uint32_t, h->n_sessions);
    w.waiting = ISO_NEW_NONE(p->pool, h->n_txns);
    if (cm != NULL) {
        sort_edges(&w);
    }
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        make_ready(&w, s);
    }
    while (w.n_ready > 0) {
        uint32_t s = w.ready[w.head];
        w.head = w.head + 1 < h->n_sessions ? w.head + 1 : 0;
        w.n_ready--;
        run_session(&w, s);
    }
    bool acyclic = true;
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        acyclic &= w.next[s] == h->session_txn[s + 1];
    }
    p->n_order = w.n_order;
    void *arrays[] = {w.before, w.before_first, w.waiting, w.ready, w.also, w.resume, w.next, w.done};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        iso_free(p->pool, arrays[i]);
    }
    return acyclic;
}

/* ---- the graph ---- */

static void add(iso_plume_cm *cm, uint32_t *n, uint32_t from, uint32_t to) {
    cm->edge_from[*n] = from;
    cm->edge_to[(*n)++] = to;
}

static void build(iso_plume *p, iso_plume_cm *cm) {
    const isolab_history *h = p->h;
    uint64_t most = (uint64_t)h->n_txns + p->read_first[h->n_txns] + cm->n;
    if (most >= ISO_ID_MAX) {
        iso_throw(p->pool->env, ISOLAB_E_LIMIT, "too many edges to look for a cycle");
    }
    cm->edge_from = ISO_NEW(p->pool, uint32_t, most);
    cm->edge_to = ISO_NEW(p->pool, uint32_t, most);
    uint32_t n = 0;
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        for (uint32_t t = h->session_txn[s], before = h->n_txns; t < h->session_txn[s + 1]; t++) {
            if (iso_plume_in(p, t)) {
                add(cm, &n, before, t);
                before = t;
            }
        }
    }
    cm->n_so = n;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        for (uint32_t r = p->read_first[t]; r < p->read_first[t + 1]; r++) {
            if (p->read_from[r] != ISO_INIT && iso_plume_bit(p->fact, r)) {
                add(cm, &n, p->read_from[r], t);
            }
        }
    }
    cm->n_causal = n;
    for (uint32_t i = 0; i < cm->n; i++) {
        add(cm, &n, cm->from[i], iso_plume_node(p, cm->to[i]));
    }
    cm->graph = iso_digraph_build(p->pool, h->n_txns + 1, cm->edge_from, cm->edge_to, n, true);
    cm->component = ISO_NEW(p->pool, uint32_t, (size_t)h->n_txns + 1);
    iso_digraph_components(&cm->graph, p->pool, cm->component);
    cm->cycle = ISO_ZNEW(p->pool, uint64_t, (size_t)h->n_txns / 64 + 1);
    for (uint32_t e = 0; e < n; e++) {
        if (cm->component[cm->edge_from[e]] == cm->component[cm->edge_to[e]]) {
            iso_plume_set(cm->cycle, cm->edge_from[e]);
        }
    }
}

void iso_plume_forget(iso_plume *p, iso_plume_cm *cm) {
    void *arrays[] = {cm->from, cm->to, cm->why, cm->edge_from, cm->edge_to, cm->component, cm->cycle};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        iso_free(p->pool, arrays[i]);
    }
    if (cm->cyclic) {
        iso_digraph_free(p->pool, &cm->graph);
    }
    *cm = (iso_plume_cm){.grade = cm->grade};
}

/* Components come in reverse topological order; within one the transactions stay in theirs. A counting sort. */
static void order_by_component(iso_plume *p, const uint32_t *component) {
    uint32_t n = p->h->n_txns, *at = ISO_ZNEW(p->pool, uint32_t, (size_t)n + 3);
    p->n_order = 0;
    for (uint32_t t = 0; t < n; t++) {
        at[n - component[t] + 1] += iso_plume_in(p, t);
    }
    for (uint32_t c = 0; c <= n; c++) {
        at[c + 1] += at[c];
    }
    for (uint32_t t = 0; t < n; t++) {
        if (iso_plume_in(p, t)) {
            p->order[at[n - component[t]]++] = t;
            p->n_order++;
        }
    }
    iso_free(p->pool, at);
}

void iso_plume_causal_order(iso_plume *p) {
    p->order = ISO_NEW(p->pool, uint32_t, p->h->n_txns);
    if (sort(p, NULL, p->order)) {
        return;
    }
    iso_plume_cm causal = {.grade = ISO_PLUME_NO_AXIOM, .cyclic = true};
    build(p, &causal);
    p->component = ISO_NEW(p->pool, uint32_t, (size_t)p->h->n_txns + 1);
    memcpy(p->component, causal.component, ((size_t)p->h->n_txns + 1) * sizeof *p->component);
    order_by_component(p, causal.component);
    iso_plume_forget(p, &causal);
}

/* Do all edges of CM lead forward in the order that there is? */
static bool fits(iso_plume *p, const iso_plume_cm *cm) {
    uint32_t *place = ISO_NEW(p->pool, uint32_t, p->h->n_txns);
    for (uint32_t i = 0; i < p->n_order; i++) {
        place[p->order[i]] = i;
    }
    bool fine = true;
    for (uint32_t i = 0; i < cm->n && fine; i++) {
        fine = place[cm->from[i]] < place[cm->to[i]];
    }
    iso_free(p->pool, place);
    return fine;
}

void iso_plume_close(iso_plume *p, iso_plume_cm *cm) {
    bool acyclic = p->component == NULL && !cm->into_initial;
    if (acyclic && !fits(p, cm)) {
        uint32_t *order = ISO_NEW(p->pool, uint32_t, p->h->n_txns), n_order = p->n_order;
        acyclic = sort(p, cm, order);
        if (acyclic) {
            iso_free(p->pool, p->order);
            p->order = order;
        } else { /* that of so|wr is still needed */
            iso_free(p->pool, order);
            p->n_order = n_order;
        }
    }
    if (!acyclic) {
        cm->cyclic = true;
        build(p, cm);
    }
}
