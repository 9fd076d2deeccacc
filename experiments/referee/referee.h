/* The referee: histories through several checkers at once; who disagrees is found, and told why.
 *
 *   referee.c          the loop, the comparison, the summary, resuming
 *   source.c   where histories come from: files, their mutants, all small ones, random ones, the store
 *   ask.c      asks the parties: isolab's checkers in this process, foreign ones by batches of processes
 *   finding.c  confirms a disagreement, shrinks it, and finds out who is wrong and by which rule
 *   report.c   writes it down as a folder that can be sent
 *   told.c     counts the reports that a run that goes on has written before
 *
 * A question is a level, with or without session order. A party answers it under its stated semantics: a foreign one
 * that counts no session order is asked only without, one that proves nothing by finding nothing (trust violated) is
 * heard only when it finds something, and what a party cannot take (duplicates, lists) it is not asked. */
#ifndef ISOLAB_EXPERIMENTS_REFEREE_REFEREE_H
#define ISOLAB_EXPERIMENTS_REFEREE_REFEREE_H

#include "checkers/checker.h"
#include "experiments/referee/adapters.h"
#include "generators/random_small.h"

#define ISO_PARTIES 32
#define ISO_QUESTIONS 16
#define ISO_VERDICT_CLASSES 256

typedef struct iso_party {
    const char *name;           /* as the user gave it */
    const iso_checker *checker; /* in this process; NULL: */
    const iso_adapter *adapter;
    const char *program;
    const iso_format *format;
    uint64_t asked, satisfied, violated, unknown, states[ISO_STATES];
} iso_party;

typedef struct iso_query {
    iso_level level;
    bool no_session_order;
    uint64_t compared, satisfied, violated, disagreed;
} iso_query;

/* What a party said: S, V, ? (unknown), - (not asked, or does not count), C (crash), T (time), M (memory), R (refused),
 * G (unparsable: garbage). */
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
} iso_origin;

/* Disagreements of one kind: the same question, the same suspects (those who differ from what `auto` says, or gave
 * no verdict) with the same signs, and the same anomaly. So one mistake that shows often does not hide another. */
typedef struct iso_class {
    unsigned question;
    char signs[ISO_PARTIES + 1];               /* of the suspects; `-` for the others */
    iso_anomaly_kind kind;                     /* ISO_A_KINDS: none */
    uint64_t seen, shrunk, reported, repeated; /* repeated: shrunk to a history that was reported before */
} iso_class;

typedef struct iso_referee {
    iso_env *env;
    iso_pool *pool; /* of the whole run */
    iso_party party[ISO_PARTIES];
    unsigned n_parties, n_foreign;
    iso_query ask[ISO_QUESTIONS];
    unsigned n_asks;

    /* what was asked for */
    const char *out;     /* the folder of reports */
    const char *command; /* how this was called, for the reports */
    uint64_t seed, count, reports, mutants, batch;
    unsigned exhaustive[3]; /* transactions, operations, keys; 0: none */
    iso_small_shape shape;  /* of random ones; txns 0: a mix of shapes */
    bool random, resume;
    int64_t run_timeout;
    uint64_t run_memory;
    unsigned at_once;
    const char *const *files;
    unsigned n_files;
    const iso_format *file_format;

    /* what happened */
    uint64_t before; /* disagreements of the runs that this one goes on with */
    uint64_t next, histories, comparisons, disagreements, not_repeatable, findings, begun_at;
    iso_class class[ISO_VERDICT_CLASSES];
    unsigned n_classes;
    uint64_t classes_left_out;
    const char **told; /* the class of every report that was in the folder when a run was taken up again */
    size_t n_told;
    int64_t since;
    bool ended_early, interrupted;                 /* before all histories were asked about; by a signal */
    char *temporary;                               /* a folder; NULL until it is needed */
    const char *rules[ISO_PARTIES][ISO_QUESTIONS]; /* what was found out about a party's rule; NULL: not yet */
    bool duplicates, lists;                        /* two parties take them */
} iso_referee;

/* Adds a party: the name of a checker, or `ext:NAME` of an adapter. Throws ISOLAB_E_USAGE. */
void iso_referee_party(iso_referee *r, const iso_adapters *adapters, const char *name);
/* Runs until all is done, a limit is reached or it is interrupted. Returns the number of disagreements, also of the
 * runs that it goes on with. */
uint64_t iso_referee_run(iso_referee *r);
void iso_referee_summary(const iso_referee *r, FILE *out);

/* --- inside --- */
typedef bool iso_source_fn(void *arg, const isolab_history *h, const iso_origin *origin); /* false: stop */
/* Every history from r->next on, each in a pool that is gone after the call, unless kept by the callback: it may
 * take the pool over by moving it, and leaves an empty one. */
void iso_referee_source(iso_referee *r, iso_pool *pool, iso_source_fn *fn, void *arg);
isolab_history *iso_mutant(iso_pool *pool, const isolab_history *h, uint64_t seed);

/* said[h * n_parties + party]. parties: by bit, the ones asked; others get '-'. */
void iso_referee_ask(iso_referee *r, iso_pool *scratch, const isolab_history *const *h, size_t n, const iso_query *ask,
                     uint32_t parties, iso_said *said);
/* The signs of one history's answers that count for a disagreement; the rest is `-`. */
bool iso_referee_disagree(const iso_referee *r, const iso_said *said, char signs[ISO_PARTIES + 1]);

typedef struct iso_finding {
    const iso_query *ask;
    unsigned question;
    const isolab_history *h, *original;
    const iso_origin *origin;
    char signs[ISO_PARTIES + 1];
    iso_class *class;
    iso_said said[ISO_PARTIES];
    bool repeatable, minimal;
    uint64_t tests;
    const iso_checker *judge; /* whose verdict is right; NULL: no checker could decide */
    iso_result truth;         /* of the judge, with certificate */
    uint32_t wrong;           /* parties, by bit: their verdict is not the judge's, or they crashed */
} iso_finding;

/* --- told.c --- */
/* A class in words, with the names of the parties. */
const char *iso_class_text(const iso_referee *r, const iso_class *class, iso_pool *pool);
/* How many reports of a class were in the folder. */
uint64_t iso_referee_told(const iso_referee *r, const iso_class *class);
/* Reads the classes of the reports in the folder. */
void iso_referee_look(iso_referee *r);

/* The class of a disagreement; NULL where there are too many. */
iso_class *iso_referee_class(iso_referee *r, unsigned question, const isolab_history *h, const char *signs);
void iso_referee_finding(iso_referee *r, iso_class *class, const isolab_history *h, const iso_origin *origin,
                         const char *signs);
/* Writes a report; returns false where the same one is there already. */
bool iso_referee_report(iso_referee *r, iso_pool *pool, iso_finding *f);
const char *iso_referee_folder(iso_referee *r); /* the temporary one */
const char *iso_query_text(const iso_query *ask, char buffer[64]);
void iso_referee_count(iso_referee *r, unsigned party, const iso_said *said);

#endif
