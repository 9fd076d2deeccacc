/* The known order of the events, as clocks over the chains.
 *
 * row[v][c] is the number of events of chain c that come before event v. One lookup answers "is u before v", and a join
 * of rows (a vector maximum) adds everything that is before an event. Edges are session order, write-read edges, and
 * the edges that saturation infers; each inferred edge remembers its rule, so that a cycle can be explained
 * (hints.h).
 *
 * Saturation (docs/strong.md): unit propagation of the constraints of model.h to a fixed point. Within a chain the
 * writes of a key are ordered, so for each (event, chain, key) only the last write before the event matters. A visit of
 * an event examines only keys that were written by a chain whose clock entry grew since the last visit: rounds after
 * the first cost only what changed.
 *
 * A round takes O(n k) time for n operations and k chains; memory is 2 k bytes an event and 24 an inferred edge. */
#ifndef ISOLAB_CHECKERS_STRONG_ORDER_H
#define ISOLAB_CHECKERS_STRONG_ORDER_H

#include "checkers/result.h"
#include "checkers/strong/last.h"
#include "checkers/strong/model.h"
#include "checkers/strong/rules.h"

typedef struct strong_edge {
    uint32_t from, to; /* events */
    uint32_t next;     /* of the same `from` */
    uint32_t op;       /* the read of t3, from t1, that infers it, in the history; ISO_NONE for WW */
    uint32_t slot;     /* AXIOM: of t2; RW: of t2; WW: of t2, the later writer */
    uint8_t kind;      /* ISO_EDGE_AXIOM, ISO_EDGE_RW, ISO_EDGE_WW; ISO_EDGE_LIST: op is the list read that shows it;
                        * ISO_EDGE_RT (lser): neither op nor slot */
} strong_edge;

typedef struct strong_order {
    const strong_model *m;
    iso_pool *pool;
    uint32_t n;        /* number of events */
    uint32_t stride;   /* entries of a row, a multiple of STRONG_LANES */
    strong_count *row; /* NULL: without clocks. See strong_row() */
    strong_point *at;  /* by event: its chain and its place there */
    uint64_t *grown;   /* by event: chains (modulo 64) whose entry grew since its last visit */
    strong_edge *edge;
    uint32_t n_edges, edges_room;
    uint32_t *out;            /* by event: its first inferred edge; ISO_NONE: none */
    uint32_t *rank, *by_rank; /* a topological order of the edges known before saturation */
    uint64_t *dirty;          /* bits by rank; set bits are in words [dirty_from, dirty_to] */
    uint32_t dirty_from, dirty_to;
    strong_last last;
    strong_rules rules;
    uint32_t cycle; /* an event before itself; ISO_NONE: none */
    uint32_t rounds;
    uint64_t visits;
} strong_order;

static inline uint32_t strong_chain_of(const strong_order *o, uint32_t event) {
    return o->m->chain[strong_txn(o->m, event)];
}

/* Returns, by chain, how many of its events come before event v. */
static inline const strong_count *strong_row(const strong_order *o, uint32_t v) {
    return o->row + (size_t)v * o->stride;
}

static inline bool strong_before(const strong_order *o, uint32_t u, uint32_t v) {
    return strong_row(o, v)[strong_chain_of(o, u)] > o->at[u].place;
}

/* Starts with session order, write-read edges and the edges that lists and (lser) times show. */
void iso_strong_order_init(strong_order *o, const strong_model *m, iso_pool *pool);

/* lser: adds the edges of real time between transactions that access a common key. */
void iso_strong_add_times(strong_order *o);

/* Adds edges from readers of initial values to writers, for saturation. */
void iso_strong_order_initial_readers(strong_order *o);

/* Ranks the events. Returns false if the edges so far have a cycle. */
bool iso_strong_order_rank(strong_order *o);

/* Return the bytes that the clocks would take, and make them; saturation needs them. few_writers: see rules.h. */
uint64_t iso_strong_order_clock_bytes(const strong_order *o);
void iso_strong_order_clocks(strong_order *o, uint32_t few_writers);

/* Saturates to the fixed point. Returns false if it ends with a cycle. */
bool iso_strong_clocks_saturate(strong_order *o);

/* Returns, by event, how many events are known to be before it, an estimate of when it happened. Frees the clocks,
 * which take much memory. */
uint32_t *iso_strong_order_predecessors(strong_order *o);

/* Adds an inferred edge, without updating clocks. */
void iso_strong_add_edge(strong_order *o, strong_edge edge);

/* Writes a topological order of all events and edges. when: by event, the earliest possible one comes next; NULL: the one
 * that became possible first. Returns false if the edges have a cycle. */
bool iso_strong_topological(const strong_order *o, iso_pool *scratch, const uint32_t *when, uint32_t *by_rank);

/* Writes all events in an order in which they probably happened, found by a replay of the history (replay.c). Returns false
 * if the known edges have a cycle. O(n), except for the waiting. */
bool iso_strong_replay(const strong_order *o, iso_env *env, uint32_t *by_rank);

/* Applies the rules of a read again that was resolved after the start (model.h). */
void iso_strong_order_resolved(strong_order *o, uint32_t read);

/* Calls fn for every edge that leaves an event: session order, write-read edges (read is its number), inferred edges
 * (edge is its number). The other two are ISO_NONE. */
typedef void strong_edge_fn(void *arg, uint32_t to, uint32_t read, uint32_t edge);
__attribute__((always_inline)) static inline void strong_each_out(const strong_order *o, uint32_t event,
                                                                  strong_edge_fn *fn, void *arg) {
    const strong_model *m = o->m;
    uint32_t t = strong_txn(m, event);
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
        if (m->end[t] != ISO_NONE && t < m->n_included && event == strong_commit(m, t)) {
            fn(arg, strong_start(m, m->end[t]), ISO_NONE, ISO_NONE);
        }
    } else if (m->end != NULL && event == strong_commit(m, t)) {
        for (uint32_t i = m->after_first[t - m->n_txns]; i < m->after_first[t - m->n_txns + 1]; i++) {
            fn(arg, strong_start(m, m->after[i]), ISO_NONE, ISO_NONE);
        }
    }
    for (uint32_t e = o->out[event]; e != ISO_NONE; e = o->edge[e].next) {
        fn(arg, o->edge[e].to, ISO_NONE, e);
    }
}

/* Returns, by event, the number of edges of strong_each_out() that lead to it. It counts from the other side, whose
 * memory is in order. */
uint32_t *iso_strong_degrees(const strong_order *o, iso_pool *pool);

#endif
