/* A shortest cycle of sser: a cycle with the fewest edges, and so with the fewest transactions. See direct.h.
 *
 * A shortest cycle has at most one edge of real-time order. Proof: let it have two, b1 -> a1 and b2 -> a2, and let a1 start
 * no later than a2. Then b1 also ended before a2 started, and b1 -> a2 makes a shorter cycle, without the path from a1 to
 * b2. So a shortest cycle is a path of other edges from a transaction a back to a, or to a transaction b that ended before
 * a started. The edges of real-time order, of which there may be n^2, are never followed.
 *
 * The nodes of the graph are the transactions, and helper nodes. Steps from a helper node cost nothing. One kind of helper
 * node means "t or a later transaction of its session". The other kind means "the writer of this slot or a later writer of
 * the key in its session". So session order and the anti-dependencies to one session are chains of linear size. For every
 * node the search knows the earliest end that can be reached from it. That rules out most sources and cuts most paths.
 *
 * Cycles of at most 2 edges are searched first, from every possible source, then of at most 4, 8, and so on. The number of
 * steps is bounded: after SEARCH_STEPS, the best cycle so far is kept, or the next one that is found. */
#include "checkers/strong/direct.h"

typedef struct shortest {
    direct *d;
    const strong_model *m;
    uint32_t n_txns, n_nodes;
    uint32_t *from, *to, *label, n,
        room; /* steps; label: the arc; ISO_NONE: session order, or a step from a helper node */
    iso_digraph graph;
    uint32_t *component;
    int64_t *start, *end; /* by transaction */
    int64_t *near;        /* by node: the earliest end of a transaction that it reaches at no cost */
    int64_t *low;         /* by component: the earliest end of a transaction that it reaches */

    /* the search from one transaction */
    uint32_t source, search;
    uint32_t *stamp, *cost,
        *by; /* by node: the search that reached it, the number of edges on the path, and its last step */
    strong_layers queue;
    uint64_t best;    /* twice its length, plus 1 with real-time order; a new cycle must be better */
    direct_arc *path; /* the best one */
    uint32_t n_path, path_room;
} shortest;

static uint32_t session_node(const shortest *s, uint32_t t) { return s->n_txns + t; }
static uint32_t place_node(const shortest *s, uint32_t place) { return 2 * s->n_txns + place; }

/* ---- the graph ---- */

static void step(shortest *s, uint32_t from, uint32_t to, uint32_t label) {
    uint32_t room = s->room;
    ISO_GROW(s->d->pool, s->from, s->n, room);
    room = s->room;
    ISO_GROW(s->d->pool, s->to, s->n, room);
    ISO_GROW(s->d->pool, s->label, s->n, s->room);
    s->from[s->n] = from;
    s->to[s->n] = to;
    s->label[s->n++] = label;
}

/* Returns whether the next place has a later writer of the same key in the same session. */
static bool next_place_follows(const strong_model *m, uint32_t place) {
    uint32_t key = m->write_key[m->key_slot[place]];
    return place + 1 < m->key_first[key + 1] && m->chain[m->key_txn[place]] == m->chain[m->key_txn[place + 1]];
}

static void build(shortest *s) {
    const strong_model *m = s->m;
    uint32_t places = m->key_first[m->h->n_keys];
    for (uint32_t t = 0; t < s->n_txns; t++) {
        step(s, session_node(s, t), t, ISO_NONE);
        if (t + 1 < s->n_txns && strong_next_follows(m, t)) {
            step(s, t, session_node(s, t + 1), ISO_NONE);
            step(s, session_node(s, t), session_node(s, t + 1), ISO_NONE);
        }
    }
    for (uint32_t p = 0; p < places; p++) {
        step(s, place_node(s, p), m->key_txn[p], ISO_NONE);
        if (next_place_follows(m, p)) {
            step(s, place_node(s, p), place_node(s, p + 1), ISO_NONE);
        }
    }
    for (uint32_t i = 0; i < s->d->n; i++) {
        const direct_arc *a = &s->d->arc[i];
        if (a->kind != SO) {
            step(s, a->from, a->kind == WR ? a->to : place_node(s, s->d->group_place[a->overwrite]), i);
        }
    }
    s->graph = iso_digraph_build(s->d->pool, s->n_nodes, s->from, s->to, s->n, true);
}

static int64_t lesser(int64_t a, int64_t b) { return a < b ? a : b; }

/* Computes the earliest ends that can be reached. */
static void find_ends(shortest *s) {
    const strong_model *m = s->m;
    const isolab_history *h = m->h;
    for (uint32_t t = 0; t < s->n_txns; t++) { /* optional transactions are left out */
        bool timed = h->txn_start != NULL && t < m->n_included;
        int64_t start = timed ? h->txn_start[m->txn[t]] : ISO_NO_TIME,
                end = timed ? h->txn_end[m->txn[t]] : ISO_NO_TIME;
        s->start[t] = start == ISO_NO_TIME ? INT64_MIN : start;
        s->near[t] = s->end[t] = end == ISO_NO_TIME ? INT64_MAX : end;
    }
    for (uint32_t t = s->n_txns; t-- > 0;) {
        bool follows = t + 1 < s->n_txns && strong_next_follows(m, t);
        s->near[session_node(s, t)] = lesser(s->end[t], follows ? s->near[session_node(s, t + 1)] : INT64_MAX);
    }
    for (uint32_t p = m->key_first[h->n_keys]; p-- > 0;) {
        int64_t later = next_place_follows(m, p) ? s->near[place_node(s, p + 1)] : INT64_MAX;
        s->near[place_node(s, p)] = lesser(s->end[m->key_txn[p]], later);
    }
    uint32_t n = iso_digraph_components(&s->graph, s->d->pool, s->component);
    uint32_t *first = ISO_ZNEW(s->d->pool, uint32_t, (size_t)n + 1), *row = ISO_NEW(s->d->pool, uint32_t, s->n_nodes);
    for (uint32_t v = 0; v < s->n_nodes; v++) {
        first[s->component[v]]++;
    }
    for (uint32_t c = 0, sum = 0; c <= n; c++) {
        sum += first[c];
        first[c] = sum;
    }
    for (uint32_t v = 0; v < s->n_nodes; v++) {
        row[--first[s->component[v]]] = v;
    }
    for (uint32_t i = 0; i < n; i++) {
        s->low[i] = INT64_MAX;
    }
    for (uint32_t i = 0; i < s->n_nodes; i++) { /* the components of successors come first */
        uint32_t v = row[i], c = s->component[v];
        s->low[c] = lesser(s->low[c], s->near[v]);
        for (uint32_t k = s->graph.first[v]; k < s->graph.first[v + 1]; k++) {
            s->low[c] = lesser(s->low[c], s->low[s->component[s->graph.to[k]]]);
        }
    }
}

/* ---- the search ---- */

/* Keeps a cycle: the path to the end of its last step, as arcs between transactions. */
static void keep(shortest *s, uint64_t value, uint32_t last_step, bool in_time) {
    uint32_t to = s->to[last_step], at = last_step;
    s->best = value;
    s->n_path = 0;
    if (in_time) {
        ISO_GROW(s->d->pool, s->path, s->n_path, s->path_room);
        s->path[s->n_path++] = (direct_arc){to, s->source, RT, ISO_NONE, ISO_NONE, ISO_NONE};
    }
    for (;; at = s->by[s->from[at]]) {
        if (s->from[at] < s->n_txns) { /* an edge from there to `to` */
            direct_arc a = {s->from[at], to, SO, ISO_NONE, ISO_NONE, ISO_NONE};
            if (s->label[at] != ISO_NONE) {
                a = s->d->arc[s->label[at]];
                a.to = to;
                if (a.kind == RW) {
                    a.overwrite = iso_strong_slot_of(s->m, to, s->m->write_key[a.via]);
                }
            }
            ISO_GROW(s->d->pool, s->path, s->n_path, s->path_room);
            s->path[s->n_path++] = a;
            to = s->from[at];
            if (to == s->source) {
                break;
            }
        }
    }
}

/* Returns whether a better cycle may go on from node v, which a path of this number of edges reaches. */
static bool is_of_use(const shortest *s, uint32_t v, uint64_t edges) {
    uint64_t more = v < s->n_txns; /* to come back to the source */
    bool back = s->component[v] == s->component[s->source] && 2 * (edges + more) < s->best;
    int64_t start = s->start[s->source];
    bool in_time =
        2 * (edges + 1) + 1 < s->best && (2 * (edges + 2) + 1 < s->best ? s->low[s->component[v]] : s->near[v]) < start;
    return back || in_time;
}

static void take_step(shortest *s, uint32_t number, uint32_t edges) {
    uint32_t v = s->to[number];
    s->d->steps++;
    if (v == s->source) {
        if (edges > 1 && 2 * (uint64_t)edges < s->best) {
            keep(s, 2 * (uint64_t)edges, number, false);
        }
        return;
    }
    bool reached = s->stamp[v] == s->search && s->cost[v] <= edges;
    if (reached || !is_of_use(s, v, edges)) {
        return;
    }
    s->stamp[v] = s->search;
    s->cost[v] = edges;
    s->by[v] = number;
    if (v < s->n_txns && s->end[v] < s->start[s->source] && 2 * ((uint64_t)edges + 1) + 1 < s->best) {
        keep(s, 2 * ((uint64_t)edges + 1) + 1, number, true);
    }
    iso_strong_layers_add(&s->queue, v, edges > s->queue.cost);
}

static void search_from(shortest *s, uint32_t source) {
    s->source = source;
    s->search++;
    s->stamp[source] = s->search;
    s->cost[source] = 0;
    iso_strong_layers_clear(&s->queue);
    for (uint32_t v = source; v != ISO_NONE; v = iso_strong_layers_take(&s->queue)) {
        uint32_t cost = s->queue.cost;
        if (s->cost[v] == cost && is_of_use(s, v, cost)) {
            for (uint32_t i = s->graph.first[v]; i < s->graph.first[v + 1]; i++) {
                take_step(s, s->graph.edge[i], cost + (v < s->n_txns));
            }
        }
    }
    iso_tick(s->d->pool->env);
}

/* Returns whether a cycle may go through t, as the source of its path. */
static bool may_begin(const shortest *s, const uint32_t *size, uint32_t t) {
    return s->low[s->component[t]] < s->start[t] || size[s->component[t]] > 1;
}

static void search(shortest *s) {
    uint32_t *size = ISO_ZNEW(s->d->pool, uint32_t, s->n_nodes), n = s->m->n_included, n_begin = 0;
    uint32_t *begin = ISO_NEW(s->d->pool, uint32_t, n);
    for (uint32_t v = 0; v < s->n_nodes; v++) {
        size[s->component[v]]++;
    }
    for (uint32_t t = 0; t < n; t++) {
        begin[n_begin] = t;
        n_begin += may_begin(s, size, t);
    }
    for (uint64_t most = 2; s->n_path == 0 && n_begin > 0 && most < 4 * (uint64_t)n; most *= 2) {
        s->best = 2 * most + 2;
        for (uint32_t i = 0; i < n_begin && s->best > 4; i++) {
            if (s->d->steps > SEARCH_STEPS) {
                if (s->n_path > 0) {
                    break;
                }
                s->best = UINT64_MAX;
            }
            search_from(s, begin[i]);
        }
    }
}

void iso_strong_shortest(direct *d) {
    uint32_t n = d->m->n_txns, nodes = 2 * n + d->m->key_first[d->m->h->n_keys];
    shortest s = {.d = d, .m = d->m, .n_txns = n, .n_nodes = nodes, .queue = {.pool = d->pool}};
    s.component = ISO_NEW(d->pool, uint32_t, nodes);
    s.start = ISO_NEW(d->pool, int64_t, n);
    s.end = ISO_NEW(d->pool, int64_t, n);
    s.near = ISO_NEW(d->pool, int64_t, nodes);
    s.low = ISO_NEW(d->pool, int64_t, nodes);
    s.stamp = ISO_ZNEW(d->pool, uint32_t, nodes);
    s.cost = ISO_NEW(d->pool, uint32_t, nodes);
    s.by = ISO_NEW(d->pool, uint32_t, nodes);
    build(&s);
    find_ends(&s);
    search(&s);
    if (s.n_path > 0) {
        iso_strong_convict(d);
    }
    for (uint32_t i = s.n_path; i-- > 0;) { /* the path was written from its end */
        ISO_GROW(d->pool, d->best, d->n_best, d->best_room);
        ISO_GROW(d->pool, d->arc, d->n, d->room);
        d->best[d->n_best++] = d->n;
        d->arc[d->n++] = s.path[i];
    }
}
