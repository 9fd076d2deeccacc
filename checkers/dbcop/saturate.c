/* Saturation for rc, ra and cc. The premises of these axioms use only session order and write-read edges, so one pass
 * adds every required t2 before t1. The level holds if these edges, session order and write-read edges have no cycle.
 * The transactions that a transaction sees are a row of a bit matrix. O(n^2) bits; O(n^3) time in the worst case. */
#include <string.h>

#include "checkers/anomaly.h"
#include "checkers/dbcop/dbcop.h"
#include "graph/digraph.h"

/* Edges between nodes: the transactions, and node n for the initial transaction. */
typedef struct edges {
    iso_pool *pool;
    uint32_t *from, *to, n, room, room2;
} edges;

static void add_edge(edges *e, uint32_t from, uint32_t to) {
    ISO_GROW(e->pool, e->from, e->n, e->room);
    ISO_GROW(e->pool, e->to, e->n, e->room2);
    e->from[e->n] = from;
    e->to[e->n++] = to;
}

static uint32_t writer_node(const iso_dbcop_problem *p, uint32_t read) {
    return p->read_from[read] == ISO_INIT ? p->n : p->slot_txn[p->read_from[read]];
}

static void base_edges(const iso_dbcop_problem *p, edges *e) {
    for (uint32_t t = 0; t < p->n; t++) {
        add_edge(e, t == p->first[p->session[t]] ? p->n : t - 1, t);
        for (uint32_t r = p->read_first[t]; r < p->read_first[t + 1]; r++) {
            add_edge(e, writer_node(p, r), t);
        }
    }
}

/* cc: returns the transactions that each transaction sees, computed in a topological order. NULL: there is no such
 * order. */
static uint64_t *closure(const iso_dbcop_problem *p, const edges *base, uint32_t words) {
    uint32_t *order = ISO_NEW(p->pool, uint32_t, (size_t)p->n + 1);
    iso_digraph g = iso_digraph_build(p->pool, p->n + 1, base->from, base->to, base->n, false);
    if (!iso_digraph_order(&g, p->pool, order)) {
        return NULL;
    }
    uint64_t *sees = ISO_ZNEW(p->pool, uint64_t, ((size_t)p->n + 1) * words);
    for (uint32_t i = 0; i <= p->n; i++) {
        iso_tick(p->pool->env);
        uint32_t t = order[i];
        const uint64_t *from = sees + (size_t)t * words;
        for (uint32_t j = g.first[t]; j < g.first[t + 1]; j++) {
            uint64_t *to = sees + (size_t)g.to[j] * words;
            iso_tick_steps(p->pool->env, words / 1024 + 1);
            for (uint32_t w = 0; w < words; w++) {
                to[w] |= from[w];
            }
            to[t / 64] |= (uint64_t)1 << (t % 64);
        }
    }
    return sees;
}

/* Returns whether the axiom's premise holds for t2 and this read of t3. */
static bool sees(const iso_dbcop_problem *p, const uint64_t *closed, uint32_t words, uint32_t t2, uint32_t t3,
                 uint32_t read) {
    if (p->level == ISO_CC) {
        return closed[(size_t)t3 * words + t2 / 64] >> (t2 % 64) & 1;
    }
    if (p->level == ISO_RA && p->session[t2] == p->session[t3] && t2 < t3) {
        return true;
    }
    /* rc: an earlier operation of t3 read from t2. For each (key, writer) the first read is known, but the axiom
     * applies to any read of the value, so the last of these reads counts. */
    const isolab_history *h = p->h;
    uint32_t last = p->read_op[read];
    for (uint32_t o = last; p->level == ISO_RC && o < h->txn_op[p->txn[t3] + 1]; o++) {
        last = h->op_kind[o] == ISO_READ && h->op_version[o] == h->op_version[p->read_op[read]] ? o : last;
    }
    for (uint32_t r = p->read_first[t3]; r < p->read_first[t3 + 1]; r++) {
        if (p->read_from[r] != ISO_INIT && p->slot_txn[p->read_from[r]] == t2 &&
            (p->level == ISO_RA || p->read_op[r] < last)) {
            return true;
        }
    }
    return false;
}

/* Returns the slots of each key, in rows: the slots of key x are slot[first[x] .. first[x+1]). */
static uint32_t *slots_by_key(const iso_dbcop_problem *p, uint32_t **first_out) {
    uint32_t slots = p->slot_first[p->n], keys = p->h->n_keys;
    uint32_t *first = ISO_ZNEW(p->pool, uint32_t, (size_t)keys + 2), *slot = ISO_NEW(p->pool, uint32_t, slots);
    for (uint32_t w = 0; w < slots; w++) {
        first[p->slot_key[w] + 2]++;
    }
    for (uint32_t x = 0; x < keys; x++) {
        first[x + 2] += first[x + 1];
    }
    for (uint32_t w = 0; w < slots; w++) {
        slot[first[p->slot_key[w] + 1]++] = w;
    }
    *first_out = first;
    return slot;
}

void iso_dbcop_saturate(const iso_dbcop_problem *p, iso_result *result, bool certificate) {
    edges e = {.pool = p->pool};
    base_edges(p, &e);
    uint32_t words = p->n / 64 + 1, base = e.n, *first;
    uint64_t *closed = p->level == ISO_CC ? closure(p, &e, words) : NULL;
    const uint32_t *slot = slots_by_key(p, &first);
    bool cyclic = p->level == ISO_CC && closed == NULL;
    for (uint32_t t3 = 0; t3 < p->n && !cyclic; t3++) {
        for (uint32_t r = p->read_first[t3]; r < p->read_first[t3 + 1]; r++) {
            uint32_t x = p->read_key[r], t1 = writer_node(p, r);
            for (uint32_t i = first[x]; i < first[x + 1]; i++) {
                iso_tick(p->pool->env);
                uint32_t t2 = p->slot_txn[slot[i]];
                if (t2 != t1 && t2 != t3 && sees(p, closed, words, t2, t3, r)) {
                    add_edge(&e, t2, t1);
                }
            }
        }
    }
    uint32_t *order = ISO_NEW(p->pool, uint32_t, (size_t)p->n + 1);
    iso_digraph g = iso_digraph_build(p->pool, p->n + 1, e.from, e.to, e.n, false);
    iso_result_counter(result, "inferred-edges", e.n - base);
    if (cyclic || !iso_digraph_order(&g, p->pool, order)) {
        iso_result_anomaly(
            result,
            (iso_anomaly){.kind = cyclic ? ISO_A_CYCLIC_CO : ISO_A_NO_ORDER, .op = ISO_NONE, .other_op = ISO_NONE});
        return;
    }
    if (certificate) {
        result->order = ISO_NEW(result->pool, uint32_t, p->n);
        for (uint32_t i = 0; i <= p->n; i++) {
            if (order[i] != p->n) {
                result->order[result->n_order++] = p->txn[order[i]];
            }
        }
    }
}
