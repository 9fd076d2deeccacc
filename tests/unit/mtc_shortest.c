/* Tests checkers/mtc/cycle.c: the cycles of `mtc`. On random histories of mini-transactions a cycle is as short as the
 * shortest one by a matrix of all edges of the graph of docs/mtc.md (tests/matrix.h); real time is one of them only if
 * nothing else violates the level. Its certificate is valid. */
#include "generators/random_small.h"
#include "tests/guarded.h"
#include "tests/seed.h"
#include "tests/shortest.h"

static iso_env env;

/* Real time is in the matrix only if nothing else violates the level. */
static uint32_t shortest(matrix *m, const isolab_history *h, iso_level level) {
    matrix_fill(m, h, ISO_SER, true);
    uint32_t n = matrix_shortest(m);
    if (n == 0) {
        matrix_fill(m, h, level, true);
        n = matrix_shortest(m);
    }
    return n;
}

static void run(void *arg) {
    (void)arg;
    static const iso_level level[] = {ISO_SER, ISO_LSER, ISO_SSER};
    static const iso_small_shape shape[] = {
        {.txns = 6, .keys = 3, .sessions = 4, .mini = true, .aborted = true, .times = true},
        {.txns = 16, .keys = 8, .sessions = 4, .mini = true, .indeterminate = true, .times = true},
        {.txns = 40, .keys = 30, .sessions = 12, .mini = true, .times = true},
        {.txns = 40, .keys = 40, .sessions = 40, .mini = true, .times = true},
        {.txns = MATRIX_MOST, .keys = 700, .sessions = 14, .mini = true, .times = true},
    };
    uint64_t first = seed_or(1), rounds = iso_agree_rounds(1000, 10000, 500000);
    diag("seed %llu (set ISOLAB_SEED to repeat)", (unsigned long long)first);
    tally all = {.wrong = 0};
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
        tally t = {.wrong = 0};
        iso_pool pool;
        iso_pool_init(&pool, &env);
        uint64_t some = shape[i].txns > 40 ? rounds / 10 : rounds; /* the matrix is large */
        for (uint64_t seed = first; seed < first + some && t.wrong == 0; seed++) {
            test_cycle(&env, &t, "mtc", shortest, iso_random_small(&pool, seed, &shape[i]), level[seed % 3], seed);
            iso_pool_free(&pool);
        }
        iso_pool_free(&pool);
        report_cycles(&t, shape[i].txns, &all);
    }
    cmp_ok(all.inferred, "==", 0, "the matrix shows every violation");
    uint32_t longer = all.of_length[3] + all.of_length[4];
    ok(longer > 0 && all.in_time > 0, "%u cycles of 3 or 4 transactions", longer);
}

int main(void) { return run_guarded(&env, run); }
