/* Proofs that a hyper-polygraph has no acyclic compatible graph. See veristrong.h and checkers/proof.h.
 *
 * A fact is proved only when the proof needs it, its premises first (veristrong_why.c). The solver adds a cycle for
 * every conflict and explanation of the theory, and its learnt clauses as lemmas.
 */
#include <string.h>

#include "checkers/proof.h"
#include "checkers/veristrong.h"

struct vs_proof {
    vs *s;
    iso_proof *out;
    vs_why *why;
    int *lemma;
    uint32_t lemma_room;
    vs_premises final;
};

static uint32_t point(const vs *s, uint32_t p) { return s->si ? 2 * s->txn[p / 2] + p % 2 : s->txn[p]; }

/* Literals and lines in the words of the graph. */

static int before(vs_proof *p, uint32_t from, uint32_t to) {
    return iso_proof_before(p->out, point(p->s, from), point(p->s, to));
}

static int dependency(vs_proof *p, uint32_t u, uint32_t v) {
    return before(p, vs_from(p->s, u, false), vs_to(p->s, v, false));
}

static void step(vs_proof *p, uint32_t from, uint32_t to) {
    iso_proof_cycle(p->out, point(p->s, from));
    iso_proof_cycle(p->out, point(p->s, to));
}

static void rw_line(vs_proof *p, uint32_t candidate, uint32_t over) {
    const vs *s = p->s;
    const vs_candidate *c = &s->candidates[candidate];
    const vs_read *r = &s->reads[c->read];
    iso_proof_rw(p->out, r->op, c->op, vs_write_of(s, vs_entry_of(s, r->key, over)));
}

/* si: the two writers cannot each come before the other (for ser one atom says both). */
static void one_way(vs_proof *p, uint32_t u, uint32_t v) {
    if (p->s->si) {
        step(p, 2 * u + 1, 2 * v);
        step(p, 2 * v + 1, 2 * u);
        iso_proof_close(p->out);
    }
}

static void path_steps(vs_proof *p, const uint32_t *facts, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        step(p, vs_fact_from(p->s, &p->s->facts[facts[i]]), vs_fact_to(p->s, &p->s->facts[facts[i]]));
    }
}

static void say_choice(vs_proof *p, uint32_t candidate) {
    const vs_read *r = &p->s->reads[p->s->candidates[candidate].read];
    if (!vs_sure(p->s, r)) {
        iso_proof_choice(p->out, r->op);
    }
}

/* Lines that make the opposite of `u before v` impossible, given a row of facts (or the order itself). */
static void say_order(vs_proof *p, uint32_t u, uint32_t v, const uint32_t *path, uint32_t n) {
    if (n > 0) {
        path_steps(p, path, n);
        step(p, vs_from(p->s, v, false), vs_to(p->s, u, false));
        iso_proof_close(p->out);
    } else {
        one_way(p, u, v);
    }
}

/* The lines of a fact whose premises are proved. Afterwards its order follows by unit propagation. */
static void say_fact(void *arg, uint32_t f) {
    vs_proof *p = arg;
    const vs *s = p->s;
    const vs_fact *fact = &s->facts[f];
    const vs_premises *x = &p->why->of[f];
    switch (fact->kind) {
    case VS_SO:
        iso_proof_so(p->out, s->txn[fact->from], s->txn[fact->to]);
        break;
    case VS_WR:
        say_choice(p, fact->a);
        iso_proof_wr(p->out, s->reads[s->candidates[fact->a].read].op, s->candidates[fact->a].op);
        break;
    case VS_WW: {
        uint32_t i = vs_entry_of(s, fact->a, fact->from), j = vs_entry_of(s, fact->a, fact->to);
        iso_proof_ww(p->out, vs_write_of(s, i), vs_write_of(s, j));
        path_steps(p, x->at, x->n_path);
        if (fact->by_dependency) {
            step(p, vs_from(s, fact->to, false), vs_to(s, fact->from, false));
        } else {
            uint32_t reader = s->reads[s->candidates[fact->b].read].vertex;
            step(p, vs_from(s, reader, true), vs_to(s, fact->from, true));
        }
        iso_proof_close(p->out);
        if (!fact->by_dependency) {
            say_choice(p, fact->b);
            rw_line(p, fact->b, fact->from);
        }
        int order = dependency(p, fact->from, fact->to);
        iso_proof_lemma(p->out, &order, 1);
        break;
    }
    case VS_RW: {
        const vs_candidate *c = &s->candidates[fact->a];
        say_choice(p, fact->a);
        rw_line(p, fact->a, fact->to);
        if (c->writer != VS_INIT) {
            uint32_t first = x->n_path == 0 ? 0 : x->n_path;
            say_order(p, s->entry_vertex[c->writer], fact->to, x->at, first);
        }
        break;
    }
    case VS_OUT: {
        const vs_candidate *c = &s->candidates[fact->a];
        const vs_read *r = &s->reads[c->read];
        path_steps(p, x->at, x->n_path);
        if (fact->by_dependency) {
            step(p, vs_from(s, s->entry_vertex[c->writer], false), vs_to(s, r->vertex, false));
            iso_proof_close(p->out);
            iso_proof_wr(p->out, r->op, c->op);
        } else {
            uint32_t over = s->entry_vertex[fact->b];
            step(p, vs_from(s, r->vertex, true), vs_to(s, over, true));
            iso_proof_close(p->out);
            rw_line(p, fact->a, over);
            if (c->writer != VS_INIT) {
                bool path = vs_order_fact(p->why, c->writer, fact->b) == ISO_NONE;
                say_order(p, s->entry_vertex[c->writer], over, x->at + x->n_path, path ? x->n - x->n_path : 0);
            }
        }
        int out = -iso_proof_took(p->out, r->op, c->op);
        iso_proof_lemma(p->out, &out, 1);
        break;
    }
    default:
        break;
    }
}

static void prove_all(vs_proof *p, const vs_premises *x) {
    for (uint32_t i = 0; i < x->n; i++) {
        vs_explain(p->why, x->at[i]);
    }
}

/* The search. */

static void prove_choice(vs_proof *p, uint32_t candidate) {
    p->final.n = 0;
    vs_need_choice(p->why, &p->final, candidate);
    prove_all(p, &p->final);
    say_choice(p, candidate);
}

static void prove_order(vs_proof *p, uint32_t i, uint32_t j) {
    uint32_t first;
    p->final.n = 0;
    vs_need_order(p->why, &p->final, i, j, p->s->n_facts, &first);
    prove_all(p, &p->final);
    say_order(p, p->s->entry_vertex[i], p->s->entry_vertex[j], p->final.at + first, p->final.n - first);
}

/* Lines for an arc of the solver's graph: its literals then force the order of its points. */
static void say_arc(vs_proof *p, const iso_arc *a) {
    const vs *s = p->s;
    uint32_t kind = a->tag >> 29, id = a->tag & ((1u << 29) - 1);
    uint32_t from = s->si ? a->from / 2 : a->from, to = s->si ? a->to / 2 : a->to;
    switch (kind) {
    case VS_FACT:
        vs_explain(p->why, id);
        break;
    case VS_SO:
        iso_proof_so(p->out, s->txn[from], s->txn[to]);
        break;
    case VS_WR:
        iso_proof_wr(p->out, s->reads[s->candidates[id].read].op, s->candidates[id].op);
        break;
    case VS_WW: {
        vs_entry_pair pair = s->var_entry[id - s->first_order_var];
        iso_proof_ww(p->out, vs_write_of(s, pair.i), vs_write_of(s, pair.j));
        break;
    }
    case VS_RW: {
        const vs_candidate *c = &s->candidates[id];
        if (c->known) {
            prove_choice(p, id);
        }
        rw_line(p, id, to);
        if (c->writer != VS_INIT) {
            uint32_t over = vs_entry_of(s, s->reads[c->read].key, to);
            if (vs_known_before(s, c->writer, over)) {
                prove_order(p, c->writer, over);
            } else {
                one_way(p, s->entry_vertex[c->writer], to);
            }
        }
        break;
    }
    default:
        break;
    }
}

void vs_proof_cycle(vs_proof *p, const iso_acyclic *g, const uint32_t *arcs, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        iso_arc a = iso_acyclic_get(g, arcs[i]);
        say_arc(p, &a);
    }
    for (uint32_t i = 0; i < n; i++) {
        step(p, iso_acyclic_get(g, arcs[i]).from, iso_acyclic_get(g, arcs[i]).to);
    }
    iso_proof_close(p->out);
}

static int literal(vs_proof *p, iso_lit l) {
    const vs *s = p->s;
    uint32_t var = iso_lit_var(l);
    int positive;
    if (s->var_what[var].kind == VS_WW) {
        vs_entry_pair pair = s->var_entry[var - s->first_order_var];
        positive = dependency(p, s->entry_vertex[pair.i], s->entry_vertex[pair.j]);
    } else if (s->var_what[var].kind == VS_WR) {
        const vs_candidate *c = &s->candidates[s->var_what[var].id];
        positive = iso_proof_took(p->out, s->reads[c->read].op, c->op);
    } else {
        positive = iso_proof_in(p->out, s->txn[s->var_what[var].id]);
    }
    return l & 1 ? -positive : positive;
}

void vs_proof_learnt(vs_proof *p, const iso_lit *literals, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        ISO_GROW(p->s->pool, p->lemma, i, p->lemma_room);
        p->lemma[i] = literal(p, literals[i]);
    }
    iso_proof_lemma(p->out, p->lemma, n);
}

/* Clauses that the encoding gives to the solver. */
void vs_proof_read(vs_proof *p, uint32_t read) {
    const vs *s = p->s;
    const vs_read *r = &s->reads[read];
    for (uint32_t c = r->first; c < r->end; c++) {
        if (s->candidates[c].out) {
            vs_explain(p->why, p->why->out_fact[c]);
        }
    }
    if (!vs_sure(s, r)) {
        iso_proof_choice(p->out, r->op);
    }
    for (uint32_t c = r->first; c < r->end; c++) {
        const vs_candidate *x = &s->candidates[c];
        if (!x->out && x->writer != VS_INIT && s->part[s->entry_vertex[x->writer]] != ISO_NONE) {
            iso_proof_part(p->out, r->op, x->op);
        }
    }
}

void vs_proof_one(vs_proof *p, uint32_t a, uint32_t b) {
    const vs_candidate *x = &p->s->candidates[a], *y = &p->s->candidates[b];
    iso_proof_one(p->out, p->s->reads[x->read].op, x->op, y->op);
}

vs_proof *vs_proof_new(vs *s) {
    vs_proof *p = ISO_ZNEW(s->pool, vs_proof, 1);
    p->s = s;
    p->out = iso_proof_new(s->pool, s->h, s->si ? ISO_SI : ISO_SER);
    p->why = vs_why_new(s, say_fact, p);
    /* Indeterminate transactions that surely take part: somebody who does read from them. */
    for (uint32_t i = 0; i < s->n_reads; i++) {
        const vs_read *r = &s->reads[i];
        const vs_candidate *c = &s->candidates[r->first];
        if (r->end - r->first == 1 && c->op != ISO_INIT && s->part[r->vertex] == ISO_NONE &&
            s->h->txn_status[s->h->op_txn[c->op]] == ISO_INDETERMINATE) {
            say_choice(p, r->first);
            iso_proof_part(p->out, r->op, c->op);
        }
    }
    return p;
}

/* Pruning alone has refuted the history. */
void vs_proof_pruned(vs_proof *p) {
    const vs *s = p->s;
    if (s->dead_read != ISO_NONE) {
        const vs_read *r = &s->reads[s->dead_read];
        for (uint32_t c = r->first; c < r->end; c++) {
            vs_explain(p->why, p->why->out_fact[c]);
        }
        iso_proof_choice(p->out, r->op);
    } else {
        for (uint32_t i = 0; i < s->n_cycle; i++) {
            vs_explain(p->why, s->cycle[i]);
        }
        path_steps(p, s->cycle, s->n_cycle);
        iso_proof_close(p->out);
    }
}

void vs_proof_end(vs_proof *p) {
    iso_proof_lemma(p->out, NULL, 0);
    iso_proof_give(p->out, p->s->result);
}
