/* candidates against brute on all small histories with repeated values, and on random ones; every verdict with a
 * certificate that is verified. */
#include <stdlib.h>

#include "formats/format.h"
#include "tests/agree.h"
#include "tests/guarded.h"

static iso_env env;

static void shaped(const char *what, const iso_small_shape *shape, uint64_t rounds) {
    iso_agree_shaped((iso_agreement){.checkers = "brute candidates", .need_certificates = true,
       .levels = ISO_WEAK_LEVELS}, &env, what, rounds, shape);

}

static void run(void *arg) {
    (void)arg;
    uint64_t rounds = iso_agree_rounds(300, 2000, 100000);
    shaped("unique values", &(iso_small_shape){.txns = 6, .ops = 4, .keys = 3, .sessions = 4}, rounds);
    shaped("duplicate values",
           &(iso_small_shape){.txns = 5, .ops = 3, .keys = 2, .sessions = 3, .duplicates = true}, rounds);
    shaped("duplicate values, larger",
           &(iso_small_shape){.txns = 7, .ops = 4, .keys = 3, .sessions = 4, .duplicates = true}, rounds);
    shaped("duplicate values and everything else",
           &(iso_small_shape){.txns = 5, .ops = 3, .keys = 2, .sessions = 3, .duplicates = true, .aborted = true,
                              .indeterminate = true, .times = true, .wild = true}, rounds);
}

int main(void) {
    return run_guarded(&env, run);
}
