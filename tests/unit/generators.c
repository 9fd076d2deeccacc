/* Tests generators/. The generators: the seed reproduces the bytes; every checker finds that the store's level holds,
 * and that the next stronger levels do not; each bug breaks what its description says and no more. */
#include "generators/generator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/checker.h"
#include "generators/store.h"
#include "tests/generated.h"
#include "tests/tap.h"

static isolab_verdict verdict(const iso_checker *c, const isolab_history *h, iso_level level, iso_result *result) {
    iso_question question = {.level = level, .all = (c->can & ISO_CAN_ALL) != 0, .limit = 100};
    iso_result_init(result, h->pool);
    h->pool->env->limits->deadline = iso_now() + 2000000000; /* then the verdict is unknown */
    iso_check(c, h, &question, result);
    h->pool->env->limits->deadline = 0;
    return result->verdict;
}

static bool same_history(const isolab_history *a, const isolab_history *b) {
    return a->n_txns == b->n_txns && a->n_ops == b->n_ops && a->n_keys == b->n_keys &&
           memcmp(a->op_version, b->op_version, a->n_ops * sizeof *a->op_version) == 0 &&
           memcmp(a->op_kind, b->op_kind, a->n_ops) == 0 && memcmp(a->txn_status, b->txn_status, a->n_txns) == 0 &&
           memcmp(a->version_bits, b->version_bits, a->n_versions * sizeof *a->version_bits) == 0 &&
           (a->txn_start == NULL) == (b->txn_start == NULL) &&
           (a->txn_start == NULL || memcmp(a->txn_start, b->txn_start, a->n_txns * sizeof *a->txn_start) == 0);
}

static void reproducible(iso_pool *pool) {
    for (size_t i = 0; iso_generators[i] != NULL; i++) {
        const iso_generator *g = iso_generators[i];
        if (g->common != iso_store_options) {
            continue;
        }
        isolab_history *a = generated(pool, g->name, "seed=5 txns=200 level=si aborts=0.05 unknown=0.05 times=yes");
        isolab_history *b = generated(pool, g->name, "seed=5 txns=200 level=si aborts=0.05 unknown=0.05 times=yes");
        isolab_history *c = generated(pool, g->name, "seed=6 txns=200 level=si aborts=0.05 unknown=0.05 times=yes");
        ok(same_history(a, b), "%s: one seed, one history", g->name);
        ok(!same_history(a, c), "%s: another seed, another one", g->name);
        ok(a->n_committed > 0 && a->n_aborted > 0 && a->n_indeterminate > 0, "%s: transactions end in all ways",
           g->name);
    }
}

static const iso_level ladder[] = {ISO_RC, ISO_RA, ISO_CC, ISO_PC, ISO_SI, ISO_SER, ISO_LSER, ISO_SSER};
#define RUNGS (sizeof ladder / sizeof *ladder)

/* Small histories for every checker; the seed is the round. */
static void delivers(iso_env *env, uint64_t rounds, const char *shape, bool small) {
    for (size_t i = 0; i < RUNGS; i++) {
        const char *name = iso_level_get(ladder[i])->name;
        uint64_t verdicts = 0, wrong = 0, asked = 0, broken = 0;
        for (uint64_t seed = 1; seed <= rounds; seed++) {
            iso_pool pool;
            iso_pool_init(&pool, env);
            char options[256];
            snprintf(options, sizeof options, "level=%s seed=%llu aborted=drop times=yes %s", name,
                     (unsigned long long)seed, shape);
            isolab_history *h = generated(&pool, "random", options);
            bool known = false, violated = false;
            for (size_t c = 0; iso_checkers[c] != NULL; c++) {
                if (!small && iso_checkers[c] == iso_checker_find("sat")) { /* too slow for these */
                    continue;
                }
                iso_result result;
                isolab_verdict v = verdict(iso_checkers[c], h, ladder[i], &result);
                verdicts += v != ISOLAB_UNKNOWN;
                if (v == ISOLAB_VIOLATED) {
                    wrong++;
                    diag("%s says that %s violates %s", iso_checkers[c]->name, options, name);
                }
                if (!known && i + 1 < RUNGS) {
                    v = verdict(iso_checkers[c], h, ladder[i + 1], &result);
                    known = v != ISOLAB_UNKNOWN;
                    violated = v == ISOLAB_VIOLATED;
                }
            }
            asked += known;
            broken += violated;
            iso_pool_free(&pool);
        }
        if (verdicts == 0) {
            pass("%s: no checker for it # skip", name);
            continue;
        }
        cmp_ok(wrong, "==", 0, "a store of level %s delivers it (%llu verdicts, %s)", name,
               (unsigned long long)verdicts, shape);
        if (!small && i + 1 < RUNGS && asked > 0) {
            bool usual = ladder[i] != ISO_LSER; /* transactions without a common key are rarely seen out of order */
            ok(usual ? 10 * broken >= 9 * asked : broken > 0, "and violates %s in %llu of %llu histories",
               iso_level_get(ladder[i + 1])->name, (unsigned long long)broken, (unsigned long long)asked);
        }
    }
}

/* Every workload on every store: what is delivered does not depend on what is asked for. */
static void workloads(iso_env *env, uint64_t rounds) {
    static const char *const shape[][2] = {
        {"ycsb", "ops=6 keys=40 distribution=zipfian txns=200"},
        {"ycsb", "mix=HD ops=4 keys=20 values=5 txns=60"},
        {"blindw", "keys=60 txns=200"},
        {"mini", "keys=20 txns=200"},
        {"mini", "keys=10 values=3 txns=60"},
        {"list-append", "keys=5 appends=8 txns=60"},
        {"twitter", "users=30 txns=200"},
        {"twitter", "users=30 duplicates=yes txns=60"},
        {"rubis", "users=20 items=30 txns=200"},
        {"tpcc", "customers=5 items=50 txns=60"},
    };
    for (size_t w = 0; w < sizeof shape / sizeof *shape; w++) {
        uint64_t verdicts = 0, wrong = 0;
        bool lists = strcmp(shape[w][0], "list-append") == 0;
        for (uint64_t round = 0; round < rounds * RUNGS; round++) {
            iso_pool pool;
            iso_pool_init(&pool, env);
            iso_level level = ladder[round % RUNGS];
            if (lists && (level == ISO_RA || level == ISO_CC)) {
                continue;
            }
            char options[256];
            snprintf(options, sizeof options, "sessions=5 level=%s seed=%llu unknown=0.02 aborts=0.02 %s",
                     iso_level_get(level)->name, (unsigned long long)round, shape[w][1]);
            isolab_history *h = generated(&pool, shape[w][0], options);
            for (size_t c = 0; iso_checkers[c] != NULL; c++) {
                iso_result result;
                if (iso_checkers[c] == iso_checker_find("sat")) {
                    continue; /* too slow for these */
                }
                isolab_verdict v = verdict(iso_checkers[c], h, level, &result);
                verdicts += v != ISOLAB_UNKNOWN;
                if (v == ISOLAB_VIOLATED) {
                    wrong++;
                    diag("%s says that %s %s violates its level", iso_checkers[c]->name, shape[w][0], options);
                }
            }
            iso_pool_free(&pool);
        }
        if (verdicts > 0) {
            cmp_ok(wrong, "==", 0, "%s (%s) on all stores: %llu verdicts", shape[w][0], shape[w][1],
                   (unsigned long long)verdicts);
        }
    }
}

/* The mixes are what the papers say: shares of reads, and which values repeat. */
static void mixes(iso_pool *pool) {
    static const struct {
        const char *generator, *options;
        double reads;
        uint32_t txns, ops;
        bool unique;
    } mix[] = {
        {"ycsb", "mix=RH", 0.95, 10000, 8, false},        {"ycsb", "mix=BL", 0.5, 10000, 8, false},
        {"ycsb", "mix=WH", 0.3, 10000, 8, false},         {"ycsb", "mix=HD", 0.5, 10000, 8, false},
        {"ycsb", "mix=GeneralRH", 0.95, 16000, 20, true}, {"ycsb", "mix=GeneralRW", 0.5, 16000, 20, true},
        {"ycsb", "mix=GeneralWH", 0.3, 16000, 20, true},  {"ycsb", "mix=RH duplicates=0", 0.95, 10000, 8, true},
        {"blindw", "mix=RW", 0.5, 10000, 8, true},        {"blindw", "mix=RM", 0.9, 10000, 8, true},
    };
    for (size_t i = 0; i < sizeof mix / sizeof *mix; i++) {
        char options[64];
        snprintf(options, sizeof options, "level=pc %s", mix[i].options); /* there nothing aborts */
        isolab_history *h = generated(pool, mix[i].generator, options);
        uint32_t reads = 0, blind = 0;
        for (uint32_t t = 0; t < h->n_txns; t++) {
            uint32_t own = 0, n = h->txn_op[t + 1] - h->txn_op[t];
            for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++) {
                own += h->op_kind[op] == ISO_READ;
            }
            reads += own;
            blind += own == 0 || own == n;
        }
        double share = (double)reads / h->n_ops;
        ok(h->n_txns == mix[i].txns && h->n_ops == mix[i].ops * h->n_txns && h->unique == mix[i].unique &&
               share > mix[i].reads - 0.02 && share < mix[i].reads + 0.02,
           "%s %s: %u transactions, %.3f reads, values %s", mix[i].generator, mix[i].options, h->n_txns, share,
           h->unique ? "unique" : "repeat");
        if (strcmp(mix[i].generator, "blindw") == 0) {
            cmp_ok(blind, "==", h->n_txns, "every transaction only reads or only writes");
        }
    }
    isolab_history *h = generated(pool, "mini", "txns=2000 keys=50");
    uint32_t wrong = 0;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        uint32_t reads = 0, writes = 0;
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++) {
            bool write = iso_is_write(h->op_kind[op]), before = !write;
            for (uint32_t r = h->txn_op[t]; r < op; r++) {
                before |= h->op_kind[r] == ISO_READ && h->op_key[r] == h->op_key[op];
            }
            reads += !write;
            writes += write;
            wrong += !before;
        }
        wrong += reads > 2 || writes > 2;
    }
    cmp_ok(wrong, "==", 0, "mini-transactions are mini");
}

/* The patterns that two independent checkers count are the bug's own and no other. Two bugs have company by their
 * definition: reading a key twice going back is what rc forbids (non-monotonic), and from ra on any two values are
 * (non-repeatable); and a write applied again is seen after the write that had overwritten it, so both orders of the
 * two are seen (TAP-m and TAP-n). */
static void only_named(const isolab_history *h, const iso_bug *bug) {
    static const char *const checkers[] = {"plume", "naive"};
    iso_level broken = iso_level_find(bug->breaks, NULL);
    if (broken > ISO_CC || bug->lists) {
        return;
    }
    for (size_t c = 0; c < 2; c++) {
        iso_result result;
        if (verdict(iso_checker_find(checkers[c]), h, ISO_CC, &result) != ISOLAB_VIOLATED) {
            fail("%s: %s at cc", bug->name, checkers[c]);
            continue;
        }
        uint64_t named = 0, others = 0;
        for (uint32_t i = 0; i < result.n_anomalies; i++) { /* each instance by its most special name */
            int k = result.anomalies[i].kind;
            bool own = strcmp(iso_anomaly_get((iso_anomaly_kind)k)->name, bug->anomaly) == 0;
            if (strcmp(bug->name, "backward-read") == 0) {
                own = k == ISO_A_NON_REPEATABLE_READ;
            } else if (strcmp(bug->name, "duplicated-write") == 0) {
                own |= k == ISO_A_CONFLICT_CM;
            }
            named += own;
            others += !own;
        }
        ok(named > 0 && others == 0, "%s: %s counts %llu of its pattern and %llu others", bug->name, checkers[c],
           (unsigned long long)named, (unsigned long long)others);
    }
}

static void breaks(iso_env *env) {
    const iso_checker *brute = iso_checker_find("brute");
    for (const iso_bug *bug = iso_bugs; bug->name != NULL; bug++) {
        iso_pool pool;
        iso_pool_init(&pool, env);
        char options[256];
        snprintf(options, sizeof options, "sessions=6 txns=1 %s keys=8 times=yes bug=%s bug-rate=1",
                 bug->lists ? "ops=1 reads=0" : "ops=0", bug->name);
        isolab_history *h = generated(&pool, bug->lists ? "list-append" : "random", options);
        iso_result result;
        iso_level broken = iso_level_find(bug->breaks, NULL), kept = iso_level_find(bug->keeps, NULL);
        cmp_ok(verdict(brute, h, broken, &result), "==", ISOLAB_VIOLATED, "%s breaks %s", bug->name, bug->breaks);
        if (kept != ISO_NO_LEVEL) {
            cmp_ok(verdict(brute, h, kept, &result), "==", ISOLAB_SATISFIED, "%s keeps %s", bug->name, bug->keeps);
        }
        bool shown = false;
        for (size_t c = 0; iso_checkers[c] != NULL; c++) {
            verdict(iso_checkers[c], h, broken, &result);
            for (int k = 0; k < ISO_A_KINDS; k++) {
                shown |= result.seen[k] > 0 && strcmp(iso_anomaly_get((iso_anomaly_kind)k)->name, bug->anomaly) == 0;
            }
            /* above cc the checkers of lists search, and name no anomaly */
            shown |= bug->lists && broken > ISO_CC && result.seen[ISO_A_NO_ORDER] > 0;
        }
        ok(shown, "%s shows %s", bug->name, bug->anomaly);
        only_named(h, bug);
        iso_pool_free(&pool);
    }
}

/* A store with a bug still serves all other transactions correctly: the history as a whole keeps what the bug keeps. */
static void breaks_no_more(iso_env *env, uint64_t rounds) {
    for (const iso_bug *bug = iso_bugs; bug->name != NULL; bug++) {
        iso_level kept = iso_level_find(bug->keeps, NULL), broken = iso_level_find(bug->breaks, NULL);
        uint64_t wrong = 0, verdicts = 0, missed = 0;
        for (uint64_t seed = 1; seed <= rounds; seed++) {
            iso_pool pool;
            iso_pool_init(&pool, env);
            char options[256];
            snprintf(options, sizeof options,
                     "sessions=6 txns=%d ops=4 keys=12 times=yes level=%s bug=%s bug-rate=0.1 seed=%llu",
                     bug->lists ? 40 : 60, seed % 2 == 0 ? "sser" : "ser", bug->name, (unsigned long long)seed);
            isolab_history *h = generated(&pool, bug->lists ? "list-append" : "random", options);
            iso_result result;
            for (size_t c = 0; iso_checkers[c] != NULL; c++) {
                isolab_verdict v = kept == ISO_NO_LEVEL ? ISOLAB_UNKNOWN : verdict(iso_checkers[c], h, kept, &result);
                verdicts += v != ISOLAB_UNKNOWN;
                wrong += v == ISOLAB_VIOLATED;
                v = verdict(iso_checkers[c], h, broken, &result);
                verdicts += v != ISOLAB_UNKNOWN;
                missed += v == ISOLAB_SATISFIED;
                if (v == ISOLAB_SATISFIED) {
                    diag("%s: %s satisfies %s", iso_checkers[c]->name, options, bug->breaks);
                }
            }
            iso_pool_free(&pool);
        }
        if (verdicts > 0) {
            ok(wrong == 0 && missed == 0, "among others %s%s breaks %s and keeps %s (%llu verdicts)", bug->name,
               bug->lists ? " of lists" : "", bug->breaks, bug->keeps, (unsigned long long)verdicts);
        }
    }
}

typedef struct wrong_use {
    iso_pool *pool;
    const char *options;
} wrong_use;

static void run_wrong(void *arg) {
    wrong_use *w = arg;
    generated(w->pool, "random", w->options);
}

static void refuses(iso_env *env) {
    static const char *const wrong[] = {"txns=-1",
                                        "txns=1e99",
                                        "reads=2",
                                        "reads=nan",
                                        "level=perfect",
                                        "no=1",
                                        "sessions=0",
                                        "keys=0",
                                        "seed=x",
                                        "bug=none1",
                                        "bug=long-fork sessions=2",
                                        "txns=1.5"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        iso_pool pool;
        iso_pool_init(&pool, env);
        wrong_use w = {&pool, wrong[i]};
        cmp_ok(iso_guard(env, run_wrong, &w), "==", ISOLAB_E_USAGE, "refused: %s (%s)", wrong[i], env->error.message);
        iso_pool_free(&pool);
    }
}

int main(void) {
    bool quick = getenv("ISOLAB_QUICK") != NULL, deep = getenv("ISOLAB_DEEP") != NULL;
    iso_env env;
    iso_env_init(&env);
    iso_pool pool;
    iso_pool_init(&pool, &env);
    reproducible(&pool);
    refuses(&env);
    mixes(&pool);
    delivers(&env, quick ? 20 : deep ? 2000 : 200, "sessions=3 txns=8 ops=4 keys=3 reads=0.6 lag=3", true);
    delivers(&env, quick ? 3 : deep ? 300 : 30, "sessions=8 txns=300 ops=6 keys=30", false);
    delivers(&env, quick ? 2 : deep ? 100 : 10, "sessions=8 txns=300 ops=6 keys=30 preload=yes", false);
    workloads(&env, quick ? 1 : deep ? 50 : 5);
    breaks(&env);
    breaks_no_more(&env, quick ? 2 : deep ? 200 : 20);
    iso_pool_free(&pool);
    done_testing();
    return exit_status();
}
