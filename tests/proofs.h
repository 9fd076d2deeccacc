/* Tests of clausal proofs: for a history that satisfies its level the verifier must refuse every proof. Tried are
 * proofs of violated histories that differ from it in one place, intact and damaged, and random lines. */
#ifndef ISOLAB_TESTS_PROOFS_H
#define ISOLAB_TESTS_PROOFS_H

#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "checkers/checker.h"
#include "history/fingerprint.h"
#include "tests/changed.h"
#include "tests/tap.h"
#include "verify/verify.h"

/* What the verifier says of a proof of these lines. The kind follows the word `proof`: "", or " commits". */
static inline int verify_lines(iso_env *env, const isolab_history *h, iso_level level, const char *kind,
                               const char *lines) {
    iso_pool pool;
    iso_pool_init(&pool, env);
    size_t size = strlen(lines) + 300;
    char *text = ISO_NEW(&pool, char, size);
    int n = snprintf(text, size, "isolab-certificate 1\nhistory %u %u %u %016llx\nlevel %s\nviolated\nproof%s\n%send\n",
                     h->n_sessions, h->n_txns, h->n_ops, (unsigned long long)iso_fingerprint(h, &pool),
                     iso_level_get(level)->name, kind, lines);
    int code = iso_verify(&pool, h, text, (size_t)n);
    iso_pool_free(&pool);
    return code;
}

/* The verdict of a checker. A proof, where one is asked for, is one of clauses as far as options can make it
 * so. */
static inline isolab_verdict ask(iso_pool *pool, const char *checker, const isolab_history *h, iso_level level,
                                 char **proof) {
    iso_question question = {.level = level, .certificate = proof != NULL};
    if (proof != NULL && strcmp(checker, "strong") == 0) {
        question.options = "saturate=stretches,direct=no";
    } else if (proof != NULL && strcmp(checker, "veristrong") == 0) {
        question.options = "P=no";
    }
    iso_result *r = ISO_NEW(pool, iso_result, 1);
    iso_result_init(r, pool);
    iso_check(iso_checker_find(checker), h, &question, r);
    if (proof != NULL) {
        *proof = r->proof;
    }
    return r->verdict;
}

/* Leaves out or repeats a line, or changes a digit. */
static inline void damage(iso_rng *rng, char *lines, size_t room) {
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

/* Writes a line of a proof; a line that names an atom counts it. */
typedef void random_line_fn(iso_rng *rng, const isolab_history *h, iso_level level, char *line, size_t size,
                            unsigned *atoms);

typedef struct trials {
    iso_env *env;
    iso_rng rng;
    random_line_fn *random_line;
    unsigned lines; /* at random in one proof */

    /* what was seen */
    uint64_t tried, accepted;  /* proofs for histories that satisfy their level */
    uint64_t refused_lines;    /* of the random lines */
    uint64_t neighbours, good; /* that violate the level; whose whole proofs were accepted for them */
} trials;

/* If the prover shows that h with the result of operation from for that of op violates the level, returns
 * true, and tries its proof, whole and damaged, for h, which satisfies it. */
static inline bool try_neighbour(trials *t, iso_pool *pool, const isolab_history *h, iso_level level,
                                 const char *prover, const char *kind, uint32_t op, uint32_t from) {
    const isolab_history *v =
        iso_changed(pool, h, (iso_change){.without_txn = ISO_NONE, .without_op = ISO_NONE, .op = op, .from = from});
    char *proof = NULL;
    if (ask(pool, prover, v, level, &proof) != ISOLAB_VIOLATED || proof == NULL) {
        return false;
    }
    t->neighbours++;
    t->good += verify_lines(t->env, v, level, kind, proof) == 0;
    size_t room = strlen(proof) + 4096;
    char *lines = ISO_NEW(pool, char, room);
    for (int m = 0; m < 6; m++) {
        snprintf(lines, room, "%s", proof);
        for (int d = 0; d < m; d++) {
            damage(&t->rng, lines, room);
        }
        t->tried++;
        t->accepted += verify_lines(t->env, h, level, kind, lines) == 0;
    }
    return true;
}

/* Tries lines at random for h, kept where they are right one by one, and ten random lemmas after them. */
static inline void try_babble(trials *t, const isolab_history *h, iso_level level, const char *kind) {
    char lines[16384] = "", line[256];
    unsigned atoms = 0;
    for (unsigned l = 0; l < t->lines || (atoms > 0 && l < t->lines + 10); l++) {
        unsigned before = atoms;
        size_t n = strlen(lines);
        if (l < t->lines) {
            t->random_line(&t->rng, h, level, line, sizeof line, &atoms);
        } else {
            snprintf(line, sizeof line, "lemma %s%u\n", iso_random_below(&t->rng, 2) ? "-" : "",
                     1 + (unsigned)iso_random_below(&t->rng, atoms));
        }
        if (n + strlen(line) >= sizeof lines) {
            break;
        }
        strcat(lines, line);
        int code = verify_lines(t->env, h, level, kind, lines);
        t->accepted += code == 0;
        t->tried++;
        if (code == ISOLAB_E_INPUT || strstr(t->env->error.message, "ends without") == NULL) {
            lines[n] = '\0';
            atoms = before;
            t->refused_lines += l < t->lines;
        }
    }
}

/* Reports two TAP tests and the counts. */
static inline void report_trials(const trials *t, uint64_t seed) {
    ok(t->accepted == 0 && t->tried > 0, "no proof is accepted for a history that satisfies the level");
    ok(t->good == t->neighbours && t->neighbours > 0, "the undamaged proofs of violating neighbours are accepted");
    diag("seed %llu: %llu proofs tried, of %llu neighbours; %llu random lines refused by themselves",
         (unsigned long long)seed, (unsigned long long)t->tried, (unsigned long long)t->neighbours,
         (unsigned long long)t->refused_lines);
}

#endif
