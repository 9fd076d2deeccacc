/* The edges of a commit relation. Many instances may say the same of two transactions: in a dense graph as a history
 * there are as many instances as triangles, and only as many edges as pairs of nodes. So before the arrays grow beyond
 * LARGE, edges that repeat another one are dropped. */
#include "base/buckets.h"
#include "checkers/plume/plume.h"

enum { SMALL = 1024, LARGE = 1 << 18 };

static void resize(iso_plume *p, iso_plume_cm *cm, uint32_t room) {
    cm->room = room;
    cm->from = iso_resize(p->pool, cm->from, room, sizeof *cm->from);
    cm->to = iso_resize(p->pool, cm->to, room, sizeof *cm->to);
    cm->why = iso_resize(p->pool, cm->why, room, sizeof *cm->why);
}

/* Keeps the first of equal edges, in the order of adding. */
static void drop_repeated(iso_plume *p, iso_plume_cm *cm) {
    uint32_t n_nodes = p->h->n_txns + 1 + cm->n_nodes, n = 0;
    iso_buckets rows = iso_buckets_new(p->pool, n_nodes);
    for (uint32_t i = 0; i < cm->n; i++) {
        iso_buckets_count(&rows, cm->from[i]);
    }
    uint32_t *edge = ISO_NEW(p->pool, uint32_t, iso_buckets_sum(&rows));
    for (uint32_t i = 0; i < cm->n; i++) {
        edge[iso_buckets_place(&rows, cm->from[i])] = i;
    }
    uint32_t *last = ISO_ZNEW(p->pool, uint32_t, n_nodes); /* 1 + the last source of an edge to the node */
    uint64_t *repeated = ISO_ZNEW(p->pool, uint64_t, (size_t)cm->n / 64 + 1);
    for (uint32_t i = 0; i < cm->n; i++) {
        uint32_t *of = &last[iso_plume_node(p, cm->to[edge[i]])], from = cm->from[edge[i]];
        if (*of == from + 1) {
            iso_plume_set(repeated, edge[i]);
        }
        *of = from + 1;
    }
    for (uint32_t i = 0; i < cm->n; i++) {
        cm->from[n] = cm->from[i];
        cm->to[n] = cm->to[i];
        cm->why[n] = cm->why[i];
        n += !iso_plume_bit(repeated, i);
    }
    cm->n = n;
    iso_free(p->pool, rows.first);
    iso_free(p->pool, edge);
    iso_free(p->pool, last);
    iso_free(p->pool, repeated);
}

/* Doubles the room, unless half of it was taken by repeated edges: so each edge is looked at a few times only. */
static void make_room(iso_plume *p, iso_plume_cm *cm) {
    if (cm->room >= LARGE) {
        drop_repeated(p, cm);
        if (cm->n < cm->room / 2) {
            return;
        }
    }
    if (cm->room >= ISO_ID_MAX / 2) {
        iso_throw(p->pool->env, ISOLAB_E_LIMIT, "more than %u edges of the commit relation", ISO_ID_MAX / 2);
    }
    resize(p, cm, cm->room < SMALL ? SMALL : 2 * cm->room);
}

void iso_plume_add_edge(iso_plume *p, iso_plume_cm *cm, uint32_t t2, uint32_t t1, uint32_t why) {
    if (cm->n == cm->room) {
        make_room(p, cm);
    }
    cm->from[cm->n] = t2;
    cm->to[cm->n] = t1;
    cm->why[cm->n++] = why;
    cm->into_initial |= t1 == ISO_INIT;
}
