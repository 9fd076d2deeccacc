/* The variables of a solver by their activity: how often conflicts met them lately (VSIDS).
 *
 * A binary heap, the most active variable first. It holds all variables without a value, and some that have one: what is
 * assigned is only taken out when it comes to the top, which costs less than to keep the heap exact. Activity decays by
 * letting what is added grow; before the numbers overflow all of them are scaled down.
 *
 * Belongs to its solver, which zeroes it and sets the increment to 1. O(log n) each, in place. */
#ifndef ISOLAB_GRAPH_ACTIVITY_H
#define ISOLAB_GRAPH_ACTIVITY_H

#include "base/env.h"

typedef struct iso_activity {
    double *score; /* by variable */
    double increment;
    uint32_t *heap, *place; /* place: by variable, where it is in the heap; ISO_ACTIVITY_OUT: nowhere */
    uint32_t n, n_vars;
} iso_activity;

#define ISO_ACTIVITY_OUT UINT32_MAX

/* Makes room for this number of variables. */
void iso_activity_room(iso_activity *a, iso_pool *pool, uint32_t vars);
/* The next variable (they count from 0), not yet active, enters the heap. */
void iso_activity_new(iso_activity *a);

/* Adds to the activity of a variable, wherever it is; decay makes later bumps count for more. */
void iso_activity_bump(iso_activity *a, uint32_t var, double by);
static inline void iso_activity_decay(iso_activity *a) { a->increment /= 0.95; }

static inline bool iso_activity_empty(const iso_activity *a) { return a->n == 0; }
uint32_t iso_activity_pop(iso_activity *a); /* the most active variable of the heap, which must not be empty */
void iso_activity_enter(iso_activity *a, uint32_t var);
/* Called for each literal that loses its value. */
static inline void iso_activity_insert(iso_activity *a, uint32_t var) {
    if (a->place[var] == ISO_ACTIVITY_OUT) {
        iso_activity_enter(a, var);
    }
}

#endif
