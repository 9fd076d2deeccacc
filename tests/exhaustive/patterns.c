/* Plume's theorems 2 to 5 on all histories of up to 3 transactions and on random ones: each set of patterns in
 * table 2, and each smaller pattern that the proofs use, is violated exactly where brute says that the level is. And
 * the count of a pattern does not depend on which others are asked for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/agree.h"
#include "tests/guarded.h"
#include "tests/seed.h"

#define TAP(letter) (1u << ((letter) - 'a'))
#define UP_TO(letter) (2 * TAP(letter) - 1)

static const struct {
    iso_level level;
    uint32_t patterns;
} theorems[] = {
    {ISO_INT, UP_TO('f')},
    {ISO_G1, UP_TO('g')},
    {ISO_CI, TAP('j')},
    {ISO_RC_PLUME, UP_TO('i')},
    {ISO_RC_PLUME, UP_TO('g') | TAP('i')},
    {ISO_RA, UP_TO('l')},
    {ISO_RA, UP_TO('g') | TAP('j') | TAP('l')},
    {ISO_CC, UP_TO('n')},
    {ISO_CC, UP_TO('g') | TAP('j') | TAP('n')},
    {ISO_CC, UP_TO('g') | TAP('n')}, /* j is the case y = x of n */
};
#define N_THEOREMS (sizeof theorems / sizeof *theorems)

static iso_env env;

typedef struct tally {
    uint64_t histories, compared, violated, instances[14];
    bool failed;
} tally;

static isolab_verdict ask(iso_pool *pool, const isolab_history *h, const char *checker, iso_question question,
                          iso_result *result) {
    iso_result_init(result, pool);
    iso_check(iso_checker_find(checker), h, &question, result);
    return result->verdict;
}

static bool complain(tally *t, const isolab_history *h, const char *what, iso_level level, uint32_t patterns) {
    t->failed = true;
    diag("%s (%s, patterns %x)", what, iso_level_get(level)->name, patterns);
    iso_agree_print(&env, h);
    return false;
}

static bool test(void *arg, const isolab_history *h) {
    tally *t = arg;
    iso_pool pool;
    iso_pool_init(&pool, &env);
    iso_result one, other;
    bool good = true;
    t->histories++;
    for (size_t i = 0; good && i < N_THEOREMS; i++) {
        iso_level level = theorems[i].level;
        isolab_verdict verdict = ask(&pool, h, "brute", (iso_question){.level = level}, &one);
        t->compared++;
        t->violated += verdict == ISOLAB_VIOLATED;
        iso_question question = {.level = level, .patterns = theorems[i].patterns};
        if (ask(&pool, h, "naive", question, &other) != verdict) {
            good = complain(t, h, "the patterns and the axiom disagree", level, question.patterns);
        }
    }
    if (good) {
        ask(&pool, h, "naive", (iso_question){.level = ISO_CC, .all = true}, &one);
        for (char letter = 'a'; good && letter <= 'n'; letter++) {
            iso_question question = {.level = ISO_CC, .all = true, .patterns = TAP(letter)};
            ask(&pool, h, "naive", question, &other);
            for (int k = 0; k < ISO_A_KINDS; k++) {
                const char *plume = iso_anomaly_get((iso_anomaly_kind)k)->plume;
                if (plume != NULL && plume[4] == letter) {
                    t->instances[letter - 'a'] += one.seen[k];
                    good = one.seen[k] == other.seen[k] ||
                           complain(t, h, "asked for alone, there is another number", ISO_CC, question.patterns);
                }
            }
        }
    }
    iso_pool_free(&pool);
    return good;
}

static void report(const tally *t, const char *what, bool small) {
    char counts[512] = "";
    bool every = true;
    for (int i = 0; i < 14; i++) {
        every &= t->instances[i] > 0 || (small && i == 'e' - 'a'); /* e takes three operations */
        snprintf(counts + strlen(counts), sizeof counts - strlen(counts), " %c %llu", 'a' + i,
                 (unsigned long long)t->instances[i]);
    }
    ok(!t->failed && t->violated > 0 && t->violated < t->compared, "%s: the patterns are the levels", what);
    ok(every, "%s: every pattern occurs", what);
    diag("%s: %llu histories; instances:%s", what, (unsigned long long)t->histories, counts);
}

static void run(void *arg) {
    (void)arg;
    iso_pool pool;
    iso_pool_init(&pool, &env);
    tally all = {.failed = false};
    iso_enumerate(
        &pool, &(iso_enumeration){.txns = 3, .ops = 2, .keys = 2, .aborted = true, .parts = iso_agree_parts(40, 4, 1)},
        test, &all);
    report(&all, "a part of all small histories", true);

    tally larger = {.failed = false};
    iso_small_shape shape = {
        .txns = 9, .ops = 5, .keys = 3, .sessions = 5, .aborted = true, .indeterminate = true, .wild = true};
    uint64_t first = seed_or(1), rounds = iso_agree_rounds(1500, 15000, 1000000);
    for (uint64_t seed = first; seed < first + rounds; seed++) {
        if (!test(&larger, iso_random_small(&pool, seed, &shape))) {
            diag("seed %llu", (unsigned long long)seed);
            break;
        }
        iso_pool_free(&pool);
    }
    iso_pool_free(&pool);
    report(&larger, "random histories", false);
}

int main(void) { return run_guarded(&env, run); }
