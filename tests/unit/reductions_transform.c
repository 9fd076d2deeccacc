/* Tests reductions/transform.c by `brute`: on all small histories, and on random ones with every feature, the answer at
 * each level that a transformation keeps is the same before and after. And each transformation changes what it says. */
#include <stdio.h>

#include "reductions/transform.h"

#include <string.h>

#include "tests/agree.h"
#include "tests/guarded.h"
#include "tests/parse.h"
#include "tests/seed.h"

static iso_env env;

static isolab_verdict brute(iso_pool *pool, const isolab_history *h, iso_level level) {
    iso_result r;
    iso_result_init(&r, pool);
    iso_check(iso_checker_find("brute"), h, &(const iso_question){.level = level}, &r);
    return r.verdict;
}

typedef struct score {
    const char *words;
    uint64_t seed, histories, compared, wrong, lost; /* lost: levels at which the answer changed, as it may */
    uint64_t violated[ISO_MOST_LEVELS], satisfied[ISO_MOST_LEVELS];
} score;

static bool compare(void *arg, const isolab_history *h) {
    score *s = arg;
    iso_pool pool;
    iso_pool_init(&pool, &env);
    iso_levels kept;
    isolab_history *after = iso_transform_all(&pool, h, s->words, s->seed++, &kept);
    s->histories++;
    for (int l = 0; l < iso_n_levels && s->wrong < 3; l++) {
        isolab_verdict was = brute(&pool, h, (iso_level)l), now = brute(&pool, after, (iso_level)l);
        if (was == ISOLAB_UNKNOWN || now == ISOLAB_UNKNOWN) {
            continue;
        }
        if (!(kept & ISO_LEVEL_BIT(l))) {
            s->lost += was != now;
            continue;
        }
        s->compared++;
        s->violated[l] += was == ISOLAB_VIOLATED;
        s->satisfied[l] += was == ISOLAB_SATISFIED;
        if (was != now) {
            s->wrong++;
            diag("%s --seed %llu at %s: %s before", s->words, (unsigned long long)(s->seed - 1),
                 iso_level_get((iso_level)l)->name, was == ISOLAB_VIOLATED ? "violated" : "satisfied");
            iso_agree_print(&env, h);
            iso_agree_print(&env, after);
        }
    }
    iso_pool_free(&pool);
    return s->wrong < 3;
}

static void report(const score *s, const char *what) {
    ok(s->wrong == 0 && s->compared > 0 && s->violated[ISO_SER] > 0 && s->satisfied[ISO_SER] > 0,
       "%s, %s: %llu histories, %llu answers kept (ser violated: %llu), %llu others changed", s->words, what,
       (unsigned long long)s->histories, (unsigned long long)s->compared, (unsigned long long)s->violated[ISO_SER],
       (unsigned long long)s->lost);
}

static const char *const words[] = {"shuffle", "relabel", "repeat", "pad=2", "split", "split=1", "merge", "merge=2"};

/* Whether the test of a transformation is selected: `ISOLAB_ONLY='^merge=2, all small'`. */
static bool left_out(const char *word, const char *what) {
    char name[128];
    snprintf(name, sizeof name, "%s, %s", word, what);
    return skip_unselected(name);
}

static void all_small(void) {
    static const char small[] = "all small histories";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (left_out(words[i], small)) {
            continue;
        }
        score s = {.words = words[i], .seed = 1};
        iso_pool pool;
        iso_pool_init(&pool, &env);
        iso_enumeration what = {.txns = 3, .ops = 2, .keys = 2, .aborted = true, .parts = iso_agree_parts(40, 8, 0)};
        iso_enumerate(&pool, &what, compare, &s);
        report(&s, small);
        iso_pool_free(&pool);
    }
}

static void random_ones(uint64_t seed) {
    static const iso_small_shape shapes[] = {
        {.txns = 4, .ops = 3, .keys = 2, .sessions = 3, .aborted = true, .indeterminate = true, .times = true},
        {.txns = 4, .ops = 3, .keys = 2, .sessions = 2, .duplicates = true, .negations = true, .indeterminate = true},
        {.txns = 4, .ops = 3, .keys = 2, .sessions = 3, .lists = true, .aborted = true, .wild = true},
    };
    static const char *const more[] = {"shuffle", "relabel", "repeat",  "pad=3",
                                       "split",   "merge",   "merge=2", "merge=2,relabel,pad=1,repeat,shuffle"};
    static const char what[] = "random histories with every feature";
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        if (left_out(more[i], what)) {
            continue;
        }
        score s = {.words = more[i], .seed = seed};
        for (uint64_t round = 0; round < iso_agree_rounds(60, 400, 20000); round++) {
            iso_pool pool;
            iso_pool_init(&pool, &env);
            compare(&s, iso_random_small(&pool, seed + round, &shapes[round % 3]));
            iso_pool_free(&pool);
        }
        report(&s, what);
    }
}

/* What changed: counted on one history. */
static void shapes(void) {
    iso_pool pool;
    iso_pool_init(&pool, &env);
    isolab_history *h = NULL;
    for (uint64_t seed = 1; h == NULL || h->n_sessions < 3 || h->n_txns < 8 || !h->unique || h->n_versions < 9;
         seed++) {
        h = iso_random_small(&pool, seed, &(iso_small_shape){.txns = 12, .ops = 6, .keys = 2, .sessions = 4});
    }
    uint32_t longer = 0;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        longer += h->txn_status[t] == ISO_COMMITTED && h->txn_op[t + 1] - h->txn_op[t] > 1;
    }
    iso_levels kept;
    isolab_history *p = iso_transform_all(&pool, h, "pad=50", 1, &kept);
    ok(p->n_txns == h->n_txns + 50 && p->n_keys == h->n_keys + 50 && p->n_sessions >= h->n_sessions,
       "pad=50 adds fifty transactions, each with a key of its own");
    p = iso_transform_all(&pool, h, "split", 1, &kept);
    ok(p->n_txns == h->n_txns + longer && longer > 0, "split cuts each transaction of two operations or more");
    ok(kept == ISO_LEVEL_BIT(ISO_SER), "and keeps ser alone");
    p = iso_transform_all(&pool, h, "split=1", 1, &kept);
    ok(p->n_txns == h->n_txns + 1, "split=1 splits one transaction");
    p = iso_transform_all(&pool, h, "merge", 1, &kept);
    ok(p->n_sessions == 1 && p->n_txns == h->n_txns, "merge leaves one session");
    p = iso_transform_all(&pool, h, "merge=2", 1, &kept);
    ok(p->n_sessions == 2, "merge=2 leaves two sessions");
    p = iso_transform_all(&pool, h, "repeat", 1, &kept);
    ok(!p->unique && p->n_ops == h->n_ops && p->n_versions < h->n_versions, "repeat makes values repeat");
    like(p->about, "^transformed repeat --seed 1$", "the history says so");
    iso_pool_free(&pool);
}

/* merge keeps what it may: two transactions that write x after both read its initial value violate ser, but not rc. */
static void kept_by_merge(void) {
    static const char text[] = "session A\nt1 commit: r x nil, w x 1\nsession B\nt2 commit: r x nil, w x 2\n";
    iso_pool pool;
    iso_pool_init(&pool, &env);
    parsing p = {&pool, iso_format_find("isolab"), text, strlen(text), NULL};
    parse_bytes(&p);
    iso_levels kept;
    iso_transform_all(&pool, p.h, "merge", 1, &kept);
    for (int l = 0; l < iso_n_levels; l++) {
        bool between = l == ISO_RA || l == ISO_CC || l == ISO_PC || l == ISO_SI;
        ok(((kept & ISO_LEVEL_BIT(l)) != 0) == !between, "merge %s %s of a history that violates ser",
           between ? "does not promise" : "keeps", iso_level_get((iso_level)l)->name);
    }
    iso_pool_free(&pool);
}

static void run(void *arg) {
    (void)arg;
    uint64_t seed = seed_of_run();
    diag("ISOLAB_SEED=%llu", (unsigned long long)seed);
    all_small();
    random_ones(seed);
    shapes();
    kept_by_merge();
}

int main(void) { return run_guarded(&env, run); }
