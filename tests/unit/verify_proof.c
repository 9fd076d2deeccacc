/* Tests verify/proof.c with a handwritten clausal proof that is minimal: it is accepted, and refused without any of its
 * lines. For a history that satisfies its level every proof is refused: proofs of violated histories that differ from
 * it in one operation, intact and damaged, and random lines. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "history/builder.h"
#include "tests/agree.h"
#include "tests/guarded.h"
#include "tests/proofs.h"
#include "tests/seed.h"

static iso_env env;

static int verify(const isolab_history *h, iso_level level, const char *lines) {
    return verify_lines(&env, h, level, "", lines);
}

/* Two transactions read the initial x and write it; a third one is a bystander. Operations: 0 and 1, 2 and 3. */
static isolab_history *lost_update(iso_pool *pool) {
    iso_builder *b = iso_builder_new(pool);
    uint32_t x = iso_builder_key(b, iso_builder_string(b, "x", 1));
    for (int i = 1; i <= 3; i++) {
        uint32_t t = iso_builder_txn(b, iso_builder_session(b, iso_atom_nil()), iso_atom_nil(), ISO_COMMITTED);
        if (i < 3) {
            iso_builder_op(b, t, ISO_READ, x, iso_atom_nil());
        }
        iso_builder_op(b, t, ISO_WRITE, x, iso_atom_int(i));
    }
    return iso_builder_finish(b);
}

static void by_hand(void) {
    iso_pool pool;
    iso_pool_init(&pool, &env);
    const isolab_history *h = lost_update(&pool);
    ok(verify(h, ISO_SER, "rw 0 init 3\nrw 2 init 1\nlemma\n") == 0, "a lost update in two lines (ser)");
    ok(verify(h, ISO_SER, "rw 0 init 3\nlemma\n") == ISO_REFUSED, "one line alone does not prove it");
    ok(verify(h, ISO_SER, "rw 0 1 3\nrw 2 init 1\n") == ISO_REFUSED, "a read that took something else");
    ok(verify(h, ISO_SER, "rw 0 init 4\nrw 2 init 1\n") == ISO_REFUSED, "another writer");
    ok(verify(h, ISO_SER, "rw 0 init 0\nrw 2 init 1\n") == ISO_REFUSED, "a read where a write is asked for");
    ok(verify(h, ISO_SER, "so 0 1\nso 1 0\n") == ISO_REFUSED, "transactions of two sessions");
    ok(verify(h, ISO_SER, "atom 1 before 0 1\nlemma 1\nlemma -1\n") == ISO_REFUSED, "a lemma out of nothing");
    ok(verify(h, ISO_SER, "atom 2 before 0 1\n") == ISOLAB_E_INPUT, "atoms are numbered in order");
    ok(verify(h, ISO_SER, "cycle 0 0\n") == ISOLAB_E_INPUT, "a cycle of one point");
    ok(verify(h, ISO_SER, "cycle 0 1\n") == ISO_REFUSED, "a cycle forbids nothing that is not said");
    ok(verify(h, ISO_SER, "cycle 0 1") == ISOLAB_E_INPUT, "a line without its end");
    ok(verify(h, ISO_SER, "") == ISO_REFUSED, "an empty proof proves nothing");
    ok(verify(h, ISO_CC, "lemma\n") == ISO_REFUSED, "no level for clauses");
    ok(verify(h, ISO_PC, "rw 0 init 3\nrw 2 init 1\n") == ISO_REFUSED, "pc allows lost updates");
    ok(verify(h, ISO_PC, "ww 1 3\n") == ISO_REFUSED, "pc has no rule for two writers");
    ok(verify(h, ISO_SI, "ww 1 3\nrw 0 init 3\nrw 2 init 1\n") == 0,
       "si: one of two writers comes first, and neither can");
    ok(verify(h, ISO_PC, "cycle s0 c1 s1\n") == ISO_REFUSED && verify(h, ISO_PC, "cycle 0 1\n") == ISOLAB_E_INPUT,
       "pc: the points are those of si");
    static const char *const line[3] = {"ww 1 3\n", "rw 0 init 3\n", "rw 2 init 1\n"};
    for (int skip = 0; skip < 3; skip++) {
        char text[64] = "";
        for (int i = 0; i < 3; i++) {
            strcat(text, i == skip ? "" : line[i]);
        }
        ok(verify(h, ISO_SI, text) == ISO_REFUSED, "si: not without line %d", skip + 1);
    }
    ok(verify(h, ISO_SI, "rw 0 init 3\nrw 2 init 1\ncycle s0 c1 s1 c0\n") == ISO_REFUSED,
       "si: anti-dependencies alone are no cycle");
    ok(verify(h, ISO_SI, "cycle c0 s0\ncycle s0 c0\n") == ISO_REFUSED, "si: a start comes before its commit");
    ok(verify(h, ISO_SI, "ww 1 3\nww 1 4\nww 3 4\nwr 0 4\n") == ISO_REFUSED,
       "si: the initial value is not the third's");
    iso_pool_free(&pool);
}

static void random_line(iso_rng *rng, const isolab_history *h, iso_level level, char *text, size_t size,
                        unsigned *atoms) {
#define TXN ((unsigned)iso_random_below(rng, h->n_txns))
#define OP ((unsigned)iso_random_below(rng, h->n_ops))
#define POINT (level != ISO_SER ? (iso_random_below(rng, 2) ? "c" : "s") : "")
    switch (iso_random_below(rng, 9)) {
    case 0:
        snprintf(text, size, "so %u %u\n", TXN, TXN);
        break;
    case 1:
        snprintf(text, size, "wr %u %u\n", OP, OP);
        break;
    case 2:
        snprintf(text, size, "ww %u %u\n", OP, OP);
        break;
    case 3:
        snprintf(text, size, "rw %u %u %u\n", OP, OP, OP);
        break;
    case 4:
        snprintf(text, size, "rw %u init %u\n", OP, OP);
        break;
    case 5:
        snprintf(text, size, "choice %u\n", OP);
        break;
    case 6:
        snprintf(text, size, "cycle %s%u %s%u %s%u\n", POINT, TXN, POINT, TXN, POINT, TXN);
        break;
    case 7:
        snprintf(text, size, "atom %u before %s%u %s%u\n", ++*atoms, POINT, TXN, POINT, TXN);
        break;
    default:
        snprintf(text, size, "part %u %u\n", OP, OP);
    }
}

static void soundness(uint64_t seed, uint64_t rounds) {
    trials t = {.env = &env, .rng = {seed}, .random_line = random_line, .lines = 60};
    for (uint64_t i = 0; i < rounds; i++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        iso_small_shape shape = {
            .txns = 6, .ops = 4, .keys = 2, .sessions = 4, .duplicates = i % 2 == 0, .indeterminate = i % 3 == 0};
        const isolab_history *h = iso_random_small(&pool, seed + i, &shape);
        static const iso_level levels[] = {ISO_SER, ISO_SI, ISO_PC};
        iso_level level = levels[iso_random_below(&t.rng, 3)];
        bool good = h->n_ops > 0 && ask(&pool, "brute", h, level, NULL) == ISOLAB_SATISFIED;
        for (int k = 0; good && k < 5; k++) {
            uint32_t read = (uint32_t)iso_random_below(&t.rng, h->n_ops), other = 0;
            for (uint32_t o = 0; o < h->n_ops; o++) {
                other = h->op_key[o] == h->op_key[read] && iso_random_below(&t.rng, 3) == 0 ? o : other;
            }
            if (h->op_kind[read] == ISO_READ && h->op_key[other] == h->op_key[read]) {
                bool strong = level == ISO_PC || iso_random_below(&t.rng, 2);
                try_neighbour(&t, &pool, h, level, strong ? "strong" : "veristrong", "", read, other);
            }
        }
        for (int k = 0; good && k < 4; k++) {
            try_babble(&t, h, level, "");
        }
        iso_pool_free(&pool);
    }
    report_trials(&t, seed);
}

static void run(void *arg) {
    (void)arg;
    by_hand();
    soundness(seed_or(1), iso_agree_rounds(100, 1500, 40000));
}

int main(void) { return run_guarded(&env, run); }
