/* A stretch under saturation: what stretches.c and leftover.c share. */
#ifndef ISOLAB_CHECKERS_STRONG_STRETCH_H
#define ISOLAB_CHECKERS_STRONG_STRETCH_H

#include "base/columns.h"
#include "checkers/strong/stretches.h"

/* A range that must still be compared: indices of the writers of a key, in the order of the stretch. The writers
 * outside need no further comparison. */
typedef struct strong_range {
    uint32_t from, end;
} strong_range;

/* An edge between two events of a stretch. */
typedef struct strong_arc {
    uint32_t from, to, edge;    /* edge: the inferred one; ISO_NONE: it was known before */
    uint32_t next_in, next_out; /* the next arc to the same event, and from it */
} strong_arc;

typedef struct strong_stretch {
    strong_order *o;
    strong_model *m;
    const uint32_t *by_rank; /* all events */
    uint32_t width;          /* limit of the events of a stretch */
    bool acyclic;
    iso_pool pool;                  /* for all stretches; leftovers are in the pool of the order */
    uint32_t n, words;              /* number of events in the stretch; words of a row */
    uint32_t *event, *local;        /* by number in the stretch: the event; by event: its number, or ISO_NONE */
    uint64_t *row;                  /* by event: the events before it */
    uint8_t *changed, *dirty;       /* its row changed since it applied its rules; a row before it changed */
    uint64_t *grown, *asked, clock; /* when its row changed, and when it last joined the rows before it */
    uint32_t *in, *out;             /* by event: its first arc */
    strong_arc *arc;
    uint32_t n_arcs, arcs_room;
    uint32_t *order, *degree;             /* a topological order */
    uint32_t *first, *writer;             /* by key: its slots in the stretch, by place of their transaction */
    strong_range *read_left, *write_left; /* by read and by slot */
    uint32_t reads;                       /* size of both */
    uint32_t *ambiguous_first, *ambiguous,
        n_ambiguous;           /* by transaction: its first ambiguous read; the number of those in the stretch */
    uint32_t *crowd, n_crowds; /* by key: its number among the keys with very many writers; ISO_NONE: none */
    uint64_t *writers;         /* by such key: the events of its writers */
    uint32_t writers_room;
    uint64_t *past;         /* what is before the last writers that were found */
    uint32_t *last, n_last; /* these last writers */
    uint32_t looked;        /* the ambiguous read that they precede; ISO_NONE: none */
    uint32_t *before;       /* by event: number of events known to be before it */
    iso_columns after;      /* by event: number of events known to be after it */
    strong_leftover *leftover;
    uint32_t here;
    bool cycle, again;
    bool too_many; /* there are too many undecided constraints, so none is listed */
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

/* Writes the leftovers of a saturated stretch that begins at `at` in the order; its first `old` events were also in the
 * previous stretch. */
void iso_strong_leave_over(strong_stretch *w, uint32_t at, uint32_t old);

#endif
