/* Tests checkers/mtc/cycle.c: the cycles of `mtc`. On random histories of mini-transactions a cycle is as short as the
 * shortest one by a matrix of all edges of the graph of docs/mtc.md (tests/matrix.h); real time is one of them only if
 * nothing else violates the level. Its certificate is valid. */
#include "generators/random_small.h"
#include "history/builder.h"
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

/* Rings of anti-dependencies: each transaction reads its key and the next one, and writes the next one. */
static const isolab_history *rings(iso_pool *pool, const uint32_t *length, uint32_t n, uint32_t pad) {
    iso_builder *b = iso_builder_new(pool);
    for (uint32_t i = 0, keys = 0; i < n; keys += length[i++]) {
        for (uint32_t j = 0; j < length[i]; j++) {
            uint32_t key[] = {iso_builder_key(b, iso_atom_int(keys + j)),
                              iso_builder_key(b, iso_atom_int(keys + (j + 1) % length[i]))};
            uint32_t session = iso_builder_session(b, iso_atom_nil());
            for (uint32_t k = 0; k < pad; k++) { /* others of the session, before it */
                uint32_t t = iso_builder_txn(b, session, iso_atom_nil(), ISO_COMMITTED);
                iso_builder_op(b, t, ISO_READ, key[0], iso_atom_nil());
            }
            uint32_t t = iso_builder_txn(b, session, iso_atom_nil(), ISO_COMMITTED);
            iso_builder_op(b, t, ISO_READ, key[0], iso_atom_nil());
            iso_builder_op(b, t, ISO_READ, key[1], iso_atom_nil());
            iso_builder_op(b, t, ISO_WRITE, key[1], iso_atom_int(1));
        }
    }
    return iso_builder_finish(b);
}

/* A cycle that no step joins to the first one that is found is found, too, if it is shorter. */
static void apart(void) {
    static const uint32_t lengths[][3] = {{5, 3, 4}, {4, 5, 3}, {3, 4, 5}, {6, 5, 4}, {4, 6, 5}, {5, 4, 6}};
    tally t = {.wrong = 0};
    for (uint32_t i = 0; i < sizeof lengths / sizeof *lengths * 3; i++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        test_cycle(&env, &t, "mtc", shortest, rings(&pool, lengths[i / 3], 3, i % 3), ISO_SER, i);
        iso_pool_free(&pool);
    }
    ok(t.wrong == 0 && t.invalid == 0 && t.of_length[3] == 9 && t.of_length[4] == 9,
       "of several cycles apart the shortest one is shown");
}

static void run(void *arg) {
    (void)arg;
    apart();
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
