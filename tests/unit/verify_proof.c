/* Clausal proofs: a small one by hand of which no line can be spared, and soundness. No proof may be accepted for
 * a history that satisfies its level: neither that of a near neighbour that does not, whole or damaged, nor random
 * lines. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "checkers/certificate.h"
#include "history/builder.h"
#include "history/fingerprint.h"
#include "tests/agree.h"
#include "tests/guarded.h"
#include "verify/verify.h"

static iso_env env;

static const char *header(iso_pool *pool, const isolab_history *h, iso_level level) {
    char *text = ISO_NEW(pool, char, 200);
    snprintf(text, 200, "isolab-certificate 1\nhistory %u %u %u %016llx\nlevel %s\nviolated\nproof\n",
             h->n_sessions, h->n_txns, h->n_ops, (unsigned long long)iso_fingerprint(h, pool),
             iso_level_get(level)->name);
    return text;
}

static int verify(const isolab_history *h, iso_level level, const char *lines) {
    iso_pool pool;
    iso_pool_init(&pool, &env);
    const char *head = header(&pool, h, level);
    size_t size = strlen(head) + strlen(lines) + 5;
    char *text = ISO_NEW(&pool, char, size);
    snprintf(text, size, "%s%send\n", head, lines);
    int code = iso_verify(&pool, h, text, size - 1);
    iso_pool_free(&pool);
    return code;
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
    ok(verify(h, ISO_SER, "rw 0 init 3\nlemma\n") == ISO_REFUSED, "not in one");
    ok(verify(h, ISO_SER, "rw 0 1 3\nrw 2 init 1\n") == ISO_REFUSED, "a read that took something else");
    ok(verify(h, ISO_SER, "rw 0 init 4\nrw 2 init 1\n") == ISO_REFUSED, "another writer");
    ok(verify(h, ISO_SER, "rw 0 init 0\nrw 2 init 1\n") == ISO_REFUSED, "a read where a write is asked for");
    ok(verify(h, ISO_SER, "so 0 1\nso 1 0\n") == ISO_REFUSED, "transactions of two sessions");
    ok(verify(h, ISO_SER, "atom 1 before 0 1\nlemma 1\nlemma -1\n") == ISO_REFUSED, "a lemma out of nothing");
    ok(verify(h, ISO_SER, "atom 2 before 0 1\n") == ISOLAB_E_INPUT, "atoms are numbered in order");
    ok(verify(h, ISO_SER, "cycle 0 0\n") == ISOLAB_E_INPUT, "a cycle that stands still");
    ok(verify(h, ISO_SER, "cycle 0 1\n") == ISO_REFUSED, "a cycle forbids nothing that is not said");
    ok(verify(h, ISO_SER, "cycle 0 1") == ISOLAB_E_INPUT, "a line without its end");
    ok(verify(h, ISO_SER, "") == ISO_REFUSED, "no proof");
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

/* The history with another value for one read. */
static isolab_history *with_read(iso_pool *pool, const isolab_history *h, uint32_t read, iso_atom value) {
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
            for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
                iso_builder_op(b, to, (iso_op_kind)h->op_kind[o], h->op_key[o],
                               o == read ? value : iso_version_value(h, h->op_version[o]));
            }
        }
    }
    return iso_builder_finish(b);
}

static isolab_verdict ask(iso_pool *pool, const char *checker, const isolab_history *h, iso_level level,
                          char **proof) {
    iso_result *r = ISO_NEW(pool, iso_result, 1);
    iso_result_init(r, pool);
    iso_check(iso_checker_find(checker), h,
              &(iso_request){.level = level,
                             .certificate = proof != NULL,
                             .options = proof == NULL                    ? NULL
                                        : strcmp(checker, "strong") == 0 ? "clocks=no,direct=no"
                                                                         : "P=0"},
              r);
    if (proof != NULL) {
        *proof = r->proof;
    }
    return r->verdict;
}

/* Leaves out, repeats or changes a line, or changes a digit. */
static void damage(iso_rng *rng, char *text, size_t room) {
    size_t n = strlen(text);
    if (n < 2) {
        return;
    }
    size_t at = iso_random_below(rng, n), first = at, end = at;
    while (first > 0 && text[first - 1] != '\n') {
        first--;
    }
    while (end < n && text[end] != '\n') {
        end++;
    }
    switch (iso_random_below(rng, 4)) {
    case 0:
        memmove(text + first, text + end + (end < n), n - end + (end == n));
        break;
    case 1:
        if (n + (end - first) + 2 < room) {
            memmove(text + end + 1 + (end - first) + 1, text + end + 1, n - end);
            memcpy(text + end + 1, text + first, end - first + 1);
        }
        break;
    default:
        for (size_t i = at; i < n; i++) {
            if (text[i] >= '0' && text[i] <= '9') {
                text[i] = (char)('0' + iso_random_below(rng, 10));
                break;
            }
        }
    }
}

static void random_line(iso_rng *rng, const isolab_history *h, bool si, char *text, size_t size, unsigned *atoms) {
#define TXN ((unsigned)iso_random_below(rng, h->n_txns))
#define OP ((unsigned)iso_random_below(rng, h->n_ops))
#define POINT (si ? (iso_random_below(rng, 2) ? "c" : "s") : "")
    switch (iso_random_below(rng, 9)) {
    case 0: snprintf(text, size, "so %u %u\n", TXN, TXN); break;
    case 1: snprintf(text, size, "wr %u %u\n", OP, OP); break;
    case 2: snprintf(text, size, "ww %u %u\n", OP, OP); break;
    case 3: snprintf(text, size, "rw %u %u %u\n", OP, OP, OP); break;
    case 4: snprintf(text, size, "rw %u init %u\n", OP, OP); break;
    case 5: snprintf(text, size, "choice %u\n", OP); break;
    case 6: snprintf(text, size, "cycle %s%u %s%u %s%u\n", POINT, TXN, POINT, TXN, POINT, TXN); break;
    case 7: snprintf(text, size, "atom %u before %s%u %s%u\n", ++*atoms, POINT, TXN, POINT, TXN); break;
    default: snprintf(text, size, "part %u %u\n", OP, OP);
    }
}

static void soundness(uint64_t seed, uint64_t rounds) {
    uint64_t tried = 0, accepted = 0, neighbours = 0, good = 0, refused_lines = 0;
    iso_rng rng = {seed};
    for (uint64_t i = 0; i < rounds; i++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        iso_small_shape shape = {.txns = 6, .ops = 4, .keys = 2, .sessions = 4, .duplicates = i % 2 == 0,
                                 .indeterminate = i % 3 == 0};
        const isolab_history *h = iso_random_small(&pool, seed + i, &shape);
        static const iso_level levels[] = {ISO_SER, ISO_SI, ISO_PC};
        iso_level level = levels[iso_random_below(&rng, 3)];
        char *proof = NULL;
        if (h->n_ops == 0 || ask(&pool, "brute", h, level, NULL) != ISOLAB_SATISFIED) {
            iso_pool_free(&pool);
            continue;
        }
        for (int k = 0; k < 5; k++) { /* a neighbour that violates the level, and its proof */
            uint32_t read = (uint32_t)iso_random_below(&rng, h->n_ops), other = 0;
            for (uint32_t o = 0; o < h->n_ops; o++) {
                other = h->op_key[o] == h->op_key[read] && iso_random_below(&rng, 3) == 0 ? o : other;
            }
            if (h->op_kind[read] != ISO_READ || h->op_key[other] != h->op_key[read]) {
                continue;
            }
            const isolab_history *v = with_read(&pool, h, read, iso_version_value(h, h->op_version[other]));
            const char *prover = level == ISO_PC || iso_random_below(&rng, 2) ? "strong" : "veristrong";
            if (ask(&pool, prover, v, level, &proof) != ISOLAB_VIOLATED || proof == NULL) {
                continue;
            }
            neighbours++;
            good += verify(v, level, proof) == 0;
            size_t room = strlen(proof) + 4096;
            char *text = ISO_NEW(&pool, char, room);
            for (int m = 0; m < 6; m++) {
                snprintf(text, room, "%s", proof);
                for (int d = 0; d < m; d++) {
                    damage(&rng, text, room);
                }
                tried++;
                accepted += verify(h, level, text) == 0;
            }
        }
        for (int k = 0; k < 4; k++) { /* random lines that are right one by one, and random lemmas behind them */
            char text[8192] = "", line[128], one[256];
            unsigned atoms = 0;
            for (int l = 0; l < 60; l++) {
                unsigned before = atoms;
                random_line(&rng, h, level != ISO_SER, line, sizeof line, &atoms);
                snprintf(one, sizeof one, "%s", line);
                size_t n = strlen(text);
                strcat(text, line);
                int code = verify(h, level, text);
                accepted += code == 0;
                tried++;
                if (code == ISOLAB_E_INPUT || strstr(env.error.message, "ends without") == NULL) {
                    text[n] = '\0';
                    atoms = before;
                    refused_lines++;
                }
            }
            for (int l = 0; l < 10 && atoms > 0; l++) {
                size_t n = strlen(text);
                snprintf(text + n, sizeof text - n, "lemma %s%u\n", iso_random_below(&rng, 2) ? "-" : "",
                         1 + (unsigned)iso_random_below(&rng, atoms));
                int code = verify(h, level, text);
                accepted += code == 0;
                tried++;
                if (strstr(env.error.message, "ends without") == NULL) {
                    text[n] = '\0';
                }
            }
        }
        iso_pool_free(&pool);
    }
    ok(accepted == 0 && tried > 0, "no proof is accepted for a history that satisfies the level");
    ok(good == neighbours && neighbours > 0, "the undamaged proofs of violating neighbours are accepted");
    diag("seed %llu: %llu proofs tried, of %llu neighbours; %llu random lines refused by themselves",
         (unsigned long long)seed, (unsigned long long)tried, (unsigned long long)neighbours,
         (unsigned long long)refused_lines);
}

static void run(void *arg) {
    (void)arg;
    by_hand();
    soundness(iso_agree_seed(1), iso_agree_rounds(100, 1500, 40000));
}

int main(void) {
    return run_guarded(&env, run);
}
