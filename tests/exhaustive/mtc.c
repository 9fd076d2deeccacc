/* `mtc` against brute, sat and strong on histories of mini-transactions: all small ones, with all interleavings of
 * their starts and ends, and random ones with everything that a history can have. Every verdict needs a certificate. */
#include <stdlib.h>

#include "tests/agree.h"
#include "tests/guarded.h"
#include "tests/instants.h"
#include "tests/seed.h"

#define LEVELS (ISO_LEVEL_BIT(ISO_SI) | ISO_LEVEL_BIT(ISO_SER))
#define REAL_TIME ISO_TIMED_LEVELS

static iso_env env;

static bool agree(void *a, const isolab_history *h) { return iso_agree(a, &env, h, 0); }

static void timed(unsigned txns, unsigned quick, unsigned normal, unsigned deep, const char *what) {
    iso_agreement a = {
        .what = what, .checkers = "brute mtc sat strong", .levels = REAL_TIME, .need_certificates = true};
    unsigned parts = iso_agree_parts(quick, normal, deep);
    iso_enumeration all = {.txns = txns,
                           .exactly = true,
                           .keys = 2,
                           .mini = true,
                           .no_thin_air = true,
                           .parts = parts,
                           .part = parts == 0 ? 0 : (unsigned)(seed_or(1) % parts)};
    if (selected(what)) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        iso_enumerate(&pool, &all, each_interleaving, &(instants){.each = agree, .arg = &a});
        iso_pool_free(&pool);
    }
    iso_agree_report(&a);
}

static void plain(unsigned txns, unsigned quick, unsigned normal, unsigned deep, const char *what) {
    iso_agreement a = {.what = what,
                       .checkers = "brute mtc sat strong",
                       .levels = LEVELS,
                       .no_sessions = true,
                       .need_certificates = true};
    unsigned parts = iso_agree_parts(quick, normal, deep);
    iso_enumeration all = {.txns = txns,
                           .keys = 2,
                           .mini = true,
                           .no_thin_air = txns > 2,
                           .exactly = txns > 3,
                           .parts = parts,
                           .part = parts == 0 ? 0 : (unsigned)(seed_or(1) % parts)};
    iso_agree_all(&a, &env, &all);
    iso_agree_report(&a);
}

static void random_ones(const char *what, const char *checkers, iso_small_shape shape, uint64_t quick, uint64_t normal,
                        uint64_t deep) {
    shape.mini = true;
    iso_agreement a = {
        .checkers = checkers, .levels = LEVELS | REAL_TIME, .no_sessions = true, .need_certificates = true};
    a = iso_agree_shaped(a, &env, what, iso_agree_rounds(quick, normal, deep), &shape);
}

static void run(void *arg) {
    (void)arg;
    plain(2, 1, 1, 1, "all histories of up to 2 mini-transactions");
    plain(3, 50, 10, 1, "histories of up to 3 mini-transactions");
    plain(4, 4000, 1000, 1, "histories of 4 mini-transactions");
    timed(2, 1, 1, 1, "all of 2 in all interleavings");
    timed(3, 400, 100, 1, "histories of 3 in all interleavings");

    iso_small_shape small = {.txns = 7, .keys = 3, .sessions = 3, .times = true};
    random_ones("random histories", "brute mtc sat strong", small, 200, 2000, 400000);
    small.aborted = small.indeterminate = true;
    random_ones("with transactions that are not committed", "brute mtc sat strong", small, 200, 2000, 400000);
    small.wild = true;
    random_ones("wild ones", "brute mtc strong", small, 200, 2000, 200000);
    iso_small_shape large = {.txns = 60, .keys = 8, .sessions = 6, .times = true};
    random_ones("larger ones", "strong mtc sat", large, 50, 500, 50000);
    large.sessions = 60;
    random_ones("larger ones of many sessions", "strong mtc", large, 50, 500, 50000);
}

int main(void) { return run_guarded(&env, run); }
