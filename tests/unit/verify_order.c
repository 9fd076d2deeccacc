/* The verifier accepts exactly the claims `satisfied` that the definitions allow (tests/executions.h): on small
 * histories, at every level, every order of every set of transactions that may be included, with every choice of the
 * writes that reads of repeated values took, and wrong choices too. What it accepts is satisfied by `brute` as well. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "history/fingerprint.h"
#include "tests/agree.h"
#include "tests/executions.h"
#include "tests/guarded.h"
#include "tests/random_rounds.h"
#include "tests/raw.h"
#include "tests/seed.h"
#include "verify/verify.h"

static iso_env env;

typedef struct tally {
    iso_rng rng;
    uint64_t claims, allowed, histories;
    bool failed;
} tally;

/* A history at a level. */
typedef struct world {
    const isolab_history *h;
    execution x;
    uint64_t fingerprint;
    bool satisfied; /* by brute */
    bool all;       /* every choice was tried */
} world;

/* The certificate, with an order or without. */
static size_t write_claim(const world *w, bool order, char *text, size_t size) {
    const isolab_history *h = w->h;
    size_t n =
        (size_t)snprintf(text, size, "isolab-certificate 1\nhistory %u %u %u %016" PRIx64 "\nlevel %s\n%ssatisfied\n",
                         h->n_sessions, h->n_txns, h->n_ops, w->fingerprint, iso_level_get(w->x.level)->name,
                         w->x.sessions ? "" : "no-session-order\n");
    if (order) {
        n += (size_t)snprintf(text + n, size - n, "order %u%s", w->x.n, w->x.n > 0 ? "\n" : "");
        for (uint32_t i = 0; i < w->x.n; i++) {
            n += (size_t)snprintf(text + n, size - n, " %u", w->x.order[i]);
        }
        n += (size_t)snprintf(text + n, size - n, "\n");
    }
    for (uint32_t o = 0; o < h->n_ops; o++) {
        if (h->op_kind[o] == ISO_READ && h->op_writer[o] == ISO_MANY && w->x.in[h->op_txn[o]]) {
            n += w->x.from[o] == ISO_INIT ? (size_t)snprintf(text + n, size - n, "reads %u init\n", o)
                                          : (size_t)snprintf(text + n, size - n, "reads %u %u\n", o, w->x.from[o]);
        }
    }
    return n + (size_t)snprintf(text + n, size - n, "end\n");
}

static void complain(tally *t, const world *w, const char *what, const char *text) {
    if (!t->failed) {
        diag("%s: %s\n%s", what, env.error.message, text);
        iso_agree_print(&env, w->h);
    }
    t->failed = true;
}

/* ci: the verifier wants reads of one value to take one write. Whatever a history can do, it can do so. */
static bool takes_one_value_twice(const execution *x) {
    const isolab_history *h = x->h;
    bool any = false;
    for (uint32_t r = 0; x->level == ISO_CI && r < h->n_ops; r++) {
        for (uint32_t s = h->txn_op[h->op_txn[r]]; s < r; s++) {
            any |= h->op_kind[r] == ISO_READ && h->op_kind[s] == ISO_READ && h->op_version[r] == h->op_version[s] &&
                   execution_source(x, r) != execution_source(x, s);
        }
    }
    return any;
}

/* ci: nor does it believe that a transaction is included from which no included one can have read: the writers of a
 * repeated value leave it out. */
static bool includes_excluded(const execution *x) {
    bool any = false;
    for (uint32_t t = 0; x->level == ISO_CI && x->h->has_lists && t < x->h->n_txns; t++) {
        any |= x->in[t] && x->h->txn_counts[t] == ISO_EXCLUDED;
    }
    return any;
}

/* Compares the verifier's answer with the definitions. */
static void compare(tally *t, const world *w, bool order) {
    char text[2048];
    size_t size = write_claim(w, order, text, sizeof text);
    execution x = w->x;
    bool expected = execution_is_allowed(&x);
    iso_pool pool;
    iso_pool_init(&pool, &env);
    int code = iso_verify(&pool, w->h, text, size);
    iso_pool_free(&pool);
    t->claims++;
    t->allowed += expected;
    bool spared = takes_one_value_twice(&x) || includes_excluded(&x);
    if (code > ISO_REFUSED || (code == 0 && !expected) || (code != 0 && expected && !spared)) {
        complain(t, w, code == 0 ? "accepted, and not allowed" : "refused, and allowed", text);
    } else if (code == 0 && !w->satisfied) {
        complain(t, w, "accepted, and not satisfied by brute", text);
    }
}

/* Some reads took whatever wrote their value. */
static void choose_wrongly(tally *t, execution *x) {
    const isolab_history *h = x->h;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        uint32_t n;
        if (h->op_kind[o] == ISO_READ && h->op_writer[o] == ISO_MANY && x->in[h->op_txn[o]] &&
            iso_random_below(&t->rng, 2) == 0) {
            const uint32_t *w = iso_writers(h, h->op_version[o], &n);
            uint64_t i = iso_random_below(&t->rng, n + iso_version_is_initial(h, h->op_version[o]));
            x->from[o] = i < n ? w[i] : ISO_INIT;
        }
    }
}

/* Every read of a register took the first write of its value. */
static void choose_first(execution *x) {
    const isolab_history *h = x->h;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        uint32_t version = h->op_version[o];
        x->from[o] = h->op_kind[o] != ISO_READ            ? ISO_NONE
                     : h->op_writer[o] != ISO_MANY        ? h->op_writer[o]
                     : iso_version_is_initial(h, version) ? ISO_INIT
                                                          : h->writers_op[h->writers_first[version]];
    }
}

static void compare_orders(tally *t, world *w) {
    bool ordered = w->x.level != ISO_INT && w->x.level != ISO_CI, without = !ordered;
    execution_first_order(&w->x);
    for (uint32_t i = 0; i < w->h->n_txns;
         i++) { /* without an order, only the transactions that must be are included */
        without &= w->x.in[i] == (w->h->txn_counts[i] == ISO_INCLUDED);
    }
    if (without) {
        compare(t, w, false);
    }
    do {
        compare(t, w, true);
    } while (!t->failed && ordered && execution_next_order(&w->x));
}

static void compare_choices(tally *t, world *w) {
    if (!execution_first_choice(&w->x)) {
        execution_first_order(&w->x);
        choose_first(&w->x); /* some read offends, whatever it took */
        compare_orders(t, w);
        return;
    }
    for (unsigned n = 0; n < 64 && !t->failed; n++) {
        compare_orders(t, w);
        execution right = w->x;
        if (!w->h->unique) {
            choose_wrongly(t, &w->x);
            compare_orders(t, w);
        }
        w->x = right;
        if (!execution_next_choice(&w->x)) {
            return;
        }
    }
    w->all = false;
}

static void compare_level(tally *t, const isolab_history *h, iso_level level, bool sessions) {
    iso_pool pool;
    iso_pool_init(&pool, &env);
    iso_question question = {.level = level, .no_session_order = !sessions};
    iso_result truth;
    iso_result_init(&truth, &pool);
    iso_check(iso_checker_find("brute"), h, &question, &truth);
    world w = {.h = h,
               .x = {.level = level, .sessions = sessions},
               .all = true,
               .fingerprint = iso_fingerprint(h, &pool),
               .satisfied = truth.verdict == ISOLAB_SATISFIED};
    uint64_t allowed = t->allowed;
    execution_first_members(&w.x, h);
    do {
        compare_choices(t, &w);
    } while (!t->failed && execution_next_members(&w.x));
    if (w.satisfied && w.all && t->allowed == allowed) {
        complain(t, &w, "satisfied by brute, but nothing is allowed", "");
    }
    iso_pool_free(&pool);
}

static bool test(void *arg, const isolab_history *h) {
    tally *t = arg;
    t->histories++;
    for (int level = 0; level < iso_n_levels && !t->failed; level++) {
        compare_level(t, h, level, true);
        if (level == ISO_SI || level == ISO_SER) {
            compare_level(t, h, level, false);
        }
    }
    return !t->failed;
}

static void report(const tally *t, const char *what) {
    ok(!t->failed && t->allowed > 0, "%s: exactly what the definitions allow is accepted", what);
    diag("%s: %" PRIu64 " histories, %" PRIu64 " claims, %" PRIu64 " of them allowed", what, t->histories, t->claims,
         t->allowed);
}

static uint64_t random_ones(const char *what, uint64_t quick, uint64_t normal, uint64_t deep, iso_small_shape shape) {
    tally t = {.rng = {seed_or(1)}};
    random_rounds(&env, &shape, iso_agree_rounds(quick, normal, deep), test, &t);
    report(&t, what);
    return t.claims;
}

/* Histories whose reads return anything. */
static uint64_t wild_ones(uint64_t quick, uint64_t normal, uint64_t deep) {
    uint64_t rounds = iso_agree_rounds(quick, normal, deep);
    tally t = {.rng = {seed_or(1)}};
    for (uint64_t i = 0; i < rounds && !t.failed; i++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        test(&t, raw_small(&pool, &t.rng, 4, 14));
        iso_pool_free(&pool);
    }
    report(&t, "wild histories");
    return t.claims;
}

static void run(void *arg) {
    (void)arg;
    unsigned parts = iso_agree_parts(20000, 500, 0);
    uint64_t seed = seed_or(1), n;
    diag("seed %" PRIu64, seed);
    tally all = {.rng = {seed}};
    iso_pool pool;
    iso_pool_init(&pool, &env);
    iso_enumerate(&pool,
                  &(iso_enumeration){.txns = 3,
                                     .ops = 2,
                                     .keys = 2,
                                     .aborted = true,
                                     .parts = parts,
                                     .part = parts == 0 ? 0 : (unsigned)(seed % parts)},
                  test, &all);
    report(&all, parts == 0 ? "all of up to 3 transactions" : "some of up to 3 transactions");
    n = all.claims;
    iso_small_shape plain = {.txns = 4,
                             .ops = 4,
                             .keys = 3,
                             .sessions = 3,
                             .aborted = true,
                             .indeterminate = true,
                             .times = true,
                             .wild = true};
    iso_small_shape larger = {.txns = 6, .ops = 4, .keys = 3, .sessions = 3, .times = true};
    iso_small_shape duplicates = plain, lists = plain, both;
    duplicates.duplicates = lists.lists = true;
    both = lists;
    both.duplicates = true;
    n += random_ones("random histories", 30, 1000, 50000, plain);
    n += random_ones("larger ones", 1, 10, 1000, larger);
    n += random_ones("repeated values", 20, 400, 20000, duplicates);
    n += random_ones("lists", 20, 500, 20000, lists);
    n += random_ones("lists with duplicates", 20, 400, 20000, both);
    n += wild_ones(100, 2000, 50000);
    diag("%" PRIu64 " claims in all", n);
}

int main(void) { return run_guarded(&env, run); }
