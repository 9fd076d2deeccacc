/* Tests iso_history_names() (history/history.h): whether two transactions have the same id, against comparing all of
 * them. Ids are dense or far apart, in any order, negative, larger than any signed number, strings, and missing. */
#include <inttypes.h>
#include <stdio.h>

#include "base/random.h"
#include "history/builder.h"
#include "tests/agree.h"
#include "tests/guarded.h"
#include "tests/seed.h"

static iso_env env;

enum { TXNS = 40 };

/* An id of kind `kind` near or far from others. */
static iso_atom any_id(iso_builder *b, iso_rng *rng, unsigned kind, uint64_t range) {
    char text[32];
    uint64_t number = iso_random_below(rng, range);
    switch (kind) {
    case 0:
        return iso_atom_int((int64_t)number);
    case 1:
        return iso_atom_int((int64_t)number - (int64_t)(range / 2));
    case 2:
        return iso_atom_uint(UINT64_MAX - number);
    case 3:
        return iso_atom_int(INT64_MIN + (int64_t)number);
    case 4:
        return iso_atom_nil();
    default:
        return iso_builder_string(b, text, (size_t)snprintf(text, sizeof text, "%" PRIu64, number));
    }
}

static bool repeats(const isolab_history *h) {
    for (uint32_t t = 0; t < h->n_txns; t++) {
        for (uint32_t u = 0; u < t; u++) {
            iso_atom a = iso_txn_name(h, t), b = iso_txn_name(h, u);
            if (a.kind != ISO_ATOM_NIL && iso_atom_equal(a, b)) {
                return true;
            }
        }
    }
    return false;
}

/* kinds: how many kinds of ids there are. */
static void on(const char *what, unsigned first_kind, unsigned kinds, uint64_t range, uint64_t rounds) {
    uint64_t first = seed_or(1), wrong = 0, repeated = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        iso_rng rng = {first + i};
        iso_pool pool;
        iso_pool_init(&pool, &env);
        iso_builder *b = iso_builder_new(&pool);
        uint32_t session = iso_builder_session(b, iso_atom_nil());
        for (uint64_t n = iso_random_below(&rng, TXNS); n > 0; n--) {
            unsigned kind = first_kind + (unsigned)iso_random_below(&rng, kinds);
            iso_builder_txn(b, session, any_id(b, &rng, kind, range), ISO_COMMITTED);
        }
        const isolab_history *h = iso_builder_finish(b);
        bool expected = repeats(h);
        repeated += expected;
        wrong += h->names_repeat != expected;
        iso_pool_free(&pool);
    }
    ok(wrong == 0 && repeated > 0 && repeated < rounds, "%s: %" PRIu64 " of %" PRIu64 " histories have an id twice",
       what, repeated, rounds);
}

/* 5,000 numbers counted down, dense or with gaps, with one of them given twice or not. */
static void counted_down(uint64_t step) {
    for (int again = 0; again < 2; again++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        iso_builder *b = iso_builder_new(&pool);
        uint32_t session = iso_builder_session(b, iso_atom_nil());
        for (int64_t i = 5000; i > 0; i--) {
            int64_t id = again == 1 && i == 1 ? 2500 : i;
            iso_builder_txn(b, session, iso_atom_int(id * (int64_t)step), ISO_COMMITTED);
        }
        ok(iso_builder_finish(b)->names_repeat == again, "5,000 ids in steps of %d: %s", (int)step,
           again ? "one is given twice" : "all are different");
        iso_pool_free(&pool);
    }
}

static void tests(void *pool) {
    (void)pool;
    uint64_t rounds = iso_agree_rounds(2000, 10000, 300000);
    on("small numbers", 0, 1, 400, rounds);
    on("negative ones, too", 0, 2, 300, rounds);
    on("large numbers", 2, 1, 300, rounds);
    on("numbers at both ends", 0, 4, 200, rounds);
    on("numbers that are missing", 3, 2, 100, rounds);
    on("strings", 5, 1, 300, rounds);
    on("everything", 0, 6, 60, rounds);
    counted_down(1);
    counted_down(3);
    counted_down(1000003);
}

int main(void) { return run_guarded(&env, tests); }
