/* Tests checkers/awdit/witness.c. awdit's cycles are best possible: against the shortest paths between all pairs of
 * transactions, in the relation that the axiom makes by its definition (awdit itself infers only some of these edges).
 * The best cycle has the fewest inferred edges, and then the fewest edges, where one step of session order may pass
 * over others. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/agree.h"
#include "tests/guarded.h"
#include "tests/seed.h"

enum {
    MOST = 64,
    FAR = 1 << 28,
    INFERRED = 1 << 14
}; /* a cost: INFERRED for each inferred edge, and 1 for each edge */

typedef struct model {
    const isolab_history *h;
    int n;                                    /* transactions; n is the initial one */
    int causal[MOST][MOST], cost[MOST][MOST]; /* of the shortest paths: in so and wr; with inferred edges */
} model;

static iso_env env;
static uint64_t cycles, of_initial, longer; /* longer than two edges */

static int number(const model *m, uint32_t t) { return t == ISO_INIT ? m->n : (int)t; }

/* The transaction that read o reads from, if it is another one; MOST: none. */
static int source(const model *m, uint32_t o) {
    const isolab_history *h = m->h;
    if (h->op_kind[o] != ISO_READ || h->op_writer[o] == ISO_INIT) {
        return h->op_kind[o] == ISO_READ ? m->n : MOST;
    }
    uint32_t t = h->op_txn[h->op_writer[o]];
    return t == h->op_txn[o] ? MOST : (int)t;
}

static bool writes(const isolab_history *h, uint32_t t, uint32_t key) {
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        if (h->op_kind[o] == ISO_WRITE && h->op_key[o] == key) {
            return true;
        }
    }
    return false;
}

static void close(int n, int cost[MOST][MOST]) {
    for (int k = 0; k <= n; k++) {
        for (int i = 0; i <= n; i++) {
            for (int j = 0; j <= n; j++) {
                int way = cost[i][k] + cost[k][j];
                cost[i][j] = way < cost[i][j] ? way : cost[i][j];
            }
        }
    }
}

/* Does the reader of read o see t2, before that read, as the level has it? reach: so and wr, closed. */
static bool sees(const model *m, iso_level level, int reach[MOST][MOST], uint32_t t2, uint32_t o) {
    const isolab_history *h = m->h;
    uint32_t t3 = h->op_txn[o];
    if (level == ISO_CC) {
        return reach[t2][t3] < FAR;
    }
    bool seen = level == ISO_RA && h->txn_session[t2] == h->txn_session[t3] && t2 < t3;
    for (uint32_t i = h->txn_op[t3]; i < (level == ISO_RC ? o : h->txn_op[t3 + 1]) && !seen; i++) {
        seen = source(m, i) == (int)t2;
    }
    return seen;
}

static void fill(model *m, iso_level level) {
    static int reach[MOST][MOST];
    const isolab_history *h = m->h;
    for (int i = 0; i <= m->n; i++) {
        for (int j = 0; j <= m->n; j++) {
            bool so = i < m->n && j < m->n && h->txn_session[i] == h->txn_session[j] && i < j;
            bool in = j < m->n && h->txn_counts[j] == ISO_INCLUDED && (i == m->n || h->txn_counts[i] == ISO_INCLUDED);
            m->causal[i][j] = in && (so || i == m->n) ? 1 : FAR;
        }
    }
    for (uint32_t o = 0; o < h->n_ops; o++) {
        if (h->txn_counts[h->op_txn[o]] == ISO_INCLUDED && source(m, o) < MOST) {
            m->causal[source(m, o)][h->op_txn[o]] = 1;
        }
    }
    memcpy(m->cost, m->causal, sizeof m->cost);
    memcpy(reach, m->causal, sizeof reach);
    close(m->n, reach);
    for (uint32_t o = 0; o < h->n_ops; o++) {
        int t1 = h->txn_counts[h->op_txn[o]] == ISO_INCLUDED ? source(m, o) : MOST;
        for (uint32_t t2 = 0; t1 < MOST && t2 < h->n_txns; t2++) {
            if ((int)t2 != t1 && t2 != h->op_txn[o] && h->txn_counts[t2] == ISO_INCLUDED &&
                writes(h, t2, h->op_key[o]) && sees(m, level, reach, t2, o) && m->cost[t2][t1] > INFERRED + 1) {
                m->cost[t2][t1] = INFERRED + 1;
            }
        }
    }
    memcpy(m->causal, reach, sizeof reach);
    close(m->n, m->cost);
}

/* The least cost of a cycle in the component of a transaction. */
static int best(int n, int cost[MOST][MOST], int t) {
    int least = FAR;
    for (int v = 0; v <= n; v++) {
        if (cost[t][v] < FAR && cost[v][t] < FAR) {
            least = cost[v][v] < least ? cost[v][v] : least;
        }
    }
    return least;
}

/* All reads are consistent, and so on: every anomaly is a cycle. */
static bool only_cycles(const iso_result *r) {
    for (uint32_t i = 0; i < r->n_anomalies; i++) {
        if (r->anomalies[i].n_cycle == 0) {
            return false;
        }
    }
    return true;
}

static bool compare(model *m, const iso_result *r) {
    bool fine = true;
    for (uint32_t i = 0; i < r->n_anomalies; i++) {
        const iso_edge *e = r->edges + r->anomalies[i].cycle;
        int cost = 0;
        for (uint32_t k = 0; k < r->anomalies[i].n_cycle; k++) {
            cost += 1 + (e[k].kind == ISO_EDGE_AXIOM ? INFERRED : 0);
            of_initial += e[k].to == ISO_INIT;
        }
        /* a cycle of so and wr is the best of its component in so and wr */
        int least = best(m->n, cost < INFERRED ? m->causal : m->cost, number(m, e->from));
        cycles++;
        longer += least % INFERRED > 2;
        if (cost != least) {
            diag("a cycle of %d edges, %d of them inferred; the best has %d, %d", cost % INFERRED, cost / INFERRED,
                 least % INFERRED, least / INFERRED);
            fine = false;
        }
    }
    return fine;
}

static bool check(iso_pool *pool, const isolab_history *h, iso_level level, bool all) {
    static model m;
    m = (model){.h = h, .n = (int)h->n_txns};
    iso_question question = {.level = level, .all = all};
    iso_result result;
    iso_result_init(&result, pool);
    iso_check(iso_checker_find("awdit"), h, &question, &result);
    if (result.verdict != ISOLAB_VIOLATED || !only_cycles(&result)) {
        return true;
    }
    fill(&m, level);
    return compare(&m, &result);
}

static void run(void *arg) {
    (void)arg;
    static const iso_level levels[] = {ISO_RC, ISO_RA, ISO_CC};
    static const iso_small_shape shapes[] = {{.txns = 6, .ops = 4, .keys = 3, .sessions = 3},
                                             {.txns = 14, .ops = 4, .keys = 3, .sessions = 5},
                                             {.txns = 20, .ops = 8, .keys = 6, .sessions = 3, .aborted = true},
                                             {.txns = 24, .ops = 5, .keys = 3, .sessions = 40},
                                             {.txns = 24, .ops = 30, .keys = 12, .sessions = 4}};
    uint64_t rounds = iso_agree_rounds(300, 3000, 100000), first = seed_or(1);
    uint64_t bad = 0;
    for (uint64_t seed = first; seed < first + rounds && bad < 5; seed++) {
        for (unsigned s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            iso_pool pool;
            iso_pool_init(&pool, &env);
            const isolab_history *h = iso_random_small(&pool, seed, &shapes[s]);
            for (unsigned i = 0; i < 6; i++) {
                if (!check(&pool, h, levels[i / 2], i % 2)) {
                    diag("seed %llu, shape %u, %s", (unsigned long long)seed, s, iso_level_get(levels[i / 2])->name);
                    bad++;
                }
            }
            iso_pool_free(&pool);
        }
    }
    diag("%llu cycles, %llu of them through the initial transaction, %llu of more than two edges",
         (unsigned long long)cycles, (unsigned long long)of_initial, (unsigned long long)longer);
    ok(bad == 0 && of_initial > 0 && longer > 0, "no cycle is better");
}

int main(void) { return run_guarded(&env, run); }
