/* Tests checkers/. Limits in the middle of a check: anomalies that were found before a limit stay in the result. Every
 * checker looks for all anomalies of histories that have many, and its allocations fail one after the other. */
#include <stdlib.h>
#include <string.h>

#include "checkers/checker.h"
#include "formats/format.h"
#include "tests/tap.h"

/* Offences of read consistency, fractured reads, a lost update, a causal cycle, a write skew. */
static const char history[] = "session A\n"
                              "t1 commit: w x 1, w y 1\n"
                              "t2 commit: r p 2, w q 1\n"
                              "t3 commit: r c 0, w c 1\n"
                              "t4 commit: r m 0, w n 7\n"
                              "session B\n"
                              "t5 commit: r x 1, r y nil\n"
                              "t6 commit: r q 1, w p 2\n"
                              "t7 commit: r c 0, w c 2\n"
                              "t8 commit: r n 0, w m 7\n"
                              "session C\n"
                              "t9 commit: w c 0, w m 0, w n 0\n"
                              "t10 commit: r y 1, r x nil\n";
static const char offences[] = "session A\n"
                               "t1 commit: w x 1, w x 2, r x 1, r z 9\n"
                               "t2 abort: w y 5\n"
                               "session B\n"
                               "t3 commit: r x 1, r y 5\n";

typedef struct limited_check {
    iso_env env;
    iso_pool pool;
    const char *bytes;
    isolab_history *h;
    const iso_checker *checker;
    iso_question question;
    iso_result result;
} limited_check;

static void load(void *arg) {
    limited_check *x = arg;
    x->h = iso_load_bytes(&x->pool, x->bytes, strlen(x->bytes), NULL);
}

static void ask(void *arg) {
    limited_check *x = arg;
    iso_check(x->checker, x->h, &x->question, &x->result);
}

/* With the allocation number n failing (-1: none). Returns how many anomalies were found. */
static uint32_t ask_once(limited_check *x, iso_pool *pool, int64_t n, isolab_verdict *verdict) {
    iso_pool_init(pool, &x->env);
    iso_result_init(&x->result, pool);
    x->env.limits->fail_after = n;
    int code = iso_guard(&x->env, ask, x);
    x->env.limits->fail_after = -1;
    *verdict = code == ISOLAB_OK ? x->result.verdict : (isolab_verdict)code;
    uint32_t found = x->result.n_anomalies;
    bool limited = x->result.reason[0] != '\0';
    iso_pool_free(pool);
    return limited || n < 0 ? found : UINT32_MAX;
}

static void cut(limited_check *x, unsigned *violated, unsigned *wrong) {
    iso_pool pool;
    isolab_verdict whole, verdict;
    uint32_t all = ask_once(x, &pool, -1, &whole);
    for (int64_t n = 0; n < 3000; n++) {
        uint32_t found = ask_once(x, &pool, n, &verdict);
        if (found == UINT32_MAX) { /* it had enough */
            *wrong += verdict != whole;
            return;
        }
        bool right = verdict == ISOLAB_UNKNOWN    ? found == 0
                     : verdict == ISOLAB_VIOLATED ? whole == ISOLAB_VIOLATED && found <= all
                                                  : false;
        *violated += verdict == ISOLAB_VIOLATED && found > 0;
        *wrong += !right;
        if (!right) {
            diag("%s at %s, allocation %lld: verdict %d with %u of %u anomalies", x->checker->name,
                 iso_level_get(x->question.level)->name, (long long)n, (int)verdict, found, all);
        }
    }
}

static void each_checker(const char *name, const char *bytes) {
    limited_check x = {.bytes = bytes};
    iso_env_init(&x.env);
    iso_pool_init(&x.pool, &x.env);
    if (iso_guard(&x.env, load, &x) != ISOLAB_OK) {
        bail_out("%s", x.env.error.message);
    }
    unsigned violated = 0, wrong = 0;
    for (size_t c = 0; iso_checkers[c] != NULL; c++) {
        for (int l = 0; l < iso_n_levels; l++) {
            x.checker = iso_checkers[c];
            x.question = (iso_question){.level = (iso_level)l, .all = true, .certificate = true, .threads = 1};
            if (iso_checker_takes(x.checker, l)) {
                cut(&x, &violated, &wrong);
            }
        }
    }
    cmp_ok(wrong, "==", 0, "%s: what a limit cuts off is unknown, or violated with what was found", name);
    cmp_ok(violated, ">", 10, "%s: which happened %u times", name, violated);
    iso_pool_free(&x.pool);
}

int main(void) {
    plan(NO_PLAN);
    each_checker("cycles", history);
    each_checker("offending reads", offences);
    return done_testing();
}
