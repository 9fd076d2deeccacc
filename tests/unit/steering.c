/* Tests experiments/referee/steer.c: the referee's random histories find a mistake that needs several things at once,
 * and they follow from the seed.
 *
 * A published checker makes this mistake at rc (docs/findings.md): going back over the reads of a
 * transaction, it keeps two writers of each key, and forgets the one before them when a value is read again. */
#include <stdlib.h>
#include <string.h>

#include "checkers/checker.h"
#include "experiments/referee/run.h"
#include "tests/agree.h"
#include "tests/guarded.h"
#include "tests/seed.h"

enum { MOST_TXNS = 40, MOST_KEYS = 16, MOST_READS = 40 };

static iso_env env;
static iso_pool *pool; /* of the whole run */

typedef struct graph {
    const isolab_history *h;
    uint32_t n; /* transactions, and the initial one as the last */
    bool edge[MOST_TXNS + 1][MOST_TXNS + 1];
} graph;

static uint32_t writer_of(const graph *g, uint32_t op) {
    uint32_t writer = g->h->op_writer[op];
    return writer < g->h->n_ops ? g->h->op_txn[writer] : g->n - 1;
}

static bool writes(const graph *g, uint32_t t, uint32_t key) {
    const isolab_history *h = g->h;
    for (uint32_t o = t < h->n_txns ? h->txn_op[t] : 0; t < h->n_txns && o < h->txn_op[t + 1]; o++) {
        if (iso_is_write(h->op_kind[o]) && h->op_key[o] == key) {
            return true;
        }
    }
    return t == h->n_txns;
}

/* The first read of each writer shows that the later ones are of later writers, of which two a key are kept. */
static void add_edges(graph *g, const uint32_t *read, uint32_t n) {
    uint32_t kept[MOST_KEYS][2];
    memset(kept, 0xff, sizeof kept);
    for (uint32_t i = n; i-- > 0;) {
        uint32_t w = writer_of(g, read[i]), key = g->h->op_key[read[i]], first = 0;
        while (writer_of(g, read[first]) != w) {
            first++;
        }
        bool is_first = g->h->op_version[read[first]] == g->h->op_version[read[i]];
        for (uint32_t k = 0; is_first && k < g->h->n_keys; k++) {
            uint32_t later = kept[k][0] != w ? kept[k][0] : kept[k][1];
            if (later != ISO_NONE && later != w && writes(g, w, k)) {
                g->edge[w][later] = true;
            }
        }
        kept[key][1] = kept[key][0];
        kept[key][0] = w;
    }
}

/* The verdict of a checker with the mistake, of a history whose reads are of committed final values. */
static bool is_satisfied(const isolab_history *h) {
    graph *g = calloc(1, sizeof *g);
    *g = (graph){.h = h, .n = h->n_txns + 1};
    for (uint32_t t = 0; t < h->n_txns; t++) {
        uint32_t read[MOST_READS], n = 0;
        g->edge[h->n_txns][t] = true;
        if (t > h->session_txn[h->txn_session[t]]) {
            g->edge[t - 1][t] = true;
        }
        for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1] && n < MOST_READS; o++) {
            if (h->op_kind[o] == ISO_READ && writer_of(g, o) != t) {
                g->edge[writer_of(g, o)][t] = true;
                read[n++] = o;
            }
        }
        add_edges(g, read, n);
    }
    bool cycle = false;
    for (uint32_t k = 0; k < g->n; k++) {
        for (uint32_t i = 0; i < g->n; i++) {
            for (uint32_t j = 0; g->edge[i][k] && j < g->n; j++) {
                g->edge[i][j] |= g->edge[k][j];
            }
        }
    }
    for (uint32_t i = 0; i < g->n; i++) {
        cycle |= g->edge[i][i];
    }
    free(g);
    return !cycle;
}

/* Does a checker with the mistake take a history for satisfied that is not? */
static bool is_hit(iso_pool *scratch, const isolab_history *h) {
    if (h->n_txns > MOST_TXNS || h->n_keys > MOST_KEYS || !h->unique || h->has_lists || h->n_ops == 0) {
        return false;
    }
    for (uint32_t t = 0; t < h->n_txns; t++) {
        if (h->txn_counts[t] != ISO_INCLUDED || h->txn_op[t + 1] - h->txn_op[t] > MOST_READS) {
            return false;
        }
    }
    const iso_checker *naive = iso_checker_find("naive");
    iso_question g1 = {.level = ISO_G1}, rc = {.level = ISO_RC};
    iso_result result;
    iso_result_init(&result, scratch);
    iso_check(naive, h, &rc, &result);
    bool violated = result.verdict == ISOLAB_VIOLATED;
    iso_result_init(&result, scratch);
    iso_check(naive, h, &g1, &result);
    return violated && result.verdict == ISOLAB_SATISFIED && is_satisfied(h);
}

static iso_referee *referee(void) {
    iso_referee *r = ISO_ZNEW(pool, iso_referee, 1);
    r->env = &env;
    r->pool = pool;
    r->n_foreign = 1; /* as if a published checker were asked */
    r->n_questions = 1;
    r->questions[0].level = ISO_RC;
    return r;
}

static bool is_same(const isolab_history *a, const isolab_history *b) {
    return a->n_ops == b->n_ops && a->n_txns == b->n_txns &&
           memcmp(a->op_version, b->op_version, a->n_ops * sizeof *a->op_version) == 0 &&
           memcmp(a->txn_session, b->txn_session, a->n_txns * sizeof *a->txn_session) == 0;
}

static void test(void *arg) {
    pool = arg;
    iso_referee *r = referee();
    iso_pool scratch;
    iso_pool_init(&scratch, &env);
    uint64_t rounds = iso_agree_rounds(12000, 12000, 200000), seed = seed_or(1), hits = 0;
    unsigned other = 0;
    r->options.seed = seed;
    iso_pool_init(&r->steering.pool, &env);
    for (uint64_t i = 0; i < rounds; i++) {
        const isolab_history *h = iso_steered(r, &r->steering, &scratch, i);
        hits += is_hit(&scratch, h);
        iso_steering fresh = {.pool = {&env, NULL}};
        other += i % 100 == 0 && !is_same(h, iso_steered(r, &fresh, &scratch, i));
        iso_pool_free(&fresh.pool);
        iso_features_count(r, iso_features(h));
        iso_pool_free(&scratch);
    }
    iso_pool_free(&r->steering.pool);
    diag("the mistake shows in %llu of %llu histories, first seed %llu", (unsigned long long)hits,
         (unsigned long long)rounds, (unsigned long long)seed);
    cmp_ok(hits, ">=", 1, "a mistake that needs three reads of two writers is found");
    cmp_ok(other, "==", 0, "a number gives one history, whichever was made before");
    unsigned never = 0;
    for (int a = 0; a < ISO_FEATURES; a++) {
        for (int b = a; b < ISO_FEATURES; b++) {
            never += b < ISO_F_LIST && r->pairs[a][b] == 0;
        }
    }
    cmp_ok(never, "<=", 2, "nearly every pair of features comes");
}

int main(void) { return run_guarded(&env, test); }
