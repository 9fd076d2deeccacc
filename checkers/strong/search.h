/* What saturation leaves open, and the search that decides it.
 *
 * A constraint is open when neither of its two edges is known nor impossible: a clause of two edges. A read of a
 * value that several transactions wrote is open while more than one of them may be the writer: a clause of
 * choices, each of which implies the constraints of the read. Real histories leave few of both.
 *
 * The search (graph/solver.h over graph/acyclic.h) keeps an order of the events, at first a guess of when they
 * happened, which is nearly right. Constraints are never listed: a walk along the order finds those that it does not
 * meet. These alone become clauses, the solver changes the order until they are met; then come the next ones that it
 * does not meet, until there are none.
 */
#ifndef ISOLAB_CHECKERS_STRONG_SEARCH_H
#define ISOLAB_CHECKERS_STRONG_SEARCH_H

#include "checkers/strong/hints.h"
#include "checkers/strong/strong.h"

/* Clauses over literals: 2 * (number of an edge or a choice), plus 1 where it is negated. */
typedef struct strong_open {
    iso_pool *pool;
    strong_edge *edge; /* by number; kind is ISO_EDGE_KINDS for a choice: `to` reads from slot of `from`. Without an op
                          it is that transaction `from`, which may take part, does. */
    uint32_t n_edges, edges_room;
    uint32_t *slot, mask; /* hash table over edges */
    uint32_t *literal, *clause; /* clause i is [clause[i], clause[i+1]) of literal */
    uint32_t n_clauses, clauses_room, n_literals, literals_room;
    strong_hint *why, next_why; /* by clause: its constraint (w2 ISO_NONE: a choice alone); of the next clause */
    uint32_t why_room;
    uint64_t conflicts, decisions, tried, rounds; /* of the search; clauses that the solver was given */
    struct strong_proof *proof; /* its log (proof.h); NULL: none is wanted */
    uint32_t stay; /* a conflict takes back no decisions further back than this (graph/solver.h) */
    uint64_t budget;   /* so many conflicts are enough to give up; 0: none are */
    uint64_t most_visits; /* so many events looked at where the order changes are enough to give up; 0: none are */
    uint64_t patience; /* so many constraints that the first order does not meet are few enough to go
                          on, and each further round must leave fewer; 0: any number is */
    const struct strong_hints *hints; /* ... of these constraints alone (hints.h); NULL: of all */
} strong_open;

void iso_strong_open_init(strong_open *open, iso_pool *pool, uint32_t stay);
/* Counters of the result: what was open, and what the search did. */
void iso_strong_open_count(const strong_open *open, iso_result *result);
/* Builds clauses: numbers of edges (the same edge has the same number) and of choices, literals, ends. */
uint32_t iso_strong_open_edge(strong_open *open, strong_edge edge);
uint32_t iso_strong_open_choice(strong_open *open, strong_edge choice);
void iso_strong_open_literal(strong_open *open, uint32_t literal);
void iso_strong_open_clause(strong_open *open);

/* Sets the limits of a guess (guess.h) of so many events. */
void iso_strong_open_give_up_early(strong_open *open, uint32_t events);

/* By its patience: more constraints than this that an order does not meet are too many; and is it worth a round more,
 * when so many are not met? */
uint64_t iso_strong_open_most(const strong_open *open);
bool iso_strong_open_hopeful(strong_open *open, uint32_t unmet, uint32_t events);

/* The two ways to meet the constraint that t3 reads (operation op) from slot w1, and slot w2 writes the same key:
 * a, t2 is before t1, or b, t3 is before t2. */
typedef struct strong_ways {
    strong_edge a, b;
} strong_ways;
strong_ways iso_strong_ways_of_read(const strong_model *m, uint32_t op, uint32_t t3, uint32_t w1, uint32_t w2);

/* Looks for an order of all events that meets all constraints, beginning with the order that saturation tells, or else
 * that of a replay (replay.h). Found: by_rank has the events in that order. It alone knows of transactions that may or
 * may not count. */
strong_answer iso_strong_find_order(strong *s, strong_open *open, uint32_t **by_rank);

#endif
