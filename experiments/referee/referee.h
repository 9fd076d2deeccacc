/* The referee: runs several checkers on the same histories, finds disagreements, and explains them.
 *
 *   defaults.c what a run asks, and the options that follow from others
 *   referee.c  the loop, the comparison, resuming
 *   summary.c  what was asked, answered and found, as text
 *   source.c   the sources of histories: files, their mutants, all small ones, random ones, the store
 *   mutant.c   small changes of a history (history/draft.h)
 *   steer.c    chooses random histories: with a rare pair of features, near a change of the verdict
 *   ahead.c    makes the next random histories on a thread of its own
 *   ask.c      asks the parties (experiments/asking/party.h), and compares their answers
 *   finding.c  confirms a disagreement, shrinks it, and finds out which party is wrong and by which rule
 *   report.c   writes it as a folder that can be sent
 *   told.c     counts the reports that an earlier part of a continued run has written
 *
 * A run: iso_referee_run() takes histories from the sources until a batch is full; asks every party every question
 * about the batch; compares the answers about each history; copies the history of a new disagreement; and between
 * batches it confirms, shrinks, decides and reports the disagreements about the copied histories.
 *
 * A question is a level, with or without session order. A party answers it under its stated semantics. A published
 * party that ignores session order is asked only questions without it. Of a party whose `satisfied` proves nothing
 * (trust = violated in adapters.h), only violations count. A party is not asked about histories with features that it
 * does not support, such as repeated values or lists. */
#ifndef ISOLAB_EXPERIMENTS_REFEREE_REFEREE_H
#define ISOLAB_EXPERIMENTS_REFEREE_REFEREE_H

#include "base/random.h"
#include "checkers/checker.h"
#include "experiments/asking/recorded.h"
#include "experiments/asking/tool.h"
#include "generators/features.h"
#include "generators/random_small.h"

#define ISO_QUESTIONS 16
#define ISO_VERDICT_CLASSES 256
#define ISO_CAUSES 16

/* What is counted about the answers of a party. */
typedef struct iso_tally {
    double seconds;                             /* sum of the recorded durations of the verdicts that were compared */
    uint64_t n_timed;                           /* number of these durations */
    uint8_t offered[ISO_QUESTIONS][ISO_TRAITS]; /* by question and trait: number of histories that kept the trait */
    uint64_t asked, satisfied, violated, unknown, states[ISO_TOOL_STATES]; /* numbers of histories */
} iso_tally;

typedef struct iso_referee_question {
    iso_level level;
    bool no_session_order;
    uint64_t compared, satisfied, violated, disagreed; /* numbers of histories */
} iso_referee_question;

/* A class of disagreements: with the same question, the same suspects (the parties that differ from `auto`, or gave no
 * verdict) with the same signs, and the same anomaly. So one frequent mistake does not hide another. A history that
 * keeps a trait which its party does not support (adapters.h) is in a class of its own. */
typedef struct iso_class {
    unsigned question;
    int plain_party; /* a published party that was given a trait that it does not support; -1: none */
    iso_trait plain_trait;
    char signs[ISO_PARTIES + 1]; /* of the suspects; `-` for the others */
    iso_anomaly_kind kind;       /* ISO_A_KINDS: none */
    /* Numbers of disagreements. repeated: shrunk to a history that was already reported; queued: waiting to be shrunk;
     * known: their history has all features of a cause, so that most of them are not shrunk. */
    uint64_t seen, shrunk, reported, repeated, queued, known;
    /* Each cause: the features, as bits, that a smallest history and the history that was shrunk have in common. A
     * disagreement has another cause if its history lacks a feature of every cause. */
    uint32_t cause[ISO_CAUSES];
    unsigned n_causes;
} iso_class;

typedef struct iso_classes {
    iso_class at[ISO_VERDICT_CLASSES];
    unsigned n;
    uint64_t left_out; /* number of disagreements without a class */
} iso_classes;

/* The choices for the next histories (steer.c). */
enum { ISO_GROUP = 8 };
typedef struct iso_steering {
    iso_pool pool;                /* of the choices; the owner of this struct initialises and frees it */
    uint64_t after;               /* 1 + the number of the group whose drafts are chosen; 0: none are */
    iso_draft *chosen[ISO_GROUP]; /* the drafts of the group */
} iso_steering;

typedef struct iso_ahead iso_ahead;

typedef struct iso_referee_options {
    const char *out;     /* the folder of reports */
    const char *command; /* the command line, for the reports */
    uint64_t seed, count, reports, mutants, batch;
    unsigned exhaustive[3]; /* transactions, operations, keys; 0: none */
    iso_small_shape shape;  /* of random histories; txns 0: a mix of shapes */
    bool random, resume;
    int64_t run_timeout; /* limit of one answer, in ns; 0 = none */
    /* The same for an answer about a small history by a program that has answered before; 0 = run_timeout. */
    int64_t small_timeout;
    int64_t tell_every;  /* ns between two messages on standard error; 0: no messages */
    uint64_t run_memory; /* limit of a program, in bytes; 0 = none */
    unsigned at_once;
    iso_history_files files;
} iso_referee_options;

typedef struct iso_referee_outcome {
    uint64_t unreadable; /* number of files that were skipped, also in earlier parts of a continued run */
    uint64_t before;     /* number of disagreements in the earlier parts of a continued run */
    uint64_t next, histories, comparisons, disagreements, not_repeatable, findings, begun_at;
    int64_t since, on_findings; /* the instant of the beginning; ns spent on shrinking and deciding */
    bool ended_early;           /* before all histories were asked about */
    bool interrupted;           /* by a signal */
} iso_referee_outcome;

typedef struct iso_referee {
    iso_env *env;
    iso_pool *pool; /* lives as long as the run */
    iso_party party[ISO_PARTIES];
    iso_tally tally[ISO_PARTIES];
    unsigned n_parties, n_foreign; /* n_foreign: of published checkers */
    iso_referee_question questions[ISO_QUESTIONS];
    unsigned n_questions;
    iso_referee_options options;
    iso_referee_outcome outcome;
    iso_classes classes;
    const char *rules[ISO_PARTIES][ISO_QUESTIONS]; /* the definition that a wrong party follows; NULL: not known */

    /* random histories */
    uint64_t pairs[ISO_FEATURES][ISO_FEATURES]; /* number of random histories with two features; [f][f]: with one */
    iso_ahead *ahead;                           /* NULL: histories are made when they are taken */
    uint64_t random_next;                       /* the number of the next random history that is taken */
    iso_steering steering;                      /* used if `ahead` is NULL */
    bool random_only;                           /* only random histories remain */
    bool duplicates, lists;                     /* at least two parties support them */

    /* a continued run, and the temporary folder */
    const char **told;    /* by report of the earlier parts: its class, in words */
    uint32_t *told_cause; /* by such report: its cause */
    size_t n_told;
    char *temporary; /* NULL: not needed yet */
} iso_referee;

/* Adds a party: the name of a checker, or `ext:NAME` of an adapter. Throws ISOLAB_E_USAGE. */
void iso_referee_party(iso_referee *r, const iso_adapters *adapters, const char *name);
/* Adds the questions of a level; ISO_NO_LEVEL: of each level that two parties answer. no_session_order: also without
 * session order, which a published checker that does not count it gets, too. Throws ISOLAB_E_USAGE if fewer than two
 * parties answer. */
void iso_referee_levels(iso_referee *r, iso_level only, bool no_session_order);
/* Sets the options that are 0 by the other ones: which histories a run makes, and how many at once. timed: the run has
 * a limit of time. */
void iso_referee_defaults(iso_referee *r, bool timed);
/* Runs until all histories are compared, a limit is reached or the run is interrupted. Returns the number of
 * disagreements, also of the earlier parts of a continued run. */
uint64_t iso_referee_run(iso_referee *r);
void iso_referee_summary(const iso_referee *r, FILE *out);
void iso_referee_json(const iso_referee *r, FILE *out);
/* Returns whether no answers were compared, or none of a published party; prints which of them, unless out is NULL. */
bool iso_referee_silent(const iso_referee *r, FILE *out);

#endif
