/* See hints.h.
 *
 * A 0-1 search finds the cycle with the fewest inferred edges. Each inferred edge needs as its premise a path from t2
 * to t3 (or t1 to t2) of older edges, which may again contain inferred edges. They are collected from the youngest to
 * the oldest, and written from the oldest to the youngest, so that premises come first. */
#include "checkers/strong/hints.h"

#include <string.h>

#include "checkers/anomaly.h"
#include "graph/digraph.h"

/* Number of times that a cycle is replaced by a shorter one (turn()). */
#define MOST_TURNS 8

uint32_t iso_strong_event_on_cycle(const strong_order *o, iso_pool *pool) {
    if (o->row != NULL) { /* saturation by clocks ended there */
        return o->cycle;
    }
    strong_arcs a = iso_strong_arcs(o, pool, NULL, NULL, false);
    iso_digraph g = {.n = o->n, .first = a.first, .to = a.to};
    uint32_t *component = ISO_NEW(pool, uint32_t, o->n);
    iso_digraph_components(&g, pool, component);
    for (uint32_t v = 0; v < o->n; v++) {
        for (uint32_t i = a.first[v]; i < a.first[v + 1]; i++) { /* an edge within a component is on a cycle */
            if (component[v] == component[a.to[i]]) {
                return v;
            }
        }
    }
    iso_throw(pool->env, ISOLAB_E_INTERNAL, "strong: no cycle where there must be one");
}

typedef struct explanation {
    const strong_order *o;
    iso_result *result;
    strong_path *premise; /* by inferred edge, if needed */
    uint32_t *first;      /* number of the premise's first edge in the result, and its length */
    uint32_t *count;
    uint32_t *ww; /* si: an edge of the result that repeats an axiom or list edge as WW */
} explanation;

/* Sets the writes of a key by the two transactions of a step. */
static void name_writes(const strong_model *m, const strong_step *s, uint32_t key, iso_edge *out) {
    out->op_from = iso_strong_write_of(m, strong_txn(m, s->from), key);
    out->op_to = iso_strong_write_of(m, strong_txn(m, s->to), key);
}

/* si: the second rule of the axiom, for a t3 that sees the end of the premise because both write a key. */
static void name_conflict(const explanation *x, const strong_path *premise, iso_edge *out) {
    const strong_step *last = &premise->at[premise->n - 1];
    if (last->edge != ISO_NONE) {
        name_writes(x->o->m, last, x->o->m->write_key[x->o->edge[last->edge].slot], out);
    }
}

/* Returns an inferred edge, which the edge `out` between the same transactions becomes. */
static iso_edge as_inferred_edge(const explanation *x, const strong_step *s, iso_edge out) {
    const strong_model *m = x->o->m;
    const strong_edge *e = &x->o->edge[s->edge];
    uint32_t ww = x->ww[s->edge];
    if (e->kind == ISO_EDGE_RT) {
        return iso_edge_in_time(m->h, out.from, out.to, x->o->pool);
    }
    out.kind = e->kind;
    out.key = m->write_key[e->slot];
    out.premise = x->first[s->edge];
    out.n_premise = x->count[s->edge];
    if (e->kind == ISO_EDGE_RW) {
        out.op_from = e->op;
        out.op_to = m->slot_op[e->slot];
    } else if (e->kind == ISO_EDGE_WW) {
        name_writes(m, s, out.key, &out);
    } else if (ww != ISO_NONE) { /* repeated as WW, which an anti-dependency may follow */
        out.kind = ISO_EDGE_WW;
        name_writes(m, s, out.key, &out);
        out.premise = ww;
        out.n_premise = 1;
    } else {
        out.reader_op = e->op;
        if (e->kind == ISO_EDGE_LIST) {
            out.premise = out.n_premise = 0;
        } else if (m->level == ISO_SI) {
            name_conflict(x, &x->premise[s->edge], &out);
        }
    }
    return out;
}

static iso_edge as_edge(const explanation *x, const strong_step *s) {
    const strong_model *m = x->o->m;
    if (s->read != ISO_NONE) {
        return iso_strong_read_edge(m, s->read);
    }
    iso_edge out = iso_edge_of(ISO_EDGE_SO, m->txn[strong_txn(m, s->from)], m->txn[strong_txn(m, s->to)]);
    return s->edge == ISO_NONE ? out : as_inferred_edge(x, s, out);
}

/* Writes a path as edges of the result, and returns the number of the first one. The step from a start to the commit of
 * the same transaction is no edge; consecutive session order is one edge, and so are steps through instants, which are
 * real time. */
static uint32_t write_path(const explanation *x, const strong_path *p, uint32_t *count) {
    const strong_model *m = x->o->m;
    uint32_t first = x->result->n_edges, ended = ISO_NONE; /* ended: the last transaction before the instants on the
                                                            * path */
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t from = strong_txn(m, p->at[i].from), to = strong_txn(m, p->at[i].to);
        if (to >= m->n_txns) {
            ended = from < m->n_txns ? from : ended;
        } else if (from >= m->n_txns) {
            iso_result_edge(x->result, iso_edge_in_time(m->h, m->txn[ended], m->txn[to], x->o->pool));
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

/* Marks the inferred edges of a path as needed. Returns whether the writer of one of its reads is known only from the
 * order, which a cycle cannot justify. */
static bool need(const strong_order *o, const strong_path *p, uint8_t *needed, uint32_t *youngest) {
    bool argued = false;
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t op = p->at[i].read != ISO_NONE   ? o->m->read_op[p->at[i].read]
                      : p->at[i].edge != ISO_NONE ? o->edge[p->at[i].edge].op
                                                  : ISO_NONE;
        argued |= op != ISO_NONE && o->m->h->op_kind[op] == ISO_READ && strong_argued(o->m, op);
        if (p->at[i].edge != ISO_NONE) {
            needed[p->at[i].edge] = 1;
            *youngest = *youngest == ISO_NONE || p->at[i].edge > *youngest ? p->at[i].edge : *youngest;
        }
    }
    return argued;
}

/* Rotates a cycle so that it does not begin at an instant. */
static void begin_at_transaction(const strong_order *o, strong_path *cycle, iso_pool *pool) {
    uint32_t first = 0;
    while (strong_txn(o->m, cycle->at[first].from) >= o->m->n_txns) {
        first++;
    }
    strong_step *turned = ISO_NEW(pool, strong_step, cycle->n);
    for (uint32_t i = 0; i < cycle->n; i++) {
        turned[i] = cycle->at[(first + i) % cycle->n];
    }
    iso_free(pool, cycle->at);
    cycle->at = turned;
}

/* The premise of an axiom edge t2 -> t1 is a path from t2 to t3, the reader of t1; the rest of its cycle leads from t1
 * to t2. So this path and the anti-dependency t3 -> t2, whose premise is the rest, are a cycle as well. The shorter of
 * the two cycles is kept, repeatedly. The result is a cycle of a few dependencies, which the first cycle hid in a
 * premise. */
static void turn(strong_paths *s, strong_order *o, strong_path *cycle, strong_path *premise) {
    uint32_t first_turn = o->n_edges, turns = 0;
    for (bool shorter = true; shorter && turns < MOST_TURNS; turns += shorter) {
        uint32_t at = 0;
        strong_path p = {NULL, cycle->n - 1};
        for (uint32_t i = 0; i < cycle->n; i++) {
            uint32_t e = cycle->at[i].edge, from, to;
            if (e != ISO_NONE && o->edge[e].kind == ISO_EDGE_AXIOM) {
                iso_strong_premise(o, &o->edge[e], &from, &to);
                strong_path q = iso_strong_find_path(s, from, to, e);
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
            premise[number] = (strong_path){ISO_NEW(s->pool, strong_step, n), n};
            for (uint32_t i = 0; i < n; i++) {
                premise[number].at[i] = cycle->at[(at + 1 + i) % cycle->n];
            }
            axiom.kind = ISO_EDGE_RW;
            o->edge[number] = axiom;
            *cycle = (strong_path){ISO_NEW(s->pool, strong_step, (size_t)p.n + 1), p.n + 1};
            memcpy(cycle->at, p.at, p.n * sizeof *p.at);
            cycle->at[p.n] = (strong_step){p.at[p.n - 1].to, p.at[0].from, ISO_NONE, number};
        }
    }
}

/* Returns a copy with room for MOST_TURNS more edges. */
static strong_order copy_of(const strong_order *o, iso_pool *pool) {
    strong_order copy = *o;
    copy.edge = ISO_NEW(pool, strong_edge, (size_t)o->n_edges + MOST_TURNS);
    if (o->n_edges > 0) {
        memcpy(copy.edge, o->edge, (size_t)o->n_edges * sizeof *o->edge);
    }
    return copy;
}

bool iso_strong_explain(const strong_order *given, iso_result *result) {
    strong_paths s;
    iso_strong_paths_init(&s, given, result->pool);
    strong_order copy = copy_of(given, result->pool);
    uint32_t first = result->n_edges;
    const strong_order *o = &copy;
    uint32_t on = iso_strong_event_on_cycle(o, result->pool), room = o->n_edges + MOST_TURNS;
    strong_path cycle = iso_strong_find_path(&s, on, on, o->n_edges);
    explanation x = {.o = o, .result = result};
    x.premise = ISO_ZNEW(result->pool, strong_path, room);
    x.first = ISO_ZNEW(result->pool, uint32_t, room);
    x.count = ISO_ZNEW(result->pool, uint32_t, room);
    x.ww = ISO_NEW_NONE(result->pool, room);
    turn(&s, &copy, &cycle, x.premise);
    begin_at_transaction(o, &cycle, result->pool);
    uint8_t *needed = ISO_ZNEW(result->pool, uint8_t, room);
    uint32_t youngest = ISO_NONE;
    bool argued = need(o, &cycle, needed, &youngest);
    uint32_t end = youngest == ISO_NONE ? 0 : youngest + 1;
    for (uint32_t e = end; e-- > 0;) {
        uint32_t from, to;
        if (needed[e] && iso_strong_premise(o, &o->edge[e], &from, &to)) {
            if (x.premise[e].at == NULL) {
                x.premise[e] = iso_strong_find_path(&s, from, to, e);
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
        if (edge->kind == ISO_EDGE_RW && x.premise[e].at == NULL) { /* of the initial value */
            x.count[e] = 1;
            x.first[e] =
                iso_result_edge(result, iso_edge_of(ISO_EDGE_SO, ISO_INIT, o->m->txn[o->m->write_txn[edge->slot]]));
        } else if (x.premise[e].at != NULL) {
            x.first[e] = write_path(&x, &x.premise[e], &x.count[e]);
        }
        if (o->m->level == ISO_SI && (edge->kind == ISO_EDGE_AXIOM || edge->kind == ISO_EDGE_LIST)) {
            strong_step alone = {edge->from, edge->to, ISO_NONE, e};
            x.ww[e] = iso_result_edge(result, as_edge(&x, &alone));
        }
    }
    iso_anomaly a = {.op = ISO_NONE, .other_op = ISO_NONE};
    a.cycle = write_path(&x, &cycle, &a.n_cycle);
    iso_anomaly_settle(result, o->m->h, o->m->level, &a, first);
    iso_result_anomaly(result, a);
    return true;
}
