/* Tests history/rest.h and checkers/further.h: what violates a level in the rest of a history violates it in the whole,
 * and each of the anomalies that are found one by one is one of the whole history, with a certificate. */
#include <string.h>

#include "base/random.h"
#include "certificates/certificate.h"
#include "checkers/further.h"
#include "generators/random_small.h"
#include "history/rest.h"
#include "tests/agree.h"
#include "tests/claims.h"
#include "tests/guarded.h"
#include "tests/seed.h"

static iso_env env;

static const iso_small_shape shapes[] = {
    {.txns = 7, .ops = 3, .keys = 2, .sessions = 3, .times = true},
    {.txns = 7, .ops = 3, .keys = 2, .sessions = 4, .aborted = true, .indeterminate = true},
    {.txns = 6, .ops = 3, .keys = 2, .sessions = 3, .lists = true, .indeterminate = true, .aborted = true},
    {.txns = 6, .ops = 3, .keys = 2, .sessions = 3, .duplicates = true, .indeterminate = true, .times = true},
    {.txns = 6, .ops = 2, .keys = 2, .sessions = 3, .duplicates = true, .negations = true},
    {.txns = 6, .ops = 3, .keys = 2, .sessions = 3, .wild = true, .duplicates = true, .lists = true},
    {.txns = 8, .ops = 4, .keys = 3, .sessions = 4, .mini = true, .times = true},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static isolab_verdict by_brute(iso_pool *pool, const isolab_history *h, iso_level level) {
    iso_result r;
    iso_result_init(&r, pool);
    iso_check(iso_checker_find("brute"), h, &(iso_question){.level = level, .limit = 1}, &r);
    return r.verdict;
}

/* Of random parts: how many rests violated a level that the whole satisfies, and how many questions could have shown
 * it. */
static void rests(void *arg) {
    uint64_t rounds = iso_agree_rounds(300, 3000, 100000), seed = seed_or(1), wrong = 0, asked = 0, cut = 0;
    iso_pool *pool = arg;
    for (uint64_t i = 0; i < rounds; i++) {
        iso_rng rng = {seed + i};
        const isolab_history *h = iso_random_small(pool, seed + i, &shapes[i % SHAPES]);
        uint8_t *no_txn = ISO_ZNEW(pool, uint8_t, h->n_txns), *no_op = ISO_ZNEW(pool, uint8_t, h->n_ops);
        for (uint32_t t = 0; t < h->n_txns; t++) {
            no_txn[t] = iso_random_below(&rng, 4) == 0;
        }
        for (uint32_t o = 0; o < h->n_ops; o++) {
            no_op[o] = iso_random_below(&rng, 6) == 0;
        }
        iso_rest rest = iso_rest_of(pool, h, no_txn, no_op);
        cut += rest.h->n_ops < h->n_ops;
        for (int l = 0; l < iso_n_levels; l++) {
            if (by_brute(pool, h, (iso_level)l) == ISOLAB_SATISFIED) {
                asked++;
                if (by_brute(pool, rest.h, (iso_level)l) == ISOLAB_VIOLATED && wrong++ == 0) {
                    diag("seed %llu at %s", (unsigned long long)(seed + i), iso_level_get((iso_level)l)->name);
                    iso_agree_print(&env, h);
                    iso_agree_print(&env, rest.h);
                }
            }
        }
        iso_pool_free(pool);
    }
    cmp_ok(wrong, "==", 0, "no rest violates what the whole satisfies, in %llu questions", (unsigned long long)asked);
    ok(asked > rounds && cut > rounds / 2, "%llu of %llu histories lost operations", (unsigned long long)cut,
       (unsigned long long)rounds);
}

typedef struct seen {
    uint64_t histories, answers, anomalies, several, certificates, refused, shared, wrong_rest, uncertified;
    uint64_t rest[5];
} seen;

/* What the answer leaves, once more: of the cycles the transactions, of other anomalies the reads. */
static isolab_verdict rest_by_brute(iso_pool *pool, const isolab_history *h, const iso_answer *a, seen *s) {
    const iso_result *r = &a->result;
    uint8_t *no_txn = ISO_ZNEW(pool, uint8_t, h->n_txns), *no_op = ISO_ZNEW(pool, uint8_t, h->n_ops);
    for (uint32_t i = 0; i < r->n_anomalies; i++) {
        const iso_anomaly *x = &r->anomalies[i];
        for (uint32_t e = x->cycle; e < x->cycle + x->n_cycle; e++) {
            uint32_t t = r->edges[e].from;
            if (t < h->n_txns) {
                s->shared += no_txn[t] != 0 && no_txn[t] != i + 1; /* a cycle may pass a transaction twice */
                no_txn[t] = (uint8_t)(i + 1);
            }
        }
        uint32_t op[2] = {x->op, x->other_op};
        for (int k = 0; k < 2 && x->n_cycle == 0; k++) {
            if (op[k] < h->n_ops && !iso_is_write(h->op_kind[op[k]])) {
                s->shared += k == 0 && no_op[op[k]];
                no_op[op[k]] = 1;
            }
        }
    }
    return by_brute(pool, iso_rest_of(pool, h, no_txn, no_op).h, a->level);
}

static void look_at(iso_pool *pool, const isolab_history *h, const iso_answer *a, const iso_question *question,
                    seen *s) {
    const iso_result *r = &a->result;
    s->answers++;
    s->anomalies += r->n_anomalies;
    s->several += r->n_anomalies > 1;
    s->rest[a->rest]++;
    for (uint32_t i = 0; i < r->n_anomalies; i++) {
        size_t size;
        char *text = iso_certificate_of(pool, h, question, r, i, &size);
        if (text == NULL) {
            s->uncertified++;
            continue;
        }
        s->certificates++;
        const char *verdict = certificate_verdict(&env, h, text, size);
        if (strcmp(verdict, "valid") != 0 && s->refused++ == 0) {
            diag("%s at %s, anomaly %u: %s\n%s", a->checker->name, iso_level_get(a->level)->name, i, verdict, text);
            iso_agree_print(&env, h);
        }
    }
    isolab_verdict left = rest_by_brute(pool, h, a, s);
    s->wrong_rest += (a->rest == ISO_REST_SATISFIED && left != ISOLAB_SATISFIED) ||
                     (a->rest == ISO_REST_VIOLATED && left != ISOLAB_VIOLATED);
}

static void one_by_one(void *arg) {
    static const char *const names[] = {"strong", "brute", "sat", "veristrong", "dbcop", "mtc", NULL};
    uint64_t rounds = iso_agree_rounds(150, 1500, 60000), seed = seed_or(1);
    iso_pool *pool = arg;
    seen s = {.histories = 0};
    char why[512];
    for (uint64_t i = 0; i < rounds; i++) {
        const isolab_history *h = iso_random_small(pool, seed + i, &shapes[i % SHAPES]);
        s.histories++;
        for (int level = ISO_PC; level < iso_n_levels; level++) {
            for (int c = -1; c < 0 || names[c] != NULL; c++) {
                iso_question question = {.level = level, .all = true, .certificate = true};
                const iso_checker *checker = c < 0 ? NULL : iso_checker_find(names[c]);
                if (c >= 0 && iso_checker_refuses(checker, h, &question, why, sizeof why) != NULL) {
                    continue;
                }
                iso_asker asker;
                iso_asker_init(&asker, pool, h, &question);
                asker.whom = c < 0 ? ISO_WHOM_AUTO : ISO_WHOM_ONE;
                asker.checker = checker;
                const iso_answer *a = iso_ask(&asker, level);
                if (a->rest != ISO_REST_UNSEARCHED) {
                    look_at(pool, h, a, &question, &s);
                }
            }
        }
        iso_pool_free(pool);
    }
    cmp_ok(s.refused, "==", 0, "every certificate is valid for the whole history: %llu of %llu anomalies",
           (unsigned long long)s.certificates, (unsigned long long)s.anomalies);
    cmp_ok(s.shared, "==", 0, "no two cycles share a transaction, and no two others a read");
    cmp_ok(s.wrong_rest, "==", 0, "what is said of the rest is right: satisfied %llu, unknown %llu, violated %llu",
           (unsigned long long)s.rest[ISO_REST_SATISFIED], (unsigned long long)s.rest[ISO_REST_UNKNOWN],
           (unsigned long long)s.rest[ISO_REST_VIOLATED]);
    ok(s.several > rounds / 10 && s.rest[ISO_REST_SATISFIED] > rounds, "%llu answers have several anomalies",
       (unsigned long long)s.several);
    diag("%llu without a certificate", (unsigned long long)s.uncertified);
}

/* A limit of anomalies, and one of memory in the middle. */
static void limits(iso_pool *pool) {
    static const char text[] = "session\ncommit: r x nil, w y 1\ncommit: r a nil, w b 1\ncommit: r c nil, w d 1\n"
                               "session\ncommit: r y nil, w x 1\ncommit: r b nil, w a 1\ncommit: r d nil, w c 1\n";
    const isolab_history *h = history_of(pool, text);
    for (uint64_t limit = 0; limit < 5; limit++) {
        iso_asker asker;
        iso_asker_init(&asker, pool, h, &(const iso_question){.level = ISO_SER, .all = true, .limit = limit});
        const iso_answer *a = iso_ask(&asker, ISO_SER);
        uint64_t most = limit == 0 || limit > 3 ? 3 : limit;
        cmp_ok(a->result.n_anomalies, "==", most, "limit %llu", (unsigned long long)limit);
        cmp_ok(a->rest, "==", limit > 0 && limit <= 3 ? ISO_REST_LIMIT : ISO_REST_SATISFIED,
               "and what is said of the rest");
        cmp_ok(a->result.seen[ISO_A_WRITE_SKEW], "==", most, "they are counted");
    }
    iso_asker asker;
    iso_asker_init(&asker, pool, h, &(const iso_question){.level = ISO_SER, .all = true});
    asker.whom = ISO_WHOM_EVERY;
    const iso_answer *all = iso_ask(&asker, ISO_SER);
    cmp_ok(all->result.n_anomalies, "==", 3, "where all checkers are asked, too");
    cmp_ok(all->rest, "==", ISO_REST_SATISFIED, "and what remains over");
}

static void tests(void *arg) {
    limits(arg);
    iso_pool pool;
    iso_pool_init(&pool, &env);
    rests(&pool);
    one_by_one(&pool);
    iso_pool_free(&pool);
}

int main(void) { return run_guarded(&env, tests); }
