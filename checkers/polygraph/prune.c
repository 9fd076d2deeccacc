/* Pruning by reachability, as Cobra and PolySI do it. See polygraph.h.
 *
 * A side of a constraint is impossible if one of its edges would close a cycle of known edges; then the other side is
 * known. Repeated until no constraint is decided. For si the graph of begins and commits reaches as the induced graph
 * does (graph/acyclic.h has the proof). */
#include <string.h>

#include "checkers/polygraph/polygraph.h"

bool iso_pg_sort(iso_pg *p) {
    uint32_t steps = p->si ? p->n : 0, m = p->n_known + steps;
    uint32_t *from = ISO_NEW(p->pool, uint32_t, m), *to = ISO_NEW(p->pool, uint32_t, m);
    for (uint32_t v = 0; v < steps; v++) {
        from[v] = 2 * v;
        to[v] = 2 * v + 1;
    }
    for (uint32_t e = 0; e < p->n_known; e++) {
        from[steps + e] = iso_pg_from(p, p->known[e].from, p->known[e].rw);
        to[steps + e] = iso_pg_to(p, p->known[e].to, p->known[e].rw);
    }
    if (p->order == NULL) {
        p->order = ISO_NEW(p->pool, uint32_t, p->points);
    } else {
        iso_digraph_free(p->pool, &p->graph);
    }
    p->graph = iso_digraph_build(p->pool, p->points, from, to, m, false);
    iso_free(p->pool, from);
    iso_free(p->pool, to);
    return iso_digraph_order(&p->graph, p->pool, p->order);
}

void iso_pg_reach(iso_pg *p) {
    if (p->reach == NULL) {
        p->words = p->points / 64 + 1;
        p->reach = ISO_ZNEW(p->pool, uint64_t, (size_t)p->points * p->words);
    }
    for (uint32_t at = p->points; at-- > 0;) {
        uint32_t v = p->order[at];
        uint64_t *row = p->reach + (size_t)v * p->words;
        row[v / 64] |= (uint64_t)1 << (v % 64);
        for (uint32_t i = p->graph.first[v]; i < p->graph.first[v + 1]; i++) {
            iso_tick_steps(p->env, p->words / 1024 + 1);
            const uint64_t *other = p->reach + (size_t)p->graph.to[i] * p->words;
            for (uint32_t w = 0; w < p->words; w++) {
                row[w] |= other[w];
            }
        }
    }
}

static bool possible(const iso_pg *p, uint32_t first, uint32_t end) {
    for (uint32_t e = first; e < end; e++) {
        const iso_pg_edge *x = &p->edges[e];
        if (iso_pg_reaches(p, iso_pg_to(p, x->to, x->rw), iso_pg_from(p, x->from, x->rw))) {
            return false;
        }
    }
    return true;
}

/* One pass over the undecided constraints. Returns false if neither side of one is possible. */
static bool decide(iso_pg *p, bool *changed) {
    for (uint32_t i = 0; i < p->n_constraints; i++) {
        iso_pg_constraint *c = &p->constraints[i];
        iso_tick(p->env);
        if (c->side != PG_UNDECIDED) {
            continue;
        }
        bool forward = possible(p, c->first, c->middle), backward = possible(p, c->middle, c->end);
        if (!forward && !backward) {
            return false;
        }
        if (forward != backward) {
            c->side = forward ? PG_FORWARD : PG_BACKWARD;
            iso_pg_know(p, forward ? c->first : c->middle, forward ? c->middle : c->end);
            p->n_undecided--;
            *changed = true;
        }
    }
    return true;
}

bool iso_pg_prune(iso_pg *p) {
    uint64_t passes = 0;
    bool good = true, changed = true;
    while (good && changed) {
        iso_progress(p->env, "prune", passes++, 0);
        changed = false;
        good = iso_pg_sort(p);
        if (good) {
            iso_pg_reach(p);
            good = decide(p, &changed);
        }
    }
    iso_result_counter(p->result, "passes", passes);
    return good;
}
