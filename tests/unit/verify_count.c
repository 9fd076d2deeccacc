/* Tests verify/order.c. The verifier accepts as many commit orders as brute counts: all orders of small histories,
 * registers and lists, at every level. And the certificates that brute gives are valid. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "certificates/certificate.h"
#include "generators/random_small.h"
#include "tests/agree.h"
#include "tests/guarded.h"
#include "tests/seed.h"
#include "verify/verify.h"

#define MOST 6

static iso_env env;
static uint64_t n_histories, n_counts, n_accepted, n_wrong;

/* The next order by number; false after the last one. */
static bool next_order(uint32_t *a, uint32_t n) {
    uint32_t i = n;
    while (i > 1 && a[i - 2] > a[i - 1]) {
        i--;
    }
    if (i < 2) {
        return false;
    }
    uint32_t j = n, swap = a[i - 2];
    while (a[j - 1] < swap) {
        j--;
    }
    a[i - 2] = a[j - 1];
    a[j - 1] = swap;
    for (j = n; i < j; i++) {
        swap = a[i - 1];
        a[i - 1] = a[--j];
        a[j] = swap;
    }
    return true;
}

static uint64_t count_accepted(iso_pool *pool, const isolab_history *h, const iso_question *question) {
    iso_result result;
    iso_result_init(&result, pool);
    result.verdict = ISOLAB_SATISFIED;
    uint32_t order[MOST];
    for (uint32_t t = 0; t < h->n_txns; t++) {
        if (h->txn_counts[t] == ISO_INCLUDED) {
            order[result.n_order++] = t;
        }
    }
    result.order = order;
    uint64_t accepted = 0;
    do {
        size_t size;
        char *text = iso_certificate_text(pool, h, question, &result, &size);
        accepted += iso_verify(pool, h, text, size) == 0;
    } while (next_order(order, result.n_order));
    return accepted;
}

static void compare(const isolab_history *h, uint64_t seed) {
    for (int level = ISO_G1; level < iso_n_levels; level++) {
        for (int without = 0; without <= (level == ISO_SI || level == ISO_SER); without++) {
            iso_question question = {.level = level, .no_session_order = without, .count = true};
            iso_pool pool;
            iso_pool_init(&pool, &env);
            iso_result result;
            iso_result_init(&result, &pool);
            iso_check(iso_checker_find("brute"), h, &question, &result);
            uint64_t expected = result.witnesses == NULL ? 0 : strtoull(result.witnesses, NULL, 10);
            uint64_t accepted = count_accepted(&pool, h, &question);
            n_counts++;
            n_accepted += accepted;
            if (accepted != expected && n_wrong++ == 0) {
                diag("seed %" PRIu64 ", %s: brute counts %" PRIu64 " orders, the verifier accepts %" PRIu64, seed,
                     iso_level_get(level)->name, expected, accepted);
                iso_agree_print(&env, h);
            }
            iso_pool_free(&pool);
        }
    }
    n_histories++;
}

static void run(void *arg) {
    (void)arg;
    const iso_small_shape shapes[] = {
        {.txns = 4, .ops = 4, .keys = 2, .sessions = 3, .lists = true},
        {.txns = 4,
         .ops = 4,
         .keys = 3,
         .sessions = 3,
         .lists = true,
         .aborted = true,
         .indeterminate = true,
         .wild = true},
        {.txns = 5, .ops = 3, .keys = 2, .sessions = 4, .times = true},
        {.txns = 5, .ops = 3, .keys = 1, .sessions = 4, .lists = true, .times = true},
    };
    uint64_t first = seed_or(1), rounds = iso_agree_rounds(50, 500, 50000);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        for (uint64_t seed = first; seed < first + rounds; seed++) {
            iso_pool pool;
            iso_pool_init(&pool, &env);
            compare(iso_random_small(&pool, seed, &shapes[s]), seed);
            iso_pool_free(&pool);
        }
    }
    ok(n_wrong == 0,
       "as many orders as brute counts: %" PRIu64 " histories, %" PRIu64 " counts, %" PRIu64 " orders accepted",
       n_histories, n_counts, n_accepted);
    iso_agreement lists = {.checkers = "brute"};
    iso_agree_random(
        &lists, &env, first, rounds,
        &(iso_small_shape){.txns = 6, .ops = 4, .keys = 3, .sessions = 3, .lists = true, .duplicates = true});
    ok(!lists.failed && lists.verified > 0,
       "%" PRIu64 " certificates of brute for lists whose elements may repeat are valid", lists.verified);
}

int main(void) { return run_guarded(&env, run); }
