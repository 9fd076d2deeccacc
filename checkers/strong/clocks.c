/* Saturation: unit propagation of the constraints to a fixed point. See order.h. */
#include "base/clones.h"
#include "checkers/strong/order.h"

#include <string.h>

/* If at most this many chains have grown, a visit examines them one by one, without moving a table. Most visits after
 * the first round are of this kind. */
#define FEW_CHAINS 3

/* Limit of earlier writers that lean_on() examines; if it finds none, every lane is examined. */
#define LEAN 8

/* ---- joining rows of clocks. Everything is inlined where it is used, so that it is compiled for the processor's
 * vectors (base/clones.h). ---- */

#define STRONG_INLINE __attribute__((always_inline)) static inline

/* Half of the lanes to which a row is padded: one register. */
typedef strong_count strong_vector __attribute__((vector_size(STRONG_LANES / 2 * sizeof(strong_count)), may_alias));
typedef uint64_t strong_words __attribute__((vector_size(STRONG_LANES / 2 * sizeof(strong_count)), may_alias));

STRONG_INLINE void strong_mark(strong_order *o, uint32_t event) {
    uint32_t rank = o->rank[event], word = rank / 64;
    o->dirty[word] |= (uint64_t)1 << (rank % 64);
    o->dirty_from = word < o->dirty_from ? word : o->dirty_from;
    o->dirty_to = word > o->dirty_to ? word : o->dirty_to;
}

#define STRONG_VECTORS 2 /* in STRONG_LANES */

/* Returns whether no entry of the second vector is larger than in the first. */
STRONG_INLINE bool strong_no_larger(const strong_vector *a, const strong_vector *b) {
    strong_words w = (strong_words)(b[0] <= a[0]) & (strong_words)(b[1] <= a[1]);
    return (w[0] & w[1] & w[2] & w[3]) == UINT64_MAX;
}

/* Raises the entries of one vector to those of another. */
STRONG_INLINE void strong_take(strong_vector *into, const strong_vector *from) {
    strong_vector a = *into, b = *from, larger = (strong_vector)(b > a);
    *into = (b & larger) | (a & ~larger);
}

/* Does the same. Returns which of the 16 entries were larger, as bits. */
STRONG_INLINE uint64_t strong_take_larger(strong_vector *into, const strong_vector *from) {
    strong_vector a = *into, b = *from, larger = (strong_vector)(b > a);
    strong_words w = (strong_words)larger;
    *into = (b & larger) | (a & ~larger);
    uint64_t bits = 0;
    for (int i = 0; i < 4; i++) { /* the top bits of four lanes together */
        bits |= ((w[i] >> 15 & 0x0001000100010001u) * 0x0001000200040008u >> 48 & 15) << (4 * i);
    }
    return bits;
}

/* Raises an entry to at least count. */
STRONG_INLINE uint64_t strong_raise(strong_count *row, uint32_t chain, uint32_t count) {
    if (row[chain] >= count) {
        return 0;
    }
    row[chain] = (strong_count)count;
    return (uint64_t)1 << (chain % 64);
}

/* Records that entries of v grew (chains modulo 64), so v must be visited. */
STRONG_INLINE void strong_note(strong_order *o, uint32_t v, uint64_t grown) {
    if (grown != 0) {
        o->grown[v] |= grown;
        strong_mark(o, v);
    }
}

/* Joins the row of u into that of v, where u is before v. */
STRONG_INLINE void strong_join(strong_order *o, uint32_t u, uint32_t v) {
    const strong_vector *from = (const strong_vector *)(const void *)strong_row(o, u);
    strong_count *row = o->row + (size_t)v * o->stride;
    strong_vector *into = (strong_vector *)(void *)row;
    strong_point at = o->at[u];
    uint64_t grown = 0;
    for (uint32_t i = 0; i < o->stride / STRONG_LANES * STRONG_VECTORS; i += STRONG_VECTORS) {
        if (!strong_no_larger(into + i, from + i)) {
            for (uint32_t j = i; j < i + STRONG_VECTORS; j++) {
                grown |= strong_take_larger(into + j, from + j) << (j * (STRONG_LANES / STRONG_VECTORS) % 64);
            }
        }
    }
    strong_note(o, v, grown | strong_raise(row, at.chain, at.place + 1u));
}

/* Does the same for a v that waits for its first visit, so the grown entries do not matter. */
STRONG_INLINE void strong_join_new(strong_order *o, uint32_t u, uint32_t v) {
    const strong_vector *from = (const strong_vector *)(const void *)strong_row(o, u);
    strong_count *row = o->row + (size_t)v * o->stride;
    strong_vector *into = (strong_vector *)(void *)row;
    strong_point at = o->at[u];
    for (uint32_t i = 0; i < o->stride / STRONG_LANES * STRONG_VECTORS; i++) {
        strong_take(into + i, from + i);
    }
    strong_raise(row, at.chain, at.place + 1u);
}

void iso_strong_order_clocks(strong_order *o, uint32_t few_writers) {
    const strong_model *m = o->m;
    iso_pool *pool = o->pool;
    o->row = ISO_ZNEW(pool, strong_count, (size_t)o->n * o->stride);
    o->at = ISO_NEW(pool, strong_point, o->n);
    o->grown = ISO_NEW(pool, uint64_t, o->n);
    memset(o->grown, 0xff, (size_t)o->n * sizeof *o->grown);
    o->dirty = ISO_ZNEW(pool, uint64_t, o->n / 64 + 1);
    for (uint32_t v = 0; v < o->n; v++) {
        o->dirty[v / 64] |= (uint64_t)1 << (v % 64);
    }
    o->dirty_to = o->n / 64;
    for (uint32_t c = 0; c < m->k; c++) {
        uint32_t begin = m->first[c] * m->per_txn, end = m->first[c + 1] * m->per_txn;
        for (uint32_t v = begin; v < end; v++) {
            o->at[v] = (strong_point){(strong_count)c, (strong_count)(v - begin)};
            o->row[(size_t)v * o->stride + c] = (strong_count)(v - begin);
        }
    }
    iso_strong_rules_init(&o->rules, m, pool, o->at, few_writers);
    iso_strong_last_init(&o->last, m, pool, o->stride, o->rank, o->rules.flat);
}

/* ---- edges from readers of initial values, and of reads that were resolved ---- */

/* t3 reads x before a writer overwrites it: adds the edge to the writer at an index of key_slot. */
static void before_writer(strong_order *o, uint32_t read, uint32_t at, bool joined) {
    const strong_model *m = o->m;
    if (m->key_txn[at] == m->read_txn[read]) { /* its own write; the next writer in its chain follows it anyway */
        return;
    }
    strong_edge e = strong_rw_edge(m, m->read_op[read], m->read_txn[read], m->key_slot[at]);
    iso_strong_add_edge(o, e);
    if (joined) {
        strong_join(o, e.from, e.to);
    }
}

/* t3 reads the initial value of x: it is before the first writer of x in each chain. */
static void before_all_writers(strong_order *o, uint32_t read, bool joined) {
    const strong_model *m = o->m;
    uint32_t x = m->read_key[read];
    for (uint32_t g = m->key_group[x]; g < m->key_group[x + 1]; g++) {
        before_writer(o, read, m->group_start[g], joined);
    }
}

/* Of the readers of one chain only the last one matters. The edges of an event are adjacent, as a visit needs them. */
void iso_strong_order_initial_readers(strong_order *o) {
    const strong_model *m = o->m;
    uint32_t reads = m->read_first[m->n];
    uint8_t *last = ISO_ZNEW(o->pool, uint8_t, reads);
    for (uint32_t x = 0; x < m->h->n_keys; x++) {
        for (uint32_t i = m->init_first[x]; i < m->init_first[x + 1]; i++) {
            last[m->init_read[i]] = i + 1 == m->init_first[x + 1] || m->chain[m->read_txn[m->init_read[i + 1]]] !=
                                                                         m->chain[m->read_txn[m->init_read[i]]];
        }
    }
    for (uint32_t r = 0; r < reads; r++) {
        if (last[r]) {
            before_all_writers(o, r, false);
        }
    }
    iso_free(o->pool, last);
}

void iso_strong_order_resolved(strong_order *o, uint32_t read) {
    const strong_model *m = o->m;
    uint32_t slot = m->read_slot[read], start = strong_start(m, m->read_txn[read]);
    if (slot == ISO_INIT) {
        before_all_writers(o, read, true);
        return;
    }
    strong_join(o, strong_commit(m, m->write_txn[slot]), start);
    o->grown[start] = UINT64_MAX; /* its rules are applied again */
    strong_mark(o, start);
}

/* ---- rules ---- */

STRONG_INLINE void add_edge(strong_order *o, strong_edge edge) {
    iso_strong_add_edge(o, edge);
    strong_join(o, edge.from, edge.to);
}

/* t3 reads x from t1, and t2 (at: its index in key_txn) is a writer of x whose commit is before t3's start: so t2 is
 * before t1. (For the initial value, the edges of order_initial_readers() close a cycle by themselves.) */
STRONG_INLINE void infer_from_read(strong_order *o, uint32_t read, uint32_t t1, uint32_t at) {
    const strong_model *m = o->m;
    if (m->key_txn[at] == t1) {
        return;
    }
    if (!strong_before(o, strong_commit(m, m->key_txn[at]), strong_written(m, t1))) {
        add_edge(o, strong_axiom_edge(m, m->read_op[read], t1, m->key_slot[at]));
    }
}

static bool few(const strong_order *o, uint64_t grown) {
    return o->stride <= 64 && __builtin_popcountll(grown) <= FEW_CHAINS;
}

/* Returns a negative number if the event is before the event of the row, and another one if not: a sign, because an
 * unpredictable branch costs more than the work. */
STRONG_INLINE int counts(const strong_count *row, strong_point p) { return p.place - row[p.chain]; }
STRONG_INLINE int misses(const strong_count *row, strong_point p) { return row[p.chain] - p.place - 1; }

/* Visits the writers of the key that are before the reader, but not before the writer that it reads from (source). The
 * last writer of each chain comes first: after it has its edge, the earlier writers need none. */
STRONG_INLINE void read_of_few(strong_order *o, uint32_t read, uint32_t x, uint32_t source, const strong_count *row) {
    const strong_model *m = o->m;
    const strong_point *writer = o->rules.writer;
    const strong_count *row1 = strong_row(o, strong_written(m, m->key_txn[source]));
    for (uint32_t i = m->key_first[x + 1]; i-- > m->key_first[x];) {
        strong_point p = writer[i];
        if ((counts(row, p) & misses(row1, p) & -(int)(i != source)) < 0) {
            infer_from_read(o, read, m->key_txn[source], i);
        }
    }
}

/* The number of transactions of each chain before a visited event: the numbers of its row, except that for its own
 * chain they are the transactions before its own. */
typedef struct seen_by {
    const strong_count *row;
    uint32_t add, shift, own, before; /* own: ISO_NONE if the row also has the number for this chain */
} seen_by;

STRONG_INLINE uint32_t seen_of(seen_by s, uint32_t chain) {
    return chain == s.own ? s.before : (s.row[chain] + s.add) >> s.shift;
}

/* infer_from_read() or infer_from_write(). */
typedef void infer_fn(strong_order *o, uint32_t one, uint32_t two, uint32_t at);

/* Infers from the last seen writer of key x in each grown chain: group by group ... */
STRONG_INLINE void infer_by_groups(strong_order *o, uint32_t x, uint64_t grown, seen_by seen, infer_fn *infer,
                                   uint32_t one, uint32_t two) {
    const strong_model *m = o->m;
    for (uint32_t g = m->key_group[x]; g < m->key_group[x + 1]; g++) {
        uint32_t c = m->group_chain[g];
        uint32_t at = grown >> (c % 64) & 1 ? iso_strong_last_in_group(m, g, seen_of(seen, c)) : ISO_NONE;
        if (at != ISO_NONE) {
            infer(o, one, two, at);
        }
    }
}

/* ... or by the lanes of its table. */
STRONG_INLINE void infer_by_lanes(strong_order *o, uint32_t table, uint64_t grown, seen_by seen, infer_fn *infer,
                                  uint32_t one, uint32_t two) {
    for (uint64_t left = grown; left != 0; left &= left - 1) {
        uint32_t c = (uint32_t)__builtin_ctzll(left), g = o->last.group[(size_t)table * o->stride + c];
        uint32_t at = g == ISO_NONE ? ISO_NONE : iso_strong_last_in_lane(&o->last, table, c, seen_of(seen, c));
        if (at != ISO_NONE) {
            infer(o, one, two, at);
        }
    }
}

/* Does one or the other. Returns false if neither is worth it: all lanes of the key's table must be compared. */
STRONG_INLINE bool infer_by_chains(strong_order *o, uint32_t x, uint64_t grown, seen_by seen, infer_fn *infer,
                                   uint32_t one, uint32_t two) {
    uint32_t table = o->last.table[x];
    if (table == ISO_NONE) {
        infer_by_groups(o, x, grown, seen, infer, one, two);
    } else if (few(o, grown)) {
        infer_by_lanes(o, table, grown, seen, infer, one, two);
    } else {
        return false;
    }
    return true;
}

/* Compares the writers of the key before the reader, by its table, with those before t1, which it reads from. */
STRONG_INLINE void read_of_many(strong_order *o, uint32_t read, uint32_t x, uint32_t t1, seen_by seen) {
    const strong_model *m = o->m;
    uint32_t table = o->last.table[x];
    const strong_count *row1 = strong_row(o, strong_written(m, t1)), *low = o->last.low + (size_t)table * o->stride;
    const uint32_t *at = o->last.at + (size_t)table * o->stride;
    iso_strong_last_move(&o->last, table, seen.row, 0, seen.shift);
    /* usually only t1 itself is missing from its own clock */
    bool own = low[m->chain[t1]] == t1 - m->first[m->chain[t1]] + 1;
    uint32_t left = iso_strong_last_missing(&o->last, table, row1, 0, seen.shift);
    for (uint32_t c = 0; left > own && c < m->k; c++) {
        if (row1[c] >> seen.shift < low[c]) {
            infer_from_read(o, read, t1, at[c]);
        }
    }
}

STRONG_INLINE void visit_reads(strong_order *o, uint32_t t, uint64_t grown) {
    const strong_model *m = o->m;
    const strong_count *row = strong_row(o, strong_start(m, t));
    seen_by seen = {.row = row, .shift = m->per_txn - 1, .own = ISO_NONE};
    for (uint32_t r = m->read_first[t]; r < m->read_first[t + 1] && o->cycle == ISO_NONE; r++) {
        uint32_t source = o->rules.source[r], x = m->read_key[r];
        if (source == ISO_NONE || (o->rules.chains[x] & grown) == 0) {
            continue;
        }
        uint32_t t1 = m->key_txn[source];
        if (o->rules.flat[x]) {
            read_of_few(o, r, x, source, row);
        } else if (!infer_by_chains(o, x, grown, seen, infer_from_read, r, t1)) {
            read_of_many(o, r, x, t1, seen);
        }
    }
}

/* t2 = t writes x, and t1 (at: its index in key_txn) is a writer of x that is before t2's commit (si: whose start is):
 * so t1 is before t2, and so is every reader of t1's value. */
static void infer_from_write(strong_order *o, uint32_t t, uint32_t write, uint32_t at) {
    const strong_model *m = o->m;
    uint32_t t1 = m->key_txn[at], slot = m->key_slot[at], event = strong_commit(m, t);
    if (m->level == ISO_SI && !strong_before(o, strong_commit(m, t1), strong_start(m, t))) {
        add_edge(o, strong_ww_edge(m, slot, write));
    }
    for (uint32_t i = m->slot_first[slot]; i < m->slot_first[slot + 1]; i++) {
        uint32_t read = m->slot_read[i], t3 = m->read_txn[read];
        if (t3 != t && !strong_before(o, strong_start(m, t3), event)) {
            add_edge(o, strong_rw_edge(m, m->read_op[read], t3, write));
        }
    }
}

/* Returns an earlier writer t1 of the same key that t2 can use: everything that precedes t1's commit was handled at t1
 * and reaches t2 through it, so that only the chains whose last writer t1 misses, and t1's own chain, must be
 * examined. */
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

/* Infers from the readers of writers before t that are not before t; for si also from these writers themselves. */
STRONG_INLINE void write_of_few(strong_order *o, uint32_t t, uint32_t write, uint32_t x, const strong_count *row) {
    const strong_model *m = o->m;
    const strong_pair *pair = o->rules.pair;
    for (uint32_t i = o->rules.pair_first[x + 1]; i-- > o->rules.pair_first[x];) {
        strong_pair p = pair[i];
        if ((counts(row, p.writer) & misses(row, p.reader)) < 0) {
            uint32_t read = o->rules.pair_read[i], t3 = m->read_txn[read];
            if (t3 != t && m->write_txn[m->read_slot[read]] != t) {
                add_edge(o, strong_rw_edge(m, m->read_op[read], t3, write));
            }
        }
    }
    if (m->level != ISO_SI) {
        return;
    }
    const strong_count *start = strong_row(o, strong_start(m, t));
    const strong_point *writer = o->rules.writer;
    for (uint32_t i = m->key_first[x + 1]; i-- > m->key_first[x];) {
        strong_point p = writer[i]; /* its start is the previous event */
        if (((p.place - row[p.chain] - 1) & misses(start, p)) < 0 && m->key_txn[i] != t) {
            add_edge(o, strong_ww_edge(m, m->key_slot[i], write));
        }
    }
}

/* Compares the writers of the key before t, by its table, with those before an earlier writer that t can use. */
STRONG_INLINE void write_of_many(strong_order *o, uint32_t t, uint32_t write, uint32_t x, seen_by seen) {
    const strong_model *m = o->m;
    uint32_t table = o->last.table[x], t1 = lean_on(o, write), left = m->k;
    size_t base = (size_t)table * o->stride;
    const strong_count *low = o->last.low + base, *row1 = NULL;
    const uint32_t *at = o->last.at + base;
    iso_strong_last_move(&o->last, table, seen.row, seen.add, seen.shift);
    if (t1 != ISO_NONE) {
        row1 = strong_row(o, strong_commit(m, t1));
        left = iso_strong_last_missing(&o->last, table, row1, seen.add, seen.shift);
        if ((row1[m->chain[t1]] + seen.add) >> seen.shift >= low[m->chain[t1]]) {
            infer_from_write(o, t, write, at[m->chain[t1]]);
        }
    }
    for (uint32_t c = 0; left > 0 && c < m->k; c++) {
        if (row1 != NULL && (row1[c] + seen.add) >> seen.shift >= low[c]) {
            continue;
        }
        left--;
        if (low[c] == 0) {
            continue;
        }
        uint32_t last = at[c];
        if (m->key_txn[last] == t) { /* si: t's own start is before its commit */
            last = last > m->group_start[o->last.group[base + c]] ? last - 1 : ISO_NONE;
        }
        if (last != ISO_NONE) {
            infer_from_write(o, t, write, last);
        }
    }
}

STRONG_INLINE void visit_writes(strong_order *o, uint32_t t, uint64_t grown) {
    const strong_model *m = o->m;
    const strong_count *row = strong_row(o, strong_commit(m, t));
    seen_by seen = {.row = row,
                    .add = m->level == ISO_SI, /* counts starts for si, else commits */
                    .shift = m->per_txn - 1,
                    .own = m->chain[t],
                    .before = t - m->first[m->chain[t]]};
    for (uint32_t w = m->write_first[t]; w < m->write_first[t + 1] && o->cycle == ISO_NONE; w++) {
        uint32_t x = m->write_key[w];
        if ((o->rules.chains[x] & grown) == 0) {
            continue;
        }
        if (o->rules.flat[x]) {
            write_of_few(o, t, w, x, row);
        } else if (!infer_by_chains(o, x, grown, seen, infer_from_write, t, w)) {
            write_of_many(o, t, w, x, seen);
        }
    }
}

/* What a visited event passes on to its successors. */
typedef struct push {
    strong_order *o;
    uint32_t from;
} push;

STRONG_INLINE void push_to(void *arg, uint32_t to, uint32_t read, uint32_t edge) {
    (void)read, (void)edge;
    push *p = arg;
    if (p->o->grown[to] == UINT64_MAX) {
        strong_join_new(p->o, p->from, to);
        strong_mark(p->o, to);
    } else {
        strong_join(p->o, p->from, to);
    }
}

STRONG_INLINE void visit(strong_order *o, uint32_t event) {
    const strong_model *m = o->m;
    uint32_t t = strong_txn(m, event);
    push p = {o, event};
    o->visits++;
    while (o->grown[event] != 0 && o->cycle == ISO_NONE) {
        uint64_t grown = o->grown[event];
        o->grown[event] = 0;
        if (strong_row(o, event)[o->at[event].chain] > o->at[event].place) {
            o->cycle = event;
            return;
        }
        if (event == strong_start(m, t)) {
            visit_reads(o, t, grown);
        }
        if (event == strong_commit(m, t) && o->cycle == ISO_NONE) {
            visit_writes(o, t, grown);
        }
    }
    strong_each_out(o, event, push_to, &p);
}

STRONG_INLINE void prefetch_target(void *arg, uint32_t to, uint32_t read, uint32_t edge) {
    (void)read, (void)edge;
    const strong_order *o = arg;
    __builtin_prefetch(strong_row(o, to), 1);
}

/* Prefetches the memory that a visit of the event will read. */
STRONG_INLINE void prefetch(strong_order *o, uint32_t event) {
    const strong_model *m = o->m;
    uint32_t t = strong_txn(m, event);
    for (uint32_t r = m->read_first[t]; event == strong_start(m, t) && r < m->read_first[t + 1]; r++) {
        uint32_t source = o->rules.source[r];
        if (source != ISO_NONE) {
            __builtin_prefetch(&o->rules.writer[source]);
            __builtin_prefetch(strong_row(o, strong_written(m, m->key_txn[source])));
        }
    }
    for (uint32_t w = m->write_first[t]; event == strong_commit(m, t) && w < m->write_first[t + 1]; w++) {
        uint32_t first = o->rules.pair_first[m->write_key[w]], end = o->rules.pair_first[m->write_key[w] + 1];
        if (first != end) {
            __builtin_prefetch(&o->rules.pair[end - 1]);
            __builtin_prefetch(&o->rules.pair[first]);
        }
    }
    strong_each_out(o, event, prefetch_target, o);
}

/* One pass over the dirty events in the order of ranks, including the events that it marks. */
ISO_CLONES static void pass(strong_order *o) {
    iso_env *env = o->pool->env;
    uint32_t from = o->dirty_from, to = o->dirty_to;
    o->dirty_from = UINT32_MAX; /* an event marked at a lower rank than the current one waits for the next pass */
    o->dirty_to = 0;
    for (uint32_t word = from; word <= to && o->cycle == ISO_NONE; word++) {
        while (o->dirty[word] != 0 && o->cycle == ISO_NONE) {
            uint32_t rank = 64 * word + (uint32_t)__builtin_ctzll(o->dirty[word]);
            o->dirty[word] &= o->dirty[word] - 1;
            iso_tick(env);
            if (o->dirty[word] != 0) {
                prefetch(o, o->by_rank[64 * word + (uint32_t)__builtin_ctzll(o->dirty[word])]);
            }
            visit(o, o->by_rank[rank]);
        }
        to = o->dirty_to > to ? o->dirty_to : to;
    }
}

bool iso_strong_clocks_saturate(strong_order *o) {
    while (o->dirty_from <= o->dirty_to && o->cycle == ISO_NONE) {
        pass(o);
        o->rounds++;
    }
    return o->cycle == ISO_NONE;
}
