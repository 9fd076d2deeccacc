/* Tests checkers/sat/. sat against brute at every level: all small histories, and random ones with every feature. */
#include <stdlib.h>

#include "formats/format.h"
#include "tests/agree.h"
#include "tests/guarded.h"

static iso_env env;

static void shaped(const char *what, const iso_small_shape *shape, iso_levels levels, uint64_t rounds) {
    iso_agree_shaped(
        (iso_agreement){.checkers = "brute sat", .levels = levels, .no_sessions = true, .need_certificates = true},
        &env, what, rounds, shape);
}

/* Found once: at ci, a transaction that must have appended an element of a list read was left out together with the
 * reader. */
static void found(void) {
    static const char left_out[] = "session\ncommit @7..31: rl x [2]\n"
                                   "session\nmaybe @24..: rl x [1], append x 2\n"
                                   "maybe @39..: rl x [2 2 3], rl x [], append x 1\n"
                                   "commit @42..61: append x 2\n";
    iso_agreement a = {.what = "a list read of an optional transaction, by another optional one",
                       .checkers = "brute sat",
                       .need_certificates = true};
    iso_pool pool;
    iso_pool_init(&pool, &env);
    iso_agree(&a, &env, iso_load_bytes(&pool, left_out, sizeof left_out - 1, iso_format_find("isolab")), 0);
    iso_pool_free(&pool);
    iso_agree_report(&a);
}

static void run(void *arg) {
    (void)arg;
    iso_agreement all = {.what = "all histories of 3 transactions of 2 operations on 2 keys",
                         .checkers = "brute sat",
                         .no_sessions = true,
                         .need_certificates = true};
    iso_agree_all(
        &all, &env,
        &(iso_enumeration){.txns = 3, .ops = 2, .keys = 2, .no_thin_air = true, .parts = iso_agree_parts(60, 6, 1)});
    iso_agree_report(&all);

    uint64_t rounds = iso_agree_rounds(300, 2000, 100000);
    iso_small_shape plain = {.txns = 6, .ops = 4, .keys = 3, .sessions = 4};
    iso_small_shape wild = plain;
    wild.aborted = wild.indeterminate = wild.times = wild.wild = true;
    iso_small_shape repeated = {.txns = 5, .ops = 3, .keys = 2, .sessions = 3, .duplicates = true};
    iso_small_shape everything = repeated;
    everything.aborted = everything.indeterminate = everything.times = everything.wild = true;
    iso_small_shape lists = {.txns = 5, .ops = 4, .keys = 2, .sessions = 4, .lists = true};
    iso_small_shape all_of_lists = everything;
    all_of_lists.lists = true;
    iso_small_shape torn = plain;
    torn.lists = torn.duplicates = torn.unique_elements = torn.indeterminate = torn.torn = true;
    iso_small_shape more = {.txns = 8, .ops = 3, .keys = 3, .sessions = 5};
    shaped("random", &plain, 0, rounds);
    shaped("random, aborted and indeterminate, wild", &wild, 0, rounds);
    shaped("random, repeated values", &repeated, 0, rounds);
    shaped("random, repeated values and everything else", &everything, 0, rounds);
    shaped("random, lists", &lists, 0, rounds);
    shaped("random, lists and everything else", &all_of_lists, 0, rounds);
    shaped("random, lists that are torn where their readers may not be there", &torn, 0, rounds);
    shaped("random, a few more transactions", &more,
           ISO_LEVEL_BIT(ISO_PC) | ISO_LEVEL_BIT(ISO_SI) | ISO_LEVEL_BIT(ISO_SER), rounds);
    found();
}

int main(void) { return run_guarded(&env, run); }
