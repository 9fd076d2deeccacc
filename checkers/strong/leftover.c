/* What a saturated stretch tells the search: its undecided constraints, which inferred edges follow from others, and
 * about when each event happened. See stretches.h. */
#include "base/clones.h"
#include "checkers/strong/stretch.h"

#include <string.h>

/* Limit of undecided constraints for each event. With more, little is known, and listing them takes more memory than it
 * saves time: then none is listed, and the search finds the constraints that its order does not meet. */
#define MOST_LEFT 4

/* For a key with very many writers: the number of nearest ones in the order of the stretch that are listed, on each
 * side. */
#define NEAR 64

/* Limit of arcs to one event that are tested for making another arc redundant. */
#define LOOK 64

/* For counting the events after each one, one row in this many is used. */
#define ASKED 4

static strong_range near(const strong_stretch *w, uint32_t v, uint32_t x, strong_range left) {
    if (w->crowd[x] == ISO_NONE) {
        return left;
    }
    uint32_t from = w->first[x], end = w->first[x + 1];
    while (from < end) {
        uint32_t middle = from + (end - from) / 2;
        if (stretch_commit(w, w->m->write_txn[w->writer[middle]]) < v) {
            from = middle + 1;
        } else {
            end = middle;
        }
    }
    left.from = from - w->first[x] > NEAR ? from - NEAR : w->first[x];
    left.end = w->first[x + 1] - from > NEAR ? from + NEAR : w->first[x + 1];
    return left;
}

static void leave(strong_stretch *w, uint32_t op, uint32_t w1, uint32_t w2) {
    strong_hints *constraints = &w->leftover->constraints;
    if (constraints->n >= MOST_LEFT * (uint64_t)w->o->n) {
        constraints->n = 0;
        w->too_many = true;
        return;
    }
    ISO_GROW(w->o->pool, constraints->at, constraints->n, constraints->room);
    constraints->at[constraints->n++] = (strong_hint){op, w1, w2};
}

/* Lists constraints with an event that is not among the first `old`, which the previous stretch also had. */
static void leave_read(strong_stretch *w, uint32_t v, uint32_t read, uint32_t old) {
    const strong_model *m = w->m;
    uint32_t slot = m->read_slot[read], to = stretch_written(w, m->write_txn[slot]);
    strong_range left = near(w, v, m->read_key[read], w->read_left[read]);
    iso_tick(w->pool.env);
    for (uint32_t i = left.from; to != ISO_NONE && i < left.end && !w->too_many; i++) {
        uint32_t w2 = w->writer[i], c2 = stretch_commit(w, m->write_txn[w2]);
        if (w2 != slot && m->write_txn[w2] != m->read_txn[read] && !stretch_before(w, c2, to) &&
            !stretch_before(w, v, c2) && (v >= old || c2 >= old || to >= old)) {
            leave(w, m->read_op[read], slot, w2);
        }
    }
}

static void leave_write(strong_stretch *w, uint32_t v, uint32_t slot, uint32_t old) {
    const strong_model *m = w->m;
    uint32_t start = stretch_start(w, m->write_txn[slot]);
    strong_range left = near(w, v, m->write_key[slot], w->write_left[slot]);
    iso_tick(w->pool.env);
    for (uint32_t i = left.from; i < left.end && !w->too_many; i++) {
        uint32_t w2 = w->writer[i], s2 = stretch_start(w, m->write_txn[w2]), c2 = stretch_commit(w, m->write_txn[w2]);
        if (w2 < slot && !stretch_before(w, c2, start) && !stretch_before(w, v, s2) && (v >= old || c2 >= old)) {
            leave(w, ISO_NONE, w2, slot);
        }
    }
}

static void leave_constraints(strong_stretch *w, uint32_t old) {
    const strong_model *m = w->m;
    for (uint32_t v = 0; v < w->n; v++) {
        uint32_t event = w->event[v], t = strong_txn(m, event);
        for (uint32_t r = m->read_first[t]; event == strong_start(m, t) && r < m->read_first[t + 1]; r++) {
            if (m->read_slot[r] != ISO_INIT) {
                leave_read(w, v, r, old);
            }
        }
        bool writes = m->level == ISO_SI && event == strong_commit(m, t);
        for (uint32_t s = m->write_first[t]; writes && s < m->write_first[t + 1]; s++) {
            leave_write(w, v, s, old);
        }
    }
}

/* Returns whether there is another arc to the same event, from an event after the start of this one. */
static bool redundant(const strong_stretch *w, uint32_t a) {
    uint32_t u = w->arc[a].from, looks = 0;
    for (uint32_t b = w->in [w->arc[a].to]; b != ISO_NONE && looks < LOOK; b = w->arc[b].next_in) {
        if (stretch_before(w, u, w->arc[b].from) || (w->arc[b].from == u && b < a)) {
            return true;
        }
        looks++;
    }
    return false;
}

static void find_redundant(strong_stretch *w) {
    strong_leftover *leftover = w->leftover;
    leftover->redundant = iso_resize(w->o->pool, leftover->redundant, w->o->n_edges, sizeof *leftover->redundant);
    if (w->o->n_edges > leftover->n_redundant) {
        memset(leftover->redundant + leftover->n_redundant, 0, w->o->n_edges - leftover->n_redundant);
        leftover->n_redundant = w->o->n_edges;
    }
    for (uint32_t a = 0; a < w->n_arcs; a++) {
        if (w->arc[a].edge != ISO_NONE && redundant(w, a)) {
            leftover->redundant[w->arc[a].edge] = 1;
        }
    }
}

ISO_VECTOR static uint32_t count_row(const uint64_t *row, uint32_t words) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < words; i++) {
        n += (uint32_t)__builtin_popcountll(row[i]);
    }
    return n;
}

/* Estimates twice the place of each event in the order, where the stretch begins at `at`: the middle between the events
 * before it and those after it. The first `old` events had a place in the previous stretch. */
static void estimate(strong_stretch *w, uint32_t at, uint32_t old) {
    iso_columns_begin(&w->after, w->words);
    for (uint32_t v = 0; v < w->n; v++) {
        const uint64_t *row = w->row + (size_t)v * w->words;
        w->before[v] = count_row(row, w->words);
        if (v % ASKED == 0) {
            iso_columns_add(&w->after, row);
        }
    }
    iso_columns_end(&w->after);
    for (uint32_t v = 0; v < w->n; v++) {
        uint32_t *when = &w->leftover->when[w->event[v]], now = 2 * at + w->n + w->before[v] - ASKED * w->after.sum[v];
        *when = v < old ? *when / 2 + now / 2 : now;
    }
}

void iso_strong_leave_over(strong_stretch *w, uint32_t at, uint32_t old) {
    leave_constraints(w, old);
    find_redundant(w);
    estimate(w, at, old);
}
