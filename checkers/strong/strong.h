/* `strong`: prefix consistency, snapshot isolation, serializability and strict serializability of large histories.
 * This header is the map: the algorithm, its files, and the context that they share.
 *
 * A history passes the stages of a plan (strong.c) until one of them decides it:
 *
 *   execute    a serial order: the history is executed transaction by transaction, and the order repaired where a
 *              read returned something else. It is an order of pc and si, too. Satisfied, or not decided.
 *   reads      read consistency (INT). Violated, or not decided.
 *   model      the polygraph: transactions, reads and writers in dense arrays. Violated where list reads contradict
 *              each other, or not decided.
 *   guess      an order of the level by the model, repaired like that of `execute`. Satisfied, or not decided.
 *   direct     a short cycle that needs no inference. Violated, or not decided.
 *   serial     pc and si: the stages below, for a serial order, and within limits. Satisfied, or not decided.
 *   rank       a topological order of the edges that are known. Violated: they have a cycle.
 *   saturate   unit propagation of all constraints, with writers of repeated values ruled out. Violated, or not.
 *   search     CDCL modulo acyclicity over the remaining constraints. Decides every history.
 *   prove      the proof and the name of what the last two stages refuted without a cycle that justifies itself.
 *
 * A stage that can be left out has an option of its name; docs/strong.md says what each is worth.
 *
 * Files, in the order in which a history passes them:
 *
 *   strong.c                 the plan, the options, the stages `reads` and `model`, the descriptor
 *   execute.c                stage `execute`
 *     turns.c                  the first order (schedule.h: its core)
 *     execution.c              an execution of the history in a given order
 *   model.c                  the problem in dense arrays; model.h has the equivalence with the levels
 *   order.c                  events, and the edges between them that are known
 *   guess.c                  stages `guess` and `serial`
 *     replay.c                 the first order (schedule.h: its core)
 *   direct.c                 stage `direct`
 *   saturate.c               stages `rank` and `saturate`, which has two ways:
 *     clocks.c                 by session clocks (rules.c, last.c, join.h)
 *     stretches.c, leftover.c  by bits for pairs of events (stretch.h), where there are too many sessions for clocks
 *     narrow.c                 in both, writers of repeated values are ruled out
 *   search.c                 stage `search`; its walk serves `guess` and `prove`, too
 *     repair.c                 the loop that repairs an order, for a walk and for an execution
 *     clauses.c, solver.c      clauses over atoms; the solver that changes the order until they are met
 *     optional.c               transactions that may be included or excluded
 *   explain.c, path.c        a cycle with its justification
 *   hints.c, proof.c         stage `prove`: the search once more, over the constraints that matter
 *
 * Papers: the polygraph and its constraints are Papadimitriou's, as in Cobra and veristrong.txt (section 3); pruning
 * by reachability is the latter's algorithm 5, for which clocks over sessions stand here. Execution, repair and lazy
 * constraints are this project's own. */
#ifndef ISOLAB_CHECKERS_STRONG_STRONG_H
#define ISOLAB_CHECKERS_STRONG_STRONG_H

#include "checkers/checker.h"
#include "checkers/strong/order.h"
#include "checkers/strong/stretches.h"

/* What --option says. */
typedef struct strong_options {
    enum { STRONG_CLOCKS_BY_SIZE, STRONG_CLOCKS, STRONG_STRETCHES } saturation;
    uint64_t stretch;     /* events of a stretch; UINT64_MAX: by the size of the history */
    uint64_t few_writers; /* see rules.h; UINT64_MAX: by the number of chains */
    uint32_t stay;        /* a conflict that would take back more decisions takes back the last one alone */
} strong_options;

typedef struct strong {
    const isolab_history *h;
    const iso_request *request;
    const strong_options *options;
    iso_level level; /* of the model: that of the request, or ser where a serial order is looked for first */
    bool sessions;   /* their order counts */
    bool attempt;    /* looks for an order within limits: violations prove nothing, and are not reported */
    bool executed;   /* a serial order was looked for by execution */
    iso_result *result;
    iso_pool *pool;     /* of what lives as long as the context */
    strong_model model; /* from stage `model` on */
    strong_order order;
    bool clocks;              /* stage `saturate` uses clocks, not stretches */
    strong_leftover leftover; /* from stage `saturate` on */
    bool unproved; /* violated, and `hints` have constraints that refute the history: `prove` makes the proof */
    strong_hints hints;
} strong;

/* The stages. Each returns a verdict, which ends the plan, or ISOLAB_UNKNOWN: not decided by this stage. */
isolab_verdict iso_strong_execute(strong *s);
isolab_verdict iso_strong_reads(strong *s);
isolab_verdict iso_strong_model(strong *s);
isolab_verdict iso_strong_guess(strong *s);
isolab_verdict iso_strong_direct(strong *s);
isolab_verdict iso_strong_serial(strong *s);
isolab_verdict iso_strong_rank(strong *s);
isolab_verdict iso_strong_saturate(strong *s);
isolab_verdict iso_strong_search(strong *s);

/* Adds a clausal proof and an anomaly of what a stage refuted to the result. */
void iso_strong_prove(const strong *s);

/* A stage has refuted the history, by these constraints: the verdict is certain, whatever limit is reached from here
 * on. */
isolab_verdict iso_strong_refuted(strong *s, strong_hints hints);

/* May a stage be run? Not when its option says no. */
bool iso_strong_wanted(const strong *s, const char *name);

/* Writes the commit order to the result, and the writers that reads of repeated values were given, if a certificate is
 * wanted. by_rank: the events in order. */
void iso_strong_write_order(strong *s, const uint32_t *by_rank);

#endif
