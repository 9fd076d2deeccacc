/* Agreement of checkers: runs several over a stream of histories, compares what they say at each level, and has every
 * certificate verified. The first disagreement is shrunk and printed as isolab text with its seed.
 *
 *     iso_agreement a = {.what = "random small histories", .checkers = "brute naive", .levels = ISO_LEVEL_BIT(ISO_RA) |
 *     ISO_LEVEL_BIT(ISO_CC)}; iso_agree_random(&a, &env, first_seed, rounds, &shape);
 *     iso_agree_report(&a);   // one test: none disagreed, and some were compared
 *
 * Where `what` is not selected ($ISOLAB_ONLY, tap.h), nothing is compared, and the report says so.
 *
 * The first checker is the reference. A checker that refuses a history (level, duplicates, lists, size) is left out for
 * it; one that says that it does not know has failed: nothing here is so large. Call it inside iso_guard(). */
#ifndef ISOLAB_TESTS_AGREE_H
#define ISOLAB_TESTS_AGREE_H

#include "checkers/checker.h"
#include "generators/enumerate.h"
#include "generators/random_small.h"

struct iso_agreement;

/* Compares more than verdicts: returns whether two results agree, else says why not. */
typedef bool iso_agree_fn(const isolab_history *h, const iso_question *question, const iso_result *one,
                          const iso_result *other, char *why, size_t size);

#define ISO_AGREE_CHECKERS 32

typedef struct iso_agreement {
    const char *what;       /* the name of the test that iso_agree_report() reports */
    const char *checkers;   /* names, separated by spaces; NULL: brute and all others of the table */
    iso_levels levels;      /* 0: all */
    bool no_sessions;       /* si and ser also without session order */
    bool all;               /* ask for every anomaly */
    bool no_certificates;   /* do not verify certificates (otherwise every given certificate is verified) */
    bool need_certificates; /* a verdict without a certificate is a failure (not of the reference) */
    const char *options;    /* passed to all but the reference */
    iso_agree_fn *same;     /* NULL: verdicts alone */

    /* what was seen */
    uint64_t histories, compared, satisfied, violated, verified;
    uint64_t level_satisfied[ISO_MOST_LEVELS], level_violated[ISO_MOST_LEVELS]; /* by the reference */
    bool failed;

    const iso_checker *checker[ISO_AGREE_CHECKERS];
    unsigned n_checkers;
} iso_agreement;

/* Compares on one history. seed is only printed. Returns false after a disagreement (also an earlier one). */
bool iso_agree(iso_agreement *a, iso_env *env, const isolab_history *h, uint64_t seed);

/* On rounds random histories, of the seeds first, first + 1, ... */
void iso_agree_random(iso_agreement *a, iso_env *env, uint64_t first, uint64_t rounds, const iso_small_shape *shape);

/* On all histories of an enumeration. */
void iso_agree_all(iso_agreement *a, iso_env *env, const iso_enumeration *what);

/* Reports one TAP test and the counts. */
void iso_agree_report(const iso_agreement *a);

/* The usual case of both: rounds random histories of a shape, from seed_or(1) on, and the report. a says which checkers
 * to compare, and how; returned with what was seen. */
iso_agreement iso_agree_shaped(iso_agreement a, iso_env *env, const char *what, uint64_t rounds,
                               const iso_small_shape *shape);

/* How many rounds: quick under ISOLAB_QUICK=1, deep under ISOLAB_DEEP=1, a share of them under ISOLAB_DEEP=0.01, else
 * normal. */
uint64_t iso_agree_rounds(uint64_t quick, uint64_t normal, uint64_t deep);

/* The same for parts of an enumeration, of which one is tried: the more, the less is done. 0: all is. */
unsigned iso_agree_parts(unsigned quick, unsigned normal, unsigned deep);

/* The history as isolab text on standard error. */
void iso_agree_print(iso_env *env, const isolab_history *h);

#endif
