/* Tests checkers/hardness.h: every number is made again from its definition, by trying all subsets, by matrices, and by
 * taking sessions away, on random small histories with every feature. */
#include "checkers/hardness.h"

#include <string.h>

#include "generators/random_small.h"
#include "tests/agree.h"
#include "tests/guarded.h"
#include "tests/seed.h"

#define MOST 16

static iso_env env;

typedef struct again {
    bool before[MOST][MOST], edge[MOST][MOST]; /* edge: so|wr; before: its closure */
    bool wr[MOST][MOST];
    const isolab_history *h;
} again;

static bool in(const isolab_history *h, uint32_t t) { return h->txn_counts[t] == ISO_INCLUDED; }

static uint32_t source(const isolab_history *h, uint32_t o) {
    uint32_t w = h->op_writer[o];
    return !iso_is_write(h->op_kind[o]) && w < h->n_ops && h->op_txn[w] != h->op_txn[o] && in(h, h->op_txn[w])
               ? h->op_txn[w]
               : ISO_NONE;
}

static void close(again *a) {
    for (uint32_t k = 0; k < a->h->n_txns; k++) {
        for (uint32_t i = 0; i < a->h->n_txns; i++) {
            for (uint32_t j = 0; j < a->h->n_txns; j++) {
                a->before[i][j] |= a->before[i][k] && a->before[k][j];
            }
        }
    }
}

static again look(const isolab_history *h) {
    again a = {.h = h};
    for (uint32_t t = 0; t < h->n_txns; t++) {
        for (uint32_t s = 0; s < t; s++) {
            a.edge[s][t] = in(h, s) && in(h, t) && h->txn_session[s] == h->txn_session[t];
        }
        for (uint32_t o = h->txn_op[t]; in(h, t) && o < h->txn_op[t + 1]; o++) {
            if (source(h, o) != ISO_NONE) {
                a.edge[source(h, o)][t] = a.wr[source(h, o)][t] = true;
            }
        }
    }
    memcpy(a.before, a.edge, sizeof a.before);
    close(&a);
    return a;
}

static bool cyclic(const again *a) {
    for (uint32_t t = 0; t < a->h->n_txns; t++) {
        if (a->before[t][t]) {
            return true;
        }
    }
    return false;
}

static uint64_t component(const again *a) {
    uint64_t best = 0;
    for (uint32_t t = 0; t < a->h->n_txns; t++) {
        uint64_t n = in(a->h, t);
        for (uint32_t s = 0; s < a->h->n_txns; s++) {
            n += s != t && a->before[s][t] && a->before[t][s];
        }
        best = n > best ? n : best;
    }
    return best;
}

/* The largest set of which none is before another; by all subsets. */
static uint64_t width(const again *a, bool chain) {
    uint64_t best = 0;
    for (uint32_t set = 0; set < (uint32_t)1 << a->h->n_txns; set++) {
        bool good = true;
        for (uint32_t i = 0; i < a->h->n_txns && good; i++) {
            good = !(set >> i & 1) || in(a->h, i);
            for (uint32_t j = 0; j < i && good; j++) {
                if ((set >> i & 1) && (set >> j & 1)) {
                    good = (a->before[i][j] || a->before[j][i]) == chain;
                }
            }
        }
        uint64_t n = (uint64_t)__builtin_popcount(set);
        best = good && n > best ? n : best;
    }
    return best;
}

static uint64_t work(const again *a) {
    const isolab_history *h = a->h;
    uint64_t sum = 0;
    for (uint32_t w = 0; w < h->n_txns; w++) {
        for (uint32_t t = 0; t < h->n_txns; t++) {
            uint64_t writes = 0, reads = 0;
            for (uint32_t o = h->txn_op[w]; o < h->txn_op[w + 1]; o++) {
                writes += iso_is_write(h->op_kind[o]);
            }
            for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
                reads += source(h, o) != ISO_NONE;
            }
            sum += !a->wr[w][t] ? 0 : writes < reads ? writes : reads;
        }
    }
    return sum;
}

static bool writes_key(const isolab_history *h, uint32_t t, uint32_t k) {
    bool found = false;
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        found |= in(h, t) && iso_is_write(h->op_kind[o]) && h->op_key[o] == k;
    }
    return found;
}

/* Saturation under ser, by the definition of docs/levels.md: until nothing changes. */
static uint64_t open_pairs(again *a) {
    const isolab_history *h = a->h;
    for (bool more = true; more;) {
        bool was[MOST][MOST];
        memcpy(was, a->before, sizeof was);
        for (uint32_t o = 0; o < h->n_ops; o++) {
            uint32_t t = h->op_txn[o], from = h->op_writer[o] == ISO_INIT ? ISO_INIT : source(h, o);
            for (uint32_t u = 0; u < h->n_txns; u++) {
                if (iso_is_write(h->op_kind[o]) || !in(h, t) || from == ISO_NONE || u == t || u == from ||
                    !writes_key(h, u, h->op_key[o])) {
                    continue;
                }
                if (from == ISO_INIT || a->before[from][u]) {
                    a->before[t][u] = true;
                }
                if (from != ISO_INIT && a->before[u][t]) {
                    a->before[u][from] = true;
                }
            }
        }
        close(a);
        more = memcmp(was, a->before, sizeof was) != 0;
    }
    if (cyclic(a)) {
        return ISO_HARDNESS_UNKNOWN;
    }
    uint64_t open = 0;
    for (uint32_t k = 0; k < h->n_keys; k++) {
        for (uint32_t t = 0; t < h->n_txns; t++) {
            for (uint32_t s = 0; s < t; s++) {
                open += writes_key(h, s, k) && writes_key(h, t, k) && !a->before[s][t] && !a->before[t][s];
            }
        }
    }
    return open;
}

/* ---- blocks: sets of sessions that stay connected whichever one is taken away, as large as possible ---- */

static bool connected(bool joined[MOST][MOST], uint32_t set) {
    if (set == 0) {
        return true;
    }
    uint32_t reached = set & (~set + 1);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t a = 0; a < MOST; a++) {
            for (uint32_t b = 0; b < MOST; b++) {
                if ((reached >> a & 1) && (set >> b & 1) && !(reached >> b & 1) && joined[a][b]) {
                    reached |= (uint32_t)1 << b;
                    more = true;
                }
            }
        }
    }
    return reached == set;
}

static bool is_block(bool joined[MOST][MOST], uint32_t set) {
    bool good = connected(joined, set);
    for (uint32_t a = 0; a < MOST && good; a++) {
        good = !(set >> a & 1) || connected(joined, set & ~((uint32_t)1 << a));
    }
    return good;
}

static void blocks(const isolab_history *h, uint64_t *n, uint64_t *largest) {
    bool joined[MOST][MOST] = {{false}}, any = false;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        for (uint32_t p = 0; p < h->n_ops; p++) {
            if (in(h, h->op_txn[o]) && in(h, h->op_txn[p]) && h->op_key[o] == h->op_key[p]) {
                joined[h->txn_session[h->op_txn[o]]][h->txn_session[h->op_txn[p]]] = any = true;
            }
        }
    }
    *n = 0;
    *largest = any;
    for (uint32_t set = 0; set < (uint32_t)1 << h->n_sessions; set++) {
        bool most = __builtin_popcount(set) >= 2 && is_block(joined, set);
        for (uint32_t more = 0; more < (uint32_t)1 << h->n_sessions && most; more++) {
            most = (more & set) != set || more == set || !is_block(joined, more);
        }
        *n += most;
        *largest = most && (uint64_t)__builtin_popcount(set) > *largest ? (uint64_t)__builtin_popcount(set) : *largest;
    }
}

typedef struct score {
    uint64_t n, order, wide, cycles, work, open, some_open, blocks, many_blocks, component, memory;
} score;

static void compare(score *s, const isolab_history *h) {
    if (h->n_txns > MOST || h->n_sessions > 7) {
        return;
    }
    iso_pool pool;
    iso_pool_init(&pool, &env);
    iso_hardness w = iso_hardness_of(h, &pool);
    again a = look(h);
    uint64_t n_blocks, largest;
    blocks(h, &n_blocks, &largest);
    s->n++;
    if (cyclic(&a)) {
        s->cycles++;
        s->order += w.width_most != ISO_HARDNESS_UNKNOWN || w.depth != ISO_HARDNESS_UNKNOWN;
        s->open += w.open_pairs != ISO_HARDNESS_UNKNOWN;
    } else {
        uint64_t exact = width(&a, false);
        s->order += w.width_least > exact || w.width_most < exact || w.depth != width(&a, true);
        s->wide += w.width_least < exact || w.width_most > exact;
    }
    s->component += w.largest_component != component(&a);
    s->work += w.work != work(&a);
    if (!cyclic(&a)) {
        uint64_t open = open_pairs(&a);
        s->open += w.open_pairs != open;
        s->some_open += open != ISO_HARDNESS_UNKNOWN && open > 0;
    }
    s->blocks += w.blocks != n_blocks || w.largest_block != largest;
    s->many_blocks += n_blocks > 1;
    iso_pool_free(&pool);
}

static void run(void *arg) {
    (void)arg;
    static const iso_small_shape shapes[] = {
        {.txns = 8, .ops = 4, .keys = 3, .sessions = 4, .aborted = true, .indeterminate = true},
        {.txns = 9, .ops = 2, .keys = 9, .sessions = 7, .wild = true},
        {.txns = 7, .ops = 3, .keys = 4, .sessions = 6, .duplicates = true, .lists = true},
    };
    uint64_t seed = seed_of_run();
    score s = {0};
    diag("ISOLAB_SEED=%llu", (unsigned long long)seed);
    for (uint64_t round = 0; round < iso_agree_rounds(300, 2000, 50000); round++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        compare(&s, iso_random_small(&pool, seed + round, &shapes[round % 3]));
        iso_pool_free(&pool);
    }
    ok(s.order == 0 && s.cycles > 0,
       "the width is between its bounds, the depth is right (%llu histories, %llu cycles)", (unsigned long long)s.n,
       (unsigned long long)s.cycles);
    ok(s.wide * 2 < s.n, "and the bounds usually meet: not in %llu", (unsigned long long)s.wide);
    cmp_ok(s.component, "==", 0, "the largest component of so|wr");
    cmp_ok(s.work, "==", 0, "the predicted work");
    ok(s.open == 0 && s.some_open > 0, "open pairs after saturation (some in %llu)", (unsigned long long)s.some_open);
    ok(s.blocks == 0 && s.many_blocks > 0, "blocks of sessions (several in %llu)", (unsigned long long)s.many_blocks);
}

int main(void) { return run_guarded(&env, run); }
