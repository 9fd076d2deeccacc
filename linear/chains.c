/* Linearizability where values are unique, in linear time. See linear.h.
 *
 * Every call that reads has one place: after the call that wrote what it reads, and before the one that writes next. A
 * compare-and-set writes directly after what it reads, so versions form *chains*: one begins with the initial value,
 * and one with every write that reads nothing. No other call comes between two versions of a chain, so an order of the
 * calls of a key is an order of its chains, that of the initial value first. Without such writes there is one chain for
 * each key, and this is VL-LWT, the linear algorithm for lightweight transactions of the paper on MTC.
 *
 * An order contains real time if no call ends before an earlier one starts: one pass with the latest start so far. Of
 * two chains, A must come first if a call of A ends before one of B starts: first_end(A) < last_start(B). Sorted by the
 * earlier one of first_end and last_start, each chain comes after all that must come before it, unless two must each
 * come first (Gibbons and Korach, "Testing shared memories", on clusters of one write). So that order is tried, and no
 * other one.
 *
 * The calls of a version are added up in a row, in one pass over the transactions. Then the chains are followed, many
 * at once, as each step waits for memory. */
#include "base/buckets.h"
#include "base/sort.h"
#include "linear/linear.h"

#define AT_ONCE 16 /* number of chains that are followed in turn */
#define AHEAD 8    /* number of transactions by which rows are prefetched */

/* Number of transactions that are tested before any memory is allocated. */
#define FIRST_LOOK 64

/* A version, with the calls that write and read it, and the version that a compare-and-set writes next. */
typedef struct row {
    int64_t start;                 /* start of its writer; INT64_MIN: the version is initial */
    int64_t first_end, last_start; /* the earliest end and the latest start among its writer and its readers */
    uint32_t next;                 /* the version that a compare-and-set writes next; ISO_NONE: none */
    uint32_t key; /* of the first version of a chain: its key; of others: LATER, UNWRITTEN or THIN_AIR */
} row;

#define LATER ISO_NONE           /* a compare-and-set writes the version */
#define UNWRITTEN (ISO_NONE - 1) /* no included call leaves the version in its key, so far */
#define THIN_AIR (ISO_NONE - 2)  /* the same, and a call reads it */

typedef struct chain {
    uint32_t first, key;
    int64_t first_end, last_start;
} chain;

typedef struct chains {
    const isolab_history *h;
    iso_pool *pool;
    row *row; /* by version */
    chain *chain;
    uint32_t n_chains, n_versions; /* n_versions: number of versions that are initial or were written */
    bool sessions, linear;
    bool several; /* a key may have several chains */
} chains;

/* The call of a transaction. */
typedef struct single {
    uint32_t key;
    uint32_t reads, gives; /* the versions that it reads and leaves; ISO_NONE: none */
    bool simple;           /* the transaction has at most one key */
    bool wrong;            /* no order explains its reads */
} single;

static single single_of(const isolab_history *h, uint32_t t) {
    single x = {.key = ISO_NONE, .reads = ISO_NONE, .gives = ISO_NONE, .simple = true};
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        uint32_t version = h->op_version[o];
        x.simple &= (x.key == ISO_NONE || h->op_key[o] == x.key) && h->op_kind[o] <= ISO_WRITE;
        x.key = h->op_key[o];
        if (h->op_kind[o] == ISO_WRITE) {
            x.gives = version;
        } else if (x.gives == ISO_NONE) {
            x.wrong |= x.reads != ISO_NONE && x.reads != version;
            x.reads = version;
        } else {
            x.wrong |= x.gives != version;
        }
    }
    return x;
}

static int64_t start_of(const isolab_history *h, uint32_t t) { return h->txn_start[t]; } /* ISO_NO_TIME is before all */

static int64_t end_of(const isolab_history *h, uint32_t t) {
    return h->txn_end[t] != ISO_NO_TIME ? h->txn_end[t] : INT64_MAX;
}

/* Adds the times of a call to its version. */
static void add_call(row *r, int64_t start, int64_t end) {
    r->first_end = end < r->first_end ? end : r->first_end;
    r->last_start = start > r->last_start ? start : r->last_start;
}

/* Enters the call of a transaction. */
static void enter(chains *c, uint32_t t, const single *x) {
    int64_t start = start_of(c->h, t), end = end_of(c->h, t);
    c->linear &= !x->wrong;
    if (x->gives != ISO_NONE) {
        row *of = &c->row[x->gives];
        bool blind = x->reads == ISO_NONE;
        of->start = start;
        of->key = blind ? x->key : LATER;
        c->n_versions++;
        c->n_chains += blind;
        c->several |= blind;
        add_call(of, start, end);
        if (!blind) {
            row *from = &c->row[x->reads];
            from->key = from->key == UNWRITTEN ? THIN_AIR : from->key;
            c->linear &= from->next == ISO_NONE; /* two compare-and-sets of one version contradict each other */
            from->next = x->gives;
        }
    } else if (x->key != ISO_NONE) {
        row *from = &c->row[x->reads];
        from->key = from->key == UNWRITTEN ? THIN_AIR : from->key; /* so far */
        add_call(from, start, end);
    }
}

static void fetch(const chains *c, uint32_t t) {
    const isolab_history *h = c->h;
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        __builtin_prefetch(&c->row[h->op_version[o]], 1);
    }
}

/* Enters the calls of all transactions. Returns false if a transaction has several keys, or if session order implies
 * more than real time does. */
static bool enter_all(chains *c) {
    const isolab_history *h = c->h;
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        int64_t before = INT64_MIN; /* the end of the call before, if there was one */
        bool first = true;
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
            iso_tick(c->pool->env);
            if (t + AHEAD < h->n_txns) {
                fetch(c, t + AHEAD);
            }
            if (h->txn_counts[t] != ISO_INCLUDED) {
                continue;
            }
            single x = single_of(h, t);
            if (!x.simple || (c->sessions && !first && before >= start_of(h, t))) {
                return false;
            }
            enter(c, t, &x);
            before = end_of(h, t);
            first = false;
        }
    }
    return true;
}

/* Returns whether the first transactions have one key each. Most histories with larger transactions fail this test,
 * which allocates no memory. */
static bool begins_simple(const isolab_history *h) {
    bool simple = true;
    for (uint32_t t = 0; t < h->n_txns && t < FIRST_LOOK && simple; t++) {
        simple = h->txn_counts[t] != ISO_INCLUDED || single_of(h, t).simple;
    }
    return simple;
}

static void prepare(chains *c) {
    const isolab_history *h = c->h;
    c->row = ISO_NEW(c->pool, row, h->n_versions);
    for (uint32_t v = 0; v < h->n_versions; v++) {
        bool initial = iso_version_is_initial(h, v);
        c->row[v] = (row){.start = INT64_MIN,
                          .first_end = INT64_MAX,
                          .last_start = INT64_MIN,
                          .next = ISO_NONE,
                          .key = initial ? h->version_key[v] : UNWRITTEN};
        c->n_chains += initial;
        c->n_versions += initial;
    }
}

static void find_chains(chains *c) {
    c->chain = ISO_NEW(c->pool, chain, c->n_chains);
    c->n_chains = 0;
    for (uint32_t v = 0; v < c->h->n_versions; v++) {
        const row *r = &c->row[v];
        c->linear &= r->key != THIN_AIR;
        if (r->key < THIN_AIR) {
            c->chain[c->n_chains++] = (chain){v, r->key, INT64_MAX, INT64_MIN};
        }
    }
}

/* Adds a version to its chain. Returns false if one of its calls ends before a call of an earlier version starts. */
static bool pass(chain *of, const row *r) {
    int64_t last = r->start > of->last_start ? r->start : of->last_start;
    of->last_start = r->last_start > last ? r->last_start : last;
    of->first_end = r->first_end < of->first_end ? r->first_end : of->first_end;
    return r->first_end >= last;
}

/* Follows all chains, AT_ONCE of them in turn, one version of each at a time. A chain is no cycle: it would have to
 * reach its first version, which no compare-and-set writes, or a version with two writers. */
static void follow(chains *c) {
    uint32_t at[AT_ONCE], of[AT_ONCE], n = 0, begun = 0, met = 0;
    while (c->linear && (n > 0 || begun < c->n_chains)) {
        iso_tick(c->pool->env);
        for (; n < AT_ONCE && begun < c->n_chains; n++, begun++) {
            at[n] = c->chain[begun].first;
            of[n] = begun;
        }
        for (uint32_t i = 0; i < n; i++) {
            c->linear &= pass(&c->chain[of[i]], &c->row[at[i]]);
            met++;
            at[i] = c->row[at[i]].next;
            if (at[i] == ISO_NONE) { /* the chain is finished: the last one takes its place and is next */
                n--;
                at[i] = at[n];
                of[i] = of[n];
                i--;
            } else {
                __builtin_prefetch(&c->row[at[i]]);
            }
        }
    }
    c->linear &= met == c->n_versions; /* versions that no chain has are written by a cycle of compare-and-sets */
}

/* Sorts the chains by key, and those of a key by the earlier one of first_end and last_start; where these are equal,
 * the one that ends no earlier than it starts comes first. */
static void sort_chains(chains *c) {
    uint32_t n = c->n_chains;
    chain *from = c->chain, *to = ISO_NEW(c->pool, chain, n);
    uint32_t at = 0;
    for (int turn = 0; turn < 2; turn++) {
        for (uint32_t i = 0; i < n; i++) {
            if ((from[i].first_end < from[i].last_start) == turn) {
                to[at++] = from[i];
            }
        }
    }
    int64_t *time = ISO_NEW(c->pool, int64_t, n);
    iso_buckets keys = iso_buckets_new(c->pool, c->h->n_keys);
    for (uint32_t i = 0; i < n; i++) {
        bool initial = iso_version_is_initial(c->h, to[i].first);
        time[i] = to[i].first_end < to[i].last_start ? to[i].first_end : to[i].last_start;
        time[i] = initial ? INT64_MIN : time[i] > INT64_MIN ? time[i] : INT64_MIN + 1;
        iso_buckets_count(&keys, to[i].key);
    }
    uint32_t *sorted = iso_sorted_by(c->pool, time, n);
    iso_buckets_sum(&keys);
    for (uint32_t i = 0; i < n; i++) {
        const chain *x = &to[sorted[i]];
        from[iso_buckets_place(&keys, x->key)] = *x;
    }
}

/* Tests the order of the chains of each key. */
static void compare_chains(chains *c) {
    for (uint32_t i = 1; i < c->n_chains && c->linear; i++) {
        chain *now = &c->chain[i];
        const chain *before = now - 1;
        if (now->key == before->key) {
            c->linear = now->first_end >= before->last_start;
            now->last_start = now->last_start > before->last_start ? now->last_start : before->last_start;
        }
    }
}

/* Returns the readers of each version. */
static uint32_t *list_readers(const chains *c, iso_buckets *rows) {
    const isolab_history *h = c->h;
    *rows = iso_buckets_new(c->pool, h->n_versions);
    uint32_t *reader = NULL;
    for (int turn = 0; turn < 2; turn++) {
        for (uint32_t t = 0; t < h->n_txns; t++) {
            iso_tick(c->pool->env);
            single x = h->txn_counts[t] == ISO_INCLUDED ? single_of(h, t) : (single){.key = ISO_NONE};
            if (x.key == ISO_NONE || x.gives != ISO_NONE) {
                continue;
            }
            if (turn == 0) {
                iso_buckets_count(rows, x.reads);
            } else {
                reader[iso_buckets_place(rows, x.reads)] = t;
            }
        }
        reader = turn == 0 ? ISO_NEW(c->pool, uint32_t, iso_buckets_sum(rows)) : reader;
    }
    return reader;
}

/* Writes one order of all transactions: each happens at the latest start among itself and the calls before it in its
 * key. */
static uint32_t *merge(const chains *c, iso_pool *pool, uint32_t *n_order) {
    const isolab_history *h = c->h;
    iso_buckets rows;
    uint32_t *reader = list_readers(c, &rows), *txn = ISO_NEW(c->pool, uint32_t, h->n_txns), n = 0;
    int64_t *point = ISO_NEW(c->pool, int64_t, h->n_txns);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        if (h->txn_counts[t] == ISO_INCLUDED && h->txn_op[t] == h->txn_op[t + 1]) {
            txn[n] = t;
            point[n++] = start_of(h, t);
        }
    }
    for (uint32_t i = 0; i < c->n_chains; i++) {
        int64_t now = i > 0 && c->chain[i].key == c->chain[i - 1].key ? c->chain[i - 1].last_start : INT64_MIN;
        for (uint32_t v = c->chain[i].first; v != ISO_NONE; v = c->row[v].next) {
            const row *r = &c->row[v];
            iso_tick(c->pool->env);
            now = r->start > now ? r->start : now;
            if (!iso_version_is_initial(h, v)) {
                txn[n] = h->op_txn[h->version_writer[v]];
                point[n++] = now;
            }
            for (uint32_t j = rows.first[v]; j < rows.first[v + 1]; j++) {
                int64_t start = start_of(h, reader[j]);
                txn[n] = reader[j];
                point[n++] = start > now ? start : now;
            }
            now = r->last_start > now ? r->last_start : now;
        }
    }
    uint32_t *sorted = iso_sorted_by(c->pool, point, n), *order = ISO_NEW(pool, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        order[i] = txn[sorted[i]];
    }
    *n_order = n;
    return order;
}

iso_linear_answer iso_linear_chains(const isolab_history *h, bool sessions, iso_pool *scratch, iso_pool *pool,
                                    uint32_t **order, uint32_t *n_order) {
    chains c = {.h = h, .pool = scratch, .sessions = sessions, .linear = true};
    if (!h->unique || h->has_lists || h->txn_start == NULL || !begins_simple(h)) {
        return ISO_LINEAR_TOO_MANY;
    }
    prepare(&c);
    if (!enter_all(&c)) {
        return ISO_LINEAR_TOO_MANY;
    }
    find_chains(&c);
    follow(&c);

    if (c.linear && c.several) {
        sort_chains(&c);
        compare_chains(&c);
    }
    if (c.linear && order != NULL) {
        *order = merge(&c, pool, n_order);
    }
    return c.linear ? ISO_LINEAR : ISO_NOT_LINEAR;
}
