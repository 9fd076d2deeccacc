/* The relations of `naive` as bit matrices, and the cycles that prove its anomalies. See naive.h. */
#include "checkers/naive/naive.h"

#include <string.h>

#include "base/buckets.h"

static void set(const iso_naive *v, uint64_t *matrix, uint32_t from, uint32_t to) {
    matrix[(size_t)from * v->words + to / 64] |= (uint64_t)1 << to % 64;
}

static uint64_t *new_matrix(const iso_naive *v) { return ISO_ZNEW(v->pool, uint64_t, (size_t)v->n * v->words); }

/* Transitive closure by Warshall's algorithm: O(n^3 / 64). */
static uint64_t *closure(const iso_naive *v, const uint64_t *base) {
    uint64_t *all = new_matrix(v);
    memcpy(all, base, (size_t)v->n * v->words * sizeof *all);
    for (uint32_t via = 0; via < v->n; via++) {
        const uint64_t *row = all + (size_t)via * v->words;
        for (uint32_t from = 0; from < v->n; from++) {
            iso_tick(v->pool->env);
            if (iso_naive_has(v, all, from, via)) {
                uint64_t *to = all + (size_t)from * v->words;
                for (size_t w = 0; w < v->words; w++) {
                    to[w] |= row[w];
                }
            }
        }
    }
    return all;
}

void iso_naive_relate(iso_naive *v) {
    v->direct = new_matrix(v);
    for (uint32_t t = 0; t < v->n; t++) {
        iso_tick(v->pool->env);
        for (uint32_t s = t + 1; s < v->n; s++) {
            if (iso_naive_is_so(v, t, s)) {
                set(v, v->direct, t, s);
            }
        }
        for (uint32_t r = v->read_of[t]; r < v->read_of[t + 1]; r++) {
            set(v, v->direct, v->reads[r].from, t);
        }
    }
    v->co = closure(v, v->direct);
}

void iso_naive_free(iso_naive *v) {
    iso_free(v->pool, v->direct);
    iso_free(v->pool, v->co);
    for (int i = 0; i < 3; i++) {
        iso_free(v->pool, v->cm[i].base);
        iso_free(v->pool, v->cm[i].closure);
    }
}

/* Returns a read by which t3 sees t2, for MONO, ATOMIC and DIRECT; ISO_NONE: none. */
static uint32_t seeing_read(const iso_naive *v, iso_sees by, uint32_t t2, const iso_naive_fact *fact) {
    uint32_t end = v->read_of[fact->t3 + 1];
    bool any_key = by == ISO_SEES_DIRECT || (by == ISO_SEES_MONO && v->any_key);
    iso_tick_steps(v->pool->env, (end - v->read_of[fact->t3]) / 64 + 1);
    for (uint32_t r = v->read_of[fact->t3]; r < end; r++) {
        const iso_naive_read *read = &v->reads[r];
        if (read->from == t2 && (any_key || read->key != fact->key) && (by != ISO_SEES_MONO || read->op < fact->op)) {
            return r;
        }
    }
    return ISO_NONE;
}

bool iso_naive_sees(const iso_naive *v, iso_sees by, uint32_t t2, const iso_naive_fact *fact) {
    if (by == ISO_SEES_CAUSAL) {
        return iso_naive_has(v, v->co, t2, fact->t3);
    }
    return (by != ISO_SEES_MONO && iso_naive_is_so(v, t2, fact->t3)) || seeing_read(v, by, t2, fact) != ISO_NONE;
}

void iso_naive_commit(iso_naive *v, iso_naive_cm *cm, iso_sees by) {
    cm->by = by;
    cm->base = new_matrix(v);
    memcpy(cm->base, v->direct, (size_t)v->n * v->words * sizeof *cm->base);
    for (uint32_t f = 0; f < v->n_facts; f++) {
        const iso_naive_fact *fact = &v->facts[f];
        for (uint32_t w = v->writer_of[fact->key]; w < v->writer_of[fact->key + 1]; w++) {
            uint32_t t2 = v->writers[w];
            iso_tick(v->pool->env);
            if (t2 != fact->t1 && t2 != fact->t3 && iso_naive_sees(v, by, t2, fact)) {
                ISO_GROW(v->pool, cm->axioms, cm->n_axioms, cm->axioms_room);
                cm->axioms[cm->n_axioms++] = (iso_naive_axiom){t2, f};
                set(v, cm->base, t2, fact->t1);
            }
        }
    }
    cm->closure = closure(v, cm->base);
}

/* Finds a shortest path of at least one edge. Then parent[] leads from `to` back to `from`. */
static void find_path(iso_naive *v, const uint64_t *matrix, uint32_t from, uint32_t to) {
    for (uint32_t t = 0; t < v->n; t++) {
        v->parent[t] = ISO_NONE;
    }
    uint32_t head = 0, tail = 0;
    v->queue[tail++] = from;
    while (v->parent[to] == ISO_NONE) {
        uint32_t t = v->queue[head++];
        for (uint32_t s = 0; s < v->n; s++) {
            if (v->parent[s] == ISO_NONE && iso_naive_has(v, matrix, t, s)) {
                v->parent[s] = t;
                v->queue[tail++] = s;
            }
        }
    }
}

static iso_edge new_edge(const iso_naive *v, iso_edge_kind kind, uint32_t from, uint32_t to) {
    return iso_edge_of(kind, v->txn[from], v->txn[to]);
}

static iso_edge read_edge(const iso_naive *v, uint32_t r) {
    const iso_naive_read *read = &v->reads[r];
    return iso_edge_of_read(v->h, v->txn[read->from], v->h->op_writer[read->op], read->op);
}

/* Returns an edge of so|wr. */
static iso_edge direct_edge(const iso_naive *v, uint32_t from, uint32_t to) {
    if (iso_naive_is_so(v, from, to)) {
        return new_edge(v, ISO_EDGE_SO, from, to);
    }
    uint32_t r = v->read_of[to];
    while (v->reads[r].from != from) {
        r++;
    }
    return read_edge(v, r);
}

/* Appends the edges of the last found path, in its order. Returns their number. */
static uint32_t add_direct_path(iso_naive *v, uint32_t from, uint32_t to) {
    uint32_t n = 0;
    for (uint32_t t = to; n == 0 || t != from; t = v->parent[t]) {
        v->queue[n++] = t;
    }
    for (uint32_t i = n; i-- > 0; from = v->queue[i]) {
        iso_result_edge(v->result, direct_edge(v, from, v->queue[i]));
    }
    return n;
}

/* Returns the edge t2 -> t1 of an axiom, and appends its premises. */
static iso_edge axiom_edge(iso_naive *v, uint32_t t2, const iso_naive_fact *fact, iso_sees by) {
    iso_edge edge = new_edge(v, ISO_EDGE_AXIOM, t2, fact->t1);
    edge.key = fact->key;
    edge.reader_op = fact->op;
    edge.premise = v->result->n_edges;
    edge.n_premise = 1;
    if (by == ISO_SEES_CAUSAL) {
        find_path(v, v->direct, t2, fact->t3);
        edge.n_premise = add_direct_path(v, t2, fact->t3);
        return edge;
    }
    uint32_t r = seeing_read(v, by, t2, fact);
    iso_result_edge(v->result, r == ISO_NONE ? direct_edge(v, t2, fact->t3) : read_edge(v, r));
    return edge;
}

static void report_edges(iso_naive *v, iso_anomaly_kind kind, uint32_t first, uint32_t n) {
    iso_result_anomaly(
        v->result,
        (iso_anomaly){.kind = (uint8_t)kind, .op = ISO_NONE, .other_op = ISO_NONE, .cycle = first, .n_cycle = n});
}

void iso_naive_report_cycle(iso_naive *v, uint32_t node) {
    uint32_t first = v->result->n_edges;
    find_path(v, v->direct, node, node);
    uint32_t n = add_direct_path(v, node, node);
    report_edges(v, ISO_A_CYCLIC_CO, first, n);
}

void iso_naive_report(iso_naive *v, iso_anomaly_kind kind, const iso_naive_cm *cm, uint32_t t2,
                      const iso_naive_fact *fact, iso_sees by) {
    /* First all premises, then the cycle without gaps. */
    find_path(v, cm == NULL ? v->direct : cm->base, fact->t1, t2);
    uint32_t n = 0;
    for (uint32_t t = t2; t != fact->t1; t = v->parent[t]) {
        n++;
    }
    uint32_t *step = ISO_NEW(v->pool, uint32_t, (size_t)n + 1);
    iso_edge *edge = ISO_NEW(v->pool, iso_edge, (size_t)n + 1);
    step[0] = fact->t1;
    for (uint32_t t = t2, i = n; i > 0; t = v->parent[t]) {
        step[i--] = t;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (iso_naive_has(v, v->direct, step[i], step[i + 1])) {
            edge[i] = direct_edge(v, step[i], step[i + 1]);
            continue;
        }
        uint32_t a = 0;
        while (cm->axioms[a].t2 != step[i] || v->facts[cm->axioms[a].fact].t1 != step[i + 1]) {
            a++;
        }
        edge[i] = axiom_edge(v, step[i], &v->facts[cm->axioms[a].fact], cm->by);
    }
    edge[n] = axiom_edge(v, t2, fact, by);
    uint32_t first = v->result->n_edges;
    for (uint32_t i = 0; i <= n; i++) {
        iso_result_edge(v->result, edge[i]);
    }
    iso_free(v->pool, step);
    iso_free(v->pool, edge);
    report_edges(v, kind, first, n + 1);
}

/* In an acyclic closure, a node that is before another has more successors. So sorting by the number of successors
 * gives an order. */
void iso_naive_give_order(iso_naive *v, const uint64_t *acyclic) {
    uint32_t *successors = v->parent;
    iso_buckets rows = iso_buckets_new(v->pool, v->n);
    for (uint32_t t = 0; t < v->n; t++) {
        successors[t] = 0;
        for (size_t w = 0; w < v->words; w++) {
            successors[t] += (uint32_t)__builtin_popcountll(acyclic[(size_t)t * v->words + w]);
        }
        iso_buckets_count(&rows, v->n - 1 - successors[t]);
    }
    iso_buckets_sum(&rows);
    v->result->n_order = v->n - 1;
    v->result->order = ISO_NEW(v->result->pool, uint32_t, v->n);
    for (uint32_t t = 1; t < v->n; t++) { /* the initial transaction has the most successors, and place 0 */
        v->result->order[iso_buckets_place(&rows, v->n - 1 - successors[t]) - 1] = v->txn[t];
    }
    iso_free(v->pool, rows.first);
}
