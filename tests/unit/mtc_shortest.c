/* Tests checkers/mtc/cycle.c: the cycles of `mtc`. On random histories of mini-transactions a cycle is as short as the shortest
 * one by a matrix of all edges of the graph of docs/mtc.md (tests/matrix.h); real time is one of them only if nothing else violates the level. Its
 * certificate is valid. */
#include "certificates/certificate.h"
#include "checkers/checker.h"
#include "generators/random_small.h"
#include "tests/agree.h"
#include "tests/guarded.h"
#include "tests/matrix.h"
#include "tests/seed.h"
#include "verify/verify.h"

static iso_env env;

typedef struct tally {
    uint32_t of_length[8], wrong, invalid, in_time;
} tally;

static void test(tally *t, const isolab_history *h, iso_level level, uint64_t seed) {
    iso_pool pool;
    iso_pool_init(&pool, &env);
    iso_result result;
    iso_result_init(&result, &pool);
    iso_request request = {.level = level, .certificate = true, .limit = 1};
    iso_check(iso_checker_find("mtc"), h, &request, &result);
    const iso_anomaly *a = result.anomalies;
    if (result.n_anomalies > 0 && a->n_cycle > 0) {
        matrix m;
        matrix_fill(&m, h, ISO_SER, true);
        uint32_t expected = matrix_shortest(&m);
        if (expected == 0) {
            matrix_fill(&m, h, level, true);
            expected = matrix_shortest(&m);
        }
        bool right = a->n_cycle == expected;
        t->of_length[expected < 8 ? expected : 7]++;
        t->wrong += !right;
        for (uint32_t i = 0; i < a->n_cycle; i++) {
            t->in_time += result.edges[a->cycle + i].kind == ISO_EDGE_RT;
        }
        size_t size;
        char *text = iso_certificate_text(&pool, h, &request, &result, &size);
        t->invalid += text == NULL || iso_verify(&pool, h, text, size) != 0;
        if (!right) {
            diag("%s, seed %llu: a cycle of %u, where one of %u is known", iso_level_get(level)->name,
                 (unsigned long long)seed, a->n_cycle, expected);
            iso_agree_print(&env, h);
        }
    }
    iso_pool_free(&pool);
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
    uint32_t longer = 0, in_time = 0;
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
        tally t = {.wrong = 0};
        iso_pool pool;
        iso_pool_init(&pool, &env);
        uint64_t some = shape[i].txns > 40 ? rounds / 10 : rounds; /* the matrix is large */
        for (uint64_t seed = first; seed < first + some && t.wrong == 0; seed++) {
            test(&t, iso_random_small(&pool, seed, &shape[i]), level[seed % 3], seed);
            iso_pool_free(&pool);
        }
        iso_pool_free(&pool);
        cmp_ok(t.wrong, "==", 0, "up to %u transactions: every cycle is a shortest one", shape[i].txns);
        cmp_ok(t.invalid, "==", 0, "with a valid certificate");
        diag("%u cycles of 2 transactions, %u of 3, %u of 4, %u longer; %u edges of real-time order", t.of_length[2],
             t.of_length[3], t.of_length[4], t.of_length[5] + t.of_length[6] + t.of_length[7], t.in_time);
        longer += t.of_length[3] + t.of_length[4];
        in_time += t.in_time;
    }
    ok(longer > 0 && in_time > 0, "%u cycles of 3 or 4 transactions", longer);
}

int main(void) { return run_guarded(&env, run); }
