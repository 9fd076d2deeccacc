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
    uint32_t *last;   /* by event: the vertex of the last end of its chain up to it; ISO_NONE */
} ends;

static int by_number(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void collect_ends(ends *v, const strong_open *p, const strong_order *o, iso_pool *pool) {
    v->vertex = ISO_NEW(pool, uint32_t, o->n);
    v->last = ISO_NEW(pool, uint32_t, o->n);
    memset(v->vertex, 0xff, (size_t)o->n * sizeof *v->vertex);
    v->n = 0;
    uint32_t room = 0;
    v->guess = NULL;
    for (uint32_t e = 0; e < p->n_edges; e++) {
        uint32_t pair[2] = {p->edge[e].from, p->edge[e].to};
        for (int i = 0; i < 2 && p->edge[e].kind != ISO_EDGE_KINDS; i++) {
            if (v->vertex[pair[i]] == ISO_NONE) {
                v->vertex[pair[i]] = 0;
                ISO_GROW(pool, v->guess, v->n, room);
                v->guess[v->n++] = strong_row_sum(o, pair[i]) << 32 | pair[i];
            }
        }
    }
    if (v->n > 0) {
        qsort(v->guess, v->n, sizeof *v->guess, by_number);
    }
    for (uint32_t i = 0; i < v->n; i++) {
        v->vertex[(uint32_t)v->guess[i]] = i;
    }
    for (uint32_t c = 0, event = 0; c < o->m->k; c++) { /* events are numbered chain by chain */
        for (uint32_t last = ISO_NONE; event < o->m->first[c + 1] * o->m->per_txn; event++) {
            last = v->vertex[event] == ISO_NONE ? last : v->vertex[event];
            v->last[event] = last;
        }
    }
}

/* Permanent arcs that span what is known between ends: to each, from the last end before it in each chain, left
 * out where another one of these lies between. The latest of them is taken first, since most others are before it. */
static void add_known(const ends *v, const strong_order *o, iso_acyclic *g, iso_pool *pool) {
    const strong_model *m = o->m;
    uint32_t *from = ISO_NEW(pool, uint32_t, m->k);
    strong_count *over = ISO_NEW(pool, strong_count, o->stride); /* what is before those taken */
    for (uint32_t i = 0; i < v->n; i++) {
        iso_tick(pool->env);
        const strong_count *row = strong_row(o, (uint32_t)v->guess[i]);
        uint32_t latest = ISO_NONE;
        for (uint32_t c = 0; c < m->k; c++) {
            from[c] = row[c] == 0 ? ISO_NONE : v->last[m->first[c] * m->per_txn + row[c] - 1];
            latest = from[c] != ISO_NONE && (latest == ISO_NONE || from[c] > latest) ? from[c] : latest;
        }
        if (latest == ISO_NONE) {
            continue;
        }
        memcpy(over, strong_row(o, (uint32_t)v->guess[latest]), o->stride * sizeof *over);
        for (uint32_t c = 0; c < m->k; c++) {
            if (from[c] != ISO_NONE && over[c] <= o->at[(uint32_t)v->guess[from[c]]].place) {
                strong_row_join(over, strong_row(o, (uint32_t)v->guess[from[c]]), o->stride);
            }
        }
        for (uint32_t c = 0; c < m->k; c++) {
            if (from[c] != ISO_NONE && over[c] <= o->at[(uint32_t)v->guess[from[c]]].place) {
                iso_acyclic_arc(g, (iso_arc){from[c], i, ISO_LIT_TRUE, ISO_LIT_TRUE, 0});
            }
        }
    }
    iso_free(pool, from);
    iso_free(pool, over);
}

bool strong_search(strong_open *p, strong_order *o) {
    ends v;
    collect_ends(&v, p, o, p->pool);
    strong_solver s;
    strong_solver_init(&s, p, o->m, v.vertex, v.n);
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
        strong_solver_take(&s, o);
    }
    return open;
}
