/* Reports cycles as anomalies: every edge with its reason, as docs/certificates.md requires. The premise of an
 * anti-dependency is the overwriter's own read of the version, or that the initial transaction is first. */
#include "checkers/anomaly.h"
#include "checkers/mtc/mtc.h"

/* Returns the edge that the writer of the version comes before the overwriter. */
static iso_edge premise(const mtc *m, const mtc_step *s) {
    const isolab_history *h = m->h;
    uint32_t source = mtc_source(m, s->op_from), own = ISO_NONE;
    if (source == ISO_INIT) {
        return iso_edge_of(ISO_EDGE_SO, ISO_INIT, s->to);
    }
    mtc_txn x = mtc_look(h, s->to);
    for (uint32_t i = 0; i < x.n_reads; i++) {
        own = h->op_version[x.read[i]] == h->op_version[s->op_from] ? x.read[i] : own;
    }
    return iso_edge_of_read(h, source, h->op_writer[own], own);
}

static iso_edge edge(mtc *m, const mtc_step *s) {
    if (s->kind == ISO_EDGE_WR) {
        return iso_edge_of_read(m->h, s->from, s->op_from, s->op_to);
    }
    if (s->kind == ISO_EDGE_RT) {
        return iso_edge_in_time(m->h, s->from, s->to, m->pool);
    }
    iso_edge e = iso_edge_of(s->kind, s->from, s->to);
    if (s->kind == ISO_EDGE_RW) {
        e.key = m->h->op_key[s->op_from];
        e.op_from = s->op_from;
        e.op_to = s->op_to;
        e.premise = iso_result_edge(m->result, premise(m, s));
        e.n_premise = 1;
    }
    return e;
}

/* si: returns an anti-dependency between two writers of a key as their order. */
static iso_edge order_of_writers(mtc *m, const mtc_step *s) {
    mtc_txn x = mtc_look(m->h, s->from);
    iso_edge rw = edge(m, s), e = iso_edge_of(ISO_EDGE_WW, s->from, s->to);
    e.key = rw.key;
    for (uint32_t i = 0; i < x.n_writes; i++) {
        e.op_from = m->h->op_key[x.write[i]] == rw.key ? x.write[i] : e.op_from;
    }
    e.op_to = rw.op_to;
    e.premise = iso_result_edge(m->result, rw);
    e.n_premise = 1;
    return e;
}

void iso_mtc_report(mtc *m, const mtc_step *step, uint32_t n) {
    iso_result *r = m->result;
    uint32_t first = r->n_edges;
    iso_edge *cycle = ISO_NEW(m->pool, iso_edge, n);
    for (uint32_t i = 0; i < n; i++) {
        bool second = m->level == ISO_SI && step[i].kind == ISO_EDGE_RW && i > 0 && step[i - 1].kind == ISO_EDGE_RW;
        cycle[i] = second ? order_of_writers(m, &step[i]) : edge(m, &step[i]);
    }
    iso_anomaly a = {.op = ISO_NONE, .other_op = ISO_NONE, .cycle = r->n_edges, .n_cycle = n};
    for (uint32_t i = 0; i < n; i++) {
        iso_result_edge(r, cycle[i]);
    }
    iso_anomaly_settle(r, m->h, m->level, &a, first);
    iso_result_anomaly(r, a);
}
