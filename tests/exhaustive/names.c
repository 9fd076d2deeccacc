/* The names of anomalies are true (tests/names.h): by every checker at every level, on a part of all small histories
 * and on random ones, with and without certificates. */
#include <stdio.h>

#include "tests/agree.h"
#include "tests/guarded.h"
#include "tests/names.h"
#include "tests/seed.h"

static iso_env env;

static iso_agreement named(bool all, bool certificates) {
    return (iso_agreement){.no_sessions = true, .all = all, .no_certificates = !certificates, .same = iso_well_named};
}

static void random_ones(const char *what, iso_small_shape shape, uint64_t rounds) {
    for (int all = 0; all < 2; all++) {
        for (int certificates = 0; certificates < 2; certificates++) {
            char text[128];
            snprintf(text, sizeof text, "%s, %s, %s certificates", what, all ? "every anomaly" : "one anomaly",
                     certificates ? "with" : "without");
            iso_agree_shaped(named(all, certificates), &env, text, rounds, &shape);
        }
    }
}

static void run(void *arg) {
    (void)arg;
    unsigned parts = iso_agree_parts(4000, 500, 20);
    iso_agreement a = named(false, true);
    a.what = "a part of all small histories";
    iso_agree_all(
        &a, &env,
        &(iso_enumeration){
            .txns = 3, .ops = 2, .keys = 2, .aborted = true, .parts = parts, .part = (unsigned)(seed_or(1) % parts)});
    iso_agree_report(&a);
    uint64_t rounds = iso_agree_rounds(30, 150, 8000);
    iso_small_shape plain = {
        .txns = 7, .ops = 4, .keys = 3, .sessions = 4, .aborted = true, .indeterminate = true, .times = true};
    iso_small_shape few_keys = {.txns = 7, .ops = 4, .keys = 2, .sessions = 6}, duplicates = plain, lists = plain;
    duplicates.duplicates = true;
    lists.lists = true;
    iso_small_shape mini = {.txns = 8, .keys = 3, .sessions = 4, .times = true, .mini = true};
    random_ones("mini-transactions", mini, rounds);
    random_ones("random histories", plain, rounds);
    random_ones("few keys", few_keys, rounds);
    random_ones("repeated values", duplicates, rounds / 2);
    random_ones("lists", lists, rounds);
    lists.duplicates = true;
    random_ones("lists with duplicates", lists, rounds / 2);
    iso_names_report();
}

int main(void) { return run_guarded(&env, run); }
