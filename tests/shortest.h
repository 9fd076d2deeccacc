/* Shown cycles against a shortest one by a matrix of all edges (matrix.h). Their certificates must be valid. */
#ifndef ISOLAB_TESTS_SHORTEST_H
#define ISOLAB_TESTS_SHORTEST_H

#include "certificates/certificate.h"
#include "checkers/checker.h"
#include "tests/agree.h"
#include "tests/matrix.h"
#include "tests/tap.h"
#include "verify/verify.h"

typedef struct tally {
    uint32_t of_length[8]; /* number of cycles by number of transactions; 7: of seven and more */
    uint32_t inferred;     /* violations that the matrix does not show */
    uint32_t wrong, invalid, in_time;
} tally;

/* Returns the number of transactions of a shortest cycle of a history at a level; 0: the matrix has none. */
typedef uint32_t shortest_fn(matrix *m, const isolab_history *h, iso_level level);

static inline void test_cycle(iso_env *env, tally *t, const char *checker, shortest_fn *shortest,
                              const isolab_history *h, iso_level level, uint64_t seed) {
    iso_pool pool;
    iso_pool_init(&pool, env);
    iso_result result;
    iso_result_init(&result, &pool);
    iso_question question = {.level = level, .certificate = true, .limit = 1};
    iso_check(iso_checker_find(checker), h, &question, &result);
    const iso_anomaly *a = result.anomalies;
    if (result.n_anomalies > 0 && a->n_cycle > 0) {
        matrix m;
        uint32_t expected = shortest(&m, h, level);
        bool right = expected == 0 || a->n_cycle == expected;
        t->inferred += expected == 0;
        t->of_length[expected < 8 ? expected : 7]++;
        t->wrong += !right;
        for (uint32_t i = 0; i < a->n_cycle; i++) {
            t->in_time += result.edges[a->cycle + i].kind == ISO_EDGE_RT;
        }
        size_t size;
        char *text = iso_certificate_text(&pool, h, &question, &result, &size);
        t->invalid += text == NULL || iso_verify(&pool, h, text, size) != 0;
        if (!right) {
            diag("%s, seed %llu: a cycle of %u, where one of %u is known", iso_level_get(level)->name,
                 (unsigned long long)seed, a->n_cycle, expected);
            iso_agree_print(env, h);
        }
    }
    iso_pool_free(&pool);
}

/* Reports the tests of the histories of one shape, and adds their numbers to `all`. */
static inline void report_cycles(const tally *t, uint32_t txns, tally *all) {
    cmp_ok(t->wrong, "==", 0, "up to %u transactions: every cycle is a shortest one", txns);
    cmp_ok(t->invalid, "==", 0, "up to %u transactions: every certificate is valid", txns);
    diag("%u cycles of 2 transactions, %u of 3, %u of 4, %u longer, %u inferred; %u edges of real-time order",
         t->of_length[2], t->of_length[3], t->of_length[4], t->of_length[5] + t->of_length[6] + t->of_length[7],
         t->inferred, t->in_time);
    for (unsigned n = 0; n < 8; n++) {
        all->of_length[n] += t->of_length[n];
    }
    all->inferred += t->inferred;
    all->in_time += t->in_time;
}

#endif
