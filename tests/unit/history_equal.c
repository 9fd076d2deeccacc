/* Tests tests/equal.h, history/copy.h and history/fingerprint.h: histories that differ in one respect, and copies. */
#include "tests/equal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "formats/format.h"
#include "generators/random_small.h"
#include "history/copy.h"
#include "history/fingerprint.h"
#include "tests/agree.h"
#include "tests/guarded.h"
#include "tests/seed.h"

static const char base[] =
    "session a\nt1 commit @1..4: r x nil, w x 1, append l 7, rl l [5 7]\nt2 abort @5..: w x one\n"
    "session b\nt3 maybe: r x 1, rl l []\n";

/* What is put in place of the first `was` of the base, and what is said of the two. The fingerprint covers no names. */
static const struct {
    const char *what, *was, *becomes, *says;
    bool renamed; /* the fingerprint is the same */
} changes[] = {
    {"a transaction more", "t2 abort", "t9 commit:\nt2 abort", "the number of sessions, transactions or operations 0",
     false},
    {"a session more", "session b\n", "session b\nsession c\n", "the number of sessions, transactions or operations 0",
     false},
    {"an operation more", "w x 1,", "w x 1, w y 1,", "the number of sessions, transactions or operations 0", false},
    {"a transaction of another session", "t2 abort @5..: w x one\nsession b\n", "session b\nt2 abort @5..: w x one\n",
     "the number of transactions of session 0", false},
    {"another name of a session", "session a", "session d", "the name of session 0", true},
    {"of the last one", "session b", "session d", "the name of session 1", true},
    {"no name of a session", "session a", "session", NULL, true},
    {"another name of a transaction", "t1", "t7", "the name of transaction 0", true},
    {"a name of another kind", "t1", "7", "the name of transaction 0", true},
    {"no name of a transaction", "t1 ", "", NULL, true},
    {"another status", "t2 abort", "t2 maybe", "the status of transaction 1", false},
    {"another status of the first", "t1 commit", "t1 maybe", "the status of transaction 0", false},
    {"an operation of another transaction", ", rl l [5 7]\nt2 abort @5..: ", "\nt2 abort @5..: rl l [5 7], ",
     "the number of operations of transaction 0", false},
    {"another start", "@1", "@2", "the times of transaction 0", false},
    {"another end", "..4", "..5", "the times of transaction 0", false},
    {"an end where there was none", "@5..", "@5..6", "the times of transaction 1", false},
    {"no times", "@1..4", "", "the times of transaction 0", false},
    {"another kind of operation", "r x nil", "w x nil", "operation 0", false},
    {"another key", "w x 1", "w y 1", "operation 1", false},
    {"another value", "w x 1", "w x 2", "operation 1", false},
    {"a value of another kind", "w x one", "w x 1", "operation 4", false},
    {"a longer text", "w x one", "w x ones", "operation 4", true},
    {"a shorter text", "w x one", "w x on", "operation 4", true},
    {"another text", "w x one", "w x onf", "operation 4", true},
    {"another element", "[5 7]", "[6 7]", "operation 3", true},
    {"another last element", "[5 7]", "[5 8]", "operation 3", false},
    {"an element more", "[5 7]", "[5 7 8]", "operation 3", false},
    {"an element less", "[5 7]", "[5]", "operation 3", false},
    {"an element where there was none", "rl l []", "rl l [5]", "operation 6", false},
    {"nothing", "t1", "t1", NULL, true},
};

static isolab_history *load(iso_pool *pool, const char *text) {
    return iso_load_bytes(pool, text, strlen(text), iso_format_find("isolab"));
}

static void finds_changes(iso_pool *pool) {
    const isolab_history *h = load(pool, base);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        char text[512], why[200] = "", back[200] = "", expected[200];
        const char *at = strstr(base, changes[i].was);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - base), base, changes[i].becomes,
                 at + strlen(changes[i].was));
        const isolab_history *other = load(pool, text);
        snprintf(expected, sizeof expected, "%s differs", changes[i].says == NULL ? "" : changes[i].says);
        bool equal = changes[i].says == NULL;
        ok(iso_history_equal(h, other, NULL, 0) == equal, "%s", changes[i].what);
        ok(iso_history_equal(h, other, why, sizeof why) == equal && (equal || strcmp(why, expected) == 0),
           "says \"%s\"", why);
        ok(iso_history_equal(other, h, back, sizeof back) == equal && strcmp(back, why) == 0,
           "the other way round, too");
        ok((iso_fingerprint(h, pool) == iso_fingerprint(other, pool)) == changes[i].renamed, "%s fingerprint",
           changes[i].renamed ? "the same" : "another");
    }
    isolab_history *named = load(pool, "session\ncommit: w x 1\n"), *also = load(pool, "session\nt1 commit: w x 1\n");
    ok(iso_history_equal(named, also, NULL, 0) && iso_history_equal(also, named, NULL, 0), "no names at all");
}

static void copies(iso_pool *outer) {
    uint64_t first = seed_or(1), rounds = iso_agree_rounds(100, 1000, 100000);
    iso_small_shape shape = {.txns = 6,
                             .ops = 5,
                             .keys = 3,
                             .sessions = 3,
                             .aborted = true,
                             .indeterminate = true,
                             .times = true,
                             .duplicates = true,
                             .lists = true};
    bool good = true;
    for (uint64_t seed = first; seed < first + rounds && good; seed++) {
        iso_pool pool;
        iso_pool_init(&pool, outer->env);
        const isolab_history *h = iso_random_small(&pool, seed, &shape);
        char why[200] = "";
        good = iso_history_equal(h, iso_copy(&pool, h), why, sizeof why);
        if (!good) {
            diag("seed %" PRIu64 ": %s", seed, why);
            iso_agree_print(outer->env, h);
        }
        iso_pool_free(&pool);
    }
    ok(good, "a copy is equal");
    diag("from seed %" PRIu64, first);
    const isolab_history *h = load(outer, base);
    const isolab_history *copy = iso_copy(outer, h);
    ok(iso_history_equal(h, copy, NULL, 0) && copy->txn_name_kind != NULL,
       "so is one of a history with names and texts");
    cmp_ok(iso_txn_name(copy, 2).bits, "==", iso_txn_name(h, 2).bits, "whose texts have their numbers");
}

/* A session of n transactions that read what another one wrote; the one of number `odd` reads the initial value. */
static uint64_t of_many(iso_env *env, uint32_t n, uint32_t odd) {
    iso_pool pool;
    iso_pool_init(&pool, env);
    iso_builder *b = iso_builder_new(&pool);
    uint32_t x = iso_builder_key(b, iso_atom_int(1)), s = iso_builder_session(b, iso_atom_nil());
    uint32_t other = iso_builder_session(b, iso_atom_nil());
    for (uint32_t i = 0; i < n; i++) {
        uint32_t t = iso_builder_txn(b, s, iso_atom_nil(), ISO_COMMITTED);
        iso_builder_op(b, t, ISO_READ, x, i == odd ? iso_atom_nil() : iso_atom_int(1));
    }
    iso_builder_op(b, iso_builder_txn(b, other, iso_atom_nil(), ISO_COMMITTED), ISO_WRITE, x, iso_atom_int(1));
    uint64_t fingerprint = iso_fingerprint(iso_builder_finish(b), &pool);
    iso_pool_free(&pool);
    return fingerprint;
}

/* The fingerprint of a long history depends on all of it. */
static void fingerprints(iso_pool *pool) {
    static const uint32_t odd[] = {0, 1, 800, 815, 1000, 1500, 1636, 1999};
    uint64_t none = of_many(pool->env, 2000, ISO_NONE);
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        ok(of_many(pool->env, 2000, odd[i]) != none, "a read of another value by transaction %u", odd[i]);
        ok(of_many(pool->env, 2000, odd[i]) == of_many(pool->env, 2000, odd[i]), "and no chance is in it");
    }
    uint64_t plain = iso_fingerprint(load(pool, base), pool);
    static const char other[] = "session\ncommit @1..4: r k nil, w k 8, append m 3, rl m [4 3]\nabort @5..: w k two\n"
                                "session\nmaybe: r k 8, rl m []\n";
    ok(iso_fingerprint(load(pool, other), pool) == plain, "names, keys and values do not count");
    static const char known[] = "session\ncommit @1..4: r k nil, w k 8, append m 3, rl m [3 3]\nabort @5..: w k two\n"
                                "session\nmaybe: r k 8, rl m []\n";
    ok(iso_fingerprint(load(pool, known), pool) != plain, "which of them are the same does");
}

static void run(void *arg) {
    finds_changes(arg);
    copies(arg);
    fingerprints(arg);
}

int main(void) {
    iso_env env;
    return run_guarded(&env, run);
}
