/* What the files of the checker `candidates` share: weak levels of histories in which values repeat.
 *
 *   candidates.c   the steps in order; the descriptor
 *   model.c        the writes that a read may be from
 *   guess.c        a first order, by executing the history
 *   align.c        a better one where values say little, by shifting sessions
 *   align_cost.c   what shifts cost
 *   chains.c       sequences of transactions with a known order, for clocks
 *   narrow.c       edges that hold for every choice, and the remaining writers of each read
 *   walk.c         along an order: a writer for each read, and the violated instances of the axiom
 *   causal.c       the same for cc
 *   search.c       gives the violated instances to the solver, and adds them to a proof
 *   explain.c      why a writer was ruled out, as lines of a proof
 *   cycle.c        a short cycle, for a violation that needs no choice
 *   unordered.c    int and ci, which have no order
 *
 * An order and a writer for each read together answer the question. So both are guessed first. A walk along the order
 * finds the instances of the level's axiom that do not hold. Only these are given to the solver, which finds another
 * order and other writers. This repeats until every instance holds (satisfied) or the given instances contradict each
 * other (violated). Before the search, the possible writers are narrowed down, so that the guess is nearly right and
 * the search has little to do. docs/candidates.md explains it in detail. */
#ifndef ISOLAB_CHECKERS_CANDIDATES_CANDIDATES_H
#define ISOLAB_CHECKERS_CANDIDATES_CANDIDATES_H

#include "base/assert.h"
#include "certificates/proof.h"
#include "checkers/checker.h"
#include "graph/acyclic.h"

/* A read that did not return an earlier write of its own transaction. */
typedef struct cand_read {
    uint32_t op, key, version;
    uint32_t writer;  /* the write that it is from, if that is known; ISO_INIT; ISO_MANY: not known; ISO_NONE: no write
                       * explains it */
    uint32_t settled; /* the sweep of narrowing that found the writer, from 1; 0: it was known from the start */
    uint32_t first_left; /* its remaining writers: left_op[first_left ..]; ISO_NONE: all */
    uint32_t n_left;
    bool said; /* the proof shows that its other writers were ruled out */
} cand_read;

/* An instance of the axiom: the read is from `write` (or ISO_INIT), and its transaction sees t2 by these steps, so t2
 * comes before the transaction of `write`. */
typedef struct cand_axiom {
    uint32_t t2, read, write;
    uint32_t first_step, n_steps; /* no steps: not searched for yet */
    uint32_t sweep;               /* the sweep of narrowing that found it, from 1; ISO_NONE: a walk found it */
    uint32_t next;                /* narrowing: another axiom about the same transaction; ISO_NONE: none */
    bool said;                    /* it is in the proof */
} cand_axiom;

typedef struct cand {
    iso_pool *pool; /* of this run; freed at its end */
    const isolab_history *h;
    const iso_question *question;
    iso_result *result;
    iso_level level;

    /* The model. For a transaction t, included or optional: its reads are [read_first[t], read_first[t + 1]) in program
     * order; the keys that it writes, each with its last write, are [write_first[t], write_first[t + 1]) by key. The
     * last writes of each version are [final_first[v], final_first[v + 1]), by chain and rank. */
    uint32_t *read_first, *write_first, *final_first;
    cand_read *reads;
    uint32_t *write_key, *write_op, *final_op, *left_op;
    uint32_t n_reads, n_left, left_room;

    /* The current order: the included transactions, and by transaction its place in the order, from 1; 0: none. By
     * read: the chosen write, ISO_INIT, or ISO_NONE. */
    uint32_t *order, n_order;
    uint32_t *place;
    uint32_t *chosen;
    /* During a walk: by version, its last writes so far in the order, done_op[final_first[v] ...). */
    uint32_t *done_op, *n_done;

    /* By transaction: its chain, and its rank in the chain, from 1. Each chain from n_chains on has a single optional
     * transaction. before, after: its neighbours among the included transactions of its session; ISO_NONE: none.
     * by_chain: the transactions of the order, by chain and rank. */
    uint32_t *chain, *rank, *before, *after, *by_chain;
    uint32_t n_chains, n_open;
    /* The writers of each key by chain and rank. The groups of key k are [group_first[k], group_first[k + 1]), one for
     * each chain; group g is writer[group[g] .. group[g + 1]). */
    uint32_t *writer, *group_first, *group;

    /* Rows of clocks by transaction, with a number for each chain: how many of its transactions come before this one by
     * all known edges, and by session order and reads only (cc). NULL: not computed. */
    uint32_t *known, *causal;

    cand_axiom *axioms;
    uint32_t n_axioms, axioms_room;
    uint32_t *known_before; /* by transaction: the last axiom found that puts a transaction before it; ISO_NONE: none */
    iso_proof_step *steps;
    uint32_t n_steps, steps_room;
    uint32_t sweeps; /* number of sweeps of narrowing */
    struct cand_explain *explain;
} cand;

static inline bool cand_in(const cand *c, uint32_t t) { return c->h->txn_counts[t] == ISO_INCLUDED; }

/* Returns the transaction of a write, or ISO_INIT. */
static inline uint32_t cand_txn(const cand *c, uint32_t write) {
    iso_assert(write == ISO_INIT || iso_is_write(c->h->op_kind[write]));
    return write == ISO_INIT ? ISO_INIT : c->h->op_txn[write];
}

/* Returns the place of the writer in the order; 0: the initial transaction. */
static inline uint32_t cand_place_of(const cand *c, uint32_t write) {
    return write == ISO_INIT ? 0 : c->place[c->h->op_txn[write]];
}

/* Returns whether rows of clocks show t2 before t3, or t2 is t3. t2 is not optional. */
static inline bool cand_shows(const cand *c, const uint32_t *rows, uint32_t t3, uint32_t t2) {
    iso_assert(rows != NULL && c->rank[t2] > 0);
    return rows[(size_t)t3 * c->n_chains + c->chain[t2]] >= c->rank[t2];
}

static inline void cand_join(uint32_t *restrict to, const uint32_t *restrict from, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        to[i] = to[i] > from[i] ? to[i] : from[i];
    }
}

/* candidates.c: satisfied, with the current order and choices. */
void iso_cand_give_order(const cand *c);

/* model.c */
void iso_cand_model(cand *c);
void iso_cand_sort_writers(cand *c); /* sorts final_op by chain */
bool iso_cand_writes(const cand *c, uint32_t t, uint32_t key);
/* Returns, one call after another, the writes that a read may be from: its remaining writers, or all of them. *at is 0
 * at the first call. ISO_INIT comes last. ISO_NONE: no more. */
uint32_t iso_cand_next(const cand *c, const cand_read *r, uint32_t *at);
uint32_t iso_cand_next_of_all(const cand *c, const cand_read *r, uint32_t *at);
uint32_t iso_cand_read_of(const cand *c, uint32_t op); /* returns the read of an operation */

/* guess.c: fills in `order`, with all included and optional transactions, and `place`. */
void iso_cand_guess(cand *c);

/* align.c: makes that order better. */
bool iso_cand_says_little(const cand *c); /* most reads are ambiguous, and their keys have few values */
void iso_cand_align(cand *c);

/* chains.c: builds the chains along the current order. */
void iso_cand_chains(cand *c);
/* Returns the number of transactions, of a row in one chain, whose rank is below `rank`. */
uint32_t iso_cand_below(const cand *c, const uint32_t *txns, uint32_t n, uint32_t rank);

/* search.c */
typedef struct cand_search cand_search;
cand_search *iso_cand_search_new(cand *c); /* starts with the current order */

/* Results of narrowing: the writer of a read, and an axiom (its number). */
void iso_cand_settle(cand_search *s, uint32_t read);
void iso_cand_infer(cand_search *s, uint32_t axiom);
/* Results of a walk. */
void iso_cand_miss_choice(cand_search *s, uint32_t read);           /* none of its writers is before it */
void iso_cand_miss_session(cand_search *s, uint32_t t, uint32_t u); /* both are included, and u comes first */
/* The reader sees t2, which also writes the key, by these steps, and t2 is after the chosen writer. */
void iso_cand_miss_axiom(cand_search *s, uint32_t read, uint32_t t2, const iso_proof_step *steps, uint32_t n);
uint64_t iso_cand_missed(const cand_search *s); /* number of missed requirements in all */

/* The solver's choice: whether it chooses for this read, and whether the read may be from its candidate of this
 * number. */
bool iso_cand_asked(const cand_search *s, uint32_t read);
bool iso_cand_took(const cand_search *s, uint32_t read, uint32_t candidate);

/* Searches for an order and choices that meet all given requirements, and fills in `order` and `place`. Returns false
 * if there are none; the result then says so. */
bool iso_cand_search(cand_search *s);
void iso_cand_search_tell(const cand_search *s); /* adds counters to the result */

/* narrow.c: returns false if the inferred edges contradict each other; the result then says so. */
bool iso_cand_narrow(cand *c, cand_search *s);

/* walk.c: fills in `chosen`, and gives the missed requirements to the search. */
void iso_cand_walk(cand *c, cand_search *s);
/* Returns whether the walk may choose the writer. If not, `chosen` has it. */
bool iso_cand_is_free(const cand *c, const cand_search *s, uint32_t read);
uint32_t iso_cand_fixed(const cand *c, const cand_search *s, uint32_t read);
/* Returns, among the writers before the reader, the oldest whose place is at least `least`; if there is none, the last
 * one; ISO_NONE: no writer is before the reader. */
uint32_t iso_cand_choose(const cand *c, uint32_t read, uint32_t least);
void iso_cand_done(cand *c, uint32_t t); /* the walk has passed t */

/* causal.c: does the same for the axiom of cc. */
void iso_cand_walk_causal(cand *c, cand_search *s);

/* explain.c */
/* Searches for the steps of an axiom that narrowing found. */
void iso_cand_find_steps(cand *c, cand_axiom *a);
/* Adds to the proof why the axiom's arc, or the arc from a read's writer to the read, holds. Uses only rules, and
 * claims that writers were ruled out. */
void iso_cand_say_axiom(cand *c, iso_proof *p, cand_axiom *a);
void iso_cand_say_read(cand *c, iso_proof *p, uint32_t read);
void iso_cand_claim_left(cand *c, iso_proof *p,
                         uint32_t read); /* claims that all except the remaining writers were ruled
                                                                 * out */
/* Returns the same proof with its claims proved; NULL: that took too long. */
iso_proof *iso_cand_prove_claims(cand *c, iso_proof *p);

/* cycle.c: if session order, reads that never had another writer, and the axioms between them have a cycle, the best
 * cycle becomes the anomaly. */
bool iso_cand_certain(const cand *c, const cand_axiom *a);
void iso_cand_report_cycle(cand *c);

/* unordered.c */
void iso_cand_unordered(cand *c);

#endif
