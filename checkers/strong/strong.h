/* `strong`: prefix consistency, snapshot isolation, serializability, lser and strict serializability of large
 * histories. This header is the map: the algorithm, its files, and the context that they share.
 *
 * A history passes through the stages of a plan (strong.c) until one of them decides it:
 *
 *   timed      few values, and transactions have times: inference and search as below, within limits, for an order in
 *              which a transaction comes before each one that started after its end. Answers satisfied or undecided,
 *              or violated by stage `reads`, whose question it asks first.
 *   execute    a serial order: executes the history transaction by transaction, and repairs the order while
 *              reads are stale. It is also an order of pc and si. Answers satisfied or undecided.
 *   reads      read consistency (INT), and from si on values that more transactions overwrote than wrote. Answers
 *              violated or undecided.
 *   keys       lser and sser of transactions of one key each: a search key by key. Answers satisfied, undecided, or
 *              violated; the stages below then show why.
 *   guess      an order of the level by the model, repaired like that of `execute`. Answers satisfied or undecided.
 *   model      the polygraph: transactions, reads and writers in dense arrays; stage `guess` builds it earlier if it
 *              needs it. Answers violated if list reads contradict each other; else undecided.
 *   direct     a short cycle that needs no inference. Answers violated or undecided.
 *   serial     pc and si: the stages below, for a serial order, within limits. Answers satisfied or undecided.
 *   rank       a topological order of the known edges. Answers violated if they have a cycle; else undecided.
 *   saturate   unit propagation of all constraints, ruling out writers of repeated values. Violated or undecided.
 *   search     CDCL modulo acyclicity over the remaining constraints. Decides every history.
 *   prove      the proof and the name of what the last two stages refuted without a cycle that justifies itself.
 *
 * Options of their names leave stages out (`serial` also `timed`); docs/strong.md
 * says what each is worth.
 *
 * Files, in the order in which a history passes through them:
 *
 *   strong.c                 the plan, the options, the stages `reads` and `model`, the descriptor
 *   execute.c                stage `execute`
 *     turns.c                  the first order (base/schedule.h: its core)
 *     execution.c              an execution of the history in a given order
 *   keys.c                   stage `keys`, by linear/
 *   model.c                  the problem in dense arrays; model.h has the equivalence with the levels
 *   order.c                  events, and the known edges between them
 *   guess.c                  stages `guess`, `timed` and `serial`
 *     replay.c                 the first order (base/schedule.h: its core)
 *   direct.c                 stage `direct`
 *   saturate.c               stages `rank` and `saturate`, which works in two ways:
 *     clocks.c                 by session clocks (rules.c)
 *     stretches.c              by bits for pairs of events, if there are too many sessions for clocks
 *     narrow.c                 both ways rule out writers of repeated values
 *   search.c                 stage `search`; `guess` and `prove` also use its walk
 *     repair.c                 the loop that repairs an order, for a walk and for an execution
 *     solver.c                 clauses over atoms, and the solver that changes the order until they are met
 *     optional.c               transactions that may be included or excluded
 *   explain.c, path.c        a cycle with its justification
 *   hints.c, proof.c         stage `prove`: the search again, over the constraints that matter
 *
 * Papers: the polygraph and its constraints are Papadimitriou's, as in Cobra and veristrong.txt (section 3); pruning by
 * reachability is algorithm 5 of veristrong.txt, here with clocks over sessions. Execution, repair and lazy constraints
 * are this project's own. */
#ifndef ISOLAB_CHECKERS_STRONG_STRONG_H
#define ISOLAB_CHECKERS_STRONG_STRONG_H

#include <string.h>

#include "checkers/checker.h"
#include "checkers/strong/hints.h"

/* The values of --option. */
typedef struct strong_options {
    bool execute, keys, guess, direct, serial, saturate; /* stages to run */
    bool always;                                         /* true: the other stages, which cannot be left out */
    const char *saturation; /* how stage `saturate` works: clocks, chains, stretches, short, or yes: by the size */
} strong_options;

/* Returns whether values are few: at least four operations for each version. Other histories are left to `execute` and
 * `search`, which are faster there. */
static inline bool iso_strong_has_few_values(const isolab_history *h) { return h->n_ops / 4 >= h->n_versions; }

static inline bool iso_strong_is(const char *value, const char *word) { return strcmp(value, word) == 0; }

/* A child plan: stages that search for an order of another level, or within limits. Its violations prove nothing, and
 * are not reported. */
typedef struct strong_child {
    const char *name;   /* with the names of its stages, the names of its phases */
    uint64_t conflicts; /* limit of stage `search`, plus one for each event */
} strong_child;

typedef struct strong {
    const isolab_history *h;
    const iso_question *question;
    const strong_options *options;
    iso_level level;           /* of the model: the requested level, or ser if a serial order is searched for first */
    bool sessions;             /* session order counts */
    const strong_child *child; /* whose stages these are; NULL: the plan of the question */
    bool timed;                /* the model has real time, too */
    bool executed;             /* execution has already searched for a serial order */
    bool consistent;           /* stage `reads` has found no violation */
    bool decided;              /* the history is violated; the other stages only show why */
    strong_part *refuted;      /* if so: the part that has no order */
    const strong_part *part;   /* from stage `rank` on: the part whose model this is; NULL: the whole history */
    iso_result *result;
    iso_pool *pool;     /* for everything that lives as long as the context */
    strong_model model; /* set by stage `model` */
    strong_order order;
    bool clocks;        /* stage `saturate` uses clocks, not stretches */
    uint32_t stretches; /* number of saturated stretches; 0: clocks were used */
    bool unproved;      /* violated, and `hints` has constraints that refute the history: `prove` makes the proof */
    strong_hints hints;
} strong;

/* The stages. Each returns a verdict, which ends the plan, or ISOLAB_UNKNOWN if it does not decide the history. */
isolab_verdict iso_strong_execute(strong *s);
isolab_verdict iso_strong_timed(strong *s);
isolab_verdict iso_strong_reads(strong *s);
isolab_verdict iso_strong_keys(strong *s);
isolab_verdict iso_strong_model(strong *s);
isolab_verdict iso_strong_guess(strong *s);
isolab_verdict iso_strong_direct(strong *s);
isolab_verdict iso_strong_serial(strong *s);
isolab_verdict iso_strong_rank(strong *s);
isolab_verdict iso_strong_saturate(strong *s);
isolab_verdict iso_strong_search(strong *s);

/* Runs the stages of the plan from this one on until one of them decides. Returns its verdict. */
isolab_verdict iso_strong_stages(strong *s, isolab_verdict (*first)(strong *));

/* Runs (a part of) a stage with a pool of its own, which is freed when it ends. Returns its verdict. */
typedef isolab_verdict strong_with_pool(strong *s, iso_pool *pool);
isolab_verdict iso_strong_with_pool(strong *s, strong_with_pool *fn);

/* Part of stage `saturate`, stretch by stretch (stretches.c). by_rank: all events in an order in which they may have
 * happened; width: limit of the events of a stretch. Adds the edges that it infers to the order, and resolves ambiguous
 * reads for which a stretch rules out all candidates except one (narrow.c). Returns false if the edges close a cycle.
 * Optional transactions are left out. */
bool iso_strong_stretches_saturate(strong *s, const uint32_t *by_rank, uint32_t width);

/* Returns the context of a child plan, for the same level or another one. The caller sets its pool. */
static inline strong iso_strong_again(const strong *s, iso_level level, const strong_child *child) {
    return (strong){.h = s->h,
                    .question = s->question,
                    .options = s->options,
                    .result = s->result,
                    .level = level,
                    .sessions = s->sessions,
                    .child = child,
                    .part = s->part};
}

/* Returns the verdict of a history that is known to be violated, if no stage shows why within its limits. */
isolab_verdict iso_strong_without_reason(strong *s);

/* Adds to the result a clausal proof and an anomaly for what a stage refuted. */
void iso_strong_prove(const strong *s);

/* A stage has refuted the history by these constraints: the verdict is certain, even if a limit is reached later. */
isolab_verdict iso_strong_refuted(strong *s, strong_hints hints);

/* If a certificate is requested, writes the commit order to the result, and the writers of ambiguous reads. by_rank:
 * the events in order. */
void iso_strong_write_order(strong *s, const uint32_t *by_rank);

#endif
