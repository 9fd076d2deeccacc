/* What the files of the checker `candidates` share: weak levels of histories in which values repeat.
 *
 *   candidates.c   what is asked, in which order; the descriptor
 *   model.c        which writes a read may be from
 *   guess.c        a first order, by executing the history
 *   chains.c       transactions that are known to follow each other, for clocks
 *   narrow.c       what follows whatever is chosen, and the writers that are left of each read
 *   walk.c         along an order: a writer for each read, and what the level misses then
 *   causal.c       the same for cc
 *   search.c       what was missed, for the solver, and as lines of a proof
 *   explain.c      why a writer was ruled out, as lines of a proof
 *   cycle.c        of a violation without any choice: a short cycle
 *   unordered.c    int and ci, which ask for no order
 *
 * An order and a writer for each read together answer the question. So they are guessed, a walk along the order says
 * which instances of the level's axiom do not hold, these alone are given to the solver, which finds another order and other
 * writers; and so on, until nothing is missed (satisfied) or what was given contradicts itself (violated). Before
 * that the writers that may be are narrowed down, so that the guess is nearly right and the search has little to do.
 * docs/candidates.md has more.
 */
#ifndef ISOLAB_CHECKERS_CANDIDATES_CANDIDATES_H
#define ISOLAB_CHECKERS_CANDIDATES_CANDIDATES_H

#include "certificates/proof.h"
#include "checkers/checker.h"
#include "graph/acyclic.h"

/* A read that did not return what its own transaction had written before. */
typedef struct cand_read {
    uint32_t op, key, version;
    uint32_t writer;  /* the write that it is from, where that is known; ISO_INIT; ISO_MANY: it is not; ISO_NONE: no
                            write explains it */
    uint32_t settled; /* the sweep of narrowing that found the writer, counted from 1; 0: there never was another one */
    uint32_t first_left; /* writers that are left: left_op[first_left ..]; ISO_NONE: all */
    uint32_t n_left;
    bool said; /* in the proof: others than its writer were ruled out */
} cand_read;

/* An instance of the axiom: the read is from write (or ISO_INIT), so t2, which its transaction sees by these steps, comes
 * before that one. */
typedef struct cand_axiom {
    uint32_t t2, read, write;
    uint32_t first_step, n_steps; /* none: not looked for yet */
    uint32_t sweep;               /* of narrowing that found it, from 1; ISO_NONE: found by a walk */
    uint32_t next;                /* narrowing: another one before the same transaction; ISO_NONE */
    bool said;                    /* in the proof */
} cand_axiom;

typedef struct cand {
    iso_pool *pool; /* of this run: freed when it ends */
    const isolab_history *h;
    const iso_request *request;
    iso_result *result;
    iso_level level;

    /* The model. Of transaction t, included or optional: reads [read_first[t], read_first[t + 1]) in program order;
     * the keys that it writes, each with its last write, [write_first[t], write_first[t + 1]) by key. Last writes by
     * version: [final_first[v], final_first[v + 1]), by chain and rank. */
    uint32_t *read_first, *write_first, *final_first;
    cand_read *reads;
    uint32_t *write_key, *write_op, *final_op, *left_op;
    uint32_t n_reads, n_left, left_room;

    /* The current order: included transactions, and by transaction the place in it, from 1; 0: none. By read: the
     * write chosen, ISO_INIT, or ISO_NONE. */
    uint32_t *order, n_order;
    uint32_t *place;
    uint32_t *chosen;
    /* While a walk goes on: by version, its last writes so far in the order, done_op[final_first[v] ...). */
    uint32_t *done_op, *n_done;

    /* By transaction: its chain, and the rank in it, from 1. Chains from n_chains on have one optional transaction each.
     * before, after: its neighbours among the included ones of its session; ISO_NONE. by_chain: the transactions of the
     * order by chain and rank. */
    uint32_t *chain, *rank, *before, *after, *by_chain;
    uint32_t n_chains, n_open;
    /* Writers of keys by chain and rank: those of a key have groups [group_first[k], group_first[k + 1]), one a chain, of which
     * g is writer[group[g] .. group[g + 1]). */
    uint32_t *writer, *group_first, *group;

    /* Rows of clocks by transaction, a number for each chain: how many of its transactions come before, by all that is known,
     * and by session order and reads alone (cc). NULL: not made. */
    uint32_t *known, *causal;

    cand_axiom *axioms;
    uint32_t n_axioms, axioms_room;
    uint32_t *known_before; /* by transaction: the axiom found last that puts a transaction before it; ISO_NONE */
    iso_proof_step *steps;
    uint32_t n_steps, steps_room;
    uint32_t sweeps; /* of narrowing */
    struct cand_explain *explain;
} cand;

static inline bool cand_in(const cand *c, uint32_t t) { return c->h->txn_counts[t] == ISO_IN; }

/* The transaction of a write, or ISO_INIT. */
static inline uint32_t cand_txn(const cand *c, uint32_t write) {
    return write == ISO_INIT ? ISO_INIT : c->h->op_txn[write];
}

/* The place of the writer in the order; 0: the initial transaction. */
static inline uint32_t cand_place_of(const cand *c, uint32_t write) {
    return write == ISO_INIT ? 0 : c->place[c->h->op_txn[write]];
}

/* Do rows of clocks show t2 before t3, or as t3 itself? t2 is not optional. */
static inline bool cand_shows(const cand *c, const uint32_t *rows, uint32_t t3, uint32_t t2) {
    return rows[(size_t)t3 * c->n_chains + c->chain[t2]] >= c->rank[t2];
}

static inline void cand_join(uint32_t *restrict to, const uint32_t *restrict from, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        to[i] = to[i] > from[i] ? to[i] : from[i];
    }
}

/* candidates.c: satisfied, by the current order and choices. */
void iso_cand_give_order(const cand *c);

/* model.c */
void iso_cand_model(cand *c);
void iso_cand_sort_writers(cand *c); /* final_op by chain */
bool iso_cand_writes(const cand *c, uint32_t t, uint32_t key);
/* The writes that a read may be from, one after the other, from at = 0; ISO_NONE: no more. ISO_INIT comes last. The
 * writers that are left, or all of them. */
uint32_t iso_cand_next(const cand *c, const cand_read *r, uint32_t *at);
uint32_t iso_cand_next_of_all(const cand *c, const cand_read *r, uint32_t *at);
uint32_t iso_cand_read_of(const cand *c, uint32_t op); /* the read of an operation */

/* guess.c: fills order with all included and optional transactions, and place. */
void iso_cand_guess(cand *c);

/* chains.c: along the current order. */
void iso_cand_chains(cand *c);
/* How many transactions of a row, all of one chain, have a rank below this one? */
uint32_t iso_cand_below(const cand *c, const uint32_t *txns, uint32_t n, uint32_t rank);

/* search.c */
typedef struct cand_search cand_search;
cand_search *iso_cand_search_new(cand *c); /* begins with the current order */

/* What narrowing finds: the writer of a read, an axiom (its number). */
void iso_cand_settle(cand_search *s, uint32_t read);
void iso_cand_infer(cand_search *s, uint32_t axiom);
/* What a walk finds. */
void iso_cand_miss_choice(cand_search *s, uint32_t read);           /* none of its writers is before it */
void iso_cand_miss_session(cand_search *s, uint32_t t, uint32_t u); /* both are included, and u comes first */
/* The reader sees t2, which writes the key too, by these steps, and t2 is after the writer that was chosen. */
void iso_cand_miss_axiom(cand_search *s, uint32_t read, uint32_t t2, const iso_proof_step *steps, uint32_t n);
uint64_t iso_cand_missed(const cand_search *s); /* how much, in all */

/* What the solver chose: does it choose for this read, and may it be from its candidate of this number? */
bool iso_cand_asked(const cand_search *s, uint32_t read);
bool iso_cand_took(const cand_search *s, uint32_t read, uint32_t candidate);

/* Looks for an order and choices that meet all of it; fills order and place. False: there are none, and the result says
 * so. */
bool iso_cand_search(cand_search *s);
void iso_cand_search_tell(const cand_search *s); /* counters */

/* narrow.c: false: what follows contradicts itself, and the result says so. */
bool iso_cand_narrow(cand *c, cand_search *s);

/* walk.c: fills chosen, and tells the search what is missed. */
void iso_cand_walk(cand *c, cand_search *s);
/* Is the writer for the walk to choose? Else: which one it is. */
bool iso_cand_is_free(const cand *c, const cand_search *s, uint32_t read);
uint32_t iso_cand_fixed(const cand *c, const cand_search *s, uint32_t read);
/* Of the writers before the reader the oldest one that has at least this place; else the last one; ISO_NONE: there is none. */
uint32_t iso_cand_choose(const cand *c, uint32_t read, uint32_t least);
void iso_cand_done(cand *c, uint32_t t); /* the walk goes on after t */

/* causal.c: the same for what cc asks of the chosen writers */
void iso_cand_walk_causal(cand *c, cand_search *s);

/* explain.c */
/* Looks for the steps of an axiom that narrowing found. */
void iso_cand_find_steps(cand *c, cand_axiom *a);
/* Says in the proof why the axiom's arc, or the arc of a read with its writer, holds: rules alone, and the claims which
 * writers were ruled out. */
void iso_cand_say_axiom(cand *c, iso_proof *p, cand_axiom *a);
void iso_cand_say_read(cand *c, iso_proof *p, uint32_t read);
void iso_cand_claim_left(cand *c, iso_proof *p, uint32_t read); /* that others than those left were */
/* The same proof with its claims proved; NULL: that took too long. */
iso_proof *iso_cand_prove_claims(cand *c, iso_proof *p);

/* cycle.c: session order, reads that never had another writer, and the axioms between them have a cycle: the best one becomes
 * the anomaly. */
bool iso_cand_certain(const cand *c, const cand_axiom *a);
void iso_cand_report_cycle(cand *c);

/* unordered.c */
void iso_cand_unordered(cand *c);

#endif
