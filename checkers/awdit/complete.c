/* Adds edges that the axiom requires and awdit does not infer because they follow from others: a cycle may be shorter
 * with them. For each t2 in a component of a violated history, it visits the transactions that see t2 and their other
 * reads. (For rc, for every t2: there the edges follow from others only if there is no cycle, so components may grow.)
 * For cc this is a search for each t2, so it stops after a fixed number of steps, with which small histories are
 * completed. The edges found by then are used; the result is right without the others. */
#include <string.h>

#include "checkers/awdit/witness.h"

#define STEPS ((uint64_t)1 << 25)
#define STEPS_CC ((uint64_t)1 << 18)

typedef struct completion {
    iso_awdit_witness *w;
    uint32_t *mark; /* by node: 1 + the last t2 for which it was t1 */
    uint32_t t2;
    bool everywhere; /* not only within components */
    uint64_t added;
} completion;

/* Adds the edges t2 -> t1 for the reads of t3, which sees t2. rc: only for reads after its first read from t2;
 * rc-plume: after one of another key. */
static void complete_reader(completion *c, uint32_t t3) {
    iso_awdit_witness *w = c->w;
    iso_awdit *a = w->a;
    uint32_t t2 = c->t2, met = ISO_NONE, key = ISO_NONE;
    bool any_key = a->level != ISO_RC_PLUME, any_place = iso_level_has(a->level, ISO_SEES_READ);
    for (uint32_t i = a->h->txn_op[t3]; i < a->reads_end[t3]; i++) {
        uint32_t t1 = a->source[i], to = iso_awdit_node(w, t1);
        w->steps++;
        if (t1 == t2) { /* key: the key of all reads from t2 so far; ISO_NONE: they have several keys */
            key = met == ISO_NONE || key == a->key[i] ? a->key[i] : ISO_NONE;
            met = i;
        } else if (c->mark[to] != t2 + 1 && (c->everywhere || w->component[to] == w->component[t2]) &&
                   (any_place || (met != ISO_NONE && (any_key || key != a->key[i]))) &&
                   iso_awdit_writes(a, t2, a->key[i])) {
            c->mark[to] = t2 + 1;
            iso_awdit_edge(&a->edges, t2, t1);
            c->added++;
        }
    }
}

static void from_reads(completion *c) {
    const iso_awdit_witness *w = c->w;
    const isolab_history *h = w->a->h;
    for (uint32_t i = w->graph.first[c->t2]; i < w->graph.first[c->t2 + 1]; i++) {
        if (w->graph.edge[i] >= w->n_so && w->graph.edge[i] < w->n_causal) {
            complete_reader(c, w->graph.to[i]);
        }
    }
    uint32_t end = h->session_txn[h->txn_session[c->t2] + 1];
    for (uint32_t t3 = c->t2 + 1; w->a->level == ISO_RA && t3 < end && w->steps < STEPS; t3++) {
        complete_reader(c, t3);
    }
}

static void from_paths(completion *c) {
    iso_awdit_witness *w = c->w;
    iso_awdit_begin(w, c->t2);
    for (uint32_t head = 0; head < w->n_queue && w->steps < STEPS_CC; head++) {
        if (head > 0) {
            complete_reader(c, w->queue[head]);
        }
        iso_awdit_expand(w, w->queue[head], ISO_NONE);
    }
}

bool iso_awdit_complete(iso_awdit_witness *w) {
    iso_awdit *a = w->a;
    uint32_t n = a->h->n_txns;
    completion c = {.w = w, .mark = ISO_ZNEW(a->pool, uint32_t, w->n_nodes)};
    c.everywhere = !iso_level_has(a->level, ISO_SEES_READ);
    uint8_t *many = ISO_ZNEW(a->pool, uint8_t, w->n_nodes); /* by component: 2 if it has several nodes */
    for (uint32_t v = 0; v < w->n_nodes; v++) {
        uint8_t *m = &many[w->component[v]];
        *m = *m == 0 ? 1 : 2;
    }
    uint64_t most = a->level == ISO_CC ? STEPS_CC : STEPS;
    for (c.t2 = 0; c.t2 < n && w->steps < most; c.t2++) {
        iso_tick(a->pool->env);
        if ((c.everywhere || many[w->component[c.t2]] == 2) && a->writes_first[c.t2] < a->h->txn_op[c.t2 + 1]) {
            if (a->level == ISO_CC) {
                from_paths(&c);
            } else {
                from_reads(&c);
            }
        }
    }
    iso_free(a->pool, many);
    iso_free(a->pool, c.mark);
    return c.added > 0;
}
