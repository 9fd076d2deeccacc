/* Tests checkers/evidence.c with histories that are large or unusual: lower bounds, exact zeros, and counting that ends
 * at a limit. tests/exhaustive/evidence.c compares the numbers of small histories with the definition. */
#include "checkers/evidence.h"

#include <string.h>

#include "base/random.h"
#include "checkers/ladder.h"
#include "history/builder.h"
#include "tests/guarded.h"
#include "tests/raw.h"
#include "tests/seed.h"
#include "tests/tap.h"

static iso_env env;
static iso_pool pool;

static const iso_levels all = ISO_LEVEL_BIT(ISO_NAMED_LEVELS) - 1, weak = ISO_LEVEL_BIT(ISO_RC) | ISO_LEVEL_BIT(ISO_RA);

static uint32_t begin(iso_builder *b, uint32_t session) {
    return iso_builder_txn(b, session, iso_atom_nil(), ISO_COMMITTED);
}

static void op(iso_builder *b, uint32_t t, iso_op_kind kind, uint32_t key, uint32_t value) {
    iso_builder_op(b, t, kind, iso_builder_key(b, iso_atom_uint(key)),
                   value == 0 ? iso_atom_nil() : iso_atom_uint(value));
}

static iso_evidence find(const isolab_history *h, iso_levels levels) {
    return iso_find_evidence(&pool, h, (iso_evidence_question){.levels = levels});
}

/* A transaction that writes every key, then readers of two keys each, in sessions. `overwritten`: at last every key is
 * written once more, which no transaction reads. */
static const isolab_history *preloaded(uint32_t keys, uint32_t readers, uint32_t sessions, bool overwritten) {
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
    t = overwritten ? begin(b, iso_builder_session(b, iso_atom_nil())) : t;
    for (uint32_t k = 0; k < keys && overwritten; k++) {
        op(b, t, ISO_WRITE, k, 2);
    }
    return iso_builder_finish(b);
}

static void test_zeros(void) {
    const isolab_history *h = preloaded(100000, 100000, 50, false);
    iso_evidence e = find(h, all);
    cmp_ok(e.counted, "==", all, "everything is counted");
    cmp_ok(e.cases[ISO_RC] + e.cases[ISO_RA] + e.cases[ISO_CC] + e.cases[ISO_SER], "==", 0,
           "one writer of each key: no case from rc to ser");
    ok((e.exact & weak) == weak && (e.exact & ISO_LEVEL_BIT(ISO_CC)), "and zeros are exact");
    ok(e.cases[ISO_INT] > 0 && e.cases[ISO_INT] <= 200000, "reads are cases of int");
    ok(e.cases[ISO_G1] > 0 && e.cases[ISO_G1] <= 200000, "and of g1, from another transaction");
    ok(e.reads_elsewhere > 0 && e.reads_elsewhere <= 200000, "of another session");
    ok(!e.all_counted && !(e.exact & (ISO_LEVEL_BIT(ISO_INT) | ISO_LEVEL_BIT(ISO_G1))), "but not all of them");
    cmp_ok(e.shared_keys, "==", 0, "no key has two writers");
    cmp_ok(e.untimed, "==", h->n_txns, "nothing has times");
    iso_pool_free(&pool);
}

/* Two clients count up in turns: each transaction reads the value that the other client wrote last, and writes the next
 * one. */
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
    iso_evidence e = find(h, levels);
    /* Transaction i (from 0) has i / 2 before it in its session, and i in its causal past, of which it reads from
     * one. */
    uint64_t in_sessions = (uint64_t)(N / 2) * (N / 2 - 1), in_past = (uint64_t)(N - 1) * (N - 2) / 2;
    cmp_ok(e.counted, "==", levels, "the levels asked for are counted");
    ok(e.cases[ISO_RA] > 0 && e.cases[ISO_RA] < in_sessions && !(e.exact & ISO_LEVEL_BIT(ISO_RA)), "ra: a lower bound");
    ok(e.cases[ISO_CC] > 0 && e.cases[ISO_CC] < in_past && !(e.exact & ISO_LEVEL_BIT(ISO_CC)), "cc: another one");
    ok(e.cases[ISO_SER] > 0 && !(e.exact & ISO_LEVEL_BIT(ISO_SER)), "ser: the number is another lower bound");
    ok(e.reads > 0 && e.reads < N && e.reads_elsewhere <= e.reads && !e.all_counted,
       "reads and reads from other sessions are lower bounds");
    cmp_ok(e.shared_keys, "==", 1, "the key is shared");
    ok(e.overlaps == 0 && e.overlaps_exact, "no two transactions overlapped, which is exact");
    cmp_ok(e.untimed + e.half_timed, "==", 0, "all have times");
    e = find(h, all);
    ok(e.cases[ISO_RC] == 0 && (e.exact & ISO_LEVEL_BIT(ISO_RC)), "rc: one read a transaction is no case, exactly");
    ok(e.cases[ISO_RA] > 0 && e.cases[ISO_RA] < in_sessions && !(e.exact & ISO_LEVEL_BIT(ISO_RA)),
       "ra stays a lower bound, though all were looked at");
    const iso_levels timed = ISO_LEVEL_BIT(ISO_LSER) | ISO_LEVEL_BIT(ISO_SSER);
    ok(e.cases[ISO_LSER] > 0 && e.cases[ISO_LSER] < N && e.cases[ISO_SSER] > 0 && e.cases[ISO_SSER] < N,
       "all but the first one began after another one's end, and all access one key");
    ok((e.counted & timed) == timed && !(e.exact & timed), "of real time, too, there are lower bounds");
    iso_pool_free(&pool);
}

/* The part that is walked through has empty transactions and writes alone: the rest is looked at for what is 0. */
static void test_late(void) {
    for (int with_read = 0; with_read < 2; with_read++) {
        iso_builder *b = iso_builder_new(&pool);
        uint32_t session = iso_builder_session(b, iso_atom_nil());
        for (uint32_t i = 0; i < 10000; i++) {
            begin(b, session);
        }
        for (uint32_t i = 0; i < 10000; i++) {
            op(b, begin(b, session), ISO_WRITE, i % 100, i + 1);
        }
        uint32_t t = begin(b, iso_builder_session(b, iso_atom_nil()));
        op(b, t, with_read ? ISO_READ : ISO_WRITE, 100, with_read ? 0 : 1);
        op(b, t, with_read ? ISO_READ : ISO_WRITE, 1, with_read ? 9902 : 20000);
        iso_evidence e = find(iso_builder_finish(b), ISO_LEVEL_BIT(ISO_RC));
        char text[512];
        ok(e.operations > 0 && e.shared_keys > 0, "operations and shared keys are found late");
        cmp_ok(e.reads, "==", 2 * with_read,
               "the reads of the whole history are counted up to the first from another session");
        cmp_ok(e.reads_elsewhere, "==", with_read, "of another session");
        like(iso_evidence_text(&e, text, sizeof text),
             with_read ? "at least 2 reads, at least 1 from other" : "0 reads, 0 from other sessions; at least",
             "in words");
        iso_pool_free(&pool);
    }
}

/* Each of many sessions has all keys in its past, and a writer that is not: counting for cc is given up. */
static void test_given_up(void) {
    const isolab_history *h = preloaded(20000, 20000, 20000, true);
    iso_asker asker;
    iso_asker_init(&asker, &pool, h, &(const iso_question){.limit = 1});
    asker.weigh = true;
    const iso_answer *a = iso_ask(&asker, ISO_CC);
    cmp_ok(a->result.verdict, "==", ISOLAB_SATISFIED, "cc is satisfied");
    cmp_ok(a->weight, "==", ISO_UNWEIGHED, "on what evidence is too much work");
    iso_asker_init(&asker, &pool, h, &(const iso_question){.limit = 1});
    asker.demand = true;
    a = iso_ask(&asker, ISO_CC);
    cmp_ok(a->result.verdict, "==", ISOLAB_UNKNOWN, "so where evidence is demanded it is unknown");
    like(a->result.reason, "evidence was not found: too much work", "for that reason");
    cmp_ok(a->result.reason_code, "==", ISO_REASON_EVIDENCE, "with its code");
    h = preloaded(6000, 6000, 6000, true);
    iso_evidence_question question = {.levels = ISO_LEVEL_BIT(ISO_CC)};
    cmp_ok(iso_find_evidence(&pool, h, question).counted, "==", 0, "less is too much, too");
    question.demand = true;
    iso_evidence e = iso_find_evidence(&pool, h, question);
    ok(e.exact == question.levels && e.cases[ISO_CC] == 0, "but not where evidence is demanded");
    iso_pool_free(&pool);
}

/* ---- what was found in a part of a history ---- */

enum { KEYS = 600, TXNS = 4000, CLIENTS = 8, OPS = 6 };

typedef struct script {
    uint32_t txns;
    uint32_t key[TXNS][OPS], from[TXNS][OPS], n[TXNS]; /* from: transaction + 1 that a read is from; 0 */
    bool write[TXNS][OPS];
    uint32_t row[KEYS][TXNS], n_row[KEYS]; /* the transactions that write a key */
} script;

/* A serial execution of s->txns transactions of sessions in turns: transaction t is of session t mod CLIENTS. Every key
 * is written by any session, or by only one. */
static const isolab_history *perform(script *s, iso_rng *rng, uint32_t keys, uint64_t writes_of_ten, bool owned) {
    static uint32_t last[KEYS], value[KEYS];
    iso_builder *b = iso_builder_new(&pool);
    uint32_t session[CLIENTS], most = 1 + (uint32_t)iso_random_below(rng, OPS), next = 1;
    memset(last, 0, sizeof last);
    memset(value, 0, sizeof value);
    memset(s->n_row, 0, sizeof s->n_row);
    for (uint32_t i = 0; i < CLIENTS; i++) {
        session[i] = iso_builder_session(b, iso_atom_nil());
    }
    for (uint32_t t = 0; t < s->txns; t++) {
        uint32_t number = begin(b, session[t % CLIENTS]);
        s->n[t] = most;
        for (uint32_t i = 0; i < most; i++) {
            uint32_t x = (uint32_t)iso_random_below(rng, keys);
            bool write = iso_random_below(rng, 10) < writes_of_ten && (!owned || x % CLIENTS == t % CLIENTS);
            s->key[t][i] = x;
            s->write[t][i] = write;
            s->from[t][i] = last[x] == t + 1 ? 0 : last[x];
            if (write) {
                s->row[x][s->n_row[x]] = t;
                s->n_row[x] += !(last[x] == t + 1);
                last[x] = t + 1;
                value[x] = next++;
            }
            op(b, number, write ? ISO_WRITE : ISO_READ, x, value[x]);
        }
    }
    return iso_builder_finish(b);
}

/* Is a transaction read from by t, before its operation `end`? */
static bool reads_from(const script *s, uint32_t t, uint32_t from, uint32_t end) {
    bool yes = false;
    for (uint32_t i = 0; i < end; i++) {
        yes |= !s->write[t][i] && s->from[t][i] == from + 1;
    }
    return yes;
}

/* Cases as docs/evidence.md defines them: of a reader, a key and another writer of the key. */
static void count(const script *s, uint64_t *cases) {
    for (uint32_t t = 0; t < s->txns; t++) {
        for (uint32_t i = 0; i < s->n[t]; i++) {
            uint32_t x = s->key[t][i];
            bool first =
                true; /* read of the key from another transaction: in a serial execution all are from the same */
            for (uint32_t j = 0; j < i; j++) {
                first &= s->key[t][j] != x;
            }
            if (s->write[t][i] || !first) {
                continue;
            }
            uint32_t again = i; /* the last of these reads */
            for (uint32_t j = i + 1; j < s->n[t] && !(s->write[t][j] && s->key[t][j] == x); j++) {
                again = s->key[t][j] == x ? j : again;
            }
            for (uint32_t k = 0; k < s->n_row[x]; k++) {
                uint32_t t2 = s->row[x][k];
                bool same = t2 % CLIENTS == t % CLIENTS;
                if (t2 != t && t2 + 1 != s->from[t][i]) {
                    cases[ISO_RC] += reads_from(s, t, t2, again);
                    cases[ISO_RA] += (same && t2 < t) || reads_from(s, t, t2, s->n[t]);
                    cases[ISO_SER] += !same || t2 < t;
                }
            }
        }
    }
}

static void test_samples(void) {
    const iso_levels levels = weak | ISO_LEVEL_BIT(ISO_SER) | ISO_LEVEL_BIT(ISO_CC);
    static script s;
    uint64_t seed = seed_of_run();
    unsigned rounds = raw_rounds(40, 120, 3000);
    iso_rng rng = {seed};
    diag("seed %llu (set ISOLAB_SEED to repeat)", (unsigned long long)seed);
    uint32_t zeros = 0, exact = 0, bounds = 0, wrong = 0;
    for (int round = 0; round < (int)rounds; round++) {
        static const uint32_t keys[] = {3, 40, KEYS};
        uint64_t cases[ISO_MOST_LEVELS] = {0};
        s.txns = round % 3 == 0 ? TXNS / 8 : TXNS; /* mostly more than is looked at */
        const isolab_history *h =
            perform(&s, &rng, keys[iso_random_below(&rng, 3)], iso_random_below(&rng, 6), iso_random_below(&rng, 2));
        iso_levels asked = iso_random_below(&rng, 2) ? levels : ISO_LEVEL_BIT(ISO_SER);
        iso_evidence e = find(h, asked);
        count(&s, cases);
        cases[ISO_CC] = cases[ISO_SER]; /* at most */
        for (iso_level l = ISO_RC; l <= ISO_SER; l++) {
            if (!(levels & asked & e.counted & ISO_LEVEL_BIT(l))) {
                continue;
            }
            bool all_of_it = (e.exact & ISO_LEVEL_BIT(l)) != 0 && l != ISO_CC;
            bool right = all_of_it ? e.cases[l] == cases[l] : e.cases[l] <= cases[l];
            right &= l == ISO_CC || (e.cases[l] == 0) == (cases[l] == 0);
            zeros += cases[l] == 0;
            exact += all_of_it;
            bounds += !all_of_it;
            wrong += !right;
            if (!right) {
                diag("round %d, %s: %llu, expected %llu", round, iso_level_get(l)->name, (unsigned long long)e.cases[l],
                     (unsigned long long)cases[l]);
            }
        }
        iso_pool_free(&pool);
    }
    cmp_ok(wrong, "==", 0, "%u zeros and other exact numbers are right, %u lower bounds are bounds", exact, bounds);
    /* Exact numbers above 0 are rare: few rounds may have none. */
    ok(zeros > 0 && bounds > 0 && (rounds < 100 || exact > zeros), "%u zeros, %u exact, %u lower bounds", zeros, exact,
       bounds);
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
        iso_evidence e = find(iso_builder_finish(b), all);
        cmp_ok(e.overlaps, "==", one[i].overlaps, "%s: pairs that overlap", one[i].what);
        cmp_ok(e.cases[ISO_LSER], "==", 0, "%s: none accesses a key", one[i].what);
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
    iso_evidence e = find(iso_builder_finish(b), all);
    uint64_t total = (uint64_t)EACH * SESSIONS * (SESSIONS - 1) / 2;
    ok(e.overlaps > 0 && e.overlaps < total && !e.overlaps_exact,
       "of many transactions, a part of the pairs that overlap");
    iso_pool_free(&pool);
}

static void test_nothing(void) {
    const isolab_history *h = iso_builder_finish(iso_builder_new(&pool));
    char text[512];
    iso_evidence e = find(h, all);
    for (int l = 0; l < iso_n_levels; l++) {
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
    test_late();
    test_given_up();
    test_samples();
    test_times();
    iso_pool_free(&pool);
}

int main(void) { return run_guarded(&env, run); }
