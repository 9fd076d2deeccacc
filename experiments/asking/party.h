/* One way to ask about histories. A party answers questions about them: a checker of isolab in this process, a
 * published checker, or a table of recorded verdicts. The users differ only in what they do with the answers: `check -c
 * ext:NAME` prints one, the referee compares those of several parties. A suite measures single jobs of programs
 * (tool.h).
 *
 *   adapters.def     the table of published checkers; adapters.c, adapter_*.c: what it says of one (adapters.h)
 *   own.c            a checker of isolab as a party
 *   tool.c           a published checker as a party: its files and jobs, packs, and halves of a batch after a crash
 *   served.c         the processes of a program that stays
 *   recorded.c       tables of recorded verdicts, each source of which is a party; files.c: the files of histories
 *   party_checker.c  a party as a checker of isolab */
#ifndef ISOLAB_EXPERIMENTS_ASKING_PARTY_H
#define ISOLAB_EXPERIMENTS_ASKING_PARTY_H

#include "checkers/checker.h"
#include "experiments/asking/adapters.h"

#define ISO_PARTIES 32

/* A question about n histories, with the limits of the answers. */
typedef struct iso_party_question {
    iso_pool *pool; /* of what the answers need */
    const isolab_history *const *h;
    size_t n;
    size_t stride; /* the answer about history i is answers[i * stride] */
    iso_level level;
    bool no_session_order;
    bool skip_empty;       /* published checkers are not asked about histories without operations */
    const uint32_t *files; /* by history: its index among the files of recorded verdicts; ISO_NONE: it has none */
    const bool *satisfied; /* by history: known to be satisfied, so that a pack may hold it; NULL: nothing is known */
    int64_t timeout;       /* limit of one answer, in ns; 0 = none */
    /* The same for an answer about a small history by a program that has answered before; 0 = timeout. */
    int64_t small_timeout;
    uint64_t memory;    /* limit of a program, in bytes; 0 = none */
    unsigned at_once;   /* limit of programs that run at once */
    const char *folder; /* for the files of published checkers, which is empty at first; NULL: none is asked */
    iso_job *job;       /* receives the last job of a published checker, unless it is NULL */
} iso_party_question;

typedef struct iso_party {
    const char *name; /* as the user gave it */
    void (*ask)(struct iso_party *self, const iso_party_question *q, iso_judgement *answers);
    void (*close)(struct iso_party *self); /* ends its programs */
    /* Of the next three, one is not NULL. */
    const iso_checker *checker;  /* of isolab */
    struct iso_tool *tool;       /* of a published checker */
    struct iso_records *records; /* recorded verdicts */
} iso_party;

/* Returns the party of a checker of isolab, or of `auto`; its ask is NULL if no checker has this name. */
iso_party iso_party_own(const char *name);
/* Returns the party of `ext:NAME`; number: of the party, different for each. option: the option that named it, for the
 * errors ("--checkers: "). Throws ISOLAB_E_USAGE if the adapter or its program is not known. */
iso_party iso_party_tool(iso_pool *pool, const iso_adapters *adapters, const char *word, unsigned number,
                         const char *option);

/* Returns the adapter of a published checker; NULL: it is another party. */
const iso_adapter *iso_party_adapter(const iso_party *p);
/* Returns whether a party answers a level for some history. */
bool iso_party_answers(iso_pool *pool, const iso_party *p, iso_level level);

/* Returns the sign of an answer: S, V, ? (unknown), - (not asked), C (crash), T (time), M (memory), R (refused), G
 * (unparsable: garbage). */
char iso_sign(const iso_judgement *answer);
/* Sets an answer. */
void iso_set_answer(iso_judgement *answer, iso_tool_state state, isolab_verdict verdict, const char *reason);

/* Returns the party of `ext:NAME` as a checker. Throws ISOLAB_E_USAGE. */
const iso_checker *iso_party_as_checker(iso_pool *pool, const iso_adapters *adapters, const char *word,
                                        uint64_t memory);
/* Ends the programs of such a checker, and removes its files. checker: NULL and other checkers are ignored. */
void iso_party_checker_end(const iso_checker *checker);

#endif
