/* Evidence in histories that are large or odd: bounds, exact zeros, and work that is given up. tests/exhaustive/evidence.c has
 * the definition. */
#include "checkers/evidence.h"

#include <string.h>

#include "checkers/ladder.h"
#include "history/builder.h"
#include "tests/guarded.h"
#include "tests/tap.h"

static iso_env env;
static iso_pool pool;

static const iso_levels all = ISO_ALL_LEVELS, weak = ISO_LEVEL_BIT(ISO_RC) | ISO_LEVEL_BIT(ISO_RA);

static uint32_t begin(iso_builder *b, uint32_t session) {
    return iso_builder_txn(b, session, iso_atom_nil(), ISO_COMMITTED);
}

static void op(iso_builder *b, uint32_t t, iso_op_kind kind, uint32_t key, uint32_t value) {
    iso_builder_op(b, t, kind, iso_builder_key(b, iso_atom_uint(key)),
                   value == 0 ? iso_atom_nil() : iso_atom_uint(value));
}

/* A transaction that writes every key, then readers of two keys each, in sessions. */
static const isolab_history *preloaded(uint32_t keys, uint32_t readers, uint32_t sessions) {
    iso_builder *b = iso_builder_new(&pool);
    uint32_t t = begin(b, iso_builder_session(b, iso_atom_nil()));
    for (uint32_t k = 0; k < keys; k++) {
        op(b, t, ISO_WRITE, k, 1);
    }
    for (uint32_t s = 0; s < sessions; s++) {
        uint32_t session = iso_builder_session(b, iso_atom_nil());
        for (uint32_t i = 0; i < readers / sessions; i++) {
            t = begin(b, session);
            op(b, t, ISO_READ, (7 * i + s) % keys, 1);
            op(b, t, ISO_READ, (11 * i + 3 * s) % keys, 1);
        }
    }
    return iso_builder_finish(b);
}

static void test_zeros(void) {
    const isolab_history *h = preloaded(100000, 100000, 50);
    iso_evidence e = iso_find_evidence(&pool, h, all, false);
    cmp_ok(e.counted, "==", all, "everything is counted");
    cmp_ok(e.cases[ISO_RC] + e.cases[ISO_RA] + e.cases[ISO_CC] + e.cases[ISO_SER], "==", 0,
           "one writer of each key: no case from rc to ser");
    ok((e.exact & weak) == weak && (e.exact & ISO_LEVEL_BIT(ISO_CC)), "and zeros are exact");
    cmp_ok(e.cases[ISO_INT], "==", 200000, "all reads are cases of int");
    cmp_ok(e.cases[ISO_G1], "==", 200000, "and of g1, from another transaction");
    cmp_ok(e.reads_elsewhere, "==", 200000, "of another session");
    cmp_ok(e.shared_keys, "==", 0, "no key has two writers");
    cmp_ok(e.untimed, "==", h->n_txns, "nothing has times");
    iso_pool_free(&pool);
}

/* Two clients count up in turns: each transaction reads the value that the other client wrote last, and writes the next one. */
static void test_bounds(void) {
    enum { N = 400000 };
    iso_builder *b = iso_builder_new(&pool);
    uint32_t session[2] = {iso_builder_session(b, iso_atom_nil()), iso_builder_session(b, iso_atom_nil())};
    for (uint32_t i = 0; i < N; i++) {
        uint32_t t = begin(b, session[i % 2]);
        iso_builder_times(b, t, 3 * i, 3 * i + 1);
        op(b, t, ISO_READ, 0, i);
        op(b, t, ISO_WRITE, 0, i + 1);
    }
    const isolab_history *h = iso_builder_finish(b);
    const iso_levels levels = ISO_LEVEL_BIT(ISO_RA) | ISO_LEVEL_BIT(ISO_CC) | ISO_LEVEL_BIT(ISO_SER);
    iso_evidence e = iso_find_evidence(&pool, h, levels, false);
    /* Transaction i (from 0) has i / 2 before it in its session, and i in its causal past, of which it reads from one. */
    uint64_t in_sessions = (uint64_t)(N / 2) * (N / 2 - 1), in_past = (uint64_t)(N - 1) * (N - 2) / 2;
    cmp_ok(e.counted, "==", levels, "the levels asked for are counted");
    ok(e.cases[ISO_RA] > 0 && e.cases[ISO_RA] < in_sessions && !(e.exact & ISO_LEVEL_BIT(ISO_RA)), "ra: a lower bound");
    ok(e.cases[ISO_CC] > 0 && e.cases[ISO_CC] < in_past && !(e.exact & ISO_LEVEL_BIT(ISO_CC)), "cc: another one");
    ok(e.cases[ISO_SER] > 0 && !(e.exact & ISO_LEVEL_BIT(ISO_SER)), "ser, too");
    ok(e.reads > 0 && e.reads < N && e.reads_elsewhere <= e.reads && !e.all_counted, "and reads");
    cmp_ok(e.shared_keys, "==", 1, "the key is shared");
    ok(e.overlaps == 0 && e.overlaps_exact, "no two transactions overlapped, which is exact");
    cmp_ok(e.untimed + e.half_timed, "==", 0, "all have times");
    e = iso_find_evidence(&pool, h, all, false);
    ok(e.cases[ISO_RC] == 0 && (e.exact & ISO_LEVEL_BIT(ISO_RC)), "rc: one read a transaction is no case, exactly");
    cmp_ok(e.cases[ISO_RA], "==", in_sessions, "so all were looked at, and ra is exact, too");
    cmp_ok(e.cases[ISO_INT], "==", N, "and int");
    cmp_ok(e.cases[ISO_SSER], "==", N - 1, "all but the first one began after another one's end");
    iso_pool_free(&pool);
}

/* Each of many sessions has all keys in its past: counting for cc is given up. */
static void test_given_up(void) {
    const isolab_history *h = preloaded(20000, 20000, 20000);
    iso_asking ask;
    iso_asking_init(&ask, &pool, h, &(const iso_request){.limit = 1});
    ask.weigh = true;
    const iso_answer *a = iso_ask(&ask, ISO_CC);
    cmp_ok(a->result.verdict, "==", ISOLAB_SATISFIED, "cc is satisfied");
    cmp_ok(a->weight, "==", ISO_UNWEIGHED, "on what evidence is too much work");
    iso_asking_init(&ask, &pool, h, &(const iso_request){.limit = 1});
    ask.demand = true;
    a = iso_ask(&ask, ISO_CC);
    cmp_ok(a->result.verdict, "==", ISOLAB_UNKNOWN, "so where evidence is demanded it is unknown");
    like(a->result.reason, "evidence was not found: too much work", "for that reason");
    cmp_ok(a->result.reason_code, "==", ISO_REASON_EVIDENCE, "with its code");
    iso_pool_free(&pool);
}

/* Pairs that overlap, and real time against session order. */
static void test_times(void) {
    static const struct {
        const char *what;
        int64_t at[4][2];
        uint64_t overlaps, after;
    } one[] = {
        {"one after the other", {{1, 2}, {3, 4}, {5, 6}, {7, 8}}, 0, 3},
        {"all at once", {{1, 9}, {1, 9}, {1, 9}, {1, 9}}, 6, 0},
        {"one long", {{1, 9}, {2, 3}, {4, 5}, {6, 7}}, 3, 2},
        {"touching is overlapping", {{1, 2}, {2, 3}, {3, 4}, {4, 5}}, 3, 2},
        {"far apart", {{INT64_MIN + 1, INT64_MIN + 2}, {-1, 1}, {0, 5}, {INT64_MAX - 1, INT64_MAX}}, 1, 3},
    };
    for (size_t i = 0; i < sizeof one / sizeof *one; i++) {
        iso_builder *b = iso_builder_new(&pool);
        for (int t = 0; t < 4; t++) {
            iso_builder_times(b, begin(b, iso_builder_session(b, iso_atom_nil())), one[i].at[t][0], one[i].at[t][1]);
        }
        iso_evidence e = iso_find_evidence(&pool, iso_builder_finish(b), all, false);
        cmp_ok(e.overlaps, "==", one[i].overlaps, "%s: pairs that overlap", one[i].what);
        cmp_ok(e.cases[ISO_SSER], "==", one[i].after, "%s: transactions after another one", one[i].what);
        iso_pool_free(&pool);
    }
    enum { SESSIONS = 50, EACH = 2000 };
    iso_builder *b = iso_builder_new(&pool);
    for (uint32_t s = 0; s < SESSIONS; s++) {
        uint32_t session = iso_builder_session(b, iso_atom_nil());
        for (int64_t i = 0; i < EACH; i++) {
            iso_builder_times(b, begin(b, session), 10 * i, 10 * i + 5);
        }
    }
    iso_evidence e = iso_find_evidence(&pool, iso_builder_finish(b), all, false);
    uint64_t total = (uint64_t)EACH * SESSIONS * (SESSIONS - 1) / 2;
    ok(e.overlaps > 0 && e.overlaps < total && !e.overlaps_exact,
       "of many transactions, a part of the pairs that overlap");
    iso_pool_free(&pool);
}

static void test_nothing(void) {
    const isolab_history *h = iso_builder_finish(iso_builder_new(&pool));
    char text[512];
    iso_evidence e = iso_find_evidence(&pool, h, all, false);
    for (int l = 0; l < ISO_LEVELS; l++) {
        ok(e.cases[l] == 0 && (e.exact & ISO_LEVEL_BIT(l)), "%s of an empty history: no case",
           iso_level_get((iso_level)l)->name);
    }
    is(iso_evidence_text(&e, text, sizeof text), "no operations: every level holds vacuously", "and it is said");
    e = (iso_evidence){.operations = 1,
                       .reads = UINT64_MAX,
                       .reads_elsewhere = UINT64_MAX,
                       .shared_keys = UINT32_MAX,
                       .overlaps = UINT64_MAX,
                       .transactions = UINT32_MAX,
                       .untimed = UINT32_MAX - 2,
                       .half_timed = UINT32_MAX - 1};
    ok(strlen(iso_evidence_text(&e, text, sizeof text)) < sizeof text - 64, "the longest text has room: %s", text);
    for (size_t size = 1; size < 40; size++) {
        memset(text, 'x', sizeof text);
        iso_evidence_text(&e, text, size);
        if (text[size] != 'x' || strlen(text) >= size) {
            fail("a small buffer of %zu", size);
        }
    }
    iso_pool_free(&pool);
}

static void run(void *arg) {
    (void)arg;
    iso_pool_init(&pool, &env);
    test_nothing();
    test_zeros();
    test_bounds();
    test_given_up();
    test_times();
    iso_pool_free(&pool);
}

int main(void) { return run_guarded(&env, run); }
