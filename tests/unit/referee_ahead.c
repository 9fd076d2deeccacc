/* Tests experiments/referee/ahead.c and the causes of experiments/referee/finding.c: a history that was made ahead is
 * the one that would be made when it is needed, and they come in their order; a disagreement with all features of an
 * earlier one and its smallest history is explained by it. */
#include <string.h>

#include "experiments/referee/referee.h"
#include "history/copy.h"
#include "tests/guarded.h"
#include "tests/seed.h"
#include "tests/tap.h"

enum { SOME = 40, ROOM = 7 };

static iso_env env;
static iso_pool *pool; /* of the whole run */

static iso_referee *referee(uint64_t seed) {
    iso_referee *r = ISO_ZNEW(pool, iso_referee, 1);
    *r = (iso_referee){.env = &env, .pool = pool, .seed = seed, .random = true, .random_only = true};
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

/* Idle work is done before every third history, as much as there is room for. */
static void test_ahead(uint64_t seed) {
    iso_referee *now = referee(seed), *ahead = referee(seed);
    iso_pool one, other;
    iso_pool_init(&one, &env);
    iso_pool_init(&other, &env);
    unsigned same = 0, numbers = 0, made = 0;
    ahead->ahead = iso_ahead_new(pool, ROOM);
    ahead->count = SOME;
    for (unsigned i = 0; i < SOME; i++) {
        while (i % 3 == 0 && iso_ahead_work(ahead)) {
            made++;
        }
        iso_origin a, b;
        const isolab_history *x = iso_ahead_take(now, &one, &a), *y = iso_ahead_take(ahead, &other, &b);
        same += is_same(x, y);
        numbers += a.number == i && b.number == i && a.kind == b.kind;
        iso_pool_free(&one);
        iso_pool_free(&other);
    }
    cmp_ok(same, "==", SOME, "histories made ahead are the same ones");
    cmp_ok(numbers, "==", SOME, "in the same order");
    cmp_ok(made, ">", SOME / 2, "and most of them were made ahead");
    cmp_ok(iso_ahead_work(ahead), "==", false, "none is made that is not asked for");
    ahead->count = 0;
    for (made = 0; iso_ahead_work(ahead); made++) {
    }
    cmp_ok(made, "==", ROOM, "nor more than there is room for");
    ahead->random_only = false;
    iso_origin origin;
    iso_ahead_take(ahead, &other, &origin);
    cmp_ok(iso_ahead_work(ahead), "==", false, "nor while there are histories of other sources");
    iso_pool_free(&other);
    iso_ahead_end(ahead->ahead);
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
    test_causes();
}

int main(void) { return run_guarded(&env, test); }
