/* The referee: runs several checkers on the same histories, finds disagreements, and explains them.
 *
 *   referee.c  the loop, the comparison, resuming
 *   summary.c  what was asked, answered and found, as text
 *   source.c   the sources of histories: files, their mutants, all small ones, random ones, the store
 *   mutant.c   small changes of a history
 *   steer.c    chooses random histories: with a rare pair of features, near a change of the verdict
 *   ahead.c    makes the next random histories while published programs work
 *   ask.c      asks the parties: isolab's checkers in this process, published ones by batches of processes
 *   finding.c  confirms a disagreement, shrinks it, and finds out which party is wrong and by which rule
 *   report.c   writes it as a folder that can be sent
 *   told.c     counts the reports that an earlier part of a continued run has written
 *   recorded.c reads tables of recorded verdicts, each source of which is a party
 *   files.c    the histories of a folder
 *   folder.c   the temporary folder of a run
 *
 * A run: iso_referee_run() takes histories from the sources until a batch is full; asks every party every question
 * about the batch; compares the answers about each history; copies the history of a new disagreement; and between
 * batches it confirms, shrinks, decides and reports the copied ones.
 *
 * A question is a level, with or without session order. A party answers it under its stated semantics. A published
 * party that ignores session order is asked only without it. If a party proves nothing by finding nothing (trust
 * violated), only its violations count. A party is not asked about what it does not support (repeated values,
 * lists). */
#ifndef ISOLAB_EXPERIMENTS_REFEREE_REFEREE_H
#define ISOLAB_EXPERIMENTS_REFEREE_REFEREE_H

#include "checkers/checker.h"
#include "experiments/referee/adapters.h"
#include "experiments/runner/served.h"
#include "generators/features.h"
#include "generators/random_small.h"

#define ISO_PARTIES 32
#define ISO_QUESTIONS 16
#define ISO_VERDICT_CLASSES 256
#define ISO_CAUSES 16

/* A recorded verdict about a file. */
typedef struct iso_record {
    uint32_t file; /* its place in iso_referee.files */
    iso_level level;
    iso_tool_state state;
    isolab_verdict verdict;
    double seconds; /* that it took; negative: not recorded */
    uint64_t line;  /* of its table */
} iso_record;

/* A party is one of three: a checker of isolab, a published one, or a source of recorded verdicts, which answers about
 * files alone and cannot be asked about another history. */
typedef struct iso_party {
    const char *name;           /* as the user gave it */
    const iso_checker *checker; /* in this process; iso_party_auto: the one that `auto` stands for */
    const iso_adapter *adapter; /* a published one */
    const char *table;          /* of recorded verdicts */
    const iso_record *records;  /* by file and level */
    size_t n_records;
    double seconds;   /* recorded, of the verdicts that were compared */
    uint64_t n_timed; /* how many of them have recorded seconds */
    const char *program;
    const iso_format *format;
    iso_served *served[ISO_LEVELS][2]; /* persistent programs, by level and by whether lists are asked about; NULL: not
                                 * started */
    uint32_t plain; /* traits (adapters.h) that the next history keeps, although the tool does not support them */
    uint8_t offered[ISO_QUESTIONS][ISO_TRAITS]; /* by trait: number of histories that kept it */
    size_t pack_most
        [ISO_LEVELS]; /* histories in one file: fewer after a pack was answered unlike its members; 0: no limit */
    uint64_t packed,
        unlike; /* histories answered in a pack; packs that were not called satisfied, as all members were */
    uint64_t asked, satisfied, violated, unknown, states[ISO_TOOL_STATES];
} iso_party;

typedef struct iso_referee_question {
    iso_level level;
    bool no_session_order;
    uint64_t compared, satisfied, violated, disagreed;
} iso_referee_question;

/* An answer of a party: S, V, ? (unknown), - (not asked, or does not count), C (crash), T (time), M (memory), R
 * (refused), G (unparsable: garbage). */
typedef struct iso_said {
    char sign;
    iso_anomaly_kind kind; /* of a checker of isolab: its first anomaly; ISO_A_KINDS: none */
    iso_judgement judgement;
} iso_said;

typedef enum { ISO_FROM_FILE, ISO_FROM_ALL, ISO_FROM_RANDOM, ISO_FROM_STORE, ISO_FROM_MUTANT } iso_origin_kind;
typedef struct iso_origin {
    iso_origin_kind kind;
    uint64_t number; /* of the history, from 0 */
    uint64_t seed;
    const char *file;
    uint32_t at; /* the file's place in iso_referee.files */
} iso_origin;

/* Disagreements of one kind: the same question, the same suspects (the parties that differ from `auto`, or gave no
 * verdict) with the same signs, and the same anomaly. So one frequent mistake does not hide another. A known limit of a
 * tool (adapters.h) is a separate kind. */
typedef struct iso_class {
    unsigned question;
    int plain_party; /* a published party that was given a trait that it does not support; -1: none */
    iso_trait plain_trait;
    char signs[ISO_PARTIES + 1];               /* of the suspects; `-` for the others */
    iso_anomaly_kind kind;                     /* ISO_A_KINDS: none */
    uint64_t seen, shrunk, reported, repeated; /* repeated: shrunk to a history that was already reported */
    uint64_t queued, known;                    /* that wait to be shrunk; that seem to have a cause that is known */
    uint32_t
        cause[ISO_CAUSES]; /* the features that a smallest history has in common with the one that was found: one that
                                 * lacks some of each has another cause */
    unsigned n_causes;
} iso_class;

typedef struct iso_ahead iso_ahead;

typedef struct iso_referee {
    iso_env *env;
    iso_pool *pool; /* lives as long as the run */
    iso_party party[ISO_PARTIES];
    unsigned n_parties, n_foreign;
    iso_referee_question questions[ISO_QUESTIONS];
    unsigned n_questions;

    /* the options */
    const char *out;     /* the folder of reports */
    const char *command; /* the command line, for the reports */
    uint64_t seed, count, reports, mutants, batch;
    unsigned exhaustive[3]; /* transactions, operations, keys; 0: none */
    iso_small_shape shape;  /* of random histories; txns 0: a mix of shapes */
    bool random, resume;
    int64_t run_timeout;
    int64_t tell_every; /* ns: counts and reports are told on standard error; 0: nothing is */
    uint64_t run_memory;
    unsigned at_once;
    const char *const *files;
    unsigned n_files;
    const iso_format *const *formats; /* by file; NULL, also of one of them: file_format */
    const iso_format *file_format;

    uint64_t pairs[ISO_FEATURES][ISO_FEATURES]; /* number of random histories with two features; [f][f]: with one */
    uint64_t aimed[ISO_FEATURES]
                  [ISO_FEATURES]; /* how often histories were aimed at a pair of features, the first one smaller */
    iso_ahead *ahead;             /* NULL: no history is made before it is asked about */
    uint64_t random_next;         /* the number of the next random history that is made */

    /* the outcome */
    uint64_t unreadable; /* FILEs that were skipped, also in earlier parts of a continued run */
    uint64_t before;     /* disagreements in the earlier parts of a continued run */
    uint64_t next, histories, comparisons, disagreements, not_repeatable, findings, begun_at;
    iso_class class[ISO_VERDICT_CLASSES];
    unsigned n_classes;
    uint64_t classes_left_out;
    int64_t on_findings;  /* ns spent on shrinking and deciding */
    const char **told;    /* by report in the folder when the run was continued: its class */
    uint32_t *told_cause; /* and the features of its history */
    size_t n_told;
    int64_t since;
    bool ended_early, interrupted;                 /* before all histories were asked about; by a signal */
    bool random_only;                              /* only random histories remain */
    char *temporary;                               /* a folder; NULL: not needed yet */
    int temporary_lock;                            /* the open folder, if it is in memory; else -1 */
    const char *rules[ISO_PARTIES][ISO_QUESTIONS]; /* the definition that a wrong party follows; NULL: not known */
    bool duplicates, lists;                        /* two parties support them */
} iso_referee;

/* Adds a party: the name of a checker, or `ext:NAME` of an adapter. Throws ISOLAB_E_USAGE. */
void iso_referee_party(iso_referee *r, const iso_adapters *adapters, const char *name);
/* Returns the checker that a party asks: `auto` differs from history to history. NULL: none can answer. */
const iso_checker *iso_party_checker(const iso_party *p, const isolab_history *h, const iso_question *question);
extern const iso_checker iso_party_auto;
/* Returns the histories among the operands: a folder that is no history of a folder format stands for those in it, by
 * name, at any depth. *n: their number. */
const char **iso_referee_files(iso_pool *pool, const char *const *operands, unsigned n_operands, unsigned *n);
/* Reads a table of recorded verdicts (docs/referee.md) and adds a party for each of its sources. level: that of a table
 * without this column; ISO_LEVELS: it must have it. If r->files is empty, the files of the table become the histories.
 * Throws ISOLAB_E_INPUT with the line. */
void iso_referee_recorded(iso_referee *r, const char *path, iso_level level);
/* Returns what a party recorded about a file; NULL: nothing. */
const iso_record *iso_recorded(const iso_party *p, const iso_origin *origin, iso_level level);
/* Runs until everything is done, a limit is reached or it is interrupted. Returns the number of disagreements,
 * including those of the earlier parts of a continued run. */
uint64_t iso_referee_run(iso_referee *r);
void iso_referee_summary(const iso_referee *r, FILE *out);
/* Returns whether nothing was compared, or no answer of a published party. Says which, unless out is NULL. */
bool iso_referee_silent(const iso_referee *r, FILE *out);

/* --- internal --- */
typedef bool iso_source_fn(void *arg, const isolab_history *h, const iso_origin *origin); /* return false to stop */
/* Calls fn for every history from r->next on, each in a pool that is freed after the call, unless the callback keeps
 * it: it may move the pool and leave an empty one. */
void iso_referee_source(iso_referee *r, iso_pool *pool, iso_source_fn *fn, void *arg);
isolab_history *iso_mutant(iso_pool *pool, const isolab_history *h, uint64_t seed);
/* Returns the history with one operation repeated; NULL: impossible. */
isolab_history *iso_repeated(iso_pool *pool, const isolab_history *h, uint64_t seed);
isolab_history *iso_without_op(iso_pool *pool, const isolab_history *h, uint32_t op);
/* Returns the history with another value of the key at a read; NULL: it is not a read, or its key has no other
 * value. */
isolab_history *iso_with_other_read(iso_pool *pool, const isolab_history *h, uint32_t op, uint64_t seed);
/* Makes the random history of a number, and counts its features. */
const isolab_history *iso_random_history(iso_referee *r, iso_pool *pool, iso_origin *origin);
/* Returns a random history, or a mutant of one, with the requested shapes. */
isolab_history *iso_random_candidate(const iso_referee *r, iso_pool *pool, uint64_t seed);

/* --- steer.c --- */
/* Returns the history of a seed. */
const isolab_history *iso_steered(const iso_referee *r, iso_pool *pool, uint64_t seed);
void iso_features_count(iso_referee *r, const isolab_history *h);
/* Prints how many pairs of features occurred in the random histories, of how many, and the rarest ones. */
void iso_features_say(const iso_referee *r, FILE *out);

/* --- ahead.c --- */
iso_ahead *iso_ahead_new(iso_pool *pool, size_t room);
void iso_ahead_end(iso_ahead *a); /* also of NULL */
/* Makes one history more; false: it is not the time, or there are enough. For iso_job.idle. */
bool iso_ahead_work(void *referee);
/* Returns the next random history, in the pool, which must be empty: one that was made before, or else a new one. */
const isolab_history *iso_ahead_take(iso_referee *r, iso_pool *pool, iso_origin *origin);

/* said[h * n_parties + party]. parties: the parties to ask, by bit; the others get '-'. origins: where the histories
 * are from; NULL: from nowhere, so that nothing is recorded about them. */
void iso_referee_ask(iso_referee *r, iso_pool *scratch, const isolab_history *const *h, const iso_origin *origins,
                     size_t n, const iso_referee_question *asked, uint32_t parties, iso_said *said);
/* Sets the signs of the answers about one history that count for a disagreement; the rest is `-`. Returns whether there
 * is one. */
bool iso_referee_disagree(const iso_referee *r, const iso_said *said, char signs[ISO_PARTIES + 1]);

typedef struct iso_finding {
    const iso_referee_question *asked;
    unsigned question;
    const isolab_history *h, *original;
    const iso_origin *origin;
    char signs[ISO_PARTIES + 1];
    iso_class *class;
    iso_said said[ISO_PARTIES];
    bool repeatable, minimal;
    bool recorded; /* without recorded verdicts there is no disagreement: it was neither asked again nor shrunk */
    uint64_t tests;
    const iso_checker *judge; /* the checker that decided; NULL: none could */
    iso_result truth;         /* its answer, with certificate */
    uint32_t wrong;           /* parties, by bit: their verdict differs from the decided one, or they crashed */
} iso_finding;

/* --- told.c --- */
/* Returns a class in words, with the names of the parties. */
const char *iso_class_text(const iso_referee *r, const iso_class *class, iso_pool *pool);
/* Takes the number of reports of a class in the folder, and their causes. */
void iso_referee_told(const iso_referee *r, iso_class *class);
/* Reads the classes of the reports in the folder. */
void iso_referee_read_reports(iso_referee *r);

/* Returns the class of a disagreement; NULL if there are too many. plain_party: the party that was given
 * plain_trait, which it does not support; -1: none. */
iso_class *iso_referee_class(iso_referee *r, unsigned question, const isolab_history *h, const char *signs,
                             int plain_party, iso_trait plain_trait);
/* Returns whether a history has all features of a cause of its class. */
bool iso_class_explains(const iso_class *class, uint32_t features);
void iso_class_cause(iso_class *class, uint32_t features);
uint32_t iso_finding_cause(const iso_finding *f);
/* Shrinks, decides and reports it. may_take: limit of shrinking in ns; 0 = none. */
void iso_referee_finding(iso_referee *r, iso_class *class, const isolab_history *h, const iso_origin *origin,
                         const char *signs, int64_t may_take);
/* Writes a report. Returns false if the same one exists. */
bool iso_referee_report(iso_referee *r, iso_pool *pool, iso_finding *f);
const char *iso_referee_folder(iso_referee *r); /* the temporary folder, which is made now if there is none */
void iso_referee_folder_end(iso_referee *r);
const char *iso_referee_question_text(const iso_referee_question *asked, char buffer[64]);
void iso_referee_count(iso_referee *r, unsigned party, const iso_said *said);

#endif
