/* certificates/proof_trim.h: on random clauses of up to four variables, the clauses that it keeps prove the
 * contradiction by themselves, and it fails only if there is none or a lemma does not follow. Propagation and
 * satisfiability are computed here again, by passes over all clauses and by a truth table. */
#include "certificates/proof_trim.h"

#include "base/random.h"
#include "tests/seed.h"
#include "tests/tap.h"

enum { VARS = 4, CLAUSES = 20, WIDTH = 3 };

typedef struct problem {
    uint32_t n, first[CLAUSES + 1];
    int literal[CLAUSES * WIDTH];
    uint8_t kind[CLAUSES], keep[CLAUSES]; /* keep: the clauses that count */
} problem;

static void add_clause(problem *p, iso_rng *rng, iso_clause_kind kind) {
    uint32_t at = p->first[p->n];
    for (uint64_t width = 1 + iso_random_below(rng, WIDTH); width > 0; width--) {
        int var = 1 + (int)iso_random_below(rng, VARS);
        p->literal[at++] = iso_random_below(rng, 2) ? var : -var;
    }
    p->kind[p->n] = (uint8_t)kind;
    p->keep[p->n] = 1;
    p->first[++p->n] = at;
}

/* Returns whether unit propagation of the first n clauses that count refutes the negation of clause `refuted`
 * (UINT32_MAX: none). */
static bool propagates(const problem *p, uint32_t n, uint32_t refuted) {
    bool is[2 * VARS + 1] = {false}, *true_ = &is[VARS], changed = true;
    for (uint32_t l = refuted != UINT32_MAX ? p->first[refuted] : 0; refuted != UINT32_MAX && l < p->first[refuted + 1];
         l++) {
        true_[-p->literal[l]] = true;
    }
    for (int v = 1; v <= VARS; v++) {
        if (true_[v] && true_[-v]) {
            return true;
        }
    }
    while (changed) {
        changed = false;
        for (uint32_t c = 0; c < n; c++) {
            int unit = 0;
            bool done = !p->keep[c] || p->kind[c] == ISO_CLAUSE_TRUE;
            for (uint32_t l = p->first[c]; l < p->first[c + 1] && !done; l++) {
                int x = p->literal[l];
                done = true_[x] || (!true_[-x] && unit != 0 && unit != x); /* true, or two literals remain */
                unit = true_[-x] ? unit : x;
            }
            if (!done && unit == 0) {
                return true;
            }
            if (!done) {
                true_[unit] = changed = true;
            }
        }
    }
    return false;
}

/* Returns whether an assignment meets all rules that count. */
static bool is_satisfiable(const problem *p) {
    for (unsigned assignment = 0; assignment < 1u << VARS; assignment++) {
        bool meets = true;
        for (uint32_t c = 0; c < p->n && meets; c++) {
            bool met = !p->keep[c] || p->kind[c] != ISO_CLAUSE_RULE;
            for (uint32_t l = p->first[c]; l < p->first[c + 1]; l++) {
                int x = p->literal[l];
                met |= ((assignment >> ((x < 0 ? -x : x) - 1)) & 1) == (x > 0);
            }
            meets = met;
        }
        if (meets) {
            return true;
        }
    }
    return false;
}

static bool every_lemma_follows(const problem *p) {
    bool follow = true;
    for (uint32_t c = 0; c < p->n; c++) {
        follow &= !p->keep[c] || p->kind[c] != ISO_CLAUSE_LEMMA || propagates(p, c, c);
    }
    return follow;
}

int main(void) {
    iso_env env;
    iso_env_init(&env);
    iso_pool pool;
    iso_pool_init(&pool, &env);
    uint64_t seed = seed_of_run();
    iso_rng rng = {seed};
    unsigned proved = 0, smaller = 0, refused = 0, unproved = 0, unsound = 0, wrongly_refused = 0;
    for (int round = 0; round < 50000; round++) {
        problem p = {.n = 0};
        uint64_t rules = 3 + iso_random_below(&rng, 10), lemmas = iso_random_below(&rng, 8);
        for (uint64_t i = 0; i < rules + lemmas; i++) {
            add_clause(&p, &rng,
                       i < rules                        ? ISO_CLAUSE_RULE
                       : iso_random_below(&rng, 8) == 0 ? ISO_CLAUSE_TRUE
                                                        : ISO_CLAUSE_LEMMA);
        }
        uint8_t needed[CLAUSES] = {0};
        bool refuted = propagates(&p, p.n, UINT32_MAX), follows = every_lemma_follows(&p);
        bool trimmed = iso_proof_trim(
            &pool,
            &(iso_clause_list){.first = p.first, .literals = p.literal, .kind = p.kind, .n = p.n, .n_vars = VARS},
            needed);
        iso_pool_free(&pool);
        if (!trimmed) {
            refused++;
            wrongly_refused += refuted && follows;
            continue;
        }
        unsound += !refuted;
        unsigned kept = 0;
        for (uint32_t c = 0; c < p.n; c++) {
            p.keep[c] = needed[c];
            kept += needed[c];
        }
        proved++;
        smaller += kept < p.n;
        unproved += is_satisfiable(&p) || !every_lemma_follows(&p) || !propagates(&p, p.n, UINT32_MAX);
    }
    cmp_ok(unsound, "==", 0, "no proof is trimmed that has no contradiction, seed %llu", (unsigned long long)seed);
    cmp_ok(wrongly_refused, "==", 0, "no proof is refused whose lemmas follow, seed %llu", (unsigned long long)seed);
    cmp_ok(unproved, "==", 0, "the kept clauses prove the contradiction by themselves, seed %llu",
           (unsigned long long)seed);
    ok(proved > 1000 && refused > 1000 && smaller > proved / 2,
       "of both kinds there are enough: %u proofs, %u smaller, %u refused", proved, smaller, refused);
    done_testing();
    return exit_status();
}
