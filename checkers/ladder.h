/* Asks checkers about one history: about one level, or about all levels (the ladder).
 *
 *     iso_asker asker;
 *     iso_asker_init(&asker, pool, h, &(const iso_question){.limit = 1});
 *     iso_ladder ladder = iso_ladder_climb(&asker, ISO_ALL_LEVELS);
 *     ... ladder.rung[ISO_RA]->result.verdict ... ladder.strongest ...
 *
 * The ladder asks only about levels that do not follow from others: a satisfied level satisfies all levels that it
 * implies, and a violated level violates all levels that imply it. It does not ask about sser if no transaction has
 * times, because real time then orders nothing and sser is the same as ser. If a caller asks about sser alone, it is
 * answered, and the answer says so.
 *
 * Where values repeat, the checker of a weak level and the checkers of stronger levels take turns until one of them
 * decides: an order that satisfies a stronger level also satisfies the weak one.
 *
 * A satisfied level can be weighed: its evidence is the number of cases that could have violated it (evidence.h). With
 * `demand`, a satisfied level without evidence is unknown. `check`, `report`, `shrink` and the library use this ladder
 * and no other. */
#ifndef ISOLAB_CHECKERS_LADDER_H
#define ISOLAB_CHECKERS_LADDER_H

#include "checkers/checker.h"
#include "checkers/evidence.h"

/* Why no checker was asked about a level, whose verdict is then unknown. */
typedef enum {
    ISO_ASKED,      /* a checker was run, or no checker can answer, or the level follows from another one */
    ISO_UNTIMED,    /* sser, and the history has no times */
    ISO_UNSUPPORTED /* the only checker that may be asked does not support the level */
} iso_not_asked;

/* Whether evidence was searched for. A violated or unknown level needs none. */
typedef enum {
    ISO_UNWEIGHED, /* evidence was not searched for, or a limit was reached */
    ISO_AT_LEAST,  /* `cases` is a lower bound */
    ISO_EXACTLY
} iso_weight;

/* After anomalies were found one by one (further.h): the verdict about the rest of the history. */
typedef enum {
    ISO_REST_UNSEARCHED, /* anomalies were not searched for in this way */
    ISO_REST_SATISFIED,  /* the rest satisfies the level */
    ISO_REST_LIMIT,      /* the limit of anomalies was reached */
    ISO_REST_UNKNOWN,    /* another limit was reached, or no checker can answer: result.reason */
    ISO_REST_VIOLATED    /* the rest violates the level, but no transactions can be named and left out */
} iso_rest_verdict;

const char *iso_rest_name(iso_rest_verdict rest); /* a word: `satisfied`; NULL: not searched */

/* The answer about one level, and its origin. */
typedef struct iso_answer {
    iso_level level;
    const iso_checker *checker;  /* the checker that answered; NULL: no checker was run */
    iso_level implied_by;        /* the level from which it follows; ISO_NO_LEVEL: none */
    iso_not_asked not_asked;     /* result.reason has the reason in words */
    const iso_checker *found_by; /* a level that follows: the checker that found its anomalies; NULL: it has none */
    bool left_open;              /* no level was named, and its share of the time ended */
    bool untimed;                /* sser, but real time orders no transactions: the answer is that of ser */
    bool all, first_only;        /* all anomalies were requested; the checker finds only the first one */
    iso_rest_verdict rest;       /* all anomalies were requested: how the search for further ones ended */
    uint32_t patterns;           /* only these patterns were checked, so the verdict is not the level's; 0: the whole
                                  * level was checked */
    iso_result result;
    iso_weight weight; /* of a satisfied level: how well `cases` is known */
    uint64_t cases;    /* evidence.h */
    int64_t ns;        /* time of the run */
    uint64_t held;     /* bytes in use when the run began: the history */
    uint64_t peak;     /* most bytes in use during the run, including the history */
} iso_answer;

typedef enum {
    ISO_WHOM_AUTO,  /* the checker that prefers the level */
    ISO_WHOM_EVERY, /* all checkers that can answer, one after the other: they must agree */
    ISO_WHOM_ONE
} iso_whom;

typedef struct iso_asker {
    iso_pool *pool; /* owns all answers */
    const isolab_history *h;
    iso_question question; /* its level is set for each question */
    iso_whom whom;
    const iso_checker *checker; /* ISO_WHOM_ONE: the checker to ask */
    void (*answered)(void);     /* called after every run of a checker; NULL: nothing */
    bool weigh;                 /* search for evidence of satisfied levels */
    bool demand;                /* with weigh: make a satisfied level without evidence unknown */
    bool climbing;              /* many levels are asked about: further anomalies of one level get little time */
    bool explain; /* ISO_WHOM_AUTO: also find an anomaly of each violated level that follows from another one */

    iso_answer *answers; /* all answers, in the order of asking */
    size_t n_answers;
    iso_answer *known[ISO_MOST_LEVELS]; /* ISO_WHOM_AUTO, by level: its answer so far; NULL: none */
    int64_t own_time; /* ISO_WHOM_EVERY: ns that each checker has; 0: no limit, or no checker was run */
    bool disagree;    /* two checkers contradict each other, or one contradicts what levels imply */
    char phase[64];   /* what progress shows */
    iso_evidence evidence;
    bool weighed; /* `evidence` is valid; false: no level is satisfied, or a limit was reached */
} iso_asker;

void iso_asker_init(iso_asker *asker, iso_pool *pool, const isolab_history *h, const iso_question *question);

/* Asks about one level. Of the answers of several checkers it returns the first violation with an anomaly that explains
 * it; if there is none, the first answer that is not unknown. */
const iso_answer *iso_ask(iso_asker *asker, iso_level level);

typedef struct iso_ladder {
    const iso_answer *rung[ISO_MOST_LEVELS]; /* NULL: not one of the requested levels */
    iso_levels strongest;                    /* satisfied levels that no satisfied level implies */
    iso_levels broken_first;                 /* violated levels that imply no violated level */
    iso_levels unknown;     /* unknown levels that may belong to `strongest`; not sser if the history has no times */
    isolab_verdict verdict; /* violated if any level is; else unknown if any is, except sser without times and levels
                             * that were left open; else satisfied */
} iso_ladder;

/* Asks about levels and returns the ladder. With a deadline every level may use half of the remaining time, the last
 * one all of it. If every checker is asked, each of them has all of it. Without a deadline, a ladder of all levels
 * gives each of them a share of ten seconds, and more for many operations; a level without an answer by then is left
 * open: the caller did not ask for it, so the verdict is about the others. If no other one is satisfied, it is unknown.
 */
iso_ladder iso_ladder_climb(iso_asker *asker, iso_levels levels);

#endif
