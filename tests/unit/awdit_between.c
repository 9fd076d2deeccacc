/* Tests checkers/awdit/between.c. cc by guessed orders: against brute on all small histories and on random ones with
 * every feature, against naive and against the clocks on larger ones; every certificate is verified. */
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "generators/generator.h"
#include "history/builder.h"
#include "tests/agree.h"
#include "tests/guarded.h"
#include "tests/seed.h"
#include "tests/tap.h"

#define GUESSED "clocks=no"
#define CLOCKS "clocks=yes"

static iso_env env;

static void shaped(const char *what, const char *checkers, bool all, uint64_t rounds, const iso_small_shape *shape) {
    iso_agree_shaped((iso_agreement){.checkers = checkers,
                                     .levels = ISO_LEVEL_BIT(ISO_CC),
                                     .need_certificates = true,
                                     .all = all,
                                     .options = GUESSED},
                     &env, what, rounds, shape);
}

static uint64_t counter(const iso_result *r, const char *name) {
    for (uint32_t i = 0; i < r->n_counters; i++) {
        if (strcmp(r->counter[i].name, name) == 0) {
            return r->counter[i].value;
        }
    }
    return 0;
}

static isolab_history *from_store(iso_pool *pool, uint64_t seed) {
    static const char *const level[] = {"ra", "cc", "cc", "si", "ser"}, *const sessions[] = {"3", "40", "400"};
    static const char *const keys[] = {"5", "60", "1000"}, *const lag[] = {"0", "20", "200"};
    const iso_generator *g = iso_generator_find("random");
    iso_rng rng = {seed};
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)seed);
    iso_args args;
    iso_generator_args(g, pool, &args);
    iso_args_set(&args, "seed", text);
    iso_args_set(&args, "level", level[iso_random_below(&rng, 5)]);
    iso_args_set(&args, "sessions", sessions[iso_random_below(&rng, 3)]);
    iso_args_set(&args, "keys", keys[iso_random_below(&rng, 3)]);
    iso_args_set(&args, "lag", lag[iso_random_below(&rng, 3)]);
    iso_args_set(&args, "txns", "800");
    iso_args_set(&args, "ops", "6");
    iso_builder *b = iso_builder_new(pool);
    iso_generator_run(g, &args, b);
    return iso_builder_finish(b);
}

static iso_result ask(iso_pool *pool, const isolab_history *h, const char *options) {
    iso_question question = {.level = ISO_CC, .options = options};
    iso_result result;
    iso_result_init(&result, pool);
    iso_check(iso_checker_find("awdit"), h, &question, &result);
    return result;
}

/* Histories of stores: naive says the verdict, certificates are verified; and the guesses decide most of them, in
 * several rounds. */
static void stores(uint64_t rounds) {
    iso_agreement a = {.what = "naive, histories of stores",
                       .checkers = "naive awdit",
                       .levels = ISO_LEVEL_BIT(ISO_CC),
                       .need_certificates = true,
                       .options = GUESSED};
    uint64_t guessed = 0, again = 0, different = 0;
    for (uint64_t seed = seed_or(1), end = seed + rounds; seed < end && !a.failed; seed++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        isolab_history *h = from_store(&pool, seed);
        iso_result by_guess = ask(&pool, h, GUESSED), by_clock = ask(&pool, h, CLOCKS);
        different += by_guess.verdict != by_clock.verdict;
        guessed += counter(&by_guess, "guessed orders") > 0 && counter(&by_guess, "chains") == 0;
        again += counter(&by_guess, "guessed orders") > 1;
        iso_agree(&a, &env, h, seed);
        iso_pool_free(&pool);
    }
    iso_agree_report(&a);
    cmp_ok(different, "==", 0, "clocks give the same verdicts");
    ok(a.satisfied > 0 && a.violated > 0, "both verdicts: %llu, %llu", (unsigned long long)a.satisfied,
       (unsigned long long)a.violated);
    ok(guessed > rounds / 4 && again > 0, "%llu of %llu by guesses, %llu by several", (unsigned long long)guessed,
       (unsigned long long)rounds, (unsigned long long)again);
}

/* Returns the number of guessed orders of a history, if the estimate chooses. */
static uint64_t chosen(const char *sessions, const char *keys, const char *txns, const char *ops) {
    iso_pool pool;
    iso_pool_init(&pool, &env);
    const iso_generator *g = iso_generator_find("random");
    iso_args args;
    iso_generator_args(g, &pool, &args);
    const char *const set[][2] = {
        {"level", "cc"}, {"sessions", sessions}, {"keys", keys}, {"txns", txns}, {"ops", ops}};
    for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
        iso_args_set(&args, set[i][0], set[i][1]);
    }
    iso_builder *b = iso_builder_new(&pool);
    iso_generator_run(g, &args, b);
    iso_result r = ask(&pool, iso_builder_finish(b), NULL);
    uint64_t n = counter(&r, "guessed orders");
    cmp_ok(r.verdict, "==", ISOLAB_SATISFIED, "%s sessions, %s keys, %s operations: satisfied", sessions, keys, ops);
    iso_pool_free(&pool);
    return n;
}

static void estimates(void) {
    cmp_ok(chosen("50", "100", "2000", "8"), "==", 0, "clocks for few sessions");
    cmp_ok(chosen("1000", "20", "4000", "8"), ">", 0, "guesses for many sessions");
    cmp_ok(chosen("110", "100000", "1000", "50"), "==", 0, "clocks for more sessions, if keys have few writers");
    cmp_ok(chosen("400", "20", "400", "60"), "==", 0,
           "clocks for many sessions of one transaction, whose entries are bits");
}

static void run(void *arg) {
    (void)arg;
    iso_agreement small = {.what = "all histories of 3 transactions of 2 operations on 2 keys",
                           .checkers = "brute awdit",
                           .levels = ISO_LEVEL_BIT(ISO_CC),
                           .need_certificates = true,
                           .options = GUESSED};
    iso_agree_all(&small, &env, &(iso_enumeration){.txns = 3, .ops = 2, .keys = 2, .parts = iso_agree_parts(40, 4, 1)});
    iso_agree_report(&small);
    uint64_t n = iso_agree_rounds(1000, 20000, 1250000);
    shaped("brute, random", "brute awdit", false, n, &(iso_small_shape){.txns = 6, .ops = 5, .keys = 3, .sessions = 4});
    shaped("brute, aborted and indeterminate, wild", "brute awdit", false, n,
           &(iso_small_shape){
               .txns = 6, .ops = 5, .keys = 2, .sessions = 3, .aborted = true, .indeterminate = true, .wild = true});
    shaped("brute, every anomaly", "brute awdit", true, n / 4,
           &(iso_small_shape){.txns = 6, .ops = 5, .keys = 3, .sessions = 3, .aborted = true, .wild = true});
    shaped("naive, more transactions", "naive awdit", false, n / 4,
           &(iso_small_shape){.txns = 24, .ops = 6, .keys = 5, .sessions = 6, .aborted = true, .indeterminate = true});
    shaped("naive, a session for each transaction", "naive awdit", false, n / 4,
           &(iso_small_shape){.txns = 20, .ops = 6, .keys = 4, .sessions = 40});
    stores(iso_agree_rounds(20, 100, 10000));
    estimates();
}

int main(void) { return run_guarded(&env, run); }
