/* The search over what is open. See strong_search.h. */
#include "checkers/strong_search.h"

#include <stdlib.h>
#include <string.h>

#include "checkers/strong_solver.h"

/* The events that open edges begin or end with, numbered by a guess of when they happened: the number of
 * events known to be before them, which is also a topological order of what is known. */
typedef struct ends {
    uint64_t *guess; /* number of predecessors and event, sorted: in the order of the vertices */
    uint32_t n;
    uint32_t *vertex; /* by event; ISO_NONE */
    uint32_t *first, *place; /* by chain: places of its ends, in order */
    uint32_t *in_chain;      /* vertex of each of those */
} ends;

static int by_number(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void collect_ends(ends *v, const strong_open *p, const strong_order *o, iso_pool *pool) {
    v->vertex = ISO_ZNEW(pool, uint32_t, o->n);
    v->n = 0;
    for (uint32_t e = 0; e < p->n_edges; e++) {
        if (p->edge[e].kind != ISO_EDGE_KINDS) {
            uint32_t pair[2] = {p->edge[e].from, p->edge[e].to};
            for (int i = 0; i < 2; i++) {
                v->n += v->vertex[pair[i]] == 0;
                v->vertex[pair[i]] = 1;
            }
        }
    }
    v->guess = ISO_NEW(pool, uint64_t, v->n);
    v->place = ISO_NEW(pool, uint32_t, v->n);
    v->in_chain = ISO_NEW(pool, uint32_t, v->n);
    v->first = ISO_ZNEW(pool, uint32_t, (size_t)o->m->k + 1);
    uint32_t n = 0;
    for (uint32_t event = 0; event < o->n; event++) { /* events are numbered chain by chain */
        if (v->vertex[event] == 0) {
            v->vertex[event] = ISO_NONE;
            continue;
        }
        v->place[n] = o->at[event].place;
        v->in_chain[n] = event;
        v->guess[n++] = strong_row_sum(o, event) << 32 | event;
        v->first[strong_chain_of(o, event) + 1]++;
    }
    qsort(v->guess, v->n, sizeof *v->guess, by_number);
    for (uint32_t i = 0; i < v->n; i++) {
        v->vertex[(uint32_t)v->guess[i]] = i;
    }
    for (uint32_t i = 0; i < v->n; i++) {
        v->in_chain[i] = v->vertex[v->in_chain[i]];
    }
    for (uint32_t c = 0; c < o->m->k; c++) {
        v->first[c + 1] += v->first[c];
    }
}

/* The vertex of the last end among the first count events of a chain; ISO_NONE. */
static uint32_t last_end(const ends *v, uint32_t chain, uint32_t count) {
    uint32_t low = v->first[chain], high = v->first[chain + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (v->place[middle] < count) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low == v->first[chain] ? ISO_NONE : v->in_chain[low - 1];
}

/* Permanent arcs that span what is known between ends: to each, from the last end before it in each chain, left
 * out where another one of these lies between. */
static void add_known(const ends *v, const strong_order *o, iso_acyclic *g, iso_pool *pool) {
    uint32_t k = o->m->k;
    uint32_t *from = ISO_NEW(pool, uint32_t, k);
    strong_count *over = ISO_NEW(pool, strong_count, o->stride);
    for (uint32_t i = 0; i < v->n; i++) {
        iso_tick(pool->env);
        const strong_count *row = strong_row(o, (uint32_t)v->guess[i]);
        memset(over, 0, o->stride * sizeof *over);
        for (uint32_t c = 0; c < k; c++) {
            from[c] = last_end(v, c, row[c]);
            if (from[c] == ISO_NONE) {
                continue;
            }
            const strong_count *before = strong_row(o, (uint32_t)v->guess[from[c]]);
            for (uint32_t d = 0; d < o->stride; d++) {
                over[d] = before[d] > over[d] ? before[d] : over[d];
            }
        }
        for (uint32_t c = 0; c < k; c++) {
            if (from[c] != ISO_NONE && over[c] <= o->at[(uint32_t)v->guess[from[c]]].place) {
                iso_acyclic_arc(g, (iso_arc){from[c], i, ISO_LIT_TRUE, ISO_LIT_TRUE, 0});
            }
        }
    }
    iso_free(pool, from);
    iso_free(pool, over);
}

bool strong_search(strong_open *p, strong_order *o, strong_model *m) {
    ends v;
    collect_ends(&v, p, o, p->pool);
    strong_solver s;
    strong_solver_init(&s, p, v.vertex, v.n);
    add_known(&v, o, s.graph, p->pool);
    uint8_t *active = ISO_ZNEW(p->pool, uint8_t, p->n_clauses); /* clauses that the solver was given */
    uint32_t *unmet = ISO_NEW(p->pool, uint32_t, p->n_clauses), n = 1;
    p->active = active;
    bool open = iso_acyclic_ready(s.graph);
    while (open && n > 0) {
        n = 0;
        for (uint32_t c = 0; c < p->n_clauses; c++) {
            if (!active[c] && strong_solver_met_by(&s, c) == ISO_NONE) {
                active[c] = 1;
                unmet[n++] = c;
            }
        }
        p->tried += n;
        open = n == 0 || strong_solver_solve(&s, unmet, n);
    }
    iso_solver_counts counts = iso_solver_counters(s.solver);
    p->conflicts = counts.conflicts;
    p->decisions = counts.decisions;
    if (open) {
        strong_solver_take(&s, o, m);
    }
    return open;
}
