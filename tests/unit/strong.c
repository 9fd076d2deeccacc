/* Tests checkers/strong/. `strong` against `brute` on small histories, and against `sat` and `dbcop` on larger ones.
 * Every verdict must have a certificate that is valid, and every violation a name that is true. */
#include "formats/format.h"
#include "history/builder.h"
#include "tests/agree.h"
#include "tests/generated.h"
#include "tests/guarded.h"
#include "tests/names.h"
#include "tests/seed.h"

#include <stdio.h>
#include <string.h>

#define STRONG (ISO_LEVEL_BIT(ISO_PC) | ISO_LEVEL_BIT(ISO_SI) | ISO_LEVEL_BIT(ISO_SER) | ISO_TIMED_LEVELS)

static iso_env env;

static iso_agreement with(const char *referee, const char *options) {
    bool brute = strcmp(referee, "brute") == 0;
    return (iso_agreement){.checkers = brute ? "brute strong" : "sat strong",
                           .levels = STRONG,
                           .need_certificates = true,
                           .no_sessions = brute,
                           .same = brute ? iso_well_named : NULL,
                           .options = options};
}

static void against(const char *referee, const char *what, const char *options, uint64_t rounds,
                    const iso_small_shape *shape) {
    char name[256];
    snprintf(name, sizeof name, "%s%s%s%s", what, options == NULL ? "" : " (", options == NULL ? "" : options,
             options == NULL ? "" : ")");
    iso_agree_shaped(with(referee, options), &env, name, rounds, shape);
}

static void small(void) {
    iso_agreement a = with("brute", NULL);
    unsigned parts = iso_agree_parts(40, 4, 4);
    a.what = "some of all histories of up to 3 transactions";
    iso_agree_all(
        &a, &env,
        &(iso_enumeration){.txns = 3, .ops = 2, .keys = 2, .parts = parts, .part = (unsigned)(seed_or(1) % parts)});
    iso_agree_report(&a);
    uint64_t rounds = iso_agree_rounds(1000, 7500, 250000);
    against("brute", "random small histories", NULL, rounds,
            &(iso_small_shape){
                .txns = 6, .ops = 4, .keys = 3, .sessions = 4, .aborted = true, .indeterminate = true, .times = true});
    against("brute", "random small histories whose values repeat", "execute=yes", rounds,
            &(iso_small_shape){.txns = 5, .ops = 4, .keys = 2, .sessions = 4, .aborted = true, .duplicates = true});
    against("brute", "random small histories whose values repeat, in an order of real time first", "execute=no",
            rounds / 2,
            &(iso_small_shape){.txns = 5,
                               .ops = 4,
                               .keys = 2,
                               .sessions = 5,
                               .aborted = true,
                               .duplicates = true,
                               .indeterminate = true,
                               .times = true});
    against("brute", "random small histories whose values repeat, some of which may not be there", "execute=yes",
            rounds,
            &(iso_small_shape){.txns = 5,
                               .ops = 4,
                               .keys = 2,
                               .sessions = 3,
                               .aborted = true,
                               .times = true,
                               .indeterminate = true,
                               .duplicates = true});
}

/* Lists, alone and beside registers, with clocks and without. */
static void lists(void) {
    iso_small_shape shape = {.txns = 5,
                             .ops = 4,
                             .keys = 3,
                             .sessions = 4,
                             .aborted = true,
                             .indeterminate = true,
                             .times = true,
                             .lists = true};
    uint64_t rounds = iso_agree_rounds(500, 4000, 125000);
    against("brute", "random small histories with lists", NULL, iso_agree_rounds(1000, 7500, 250000), &shape);
    against("brute", "random small histories with lists, without clocks",
            "execute=no,guess=no,saturate=stretches,direct=no", rounds, &shape);
    against("sat", "random histories of up to 16 transactions with lists", NULL, iso_agree_rounds(100, 1000, 25000),
            &(iso_small_shape){.txns = 16, .ops = 6, .keys = 4, .sessions = 5, .times = true, .lists = true});
    against("brute", "random small histories with lists, no direct cycles", "execute=no,guess=no,direct=no,serial=no",
            rounds, &shape);
    for (int i = 0; i < 4; i++) { /* elements are unique, other values repeat: some may not be there, lists or not */
        iso_small_shape some = {.txns = 6,
                                .ops = 4,
                                .keys = 3,
                                .sessions = 4,
                                .times = true,
                                .lists = true,
                                .aborted = i == 1,
                                .indeterminate = true,
                                .duplicates = true,
                                .unique_elements = true,
                                .torn = i == 3,
                                .wild = i == 2};
        static const char *const what[] = {
            "lists with optional readers", "lists with optional readers, some transactions aborted",
            "lists with optional readers and reads of anything", "torn lists with optional readers"};
        iso_agree_shaped(with("brute", i % 2 == 1 ? "execute=no,guess=no,direct=no,serial=no" : NULL), &env, what[i],
                         iso_agree_rounds(300, 2500, 125000), &some);
    }
    shape.duplicates = true;
    against("brute", "random small histories with lists whose values repeat", NULL, rounds, &shape);
}

/* The cycles of saturation and the proofs, which a short direct cycle would hide. */
static void indirectly(void) {
    uint64_t rounds = iso_agree_rounds(500, 4000, 125000);
    against("brute", "random small histories", "execute=no,guess=no,direct=no,serial=no", rounds,
            &(iso_small_shape){
                .txns = 6, .ops = 4, .keys = 3, .sessions = 4, .aborted = true, .indeterminate = true, .times = true});
    against("brute", "random small histories whose values repeat", "execute=no,guess=no,direct=no,serial=no", rounds,
            &(iso_small_shape){.txns = 5, .ops = 4, .keys = 2, .sessions = 4, .aborted = true, .duplicates = true});
    against("sat", "random histories of up to 20 transactions whose values repeat", "execute=no,guess=no,direct=no",
            iso_agree_rounds(100, 1000, 25000),
            &(iso_small_shape){.txns = 20, .ops = 6, .keys = 6, .sessions = 5, .duplicates = true});
}

/* Without clocks, as for histories of very many sessions. */
static void lazily(void) {
    against("brute", "random small histories", "execute=no,guess=no,saturate=stretches,direct=no",
            iso_agree_rounds(500, 4000, 125000),
            &(iso_small_shape){.txns = 6, .ops = 4, .keys = 3, .sessions = 6, .aborted = true, .times = true});
    against("sat", "random histories whose values repeat", "execute=no,guess=no,saturate=stretches,direct=no",
            iso_agree_rounds(100, 1000, 25000),
            &(iso_small_shape){.txns = 16, .ops = 6, .keys = 6, .sessions = 8, .times = true, .duplicates = true});
}

/* Many short sessions: saturation stretch by stretch, also where a stretch is only part of a small history. */
static void wide(void) {
    static const char *const options[] = {"execute=no,guess=no,saturate=stretches,direct=no,serial=no",
                                          "execute=no,guess=no,saturate=short,direct=no,serial=no",
                                          "execute=no,guess=no,saturate=short,direct=no",
                                          "execute=no,guess=no,serial=no,saturate=no",
                                          "execute=yes,serial=no",
                                          "execute=no,guess=no,saturate=short"};
    uint64_t rounds = iso_agree_rounds(200, 2000, 50000);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        against(
            "brute", "random small histories", options[i], rounds,
            &(iso_small_shape){
                .txns = 6, .ops = 4, .keys = 3, .sessions = 6, .aborted = true, .indeterminate = true, .times = true});
        against("brute", "random small histories whose values repeat", options[i], rounds,
                &(iso_small_shape){.txns = 5,
                                   .ops = 4,
                                   .keys = 2,
                                   .sessions = 5,
                                   .aborted = true,
                                   .indeterminate = true,
                                   .times = true,
                                   .duplicates = true});
        against(
            "sat", "random histories of up to 24 transactions", options[i], iso_agree_rounds(50, 500, 12500),
            &(iso_small_shape){
                .txns = 24, .ops = 5, .keys = 8, .sessions = 24, .times = true, .lists = i == 1, .duplicates = i == 2});
    }
    iso_small_shape crowded = {.txns = 100, .ops = 4, .keys = 3, .sessions = 40};
    against("sat", "keys of very many writers: rows of several words", options[0], iso_agree_rounds(10, 60, 1250),
            &crowded);
    crowded.txns = 70;
    crowded.duplicates = true;
    against("sat", "keys of many writers, and values repeat", options[0], iso_agree_rounds(5, 30, 125), &crowded);
    against("sat", "of which little is known: more constraints are undecided than saturation lists", options[0],
            iso_agree_rounds(20, 200, 5000), &(iso_small_shape){.txns = 40, .ops = 5, .keys = 2, .sessions = 40});
}

static void larger(void) {
    for (int i = 0; i < 2; i++) { /* more operations than checkers/strong/model.c keeps in a word */
        against(i == 0 ? "brute" : "sat",
                i == 0 ? "histories of long transactions" : "histories of long transactions whose values repeat",
                i == 0 ? NULL : "execute=no,guess=no", iso_agree_rounds(40, 400, 5000),
                &(iso_small_shape){.txns = 4, .ops = 100, .keys = 50, .sessions = 3, .duplicates = i == 1});
    }
    uint64_t rounds = iso_agree_rounds(100, 1000, 25000);
    against("sat", "random histories of up to 20 transactions", NULL, iso_agree_rounds(100, 2000, 50000),
            &(iso_small_shape){.txns = 20, .ops = 6, .keys = 6, .sessions = 5});
    against("sat", "random histories of up to 16 transactions whose values repeat", NULL, rounds,
            &(iso_small_shape){.txns = 16, .ops = 6, .keys = 6, .sessions = 5, .duplicates = true});
    iso_small_shape shape = {.txns = 30, .ops = 4, .keys = 3, .sessions = 10};
    against("sat", "random histories of up to 30 transactions", "execute=no,guess=no,saturate=chains", rounds, &shape);
    shape.duplicates = true;
    against("sat", "random histories of up to 30 transactions whose values repeat",
            "execute=no,guess=no,saturate=chains", rounds / 2, &shape);
    against("brute", "random small histories", "execute=no,guess=no,saturate=chains,direct=no,serial=no",
            iso_agree_rounds(500, 4000, 125000), &(iso_small_shape){.txns = 6, .ops = 4, .keys = 2, .sessions = 4});
    against("sat", "random histories of up to 20 transactions on two keys whose values repeat", NULL,
            iso_agree_rounds(100, 1500, 25000),
            &(iso_small_shape){.txns = 20, .ops = 3, .keys = 2, .sessions = 8, .times = true, .duplicates = true});
}

/* Three checkers of which none shares anything with another. The referees are quick where sessions are few. */
static void three(void) {
    static const char *const what[] = {"random histories", "random histories whose values repeat",
                                       "random histories with lists"};
    for (int i = 0; i < 3; i++) {
        iso_small_shape shape = {.txns = 10,
                                 .ops = 5,
                                 .keys = 4,
                                 .sessions = 3,
                                 .aborted = true,
                                 .indeterminate = true,
                                 .times = i != 1,
                                 .duplicates = i == 1,
                                 .lists = i == 2};
        iso_agree_shaped((iso_agreement){.checkers = "sat strong dbcop", .levels = STRONG, .no_certificates = true},
                         &env, what[i], iso_agree_rounds(200, 1500, 125000), &shape);
    }
}

/* A session longer than a chain may be (checkers/strong/model.h), which counts a key up, and another session that reads
 * it now and then: in order, or at last a value that is older than the one before. */
static void long_session(void) {
    static const char what[] = "a session of 70,000 transactions";
    if (skip_unselected(what)) {
        return;
    }
    const uint32_t n = 70000, reads = 20;
    iso_agreement a = {.checkers = "strong", .levels = STRONG};
    for (uint32_t stale = 0; stale < 2; stale++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        iso_builder *b = iso_builder_new(&pool);
        uint32_t x = iso_builder_key(b, iso_atom_int(0)), s[2];
        for (int i = 0; i < 2; i++) {
            s[i] = iso_builder_session(b, iso_atom_nil());
        }
        for (uint32_t i = 0; i < n; i++) {
            uint32_t t = iso_builder_txn(b, s[0], iso_atom_nil(), ISO_COMMITTED);
            iso_builder_times(b, t, 10 * i, 10 * i + 5);
            iso_builder_op(b, t, ISO_READ, x, i == 0 ? iso_atom_nil() : iso_atom_int(i));
            iso_builder_op(b, t, ISO_WRITE, x, iso_atom_int(i + 1));
        }
        for (uint32_t i = 1; i <= reads; i++) {
            uint32_t seen = i == reads && stale != 0 ? 40000 : n / reads * i;
            uint32_t t = iso_builder_txn(b, s[1], iso_atom_nil(), ISO_COMMITTED);
            iso_builder_op(b, t, ISO_READ, x, iso_atom_int(seen));
        }
        iso_agree(&a, &env, iso_builder_finish(b), stale);
        iso_pool_free(&pool);
    }
    bool right = a.verified == 10; /* one of each verdict a level */
    for (int i = 0; i < iso_n_levels; i++) {
        uint64_t want = STRONG >> i & 1;
        right = right && a.level_satisfied[i] == want && a.level_violated[i] == want;
    }
    ok(right, "%s", what);
}

/* Histories of a store that promises a level, which one stage decides and no other stage does in time. */
static void decides(const char *what, const char *options, iso_level level, const char *shape) {
    iso_agreement a = {.what = what,
                       .checkers = "strong",
                       .levels = ISO_LEVEL_BIT(level),
                       .need_certificates = true,
                       .options = options};
    char all[256];
    iso_pool pool;
    iso_pool_init(&pool, &env);
    snprintf(all, sizeof all, "mix=HD duplicates=1 distribution=uniform %s seed=%llu", shape,
             (unsigned long long)seed_or(1));
    env.limits->deadline = iso_now() + (int64_t)100 * 1000000000; /* instead of for ever */
    iso_agree(&a, &env, generated(&pool, "ycsb", all), seed_or(1));
    env.limits->deadline = 0;
    iso_pool_free(&pool);
    ok(a.level_satisfied[level] == 1 && a.verified > 0, "%s: satisfied, and the certificate is valid (%s)", what, all);
}

static void few_values(void) {
    decides("times, ser", NULL, ISO_SER, "txns=2000 ops=4 sessions=10 keys=50 values=4 level=sser times=yes");
    decides("times, si", NULL, ISO_SI, "txns=2000 ops=4 sessions=10 keys=50 values=4 level=si times=yes");
    decides("times, pc", NULL, ISO_PC, "txns=2000 ops=4 sessions=10 keys=50 values=4 level=pc times=yes");
}

/* Once found: a long fork that an order of appends only seemed to make, and edges of two stretches that contradict
 * each other. */
static void found(void) {
    static const char fork[] =
        "session\ncommit @34..43: append y 11, rl y [11], r x 3\ncommit @41..60: rl z [3 5 7]\n"
        "session\nmaybe @10..: w x 3, append z 3\nmaybe @11..: append y 4, append z 5, append z 7\n"
        "session\ncommit @20..31: append z 9, r x nil\n";
    iso_agreement a = with("brute", NULL);
    a.what = "two anti-dependencies and an order of appends";
    iso_pool pool;
    iso_pool_init(&pool, &env);
    iso_agree(&a, &env, iso_load_bytes(&pool, fork, sizeof fork - 1, iso_format_find("isolab")), 0);
    iso_pool_free(&pool);
    iso_agree_report(&a);
    /* What stands twice after its whole block: the proof must name that append. */
    static const char twice[] =
        "session\ncommit: rl y [2 4], r x nil\nmaybe: rl y [2 4 4], w x 2\n"
        "session\ncommit: w x 2\ncommit: rl y [], r x 2\nsession\ncommit: append y 2, append y 4\n";
    iso_agreement d = with("brute", "execute=no,guess=no,direct=no");
    d.what = "an element that stands twice";
    iso_agree(&d, &env, iso_load_bytes(&pool, twice, sizeof twice - 1, iso_format_find("isolab")), 0);
    iso_agree_report(&d);
    /* y is from one of two whose lists cannot be: torn, twice the same, or out of thin air. */
    static const char *const impossible[] = {"[1 3 2]", "[3 3]", "[7]"};
    iso_agreement c = with("brute", "execute=no,guess=no,direct=no");
    c.what = "lists that rule out their readers";
    for (int i = 0; i < 9; i++) {
        char text[256];
        int n = snprintf(text, sizeof text,
                         "session\ncommit: append x 1, append x 2\nsession\ncommit: append x 3\n"
                         "session\ncommit: r y 3\nsession\nmaybe: w y 3, rl x %s\nsession\nmaybe: w y 3, rl x %s\n",
                         impossible[i / 3], impossible[i % 3]);
        iso_agree(&c, &env, iso_load_bytes(&pool, text, (size_t)n, iso_format_find("isolab")), (uint64_t)i);
    }
    iso_agree_report(&c);
    /* y is from one of two whose lists were appended to in another order than they show. */
    static const char turned[] = "session\ncommit: append x 2\ncommit: append x 1\nsession\ncommit: r y 3\n"
                                 "session\nmaybe: w y 3, rl x [1 2]\nsession\nmaybe: w y 3, rl x [1 2]\n";
    iso_agreement e = with("brute", "execute=no,guess=no,direct=no");
    e.what = "optional readers of a list that was appended to in another order";
    iso_agree(&e, &env, iso_load_bytes(&pool, turned, sizeof turned - 1, iso_format_find("isolab")), 0);
    iso_agree_report(&e);
    iso_pool_free(&pool);
    iso_agreement b = with("brute", "execute=no,guess=no,saturate=short,direct=no,serial=no");
    b.what = "a cycle across stretches";
    iso_agree_random(
        &b, &env, 2608, 1,
        &(iso_small_shape){
            .txns = 6, .ops = 4, .keys = 3, .sessions = 6, .aborted = true, .indeterminate = true, .times = true});
    iso_agree_report(&b);
}

static void run(void *arg) {
    (void)arg;
    small();
    few_values();
    larger();
    lists();
    three();
    indirectly();
    lazily();
    long_session();
    wide();
    found();
    iso_names_report();
}

int main(void) { return run_guarded(&env, run); }
