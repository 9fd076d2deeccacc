/* The verifier accepts exactly the orders that the definitions allow: every order of every level on random
 * small histories, against a direct reading of docs/levels.md by bit matrices. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "certificates/certificate.h"
#include "history/builder.h"
#include "tests/tap.h"
#include "verify/verify.h"

#define MOST 7 /* transactions */

/* ---- random histories ---- */

static isolab_history *random_history(iso_pool *pool, iso_rng *rng, unsigned most_txns) {
    iso_builder *b = iso_builder_new(pool);
    unsigned sessions = 1 + (unsigned)iso_random_below(rng, 3), keys = 1 + (unsigned)iso_random_below(rng, 3);
    unsigned txns = 1 + (unsigned)iso_random_below(rng, most_txns), written[4] = {0, 0, 0, 0};
    bool times = iso_random_below(rng, 2) == 0;
    for (unsigned s = 0; s < sessions; s++) {
        iso_builder_session(b, iso_atom_int(s));
    }
    for (unsigned t = 0; t < txns; t++) {
        static const iso_status statuses[] = {ISO_COMMITTED, ISO_COMMITTED,     ISO_COMMITTED, ISO_COMMITTED,
                                              ISO_COMMITTED, ISO_INDETERMINATE, ISO_ABORTED};
        unsigned status = (unsigned)iso_random_below(rng, iso_random_below(rng, 4) == 0 ? 7 : 5);
        uint32_t txn = iso_builder_txn(b, (uint32_t)iso_random_below(rng, sessions), iso_atom_nil(),
                                       statuses[status]);
        if (times) {
            int64_t start = (int64_t)iso_random_below(rng, 12);
            iso_builder_times(b, txn, start, start + (int64_t)iso_random_below(rng, 6));
        }
        for (unsigned n = (unsigned)iso_random_below(rng, 5); n > 0; n--) {
            unsigned k = (unsigned)iso_random_below(rng, keys);
            uint32_t key = iso_builder_key(b, iso_atom_int(k));
            if (iso_random_below(rng, 5) < 2) {
                iso_builder_op(b, txn, ISO_WRITE, key, iso_atom_int(++written[k]));
            } else { /* mostly a value written already, now and then a later one */
                uint64_t v = iso_random_below(rng, written[k] + 1 + (iso_random_below(rng, 6) == 0));
                iso_builder_op(b, txn, ISO_READ, key, v == 0 ? iso_atom_nil() : iso_atom_int((int64_t)v));
            }
        }
    }
    return iso_builder_finish(b);
}

/* ---- the definitions ---- */

typedef struct model {
    const isolab_history *h;
    unsigned n;
    uint32_t txn[MOST];
    bool so[MOST][MOST], direct[MOST][MOST], causal[MOST][MOST]; /* so, so|wr, its closure */
} model;

static int node_of(const model *m, uint32_t txn) {
    for (unsigned i = 0; i < m->n; i++) {
        if (m->txn[i] == txn) {
            return (int)i;
        }
    }
    return -1;
}

static bool writes(const model *m, unsigned node, uint32_t key) {
    for (uint32_t o = m->h->txn_op[m->txn[node]]; o < m->h->txn_op[m->txn[node] + 1]; o++) {
        if (iso_is_write(m->h->op_kind[o]) && m->h->op_key[o] == key) {
            return true;
        }
    }
    return false;
}

/* INT for one read, clause by clause. */
static bool read_is_consistent(const model *m, uint32_t r) {
    const isolab_history *h = m->h;
    uint32_t w = h->op_writer[r], t = h->op_txn[r];
    if (w == ISO_NONE || (w != ISO_INIT && node_of(m, h->op_txn[w]) < 0)) {
        return false;
    }
    bool mine = w != ISO_INIT && h->op_txn[w] == t;
    if (mine && w > r) {
        return false;
    }
    for (uint32_t o = h->txn_op[t]; o < r; o++) {
        if (iso_is_write(h->op_kind[o]) && h->op_key[o] == h->op_key[r] && (!mine || o > w)) {
            return false;
        }
    }
    for (uint32_t o = w + 1; !mine && w != ISO_INIT && o < h->txn_op[h->op_txn[w] + 1]; o++) {
        if (iso_is_write(h->op_kind[o]) && h->op_key[o] == h->op_key[r]) {
            return false;
        }
    }
    return true;
}

static bool build(model *m, const isolab_history *h) {
    memset(m, 0, sizeof *m);
    m->h = h;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        if (h->txn_counts[t] == ISO_IN) {
            m->txn[m->n++] = t;
        }
    }
    bool consistent = true;
    for (unsigned i = 0; i < m->n; i++) {
        for (unsigned j = 0; j < m->n; j++) {
            m->so[i][j] = m->txn[i] < m->txn[j] && h->txn_session[m->txn[i]] == h->txn_session[m->txn[j]];
        }
        for (uint32_t r = h->txn_op[m->txn[i]]; r < h->txn_op[m->txn[i] + 1]; r++) {
            if (!iso_is_write(h->op_kind[r])) {
                consistent &= read_is_consistent(m, r);
            }
        }
    }
    return consistent;
}

/* so is left out for the variants without session order. */
static void relate(model *m, bool sessions) {
    const isolab_history *h = m->h;
    for (unsigned i = 0; i < m->n; i++) {
        for (unsigned j = 0; j < m->n; j++) {
            m->direct[i][j] = sessions && m->so[i][j];
        }
    }
    for (unsigned j = 0; j < m->n; j++) {
        for (uint32_t r = h->txn_op[m->txn[j]]; r < h->txn_op[m->txn[j] + 1]; r++) {
            if (!iso_is_write(h->op_kind[r]) && h->op_writer[r] < h->n_ops) {
                int i = node_of(m, h->op_txn[h->op_writer[r]]);
                if (i >= 0 && i != (int)j) {
                    m->direct[i][j] = true;
                }
            }
        }
    }
    memcpy(m->causal, m->direct, sizeof m->causal);
    for (unsigned k = 0; k < m->n; k++) {
        for (unsigned i = 0; i < m->n; i++) {
            for (unsigned j = 0; j < m->n; j++) {
                m->causal[i][j] |= m->causal[i][k] && m->causal[k][j];
            }
        }
    }
}

/* Does t2 have to come before t1, from which read r of t3 reads? co[i]: the place of node i. */
static bool premise(const model *m, iso_level level, uint32_t r, unsigned t2, unsigned t3, const int *co) {
    const isolab_history *h = m->h;
    if (level == ISO_RC || level == ISO_RC_PLUME) {
        for (uint32_t o = h->txn_op[m->txn[t3]]; o < r; o++) {
            if (!iso_is_write(h->op_kind[o]) && h->op_writer[o] < h->n_ops && t2 != t3 &&
                h->op_txn[h->op_writer[o]] == m->txn[t2] &&
                (level == ISO_RC || h->op_key[o] != h->op_key[r])) {
                return true;
            }
        }
        return false;
    }
    switch (level) {
    case ISO_RA:
        return m->direct[t2][t3];
    case ISO_CC:
        return m->causal[t2][t3];
    case ISO_SER:
    case ISO_SSER:
        return co[t2] < co[t3];
    default:
        break;
    }
    for (unsigned t4 = 0; t4 < m->n; t4++) { /* pc: t2 co* t4 (so|wr) t3; si: or t4 co t3, both write a key */
        if (co[t2] > co[t4]) {
            continue;
        }
        if (m->direct[t4][t3]) {
            return true;
        }
        for (uint32_t y = 0; level == ISO_SI && y < h->n_keys; y++) {
            if (co[t4] < co[t3] && writes(m, t4, y) && writes(m, t3, y)) {
                return true;
            }
        }
    }
    return false;
}

static bool allowed(const model *m, iso_level level, const int *co) {
    const isolab_history *h = m->h;
    for (unsigned i = 0; i < m->n; i++) {
        for (unsigned j = 0; j < m->n; j++) {
            if (co[i] > co[j] && (m->direct[i][j] ||
                                  (level == ISO_SSER && iso_before_in_time(h, m->txn[i], m->txn[j])))) {
                return false;
            }
        }
    }
    for (unsigned t3 = 0; t3 < m->n && level > ISO_G1; t3++) {
        for (uint32_t r = h->txn_op[m->txn[t3]]; r < h->txn_op[m->txn[t3] + 1]; r++) {
            uint32_t w = h->op_writer[r];
            if (iso_is_write(h->op_kind[r]) || (w < h->n_ops && h->op_txn[w] == m->txn[t3])) {
                continue;
            }
            int t1 = w == ISO_INIT ? -1 : node_of(m, h->op_txn[w]);
            for (unsigned t2 = 0; t2 < m->n; t2++) {
                if ((int)t2 != t1 && writes(m, t2, h->op_key[r]) && premise(m, level, r, t2, t3, co) &&
                    (t1 < 0 || co[t2] > co[t1])) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* ---- the comparison ---- */

static uint64_t n_orders, n_accepted, n_wrong, seed;

static bool next_permutation(uint32_t *a, unsigned n) {
    unsigned i = n, j = n;
    while (i > 1 && a[i - 2] > a[i - 1]) {
        i--;
    }
    if (i < 2) {
        return false;
    }
    while (a[j - 1] < a[i - 2]) {
        j--;
    }
    uint32_t swap = a[i - 2];
    a[i - 2] = a[j - 1];
    a[j - 1] = swap;
    for (i--, j = n; i + 1 < j; i++) {
        swap = a[i];
        a[i] = a[--j];
        a[j] = swap;
    }
    return true;
}

static void compare(iso_pool *pool, const model *m, iso_level level, bool sessions, bool consistent) {
    uint32_t order[MOST];
    memcpy(order, m->txn, sizeof order);
    iso_request request = {.level = level, .no_session_order = !sessions};
    do {
        iso_result result;
        iso_result_init(&result, pool);
        result.verdict = ISOLAB_SATISFIED;
        result.order = order;
        result.n_order = m->n;
        size_t size;
        char *text = iso_certificate_text(pool, m->h, &request, &result, &size);
        int code = iso_verify(pool, m->h, text, size);
        int co[MOST] = {0};
        for (unsigned i = 0; i < m->n; i++) {
            co[node_of(m, order[i])] = (int)i;
        }
        bool expected = level == ISO_INT ? consistent : consistent && allowed(m, level, co);
        n_orders++;
        n_accepted += expected;
        if ((code == 0) != expected || code > ISO_REFUSED) {
            if (n_wrong++ < 3) {
                diag("seed %" PRIu64 ": expected %d, got %d: %s\n%s", seed, expected, code,
                     pool->env->error.message, text);
            }
        }
    } while (next_permutation(order, m->n));
}

int main(void) {
    bool quick = getenv("ISOLAB_QUICK") != NULL;
    unsigned rounds = quick ? 300 : getenv("ISOLAB_DEEP") != NULL ? 100000 : 20000;
    iso_env env;
    iso_env_init(&env);
    iso_pool pool;
    iso_pool_init(&pool, &env);
    for (seed = 1; seed <= rounds; seed++) {
        iso_rng rng = {seed};
        isolab_history *h = random_history(&pool, &rng, seed % 50 == 0 ? 6 : 4);
        model m;
        bool consistent = build(&m, h);
        if (consistent || seed % 16 == 0) {
            for (iso_level level = ISO_INT; level < ISO_LEVELS; level++) {
                if (level != ISO_CI) {
                    relate(&m, true);
                    compare(&pool, &m, level, true, consistent);
                }
                if (level == ISO_SI || level == ISO_SER) {
                    relate(&m, false);
                    compare(&pool, &m, level, false, consistent);
                }
            }
        }
        iso_pool_free(&pool);
    }
    ok(n_wrong == 0,
       "%" PRIu64 " orders of %u random histories (seeds 1 to %u), %" PRIu64 " of them allowed, as defined",
       n_orders, rounds, rounds, n_accepted);
    cmp_ok(n_accepted, ">", n_orders / 50, "enough of them are allowed");
    return done_testing();
}
