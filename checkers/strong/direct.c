/* Stage `direct`: within a budget of steps, finds the cycle with the fewest edges other than session order. It uses
 * only edges that need no inference: session order, write-read edges, and anti-dependencies that follow directly from
 * them, because the overwriter itself read the version, or wrote the key later in the session of the version's writer,
 * or the version is the initial one. These cycles are the easiest to read: a lost update, a write skew, a long fork.
 *
 * The graph is that of model.h: a transaction is one event (ser), or a start and a commit (si, pc), so that every cycle
 * of events is a violation. Under si an anti-dependency between writers of one key is also a dependency (if the second
 * one were first, the first one would see it), which makes a lost update a cycle.
 *
 * Nearly every violated history has a cycle of one edge and session order, or of two edges between the same two events,
 * such as a lost update or a write skew. So all edges are tested for these first, in O(m). Otherwise a search begins at
 * each event of a component, where session order costs nothing (graph/cheap_cycle.h): O(n m) in the worst case, so the
 * number of steps is limited. At sser the search also uses real-time order, and finds a shortest cycle. */
#include <string.h>

#include "checkers/anomaly.h"
#include "checkers/strong/hints.h"
#include "checkers/strong/strong.h"
#include "graph/cheap_cycle.h"
#include "graph/timed_cycle.h"

/* Limits of anti-dependencies, of one version and in all; the second one grows with the number of operations.
 * Saturation infers the others. */
#define EDGES_OF_ONE_VERSION (1u << 16)
#define EDGES_OF_ONE_OPERATION 16

/* Ranks of pairs of edges: see rank_of(). */
#define BEST_RANK 1
#define TIME_RANK 5
#define NO_RANK 6

/* Limit of arcs followed in the search for a short cycle; then the best cycle so far is kept. */
#define SEARCH_STEPS ((uint64_t)1 << 26)

/* WW: an anti-dependency that also orders two writers of a key. RT: real-time order. */
typedef enum { SO, WR, RW, WW, RT } direct_arc_kind;

typedef struct direct_arc {
    uint32_t from, to; /* events; for SO in the graph: of neighbours in a session, or of one transaction */
    uint8_t kind;
    uint32_t read,
        overwrite; /* WR, RW, WW: the read; RW, WW: the slot that overwrites its version, of the transaction of
                               * `to`; in a shortest cycle of sser perhaps of an earlier one of the session */
} direct_arc;

typedef struct direct {
    const strong_model *m;
    const strong_order *order;
    iso_pool *pool;
    iso_result *result; /* NULL: nothing is reported */
    bool violated;
    direct_arc *arc;
    uint32_t n, room, most;
    uint32_t *group_place; /* by slot: its index in key_slot */

    uint32_t *best, n_best, best_room; /* the cycle that is reported: arcs */
} direct;

/* ---- the graph ---- */

static void add_arc(direct *d, direct_arc a) {
    ISO_GROW(d->pool, d->arc, d->n, d->room);
    d->arc[d->n++] = a;
}

static void add_sessions(direct *d) {
    const strong_model *m = d->m;
    for (uint32_t t = 0; t < m->n_txns; t++) {
        if (m->per_txn == 2) {
            add_arc(d, (direct_arc){strong_start(m, t), strong_commit(m, t), SO, ISO_NONE, ISO_NONE});
        }
        if (t + 1 < m->n_txns && strong_next_follows(m, t)) {
            add_arc(d, (direct_arc){strong_commit(m, t), strong_start(m, t + 1), SO, ISO_NONE, ISO_NONE});
        }
    }
}

/* Returns whether the read's writer is known from the history itself, not from the order. */
static bool plain(const strong_model *m, uint32_t read) { return !strong_argued(m, m->read_op[read]); }

/* Returns a key that both transactions write; ISO_NONE: none. */
static uint32_t common_key(const strong_model *m, uint32_t t, uint32_t u) {
    for (uint32_t w = m->write_first[t]; w < m->write_first[t + 1]; w++) {
        if (iso_strong_slot_of(m, u, m->write_key[w]) != ISO_NONE) {
            return m->write_key[w];
        }
    }
    return ISO_NONE;
}

static void add_overwritten(direct *d, uint32_t read, uint32_t slot) {
    const strong_model *m = d->m;
    uint32_t t3 = m->read_txn[read], t2 = m->write_txn[slot];
    if (t2 == t3 || t2 >= m->n_included || !plain(m, read)) {
        return;
    }
    add_arc(d, (direct_arc){strong_start(m, t3), strong_commit(m, t2), RW, read, slot});
    if (m->level == ISO_SI && common_key(m, t3, t2) != ISO_NONE) {
        add_arc(d, (direct_arc){strong_commit(m, t3), strong_start(m, t2), WW, read, slot});
    }
}

/* Adds arcs from all readers of one version to all transactions that certainly wrote a later one. */
static void add_version(direct *d, uint32_t slot, uint32_t key, const uint32_t *read, uint32_t n) {
    const strong_model *m = d->m;
    uint32_t end = d->n + EDGES_OF_ONE_VERSION < d->most ? d->n + EDGES_OF_ONE_VERSION : d->most;
    for (uint32_t i = 0; i < n && slot != ISO_INIT; i++) {
        uint32_t w = iso_strong_slot_of(m, m->read_txn[read[i]], key);
        for (uint32_t j = 0; j < n && w != ISO_NONE && plain(m, read[i]) && d->n < end; j++) {
            add_overwritten(d, read[j], w);
        }
    }
    if (slot != ISO_INIT) {
        uint32_t next = d->group_place[slot] + 1;
        bool has_next = next < m->key_first[key + 1] && m->chain[m->key_txn[next]] == m->chain[m->write_txn[slot]];
        for (uint32_t j = 0; j < n && has_next && d->n < end; j++) {
            add_overwritten(d, read[j], m->key_slot[next]);
        }
        return;
    }
    for (uint32_t g = m->key_group[key]; g < m->key_group[key + 1]; g++) {
        for (uint32_t j = 0; j < n && d->n < end; j++) {
            add_overwritten(d, read[j], m->key_slot[m->group_start[g]]);
        }
    }
}

static void add_reads(direct *d) {
    const strong_model *m = d->m;
    uint32_t slots = m->write_first[m->n_txns];
    d->group_place = ISO_NEW(d->pool, uint32_t, slots);
    for (uint32_t i = 0; i < m->key_first[m->h->n_keys]; i++) {
        d->group_place[m->key_slot[i]] = i;
    }
    for (uint32_t r = 0; r < m->read_first[m->n_txns]; r++) {
        if (m->read_slot[r] != ISO_INIT && plain(m, r)) {
            add_arc(d, (direct_arc){strong_commit(m, m->write_txn[m->read_slot[r]]), strong_start(m, m->read_txn[r]),
                                    WR, r, ISO_NONE});
        }
    }
    uint64_t most = d->n + EDGES_OF_ONE_OPERATION * ((uint64_t)m->h->n_ops + EDGES_OF_ONE_VERSION);
    d->most = most > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)most;
    for (uint32_t w = 0; w < slots; w++) {
        iso_tick(d->pool->env);
        add_version(d, w, m->write_key[w], m->slot_read + m->slot_first[w], m->slot_first[w + 1] - m->slot_first[w]);
    }
    for (uint32_t key = 0; key < m->h->n_keys; key++) {
        iso_tick(d->pool->env);
        add_version(d, ISO_INIT, key, m->init_read + m->init_first[key], m->init_first[key + 1] - m->init_first[key]);
    }
}

/* lser: adds the edges of real time that do not follow from others. */
static void add_times(direct *d) {
    for (uint32_t e = 0; e < d->order->n_edges; e++) {
        const strong_edge *edge = &d->order->edge[e];
        if (edge->kind == ISO_EDGE_RT) {
            add_arc(d, (direct_arc){edge->from, edge->to, RT, ISO_NONE, ISO_NONE});
        }
    }
}

/* ---- one edge, or two ---- */

static uint32_t events_of(const direct *d) { return d->m->n_txns * d->m->per_txn; }

/* The history is certainly violated, and stays so if a limit is reached before it is explained. */
static void convict(direct *d) {
    d->violated = true;
    if (d->result != NULL) {
        d->result->verdict = ISOLAB_VIOLATED;
    }
}

/* Returns an event with an edge to itself or to an earlier event of its session; ISO_NONE: none. */
static uint32_t find_backward(const direct *d) {
    const strong_model *m = d->m;
    for (uint32_t i = 0; i < d->n; i++) {
        const direct_arc *a = &d->arc[i];
        if (a->to <= a->from && m->chain[strong_txn(m, a->to)] == m->chain[strong_txn(m, a->from)]) {
            return a->from;
        }
    }
    return ISO_NONE;
}

/* Returns the arcs by the smaller of their two events. */
static iso_digraph by_lesser_event(const direct *d) {
    uint32_t *from = ISO_NEW(d->pool, uint32_t, d->n), *to = ISO_NEW(d->pool, uint32_t, d->n);
    for (uint32_t i = 0; i < d->n; i++) {
        const direct_arc *a = &d->arc[i];
        from[i] = a->from > a->to ? a->to : a->from;
        to[i] = a->from > a->to ? a->from : a->to;
    }
    iso_digraph g = iso_digraph_build(d->pool, events_of(d), from, to, d->n, true);
    iso_free(d->pool, from);
    iso_free(d->pool, to);
    return g;
}

/* Returns a rank that is lower if the two edges break a weaker level: they have fewer anti-dependencies, or both are on
 * one key, as in a lost update. */
static uint32_t rank_of(const direct *d, const direct_arc *a, const direct_arc *b) {
    if (a->kind == RT || b->kind == RT) {
        return TIME_RANK;
    }
    if (a->kind == WR || b->kind == WR) {
        return a->kind == WR && b->kind == WR ? BEST_RANK : 2;
    }
    return d->m->write_key[a->overwrite] == d->m->write_key[b->overwrite] ? 3 : 4;
}

/* Finds two edges between the same two events, in opposite directions, with the lowest rank found. */
static bool find_pair(direct *d) {
    uint32_t events = events_of(d), pair[2], best = NO_RANK;
    iso_digraph arcs = by_lesser_event(d);
    uint32_t *forth = ISO_NEW_NONE(d->pool, events); /* by event: the arc to it from event v */
    for (uint32_t v = 0; v < events && best > BEST_RANK; v++) {
        iso_tick(d->pool->env);
        for (uint32_t k = arcs.first[v]; k < arcs.first[v + 1]; k++) {
            const direct_arc *a = &d->arc[arcs.edge[k]];
            if (a->from == v && (forth[a->to] == ISO_NONE || a->kind == WR)) {
                forth[a->to] = arcs.edge[k];
            }
        }
        for (uint32_t k = arcs.first[v]; k < arcs.first[v + 1]; k++) {
            const direct_arc *a = &d->arc[arcs.edge[k]];
            uint32_t other = a->from == v ? ISO_NONE : forth[a->from];
            uint32_t rank = other == ISO_NONE ? NO_RANK : rank_of(d, a, &d->arc[other]);
            if (rank < best) {
                best = rank;
                pair[0] = other;
                pair[1] = arcs.edge[k];
            }
        }
        for (uint32_t k = arcs.first[v]; k < arcs.first[v + 1]; k++) {
            forth[d->arc[arcs.edge[k]].to] = ISO_NONE;
        }
    }
    if (best < NO_RANK) {
        convict(d);
        d->n_best = 2;
        d->best = ISO_NEW(d->pool, uint32_t, 2);
        memcpy(d->best, pair, sizeof pair);
    }
    iso_digraph_free(d->pool, &arcs);
    iso_free(d->pool, forth);
    return best < NO_RANK;
}

/* ---- more edges ---- */

/* Searches from event `only`, or from all. */
static void search(direct *d, uint32_t only) {
    uint32_t *from = ISO_NEW(d->pool, uint32_t, d->n), *to = ISO_NEW(d->pool, uint32_t, d->n);
    uint8_t *in_session = ISO_NEW(d->pool, uint8_t, d->n);
    for (uint32_t i = 0; i < d->n; i++) {
        from[i] = d->arc[i].from;
        to[i] = d->arc[i].to;
        in_session[i] = d->arc[i].kind == SO;
    }
    iso_digraph graph = iso_digraph_build(d->pool, events_of(d), from, to, d->n, true);
    iso_free(d->pool, from);
    iso_free(d->pool, to);
    iso_cheap_cycle c = {.pool = d->pool, .graph = graph, .is_free = in_session};
    iso_cheap_cycle_begin(&c);
    /* after find_pair() there is no smaller cycle than two edges, and session order once */
    for (uint32_t i = 0; i < d->n && c.steps < SEARCH_STEPS && !(c.n_best > 0 && c.cost == 2 && c.length == 3); i++) {
        /* a cycle has an edge other than session order */
        if (only != ISO_NONE ? i == 0 : !in_session[i] && iso_cheap_cycle_may_have(&c, d->arc[i].from, d->arc[i].to)) {
            convict(d);
            if (only == ISO_NONE && d->result == NULL) {
                return;
            }
            iso_cheap_cycle_from(&c, only == ISO_NONE ? d->arc[i].from : only);
        }
    }
    d->best = c.best;
    d->n_best = c.n_best;
}

/* ---- sser: a cycle with the fewest edges, and so with the fewest transactions (graph/timed_cycle.h) ----
 *
 * The vertices are the transactions. There are two kinds of helpers: "t or a later transaction of its session", and
 * "the writer of this slot or a later writer of the key in its session". So session order and the anti-dependencies to
 * one session are chains of linear size. */

typedef struct shortest {
    const direct *d;
    const strong_model *m;
    uint32_t n_txns;
    uint32_t *from, *to, *label; /* by edge; label: the arc; ISO_NONE: session order, or an edge from a helper */
    uint32_t n;
} shortest;

static uint32_t session_node(const shortest *s, uint32_t t) { return s->n_txns + t; }
static uint32_t place_node(const shortest *s, uint32_t place) { return 2 * s->n_txns + place; }

static void edge(shortest *s, uint32_t from, uint32_t to, uint32_t label) {
    s->from[s->n] = from;
    s->to[s->n] = to;
    s->label[s->n++] = label;
}

static void add_edges(shortest *s) {
    const strong_model *m = s->m;
    uint32_t places = m->key_first[m->h->n_keys];
    size_t most = 3 * (size_t)s->n_txns + 2 * (size_t)places + s->d->n;
    s->from = ISO_NEW(s->d->pool, uint32_t, most);
    s->to = ISO_NEW(s->d->pool, uint32_t, most);
    s->label = ISO_NEW(s->d->pool, uint32_t, most);
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

/* Turns the cycle into arcs between transactions: each begins with an edge from a transaction, which the edges from
 * helpers continue. */
static void append_cycle(direct *d, const shortest *s, const iso_timed_cycle *cycle) {
    uint32_t to = cycle->source;
    for (uint32_t i = 0, first = 0; i < cycle->n; i++) {
        to = s->to[cycle->edge[i]];
        if (to >= s->n_txns) {
            continue;
        }
        uint32_t e = cycle->edge[first];
        direct_arc a = {s->from[e], to, SO, ISO_NONE, ISO_NONE};
        if (s->label[e] != ISO_NONE) {
            a = d->arc[s->label[e]];
            a.to = to;
        }
        append(d, a);
        first = i + 1;
    }
    if (cycle->in_time) {
        append(d, (direct_arc){to, cycle->source, RT, ISO_NONE, ISO_NONE});
    }
}

/* Makes a shortest cycle of all arcs, session order and real-time order `best`; leaves that empty if there is none. */
static void find_shortest(direct *d) {
    const strong_model *m = d->m;
    const isolab_history *h = m->h;
    uint32_t n = m->n_txns, n_nodes = 2 * n + m->key_first[h->n_keys];
    shortest s = {.d = d, .m = m, .n_txns = n};
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
        convict(d);
        append_cycle(d, &s, &cycle);
    }
}

/* ---- the report ---- */

static iso_edge edge_between(const strong_model *m, uint32_t from, uint32_t to, iso_edge_kind kind) {
    return iso_edge_of(kind, from == ISO_INIT ? ISO_INIT : m->txn[from], m->txn[to]);
}

/* Appends the read of a version by transaction t. Returns the number of the edge; ISO_NONE: t does not read it. */
static uint32_t append_read(const strong_model *m, uint32_t t, uint32_t key, uint32_t slot, iso_result *result) {
    for (uint32_t r = m->read_first[t]; r < m->read_first[t + 1]; r++) {
        if (m->read_key[r] == key && m->read_slot[r] == slot && plain(m, r)) {
            return iso_result_edge(result, iso_strong_read_edge(m, r));
        }
    }
    return ISO_NONE;
}

/* Returns the anti-dependency of an arc. Its premises are written before it: a path from the writer of the version to
 * t2. */
static iso_edge rw(const direct *d, const direct_arc *a, iso_result *result) {
    const strong_model *m = d->m;
    uint32_t slot = m->read_slot[a->read], t2 = strong_txn(m, a->to), before = m->write_txn[a->overwrite];
    iso_edge e = edge_between(m, m->read_txn[a->read], t2, ISO_EDGE_RW);
    e.key = m->read_key[a->read];
    e.op_from = m->read_op[a->read];
    e.op_to = iso_strong_write_of(m, t2, e.key);
    e.n_premise = 1;
    e.premise = slot == ISO_INIT ? ISO_NONE : append_read(m, t2, e.key, slot, result);
    if (e.premise == ISO_NONE && slot != ISO_INIT && before != t2) {
        e.premise = append_read(m, before, e.key, slot, result);
        if (e.premise != ISO_NONE) {
            iso_result_edge(result, edge_between(m, before, t2, ISO_EDGE_SO));
            e.n_premise = 2;
        }
    }
    if (e.premise == ISO_NONE) {
        uint32_t writer = slot == ISO_INIT ? ISO_INIT : m->write_txn[slot];
        e.premise = iso_result_edge(result, edge_between(m, writer, t2, ISO_EDGE_SO));
    }
    return e;
}

static iso_edge edge_of(const direct *d, const direct_arc *a, iso_result *result) {
    const strong_model *m = d->m;
    if (a->kind == WR || a->kind == RT) {
        return a->kind == WR ? iso_strong_read_edge(m, a->read)
                             : iso_edge_in_time(m->h, m->txn[a->from], m->txn[a->to], d->pool);
    }
    iso_edge e = rw(d, a, result);
    if (a->kind == WW) {
        uint32_t t3 = m->read_txn[a->read], t2 = m->write_txn[a->overwrite], key = common_key(m, t3, t2);
        uint32_t premise = iso_result_edge(result, e);
        e = edge_between(m, t3, t2, ISO_EDGE_WW);
        e.key = key;
        e.op_from = m->slot_op[iso_strong_slot_of(m, t3, key)];
        e.op_to = m->slot_op[iso_strong_slot_of(m, t2, key)];
        e.premise = premise;
        e.n_premise = 1;
    }
    return e;
}

static void report_cycle(direct *d) {
    const strong_model *m = d->m;
    iso_result *result = d->result;
    uint32_t n = 0, begin = 0, first = result->n_edges;
    iso_edge *cycle = ISO_NEW(d->pool, iso_edge, d->n_best);
    bool in_time = d->arc[d->best[d->n_best - 1]].kind == RT;
    while (!in_time && d->arc[d->best[begin]].kind == SO) { /* consecutive session order is one edge */
        begin++;
    }
    for (uint32_t i = 0; i < d->n_best; i++) {
        const direct_arc *a = &d->arc[d->best[(begin + i) % d->n_best]];
        uint32_t from = strong_txn(m, a->from), to = strong_txn(m, a->to);
        if (a->kind != SO) {
            cycle[n++] = edge_of(d, a, result);
        } else if (from != to && n > 0 && cycle[n - 1].kind == ISO_EDGE_SO) {
            cycle[n - 1].to = m->txn[to];
        } else if (from != to) {
            cycle[n++] = edge_between(m, from, to, ISO_EDGE_SO);
        }
    }
    iso_anomaly a = {.op = ISO_NONE, .other_op = ISO_NONE, .cycle = result->n_edges, .n_cycle = n};
    for (uint32_t i = 0; i < n; i++) {
        iso_result_edge(result, cycle[i]);
    }
    iso_anomaly_settle(result, m->h, m->level, &a, first);
    iso_result_anomaly(result, a);
}

static isolab_verdict find_cycle(strong *s, iso_pool *pool) {
    direct d = {.m = &s->model, .order = &s->order, .pool = pool, .result = s->child != NULL ? NULL : s->result};
    add_sessions(&d);
    add_reads(&d);
    add_times(&d);
    if (d.m->level != ISO_SSER) { /* arcs take much of the memory; a shortest cycle of sser adds some */
        d.room = d.n;
        d.arc = iso_resize(pool, d.arc, d.room, sizeof *d.arc);
    }
    uint32_t backward = find_backward(&d);
    if (backward == ISO_NONE && !find_pair(&d) && d.m->level == ISO_SSER) {
        find_shortest(&d);
    } else if (d.n_best == 0) {
        search(&d, backward);
    }
    if (d.n_best > 0 && d.result != NULL) {
        report_cycle(&d);
    }
    return d.violated ? ISOLAB_VIOLATED : ISOLAB_UNKNOWN;
}

isolab_verdict iso_strong_direct(strong *s) {
    iso_strong_model_index(&s->model);
    return iso_strong_with_pool(s, find_cycle);
}
