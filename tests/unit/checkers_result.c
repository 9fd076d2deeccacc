/* Tests checkers/result.h. Results: nothing that a checker says of its costs is dropped, and the codes of reasons have
 * names of their own. */
#include "checkers/result.h"

#include <string.h>

#include "tests/tap.h"

enum { MANY = 100 };

static void costs(iso_pool *pool) {
    static const char *const name[2] = {"even", "odd"};
    iso_result r;
    iso_result_init(&r, pool);
    for (uint64_t i = 0; i < MANY; i++) {
        iso_result_phase(&r, name[i % 2], iso_now() - (int64_t)i * 1000000000);
        iso_result_counter(&r, name[i % 2], i);
    }
    cmp_ok(r.n_phases, "==", MANY, "all phases are kept");
    cmp_ok(r.n_counters, "==", MANY, "all counters are kept");
    bool right = true;
    for (unsigned i = 0; i < r.n_phases && i < r.n_counters; i++) {
        right &= strcmp(r.phase[i].name, name[i % 2]) == 0 && r.phase[i].ns / 1000000000 >= (int64_t)i;
        right &= strcmp(r.counter[i].name, name[i % 2]) == 0 && r.counter[i].value == i;
    }
    ok(right, "each with its name and number");
}

static void reasons(iso_pool *pool) {
    bool right = true;
    for (int code = 1; code < ISO_REASONS; code++) {
        right &= iso_reason_find(iso_reason_name((iso_reason)code)) == (iso_reason)code;
    }
    ok(right, "each code is found by its name");
    ok(iso_reason_name(ISO_REASON_NONE) == NULL && iso_reason_find(NULL) == ISO_REASON_NONE, "none has none");
    cmp_ok(iso_reason_find("time limit reached"), "==", ISO_REASONS, "a sentence is no code");
    iso_result r;
    iso_result_init(&r, pool);
    char longer[2 * sizeof r.reason];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    iso_result_reason(&r, ISO_REASON_EFFORT, "%s", longer);
    cmp_ok(strlen(r.reason), "==", sizeof r.reason - 1, "a sentence that is too long is cut");
    cmp_ok(r.reason_code, "==", ISO_REASON_EFFORT, "and its code stays");
}

int main(void) {
    iso_env env;
    iso_env_init(&env);
    iso_pool pool;
    iso_pool_init(&pool, &env);
    costs(&pool);
    reasons(&pool);
    iso_pool_free(&pool);
    done_testing();
    return exit_status();
}
