/* What tests of reductions share: asks every checker that supports a history about it, and counts the verdicts. The
 * answer is known from the reduction. */
#ifndef ISOLAB_TESTS_REDUCTIONS_H
#define ISOLAB_TESTS_REDUCTIONS_H

#include <string.h>

#include "checkers/checker.h"
#include "tests/agree.h"
#include "tests/tap.h"

/* The verdicts of one kind of problems. */
typedef struct score {
    uint32_t most_brute, most_sat; /* limits of the transactions about which these slow checkers are asked */
    uint64_t asked, satisfied, violated, wrong;
    uint64_t explained_wrong; /* problems that the reduction itself answered wrongly */
} score;

/* Asks every checker about one level, two seconds each at most. expected: the level is satisfied. */
static inline void ask(iso_pool *pool, const isolab_history *h, iso_level level, bool expected, score *s) {
    iso_limits *limits = pool->env->limits;
    for (size_t i = 0; iso_checkers[i] != NULL; i++) {
        const iso_checker *c = iso_checkers[i];
        if ((h->n_txns > s->most_brute && strcmp(c->name, "brute") == 0) ||
            (h->n_txns > s->most_sat && strcmp(c->name, "sat") == 0) ||
            (h->n_sessions > 5 && strcmp(c->name, "dbcop") == 0)) {
            continue; /* too slow: dbcop is exponential in the sessions */
        }
        iso_result result;
        iso_result_init(&result, pool);
        limits->deadline = iso_now() + 2000000000; /* then the verdict is unknown */
        iso_check(c, h, &(iso_question){.level = level, .limit = 1}, &result);
        limits->deadline = 0;
        if (result.verdict == ISOLAB_UNKNOWN) {
            continue;
        }
        s->asked++;
        s->satisfied += result.verdict == ISOLAB_SATISFIED;
        s->violated += result.verdict == ISOLAB_VIOLATED;
        if ((result.verdict == ISOLAB_SATISFIED) != expected) {
            s->wrong++;
            diag("%s says %s at %s", c->name, expected ? "violated" : "satisfied", iso_level_get(level)->name);
        }
    }
}

/* Both verdicts must have come, and all must have been right. */
static inline void report(const score *s, const char *what) {
    ok(s->wrong == 0 && s->explained_wrong == 0 && s->satisfied > 0 && s->violated > 0,
       "%s: %llu verdicts (%llu satisfied, %llu violated), %llu of them wrong, and %llu explanations", what,
       (unsigned long long)s->asked, (unsigned long long)s->satisfied, (unsigned long long)s->violated,
       (unsigned long long)s->wrong, (unsigned long long)s->explained_wrong);
}

#endif
