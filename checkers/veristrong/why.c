/* Why a fact holds: its premises, found only when they are needed. See veristrong.h.
 *
 * Pruning leaves facts, each found because an alternative would close a cycle with earlier facts. The path of this
 * cycle is searched for again among earlier facts, so a walk from a fact to its premises ends. Sequences of facts may
 * be long, so the walk has its own stack. Proofs (proof.c) and cycles for people (cycle.c) are two presentations of the
 * same premises. */
#include <string.h>

#include "base/bisect.h"
#include "checkers/veristrong/veristrong.h"

uint32_t iso_vs_write_of(const vs *s, uint32_t entry) {
    const isolab_history *h = s->h;
    uint32_t t = s->txn[s->entry_vertex[entry]], o = h->txn_op[t + 1] - 1;
    while (!iso_is_write(h->op_kind[o]) || h->op_key[o] != s->entry_key[entry]) {
        o--;
    }
    return o;
}

uint32_t iso_vs_entry_of(const vs *s, uint32_t key, uint32_t v) {
    return ISO_BISECT(e, s->entry_first[key], s->entry_first[key + 1] - 1, s->entry_vertex[e] < v);
}

/* Returns whether the reader is committed and only one write is possible: the verifier derives that itself. */
bool iso_vs_sure(const vs *s, const iso_vs_read *r) {
    return r->end - r->first == 1 && s->h->txn_status[s->txn[r->vertex]] == ISO_COMMITTED;
}

/* Paths among facts. */

static void need(iso_vs_why *p, iso_vs_premises *x, uint32_t fact) {
    ISO_GROW(p->s->pool, x->at, x->n, x->room);
    x->at[x->n++] = fact;
}

/* Adds the facts below `limit` on a shortest path from one point to another. */
static void need_path(iso_vs_why *p, iso_vs_premises *x, uint32_t from, uint32_t to, uint32_t limit) {
    const vs *s = p->s;
    uint32_t n = 0;
    p->stamp++;
    p->queue[n++] = from;
    p->seen[from] = p->stamp;
    for (uint32_t at = 0; at < n && p->seen[to] != p->stamp; at++) {
        uint32_t q = p->queue[at];
        if (s->si && q % 2 == 0 && p->seen[q + 1] != p->stamp) {
            p->seen[q + 1] = p->stamp;
            p->by[q + 1] = ISO_NONE;
            p->queue[n++] = q + 1;
        }
        for (uint32_t k = s->out_first[q]; k < s->out_first[q + 1] && s->out_fact[k] < limit; k++) {
            iso_tick(s->env);
            uint32_t end = iso_vs_fact_to(s, &s->facts[s->out_fact[k]]);
            if (p->seen[end] != p->stamp) {
                p->seen[end] = p->stamp;
                p->by[end] = s->out_fact[k];
                p->queue[n++] = end;
            }
        }
    }
    if (p->seen[to] != p->stamp) {
        iso_throw(s->env, ISOLAB_E_INTERNAL, "veristrong: a known path is missing");
    }
    uint32_t first = x->n;
    for (uint32_t q = to; q != from;) {
        if (p->by[q] == ISO_NONE) {
            q--;
        } else {
            need(p, x, p->by[q]);
            q = iso_vs_fact_from(s, &s->facts[p->by[q]]);
        }
    }
    for (uint32_t i = first, j = x->n; i + 1 < j; i++) {
        uint32_t t = x->at[i];
        x->at[i] = x->at[--j];
        x->at[j] = t;
    }
}

/* Adds the facts that the other candidates of the read are out. */
void iso_vs_need_choice(iso_vs_why *p, iso_vs_premises *x, uint32_t candidate) {
    const iso_vs_read *r = &p->s->reads[p->s->candidates[candidate].read];
    for (uint32_t c = r->first; c < r->end && !iso_vs_sure(p->s, r); c++) {
        if (c != candidate && p->out_fact[c] != ISO_NONE) {
            need(p, x, p->out_fact[c]);
        }
    }
}

/* Adds that the writer of entry i is before that of j: a fact, or a path whose edges will be proved. Sets *first to
 * where the path begins in x, or to x->n if there is none. */
void iso_vs_need_order(iso_vs_why *p, iso_vs_premises *x, uint32_t i, uint32_t j, uint32_t limit, uint32_t *first) {
    const vs *s = p->s;
    uint32_t fact = iso_vs_order_fact(p, i, j);
    *first = x->n;
    if (fact != ISO_NONE) {
        need(p, x, fact);
        *first = x->n;
    } else {
        need_path(p, x, iso_vs_from(s, s->entry_vertex[i], false), iso_vs_to(s, s->entry_vertex[j], false), limit);
    }
}

/* Finds the premises of a fact, in this order: the path that closes a cycle, the choice, the path of an order. */
static void find_premises(iso_vs_why *p, uint32_t f) {
    const vs *s = p->s;
    const iso_vs_fact *fact = &s->facts[f];
    iso_vs_premises *x = &p->of[f];
    uint32_t first;
    switch (fact->kind) {
    case VS_WR:
        iso_vs_need_choice(p, x, fact->a);
        break;
    case VS_WW: /* to -> from would close a cycle */
        if (fact->by_dependency) {
            need_path(p, x, iso_vs_to(s, fact->from, false), iso_vs_from(s, fact->to, false), f);
            x->n_path = x->n;
        } else {
            uint32_t reader = s->reads[s->candidates[fact->b].read].vertex;
            need_path(p, x, iso_vs_to(s, fact->from, true), iso_vs_from(s, reader, true), f);
            x->n_path = x->n;
            iso_vs_need_choice(p, x, fact->b);
        }
        break;
    case VS_RW: {
        const iso_vs_candidate *c = &s->candidates[fact->a];
        if (c->writer != VS_INIT) {
            iso_vs_need_order(p, x, c->writer, iso_vs_entry_of(s, s->reads[c->read].key, fact->to), f, &first);
            x->n_path = x->n - first;
        }
        iso_vs_need_choice(p, x, fact->a);
        break;
    }
    case VS_OUT: {
        const iso_vs_candidate *c = &s->candidates[fact->a];
        uint32_t reader = s->reads[c->read].vertex;
        if (fact->by_dependency) {
            need_path(p, x, iso_vs_to(s, reader, false), iso_vs_from(s, s->entry_vertex[c->writer], false), f);
            x->n_path = x->n;
        } else {
            need_path(p, x, iso_vs_to(s, s->entry_vertex[fact->b], true), iso_vs_from(s, reader, true), f);
            x->n_path = x->n;
            if (c->writer != VS_INIT) {
                iso_vs_need_order(p, x, c->writer, fact->b, f, &first);
            }
        }
        break;
    }
    default:
        break;
    }
}

static void push(iso_vs_why *p, uint32_t f) {
    if (p->state[f] == 0) {
        ISO_GROW(p->s->pool, p->stack, p->n_stack, p->stack_room);
        p->stack[p->n_stack++] = f;
    }
}

void iso_vs_explain(iso_vs_why *p, uint32_t fact) {
    push(p, fact);
    while (p->n_stack > 0) {
        uint32_t f = p->stack[p->n_stack - 1];
        iso_tick(p->s->env);
        if (p->state[f] == 0) {
            p->state[f] = 1;
            find_premises(p, f);
            for (uint32_t i = 0; i < p->of[f].n; i++) {
                push(p, p->of[f].at[i]);
            }
        } else {
            p->n_stack--;
            if (p->state[f] == 1) {
                p->state[f] = 2;
                p->say(p->arg, f);
            }
        }
    }
}

uint32_t iso_vs_order_fact(const iso_vs_why *p, uint32_t i, uint32_t j) {
    const vs *s = p->s;
    uint64_t hash = iso_mix2(i, j);
    uint32_t at, fact = iso_index_first(&p->orders, hash, &at);
    for (; fact != ISO_NONE; fact = iso_index_next(&p->orders, hash, &at)) {
        const iso_vs_fact *f = &s->facts[fact];
        if (f->a == s->entry_key[i] && f->from == s->entry_vertex[i] && f->to == s->entry_vertex[j]) {
            break;
        }
    }
    return fact;
}

static void index_orders(iso_vs_why *p) {
    const vs *s = p->s;
    uint32_t n = 0;
    for (uint32_t f = 0; f < s->n_facts; f++) {
        n += s->facts[f].kind == VS_WW;
    }
    iso_index_init(&p->orders, s->pool, n);
    for (uint32_t f = 0; f < s->n_facts; f++) {
        const iso_vs_fact *x = &s->facts[f];
        if (x->kind == VS_WW) {
            uint32_t i = iso_vs_entry_of(s, x->a, x->from), j = iso_vs_entry_of(s, x->a, x->to);
            if (iso_vs_order_fact(p, i, j) == ISO_NONE) {
                iso_index_add(&p->orders, iso_mix2(i, j), f);
            }
        }
    }
}

iso_vs_why *iso_vs_why_new(vs *s, void (*say)(void *arg, uint32_t fact), void *arg) {
    iso_vs_why *p = ISO_ZNEW(s->pool, iso_vs_why, 1);
    p->s = s;
    p->say = say;
    p->arg = arg;
    p->of = ISO_ZNEW(s->pool, iso_vs_premises, s->n_facts);
    p->state = ISO_ZNEW(s->pool, uint8_t, s->n_facts);
    p->queue = ISO_NEW(s->pool, uint32_t, s->points);
    p->by = ISO_NEW(s->pool, uint32_t, s->points);
    p->seen = ISO_ZNEW(s->pool, uint32_t, s->points);
    p->out_fact = ISO_NEW_NONE(s->pool, s->n_candidates);
    for (uint32_t f = 0; f < s->n_facts; f++) {
        if (s->facts[f].kind == VS_OUT) {
            p->out_fact[s->facts[f].a] = f;
        }
    }
    index_orders(p);
    iso_vs_index_facts(s);
    return p;
}
