/* `dbcop` against `brute` on small histories, and against `sat` and `strong` on larger ones. */
#include "tests/agree.h"
#include "tests/tap.h"

#define WEAK (ISO_LEVEL_BIT(ISO_RC) | ISO_LEVEL_BIT(ISO_RA) | ISO_LEVEL_BIT(ISO_CC))
#define STRONG (ISO_LEVEL_BIT(ISO_PC) | ISO_LEVEL_BIT(ISO_SI) | ISO_LEVEL_BIT(ISO_SER) | ISO_LEVEL_BIT(ISO_SSER))

static void compare(void *arg) {
    iso_env *env = arg;
    iso_agreement a = {.checkers = "brute dbcop", .levels = WEAK | STRONG, .no_sessions = true};
    iso_agree_all(&a, env, &(iso_enumeration){.txns = 3, .ops = 2, .keys = 2, .aborted = true, .parts = 6});
    iso_agree_report(&a, "all histories of up to 3 transactions (a sixth of them)");
    iso_agreement b = {.checkers = "brute dbcop", .levels = WEAK | STRONG, .no_sessions = true};
    iso_agree_random(&b, env, iso_agree_seed(1), iso_agree_rounds(1000, 20000, 1000000),
                     &(iso_small_shape){.txns = 6,
                                        .ops = 4,
                                        .keys = 3,
                                        .sessions = 4,
                                        .aborted = true,
                                        .indeterminate = true,
                                        .times = true});
    iso_agree_report(&b, "random small histories");
    iso_agreement c = {.checkers = "sat dbcop strong", .levels = STRONG};
    iso_agree_random(&c, env, iso_agree_seed(1), iso_agree_rounds(100, 1000, 1000000),
                     &(iso_small_shape){.txns = 14, .ops = 5, .keys = 5, .sessions = 4, .times = true});
    iso_agree_report(&c, "random histories of up to 14 transactions");
}

int main(void) {
    plan(NO_PLAN);
    iso_env env;
    iso_env_init(&env);
    ok(iso_guard(&env, compare, &env) == ISOLAB_OK, "nothing was thrown%s%s", env.error.code == 0 ? "" : ": ",
       env.error.code == 0 ? "" : env.error.message);
    return done_testing();
}
