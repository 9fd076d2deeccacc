/* Tests checkers/strong/shortest.c and graph/timed_cycle.c: the cycles of sser. On random histories with times, a cycle
 * is as short as the shortest cycle that this test finds by its own means, a matrix of all edges (tests/matrix.h). Its
 * certificate is valid. */
#include "generators/random_small.h"
#include "tests/guarded.h"
#include "tests/seed.h"
#include "tests/shortest.h"

static iso_env env;

static uint32_t shortest(matrix *m, const isolab_history *h, iso_level level) {
    matrix_fill(m, h, level, false);
    return matrix_shortest(m);
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
    ok(all.of_length[2] > 0 && all.of_length[3] > 0 && all.in_time > 0, "%u cycles of 2 transactions, %u of 3",
       all.of_length[2], all.of_length[3]);
}

int main(void) { return run_guarded(&env, run); }
