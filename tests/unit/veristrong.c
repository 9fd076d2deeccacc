/* Tests checkers/veristrong/. veristrong on histories known by hand: the paper's figures 2 and 3, the named anomalies
 * with their cycles, the options, and the counters of conflicts. */
#include <stdlib.h>
#include <string.h>

#include "certificates/certificate.h"
#include "formats/format.h"
#include "tests/tap.h"
#include "verify/verify.h"

static iso_env env;
static iso_pool pool;

static isolab_history *history(const char *text) {
    iso_source source = {.pool = &pool, .path = "text", .bytes = (const unsigned char *)text, .size = strlen(text)};
    return iso_format_find("isolab")->read(&source);
}

static iso_result check(const isolab_history *h, iso_level level, const char *options) {
    iso_result result;
    iso_result_init(&result, &pool);
    iso_check(iso_checker_find("veristrong"), h,
              &(iso_question){.level = level, .certificate = true, .options = options}, &result);
    return result;
}

/* expected: the anomaly, or ISO_A_KINDS where the level is satisfied; length: of its cycle. */
static void says(const char *text, iso_level level, iso_anomaly_kind expected, unsigned length, const char *what) {
    const isolab_history *h = history(text);
    iso_result r = check(h, level, NULL);
    const char *name = iso_level_get(level)->name;
    if (expected == ISO_A_KINDS) {
        ok(r.verdict == ISOLAB_SATISFIED, "%s satisfies %s", what, name);
    } else {
        ok(r.verdict == ISOLAB_VIOLATED && r.n_anomalies == 1 && r.anomalies[0].kind == expected &&
               r.anomalies[0].n_cycle == length,
           "%s violates %s: %s of %u edges (%s, %u)", what, name, iso_anomaly_get(expected)->name, length,
           r.n_anomalies == 0 ? "-" : iso_anomaly_get((iso_anomaly_kind)r.anomalies[0].kind)->name,
           r.n_anomalies == 0 ? 0 : r.anomalies[0].n_cycle);
    }
    size_t size;
    char *certificate = iso_certificate_text(&pool, h, &(iso_question){.level = level}, &r, &size);
    ok(certificate != NULL && iso_verify(&pool, h, certificate, size) == 0, "... and its certificate is valid");
}

#define FINE ISO_A_KINDS, 0

static uint64_t counter(const iso_result *r, const char *name) {
    for (unsigned i = 0; i < r->n_counters; i++) {
        if (strcmp(r->counter[i].name, name) == 0) {
            return r->counter[i].value;
        }
    }
    return UINT64_MAX;
}

static void run(void *arg) {
    (void)arg;
    const char *figure_2a = "session\ncommit: w x 1\nsession\ncommit: w x 2, w y 1\nsession\ncommit: r x 1, r y 1\n";
    const char *figure_2b = "session\ncommit: r y 1, w x 1\nsession\ncommit: w y 1, w x 1\n"
                            "session\ncommit: r y nil, r x 1\n";
    const char *figure_3 = "session\ncommit: w x 1\nsession\ncommit: w x 1\ncommit: r x 1\n";
    says(figure_2a, ISO_SER, FINE, "figure 2a");
    says(figure_2a, ISO_SI, FINE, "figure 2a");
    says(figure_3, ISO_SER, FINE, "figure 3");
    says(figure_3, ISO_SI, FINE, "figure 3");
    ok(check(history(figure_2b), ISO_SER, NULL).verdict == ISOLAB_VIOLATED, "figure 2b violates ser");
    ok(check(history(figure_2b), ISO_SI, NULL).verdict == ISOLAB_VIOLATED, "figure 2b violates si");

    const char *skew = "session\ncommit: r x nil, r y nil, w x 1\nsession\ncommit: r x nil, r y nil, w y 1\n";
    says(skew, ISO_SI, FINE, "a write skew");
    says(skew, ISO_SER, ISO_A_WRITE_SKEW, 2, "a write skew");
    const char *lost = "session\ncommit: r x nil, w x 1\nsession\ncommit: r x nil, w x 2\n";
    says(lost, ISO_SER, ISO_A_LOST_UPDATE, 2, "a lost update");
    says(lost, ISO_SI, ISO_A_LOST_UPDATE, 2, "a lost update");
    const char *fork = "session\ncommit: w x 1\nsession\ncommit: w y 1\nsession\ncommit: r x 1, r y nil\n"
                       "session\ncommit: r x nil, r y 1\n";
    says(fork, ISO_SER, ISO_A_LONG_FORK, 4, "a long fork");
    says(fork, ISO_SI, ISO_A_LONG_FORK, 4, "a long fork");
    const char *causal = "session\ncommit: w x 1\nsession\ncommit: r x 1, w y 1\nsession\ncommit: r x nil, r y 1\n";
    says(causal, ISO_SER, ISO_A_WRITES_FOLLOW_READS, 3, "writes that do not follow reads");
    says(causal, ISO_SI, ISO_A_WRITES_FOLLOW_READS, 3, "writes that do not follow reads");
    const char *read_skew = "session\ncommit: w x 1, w y 1\nsession\ncommit: r x 1, r y nil\n";
    says(read_skew, ISO_SER, ISO_A_READ_SKEW, 2, "a read skew");
    says(read_skew, ISO_SI, ISO_A_READ_SKEW, 2, "a read skew");
    const char *flow = "session\ncommit: r y 1, w x 1\nsession\ncommit: r x 1, w y 1\n";
    says(flow, ISO_SER, ISO_A_CYCLIC_CO, 2, "circular information flow");
    says(flow, ISO_SI, ISO_A_CYCLIC_CO, 2, "circular information flow");

    check(history(figure_2a), ISO_SER, "H=2");
}

static void refused(void *arg) { check(history("session\ncommit: w x 1\n"), ISO_SER, arg); }

/* Every allocation fails once: the verdict is then unknown, never wrong, and memory is given back. */
static void starved(const char *checker) {
    const isolab_history *h = history("session\ncommit: r x nil, w x 1, w y 1\ncommit: r y 1\n"
                                      "session\ncommit: r x nil, w x 1, w y 2\nsession\ncommit: r x 1, r y nil\n"
                                      "session\ncommit: w z 1\nsession\ncommit: w z 1\ncommit: r z 1\n");
    int wrong = 0, unknown = 0, n = 0;
    bool done = false;
    for (; !done && n < 100000; n++) {
        iso_pool mine;
        iso_pool_init(&mine, &env);
        uint64_t before = atomic_load(&env.limits->used);
        iso_result r;
        iso_result_init(&r, &mine);
        atomic_store(&env.limits->fail_after, n);
        iso_check(iso_checker_find(checker), h, &(iso_question){.level = ISO_SER, .certificate = true}, &r);
        done = r.verdict != ISOLAB_UNKNOWN;
        atomic_store(&env.limits->fail_after, -1);
        unknown += !done;
        wrong += r.verdict == ISOLAB_SATISFIED;
        iso_pool_free(&mine);
        wrong += atomic_load(&env.limits->used) != before;
    }
    ok(wrong == 0 && unknown > 10, "%s without memory does not know, and gives back what it had (%d allocations)",
       checker, n);
}

static void starve(void *arg) {
    starved("veristrong");
    starved("sat");
    (void)arg;
}

int main(void) {
    plan(NO_PLAN);
    iso_env_init(&env);
    iso_pool_init(&pool, &env);
    int code = iso_guard(&env, run, NULL);
    ok(code == ISOLAB_E_USAGE, "an option out of range is a usage error: %s", env.error.message);
    char width[] = "width=five";
    ok(iso_guard(&env, refused, width) == ISOLAB_E_USAGE, "a width that is no number: %s", env.error.message);
    /* Four writers of x and four of y, read by no one in an order: nothing is pruned, everything is open. */
    const char *open = "session\ncommit: w x 1, w y 1\nsession\ncommit: w x 2, w y 2\nsession\ncommit: w x 3, w y 3\n"
                       "session\ncommit: w x 4, w y 4\n";
    {
        iso_result r = check(history(open), ISO_SER, "H=no,C=no");
        ok(r.verdict == ISOLAB_SATISFIED && counter(&r, "ww constraints") == 12 && counter(&r, "ww open") == 12 &&
               counter(&r, "cycle clauses") == 0,
           "blind writers: every constraint is open, and no cycle is encoded");
        r = check(history(open), ISO_SER, NULL);
        ok(r.verdict == ISOLAB_SATISFIED && counter(&r, "cycle clauses") >= 12 && counter(&r, "conflicts") == 0,
           "cycles of width 2 are encoded: x and y must agree");
    }
    ok(iso_guard(&env, starve, NULL) == 0, "nothing else was thrown");
    iso_pool_free(&pool);
    ok(env.limits->used == 0, "all memory is given back");
    return done_testing();
}
