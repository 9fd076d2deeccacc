/* See hints.h. */
#include "checkers/strong/hints.h"

typedef struct hinter {
    strong_paths s;
    const strong_order *o;
    strong_hints out;
    uint8_t *needed;
    uint32_t *todo, n_todo, todo_room; /* inferred edges */
    uint32_t *ambiguous_of;
    uint32_t *reads, n_reads, reads_room; /* ambiguous reads that matter */
} hinter;

static void hint(hinter *g, uint32_t op, uint32_t w1, uint32_t w2) {
    ISO_GROW(g->s.pool, g->out.at, g->out.n, g->out.room);
    g->out.at[g->out.n++] = (strong_hint){op, w1, w2};
}

static void want_open(hinter *g, uint32_t i) {
    uint32_t op = g->o->m->ambiguous_op[i];
    if (!g->out.choices[op]) {
        g->out.choices[op] = 1;
        ISO_GROW(g->s.pool, g->reads, g->n_reads, g->reads_room);
        g->reads[g->n_reads++] = i;
    }
}

static void want_read(hinter *g, uint32_t op) {
    if (op != ISO_NONE && strong_argued(g->o->m, op)) {
        want_open(g, g->ambiguous_of[op]);
    }
}

/* Returns the number of rounds of narrowing when the order had this number of edges. */
static uint32_t rounds_before(const strong_model *m, uint32_t edges) {
    uint32_t k = 0;
    while (k < m->n_rounds && m->round_edges[k] <= edges) {
        k++;
    }
    return k;
}

static void want_steps(hinter *g, const strong_path *p) {
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t e = p->at[i].edge;
        if (p->at[i].read != ISO_NONE) {
            want_read(g, g->o->m->read_op[p->at[i].read]);
        } else if (e != ISO_NONE && !g->needed[e]) {
            g->needed[e] = 1;
            ISO_GROW(g->s.pool, g->todo, g->n_todo, g->todo_room);
            g->todo[g->n_todo++] = e;
        }
    }
}

static void want_path(hinter *g, uint32_t from, uint32_t to, uint32_t limit, uint32_t round) {
    if (from != to) {
        g->s.round = round;
        strong_path p = iso_strong_find_path(&g->s, from, to, limit);
        want_steps(g, &p);
        iso_free(g->s.pool, p.at);
    }
}

/* Adds the constraint from which an edge was inferred. */
static void hint_of_constraint(hinter *g, const strong_edge *edge) {
    const strong_model *m = g->o->m;
    if (edge->kind == ISO_EDGE_WW) {
        uint32_t key = m->write_key[edge->slot], t1 = strong_txn(m, edge->from);
        hint(g, ISO_NONE, m->op_slot[iso_strong_write_of(m, t1, key)], edge->slot);
    } else if (edge->kind != ISO_EDGE_LIST && edge->kind != ISO_EDGE_RT) {
        uint32_t writer = m->writer[edge->op];
        hint(g, edge->op, writer == ISO_INIT ? ISO_INIT : m->op_slot[writer], edge->slot);
    }
}

static void hint_of_edge(hinter *g, uint32_t e) {
    const strong_model *m = g->o->m;
    const strong_edge *edge = &g->o->edge[e];
    uint32_t from, to;
    hint_of_constraint(g, edge);
    if (edge->kind == ISO_EDGE_AXIOM || edge->kind == ISO_EDGE_RW) {
        want_read(g, edge->op);
    }
    if (iso_strong_premise(g->o, edge, &from, &to)) {
        want_path(g, from, to, e, rounds_before(m, e));
    }
}

/* Adds why the other writers of a read were ruled out. */
static void hint_of_read(hinter *g, uint32_t i) {
    const strong_model *m = g->o->m;
    uint32_t op = m->ambiguous_op[i], start = strong_start(m, m->dense[m->h->op_txn[op]]);
    for (uint32_t j = strong_candidate_end(m, i); j < m->candidate_first[i + 1]; j++) {
        uint32_t w1 = m->candidate[j], by = m->ruled_out_by[j], round = m->ruled_out_round[j];
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

static void hinter_init(hinter *g, const strong_order *o, iso_pool *pool) {
    const strong_model *m = o->m;
    *g = (hinter){.o = o};
    iso_strong_paths_init(&g->s, o, pool);
    g->ambiguous_of = ISO_NEW(pool, uint32_t, m->h->n_ops);
    for (uint32_t i = 0; i < m->n_ambiguous; i++) {
        g->ambiguous_of[m->ambiguous_op[i]] = i;
    }
    g->needed = ISO_ZNEW(pool, uint8_t, o->n_edges);
    g->out.choices = ISO_ZNEW(pool, uint8_t, m->h->n_ops);
}

static strong_hints trace(hinter *g) {
    for (uint32_t e = 0, r = 0; e < g->n_todo || r < g->n_reads;) {
        if (e < g->n_todo) {
            hint_of_edge(g, g->todo[e++]);
        } else {
            hint_of_read(g, g->reads[r++]);
        }
    }
    return g->out;
}

strong_hints iso_strong_hints_of_cycle(const strong_order *o, iso_pool *pool) {
    hinter g;
    hinter_init(&g, o, pool);
    uint32_t on = iso_strong_event_on_cycle(o, pool);
    strong_path cycle = iso_strong_find_path(&g.s, on, on, o->n_edges);
    want_steps(&g, &cycle);
    return trace(&g);
}

bool iso_strong_hints_of_read(const strong_order *o, iso_pool *pool, strong_hints *hints) {
    const strong_model *m = o->m;
    for (uint32_t i = 0; i < m->n_ambiguous; i++) {
        if (strong_candidate_end(m, i) == m->candidate_first[i]) {
            hinter g;
            hinter_init(&g, o, pool);
            want_open(&g, i);
            *hints = trace(&g);
            return true;
        }
    }
    return false;
}

strong_hints iso_strong_hints_of_search(const strong_order *o, const strong_hint *why, uint32_t n, iso_pool *pool) {
    const strong_model *m = o->m;
    hinter g = {.o = o, .s = {.pool = pool}};
    g.out.choices = ISO_ZNEW(pool, uint8_t, m->h->n_ops);
    for (uint32_t e = 0; e < o->n_edges; e++) {
        hint_of_constraint(&g, &o->edge[e]);
    }
    for (uint32_t i = 0; i < m->n_ambiguous; i++) {
        g.out.choices[m->ambiguous_op[i]] = 1;
        for (uint32_t j = strong_candidate_end(m, i); j < m->candidate_first[i + 1]; j++) {
            if (m->ruled_out_by[j] != ISO_NONE) {
                hint(&g, m->ambiguous_op[i], m->candidate[j], m->ruled_out_by[j]);
            }
        }
    }
    for (uint32_t c = 0; c < n; c++) {
        if (why[c].w2 != ISO_NONE) {
            hint(&g, why[c].op, why[c].w1, why[c].w2);
        }
    }
    return g.out;
}
