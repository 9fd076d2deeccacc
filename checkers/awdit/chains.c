/* Chains instead of sessions. See cc.h.
 *
 * If sessions are long, they are the chains. Otherwise:
 * - Light transactions come first. From each transaction a forward search visits a few transactions. If no others
 *   happen after it, it is light, and the same search finds the edges for which it is t2.
 * - Then transactions are taken by their depth in so and wr, which is nearly the order in which they happened. Each one
 *   continues the chain of its session predecessor. If that chain was already continued, or there is no predecessor, a
 *   backward search looks for another transaction whose chain no transaction continues yet. That search is breadth
 *   first and also stops after a few transactions. (The smallest number of chains would need a matching in the
 *   transitive closure.)
 *
 * Only short sessions are split; of other sessions only the ends are considered. All steps take O(n). */
#include <string.h>

#include "base/buckets.h"
#include "checkers/awdit/cc.h"
#include "graph/digraph.h"

#define SHORT 16      /* average transactions of a session up to which sessions may be split */
#define LIGHT 64      /* limit of transactions after a light one; lower in small histories */
#define LOOKED_AT 256 /* limit of transactions visited in the search for a chain to continue */

typedef struct joiner {
    iso_awdit *a;
    bool cut; /* sessions may be split */
    uint32_t light_most;
    iso_digraph readers;        /* by transaction: the transactions that read from it */
    uint32_t *next;             /* by transaction: the next one of its chain; ISO_NONE: none */
    uint8_t *light, *continues; /* by transaction */
    uint32_t *met, search;      /* by transaction: the last search that met it */
    uint32_t queue[LOOKED_AT];  /* larger than LIGHT */
    uint32_t n_queue;
} joiner;

static void start(joiner *j, uint32_t t) {
    j->search++;
    j->n_queue = 0;
    j->met[t] = j->search;
    j->queue[j->n_queue++] = t;
}

/* Adds t to the search unless it was met. Returns false if the search then has more than `most` transactions. */
static bool visit_txn(joiner *j, uint32_t t, uint32_t most) {
    if (j->met[t] == j->search) {
        return true;
    }
    if (j->n_queue == most) {
        return false;
    }
    j->met[t] = j->search;
    j->queue[j->n_queue++] = t;
    return true;
}

/* Return the included transaction before or after t in its session; ISO_NONE: none. */
static uint32_t before(const iso_awdit *a, uint32_t t) {
    uint32_t first = a->h->session_txn[a->h->txn_session[t]];
    while (t > first) {
        if (iso_awdit_in(a, --t)) {
            return t;
        }
    }
    return ISO_NONE;
}

static uint32_t after(const iso_awdit *a, uint32_t t) {
    uint32_t end = a->h->session_txn[a->h->txn_session[t] + 1];
    while (++t < end) {
        if (iso_awdit_in(a, t)) {
            return t;
        }
    }
    return ISO_NONE;
}

/* ---- light transactions ---- */

/* Puts every transaction after t into the queue. Returns false if there are too many. */
static bool look_forward(joiner *j, uint32_t t) {
    uint32_t steps = 0;
    start(j, t);
    for (uint32_t head = 0; head < j->n_queue; head++) {
        uint32_t v = j->queue[head], u = after(j->a, v);
        if (u != ISO_NONE && !visit_txn(j, u, j->light_most + 1)) {
            return false;
        }
        for (uint32_t i = j->readers.first[v]; i < j->readers.first[v + 1]; i++) {
            if (!visit_txn(j, j->readers.to[i], j->light_most + 1) || ++steps > 16 * LIGHT) {
                return false;
            }
        }
    }
    return true;
}

/* Infers the edges from t2, where the queue has every t3 that may see t2. A t2 that happens before t1 needs no edge. */
static void infer(joiner *j, uint32_t t2) {
    iso_awdit *a = j->a;
    for (uint32_t q = 1; q < j->n_queue; q++) {
        uint32_t t3 = j->queue[q];
        for (uint32_t i = a->h->txn_op[t3]; i < a->reads_end[t3]; i++) {
            uint32_t t1 = a->source[i];
            if (t1 != t2 && iso_awdit_may_write(a, t2, iso_awdit_bits(a->key[i])) &&
                (t1 == ISO_INIT || j->met[t1] != j->search) && iso_awdit_writes(a, t2, a->key[i])) {
                iso_awdit_edge(&a->edges, t2, t1);
            }
        }
    }
}

static void find_readers(joiner *j) {
    iso_awdit *a = j->a;
    const isolab_history *h = a->h;
    uint32_t *from = ISO_NEW(a->pool, uint32_t, h->n_ops), *to = ISO_NEW(a->pool, uint32_t, h->n_ops), n = 0;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        for (uint32_t i = h->txn_op[t]; i < a->reads_end[t]; i++) {
            if (a->source[i] != ISO_INIT && (i == h->txn_op[t] || a->source[i] != a->source[i - 1])) {
                from[n] = a->source[i];
                to[n++] = t;
            }
        }
    }
    j->readers = iso_digraph_build(a->pool, h->n_txns, from, to, n, false);
    iso_free(a->pool, to);
    iso_free(a->pool, from);
}

/* Finds the light transactions. The session successors of a light transaction are light too. */
static void find_light(joiner *j) {
    iso_awdit *a = j->a;
    const isolab_history *h = a->h;
    find_readers(j);
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        bool light = false, first = true;
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1] && (first || light || j->cut); t++) {
            iso_tick(a->pool->env);
            if (!iso_awdit_in(a, t)) {
                continue;
            }
            first = false;
            light = look_forward(j, t);
            j->light[t] = light;
            if (light && a->writes_first[t] < h->txn_op[t + 1]) {
                infer(j, t);
            }
        }
    }
    iso_digraph_free(a->pool, &j->readers);
}

/* ---- chains ---- */

/* Returns whether a transaction other than its session successor may continue the chain of t. */
static bool is_open(const joiner *j, uint32_t t) {
    return j->next[t] == ISO_NONE && (j->cut || after(j->a, t) == ISO_NONE);
}

/* Returns a transaction before t whose chain t can continue; ISO_NONE: not found. */
static uint32_t find_open(joiner *j, uint32_t t) {
    const iso_awdit *a = j->a;
    const isolab_history *h = a->h;
    start(j, t);
    for (uint32_t head = 0; head < j->n_queue; head++) {
        uint32_t v = j->queue[head], u = before(a, v);
        if (v != t && is_open(j, v)) {
            return v;
        }
        if (u != ISO_NONE) {
            visit_txn(j, u, LOOKED_AT);
        }
        for (uint32_t i = h->txn_op[v]; i < a->reads_end[v] && j->n_queue < LOOKED_AT; i++) {
            if (a->source[i] != ISO_INIT) {
                visit_txn(j, a->source[i], LOOKED_AT);
            }
        }
    }
    return ISO_NONE;
}

/* Returns the length of the longest path to each transaction. */
static uint32_t *find_depths(const iso_awdit *a, const uint32_t *order) {
    const isolab_history *h = a->h;
    uint32_t *depth = ISO_ZNEW(a->pool, uint32_t, h->n_txns);
    for (uint32_t i = 0; i < a->n_order; i++) {
        uint32_t t = order[i], b = before(a, t), d = b == ISO_NONE ? 0 : depth[b] + 1;
        iso_tick(a->pool->env);
        for (uint32_t r = h->txn_op[t]; r < a->reads_end[t]; r++) {
            if (a->source[r] != ISO_INIT && depth[a->source[r]] >= d) {
                d = depth[a->source[r]] + 1;
            }
        }
        depth[t] = d;
    }
    return depth;
}

/* Returns the included transactions by depth. */
static uint32_t *by_depth(const iso_awdit *a, const uint32_t *order) {
    uint32_t *depth = find_depths(a, order), *sorted = ISO_NEW(a->pool, uint32_t, a->n_order);
    iso_buckets rows = iso_buckets_new(a->pool, a->h->n_txns);
    for (uint32_t i = 0; i < a->n_order; i++) {
        iso_buckets_count(&rows, depth[order[i]]);
    }
    iso_buckets_sum(&rows);
    for (uint32_t i = 0; i < a->n_order; i++) {
        sorted[iso_buckets_place(&rows, depth[order[i]])] = order[i];
    }
    iso_free(a->pool, rows.first);
    iso_free(a->pool, depth);
    return sorted;
}

static void link_chains(joiner *j, const uint32_t *order) {
    iso_awdit *a = j->a;
    uint32_t *sorted = by_depth(a, order);
    for (uint32_t i = 0; i < a->n_order; i++) {
        uint32_t t = sorted[i];
        iso_tick(a->pool->env);
        if (j->light[t]) {
            continue;
        }
        uint32_t b = before(a, t);
        if (b == ISO_NONE || j->next[b] != ISO_NONE) {
            b = find_open(j, t);
        }
        if (b != ISO_NONE) {
            j->next[b] = t;
            j->continues[t] = 1;
        }
    }
    iso_free(a->pool, sorted);
}

/* Makes each session a chain. */
static void link_sessions(joiner *j) {
    for (uint32_t t = 0; t < j->a->h->n_txns; t++) {
        uint32_t u = iso_awdit_in(j->a, t) ? after(j->a, t) : ISO_NONE;
        if (u != ISO_NONE) {
            j->next[t] = u;
            j->continues[u] = 1;
        }
    }
}

/* Numbers the chains, starting at transactions that continue no other chain. Light chains get the highest numbers. */
static void number(const joiner *j, iso_awdit_chains *c) {
    const isolab_history *h = j->a->h;
    for (uint8_t light = 0; light < 2; light++) {
        for (uint32_t first = 0; first < h->n_txns; first++) {
            if (!iso_awdit_in(j->a, first) || j->continues[first] || j->light[first] != light) {
                continue;
            }
            uint32_t size = 0;
            for (uint32_t t = first; t != ISO_NONE; t = j->next[t]) {
                c->of[t] = c->n;
                c->place[t] = ++size;
                c->txns[c->n_txns++] = t;
            }
            c->size[c->n++] = size;
        }
        c->n_heavy = light ? c->n_heavy : c->n;
    }
}

iso_awdit_chains iso_awdit_find_chains(iso_awdit *a, const uint32_t *order) {
    const isolab_history *h = a->h;
    iso_awdit_chains c = {.n = 0};
    c.of = ISO_NEW(a->pool, uint32_t, h->n_txns);
    c.place = ISO_NEW(a->pool, uint32_t, h->n_txns);
    c.size = ISO_NEW(a->pool, uint32_t, h->n_txns);
    c.txns = ISO_NEW(a->pool, uint32_t, h->n_txns);
    joiner *j = ISO_ZNEW(a->pool, joiner, 1);
    j->a = a;
    j->cut = h->n_txns / SHORT < h->n_sessions;
    j->light_most = h->n_txns / LIGHT < LIGHT ? h->n_txns / LIGHT : LIGHT;
    j->next = ISO_NEW_NONE(a->pool, h->n_txns);
    j->light = ISO_ZNEW(a->pool, uint8_t, h->n_txns);
    j->continues = ISO_ZNEW(a->pool, uint8_t, h->n_txns);
    if (h->n_txns / ISO_AWDIT_LONG < h->n_sessions) {
        j->met = ISO_ZNEW(a->pool, uint32_t, h->n_txns);
        find_light(j);
        link_chains(j, order);
        iso_free(a->pool, j->met);
    } else {
        link_sessions(j);
    }
    number(j, &c);
    iso_free(a->pool, j->continues);
    iso_free(a->pool, j->light);
    iso_free(a->pool, j->next);
    iso_free(a->pool, j);
    return c;
}

void iso_awdit_free_chains(const iso_awdit *a, iso_awdit_chains *c) {
    uint32_t *arrays[] = {c->of, c->place, c->size, c->txns};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        iso_free(a->pool, arrays[i]);
    }
}
