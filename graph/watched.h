/* The clauses of a solver, and the literals that watch them.
 *
 * All clauses lie in one array of words, one after the other: a header of two words, then the literals, of which the
 * first two are watched. So a clause is a number, the place of its header, and a solver that looks at many clauses
 * walks through one block of memory. Watch lists lie in another array and move to its end when they grow. What is
 * dropped leaves holes in both, which iso_watched_collect() closes: it moves clauses, so a number is of no use
 * after it. Some clauses are explanations that a theory gave: they are reasons and nothing else, not watched, and
 * the next collection takes them.
 *
 * What is called for each literal that the solver propagates is inline. */
#ifndef ISOLAB_GRAPH_WATCHED_H
#define ISOLAB_GRAPH_WATCHED_H

#include "graph/solver.h"

#define ISO_WATCHED_MOST ((uint32_t)1 << 31) /* numbers of clauses are below: the highest bit is free for other uses */

/* Words of the header: size << 2 | flags, then the clause's number of decision levels (LBD). */
#define ISO_WATCHED_HEADER 2
#define ISO_WATCHED_LEARNT 1u
#define ISO_WATCHED_LOOSE 2u /* goes with the next collection */

typedef struct iso_watch {
    uint32_t clause; /* with ISO_WATCHED_MOST added: of two literals */
    iso_lit blocker; /* another literal of it: when true, the clause needs no look */
} iso_watch;

typedef struct iso_watch_list {
    uint64_t first;
    uint32_t n, room;
} iso_watch_list;

/* Belongs to its solver, which zeroes it and sets the pool. */
typedef struct iso_watched {
    iso_pool *pool;
    uint32_t *words;
    size_t n_words, words_room;
    uint32_t *learnt; /* in the order in which they came */
    uint32_t n_learnt, learnt_room;
    iso_watch_list *lists; /* by literal; visited when it becomes false */
    iso_watch *watches;
    uint64_t n_watches, watches_room;
} iso_watched;

static inline uint32_t iso_watched_size(const iso_watched *s, uint32_t c) { return s->words[c] >> 2; }
static inline uint32_t iso_watched_lbd(const iso_watched *s, uint32_t c) { return s->words[c + 1]; }
static inline iso_lit *iso_watched_literals(const iso_watched *s, uint32_t c) {
    return s->words + c + ISO_WATCHED_HEADER;
}
static inline void iso_watched_drop(iso_watched *s, uint32_t c) { s->words[c] |= ISO_WATCHED_LOOSE; }

/* Returns the number of a new clause, which no literal watches yet. One that is ISO_WATCHED_LEARNT joins the list. */
uint32_t iso_watched_add(iso_watched *s, const iso_lit *literals, uint32_t n, uint32_t flags, uint32_t lbd);

/* Makes room for the watch lists of this number of literals; a new list is empty. */
void iso_watched_room(iso_watched *s, size_t literals);
static inline void iso_watched_new_literal(iso_watched *s, iso_lit l) { s->lists[l] = (iso_watch_list){0}; }

void iso_watched_grow(iso_watched *s, iso_watch_list *list); /* room for more watches in a full list */
static inline void iso_watch_add(iso_watched *s, iso_lit l, iso_watch w) {
    iso_watch_list *list = &s->lists[l];
    if (list->n == list->room) {
        iso_watched_grow(s, list);
    }
    s->watches[list->first + list->n++] = w;
}

/* Has the first two literals of a clause watch it. */
void iso_watched_attach(iso_watched *s, uint32_t c);

/* Removes dropped clauses from the clauses, the watches and the list of learnt clauses. literals: how many the solver has. */
void iso_watched_collect(iso_watched *s, uint32_t literals);

#endif
