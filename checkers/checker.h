/* The checkers. A checker is a folder with one descriptor, and one line in checkers.def.
 *
 * To add one: write checkers/NAME/NAME.c (or checkers/NAME.c, if one file is enough) that defines `const iso_checker
 * iso_checker_NAME`, and add `CHECKER(NAME)` to checkers.def. Help, lists, `-c all` and the referee come from the
 * table. A checker includes base/, history/, graph/, linear/, the headers of checkers/ and certificates/proof.h, and no
 * other checker: otherwise the agreement of two checkers would prove nothing (tests/cli/includes.t). */
#ifndef ISOLAB_CHECKERS_CHECKER_H
#define ISOLAB_CHECKERS_CHECKER_H

#include "base/option.h"
#include "checkers/result.h"
#include "history/history.h"
#include "history/level.h"

/* The features of a checker besides a verdict. */
enum {
    ISO_CAN_DUPLICATES = 1,      /* values that several transactions wrote */
    ISO_CAN_NEGATIONS = 1024,    /* reads of which only is known what they did not return */
    ISO_CAN_LISTS = 2,           /* append and list reads */
    ISO_CAN_TWIN_ELEMENTS = 256, /* lists in which an element was appended twice */
    ISO_CAN_NO_SESSIONS = 4,     /* --no-session-order */
    ISO_CAN_ALL = 8,             /* --all: continues after the first anomaly */
    ISO_CAN_COUNT = 16,          /* --count: the number of commit orders that satisfy the level */
    ISO_CAN_THREADS = 32,        /* --threads */
    ISO_CAN_PATTERNS = 64,       /* --patterns */
    ISO_CAN_FORMULA = 512,       /* --dimacs */
    ISO_CAN_EVERY = 128          /* --all finds every instance of an anomaly, not one for each strongly connected
                                  * component */
};

/* The question to a checker. */
typedef struct iso_question {
    iso_level level;
    bool no_session_order; /* variants of si and ser */
    bool all;              /* report every anomaly, up to limit */
    bool count;            /* count the witnessing commit orders */
    bool certificate;      /* the caller wants an order or a justified cycle; else they may be left out */
    uint64_t limit;        /* most anomalies to report; 0: no limit */
    iso_taker *taker; /* with `all`: takes each anomaly when it is found, of checkers that find several; then none is
                            * kept. It may throw. NULL: all are kept */
    void *taker_arg;
    uint32_t patterns;   /* Plume's, as bits (ISO_TAP_BIT()); 0: those of the level */
    unsigned threads;    /* 0 and 1: one */
    const char *options; /* `name=value,name=value`: the checker's own (ablations); NULL: none */
    const char *dimacs;  /* write the formula there; NULL: do not */
    const struct iso_checker
        *takes; /* a checker that was found to take the history, and is not asked again; NULL: none */
} iso_question;

typedef struct iso_checker {
    const char *name;
    const char *summary;       /* one line */
    const char *complexity;    /* `O(n k)` */
    const char *paper;         /* where it is from: `awdit.txt, algorithms 1 to 4` */
    iso_levels levels;         /* for which it is made */
    iso_rules rules;           /* that it interprets: it also takes every level that has no other rule */
    unsigned can;              /* ISO_CAN_... */
    uint32_t most_txns;        /* refuses larger histories; 0: no such limit */
    iso_levels preferred;      /* `-c auto`: the first checker of the table that prefers the level and can
                               hold the history is taken */
    const iso_option *options; /* of --option; ended by a NULL name; NULL: none */
    /* What else it refuses of a history that its levels, can and most_txns allow: why, in words; NULL: nothing. NULL:
     * it refuses nothing else. Quick: it is asked before every run. */
    const char *(*refuses)(const isolab_history *h, const iso_question *question, char *buffer, size_t size);
    /* Answers. result is empty, its pool belongs to the caller's environment; throws for limits. The caller
     * has tested levels, can and most_txns (iso_check()). */
    void (*run)(const isolab_history *h, const iso_question *question, iso_result *result);
} iso_checker;

extern const iso_checker *const iso_checkers[]; /* in the order of checkers.def, ended by NULL */

const iso_checker *iso_checker_find(const char *name); /* NULL: no checker has this name */

/* Returns whether the checker takes the level: it is made for it, or interprets all of its rules. */
bool iso_checker_takes(const iso_checker *checker, iso_level level);
iso_levels iso_checker_levels(const iso_checker *checker); /* returns the levels of the table that it takes */

/* Returns the checker that `auto` stands for; NULL if no checker can answer. If all anomalies are requested, checkers
 * that find every instance are preferred. */
const iso_checker *iso_checker_auto(const isolab_history *h, const iso_question *question);

/* Returns, in words, why this checker cannot take this history and question; NULL if it can. Names the two writers of a
 * repeated value. The text is in buffer. */
const char *iso_checker_refuses(const iso_checker *checker, const isolab_history *h, const iso_question *question,
                                char *buffer, size_t size);

/* Returns, in words, which part of a question is impossible for every history: an option that does not exist at its
 * level, or that checker `only` (NULL: every checker) does not support. NULL: no part. */
const char *iso_question_wrong(const iso_question *question, const iso_checker *only, char *buffer, size_t size);

/* Returns, in words, why no checker can take the history and question: the feature that the preferred checker lacks, or
 * the largest limit of transactions among the checkers that lack no feature. */
const char *iso_why_no_checker(const isolab_history *h, const iso_question *question, char *buffer, size_t size);

/* Runs a checker. A refusal or a reached time or memory limit becomes ISOLAB_UNKNOWN with a reason; other errors are
 * thrown. If a limit is reached after a violation was found, the verdict stays ISOLAB_VIOLATED with the anomalies found
 * so far, and reason says that there may be more. A checker that ends without a verdict is an internal error. result
 * must be initialised by iso_result_init(); its pool frees it. */
void iso_check(const iso_checker *checker, const isolab_history *h, const iso_question *question, iso_result *result);

/* What is wrong with options (`name=value,...`; NULL: none) for this checker, or for NULL for every checker, in words
 * that begin with the option's name; NULL when nothing is. buffer holds the text. A checker reads its own by
 * iso_options_read(). */
const char *iso_options_wrong(const char *options, const iso_checker *only, char *buffer, size_t size);

#endif
