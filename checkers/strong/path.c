/* Paths of known edges, and premises of inferred edges. See hints.h. */
#include "checkers/strong/hints.h"

#include <string.h>

static void relax(void *arg, uint32_t to, uint32_t read, uint32_t edge) {
    strong_paths *s = arg;
    uint32_t cost = s->cost[s->here] + (edge != ISO_NONE);
    if (edge != ISO_NONE && edge >= s->limit) {
        return;
    }
    if (read != ISO_NONE && strong_argued(s->o->m, s->o->m->read_op[read]) > s->round) {
        return;
    }
    strong_step by = {s->here, to, read, edge};
    if (to == s->goal) {
        if (!s->goal_reached || cost < s->last_cost) {
            s->goal_reached = true;
            s->last = by;
            s->last_cost = cost;
        }
        return;
    }
    if (cost >= s->cost[to] || (s->o->row != NULL && !strong_before(s->o, to, s->goal))) {
        return;
    }
    if (s->cost[to] == UINT32_MAX) {
        ISO_GROW(s->pool, s->touched, s->n_touched, s->touched_room);
        s->touched[s->n_touched++] = to;
    }
    s->cost[to] = cost;
    s->by[to] = by;
    iso_layers_add(&s->queue, to, edge != ISO_NONE);
}

void iso_strong_paths_init(strong_paths *s, const strong_order *o, iso_pool *pool) {
    memset(s, 0, sizeof *s);
    s->round = UINT32_MAX;
    s->o = o;
    s->pool = pool;
    s->queue.pool = pool;
    s->cost = ISO_NEW_NONE(pool, o->n);
    s->by = ISO_NEW(pool, strong_step, o->n);
}

strong_path iso_strong_find_path(strong_paths *s, uint32_t from, uint32_t to, uint32_t limit) {
    s->goal = to;
    s->limit = limit;
    s->goal_reached = false;
    s->n_touched = 0;
    iso_layers_clear(&s->queue);
    s->cost[from] = 0;
    s->here = from;
    strong_each_out(s->o, from, relax, s);
    while ((s->here = iso_layers_take(&s->queue)) != ISO_NONE && (!s->goal_reached || s->last_cost > s->queue.cost)) {
        iso_tick(s->pool->env);
        if (s->cost[s->here] == s->queue.cost) {
            strong_each_out(s->o, s->here, relax, s);
        }
    }
    if (!s->goal_reached) {
        iso_throw(s->pool->env, ISOLAB_E_INTERNAL, "strong: an inferred edge has no premise");
    }
    strong_path p = {NULL, 1};
    for (uint32_t v = s->last.from; v != from; v = s->by[v].from) {
        p.n++;
    }
    p.at = ISO_NEW(s->pool, strong_step, p.n);
    strong_step at = s->last;
    for (uint32_t i = p.n; i-- > 0; at = s->by[at.from]) {
        p.at[i] = at;
        if (at.from == from) {
            break;
        }
    }
    s->cost[from] = UINT32_MAX;
    for (uint32_t i = 0; i < s->n_touched; i++) {
        s->cost[s->touched[i]] = UINT32_MAX;
    }
    return p;
}

bool iso_strong_premise(const strong_order *o, const strong_edge *e, uint32_t *from, uint32_t *to) {
    const strong_model *m = o->m;
    if (e->kind == ISO_EDGE_LIST || e->kind == ISO_EDGE_RT ||
        (e->kind == ISO_EDGE_RW && m->writer[e->op] == ISO_INIT)) {
        return false;
    }
    uint32_t t2 = m->write_txn[e->slot];
    if (e->kind == ISO_EDGE_WW) { /* start of t1 before commit of t2 */
        *from = strong_start(m, strong_txn(m, e->from));
        *to = strong_commit(m, t2);
    } else if (e->kind == ISO_EDGE_AXIOM) { /* commit of t2 before start of t3 */
        *from = strong_commit(m, t2);
        *to = strong_start(m, m->dense[m->h->op_txn[e->op]]);
    } else { /* t1 before commit of t2 */
        *from = strong_written(m, m->write_txn[m->op_slot[m->writer[e->op]]]);
        *to = strong_commit(m, t2);
    }
    return true;
}
