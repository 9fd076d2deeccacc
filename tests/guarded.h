/* main() of a test program whose tests may throw errors (base/env.h). */
#ifndef ISOLAB_TESTS_GUARDED_H
#define ISOLAB_TESTS_GUARDED_H

#include "base/env.h"
#include "tests/tap.h"

/* Initialises the environment and runs the tests with a pool of it as their argument. Nothing may be thrown,
 * and all memory must be given back. Returns the exit status of the program. */
static inline int run_guarded(iso_env *env, void (*tests)(void *)) {
    plan(NO_PLAN);
    iso_env_init(env);
    iso_pool pool;
    iso_pool_init(&pool, env);
    int code = iso_guard(env, tests, &pool);
    ok(code == ISOLAB_OK, "nothing was thrown%s%s", code == ISOLAB_OK ? "" : ": ",
       code == ISOLAB_OK ? "" : env->error.message);
    iso_pool_free(&pool);
    cmp_ok(env->limits->used, "==", 0, "all memory was given back");
    return done_testing();
}

#endif
