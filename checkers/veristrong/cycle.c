/* Reports the cycle that shows a violation, as edges with their reasons. See veristrong.h and checkers/result.h.
 *
 * The edges of a path must be adjacent in the result, so they are written again for every edge that has the path as its
 * premises; their own premises are shared. If values repeat, some wr edges hold because the other candidates are out,
 * or because an indeterminate transaction must be included; edges cannot express this. Then the cycle is for people,
 * and a clausal proof is the certificate. */
#include "checkers/anomaly.h"
#include "checkers/veristrong/veristrong.h"

typedef struct span {
    uint32_t first, n;
} span;

typedef struct cycle {
    vs *s;
    iso_vs_why *why;
    span *premises; /* by fact: its premises, edges of the result */
    bool sure;
} cycle;

static void edge_of(cycle *c, uint32_t f) {
    const vs *s = c->s;
    const iso_vs_fact *fact = &s->facts[f];
    iso_edge e = iso_edge_of(ISO_EDGE_SO, s->txn[fact->from], s->txn[fact->to]);
    e.premise = c->premises[f].first;
    e.n_premise = c->premises[f].n;
    c->sure = c->sure && s->part[fact->from] == ISO_NONE && s->part[fact->to] == ISO_NONE;
    switch (fact->kind) {
    case VS_WR:
        e.kind = ISO_EDGE_WR;
        e.op_from = s->candidates[fact->a].op;
        e.op_to = s->reads[s->candidates[fact->a].read].op;
        e.key = s->h->op_key[e.op_to];
        break;
    case VS_WW:
        e.kind = ISO_EDGE_WW;
        e.key = fact->a;
        e.op_from = iso_vs_write_of(s, iso_vs_entry_of(s, fact->a, fact->from));
        e.op_to = iso_vs_write_of(s, iso_vs_entry_of(s, fact->a, fact->to));
        break;
    case VS_RW:
        e.kind = ISO_EDGE_RW;
        e.op_from = s->reads[s->candidates[fact->a].read].op;
        e.key = s->h->op_key[e.op_from];
        e.op_to = iso_vs_write_of(s, iso_vs_entry_of(s, e.key, fact->to));
        break;
    default:
        break;
    }
    iso_result_edge(s->result, e);
}

/* Adds an arc of the search. It is certain because every other case failed, as the proof shows. */
static void edge_of_arc(cycle *c, const iso_arc *a) {
    const vs *s = c->s;
    uint32_t kind = a->tag >> 29, id = a->tag & ((1u << 29) - 1);
    iso_edge e = iso_edge_of(ISO_EDGE_SO, s->txn[s->si ? a->from / 2 : a->from], s->txn[s->si ? a->to / 2 : a->to]);
    if (kind == VS_FACT) {
        edge_of(c, id);
    } else if (kind == VS_WW) {
        iso_vs_entry_pair pair = s->var_entry[id - s->first_order_var];
        bool forward = s->txn[s->entry_vertex[pair.i]] == e.from;
        e.kind = ISO_EDGE_WW;
        e.key = s->entry_key[pair.i];
        e.op_from = iso_vs_write_of(s, forward ? pair.i : pair.j);
        e.op_to = iso_vs_write_of(s, forward ? pair.j : pair.i);
    } else if (kind == VS_WR || kind == VS_RW) {
        const iso_vs_candidate *candidate = &s->candidates[id];
        uint32_t read = s->reads[candidate->read].op;
        e.kind = kind == VS_WR ? ISO_EDGE_WR : ISO_EDGE_RW;
        e.key = s->h->op_key[read];
        e.op_from = kind == VS_WR ? candidate->op : read;
        e.op_to = kind == VS_WR ? read : iso_vs_write_of(s, iso_vs_entry_of(s, e.key, s->vertex[e.to]));
    }
    if (kind != VS_FACT && kind != VS_STEP) {
        iso_result_edge(s->result, e);
    }
}

static span edges_of(cycle *c, const uint32_t *facts, uint32_t n) {
    span row = {c->s->result->n_edges, n};
    for (uint32_t i = 0; i < n; i++) {
        edge_of(c, facts[i]);
    }
    return row;
}

/* The opposite order would make reader R of `to` come before `from`, which R follows. This is the level's axiom, and
 * the WW edge follows from it. */
static span axiom(cycle *c, const iso_vs_fact *fact, span row) {
    vs *s = c->s;
    const iso_edge *last = &s->result->edges[row.first + row.n - 1];
    iso_edge e =
        iso_edge_of_axiom(s->h, s->txn[fact->from], s->txn[fact->to], s->reads[s->candidates[fact->b].read].op);
    e.premise = row.first;
    e.n_premise = row.n;
    if (s->si && last->kind == ISO_EDGE_WW) { /* t4 and t3 of the conflict axiom */
        e.op_from = last->op_from;
        e.op_to = last->op_to;
    }
    return (span){iso_result_edge(s->result, e), 1};
}

static void say(void *arg, uint32_t f) {
    cycle *c = arg;
    vs *s = c->s;
    const iso_vs_fact *fact = &s->facts[f];
    const iso_vs_premises *x = &c->why->of[f];
    if (fact->kind == VS_WR) {
        c->sure = c->sure && iso_vs_sure(s, &s->reads[s->candidates[fact->a].read]);
    } else if (fact->kind == VS_WW) {
        c->premises[f] = edges_of(c, x->at, x->n_path);
        if (!fact->by_dependency) {
            c->premises[f] = axiom(c, fact, c->premises[f]);
            c->sure = c->sure && iso_vs_sure(s, &s->reads[s->candidates[fact->b].read]);
        }
    } else if (fact->kind == VS_RW) {
        const iso_vs_candidate *candidate = &s->candidates[fact->a];
        c->sure = c->sure && iso_vs_sure(s, &s->reads[candidate->read]);
        if (candidate->writer == VS_INIT) {
            iso_edge e = iso_edge_of(ISO_EDGE_SO, ISO_INIT, s->txn[fact->to]);
            c->premises[f] = (span){iso_result_edge(s->result, e), 1};
        } else { /* the WW fact, or the path */
            c->premises[f] = edges_of(c, x->at, x->n_path > 0 ? x->n_path : 1);
        }
    }
}

bool iso_vs_report_cycle(vs *s) {
    iso_anomaly anomaly = {.kind = ISO_A_NO_ORDER, .op = ISO_NONE, .other_op = ISO_NONE};
    cycle c = {.s = s, .sure = s->n_cycle > 0};
    uint32_t first = s->result->n_edges;
    c.premises = ISO_ZNEW(s->pool, span, s->n_facts);
    c.why = iso_vs_why_new(s, say, &c);
    for (uint32_t i = 0; i < s->n_cycle; i++) {
        iso_vs_explain(c.why, s->cycle[i]);
    }
    for (uint32_t i = 0; i < s->n_certain; i++) {
        iso_arc a = iso_acyclic_get(s->graph, s->certain[i]);
        if (a.tag >> 29 == VS_FACT) {
            iso_vs_explain(c.why, a.tag & ((1u << 29) - 1));
        }
    }
    span row = edges_of(&c, s->cycle, s->n_cycle);
    for (uint32_t i = 0; i < s->n_certain; i++) {
        iso_arc a = iso_acyclic_get(s->graph, s->certain[i]);
        edge_of_arc(&c, &a);
    }
    row.n = s->result->n_edges - row.first;
    if (row.n > 0) {
        anomaly.cycle = row.first;
        anomaly.n_cycle = row.n;
    }
    if (row.n > 0 && c.sure) { /* otherwise it is one of several cases, and only a proof has all of them */
        iso_anomaly_settle(s->result, s->h, s->question->level, &anomaly, first);
    }
    iso_result_anomaly(s->result, anomaly);
    return c.sure;
}
