/* Tests history/copy.h: a copy has everything of its original, also what equality ignores: places in the input, the
 * unit of times, notes, and what the history says about itself. */
#include <string.h>

#include "generators/random_small.h"
#include "history/about.h"
#include "history/copy.h"
#include "tests/agree.h"
#include "tests/equal.h"
#include "tests/guarded.h"
#include "tests/seed.h"

static iso_env env;

/* A random history, as it is or with lines, indices, notes, a unit and a line about it. */
static const isolab_history *make(iso_pool *pool, uint64_t seed) {
    iso_small_shape shape = {.txns = 6,
                             .ops = 4,
                             .keys = 3,
                             .sessions = 3,
                             .aborted = true,
                             .indeterminate = true,
                             .times = seed % 2 == 0,
                             .lists = seed % 3 == 0,
                             .negations = seed % 3 == 1};
    const isolab_history *h = iso_random_small(pool, seed, &shape);
    iso_builder *b = iso_builder_new(pool);
    iso_copy_names(b, h);
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        uint32_t session = iso_builder_session(b, h->session_name[s]);
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
            uint32_t to = iso_builder_txn(b, session, iso_txn_name(h, t), (iso_status)h->txn_status[t]);
            if (h->txn_start != NULL) {
                iso_builder_times(b, to, h->txn_start[t], h->txn_end[t]);
            }
            iso_builder_place(b, to, seed % 5 < 2 ? 10 + t : ISO_NONE, seed % 5 % 2 == 1 ? 20 + (int64_t)t : -1);
            for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
                iso_copy_op(pool, b, to, h, o, o);
            }
        }
    }
    iso_builder_time_unit(b, seed % 2 == 0 ? ISO_TIME_INDEX : ISO_TIME_NS);
    if (seed % 4 == 0) {
        iso_builder_about(b, "a 1; b 2", 8);
        iso_builder_note(b, iso_builder_string(b, "a server died", 13), 3, ISO_NO_TIME);
        iso_builder_note(b, iso_builder_string(b, "and came back", 13), 4, 5);
    }
    return iso_builder_finish(b);
}

static bool same_column(const uint32_t *a, const uint32_t *b, uint32_t n) {
    return (a == NULL) == (b == NULL) && (a == NULL || n == 0 || memcmp(a, b, n * sizeof *a) == 0);
}

/* A history has the places that it was given. */
static bool has_places(const isolab_history *h, uint64_t seed) {
    bool right = true;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        right = right && (h->txn_line == NULL ? ISO_NONE : h->txn_line[t]) == (seed % 5 < 2 ? 10 + t : ISO_NONE);
        right = right && (h->txn_index == NULL ? ISO_NONE : h->txn_index[t]) == (seed % 5 % 2 == 1 ? 20 + t : ISO_NONE);
    }
    return right;
}

static bool same(const isolab_history *a, const isolab_history *b) {
    bool equal = iso_history_equal(a, b, NULL, 0) && same_column(a->txn_line, b->txn_line, a->n_txns) &&
                 same_column(a->txn_index, b->txn_index, a->n_txns) && a->n_notes == b->n_notes &&
                 (a->about == NULL) == (b->about == NULL) && (a->about == NULL || strcmp(a->about, b->about) == 0) &&
                 (a->txn_start == NULL || a->time_unit == b->time_unit);
    for (uint32_t i = 0; equal && i < a->n_notes; i++) {
        equal = a->notes[i].start == b->notes[i].start && a->notes[i].end == b->notes[i].end &&
                strcmp(iso_string(a, a->notes[i].text.bits, NULL), iso_string(b, b->notes[i].text.bits, NULL)) == 0;
    }
    return equal;
}

/* A copy without negations has all operations except them. */
static bool is_without_negations(const isolab_history *a, const isolab_history *b) {
    uint32_t n = 0;
    bool right = b->version_not == NULL && a->n_txns == b->n_txns;
    for (uint32_t o = 0; right && o < a->n_ops; o++) {
        if (!iso_op_is_negation(a, o)) {
            right = n < b->n_ops && a->op_kind[o] == b->op_kind[n] && a->op_txn[o] == b->op_txn[n];
            n++;
        }
    }
    return right && n == b->n_ops;
}

static void tests(void *pool) {
    (void)pool;
    uint64_t rounds = iso_agree_rounds(300, 2000, 100000), first = seed_or(1), wrong = 0, wrong_less = 0, lines = 0;
    for (uint64_t seed = first; seed < first + rounds; seed++) {
        iso_pool p;
        iso_pool_init(&p, &env);
        const isolab_history *h = make(&p, seed);
        wrong += !has_places(h, seed) || !same(h, iso_copy(&p, h));
        wrong_less += !is_without_negations(h, iso_copy_without_negations(&p, h));
        lines += h->txn_line != NULL && h->txn_index == NULL;
        iso_pool_free(&p);
    }
    diag("seed %llu", (unsigned long long)first);
    ok(wrong == 0 && lines > 0, "%llu copies have everything", (unsigned long long)rounds);
    ok(wrong_less == 0, "copies without negations have everything else");
}

int main(void) { return run_guarded(&env, tests); }
