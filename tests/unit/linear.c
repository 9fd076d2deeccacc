/* Tests linear/, by the stage `keys` of `strong` and by `mtc`: linearizability, key by key. Calls of registers (reads,
 * writes, compare-and-sets, failed calls, calls that stay open) on a simulated store with occasional errors, against
 * `brute`; and all small histories of one key with unique values, in all interleavings of their starts and ends. */
#include <stdio.h>

#include "base/random.h"
#include "formats/format.h"
#include "history/builder.h"
#include "linear/linear.h"
#include "tests/agree.h"
#include "tests/guarded.h"
#include "tests/instants.h"
#include "tests/seed.h"

static iso_env env;

/* What a random log of calls has. */
typedef struct log_shape {
    unsigned calls, keys, clients;
    unsigned values;            /* 0: each write has its own */
    unsigned open_in, wrong_in; /* one call of that number stays open, or returns what it likes; 0: none */
    unsigned aborted_in;        /* or is aborted */
    bool ties;                  /* few instants, so that calls of one session may touch */
    bool several;               /* some sessions change between keys without a pause */
} log_shape;

typedef struct store {
    iso_builder *b;
    iso_rng *rng;
    const log_shape *shape;
    uint32_t key[4], value[4];
    uint32_t fresh; /* the last unique value */
} store;

static uint32_t below(store *s, uint32_t n) { return (uint32_t)iso_random_below(s->rng, n); }

static iso_atom atom(uint32_t value) { return value == 0 ? iso_atom_nil() : iso_atom_int(value); }

/* A value that a call may write. */
static uint32_t new_value(store *s) { return s->shape->values == 0 ? ++s->fresh : 1 + below(s, s->shape->values); }

/* A value that a call may find, and hardly ever does. */
static uint32_t some_value(store *s) { return below(s, (s->shape->values == 0 ? s->fresh : s->shape->values) + 1); }

/* One call, which takes effect now, or never. Where values are unique, a compare-and-set that failed is left out. */
static void call(store *s, uint32_t session, int64_t start, int64_t end) {
    uint32_t k = below(s, s->shape->keys), now = s->value[k], old = some_value(s), new = new_value(s);
    bool open = s->shape->open_in != 0 && below(s, s->shape->open_in) == 0;
    bool wrong = s->shape->wrong_in != 0 && below(s, s->shape->wrong_in) == 0;
    bool aborted = s->shape->aborted_in != 0 && below(s, s->shape->aborted_in) == 0;
    uint32_t kind = below(s, 3), txn = iso_builder_txn(s->b, session, iso_atom_nil(),
                                                       aborted ? ISO_ABORTED
                                                       : open  ? ISO_INDETERMINATE
                                                               : ISO_COMMITTED);
    iso_builder_times(s->b, txn, start, open ? ISO_NO_TIME : end);
    now = wrong ? some_value(s) : now;
    bool happens = !aborted && (!open || below(s, 2) == 0);
    if (kind == 0 && !open) {
        iso_builder_op(s->b, txn, ISO_READ, s->key[k], atom(now));
    } else if (kind == 1) {
        iso_builder_op(s->b, txn, ISO_WRITE, s->key[k], atom(new));
        s->value[k] = happens ? new : s->value[k];
    } else if (kind == 2) {
        old = s->shape->values == 0 || below(s, 2) == 0 ? now : old;
        bool done = old == now;
        iso_builder_op(s->b, txn, ISO_READ, s->key[k], done || open ? atom(old) : iso_atom_not(atom(old)));
        if (done || open) {
            iso_builder_op(s->b, txn, ISO_WRITE, s->key[k], atom(new));
            s->value[k] = happens && done ? new : s->value[k];
        }
    }
}

/* Each client calls, and waits for the answer; a call that stays open ends its session. */
static isolab_history *make(iso_pool *pool, uint64_t seed, const log_shape *shape) {
    iso_rng rng = {seed};
    store s = {.b = iso_builder_new(pool), .rng = &rng, .shape = shape};
    int64_t free[8] = {0};
    uint32_t session[8], n = 1 + below(&s, shape->calls);
    for (uint32_t k = 0; k < shape->keys; k++) {
        s.key[k] = iso_builder_key(s.b, iso_atom_int(k));
    }
    for (uint32_t c = 0; c < shape->clients; c++) {
        session[c] = iso_builder_session(s.b, iso_atom_nil());
    }
    for (int64_t now = 10; n > 0; n--) {
        uint32_t c = below(&s, shape->clients);
        now = (free[c] > now ? free[c] : now) + below(&s, shape->ties ? 2 : 3);
        int64_t start = now - below(&s, shape->ties ? 2 : 10), end = now + below(&s, shape->ties ? 2 : 10);
        start = start > free[c] || shape->several ? start : free[c] + !shape->ties;
        end = end > start ? end : start;
        call(&s, session[c], start, end);
        free[c] = end;
        if (shape->open_in != 0) { /* what comes after an open call is of another session */
            session[c] = below(&s, 2) == 0 ? session[c] : iso_builder_session(s.b, iso_atom_nil());
        }
    }
    return iso_builder_finish(s.b);
}

static void against(const char *what, const char *checkers, const char *options, log_shape shape, uint64_t rounds) {
    iso_agreement a = {.what = what,
                       .checkers = checkers,
                       .levels = ISO_TIMED_LEVELS,
                       .options = options,
                       .no_certificates = options != NULL};
    uint64_t first = seed_or(1), left_to_others = 0;
    diag("seed %llu", (unsigned long long)first);
    for (uint64_t i = 0; i < rounds; i++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        const isolab_history *h = make(&pool, first + i, &shape);
        iso_calls calls;
        left_to_others += !iso_calls_build(&calls, &pool, h);
        iso_agree(&a, &env, h, first + i);
        iso_pool_free(&pool);
    }
    iso_agree_report(&a);
    if (!shape.ties && !shape.several && shape.open_in == 0) {
        cmp_ok(left_to_others, "==", 0, "%s: calls one after the other are decided key by key", what);
    }
}

/* All small histories: how many of them the chains of versions decide, and as what. */
typedef struct timed {
    iso_agreement a;
    uint64_t decided, linear;
} timed;

static void count_chains(timed *x, const isolab_history *h) {
    iso_pool pool;
    iso_pool_init(&pool, &env);
    iso_linear_answer answer = iso_linear_chains(h, true, &pool, &pool, NULL, NULL);
    x->decided += answer != ISO_LINEAR_TOO_MANY;
    x->linear += answer == ISO_LINEAR;
    iso_pool_free(&pool);
}

static bool agree(void *arg, const isolab_history *h) {
    timed *x = arg;
    count_chains(x, h);
    return iso_agree(&x->a, &env, h, 0);
}

static void all_small(const char *what, bool ties, iso_enumeration all) {
    timed x = {
        .a = {.what = what, .checkers = "brute mtc strong", .levels = ISO_TIMED_LEVELS, .need_certificates = true}};
    if (selected(what)) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        iso_enumerate(&pool, &all, each_interleaving, &(instants){.each = agree, .arg = &x, .ties = ties});
        iso_pool_free(&pool);
        ok(x.linear > 0 && x.decided > x.linear, "%s: %llu decided by chains, %llu of them linearizable", what,
           (unsigned long long)x.decided, (unsigned long long)x.linear);
    }
    iso_agree_report(&x.a);
}

/* Larger histories of unique values: the chains of versions and the search say the same. */
static void against_search(log_shape shape, uint64_t rounds) {
    uint64_t first = seed_or(1), linear = 0, decided = 0, wrong = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        const isolab_history *h = make(&pool, first + i, &shape);
        iso_linear_answer answer = iso_linear_chains(h, true, &pool, &pool, NULL, NULL);
        iso_calls calls;
        uint64_t steps;
        if (answer != ISO_LINEAR_TOO_MANY && iso_calls_build(&calls, &pool, h)) {
            bool same = answer == iso_linear_keys(&calls, false, &steps);
            decided++;
            linear += answer == ISO_LINEAR;
            wrong += !same;
            if (!same) {
                diag("seed %llu", (unsigned long long)(first + i));
                iso_agree_print(&env, h);
            }
        }
        iso_pool_free(&pool);
    }
    ok(wrong == 0 && linear > 0 && linear < decided, "chains and search agree on %llu larger ones, %llu of them linear",
       (unsigned long long)decided, (unsigned long long)linear);
}

static void unique_values(uint64_t rounds) {
    log_shape large = {.calls = 60, .keys = 2, .clients = 6, .wrong_in = 100};
    against_search(large, rounds);
    large.open_in = 10;
    against_search(large, rounds);
    log_shape unique = {.calls = 8, .keys = 1, .clients = 4, .wrong_in = 12};
    against("unique values", "brute strong mtc", NULL, unique, rounds);
    unique.ties = true;
    against("unique values, ties in time", "brute strong mtc", NULL, unique, rounds);
    unique.open_in = 4;
    against("unique values, calls that stay open", "brute strong mtc", NULL, unique, rounds);
    unique.ties = false;
    unique.keys = 2;
    against("unique values, two keys", "brute strong mtc", NULL, unique, rounds);
    unsigned parts = (unsigned)iso_agree_rounds(40, 8, 1);
    iso_enumeration all = {.txns = 2, .ops = 2, .keys = 1};
    all_small("all of 2 in all interleavings, ties included", true, all);
    all = (iso_enumeration){.txns = 3, .ops = 2, .keys = 1, .exactly = false, .no_thin_air = true, .parts = parts};
    all.part = (unsigned)(seed_or(1) % parts);
    all_small("of 3 in all interleavings", false, all);
    all.mini = true;
    all.parts = 1;
    all.part = 0;
    all_small("lightweight ones of 3 in all interleavings", false, all);
}

/* ---- by hand ---- */

/* Two calls that may have no effect need the same value and leave others, or need others and leave the same: each of
 * them may be the one that happened, whichever was called first. 3 is written twice, so that chains do not decide. */
static void kinds(void) {
    static const char *const first[] = {"r x nil, w x 5", "r x nil, w x 3", "r x 7, w x 4", "w x 6", "r x nil, w x 4"};
    enum { N = sizeof first / sizeof *first };
    iso_agreement a = {.what = "calls that may have no effect, in pairs",
                       .checkers = "brute strong",
                       .levels = ISO_TIMED_LEVELS,
                       .need_certificates = true};
    for (unsigned i = 0; i < N * N * 8; i++) {
        char text[400];
        int n = snprintf(text, sizeof text,
                         "session\nmaybe @1..: %s\nsession\nmaybe @1..: %s\nsession\ncommit @5..6: r x %u\n"
                         "session\ncommit @10..11: w x 3\nsession\ncommit @10..11: w x 3\n",
                         first[i % N], first[i / N % N], i / N / N);
        iso_pool pool;
        iso_pool_init(&pool, &env);
        iso_agree(&a, &env, iso_load_bytes(&pool, text, (size_t)n, iso_format_find("isolab")), i);
        iso_pool_free(&pool);
    }
    iso_agree_report(&a);
}

/* Many calls at once: n write, each its own value, except that the last value is written again later. Then each of some
 * values is what a call finds at last; the initial one is not. */
static void crowds(void) {
    static const uint32_t sizes[] = {31, 32, 33, 63, 64, 65, 66, 97, 130};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        iso_agreement a = {.what = "many calls at once", .checkers = "strong", .levels = ISO_TIMED_LEVELS};
        uint32_t n = sizes[i], asked = 0;
        for (uint32_t found = 0; found <= n; found += found == 0 || n < 8 ? 1 : n / 5, asked++) {
            iso_pool pool;
            iso_pool_init(&pool, &env);
            iso_builder *b = iso_builder_new(&pool);
            uint32_t x = iso_builder_key(b, iso_atom_int(0));
            for (uint32_t t = 0; t < n + 2; t++) {
                uint32_t to = iso_builder_txn(b, iso_builder_session(b, iso_atom_nil()), iso_atom_nil(), ISO_COMMITTED);
                bool reads = t == n;
                iso_builder_times(b, to, t < n ? 1 : 200 * (int64_t)(t - n + 1),
                                  t < n ? 100 + t : 200 * (int64_t)(t - n + 1) + 9);
                iso_builder_op(b, to, reads ? ISO_READ : ISO_WRITE, x,
                               reads ? atom(found) : iso_atom_int(t < n ? t + 1 : n));
            }
            iso_agree(&a, &env, iso_builder_finish(b), found);
            iso_pool_free(&pool);
        }
        ok(!a.failed && a.level_violated[ISO_SSER] == 1 && a.level_satisfied[ISO_SSER] == asked - 1,
           "%u calls at once: what one of them wrote is found, the initial value is not", n);
    }
}

static void run(void *arg) {
    (void)arg;
    kinds();
    crowds();
    uint64_t rounds = iso_agree_rounds(500, 5000, 200000);
    log_shape one = {.calls = 8, .keys = 1, .clients = 4, .values = 3, .wrong_in = 12};
    against("one key", "brute strong", NULL, one, rounds);
    log_shape aborted = one, open = one, tied = one, keys = one;
    aborted.aborted_in = 5;
    against("calls that are aborted", "brute strong", NULL, aborted, rounds / 2);
    open.open_in = 4;
    against("calls that stay open", "brute strong", NULL, open, rounds);
    tied.ties = true;
    against("ties in time", "brute strong", NULL, tied, rounds);
    keys.keys = 2;
    against("two keys", "brute strong", NULL, keys, rounds);
    keys.ties = keys.several = true;
    keys.open_in = 6;
    against("two keys, with sessions that overlap", "brute strong", NULL, keys, rounds);
    unique_values(rounds);
}

int main(void) { return run_guarded(&env, run); }
