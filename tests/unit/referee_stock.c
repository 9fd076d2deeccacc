/* Tests experiments/referee/stock.c and ahead.c: new behaviours are kept, each once, and are mutated; a history that
 * was made ahead is the one that would be made when it is needed, and they come in their order. */
#include <string.h>

#include "experiments/referee/referee.h"
#include "history/copy.h"
#include "tests/guarded.h"
#include "tests/seed.h"
#include "tests/tap.h"

enum { SOME = 40, ROOM = 7 };

static iso_env env;
static iso_pool *pool; /* of the whole run */
static const iso_adapter words = {.name = "words", .cannot = ""};

static iso_referee *referee(uint64_t seed) {
    iso_referee *r = ISO_ZNEW(pool, iso_referee, 1);
    *r = (iso_referee){.env = &env, .pool = pool, .seed = seed, .random = true, .random_only = true};
    r->n_foreign = 1;
    r->n_asks = 1;
    r->ask[0].level = ISO_RA;
    r->n_parties = 2;
    return r;
}

static bool is_same(const isolab_history *a, const isolab_history *b) {
    return a->n_ops == b->n_ops && a->n_txns == b->n_txns &&
           memcmp(a->op_version, b->op_version, a->n_ops * sizeof *a->op_version) == 0 &&
           memcmp(a->op_key, b->op_key, a->n_ops * sizeof *a->op_key) == 0 &&
           memcmp(a->txn_session, b->txn_session, a->n_txns * sizeof *a->txn_session) == 0;
}

/* Idle work is done before every third history, as much as there is room for. */
static void test_ahead(uint64_t seed) {
    iso_referee *now = referee(seed), *ahead = referee(seed);
    iso_pool one, other;
    iso_pool_init(&one, &env);
    iso_pool_init(&other, &env);
    unsigned same = 0, numbers = 0, made = 0;
    ahead->ahead = iso_ahead_new(pool, ROOM);
    ahead->count = SOME;
    for (unsigned i = 0; i < SOME; i++) {
        while (i % 3 == 0 && iso_ahead_work(ahead)) {
            made++;
        }
        iso_origin a, b;
        const isolab_history *x = iso_ahead_take(now, &one, &a), *y = iso_ahead_take(ahead, &other, &b);
        same += is_same(x, y);
        numbers += a.number == i && b.number == i && a.kind == b.kind;
        iso_pool_free(&one);
        iso_pool_free(&other);
    }
    cmp_ok(same, "==", SOME, "histories made ahead are the same ones");
    cmp_ok(numbers, "==", SOME, "in the same order");
    cmp_ok(made, ">", SOME / 2, "and most of them were made ahead");
    cmp_ok(iso_ahead_work(ahead), "==", false, "none is made that is not asked for");
    ahead->count = 0;
    for (made = 0; iso_ahead_work(ahead); made++) {
    }
    cmp_ok(made, "==", ROOM, "nor more than there is room for");
    ahead->random_only = false;
    iso_origin origin;
    iso_ahead_take(ahead, &other, &origin);
    cmp_ok(iso_ahead_work(ahead), "==", false, "nor while there are histories of other sources");
    iso_pool_free(&other);
    iso_ahead_end(ahead->ahead);
}

/* x is written by the first transaction, and read by the second one, again where `again` is set. */
static isolab_history *reads(bool again) {
    iso_builder *b = iso_builder_new(pool);
    uint32_t key = iso_builder_key(b, iso_atom_uint(1));
    for (uint32_t t = 0; t < 2; t++) {
        uint32_t txn = iso_builder_txn(b, iso_builder_session(b, iso_atom_uint(t)), iso_atom_nil(), ISO_COMMITTED);
        iso_builder_op(b, txn, t == 0 ? ISO_WRITE : ISO_READ, key, iso_atom_uint(5));
        if (t > 0 && again) {
            iso_builder_op(b, txn, ISO_READ, key, iso_atom_uint(5));
        }
    }
    return iso_builder_finish(b);
}

/* The same, and a transaction without operations. */
static isolab_history *with_empty(const isolab_history *h) {
    iso_builder *b = iso_builder_new(pool);
    uint32_t key = iso_builder_key(b, iso_atom_uint(1));
    for (uint32_t t = 0; t < 3; t++) {
        uint32_t txn = iso_builder_txn(b, iso_builder_session(b, iso_atom_uint(t)), iso_atom_nil(), ISO_COMMITTED);
        for (uint32_t o = t < 2 ? h->txn_op[t] : 0; t < 2 && o < h->txn_op[t + 1]; o++) {
            iso_builder_op(b, txn, (iso_op_kind)h->op_kind[o], key, iso_atom_uint(5));
        }
    }
    return iso_builder_finish(b);
}

static unsigned mutants_of_three(iso_referee *r) {
    unsigned n = 0;
    iso_pool mutant;
    iso_pool_init(&mutant, &env);
    for (uint64_t seed = 0; seed < 200; seed++) { /* a mutant has as many transactions */
        n += iso_stock_mutant(r->stock, &mutant, seed)->n_txns == 3;
        iso_pool_free(&mutant);
    }
    return n;
}

/* Returns whether a history of three transactions is stocked beside one of two, on which both parties agreed. */
static bool is_stocked(iso_referee *r, const isolab_history *h, const iso_said said[2]) {
    r->stock = iso_stock_new(pool);
    iso_stock_look(r, reads(false), 0, (const iso_said[2]){{.sign = 'S'}, {.sign = 'S'}});
    iso_stock_look(r, h, 0, said);
    bool is = mutants_of_three(r) > 0;
    iso_stock_end(r->stock);
    return is;
}

static void test_stock(void) {
    iso_referee *r = referee(1);
    r->party[1].adapter = &words;
    const isolab_history *same = with_empty(reads(false)), *other = with_empty(reads(true));
    iso_pool mutant;
    iso_pool_init(&mutant, &env);
    iso_stock *empty = iso_stock_new(pool);
    ok(iso_stock_mutant(empty, &mutant, 1) == NULL, "an empty stock has no mutants");
    iso_said agree[2] = {{.sign = 'S'}, {.sign = 'S'}}, differ[2] = {{.sign = 'S'}, {.sign = 'V'}};
    iso_said tells[2] = {{.sign = 'S'}, {.sign = 'S', .judgement.anomalies = "TAP-k"}};
    ok(is_stocked(r, other, agree), "a new pair of features is stocked");
    ok(is_stocked(r, same, differ), "so is another answer");
    ok(is_stocked(r, same, tells), "so are other words");
    r->stock = iso_stock_new(pool);
    iso_stock_look(r, other, 0, agree);
    for (int i = 0; i < 200; i++) {
        iso_stock_look(r, reads(false), 0, agree);
    }
    cmp_ok(mutants_of_three(r), "==", 200, "what is not new is not stocked, and so drives nothing out");
    iso_stock_look(r, reads(false), 1, agree);
    cmp_ok(mutants_of_three(r), "<", 200, "the same answers to another question are new");
    iso_stock_end(r->stock);
}

/* A class has a cause for each smallest history that has not all features of another one. */
static void test_causes(void) {
    iso_class c = {.question = 0};
    ok(!iso_class_explains(&c, 7), "nothing is explained at first");
    iso_class_cause(&c, 3);
    ok(iso_class_explains(&c, 7) && iso_class_explains(&c, 3), "a history with all features of a smallest one is");
    ok(!iso_class_explains(&c, 5), "one that lacks some is not");
    iso_class_cause(&c, 7);
    cmp_ok(c.n_causes, "==", 1, "a larger cause adds nothing");
    for (uint32_t f = 2; f < 31; f++) {
        iso_class_cause(&c, (uint32_t)1 << f);
    }
    cmp_ok(c.n_causes, "==", ISO_CAUSES, "there is an end of them");
}

static void test(void *arg) {
    pool = arg;
    uint64_t seed = seed_or(1);
    diag("seed %llu", (unsigned long long)seed);
    test_ahead(seed);
    test_stock();
    test_causes();
}

int main(void) { return run_guarded(&env, test); }
