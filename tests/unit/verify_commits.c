/* Clausal proofs of commits, and with lists those of `strong`: small ones by hand of which no line can be
 * spared, and soundness. No proof may be accepted for a history that satisfies its level: neither that of a
 * near neighbour that does not, whole or damaged, nor random lines. Every level, lists and values that repeat
 * included. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "checkers/certificate.h"
#include "formats/format.h"
#include "history/builder.h"
#include "history/fingerprint.h"
#include "tests/agree.h"
#include "tests/tap.h"
#include "verify/verify.h"

static iso_env env;

static int verify_as(const isolab_history *h, iso_level level, const char *kind, const char *lines) {
    iso_pool pool;
    iso_pool_init(&pool, &env);
    size_t size = strlen(lines) + 300;
    char *text = ISO_NEW(&pool, char, size);
    int n = snprintf(text, size, "isolab-certificate 1\nhistory %u %u %u %016llx\nlevel %s\nviolated\nproof%s\n%send\n",
                     h->n_sessions, h->n_txns, h->n_ops, (unsigned long long)iso_fingerprint(h, &pool),
                     iso_level_get(level)->name, kind, lines);
    int code = iso_verify(&pool, h, text, (size_t)n);
    iso_pool_free(&pool);
    return code;
}

static int verify(const isolab_history *h, iso_level level, const char *lines) {
    return verify_as(h, level, " commits", lines);
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
    exactly(h, ISO_INT, "choice 5\n", "a value that nobody wrote (int)");
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
    exactly(h, ISO_G1, "state 3 2 0 1\nstate 3 2 1 0\nstate 3 2 0 2\nstate 3 2 1 2\nstate 3 2 2\n"
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

/* The history with the result of another read (or the value of a write) for one read. */
static isolab_history *with_read(iso_pool *pool, const isolab_history *h, uint32_t read, uint32_t other) {
    iso_builder *b = iso_builder_new(pool);
    for (uint32_t i = 0; i < h->n_strings; i++) {
        uint64_t length;
        const char *s = iso_string(h, i, &length);
        iso_builder_string(b, s, (size_t)length);
    }
    for (uint32_t k = 0; k < h->n_keys; k++) {
        iso_builder_key(b, h->key_name[k]);
    }
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        uint32_t session = iso_builder_session(b, iso_atom_nil());
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
            uint32_t to = iso_builder_txn(b, session, iso_atom_nil(), (iso_status)h->txn_status[t]);
            if (h->txn_start != NULL) {
                iso_builder_times(b, to, h->txn_start[t], h->txn_end[t]);
            }
            for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
                uint32_t from = o == read ? other : o;
                if (h->op_kind[o] != ISO_LIST_READ) {
                    iso_builder_op(b, to, (iso_op_kind)h->op_kind[o], h->op_key[o],
                                   iso_version_value(h, h->op_version[from]));
                    continue;
                }
                uint32_t first = h->list_first[h->op_version[from]], n = h->list_first[h->op_version[from] + 1] - first;
                iso_atom *element = ISO_NEW(pool, iso_atom, n);
                for (uint32_t e = 0; e < n; e++) {
                    element[e] = iso_version_value(h, h->list_version[first + e]);
                }
                iso_builder_list_read(b, to, h->op_key[o], element, n);
            }
        }
    }
    return iso_builder_finish(b);
}

static isolab_verdict ask(iso_pool *pool, const char *checker, const isolab_history *h, iso_level level, char **proof) {
    iso_result *r = ISO_NEW(pool, iso_result, 1);
    iso_result_init(r, pool);
    iso_check(iso_checker_find(checker), h,
              &(iso_request){.level = level,
                             .certificate = proof != NULL,
                             .options = strcmp(checker, "strong") == 0 ? "clocks=no,direct=no" : NULL},
              r);
    if (proof != NULL) {
        *proof = r->proof;
    }
    return r->verdict;
}

/* Leaves out or repeats a line, or changes a number. */
static void damage(iso_rng *rng, char *lines, size_t room) {
    size_t n = strlen(lines);
    if (n < 2) {
        return;
    }
    size_t at = iso_random_below(rng, n), first = at, end = at;
    while (first > 0 && lines[first - 1] != '\n') {
        first--;
    }
    while (end < n && lines[end] != '\n') {
        end++;
    }
    switch (iso_random_below(rng, 4)) {
    case 0:
        memmove(lines + first, lines + end + (end < n), n - end + (end == n));
        break;
    case 1:
        if (n + (end - first) + 2 < room && end < n) {
            memmove(lines + end + 1 + (end - first) + 1, lines + end + 1, n - end);
            memcpy(lines + end + 1, lines + first, end - first + 1);
        }
        break;
    default:
        for (size_t i = at; i < n; i++) {
            if (lines[i] >= '0' && lines[i] <= '9') {
                lines[i] = (char)('0' + iso_random_below(rng, 10));
                break;
            }
        }
    }
}

static void random_line(iso_rng *rng, const isolab_history *h, char *line, size_t size, unsigned *atoms) {
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
        case 0: snprintf(steps + at, sizeof steps - at, " so %u", TXN); break;
        case 1: snprintf(steps + at, sizeof steps - at, " wr %u %u", OP, OP); break;
        case 2: snprintf(steps + at, sizeof steps - at, " co %u", TXN); break;
        default: snprintf(steps + at, sizeof steps - at, " ww %u %u", OP, OP);
        }
    }
    unsigned read = OP, reader = h->op_txn[read];
    switch (iso_random_below(rng, 14)) {
    case 0: snprintf(line, size, "so %u %u\n", TXN, TXN); break;
    case 1: snprintf(line, size, "wr %u %u\n", OP, OP); break;
    case 2: snprintf(line, size, "choice %u\n", OP); break;
    case 3: snprintf(line, size, "part %u %u\n", OP, OP); break;
    case 4: snprintf(line, size, "cycle %u %u %u\n", TXN, TXN, TXN); break;
    case 5: snprintf(line, size, "atom %u before %u %u\n", ++*atoms, TXN, TXN); break;
    case 6: snprintf(line, size, "list %u %u %u\n", OP, TXN, TXN); break;
    case 7: snprintf(line, size, "shown %u %u\n", OP, (unsigned)iso_random_below(rng, 3)); break;
    case 8: snprintf(line, size, "state %u %u %u %u\n", OP, OP, TXN, TXN); break;
    case 9: snprintf(line, size, "state %u %u %u without %u\n", OP, OP, TXN, TXN); break;
    case 10: snprintf(line, size, "cut %u%s %u%s\n", read, w, OP, w2); break;
    case 12: snprintf(line, size, "torn %u %u\n", OP, OP); break;
    case 11: snprintf(line, size, "axiom %u%s %u%s co %u\n", read, w, TXN, steps, reader); break;
    default: snprintf(line, size, "axiom %u%s %u%s\n", read, w, TXN, steps);
    }
}

/* Lines at random, kept where they are right one by one, and random lemmas behind them. */
static uint64_t babble(iso_rng *rng, const isolab_history *h, iso_level level, uint64_t *tried) {
    char lines[16384] = "", line[256];
    uint64_t accepted = 0;
    unsigned atoms = 0;
    for (int l = 0; l < 90; l++) {
        unsigned before = atoms;
        size_t n = strlen(lines);
        if (l < 80) {
            random_line(rng, h, line, sizeof line, &atoms);
        } else if (atoms > 0) {
            snprintf(line, sizeof line, "lemma %s%u\n", iso_random_below(rng, 2) ? "-" : "",
                     1 + (unsigned)iso_random_below(rng, atoms));
        }
        if (n + strlen(line) >= sizeof lines) {
            break;
        }
        strcat(lines, line);
        int code = verify(h, level, lines);
        accepted += code == 0;
        ++*tried;
        if (code == ISOLAB_E_INPUT || strstr(env.error.message, "ends without") == NULL) {
            lines[n] = '\0';
            atoms = before;
        }
    }
    return accepted;
}

static void soundness(uint64_t seed, uint64_t rounds) {
    uint64_t tried = 0, accepted = 0, neighbours = 0, good = 0, of_level[ISO_LEVELS] = {0};
    iso_rng rng = {seed};
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
        iso_level level = (iso_level)iso_random_below(&rng, ISO_LEVELS);
        const char *prover = level >= ISO_PC && iso_random_below(&rng, 2) ? "strong" : "sat";
        const char *kind = strcmp(prover, "sat") == 0 ? " commits" : "";
        char *proof = NULL;
        if (h->n_ops == 0 || ask(&pool, "brute", h, level, NULL) != ISOLAB_SATISFIED) {
            iso_pool_free(&pool);
            continue;
        }
        for (int k = 0; k < 5; k++) { /* a neighbour that violates the level, and its proof */
            uint32_t read = (uint32_t)iso_random_below(&rng, h->n_ops), other = ISO_NONE;
            bool list = h->op_kind[read] == ISO_LIST_READ;
            for (uint32_t o = 0; o < h->n_ops; o++) {
                bool fits = h->op_key[o] == h->op_key[read] && (h->op_kind[o] == ISO_LIST_READ) == list;
                other = fits && (other == ISO_NONE || iso_random_below(&rng, 3) == 0) ? o : other;
            }
            if (iso_is_write(h->op_kind[read])) {
                continue;
            }
            const isolab_history *v = with_read(&pool, h, read, other);
            if (ask(&pool, prover, v, level, &proof) != ISOLAB_VIOLATED || proof == NULL) {
                continue;
            }
            neighbours++;
            of_level[level]++;
            good += verify_as(v, level, kind, proof) == 0;
            size_t room = strlen(proof) + 4096;
            char *lines = ISO_NEW(&pool, char, room);
            for (int m = 0; m < 6; m++) {
                snprintf(lines, room, "%s", proof);
                for (int d = 0; d < m; d++) {
                    damage(&rng, lines, room);
                }
                tried++;
                accepted += verify_as(h, level, kind, lines) == 0;
            }
        }
        for (int k = 0; k < 4; k++) {
            accepted += babble(&rng, h, level, &tried);
        }
        iso_pool_free(&pool);
    }
    ok(accepted == 0 && tried > 0, "no proof is accepted for a history that satisfies the level");
    ok(good == neighbours && neighbours > 0, "the undamaged proofs of violating neighbours are accepted");
    diag("seed %llu: %llu proofs tried, of %llu neighbours", (unsigned long long)seed, (unsigned long long)tried,
         (unsigned long long)neighbours);
    for (int l = 0; l < ISO_LEVELS; l++) {
        diag("  %s: %llu neighbours", iso_level_get((iso_level)l)->name, (unsigned long long)of_level[l]);
    }
}

static void run(void *arg) {
    (void)arg;
    by_hand();
    soundness(iso_agree_seed(1), iso_agree_rounds(60, 1000, 40000));
}

int main(void) {
    plan(NO_PLAN);
    iso_env_init(&env);
    int code = iso_guard(&env, run, NULL);
    ok(code == 0, "nothing was thrown%s%s", code == 0 ? "" : ": ", code == 0 ? "" : env.error.message);
    ok(env.limits->used == 0, "all memory is given back");
    return done_testing();
}
