/* `strong` against `brute` on small histories, and against `sat` on larger ones; every certificate is verified. */
#include "tests/agree.h"
#include "tests/tap.h"

#define STRONG (ISO_LEVEL_BIT(ISO_PC) | ISO_LEVEL_BIT(ISO_SI) | ISO_LEVEL_BIT(ISO_SER) | ISO_LEVEL_BIT(ISO_SSER))

static void small(void *arg) {
    iso_env *env = arg;
    iso_agreement a = {.checkers = "brute strong", .levels = STRONG, .no_sessions = true};
    iso_agree_all(&a, env, &(iso_enumeration){.txns = 3, .ops = 2, .keys = 2, .parts = 4});
    iso_agree_report(&a, "all histories of up to 3 transactions (a quarter of them)");
    iso_agreement b = {.checkers = "brute strong", .levels = STRONG, .no_sessions = true};
    iso_agree_random(&b, env, iso_agree_seed(1), iso_agree_rounds(2000, 40000, 2000000),
                     &(iso_small_shape){.txns = 6, .ops = 4, .keys = 3, .sessions = 4, .aborted = true, .indeterminate = true, .times = true});
    iso_agree_report(&b, "random small histories");
    iso_agreement c = {.checkers = "brute strong", .levels = STRONG, .no_sessions = true};
    iso_agree_random(&c, env, iso_agree_seed(1), iso_agree_rounds(2000, 40000, 2000000),
                     &(iso_small_shape){.txns = 5, .ops = 4, .keys = 2, .sessions = 4, .aborted = true, .duplicates = true});
    iso_agree_report(&c, "random small histories whose values repeat");
}

/* Without clocks, as for histories of very many sessions. */
static void lazily(void *arg) {
    iso_env *env = arg;
    iso_agreement a = {.checkers = "brute strong", .levels = STRONG, .no_sessions = true, .options = "clocks=no"};
    iso_agree_random(&a, env, iso_agree_seed(1), iso_agree_rounds(1000, 20000, 1000000),
                     &(iso_small_shape){.txns = 6, .ops = 4, .keys = 3, .sessions = 6, .aborted = true, .times = true});
    iso_agree_report(&a, "random small histories, without clocks");
    iso_agreement b = {.checkers = "sat strong", .levels = STRONG, .options = "clocks=no"};
    iso_agree_random(&b, env, iso_agree_seed(1), iso_agree_rounds(100, 1000, 100000),
                     &(iso_small_shape){.txns = 16, .ops = 6, .keys = 6, .sessions = 8, .times = true, .duplicates = true});
    iso_agree_report(&b, "random histories whose values repeat, without clocks");
}

static void larger(void *arg) {
    iso_env *env = arg;
    iso_agreement a = {.checkers = "sat strong", .levels = STRONG};
    iso_agree_random(&a, env, iso_agree_seed(1), iso_agree_rounds(100, 2000, 200000),
                     &(iso_small_shape){.txns = 20, .ops = 6, .keys = 6, .sessions = 5});
    iso_agree_report(&a, "random histories of up to 20 transactions");
    iso_agreement b = {.checkers = "sat strong", .levels = STRONG};
    iso_agree_random(&b, env, iso_agree_seed(1), iso_agree_rounds(100, 1000, 100000),
                     &(iso_small_shape){.txns = 16, .ops = 6, .keys = 6, .sessions = 5, .duplicates = true});
    iso_agree_report(&b, "random histories of up to 16 transactions whose values repeat");
}

int main(void) {
    plan(NO_PLAN);
    iso_env env;
    iso_env_init(&env);
    ok(iso_guard(&env, small, &env) == ISOLAB_OK && iso_guard(&env, larger, &env) == ISOLAB_OK &&
           iso_guard(&env, lazily, &env) == ISOLAB_OK, "nothing was thrown%s%s",
       env.error.code == 0 ? "" : ": ", env.error.code == 0 ? "" : env.error.message);
    return done_testing();
}
