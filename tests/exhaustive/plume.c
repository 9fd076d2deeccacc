/* plume, plume-vc and plume-dfs against naive, instance by instance: every anomaly that one reports the other
 * reports, and every pattern is counted alike, at every level and for random sets of patterns; and against brute on
 * lists. Certificates are verified. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "tests/agree.h"
#include "tests/fan.h"
#include "tests/guarded.h"
#include "tests/seed.h"

#define WEAK                                                                                                           \
    (ISO_LEVEL_BIT(ISO_INT) | ISO_LEVEL_BIT(ISO_CI) | ISO_LEVEL_BIT(ISO_G1) | ISO_LEVEL_BIT(ISO_RC_PLUME) |            \
     ISO_LEVEL_BIT(ISO_RC) | ISO_LEVEL_BIT(ISO_RA) | ISO_LEVEL_BIT(ISO_CC))

static iso_env env;

/* One anomaly as numbers that do not depend on the cycle chosen: of a triple t1, t2, t3 and the key. Its kind is the
 * pattern: a session guarantee is the name of a cycle. */
typedef struct instance {
    uint32_t kind, a, b, c, d;
} instance;

static instance of(const isolab_history *h, const iso_result *r, const iso_anomaly *a) {
    if (a->n_cycle == 0) {
        bool pair = a->kind == ISO_A_NON_REPEATABLE_READ; /* else the other one only explains */
        return (instance){a->kind, a->op, pair ? a->other_op : 0, 0, 0};
    }
    const iso_edge *e = &r->edges[a->cycle + a->n_cycle - 1];
    if (a->kind == ISO_A_CYCLIC_CO) { /* one for each component: any of its cycles will do */
        return (instance){a->kind, 0, 0, 0, 0};
    }
    return (instance){a->pattern, e->from, e->to, e->key, e->reader_op < h->n_ops ? h->op_txn[e->reader_op] : ISO_NONE};
}

static int compare(const void *x, const void *y) { return memcmp(x, y, sizeof(instance)); }

/* The first pattern that two answers count differently; ISO_A_KINDS: none. */
static int counted_differently(const iso_result *one, const iso_result *other) {
    int k = 0;
    while (k < ISO_A_KINDS &&
           (one->seen[k] == other->seen[k] || iso_anomaly_get((iso_anomaly_kind)k)->guarantee != NULL)) {
        k++;
    }
    return k;
}

static bool same(const isolab_history *h, const iso_question *question, const iso_result *one, const iso_result *other,
                 char *why, size_t size) {
    (void)question;
    int k = counted_differently(one, other);
    if (k != ISO_A_KINDS) {
        snprintf(why, size, "%s: %llu instances, and %llu", iso_anomaly_get((iso_anomaly_kind)k)->name,
                 (unsigned long long)one->seen[k], (unsigned long long)other->seen[k]);
        return false;
    }
    if (one->n_anomalies != other->n_anomalies) {
        snprintf(why, size, "%u anomalies reported, and %u", one->n_anomalies, other->n_anomalies);
        return false;
    }
    uint32_t n = one->n_anomalies;
    instance *a = calloc(n + 1, sizeof *a), *b = calloc(n + 1, sizeof *b);
    for (uint32_t i = 0; i < n; i++) {
        a[i] = of(h, one, &one->anomalies[i]);
        b[i] = of(h, other, &other->anomalies[i]);
    }
    qsort(a, n, sizeof *a, compare);
    qsort(b, n, sizeof *b, compare);
    bool equal = memcmp(a, b, n * sizeof *a) == 0;
    for (uint32_t i = 0; i < n && !equal; i++) {
        if (compare(&a[i], &b[i]) != 0) {
            snprintf(why, size, "instances differ: %s %u %u %u %u, and %s %u %u %u %u",
                     iso_anomaly_get((iso_anomaly_kind)a[i].kind)->name, a[i].a, a[i].b, a[i].c, a[i].d,
                     iso_anomaly_get((iso_anomaly_kind)b[i].kind)->name, b[i].a, b[i].b, b[i].c, b[i].d);
            break;
        }
    }
    free(a);
    free(b);
    return equal;
}

static void instances(const char *what, uint64_t rounds, const iso_small_shape *shape) {
    iso_agree_shaped(
        (iso_agreement){.checkers = "naive plume plume-vc plume-dfs", .levels = WEAK, .all = true, .same = same}, &env,
        what, rounds, shape);
}

/* The verdict, and a valid proof: one anomaly, if not all are asked for. */
static void verdicts(const char *what, uint64_t rounds, const iso_small_shape *shape, bool all) {
    iso_agree_shaped(
        (iso_agreement){
            .checkers = "brute plume plume-vc plume-dfs", .levels = WEAK, .all = all, .need_certificates = true},
        &env, what, rounds, shape);
}

/* Transactions that read one key from many writers: their edges are trees (many.c). */
static void fans(uint64_t rounds) {
    iso_agreement a = {.what = "naive, many reads of one key",
                       .checkers = "naive plume plume-dfs",
                       .levels = WEAK,
                       .all = true,
                       .same = same,
                       .need_certificates = true};
    for (uint64_t seed = seed_or(1), end = seed + rounds; seed < end && !a.failed; seed++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        iso_agree(&a, &env, fan(&pool, seed, seed % 2 == 0), seed);
        iso_pool_free(&pool);
    }
    iso_agree_report(&a);
    ok(a.level_satisfied[ISO_RC_PLUME] > 0 && a.level_violated[ISO_RC_PLUME] > 0, "both verdicts: %llu, %llu",
       (unsigned long long)a.level_satisfied[ISO_RC_PLUME], (unsigned long long)a.level_violated[ISO_RC_PLUME]);
}

/* What a taker was given. */
typedef struct given {
    const isolab_history *h;
    instance *all;
    uint32_t n, room;
} given;

static void take(void *arg, const iso_result *r) {
    given *g = arg;
    if (g->n < g->room && r->n_anomalies == 1) {
        g->all[g->n] = of(g->h, r, &r->anomalies[0]);
    }
    g->n++;
}

/* Instances that are given away when they are found are the same as are kept otherwise. */
static void taken(uint64_t rounds) {
    static const char *const checkers[] = {"plume", "naive", "awdit"};
    iso_small_shape shape = {.txns = 9, .ops = 5, .keys = 3, .sessions = 4, .aborted = true, .wild = true};
    iso_pool pool;
    iso_pool_init(&pool, &env);
    uint64_t first = seed_or(1), several = 0, asked = 0;
    bool good = true;
    for (uint64_t seed = first; seed < first + rounds && good; seed++) {
        const isolab_history *h = iso_random_small(&pool, seed, &shape);
        for (int c = 0; c < 3 && good; c++) {
            iso_result kept, result;
            given g = {.h = h};
            iso_question question = {
                .level = seed % 2 == 0 ? ISO_CC : ISO_RA, .all = true, .limit = seed % 3 == 0 ? 4 : 0};
            iso_result_init(&kept, &pool);
            iso_check(iso_checker_find(checkers[c]), h, &question, &kept);
            instance *expected = ISO_NEW(&pool, instance, (size_t)kept.n_anomalies + 1);
            g.room = kept.n_anomalies;
            g.all = ISO_NEW(&pool, instance, (size_t)g.room + 1);
            question.taker = take;
            question.taker_arg = &g;
            iso_result_init(&result, &pool);
            iso_check(iso_checker_find(checkers[c]), h, &question, &result);
            for (uint32_t i = 0; i < kept.n_anomalies; i++) {
                expected[i] = of(h, &kept, &kept.anomalies[i]);
            }
            good = result.verdict == kept.verdict && result.n_anomalies == 0 && result.taken == kept.n_anomalies &&
                   g.n == kept.n_anomalies && memcmp(expected, g.all, g.n * sizeof *expected) == 0 &&
                   memcmp(result.seen, kept.seen, sizeof kept.seen) == 0;
            several += g.n > 1;
            asked++;
            if (!good) {
                diag("%s, seed %llu: %u kept, %u given away", checkers[c], (unsigned long long)seed, kept.n_anomalies,
                     g.n);
                iso_agree_print(&env, h);
            }
        }
        iso_pool_free(&pool);
    }
    ok(good && several > 0, "what is given away is what is kept: %llu questions, several instances in %llu",
       (unsigned long long)asked, (unsigned long long)several);
}

/* Any set of patterns, and any limit. */
static void subsets(uint64_t rounds) {
    static const char *const checkers[] = {"plume", "plume-vc", "plume-dfs"};
    iso_small_shape shape = {
        .txns = 9, .ops = 5, .keys = 3, .sessions = 4, .aborted = true, .indeterminate = true, .wild = true};
    iso_pool pool;
    iso_pool_init(&pool, &env);
    uint64_t first = seed_or(1), asked = 0;
    bool good = true;
    for (uint64_t seed = first; seed < first + rounds && good; seed++) {
        iso_rng rng = {seed};
        const isolab_history *h = iso_random_small(&pool, seed, &shape);
        iso_question question = {
            .level = ISO_CC, .all = true, .patterns = 1 + (uint32_t)iso_random_below(&rng, (1u << 14) - 1)};
        iso_result one, other, limited;
        iso_result_init(&one, &pool);
        iso_check(iso_checker_find("naive"), h, &question, &one);
        char why[512] = "";
        for (int c = 0; c < 3 && good; c++) {
            const iso_checker *checker = iso_checker_find(checkers[c]);
            iso_result_init(&other, &pool);
            iso_check(checker, h, &question, &other);
            good = one.verdict == other.verdict && same(h, &question, &one, &other, why, sizeof why);
            question.limit = 2;
            iso_result_init(&limited, &pool);
            iso_check(checker, h, &question, &limited);
            question.limit = 0;
            good = good && limited.n_anomalies == (one.n_anomalies < 2 ? one.n_anomalies : 2) &&
                   counted_differently(&limited, &one) == ISO_A_KINDS;
            question.all = false;
            iso_result_init(&limited, &pool);
            iso_check(checker, h, &question, &limited);
            question.all = true;
            good = good && limited.verdict == one.verdict && limited.n_anomalies == (one.n_anomalies > 0);
            asked++;
            if (!good) {
                diag("%s, patterns %x, seed %llu: %s", checkers[c], question.patterns, (unsigned long long)seed, why);
                iso_agree_print(&env, h);
            }
        }
        iso_pool_free(&pool);
    }
    ok(good && asked > 0, "any set of patterns: the same instances, counts and limits");
}

static void run(void *arg) {
    (void)arg;
    iso_agreement all = {.what = "small histories, every instance",
                         .checkers = "naive plume plume-vc plume-dfs",
                         .levels = WEAK,
                         .all = true,
                         .same = same};
    iso_agree_all(
        &all, &env,
        &(iso_enumeration){.txns = 3, .ops = 2, .keys = 2, .aborted = true, .parts = iso_agree_parts(200, 12, 1)});
    iso_agree_report(&all);

    uint64_t n = iso_agree_rounds(1000, 15000, 500000);
    instances("every instance", n, &(iso_small_shape){.txns = 8, .ops = 5, .keys = 3, .sessions = 4});
    instances("every instance, everything in them", n,
              &(iso_small_shape){
                  .txns = 9, .ops = 5, .keys = 3, .sessions = 5, .aborted = true, .indeterminate = true, .wild = true});
    instances("every instance, one session", n / 2,
              &(iso_small_shape){.txns = 7, .ops = 5, .keys = 2, .sessions = 1, .wild = true});
    instances("every instance, more transactions", n / 8,
              &(iso_small_shape){.txns = 40, .ops = 4, .keys = 6, .sessions = 7, .wild = true});
    instances("every instance, long transactions", n / 50,
              &(iso_small_shape){.txns = 12, .ops = 60, .keys = 12, .sessions = 4});
    instances("every instance, transactions that write many keys",
              n / 50, /* searched by halves: checkers/plume/view.c */
              &(iso_small_shape){.txns = 8, .ops = 80, .keys = 30, .sessions = 4});
    fans(n / 20);
    subsets(n / 4);
    taken(n / 4);
    verdicts("verdicts", n / 2, &(iso_small_shape){.txns = 7, .ops = 5, .keys = 3, .sessions = 4, .aborted = true},
             false);
    for (int each = 0; each < 2; each++) {
        verdicts(
            each ? "verdicts on lists, all anomalies" : "verdicts on lists", n / 2,
            &(iso_small_shape){
                .txns = 6, .ops = 4, .keys = 2, .sessions = 3, .aborted = true, .indeterminate = true, .lists = true},
            each);
        verdicts(each ? "verdicts on wild lists, all anomalies" : "verdicts on wild lists", n / 2,
                 &(iso_small_shape){.txns = 6, .ops = 4, .keys = 2, .sessions = 3, .lists = true, .wild = true}, each);
    }
}

int main(void) { return run_guarded(&env, run); }
