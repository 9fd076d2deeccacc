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
#include "checkers/strong/model.h"

/* The writers and readers of each key, stored for the rules of saturation.
 *
 * Most keys have few writers: then a rule tests all of them, each by comparing a clock with a place, in adjacent
 * memory. Keys with more writers are tested chain by chain (strong_last). Keys that only one transaction writes have no
 * rule. */

/* A number of events of a chain (model.h). Rows are padded to a multiple of STRONG_LANES, for vectors. */
typedef uint16_t strong_count;
#define STRONG_LANES 32

/* For a key and an event: the last writer of the key in each chain before the event.
 *
 * Keys that many chains write have a table with a lane for each chain, which remembers the answer to the last question:
 * events are visited in roughly the order in which they happened, so nearly all answers still hold, which is tested by
 * comparing the event's clock with two vectors. Other keys are searched group by group.
 *
 * Counts below are numbers of transactions of a chain that commit before the event (for a read), or that start before
 * it (for a write). */
typedef struct strong_last {
    const strong_model *m;
    uint32_t stride;    /* number of lanes of a table, the same as of a clock */
    uint32_t *table;    /* by key: the number of its table; ISO_NONE: none */
    strong_count *low;  /* by table and lane: 1 + the place of the writer found; 0: none */
    strong_count *high; /* 1 + the place of the next writer; UINT16_MAX: none */
    uint32_t *group;    /* the group of the key and the chain; ISO_NONE: the chain never writes the key */
    uint32_t *at;       /* the writer's index in key_txn, where low is not 0 */
    uint32_t *before;   /* by slot: the slot of the same key with the next lower rank; ISO_NONE: none. NULL: no
                         * tables */
} strong_last;

/* rank: of events, to order the writers of a key roughly. without: keys that will not be asked about. */
void iso_strong_last_init(strong_last *l, const strong_model *m, iso_pool *pool, uint32_t stride, const uint32_t *rank,
                          const uint8_t *without);

/* Updates a table to the counts (clock[c] + add) >> shift. */
void iso_strong_last_move(strong_last *l, uint32_t table, const strong_count *clock, uint32_t add, uint32_t shift);

/* Returns the number of lanes with a writer that the counts (clock[c] + add) >> shift do not include. */
uint32_t iso_strong_last_missing(const strong_last *l, uint32_t table, const strong_count *clock, uint32_t add,
                                 uint32_t shift);

/* Updates one lane. Returns the index of its writer in key_txn, or ISO_NONE. The chain must write the key. */
uint32_t iso_strong_last_in_lane(strong_last *l, uint32_t table, uint32_t chain, uint32_t count);

/* Returns the last writer of a group among the first `count` transactions of its chain: an index in key_txn, or
 * ISO_NONE. */
uint32_t iso_strong_last_in_group(const strong_model *m, uint32_t group, uint32_t count);

/* An event: its chain and its place there. */
typedef struct strong_point {
    strong_count chain, place;
} strong_point;

/* A reader and the writer that it reads from: the event that must come before a later writer, and the event that makes
 * that writer later. */
typedef struct strong_pair {
    strong_point writer, reader;
} strong_pair;

typedef struct strong_rules {
    const strong_model *m;
    const strong_point *at; /* by event */
    uint64_t *chains;       /* by key: the chains (modulo 64) that write it; 0: at most one transaction does */
    uint8_t *flat;          /* by key: it has few writers */
    strong_point *writer;   /* by index in key_txn: its commit; only for keys with few writers */
    uint32_t *source;     /* by read: the index in key_txn of the writer that it reads from; ISO_NONE: it has no rule */
    uint32_t *pair_first; /* by key, for keys with few writers */
    strong_pair *pair;
    uint32_t *pair_read; /* by pair: the number of the read */
} strong_rules;

/* Returns the limit of writers of a key that are tested one by one, for k chains: for more writers chain by chain is
 * cheaper. */
static inline uint32_t strong_few_writers(uint32_t k) { return 32 + 2 * k; }

/* at is by event, and stays the caller's. */
void iso_strong_rules_init(strong_rules *r, const strong_model *m, iso_pool *pool, const strong_point *at,
                           uint32_t few_writers);

/* Builds the parts that depend on the reads again (iso_strong_model_reads()). */
void iso_strong_rules_reads(strong_rules *r, iso_pool *pool);

/* ---- the order ---- */

typedef struct strong_edge {
    uint32_t from, to; /* events */
    uint32_t next;     /* of the same `from` */
    uint32_t op;       /* the read of t3, from t1, that infers it, in the history; ISO_NONE for WW */
    uint32_t slot;     /* AXIOM: of t2; RW: of t2; WW: of t2, the later writer */
    uint8_t kind;      /* ISO_EDGE_AXIOM, ISO_EDGE_RW, ISO_EDGE_WW; ISO_EDGE_LIST: op is the list read that shows it;
                        * ISO_EDGE_RT (lser): neither op nor slot */
} strong_edge;

/* The edges that a constraint may bring (model.h). The first two are of operation op of t3, which reads what t1 wrote,
 * and slot w2, another one of its key: w2 is before t1, or t3 before w2. The last one, for si: slot w1 is before w2. */
static inline strong_edge strong_axiom_edge(const strong_model *m, uint32_t op, uint32_t t1, uint32_t w2) {
    uint32_t from = strong_commit(m, m->write_txn[w2]), to = t1 == ISO_INIT ? ISO_NONE : strong_written(m, t1);
    return (strong_edge){.from = from, .to = to, .op = op, .slot = w2, .kind = ISO_EDGE_AXIOM};
}

static inline strong_edge strong_rw_edge(const strong_model *m, uint32_t op, uint32_t t3, uint32_t w2) {
    uint32_t from = strong_start(m, t3), to = strong_commit(m, m->write_txn[w2]);
    return (strong_edge){.from = from, .to = to, .op = op, .slot = w2, .kind = ISO_EDGE_RW};
}

static inline strong_edge strong_ww_edge(const strong_model *m, uint32_t w1, uint32_t w2) {
    uint32_t from = strong_commit(m, m->write_txn[w1]), to = strong_start(m, m->write_txn[w2]);
    return (strong_edge){.from = from, .to = to, .op = ISO_NONE, .slot = w2, .kind = ISO_EDGE_WW};
}

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

/* Adds edges from readers of initial values to writers, for saturation. */
void iso_strong_order_initial_readers(strong_order *o);

/* Ranks the events. Returns false if the edges so far have a cycle. */
bool iso_strong_order_rank(strong_order *o);

/* Makes the clocks, which saturation needs. few_writers: see above. */
void iso_strong_order_clocks(strong_order *o, uint32_t few_writers);

/* Saturates to the fixed point. Returns false if it ends with a cycle. */
bool iso_strong_clocks_saturate(strong_order *o);

/* Adds an inferred edge, without updating clocks. */
void iso_strong_add_edge(strong_order *o, strong_edge edge);

/* Writes a topological order of all events and edges. Returns false if the edges have a cycle. */
bool iso_strong_topological(const strong_order *o, iso_pool *scratch, uint32_t *by_rank);

/* Writes all events in an order in which they probably happened, found by a replay of the history (replay.c). Returns
 * false if the known edges have a cycle. O(n), except for the waiting. */
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

/* The edges of strong_each_out() in rows, for events that are numbered otherwise: row i, [first[i], first[i+1]) of to,
 * has the edges of event[i], and to has the vertex of each event. Both NULL: events keep their numbers. tag, if asked
 * for: iso_strong_arc_tag(). */
typedef struct strong_arcs {
    const uint32_t *vertex;
    uint32_t *first, *to, *tag, n;
} strong_arcs;

strong_arcs iso_strong_arcs(const strong_order *o, iso_pool *pool, const uint32_t *event, const uint32_t *vertex,
                            bool tags);

/* Returns the tag of an edge: its kind, as in strong_each_out() (proof.c). */
uint32_t iso_strong_arc_tag(uint32_t read, uint32_t edge);

/* Returns, by event, the number of edges of strong_each_out() that lead to it. It counts from the other side, whose
 * memory is in order. */
uint32_t *iso_strong_degrees(const strong_order *o, iso_pool *pool);

/* ---- reads of repeated values: rules out writers by the known order (narrow.c) ---- */

/* Call this at a fixed point of saturation. Returns whether a read got its only possible writer, so that saturation
 * must continue. A read without a possible writer is not changed: see iso_strong_hints_of_read(). */
bool iso_strong_narrow(strong_order *o, strong_model *m);

/* The same for n ambiguous reads of included transactions, and for a caller that knows the order in another way than by
 * clocks (stretches.c). fn returns whether ambiguous read i may read from slot w1 (or ISO_INIT); if a writer in between
 * rules that out, it sets `by` to its slot. Returns the number of reads that got their only possible writer: they come
 * first in `reads` then, and the model's reads were collected again. An optional transaction is never the only possible
 * writer, since it may be excluded. */
typedef bool strong_possible_fn(void *arg, uint32_t i, uint32_t w1, uint32_t *by);
uint32_t iso_strong_narrow_reads(strong_order *o, strong_model *m, uint32_t *reads, uint32_t n, strong_possible_fn *fn,
                                 void *arg);

/* Returns the number, among all reads, of an ambiguous read that was resolved. */
uint32_t iso_strong_resolved_read(const strong_model *m, uint32_t i);

/* Given the events in a commit order: returns, by operation, the write that each read of a repeated value reads from,
 * the last one before it, which may differ from the one that the search chose; ISO_NONE for other operations. */
uint32_t *iso_strong_settle_reads(const strong_model *m, const uint32_t *by_rank, uint32_t n_events, iso_pool *pool);

#endif
