/* Tests experiments/referee/ahead.c and the causes of experiments/referee/finding.c: a history that was made ahead is
 * the one that would be made when it is needed, and they come in their order; a disagreement with all features of an
 * earlier one and its smallest history is explained by it. */
#include <string.h>

#include "experiments/referee/run.h"
#include "history/copy.h"
#include "tests/guarded.h"
#include "tests/seed.h"
#include "tests/tap.h"

enum { SOME = 40, ROOM = 7 };

static iso_env env;
static iso_pool *pool; /* of the whole run */

static iso_referee *referee(uint64_t seed) {
    iso_referee *r = ISO_ZNEW(pool, iso_referee, 1);
    *r = (iso_referee){.env = &env, .pool = pool, .options = {.seed = seed, .random = true}, .random_only = true};
    r->n_foreign = 1;
    r->n_questions = 1;
    r->questions[0].level = ISO_RA;
    r->n_parties = 2;
    return r;
}

static bool is_same(const isolab_history *a, const isolab_history *b) {
    return a->n_ops == b->n_ops && a->n_txns == b->n_txns &&
           memcmp(a->op_version, b->op_version, a->n_ops * sizeof *a->op_version) == 0 &&
           memcmp(a->op_key, b->op_key, a->n_ops * sizeof *a->op_key) == 0 &&
           memcmp(a->txn_session, b->txn_session, a->n_txns * sizeof *a->txn_session) == 0;
}

/* Takes and gives back in pieces of different sizes, as a run with batches does. */
static void test_ahead(uint64_t seed) {
    iso_referee *now = referee(seed), *ahead = referee(seed);
    iso_pool one;
    iso_pool_init(&one, &env);
    iso_pool_init(&now->steering.pool, &env);
    unsigned same = 0, numbers = 0;
    ahead->options.count = SOME;
    iso_ahead_begin(ahead, ROOM);
    ok(ahead->ahead != NULL, "a thread makes histories");
    for (unsigned i = 0, held = 0, most = 1; i < SOME; i++) {
        iso_origin a, b;
        const isolab_history *x = iso_ahead_take(now, &one, &a), *y = iso_ahead_take(ahead, NULL, &b);
        same += is_same(x, y);
        numbers += a.number == i && b.number == i && a.kind == b.kind;
        iso_pool_free(&one);
        if (++held == most) {
            iso_ahead_done(ahead->ahead);
            held = 0;
            most = most % ROOM + 1;
        }
    }
    cmp_ok(same, "==", SOME, "histories made ahead are the same ones");
    cmp_ok(numbers, "==", SOME, "in the same order");
    cmp_ok(memcmp(now->pairs, ahead->pairs, sizeof now->pairs), "==", 0, "with the same count of features");
    iso_ahead_end(ahead->ahead);
    ahead->ahead = NULL;
    ahead->options.count = 0;
    iso_ahead_begin(ahead, ROOM);
    iso_ahead_end(ahead->ahead);
    pass("the thread ends although its histories were not taken");
    iso_pool_free(&now->steering.pool);
}

static void take_late(void *arg) {
    iso_referee *r = arg;
    iso_origin origin;
    while (iso_ahead_take(r, NULL, &origin) != NULL) {
        iso_ahead_done(r->ahead);
    }
}

/* A limit of the run, and an error of the thread, are thrown where a history is wanted. */
static void test_limits(uint64_t seed) {
    iso_referee *r = referee(seed);
    iso_ahead_begin(r, ROOM);
    cmp_ok(iso_guard_until(&env, iso_now() + 50000000, take_late, r), "==", ISOLAB_E_LIMIT, "a limit of time ends it");
    iso_ahead_end(r->ahead);
    r->ahead = NULL;
    env.limits->memory = env.limits->used + 20000; /* the thread has limits of its own, and the rest of this one */
    iso_ahead_begin(r, ROOM);
    env.limits->memory = 0;
    cmp_ok(iso_guard(&env, take_late, r), "==", ISOLAB_E_LIMIT, "what ends the thread ends the run");
    like(env.error.message, "^memory limit reached", "with the same words");
    iso_ahead_end(r->ahead);
}

/* A class has a cause for each smallest history that has not all features of another one. */
static void test_causes(void) {
    iso_class c = {.question = 0};
    ok(!iso_class_explains(&c, 7), "nothing is explained at first");
    iso_class_cause(&c, 3);
    ok(iso_class_explains(&c, 7) && iso_class_explains(&c, 3), "a history with all features of a smallest one is");
    ok(!iso_class_explains(&c, 5), "one that lacks some is not");
    iso_class_cause(&c, 7);
    cmp_ok(c.n_causes, "==", 1, "a larger cause adds nothing");
    for (uint32_t f = 2; f < 31; f++) {
        iso_class_cause(&c, (uint32_t)1 << f);
    }
    cmp_ok(c.n_causes, "==", ISO_CAUSES, "there is an end of them");
}

static void test(void *arg) {
    pool = arg;
    uint64_t seed = seed_or(1);
    diag("seed %llu", (unsigned long long)seed);
    test_ahead(seed);
    test_limits(seed);
    test_causes();
}

int main(void) { return run_guarded(&env, test); }
