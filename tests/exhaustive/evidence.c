/* Evidence (docs/evidence.md): a level of which a history has no case is satisfied where what it builds on is, by
 * `brute`; and the cases of histories without repeated values and lists are those of the definition, written here once
 * more with sets of transactions. On all small histories, and on random ones with everything that a history can
 * have. */
#include "checkers/evidence.h"

#include <stdlib.h>

#include "tests/agree.h"
#include "tests/guarded.h"
#include "tests/random_rounds.h"
#include "tests/seed.h"

static iso_env env;

typedef uint32_t set; /* of transactions, by number */

static set one(uint32_t t) { return (set)1 << t; }

typedef struct tally {
    uint64_t histories, compared, sampled, bounds;
    uint64_t without[ISO_MOST_LEVELS];                       /* cases, and what the level builds on is satisfied */
    uint64_t kept[ISO_MOST_LEVELS], broken[ISO_MOST_LEVELS]; /* with cases: satisfied, violated */
    bool failed;
} tally;

/* What a level adds its cases to: nothing, INT, an order of so and wr, or serializability. */
static int base_of(iso_level level) {
    return level == ISO_INT || level == ISO_CI ? -1 : level == ISO_G1 ? ISO_INT : level >= ISO_LSER ? ISO_SER : ISO_G1;
}

static bool satisfies(const isolab_history *h, iso_level level, bool sessions) {
    iso_pool pool;
    iso_pool_init(&pool, &env);
    iso_result result;
    iso_result_init(&result, &pool);
    iso_question question = {.level = level, .no_session_order = !sessions};
    iso_check(iso_checker_find("brute"), h, &question, &result);
    bool yes = result.verdict == ISOLAB_SATISFIED;
    iso_pool_free(&pool);
    return yes;
}

static bool complain(tally *t, const isolab_history *h, iso_level level, const char *what, uint64_t n,
                     uint64_t expected) {
    diag("%s: %s: %llu, %llu", iso_level_get(level)->name, what, (unsigned long long)n, (unsigned long long)expected);
    iso_agree_print(&env, h);
    t->failed = true;
    return false;
}

/* ---- the definition, by sets ---- */

typedef struct model {
    const isolab_history *h;
    set in, writers[8]; /* by key */
    set before[32];     /* (so|wr) directly */
    set past[32];       /* (so|wr)+ */
} model;

static bool in(set s, uint32_t t) { return s >> t & 1; }

/* The transaction that a read is from; ISO_INIT, or ISO_NONE where it is the reader's own. */
static uint32_t source(const isolab_history *h, uint32_t o) {
    uint32_t from = h->op_writer[o];
    return from == ISO_INIT ? ISO_INIT : h->op_txn[from] == h->op_txn[o] ? ISO_NONE : h->op_txn[from];
}

static void make_model(model *m, const isolab_history *h) {
    *m = (model){.h = h};
    for (uint32_t t = 0; t < h->n_txns; t++) {
        m->in |= h->txn_counts[t] == ISO_INCLUDED ? one(t) : 0;
    }
    for (uint32_t o = 0; o < h->n_ops; o++) {
        uint32_t t = h->op_txn[o];
        if (!in(m->in, t)) {
            continue;
        }
        if (h->op_kind[o] == ISO_WRITE) {
            m->writers[h->op_key[o]] |= one(t);
        } else if (source(h, o) != ISO_INIT && source(h, o) != ISO_NONE) {
            m->before[t] |= one(source(h, o));
        }
    }
    for (uint32_t t = 0; t < h->n_txns; t++) {
        for (uint32_t u = 0; u < t; u++) {
            m->before[t] |= h->txn_session[u] == h->txn_session[t] && in(m->in, t) ? one(u) & m->in : 0;
        }
        m->past[t] = m->before[t];
    }
    for (uint32_t via = 0; via < h->n_txns; via++) {
        for (uint32_t t = 0; t < h->n_txns; t++) {
            m->past[t] |= in(m->past[t], via) ? m->past[via] : 0;
        }
    }
}

/* Does t read anything (from pc up: nothing need be read) from t2 before operation r, of another key than `not_key`? */
static bool read_before(const model *m, uint32_t t2, uint32_t r, uint32_t not_key) {
    for (uint32_t o = m->h->txn_op[m->h->op_txn[r]]; o < r; o++) {
        if (m->h->op_kind[o] == ISO_READ && m->h->op_key[o] != not_key && source(m->h, o) == t2) {
            return true;
        }
    }
    return false;
}

/* Is read r, with t2 another writer of its key, a case of the level? */
static bool is_case(const model *m, iso_level level, uint32_t r, uint32_t t2, bool sessions) {
    const isolab_history *h = m->h;
    uint32_t t = h->op_txn[r], key = h->op_key[r];
    set reads = 0;
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        reads |= h->op_kind[o] == ISO_READ && source(h, o) < h->n_txns ? one(source(h, o)) : 0;
    }
    bool later = sessions && h->txn_session[t2] == h->txn_session[t] && t2 > t;
    bool follows = sessions ? m->before[t] != 0 : reads != 0, contends = false;
    for (uint32_t u = 0; u < h->n_txns; u++) {
        for (uint32_t k = 0; k < h->n_keys && !(sessions && h->txn_session[u] == h->txn_session[t] && u > t); k++) {
            contends |= u != t && in(m->writers[k], u) && in(m->writers[k], t);
        }
    }
    switch (level) {
    case ISO_RC_PLUME:
        return read_before(m, t2, r, key);
    case ISO_RC:
        return read_before(m, t2, r, ISO_NONE);
    case ISO_RA:
        return in(m->before[t], t2);
    case ISO_CC:
        return in(m->past[t], t2);
    case ISO_PC:
        return !later && follows;
    case ISO_SI:
        return !later && (follows || contends);
    default:
        return !later;
    }
}

static bool meet(const isolab_history *h, uint32_t t, uint32_t u) {
    bool any = false;
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        for (uint32_t p = h->txn_op[u]; p < h->txn_op[u + 1]; p++) {
            any |= h->op_key[o] == h->op_key[p];
        }
    }
    return any;
}

/* Triples of a reader, a key and another writer of it; of the weakest levels, and of lser and sser, what
 * docs/evidence.md says. */
static uint64_t count(const model *m, iso_level level, bool sessions) {
    const isolab_history *h = m->h;
    uint64_t n = 0;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        set seen[8] = {0}, keys = 0;
        bool after = false, after_of_key = false;
        for (uint32_t u = 0; u < h->n_txns && in(m->in, t); u++) {
            bool same = h->txn_session[u] == h->txn_session[t];
            bool before = in(m->in, u) && (!same || u > t) && iso_before_in_time(h, u, t);
            after |= before;
            after_of_key |= before && meet(h, t, u);
        }
        n += (level == ISO_SSER && after) || (level == ISO_LSER && after_of_key);
        for (uint32_t r = h->txn_op[t]; r < h->txn_op[t + 1] && in(m->in, t); r++) {
            if (h->op_kind[r] != ISO_READ) {
                continue;
            }
            uint32_t from = source(h, r), key = h->op_key[r];
            n += level == ISO_INT || (level == ISO_G1 && from < h->n_txns) ||
                 (level == ISO_CI && from != ISO_NONE && in(keys, key));
            keys |= from != ISO_NONE ? one(key) : 0;
            for (uint32_t t2 = 0; t2 < h->n_txns && from != ISO_NONE && level >= ISO_RC_PLUME && level <= ISO_SER;
                 t2++) {
                if (t2 != t && t2 != from && in(m->writers[key], t2) && !in(seen[key], t2) &&
                    is_case(m, level, r, t2, sessions)) {
                    seen[key] |= one(t2);
                    n++;
                }
            }
        }
    }
    return n;
}

/* ---- both tests on one history ---- */

static bool compare(tally *t, const isolab_history *h, const iso_evidence *e, iso_levels satisfied, bool sessions) {
    model m;
    if (!h->unique || h->has_lists || (satisfied & ISO_LEVEL_BIT(ISO_G1)) == 0) {
        return true;
    }
    make_model(&m, h);
    for (int l = 0; l < iso_n_levels; l++) {
        uint64_t expected = count(&m, l, sessions);
        if ((!sessions && l != ISO_SI && l != ISO_SER) || e->cases[l] == expected) {
            t->compared++;
        } else {
            return complain(t, h, l, sessions ? "cases, expected" : "cases without sessions, expected", e->cases[l],
                            expected);
        }
    }
    return true;
}

/* What is found in a sample, as in a large history: lower bounds, and the same numbers 0. */
static bool sampled(tally *t, iso_pool *pool, const isolab_history *h, const iso_evidence *e, bool sessions) {
    for (uint64_t size = 1; 4 * size < h->n_ops; size++) {
        iso_evidence s = iso_find_evidence(
            pool, h, (iso_evidence_question){.levels = ISO_ALL_LEVELS, .no_session_order = !sessions, .sample = size});
        for (int l = 0; l < iso_n_levels; l++) {
            bool zero = s.cases[l] == 0, exact = (s.exact & ISO_LEVEL_BIT(l)) != 0;
            t->sampled++;
            t->bounds += s.cases[l] > 0 && s.cases[l] < e->cases[l];
            if ((s.counted & ISO_LEVEL_BIT(l)) != 0 && zero == (e->cases[l] == 0) && s.cases[l] <= e->cases[l] &&
                (exact ? s.cases[l] == e->cases[l] : !zero)) {
                continue;
            }
            return complain(t, h, l, "cases in a sample, in all", s.cases[l], e->cases[l]);
        }
        if (s.shared_keys > e->shared_keys || (s.shared_keys == 0) != (e->shared_keys == 0) ||
            s.reads_elsewhere > e->reads_elsewhere ||
            (s.reads_elsewhere == 0 ? !s.none_elsewhere || e->reads_elsewhere > 0 : s.none_elsewhere) ||
            s.reads > e->reads) {
            return complain(t, h, ISO_INT, "reads, or shared keys", s.reads, e->reads);
        }
    }
    return true;
}

static bool test(void *arg, const isolab_history *h) {
    tally *t = arg;
    iso_pool pool;
    iso_pool_init(&pool, &env);
    t->histories++;
    for (int sessions = 1; sessions >= 0; sessions--) {
        iso_levels satisfied = 0;
        iso_evidence e = iso_find_evidence(
            &pool, h, (iso_evidence_question){.levels = ISO_ALL_LEVELS, .no_session_order = !sessions});
        for (int l = 0; l < iso_n_levels; l++) {
            bool asked = sessions || l == ISO_SI || l == ISO_SER;
            /* without session order si and ser still build on g1, whose session order then is left out, too */
            satisfied |= satisfies(h, l, sessions) ? ISO_LEVEL_BIT(l) : 0;
            int base = base_of(l);
            if (!asked || (base >= 0 && (satisfied & ISO_LEVEL_BIT(base)) == 0)) {
                continue;
            }
            bool kept = (satisfied & ISO_LEVEL_BIT(l)) != 0;
            if (e.cases[l] == 0 && !kept) {
                iso_pool_free(&pool);
                return complain(t, h, l, sessions ? "violated without a case" : "violated without a case and sessions",
                                0, 1);
            }
            t->without[l] += e.cases[l] == 0;
            t->kept[l] += e.cases[l] > 0 && kept;
            t->broken[l] += e.cases[l] > 0 && !kept;
        }
        bool consistent = (satisfied & ISO_LEVEL_BIT(ISO_INT)) != 0;
        if (!compare(t, h, &e, satisfied, sessions) || (consistent && !sampled(t, &pool, h, &e, sessions))) {
            iso_pool_free(&pool);
            return false;
        }
    }
    iso_pool_free(&pool);
    return true;
}

static void report(const tally *t, const char *what, bool every) {
    bool all = true;
    for (int l = 0; l < iso_n_levels; l++) {
        diag("%s, %s: %llu without cases; with cases %llu satisfied, %llu violated", what,
             iso_level_get((iso_level)l)->name, (unsigned long long)t->without[l], (unsigned long long)t->kept[l],
             (unsigned long long)t->broken[l]);
        all &= (l >= ISO_LSER && !every) || (t->without[l] > 0 && t->kept[l] > 0 && t->broken[l] > 0);
    }
    ok(!t->failed, "%s: without a case nothing is violated", what);
    ok(all, "%s: with and without cases, satisfied and violated, at every level", what);
    diag("%s: %llu histories, %llu counts compared with the definition, %llu with a sample, %llu lower bounds", what,
         (unsigned long long)t->histories, (unsigned long long)t->compared, (unsigned long long)t->sampled,
         (unsigned long long)t->bounds);
    ok(t->bounds > 0, "%s: a sample has fewer cases", what);
}

static void random_ones(const char *what, const iso_small_shape *shape) {
    tally t = {.failed = false};
    random_rounds(&env, shape, iso_agree_rounds(2000, 20000, 2000000), test, &t);
    report(&t, what, shape->times);
}

static void run(void *arg) {
    (void)arg;
    bool deep = getenv("ISOLAB_DEEP") != NULL;
    iso_pool pool;
    iso_pool_init(&pool, &env);
    tally all = {.failed = false};
    iso_enumerate(&pool,
                  &(iso_enumeration){
                      .txns = 3, .ops = deep ? 3 : 2, .keys = 2, .aborted = true, .parts = iso_agree_parts(50, 4, 20)},
                  test, &all);
    report(&all, "a part of all of up to 3 transactions", false);
    diag("seed %llu", (unsigned long long)seed_or(1));
    iso_small_shape shape = {
        .txns = 5, .ops = 4, .keys = 2, .sessions = 4, .aborted = true, .indeterminate = true, .times = true};
    random_ones("random histories", &shape);
    shape.duplicates = true;
    random_ones("with repeated values", &shape);
    shape.lists = true;
    random_ones("with lists and repeated values", &shape);
    shape.unique_elements = true;
    random_ones("with lists", &shape);
}

int main(void) { return run_guarded(&env, run); }
