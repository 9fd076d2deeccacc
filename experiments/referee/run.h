/* What the files of a run share. See referee.h. */
#ifndef ISOLAB_EXPERIMENTS_REFEREE_RUN_H
#define ISOLAB_EXPERIMENTS_REFEREE_RUN_H

#include "experiments/referee/referee.h"

typedef enum { ISO_FROM_FILE, ISO_FROM_ALL, ISO_FROM_RANDOM, ISO_FROM_STORE, ISO_FROM_MUTANT } iso_origin_kind;
typedef struct iso_origin {
    iso_origin_kind kind;
    uint64_t number; /* of the history, from 0 */
    uint64_t seed;
    const char *file;
    uint32_t at; /* index of the file in iso_referee.files */
} iso_origin;

typedef bool iso_source_fn(void *arg, const isolab_history *h, const iso_origin *origin); /* return false to stop */
/* Calls fn for every history from r->next on. Each is in the pool, which is freed after the call. To keep a history, fn
 * may move the content of the pool to a pool of its own and leave an empty one. */
void iso_referee_source(iso_referee *r, iso_pool *pool, iso_source_fn *fn, void *arg);
enum { ISO_MORE_OPS = 8 }; /* limit of operations that changes add to a history */
/* Returns a history with one to three small changes. */
isolab_history *iso_mutant(iso_pool *pool, const isolab_history *h, uint64_t seed);
/* Makes one to three small changes in a draft. */
void iso_mutate(iso_draft *d, uint64_t seed);
/* Repeats a random operation. Returns false if none was found that can be repeated. */
bool iso_repeat(iso_draft *d, iso_rng *rng);
/* Gives operation `op`, a read, another value. Returns false if it is no read, or if no other value was found. */
bool iso_reread(iso_draft *d, uint32_t op, iso_rng *rng);
/* Returns the random history with number origin->number, and its features as bits. Reads only the options of the run,
 * so the thread of ahead.c may call it. */
const isolab_history *iso_random_history(const iso_referee *r, iso_steering *s, iso_pool *pool, iso_origin *origin,
                                         uint32_t *features);
/* Returns a draft of a random history, or of a mutant of one, of the shapes that the run wants. */
iso_draft *iso_random_candidate(const iso_referee *r, iso_pool *pool, uint64_t seed);

/* --- steer.c --- */
/* Returns the random history of a number. */
const isolab_history *iso_steered(const iso_referee *r, iso_steering *s, iso_pool *pool, uint64_t number);
/* Counts the features of a random history in r->pairs. features: bits. */
void iso_features_count(iso_referee *r, uint32_t features);
/* Prints how many pairs of features occurred in the random histories, of how many possible pairs, and a rarest pair. */
void iso_features_say(const iso_referee *r, FILE *out);

/* --- ahead.c --- */
/* Starts a thread that makes the random histories from number r->random_next to r->count - 1 (r->count 0: without end),
 * and keeps at most `room` of them. Sets r->ahead, unless no thread can be started. */
void iso_ahead_begin(iso_referee *r, size_t room);
void iso_ahead_end(iso_ahead *a); /* NULL is ignored */
/* Returns the next random history, which is valid until iso_ahead_done(); without a thread it is made now, in the pool.
 * At most `room` histories may be taken between two calls of iso_ahead_done(). */
const isolab_history *iso_ahead_take(iso_referee *r, iso_pool *pool, iso_origin *origin);
/* Frees the histories that were taken. NULL is ignored. */
void iso_ahead_done(iso_ahead *a);

/* Asks parties about n histories. parties: the parties to ask, by bit; the others get '-'. origins: by history, NULL:
 * unknown, so that no verdict is recorded about them. The answer about history i is answers[i * n_parties + party]. */
void iso_referee_ask(iso_referee *r, iso_pool *scratch, const isolab_history *const *h, const iso_origin *origins,
                     size_t n, const iso_referee_question *asked, uint32_t parties, iso_judgement *answers);
/* Returns whether the answers about one history disagree. signs: receives by party the sign of its answer, or `-` if
 * the answer does not count; a zero byte follows. */
bool iso_referee_disagree(const iso_referee *r, const iso_judgement *answers, char signs[ISO_PARTIES + 1]);

typedef struct iso_finding {
    const iso_referee_question *asked;
    unsigned question;
    const isolab_history *h, *original;
    const iso_origin *origin;
    char signs[ISO_PARTIES + 1];
    iso_class *class;
    iso_judgement answers[ISO_PARTIES]; /* the last answers: the first ones until the parties are asked again */
    bool asked_again;                   /* the parties were asked about `original` a second time */
    bool repeatable;                    /* and gave the same answers */
    bool minimal;                       /* shrinking ended without a limit */
    bool recorded;            /* without recorded verdicts there is no disagreement; the history is not shrunk */
    uint64_t tests;           /* number of histories that were tested while it was shrunk */
    const iso_checker *judge; /* the checker that decided; NULL: none could */
    iso_result truth;         /* its answer, with certificate */
    uint32_t wrong;           /* by bit: the parties whose verdict differs from the judge's, or that crashed */
} iso_finding;

/* --- told.c --- */
/* Returns a class in words, with the names of the parties. */
const char *iso_class_text(const iso_referee *r, const iso_class *class, iso_pool *pool);
/* Sets the number of reports of a class, and its causes, from the reports of the earlier parts of a continued run. */
void iso_referee_told(const iso_referee *r, iso_class *class);
/* Reads the classes of the reports in the folder. */
void iso_referee_read_reports(iso_referee *r);

/* Returns the class of a disagreement; NULL if there are too many. plain_party: the party that was given
 * plain_trait, which it does not support; -1: none. */
iso_class *iso_referee_class(iso_referee *r, unsigned question, const isolab_history *h, const char *signs,
                             int plain_party, iso_trait plain_trait);
/* Returns whether the features, as bits, contain all features of a cause of the class. */
bool iso_class_explains(const iso_class *class, uint32_t features);
/* Adds a cause to a class, unless another cause explains it. features: bits. */
void iso_class_cause(iso_class *class, uint32_t features);
/* Returns the cause of a finding: the features, as bits, that remained while it was shrunk. */
uint32_t iso_finding_cause(const iso_finding *f);
/* Shrinks, decides and reports a disagreement. A crash that a second run did not confirm is not reported. answers:
 * the disagreeing ones, by party. may_take: limit of shrinking in ns; 0 = none. */
void iso_referee_finding(iso_referee *r, iso_class *class, const isolab_history *h, const iso_origin *origin,
                         const char *signs, const iso_judgement *answers, int64_t may_take);
/* Writes a report. Returns false if the same report exists. */
bool iso_referee_report(iso_referee *r, iso_pool *pool, iso_finding *f);
/* Returns the question in words, in the buffer. */
const char *iso_referee_question_text(const iso_referee_question *asked, char buffer[64]);
/* Adds an answer to the counts of its party. */
void iso_referee_count(iso_referee *r, unsigned party, const iso_judgement *answer);

#endif
