/* See activity.h. */
#include "graph/activity.h"

#include "base/assert.h"

#define MOST 1e100 /* when a score exceeds this, all scores are scaled down */
#define SCALE 1e-100

void iso_activity_room(iso_activity *a, iso_pool *pool, uint32_t vars) {
    a->score = iso_resize(pool, a->score, vars, sizeof *a->score);
    a->heap = iso_resize(pool, a->heap, vars, sizeof *a->heap);
    a->place = iso_resize(pool, a->place, vars, sizeof *a->place);
}

static void put(iso_activity *a, uint32_t at, uint32_t var) {
    a->heap[at] = var;
    a->place[var] = at;
}

static void up(iso_activity *a, uint32_t at) {
    iso_assert(at < a->n);
    uint32_t var = a->heap[at];
    for (uint32_t above; at > 0 && a->score[a->heap[above = (at - 1) / 2]] < a->score[var]; at = above) {
        put(a, at, a->heap[above]);
    }
    put(a, at, var);
}

static void down(iso_activity *a, uint32_t at) {
    iso_assert(at < a->n);
    uint32_t var = a->heap[at];
    for (uint32_t below; (below = 2 * at + 1) < a->n; at = below) {
        below += below + 1 < a->n && a->score[a->heap[below + 1]] > a->score[a->heap[below]];
        if (a->score[a->heap[below]] <= a->score[var]) {
            break;
        }
        put(a, at, a->heap[below]);
    }
    put(a, at, var);
}

void iso_activity_enter(iso_activity *a, uint32_t var) {
    iso_assert(var < a->n_vars && a->n < a->n_vars);
    put(a, a->n++, var);
    up(a, a->n - 1);
}

void iso_activity_new(iso_activity *a) {
    uint32_t var = a->n_vars++;
    a->score[var] = 0;
    iso_activity_enter(a, var);
}

uint32_t iso_activity_pop(iso_activity *a) {
    iso_assert(a->n > 0);
    uint32_t var = a->heap[0], last = a->heap[--a->n];
    iso_assert(a->place[var] == 0);
    a->place[var] = ISO_ACTIVITY_OUT;
    if (a->n > 0) {
        put(a, 0, last);
        down(a, 0);
    }
    return var;
}

void iso_activity_bump(iso_activity *a, uint32_t var, double by) {
    iso_assert(var < a->n_vars && by >= 0);
    a->score[var] += by * a->increment;
    if (a->score[var] > MOST) {
        for (uint32_t v = 0; v < a->n_vars; v++) {
            a->score[v] *= SCALE;
        }
        a->increment *= SCALE;
    }
    if (a->place[var] != ISO_ACTIVITY_OUT) {
        up(a, a->place[var]);
    }
}
