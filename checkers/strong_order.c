/* See strong_order.h. */
#include "base/clones.h"
#include "checkers/strong_order.h"

#include <string.h>

#define VECTOR ISO_CLONES __attribute__((optimize("O3")))

void strong_each_out(const strong_order *o, uint32_t event, strong_edge_fn *fn, void *arg) {
    const strong_model *m = o->m;
    uint32_t t = event / m->per_txn;
    if (event != strong_commit(m, t) || strong_next_follows(m, t)) {
        fn(arg, event + 1, ISO_NONE, ISO_NONE);
    }
    if (event == strong_commit(m, t)) {
        uint32_t end = m->slot_first[m->write_first[t + 1]];
        for (uint32_t i = m->slot_first[m->write_first[t]]; i < end; i++) {
            uint32_t read = m->slot_read[i];
            fn(arg, strong_start(m, m->read_txn[read]), read, ISO_NONE);
        }
    }
    if (m->end != NULL && t < m->n_txns) {
        if (m->end[t] != ISO_NONE && t < m->n_sure) {
            fn(arg, m->end[t], ISO_NONE, ISO_NONE);
        }
    } else if (m->end != NULL) {
        for (uint32_t i = m->after_first[t - m->n_txns]; i < m->after_first[t - m->n_txns + 1]; i++) {
            fn(arg, m->after[i], ISO_NONE, ISO_NONE);
        }
    }
    for (uint32_t e = o->out[event]; e != ISO_NONE; e = o->edge[e].next) {
        fn(arg, o->edge[e].to, ISO_NONE, e);
    }
}

static void mark(strong_order *o, uint32_t event) {
    uint32_t rank = o->rank[event], word = rank / 64;
    o->dirty[word] |= (uint64_t)1 << (rank % 64);
    o->dirty_from = word < o->dirty_from ? word : o->dirty_from;
    o->dirty_to = word > o->dirty_to ? word : o->dirty_to;
}

/* Is any entry of b larger than that of a? Most joins change nothing, and end here. */
VECTOR static bool any_larger(const strong_count *restrict a, const strong_count *restrict b, uint32_t stride) {
    for (uint32_t c = 0; c < stride; c += STRONG_LANES) {
        strong_count any = 0;
        for (uint32_t i = c; i < c + STRONG_LANES; i++) {
            any |= (strong_count)(b[i] > a[i]);
        }
        if (any != 0) {
            return true;
        }
    }
    return false;
}

/* u is before v: everything before u is, too. Notes which entries of v's row grew. */
static void join(strong_order *o, uint32_t u, uint32_t v) {
    size_t base = (size_t)v * o->stride;
    strong_count *into = o->row + base;
    const strong_count *from = strong_row(o, u);
    uint32_t chain = strong_chain_of(o, u);
    uint64_t grown = 0;
    if (any_larger(into, from, o->stride)) {
        for (uint32_t c = 0; c < o->m->k; c++) {
            if (from[c] > into[c]) {
                into[c] = from[c];
                grown |= (uint64_t)1 << (c % 64);
            }
        }
    }
    if (into[chain] <= o->place[u]) {
        into[chain] = (strong_count)(o->place[u] + 1);
        grown |= (uint64_t)1 << (chain % 64);
    }
    if (grown == 0) {
        return;
    }
    o->grown[v] |= grown;
    mark(o, v);
    if (into[strong_chain_of(o, v)] > o->place[v]) {
        o->cycle = v;
    }
}

void strong_choose_edge(strong_order *o, strong_edge edge) {
    if (o->n_edges >= ISO_ID_MAX) {
        iso_throw(o->pool->env, ISOLAB_E_LIMIT, "more than %u inferred edges", ISO_ID_MAX);
    }
    ISO_GROW(o->pool, o->edge, o->n_edges, o->edges_room);
    edge.next = o->out[edge.from];
    o->out[edge.from] = o->n_edges;
    o->edge[o->n_edges++] = edge;
}

static void add_edge(strong_order *o, strong_edge edge) {
    strong_choose_edge(o, edge);
    join(o, edge.from, edge.to);
}

/* Kahn's algorithm. */
typedef struct kahn {
    uint32_t *degree, *queue, tail;
} kahn;

static void count_in(void *arg, uint32_t to, uint32_t read, uint32_t edge) {
    (void)read, (void)edge;
    ((kahn *)arg)->degree[to]++;
}

static void release(void *arg, uint32_t to, uint32_t read, uint32_t edge) {
    (void)read, (void)edge;
    kahn *q = arg;
    if (--q->degree[to] == 0) {
        q->queue[q->tail++] = to;
    }
}

bool strong_topological(const strong_order *o, iso_pool *scratch, uint32_t *by_rank) {
    kahn q = {ISO_ZNEW(scratch, uint32_t, o->n), by_rank, 0};
    for (uint32_t v = 0; v < o->n; v++) {
        strong_each_out(o, v, count_in, &q);
    }
    for (uint32_t v = 0; v < o->n; v++) {
        if (q.degree[v] == 0) {
            q.queue[q.tail++] = v;
        }
    }
    for (uint32_t head = 0; head < q.tail; head++) {
        strong_each_out(o, q.queue[head], release, &q);
    }
    iso_free(scratch, q.degree);
    return q.tail == o->n;
}

/* t3 reads the initial value of x: it comes before the first writer of x in each chain. */
static void before_all_writers(strong_order *o, uint32_t read) {
    const strong_model *m = o->m;
    uint32_t t3 = m->read_txn[read], x = m->read_key[read];
    for (uint32_t g = m->key_group[x]; g < m->key_group[x + 1]; g++) {
        uint32_t at = m->group_start[g];
        if (m->key_txn[at] == t3) { /* its own write; the next one in its chain follows it anyway */
            continue;
        }
        add_edge(o, (strong_edge){.from = strong_start(m, t3),
                                  .to = strong_commit(m, m->key_txn[at]),
                                  .op = m->read_op[read],
                                  .slot = m->key_slot[at],
                                  .kind = ISO_EDGE_RW});
    }
}

/* Of the readers of one chain only the last one matters. */
static void order_initial_readers(strong_order *o) {
    const strong_model *m = o->m;
    for (uint32_t x = 0; x < m->h->n_keys; x++) {
        for (uint32_t i = m->init_first[x]; i < m->init_first[x + 1]; i++) {
            bool last = i + 1 == m->init_first[x + 1] || m->chain[m->read_txn[m->init_read[i + 1]]] !=
                                                             m->chain[m->read_txn[m->init_read[i]]];
            if (last) {
                before_all_writers(o, m->init_read[i]);
            }
        }
    }
}

static void look_again(strong_order *o, uint32_t event) {
    o->grown[event] = UINT64_MAX;
    mark(o, event);
}

void strong_order_resolved(strong_order *o, uint32_t read) {
    const strong_model *m = o->m;
    uint32_t slot = m->read_slot[read], x = m->read_key[read], t3 = m->read_txn[read];
    if (slot == ISO_INIT) {
        before_all_writers(o, read);
        return;
    }
    join(o, strong_commit(m, m->write_txn[slot]), strong_start(m, t3));
    look_again(o, strong_start(m, t3));
    for (uint32_t i = m->key_first[x]; i < m->key_first[x + 1]; i++) {
        look_again(o, strong_commit(m, m->key_txn[i]));
    }
}

/* t writes key x behind another writer (ISO_NONE: there is none), as read op shows. */
static void follow(strong_order *o, uint32_t before, uint32_t t, uint32_t x, uint32_t op) {
    const strong_model *m = o->m;
    uint32_t w = m->write_first[t];
    if (before != ISO_NONE) {
        while (m->write_key[w] != x) {
            w++;
        }
        strong_choose_edge(o, (strong_edge){.from = strong_commit(m, before),
                                            .to = m->level == ISO_SI ? strong_start(m, t) : strong_commit(m, t),
                                            .op = op,
                                            .slot = w,
                                            .kind = ISO_EDGE_LIST});
    }
}

/* The writers of each list that were read are in the order shown, and the others behind them. For si two writers of a
 * key are not concurrent, so the one is before the start of the other. */
static void order_lists(strong_order *o) {
    const strong_model *m = o->m;
    const iso_lists *l = m->lists;
    for (uint32_t x = 0; l != NULL && x < m->h->n_keys; x++) {
        uint32_t before = ISO_NONE, op = l->longest[x] == ISO_NONE ? ISO_NONE : l->read[l->longest[x]].op;
        for (uint32_t i = l->block_first[x]; i < l->block_first[x + 1]; i++) {
            uint32_t t = m->dense[l->block_txn[i]];
            follow(o, before, t, x, op);
            before = t;
        }
        for (uint32_t i = l->rest_first[x]; i < l->rest_first[x + 1]; i++) {
            follow(o, before, m->dense[l->rest_txn[i]], x, op);
        }
        for (uint32_t i = m->key_first[x + 1]; i > m->key_first[x] && m->key_txn[i - 1] >= m->n_sure; i--) {
            follow(o, before, m->key_txn[i - 1], x, op);
        }
    }
}

bool strong_order_init(strong_order *o, const strong_model *m, iso_pool *pool) {
    memset(o, 0, sizeof *o);
    o->m = m;
    o->pool = pool;
    o->n = m->n * m->per_txn;
    o->cycle = ISO_NONE;
    o->out = ISO_NEW(pool, uint32_t, o->n);
    memset(o->out, 0xff, (size_t)o->n * sizeof *o->out);
    order_lists(o);
    o->rank = ISO_NEW(pool, uint32_t, o->n);
    o->by_rank = ISO_NEW(pool, uint32_t, o->n);
    if (!strong_topological(o, pool, o->by_rank)) {
        return false;
    }
    for (uint32_t i = 0; i < o->n; i++) {
        o->rank[o->by_rank[i]] = i;
    }
    o->stride = (m->k + STRONG_LANES - 1) / STRONG_LANES * STRONG_LANES;
    return true;
}

uint64_t strong_order_clock_bytes(const strong_order *o) {
    return (uint64_t)o->n * o->stride * sizeof *o->row; /* both below 2^32 */
}

uint64_t strong_row_sum(const strong_order *o, uint32_t v) {
    const strong_count *row = strong_row(o, v);
    uint64_t sum = 0;
    for (uint32_t c = 0; c < o->stride; c++) {
        sum += row[c];
    }
    return sum;
}

void strong_order_clocks(strong_order *o) {
    const strong_model *m = o->m;
    iso_pool *pool = o->pool;
    o->row = ISO_ZNEW(pool, strong_count, (size_t)o->n * o->stride);
    o->place = ISO_NEW(pool, uint32_t, o->n);
    o->grown = ISO_NEW(pool, uint64_t, o->n);
    memset(o->grown, 0xff, (size_t)o->n * sizeof *o->grown);
    o->dirty = ISO_ZNEW(pool, uint64_t, o->n / 64 + 1);
    for (uint32_t v = 0; v < o->n; v++) {
        o->dirty[v / 64] |= (uint64_t)1 << (v % 64);
    }
    o->dirty_to = o->n / 64;
    for (uint32_t v = 0; v < o->n; v++) {
        uint32_t chain = strong_chain_of(o, v);
        o->place[v] = v - m->first[chain] * m->per_txn;
        o->row[(size_t)v * o->stride + chain] = (strong_count)o->place[v];
    }
    strong_last_init(&o->last, m, pool, o->stride, o->rank);
    order_initial_readers(o);
}

/* t3 reads x from t1, and t2 (at: its place in key_txn) is a writer of x whose commit is before t3's start: it
 * is before t1. (For the initial value the edges of order_initial_readers() close a cycle by themselves.) */
static void infer_from_read(strong_order *o, uint32_t read, uint32_t t1, uint32_t at) {
    const strong_model *m = o->m;
    if (m->key_txn[at] == t1) {
        return;
    }
    uint32_t from = strong_commit(m, m->key_txn[at]), to = strong_written(m, t1);
    if (!strong_before(o, from, to)) {
        add_edge(o, (strong_edge){.from = from,
                                         .to = to,
                                         .op = m->read_op[read],
                                         .slot = m->key_slot[at],
                                         .kind = ISO_EDGE_AXIOM});
    }
}

/* With at most this many grown chains a visit looks at them one by one, without moving a table. So it is in
 * most visits after the first round. */
#define FEW 3

static bool few(const strong_order *o, uint64_t grown) {
    return o->stride <= 64 && __builtin_popcountll(grown) <= FEW;
}

static void visit_reads(strong_order *o, uint32_t t, uint64_t grown) {
    const strong_model *m = o->m;
    uint32_t shift = m->per_txn - 1;
    const strong_count *row = strong_row(o, strong_start(m, t));
    for (uint32_t r = m->read_first[t]; r < m->read_first[t + 1] && o->cycle == ISO_NONE; r++) {
        if (m->read_slot[r] == ISO_INIT) {
            continue;
        }
        uint32_t t1 = m->write_txn[m->read_slot[r]], x = m->read_key[r], table = o->last.table[x];
        if (table == ISO_NONE) {
            for (uint32_t g = m->key_group[x]; g < m->key_group[x + 1]; g++) {
                uint32_t chain = m->group_chain[g];
                uint32_t at = grown >> (chain % 64) & 1 ? strong_last_in_group(m, g, row[chain] >> shift) : ISO_NONE;
                if (at != ISO_NONE) {
                    infer_from_read(o, r, t1, at);
                }
            }
            continue;
        }
        size_t base = (size_t)table * o->stride;
        if (few(o, grown)) {
            for (uint64_t left = grown; left != 0; left &= left - 1) {
                uint32_t c = (uint32_t)__builtin_ctzll(left), g = o->last.group[base + c];
                uint32_t at = g == ISO_NONE ? ISO_NONE : strong_last_in_group(m, g, row[c] >> shift);
                if (at != ISO_NONE) {
                    infer_from_read(o, r, t1, at);
                }
            }
            continue;
        }
        strong_last_move(&o->last, table, row, 0, shift);
        const strong_count *row1 = strong_row(o, strong_written(m, t1));
        /* t1 itself is missing from its own clock, and that is all in the usual case. */
        bool own = o->last.low[base + m->chain[t1]] == t1 - m->first[m->chain[t1]] + 1;
        uint32_t left = strong_last_missing(&o->last, table, row1, 0, shift);
        for (uint32_t c = 0; left > own && c < m->k; c++) {
            if (row1[c] >> shift < o->last.low[base + c]) {
                infer_from_read(o, r, t1, o->last.at[base + c]);
            }
        }
    }
}

/* t2 = t writes x, and t1 (at: its place in key_txn) is a writer of x that is before t2's commit (si: whose start
 * is): t1 is before t2, and so is every reader of t1's value. */
static void infer_from_write(strong_order *o, uint32_t t, uint32_t write, uint32_t at) {
    const strong_model *m = o->m;
    uint32_t t1 = m->key_txn[at], slot = m->key_slot[at], event = strong_commit(m, t);
    if (m->level == ISO_SI && !strong_before(o, strong_commit(m, t1), strong_start(m, t))) {
        add_edge(o, (strong_edge){.from = strong_commit(m, t1),
                                         .to = strong_start(m, t),
                                         .op = ISO_NONE,
                                         .slot = write,
                                         .kind = ISO_EDGE_WW});
    }
    for (uint32_t i = m->slot_first[slot]; i < m->slot_first[slot + 1]; i++) {
        uint32_t read = m->slot_read[i], t3 = m->read_txn[read];
        if (t3 != t && !strong_before(o, strong_start(m, t3), event)) {
            add_edge(o, (strong_edge){.from = strong_start(m, t3),
                                             .to = event,
                                             .op = m->read_op[read],
                                             .slot = write,
                                             .kind = ISO_EDGE_RW});
        }
    }
}

/* How far to look back for a writer to lean on (see below); beyond, every lane is looked at. */
#define LEAN 8

/* A writer t1 of the same key before t2 that t2 can lean on: what precedes t1's commit was dealt with at t1 and
 * reaches t2 through it, so that only the chains whose last writer t1 misses, and t1's own, need a look. */
static uint32_t lean_on(const strong_order *o, uint32_t write) {
    const strong_model *m = o->m;
    uint32_t event = strong_commit(m, m->write_txn[write]);
    uint32_t before = o->last.before[write];
    for (int i = 0; i < LEAN && before != ISO_NONE; i++) {
        if (strong_before(o, strong_written(m, m->write_txn[before]), event)) {
            return m->write_txn[before];
        }
        before = o->last.before[before];
    }
    return ISO_NONE;
}

static void visit_writes(strong_order *o, uint32_t t, uint64_t grown) {
    const strong_model *m = o->m;
    uint32_t shift = m->per_txn - 1, event = strong_commit(m, t), chain = m->chain[t];
    uint32_t add = m->level == ISO_SI; /* counts starts, else commits */
    const strong_count *row = strong_row(o, event);
    for (uint32_t w = m->write_first[t]; w < m->write_first[t + 1] && o->cycle == ISO_NONE; w++) {
        uint32_t x = m->write_key[w], table = o->last.table[x];
        if (table == ISO_NONE) {
            for (uint32_t g = m->key_group[x]; g < m->key_group[x + 1]; g++) {
                uint32_t c = m->group_chain[g];
                uint32_t count = c == chain ? t - m->first[c] : (row[c] + add) >> shift;
                uint32_t at = grown >> (c % 64) & 1 ? strong_last_in_group(m, g, count) : ISO_NONE;
                if (at != ISO_NONE) {
                    infer_from_write(o, t, w, at);
                }
            }
            continue;
        }
        size_t base = (size_t)table * o->stride;
        if (few(o, grown)) {
            for (uint64_t left = grown; left != 0; left &= left - 1) {
                uint32_t c = (uint32_t)__builtin_ctzll(left), g = o->last.group[base + c];
                uint32_t count = c == chain ? t - m->first[c] : (row[c] + add) >> shift;
                uint32_t at = g == ISO_NONE ? ISO_NONE : strong_last_in_group(m, g, count);
                if (at != ISO_NONE) {
                    infer_from_write(o, t, w, at);
                }
            }
            continue;
        }
        strong_last_move(&o->last, table, row, add, shift);
        const strong_count *low = o->last.low + base;
        const uint32_t *at = o->last.at + base;
        uint32_t t1 = lean_on(o, w);
        const strong_count *row1 = NULL;
        uint32_t left = m->k;
        if (t1 != ISO_NONE) {
            row1 = strong_row(o, strong_commit(m, t1));
            left = strong_last_missing(&o->last, table, row1, add, shift);
            if ((row1[m->chain[t1]] + add) >> shift >= low[m->chain[t1]]) {
                infer_from_write(o, t, w, at[m->chain[t1]]);
            }
        }
        for (uint32_t c = 0; left > 0 && c < m->k; c++) {
            if (row1 != NULL && (row1[c] + add) >> shift >= low[c]) {
                continue;
            }
            left--;
            if (low[c] == 0) {
                continue;
            }
            uint32_t last = at[c];
            if (m->key_txn[last] == t) { /* si: its own start is before its commit */
                last = last > m->group_start[o->last.group[base + c]] ? last - 1 : ISO_NONE;
            }
            if (last != ISO_NONE) {
                infer_from_write(o, t, w, last);
            }
        }
    }
}

typedef struct push {
    strong_order *o;
    uint32_t from;
} push;

static void push_to(void *arg, uint32_t to, uint32_t read, uint32_t edge) {
    (void)read, (void)edge;
    push *p = arg;
    join(p->o, p->from, to);
}

static void visit(strong_order *o, uint32_t event) {
    const strong_model *m = o->m;
    uint32_t t = event / m->per_txn;
    o->visits++;
    while (o->grown[event] != 0 && o->cycle == ISO_NONE) {
        uint64_t grown = o->grown[event];
        o->grown[event] = 0;
        if (event == strong_start(m, t)) {
            visit_reads(o, t, grown);
        }
        if (event == strong_commit(m, t) && o->cycle == ISO_NONE) {
            visit_writes(o, t, grown);
        }
    }
    push p = {o, event};
    strong_each_out(o, event, push_to, &p);
}

bool strong_saturate(strong_order *o) {
    iso_env *env = o->pool->env;
    while (o->dirty_from <= o->dirty_to && o->cycle == ISO_NONE) {
        uint32_t from = o->dirty_from, to = o->dirty_to;
        o->dirty_from = UINT32_MAX; /* what is marked behind the sweep waits for the next one */
        o->dirty_to = 0;
        for (uint32_t word = from; word <= to && o->cycle == ISO_NONE; word++) {
            while (o->dirty[word] != 0 && o->cycle == ISO_NONE) {
                uint32_t rank = 64 * word + (uint32_t)__builtin_ctzll(o->dirty[word]);
                o->dirty[word] &= o->dirty[word] - 1;
                iso_tick(env);
                visit(o, o->by_rank[rank]);
            }
            to = o->dirty_to > to ? o->dirty_to : to;
        }
        o->rounds++;
    }
    return o->cycle == ISO_NONE;
}
