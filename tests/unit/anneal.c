/* Tests checkers/anneal/: cool.c and beam.c, each alone:
 *
 * - small histories of few values: an order is found only where `brute` finds one, with a valid certificate, and most
 *   of the satisfied ones are decided by the stage, at ser, si and pc;
 * - histories of a store that keeps si and not ser, found by annealing in two parts;
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

#define READINGS 200000 /* of the clock, one for 256 ticks: ten times what a history needs here */

static const char by_beam[] = "only=beam", by_serial[] = "only=serial", by_parts[] = "only=parts";

/* Returns the option for the last stage of a level. */
static const char *alone(iso_level level) { return level == ISO_SER ? by_serial : by_parts; }

typedef struct answer {
    isolab_verdict verdict;
    bool ran, counted, found, valid; /* counted: it says that no read is stale */
    bool beam;                       /* the executions before annealing ran */
    uint32_t n_order;
} answer;

static answer ask(iso_pool *pool, const isolab_history *h, iso_level level, bool sessions, const char *options) {
    iso_question question = {
        .level = level, .limit = 1, .certificate = true, .no_session_order = !sessions, .options = options};
    iso_result result;
    answer a = {.ran = false};
    size_t size;
    iso_result_init(&result, pool);
    iso_now_step = 1;
    env.limits->deadline = iso_now() + READINGS;
    iso_check(iso_checker_find("anneal"), h, &question, &result);
    env.limits->deadline = 0;
    iso_now_step = 0;
    for (unsigned i = 0; i < result.n_counters; i++) {
        if (strncmp(result.counter[i].name, "stale", 5) == 0) {
            a.ran = true;
            a.counted = result.counter[i].value == 0;
        }
    }
    for (unsigned i = 0; i < result.n_counters; i++) {
        const char *name = result.counter[i].name;
        a.beam |= strcmp(name, "beam") == 0 || strcmp(name, "thrifty") == 0;
    }
    char *text = iso_certificate_text(pool, h, &question, &result, &size);
    a.verdict = result.verdict;
    a.found = result.verdict == ISOLAB_SATISFIED;
    a.valid = !a.found || (text != NULL && iso_verify(pool, h, text, size) == 0);
    a.n_order = result.n_order;
    return a;
}

/* ---- small histories, and brute ---- */

typedef struct tally {
    uint64_t ran, satisfied, found, differ, invalid, miscounted;
} tally;

static void test_small(tally *y, uint64_t seed, const iso_small_shape *shape, bool beam) {
    static const iso_level levels[] = {ISO_SER, ISO_SI, ISO_PC};
    iso_level level = levels[seed % 3];
    const char *options = beam ? by_beam : alone(level);
    bool sessions = seed % 4 != 0 || level == ISO_PC;
    iso_pool pool;
    iso_result brute;
    iso_pool_init(&pool, &env);
    const isolab_history *h = iso_random_small(&pool, seed, shape);
    iso_result_init(&brute, &pool);
    iso_check(iso_checker_find("brute"), h, &(iso_question){.level = level, .no_session_order = !sessions}, &brute);
    answer a = ask(&pool, h, level, sessions, options);
    y->ran += a.ran;
    y->satisfied += (a.ran || a.beam) && brute.verdict == ISOLAB_SATISFIED;
    y->found += a.found;
    y->differ += a.found && a.verdict != brute.verdict;
    y->invalid += !a.valid;
    y->miscounted += a.ran && a.counted != a.found;
    iso_pool_free(&pool);
}

/* Random histories of a shape; by the beam, too, which finds only serial orders, and not all. */
static void small(const char *what, iso_small_shape shape, uint64_t rounds) {
    tally y = {0}, beam = {0};
    uint64_t first = seed_or(1);
    for (uint64_t i = 0; i < rounds; i++) {
        test_small(&y, first + i, &shape, false);
        test_small(&beam, first + i, &shape, true);
    }
    diag("%s, by the beam: %llu of %llu orders", what, (unsigned long long)beam.found,
         (unsigned long long)beam.satisfied);
    ok(beam.differ == 0 && beam.invalid == 0, "%s: by the beam, orders are those of brute, and valid", what);
    ok(beam.found * 10 >= beam.satisfied && beam.found > 0, "%s: the beam finds at least a tenth of the orders", what);
    diag("%s, seed %llu: ran %llu times, %llu of %llu orders", what, (unsigned long long)first,
         (unsigned long long)y.ran, (unsigned long long)y.found, (unsigned long long)y.satisfied);
    ok(y.differ == 0, "%s: orders are found only where brute finds one", what);
    ok(y.invalid == 0, "%s: each verdict has a valid certificate", what);
    ok(y.miscounted == 0 && y.ran > 0, "%s: no read is stale exactly where an order is found", what);
    ok(y.found * 100 >= y.satisfied * 95 && y.found > 0, "%s: where there is an order, the stage finds one", what);
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

/* A store of si: transactions read when they start, and write when they commit, or are not recorded if another one has
 * written one of their keys since. `open` transactions run at once. */
static const isolab_history *make_si(iso_pool *pool, uint64_t seed, const store *how, uint32_t open) {
    iso_rng rng = {seed};
    iso_builder *b = iso_builder_new(pool);
    uint32_t *held = ISO_ZNEW(pool, uint32_t, how->keys), *written = ISO_ZNEW(pool, uint32_t, how->keys);
    uint32_t *started = ISO_ZNEW(pool, uint32_t, open), committed = 0;
    /* by running transaction and operation: its key, and 1 + the value that it reads (0: it writes) */
    uint32_t *key = ISO_ZNEW(pool, uint32_t, open * how->ops), *read = ISO_ZNEW(pool, uint32_t, open * how->ops);
    for (uint32_t s = 0; s < open; s++) {
        iso_builder_session(b, iso_atom_int(s));
    }
    for (uint32_t k = 0; k < how->keys; k++) {
        iso_builder_key(b, iso_atom_int(k));
    }
    for (uint32_t now = 1; committed < how->txns; now++) {
        uint32_t s = below(&rng, open), *keys = key + s * how->ops, *reads = read + s * how->ops;
        bool aborts = started[s] == 0;
        for (uint32_t n = 0; n < how->ops; n++) {
            aborts |= reads[n] == 0 && written[keys[n]] > started[s];
        }
        uint32_t t = aborts ? ISO_NONE : iso_builder_txn(b, s, iso_atom_nil(), ISO_COMMITTED);
        for (uint32_t n = 0; n < how->ops && !aborts; n++) {
            if (reads[n] == 0) {
                held[keys[n]] = 1 + below(&rng, how->values);
                written[keys[n]] = now;
                iso_builder_op(b, t, ISO_WRITE, keys[n], iso_atom_int(held[keys[n]]));
            } else {
                iso_builder_op(b, t, ISO_READ, keys[n], reads[n] == 1 ? iso_atom_nil() : iso_atom_int(reads[n] - 1));
            }
        }
        committed += !aborts;
        started[s] = now;
        for (uint32_t n = 0; n < how->ops; n++) { /* the keys of a transaction differ */
            keys[n] = (n == 0 ? below(&rng, how->keys) : keys[n - 1] + 1 + below(&rng, 6)) % how->keys;
            reads[n] = below(&rng, 2) == 0 ? 0 : 1 + held[keys[n]];
        }
    }
    return iso_builder_finish(b);
}

static void si_stores(const char *what, store how, uint64_t rounds) {
    uint64_t first = seed_or(1), found = 0, invalid = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        iso_level level = i % 3 == 0 ? ISO_PC : ISO_SI;
        answer a = ask(&pool, make_si(&pool, first + i, &how, 5), level, true, by_parts);
        found += a.found;
        invalid += a.found && (!a.valid || a.verdict != ISOLAB_SATISFIED || a.n_order != how.txns);
        iso_pool_free(&pool);
    }
    ok(found == rounds, "%s: %llu of %llu orders are found", what, (unsigned long long)found,
       (unsigned long long)rounds);
    ok(invalid == 0, "%s: each has a valid certificate", what);
}

static void stores(const char *what, store how, uint64_t rounds) {
    uint64_t first = seed_or(1), found = 0, invalid = 0, miscounted = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        iso_level level = i % 3 == 0 ? ISO_SI : ISO_SER;
        answer a = ask(&pool, make(&pool, first + i, &how), level, true, by_serial);
        found += a.found;
        invalid += a.found && (!a.valid || a.verdict != ISOLAB_SATISFIED || a.n_order != how.txns);
        miscounted += a.counted != a.found;
        iso_pool_free(&pool);
    }
    ok(found == rounds, "%s: %llu of %llu orders are found", what, (unsigned long long)found,
       (unsigned long long)rounds);
    ok(invalid == 0 && miscounted == 0, "%s: each has a valid certificate, and no stale read", what);
}

/* Histories of which the executions before annealing find an order alone. */
static void beams(const char *what, store how, uint64_t rounds) {
    uint64_t first = seed_or(1), found = 0, invalid = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        answer a = ask(&pool, make(&pool, first + i, &how), i % 3 == 0 ? ISO_SI : ISO_SER, true, by_beam);
        found += a.found;
        invalid += a.found && (!a.valid || a.ran || a.n_order != how.txns);
        iso_pool_free(&pool);
    }
    ok(found == rounds && invalid == 0, "%s: %llu of %llu orders are found", what, (unsigned long long)found,
       (unsigned long long)rounds);
}

/* ---- which histories it is for ---- */

static void borders(iso_pool *pool) {
    store few = {.sessions = 5, .txns = 60, .ops = 12, .keys = 20, .values = 2};
    const isolab_history *h = make(pool, 1, &few);
    ok(ask(pool, h, ISO_SER, true, NULL).found, "few values");
    ok(!ask(pool, h, ISO_SSER, true, NULL).ran, "not real time");
    few.values = 200;
    h = make(pool, 1, &few);
    ok(ask(pool, h, ISO_SER, true, by_serial).ran, "many values, alone");
    ok(!ask(pool, h, ISO_SER, true, NULL).ran, "many values are refused");
    few.values = 2;
    few.wrong = 1;
    h = make(pool, 2, &few);
    ok(ask(pool, h, ISO_SER, true, NULL).verdict == ISOLAB_UNKNOWN, "a history without an order is unknown");
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
    rounds = iso_agree_rounds(3, 5, 50);
    si_stores("two values at si", (store){.txns = 60, .ops = 6, .keys = 40, .values = 2}, rounds);
    beams("five values in many sessions", (store){.sessions = 100, .txns = 300, .ops = 20, .keys = 50, .values = 5},
          rounds);
    borders(pool);
}

int main(void) { return run_guarded(&env, tests); }
