/* Orders the variables of a solver by activity: how often they occurred in recent conflicts (VSIDS).
 *
 * A binary heap with the most active variable first. It holds every variable without a value and some that have one: a
 * variable that is assigned leaves the heap only when it comes to the top, which costs less than an exact heap. Instead
 * of letting old activity decay, every increment is larger than the one before; all numbers are scaled down before they
 * overflow. (base/heap.h does not keep the places of items, which an increment needs.)
 *
 * The solver that owns it zeroes it and sets the increment to 1. Each function takes O(log n) and works in place. */
#ifndef ISOLAB_GRAPH_ACTIVITY_H
#define ISOLAB_GRAPH_ACTIVITY_H

#include "base/env.h"

typedef struct iso_activity {
    double *score; /* by variable */
    double increment;
    uint32_t *heap, *place; /* place: by variable, its index in the heap, or ISO_ACTIVITY_OUT */
    uint32_t n, n_vars;
} iso_activity;

#define ISO_ACTIVITY_OUT UINT32_MAX

/* Makes room for `vars` variables in all. */
void iso_activity_room(iso_activity *a, iso_pool *pool, uint32_t vars);
/* Adds the next variable to the heap, with activity 0. Variables are numbered from 0. */
void iso_activity_new(iso_activity *a);

/* Adds to the activity of a variable, in the heap or not. Decay makes later additions count for more. */
void iso_activity_bump(iso_activity *a, uint32_t var, double by);
static inline void iso_activity_decay(iso_activity *a) { a->increment /= 0.95; }

static inline bool iso_activity_empty(const iso_activity *a) { return a->n == 0; }
uint32_t iso_activity_pop(iso_activity *a); /* removes and returns the most active variable; the heap must not be
                                             * empty */
void iso_activity_enter(iso_activity *a, uint32_t var);
/* Call this for each literal that loses its value. */
static inline void iso_activity_insert(iso_activity *a, uint32_t var) {
    if (a->place[var] == ISO_ACTIVITY_OUT) {
        iso_activity_enter(a, var);
    }
}

#endif
