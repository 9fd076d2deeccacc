/* Strict serializability (docs/levels.md, "Real time"): every checker that decides it says what an order of the
 * transactions says that is looked for here, one after another, and its certificates are valid. All times of up to 3
 * transactions, with ties, transactions without duration, missing times, and times that contradict sessions; then
 * random ones of few instants; the same of mini-transactions, all of which `mtc` must decide. Also that indeterminate
 * transactions have no end, and where a clock ran backwards. */
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "history/clock.h"
#include "history/copy.h"
#include "tests/agree.h"
#include "tests/equal.h"
#include "tests/guarded.h"
#include "tests/seed.h"

static iso_env env;

enum { TXNS = 3, INSTANTS = 2 * TXNS };

typedef struct times {
    int64_t start[8], end[8];
} times;

/* A copy of a history that has these times. */
static const isolab_history *timed(iso_pool *pool, const isolab_history *h, const times *x) {
    iso_builder *b = iso_builder_new(pool);
    iso_copy_names(b, h);
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        uint32_t session = iso_builder_session(b, h->session_name[s]);
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
            uint32_t txn = iso_copy_txn(b, session, h, t);
            iso_builder_times(b, txn, x->start[t], x->end[t]);
            for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
                iso_copy_op(pool, b, txn, h, o, o);
            }
        }
    }
    return iso_builder_finish(b);
}

/* ---- the definition ---- */

typedef struct serial {
    const isolab_history *h;
    const times *x;
    bool by_key; /* lser: real time orders only transactions that access a common key */
    bool done[8];
    uint32_t state[8]; /* by key: the version, ISO_NONE: the initial one */
} serial;

static bool meet(const isolab_history *h, uint32_t t, uint32_t u) {
    bool any = false;
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        for (uint32_t p = h->txn_op[u]; p < h->txn_op[u + 1]; p++) {
            any |= h->op_key[o] == h->op_key[p];
        }
    }
    return any;
}

/* May t come next: is no transaction that must come before it still to come? */
static bool may_be_next(const serial *s, uint32_t t) {
    for (uint32_t u = 0; u < s->h->n_txns; u++) {
        bool session = s->h->txn_session[u] == s->h->txn_session[t] && u < t;
        bool time = s->x->end[u] != ISO_NO_TIME && s->x->start[t] != ISO_NO_TIME && s->x->end[u] < s->x->start[t];
        time &= !s->by_key || meet(s->h, t, u);
        if (u != t && !s->done[u] && (session || time)) {
            return false;
        }
    }
    return true;
}

/* Runs t: false if a read does not return what is there. */
static bool runs(serial *s, uint32_t t) {
    const isolab_history *h = s->h;
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        uint32_t version = iso_version_is_initial(h, h->op_version[o]) ? ISO_NONE : h->op_version[o];
        if (!iso_is_write(h->op_kind[o]) && s->state[h->op_key[o]] != version) {
            return false;
        }
        s->state[h->op_key[o]] = version;
    }
    return true;
}

/* Of at most 3 transactions, so the recursion is not deep. */
static bool goes_on(const serial *before) {
    bool all = true;
    for (uint32_t t = 0; t < before->h->n_txns; t++) {
        all &= before->done[t];
        serial s = *before;
        s.done[t] = true;
        if (!before->done[t] && may_be_next(before, t) && runs(&s, t) && goes_on(&s)) {
            return true;
        }
    }
    return all;
}

static bool is_strict(const isolab_history *h, const times *x, bool by_key) {
    serial s = {.h = h, .x = x, .by_key = by_key};
    for (int k = 0; k < 8; k++) {
        s.state[k] = ISO_NONE;
    }
    for (uint32_t t = 0; t < h->n_txns; t++) {
        s.done[t] = h->txn_status[t] == ISO_ABORTED;
    }
    return goes_on(&s);
}

/* The definition of clock.h, pair by pair. */
static uint64_t places(const isolab_history *h, const times *x, uint64_t *contradictions) {
    uint64_t n = 0;
    *contradictions = 0;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        bool began = false, ended = false;
        for (uint32_t u = h->session_txn[h->txn_session[t]]; u < t; u++) {
            ended |= x->end[t] != ISO_NO_TIME && x->start[u] != ISO_NO_TIME && x->end[t] < x->start[u];
            began |= x->start[t] != ISO_NO_TIME && x->end[u] != ISO_NO_TIME && x->start[t] < x->end[u];
        }
        n += began || ended;
        *contradictions += ended;
    }
    return n;
}

/* ---- all times ---- */

typedef struct tally {
    iso_agreement agreement;
    iso_pool pool;
    uint64_t asked, strict, between, number, parts, part, wrong;
    bool mini;            /* `mtc` must decide them, too */
    times *all[TXNS + 1]; /* by the number of transactions */
    uint32_t n_all[TXNS + 1], room[TXNS + 1];
} tally;

/* Does the checker decide the level so? */
static bool says(iso_pool *pool, const char *checker, const isolab_history *h, iso_level level, bool satisfied) {
    iso_result r;
    iso_result_init(&r, pool);
    iso_check(iso_checker_find(checker), h, &(const iso_question){.level = level}, &r);
    return r.verdict == (satisfied ? ISOLAB_SATISFIED : ISOLAB_VIOLATED);
}

static void compare(tally *y, const isolab_history *plain, const times *x) {
    const isolab_history *h = timed(&y->pool, plain, x);
    bool strict = is_strict(h, x, false), by_key = is_strict(h, x, true);
    uint64_t contradictions, n = places(h, x, &contradictions);
    iso_clock clock = iso_clock_of(h);
    bool right = clock.places == n && clock.contradictions == contradictions;
    for (int i = 0; i <= y->mini; i++) {
        const char *checker = i == 0 ? "brute" : "mtc";
        right &= says(&y->pool, checker, h, ISO_SSER, strict) && says(&y->pool, checker, h, ISO_LSER, by_key);
    }
    if (!right && y->wrong++ == 0) {
        diag("it is %s, and a clock ran backwards %llu times:", strict ? "strict" : "not strict",
             (unsigned long long)n);
        iso_agree_print(&env, h);
    }
    iso_agree(&y->agreement, &env, h, y->number);
    y->asked++;
    y->strict += strict;
    y->between += by_key && !strict;
    iso_pool_free(&y->pool);
}

/* Are the instants that occur 1, 2, ... without a gap? Then no other assignment is the same up to names. */
static bool is_dense(const int *rank, uint32_t n) {
    unsigned used = 0;
    for (uint32_t i = 0; i < n; i++) {
        used |= 1u << rank[i];
    }
    used >>= 1; /* 0: missing */
    return (used & (used + 1)) == 0;
}

/* All times of n transactions, up to names of instants. */
static void make_times(tally *y, iso_pool *pool, uint32_t txns) {
    uint32_t n = 2 * txns;
    int rank[INSTANTS + 1] = {0};
    while (rank[n] == 0) {
        bool good = is_dense(rank, n);
        times x;
        for (uint32_t t = 0; t < txns; t++) {
            x.start[t] = rank[2 * t] == 0 ? ISO_NO_TIME : rank[2 * t];
            x.end[t] = rank[2 * t + 1] == 0 ? ISO_NO_TIME : rank[2 * t + 1];
            good &= x.end[t] == ISO_NO_TIME || x.start[t] <= x.end[t]; /* a missing start is the smallest number */
        }
        if (good) {
            ISO_GROW(pool, y->all[txns], y->n_all[txns], y->room[txns]);
            y->all[txns][y->n_all[txns]++] = x;
        }
        uint32_t i = 0;
        while (i < n && ++rank[i] > (int)n) {
            rank[i++] = 0;
        }
        rank[n] = i == n;
    }
}

static bool each_time(void *arg, const isolab_history *h) {
    tally *y = arg;
    for (uint32_t i = 0; i < y->n_all[h->n_txns] && !y->agreement.failed; i++) {
        if (y->number++ % y->parts == y->part) {
            compare(y, h, &y->all[h->n_txns][i]);
        }
    }
    return !y->agreement.failed;
}

/* ops 0: mini-transactions. */
static void all_times(unsigned txns, unsigned ops, unsigned keys, unsigned parts) {
    char what[128];
    bool mini = ops == 0;
    if (mini) {
        snprintf(what, sizeof what, "all times of %u mini-transactions", txns);
    } else {
        snprintf(what, sizeof what, "all times of %u transactions of %u operations", txns, ops);
    }
    tally y = {.agreement = {.what = what, .levels = ISO_TIMED_LEVELS}, .parts = parts, .mini = mini};
    y.part = seed_or(1) % parts;
    iso_pool pool, of_times;
    iso_pool_init(&pool, &env);
    iso_pool_init(&of_times, &env);
    iso_pool_init(&y.pool, &env);
    for (uint32_t n = 1; n <= txns; n++) {
        make_times(&y, &of_times, n);
    }
    iso_enumerate(
        &pool,
        &(iso_enumeration){.txns = txns, .ops = ops, .keys = keys, .no_thin_air = true, .aborted = !mini, .mini = mini},
        each_time, &y);
    iso_agree_report(&y.agreement);
    ok(y.wrong == 0 && y.strict > 0 && y.strict < y.asked, "brute finds an order just where there is one: %llu of %llu",
       (unsigned long long)y.strict, (unsigned long long)y.asked);
    if (!mini) { /* few mini-transactions have no common key */
        ok(y.between > 0, "... and of lser: %llu have only that", (unsigned long long)y.between);
    }
    diag("%u times of %u transactions", y.n_all[txns], txns);
    iso_pool_free(&of_times);
}

/* ---- random times ---- */

static void few_instants(const char *what, iso_small_shape shape, uint64_t rounds) {
    iso_agreement a = {.what = what, .levels = ISO_TIMED_LEVELS | ISO_LEVEL_BIT(ISO_SER)};
    iso_pool pool;
    iso_pool_init(&pool, &env);
    uint64_t first = seed_or(1), backwards = 0;
    bool open = true;
    for (uint64_t seed = first; seed < first + rounds && !a.failed; seed++) {
        const isolab_history *h = iso_random_small(&pool, seed, &shape);
        iso_rng rng = {seed};
        times x = {{0}, {0}}, without;
        uint64_t most = 2 + iso_random_below(&rng, 8);
        for (uint32_t t = 0; t < h->n_txns; t++) {
            x.start[t] = (int64_t)iso_random_below(&rng, most);
            x.end[t] = x.start[t] + (int64_t)iso_random_below(&rng, 3);
            x.start[t] = iso_random_below(&rng, 8) == 0 ? ISO_NO_TIME : x.start[t];
            x.end[t] = iso_random_below(&rng, 8) == 0 ? ISO_NO_TIME : x.end[t];
        }
        without = x;
        for (uint32_t t = 0; t < h->n_txns; t++) {
            without.end[t] = h->txn_status[t] == ISO_INDETERMINATE ? ISO_NO_TIME : x.end[t];
        }
        const isolab_history *one = timed(&pool, h, &x), *other = timed(&pool, h, &without);
        open &= iso_history_equal(one, other, NULL, 0);
        backwards += iso_clock_of(one).places > 0;
        iso_agree(&a, &env, one, seed);
        iso_pool_free(&pool);
    }
    iso_agree_report(&a);
    ok(open && backwards > 0, "indeterminate transactions have no end; %llu clocks ran backwards",
       (unsigned long long)backwards);
}

static void run(void *arg) {
    (void)arg;
    all_times(2, 2, 2, (unsigned)iso_agree_rounds(40, 8, 1));
    all_times(3, 1, 2, (unsigned)iso_agree_rounds(400, 40, 1));
    all_times(2, 0, 2, (unsigned)iso_agree_rounds(40, 8, 1));
    all_times(3, 0, 2, (unsigned)iso_agree_rounds(100000, 20000, 400));
    uint64_t rounds = iso_agree_rounds(100, 1000, 100000);
    iso_small_shape plain = {.txns = 6, .ops = 3, .keys = 2, .sessions = 3, .aborted = true, .indeterminate = true};
    iso_small_shape duplicates = plain, lists = plain;
    duplicates.duplicates = true;
    lists.lists = true;
    few_instants("few instants", plain, rounds);
    few_instants("few instants, repeated values", duplicates, rounds);
    few_instants("few instants, lists", lists, rounds / 2);
}

int main(void) { return run_guarded(&env, run); }
