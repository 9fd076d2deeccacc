/* Every checker of the table against brute, at every level that it knows, on whatever it does not refuse: a part
 * of all small histories, and random ones with everything that a history can have. A new checker is tested here as
 * soon as it is registered. */
#include <stdlib.h>

#include "tests/agree.h"
#include "tests/changed.h"
#include "tests/guarded.h"
#include "tests/seed.h"

static iso_env env;

static void random_ones(const char *what, iso_small_shape shape, uint64_t quick, uint64_t normal, uint64_t deep) {
    iso_agree_shaped((iso_agreement){.no_sessions = true}, &env, what, iso_agree_rounds(quick, normal, deep), &shape);
}

/* Histories whose initial value is 1, which some transactions write, too. */
static void begun(iso_small_shape shape, uint64_t rounds) {
    iso_agreement a = {.what = "the initial value is written, too", .no_sessions = true};
    uint64_t first = seed_or(1);
    for (uint64_t i = 0; i < rounds; i++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        iso_agree(&a, &env, iso_begun_at(&pool, iso_random_small(&pool, first + i, &shape), 1), first + i);
        iso_pool_free(&pool);
    }
    iso_agree_report(&a);
}

static isolab_verdict by_brute(iso_pool *pool, const isolab_history *h, iso_level level) {
    iso_result result;
    iso_result_init(&result, pool);
    iso_check(iso_checker_find("brute"), h, &(iso_question){.level = level}, &result);
    return result.verdict;
}

/* What aborted transactions repeat changes nothing: the same values are unique, and the same levels satisfied. */
static void retried(iso_small_shape shape, uint64_t rounds) {
    iso_agreement a = {.what = "aborted transactions repeat values", .no_sessions = true};
    uint64_t first = seed_or(1), different = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        const isolab_history *h = iso_random_small(&pool, first + i, &shape), *more = iso_retried(&pool, h);
        iso_agree(&a, &env, more, first + i);
        bool same = more->unique == h->unique;
        for (int l = 0; l < iso_n_levels; l++) {
            same &= by_brute(&pool, more, l) == by_brute(&pool, h, l);
        }
        if (!same) {
            diag("seed %llu", (unsigned long long)(first + i));
        }
        different += !same;
        iso_pool_free(&pool);
    }
    iso_agree_report(&a);
    cmp_ok(different, "==", 0, "%llu histories are what they are without the aborted transactions",
           (unsigned long long)rounds);
}

static void run(void *arg) {
    (void)arg;
    unsigned parts = iso_agree_parts(2000, 200, 10);
    iso_agreement a = {.what = "a part of all small histories", .no_sessions = true};
    iso_enumeration what = {
        .txns = 3, .ops = 2, .keys = 2, .aborted = true, .parts = parts, .part = (unsigned)(seed_or(1) % parts)};
    iso_agree_all(&a, &env, &what);
    iso_agree_report(&a);

    iso_small_shape plain = {
        .txns = 8, .ops = 5, .keys = 3, .sessions = 4, .aborted = true, .indeterminate = true, .times = true};
    iso_small_shape wild = plain, duplicates = plain, lists = plain,
                    tiny = {.txns = 5, .ops = 3, .keys = 2, .sessions = 3, .times = true};
    wild.wild = true;
    duplicates.txns = lists.txns = 6;
    duplicates.duplicates = true;
    lists.lists = true;
    random_ones("random histories", plain, 150, 2000, 100000);
    random_ones("smaller ones", tiny, 150, 2000, 100000);
    random_ones("wild ones", wild, 100, 1000, 100000);
    random_ones("repeated values", duplicates, 60, 600, 20000);
    iso_small_shape begins = duplicates; /* brute tries all writers of all reads: more of them take minutes */
    begins.txns = 4;
    begins.ops = 3;
    begun(begins, iso_agree_rounds(60, 600, 20000));
    retried(plain, iso_agree_rounds(60, 600, 20000));
    retried(begins, iso_agree_rounds(60, 600, 20000));
    random_ones("lists", lists, 100, 1000, 100000);
    retried(lists, iso_agree_rounds(60, 600, 20000));
    iso_small_shape negations = {.txns = 6,
                                 .ops = 4,
                                 .keys = 2,
                                 .sessions = 4,
                                 .aborted = true,
                                 .indeterminate = true,
                                 .times = true,
                                 .negations = true};
    random_ones("reads that exclude a value", negations, 60, 600, 20000);
    negations.duplicates = true;
    random_ones("reads that exclude a value, and repeated values", negations, 60, 600, 20000);
    lists.duplicates = true;
    random_ones("lists with duplicates", lists, 60, 600, 20000);
}

int main(void) { return run_guarded(&env, run); }
