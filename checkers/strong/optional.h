/* Optional transactions: their outcome is not known, and because values repeat, it is not known whether other
 * transactions read from them (ISO_OPTIONAL). Each has an atom that says that it is included.
 *
 * If an optional transaction is included, it precedes its session successors and all transactions that start after its
 * end, and the conditions on its list reads hold (docs/lists.md): the appends shown are of included transactions, in
 * whole blocks, in the order shown, before all other appends. Edges to it need no condition: an excluded transaction is
 * placed last, and so are its writes, which constrain nothing there. */
#ifndef ISOLAB_CHECKERS_STRONG_OPTIONAL_H
#define ISOLAB_CHECKERS_STRONG_OPTIONAL_H

#include "checkers/strong/repair.h"

typedef struct strong_optional {
    const strong_model *m;
    strong_repair *r;
    uint32_t first; /* atom of the first optional transaction, m->n_included */
} strong_optional;

static inline uint32_t strong_inclusion(const strong_optional *p, uint32_t t) {
    return p->first + (t - p->m->n_included);
}

/* Make the atoms, the arcs that hold if a transaction is included, and the clauses of its list reads. sessions: session
 * order holds. There are two functions because choices are numbered between them. */
void iso_strong_optional_begin(strong_optional *p, strong_repair *r, const strong_model *m, bool sessions);
void iso_strong_optional_lists(const strong_optional *p);

/* Returns whether optional transaction t is included in the order with which the solver ended. */
bool iso_strong_is_included(const strong_optional *p, uint32_t t);

/* Moves optional transactions next to their session predecessors: a replay does not know these edges, and the solver
 * would have to move each transaction over a long distance. */
void iso_strong_optional_place(const strong_model *m, iso_pool *pool, uint32_t *by_rank, uint32_t n_events);

#endif
