/* A stretch that is saturated: what stretches.c and leftover.c share. */
#ifndef ISOLAB_CHECKERS_STRONG_STRETCH_H
#define ISOLAB_CHECKERS_STRONG_STRETCH_H

#include "checkers/strong/stretches.h"

/* What is still to be compared with something else: a place in the writers of a key, in the order of the stretch. Those
 * outside were dealt with for good. */
typedef struct strong_range {
    uint32_t from, end;
} strong_range;

typedef struct strong_stretch {
    strong_order *o;
    strong_model *m;
    const uint32_t *by_rank; /* all events */
    uint32_t width;          /* most events of a stretch */
    bool acyclic;
    iso_pool pool;                  /* of all stretches; leftovers are in the pool of the order */
    uint32_t n, words;              /* events in the stretch; of a row */
    uint32_t *event, *local;        /* by number in the stretch, and back: ISO_NONE: not in it */
    uint64_t *row;                  /* the events before each one */
    uint8_t *changed, *dirty;       /* its row changed since it applied its rules; something before it changed */
    uint64_t *grown, *asked, clock; /* when its row changed, and when it last took in the rows before it */
    uint32_t *in, *out;             /* by event: its first arc */
    uint32_t *arc_from, *arc_to, *arc_edge, *next_in, *next_out, n_arcs, arcs_room[5]; /* ISO_NONE: no inferred edge */
    uint32_t *order, *degree;                                                          /* a topological order */
    uint32_t *first, *writer;             /* by key: its slots in the stretch, by place of their transaction */
    strong_range *read_left, *write_left; /* by read and by slot */
    uint32_t reads;                       /* room for them */
    uint32_t *ambiguous_first, *ambiguous,
        n_ambiguous;           /* by transaction: its first ambiguous read; those in the stretch */
    uint32_t *crowd, n_crowds; /* by key: its number among the keys of very many writers; ISO_NONE */
    uint64_t *writers;         /* by crowd: the events of its writers */
    uint32_t writers_room;
    uint64_t *past;           /* what is before the last writers that were found ... */
    uint32_t *last, n_last;   /* ... which are these */
    uint32_t looked;          /* the ambiguous read that they come before; ISO_NONE */
    uint32_t *before, *after; /* by event: how many are known to be */
    uint64_t *planes;         /* of what is counted (add_row()); zero in between */
    strong_leftover *leftover;
    uint32_t here;
    bool cycle, again;
    bool too_many; /* constraints are open: none is listed */
} strong_stretch;

static inline bool stretch_has(const uint64_t *row, uint32_t u) { return row[u / 64] >> (u % 64) & 1; }
static inline bool stretch_before(const strong_stretch *w, uint32_t u, uint32_t v) {
    return stretch_has(w->row + (size_t)v * w->words, u);
}

static inline uint32_t stretch_start(const strong_stretch *w, uint32_t t) { return w->local[strong_start(w->m, t)]; }
static inline uint32_t stretch_commit(const strong_stretch *w, uint32_t t) { return w->local[strong_commit(w->m, t)]; }
static inline uint32_t stretch_written(const strong_stretch *w, uint32_t t) {
    return w->local[strong_written(w->m, t)];
}

/* Room for what iso_strong_leave_over() counts. */
#define STRETCH_PLANES 6

/* Writes down the leftovers of a saturated stretch that begins at `at` in the order; the first `old` of its events
 * were in the one before, too. */
void iso_strong_leave_over(strong_stretch *w, uint32_t at, uint32_t old);

#endif
