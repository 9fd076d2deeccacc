/* Tests checkers/strong/direct.c and graph/timed_cycle.c: the cycles of sser. On random histories with times, a cycle
 * is as short as the shortest cycle that this test finds by its own means, a matrix of all edges (tests/matrix.h). Its
 * certificate is valid. */
#include <string.h>

#include "generators/random_small.h"
#include "tests/guarded.h"
#include "tests/seed.h"
#include "tests/shortest.h"

static iso_env env;

static uint32_t shortest(matrix *m, const isolab_history *h, iso_level level) {
    matrix_fill(m, h, level, false);
    return matrix_shortest(m);
}

/* A cycle of the matrix is found by stage `direct`, at each level. */
static void decides(const char *what, const iso_small_shape *shape, iso_level level, uint64_t rounds) {
    uint64_t first = seed_or(1), cycles = 0, wrong = 0;
    for (uint64_t seed = first; seed < first + rounds; seed++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        const isolab_history *h = iso_random_small(&pool, seed, shape);
        matrix m;
        iso_result result;
        iso_question question = {.level = level, .limit = 1, .options = "execute=no,keys=no,guess=no"};
        iso_result_init(&result, &pool);
        iso_check(iso_checker_find("strong"), h, &question, &result);
        const char *last = result.n_phases == 0 ? "" : result.phase[result.n_phases - 1].name;
        if (strcmp(last, "reads") != 0) { /* read consistency holds */
            matrix_fill(&m, h, level, false);
            bool cycle = matrix_shortest(&m) > 0;
            cycles += cycle;
            wrong += cycle && strcmp(last, "direct") != 0;
            if (cycle && strcmp(last, "direct") != 0 && wrong == 1) {
                diag("%s, seed %llu: decided by %s", iso_level_get(level)->name, (unsigned long long)seed, last);
                iso_agree_print(&env, h);
            }
        }
        iso_pool_free(&pool);
    }
    ok(wrong == 0 && cycles > 0, "%s, %s: %llu cycles that need no inference, of which stage direct does not find %llu",
       what, iso_level_get(level)->name, (unsigned long long)cycles, (unsigned long long)wrong);
}

static void run(void *arg) {
    (void)arg;
    static const iso_small_shape shape[] = {
        {.txns = 5, .ops = 3, .keys = 3, .sessions = 5, .aborted = true, .times = true},
        {.txns = 16, .ops = 3, .keys = 8, .sessions = 4, .indeterminate = true, .times = true},
        {.txns = 40, .ops = 2, .keys = 16, .sessions = 12, .times = true},
        {.txns = 40, .ops = 1, .keys = 4, .sessions = 3, .times = true},
    };
    uint64_t first = seed_or(1), rounds = iso_agree_rounds(2000, 20000, 1000000);
    diag("seed %llu (set ISOLAB_SEED to repeat)", (unsigned long long)first);
    tally all = {.wrong = 0};
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
        tally t = {.wrong = 0};
        iso_pool pool;
        iso_pool_init(&pool, &env);
        for (uint64_t seed = first; seed < first + rounds && t.wrong == 0; seed++) {
            test_cycle(&env, &t, "strong", shortest, iso_random_small(&pool, seed, &shape[i]), ISO_SSER, seed);
            iso_pool_free(&pool);
        }
        iso_pool_free(&pool);
        report_cycles(&t, shape[i].txns, &all);
    }
    for (size_t i = 0; i < 2; i++) {
        static const char *const what[] = {"small histories", "larger ones"};
        decides(what[i], &shape[i], ISO_SER, rounds / 10);
        decides(what[i], &shape[i], ISO_LSER, rounds / 10);
        decides(what[i], &shape[i], ISO_SSER, rounds / 10);
    }
    ok(all.of_length[2] > 0 && all.of_length[3] > 0 && all.in_time > 0, "%u cycles of 2 transactions, %u of 3",
       all.of_length[2], all.of_length[3]);
}

int main(void) { return run_guarded(&env, run); }
