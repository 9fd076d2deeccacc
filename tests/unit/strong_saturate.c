/* Tests stage `saturate` of `strong`, alone: what unit propagation of all constraints refutes, it refutes, without a
 * search. The propagation here is a plain one, on a matrix of what comes before what. A constraint says that one of two
 * arcs holds: where one of them would close a cycle, the other one holds. On random histories of unique values, at ser
 * and si, by session clocks and stretch by stretch.
 *
 * At ser the points are transactions; at si each has a start and a commit (docs/strong.md). */
#include <stdio.h>
#include <string.h>

#include "checkers/checker.h"
#include "generators/random_small.h"
#include "history/read_consistency.h"
#include "tests/agree.h"
#include "tests/guarded.h"
#include "tests/seed.h"

enum { TXNS = 40, POINTS = 2 * TXNS, CONSTRAINTS = 20000 };

static iso_env env;

typedef struct arc {
    uint8_t from, to;
} arc;

typedef struct problem {
    const isolab_history *h;
    bool two; /* points for each transaction */
    bool before[POINTS][POINTS];
    arc either[CONSTRAINTS][2];
    uint32_t n;
    bool cyclic;
} problem;

static uint8_t start(const problem *p, uint32_t t) { return (uint8_t)(p->two ? 2 * t : t); }
static uint8_t commit(const problem *p, uint32_t t) { return (uint8_t)(p->two ? 2 * t + 1 : t); }

static void put(problem *p, arc a) {
    for (uint32_t u = 0; u < POINTS; u++) {
        for (uint32_t v = 0; v < POINTS; v++) {
            bool from = u == a.from || p->before[u][a.from], to = v == a.to || p->before[a.to][v];
            p->before[u][v] |= from && to;
        }
        p->cyclic |= p->before[u][u];
    }
}

static bool closes(const problem *p, arc a) { return a.from == a.to || p->before[a.to][a.from]; }

static bool is_last_write(const isolab_history *h, uint32_t o) {
    bool last = h->op_kind[o] == ISO_WRITE && h->txn_counts[h->op_txn[o]] == ISO_INCLUDED;
    for (uint32_t q = o + 1; q < h->txn_op[h->op_txn[o] + 1]; q++) {
        last = last && !(h->op_kind[q] == ISO_WRITE && h->op_key[q] == h->op_key[o]);
    }
    return last;
}

static void constrain(problem *p, arc one, arc other) {
    if (p->n < CONSTRAINTS) {
        p->either[p->n][0] = one;
        p->either[p->n++][1] = other;
    }
}

/* An operation reads from the last write w of another transaction, or from the initial one: another writer comes before
 * the one or after the other. */
static void add_read(problem *p, uint32_t o) {
    const isolab_history *h = p->h;
    uint32_t r = h->op_txn[o], w = h->op_writer[o], from = w == ISO_INIT ? ISO_INIT : h->op_txn[w];
    if (from == r) {
        return;
    }
    if (from != ISO_INIT) {
        put(p, (arc){commit(p, from), start(p, r)});
    }
    for (uint32_t other = 0; other < h->n_ops; other++) {
        uint32_t u = h->op_txn[other];
        if (is_last_write(h, other) && h->op_key[other] == h->op_key[o] && u != r && u != from) {
            arc after = {start(p, r), commit(p, u)};
            if (from == ISO_INIT) {
                put(p, after);
            } else {
                constrain(p, (arc){commit(p, u), start(p, from)}, after);
            }
        }
    }
}

static void fill(problem *p, const isolab_history *h, bool two) {
    memset(p, 0, sizeof *p);
    p->h = h;
    p->two = two;
    for (uint32_t t = 0, before = ISO_NONE; t < h->n_txns; t++) {
        if (h->txn_counts[t] != ISO_INCLUDED) {
            continue;
        }
        if (two) {
            put(p, (arc){start(p, t), commit(p, t)});
        }
        if (before != ISO_NONE && h->txn_session[before] == h->txn_session[t]) {
            put(p, (arc){commit(p, before), start(p, t)});
        }
        before = t;
    }
    for (uint32_t o = 0; o < h->n_ops; o++) {
        if (h->op_kind[o] == ISO_READ && h->txn_counts[h->op_txn[o]] == ISO_INCLUDED) {
            add_read(p, o);
        }
        for (uint32_t q = 0; two && q < o && is_last_write(h, o); q++) {
            uint32_t a = h->op_txn[q], b = h->op_txn[o];
            if (is_last_write(h, q) && h->op_key[q] == h->op_key[o] && a != b) {
                constrain(p, (arc){commit(p, a), start(p, b)}, (arc){commit(p, b), start(p, a)});
            }
        }
    }
}

/* Returns whether the constraints contradict each other. */
static bool refuted(problem *p) {
    for (bool changed = true; changed && !p->cyclic;) {
        changed = false;
        for (uint32_t i = 0; i < p->n && !p->cyclic; i++) {
            for (int k = 0; k < 2; k++) {
                arc forced = p->either[i][!k];
                if (closes(p, p->either[i][k]) && !p->before[forced.from][forced.to]) {
                    p->cyclic |= closes(p, forced);
                    put(p, forced);
                    changed = true;
                }
            }
        }
    }
    return p->cyclic;
}

static void any(void *arg, iso_int_kind kind, uint32_t read, uint32_t other) {
    (void)arg, (void)kind, (void)read, (void)other;
}

typedef struct tally {
    uint64_t asked, refuted, searched;
} tally;

static void look(tally *y, const isolab_history *h, iso_level level, const char *options, uint64_t seed) {
    static problem p;
    iso_pool pool;
    iso_pool_init(&pool, &env);
    if (h->n_txns <= TXNS && iso_check_int(h, &pool, any, NULL) == 0) {
        fill(&p, h, level == ISO_SI);
        y->asked++;
        if (refuted(&p)) {
            iso_result r;
            iso_question question = {.level = level, .options = options, .limit = 1};
            bool search = false;
            iso_result_init(&r, &pool);
            iso_check(iso_checker_find("strong"), h, &question, &r);
            for (unsigned i = 0; i < r.n_phases; i++) {
                search |= strcmp(r.phase[i].name, "search") == 0;
            }
            y->refuted++;
            y->searched += search || r.verdict != ISOLAB_VIOLATED;
            if (search && y->searched == 1) {
                diag("seed %llu", (unsigned long long)seed);
                iso_agree_print(&env, h);
            }
        }
    }
    iso_pool_free(&pool);
}

static void on(const char *options, iso_small_shape shape, uint64_t rounds) {
    static const iso_level levels[] = {ISO_SER, ISO_SI};
    uint64_t first = seed_or(1);
    for (int l = 0; l < 2; l++) {
        tally y = {0};
        for (uint64_t seed = first; seed < first + rounds; seed++) {
            iso_pool pool;
            iso_pool_init(&pool, &env);
            look(&y, iso_random_small(&pool, seed, &shape), levels[l], options, seed);
            iso_pool_free(&pool);
        }
        ok(y.searched == 0 && y.refuted > 0,
           "%s, %u transactions, %s: %llu of %llu histories are refuted by propagation, and %llu of these searched",
           iso_level_get(levels[l])->name, shape.txns, strrchr(options, ',') + 1, (unsigned long long)y.refuted,
           (unsigned long long)y.asked, (unsigned long long)y.searched);
    }
}

static void tests(void *pool) {
    (void)pool;
    static const char *const options[] = {"execute=no,guess=no,direct=no,serial=no,saturate=clocks",
                                          "execute=no,guess=no,direct=no,serial=no,saturate=stretches",
                                          "execute=no,guess=no,direct=no,serial=no,saturate=chains"};
    uint64_t rounds = iso_agree_rounds(500, 1000, 300000);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        on(options[i], (iso_small_shape){.txns = 7, .ops = 4, .keys = 3, .sessions = 4, .aborted = true}, rounds);
        on(options[i], (iso_small_shape){.txns = 24, .ops = 4, .keys = 6, .sessions = 6}, rounds / 5);
        on(options[i], (iso_small_shape){.txns = 24, .ops = 3, .keys = 4, .sessions = 20}, rounds / 5);
        on(options[i], (iso_small_shape){.txns = TXNS, .ops = 3, .keys = 10, .sessions = 12}, rounds / 25);
    }
}

int main(void) { return run_guarded(&env, tests); }
