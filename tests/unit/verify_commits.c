/* Tests verify/proof.c. Clausal proofs of commits, and with lists those of `strong`: small ones by hand of which no
 * line can be spared, and soundness. No proof may be accepted for a history that satisfies its level: neither that of a
 * near neighbour that does not, whole or damaged, nor random lines. Every level, lists and values that repeat
 * included. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "formats/format.h"
#include "tests/agree.h"
#include "tests/guarded.h"
#include "tests/proofs.h"
#include "tests/seed.h"

static iso_env env;

static int verify(const isolab_history *h, iso_level level, const char *lines) {
    return verify_lines(&env, h, level, " commits", lines);
}

/* ok() for lines that are accepted, and with any one left out are not. */
static void exactly(const isolab_history *h, iso_level level, const char *lines, const char *what) {
    bool good = verify(h, level, lines) == 0;
    size_t n = strlen(lines);
    for (size_t from = 0; good && from < n;) {
        size_t end = from + strcspn(lines + from, "\n") + 1;
        char text[512];
        snprintf(text, sizeof text, "%.*s%s", (int)from, lines, lines + end);
        good = verify(h, level, text) != 0;
        from = end;
    }
    ok(good, "%s: accepted, and not without any one line", what);
}

static void refused(const isolab_history *h, iso_level level, const char *lines, const char *what) {
    ok(verify(h, level, lines) == ISO_REFUSED, "refused: %s", what);
}

static isolab_history *text(iso_pool *pool, const char *lines) {
    return iso_load_bytes(pool, lines, strlen(lines), iso_format_find("isolab"));
}

static void by_hand(void) {
    iso_pool pool;
    iso_pool_init(&pool, &env);
    const isolab_history *h = text(&pool, "session\ncommit: r x nil, w x 1\nsession\ncommit: r x nil, w x 2\n"
                                          "session\ncommit: w x 3, r y 7\n");
    exactly(h, ISO_SER, "axiom 0 init 1 co 0\naxiom 2 init 0 co 1\n", "a lost update (ser)");
    exactly(h, ISO_SI, "axiom 0 init 1 ww 3 1\naxiom 2 init 0 ww 1 3\n", "a lost update (si)");
    exactly(h, ISO_INT, "choice 5\n", "a value without a writer (int)");
    refused(h, ISO_PC, "axiom 0 init 1 ww 3 1\naxiom 2 init 0 ww 1 3\n", "pc allows lost updates");
    refused(h, ISO_PC, "axiom 0 init 1 co 0\naxiom 2 init 0 co 1\n", "pc: not what is merely earlier");
    refused(h, ISO_SI, "axiom 0 init 1 co 0\naxiom 2 init 0 co 1\n", "si: not either");
    refused(h, ISO_SI, "rw 0 init 3\nrw 2 init 1\n", "si: anti-dependencies do not order commits");
    refused(h, ISO_SI, "ww 1 3\n", "commits of two writers need no rule");
    refused(h, ISO_SER, "axiom 0 init 1\n", "a way of no steps");
    refused(h, ISO_SER, "axiom 0 init 1 co 2\n", "a way that leads elsewhere");
    refused(h, ISO_SER, "axiom 0 init 0 co 1 co 0\n", "a way from the reader itself");
    refused(h, ISO_SER, "axiom 0 1 1 co 0\n", "a read of something else");
    refused(h, ISO_SER, "axiom 0 init 1 so 0\n", "transactions of two sessions");
    refused(h, ISO_CI, "choice 5\n", "ci does not mind where a value is from");
    refused(h, ISO_CI, "axiom 0 init 1 co 0\naxiom 2 init 0 co 1\n", "ci asks for no order");
    refused(h, ISO_INT, "so 0 1\n", "nor does int");
    ok(verify(h, ISO_SER, "axiom 0 init 1 rt 0\n") == ISOLAB_E_INPUT, "an unknown step");

    h = text(&pool, "session\ncommit: w x 1, w y 1\nsession\ncommit: r x 1, r y nil\ncommit: r y nil, r x 1\n");
    exactly(h, ISO_RC, "axiom 3 init 0 wr 2 0\n", "x read, y missed (rc)");
    refused(h, ISO_RC, "axiom 4 init 0 wr 5 0\n", "rc: a read before");
    exactly(h, ISO_RA, "axiom 4 init 0 wr 5 0\n", "ra");
    refused(h, ISO_G1, "axiom 4 init 0 wr 5 0\n", "g1 has no axiom");
    h = text(&pool, "session\ncommit: w x 1\ncommit: w y 1\nsession\ncommit: r y 1, r x nil\n");
    exactly(h, ISO_CC, "axiom 3 init 0 so 1 wr 2 1\n", "a causal past missed (cc)");
    refused(h, ISO_RA, "axiom 3 init 0 so 1 wr 2 1\n", "ra: one step alone");
    exactly(h, ISO_PC, "so 0 1\naxiom 3 init 0 co 1 wr 2 1\n", "the same by the commit order (pc)");
    refused(h, ISO_CC, "so 0 1\naxiom 3 init 0 co 1 wr 2 1\n", "cc: the commit order shows nothing");

    h = text(&pool, "session\ncommit: w x 1\nsession\ncommit: w x 1\nsession\ncommit: w x "
                    "2\nsession\ncommit: r x 1, r x 2\n");
    exactly(h, ISO_CI, "choice 3\ncut 3 0 4 2\ncut 3 1 4 2\n", "two values, one of two writers");
    refused(h, ISO_CI, "cut 3 0 3 1\n", "one read twice");
    refused(h, ISO_CI, "cut 3 0 4 1\n", "a read of something else");
    refused(h, ISO_RC, "cut 3 0 4 2\n", "another level");

    h = text(&pool, "session\ncommit: append x 1\nsession\ncommit: append x 1\nsession\ncommit: append x 2\n"
                    "session\ncommit: rl x [1 2 1 2]\n");
    exactly(h, ISO_G1,
            "state 3 2 0 1\nstate 3 2 1 0\nstate 3 2 0 2\nstate 3 2 1 2\nstate 3 2 2\n"
            "atom 1 before 0 2\nlemma 1\n",
            "two appends that cannot be four elements");
    refused(h, ISO_G1, "state 3 2 0\n", "what the read shows");
    refused(h, ISO_G1, "state 3 2 0 0\n", "a writer twice");
    refused(h, ISO_G1, "state 3 0 0 1\n", "a list that ends in something else");
    refused(h, ISO_INT, "state 3 2 0 1\n", "int: lists need fit nowhere");
    ok(verify(h, ISO_G1, "state 3 2 without without\n") == ISOLAB_E_INPUT, "without twice");
    h = text(&pool, "session\ncommit: append x 5, append x 7\nsession\ncommit: append x 5\nsession\ncommit: "
                    "rl x [5 7]\n");
    refused(h, ISO_G1, "torn 3 1\n", "an element that another one appended too, in its place");
    h = text(&pool, "session\ncommit: append x 5, append x 7\nsession\ncommit: append x 8\nsession\ncommit: "
                    "rl x [7 8]\n");
    exactly(h, ISO_G1, "torn 3 0\n", "an append without the one before it");
    refused(h, ISO_G1, "torn 3 2\n", "a transaction that is whole");
    refused(h, ISO_INT, "torn 3 0\n", "int: lists need fit nowhere");
    iso_pool_free(&pool);
}

static void random_line(iso_rng *rng, const isolab_history *h, iso_level level, char *line, size_t size,
                        unsigned *atoms) {
    (void)level;
#define TXN ((unsigned)iso_random_below(rng, h->n_txns))
#define OP ((unsigned)iso_random_below(rng, h->n_ops))
    char w[16] = " init", w2[16] = " init", steps[128] = "";
    for (int i = 0; i < 2; i++) {
        if (iso_random_below(rng, 3) > 0) {
            snprintf(i == 0 ? w : w2, sizeof w, " %u", OP);
        }
    }
    for (uint64_t n = iso_random_below(rng, 3); n > 0; n--) {
        size_t at = strlen(steps);
        switch (iso_random_below(rng, 4)) {
        case 0:
            snprintf(steps + at, sizeof steps - at, " so %u", TXN);
            break;
        case 1:
            snprintf(steps + at, sizeof steps - at, " wr %u %u", OP, OP);
            break;
        case 2:
            snprintf(steps + at, sizeof steps - at, " co %u", TXN);
            break;
        default:
            snprintf(steps + at, sizeof steps - at, " ww %u %u", OP, OP);
        }
    }
    unsigned read = OP, reader = h->op_txn[read];
    switch (iso_random_below(rng, 14)) {
    case 0:
        snprintf(line, size, "so %u %u\n", TXN, TXN);
        break;
    case 1:
        snprintf(line, size, "wr %u %u\n", OP, OP);
        break;
    case 2:
        snprintf(line, size, "choice %u\n", OP);
        break;
    case 3:
        snprintf(line, size, "part %u %u\n", OP, OP);
        break;
    case 4:
        snprintf(line, size, "cycle %u %u %u\n", TXN, TXN, TXN);
        break;
    case 5:
        snprintf(line, size, "atom %u before %u %u\n", ++*atoms, TXN, TXN);
        break;
    case 6:
        snprintf(line, size, "list %u %u %u\n", OP, TXN, TXN);
        break;
    case 7:
        snprintf(line, size, "shown %u %u\n", OP, (unsigned)iso_random_below(rng, 3));
        break;
    case 8:
        snprintf(line, size, "state %u %u %u %u\n", OP, OP, TXN, TXN);
        break;
    case 9:
        snprintf(line, size, "state %u %u %u without %u\n", OP, OP, TXN, TXN);
        break;
    case 10:
        snprintf(line, size, "cut %u%s %u%s\n", read, w, OP, w2);
        break;
    case 12:
        snprintf(line, size, "torn %u %u\n", OP, OP);
        break;
    case 11:
        snprintf(line, size, "axiom %u%s %u%s co %u\n", read, w, TXN, steps, reader);
        break;
    default:
        snprintf(line, size, "axiom %u%s %u%s\n", read, w, TXN, steps);
    }
}

static void soundness(uint64_t seed, uint64_t rounds) {
    uint64_t of_level[ISO_MOST_LEVELS] = {0};
    trials t = {.env = &env, .rng = {seed}, .random_line = random_line, .lines = 80};
    for (uint64_t i = 0; i < rounds; i++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        iso_small_shape shape = {.txns = 6,
                                 .ops = 4,
                                 .keys = 2,
                                 .sessions = 4,
                                 .duplicates = i % 3 != 0,
                                 .lists = i % 2 == 0,
                                 .indeterminate = i % 5 < 2,
                                 .times = true,
                                 .unique_elements = i % 4 == 0};
        const isolab_history *h = iso_random_small(&pool, seed + i, &shape);
        iso_level level = (iso_level)iso_random_below(&t.rng, (uint64_t)iso_n_levels);
        bool strong = level >= ISO_PC && iso_random_below(&t.rng, 2);
        bool good = h->n_ops > 0 && ask(&pool, "brute", h, level, NULL) == ISOLAB_SATISFIED;
        for (int k = 0; good && k < 5; k++) {
            uint32_t read = (uint32_t)iso_random_below(&t.rng, h->n_ops), other = ISO_NONE;
            bool list = h->op_kind[read] == ISO_LIST_READ;
            for (uint32_t o = 0; o < h->n_ops; o++) {
                bool fits = h->op_key[o] == h->op_key[read] && (h->op_kind[o] == ISO_LIST_READ) == list;
                other = fits && (other == ISO_NONE || iso_random_below(&t.rng, 3) == 0) ? o : other;
            }
            if (!iso_is_write(h->op_kind[read])) {
                of_level[level] += try_neighbour(&t, &pool, h, level, strong ? "strong" : "sat",
                                                 strong ? "" : " commits", read, other);
            }
        }
        for (int k = 0; good && k < 4; k++) {
            try_babble(&t, h, level, " commits");
        }
        iso_pool_free(&pool);
    }
    report_trials(&t, seed);
    for (int l = 0; l < iso_n_levels; l++) {
        diag("  %s: %llu neighbours", iso_level_get((iso_level)l)->name, (unsigned long long)of_level[l]);
    }
}

static void run(void *arg) {
    (void)arg;
    by_hand();
    soundness(seed_or(1), iso_agree_rounds(60, 1000, 40000));
}

int main(void) { return run_guarded(&env, run); }
