/* The definitions against each other, on all histories of up to 3 transactions, 2 operations each and 2 keys
 * (ISOLAB_DEEP=1: of 4), on random ones of 4 transactions, and except the second point on lists and repeated values:
 *
 * - every level that history/level.c says is implied by a satisfied one is satisfied;
 * - si and ser have an equivalent form without a commit order (docs/levels.md): INT, and some total order of
 *   the writers of each key (WW) such that (SO|WR|WW);RW? or SO|WR|WW|RW has no cycle. It is written here from
 *   that sentence, and tries all WW;
 * - a number of witnessing orders is 0 exactly where the level is violated, and a weaker level has no fewer. */
#include <stdlib.h>
#include <string.h>

#include "tests/agree.h"
#include "tests/guarded.h"
#include "tests/random_rounds.h"
#include "tests/seed.h"

#define NODES 5 /* the initial transaction is node 0 */
#define MOST_KEYS 3

static iso_env env;

typedef uint8_t relation[NODES]; /* row u: the set of v with u -> v */

typedef struct model {
    const isolab_history *h;
    unsigned n;
    relation so, wr;
    uint8_t writers[MOST_KEYS];
    uint8_t readers[MOST_KEYS][NODES]; /* by key and writer: the readers of that version */
} model;

static void make_model(model *m, const isolab_history *h, bool sessions) {
    unsigned node[64] = {0};
    memset(m, 0, sizeof *m);
    m->h = h;
    m->n = 1;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        node[t] = h->txn_counts[t] == ISO_INCLUDED ? m->n++ : NODES;
    }
    for (uint32_t k = 0; k < h->n_keys; k++) {
        m->writers[k] = 1;
    }
    for (uint32_t t = 0; t < h->n_txns; t++) {
        if (node[t] == NODES) {
            continue;
        }
        for (uint32_t s = t + 1; sessions && s < h->n_txns; s++) {
            if (node[s] != NODES && h->txn_session[s] == h->txn_session[t]) {
                m->so[node[t]] |= (uint8_t)(1 << node[s]);
            }
        }
        for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
            if (h->op_kind[o] == ISO_WRITE) {
                m->writers[h->op_key[o]] |= (uint8_t)(1 << node[t]);
                continue;
            }
            unsigned from = h->op_writer[o] == ISO_INIT ? 0 : node[h->op_txn[h->op_writer[o]]];
            if (from != node[t]) {
                m->wr[from] |= (uint8_t)(1 << node[t]);
                m->readers[h->op_key[o]][from] |= (uint8_t)(1 << node[t]);
            }
        }
    }
}

static bool is_acyclic(const model *m, const relation r) {
    uint8_t left = (uint8_t)((1 << m->n) - 1);
    for (bool smaller = true; smaller;) { /* takes away nodes that lead nowhere */
        smaller = false;
        for (unsigned u = 0; u < m->n; u++) {
            if ((left >> u & 1) && (r[u] & left) == 0) {
                left &= (uint8_t) ~(1 << u);
                smaller = true;
            }
        }
    }
    return left == 0;
}

/* place: by key and node, the node's place in the key's version order. */
static bool order_fits(const model *m, uint8_t place[MOST_KEYS][NODES], iso_level level) {
    relation d, rw = {0}, all;
    for (unsigned u = 0; u < m->n; u++) {
        d[u] = m->so[u] | m->wr[u];
    }
    for (uint32_t k = 0; k < m->h->n_keys; k++) {
        for (unsigned u = 0; u < m->n; u++) {
            for (unsigned v = 0; v < m->n; v++) {
                if ((m->writers[k] >> u & m->writers[k] >> v & 1) == 0 || place[k][u] >= place[k][v]) {
                    continue;
                }
                d[u] |= (uint8_t)(1 << v);
                for (unsigned reader = 0; reader < m->n; reader++) { /* it reads from u, and v overwrote u */
                    if ((m->readers[k][u] >> reader & 1) && reader != v) {
                        rw[reader] |= (uint8_t)(1 << v);
                    }
                }
            }
        }
    }
    for (unsigned u = 0; u < m->n; u++) {
        all[u] = level == ISO_SER ? d[u] | rw[u] : d[u];
        for (unsigned v = 0; level == ISO_SI && v < m->n; v++) {
            all[u] |= (d[u] >> v & 1) ? rw[v] : 0;
        }
    }
    return is_acyclic(m, all);
}

/* Tries every order of all nodes for every key, the initial transaction first. */
static bool some_order_fits(const model *m, iso_level level) {
    uint8_t order[24 + 1][NODES]; /* one more for a word that is no permutation */
    unsigned n_orders = 0, words = 1;
    for (unsigned i = 1; i < m->n; i++) {
        words *= m->n - 1;
    }
    for (unsigned word = 0; word < words; word++) {
        unsigned used = 0, rest = word;
        order[n_orders][0] = 0;
        for (unsigned i = 1; i < m->n; i++, rest /= m->n - 1) {
            order[n_orders][i] = (uint8_t)(1 + rest % (m->n - 1));
            used |= 1u << order[n_orders][i];
        }
        n_orders += __builtin_popcount(used) == (int)m->n - 1;
    }
    unsigned total = 1;
    for (uint32_t k = 0; k < m->h->n_keys; k++) {
        total *= n_orders;
    }
    for (unsigned choice = 0; choice < total; choice++) {
        uint8_t place[MOST_KEYS][NODES];
        unsigned rest = choice;
        for (uint32_t k = 0; k < m->h->n_keys; k++, rest /= n_orders) {
            memcpy(place[k], order[rest % n_orders], NODES);
        }
        if (order_fits(m, place, level)) {
            return true;
        }
    }
    return false;
}

typedef struct tally {
    uint64_t histories, by_level[ISO_MOST_LEVELS], graphs, graphs_fit, counted;
    bool failed, count, no_graphs;
} tally;

static bool complain(tally *t, const isolab_history *h, const char *what, iso_level level) {
    diag("%s: %s", iso_level_get(level)->name, what);
    iso_agree_print(&env, h);
    t->failed = true;
    return false;
}

static bool is_satisfied(const isolab_history *h, iso_question question, char *witnesses) {
    iso_pool pool;
    iso_pool_init(&pool, &env);
    iso_result result;
    iso_result_init(&result, &pool);
    iso_check(iso_checker_find("brute"), h, &question, &result);
    if (witnesses != NULL) {
        strcpy(witnesses, result.witnesses);
    }
    bool yes = result.verdict == ISOLAB_SATISFIED;
    iso_pool_free(&pool);
    return yes;
}

static bool test_graph(tally *t, const isolab_history *h, iso_level level, bool sessions, bool satisfied) {
    model m;
    make_model(&m, h, sessions);
    bool fits = some_order_fits(&m, level);
    t->graphs++;
    t->graphs_fit += fits;
    return fits == satisfied || complain(t, h, "the graph form says otherwise", level);
}

static bool test_counts(tally *t, const isolab_history *h, iso_levels satisfied) {
    long weaker = -1;
    for (int level = ISO_G1; level < iso_n_levels; level++) {
        char witnesses[64];
        is_satisfied(h, (iso_question){.level = (iso_level)level, .count = true}, witnesses);
        long count = strtol(witnesses, NULL, 10);
        t->counted++;
        if ((count > 0) != ((satisfied & ISO_LEVEL_BIT(level)) != 0)) {
            return complain(t, h, "witnesses without satisfaction, or the other way round", (iso_level)level);
        }
        if (weaker >= 0 && count > weaker) {
            return complain(t, h, "more witnesses than a weaker level has", (iso_level)level);
        }
        weaker = count;
    }
    return true;
}

static bool test(void *arg, const isolab_history *h) {
    tally *t = arg;
    iso_levels satisfied = 0;
    t->histories++;
    for (int level = 0; level < iso_n_levels; level++) {
        if (is_satisfied(h, (iso_question){.level = (iso_level)level}, NULL)) {
            satisfied |= ISO_LEVEL_BIT(level);
            t->by_level[level]++;
        }
    }
    for (int level = 0; level < iso_n_levels; level++) {
        if ((satisfied & ISO_LEVEL_BIT(level)) && (iso_level_and_weaker((iso_level)level) & ~satisfied) != 0) {
            return complain(t, h, "satisfied, but not all that it implies", (iso_level)level);
        }
    }
    if ((satisfied & ISO_LEVEL_BIT(ISO_INT)) == 0) {
        return true;
    }
    if (t->count && !test_counts(t, h, satisfied)) {
        return false;
    }
    for (int sessions = 0; sessions < 2 && !t->no_graphs; sessions++) {
        for (int level = ISO_SI; level <= ISO_SER; level++) {
            iso_question question = {.level = (iso_level)level, .no_session_order = !sessions};
            if (!test_graph(t, h, (iso_level)level, sessions, is_satisfied(h, question, NULL))) {
                return false;
            }
        }
    }
    return true;
}

static void report(const tally *t, const char *what) {
    bool graphs = t->no_graphs || (t->graphs_fit > 0 && t->graphs_fit < t->graphs);
    ok(!t->failed && graphs && t->counted > 0, "%s: the definitions agree with each other", what);
    diag("%s: %llu histories, %llu graph forms (%llu fit), %llu counts", what, (unsigned long long)t->histories,
         (unsigned long long)t->graphs, (unsigned long long)t->graphs_fit, (unsigned long long)t->counted);
    for (int level = 0; level < iso_n_levels; level++) {
        diag("%12s: %llu", iso_level_get((iso_level)level)->name, (unsigned long long)t->by_level[level]);
    }
}

/* no_graphs: the graph forms are for registers and unique values only. */
static void random_ones(const char *what, const iso_small_shape *shape, bool no_graphs) {
    tally t = {.count = true, .no_graphs = no_graphs};
    random_rounds(&env, shape, iso_agree_rounds(500, 20000, 1000000), test, &t);
    report(&t, what);
}

static void run(void *arg) {
    (void)arg;
    bool deep = getenv("ISOLAB_DEEP") != NULL;
    iso_pool pool;
    iso_pool_init(&pool, &env);
    tally all = {.count = true};
    iso_enumerate(
        &pool,
        &(iso_enumeration){
            .txns = deep ? 4 : 3, .ops = 2, .keys = 2, .no_thin_air = true, .parts = iso_agree_parts(50, 0, 0)},
        test, &all);
    report(&all, deep ? "all of up to 4 transactions" : "all of up to 3 transactions");

    iso_small_shape shape = {
        .txns = 4, .ops = 4, .keys = 2, .sessions = 4, .aborted = true, .indeterminate = true, .times = true};
    random_ones("random histories of 4 transactions", &shape, false);
    shape.txns = 5;
    shape.duplicates = shape.lists = true;
    random_ones("with lists and repeated values", &shape, true);
}

int main(void) { return run_guarded(&env, run); }
