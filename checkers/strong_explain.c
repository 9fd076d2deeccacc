/* See strong_explain.h.
 *
 * The cycle with the fewest inferred edges is found by a 0-1 search. Each inferred edge needs a path from t2 to t3
 * (or t1 to t2) of edges older than itself, which may contain inferred edges again: they are collected from the
 * youngest to the oldest, and written from the oldest to the youngest, so that premises come first. */
#include "checkers/strong_explain.h"

#include <string.h>

#include "checkers/anomaly.h"
#include "graph/digraph.h"

/* A step of a path: the event it leads to, and the read or the inferred edge it is (ISO_NONE: session order). */
typedef struct step {
    uint32_t from, to, read, edge;
} step;

typedef struct path {
    step *at;
    uint32_t n;
} path;

typedef struct search {
    const strong_order *o;
    iso_pool *pool;
    uint32_t goal, limit; /* only inferred edges below limit */
    uint32_t round;       /* only reads that were resolved before this round */
    const uint32_t *open_of; /* by operation: the number of the open read; NULL: rounds do not matter */
    uint32_t *cost;       /* by event: inferred edges on the way; UINT32_MAX: not reached */
    step *by;             /* by event: the step that led there */
    uint32_t *touched, n_touched, touched_room;
    uint32_t *queue[2]; /* events by cost: the current one and the next */
    uint32_t n_queue[2], queue_room[2];
    uint32_t here;
    bool goal_reached;
    step last; /* the step into the goal */
    uint32_t last_cost;
} search;

static void relax(void *arg, uint32_t to, uint32_t read, uint32_t edge) {
    search *s = arg;
    uint32_t cost = s->cost[s->here] + (edge != ISO_NONE);
    if (edge != ISO_NONE && edge >= s->limit) {
        return;
    }
    if (read != ISO_NONE && s->open_of != NULL && s->o->m->argued[s->o->m->read_op[read]] &&
        s->o->m->resolved_round[s->open_of[s->o->m->read_op[read]]] >= s->round) {
        return;
    }
    step by = {s->here, to, read, edge};
    if (to == s->goal) {
        if (!s->goal_reached || cost < s->last_cost) {
            s->goal_reached = true;
            s->last = by;
            s->last_cost = cost;
        }
        return;
    }
    if (cost >= s->cost[to] || (s->o->row != NULL && !strong_before(s->o, to, s->goal))) {
        return;
    }
    if (s->cost[to] == UINT32_MAX) {
        ISO_GROW(s->pool, s->touched, s->n_touched, s->touched_room);
        s->touched[s->n_touched++] = to;
    }
    s->cost[to] = cost;
    s->by[to] = by;
    int q = edge != ISO_NONE;
    ISO_GROW(s->pool, s->queue[q], s->n_queue[q], s->queue_room[q]);
    s->queue[q][s->n_queue[q]++] = to;
}

static void search_init(search *s, const strong_order *o, iso_pool *pool) {
    memset(s, 0, sizeof *s);
    s->o = o;
    s->pool = pool;
    s->cost = ISO_NEW(pool, uint32_t, o->n);
    s->by = ISO_NEW(pool, step, o->n);
    memset(s->cost, 0xff, (size_t)o->n * sizeof *s->cost);
}

/* A path from one event to another (or back to itself) with the fewest inferred edges, all below limit. */
static path find_path(search *s, uint32_t from, uint32_t to, uint32_t limit) {
    s->goal = to;
    s->limit = limit;
    s->goal_reached = false;
    s->n_touched = s->n_queue[0] = s->n_queue[1] = 0;
    s->cost[from] = 0;
    s->here = from;
    strong_each_out(s->o, from, relax, s);
    uint32_t head = 0, cost = 0;
    while (!s->goal_reached || s->last_cost > cost) {
        if (head == s->n_queue[0]) { /* on to the next cost */
            if (s->n_queue[1] == 0) {
                break;
            }
            uint32_t *swap = s->queue[0], room = s->queue_room[0];
            s->queue[0] = s->queue[1];
            s->queue_room[0] = s->queue_room[1];
            s->n_queue[0] = s->n_queue[1];
            s->queue[1] = swap;
            s->queue_room[1] = room;
            s->n_queue[1] = 0;
            head = 0;
            cost++;
            continue;
        }
        iso_tick(s->pool->env);
        s->here = s->queue[0][head++];
        if (s->cost[s->here] == cost) {
            strong_each_out(s->o, s->here, relax, s);
        }
    }
    if (!s->goal_reached) {
        iso_throw(s->pool->env, ISOLAB_E_INTERNAL, "strong: an inferred edge has no premise");
    }
    path p = {NULL, 1};
    for (uint32_t v = s->last.from; v != from; v = s->by[v].from) {
        p.n++;
    }
    p.at = ISO_NEW(s->pool, step, p.n);
    step at = s->last;
    for (uint32_t i = p.n; i-- > 0; at = s->by[at.from]) {
        p.at[i] = at;
        if (at.from == from) {
            break;
        }
    }
    s->cost[from] = UINT32_MAX;
    for (uint32_t i = 0; i < s->n_touched; i++) {
        s->cost[s->touched[i]] = UINT32_MAX;
    }
    return p;
}

/* An event on a cycle of session order and reads-from alone. */
typedef struct arcs {
    iso_pool *pool;
    uint32_t *from, *to, n, room, room2, here;
} arcs;

static void list_arc(void *arg, uint32_t to, uint32_t read, uint32_t edge) {
    (void)read, (void)edge;
    arcs *a = arg;
    ISO_GROW(a->pool, a->from, a->n, a->room);
    ISO_GROW(a->pool, a->to, a->n, a->room2);
    a->from[a->n] = a->here;
    a->to[a->n++] = to;
}

static uint32_t event_on_cycle(const strong_order *o, iso_pool *pool) {
    arcs a = {.pool = pool};
    for (uint32_t v = 0; v < o->n; v++) {
        a.here = v;
        strong_each_out(o, v, list_arc, &a);
    }
    iso_digraph g = iso_digraph_build(pool, o->n, a.from, a.to, a.n, false);
    uint32_t *component = ISO_NEW(pool, uint32_t, o->n);
    iso_digraph_components(&g, pool, component);
    for (uint32_t i = 0; i < a.n; i++) { /* an arc within a component lies on a cycle */
        if (component[a.from[i]] == component[a.to[i]]) {
            return a.from[i];
        }
    }
    iso_throw(pool->env, ISOLAB_E_INTERNAL, "strong: no cycle where there must be one");
}

/* Where a premise path of an inferred edge begins and ends. */
static void premise_ends(const strong_order *o, const strong_edge *e, uint32_t *from, uint32_t *to) {
    const strong_model *m = o->m;
    const isolab_history *h = m->h;
    uint32_t t2 = m->write_txn[e->slot];
    if (e->kind == ISO_EDGE_WW) { /* start of t1 before commit of t2 */
        *from = strong_start(m, e->from / m->per_txn);
        *to = strong_commit(m, t2);
    } else if (e->kind == ISO_EDGE_AXIOM) { /* commit of t2 before start of t3 */
        *from = strong_commit(m, t2);
        *to = strong_start(m, m->dense[h->op_txn[e->op]]);
    } else { /* t1 before commit of t2 */
        *from = strong_written(m, m->write_txn[m->op_slot[m->writer[e->op]]]);
        *to = strong_commit(m, t2);
    }
}

static bool leans_on_init(const strong_order *o, const strong_edge *e) {
    return e->kind == ISO_EDGE_RW && o->m->writer[e->op] == ISO_INIT;
}

typedef struct explanation {
    const strong_order *o;
    iso_result *result;
    path *premise;   /* by inferred edge, where needed */
    uint32_t *first; /* the premise's number among the result's edges, and how many */
    uint32_t *count;
    uint32_t *ww; /* si: an edge of the result that says the same as an axiom edge, as WW */
} explanation;

/* The last write of a key in a transaction. */
static uint32_t write_of(const strong_model *m, uint32_t t, uint32_t key) {
    for (uint32_t w = m->write_first[t]; w < m->write_first[t + 1]; w++) {
        if (m->write_key[w] == key) {
            return m->slot_op[w];
        }
    }
    return ISO_NONE;
}

/* si: the second rule of the axiom, when t3 sees the end of the premise because both write a key. */
static void name_conflict(const explanation *x, const path *premise, iso_edge *out) {
    const strong_model *m = x->o->m;
    const step *last = &premise->at[premise->n - 1];
    if (last->edge != ISO_NONE) {
        uint32_t key = m->write_key[x->o->edge[last->edge].slot];
        out->op_from = write_of(m, last->from / m->per_txn, key);
        out->op_to = write_of(m, last->to / m->per_txn, key);
    }
}

static iso_edge as_edge(const explanation *x, const step *s) {
    const strong_order *o = x->o;
    const strong_model *m = o->m;
    iso_edge out = {.from = m->txn[s->from / m->per_txn], .to = m->txn[s->to / m->per_txn], .kind = ISO_EDGE_SO,
                    .key = ISO_NONE, .op_from = ISO_NONE, .op_to = ISO_NONE, .reader_op = ISO_NONE};
    if (s->read != ISO_NONE) {
        out.kind = ISO_EDGE_WR;
        out.key = m->read_key[s->read];
        out.op_from = m->slot_op[m->read_slot[s->read]];
        out.op_to = m->read_op[s->read];
    } else if (s->edge != ISO_NONE) {
        const strong_edge *e = &o->edge[s->edge];
        out.kind = e->kind;
        out.key = m->write_key[e->slot];
        out.premise = x->first[s->edge];
        out.n_premise = x->count[s->edge];
        if (e->kind == ISO_EDGE_WW) {
            out.op_from = write_of(m, s->from / m->per_txn, out.key);
            out.op_to = m->slot_op[e->slot];
        } else if (e->kind == ISO_EDGE_RW) {
            out.op_from = e->op;
            out.op_to = m->slot_op[e->slot];
        } else {
            out.reader_op = e->op;
            if (m->level == ISO_SI && x->ww[s->edge] == ISO_NONE) {
                name_conflict(x, &x->premise[s->edge], &out);
            } else if (m->level == ISO_SI) { /* said once more as WW, which an anti-dependency may follow */
                out = (iso_edge){.from = out.from, .to = out.to, .kind = ISO_EDGE_WW, .key = out.key,
                                 .op_from = m->slot_op[e->slot], .op_to = write_of(m, s->to / m->per_txn, out.key),
                                 .reader_op = ISO_NONE, .premise = x->ww[s->edge], .n_premise = 1};
            }
        }
    }
    return out;
}

/* Writes a path as edges of the result; the first one's number is returned. The step from a start to the commit
 * of the same transaction is no edge, session order in a row is one, and so are steps through instants, of real time. */
static uint32_t write_path(const explanation *x, const path *p, uint32_t *count) {
    const strong_model *m = x->o->m;
    uint32_t first = x->result->n_edges, ended = ISO_NONE; /* the transaction whose end the path is behind */
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t from = p->at[i].from / m->per_txn, to = p->at[i].to / m->per_txn;
        if (to >= m->n_txns) {
            ended = from < m->n_txns ? from : ended;
        } else if (from >= m->n_txns) {
            iso_result_edge(x->result, (iso_edge){.from = m->txn[ended], .to = m->txn[to], .kind = ISO_EDGE_RT,
                                                  .key = ISO_NONE, .op_from = ISO_NONE, .op_to = ISO_NONE,
                                                  .reader_op = ISO_NONE});
        } else if (from != to) {
            iso_edge e = as_edge(x, &p->at[i]);
            if (e.kind == ISO_EDGE_SO && x->result->n_edges > first &&
                x->result->edges[x->result->n_edges - 1].kind == ISO_EDGE_SO) {
                x->result->edges[x->result->n_edges - 1].to = e.to;
            } else {
                iso_result_edge(x->result, e);
            }
        }
    }
    *count = x->result->n_edges - first;
    return first;
}

/* Notes the inferred edges of a path; says whether one of its reads has its writer only by the order, which a
 * cycle cannot justify. */
static bool need(const strong_order *o, const path *p, uint8_t *needed, uint32_t *youngest) {
    bool argued = false;
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t op = p->at[i].read != ISO_NONE   ? o->m->read_op[p->at[i].read]
                      : p->at[i].edge != ISO_NONE ? o->edge[p->at[i].edge].op
                                                  : ISO_NONE;
        argued |= op != ISO_NONE && o->m->argued != NULL && o->m->argued[op];
        if (p->at[i].edge != ISO_NONE) {
            needed[p->at[i].edge] = 1;
            *youngest = *youngest == ISO_NONE || p->at[i].edge > *youngest ? p->at[i].edge : *youngest;
        }
    }
    return argued;
}

/* Turns a cycle so that it does not begin at an instant. */
static void begin_at_transaction(const strong_order *o, path *cycle, iso_pool *pool) {
    uint32_t first = 0;
    while (cycle->at[first].from / o->m->per_txn >= o->m->n_txns) {
        first++;
    }
    step *turned = ISO_NEW(pool, step, cycle->n);
    for (uint32_t i = 0; i < cycle->n; i++) {
        turned[i] = cycle->at[(first + i) % cycle->n];
    }
    iso_free(pool, cycle->at);
    cycle->at = turned;
}

/* The cases: the cycle, and for each inferred edge its premise, closed by the edge of the case against which it was
 * inferred. (A WW edge of which the premise is an axiom only says it once more; an initial value is no case.) */
iso_anomaly_kind strong_name(iso_result *result, const isolab_history *h, const iso_anomaly *a) {
    iso_edge *row = NULL;
    uint32_t room = 0, n;
    iso_anomaly_kind kind = iso_anomaly_of_cycle(h, result->edges + a->cycle, a->n_cycle);
    unsigned least = iso_anomaly_badness(h, result->edges + a->cycle, a->n_cycle);
    for (uint32_t i = 0; i < a->cycle + a->n_cycle; i++) {
        const iso_edge *e = &result->edges[i], *premise = result->edges + e->premise;
        if (e->n_premise == 0 || premise->from == ISO_INIT ||
            (e->kind == ISO_EDGE_WW && premise->kind == ISO_EDGE_AXIOM && e->n_premise == 1)) {
            continue;
        }
        for (n = 0; n < e->n_premise; n++) {
            ISO_GROW(result->pool, row, n, room);
            row[n] = premise[n];
        }
        ISO_GROW(result->pool, row, n, room);
        row[n++] = (iso_edge){.kind = e->kind == ISO_EDGE_AXIOM ? ISO_EDGE_RW : ISO_EDGE_WW, .to = premise->from,
                              .from = premise[e->n_premise - 1].to, .key = e->key, .op_from = ISO_NONE,
                              .op_to = ISO_NONE, .reader_op = ISO_NONE};
        unsigned badness = iso_anomaly_badness(h, row, n);
        if (badness < least) {
            least = badness;
            kind = iso_anomaly_of_cycle(h, row, n);
        }
    }
    iso_free(result->pool, row);
    return kind;
}

/* An axiom edge t2 -> t1 leans on a path from t2 to t3, the reader of t1; the rest of its cycle leads from t1 to t2. So
 * that path and the anti-dependency t3 -> t2, which leans on the rest, are a cycle as well. Of the two the shorter one
 * is kept, again and again: at last a cycle of a few dependencies, where the first one hid them in a premise. */
#define TURNS 8

static void turn(search *s, strong_order *o, path *cycle, path *premise) {
    uint32_t first_turn = o->n_edges, turns = 0;
    for (bool shorter = true; shorter && turns < TURNS; turns += shorter) {
        uint32_t at = 0;
        path p = {NULL, cycle->n - 1};
        for (uint32_t i = 0; i < cycle->n; i++) {
            uint32_t e = cycle->at[i].edge, from, to;
            if (e != ISO_NONE && o->edge[e].kind == ISO_EDGE_AXIOM) {
                premise_ends(o, &o->edge[e], &from, &to);
                path q = find_path(s, from, to, e);
                if (q.n < p.n) {
                    p = q;
                    at = i;
                }
            }
        }
        shorter = p.at != NULL;
        if (shorter) {
            strong_edge axiom = o->edge[cycle->at[at].edge];
            uint32_t number = first_turn + turns, n = cycle->n - 1;
            premise[number] = (path){ISO_NEW(s->pool, step, n), n};
            for (uint32_t i = 0; i < n; i++) {
                premise[number].at[i] = cycle->at[(at + 1 + i) % cycle->n];
            }
            axiom.kind = ISO_EDGE_RW;
            o->edge[number] = axiom;
            *cycle = (path){ISO_NEW(s->pool, step, (size_t)p.n + 1), p.n + 1};
            memcpy(cycle->at, p.at, p.n * sizeof *p.at);
            cycle->at[p.n] = (step){p.at[p.n - 1].to, p.at[0].from, ISO_NONE, number};
        }
    }
}

/* Has room for TURNS more edges. */
static strong_order copy_of(const strong_order *o, iso_pool *pool) {
    strong_order copy = *o;
    copy.edge = ISO_NEW(pool, strong_edge, (size_t)o->n_edges + TURNS);
    if (o->n_edges > 0) {
        memcpy(copy.edge, o->edge, (size_t)o->n_edges * sizeof *o->edge);
    }
    return copy;
}

bool strong_explain(const strong_order *given, iso_result *result) {
    search s;
    search_init(&s, given, result->pool);
    strong_order copy = copy_of(given, result->pool);
    const strong_order *o = &copy;
    uint32_t on = o->row == NULL ? event_on_cycle(o, result->pool) : o->cycle, room = o->n_edges + TURNS;
    path cycle = find_path(&s, on, on, o->n_edges);
    explanation x = {.o = o, .result = result};
    x.premise = ISO_ZNEW(result->pool, path, room);
    x.first = ISO_ZNEW(result->pool, uint32_t, room);
    x.count = ISO_ZNEW(result->pool, uint32_t, room);
    x.ww = ISO_NEW(result->pool, uint32_t, room);
    memset(x.ww, 0xff, (size_t)room * sizeof *x.ww);
    turn(&s, &copy, &cycle, x.premise);
    begin_at_transaction(o, &cycle, result->pool);
    uint8_t *needed = ISO_ZNEW(result->pool, uint8_t, room);
    uint32_t youngest = ISO_NONE;
    bool argued = need(o, &cycle, needed, &youngest);
    uint32_t end = youngest == ISO_NONE ? 0 : youngest + 1;
    for (uint32_t e = end; e-- > 0;) {
        if (needed[e] && !leans_on_init(o, &o->edge[e])) {
            uint32_t from, to;
            if (x.premise[e].at == NULL) {
                premise_ends(o, &o->edge[e], &from, &to);
                x.premise[e] = find_path(&s, from, to, e);
            }
            argued |= need(o, &x.premise[e], needed, &youngest);
        }
    }
    if (argued) {
        return false;
    }
    for (uint32_t e = 0; e < end; e++) {
        if (!needed[e]) {
            continue;
        }
        const strong_edge *edge = &o->edge[e];
        if (leans_on_init(o, edge)) {
            x.count[e] = 1;
            x.first[e] = iso_result_edge(
                result, (iso_edge){.from = ISO_INIT, .to = o->m->txn[o->m->write_txn[edge->slot]], .kind = ISO_EDGE_SO,
                                   .key = ISO_NONE, .op_from = ISO_NONE, .op_to = ISO_NONE, .reader_op = ISO_NONE});
        } else {
            x.first[e] = write_path(&x, &x.premise[e], &x.count[e]);
        }
        if (o->m->level == ISO_SI && edge->kind == ISO_EDGE_AXIOM) {
            step alone = {edge->from, edge->to, ISO_NONE, e};
            x.ww[e] = iso_result_edge(result, as_edge(&x, &alone));
        }
    }
    iso_anomaly a = {.op = ISO_NONE, .other_op = ISO_NONE};
    a.cycle = write_path(&x, &cycle, &a.n_cycle);
    a.kind = (uint8_t)strong_name(result, o->m->h, &a);
    iso_result_anomaly(result, a);
    return true;
}

/* ---- hints ---- */

typedef struct hinter {
    search s;
    const strong_order *o;
    strong_hints out;
    uint8_t *needed;
    uint32_t *todo, n_todo, todo_room; /* inferred edges */
    uint32_t *open_of;
    uint32_t *reads, n_reads, reads_room; /* open reads that matter */
} hinter;

static void hint(hinter *g, uint32_t op, uint32_t w1, uint32_t w2) {
    ISO_GROW(g->s.pool, g->out.at, g->out.n, g->out.room);
    g->out.at[g->out.n++] = (strong_hint){op, w1, w2};
}

static void want_read(hinter *g, uint32_t op) {
    if (op != ISO_NONE && g->o->m->argued[op] && !g->out.choices[op]) {
        g->out.choices[op] = 1;
        ISO_GROW(g->s.pool, g->reads, g->n_reads, g->reads_room);
        g->reads[g->n_reads++] = g->open_of[op];
    }
}

/* How many rounds of narrowing there were when the order had so many edges. */
static uint32_t rounds_before(const strong_model *m, uint32_t edges) {
    uint32_t k = 0;
    while (k < m->n_rounds && m->round_edges[k] <= edges) {
        k++;
    }
    return k;
}

static void want_path(hinter *g, uint32_t from, uint32_t to, uint32_t limit, uint32_t round) {
    if (from == to) {
        return;
    }
    g->s.round = round;
    path p = find_path(&g->s, from, to, limit);
    for (uint32_t i = 0; i < p.n; i++) {
        uint32_t e = p.at[i].edge;
        if (p.at[i].read != ISO_NONE) {
            want_read(g, g->o->m->read_op[p.at[i].read]);
        } else if (e != ISO_NONE && !g->needed[e]) {
            g->needed[e] = 1;
            ISO_GROW(g->s.pool, g->todo, g->n_todo, g->todo_room);
            g->todo[g->n_todo++] = e;
        }
    }
    iso_free(g->s.pool, p.at);
}

static void hint_of_edge(hinter *g, uint32_t e) {
    const strong_model *m = g->o->m;
    const strong_edge *edge = &g->o->edge[e];
    uint32_t from, to;
    if (edge->kind == ISO_EDGE_WW) {
        uint32_t key = m->write_key[edge->slot], t1 = edge->from / m->per_txn;
        hint(g, ISO_NONE, m->op_slot[write_of(m, t1, key)], edge->slot);
    } else {
        uint32_t writer = m->writer[edge->op];
        want_read(g, edge->op);
        hint(g, edge->op, writer == ISO_INIT ? ISO_INIT : m->op_slot[writer], edge->slot);
    }
    if (!leans_on_init(g->o, edge)) {
        premise_ends(g->o, edge, &from, &to);
        want_path(g, from, to, e, rounds_before(m, e));
    }
}

/* Why the other writers of a read are out. */
static void hint_of_read(hinter *g, uint32_t i) {
    const strong_model *m = g->o->m;
    uint32_t op = m->open_op[i], start = strong_start(m, m->dense[m->h->op_txn[op]]);
    for (uint32_t j = m->open_first[i]; j < m->open_first[i + 1]; j++) {
        uint32_t w1 = m->open_was[j], by = m->open_by[j], round = m->open_round[j];
        if (m->open_slot[j] != ISO_NONE) {
            continue;
        }
        uint32_t limit = round < m->n_rounds ? m->round_edges[round] : g->o->n_edges;
        if (by == ISO_NONE) {
            want_path(g, start, strong_commit(m, m->write_txn[w1]), limit, round);
            continue;
        }
        hint(g, op, w1, by);
        want_path(g, strong_commit(m, m->write_txn[by]), start, limit, round);
        if (w1 != ISO_INIT) {
            want_path(g, strong_commit(m, m->write_txn[w1]), strong_written(m, m->write_txn[by]), limit, round);
        }
    }
}

strong_hints strong_hints_of_cycle(const strong_order *o, iso_pool *pool) {
    const strong_model *m = o->m;
    hinter g = {.o = o};
    search_init(&g.s, o, pool);
    g.open_of = ISO_NEW(pool, uint32_t, m->h->n_ops);
    for (uint32_t i = 0; i < m->n_open; i++) {
        g.open_of[m->open_op[i]] = i;
    }
    g.s.open_of = g.open_of;
    g.needed = ISO_ZNEW(pool, uint8_t, o->n_edges);
    g.out.choices = ISO_ZNEW(pool, uint8_t, m->h->n_ops);
    g.s.round = m->n_rounds;
    path cycle = find_path(&g.s, o->cycle, o->cycle, o->n_edges);
    for (uint32_t i = 0; i < cycle.n; i++) { /* once more, step by step */
        if (cycle.at[i].read != ISO_NONE) {
            want_read(&g, m->read_op[cycle.at[i].read]);
        } else if (cycle.at[i].edge != ISO_NONE && !g.needed[cycle.at[i].edge]) {
            g.needed[cycle.at[i].edge] = 1;
            ISO_GROW(pool, g.todo, g.n_todo, g.todo_room);
            g.todo[g.n_todo++] = cycle.at[i].edge;
        }
    }
    for (uint32_t e = 0, r = 0; e < g.n_todo || r < g.n_reads;) {
        if (e < g.n_todo) {
            hint_of_edge(&g, g.todo[e++]);
        } else {
            hint_of_read(&g, g.reads[r++]);
        }
    }
    return g.out;
}
