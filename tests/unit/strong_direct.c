/* Tests checkers/strong/direct.c on random histories with times: if a matrix of all edges (tests/matrix.h) has a cycle,
 * the history is violated; stage `direct` decides it at ser and lser, and at sser in at least 95 of 100 cases. No cycle
 * that the stage shows is shorter than a shortest one of the matrix, and each certificate is valid. */
#include <string.h>

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
    uint64_t cycles, direct, missed, too_short, invalid, in_time, longer;
} tally;

static void test_history(tally *y, iso_pool *pool, const isolab_history *h, iso_level level, uint64_t seed) {
    matrix m;
    iso_result result;
    iso_question question = {.level = level, .limit = 1, .certificate = true, .options = "execute=no,keys=no,guess=no"};
    iso_result_init(&result, pool);
    iso_check(iso_checker_find("strong"), h, &question, &result);
    const char *last = result.n_phases == 0 ? "" : result.phase[result.n_phases - 1].name;
    matrix_fill(&m, h, level, false);
    uint32_t shortest = matrix_shortest(&m);
    if (shortest == 0 || strcmp(last, "reads") == 0) { /* a read is wrong by itself */
        return;
    }
    const iso_anomaly *a = result.anomalies;
    bool direct = strcmp(last, "direct") == 0,
         found = result.verdict == ISOLAB_VIOLATED && (direct || level == ISO_SSER);
    y->cycles++;
    y->direct += direct;
    y->missed += !found;
    if (!found && y->missed == 1) {
        diag("%s, seed %llu: decided by %s", iso_level_get(level)->name, (unsigned long long)seed, last);
        iso_agree_print(&env, h);
    }
    if (result.n_anomalies == 0) {
        return;
    }
    size_t size;
    char *text = iso_certificate_text(pool, h, &question, &result, &size);
    y->invalid += text == NULL || iso_verify(pool, h, text, size) != 0;
    y->too_short += direct && a->n_cycle < shortest;
    y->longer += a->n_cycle > shortest;
    for (uint32_t i = 0; i < a->n_cycle; i++) {
        y->in_time += result.edges[a->cycle + i].kind == ISO_EDGE_RT;
    }
}

static void decides(const char *what, const iso_small_shape *shape, iso_level level, uint64_t rounds) {
    uint64_t first = seed_or(1);
    tally y = {.cycles = 0};
    for (uint64_t seed = first; seed < first + rounds; seed++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        test_history(&y, &pool, iso_random_small(&pool, seed, shape), level, seed);
        iso_pool_free(&pool);
    }
    const char *name = iso_level_get(level)->name;
    ok(y.missed == 0 && y.cycles > 0, "%s, %s: %llu cycles that need no inference are found", what, name,
       (unsigned long long)y.cycles);
    ok(y.direct * 100 >= y.cycles * 95, "%s, %s: %llu by stage direct", what, name, (unsigned long long)y.direct);
    ok(y.too_short == 0 && y.invalid == 0, "%s, %s: none is shorter than a shortest one, and all are proved", what,
       name);
    ok(level == ISO_SER || y.in_time > 0, "%s, %s: %llu edges of real time", what, name, (unsigned long long)y.in_time);
    diag("%llu of %llu are longer than a shortest one", (unsigned long long)y.longer, (unsigned long long)y.cycles);
}

static void run(void *arg) {
    (void)arg;
    static const iso_small_shape shape[] = {
        {.txns = 5, .ops = 3, .keys = 3, .sessions = 5, .aborted = true, .times = true},
        {.txns = 16, .ops = 3, .keys = 8, .sessions = 4, .indeterminate = true, .times = true},
        {.txns = 40, .ops = 2, .keys = 16, .sessions = 12, .times = true},
    };
    static const char *const what[] = {"small histories", "larger ones", "many sessions"};
    uint64_t rounds = iso_agree_rounds(200, 2000, 100000);
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
        decides(what[i], &shape[i], ISO_SER, rounds);
        decides(what[i], &shape[i], ISO_LSER, rounds);
        decides(what[i], &shape[i], ISO_SSER, rounds);
    }
}

int main(void) { return run_guarded(&env, run); }
