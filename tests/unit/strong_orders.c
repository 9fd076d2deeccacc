/* Tests checkers/strong/execute.c and guess.c, the stages of `strong` that look for an order and answer nothing else:
 * of a small history that satisfies a level, the first of them that runs finds the order, by repairing its first one,
 * and no later stage is asked. A history that satisfies ser is decided by `execute`, at every level without times;
 * `guess` decides at every level. */
#include <stdio.h>
#include <string.h>

#include "checkers/checker.h"
#include "generators/random_small.h"
#include "tests/agree.h"
#include "tests/guarded.h"
#include "tests/seed.h"

static iso_env env;

static isolab_verdict by_brute(iso_pool *pool, const isolab_history *h, iso_level level) {
    iso_result r;
    iso_result_init(&r, pool);
    iso_check(iso_checker_find("brute"), h, &(iso_question){.level = level}, &r);
    return r.verdict;
}

/* The last stage that ran. */
static const char *decided_by(iso_pool *pool, const isolab_history *h, iso_level level, const char *options,
                              isolab_verdict *verdict) {
    iso_result r;
    iso_question question = {.level = level, .limit = 1, .options = options};
    iso_result_init(&r, pool);
    iso_check(iso_checker_find("strong"), h, &question, &r);
    *verdict = r.verdict;
    return r.n_phases == 0 ? "none" : r.phase[r.n_phases - 1].name;
}

static void on(const char *what, iso_small_shape shape, const char *stage, const char *options, uint64_t rounds) {
    static const iso_level levels[] = {ISO_PC, ISO_SI, ISO_SER};
    bool executes = strcmp(stage, "execute") == 0;
    uint64_t first = seed_or(1), satisfied = 0, wrong = 0;
    for (uint64_t seed = first; seed < first + rounds; seed++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        const isolab_history *h = iso_random_small(&pool, seed, &shape);
        iso_level level = levels[seed % 3];
        if (by_brute(&pool, h, executes ? ISO_SER : level) == ISOLAB_SATISFIED) {
            isolab_verdict verdict;
            const char *by = decided_by(&pool, h, level, options, &verdict);
            bool right = verdict == ISOLAB_SATISFIED && strcmp(by, stage) == 0;
            satisfied++;
            wrong += !right;
            if (!right && wrong == 1) {
                diag("%s, seed %llu: decided by %s", iso_level_get(level)->name, (unsigned long long)seed, by);
                iso_agree_print(&env, h);
            }
        }
        iso_pool_free(&pool);
    }
    ok(wrong == 0 && satisfied > 0, "%s: stage %s finds an order of %llu histories, and none of %llu", what, stage,
       (unsigned long long)(satisfied - wrong), (unsigned long long)wrong);
}

static void tests(void *pool) {
    (void)pool;
    uint64_t rounds = iso_agree_rounds(500, 3000, 300000);
    iso_small_shape plain = {.txns = 8, .ops = 4, .keys = 3, .sessions = 4, .aborted = true};
    iso_small_shape repeated = {.txns = 6, .ops = 4, .keys = 2, .sessions = 4, .aborted = true, .duplicates = true};
    iso_small_shape lists = {.txns = 6, .ops = 4, .keys = 3, .sessions = 4, .lists = true};
    iso_small_shape open = {.txns = 6, .ops = 4, .keys = 2, .sessions = 4, .indeterminate = true, .duplicates = true};
    on("unique values", plain, "execute", "execute=yes", rounds);
    on("repeated values", repeated, "execute", "execute=yes", rounds);
    on("unique values", plain, "guess", "execute=no", rounds);
    on("repeated values", repeated, "guess", "execute=no", rounds);
    on("lists", lists, "guess", "execute=no", rounds);
    on("optional transactions", open, "guess", "execute=no", rounds);
}

int main(void) { return run_guarded(&env, tests); }
