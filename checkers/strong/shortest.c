/* A shortest cycle of sser: a cycle with the fewest edges, and so with the fewest transactions (graph/timed_cycle.h). See
 * direct.h.
 *
 * The vertices are the transactions. There are two kinds of helpers: "t or a later transaction of its session", and "the
 * writer of this slot or a later writer of the key in its session". So session order and the anti-dependencies to one
 * session are chains of linear size. */
#include "checkers/strong/direct.h"
#include "graph/timed_cycle.h"

typedef struct shortest {
    const direct *d;
    const strong_model *m;
    iso_pool *pool;
    uint32_t n_txns;
    uint32_t *from, *to, *label; /* by edge; label: the arc; ISO_NONE: session order, or an edge from a helper */
    uint32_t n, room;
} shortest;

static uint32_t session_node(const shortest *s, uint32_t t) { return s->n_txns + t; }
static uint32_t place_node(const shortest *s, uint32_t place) { return 2 * s->n_txns + place; }

static void edge(shortest *s, uint32_t from, uint32_t to, uint32_t label) {
    uint32_t room = s->room;
    ISO_GROW(s->pool, s->from, s->n, room);
    room = s->room;
    ISO_GROW(s->pool, s->to, s->n, room);
    ISO_GROW(s->pool, s->label, s->n, s->room);
    s->from[s->n] = from;
    s->to[s->n] = to;
    s->label[s->n++] = label;
}

static void add_edges(shortest *s) {
    const strong_model *m = s->m;
    uint32_t places = m->key_first[m->h->n_keys];
    for (uint32_t t = 0; t < s->n_txns; t++) {
        edge(s, session_node(s, t), t, ISO_NONE);
        if (t + 1 < s->n_txns && strong_next_follows(m, t)) {
            edge(s, t, session_node(s, t + 1), ISO_NONE);
            edge(s, session_node(s, t), session_node(s, t + 1), ISO_NONE);
        }
    }
    for (uint32_t p = 0; p < places; p++) {
        edge(s, place_node(s, p), m->key_txn[p], ISO_NONE);
        if (p + 1 < m->key_first[m->write_key[m->key_slot[p]] + 1] &&
            m->chain[m->key_txn[p]] == m->chain[m->key_txn[p + 1]]) {
            edge(s, place_node(s, p), place_node(s, p + 1), ISO_NONE);
        }
    }
    for (uint32_t i = 0; i < s->d->n; i++) {
        const direct_arc *a = &s->d->arc[i];
        if (a->kind != SO) {
            edge(s, a->from, a->kind == WR ? a->to : place_node(s, s->d->group_place[a->overwrite]), i);
        }
    }
}

/* Adds an arc to the best cycle. */
static void append(direct *d, direct_arc a) {
    ISO_GROW(d->pool, d->best, d->n_best, d->best_room);
    ISO_GROW(d->pool, d->arc, d->n, d->room);
    d->best[d->n_best++] = d->n;
    d->arc[d->n++] = a;
}

/* Turns the cycle into arcs between transactions: each begins with an edge from a transaction, which the edges from helpers
 * continue. */
static void append_cycle(direct *d, const shortest *s, const iso_timed_cycle *cycle) {
    uint32_t to = cycle->source;
    for (uint32_t i = 0, first = 0; i < cycle->n; i++) {
        to = s->to[cycle->edge[i]];
        if (to >= s->n_txns) {
            continue;
        }
        uint32_t e = cycle->edge[first];
        direct_arc a = {s->from[e], to, SO, ISO_NONE, ISO_NONE, ISO_NONE};
        if (s->label[e] != ISO_NONE) {
            a = d->arc[s->label[e]];
            a.to = to;
            a.overwrite = a.kind == RW ? iso_strong_slot_of(s->m, to, s->m->write_key[a.via]) : a.overwrite;
        }
        append(d, a);
        first = i + 1;
    }
    if (cycle->in_time) {
        append(d, (direct_arc){to, cycle->source, RT, ISO_NONE, ISO_NONE, ISO_NONE});
    }
}

void iso_strong_shortest(direct *d) {
    const strong_model *m = d->m;
    const isolab_history *h = m->h;
    uint32_t n = m->n_txns, n_nodes = 2 * n + m->key_first[h->n_keys];
    shortest s = {.d = d, .m = m, .pool = d->pool, .n_txns = n};
    int64_t *start = ISO_NEW(d->pool, int64_t, n), *end = ISO_NEW(d->pool, int64_t, n);
    for (uint32_t t = 0; t < n; t++) { /* optional transactions have no times */
        bool timed = h->txn_start != NULL && t < m->n_included;
        start[t] = timed && h->txn_start[m->txn[t]] != ISO_NO_TIME ? h->txn_start[m->txn[t]] : INT64_MIN;
        end[t] = timed && h->txn_end[m->txn[t]] != ISO_NO_TIME ? h->txn_end[m->txn[t]] : INT64_MAX;
    }
    add_edges(&s);
    iso_timed_graph g = {.graph = iso_digraph_build(d->pool, n_nodes, s.from, s.to, s.n, true),
                         .n_nodes = n_nodes,
                         .n = n,
                         .n_sources = m->n_included,
                         .from = s.from,
                         .to = s.to,
                         .start = start,
                         .end = end,
                         .most_steps = SEARCH_STEPS};
    iso_timed_cycle cycle = iso_timed_cycle_find(&g, d->pool);
    if (cycle.n > 0) {
        iso_strong_convict(d);
        append_cycle(d, &s, &cycle);
    }
}
