/* Tests checkers/brute/. brute on histories whose levels are known by hand: the strongest levels, the anomalies, exact
 * counts. */
#include <stdlib.h>
#include <string.h>

#include "checkers/checker.h"
#include "history/builder.h"
#include "tests/tap.h"

static iso_env env;
static iso_pool pool;

/* `/` between sessions, `;` between transactions, then operations of three letters: `wx1`, `rx0` (0: nil),
 * `al1` (append), and `ll12` (list read). A transaction may begin with `abort` or `info`, and `@12` are its
 * start and end. */
static isolab_history *history(const char *text) {
    iso_builder *b = iso_builder_new(&pool);
    uint32_t session = iso_builder_session(b, iso_atom_nil()), txn = ISO_NONE;
    for (const char *at = text; *at != '\0';) {
        if (*at == ' ') {
            at++;
            continue;
        }
        if (*at == '/' || *at == ';') {
            session = *at == '/' ? iso_builder_session(b, iso_atom_nil()) : session;
            txn = ISO_NONE;
            at++;
            continue;
        }
        if (txn == ISO_NONE) {
            txn = iso_builder_txn(b, session, iso_atom_nil(), ISO_COMMITTED);
        }
        if (strncmp(at, "abort", 5) == 0) {
            iso_builder_status(b, txn, ISO_ABORTED);
            at += 5;
        } else if (strncmp(at, "info", 4) == 0) {
            iso_builder_status(b, txn, ISO_INDETERMINATE);
            at += 4;
        } else if (*at == '@') {
            iso_builder_times(b, txn, at[1] - '0', at[2] - '0');
            at += 3;
        } else {
            uint32_t key = iso_builder_key(b, iso_builder_string(b, at + 1, 1));
            iso_atom element[8];
            size_t n = 0;
            while (at[2 + n] >= '0' && at[2 + n] <= '9') {
                element[n] = at[2 + n] == '0' ? iso_atom_nil() : iso_atom_int(at[2 + n] - '0');
                n++;
            }
            if (*at == 'l') {
                iso_builder_list_read(b, txn, key, element, n);
            } else {
                iso_builder_op(b, txn, *at == 'r' ? ISO_READ : *at == 'w' ? ISO_WRITE : ISO_APPEND, key, element[0]);
            }
            at += 2 + n;
        }
    }
    return iso_builder_finish(b);
}

static iso_result check(const char *text, iso_question question) {
    iso_result result;
    iso_result_init(&result, &pool);
    iso_check(iso_checker_find("brute"), history(text), &question, &result);
    return result;
}

/* levels: exactly the levels that the history satisfies. */
static void satisfies(const char *text, const char *levels, const char *what) {
    char got[256] = "";
    for (int level = 0; level < iso_n_levels; level++) {
        iso_result result = check(text, (iso_question){.level = (iso_level)level});
        if (result.verdict == ISOLAB_SATISFIED) {
            strcat(strcat(got, *got == '\0' ? "" : " "), iso_level_get((iso_level)level)->name);
        } else {
            ok(result.n_anomalies > 0, "%s: %s says why not", what, iso_level_get((iso_level)level)->name);
        }
    }
    is(got, levels, "%s", what);
}

static void counts(const char *text, iso_level level, const char *number, const char *what) {
    is(check(text, (iso_question){.level = level, .count = true}).witnesses, number, "%s", what);
}

static void anomaly(const char *text, iso_level level, iso_anomaly_kind kind, const char *what) {
    iso_result result = check(text, (iso_question){.level = level});
    ok(result.verdict == ISOLAB_VIOLATED && result.n_anomalies == 1 && result.anomalies[0].kind == kind, "%s", what);
}

static void run(void *arg) {
    (void)arg;
    satisfies("wx1 / rx1", "int ci g1 rc-plume rc ra cc pc si ser lser sser", "no anomaly");
    satisfies("wx1 @12 / rx0 @34", "int ci g1 rc-plume rc ra cc pc si ser", "stale in real time");
    satisfies("rx0 ry0 wx1 / rx0 ry0 wy1", "int ci g1 rc-plume rc ra cc pc si", "write skew");
    satisfies("rx0 wx1 / rx0 wx2", "int ci g1 rc-plume rc ra cc pc", "lost update");
    satisfies("wx1 / wy1 / rx1 ry0 / rx0 ry1", "int ci g1 rc-plume rc ra cc", "long fork");
    satisfies("wx1 / rx1 wy1 / ry1; rx0", "int ci g1 rc-plume rc ra", "causality violation");
    satisfies("wx1 wy1 / rx0 ry1", "int ci g1 rc-plume rc", "fractured read");
    satisfies("wx1 / rx0 rx1", "int g1 rc-plume rc", "non-repeatable read");
    satisfies("wx1 / rx1 rx0", "int g1 rc-plume", "non-monotonic read of one key");
    satisfies("wx1 wy1 / ry1 rx0", "int ci g1", "non-monotonic read of two keys");
    satisfies("wx1 ry1 / rx1 wy1", "int ci", "circular information flow");
    satisfies("rx1", "ci", "thin air");

    anomaly("rx1", ISO_INT, ISO_A_THIN_AIR, "(a) thin air");
    anomaly("abort wx1 / rx1", ISO_RA, ISO_A_ABORTED_READ, "(b) aborted");
    anomaly("rx1 wx1", ISO_SER, ISO_A_FUTURE_READ, "(c) future");
    anomaly("wx1 / wx2 rx1", ISO_CC, ISO_A_NOT_MY_OWN_WRITE, "(d) not my own");
    anomaly("wx1 rx0", ISO_RC, ISO_A_NOT_MY_OWN_WRITE, "(d) the initial value after an own write");
    anomaly("wx1 wx2 rx1", ISO_SI, ISO_A_NOT_MY_LAST_WRITE, "(e) not my last");
    anomaly("wx1 wx2 / rx1", ISO_PC, ISO_A_INTERMEDIATE_READ, "(e) intermediate");
    anomaly("wx1 ry1 / rx1 wy1", ISO_G1, ISO_A_CYCLIC_CO, "a cycle of so and wr");
    anomaly("wx1 / rx0 rx1", ISO_CI, ISO_A_NON_REPEATABLE_READ, "a non-repeatable read");
    anomaly("rx0 wx1 / rx0 wx2", ISO_SER, ISO_A_NO_ORDER, "no order");

    counts("wx1 / wx2 / wx3", ISO_SER, "6", "three writers in any order");
    counts("wx1; wx2 / wx3", ISO_SER, "3", "session order halves them");
    counts("wx1 / rx1 / rx0", ISO_SER, "1", "every reader in its place");
    counts("rx0 wx1 / rx0 wx2", ISO_PC, "2", "a lost update in both orders");
    counts("rx0 wx1 / rx0 wx2", ISO_SI, "0", "and in none");
    counts("wx1 / wx1 / rx1", ISO_SER, "4", "duplicates: either writer may have been read from");
    counts("rx1 / info rx0 wx1 / abort wx1", ISO_SER, "1", "an indeterminate writer is included when it is read");
    counts("wa0/wb0/wc0/wd0/we0/wf0/wg0", ISO_RA, "5040", "7! orders");

    satisfies("wx1 / info wx1 wy1 / rx1 ry0", "int ci g1 rc-plume rc ra cc pc si ser lser sser",
              "an indeterminate writer that need not be included");
    satisfies("wx1 / wx1 wy1 / rx1 ry1", "int ci g1 rc-plume rc ra cc pc si ser lser sser",
              "the right one of two writers");
    iso_question no_sessions = {.level = ISO_SER, .no_session_order = true};
    ok(check("wx1; rx0", no_sessions).verdict == ISOLAB_SATISFIED, "a stale session without session order");
    ok(check("wx1; rx0", (iso_question){.level = ISO_SER}).verdict == ISOLAB_VIOLATED,
       "with session order, the same stale session is violated");

    /* the examples of docs/lists.md */
    satisfies("al1 / al2 / ll12 / ll2", "int ci", "incompatible order");
    satisfies("al1 / al2 / ll1 / ll12", "int ci g1 rc-plume rc ra cc pc si ser lser sser", "a list that grows");
    satisfies("ak1 al1 / ll lk1", "int ci g1 rc-plume rc", "a fractured read of lists");
    satisfies("ak1 al1 / lk1 ll", "int ci g1", "a non-monotonic read of lists");
    satisfies("ak1 ak2 / lk1", "ci", "an intermediate read of a list");
    satisfies("ak1 / lk ak2 / lk12", "int ci g1 rc-plume rc ra cc pc", "a lost update of a list");
    satisfies("ak5 / ak7 lk57", "int ci g1 rc-plume rc ra cc pc si ser lser sser", "own appends after others'");
}

int main(void) {
    plan(NO_PLAN);
    iso_env_init(&env);
    iso_pool_init(&pool, &env);
    ok(iso_guard(&env, run, NULL) == ISOLAB_OK, "nothing was thrown");
    iso_pool_free(&pool);
    return done_testing();
}
