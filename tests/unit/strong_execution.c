/* Tests checkers/strong/execute.c. The execution of histories that a guess of a serial order begins with, against a
 * plain one, and against brute where it says that no order is possible, or that its first one is right. */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "checkers/checker.h"
#include "checkers/strong/execution.h"
#include "tests/agree.h"
#include "tests/guarded.h"
#include "tests/seed.h"

static iso_env env;

typedef struct seen {
    uint64_t histories, orders, right_at_once, refused, wrong, again, bad_order, bad_after, bad_reads, bad_verdict;
} seen;

/* Executes transactions one after the other, as one would on paper. Returns whether x found the same. */
static bool same_by_hand(const strong_execution *x, const uint32_t *at) {
    const isolab_history *h = x->h;
    uint32_t *last = calloc((size_t)h->n_keys + 1, sizeof *last), n = 0; /* by key: its last write, plus 1 */
    bool same = true;
    for (uint32_t i = 0; i < x->n; i++) {
        uint32_t t = x->txn[at == NULL ? i : at[i]];
        for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
            uint32_t *w = &last[h->op_key[o]];
            same = same && x->before[o] == *w - 1; /* ISO_NONE is the largest number */
            if (h->op_kind[o] == ISO_WRITE) {
                *w = o + 1;
            } else if (*w == 0 ? !iso_version_is_initial(h, h->op_version[o])
                               : h->op_version[*w - 1] != h->op_version[o]) {
                same = same && n < x->n_stale && x->stale[n] == o;
                n++;
            }
        }
    }
    free(last);
    return same && n == x->n_stale;
}

/* All included transactions are in the order, each once, after their session predecessors and the transactions they
 * read from. */
static bool is_order(const strong_execution *x) {
    const isolab_history *h = x->h;
    uint32_t in = 0;
    bool good = true;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        in += h->txn_counts[t] == ISO_INCLUDED;
        good = good && (h->txn_counts[t] == ISO_INCLUDED) == (x->place[t] != ISO_NONE);
        good = good && (x->place[t] == ISO_NONE || (x->place[t] < x->n && x->txn[x->place[t]] == t));
        bool in_session = x->sessions && x->place[t] != ISO_NONE;
        for (uint32_t u = h->session_txn[h->txn_session[t]]; good && in_session && u < t; u++) {
            good = x->place[u] == ISO_NONE || x->place[u] < x->place[t];
        }
    }
    return good && in == x->n;
}

static int by_number(const void *a, const void *b) {
    return (int)(*(const uint32_t *)a > *(const uint32_t *)b) - (int)(*(const uint32_t *)a < *(const uint32_t *)b);
}

/* The recorded predecessors of the transactions are the predecessors of the history, as sets, and lead backwards. */
static bool is_after(const strong_execution *x) {
    const isolab_history *h = x->h;
    bool good = true;
    for (uint32_t i = 0; good && i < x->n; i++) {
        uint32_t t = x->txn[i], n = 0, m = x->after_first[i + 1] - x->after_first[i], distinct = 0;
        uint32_t *must = malloc((h->txn_op[t + 1] - h->txn_op[t] + 1) * sizeof *must);
        for (uint32_t u = t; x->sessions && u-- > h->session_txn[h->txn_session[t]];) {
            if (h->txn_counts[u] == ISO_INCLUDED) {
                must[n++] = x->place[u];
                break;
            }
        }
        for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
            uint32_t w = h->op_writer[o];
            if (w < h->n_ops && h->op_txn[w] != t) {
                must[n++] = x->place[h->op_txn[w]];
            }
        }
        qsort(must, n, sizeof *must, by_number);
        uint32_t *says = x->after + x->after_first[i], others = 0;
        for (uint32_t k = 0; k < m; k++) {
            good = good && says[k] < i && n > 0 && bsearch(&says[k], must, n, sizeof *must, by_number) != NULL;
        }
        for (uint32_t k = 0; k < n; k++) {
            bool first = k == 0 || must[k] != must[k - 1], said = false;
            for (uint32_t j = 0; j < m; j++) {
                said |= says[j] == must[k];
            }
            distinct += first;
            others += first && said;
        }
        good = good && others == distinct;
        free(must);
    }
    return good;
}

static isolab_verdict by_brute(const isolab_history *h, bool sessions) {
    iso_pool pool;
    iso_result result;
    iso_pool_init(&pool, &env);
    iso_result_init(&result, &pool);
    iso_check(iso_checker_find("brute"), h, &(iso_question){.level = ISO_SER, .no_session_order = !sessions}, &result);
    isolab_verdict verdict = result.verdict;
    iso_pool_free(&pool);
    return verdict;
}

static void shuffle(iso_rng *rng, uint32_t *at, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = (uint32_t)iso_random_below(rng, i + 1);
        at[i] = at[j];
        at[j] = i;
    }
}

static void look_at(seen *s, iso_pool *pool, iso_rng *rng, const isolab_history *h, bool sessions) {
    strong_execution x;
    if (!iso_strong_executable(h)) {
        return;
    }
    s->histories++;
    iso_strong_execution_init(&x, pool, h, sessions);
    if (!iso_strong_execution_first(&x)) {
        s->refused++;
        s->bad_verdict += by_brute(h, sessions) != ISOLAB_VIOLATED;
        return;
    }
    s->orders++;
    s->wrong += x.n_stale;
    s->bad_order += !is_order(&x);
    s->bad_after += !is_after(&x);
    s->bad_reads += !same_by_hand(&x, NULL);
    if (x.n_stale == 0) {
        s->right_at_once++;
        s->bad_verdict += by_brute(h, sessions) != ISOLAB_SATISFIED;
    }
    uint32_t *at = ISO_NEW(pool, uint32_t, x.n);
    for (int again = 0; again < 3; again++) {
        shuffle(rng, at, x.n);
        iso_strong_execution_run(&x, at);
        s->again++;
        s->bad_reads += !same_by_hand(&x, at);
    }
}

static void on(const char *what, iso_small_shape shape, uint64_t rounds) {
    seen s = {0};
    uint64_t seed = seed_or(1);
    iso_rng rng = {seed};
    for (uint64_t r = 0; r < rounds; r++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        look_at(&s, &pool, &rng, iso_random_small(&pool, seed + r, &shape), r % 4 != 0);
        iso_pool_free(&pool);
    }
    diag("%s, seed %llu: %llu histories, %llu refused, %llu orders, %llu right at once, %llu wrong reads, %llu again",
         what, (unsigned long long)seed, (unsigned long long)s.histories, (unsigned long long)s.refused,
         (unsigned long long)s.orders, (unsigned long long)s.right_at_once, (unsigned long long)s.wrong,
         (unsigned long long)s.again);
    ok(s.bad_order == 0 && s.orders > 0,
       "%s: the first order has all included transactions, after their session predecessors and writers", what);
    ok(s.bad_after == 0, "it has the predecessors of each transaction");
    ok(s.bad_reads == 0 && s.wrong > 0, "reads are wrong, and writes last, as by hand");
    ok(s.bad_verdict == 0 && s.refused > 0 && s.right_at_once > 0,
       "what is refused is not serializable, and what is right at once is");
}

static void long_transactions(iso_pool *pool) {
    iso_small_shape shape = {.txns = 1, .ops = 4, .keys = 2, .sessions = 1};
    isolab_history *h = iso_random_small(pool, 1, &shape);
    ok(iso_strong_executable(h), "a short transaction is executed");
    uint32_t longer[2] = {0, 1u << 20}, *txn_op = h->txn_op;
    h->txn_op = longer;
    bool taken = h->n_txns == 1 && iso_strong_executable(h);
    h->txn_op = txn_op;
    ok(!taken, "a very long one is left to others");
}

static void tests(void *pool) {
    uint64_t rounds = iso_agree_rounds(3000, 20000, 1000000);
    on("small",
       (iso_small_shape){.txns = 6, .ops = 4, .keys = 3, .sessions = 3, .aborted = true, .indeterminate = true},
       rounds);
    on("repeated values",
       (iso_small_shape){.txns = 6, .ops = 4, .keys = 2, .sessions = 3, .aborted = true, .duplicates = true}, rounds);
    on("wild", (iso_small_shape){.txns = 4, .ops = 4, .keys = 2, .sessions = 2, .aborted = true, .wild = true}, rounds);
    long_transactions(pool);
}

int main(void) { return run_guarded(&env, tests); }
