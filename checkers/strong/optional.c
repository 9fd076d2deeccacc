/* Optional transactions: their outcome is not known, and because values repeat, it is not known whether other
 * transactions read from them (ISO_OPTIONAL). Each has an atom that says that it is included.
 *
 * If an optional transaction is included, it precedes its session successors and all transactions that start after its
 * end, and the conditions on its list reads hold (docs/lists.md): the appends shown are of included transactions, in
 * whole blocks, in the order shown, before all other appends. Edges to it need no condition: an excluded transaction is
 * placed last, and so are its writes, which constrain nothing there. */
#include <string.h>

#include "checkers/strong/repair.h"

bool iso_strong_is_included(const strong_optional *p, uint32_t t) {
    return iso_strong_is_true(p->r, strong_inclusion(p, t));
}

void iso_strong_optional_begin(strong_optional *p, strong_repair *r, const strong_model *m, bool sessions) {
    strong_solver *s = &r->solver;
    *p = (strong_optional){.m = m, .r = r, .first = r->clauses.n_atoms};
    const isolab_history *h = m->h;
    for (uint32_t t = m->n_included; t < m->n_txns; t++) {
        iso_strong_atom(&r->clauses,
                        (strong_atom){.from = t, .op = ISO_NONE, .slot = ISO_NONE, .kind = STRONG_INCLUDED});
    }
    for (uint32_t t = m->n_included; t < m->n_txns; t++) {
        uint32_t part = strong_inclusion(p, t), number = m->txn[t], session = h->txn_session[number];
        iso_lit in = iso_lit_of(iso_strong_solver_know(s, part), false);
        uint32_t start = s->vertex[strong_start(m, t)], commit = s->vertex[strong_commit(m, t)];
        if (m->end != NULL && m->end[t] != ISO_NONE) {
            iso_acyclic_arc(s->graph, (iso_arc){commit, s->vertex[strong_start(m, m->end[t])], in, ISO_LIT_TRUE, part});
        }
        for (uint32_t u = number; sessions && u-- > h->session_txn[session];) {
            if (h->txn_counts[u] == ISO_INCLUDED) {
                uint32_t from = s->vertex[strong_commit(m, m->dense[u])];
                iso_acyclic_arc(s->graph, (iso_arc){from, start, ISO_LIT_TRUE, ISO_LIT_TRUE, 0});
                break;
            }
        }
        for (uint32_t u = number + 1; sessions && u < h->session_txn[session + 1]; u++) {
            if (m->dense[u] != ISO_NONE) {
                uint32_t to = s->vertex[strong_start(m, m->dense[u])];
                iso_acyclic_arc(s->graph, (iso_arc){commit, to, in, ISO_LIT_TRUE, part});
            }
            if (h->txn_counts[u] == ISO_INCLUDED) {
                break;
            }
        }
    }
}

/* ---- list reads ---- */

/* Adds an arc: if the reader is included, one writer of the list commits before another. */
static void list_arc(const strong_optional *p, uint32_t read, uint32_t from, uint32_t to, iso_lit in) {
    strong_solver *s = &p->r->solver;
    strong_atom edge = {.from = strong_commit(p->m, from),
                        .to = strong_written(p->m, to),
                        .op = read,
                        .slot = ISO_NONE,
                        .kind = STRONG_LABEL,
                        .edge = ISO_EDGE_LIST};
    uint32_t tag = iso_strong_atom(&p->r->clauses, edge);
    iso_acyclic_arc(s->graph, (iso_arc){s->vertex[edge.from], s->vertex[edge.to], in, ISO_LIT_TRUE, tag});
}

/* Adds arcs and clauses: if the reader is included, the transactions whose appends its list read shows are included,
 * and commit in this order, before all other writers of the list. */
static void begin_list_read(const strong_optional *p, uint32_t read, uint32_t t, uint8_t *shown) {
    const strong_model *m = p->m;
    const isolab_history *h = m->h;
    uint32_t part = strong_inclusion(p, t), before = ISO_NONE, x = h->op_key[read];
    iso_lit in = iso_lit_of(iso_strong_solver_know(&p->r->solver, part), false);
    iso_list_part shows;
    if (!iso_list_part_of(h, read, &shows)) {
        return; /* it has no writer: the clause of its choices is empty */
    }
    if (shows.torn != ISO_NONE) {
        iso_strong_one_of(p->r, part, 0, 0);
        iso_strong_proof_rule(p->r->proof, iso_proof_torn, read, shows.torn);
        return;
    }
    for (uint32_t e = 0; e < shows.length; e++) {
        uint32_t u = m->dense[h->op_txn[h->version_writer[h->list_version[shows.first + e]]]];
        if (u == before) {
            continue;
        }
        if (u >= m->n_included) {
            iso_strong_one_of(p->r, part, strong_inclusion(p, u), strong_inclusion(p, u) + 1);
            iso_strong_proof_rule(p->r->proof, iso_proof_shown, read, e);
        }
        if (before != ISO_NONE) {
            list_arc(p, read, before, u, in);
        }
        shown[u] = 1;
        before = u;
    }
    for (uint32_t i = m->key_first[x]; before != ISO_NONE && i < m->key_first[x + 1]; i++) {
        if (!shown[m->key_txn[i]] && m->key_txn[i] != t) {
            list_arc(p, read, before, m->key_txn[i], in);
        }
    }
    for (uint32_t e = 0; e < shows.length; e++) {
        shown[m->dense[h->op_txn[h->version_writer[h->list_version[shows.first + e]]]]] = 0;
    }
}

void iso_strong_optional_lists(const strong_optional *p) {
    const strong_model *m = p->m;
    const isolab_history *h = m->h;
    uint8_t *shown = ISO_ZNEW(p->r->clauses.pool, uint8_t, m->n_txns);
    for (uint32_t t = m->n_included; t < m->n_txns; t++) {
        for (uint32_t o = h->txn_op[m->txn[t]]; o < h->txn_op[m->txn[t] + 1]; o++) {
            if (h->op_kind[o] == ISO_LIST_READ) {
                begin_list_read(p, o, t, shown);
            }
        }
    }
    iso_free(p->r->clauses.pool, shown);
}

/* ---- their places in the first order ---- */

static uint32_t put(const strong_model *m, uint32_t first, const uint32_t *next, uint32_t *by_rank, uint32_t n) {
    for (uint32_t t = first; t != ISO_NONE; t = next[t]) {
        for (uint32_t e = strong_start(m, t); e <= strong_commit(m, t); e++) {
            by_rank[n++] = e;
        }
    }
    return n;
}

void iso_strong_optional_place(const strong_model *m, iso_pool *pool, uint32_t *by_rank, uint32_t n_events) {
    const isolab_history *h = m->h;
    /* By transaction: the first optional one after it in its session. At n_included: the first one without an included
     * predecessor. */
    uint32_t *after = ISO_NEW_NONE(pool, (size_t)m->n_included + 1);
    uint32_t *next = ISO_NEW(pool, uint32_t, m->n_txns), *old = ISO_NEW(pool, uint32_t, n_events), n;
    memcpy(old, by_rank, n_events * sizeof *old);
    for (uint32_t s = h->n_sessions; s-- > 0;) {
        uint32_t first = ISO_NONE, last = ISO_NONE; /* since the last included transaction */
        for (uint32_t u = h->session_txn[s + 1]; u-- > h->session_txn[s];) {
            if (h->txn_counts[u] == ISO_INCLUDED) {
                after[m->dense[u]] = first;
                first = last = ISO_NONE;
            } else if (h->txn_counts[u] == ISO_OPTIONAL) {
                last = last == ISO_NONE ? m->dense[u] : last;
                next[m->dense[u]] = first;
                first = m->dense[u];
            }
        }
        if (first != ISO_NONE) {
            next[last] = after[m->n_included];
            after[m->n_included] = first;
        }
    }
    n = put(m, after[m->n_included], next, by_rank, 0);
    for (uint32_t i = 0; i < n_events; i++) {
        uint32_t t = strong_txn(m, old[i]);
        if (t < m->n_included || t >= m->n_txns) {
            by_rank[n++] = old[i];
        }
        if (t < m->n_included && old[i] == strong_commit(m, t)) {
            n = put(m, after[t], next, by_rank, n);
        }
    }
    iso_free(pool, after);
    iso_free(pool, next);
    iso_free(pool, old);
}
