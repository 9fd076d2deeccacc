/* Tests checkers/polygraph/. The baselines against brute and sat: every manner at its level. */
#include <stdlib.h>

#include "tests/agree.h"
#include "tests/guarded.h"

static iso_env env;

static const struct {
    const char *options;
    iso_levels levels;
} baselines[] = {{"like=tcc-mono", ISO_LEVEL_BIT(ISO_CC)},
                 {"like=cobra", ISO_LEVEL_BIT(ISO_SER)},
                 {"like=polysi", ISO_LEVEL_BIT(ISO_SI)},
                 {"like=viper", ISO_LEVEL_BIT(ISO_SI)}};

static void run(void *arg) {
    (void)arg;
    uint64_t rounds = iso_agree_rounds(300, 2000, 100000);
    iso_small_shape few = {.txns = 8, .ops = 4, .keys = 2, .sessions = 5};
    iso_small_shape odd = {
        .txns = 6, .ops = 4, .keys = 2, .sessions = 3, .aborted = true, .indeterminate = true, .wild = true};
    iso_small_shape larger = {.txns = 20, .ops = 4, .keys = 3, .sessions = 6};
    for (size_t i = 0; i < sizeof baselines / sizeof *baselines; i++) {
        iso_agreement all = {.what = "all histories of 3 transactions of 3 operations on 2 keys",
                             .checkers = "brute polygraph",
                             .levels = baselines[i].levels,
                             .options = baselines[i].options};
        iso_agree_all(&all, &env,
                      &(iso_enumeration){
                          .txns = 3, .ops = 3, .keys = 2, .no_thin_air = true, .parts = iso_agree_parts(2000, 500, 8)});
        iso_agree_report(&all);
        iso_agreement shaped = {
            .checkers = "brute polygraph", .levels = baselines[i].levels, .options = baselines[i].options};
        iso_agree_shaped(shaped, &env, "random", rounds, &few);
        iso_agree_shaped(shaped, &env, "random, everything", rounds, &odd);
        shaped.checkers = "sat polygraph";
        iso_agree_shaped(shaped, &env, "larger", rounds, &larger);
    }
}

int main(void) { return run_guarded(&env, run); }
