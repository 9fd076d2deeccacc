/* Tests checkers/plume/witness.c: a cycle of so|wr is as short as the shortest one through its first transaction that
 * this test finds by its own means, a matrix of all edges: session order from every transaction to all later ones, and
 * reads. */
#include "checkers/checker.h"
#include "generators/random_small.h"
#include "tests/agree.h"
#include "tests/guarded.h"
#include "tests/seed.h"

enum { MOST = 16 };

static iso_env env;

static bool is_in(const isolab_history *h, uint32_t t) { return h->txn_counts[t] == ISO_INCLUDED; }

static void fill(bool edge[MOST][MOST], const isolab_history *h) {
    for (uint32_t t = 0; t < h->n_txns; t++) {
        for (uint32_t u = 0; u < h->n_txns; u++) {
            edge[t][u] = is_in(h, t) && is_in(h, u) && t < u && h->txn_session[t] == h->txn_session[u];
        }
    }
    for (uint32_t o = 0; o < h->n_ops; o++) {
        if (h->op_kind[o] == ISO_READ && h->op_writer[o] != ISO_INIT && is_in(h, h->op_txn[o])) {
            edge[h->op_txn[h->op_writer[o]]][h->op_txn[o]] |= h->op_txn[h->op_writer[o]] != h->op_txn[o];
        }
    }
}

/* Returns the length of a shortest cycle through a transaction; 0: there is none. */
static uint32_t shortest(bool edge[MOST][MOST], uint32_t n, uint32_t from) {
    uint32_t distance[MOST] = {0}, queue[MOST], head = 0, tail = 0;
    queue[tail++] = from;
    while (head < tail) {
        uint32_t t = queue[head++];
        for (uint32_t u = 0; u < n; u++) {
            if (edge[t][u] && u == from) {
                return distance[t] + 1;
            }
            if (edge[t][u] && distance[u] == 0) {
                distance[u] = distance[t] + 1;
                queue[tail++] = u;
            }
        }
    }
    return 0;
}

typedef struct tally {
    uint32_t cycles, longer, wrong;
} tally;

static void test(tally *t, const isolab_history *h, const char *checker, uint64_t seed) {
    iso_pool pool;
    iso_pool_init(&pool, &env);
    iso_result result;
    iso_result_init(&result, &pool);
    iso_check(iso_checker_find(checker), h, &(iso_question){.level = ISO_CC}, &result);
    const iso_anomaly *a = result.anomalies;
    if (result.n_anomalies > 0 && a->kind == ISO_A_CYCLIC_CO) {
        bool edge[MOST][MOST];
        fill(edge, h);
        uint32_t expected = shortest(edge, h->n_txns, result.edges[a->cycle].from);
        t->cycles++;
        t->longer += expected > 2;
        t->wrong += a->n_cycle != expected;
        if (a->n_cycle != expected) {
            diag("seed %llu, %s: a cycle of %u, where one of %u is known", (unsigned long long)seed, checker,
                 a->n_cycle, expected);
            iso_agree_print(&env, h);
        }
    }
    iso_pool_free(&pool);
}

static void run(void *arg) {
    (void)arg;
    const iso_small_shape shape = {.txns = MOST, .ops = 2, .keys = 9, .sessions = 3, .aborted = true, .wild = true};
    const char *const checkers[] = {"plume", "plume-vc", "plume-dfs"};
    uint64_t first = seed_or(1), rounds = iso_agree_rounds(10000, 40000, 1000000);
    tally t = {0};
    iso_pool pool;
    iso_pool_init(&pool, &env);
    diag("seed %llu (set ISOLAB_SEED to repeat)", (unsigned long long)first);
    for (uint64_t seed = first; seed < first + rounds && t.wrong == 0; seed++) {
        const isolab_history *h = iso_random_small(&pool, seed, &shape);
        for (size_t c = 0; c < sizeof checkers / sizeof *checkers; c++) {
            test(&t, h, checkers[c], seed);
        }
        iso_pool_free(&pool);
    }
    cmp_ok(t.wrong, "==", 0, "every cycle of so|wr is a shortest one");
    ok(t.longer > 0, "%u cycles, %u of more than two transactions", t.cycles, t.longer);
}

int main(void) { return run_guarded(&env, run); }
