/* The queue of a search in which a step costs 0 or 1: the items of the current cost, and those of the next. */
#ifndef ISOLAB_GRAPH_LAYERS_H
#define ISOLAB_GRAPH_LAYERS_H

#include "base/assert.h"
#include "base/env.h"

/* A queue whose fields, except the pool, are all zero is empty. */
typedef struct iso_layers {
    iso_pool *pool;
    uint32_t *at[2], n[2], room[2], head;
    uint32_t cost; /* of the last item taken */
} iso_layers;

static inline void iso_layers_clear(iso_layers *l) { l->n[0] = l->n[1] = l->head = l->cost = 0; }

static inline void iso_layers_add(iso_layers *l, uint32_t item, bool costs) {
    iso_assert(item != UINT32_MAX);
    ISO_GROW(l->pool, l->at[costs], l->n[costs], l->room[costs]);
    l->at[costs][l->n[costs]++] = item;
}

/* Returns the next item; UINT32_MAX: the queue is empty. */
static inline uint32_t iso_layers_take(iso_layers *l) {
    iso_assert(l->head <= l->n[0]);
    if (l->head == l->n[0]) { /* continue with the next cost */
        uint32_t *swap = l->at[0], room = l->room[0];
        l->at[0] = l->at[1];
        l->room[0] = l->room[1];
        l->n[0] = l->n[1];
        l->at[1] = swap;
        l->room[1] = room;
        l->n[1] = l->head = 0;
        l->cost++;
    }
    return l->head < l->n[0] ? l->at[0][l->head++] : UINT32_MAX;
}

#endif
