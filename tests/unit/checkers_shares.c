/* Tests the shares of time of checkers/ladder.c, by a clock that goes on with each reading: a level that was not named
 * and is left open does not make the verdict unknown; a level that was named, or a limit of the caller, does. */
#include <string.h>

#include "checkers/ladder.h"
#include "generators/random_small.h"
#include "tests/agree.h"
#include "tests/guarded.h"
#include "tests/seed.h"

static iso_env env;

typedef struct climb {
    const isolab_history *h;
    iso_levels levels;
    iso_pool *pool;
    iso_ladder ladder;
} climb;

static void climb_all(void *arg) {
    climb *c = arg;
    iso_asker asker;
    iso_asker_init(&asker, c->pool, c->h, &(const iso_question){.limit = 1});
    c->ladder = iso_ladder_climb(&asker, c->levels);
}

/* timeout: of the caller, in readings of the clock; 0: none. step: ns of a reading. */
static iso_ladder climb_by(iso_pool *pool, const isolab_history *h, iso_levels levels, int64_t timeout, int64_t step) {
    climb c = {h, levels, pool, {.strongest = 0}};
    iso_now_step = step;
    int code = iso_guard_until(&env, timeout != 0 ? iso_now() + timeout * step : 0, climb_all, &c);
    iso_now_step = 0;
    return code == ISOLAB_OK ? c.ladder : (iso_ladder){.verdict = ISOLAB_UNKNOWN};
}

typedef struct tally {
    uint64_t open, decided, none, wrong, named, limited;
} tally;

static void test(tally *t, uint64_t seed, int64_t step) {
    iso_pool pool;
    iso_pool_init(&pool, &env);
    iso_small_shape shape = {.txns = 12, .ops = 4, .keys = 2, .sessions = 4, .duplicates = true, .times = true};
    const isolab_history *h = iso_random_small(&pool, seed, &shape);
    iso_ladder all = climb_by(&pool, h, ISO_ALL_LEVELS, 0, step);
    iso_levels open = 0;
    for (int l = 0; l < iso_n_levels; l++) {
        const iso_answer *a = all.rung[l];
        bool left = a->result.verdict == ISOLAB_UNKNOWN && strstr(a->result.reason, "its share of the time") != NULL;
        open |= left ? ISO_LEVEL_BIT(l) : 0;
        t->wrong += a->result.verdict == ISOLAB_UNKNOWN && !left;
    }
    t->open += open != 0;
    if (open != 0 && all.broken_first == 0) {
        t->decided += all.strongest != 0 && all.verdict == ISOLAB_SATISFIED;
        t->none += all.strongest == 0 && all.verdict == ISOLAB_UNKNOWN;
        t->wrong += all.verdict != (all.strongest != 0 ? ISOLAB_SATISFIED : ISOLAB_UNKNOWN);
        iso_ladder named = climb_by(&pool, h, open, 0, step), limited = climb_by(&pool, h, ISO_ALL_LEVELS, 20, step);
        t->named += named.unknown == 0 && named.verdict != ISOLAB_UNKNOWN;
        t->wrong += named.unknown != 0;
        t->limited += limited.unknown != 0 && limited.verdict == ISOLAB_UNKNOWN;
        t->wrong += limited.unknown != 0 && limited.broken_first == 0 && limited.verdict != ISOLAB_UNKNOWN;
    } else {
        t->wrong += all.verdict != (all.broken_first != 0 ? ISOLAB_VIOLATED : ISOLAB_SATISFIED);
    }
    iso_pool_free(&pool);
}

static void tests(void *arg) {
    (void)arg;
    uint64_t first = seed_or(1), rounds = iso_agree_rounds(100, 400, 20000);
    tally t = {0};
    for (uint64_t i = 0; i < rounds; i++) {
        test(&t, first + i, (int64_t)1000000000 << i % 4);
    }
    diag("seed %llu: %llu histories, %llu with open levels, %llu of them decided", (unsigned long long)first,
         (unsigned long long)rounds, (unsigned long long)t.open, (unsigned long long)t.decided);
    ok(t.wrong == 0, "the verdict is about the levels that are not left open (%llu wrong)",
       (unsigned long long)t.wrong);
    ok(t.decided > 0, "it is satisfied where some level is");
    ok(t.named > 0, "a level that is named has all the time");
    ok(t.limited > 0, "a limit of the caller makes the verdict unknown");
}

int main(void) { return run_guarded(&env, tests); }
