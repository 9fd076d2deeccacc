/* Tests how cc finds the reads that need edges by strands of a key's writers (checkers/awdit/cc.h), on histories of
 * many writers of few keys: awdit against naive, and the number of edges that it infers against a count of the needed
 * ones, from the definition and a table of what happens before what. */
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "checkers/checker.h"
#include "generators/generator.h"
#include "history/builder.h"
#include "tests/agree.h"
#include "tests/guarded.h"
#include "tests/seed.h"

static iso_env env;

/* Transactions one after the other, in long sessions taken at random, on few keys; some reads are late: they return one
 * of the four latest values. So clocks find the writers of a key by strands (cc.h), and often miss none, or few. */
static isolab_history *late_reads(iso_pool *pool, uint64_t seed) {
    enum { KEYS = 8, SESSIONS = 24, TXNS = 64 * SESSIONS + 40 };
    iso_rng rng = {seed};
    uint64_t keys = 1 + iso_random_below(&rng, KEYS), late = 4u << iso_random_below(&rng, 9), aborted = 1 + (seed & 1);
    int64_t latest[KEYS][4] = {{0}}, value = 0;
    /* A long session has wider entries, so the table has several blocks. */
    bool uneven = iso_random_below(&rng, 2) == 0;
    iso_builder *b = iso_builder_new(pool);
    for (uint32_t i = 0; i < TXNS; i++) {
        uint64_t at = uneven && iso_random_below(&rng, 3) == 0 ? 0 : iso_random_below(&rng, SESSIONS);
        uint32_t s = iso_builder_session(b, iso_atom_int((int64_t)at));
        bool aborts = aborted > 1 && iso_random_below(&rng, 30) == 0;
        uint32_t t = iso_builder_txn(b, s, iso_atom_nil(), aborts ? ISO_ABORTED : ISO_COMMITTED);
        uint64_t first = iso_random_below(&rng, keys), n = 1 + iso_random_below(&rng, keys < 3 ? keys : 3);
        for (uint64_t o = first; o < first + n; o++) {
            int64_t *of = latest[o % keys];
            uint64_t which = iso_random_below(&rng, late) == 0 ? iso_random_below(&rng, 4) : 0;
            uint32_t key = iso_builder_key(b, iso_atom_int((int64_t)(o % keys)));
            if (iso_random_below(&rng, 8) > 0) {
                iso_builder_op(b, t, ISO_READ, key, of[which] == 0 ? iso_atom_nil() : iso_atom_int(of[which]));
            }
            if (iso_random_below(&rng, 2) == 0) {
                iso_builder_op(b, t, ISO_WRITE, key, iso_atom_int(++value));
                memmove(of + 1, of, aborts ? 0 : 3 * sizeof *of);
                of[0] = aborts ? of[0] : value;
            }
        }
    }
    return iso_builder_finish(b);
}

/* A store of few replicas that learn of each other's writes late: many reads need an edge between writers that nothing
 * else orders. */
static isolab_history *of_replicas(iso_pool *pool, uint64_t seed) {
    static const char *const replicas[] = {"2", "3"}, *const lags[] = {"1", "5", "20"}, *const keys[] = {"1", "3", "9"};
    const iso_generator *g = iso_generator_find("random");
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)seed);
    const char *const settings[][2] = {{"seed", text},
                                       {"level", "cc"},
                                       {"replicas", replicas[seed % 2]},
                                       {"lag", lags[seed / 2 % 3]},
                                       {"keys", keys[seed / 6 % 3]},
                                       {"sessions", "24"},
                                       {"txns", "1600"},
                                       {"reads", "0.7"},
                                       {"ops", "4"}};
    iso_args args;
    iso_generator_args(g, pool, &args);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        iso_args_set(&args, settings[i][0], settings[i][1]);
    }
    iso_builder *b = iso_builder_new(pool);
    iso_generator_run(g, &args, b);
    return iso_builder_finish(b);
}

/* ---- what happens before what ---- */

typedef struct table {
    const isolab_history *h;
    uint32_t words;
    uint64_t *before; /* by transaction: the ones that happen before it */
    bool cyclic;
} table;

static bool included(const isolab_history *h, uint32_t t) { return h->txn_counts[t] == ISO_INCLUDED; }

static bool is_before(const table *x, uint32_t t, uint32_t s) {
    return x->before[(size_t)s * x->words + t / 64] >> t % 64 & 1;
}

/* A transaction happens before another one, and so do the ones that happen before it. Returns whether that was new. */
static bool join(table *x, uint32_t t, uint32_t s) {
    uint64_t *to = x->before + (size_t)s * x->words, more = 0;
    for (uint32_t i = 0; i < x->words; i++) {
        uint64_t now = to[i] | x->before[(size_t)t * x->words + i] | (i == t / 64 ? (uint64_t)1 << t % 64 : 0);
        more |= now ^ to[i];
        to[i] = now;
    }
    return more != 0;
}

/* The transaction from which a read of an included one read; ISO_NONE: it is no read from another transaction. */
static uint32_t source(const isolab_history *h, uint32_t o) {
    uint32_t w = h->op_kind[o] == ISO_READ && included(h, h->op_txn[o]) ? h->op_writer[o] : ISO_NONE;
    return w >= ISO_MANY ? w : h->op_txn[w] == h->op_txn[o] ? ISO_NONE : h->op_txn[w];
}

static table happens_before(iso_pool *pool, const isolab_history *h) {
    table x = {.h = h, .words = h->n_txns / 64 + 1};
    x.before = ISO_ZNEW(pool, uint64_t, (size_t)h->n_txns * x.words);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t t = 0, last = ISO_NONE; t < h->n_txns; t++) {
            if (!included(h, t)) {
                continue;
            }
            more |= last != ISO_NONE && h->txn_session[last] == h->txn_session[t] && join(&x, last, t);
            last = t;
            for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
                uint32_t from = source(h, o);
                more |= from < ISO_MANY && join(&x, from, t);
            }
        }
    }
    for (uint32_t t = 0; t < h->n_txns; t++) {
        x.cyclic |= is_before(&x, t, t);
    }
    return x;
}

/* ---- the edges ---- */

/* By session: the last writer of the key to which an edge was counted since the session of t1 began. */
typedef struct counted {
    uint32_t last[64];
    uint64_t edges;
} counted;

static bool writes(const isolab_history *h, uint32_t t, uint32_t key) {
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        if (h->op_kind[o] == ISO_WRITE && h->op_key[o] == key) {
            return included(h, t);
        }
    }
    return false;
}

/* Counts the edges that a read of t3 from t1 needs: from each session's last writer of the key that happens before t3,
 * unless it happens before t1, is t1, or had an edge to t1 or to what comes before it in its session. */
static void count_read(const table *x, counted *c, uint32_t key, uint32_t t1, uint32_t t3) {
    const isolab_history *h = x->h;
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        uint32_t t2 = ISO_NONE;
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
            t2 = t != t3 && is_before(x, t, t3) && writes(h, t, key) ? t : t2;
        }
        bool needed = t2 != ISO_NONE && t2 != t1 && (t1 == ISO_INIT || !is_before(x, t2, t1));
        if (needed && (c->last[s] == ISO_NONE || c->last[s] < t2)) {
            c->last[s] = t2;
            c->edges++;
        }
    }
}

static uint64_t count_edges(const table *x) {
    const isolab_history *h = x->h;
    counted c = {.edges = 0};
    for (uint32_t key = 0; key < h->n_keys; key++) {
        for (uint32_t i = 0; i <= h->n_txns; i++) {
            uint32_t t1 = i < h->n_txns ? i : ISO_INIT;
            if (i == 0 || t1 == ISO_INIT || h->txn_session[i] != h->txn_session[i - 1]) {
                memset(c.last, 0xff, sizeof c.last);
            }
            for (uint32_t o = 0; o < h->n_ops && (t1 == ISO_INIT || writes(h, t1, key)); o++) {
                if (h->op_key[o] == key && source(h, o) == t1) {
                    count_read(x, &c, key, t1, h->op_txn[o]);
                }
            }
        }
    }
    return c.edges;
}

/* ---- tests ---- */

typedef struct tally {
    uint64_t compared, edges, differ;
} tally;

static bool counter(const iso_result *r, const char *name, uint64_t *value) {
    for (unsigned i = 0; i < r->n_counters; i++) {
        if (strcmp(r->counter[i].name, name) == 0) {
            *value = r->counter[i].value;
            return true;
        }
    }
    return false;
}

static void compare(tally *y, iso_pool *pool, const isolab_history *h) {
    iso_result r;
    uint64_t edges, chains;
    iso_result_init(&r, pool);
    iso_check(iso_checker_find("awdit"), h, &(iso_question){.level = ISO_CC, .limit = 1, .options = "clocks=yes"}, &r);
    table x = happens_before(pool, h);
    if (!x.cyclic && counter(&r, "inferred edges", &edges) && counter(&r, "chains", &chains) &&
        chains == h->n_sessions) {
        uint64_t needed = count_edges(&x);
        y->compared++;
        y->edges += needed;
        y->differ += edges != needed;
        if (edges != needed) {
            diag("%llu edges, and %llu are needed", (unsigned long long)edges, (unsigned long long)needed);
        }
    }
}

static void tests(void *arg) {
    (void)arg;
    uint64_t rounds = iso_agree_rounds(10, 24, 1000);
    iso_agreement a = {.what = "naive, many writers of a key",
                       .checkers = "naive awdit",
                       .levels = ISO_LEVEL_BIT(ISO_CC),
                       .need_certificates = true};
    tally y = {0};
    for (uint64_t i = 0; i < rounds && !a.failed; i++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        uint64_t seed = seed_or(1) + i;
        const isolab_history *h = i % 2 == 0 ? late_reads(&pool, seed) : of_replicas(&pool, seed);
        iso_agree(&a, &env, h, seed);
        compare(&y, &pool, h);
        iso_pool_free(&pool);
    }
    iso_agree_report(&a);
    ok(a.level_satisfied[ISO_CC] > 0 && a.level_violated[ISO_CC] > 0, "some satisfy cc and some do not");
    ok(y.differ == 0 && y.compared * 2 > rounds && y.edges > y.compared,
       "the edges are the ones that are needed: %llu in %llu histories", (unsigned long long)y.edges,
       (unsigned long long)y.compared);
}

int main(void) { return run_guarded(&env, tests); }
