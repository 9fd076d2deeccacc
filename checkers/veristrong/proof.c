/* Proofs that a hyper-polygraph has no acyclic compatible graph. See veristrong.h and certificates/proof.h.
 *
 * A fact is proved only when the proof needs it, after its premises (why.c). The solver adds a cycle for every conflict
 * and every explanation of the theory, and its learnt clauses as lemmas. */
#include <string.h>

#include "certificates/proof.h"
#include "checkers/veristrong/veristrong.h"

struct iso_vs_proof {
    vs *s;
    iso_proof *out;
    iso_vs_why *why;
    int *lemma;
    uint32_t lemma_room;
    iso_vs_premises final;
};

static uint32_t point(const vs *s, uint32_t p) { return s->si ? 2 * s->txn[p / 2] + p % 2 : s->txn[p]; }

/* Literals and lines in terms of the graph. */

static int before(iso_vs_proof *p, uint32_t from, uint32_t to) {
    return iso_proof_before(p->out, point(p->s, from), point(p->s, to));
}

static int dependency(iso_vs_proof *p, uint32_t u, uint32_t v) {
    return before(p, iso_vs_from(p->s, u, false), iso_vs_to(p->s, v, false));
}

static void step(iso_vs_proof *p, uint32_t from, uint32_t to) {
    iso_proof_cycle(p->out, point(p->s, from));
    iso_proof_cycle(p->out, point(p->s, to));
}

static void rw_line(iso_vs_proof *p, uint32_t candidate, uint32_t over) {
    const vs *s = p->s;
    const iso_vs_candidate *c = &s->candidates[candidate];
    const iso_vs_read *r = &s->reads[c->read];
    iso_proof_rw(p->out, r->op, c->op, iso_vs_write_of(s, iso_vs_entry_of(s, r->key, over)));
}

/* si: the two writers cannot both come before each other (for ser one atom has both directions). */
static void one_way(iso_vs_proof *p, uint32_t u, uint32_t v) {
    if (p->s->si) {
        step(p, 2 * u + 1, 2 * v);
        step(p, 2 * v + 1, 2 * u);
        iso_proof_close(p->out);
    }
}

static void path_steps(iso_vs_proof *p, const uint32_t *facts, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        step(p, iso_vs_fact_from(p->s, &p->s->facts[facts[i]]), iso_vs_fact_to(p->s, &p->s->facts[facts[i]]));
    }
}

static void say_choice(iso_vs_proof *p, uint32_t candidate) {
    const iso_vs_read *r = &p->s->reads[p->s->candidates[candidate].read];
    if (!iso_vs_sure(p->s, r)) {
        iso_proof_choice(p->out, r->op);
    }
}

/* Adds lines that refute the opposite of `u before v`, given a path of facts (or the order itself). */
static void say_order(iso_vs_proof *p, uint32_t u, uint32_t v, const uint32_t *path, uint32_t n) {
    if (n > 0) {
        path_steps(p, path, n);
        step(p, iso_vs_from(p->s, v, false), iso_vs_to(p->s, u, false));
        iso_proof_close(p->out);
    } else {
        one_way(p, u, v);
    }
}

/* Adds the lines of a fact whose premises are proved. After them, its order follows by unit propagation. */
static void say_fact(void *arg, uint32_t f) {
    iso_vs_proof *p = arg;
    const vs *s = p->s;
    const iso_vs_fact *fact = &s->facts[f];
    const iso_vs_premises *x = &p->why->of[f];
    switch (fact->kind) {
    case VS_SO:
        iso_proof_so(p->out, s->txn[fact->from], s->txn[fact->to]);
        break;
    case VS_WR:
        say_choice(p, fact->a);
        iso_proof_wr(p->out, s->reads[s->candidates[fact->a].read].op, s->candidates[fact->a].op);
        break;
    case VS_WW: {
        uint32_t i = iso_vs_entry_of(s, fact->a, fact->from), j = iso_vs_entry_of(s, fact->a, fact->to);
        iso_proof_ww(p->out, iso_vs_write_of(s, i), iso_vs_write_of(s, j));
        path_steps(p, x->at, x->n_path);
        if (fact->by_dependency) {
            step(p, iso_vs_from(s, fact->to, false), iso_vs_to(s, fact->from, false));
        } else {
            uint32_t reader = s->reads[s->candidates[fact->b].read].vertex;
            step(p, iso_vs_from(s, reader, true), iso_vs_to(s, fact->from, true));
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
        const iso_vs_candidate *c = &s->candidates[fact->a];
        say_choice(p, fact->a);
        rw_line(p, fact->a, fact->to);
        if (c->writer != VS_INIT) {
            uint32_t first = x->n_path == 0 ? 0 : x->n_path;
            say_order(p, s->entry_vertex[c->writer], fact->to, x->at, first);
        }
        break;
    }
    case VS_OUT: {
        const iso_vs_candidate *c = &s->candidates[fact->a];
        const iso_vs_read *r = &s->reads[c->read];
        path_steps(p, x->at, x->n_path);
        if (fact->by_dependency) {
            step(p, iso_vs_from(s, s->entry_vertex[c->writer], false), iso_vs_to(s, r->vertex, false));
            iso_proof_close(p->out);
            iso_proof_wr(p->out, r->op, c->op);
        } else {
            uint32_t over = s->entry_vertex[fact->b];
            step(p, iso_vs_from(s, r->vertex, true), iso_vs_to(s, over, true));
            iso_proof_close(p->out);
            rw_line(p, fact->a, over);
            if (c->writer != VS_INIT) {
                bool path = iso_vs_order_fact(p->why, c->writer, fact->b) == ISO_NONE;
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

static void prove_all(iso_vs_proof *p, const iso_vs_premises *x) {
    for (uint32_t i = 0; i < x->n; i++) {
        iso_vs_explain(p->why, x->at[i]);
    }
}

/* The search. */

static void prove_choice(iso_vs_proof *p, uint32_t candidate) {
    p->final.n = 0;
    iso_vs_need_choice(p->why, &p->final, candidate);
    prove_all(p, &p->final);
    say_choice(p, candidate);
}

static void prove_order(iso_vs_proof *p, uint32_t i, uint32_t j) {
    uint32_t first;
    p->final.n = 0;
    iso_vs_need_order(p->why, &p->final, i, j, p->s->n_facts, &first);
    prove_all(p, &p->final);
    say_order(p, p->s->entry_vertex[i], p->s->entry_vertex[j], p->final.at + first, p->final.n - first);
}

/* Adds lines for an arc of the solver's graph, so that its literals force the order of its points. */
static void say_arc(iso_vs_proof *p, const iso_arc *a) {
    const vs *s = p->s;
    uint32_t kind = a->tag >> 29, id = a->tag & ((1u << 29) - 1);
    uint32_t from = s->si ? a->from / 2 : a->from, to = s->si ? a->to / 2 : a->to;
    switch (kind) {
    case VS_FACT:
        iso_vs_explain(p->why, id);
        break;
    case VS_SO:
        iso_proof_so(p->out, s->txn[from], s->txn[to]);
        break;
    case VS_WR:
        iso_proof_wr(p->out, s->reads[s->candidates[id].read].op, s->candidates[id].op);
        break;
    case VS_WW: {
        iso_vs_entry_pair pair = s->var_entry[id - s->first_order_var];
        iso_proof_ww(p->out, iso_vs_write_of(s, pair.i), iso_vs_write_of(s, pair.j));
        break;
    }
    case VS_RW: {
        const iso_vs_candidate *c = &s->candidates[id];
        if (c->known) {
            prove_choice(p, id);
        }
        rw_line(p, id, to);
        if (c->writer != VS_INIT) {
            uint32_t over = iso_vs_entry_of(s, s->reads[c->read].key, to);
            if (iso_vs_known_before(s, c->writer, over)) {
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

void iso_vs_proof_cycle(iso_vs_proof *p, const iso_acyclic *g, const uint32_t *arcs, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        iso_arc a = iso_acyclic_get(g, arcs[i]);
        say_arc(p, &a);
    }
    for (uint32_t i = 0; i < n; i++) {
        step(p, iso_acyclic_get(g, arcs[i]).from, iso_acyclic_get(g, arcs[i]).to);
    }
    iso_proof_close(p->out);
}

static int literal(iso_vs_proof *p, iso_lit l) {
    const vs *s = p->s;
    uint32_t var = iso_lit_var(l);
    int positive;
    if (s->var_what[var].kind == VS_WW) {
        iso_vs_entry_pair pair = s->var_entry[var - s->first_order_var];
        positive = dependency(p, s->entry_vertex[pair.i], s->entry_vertex[pair.j]);
    } else if (s->var_what[var].kind == VS_WR) {
        const iso_vs_candidate *c = &s->candidates[s->var_what[var].id];
        positive = iso_proof_took(p->out, s->reads[c->read].op, c->op);
    } else {
        positive = iso_proof_in(p->out, s->txn[s->var_what[var].id]);
    }
    return l & 1 ? -positive : positive;
}

void iso_vs_proof_learnt(iso_vs_proof *p, const iso_lit *literals, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        ISO_GROW(p->s->pool, p->lemma, i, p->lemma_room);
        p->lemma[i] = literal(p, literals[i]);
    }
    iso_proof_lemma(p->out, p->lemma, n);
}

/* Adds lines for the clauses that the encoding gives to the solver. */
void iso_vs_proof_read(iso_vs_proof *p, uint32_t read) {
    const vs *s = p->s;
    const iso_vs_read *r = &s->reads[read];
    for (uint32_t c = r->first; c < r->end; c++) {
        if (s->candidates[c].out) {
            iso_vs_explain(p->why, p->why->out_fact[c]);
        }
    }
    if (!iso_vs_sure(s, r)) {
        iso_proof_choice(p->out, r->op);
    }
    for (uint32_t c = r->first; c < r->end; c++) {
        const iso_vs_candidate *x = &s->candidates[c];
        if (!x->out && x->writer != VS_INIT && s->part[s->entry_vertex[x->writer]] != ISO_NONE) {
            iso_proof_part(p->out, r->op, x->op);
        }
    }
}

void iso_vs_proof_one(iso_vs_proof *p, uint32_t a, uint32_t b) {
    const iso_vs_candidate *x = &p->s->candidates[a], *y = &p->s->candidates[b];
    iso_proof_one(p->out, p->s->reads[x->read].op, x->op, y->op);
}

iso_vs_proof *iso_vs_proof_new(vs *s) {
    iso_vs_proof *p = ISO_ZNEW(s->pool, iso_vs_proof, 1);
    p->s = s;
    p->out = iso_proof_new(s->pool, s->h, s->si ? ISO_SI : ISO_SER);
    p->why = iso_vs_why_new(s, say_fact, p);
    /* indeterminate transactions that are certainly included, since an included one reads from them */
    for (uint32_t i = 0; i < s->n_reads; i++) {
        const iso_vs_read *r = &s->reads[i];
        const iso_vs_candidate *c = &s->candidates[r->first];
        if (r->end - r->first == 1 && c->op != ISO_INIT && s->part[r->vertex] == ISO_NONE &&
            s->h->txn_status[s->h->op_txn[c->op]] == ISO_INDETERMINATE) {
            say_choice(p, r->first);
            iso_proof_part(p->out, r->op, c->op);
        }
    }
    return p;
}

/* Adds the proof for a history that pruning alone has refuted. */
void iso_vs_proof_pruned(iso_vs_proof *p) {
    const vs *s = p->s;
    if (s->dead_read != ISO_NONE) {
        const iso_vs_read *r = &s->reads[s->dead_read];
        for (uint32_t c = r->first; c < r->end; c++) {
            iso_vs_explain(p->why, p->why->out_fact[c]);
        }
        iso_proof_choice(p->out, r->op);
    } else {
        for (uint32_t i = 0; i < s->n_cycle; i++) {
            iso_vs_explain(p->why, s->cycle[i]);
        }
        path_steps(p, s->cycle, s->n_cycle);
        iso_proof_close(p->out);
    }
}

void iso_vs_proof_end(iso_vs_proof *p) {
    iso_proof_lemma(p->out, NULL, 0);
    iso_proof_give(p->out, p->s->result);
    iso_proof_anomaly(p->out, p->s->result);
}
