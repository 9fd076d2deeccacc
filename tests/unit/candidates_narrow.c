/* Tests checkers/candidates/narrow.c: what plain narrowing refutes, `candidates` refutes without a decision of its
 * search. The narrowing here works on a matrix of what comes before what. Known are session order, reads with one
 * remaining writer, and the instances of the axiom that follow from them; a writer is ruled out if its reader is known
 * to come before it, or if it is known to come before another writer of the key that the reader sees. (`candidates`
 * ends after a sweep that settles no read, although the edges of that sweep may rule out more: so one in 20 may be left
 * to the search.) On random histories of repeated values, of which some begin with a value that is also written. */
#include <stdio.h>
#include <string.h>

#include "checkers/checker.h"
#include "generators/random_small.h"
#include "history/read_consistency.h"
#include "tests/agree.h"
#include "tests/changed.h"
#include "tests/guarded.h"
#include "tests/seed.h"

enum { TXNS = 16, READS = 100, WRITERS = TXNS + 1 };

static iso_env env;

/* A read of what other transactions wrote. A writer's number is its transaction, or TXNS for the initial one. */
typedef struct outer_read {
    uint32_t op;
    bool left[WRITERS];
} outer_read;

typedef struct problem {
    const isolab_history *h;
    iso_level level;
    bool known[TXNS][TXNS], causal[TXNS][TXNS]; /* before */
    outer_read read[READS];
    uint32_t n;
    bool refuted;
} problem;

static void put(bool before[TXNS][TXNS], uint32_t from, uint32_t to) {
    for (uint32_t u = 0; u < TXNS; u++) {
        for (uint32_t v = 0; v < TXNS; v++) {
            before[u][v] |= (u == from || before[u][from]) && (v == to || before[to][v]);
        }
    }
}

/* The transaction's last write of a key; ISO_NONE: none. */
static uint32_t last_write(const isolab_history *h, uint32_t t, uint32_t key, uint32_t end) {
    uint32_t last = ISO_NONE;
    for (uint32_t o = h->txn_op[t]; o < end; o++) {
        last = h->op_kind[o] == ISO_WRITE && h->op_key[o] == key ? o : last;
    }
    return last;
}

static bool writes(const problem *p, uint32_t t, uint32_t key) {
    return last_write(p->h, t, key, p->h->txn_op[t + 1]) != ISO_NONE;
}

/* The only remaining writer of a read; WRITERS: there are several; sets refuted if there is none. */
static uint32_t only(problem *p, const outer_read *r) {
    uint32_t n = 0, one = WRITERS;
    for (uint32_t w = 0; w < WRITERS; w++) {
        if (r->left[w]) {
            one = w;
            n++;
        }
    }
    p->refuted |= n == 0;
    return n == 1 ? one : WRITERS;
}

static void fill(problem *p, const isolab_history *h, iso_level level) {
    memset(p, 0, sizeof *p);
    p->h = h;
    p->level = level;
    for (uint32_t t = 0, before = ISO_NONE; t < h->n_txns; t++) {
        if (h->txn_counts[t] != ISO_INCLUDED) {
            continue;
        }
        if (before != ISO_NONE && h->txn_session[before] == h->txn_session[t]) {
            put(p->known, before, t);
            put(p->causal, before, t);
        }
        before = t;
        for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
            if (h->op_kind[o] != ISO_READ || last_write(h, t, h->op_key[o], o) != ISO_NONE || p->n == READS) {
                continue;
            }
            outer_read *r = &p->read[p->n++];
            r->op = o;
            r->left[TXNS] = iso_version_is_initial(h, h->op_version[o]);
            for (uint32_t u = 0; u < h->n_txns; u++) {
                uint32_t w = last_write(h, u, h->op_key[o], h->txn_op[u + 1]);
                r->left[u] =
                    h->txn_counts[u] == ISO_INCLUDED && u != t && w != ISO_NONE && h->op_version[w] == h->op_version[o];
            }
        }
    }
}

/* Whether the reader of r sees t2, for this read, by what is known. */
static bool sees(problem *p, const outer_read *r, uint32_t t2) {
    uint32_t t3 = p->h->op_txn[r->op];
    if (p->level == ISO_CC) {
        return p->causal[t2][t3];
    }
    bool seen = p->level == ISO_RA && p->h->txn_session[t2] == p->h->txn_session[t3] && t2 < t3;
    for (uint32_t i = 0; i < p->n; i++) {
        bool counts = p->h->op_txn[p->read[i].op] == t3 && (p->level == ISO_RA || p->read[i].op < r->op);
        seen |= counts && only(p, &p->read[i]) == t2;
    }
    return seen;
}

/* Infers from one read. Returns whether anything is new. */
static bool look(problem *p, outer_read *r) {
    const isolab_history *h = p->h;
    uint32_t t3 = h->op_txn[r->op], one = only(p, r);
    bool changed = false;
    if (one < TXNS && !(p->known[one][t3] && p->causal[one][t3])) {
        put(p->known, one, t3);
        put(p->causal, one, t3);
        changed = true;
    }
    for (uint32_t t2 = 0; t2 < h->n_txns; t2++) {
        if (t2 == t3 || h->txn_counts[t2] != ISO_INCLUDED || !writes(p, t2, h->op_key[r->op]) || !sees(p, r, t2)) {
            continue;
        }
        for (uint32_t w = 0; w < WRITERS; w++) {
            bool out = r->left[w] && w != t2 && (w == TXNS || p->known[w][t2]);
            changed |= out;
            r->left[w] &= !out;
        }
        if (one < TXNS && one != t2 && !p->known[t2][one]) {
            put(p->known, t2, one);
            changed = true;
        }
    }
    for (uint32_t w = 0; w < TXNS; w++) {
        bool out = r->left[w] && p->known[t3][w];
        changed |= out;
        r->left[w] &= !out;
    }
    only(p, r);
    return changed;
}

static bool refuted(problem *p) {
    for (bool changed = true; changed && !p->refuted;) {
        changed = false;
        for (uint32_t i = 0; i < p->n && !p->refuted; i++) {
            changed |= look(p, &p->read[i]);
        }
        for (uint32_t t = 0; t < TXNS; t++) {
            p->refuted |= p->known[t][t];
        }
    }
    return p->refuted;
}

static void any(void *arg, iso_int_kind kind, uint32_t read, uint32_t other) {
    (void)arg, (void)kind, (void)read, (void)other;
}

typedef struct tally {
    uint64_t asked, refuted, decided;
} tally;

static void test(tally *y, const isolab_history *h, iso_level level, uint64_t seed) {
    static problem p;
    iso_pool pool;
    iso_pool_init(&pool, &env);
    if (h->n_txns <= TXNS && iso_check_int(h, &pool, any, NULL) == 0) {
        fill(&p, h, level);
        y->asked++;
        if (refuted(&p)) {
            iso_result r;
            uint64_t decisions = 0; /* where nothing is searched, nothing is counted */
            iso_result_init(&r, &pool);
            iso_check(iso_checker_find("candidates"), h, &(iso_question){.level = level, .limit = 1}, &r);
            for (unsigned i = 0; i < r.n_counters; i++) {
                decisions = strcmp(r.counter[i].name, "decisions") == 0 ? r.counter[i].value : decisions;
            }
            bool right = r.verdict == ISOLAB_VIOLATED && decisions == 0;
            y->refuted++;
            y->decided += !right;
            if (!right && y->decided == 1) {
                diag("seed %llu: %lld decisions", (unsigned long long)seed, (long long)decisions);
                iso_agree_print(&env, h);
            }
        }
    }
    iso_pool_free(&pool);
}

static void on(iso_small_shape shape, uint64_t rounds) {
    static const iso_level levels[] = {ISO_RC, ISO_RA, ISO_CC};
    uint64_t first = seed_or(1);
    for (size_t l = 0; l < sizeof levels / sizeof *levels; l++) {
        tally y = {0};
        for (uint64_t seed = first; seed < first + rounds; seed++) {
            iso_pool pool;
            iso_pool_init(&pool, &env);
            const isolab_history *h = iso_random_small(&pool, seed, &shape);
            test(&y, seed % 3 == 0 ? iso_begun_at(&pool, h, 1) : h, levels[l], seed);
            iso_pool_free(&pool);
        }
        ok(20 * y.decided <= y.refuted && y.refuted > 0,
           "%s, %u transactions: %llu of %llu histories are refuted by narrowing, and %llu of these by search",
           iso_level_get(levels[l])->name, shape.txns, (unsigned long long)y.refuted, (unsigned long long)y.asked,
           (unsigned long long)y.decided);
    }
}

static void tests(void *pool) {
    (void)pool;
    uint64_t rounds = iso_agree_rounds(500, 2000, 300000);
    on((iso_small_shape){.txns = 6, .ops = 4, .keys = 2, .sessions = 4, .duplicates = true, .aborted = true}, rounds);
    on((iso_small_shape){.txns = TXNS, .ops = 4, .keys = 4, .sessions = 5, .duplicates = true}, rounds / 4);
    on((iso_small_shape){.txns = TXNS, .ops = 4, .keys = 8, .sessions = 12, .duplicates = true}, rounds / 4);
}

int main(void) { return run_guarded(&env, tests); }
