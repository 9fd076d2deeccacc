/* Tests generators/separate.h. The matrix of all pairs of levels: if the first level does not imply the second, a small
 * history satisfies the first and violates the second. All checkers agree, and the history is no larger than the
 * textbook's. */
#include <stdlib.h>

#include "checkers/checker.h"
#include "generators/separate.h"
#include "tests/tap.h"

static iso_env env;

/* Returns whether some checker contradicts, and counts the verdicts. */
static bool confirmed(iso_pool *pool, const isolab_history *h, iso_level a, iso_level b, unsigned *verdicts) {
    bool good = true;
    for (size_t i = 0; iso_checkers[i] != NULL; i++) {
        for (int violated = 0; violated < 2; violated++) {
            iso_result result;
            iso_result_init(&result, pool);
            iso_check(iso_checkers[i], h, &(iso_question){.level = violated ? b : a, .limit = 1}, &result);
            if (result.verdict != ISOLAB_UNKNOWN) {
                ++*verdicts;
                good = good && (result.verdict == ISOLAB_VIOLATED) == (violated == 1);
            }
        }
    }
    return good;
}

/* Known by name: the history of the pair needs no more transactions and operations than these. */
static const struct {
    iso_level satisfied, violated;
    uint32_t txns, ops;
    const char *what;
} known[] = {
    {ISO_CI, ISO_INT, 1, 1, "a value out of thin air"},
    {ISO_INT, ISO_G1, 2, 4, "two transactions that read from each other"},
    {ISO_INT, ISO_CI, 2, 3, "a key read twice"},
    {ISO_G1, ISO_RC_PLUME, 2, 4, "a read that goes back"},
    {ISO_RC_PLUME, ISO_RC, 2, 3, "a read of the same key that goes back"},
    {ISO_RC, ISO_RA, 2, 3, "half of a transaction, or a read not repeatable"},
    {ISO_RA, ISO_CC, 3, 5, "a cause that is missing"},
    {ISO_CC, ISO_PC, 4, 6, "a long fork"},
    {ISO_PC, ISO_SI, 2, 4, "a lost update"},
    {ISO_SI, ISO_SER, 2, 4, "write skew"},
    {ISO_SER, ISO_LSER, 2, 2, "a stale read"},
    {ISO_SER, ISO_SSER, 2, 2, "a stale read"},
    {ISO_LSER, ISO_SSER, 3, 4, "two writes of two keys seen in the other order"},
};

int main(void) {
    bool quick = getenv("ISOLAB_QUICK") != NULL;
    iso_env_init(&env);
    iso_pool pool;
    iso_pool_init(&pool, &env);
    iso_levels wanted[ISO_MOST_LEVELS] = {0};
    for (int a = 0; a < iso_n_levels; a++) {
        for (int b = 0; b < iso_n_levels; b++) {
            bool slow = (a == ISO_RA && (b == ISO_CC || b == ISO_PC)) || (a == ISO_CC && b == ISO_PC);
            if (!(quick && slow)) {
                wanted[a] |= ISO_LEVEL_BIT(b);
            }
        }
    }
    iso_separators found;
    iso_separate(&pool, wanted, &found);
    diag("%llu histories", (unsigned long long)found.histories);
    for (int a = 0; a < iso_n_levels; a++) {
        for (int b = 0; b < iso_n_levels; b++) {
            if ((wanted[a] & ISO_LEVEL_BIT(b)) == 0) {
                continue;
            }
            const isolab_history *h = found.h[a][b];
            const char *a_name = iso_level_get((iso_level)a)->name, *b_name = iso_level_get((iso_level)b)->name;
            if (!iso_separable((iso_level)a, (iso_level)b)) {
                ok(h == NULL, "%s implies %s: nothing between them", a_name, b_name);
                continue;
            }
            unsigned verdicts = 0;
            bool good = h != NULL && confirmed(&pool, h, (iso_level)a, (iso_level)b, &verdicts);
            ok(good && verdicts > 0, "%s without %s: %u transactions, %u operations, %u verdicts", a_name, b_name,
               h ? h->n_txns : 0, h ? h->n_ops : 0, verdicts);
        }
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const isolab_history *h = found.h[known[i].satisfied][known[i].violated];
        if (wanted[known[i].satisfied] & ISO_LEVEL_BIT(known[i].violated)) {
            ok(h != NULL && (h->n_txns < known[i].txns || (h->n_txns == known[i].txns && h->n_ops <= known[i].ops)),
               "no larger than %s", known[i].what);
        }
        unsigned verdicts = 0;
        const char *a_name = iso_level_get(known[i].satisfied)->name;
        if (known[i].satisfied == ISO_CI) {
            continue; /* no bug keeps ci alone */
        }
        h = iso_separate_randomly(&pool, known[i].satisfied, known[i].violated, 12, 1, 1000, true);
        bool good = h != NULL && confirmed(&pool, h, known[i].satisfied, known[i].violated, &verdicts);
        ok(good && verdicts > 0, "%s without %s by shrinking a random history: %u transactions, %u operations", a_name,
           iso_level_get(known[i].violated)->name, h ? h->n_txns : 0, h ? h->n_ops : 0);
        h = iso_separate_randomly(&pool, known[i].satisfied, known[i].violated, 100, 1, 1000, false);
        ok(h != NULL && h->n_txns >= 100, "and one of %u transactions", h ? h->n_txns : 0);
    }
    iso_pool_free(&pool);
    done_testing();
    return exit_status();
}
