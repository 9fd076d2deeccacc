/* Tests checkers/veristrong/. veristrong and its ablations against brute and sat. */
#include <stdlib.h>

#include "tests/agree.h"
#include "tests/guarded.h"

static iso_env env;

#define STRONG (ISO_LEVEL_BIT(ISO_SER) | ISO_LEVEL_BIT(ISO_SI))

static void shaped(const char *what, const char *checkers, const char *options, const iso_small_shape *shape,
                   uint64_t rounds) {
    iso_agree_shaped(
        (iso_agreement){
            .checkers = checkers, .levels = STRONG, .no_sessions = true, .options = options, .need_certificates = true},
        &env, what, rounds, shape);
}

static void run(void *arg) {
    (void)arg;
    iso_agreement all = {.what = "all histories of 3 transactions of 3 operations on 2 keys",
                         .checkers = "brute veristrong",
                         .levels = STRONG,
                         .no_sessions = true};
    iso_agree_all(&all, &env,
                  &(iso_enumeration){
                      .txns = 3, .ops = 3, .keys = 2, .no_thin_air = true, .parts = iso_agree_parts(2000, 500, 8)});
    iso_agree_report(&all);

    uint64_t rounds = iso_agree_rounds(300, 2000, 100000);
    static const char *const variants[] = {
        "H=no", "C=no", "P=no", "H=no,C=no,P=no", "P=no,width=3", "width=4", "solver=cadical,P=no,C=no"};
    iso_small_shape unique = {.txns = 8, .ops = 4, .keys = 3, .sessions = 5};
    iso_small_shape duplicates = {.txns = 7, .ops = 4, .keys = 2, .sessions = 4, .duplicates = true};
    iso_small_shape everything = {.txns = 6,
                                  .ops = 3,
                                  .keys = 2,
                                  .sessions = 4,
                                  .duplicates = true,
                                  .aborted = true,
                                  .indeterminate = true,
                                  .wild = true};
    shaped("random, unique values", "brute veristrong", NULL, &unique, rounds);
    shaped("random, repeated values", "brute veristrong", NULL, &duplicates, rounds);
    shaped("random, everything", "brute veristrong", NULL, &everything, rounds);
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        shaped(variants[i], "brute veristrong", variants[i], &unique, rounds / 4);
        shaped(variants[i], "brute veristrong", variants[i], &duplicates, rounds / 4);
        shaped(variants[i], "brute veristrong", variants[i], &everything, rounds / 4);
    }
    iso_small_shape larger = {.txns = 24, .ops = 5, .keys = 4, .sessions = 6};
    rounds = iso_agree_rounds(300, 2000, 500000);
    shaped("larger, unique values", "sat veristrong", NULL, &larger, rounds);
    larger.duplicates = true;
    shaped("larger, repeated values", "sat veristrong", NULL, &larger, rounds);
}

int main(void) { return run_guarded(&env, run); }
