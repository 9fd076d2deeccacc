/* Tests checkers/awdit/. awdit against brute (all small histories, random ones with every feature) and against naive
 * (larger ones). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "certificates/certificate.h"
#include "generators/generator.h"
#include "history/builder.h"
#include "tests/agree.h"
#include "tests/fan.h"
#include "tests/guarded.h"
#include "tests/seed.h"
#include "verify/verify.h"

#define WEAK ISO_WEAK_LEVELS
#define NAIVE (WEAK & ~(ISO_LEVEL_BIT(ISO_INT) | ISO_LEVEL_BIT(ISO_G1)))

static iso_env env;

/* Plume's patterns, as naive counts all of them by their formulas: what awdit names must be among them. */
static bool same_patterns(const isolab_history *h, const iso_question *question, const iso_result *naive,
                          const iso_result *awdit, char *why, size_t size) {
    (void)h, (void)question;
    for (uint32_t i = 0; i < awdit->n_anomalies; i++) {
        uint8_t kind = awdit->anomalies[i].pattern;
        if (naive->seen[kind] == 0) {
            snprintf(why, size, "awdit names %s, which naive does not find", iso_anomaly_get(kind)->name);
            return false;
        }
    }
    return true;
}

/* Without --all the first anomaly is enough. */
static bool one_anomaly(const isolab_history *h, const iso_question *question, const iso_result *reference,
                        const iso_result *awdit, char *why, size_t size) {
    (void)h, (void)question, (void)reference;
    snprintf(why, size, "%u anomalies instead of one", (unsigned)awdit->n_anomalies);
    return awdit->n_anomalies == (awdit->verdict == ISOLAB_VIOLATED);
}

static void shaped_by(const char *options, const char *what, const char *checkers, iso_levels levels, bool all,
                      uint64_t rounds, const iso_small_shape *shape) {
    iso_agree_shaped((iso_agreement){.checkers = checkers,
                                     .levels = levels,
                                     .options = options,
                                     .need_certificates = true,
                                     .all = all,
                                     .same = all ? NULL : one_anomaly},
                     &env, what, rounds, shape);
}

static void shaped(const char *what, const char *checkers, iso_levels levels, bool all, uint64_t rounds,
                   const iso_small_shape *shape) {
    shaped_by(NULL, what, checkers, levels, all, rounds, shape);
}

/* Rows of bits for all transactions, also the smallest. */
static void rows(uint64_t n) {
    static const char always[] = "bits=yes,sieve=no", sieved[] = "bits=yes";
    for (int i = 0; i < 2; i++) {
        iso_agreement small = {.what = i == 0
                                           ? "rows of bits, all histories of 3 transactions of 2 operations on 2 keys"
                                           : "the sieve, all histories of 3 transactions of 2 operations on 2 keys",
                               .checkers = "brute awdit",
                               .levels = WEAK,
                               .options = i == 0 ? always : sieved,
                               .need_certificates = true};
        iso_agree_all(&small, &env,
                      &(iso_enumeration){.txns = 3, .ops = 2, .keys = 2, .parts = iso_agree_parts(40, 4, 1)});
        iso_agree_report(&small);
    }
    shaped_by(always, "rows of bits, random", "brute awdit", WEAK, false, n,
              &(iso_small_shape){.txns = 6, .ops = 5, .keys = 3, .sessions = 4});
    shaped_by(sieved, "the sieve, random", "brute awdit", WEAK, false, n,
              &(iso_small_shape){.txns = 6, .ops = 5, .keys = 3, .sessions = 4});
    shaped_by(sieved, "the sieve, more transactions", "naive awdit", NAIVE, false, n,
              &(iso_small_shape){.txns = 24, .ops = 40, .keys = 90, .sessions = 12, .indeterminate = true});
    shaped_by(sieved, "the sieve, few edges", "naive awdit", NAIVE, false, n,
              &(iso_small_shape){.txns = 16, .ops = 6, .keys = 40, .sessions = 12, .aborted = true});
    shaped_by(always, "rows of bits, every anomaly", "brute awdit", WEAK, true, n,
              &(iso_small_shape){.txns = 6, .ops = 5, .keys = 3, .sessions = 4, .aborted = true, .wild = true});
    shaped_by(always, "rows of bits, more transactions", "naive awdit", NAIVE, false, n,
              &(iso_small_shape){.txns = 24, .ops = 40, .keys = 90, .sessions = 12, .indeterminate = true});
    shaped_by(always, "rows of bits, long transactions", "naive awdit", NAIVE, false, n / 10,
              &(iso_small_shape){.txns = 12, .ops = 300, .keys = 150, .sessions = 12});
}

/* Larger histories of a store that delivers rc, ra or cc: transactions of one to hundreds of operations, one
 * session to one for each transaction. About half of them satisfy a level and not the next one. */
static void stores(uint64_t rounds) {
    static const char what[] = "naive, histories of stores";
    if (skip_unselected(what)) {
        return;
    }
    static const char *const level[] = {"rc", "ra", "cc"}, *const sessions[] = {"1", "3", "12", "200"};
    static const char *const ops[] = {"1", "8", "40", "300"}, *const txns[] = {"400", "200", "80", "24"};
    static const char *const keys[] = {"3", "30", "300"};
    iso_agreement a = {.what = what, .checkers = "naive awdit", .levels = NAIVE, .need_certificates = true};
    for (uint64_t i = 0; i < rounds && !a.failed; i++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        const iso_generator *g = iso_generator_find("random");
        uint64_t seed = seed_or(1) + i;
        iso_rng rng = {seed};
        char text[32];
        snprintf(text, sizeof text, "%llu", (unsigned long long)seed);
        uint64_t size = iso_random_below(&rng, 4);
        iso_args args;
        iso_generator_args(g, &pool, &args);
        iso_args_set(&args, "seed", text);
        iso_args_set(&args, "level", level[iso_random_below(&rng, 3)]);
        iso_args_set(&args, "sessions", sessions[iso_random_below(&rng, 4)]);
        iso_args_set(&args, "ops", ops[size]);
        iso_args_set(&args, "txns", txns[size]);
        iso_args_set(&args, "keys", keys[iso_random_below(&rng, 3)]);
        iso_builder *b = iso_builder_new(&pool);
        iso_generator_run(g, &args, b);
        iso_agree(&a, &env, iso_builder_finish(b), seed);
        iso_pool_free(&pool);
    }
    iso_agree_report(&a);
    for (iso_level l = ISO_RC_PLUME; l <= ISO_CC; l++) {
        diag("%s: %llu satisfied, %llu violated", iso_level_get(l)->name, (unsigned long long)a.level_satisfied[l],
             (unsigned long long)a.level_violated[l]);
    }
    ok(a.level_satisfied[ISO_CC] > 0 && a.level_violated[ISO_CC] > 0 && a.level_violated[ISO_RA] > 0,
       "some satisfy the levels and some do not");
}

static void fans(uint64_t rounds) {
    static const char what[] = "naive, many reads of one key";
    if (skip_unselected(what)) {
        return;
    }
    iso_agreement a = {
        .what = what, .checkers = "naive awdit", .levels = ISO_LEVEL_BIT(ISO_RC_PLUME), .need_certificates = true};
    for (uint64_t seed = seed_or(1), end = seed + rounds; seed < end && !a.failed; seed++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        iso_agree(&a, &env, fan(&pool, seed, false), seed);
        iso_pool_free(&pool);
    }
    iso_agree_report(&a);
    ok(a.satisfied > 0 && a.violated > 0, "both verdicts: %llu, %llu", (unsigned long long)a.satisfied,
       (unsigned long long)a.violated);
}

/* Heavy transactions read from heavy ones, so that awdit takes them as rows of bits: writer w writes many keys with the
 * value w, and a reader reads each key as the writers up to some point left it, a point that for rc moves on with each
 * read. Now and then a read is of an earlier state, which may violate the level. Readers write, too, so that their
 * reads are not only of the initial value and of writers; in half of the histories each transaction has a session of
 * its own. */
static isolab_history *dense(iso_pool *pool, uint64_t seed) {
    enum { KEYS = 120 };
    iso_builder *b = iso_builder_new(pool);
    iso_rng rng = {seed};
    uint64_t writers = 12 + iso_random_below(&rng, 20), wild = UINT64_C(200) << 5 * iso_random_below(&rng, 3);
    uint64_t sessions = iso_random_below(&rng, 2) ? 6 : 1000, moving = iso_random_below(&rng, 2);
    bool initial = iso_random_below(&rng, 2); /* only initial values of keys with one writer are read too late */
    int64_t last[KEYS + 1][64];               /* by key and number of writers before: the latest of them; -1: none */
    for (int k = 0; k < KEYS; k++) {
        last[k][0] = -1;
    }
    for (uint64_t w = 0; w < writers + 8; w++) {
        uint64_t session = iso_random_below(&rng, sessions), at = writers;
        uint32_t s = iso_builder_session(b, sessions < 1000 ? iso_atom_int((int64_t)session) : iso_atom_nil());
        uint32_t t = iso_builder_txn(b, s, iso_atom_nil(), ISO_COMMITTED);
        if (w >= writers || iso_random_below(&rng, 4) == 0) {
            at = w < writers ? w : moving ? 0 : sessions < 1000 ? writers : iso_random_below(&rng, writers + 1);
            for (uint64_t i = 0, n = 64 + iso_random_below(&rng, 2 * KEYS); i < n; i++) {
                uint64_t k = iso_random_below(&rng, KEYS);
                at += moving && w >= writers && at < writers && iso_random_below(&rng, 8) == 0;
                bool strays = (k % 4 == 0 || !initial) && iso_random_below(&rng, wild) == 0;
                uint64_t seen = !strays ? at : initial ? 0 : iso_random_below(&rng, w < writers ? w + 1 : writers + 1);
                iso_builder_op(b, t, ISO_READ, iso_builder_key(b, iso_atom_int((int64_t)k)),
                               last[k][seen] < 0 ? iso_atom_nil() : iso_atom_int(last[k][seen]));
            }
        }
        for (uint64_t k = 0; k < KEYS && w < writers; k++) {
            bool writes = k % 4 == 0 ? w == k / 4 % writers : iso_random_below(&rng, 4) != 0; /* some have one writer */
            last[k][w + 1] = writes ? (int64_t)w : last[k][w];
            if (writes) {
                iso_builder_op(b, t, ISO_WRITE, iso_builder_key(b, iso_atom_int((int64_t)k)), iso_atom_int((int64_t)w));
            }
        }
    }
    return iso_builder_finish(b);
}

static uint64_t rows_of(iso_pool *pool, const isolab_history *h, iso_level level) {
    iso_result result;
    iso_result_init(&result, pool);
    iso_check(iso_checker_find("awdit"), h, &(iso_question){.level = level, .options = "sieve=no"}, &result);
    for (uint32_t i = 0; i < result.n_counters; i++) {
        if (strcmp(result.counter[i].name, "rows of bits") == 0) {
            return result.counter[i].value;
        }
    }
    return 0;
}

static void heavy(uint64_t rounds) {
    static const char what[] = "naive, heavy transactions";
    if (skip_unselected(what)) {
        return;
    }
    iso_agreement a = {.what = what, .checkers = "naive awdit", .levels = NAIVE, .need_certificates = true}, rows = a;
    uint64_t with_rows[ISO_MOST_LEVELS] = {0};
    rows.options = "sieve=no";
    for (uint64_t seed = seed_or(1), end = seed + rounds; seed < end && !a.failed; seed++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        const isolab_history *h = dense(&pool, seed);
        iso_agree(&a, &env, h, seed);
        iso_agree(&rows, &env, h, seed);
        for (iso_level l = ISO_RC_PLUME; l <= ISO_CC; l++) {
            with_rows[l] += rows_of(&pool, h, l) > 0;
        }
        iso_pool_free(&pool);
    }
    iso_agree_report(&a);
    iso_agree_report(&rows);
    for (iso_level l = ISO_RC_PLUME; l <= ISO_CC; l++) { /* cc: where few transactions happen before another */
        uint64_t least = l == ISO_CC ? rounds / 8 : rounds / 2;
        ok(a.level_satisfied[l] > 0 && a.level_violated[l] > 0 && with_rows[l] > least,
           "%s: both verdicts (%llu, %llu), and rows of bits in %llu of %llu", iso_level_get(l)->name,
           (unsigned long long)a.level_satisfied[l], (unsigned long long)a.level_violated[l],
           (unsigned long long)with_rows[l], (unsigned long long)rounds);
    }
}

/* With any number of threads the verdict and the certificate are the same. */
static void threads(uint64_t rounds) {
    uint64_t wrong = 0, compared = 0;
    for (uint64_t seed = seed_or(1), end = seed + rounds; seed < end; seed++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        const isolab_history *h = iso_random_small(
            &pool, seed, &(iso_small_shape){.txns = 40, .ops = 24, .keys = 9, .sessions = 9, .aborted = true});
        for (iso_level level = ISO_INT; level <= ISO_CC; level++) {
            const char *before = NULL;
            isolab_verdict verdict = ISOLAB_UNKNOWN;
            for (unsigned n = 1; n <= 4; n++) { /* 1, 2, 3 and 3 again */
                iso_question question = {.level = level, .threads = n < 4 ? n : 3, .certificate = true};
                iso_result result;
                iso_result_init(&result, &pool);
                iso_check(iso_checker_find("awdit"), h, &question, &result);
                size_t size;
                char *text = iso_certificate_text(&pool, h, &question, &result, &size);
                wrong += n > 1 && result.verdict != verdict;
                wrong += iso_verify(&pool, h, text, size) != 0;
                wrong += n > 1 && strcmp(text, before) != 0;
                verdict = result.verdict;
                before = text;
                compared++;
            }
        }
        iso_pool_free(&pool);
    }
    ok(wrong == 0, "threads change nothing (%llu runs)", (unsigned long long)compared);
}

static void run(void *arg) {
    (void)arg;
    threads(iso_agree_rounds(40, 1000, 25000));
    iso_agreement small = {.what = "all histories of 3 transactions of 2 operations on 2 keys",
                           .checkers = "brute awdit",
                           .levels = WEAK,
                           .need_certificates = true};
    iso_agree_all(&small, &env, &(iso_enumeration){.txns = 3, .ops = 2, .keys = 2, .parts = iso_agree_parts(40, 4, 1)});
    iso_agree_report(&small);

    uint64_t n = iso_agree_rounds(2000, 40000, 1250000);
    shaped("brute, random", "brute awdit", WEAK, false, n,
           &(iso_small_shape){.txns = 6, .ops = 5, .keys = 3, .sessions = 4});
    shaped("brute, aborted and indeterminate, wild", "brute awdit", WEAK, false, n,
           &(iso_small_shape){
               .txns = 6, .ops = 5, .keys = 2, .sessions = 3, .aborted = true, .indeterminate = true, .wild = true});
    shaped("brute, one session", "brute awdit", WEAK, false, n,
           &(iso_small_shape){.txns = 6, .ops = 5, .keys = 3, .sessions = 1});
    shaped("brute, every anomaly", "brute awdit", WEAK, true, n / 4,
           &(iso_small_shape){.txns = 6, .ops = 5, .keys = 3, .sessions = 3, .aborted = true, .wild = true});
    shaped("naive, more transactions", "naive awdit", NAIVE, false, n / 4,
           &(iso_small_shape){.txns = 24, .ops = 6, .keys = 5, .sessions = 6, .aborted = true, .indeterminate = true});
    shaped("naive, a session for each transaction", "naive awdit", NAIVE, false, n / 4,
           &(iso_small_shape){.txns = 20, .ops = 6, .keys = 4, .sessions = 40});
    iso_agreement patterns = {.what = "naive, names of anomalies",
                              .checkers = "naive awdit",
                              .levels = NAIVE,
                              .all = true,
                              .same = same_patterns};
    iso_agree_random(&patterns, &env, seed_or(7), n / 4,
                     &(iso_small_shape){.txns = 8, .ops = 5, .keys = 4, .sessions = 4, .aborted = true, .wild = true});
    iso_agree_report(&patterns);
    stores(iso_agree_rounds(40, 600, 10000));
    fans(iso_agree_rounds(100, 2000, 50000));
    heavy(iso_agree_rounds(40, 100, 2500));
    rows(n / 4);
    shaped("naive, long transactions", "naive awdit", NAIVE, false, n / 40,
           &(iso_small_shape){.txns = 12, .ops = 300, .keys = 40, .sessions = 4});
}

int main(void) { return run_guarded(&env, run); }
