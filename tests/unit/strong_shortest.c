/* Tests checkers/strong/shortest.c and graph/timed_cycle.c: the cycles of sser. On random histories with times, a cycle is as short as the shortest
 * one that this test finds by its own means, a matrix of all edges: session order and real-time order from every transaction
 * to all later ones, reads, and anti-dependencies that need no inference. Its certificate is valid. */
#include "certificates/certificate.h"
#include "checkers/checker.h"
#include "generators/random_small.h"
#include "tests/agree.h"
#include "tests/guarded.h"
#include "tests/seed.h"
#include "verify/verify.h"

enum { MOST = 40 };

static iso_env env;

typedef struct matrix {
    const isolab_history *h;
    bool edge[MOST][MOST];
} matrix;

static bool is_in(const matrix *m, uint32_t t) { return m->h->txn_counts[t] == ISO_INCLUDED; }

static bool later_in_session(const isolab_history *h, uint32_t t, uint32_t u) {
    return h->txn_session[t] == h->txn_session[u] && t < u;
}

static bool writes(const isolab_history *h, uint32_t t, uint32_t key) {
    bool yes = false;
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        yes |= iso_is_write(h->op_kind[o]) && h->op_key[o] == key;
    }
    return yes;
}

/* Returns whether t reads the same version as read o, from another transaction. */
static bool reads_it(const isolab_history *h, uint32_t t, uint32_t o) {
    bool yes = false;
    for (uint32_t r = h->txn_op[t]; r < h->txn_op[t + 1]; r++) {
        yes |= h->op_kind[r] == ISO_READ && h->op_version[r] == h->op_version[o] && h->op_txn[h->op_writer[o]] != t;
    }
    return yes;
}

/* Returns whether t2, which writes the key of read o, certainly does so after the version that o returned: it or an earlier
 * writer of its session read the version, or its session wrote the version earlier, or the version is initial. */
static bool overwrites(const matrix *m, uint32_t o, uint32_t t2) {
    const isolab_history *h = m->h;
    uint32_t key = h->op_key[o];
    if (h->op_writer[o] == ISO_INIT) {
        return true;
    }
    bool yes = later_in_session(h, h->op_txn[h->op_writer[o]], t2);
    for (uint32_t t = h->session_txn[h->txn_session[t2]]; t <= t2; t++) {
        yes |= is_in(m, t) && writes(h, t, key) && reads_it(h, t, o);
    }
    return yes;
}

static void fill(matrix *m, const isolab_history *h) {
    *m = (matrix){.h = h};
    for (uint32_t t = 0; t < h->n_txns; t++) {
        for (uint32_t u = 0; u < h->n_txns; u++) {
            m->edge[t][u] =
                is_in(m, t) && is_in(m, u) && t != u && (later_in_session(h, t, u) || iso_before_in_time(h, t, u));
        }
    }
    for (uint32_t o = 0; o < h->n_ops; o++) {
        uint32_t t3 = h->op_txn[o], from = h->op_writer[o];
        if (h->op_kind[o] != ISO_READ || !is_in(m, t3) || (from != ISO_INIT && h->op_txn[from] == t3)) {
            continue;
        }
        if (from != ISO_INIT) {
            m->edge[h->op_txn[from]][t3] = true;
        }
        for (uint32_t t2 = 0; t2 < h->n_txns; t2++) {
            if (t2 != t3 && is_in(m, t2) && writes(h, t2, h->op_key[o]) &&
                (from == ISO_INIT || h->op_txn[from] != t2) && overwrites(m, o, t2)) {
                m->edge[t3][t2] = true;
            }
        }
    }
}

/* Returns the length of a shortest cycle; 0: there is none. */
static uint32_t shortest(const matrix *m) {
    uint32_t best = 0, n = m->h->n_txns;
    for (uint32_t from = 0; from < n; from++) {
        uint32_t distance[MOST] = {0}, queue[MOST], head = 0, tail = 0;
        queue[tail++] = from;
        while (head < tail) {
            uint32_t t = queue[head++];
            for (uint32_t u = 0; u < n; u++) {
                if (m->edge[t][u] && u == from && (best == 0 || distance[t] + 1 < best)) {
                    best = distance[t] + 1;
                }
                if (m->edge[t][u] && u != from && distance[u] == 0) {
                    distance[u] = distance[t] + 1;
                    queue[tail++] = u;
                }
            }
        }
    }
    return best;
}

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
        fill(&m, h);
        uint32_t expected = shortest(&m);
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
        {.txns = MOST, .ops = 2, .keys = 16, .sessions = 12, .times = true},
        {.txns = MOST, .ops = 1, .keys = 4, .sessions = 3, .times = true},
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
