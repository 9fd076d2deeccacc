/* Tests checkers/anneal/frugal.c, alone. On random histories that a serial store made:
 *
 * - what it executes next is what its rule says: a transaction that does not write if one is ready, else one that
 *   raises the sum least. All orders that the rule allows are followed, by sums that are computed again each time: if
 *   all of them execute everything, so must the first attempt, and if none does, it must not;
 * - a history whose reads are each alone in a session is always decided: a value that is written lets all its reads go;
 * - an order has a certificate that is valid. */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "certificates/certificate.h"
#include "checkers/checker.h"
#include "history/builder.h"
#include "tests/agree.h"
#include "tests/guarded.h"
#include "tests/seed.h"
#include "verify/verify.h"

enum { KEYS = 3, MOST = 7 };

static iso_env env;

/* ---- what the stage answers ---- */

typedef struct answer {
    bool ran, found;
    uint64_t attempts;
} answer;

/* Asks for an order. Of an order that the stage found, the certificate must be valid. */
static answer ask(iso_pool *pool, const isolab_history *h, iso_level level, bool sessions, const char *options,
                  iso_result *result) {
    iso_question question = {
        .level = level, .limit = 1, .certificate = true, .no_session_order = !sessions, .options = options};
    answer a = {.ran = false};
    iso_result_init(result, pool);
    iso_check(iso_checker_find("anneal"), h, &question, result);
    for (unsigned i = 0; i < result->n_counters; i++) {
        if (strcmp(result->counter[i].name, "attempts") == 0) {
            a.ran = true;
            a.attempts = result->counter[i].value;
        }
    }
    a.found = result->verdict == ISOLAB_SATISFIED;
    return a;
}

static bool is_valid(iso_pool *pool, const isolab_history *h, iso_level level, bool sessions,
                     const iso_result *result) {
    iso_question question = {.level = level, .limit = 1, .certificate = true, .no_session_order = !sessions};
    size_t size;
    char *text = iso_certificate_text(pool, h, &question, result, &size);
    for (uint32_t o = 0; o < h->n_ops; o++) { /* what the history says, it does not say again */
        bool said = result->read_from[o] != ISO_NONE, open = h->op_kind[o] == ISO_READ && h->op_writer[o] == ISO_MANY;
        if (said != (open && h->txn_counts[h->op_txn[o]] == ISO_INCLUDED)) {
            return false;
        }
    }
    return result->verdict == ISOLAB_SATISFIED && text != NULL && iso_verify(pool, h, text, size) == 0;
}

static const char alone[] = "only=frugal";

/* ---- the rule, as its comment says ---- */

typedef struct state {
    const isolab_history *h;
    bool sessions;
    uint32_t held[KEYS]; /* a version; ISO_NONE: the initial value, which no operation has */
    bool done[64];
} state;

static bool counts(const isolab_history *h, uint32_t t) { return h->txn_counts[t] == ISO_INCLUDED; }

/* A read of what other transactions wrote. */
static bool is_open(const isolab_history *h, uint32_t o) {
    for (uint32_t p = h->txn_op[h->op_txn[o]]; p < o; p++) {
        if (h->op_kind[p] == ISO_WRITE && h->op_key[p] == h->op_key[o]) {
            return false;
        }
    }
    return h->op_kind[o] == ISO_READ;
}

/* A write that others may see. */
static bool is_final(const isolab_history *h, uint32_t o) {
    for (uint32_t p = o + 1; p < h->txn_op[h->op_txn[o] + 1]; p++) {
        if (h->op_kind[p] == ISO_WRITE && h->op_key[p] == h->op_key[o]) {
            return false;
        }
    }
    return h->op_kind[o] == ISO_WRITE;
}

static bool only_reads(const isolab_history *h, uint32_t t) {
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        if (h->op_kind[o] == ISO_WRITE) {
            return false;
        }
    }
    return true;
}

static bool is_ready(const state *s, uint32_t t) {
    const isolab_history *h = s->h;
    if (!counts(h, t) || s->done[t]) {
        return false;
    }
    for (uint32_t u = h->session_txn[h->txn_session[t]]; s->sessions && u < t; u++) {
        if (counts(h, u) && !s->done[u]) {
            return false;
        }
    }
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        if (is_open(h, o) && s->held[h->op_key[o]] != h->op_version[o]) {
            return false;
        }
    }
    return true;
}

static void execute(state *s, uint32_t t) {
    s->done[t] = true;
    for (uint32_t o = s->h->txn_op[t]; o < s->h->txn_op[t + 1]; o++) {
        if (s->h->op_kind[o] == ISO_WRITE) {
            s->held[s->h->op_key[o]] = s->h->op_version[o];
        }
    }
}

static double danger(const state *s, uint32_t version) {
    const isolab_history *h = s->h;
    unsigned waiting = 0, chances = s->held[h->version_key[version]] == version;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        bool of_it = h->op_version[o] == version && counts(h, h->op_txn[o]) && !s->done[h->op_txn[o]];
        waiting += of_it && is_open(h, o);
        chances += of_it && is_final(h, o);
    }
    return waiting == 0 ? 0 : chances == 0 ? INFINITY : pow((double)waiting / chances, 2);
}

/* By how much a transaction raises the sum over the values of the keys that it writes. */
static double raises(const state *s, uint32_t t) {
    const isolab_history *h = s->h;
    state after = *s;
    double sum = 0;
    execute(&after, t);
    for (uint32_t v = 0; v < h->n_versions; v++) {
        bool written = false;
        for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
            written |= h->op_kind[o] == ISO_WRITE && h->op_key[o] == h->version_key[v];
        }
        sum += written ? danger(&after, v) - danger(s, v) : 0;
    }
    return sum;
}

/* The transactions that may be next, as bits. No ready one that only reads is left for later. */
static uint64_t next_ones(const state *s) {
    uint64_t of_least = 0;
    double sum[64], least = INFINITY;
    for (uint32_t t = 0; t < s->h->n_txns; t++) {
        bool ready = is_ready(s, t);
        if (ready && only_reads(s->h, t)) {
            return (uint64_t)1 << t;
        }
        sum[t] = ready ? raises(s, t) : INFINITY;
        least = fmin(least, sum[t]);
    }
    for (uint32_t t = 0; t < s->h->n_txns && least < INFINITY; t++) {
        of_least |= (uint64_t)(sum[t] < least + 1e-9) << t;
    }
    return of_least;
}

static state begin(const isolab_history *h, bool sessions) {
    state s = {.h = h, .sessions = sessions};
    memset(s.held, 0xff, sizeof s.held);
    for (uint32_t v = 0; v < h->n_versions; v++) {
        if (iso_version_is_initial(h, v)) {
            s.held[h->version_key[v]] = v;
        }
    }
    return s;
}

static bool all_done(const state *s) {
    for (uint32_t t = 0; t < s->h->n_txns; t++) {
        if (counts(s->h, t) && !s->done[t]) {
            return false;
        }
    }
    return true;
}

/* Transactions read what they wrote themselves. */
static bool is_read_back(const isolab_history *h) {
    for (uint32_t o = 0; o < h->n_ops; o++) {
        uint32_t own = ISO_NONE;
        for (uint32_t p = h->txn_op[h->op_txn[o]]; p < o; p++) {
            own = h->op_kind[p] == ISO_WRITE && h->op_key[p] == h->op_key[o] ? p : own;
        }
        if (counts(h, h->op_txn[o]) && h->op_kind[o] == ISO_READ && own != ISO_NONE &&
            h->op_version[own] != h->op_version[o]) {
            return false;
        }
    }
    return true;
}

/* Follows all choices of few transactions: whether some execute everything, whether some do not. */
static void follow(const state *s, bool *some_end, bool *some_stop) {
    uint64_t next = next_ones(s);
    *some_end |= all_done(s);
    *some_stop |= next == 0 && !all_done(s);
    for (uint32_t t = 0; t < s->h->n_txns && !(*some_end && *some_stop); t++) {
        if (next >> t & 1) {
            state after = *s;
            execute(&after, t);
            follow(&after, some_end, some_stop);
        }
    }
}

/* Whether an order is one of the rule: its readers may have another order than here. */
static bool is_by_rule(const isolab_history *h, bool sessions, const uint32_t *order, uint32_t n) {
    state s = begin(h, sessions);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t next = next_ones(&s);
        uint32_t t = order[i], any = (uint32_t)__builtin_ctzll(next | (uint64_t)1 << 63);
        bool right = only_reads(h, t) ? is_ready(&s, t) : (next >> t & 1) && !only_reads(h, any);
        if (!right) {
            return false;
        }
        execute(&s, t);
    }
    return all_done(&s);
}

/* ---- histories of a serial store ---- */

typedef struct store {
    unsigned txns, ops, sessions, values;
    bool apart; /* each read is a transaction and a session of its own */
    bool wrong; /* some reads return what they like */
    bool given; /* the initial value is 1, which is also written */
} store;

static uint32_t below(iso_rng *rng, uint32_t n) { return (uint32_t)iso_random_below(rng, n); }

static void fill(iso_builder *b, iso_rng *rng, const store *how, const uint32_t *key, uint32_t *value, uint32_t txn,
                 bool seen) {
    uint32_t now[KEYS];
    memcpy(now, value, sizeof now);
    for (uint32_t n = 1 + below(rng, how->ops); n > 0; n--) {
        uint32_t k = below(rng, KEYS);
        if (how->apart || below(rng, 2) == 0) {
            now[k] = 1 + below(rng, how->values);
            iso_builder_op(b, txn, ISO_WRITE, key[k], iso_atom_int(now[k]));
        } else {
            uint32_t returned = how->wrong && below(rng, 8) == 0 ? below(rng, how->values + 1) : now[k];
            iso_builder_op(b, txn, ISO_READ, key[k], returned == 0 ? iso_atom_nil() : iso_atom_int(returned));
        }
    }
    memcpy(value, seen ? now : value, sizeof now);
}

static isolab_history *make(iso_pool *pool, uint64_t seed, const store *how) {
    iso_rng rng = {seed};
    iso_builder *b = iso_builder_new(pool);
    uint32_t key[KEYS], value[KEYS] = {0}, session[64];
    if (how->given) {
        iso_builder_initial(b, iso_atom_int(1));
    }
    for (uint32_t k = 0; k < KEYS; k++) {
        key[k] = iso_builder_key(b, iso_atom_int(k));
        value[k] = how->given;
    }
    for (uint32_t s = 0; s < how->sessions; s++) {
        session[s] = iso_builder_session(b, iso_atom_nil());
    }
    for (uint32_t n = 2 + below(&rng, how->txns - 1); n > 0; n--) {
        if (how->apart && below(&rng, 2) == 0) {
            uint32_t k = below(&rng, KEYS),
                     t = iso_builder_txn(b, iso_builder_session(b, iso_atom_nil()), iso_atom_nil(), ISO_COMMITTED);
            iso_builder_op(b, t, ISO_READ, key[k], value[k] == 0 ? iso_atom_nil() : iso_atom_int(value[k]));
            continue;
        }
        bool seen = below(&rng, 10) > 0;
        uint32_t t =
            iso_builder_txn(b, session[below(&rng, how->sessions)], iso_atom_nil(), seen ? ISO_COMMITTED : ISO_ABORTED);
        fill(b, &rng, how, key, value, t, seen);
    }
    return iso_builder_finish(b);
}

/* ---- tests ---- */

typedef struct tally {
    uint64_t ran, first, later, never, not_by_rule, too_few, too_many, invalid, false_order;
} tally;

static bool by_brute(iso_pool *pool, const isolab_history *h, iso_level level, bool sessions) {
    iso_result r;
    iso_result_init(&r, pool);
    iso_check(iso_checker_find("brute"), h, &(iso_question){.level = level, .no_session_order = !sessions}, &r);
    return r.verdict == ISOLAB_SATISFIED;
}

static void test(tally *y, uint64_t seed, const store *how) {
    static const iso_level levels[] = {ISO_SER, ISO_SI, ISO_PC};
    iso_level level = levels[seed % 3];
    iso_pool pool;
    iso_pool_init(&pool, &env);
    const isolab_history *h = make(&pool, seed, how);
    bool sessions = seed % 4 != 0 || level == ISO_PC, some_end = false, some_stop = false;
    iso_result result;
    answer a = ask(&pool, h, level, sessions, alone, &result);
    if (a.ran) {
        state s = begin(h, sessions);
        follow(&s, &some_end, &some_stop);
        bool at_once = a.found && a.attempts == 1;
        y->ran++;
        y->first += at_once;
        y->later += a.found && a.attempts > 1;
        y->never += !a.found;
        y->too_few += some_end && !some_stop && !at_once && is_read_back(h);
        y->too_many += at_once && !some_end;
        y->not_by_rule += at_once && !is_by_rule(h, sessions, result.order, result.n_order);
        y->invalid += a.found && !is_valid(&pool, h, level, sessions, &result);
        y->false_order += how->wrong && a.found && !by_brute(&pool, h, ISO_SER, sessions);
    }
    iso_pool_free(&pool);
}

static tally on(const char *what, store how, uint64_t rounds) {
    tally y = {0};
    uint64_t first = seed_or(1);
    for (uint64_t i = 0; i < rounds; i++) {
        test(&y, first + i, &how);
    }
    diag("%s, seed %llu: %llu at the first attempt, %llu later, %llu never", what, (unsigned long long)first,
         (unsigned long long)y.first, (unsigned long long)y.later, (unsigned long long)y.never);
    ok(y.not_by_rule == 0 && y.first > 0, "%s: what is executed next is what the rule says", what);
    ok(y.too_few == 0, "%s: if the rule executes everything, so does the first attempt", what);
    ok(y.too_many == 0, "%s: if it does not, then neither", what);
    ok(y.invalid == 0 && y.false_order == 0, "%s: each order has a valid certificate", what);
    return y;
}

/* n_sessions sessions of n transactions, each of which writes a value of its number modulo `values`, and reads it. */
static const isolab_history *regular(iso_pool *pool, uint32_t n_sessions, uint32_t n, uint32_t values) {
    iso_builder *b = iso_builder_new(pool);
    uint32_t x = iso_builder_key(b, iso_atom_int(0));
    for (uint32_t i = 0; i < n_sessions * n; i++) {
        uint32_t s = i % n == 0 ? iso_builder_session(b, iso_atom_nil()) : i / n;
        uint32_t t = iso_builder_txn(b, s, iso_atom_nil(), ISO_COMMITTED);
        iso_builder_op(b, t, ISO_WRITE, x, iso_atom_int(i % values));
        iso_builder_op(b, t, ISO_READ, x, iso_atom_int(i % values));
    }
    return iso_builder_finish(b);
}

static bool runs(const isolab_history *h, iso_level level, const char *options) {
    iso_pool pool;
    iso_result result;
    iso_pool_init(&pool, &env);
    bool ran = ask(&pool, h, level, true, options, &result).ran;
    iso_pool_free(&pool);
    return ran;
}

/* Which histories it is meant for. */
static void borders(iso_pool *pool) {
    ok(runs(regular(pool, 5, 4, 2), ISO_SER, alone), "four transactions a session are few");
    ok(!runs(regular(pool, 5, 5, 2), ISO_SER, alone), "five are not");
    ok(!runs(regular(pool, 5, 4, 20), ISO_SER, alone), "values that are unique are for other stages");
    ok(!runs(regular(pool, 5, 4, 2), ISO_SSER, alone), "so is real time");
    ok(runs(regular(pool, 1024, 4, 129), ISO_SER, NULL), "small histories are left to no other stage");
    ok(runs(regular(pool, 1032, 4, 129), ISO_SER, NULL), "nor are 64 operations a value");
    ok(!runs(regular(pool, 1031, 4, 129), ISO_SER, NULL), "fewer are, if it is there");
    ok(runs(regular(pool, 1031, 4, 129), ISO_SER, alone), "and not if it is left out");
    ok(runs(regular(pool, 300, 1, 2), ISO_SER, NULL), "more ready transactions than are compared");
    iso_result result;
    answer a = ask(pool, regular(pool, 300, 1, 2), ISO_SER, true, alone, &result);
    ok(a.found && a.attempts == 1 && result.n_order == 300, "and all of them are executed");
    iso_result_init(&result, pool);
    iso_check(iso_checker_find("anneal"), regular(pool, 5, 4, 2),
              &(iso_question){.level = ISO_SER, .limit = 1, .options = alone}, &result);
    ok(result.verdict == ISOLAB_SATISFIED && result.order == NULL && result.read_from == NULL,
       "an order that is not asked for");
}

/* Asks about one history of transactions like `r 0 1, w 0 2`, each in its session: kind, key and value, a transaction
 * after another one. */
static answer ask_about(iso_pool *pool, const char *const *txn, iso_result *result) {
    iso_builder *b = iso_builder_new(pool);
    uint32_t key[KEYS];
    for (uint32_t k = 0; k < KEYS; k++) {
        key[k] = iso_builder_key(b, iso_atom_int(k));
    }
    for (; *txn != NULL; txn++) {
        uint32_t t = iso_builder_txn(b, iso_builder_session(b, iso_atom_nil()), iso_atom_nil(), ISO_COMMITTED);
        for (const char *at = *txn; *at != '\0'; at += at[3] == '\0' ? 3 : 4) { /* "r01 w02" */
            iso_builder_op(b, t, at[0] == 'r' ? ISO_READ : ISO_WRITE, key[at[1] - '0'],
                           at[2] == '0' ? iso_atom_nil() : iso_atom_int(at[2] - '0'));
        }
    }
    return ask(pool, iso_builder_finish(b), ISO_SER, true, alone, result);
}

/* No order of these exists: how long it looks for one. */
static void no_attempt_succeeds(iso_pool *pool) {
    static const char *const unread[] = {"w01 r01", "w01 r00", NULL};
    iso_result result;
    answer a = ask_about(pool, unread, &result);
    ok(a.ran && !a.found && a.attempts == 1 && result.verdict == ISOLAB_UNKNOWN,
       "a transaction that does not read its own write ends it at once");
    static const char *const last[] = {"w01", "w01", "w02",     "w02",     "w01", "w01",
                                       "w02", "w02", "r13 w13", "r13 w13", NULL};
    a = ask_about(pool, last, &result);
    ok(a.ran && !a.found && a.attempts == 5 && result.verdict == ISOLAB_UNKNOWN,
       "attempts that execute eight of ten transactions end when they have executed four times ten");
    static const char *const none[] = {"r01 w01", "r01 w01", NULL};
    a = ask_about(pool, none, &result);
    ok(a.ran && !a.found && a.attempts > 5 && result.verdict == ISOLAB_UNKNOWN,
       "attempts that execute nothing cost nothing: %llu", (unsigned long long)a.attempts);
}

static void tests(void *pool) {
    uint64_t rounds = iso_agree_rounds(3000, 20000, 1000000);
    store small = {.txns = MOST, .ops = 3, .sessions = 4, .values = 2};
    tally y = on("small", small, rounds);
    ok(y.later > 0, "%llu of %llu are decided by a later attempt", (unsigned long long)y.later,
       (unsigned long long)y.ran);
    small.values = 3;
    small.wrong = true;
    y = on("some reads are wrong", small, rounds);
    ok(y.never > 0, "%llu are not decided", (unsigned long long)y.never);
    small.wrong = false;
    small.given = true;
    on("the initial value is written, too", small, rounds / 2);
    small.given = false;
    small.ops = 5;
    on("long transactions", small, rounds / 2);
    y = on("reads alone", (store){.txns = MOST, .ops = 3, .sessions = 3, .values = 2, .apart = true}, rounds);
    ok(y.first == y.ran && y.ran > 0, "reads alone: all are decided at once");
    borders(pool);
    no_attempt_succeeds(pool);
}

int main(void) { return run_guarded(&env, tests); }
