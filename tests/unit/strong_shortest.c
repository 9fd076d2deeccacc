/* Tests checkers/strong/shortest.c and graph/timed_cycle.c: the cycles of sser. On random histories with times, a cycle
 * is as short as the shortest cycle that this test finds by its own means, a matrix of all edges (tests/matrix.h). Its
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
    uint32_t of_length[8], inferred, wrong, invalid, in_time;
} tally;

static void test(tally *t, const isolab_history *h, uint64_t seed) {
    iso_pool pool;
    iso_pool_init(&pool, &env);
    iso_result result;
    iso_result_init(&result, &pool);
    iso_request request = {.level = ISO_SSER, .certificate = true, .limit = 1};
    iso_check(iso_checker_find("strong"), h, &request, &result);
    const iso_anomaly *a = result.anomalies;
    if (result.n_anomalies > 0 && a->n_cycle > 0) {
        matrix m;
        matrix_fill(&m, h, ISO_SSER, false);
        uint32_t expected = matrix_shortest(&m);
        bool right = expected == 0 || a->n_cycle == expected;
        t->inferred += expected == 0;
        t->of_length[expected < 8 ? expected : 7]++;
        t->wrong += !right;
        for (uint32_t i = 0; i < a->n_cycle; i++) {
            t->in_time += result.edges[a->cycle + i].kind == ISO_EDGE_RT;
        }
        size_t size;
        char *text = iso_certificate_text(&pool, h, &request, &result, &size);
        t->invalid += text == NULL || iso_verify(&pool, h, text, size) != 0;
        if (!right) {
            diag("seed %llu: a cycle of %u, where one of %u is known", (unsigned long long)seed, a->n_cycle, expected);
            iso_agree_print(&env, h);
        }
    }
    iso_pool_free(&pool);
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
            test(&t, iso_random_small(&pool, seed, &shape[i]), seed);
            iso_pool_free(&pool);
        }
        iso_pool_free(&pool);
        cmp_ok(t.wrong, "==", 0, "up to %u transactions: every cycle is a shortest one", shape[i].txns);
        cmp_ok(t.invalid, "==", 0, "with a valid certificate");
        diag("%u cycles of 2 transactions, %u of 3, %u of 4, %u longer, %u inferred; %u edges of real-time order",
             t.of_length[2], t.of_length[3], t.of_length[4], t.of_length[5] + t.of_length[6] + t.of_length[7],
             t.inferred, t.in_time);
        all.of_length[2] += t.of_length[2];
        all.of_length[3] += t.of_length[3];
        all.in_time += t.in_time;
    }
    ok(all.of_length[2] > 0 && all.of_length[3] > 0 && all.in_time > 0, "%u cycles of 2 transactions, %u of 3",
       all.of_length[2], all.of_length[3]);
}

int main(void) { return run_guarded(&env, run); }
