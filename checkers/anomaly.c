/* Names of anomalies. See anomaly.h. */
#include "checkers/anomaly.h"

#include <string.h>

iso_anomaly_kind iso_anomaly_of_int(iso_int_kind kind) {
    static const iso_anomaly_kind of[ISO_INT_KINDS] = {[ISO_INT_THIN_AIR] = ISO_A_THIN_AIR,
                                                       [ISO_INT_ABORTED] = ISO_A_ABORTED_READ,
                                                       [ISO_INT_FUTURE] = ISO_A_FUTURE_READ,
                                                       [ISO_INT_NOT_OWN] = ISO_A_NOT_MY_OWN_WRITE,
                                                       [ISO_INT_NOT_LAST_OWN] = ISO_A_NOT_MY_LAST_WRITE,
                                                       [ISO_INT_NOT_LAST] = ISO_A_INTERMEDIATE_READ};
    return kind < ISO_INT_KINDS ? of[kind] : ISO_A_THIN_AIR;
}

/* ---- two transactions ---- */

/* Returns whether the transaction reads the key from other transactions and writes it. A list read shows the appends of
 * others even if the reader has appended too. */
static bool reads_and_writes(const isolab_history *h, uint32_t txn, uint32_t key) {
    bool reads = false, writes = false;
    for (uint32_t o = h->txn_op[txn]; o < h->txn_op[txn + 1]; o++) {
        if (h->op_key[o] == key) {
            reads |= h->op_kind[o] == ISO_LIST_READ || (!iso_is_write(h->op_kind[o]) && !writes);
            writes |= iso_is_write(h->op_kind[o]);
        }
    }
    return reads && writes;
}

/* Returns the number of elements of a list read before its transaction's own appends, which come last. */
static uint32_t foreign_elements(const isolab_history *h, uint32_t read) {
    uint32_t list = h->op_version[read], n = h->list_first[list + 1] - h->list_first[list];
    for (uint32_t o = h->txn_op[h->op_txn[read]]; o < read && n > 0; o++) {
        n -= h->op_kind[o] == ISO_APPEND && h->op_key[o] == h->op_key[read];
    }
    return n;
}

/* Returns whether two reads return the same value of other transactions. */
static bool same_value(const isolab_history *h, uint32_t a, uint32_t b) {
    if (h->op_kind[a] != ISO_LIST_READ) {
        return h->op_version[a] == h->op_version[b];
    }
    uint32_t n = foreign_elements(h, a), one = h->list_first[h->op_version[a]], two = h->list_first[h->op_version[b]];
    return n == foreign_elements(h, b) &&
           memcmp(h->list_version + one, h->list_version + two, n * sizeof *h->list_version) == 0;
}

/* Returns whether both transactions read the same version of the key from other transactions. */
static bool read_same(const isolab_history *h, uint32_t a, uint32_t b, uint32_t key) {
    uint32_t seen[2] = {ISO_NONE, ISO_NONE}, txn[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        for (uint32_t o = h->txn_op[txn[i]]; o < h->txn_op[txn[i] + 1] && seen[i] == ISO_NONE; o++) {
            if (h->op_key[o] == key && !iso_is_write(h->op_kind[o])) {
                seen[i] = o;
            }
        }
    }
    return seen[0] != ISO_NONE && seen[1] != ISO_NONE && same_value(h, seen[0], seen[1]);
}

/* ---- one cycle ---- */

static bool is_seen(const iso_edge *e) { return e->kind == ISO_EDGE_SO || e->kind == ISO_EDGE_WR; }

/* The kinds and the neighbours of its edges. */
typedef struct mix {
    uint32_t rt, rw, seen, ww;
    uint32_t apart;                    /* real-time edges between transactions without a common key */
    bool adjacent, after_ww, after_so; /* an rw edge follows another rw edge, a ww edge, or session order */
    const iso_edge *last_rw, *last_seen;
} mix;

static mix mix_of(const iso_edge *edges, uint32_t n) {
    mix m = {.rt = 0};
    for (uint32_t i = 0; i < n; i++) {
        const iso_edge *e = &edges[i], *before = &edges[i > 0 ? i - 1 : n - 1];
        if (e->kind == ISO_EDGE_RW) {
            m.rw++;
            m.last_rw = e;
            m.adjacent |= before->kind == ISO_EDGE_RW;
            m.after_ww |= before->kind != ISO_EDGE_RW && !is_seen(before);
            m.after_so |= before->kind == ISO_EDGE_SO;
        } else if (is_seen(e)) {
            m.seen++;
            m.last_seen = e;
        } else {
            m.rt += e->kind == ISO_EDGE_RT;
            m.apart += e->kind == ISO_EDGE_RT && e->key == ISO_NONE;
            m.ww += e->kind != ISO_EDGE_RT;
        }
    }
    return m;
}

/* Returns whether the cycle is a ww edge and an rw edge between two writers of a key. */
static bool is_lost_update(const isolab_history *h, const mix *m, const iso_edge *edges, uint32_t n) {
    const iso_edge *e = m->last_rw;
    return n == 2 && m->rw > 0 && m->rw + m->ww == 2 && edges[0].key == edges[1].key && e->from < h->n_txns &&
           e->to < h->n_txns && reads_and_writes(h, e->from, e->key) && reads_and_writes(h, e->to, e->key) &&
           read_same(h, e->from, e->to, e->key);
}

static iso_level level_of(const isolab_history *h, const mix *m, const iso_edge *edges, uint32_t n) {
    if (m->rt > 0) {
        return m->apart > 0 ? ISO_SSER : ISO_LSER;
    } else if (m->rw == 0) {
        return ISO_G1;
    } else if (is_lost_update(h, m, edges, n)) {
        return ISO_SI;
    } else if (m->adjacent) {
        return ISO_SER;
    } else if (m->after_ww) {
        return ISO_SI;
    }
    return m->rw > 1 || m->ww > 0 ? ISO_PC : n > 2 ? ISO_CC : ISO_RA;
}

iso_level iso_anomaly_breaks(const isolab_history *h, const iso_edge *edges, uint32_t n) {
    mix m = mix_of(edges, n);
    return level_of(h, &m, edges, n);
}

/* Returns whether the missed version follows the version read by session order and write-read edges only. */
static bool is_causal(const iso_edge *rw, const iso_edge *premises) {
    for (uint32_t i = 0; i < rw->n_premise; i++) {
        if (premises == NULL || !is_seen(&premises[rw->premise + i])) {
            return false;
        }
    }
    return rw->n_premise > 0;
}

iso_anomaly_kind iso_anomaly_of_cycle(const isolab_history *h, const iso_edge *edges, uint32_t n,
                                      const iso_edge *premises) {
    mix m = mix_of(edges, n);
    switch (level_of(h, &m, edges, n)) {
    case ISO_LSER:
        return m.rw + m.ww > 0 ? ISO_A_KEY_TIME : ISO_A_KEY_CLOCK;
    case ISO_SSER:
        return m.rw + m.ww > 0 ? ISO_A_REAL_TIME : ISO_A_CLOCK;
    case ISO_SER:
        return n == 2 && edges[0].key != edges[1].key ? ISO_A_WRITE_SKEW : ISO_A_G2_ITEM;
    case ISO_SI:
        return is_lost_update(h, &m, edges, n) ? ISO_A_LOST_UPDATE : m.rw == 1 ? ISO_A_G_SINGLE : ISO_A_G_NONADJACENT;
    case ISO_PC:
        return m.rw == 2 && m.ww == 0 && !m.after_so ? ISO_A_LONG_FORK : ISO_A_PREFIX;
    case ISO_CC:
        return is_causal(m.last_rw, premises) ? ISO_A_CO_CONFLICT_CM : ISO_A_CONFLICT_CM;
    case ISO_RA:
        if (m.last_seen->kind == ISO_EDGE_WR) {
            return m.last_seen->key == m.last_rw->key ? ISO_A_NON_REPEATABLE_READ : ISO_A_READ_SKEW;
        }
        return is_causal(m.last_rw, premises) ? ISO_A_FRACTURED_READ_CO : ISO_A_FRACTURED_READ_CM;
    default:
        return m.seen == 0 ? ISO_A_G0 : ISO_A_CYCLIC_CO;
    }
}

/* ---- the cases ---- */

typedef struct cases {
    iso_result *result;
    const isolab_history *h;
    iso_level level;
    iso_edge *row; /* the edges of the current case */
    uint32_t n, room;
    uint32_t *queue, n_queue, queue_room; /* inferred edges, nearest to the cycle first */
    uint32_t *parent;                     /* by edge: the inferred edge that has it as a premise; ISO_NONE: it is on the
                                           * cycle */
} cases;

/* Returns the edge that this one only repeats as an order of two writers; otherwise the edge itself. */
static uint32_t said_by(const iso_result *r, uint32_t edge) {
    const iso_edge *e = &r->edges[edge], *premise = r->edges + e->premise;
    bool again = e->kind == ISO_EDGE_WW && e->n_premise == 1 &&
                 (premise->kind == ISO_EDGE_AXIOM || premise->kind == ISO_EDGE_LIST);
    return again ? e->premise : edge;
}

/* Returns whether the edge is inferred, and not only because the initial transaction comes first. */
static bool is_inferred(const iso_result *r, uint32_t edge) {
    const iso_edge *e = &r->edges[edge];
    return e->n_premise > 0 && r->edges[e->premise].from != ISO_INIT;
}

static void look_at(cases *c, uint32_t first, uint32_t n, uint32_t parent) {
    for (uint32_t i = first; i < first + n; i++) {
        uint32_t e = said_by(c->result, i);
        if (is_inferred(c->result, e) && c->parent[e] == ISO_INIT) {
            c->parent[e] = parent;
            ISO_GROW(c->result->pool, c->queue, c->n_queue, c->queue_room);
            c->queue[c->n_queue++] = e;
        }
    }
}

/* Returns the transaction's last write of a key. */
static uint32_t write_of(const isolab_history *h, uint32_t txn, uint32_t key) {
    uint32_t found = ISO_NONE;
    for (uint32_t o = h->txn_op[txn]; o < h->txn_op[txn + 1]; o++) {
        found = h->op_key[o] == key && iso_is_write(h->op_kind[o]) ? o : found;
    }
    return found;
}

/* Returns the edge that would hold instead of an inferred edge. It closes the inferred edge's premises to a cycle. */
static iso_edge opposite(const cases *c, const iso_edge *e) {
    const isolab_history *h = c->h;
    const iso_edge *premise = c->result->edges + e->premise;
    uint32_t first = premise->from, last = premise[e->n_premise - 1].to;
    iso_edge out = {.from = last, .to = first, .key = e->key, .reader_op = ISO_NONE};
    out.op_from = e->kind == ISO_EDGE_AXIOM ? e->reader_op : write_of(h, last, e->key);
    out.op_to = write_of(h, first, e->key);
    out.kind = e->kind == ISO_EDGE_AXIOM ? ISO_EDGE_RW : ISO_EDGE_WW;
    return out;
}

static void make_case(cases *c, uint32_t edge) {
    const iso_edge *e = &c->result->edges[edge];
    c->n = 0;
    for (uint32_t i = 0; i < e->n_premise; i++) {
        ISO_GROW(c->result->pool, c->row, c->n, c->room);
        c->row[c->n++] = c->result->edges[e->premise + i];
    }
    ISO_GROW(c->result->pool, c->row, c->n, c->room);
    c->row[c->n++] = opposite(c, e);
}

/* Returns whether e may follow `before`: below serializability, an anti-dependency must follow an edge by which its
 * transaction sees something. */
static bool may_follow(const cases *c, const iso_edge *before, const iso_edge *e) {
    return iso_level_has(c->level, ISO_SEES_BEFORE) || e->kind != ISO_EDGE_RW || is_seen(before) ||
           (c->level == ISO_SI && before->kind == ISO_EDGE_WW);
}

/* Returns the index of an inferred edge on a path. */
static uint32_t place_of(const iso_result *r, uint32_t row, uint32_t edge) {
    uint32_t at = 0;
    while (said_by(r, row + at) != edge) {
        at++;
    }
    return at;
}

/* Makes the case of an edge the cycle; `at` is the index of the edge on the old cycle. Returns false if its edges would
 * not follow each other as the level requires. */
static bool turn(cases *c, iso_anomaly *a, uint32_t edge, uint32_t at) {
    iso_result *r = c->result;
    uint32_t n = a->n_cycle;
    make_case(c, edge);
    iso_edge *last = &c->row[c->n - 1], e = r->edges[edge];
    if (!may_follow(c, &c->row[c->n > 1 ? c->n - 2 : 0], last)) {
        return false;
    }
    uint32_t rest = r->n_edges;
    for (uint32_t i = 1; i < n; i++) {
        iso_result_edge(r, r->edges[a->cycle + (at + i) % n]);
    }
    last->premise = rest;
    last->n_premise = n - 1;
    if (e.kind == ISO_EDGE_RW) { /* add the axiom as an order of two writers, which an rw edge may follow */
        const iso_edge *end = &r->edges[r->n_edges - 1];
        iso_edge axiom = *last;
        axiom.kind = ISO_EDGE_AXIOM;
        axiom.reader_op = e.op_from;
        bool conflict = c->level == ISO_SI && end->kind == ISO_EDGE_WW;
        axiom.op_from = conflict ? end->op_from : ISO_NONE;
        axiom.op_to = conflict ? end->op_to : ISO_NONE;
        if (c->level == ISO_SI) {
            last->premise = iso_result_edge(r, axiom);
            last->n_premise = 1;
        } else {
            *last = axiom;
        }
    }
    a->cycle = r->n_edges;
    a->n_cycle = c->n;
    for (uint32_t i = 0; i < c->n; i++) {
        iso_result_edge(r, c->row[i]);
    }
    return true;
}

/* Removes the edges from `first` on that the anomaly does not depend on. The edges of a path stay together. */
static void leave_out(iso_result *r, iso_anomaly *a, uint32_t first) {
    uint32_t *number = ISO_ZNEW(r->pool, uint32_t, r->n_edges), kept = first;
    for (uint32_t i = a->cycle + a->n_cycle; i-- > first;) {
        const iso_edge *e = &r->edges[i];
        if (i >= a->cycle || number[i] != 0) {
            number[i] = 1;
            for (uint32_t p = e->premise; p < e->premise + e->n_premise; p++) {
                number[p] = 1;
            }
        }
    }
    for (uint32_t i = first; i < a->cycle + a->n_cycle; i++) {
        if (number[i] != 0) {
            iso_edge e = r->edges[i];
            number[i] = kept;
            e.premise = e.n_premise > 0 && e.premise >= first ? number[e.premise] : e.premise;
            r->edges[kept++] = e;
        }
    }
    a->cycle = number[a->cycle];
    r->n_edges = kept;
    iso_free(r->pool, number);
}

/* Makes the case of an edge the cycle, one by one through the edges that depend on it. Returns false if that is
 * impossible. */
static bool turn_to(cases *c, iso_anomaly *a, uint32_t edge, uint32_t first) {
    uint32_t *way = NULL, n = 0, room = 0, before = c->result->n_edges;
    iso_anomaly turned = *a;
    for (uint32_t e = edge; e != ISO_NONE; e = c->parent[e]) {
        ISO_GROW(c->result->pool, way, n, room);
        way[n++] = e;
    }
    bool done = true;
    while (done && n > 0) {
        uint32_t e = way[--n], by = c->parent[e];
        done = turn(c, &turned, e, place_of(c->result, by == ISO_NONE ? a->cycle : c->result->edges[by].premise, e));
    }
    if (done) {
        *a = turned;
        leave_out(c->result, a, first);
    } else {
        c->result->n_edges = before;
    }
    iso_free(c->result->pool, way);
    return done;
}

void iso_anomaly_settle(iso_result *result, const isolab_history *h, iso_level level, iso_anomaly *a, uint32_t first) {
    cases c = {.result = result, .h = h, .level = level};
    iso_level most = iso_anomaly_breaks(h, result->edges + a->cycle, a->n_cycle);
    uint32_t shortest = a->n_cycle, best = ISO_NONE;
    c.parent = ISO_NEW(result->pool, uint32_t, result->n_edges);
    for (uint32_t i = 0; i < result->n_edges; i++) {
        c.parent[i] = ISO_INIT;
    }
    look_at(&c, a->cycle, a->n_cycle, ISO_NONE);
    for (uint32_t i = 0; i < c.n_queue; i++) {
        uint32_t edge = c.queue[i];
        iso_tick(result->pool->env);
        make_case(&c, edge);
        iso_level breaks = iso_anomaly_breaks(h, c.row, c.n);
        if (breaks > most || (breaks == most && c.n < shortest)) {
            most = breaks;
            shortest = c.n;
            best = edge;
        }
        look_at(&c, result->edges[edge].premise, result->edges[edge].n_premise, edge);
    }
    bool named = best == ISO_NONE || turn_to(&c, a, best, first);
    a->kind = named ? (uint8_t)iso_anomaly_of_cycle(h, result->edges + a->cycle, a->n_cycle, result->edges)
                    : (uint8_t)ISO_A_NO_ORDER;
    iso_free(result->pool, c.parent);
    iso_free(result->pool, c.queue);
    iso_free(result->pool, c.row);
}
