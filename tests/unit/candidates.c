/* checkers/candidates/ against brute on all small histories of repeated values and on random ones, and against sat on
 * larger ones. Every verdict comes with a certificate, which is verified. */
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "formats/format.h"
#include "tests/agree.h"
#include "tests/generated.h"
#include "tests/guarded.h"
#include "tests/seed.h"

static iso_env env;

#define ORDERED (ISO_WEAK_LEVELS & ~(ISO_LEVEL_BIT(ISO_INT) | ISO_LEVEL_BIT(ISO_CI)))

static iso_agreement shaped(const char *what, const char *checkers, iso_levels levels, const char *options,
                            const iso_small_shape *shape, uint64_t rounds) {
    return iso_agree_shaped(
        (iso_agreement){.checkers = checkers, .levels = levels, .options = options, .need_certificates = true}, &env,
        what, rounds, shape);
}

/* ---- all small ones ---- */

/* An operation on x or y: reads of nil, 1 and 2, writes of 1 and 2. */
enum { WAYS = 10, TXNS = 3, OPS = 2, SPLITS = 4 };

typedef struct small {
    uint8_t op[TXNS * OPS];
    uint8_t split; /* bit t: transaction t + 1 begins a session */
} small;

static small small_of(uint64_t number) {
    small s = {.split = (uint8_t)(number % SPLITS)};
    number /= SPLITS;
    for (int i = 0; i < TXNS * OPS; i++, number /= WAYS) {
        s.op[i] = (uint8_t)(number % WAYS);
    }
    return s;
}

/* Of histories that differ in names of keys and values, one: x is mentioned before y, and 1 of each key before 2. */
static bool is_first_of_its_kind(const small *s) {
    bool one[2] = {false, false}, x = false;
    for (int i = 0; i < TXNS * OPS; i++) {
        unsigned key = s->op[i] % 2, value = s->op[i] / 2; /* 0 nil, 1 and 2 read, 3 and 4 written */
        if (key == 0) {
            x = true;
        } else if (!x) {
            return false;
        }
        if (value == 2 || value == 4) {
            if (!one[key]) {
                return false;
            }
        } else if (value != 0) {
            one[key] = true;
        }
    }
    return true;
}

static const isolab_history *history_of(iso_pool *pool, const small *s) {
    static const char *const words[] = {"r %c nil", "r %c 1", "r %c 2", "w %c 1", "w %c 2"};
    char *text = ISO_NEW(pool, char, 512);
    size_t n = 0;
    for (int t = 0; t < TXNS; t++) {
        n +=
            (size_t)snprintf(text + n, 512 - n, t == 0 || (s->split >> (t - 1) & 1) ? "session\ncommit: " : "commit: ");
        for (int i = t * OPS; i < (t + 1) * OPS; i++) {
            char op[16];
            memcpy(op, words[s->op[i] / 2], strlen(words[s->op[i] / 2]) + 1);
            char *key = strchr(op, '%');
            *key = s->op[i] % 2 == 0 ? 'x' : 'y';
            memmove(key + 1, key + 2, strlen(key + 2) + 1);
            n += (size_t)snprintf(text + n, 512 - n, "%s%s", op, i + 1 < (t + 1) * OPS ? ", " : "\n");
        }
    }
    return iso_load_bytes(pool, text, n, iso_format_find("isolab"));
}

static void all_small(void) {
    uint64_t all = SPLITS, seed = seed_or(1);
    iso_rng rng = {seed};
    iso_agreement a = {.what = "a part of all histories of 3 transactions of 2 operations, with repeated values",
                       .checkers = "brute candidates",
                       .levels = ISO_WEAK_LEVELS,
                       .need_certificates = true};
    for (int i = 0; i < TXNS * OPS; i++) {
        all *= WAYS;
    }
    uint64_t rounds = iso_agree_rounds(5000, 40000, all);
    for (uint64_t i = 0; i < rounds; i++) {
        uint64_t number = rounds < all ? iso_random_below(&rng, all) : i;
        small s = small_of(number);
        if (is_first_of_its_kind(&s)) {
            iso_pool pool;
            iso_pool_init(&pool, &env);
            iso_agree(&a, &env, history_of(&pool, &s), number);
            iso_pool_free(&pool);
        }
    }
    diag("seed %llu", (unsigned long long)seed);
    iso_agree_report(&a);
}

/* ---- the answers of its parts ---- */

static iso_result *ask(iso_pool *pool, const char *text, iso_level level, const char *options) {
    const isolab_history *h = iso_load_bytes(pool, text, strlen(text), iso_format_find("isolab"));
    iso_question question = {.level = level, .limit = 1, .certificate = true, .options = options};
    iso_result *r = ISO_NEW(pool, iso_result, 1);
    iso_result_init(r, pool);
    iso_check(iso_checker_find("candidates"), h, &question, r);
    return r;
}

static uint64_t counter(const iso_result *r, const char *name) {
    for (unsigned i = 0; i < r->n_counters; i++) {
        if (strcmp(r->counter[i].name, name) == 0) {
            return r->counter[i].value;
        }
    }
    return UINT64_MAX;
}

static void parts(iso_pool *pool) {
    static const char sure[] = "session\ncommit: w x 1, w y 1\ncommit: w z 1\n"
                               "session\ncommit: r x nil, r y 1\ncommit: w z 1\n";
    iso_result *r = ask(pool, sure, ISO_RA, NULL);
    ok(r->verdict == ISOLAB_VIOLATED && r->proof == NULL && r->anomalies[0].kind == ISO_A_FRACTURED_READ_CO &&
           r->anomalies[0].n_cycle == 2,
       "a violation by reads of one writer is a cycle, and needs no proof");

    static const char two[] = "session\ncommit: w x 1\ncommit: w x 2\nsession\ncommit: w x 1\ncommit: w x 2\n"
                              "session\ncommit: r x 1, r x 2\n";
    r = ask(pool, two, ISO_RA, NULL);
    ok(r->verdict == ISOLAB_VIOLATED && r->proof == NULL && r->anomalies[0].kind == ISO_A_NON_REPEATABLE_READ &&
           r->anomalies[0].op == 5 && r->anomalies[0].other_op == 4,
       "two values of a key from whichever transactions are an offence by themselves");
    ok(ask(pool, two, ISO_RC, NULL)->verdict == ISOLAB_SATISFIED, "not at a level that allows it");
    static const char own[] = "session\ncommit: w x 1\ncommit: w x 2\nsession\ncommit: w x 1\n"
                              "session\ncommit: r x 1, w x 2, r x 2\n";
    ok(ask(pool, own, ISO_CC, NULL)->verdict == ISOLAB_SATISFIED, "nor if the second value is the reader's own");

    static const char unread[] = "session\ncommit: r x 9, w y 1\nsession\ncommit: w y 1\nsession\ncommit: r y 1\n";
    r = ask(pool, unread, ISO_RA, NULL);
    ok(r->verdict == ISOLAB_VIOLATED && r->n_anomalies == 1 && r->anomalies[0].kind == ISO_A_THIN_AIR &&
           r->proof == NULL && strcmp(r->phase[r->n_phases - 1].name, "model") == 0,
       "a read that offends by itself is shown, and nothing else is looked for");

    /* x = 1 was written by the first and the last transaction; the last one reads what depends on the reader. */
    static const char late[] = "session\ncommit: w x 1\ncommit: w x 2, w y 1\n"
                               "session\ncommit: r x 1, r y 1, w z 1\n"
                               "session\ncommit: r z 1, w x 1\n";
    r = ask(pool, late, ISO_RA, NULL);
    ok(r->verdict == ISOLAB_VIOLATED && r->proof != NULL && r->anomalies[0].n_cycle > 0,
       "both writers of a value are ruled out, which a proof says, and one case is shown");
    ok(counter(r, "decisions") == 0, "without any search");
    r = ask(pool, late, ISO_RA, "narrow=no");
    ok(r->verdict == ISOLAB_VIOLATED && r->proof != NULL, "or by search, where nothing is ruled out before");
    r = ask(pool, late, ISO_G1, NULL);
    ok(r->verdict == ISOLAB_SATISFIED && r->read_from != NULL && r->read_from[3] == 0,
       "at a level that allows it, the read is from the writer that does not depend on it");
}

/* ---- values that say little ---- */

/* What a store of level cc or ra delivers satisfies it. Two values for each of a thousand keys: an executed order
 * misses hundreds of writers, and its search does not end. (Without times one history in eight or so is not decided
 * either.) */
static void two_values(const char *what, const char *level, const char *times, uint64_t number, iso_levels levels) {
    iso_agreement a = {.what = what, .checkers = "candidates", .levels = levels, .need_certificates = true};
    iso_pool pool;
    char options[160];
    iso_pool_init(&pool, &env);
    snprintf(options, sizeof options, "mix=HD txns=10000 keys=1000 duplicates=1 values=2 level=%s times=%s seed=%llu",
             level, times, (unsigned long long)number);
    env.limits->deadline = iso_now() + (int64_t)100 * 1000000000; /* instead of for ever */
    iso_agree(&a, &env, generated(&pool, "ycsb", options), number);
    env.limits->deadline = 0;
    iso_pool_free(&pool);
    ok(!a.failed && a.verified > 0, "%s: certificates are valid", what);
    for (iso_level l = ISO_RA; l <= ISO_CC; l++) {
        bool asked = (levels & ISO_LEVEL_BIT(l)) != 0;
        ok(a.level_satisfied[l] == asked, "%s: %s, seed %llu", what, asked ? "satisfied" : "not asked",
           (unsigned long long)number);
    }
}

static void run(void *pool) {
    all_small();
    uint64_t rounds = iso_agree_rounds(150, 1500, 50000);
    iso_small_shape unique = {.txns = 6, .ops = 4, .keys = 3, .sessions = 4, .aborted = true, .indeterminate = true};
    iso_small_shape few = {.txns = 5, .ops = 3, .keys = 2, .sessions = 3, .duplicates = true};
    iso_small_shape everything = {.txns = 5,
                                  .ops = 3,
                                  .keys = 2,
                                  .sessions = 3,
                                  .duplicates = true,
                                  .aborted = true,
                                  .indeterminate = true,
                                  .times = true,
                                  .wild = true};
    iso_small_shape more = {.txns = 7, .ops = 4, .keys = 3, .sessions = 4, .duplicates = true};
    iso_small_shape open = {.txns = 7, .ops = 3, .keys = 2, .sessions = 4, .duplicates = true, .indeterminate = true};
    shaped("unique values", "brute candidates", ISO_WEAK_LEVELS, NULL, &unique, rounds);
    shaped("repeated values", "brute candidates", ISO_WEAK_LEVELS, NULL, &few, rounds);
    shaped("repeated values and everything else", "brute candidates", ISO_WEAK_LEVELS, NULL, &everything, rounds);
    shaped("more of them", "brute candidates", ORDERED, NULL, &more, rounds);
    shaped("optional transactions", "brute candidates", ORDERED, NULL, &open, rounds);
    shaped("nothing ruled out, repeated values", "brute candidates", ORDERED, "narrow=no", &more, rounds);
    shaped("nothing ruled out, everything else", "brute candidates", ORDERED, "narrow=no", &everything, rounds);

    rounds = iso_agree_rounds(30, 300, 10000);
    iso_small_shape large = {.txns = 30, .ops = 6, .keys = 5, .sessions = 5, .duplicates = true};
    iso_small_shape larger = {
        .txns = 60, .ops = 5, .keys = 20, .sessions = 30, .duplicates = true, .aborted = true, .indeterminate = true};
    iso_agreement a = shaped("larger, against sat", "sat candidates", ISO_WEAK_LEVELS, NULL, &large, rounds);
    ok(a.histories == 0 || (a.level_satisfied[ISO_RA] > 0 && a.level_violated[ISO_RA] > 0),
       "some are satisfied, some violated");
    shaped("larger, against sat, nothing ruled out", "sat candidates", ISO_WEAK_LEVELS, "narrow=no", &large,
           rounds / 3);
    shaped("many short sessions, against sat", "sat candidates", ISO_WEAK_LEVELS, NULL, &larger, rounds / 3);
    shaped("sessions aligned, everything", "brute candidates", ORDERED, "align=yes", &everything, rounds);
    shaped("sessions aligned, against sat", "sat candidates", ISO_WEAK_LEVELS, "align=yes", &large, rounds / 3);
    two_values("two values a key, without times", "ra", "no", 1, ISO_LEVEL_BIT(ISO_RA));
    two_values("two values a key, with times", "cc", "yes", seed_or(1), ISO_LEVEL_BIT(ISO_RA) | ISO_LEVEL_BIT(ISO_CC));
    parts(pool);
}

int main(void) { return run_guarded(&env, run); }
