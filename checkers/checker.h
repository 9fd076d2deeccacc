/* The checkers. A checker is one folder with one descriptor, and one line in checkers.def.
 *
 * To add one: write checkers/NAME/NAME.c (or checkers/NAME.c, if one file is enough) that defines
 * `const iso_checker iso_checker_NAME`, and add `CHECKER(NAME)` to checkers.def. Help, lists, `-c all` and the
 * referee come from the table. A checker includes base/, history/, graph/, the headers of checkers/ and
 * certificates/proof.h, and no other checker: the agreement of two checkers proves something only then
 * (tests/cli/includes.t).
 */
#ifndef ISOLAB_CHECKERS_CHECKER_H
#define ISOLAB_CHECKERS_CHECKER_H

#include "checkers/result.h"
#include "history/history.h"
#include "history/level.h"

/* What a checker can do besides the plain question. */
enum {
    ISO_CAN_DUPLICATES = 1,      /* values that several transactions wrote */
    ISO_CAN_LISTS = 2,           /* append and list reads */
    ISO_CAN_TWIN_ELEMENTS = 256, /* lists in which an element was appended twice */
    ISO_CAN_NO_SESSIONS = 4,     /* --no-session-order */
    ISO_CAN_ALL = 8,             /* --all: goes on after the first anomaly */
    ISO_CAN_COUNT = 16,          /* --count: the number of witnessing commit orders */
    ISO_CAN_THREADS = 32,        /* --threads */
    ISO_CAN_PATTERNS = 64,       /* --patterns */
    ISO_CAN_FORMULA = 512,       /* --dimacs */
    ISO_CAN_EVERY = 128          /* --all finds every instance of an anomaly, not one for each knot of cycles */
};

/* What is asked. */
typedef struct iso_request {
    iso_level level;
    bool no_session_order; /* variants of si and ser */
    bool all;              /* report every anomaly, up to limit */
    bool count;            /* count the witnessing commit orders */
    bool certificate;      /* the caller wants an order or a justified cycle; else they may be left out */
    uint64_t limit;        /* most anomalies to report; 0: no limit */
    uint32_t patterns;     /* bit 0 is Plume TAP-a ... bit 13 TAP-n; 0: those of the level */
    unsigned threads;      /* 0 and 1: one */
    const char *options;   /* `name=value,name=value`: the checker's own (ablations); NULL: none */
    const char *dimacs;    /* write the formula there; NULL: do not */
} iso_request;

/* An option of one checker, for help and for refusing what does not exist. `values` are words between bars: a value
 * itself, or `1..4` and `0..` for the whole numbers of a range. What is on or off has ISO_YES_NO. */
typedef struct iso_checker_option {
    const char *name, *values, *help;
} iso_checker_option;

#define ISO_YES_NO "yes|no"

/* What a text says that is on or off: 1 for `yes`, 0 for `no`, -1 for neither. 1 and 0 are understood, too. */
int iso_yes_or_no(const char *text);

typedef struct iso_checker {
    const char *name;
    const char *summary;               /* one line */
    const char *complexity;            /* `O(n k)` */
    const char *paper;                 /* where it is from: `awdit.txt, algorithms 1 to 4` */
    iso_levels levels;                 /* that it can check */
    unsigned can;                      /* ISO_CAN_... */
    uint32_t most_txns;                /* refuses larger histories; 0: no such limit */
    iso_levels preferred;              /* `-c auto`: the first checker of the table that prefers the level and can
                               hold the history is taken */
    const iso_checker_option *options; /* ended by a NULL name; NULL: none */
    /* Answers. result is empty, its pool belongs to the caller's environment; throws for limits. The caller
     * has tested levels, can and most_txns (iso_check()). */
    void (*run)(const isolab_history *h, const iso_request *request, iso_result *result);
} iso_checker;

extern const iso_checker *const iso_checkers[]; /* in the order of checkers.def, ended by NULL */

const iso_checker *iso_checker_find(const char *name); /* NULL: none of that name */

/* The checker that `auto` stands for; NULL when none can. Where all anomalies are asked for, one that finds every
 * instance of them goes first. */
const iso_checker *iso_checker_auto(const isolab_history *h, const iso_request *request);

/* Why this checker cannot take this history and request, in words; NULL when it can. Names the two writers
 * of a duplicate value. buffer holds the text. */
const char *iso_checker_refuses(const iso_checker *checker, const isolab_history *h, const iso_request *request,
                                char *buffer, size_t size);

/* What of a request makes no sense, whatever the history: an option that does not exist at its level, or that the only checker
 * that is asked (NULL: that no checker) can honour. NULL: nothing. */
const char *iso_request_wrong(const iso_request *request, const iso_checker *only, char *buffer, size_t size);

/* Why no checker at all takes them: what the one that prefers the level lacks, and of one that lacks nothing
 * but room, how many transactions it takes. */
const char *iso_checker_nobody(const isolab_history *h, const iso_request *request, char *buffer, size_t size);

/* Runs a checker: refusal, time and memory limits become ISOLAB_UNKNOWN with a reason; other errors are
 * thrown. A limit that is reached when a violation is already found leaves it ISOLAB_VIOLATED with what was
 * found so far, and reason says that there may be more. A checker that ends without a verdict is an internal error.
 * result must be initialised by iso_result_init() and is freed by its pool. */
void iso_check(const iso_checker *checker, const isolab_history *h, const iso_request *request, iso_result *result);

/* What is wrong with options (`name=value,...`; NULL: none) for this checker, or for NULL for every checker, in words; NULL
 * when nothing is. buffer holds the text. */
const char *iso_options_wrong(const char *options, const iso_checker *only, char *buffer, size_t size);

/* The value of an option in `name=value,...`; NULL when it is not given. Copies into buffer. */
const char *iso_option_value(const char *options, const char *name, char *buffer, size_t size);

/* The same for what is on or off. Throws ISOLAB_E_USAGE, in the name of the checker, for what is neither. */
bool iso_option_flag(iso_env *env, const char *checker, const char *options, const char *name, bool usual);

/* The same for a number from 0 to most; usual when it is not given. Throws ISOLAB_E_USAGE, in the name of the checker,
 * for what is no such number. */
uint64_t iso_option_number(iso_env *env, const char *checker, const char *options, const char *name, uint64_t usual,
                           uint64_t most);

#endif
