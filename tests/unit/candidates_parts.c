/* Tests parts of checkers/candidates/ that decide nothing by themselves, so that verdicts hardly depend on them: the
 * model, the first order, and the chains, against what their comments say, by hand, on random histories. */
#include <string.h>

#include "base/random.h"
#include "checkers/candidates/candidates.h"
#include "history/builder.h"
#include "tests/agree.h"
#include "tests/guarded.h"
#include "tests/seed.h"

static iso_env env;

static bool concerns(const isolab_history *h, uint32_t t) { return h->txn_counts[t] != ISO_EXCLUDED; }

static bool is_last_write(const isolab_history *h, uint32_t o) {
    for (uint32_t p = o + 1; p < h->txn_op[h->op_txn[o] + 1]; p++) {
        if (iso_is_write(h->op_kind[p]) && h->op_key[p] == h->op_key[o]) {
            return false;
        }
    }
    return iso_is_write(h->op_kind[o]) && concerns(h, h->op_txn[o]);
}

/* The transaction's last write of the key of a read, before it; ISO_NONE: none. */
static uint32_t own_write(const isolab_history *h, uint32_t read) {
    uint32_t own = ISO_NONE;
    for (uint32_t p = h->txn_op[h->op_txn[read]]; p < read; p++) {
        own = iso_is_write(h->op_kind[p]) && h->op_key[p] == h->op_key[read] ? p : own;
    }
    return own;
}

/* ---- the model ---- */

static bool are_writes(const cand *c, uint32_t t) {
    const isolab_history *h = c->h;
    uint32_t n = 0, first = c->write_first[t], end = c->write_first[t + 1];
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        n += is_last_write(h, o);
    }
    bool right = end - first == n;
    for (uint32_t i = first; right && i < end; i++) {
        right = is_last_write(h, c->write_op[i]) && h->op_txn[c->write_op[i]] == t &&
                h->op_key[c->write_op[i]] == c->write_key[i] && (i == first || c->write_key[i - 1] < c->write_key[i]);
    }
    for (uint32_t k = 0; k < h->n_keys; k++) {
        bool written = false;
        for (uint32_t i = first; i < end; i++) {
            written |= c->write_key[i] == k;
        }
        right = right && iso_cand_writes(c, t, k) == written;
    }
    return right;
}

/* The last writes of each version, by the transactions of `order`; NULL: by number. */
static bool are_finals(const cand *c, const uint32_t *order, uint32_t n_order) {
    const isolab_history *h = c->h;
    bool right = true;
    for (uint32_t v = 0; v < h->n_versions; v++) {
        uint32_t at = c->final_first[v];
        for (uint32_t i = 0; i < n_order; i++) {
            uint32_t t = order == NULL ? i : order[i];
            for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
                if (h->op_version[o] == v && is_last_write(h, o)) {
                    right = right && at < c->final_first[v + 1] && c->final_op[at] == o;
                    at++;
                }
            }
        }
        right = right && at == c->final_first[v + 1];
    }
    return right;
}

/* The writes that a read may be from; and the only one, if reader and writer are included. */
static bool are_candidates(const cand *c, const cand_read *r) {
    const isolab_history *h = c->h;
    uint32_t n = 0, at = 0, w, only = ISO_NONE, met = 0, own = own_write(h, r->op);
    bool right = true;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        if (is_last_write(h, o) && h->op_version[o] == r->version && h->op_txn[o] != h->op_txn[r->op]) {
            n++;
            only = o;
        }
    }
    if (iso_version_is_initial(h, r->version)) {
        n++;
        only = ISO_INIT;
    }
    if (own != ISO_NONE) {
        return r->writer == ISO_NONE && h->op_version[own] != r->version && iso_cand_next(c, r, &at) == ISO_NONE;
    }
    for (uint32_t last = 0; (w = iso_cand_next(c, r, &at)) != ISO_NONE; last = w) {
        right = right && last != ISO_INIT; /* it comes last */
        right = right && (w == ISO_INIT ? iso_version_is_initial(h, r->version)
                                        : is_last_write(h, w) && h->op_version[w] == r->version &&
                                              h->op_txn[w] != h->op_txn[r->op]);
        met++;
    }
    bool sure = n == 1 && cand_in(c, h->op_txn[r->op]) && (only == ISO_INIT || cand_in(c, h->op_txn[only]));
    return right && met == n && r->writer == (n == 0 ? ISO_NONE : sure ? only : ISO_MANY);
}

static bool are_reads(const cand *c, uint32_t t) {
    const isolab_history *h = c->h;
    uint32_t at = c->read_first[t];
    bool right = true;
    for (uint32_t o = h->txn_op[t]; concerns(h, t) && o < h->txn_op[t + 1]; o++) {
        uint32_t own = own_write(h, o);
        if (h->op_kind[o] == ISO_READ && (own == ISO_NONE || h->op_version[own] != h->op_version[o])) {
            const cand_read *r = &c->reads[at];
            right = right && at < c->read_first[t + 1] && r->op == o && r->key == h->op_key[o] &&
                    r->version == h->op_version[o] && iso_cand_read_of(c, o) == at && are_candidates(c, r);
            at++;
        }
    }
    return right && at == c->read_first[t + 1];
}

static bool is_model(const cand *c) {
    bool right = are_finals(c, NULL, c->h->n_txns);
    for (uint32_t t = 0; t < c->h->n_txns; t++) {
        right = right && are_writes(c, t) && are_reads(c, t);
    }
    return right;
}

/* ---- the first order ---- */

static bool is_order(const cand *c) {
    const isolab_history *h = c->h;
    uint32_t n = 0;
    bool right = true;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        uint32_t place = c->place[t];
        n += concerns(h, t);
        right =
            right && (place != 0) == concerns(h, t) && place <= c->n_order && (place == 0 || c->order[place - 1] == t);
        for (uint32_t u = h->session_txn[h->txn_session[t]]; u < t; u++) {
            right = right && (place == 0 || c->place[u] < place);
        }
    }
    return right && n == c->n_order;
}

/* Reads of values that nothing before them in the order wrote; *stale: reads of others than the last one. */
static uint32_t too_early(const cand *c, uint32_t *stale) {
    const isolab_history *h = c->h;
    uint32_t n = 0;
    *stale = 0;
    for (uint32_t i = 0; i < c->n_order; i++) {
        for (uint32_t r = c->read_first[c->order[i]]; r < c->read_first[c->order[i] + 1]; r++) {
            uint32_t last = ISO_NONE;
            bool written = iso_version_is_initial(h, c->reads[r].version), initial = written;
            for (uint32_t j = 0; j < i; j++) {
                for (uint32_t w = c->write_first[c->order[j]]; w < c->write_first[c->order[j] + 1]; w++) {
                    uint32_t version = h->op_version[c->write_op[w]];
                    last = c->write_key[w] == c->reads[r].key ? version : last;
                    written |= version == c->reads[r].version;
                }
            }
            n += !written;
            *stale += last == ISO_NONE ? !initial : last != c->reads[r].version;
        }
    }
    return n;
}

/* ---- chains ---- */

/* A transaction that certainly comes directly after another one: the next of its session, or a reader of it. */
static bool certainly_after(const cand *c, uint32_t t, uint32_t u) {
    bool after = c->before[t] == u;
    for (uint32_t i = c->read_first[t]; i < c->read_first[t + 1]; i++) {
        after |= c->reads[i].writer < ISO_MANY && c->h->op_txn[c->reads[i].writer] == u;
    }
    return after;
}

/* The included neighbour of its session, in steps of 1 or -1. */
static uint32_t neighbour(const isolab_history *h, uint32_t t, int step) {
    uint32_t s = h->txn_session[t];
    for (int64_t u = (int64_t)t + step; u >= h->session_txn[s] && u < h->session_txn[s + 1]; u += step) {
        if (h->txn_counts[u] == ISO_INCLUDED) {
            return (uint32_t)u;
        }
    }
    return ISO_NONE;
}

static bool are_chains(const cand *c) {
    const isolab_history *h = c->h;
    uint32_t *last = ISO_NEW_NONE(c->pool, (size_t)c->n_chains + 1), n = 0, open = 0;
    bool right = true;
    for (uint32_t i = 0; i < c->n_order; i++) {
        uint32_t t = c->order[i], chain = c->chain[t];
        if (!cand_in(c, t)) {
            right = right && chain >= c->n_chains && chain < c->n_chains + c->n_open && c->rank[t] == 1;
            open++;
            continue;
        }
        right = right && chain < c->n_chains;
        if (!right) {
            return false;
        }
        uint32_t before = last[chain];
        right =
            before == ISO_NONE ? c->rank[t] == 1 : c->rank[t] == c->rank[before] + 1 && certainly_after(c, t, before);
        if (before == ISO_NONE) { /* it could go on in no other chain */
            for (uint32_t k = 0; k < n; k++) {
                uint32_t next = neighbour(h, last[k], 1);
                bool ended = next == ISO_NONE || next == t;
                right = right && !(ended && certainly_after(c, t, last[k]));
            }
            right = right && chain == n++;
        } else { /* the next of its session, if it has not gone on elsewhere, comes first */
            uint32_t next = neighbour(h, before, 1);
            right = right && (next == ISO_NONE || next == t);
        }
        last[chain] = t;
    }
    for (uint32_t t = 0; t < h->n_txns; t++) {
        right = right && c->before[t] == neighbour(h, t, -1) && c->after[t] == neighbour(h, t, 1);
    }
    return right && n == c->n_chains && open == c->n_open;
}

/* Transactions by chain and rank, and the writers of each key, one group for each chain. */
static bool are_groups(const cand *c) {
    const isolab_history *h = c->h;
    bool right = true;
    for (uint32_t i = 1; i < c->n_order; i++) {
        uint32_t a = c->by_chain[i - 1], b = c->by_chain[i];
        right = right && (c->chain[a] != c->chain[b] ? c->chain[a] < c->chain[b] : c->rank[a] < c->rank[b]);
    }
    for (uint32_t k = 0; right && k < h->n_keys; k++) {
        uint32_t g = c->group_first[k], at = c->group[g], chain = ISO_NONE;
        for (uint32_t i = 0; i < c->n_order; i++) {
            uint32_t t = c->by_chain[i];
            if (!iso_cand_writes(c, t, k)) {
                continue;
            }
            if (c->chain[t] != chain) {
                right = right && g < c->group_first[k + 1] && c->group[g] == at;
                g++;
                chain = c->chain[t];
            }
            right = right && c->writer[at] == t;
            at++;
        }
        right = right && g == c->group_first[k + 1] && c->group[g] == at;
        for (uint32_t j = c->group_first[k]; right && j < g; j++) {
            const uint32_t *writer = c->writer + c->group[j];
            uint32_t n = c->group[j + 1] - c->group[j];
            for (uint32_t rank = 0; rank <= h->n_txns + 1; rank++) {
                uint32_t below = 0;
                for (uint32_t i = 0; i < n; i++) {
                    below += c->rank[writer[i]] < rank;
                }
                right = right && iso_cand_below(c, writer, n, rank) == below;
            }
        }
    }
    return right;
}

/* ---- tests ---- */

typedef struct tally {
    uint64_t histories, model, order, chains, groups, finals, early, stale, long_chains;
} tally;

static void look(tally *y, iso_pool *pool, const isolab_history *h) {
    iso_result result;
    iso_result_init(&result, pool);
    iso_question question = {.level = ISO_RA};
    cand c = {.pool = pool, .h = h, .question = &question, .result = &result, .level = ISO_RA};
    uint32_t stale;
    y->histories++;
    iso_cand_model(&c);
    y->model += !is_model(&c);
    iso_cand_guess(&c);
    y->order += !is_order(&c);
    y->early += too_early(&c, &stale);
    y->stale += stale;
    iso_cand_chains(&c);
    y->chains += !are_chains(&c);
    y->groups += !are_groups(&c);
    y->long_chains += c.n_chains < h->n_sessions;
    iso_cand_sort_writers(&c);
    y->finals += !are_finals(&c, c.by_chain, c.n_order);
}

static void report(const char *what, const tally *y) {
    ok(y->model == 0 && y->histories > 0, "%s: reads, their possible writers, and last writes are those of the history",
       what);
    ok(y->order == 0, "%s: the first order has all transactions, and sessions are in order", what);
    ok(y->chains == 0 && y->long_chains > 0, "%s: chains go on as long as they can", what);
    ok(y->groups == 0 && y->finals == 0, "%s: writers are sorted by chain", what);
}

static void on(const char *what, iso_small_shape shape, uint64_t rounds) {
    tally y = {0};
    uint64_t first = seed_or(1);
    for (uint64_t i = 0; i < rounds; i++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        look(&y, &pool, iso_random_small(&pool, first + i, &shape));
        iso_pool_free(&pool);
    }
    diag("%s: seed %llu", what, (unsigned long long)first);
    report(what, &y);
}

/* A history of a serial store: transactions in this order, one of each session after the other. Times are those of the
 * order, or turned round. */
static const isolab_history *serial(iso_pool *pool, uint64_t seed, uint32_t values, bool times, bool ends) {
    iso_rng rng = {seed};
    iso_builder *b = iso_builder_new(pool);
    uint32_t key[3], now[3] = {0}, session[5], unique = 0;
    for (int k = 0; k < 3; k++) {
        key[k] = iso_builder_key(b, iso_atom_int(k));
    }
    for (int s = 0; s < 5; s++) {
        session[s] = iso_builder_session(b, iso_atom_nil());
    }
    for (int i = 0; i < 25; i++) {
        uint32_t t = iso_builder_txn(b, session[iso_random_below(&rng, 5)], iso_atom_nil(), ISO_COMMITTED);
        for (uint64_t n = 1 + iso_random_below(&rng, 3); n > 0; n--) {
            uint64_t k = iso_random_below(&rng, 3);
            if (iso_random_below(&rng, 2) == 0) {
                now[k] = values == 0 ? ++unique : 1 + (uint32_t)iso_random_below(&rng, values);
                iso_builder_op(b, t, ISO_WRITE, key[k], iso_atom_int(now[k]));
            } else {
                iso_builder_op(b, t, ISO_READ, key[k], now[k] == 0 ? iso_atom_nil() : iso_atom_int(now[k]));
            }
        }
        if (times) {
            iso_builder_times(b, t, 10 * i, ends ? 10 * i + 5 : ISO_NO_TIME);
        }
    }
    return iso_builder_finish(b);
}

static void first_orders(uint64_t rounds) {
    static const char *const what[] = {"executed", "by times", "by starts"};
    for (int i = 0; i < 3; i++) {
        tally y = {0};
        for (uint64_t r = 0; r < rounds; r++) {
            iso_pool pool;
            iso_pool_init(&pool, &env);
            look(&y, &pool, serial(&pool, seed_or(1) + r, r % 2 == 0 ? 2 : 0, i > 0, i == 1));
            iso_pool_free(&pool);
        }
        ok(y.early == 0, "%s: no transaction comes before all writers of a value that it read", what[i]);
        ok(i == 0 ? y.stale > 0 : y.stale == 0, "%s: %llu stale reads", what[i], (unsigned long long)y.stale);
    }
}

static void tests(void *pool) {
    (void)pool;
    uint64_t rounds = iso_agree_rounds(300, 2000, 100000);
    iso_small_shape shape = {
        .txns = 8, .ops = 4, .keys = 3, .sessions = 4, .duplicates = true, .aborted = true, .indeterminate = true};
    on("repeated values", shape, rounds);
    shape.duplicates = false;
    shape.times = true;
    on("unique values", shape, rounds);
    shape = (iso_small_shape){.txns = 30, .ops = 30, .keys = 20, .sessions = 20, .indeterminate = true};
    on("many keys", shape, rounds / 10);
    first_orders(rounds / 2);
}

int main(void) { return run_guarded(&env, tests); }
