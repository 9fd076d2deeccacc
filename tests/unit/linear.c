/* Tests linear/, by the stage `keys` of `strong`: linearizability, key by key. Calls of registers (reads, writes,
 * compare-and-sets, failed calls, calls that stay open) on a simulated store with occasional errors, against `brute`,
 * and against `strong` without the stage. */
#include <stdio.h>

#include "base/random.h"
#include "history/builder.h"
#include "tests/agree.h"
#include "tests/guarded.h"
#include "tests/seed.h"

static iso_env env;

/* What a random log of calls has. */
typedef struct log_shape {
    unsigned calls, keys, clients, values;
    unsigned open_in, wrong_in; /* one call of that number stays open, or returns what it likes; 0: none */
    bool ties;                  /* few instants, so that calls of one session may touch */
    bool several;               /* some sessions change between keys without a pause */
} log_shape;

typedef struct store {
    iso_builder *b;
    iso_rng *rng;
    const log_shape *shape;
    uint32_t key[4], value[4];
} store;

static uint32_t below(store *s, uint32_t n) { return (uint32_t)iso_random_below(s->rng, n); }

static iso_atom atom(uint32_t value) { return value == 0 ? iso_atom_nil() : iso_atom_int(value); }

/* One call, which takes effect now, or never. */
static void call(store *s, uint32_t session, int64_t start, int64_t end) {
    uint32_t k = below(s, s->shape->keys), now = s->value[k], old = below(s, s->shape->values + 1);
    uint32_t new = 1 + below(s, s->shape->values);
    bool open = s->shape->open_in != 0 && below(s, s->shape->open_in) == 0;
    bool wrong = s->shape->wrong_in != 0 && below(s, s->shape->wrong_in) == 0;
    uint32_t kind = below(s, 3),
             txn = iso_builder_txn(s->b, session, iso_atom_nil(), open ? ISO_INDETERMINATE : ISO_COMMITTED);
    iso_builder_times(s->b, txn, start, open ? ISO_NO_TIME : end);
    now = wrong ? below(s, s->shape->values + 1) : now;
    bool happens = !open || below(s, 2) == 0;
    if (kind == 0 && !open) {
        iso_builder_op(s->b, txn, ISO_READ, s->key[k], atom(now));
    } else if (kind == 1) {
        iso_builder_op(s->b, txn, ISO_WRITE, s->key[k], atom(new));
        s->value[k] = happens ? new : s->value[k];
    } else if (kind == 2) {
        old = below(s, 2) == 0 ? now : old;
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
    uint64_t first = seed_or(1);
    diag("seed %llu", (unsigned long long)first);
    for (uint64_t i = 0; i < rounds; i++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        iso_agree(&a, &env, make(&pool, first + i, &shape), first + i);
        iso_pool_free(&pool);
    }
    iso_agree_report(&a);
}

static void run(void *arg) {
    (void)arg;
    uint64_t rounds = iso_agree_rounds(500, 5000, 200000);
    log_shape one = {.calls = 8, .keys = 1, .clients = 4, .values = 3, .wrong_in = 12};
    against("one key", "brute strong", NULL, one, rounds);
    log_shape open = one, tied = one, keys = one;
    open.open_in = 4;
    against("calls that stay open", "brute strong", NULL, open, rounds);
    tied.ties = true;
    against("ties in time", "brute strong", NULL, tied, rounds);
    keys.keys = 2;
    against("two keys", "brute strong", NULL, keys, rounds);
    keys.ties = keys.several = true;
    keys.open_in = 6;
    against("two keys, with sessions that overlap", "brute strong", NULL, keys, rounds);
}

int main(void) { return run_guarded(&env, run); }
