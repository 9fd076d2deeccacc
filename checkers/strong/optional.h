/* Optional transactions: their outcome is not known, and their values repeat, so that it is not known whether they were
 * read (ISO_OPEN). Each has an atom that says that it is included.
 *
 * If an optional transaction is included, it precedes its session successors and all transactions that start after its
 * end, and what its list reads show holds (docs/lists.md): the appends are of included transactions, in whole blocks,
 * in the order shown, before all other appends. Edges to it need no condition: an excluded transaction is placed last,
 * and so are its writes, which constrain nothing there. */
#ifndef ISOLAB_CHECKERS_STRONG_OPTIONAL_H
#define ISOLAB_CHECKERS_STRONG_OPTIONAL_H

#include "checkers/strong/repair.h"

/* What such a read shows of others: versions [first, first + length) of h->list_version. */
typedef struct strong_list_part {
    uint32_t first, length;
    uint32_t writer; /* the append that made the last of them; ISO_INIT: there is none */
    uint32_t torn;   /* an append that stands there twice, or without the others of its transaction; ISO_NONE */
} strong_list_part;

/* False: no order makes the read right, by INT. Elements must be unique. Quadratic in the
 * list: such reads are few. */
bool iso_strong_list_judge(const isolab_history *h, uint32_t read, strong_list_part *part);

typedef struct strong_optional {
    const strong_model *m;
    strong_repair *r;
    uint32_t first; /* atom of the first optional transaction, m->n_included */
} strong_optional;

static inline uint32_t strong_inclusion(const strong_optional *p, uint32_t t) {
    return p->first + (t - p->m->n_included);
}

/* Makes the atoms, the arcs that hold where a transaction is included, and the clauses of its list reads. sessions:
 * their order holds. The two are separate, since choices are numbered between them. */
void iso_strong_optional_begin(strong_optional *p, strong_repair *r, const strong_model *m, bool sessions);
void iso_strong_optional_lists(const strong_optional *p);

/* In the order that the solver ended with: is optional transaction t included? */
bool iso_strong_is_included(const strong_optional *p, uint32_t t);

/* Moves optional transactions next to the ones before them in their sessions: a replay does not know these edges,
 * and the solver would move each of them over a long way. */
void iso_strong_optional_place(const strong_model *m, iso_pool *pool, uint32_t *by_rank, uint32_t n_events);

#endif
