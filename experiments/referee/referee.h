/* The referee: runs several checkers on the same histories, finds disagreements, and explains them.
 *
 *   referee.c  the loop, the comparison, resuming
 *   summary.c  what was asked, answered and found, as text
 *   source.c   the sources of histories: files, their mutants, all small ones, random ones, the store
 *   mutant.c   small changes of a history (history/draft.h)
 *   steer.c    chooses random histories: with a rare pair of features, near a change of the verdict
 *   ahead.c    makes the next random histories on a thread of its own
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
    uint32_t file; /* index in iso_referee.files */
    iso_level level;
    iso_tool_state state;
    isolab_verdict verdict;
    double seconds; /* duration of the check; negative: not recorded */
    uint64_t line;  /* of the table that has it */
} iso_record;

/* A party is a checker of isolab, a published checker, or a source of recorded verdicts, which answers only about the
 * files of its table. */
typedef struct iso_party {
    const char *name; /* as the user gave it */
    /* Of the next three, one is not NULL. */
    const iso_checker *checker; /* runs in this process; iso_party_auto: the checker that `auto` chooses */
    const iso_adapter *adapter; /* of a published checker */
    const char *table;          /* the file of recorded verdicts */
    const iso_record *records;  /* sorted by file and level */
    size_t n_records;
    double seconds;             /* sum of the recorded durations of the verdicts that were compared */
    uint64_t n_timed;           /* number of these durations */
    iso_adapter_reader *reader; /* of its answers; NULL: none came yet */
    const char *program;
    const iso_format *format;
    bool has_folder; /* the temporary folder has the folder of its files */
    /* Persistent programs, by level and by whether the histories have lists; NULL: not started. */
    iso_served *served[ISO_MOST_LEVELS][2];
    uint32_t plain; /* traits (adapters.h) that the next history keeps, although the tool does not support them */
    uint8_t offered[ISO_QUESTIONS][ISO_TRAITS]; /* by question and trait: number of histories that kept the trait */
    size_t pack_most[ISO_MOST_LEVELS]; /* limit of histories in one file, halved after each `unlike` pack; 0 = none */
    uint64_t packed;                   /* number of histories answered in a pack */
    uint64_t unlike; /* number of packs that were not called satisfied, while all their members were */
    uint64_t asked, satisfied, violated, unknown, states[ISO_TOOL_STATES]; /* numbers of histories */
} iso_party;

typedef struct iso_referee_question {
    iso_level level;
    bool no_session_order;
    uint64_t compared, satisfied, violated, disagreed; /* numbers of histories */
} iso_referee_question;

/* An answer of a party: S, V, ? (unknown), - (not asked, or does not count), C (crash), T (time), M (memory), R
 * (refused), G (unparsable: garbage). */
typedef struct iso_said {
    char sign;
    iso_judgement judgement;
} iso_said;

typedef enum { ISO_FROM_FILE, ISO_FROM_ALL, ISO_FROM_RANDOM, ISO_FROM_STORE, ISO_FROM_MUTANT } iso_origin_kind;
typedef struct iso_origin {
    iso_origin_kind kind;
    uint64_t number; /* of the history, from 0 */
    uint64_t seed;
    const char *file;
    uint32_t at; /* index of the file in iso_referee.files */
} iso_origin;

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

/* The choices for the next histories (steer.c). */
enum { ISO_GROUP = 8 };
typedef struct iso_steering {
    iso_pool pool;                /* of the choices; the owner of this struct initialises and frees it */
    uint64_t after;               /* 1 + the number of the group whose drafts are chosen; 0: none are */
    iso_draft *chosen[ISO_GROUP]; /* the drafts of the group */
} iso_steering;

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
    int64_t run_timeout; /* limit of one answer, in ns; 0 = none */
    /* The same for an answer about a small history by a program that has answered before; 0 = run_timeout. */
    int64_t small_timeout;
    int64_t tell_every;  /* ns between two messages on standard error; 0: no messages */
    uint64_t run_memory; /* limit of a program, in bytes; 0 = none */
    unsigned at_once;
    const char *const *files;
    unsigned n_files;
    const iso_format *const *formats; /* by file; if it or an element is NULL, file_format holds */
    const iso_format *file_format;

    uint64_t pairs[ISO_FEATURES][ISO_FEATURES]; /* number of random histories with two features; [f][f]: with one */
    iso_ahead *ahead;                           /* NULL: histories are made when they are taken */
    uint64_t random_next;                       /* the number of the next random history that is taken */
    iso_steering steering;                      /* used if `ahead` is NULL */

    /* the outcome */
    uint64_t unreadable; /* number of files that were skipped, also in earlier parts of a continued run */
    uint64_t before;     /* number of disagreements in the earlier parts of a continued run */
    uint64_t next, histories, comparisons, disagreements, not_repeatable, findings, begun_at;
    iso_class class[ISO_VERDICT_CLASSES];
    unsigned n_classes;
    uint64_t classes_left_out;
    int64_t on_findings;  /* ns spent on shrinking and deciding */
    const char **told;    /* by report of the earlier parts of a continued run: its class, in words */
    uint32_t *told_cause; /* by such report: its cause */
    size_t n_told;
    int64_t since;
    bool ended_early;                              /* before all histories were asked about */
    bool interrupted;                              /* by a signal */
    bool random_only;                              /* only random histories remain */
    char *temporary;                               /* a folder; NULL: not needed yet */
    const char *rules[ISO_PARTIES][ISO_QUESTIONS]; /* the definition that a wrong party follows; NULL: not known */
    bool duplicates, lists;                        /* at least two parties support them */
} iso_referee;

/* Adds a party: the name of a checker, or `ext:NAME` of an adapter. Throws ISOLAB_E_USAGE. */
void iso_referee_party(iso_referee *r, const iso_adapters *adapters, const char *name);
/* Returns the files of histories, *n of them. An operand that is a folder, but not a history of a folder format, stands
 * for the histories in it, at any depth, sorted by name. */
const char **iso_referee_files(iso_pool *pool, const char *const *operands, unsigned n_operands, unsigned *n);
/* Reads a table of recorded verdicts (docs/referee.md) and adds a party for each of its sources. level: the level of
 * all rows if the table has no such column; ISO_NO_LEVEL: it must have the column. If r->files is empty, the files of
 * the table become the histories. Throws ISOLAB_E_INPUT with the line. */
void iso_referee_recorded(iso_referee *r, const char *path, iso_level level);
/* Returns the verdict that a party recorded about a file; NULL: none. */
const iso_record *iso_recorded(const iso_party *p, const iso_origin *origin, iso_level level);
/* Runs until all histories are compared, a limit is reached or the run is interrupted. Returns the number of
 * disagreements, also of the earlier parts of a continued run. */
uint64_t iso_referee_run(iso_referee *r);
void iso_referee_summary(const iso_referee *r, FILE *out);
/* Returns whether no answers were compared, or none of a published party; prints which of them, unless out is NULL. */
bool iso_referee_silent(const iso_referee *r, FILE *out);

/* --- internal --- */
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
 * unknown, so that no verdict is recorded about them. The answer about history i is said[i * n_parties + party]. */
void iso_referee_ask(iso_referee *r, iso_pool *scratch, const isolab_history *const *h, const iso_origin *origins,
                     size_t n, const iso_referee_question *asked, uint32_t parties, iso_said *said);
/* Returns whether the answers about one history disagree. signs: receives by party the sign of its answer, or `-` if
 * the answer does not count; a zero byte follows. */
bool iso_referee_disagree(const iso_referee *r, const iso_said *said, char signs[ISO_PARTIES + 1]);

typedef struct iso_finding {
    const iso_referee_question *asked;
    unsigned question;
    const isolab_history *h, *original;
    const iso_origin *origin;
    char signs[ISO_PARTIES + 1];
    iso_class *class;
    iso_said said[ISO_PARTIES]; /* the last answers: the first ones until the parties are asked again */
    bool asked_again;           /* the parties were asked about `original` a second time */
    bool repeatable;            /* and gave the same answers */
    bool minimal;               /* shrinking ended without a limit */
    bool recorded;              /* without recorded verdicts there is no disagreement; the history is not shrunk */
    uint64_t tests;             /* number of histories that were tested while it was shrunk */
    const iso_checker *judge;   /* the checker that decided; NULL: none could */
    iso_result truth;           /* its answer, with certificate */
    uint32_t wrong;             /* by bit: the parties whose verdict differs from the judge's, or that crashed */
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
/* Shrinks, decides and reports a disagreement. A crash that a second run did not confirm is not reported. said: the
 * answers that disagreed, by party. may_take: limit of shrinking in ns; 0 = none. */
void iso_referee_finding(iso_referee *r, iso_class *class, const isolab_history *h, const iso_origin *origin,
                         const char *signs, const iso_said *said, int64_t may_take);
/* Writes a report. Returns false if the same report exists. */
bool iso_referee_report(iso_referee *r, iso_pool *pool, iso_finding *f);
/* Returns the path of the temporary folder, which is made at the first call. */
const char *iso_referee_folder(iso_referee *r);
/* Removes the temporary folder. */
void iso_referee_folder_end(iso_referee *r);
/* Returns the question in words, in the buffer. */
const char *iso_referee_question_text(const iso_referee_question *asked, char buffer[64]);
/* Adds an answer to the counts of its party. */
void iso_referee_count(iso_referee *r, unsigned party, const iso_said *said);

#endif
