/* What is known of the order of the events, as clocks over the chains.
 *
 * row[v][c] is the number of events of chain c that come before event v: one lookup answers "is u before v",
 * and a join of rows (a vector maximum) takes in everything that is before an event. Edges are session order,
 * reads-from, and what saturation infers; each inferred edge remembers its rule, so that a cycle can be
 * explained (explain.h).
 *
 * Saturation (docs/strong.md): unit propagation of the constraints of model.h to a fixed
 * point. Within a chain the writes of a key are ordered, so for each (event, chain, key) only the last write
 * before the event matters. A visit of an event looks only at the keys of which a chain wrote whose clock entry grew
 * since the last one: rounds after the first cost what changed.
 *
 * Time O(n k) a round for n operations, memory 2 k bytes an event and 24 an inferred edge.
 */
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
    uint32_t slot;     /* AXIOM: of t2; RW: of t2; WW: of t2, the later one */
    uint8_t kind;      /* ISO_EDGE_AXIOM, ISO_EDGE_RW, ISO_EDGE_WW; ISO_EDGE_LIST: op is the list read that shows it */
} strong_edge;

typedef struct strong_order {
    const strong_model *m;
    iso_pool *pool;
    uint32_t n;        /* events */
    uint32_t stride;   /* entries of a row, a multiple of STRONG_LANES */
    strong_count *row; /* NULL: without clocks. See strong_row() */
    strong_point *at;  /* an event's place */
    uint64_t *grown;   /* chains (modulo 64) whose entry grew since the event was last visited */
    strong_edge *edge;
    uint32_t n_edges, edges_room;
    uint32_t *out;            /* first inferred edge of an event; ISO_NONE */
    uint32_t *rank, *by_rank; /* a topological order of what was known before saturation */
    uint64_t *dirty;          /* bits by rank; set ones lie in words [dirty_from, dirty_to] */
    uint32_t dirty_from, dirty_to;
    strong_last last;
    strong_rules rules;
    uint32_t cycle; /* an event before itself; ISO_NONE */
    uint32_t rounds;
    uint64_t visits;
} strong_order;

static inline uint32_t strong_chain_of(const strong_order *o, uint32_t event) {
    return o->m->chain[strong_txn(o->m, event)];
}

/* By chain: how many of its events come before event v. */
static inline const strong_count *strong_row(const strong_order *o, uint32_t v) {
    return o->row + (size_t)v * o->stride;
}

static inline bool strong_before(const strong_order *o, uint32_t u, uint32_t v) {
    return strong_row(o, v)[strong_chain_of(o, u)] > o->at[u].place;
}

/* Starts with session order, reads-from and what lists show. */
void iso_strong_order_init(strong_order *o, const strong_model *m, iso_pool *pool);

/* Adds that readers of initial values come before writers: for saturation. */
void iso_strong_order_initial_readers(strong_order *o);

/* Ranks the events. False when the edges so far have a cycle. */
bool iso_strong_order_rank(strong_order *o);

/* The bytes that the clocks would take, and making them; saturation needs them. few_writers: see rules.h. */
uint64_t iso_strong_order_clock_bytes(const strong_order *o);
void iso_strong_order_clocks(strong_order *o, uint32_t few_writers);

/* To the fixed point. False when it ends in a cycle. */
bool iso_strong_clocks_saturate(strong_order *o);

/* By event: how many are known to be before it, a guess of when it happened. The clocks, which take much memory, are
 * gone then. */
uint32_t *iso_strong_order_predecessors(strong_order *o);

/* Adds an inferred edge; clocks stay as they are. */
void iso_strong_add_edge(strong_order *o, strong_edge edge);

/* A topological order of all events and edges; false when they have a cycle. */
bool iso_strong_topological(const strong_order *o, iso_pool *scratch, uint32_t *by_rank);

/* A read was resolved after the start (model.h): looks at its rules again. */
void iso_strong_order_resolved(strong_order *o, uint32_t read);

/* Calls fn for every edge that leaves an event: session order, reads-from (read is its number), inferred
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
        if (m->end[t] != ISO_NONE && t < m->n_included) {
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

/* By event: how many edges of strong_each_out() lead to it. Counted from the other side, which lies in order. */
uint32_t *iso_strong_degrees(const strong_order *o, iso_pool *pool);

#endif
