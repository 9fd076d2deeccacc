/* Tests history/draft.h: the history of a draft is the one that a builder makes of the same transactions, column by
 * column; a draft of a history is that history; and changes of drafts do what they say. */
#include "history/draft.h"

#include <string.h>

#include "base/hash.h"
#include "base/random.h"
#include "checkers/checker.h"
#include "generators/features.h"
#include "generators/random_small.h"
#include "history/builder.h"
#include "tests/agree.h"
#include "tests/equal.h"
#include "tests/guarded.h"
#include "tests/seed.h"

static iso_env env;

static isolab_history *built(iso_pool *pool, const iso_draft *d) {
    iso_builder *b = iso_builder_new(pool);
    uint32_t *session = ISO_NEW_NONE(pool, d->n_sessions);
    for (uint32_t t = 0, o = 0; t < d->n_txns; t++) {
        uint32_t s = d->session[t];
        session[s] = session[s] == ISO_NONE ? iso_builder_session(b, iso_atom_nil()) : session[s];
        uint32_t txn = iso_builder_txn(b, session[s], iso_atom_nil(), (iso_status)d->status[t]);
        if (d->start != NULL) {
            iso_builder_times(b, txn, d->start[t], d->end[t]);
        }
        for (; o < d->n_ops && d->txn[o] == t; o++) {
            uint32_t key = iso_builder_key(b, iso_atom_uint(d->key[o] + 1)), v = d->value[o], n = 0;
            iso_atom element[400];
            for (uint32_t e = 0; d->kind[o] == ISO_LIST_READ && e < d->list_first[v + 1] - d->list_first[v]; e++) {
                element[n++] = iso_atom_uint(d->element[d->list_first[v] + e]);
            }
            if (d->kind[o] == ISO_LIST_READ) {
                iso_builder_list_read(b, txn, key, element, n);
            } else {
                iso_builder_op(b, txn, (iso_op_kind)d->kind[o], key, v == 0 ? iso_atom_nil() : iso_atom_uint(v));
            }
        }
    }
    return iso_builder_finish(b);
}

static bool same_columns(const isolab_history *a, const isolab_history *b) {
    return memcmp(a->op_version, b->op_version, a->n_ops * sizeof *a->op_version) == 0 &&
           memcmp(a->op_writer, b->op_writer, a->n_ops * sizeof *a->op_writer) == 0 &&
           memcmp(a->op_txn, b->op_txn, a->n_ops * sizeof *a->op_txn) == 0 &&
           memcmp(a->op_key, b->op_key, a->n_ops * sizeof *a->op_key) == 0 &&
           memcmp(a->txn_counts, b->txn_counts, a->n_txns) == 0 &&
           memcmp(a->txn_session, b->txn_session, a->n_txns * sizeof *a->txn_session) == 0 &&
           memcmp(a->version_key, b->version_key, a->n_versions * sizeof *a->version_key) == 0 &&
           memcmp(a->version_writer, b->version_writer, a->n_versions * sizeof *a->version_writer) == 0 &&
           memcmp(a->key_is_list, b->key_is_list, a->n_keys) == 0;
}

static bool is_same(const isolab_history *a, const isolab_history *b) {
    bool same = a->n_keys == b->n_keys && a->n_versions == b->n_versions && a->n_lists == b->n_lists &&
                a->unique == b->unique && a->twin_a == b->twin_a && a->twin_b == b->twin_b &&
                a->has_times == b->has_times && a->has_lists == b->has_lists && a->first_txn == b->first_txn &&
                a->n_committed == b->n_committed && a->n_aborted == b->n_aborted &&
                a->n_indeterminate == b->n_indeterminate && iso_history_equal(a, b, NULL, 0);
    return same && same_columns(a, b);
}

static iso_small_shape shape_of(unsigned i) {
    return (iso_small_shape){.txns = 1 + i % 9,
                             .ops = 1 + i % 5,
                             .keys = 1 + i % 7,
                             .sessions = 1 + i % 4,
                             .aborted = i % 2 == 0,
                             .indeterminate = i % 3 == 0,
                             .times = i % 5 == 0,
                             .all_times = i % 10 == 0,
                             .duplicates = i % 11 == 0,
                             .lists = i % 13 == 0,
                             .only_lists = i % 26 == 0,
                             .mini = i % 17 == 0,
                             .calls = i % 19 == 0,
                             .apart = i % 4 == 0,
                             .empty = i % 6 == 0,
                             .wild = i % 7 == 0};
}

static char verdict_of(iso_pool *pool, const isolab_history *h, iso_level level) {
    iso_question question = {.level = level};
    const iso_checker *c = iso_checker_auto(h, &question);
    iso_result result;
    iso_result_init(&result, pool);
    if (c != NULL) {
        iso_check(c, h, &question, &result);
    }
    return result.verdict == ISOLAB_SATISFIED ? 'S' : result.verdict == ISOLAB_VIOLATED ? 'V' : '?';
}

/* Changes a draft at random places. */
static void change(iso_draft *d, uint64_t seed) {
    iso_rng rng = {seed};
    for (unsigned i = 0; i < 4 && d->n_ops > 0; i++) {
        uint32_t o = (uint32_t)iso_random_below(&rng, d->n_ops);
        if (iso_random_below(&rng, 2) == 0) {
            iso_draft_repeat(d, o, o + 1);
        } else {
            iso_draft_remove(d, o);
        }
        d->status[iso_random_below(&rng, d->n_txns)] = ISO_COMMITTED;
    }
}

static void test_random(uint64_t seed) {
    iso_pool pool;
    iso_pool_init(&pool, &env);
    uint64_t rounds = iso_agree_rounds(20000, 4000, 400000), same = 0, again = 0, alike = 0, changed = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        iso_small_shape shape = shape_of((unsigned)(iso_mix2(seed, i) >> 33));
        const isolab_history *small = iso_random_small(&pool, seed + i, &shape);
        iso_draft *d = iso_random_draft(&pool, seed + i, &shape, 4);
        const isolab_history *h = iso_draft_history(&pool, d);
        same += is_same(h, built(&pool, d));
        again += is_same(iso_draft_history(&pool, iso_draft_of(&pool, h, 0)), built(&pool, iso_draft_of(&pool, h, 0)));
        uint32_t differ = (iso_features(h) ^ iso_features(small)) & ~ISO_FEATURE_BIT(ISO_F_MANY_SESSIONS);
        alike += h->n_ops == small->n_ops && h->n_txns == small->n_txns && differ == 0 && /* empty sessions are out */
                 verdict_of(&pool, h, ISO_CC) == verdict_of(&pool, small, ISO_CC);
        iso_draft *other = iso_draft_copy(&pool, d);
        change(other, seed + i);
        changed +=
            is_same(iso_draft_history(&pool, other), built(&pool, other)) && is_same(iso_draft_history(&pool, d), h);
        iso_pool_free(&pool);
    }
    cmp_ok(same, "==", rounds, "the history of a draft is the one of a builder");
    cmp_ok(again, "==", rounds, "also of a draft of it");
    cmp_ok(alike, "==", rounds, "and the random history of the seed");
    cmp_ok(changed, "==", rounds, "also after changes, which leave the draft alone from which it was copied");
}

/* What is too large for the direct way. */
static void test_large(iso_pool *pool) {
    iso_draft *d = iso_draft_new(pool, 1000, 4000, true);
    d->n_sessions = 300;
    d->n_keys = 400;
    for (; d->n_txns < 1000; d->n_txns++) {
        d->session[d->n_txns] = d->n_txns * 7 % 300;
        d->status[d->n_txns] = (uint8_t)(d->n_txns % 3);
        d->start[d->n_txns] = d->n_txns;
        d->end[d->n_txns] = d->n_txns + 5;
        for (unsigned i = 0; i < 4; i++, d->n_ops++) {
            d->txn[d->n_ops] = d->n_txns;
            d->key[d->n_ops] = d->n_ops * 11 % 400;
            d->kind[d->n_ops] = i % 2 == 0 ? ISO_READ : ISO_WRITE;
            d->value[d->n_ops] = i % 2 == 0 ? d->n_ops / 2 : d->n_ops * 90000;
        }
    }
    ok(is_same(iso_draft_history(pool, d), built(pool, d)), "a large one, too");
    d->n_txns = d->n_ops = 0;
    cmp_ok(iso_draft_history(pool, d)->n_txns, "==", 0, "and an empty one");
}

static void test(void *arg) {
    uint64_t seed = seed_or(1);
    diag("seed %llu", (unsigned long long)seed);
    test_random(seed);
    test_large(arg);
}

int main(void) { return run_guarded(&env, test); }
