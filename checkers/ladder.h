/* Asking checkers about one history: about one level, or about all of them, which is the ladder.
 *
 *     iso_asking ask;
 *     iso_asking_init(&ask, pool, h, &(const iso_request){.limit = 1});
 *     iso_ladder ladder = iso_ladder_climb(&ask, ISO_ALL_LEVELS);
 *     ... ladder.rung[ISO_RA]->result.verdict ... ladder.strongest ...
 *
 * The ladder asks only about levels that do not follow from others: a satisfied level satisfies all that it implies, a
 * violated one violates all that imply it. sser is not asked about where no transaction has times: real time then
 * says nothing, and sser would be ser. Asked about by itself it is, and the answer says so.
 *
 * What is satisfied can be weighed: on how many cases does that rest (evidence.h)? With `demand`, what rests on none is
 * unknown. `check`, `report`, `shrink` and the library have this ladder and no other. */
#ifndef ISOLAB_CHECKERS_LADDER_H
#define ISOLAB_CHECKERS_LADDER_H

#include "checkers/checker.h"
#include "checkers/evidence.h"

/* Why no checker was asked about a level, whose verdict then is unknown. */
typedef enum {
    ISO_ASKED,      /* a checker was run, or none can answer, or the level follows from another one */
    ISO_UNTIMED,    /* sser, and the history has no times */
    ISO_UNSUPPORTED /* the only checker that may be asked does not know the level */
} iso_not_asked;

/* Whether evidence was looked for, which a violated or unknown level needs none of. */
typedef enum {
    ISO_UNWEIGHED, /* no, or a limit was reached */
    ISO_AT_LEAST,  /* `cases` is a lower bound */
    ISO_EXACTLY
} iso_weight;

/* What is known of one level, and from whom. */
typedef struct iso_answer {
    iso_level level;
    const iso_checker *checker; /* NULL: none was run */
    iso_level implied_by;       /* the level that it follows from; ISO_LEVELS: it does not */
    iso_not_asked not_asked;    /* result.reason has it in words */
    bool untimed;               /* sser, and the history orders no transactions in time: this is ser */
    bool all, first_only;       /* all anomalies were asked for; the checker looks for the first one alone */
    uint32_t patterns;          /* nothing else was asked: the verdict is not that of the level; 0: all of it was */
    iso_result result;
    iso_weight weight; /* of a satisfied level: is it known on how many cases that rests? */
    uint64_t cases;    /* evidence.h */
    int64_t ns;
    uint64_t held; /* bytes in use when it began: the history */
    uint64_t peak; /* most bytes in use while it ran, the history included */
} iso_answer;

typedef enum {
    ISO_WHOM_AUTO,  /* the checker that is made for the level */
    ISO_WHOM_EVERY, /* all that can, one after the other: they must agree */
    ISO_WHOM_ONE
} iso_whom;

typedef struct iso_asking {
    iso_pool *pool; /* of all answers */
    const isolab_history *h;
    iso_request request; /* its level is filled in for each question */
    iso_whom whom;
    const iso_checker *checker; /* ISO_WHOM_ONE: that one */
    void (*answered)(void);     /* is called after every run of a checker; NULL: nothing is */
    bool weigh;                 /* look for evidence of what is satisfied */
    bool demand;                /* and where there is none, it is unknown */

    iso_answer *answers; /* all that were given, in the order of asking */
    size_t n_answers;
    bool disagree;  /* two checkers contradict each other, or one contradicts what levels imply */
    char phase[64]; /* what progress shows */
    iso_evidence evidence;
    bool weighed; /* evidence is what was found; else nothing is satisfied, or a limit was reached */
} iso_asking;

void iso_asking_init(iso_asking *ask, iso_pool *pool, const isolab_history *h, const iso_request *request);

/* Asks about one level. Of several answers, the one that counts: the first that knows, or that explains more. */
const iso_answer *iso_ask(iso_asking *ask, iso_level level);

#define ISO_ALL_LEVELS (ISO_LEVEL_BIT(ISO_LEVELS) - 1)

typedef struct iso_ladder {
    const iso_answer *rung[ISO_LEVELS]; /* NULL: not one of the levels asked for */
    iso_levels strongest;               /* satisfied, and no level above it is */
    iso_levels broken_first;            /* violated, and no level below it is */
    iso_levels unknown; /* unknown, and might be among the strongest; not sser where the history has no times */
    isolab_verdict
        verdict; /* violated if any level is, else unknown if any is (not sser without times), else satisfied */
} iso_ladder;

/* With a deadline every level may use half of the time that is there, the last one all of it. */
iso_ladder iso_ladder_climb(iso_asking *ask, iso_levels levels);

#endif
