/* The clauses of a solver, and their watch lists.
 *
 * All clauses lie in one array of words, one after the other: a header of two words, then the literals, of which the
 * first two are watched. A clause is named by the index of its header, so a solver that looks at many clauses reads one
 * block of memory. Watch lists lie in another array and move to its end when they grow. Dropped clauses and moved lists
 * leave holes in both arrays, which iso_watched_collect() closes. It moves clauses, so their numbers become invalid.
 * Some clauses are explanations of a theory: they serve only as reasons, are not watched, and are removed by the next
 * collection.
 *
 * The functions that are called for each propagated literal are inline. */
#ifndef ISOLAB_GRAPH_WATCHED_H
#define ISOLAB_GRAPH_WATCHED_H

#include "graph/solver.h"

#define ISO_WATCHED_MOST ((uint32_t)1 << 31) /* clause numbers are below this: the highest bit is free for other uses */

/* Words of the header: first size << 2 | flags, then the clause's number of decision levels (LBD). */
#define ISO_WATCHED_HEADER 2
#define ISO_WATCHED_LEARNT 1u
#define ISO_WATCHED_LOOSE 2u /* removed by the next collection */

typedef struct iso_watch {
    uint32_t clause; /* with ISO_WATCHED_MOST added: a clause of two literals */
    iso_lit blocker; /* another literal of the clause: when it is true, the clause need not be visited */
} iso_watch;

typedef struct iso_watch_list {
    uint64_t first;
    uint32_t n, room;
} iso_watch_list;

/* The solver that owns it zeroes it and sets the pool. */
typedef struct iso_watched {
    iso_pool *pool;
    uint32_t *words;
    size_t n_words, words_room;
    uint32_t *learnt; /* learnt clauses, oldest first */
    uint32_t n_learnt, learnt_room;
    iso_watch_list *lists; /* by literal; visited when the literal becomes false */
    iso_watch *watches;
    uint64_t n_watches, watches_room;
} iso_watched;

static inline uint32_t iso_watched_size(const iso_watched *s, uint32_t c) { return s->words[c] >> 2; }
static inline uint32_t iso_watched_lbd(const iso_watched *s, uint32_t c) { return s->words[c + 1]; }
static inline iso_lit *iso_watched_literals(const iso_watched *s, uint32_t c) {
    return s->words + c + ISO_WATCHED_HEADER;
}
static inline void iso_watched_drop(iso_watched *s, uint32_t c) { s->words[c] |= ISO_WATCHED_LOOSE; }

/* Adds a clause without watches and returns its number. A clause with ISO_WATCHED_LEARNT joins the list of learnt
 * clauses. */
uint32_t iso_watched_add(iso_watched *s, const iso_lit *literals, uint32_t n, uint32_t flags, uint32_t lbd);

/* Makes room for the watch lists of `literals` literals in all; a new list is empty. */
void iso_watched_room(iso_watched *s, size_t literals);
static inline void iso_watched_new_literal(iso_watched *s, iso_lit l) { s->lists[l] = (iso_watch_list){0}; }

void iso_watched_grow(iso_watched *s, iso_watch_list *list); /* makes room for more watches in a full list */
static inline void iso_watch_add(iso_watched *s, iso_lit l, iso_watch w) {
    iso_watch_list *list = &s->lists[l];
    if (list->n == list->room) {
        iso_watched_grow(s, list);
    }
    s->watches[list->first + list->n++] = w;
}

/* Adds the clause to the watch lists of its first two literals. */
void iso_watched_attach(iso_watched *s, uint32_t c);

/* Removes dropped clauses from the clauses, the watch lists and the list of learnt clauses. literals: number of
 * literals of the solver. */
void iso_watched_collect(iso_watched *s, uint32_t literals);

#endif
