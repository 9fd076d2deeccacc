/* Tests certificates/certificate.h: a limit never makes a false certificate or explanation. Every checker at every
 * level answers small histories, many of them with repeated values, and is stopped at one point after another: when its
 * allocation number n fails, or at its n-th tick. Whatever certificate is given then, isolab-verify accepts; and a
 * cycle that is told without `if` is an argument that isolab-verify accepts, too. */
#include <stdio.h>
#include <string.h>

#include "certificates/certificate.h"
#include "explain/story.h"
#include "tests/agree.h"
#include "tests/guarded.h"
#include "tests/seed.h"
#include "verify/verify.h"

static iso_env env;

typedef struct attempt {
    const isolab_history *h;
    const iso_checker *checker;
    iso_question question;
    iso_result *r;
} attempt;

static void ask(void *arg) {
    attempt *x = arg;
    iso_check(x->checker, x->h, &x->question, x->r);
}

typedef struct tally {
    uint64_t stopped, violated, given, kept_back, wrong;
} tally;

static void note_if(void *arg, const iso_word_step *step) {
    bool *any = arg;
    *any |= step->standing != ISO_STANDS;
}

/* Returns what is wrong with the answer; NULL: nothing. */
static const char *wrong_with(iso_pool *pool, const attempt *x, tally *t) {
    const iso_result *r = x->r;
    size_t size;
    char *text = iso_certificate_text(pool, x->h, &x->question, r, &size);
    t->violated += r->verdict == ISOLAB_VIOLATED && r->reason[0] != '\0';
    if (text != NULL && iso_verify(pool, x->h, text, size) != 0) {
        return pool->env->error.message;
    }
    t->given += text != NULL;
    t->kept_back += text == NULL && r->verdict == ISOLAB_VIOLATED;
    for (uint32_t i = 0; i < r->n_anomalies; i++) {
        bool any = false;
        iso_each_step(x->h, r, &r->anomalies[i], note_if, &any);
        text = any || r->anomalies[i].n_cycle == 0 ? NULL : iso_certificate_of(pool, x->h, &x->question, r, i, &size);
        if (text != NULL && iso_verify(pool, x->h, text, size) != 0) {
            return pool->env->error.message;
        }
    }
    return NULL;
}

/* Asks once, and is stopped. ticks: at the n-th tick; else the n-th allocation fails. Returns whether it was. */
static bool ask_stopped(attempt *x, bool ticks, uint32_t n, uint64_t seed, tally *t) {
    iso_pool pool;
    iso_result r;
    iso_pool_init(&pool, &env);
    iso_result_init(&r, &pool);
    x->r = &r;
    env.limits->fail_after = ticks ? -1 : (int64_t)n;
    env.limits->deadline = ticks ? 1 : 0; /* long ago, but the clock is read only when the countdown ends */
    env.countdown = ticks ? n : 0;
    int code = iso_guard(&env, ask, x);
    env.limits->fail_after = -1;
    env.limits->deadline = 0;
    bool stopped = code != ISOLAB_OK || r.reason_code == ISO_REASON_TIME || r.reason_code == ISO_REASON_MEMORY;
    const char *why = code == ISOLAB_OK ? wrong_with(&pool, x, t) : NULL;
    t->stopped += stopped;
    if (why != NULL && t->wrong++ < 3) {
        diag("seed %llu, %s by %s, %s %u: %s", (unsigned long long)seed, iso_level_get(x->question.level)->name,
             x->checker->name, ticks ? "tick" : "allocation", n, why);
        iso_agree_print(&env, x->h);
    }
    iso_pool_free(&pool);
    return stopped;
}

/* Returns whether the answer needs a clausal proof when nothing stops it. */
static bool needs_proof(attempt *x) {
    iso_pool pool;
    iso_result r;
    iso_pool_init(&pool, &env);
    iso_result_init(&r, &pool);
    x->r = &r;
    env.limits->deadline = 0;
    ask(x);
    bool proof = r.proof != NULL;
    iso_pool_free(&pool);
    return proof;
}

static void stop_everywhere(attempt *x, uint64_t seed, tally *t) {
    enum { MOST = 4000 };
    uint32_t fine = (uint32_t)iso_agree_rounds(40, 150, 1000); /* every one, and then steps of a sixteenth */
    for (int ticks = 0; ticks < 2; ticks++) {
        for (uint32_t n = 0; n < MOST; n += n < fine ? 1 : 1 + n / 16) {
            if (!ask_stopped(x, ticks == 1, n, seed, t)) {
                break;
            }
        }
    }
}

/* proofs: only of answers that need a clausal proof. fixed: the only seed; 0 = rounds seeds, others in each run. */
static void limits(const char *what, const iso_small_shape *shape, uint64_t rounds, bool proofs, uint64_t fixed) {
    tally t = {0};
    char why[512];
    uint64_t first = fixed != 0 ? fixed : seed_of_run() % 1000000;
    if (!selected(what)) {
        return;
    }
    for (uint64_t seed = first; seed < first + rounds && t.wrong == 0; seed++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        attempt x = {.h = iso_random_small(&pool, seed, shape)};
        for (size_t c = 0; iso_checkers[c] != NULL; c++) {
            for (int l = 0; l < iso_n_levels; l++) {
                x.checker = iso_checkers[c];
                x.question = (iso_question){.level = l, .certificate = true, .threads = 1};
                bool endless = (x.checker->can & ISO_CAN_ONLY_SATISFY) != 0 || /* and gives no proof of a violation */
                               (strcmp(x.checker->name, "brute") == 0 && x.h->n_txns > 6);
                bool fits = !endless && iso_checker_refuses(x.checker, x.h, &x.question, why, sizeof why) == NULL;
                if (fits && (!proofs || needs_proof(&x))) {
                    stop_everywhere(&x, seed, &t);
                }
            }
        }
        iso_pool_free(&pool);
    }
    ok(t.wrong == 0 && t.violated > 0 && t.given > 0,
       "%s: stopped %llu times, %llu of them after a violation; %llu certificates are valid, %llu were kept back", what,
       (unsigned long long)t.stopped, (unsigned long long)t.violated, (unsigned long long)t.given,
       (unsigned long long)t.kept_back);
    diag("seed %llu", (unsigned long long)first);
}

static void run(void *arg) {
    (void)arg;
    uint64_t rounds = iso_agree_rounds(3, 8, 3000);
    iso_small_shape shape = {.txns = 12, .ops = 3, .keys = 3, .sessions = 5, .duplicates = true};
    limits("a violation of ser that veristrong finds before it has a proof", &shape, 1, true, 13);
    limits("repeated values, clausal proofs", &shape, 10 * rounds, true, 0);
    shape.negations = shape.indeterminate = true;
    limits("repeated values, negations, indeterminate, clausal proofs", &shape, 5 * rounds, true, 0);
    limits("repeated values, negations, indeterminate", &shape, 10 * rounds, false, 0);
    limits("unique values", &(const iso_small_shape){.txns = 8, .ops = 3, .keys = 3, .sessions = 4, .times = true},
           20 * rounds, false, 0);
    limits("lists", &(const iso_small_shape){.txns = 8, .ops = 3, .keys = 2, .sessions = 4, .lists = true}, 5 * rounds,
           false, 0);
}

int main(void) { return run_guarded(&env, run); }
