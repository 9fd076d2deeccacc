/* awdit against brute (all small histories, random ones with every feature) and against naive (larger ones). */
#include <stdio.h>
#include <stdlib.h>

#include "tests/agree.h"
#include "tests/tap.h"

#define WEAK                                                                                                 \
    (ISO_LEVEL_BIT(ISO_INT) | ISO_LEVEL_BIT(ISO_CI) | ISO_LEVEL_BIT(ISO_G1) | ISO_LEVEL_BIT(ISO_RC_PLUME) |  \
     ISO_LEVEL_BIT(ISO_RC) | ISO_LEVEL_BIT(ISO_RA) | ISO_LEVEL_BIT(ISO_CC))
#define NAIVE (WEAK & ~(ISO_LEVEL_BIT(ISO_INT) | ISO_LEVEL_BIT(ISO_G1)))

static iso_env env;

/* Plume's patterns, as naive counts all of them by their formulas: what awdit names must be among them. */
static bool same_patterns(const isolab_history *h, const iso_request *request, const iso_result *naive,
                          const iso_result *awdit, char *why, size_t size) {
    (void)h, (void)request;
    for (uint32_t i = 0; i < awdit->n_anomalies; i++) {
        uint8_t kind = awdit->anomalies[i].kind;
        if (naive->seen[kind] == 0) {
            snprintf(why, size, "awdit names %s, which naive does not find", iso_anomaly_get(kind)->name);
            return false;
        }
    }
    return true;
}

static void shaped(const char *what, const char *checkers, iso_levels levels, bool all, uint64_t rounds,
                   const iso_small_shape *shape) {
    iso_agreement a = {.checkers = checkers, .levels = levels, .need_certificates = true, .all = all};
    iso_agree_random(&a, &env, iso_agree_seed(1), rounds, shape);
    iso_agree_report(&a, what);
}

static void run(void *arg) {
    (void)arg;
    iso_agreement small = {.checkers = "brute awdit", .levels = WEAK, .need_certificates = true};
    iso_agree_all(&small, &env,
                  &(iso_enumeration){.txns = 3, .ops = 2, .keys = 2, .parts = (unsigned)iso_agree_rounds(40, 4, 1)});
    iso_agree_report(&small, "all histories of 3 transactions of 2 operations on 2 keys");

    uint64_t n = iso_agree_rounds(2000, 60000, 2500000);
    shaped("brute, random", "brute awdit", WEAK, false, n, &(iso_small_shape){.txns = 6, .ops = 5, .keys = 3, .sessions = 4});
    shaped("brute, aborted and indeterminate, wild", "brute awdit", WEAK, false, n,
           &(iso_small_shape){.txns = 6, .ops = 5, .keys = 2, .sessions = 3, .aborted = true, .indeterminate = true, .wild = true});
    shaped("brute, one session", "brute awdit", WEAK, false, n, &(iso_small_shape){.txns = 6, .ops = 5, .keys = 3, .sessions = 1});
    shaped("brute, every anomaly", "brute awdit", WEAK, true, n / 4,
           &(iso_small_shape){.txns = 6, .ops = 5, .keys = 3, .sessions = 3, .aborted = true, .wild = true});
    shaped("naive, more transactions", "naive awdit", NAIVE, false, n / 4,
           &(iso_small_shape){.txns = 24, .ops = 6, .keys = 5, .sessions = 6, .aborted = true, .indeterminate = true});
    shaped("naive, a session for each transaction", "naive awdit", NAIVE, false, n / 4,
           &(iso_small_shape){.txns = 20, .ops = 6, .keys = 4, .sessions = 40});
    iso_agreement patterns = {.checkers = "naive awdit", .levels = NAIVE, .all = true, .same = same_patterns};
    iso_agree_random(&patterns, &env, iso_agree_seed(7), n / 4,
                     &(iso_small_shape){.txns = 8, .ops = 5, .keys = 4, .sessions = 4, .aborted = true, .wild = true});
    iso_agree_report(&patterns, "naive, names of anomalies");
    shaped("naive, long transactions", "naive awdit", NAIVE, false, n / 40,
           &(iso_small_shape){.txns = 12, .ops = 300, .keys = 40, .sessions = 4});
}

int main(void) {
    plan(NO_PLAN);
    iso_env_init(&env);
    int code = iso_guard(&env, run, NULL);
    ok(code == 0, "nothing was thrown%s%s", code == 0 ? "" : ": ", code == 0 ? "" : env.error.message);
    ok(env.limits->used == 0, "all memory is given back");
    return done_testing();
}
