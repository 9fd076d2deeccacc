/* Tests checkers/strong/anneal.c, the only stage that may look for an order here, beside the search:
 *
 * - small histories of few values: what `strong` answers is what `brute` says, with a valid certificate, and most of
 *   the satisfied ones are decided by the stage;
 * - histories of a serial store, of the shape for which it was made: it finds an order of each, and says itself that no
 *   read is stale exactly if it does (so what it counts move by move is what its order has);
 * - which histories it leaves alone. */
#include <string.h>

#include "base/random.h"
#include "certificates/certificate.h"
#include "checkers/checker.h"
#include "history/builder.h"
#include "tests/agree.h"
#include "tests/guarded.h"
#include "tests/seed.h"
#include "verify/verify.h"

static iso_env env;

static const char alone[] = "execute=anneal,guess=no,direct=no,serial=no,saturate=no";

typedef struct answer {
    isolab_verdict verdict;
    bool ran, counted, found, valid; /* counted: it says that no read is stale */
    uint32_t n_order;
} answer;

static answer ask(iso_pool *pool, const isolab_history *h, iso_level level, bool sessions, const char *options) {
    iso_question question = {
        .level = level, .limit = 1, .certificate = true, .no_session_order = !sessions, .options = options};
    iso_result result;
    answer a = {.ran = false};
    size_t size;
    iso_result_init(&result, pool);
    iso_check(iso_checker_find("strong"), h, &question, &result);
    for (unsigned i = 0; i < result.n_counters; i++) {
        if (strcmp(result.counter[i].name, "stale") == 0) {
            a.ran = true;
            a.counted = result.counter[i].value == 0;
        }
    }
    char *text = iso_certificate_text(pool, h, &question, &result, &size);
    a.verdict = result.verdict;
    a.found = result.n_phases > 0 && strcmp(result.phase[result.n_phases - 1].name, "anneal") == 0;
    a.valid = text != NULL && iso_verify(pool, h, text, size) == 0;
    a.n_order = result.n_order;
    return a;
}

/* ---- small histories, and brute ---- */

typedef struct tally {
    uint64_t ran, satisfied, found, differ, invalid, miscounted;
} tally;

static void test_small(tally *y, uint64_t seed, const iso_small_shape *shape) {
    static const iso_level levels[] = {ISO_SER, ISO_SI, ISO_PC};
    iso_level level = levels[seed % 3];
    bool sessions = seed % 4 != 0 || level == ISO_PC;
    iso_pool pool;
    iso_result brute;
    iso_pool_init(&pool, &env);
    const isolab_history *h = iso_random_small(&pool, seed, shape);
    iso_result_init(&brute, &pool);
    iso_check(iso_checker_find("brute"), h, &(iso_question){.level = level, .no_session_order = !sessions}, &brute);
    answer a = ask(&pool, h, level, sessions, alone);
    y->ran += a.ran;
    y->satisfied += a.ran && brute.verdict == ISOLAB_SATISFIED && level == ISO_SER;
    y->found += a.found && level == ISO_SER;
    y->differ += a.verdict != brute.verdict;
    y->invalid += !a.valid;
    y->miscounted += a.ran && a.counted != a.found;
    iso_pool_free(&pool);
}

static void small(const char *what, iso_small_shape shape, uint64_t rounds) {
    tally y = {0};
    uint64_t first = seed_or(1);
    for (uint64_t i = 0; i < rounds; i++) {
        test_small(&y, first + i, &shape);
    }
    diag("%s, seed %llu: ran %llu times, %llu of %llu orders", what, (unsigned long long)first,
         (unsigned long long)y.ran, (unsigned long long)y.found, (unsigned long long)y.satisfied);
    ok(y.differ == 0, "%s: the verdicts are those of brute", what);
    ok(y.invalid == 0, "%s: each verdict has a valid certificate", what);
    ok(y.miscounted == 0 && y.ran > 0, "%s: no read is stale exactly where an order is found", what);
    ok(y.found * 100 >= y.satisfied * 95 && y.found > 0, "%s: where there is a serial order, the stage finds one",
       what);
}

/* ---- histories of a serial store ---- */

typedef struct store {
    uint32_t sessions, txns, ops, keys, values;
    uint32_t wrong; /* reads that return another value than their key holds */
} store;

static uint32_t below(iso_rng *rng, uint32_t n) { return (uint32_t)iso_random_below(rng, n); }

static const isolab_history *make(iso_pool *pool, uint64_t seed, const store *how) {
    iso_rng rng = {seed};
    iso_builder *b = iso_builder_new(pool);
    uint32_t *held = ISO_ZNEW(pool, uint32_t, how->keys), *key = ISO_NEW(pool, uint32_t, how->keys);
    uint32_t *session = ISO_NEW(pool, uint32_t, how->sessions);
    for (uint32_t k = 0; k < how->keys; k++) {
        key[k] = iso_builder_key(b, iso_atom_int(k));
    }
    for (uint32_t s = 0; s < how->sessions; s++) {
        session[s] = iso_builder_session(b, iso_atom_nil());
    }
    for (uint32_t i = 0; i < how->txns; i++) {
        uint32_t t = iso_builder_txn(b, session[below(&rng, how->sessions)], iso_atom_nil(), ISO_COMMITTED);
        for (uint32_t n = 0; n < how->ops; n++) {
            uint32_t k = below(&rng, how->keys);
            if (below(&rng, 2) == 0) {
                held[k] = 1 + below(&rng, how->values);
                iso_builder_op(b, t, ISO_WRITE, key[k], iso_atom_int(held[k]));
            } else {
                uint32_t returned = held[k] + (i < how->wrong);
                iso_builder_op(b, t, ISO_READ, key[k], returned == 0 ? iso_atom_nil() : iso_atom_int(returned));
            }
        }
    }
    return iso_builder_finish(b);
}

static void stores(const char *what, store how, uint64_t rounds) {
    uint64_t first = seed_or(1), found = 0, invalid = 0, miscounted = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        iso_level level = i % 3 == 0 ? ISO_SI : ISO_SER;
        answer a = ask(&pool, make(&pool, first + i, &how), level, true, alone);
        found += a.found;
        invalid += a.found && (!a.valid || a.verdict != ISOLAB_SATISFIED || a.n_order != how.txns);
        miscounted += a.counted != a.found;
        iso_pool_free(&pool);
    }
    ok(found == rounds, "%s: %llu of %llu orders are found", what, (unsigned long long)found,
       (unsigned long long)rounds);
    ok(invalid == 0 && miscounted == 0, "%s: each has a valid certificate, and no stale read", what);
}

/* ---- which histories it is for ---- */

static void borders(iso_pool *pool) {
    store few = {.sessions = 5, .txns = 60, .ops = 12, .keys = 20, .values = 2};
    const isolab_history *h = make(pool, 1, &few);
    ok(ask(pool, h, ISO_SER, true, alone).ran, "few values");
    ok(!ask(pool, h, ISO_SSER, true, alone).ran, "not real time");
    ok(!ask(pool, h, ISO_SER, true, "execute=turns").ran, "not if it is left out");
    few.values = 200;
    h = make(pool, 1, &few);
    ok(ask(pool, h, ISO_SER, true, alone).ran, "many values, alone");
    ok(!ask(pool, h, ISO_SER, true, NULL).ran, "many values are left to the other stages");
    few.values = 2;
    few.wrong = 1;
    h = make(pool, 2, &few);
    ok(!ask(pool, h, ISO_SER, true, NULL).ran, "nor does it look for an order of what is refuted before");
}

static void tests(void *pool) {
    uint64_t rounds = iso_agree_rounds(400, 2000, 100000);
    iso_small_shape shape = {.txns = 6, .ops = 4, .keys = 2, .sessions = 3, .duplicates = true};
    small("two keys", shape, rounds);
    shape.aborted = true;
    shape.indeterminate = true;
    shape.keys = 3;
    small("three keys, with aborted transactions", shape, rounds);
    shape.sessions = 6;
    shape.wild = true;
    small("any reads", shape, rounds / 2);
    rounds = iso_agree_rounds(6, 20, 200);
    stores("two values", (store){.sessions = 6, .txns = 80, .ops = 16, .keys = 60, .values = 2}, rounds);
    stores("three values", (store){.sessions = 10, .txns = 100, .ops = 10, .keys = 40, .values = 3}, rounds);
    borders(pool);
}

int main(void) { return run_guarded(&env, tests); }
