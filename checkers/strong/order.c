/* See order.h. */
#include "base/heap.h"
#include "checkers/strong/join.h"

#include <string.h>

void iso_strong_add_edge(strong_order *o, strong_edge edge) {
    if (o->n_edges >= ISO_ID_MAX) {
        iso_throw(o->pool->env, ISOLAB_E_LIMIT, "more than %u inferred edges", ISO_ID_MAX);
    }
    if (o->n_edges == o->edges_room) { /* edges take much of the memory, so the array does not double */
        o->edges_room += o->edges_room / 4 + 32;
        o->edge = iso_resize(o->pool, o->edge, o->edges_room, sizeof *o->edge);
    }
    edge.next = o->out[edge.from];
    o->out[edge.from] = o->n_edges;
    o->edge[o->n_edges++] = edge;
}

uint32_t *iso_strong_degrees(const strong_order *o, iso_pool *pool) {
    const strong_model *m = o->m;
    uint32_t *degree = ISO_ZNEW(pool, uint32_t, o->n);
    for (uint32_t t = 0; t < m->n; t++) {
        uint32_t read_from = 0;
        for (uint32_t r = m->read_first[t]; r < m->read_first[t + 1]; r++) {
            read_from += m->read_slot[r] != ISO_INIT;
        }
        degree[strong_start(m, t)] += read_from;
        degree[strong_commit(m, t)] += m->per_txn - 1;
        if (strong_next_follows(m, t)) {
            degree[strong_start(m, t + 1)]++;
        }
        if (m->end != NULL && t < m->n_included && m->end[t] != ISO_NONE) {
            degree[strong_start(m, m->end[t])]++;
        }
    }
    for (uint32_t i = 0; m->end != NULL && i < m->after_first[m->n - m->n_txns]; i++) {
        degree[strong_start(m, m->after[i])]++;
    }
    for (uint32_t e = 0; e < o->n_edges; e++) {
        degree[o->edge[e].to]++;
    }
    return degree;
}

/* Kahn's algorithm, with a queue or with a heap. */
typedef struct kahn {
    uint32_t *degree, *queue, tail;
    iso_heap heap;
    const uint32_t *when;
} kahn;

static bool earlier(const void *when, uint32_t a, uint32_t b) {
    const uint32_t *of = when;
    return of[a] < of[b];
}

static void make_available(kahn *q, uint32_t v) {
    if (q->when != NULL) {
        iso_heap_push(&q->heap, v, earlier, q->when);
    } else {
        q->queue[q->tail++] = v;
    }
}

static void release(void *arg, uint32_t to, uint32_t read, uint32_t edge) {
    (void)read, (void)edge;
    kahn *q = arg;
    if (--q->degree[to] == 0) {
        make_available(q, to);
    }
}

bool iso_strong_topological(const strong_order *o, iso_pool *scratch, const uint32_t *when, uint32_t *by_rank) {
    kahn q = {.degree = iso_strong_degrees(o, scratch), .queue = by_rank, .heap = {.pool = scratch}, .when = when};
    uint32_t n = 0;
    for (uint32_t v = 0; v < o->n; v++) {
        if (q.degree[v] == 0) {
            make_available(&q, v);
        }
    }
    for (; n < q.tail || q.heap.n > 0; n++) {
        if (when != NULL) {
            by_rank[n] = iso_heap_pop(&q.heap, earlier, when);
        }
        strong_each_out(o, by_rank[n], release, &q);
    }
    iso_free(scratch, q.degree);
    iso_free(scratch, q.heap.item);
    return n == o->n;
}

/* t3 reads x before a writer overwrites it: adds the edge to the writer at an index of key_slot. */
static void before_writer(strong_order *o, uint32_t read, uint32_t at, bool joined) {
    const strong_model *m = o->m;
    if (m->key_txn[at] == m->read_txn[read]) { /* its own write; the next writer in its chain follows it anyway */
        return;
    }
    strong_edge e = {.from = strong_start(m, m->read_txn[read]),
                     .to = strong_commit(m, m->key_txn[at]),
                     .op = m->read_op[read],
                     .slot = m->key_slot[at],
                     .kind = ISO_EDGE_RW};
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

/* Returns the first writer of the group that is known to commit after event v; the group's end: none. */
static uint32_t first_after(const strong_order *o, uint32_t group, uint32_t v) {
    const strong_model *m = o->m;
    uint32_t low = m->group_start[group], high = m->group_start[group + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (strong_before(o, v, strong_commit(m, m->key_txn[middle]))) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/* t3 reads x from t1: it is before the first writer of x after t1 in each chain. */
static void before_next_writers(strong_order *o, uint32_t read) {
    const strong_model *m = o->m;
    uint32_t t1 = m->write_txn[m->read_slot[read]], x = m->read_key[read];
    for (uint32_t g = m->key_group[x]; g < m->key_group[x + 1]; g++) {
        uint32_t at = first_after(o, g, strong_written(m, t1));
        at += at < m->group_start[g + 1] && m->key_txn[at] == t1;
        if (at < m->group_start[g + 1] &&
            !strong_before(o, strong_start(m, m->read_txn[read]), strong_commit(m, m->key_txn[at]))) {
            before_writer(o, read, at, true);
        }
    }
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
    before_next_writers(o, read);
}

/* t writes key x after another writer (ISO_NONE: none), as read op shows. */
static void follow(strong_order *o, uint32_t before, uint32_t t, uint32_t x, uint32_t op) {
    const strong_model *m = o->m;
    if (before != ISO_NONE) {
        iso_strong_add_edge(o, (strong_edge){.from = strong_commit(m, before),
                                             .to = m->level == ISO_SI ? strong_start(m, t) : strong_commit(m, t),
                                             .op = op,
                                             .slot = iso_strong_slot_of(m, t, x),
                                             .kind = ISO_EDGE_LIST});
    }
}

/* Orders the writers of each list that were read as shown, and the others after them. For si two writers of a key are
 * not concurrent, so one commits before the start of the other. */
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
        for (uint32_t i = m->key_first[x + 1]; i > m->key_first[x] && m->key_txn[i - 1] >= m->n_included; i--) {
            follow(o, before, m->key_txn[i - 1], x, op);
        }
    }
}

void iso_strong_order_init(strong_order *o, const strong_model *m, iso_pool *pool) {
    memset(o, 0, sizeof *o);
    o->m = m;
    o->pool = pool;
    o->n = m->n * m->per_txn;
    o->cycle = ISO_NONE;
    o->out = ISO_NEW_NONE(pool, o->n);
    order_lists(o);
    iso_strong_add_times(o);
    o->stride = (m->k + STRONG_LANES - 1) / STRONG_LANES * STRONG_LANES;
}

bool iso_strong_order_rank(strong_order *o) {
    o->rank = ISO_NEW(o->pool, uint32_t, o->n);
    o->by_rank = ISO_NEW(o->pool, uint32_t, o->n);
    if (!iso_strong_topological(o, o->pool, NULL, o->by_rank)) {
        return false;
    }
    for (uint32_t i = 0; i < o->n; i++) {
        o->rank[o->by_rank[i]] = i;
    }
    return true;
}

uint64_t iso_strong_order_clock_bytes(const strong_order *o) {
    return (uint64_t)o->n * o->stride * sizeof *o->row; /* both are below 2^32 */
}

uint32_t *iso_strong_order_predecessors(strong_order *o) {
    uint32_t *n = ISO_ZNEW(o->pool, uint32_t, o->n);
    for (uint32_t v = 0; v < o->n; v++) {
        iso_tick(o->pool->env);
        const strong_count *row = strong_row(o, v);
        for (uint32_t c = 0; c < o->stride; c++) {
            n[v] += row[c];
        }
    }
    iso_free(o->pool, o->row);
    o->row = NULL;
    return n;
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
