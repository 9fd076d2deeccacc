/* Tests checkers/dbcop/. `dbcop` against `brute` on small histories, and against `sat` and `strong` on larger ones. */
#include "tests/agree.h"
#include "tests/guarded.h"

#define WEAK (ISO_LEVEL_BIT(ISO_RC) | ISO_LEVEL_BIT(ISO_RA) | ISO_LEVEL_BIT(ISO_CC))
#define STRONG (ISO_LEVEL_BIT(ISO_PC) | ISO_LEVEL_BIT(ISO_SI) | ISO_LEVEL_BIT(ISO_SER) | ISO_LEVEL_BIT(ISO_SSER))

static iso_env env;

static void run(void *arg) {
    (void)arg;
    iso_agreement small = {.checkers = "brute dbcop", .levels = WEAK | STRONG, .no_sessions = true}, all = small;
    all.what = "all histories of up to 3 transactions (a sixth of them)";
    iso_agree_all(&all, &env, &(iso_enumeration){.txns = 3, .ops = 2, .keys = 2, .aborted = true, .parts = 6});
    iso_agree_report(&all);
    iso_agree_shaped(
        small, &env, "random small histories", iso_agree_rounds(1000, 20000, 1000000),
        &(iso_small_shape){
            .txns = 6, .ops = 4, .keys = 3, .sessions = 4, .aborted = true, .indeterminate = true, .times = true});
    iso_agree_shaped((iso_agreement){.checkers = "sat dbcop strong", .levels = STRONG}, &env,
                     "random histories of up to 14 transactions", iso_agree_rounds(100, 1000, 1000000),
                     &(iso_small_shape){.txns = 14, .ops = 5, .keys = 5, .sessions = 4, .times = true});
}

int main(void) { return run_guarded(&env, run); }
