/* All histories of up to 3 transactions, 2 operations each and 2 keys, in every split over sessions: naive
 * against brute at each of its levels, every certificate verified. The same with some transactions aborted, and
 * random larger histories with everything. ISOLAB_DEEP=1: also all of 4 transactions (without thin air, which
 * INT alone refuses). */
#include <stdlib.h>

#include "tests/agree.h"
#include "tests/guarded.h"

#define NAIVE_LEVELS                                                                                                   \
    (ISO_LEVEL_BIT(ISO_INT) | ISO_LEVEL_BIT(ISO_CI) | ISO_LEVEL_BIT(ISO_G1) | ISO_LEVEL_BIT(ISO_RC_PLUME) |            \
     ISO_LEVEL_BIT(ISO_RC) | ISO_LEVEL_BIT(ISO_RA) | ISO_LEVEL_BIT(ISO_CC))

static iso_env env;

static bool those_with_aborted(void *arg, const isolab_history *h) {
    return h->n_aborted == 0 || iso_agree(arg, &env, h, 0);
}

static void run(void *arg) {
    (void)arg;
    bool quick = getenv("ISOLAB_QUICK") != NULL;
    iso_agreement a = {.what = "all histories of up to 3 transactions",
                       .checkers = "brute naive",
                       .levels = NAIVE_LEVELS,
                       .need_certificates = true};
    iso_agree_all(&a, &env, &(iso_enumeration){.txns = 3, .ops = 2, .keys = 2, .parts = quick ? 50 : 0});
    iso_agree_report(&a);

    iso_agreement aborted = {.what = "all of them with aborted transactions",
                             .checkers = "brute naive",
                             .levels = NAIVE_LEVELS,
                             .no_certificates = true};
    iso_pool pool;
    iso_pool_init(&pool, &env);
    iso_enumerate(&pool, &(iso_enumeration){.txns = 3, .ops = 2, .keys = 2, .aborted = true, .parts = quick ? 50 : 0},
                  those_with_aborted, &aborted);
    iso_agree_report(&aborted);

    iso_small_shape shape = {.txns = 8,
                             .ops = 5,
                             .keys = 3,
                             .sessions = 4,
                             .aborted = true,
                             .indeterminate = true,
                             .times = true,
                             .wild = true};
    iso_agree_shaped((iso_agreement){.checkers = "brute naive", .levels = NAIVE_LEVELS, .need_certificates = true},
                     &env, "random histories of up to 8 transactions", iso_agree_rounds(2000, 40000, 1000000), &shape);

    if (getenv("ISOLAB_DEEP") != NULL) {
        iso_agreement deep = {.what = "all histories of up to 4 transactions",
                              .checkers = "brute naive",
                              .levels = NAIVE_LEVELS,
                              .no_certificates = true};
        iso_agree_all(
            &deep, &env,
            &(iso_enumeration){.txns = 4, .ops = 2, .keys = 2, .no_thin_air = true, .parts = iso_agree_parts(0, 0, 0)});
        iso_agree_report(&deep);
    }
}

int main(void) { return run_guarded(&env, run); }
