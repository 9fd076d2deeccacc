/* Guesses in which order the transactions of a history took place, for between.c. Every guess contains so, wr and the
 * inferred edges.
 *
 * The longest path to a transaction grows with time in a store, and so does, negated, the longest path from it: these
 * are its earliest and its latest place, and the first guess is the middle. If they are far apart, the transaction has
 * no close predecessor or no close successor. Then its reads decide: stores mostly return what was written last, so a
 * transaction that reads comes soon after what it read from, and another one soon before its readers. */
#ifndef ISOLAB_CHECKERS_AWDIT_GUESS_H
#define ISOLAB_CHECKERS_AWDIT_GUESS_H

#include "checkers/awdit/awdit.h"

typedef struct iso_awdit_guess {
    iso_awdit *a;
    uint32_t *order, *place; /* by place: the transaction; by transaction: its place */
    uint32_t *to, *from;     /* by transaction: the length of the longest path to it, from it */
    uint32_t *when;          /* by transaction: the guess; every edge leads to a larger one */
    uint32_t n_edges;        /* inferred edges in the last guess */
    bool estimated;          /* there was a first guess */
} iso_awdit_guess;

/* The order is written to `order`. */
void iso_awdit_begin_guess(iso_awdit_guess *g, iso_awdit *a, uint32_t *order);
/* Returns false if so, wr and the inferred edges have a cycle. */
bool iso_awdit_next_guess(iso_awdit_guess *g);
void iso_awdit_end_guess(iso_awdit_guess *g);

/* Returns the included transaction before t in its session; ISO_NONE: none. */
static inline uint32_t iso_awdit_previous(const iso_awdit *a, uint32_t t) {
    uint32_t first = a->h->session_txn[a->h->txn_session[t]];
    while (t > first) {
        if (iso_awdit_in(a, --t)) {
            return t;
        }
    }
    return ISO_NONE;
}

/* Returns whether a path of so, wr and inferred edges may lead from t to u, by the lengths of paths. */
static inline bool iso_awdit_may_precede(const iso_awdit_guess *g, uint32_t t, uint32_t u) {
    return g->to[t] < g->to[u] && g->from[t] > g->from[u];
}

#endif
