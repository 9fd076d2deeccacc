/* Tests the slices of shrink/edit.c and the prefixes of shrink/prefix.c, where values repeat: if a history satisfies a
 * level by brute, then so does every slice, so a slice that violates it accuses no innocent transaction. Times count
 * only at the levels that order by them: elsewhere a read may be from a write that began after it. */
#include "base/random.h"
#include "checkers/checker.h"
#include "generators/random_small.h"
#include "shrink/edit.h"
#include "shrink/prefix.h"
#include "tests/agree.h"
#include "tests/guarded.h"
#include "tests/seed.h"

static iso_env env;

typedef struct tally {
    uint64_t slices, wrong, shorter; /* shorter: reads were left out with their writes */
} tally;

static isolab_verdict ask(iso_pool *pool, const isolab_history *h, iso_level level) {
    iso_result r;
    iso_result_init(&r, pool);
    iso_check(iso_checker_find("brute"), h, &(iso_question){.level = level}, &r);
    return r.verdict;
}

static void compare(iso_pool *pool, const isolab_history *part, iso_level level, uint64_t seed, tally *t) {
    bool wrong = ask(pool, part, level) != ISOLAB_SATISFIED;
    t->slices++;
    t->wrong += wrong;
    if (wrong && t->wrong == 1) {
        diag("seed %llu, %s", (unsigned long long)seed, iso_level_get(level)->name);
        iso_agree_print(&env, part);
    }
}

/* Leaves out random transactions or operations, and in histories with all times what came after an instant. */
static void test(uint64_t seed, bool times, tally *t) {
    iso_pool pool;
    iso_pool_init(&pool, &env);
    iso_rng rng = {seed};
    iso_small_shape shape = {.txns = 6,
                             .ops = 3,
                             .keys = 2,
                             .sessions = 3,
                             .duplicates = true,
                             .all_times = times,
                             .times = times,
                             .aborted = seed % 3 == 0,
                             .indeterminate = seed % 5 == 0,
                             .lists = seed % 7 == 0};
    const isolab_history *h = iso_random_small(&pool, seed, &shape);
    uint8_t *no_txn = ISO_ZNEW(&pool, uint8_t, h->n_txns), *no_op = ISO_ZNEW(&pool, uint8_t, h->n_ops);
    uint32_t gone = 0;
    for (uint32_t i = 0; i < h->n_txns; i++) {
        no_txn[i] = seed % 2 == 0 && iso_random_below(&rng, 3) == 0;
    }
    for (uint32_t o = 0; o < h->n_ops; o++) {
        no_op[o] = seed % 2 == 1 && iso_random_below(&rng, 3) == 0;
        gone += no_op[o] || no_txn[h->op_txn[o]];
    }
    iso_edit e = ISO_NO_EDIT;
    e.no_txn = no_txn;
    e.no_op = no_op;
    e.slice = true;
    const isolab_history *slice = iso_edited(&pool, h, &e);
    uint32_t n;
    int64_t *instant = iso_prefix_instants(&pool, h, &n);
    for (int l = 0; l < iso_n_levels; l++) {
        if ((times && !iso_level_is_timed(l)) || ask(&pool, h, l) != ISOLAB_SATISFIED) {
            continue;
        }
        t->shorter += slice->n_ops + gone < h->n_ops;
        compare(&pool, slice, l, seed, t);
        for (uint32_t i = 0; instant != NULL && i < n; i++) {
            compare(&pool, iso_prefix(&pool, h, instant[i]), l, seed, t);
        }
    }
    iso_pool_free(&pool);
}

static void tests(void *arg) {
    (void)arg;
    uint64_t first = seed_or(1), rounds = iso_agree_rounds(2000, 6000, 1000000);
    for (int times = 0; times < 2; times++) {
        tally t = {0};
        for (uint64_t i = 0; i < rounds; i++) {
            test(first + i, times, &t);
        }
        ok(t.wrong == 0 && t.shorter > 0, "%s times: %llu slices of satisfied histories, %llu violated (seed %llu)",
           times ? "with" : "without", (unsigned long long)t.slices, (unsigned long long)t.wrong,
           (unsigned long long)first);
    }
}

int main(void) { return run_guarded(&env, tests); }
