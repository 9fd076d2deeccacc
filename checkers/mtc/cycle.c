/* A shortest cycle, if pairs.c found none of two edges. Nodes are events: the start 2 t and the commit 2 t + 1 of a
 * transaction that is not done; for ser, lser and sser both are one node.
 *
 * First one cycle is found: the next transaction of a chain waits for a transaction of another chain (or for a later
 * one of its own), whose next transaction waits, too; after at most one step for each chain, a chain is met again.
 * From an event of this cycle, and then from other events, a breadth-first search follows the edges backwards: a
 * transaction that is not done waits for few others that are not done, while many wait for it. No search goes as far
 * as the best cycle is long. A step along session order leads to every earlier transaction of the session, and a
 * step along real time to every transaction that ended earlier; both visit only transactions that were not reached
 * yet, so a search takes linear time. All searches together have a limit of steps; at the limit the shortest cycle
 * so far is reported. */
#include <string.h>

#include "base/buckets.h"
#include "checkers/mtc/mtc.h"

/* Limit of the edges that all searches for shorter cycles together follow, for each transaction that is not done, plus
 * a constant. The lists of the events from which they start have the same limit. */
#define STEPS_EACH 1
#define STEPS 16384

/* Number of later transactions whose versions are prefetched. */
#define AHEAD 16

/* No cycle is shorter: pairs.c searched for shorter ones. */
#define SHORTEST 3

/* The state of an event in searches. The fields are together in memory, since searches mostly wait for memory. */
typedef struct node {
    uint32_t stamp; /* the last search that reached it */
    uint32_t depth;
    uint32_t after; /* the event to which the step leads */
    mtc_step via;   /* the step from it */
} node;

typedef struct cycles {
    mtc *m;
    unsigned shift; /* an event is a node, or (1: all levels except si) both events of a transaction are one */
    uint32_t *reader_first, *reader; /* by version: its reads by transactions that are not done */
    uint32_t *by_end, n_ends;        /* sser: the transactions that are not done, by their end */

    uint32_t search; /* the number of the search, for stamps */
    uint32_t target; /* an event */
    node *node;
    uint32_t *queue, n_queue;          /* events */
    uint32_t *session, *high;          /* by chain: the search that reached its transactions before `high` */
    uint32_t *queue_search, *queue_to; /* lser, by key: the search that reached its queue before this place */
    uint32_t n_ended;                  /* number of transactions of by_end that were reached, from its beginning */
    uint32_t last;                     /* the event to which the target leads; ISO_NONE: not reached */
    mtc_step closing;                  /* the step from the target */
    uint64_t steps, most_steps;

    mtc_step *best;
    uint32_t n_best, room_best;
} cycles;

static node *node_of(const cycles *y, uint32_t event) { return &y->node[event >> y->shift]; }

/* Counts the reads of a transaction, or places them. */
static void list_reads(cycles *y, iso_buckets *rows, uint32_t t, bool place) {
    const isolab_history *h = y->m->h;
    mtc_txn x = mtc_in(y->m, t) && !mtc_started(y->m, t) ? mtc_look(h, t) : (mtc_txn){.n_reads = 0};
    for (uint32_t i = 0; i < x.n_reads; i++) {
        if (place) {
            y->reader[iso_buckets_place(rows, h->op_version[x.read[i]])] = x.read[i];
        } else {
            iso_buckets_count(rows, h->op_version[x.read[i]]);
        }
    }
}

static void list_readers(cycles *y) {
    mtc *m = y->m;
    iso_buckets rows = iso_buckets_new(m->pool, m->h->n_versions);
    for (int round = 0; round < 2; round++) {
        for (uint32_t c = 0; c < m->n_chains; c++) {
            for (uint32_t t = m->next[c]; t < m->chain_txn[c + 1]; t++) {
                iso_tick(m->pool->env);
                mtc_fetch(m->h, rows.first + 1, t + AHEAD);
                list_reads(y, &rows, t, round == 1);
            }
        }
        if (round == 0) {
            y->reader = ISO_NEW(m->pool, uint32_t, iso_buckets_sum(&rows));
        }
    }
    y->reader_first = rows.first;
}

/* ---- a certain cycle ---- */

/* Returns the first transaction of a chain that is not done. */
static uint32_t head_of(const mtc *m, uint32_t c) {
    uint32_t t = m->next[c];
    while (t < m->chain_txn[c + 1] && !mtc_in(m, t)) {
        t++;
    }
    return t;
}

/* Returns the chain for which t, the first transaction of its chain that is not done, waits. */
static uint32_t obstacle(const cycles *y, uint32_t t) {
    mtc *m = y->m;
    const isolab_history *h = m->h;
    mtc_txn x = mtc_look(h, t);
    for (uint32_t i = 0; i < x.n_reads && !mtc_started(m, t); i++) {
        uint32_t source = mtc_source(m, x.read[i]);
        if (source != ISO_INIT && !mtc_done(m, source)) {
            return mtc_chain(m, source);
        }
    }
    for (uint32_t i = 0; i < x.n_reads; i++) { /* no source is missing: t waits for other readers */
        uint32_t version = h->op_version[x.read[i]];
        if (mtc_overwriter(m, x.read[i]) != t) {
            continue;
        }
        for (uint32_t r = y->reader_first[version]; r < y->reader_first[version + 1]; r++) {
            if (h->op_txn[y->reader[r]] != t) {
                return mtc_chain(m, h->op_txn[y->reader[r]]);
            }
        }
    }
    if (m->queues != NULL) {
        mtc_range range[MTC_READS];
        for (uint32_t n = iso_mtc_queues_before(m, t, range); n-- > 0;) {
            if (range[n].first < range[n].end) {
                return mtc_chain(m, iso_mtc_queues_at(m, range[n].first));
            }
        }
    }
    if (m->clock == NULL) {
        iso_throw(m->pool->env, ISOLAB_E_INTERNAL, "mtc: a transaction that was not executed waits for nothing");
    }
    return iso_mtc_clock_first(m);
}

/* Returns an event on a cycle: of the first chain that is met twice. */
static uint32_t event_on_cycle(cycles *y) {
    mtc *m = y->m;
    uint8_t *met = ISO_ZNEW(m->pool, uint8_t, m->n_chains);
    uint32_t c = 0;
    while (head_of(m, c) == m->chain_txn[c + 1]) {
        c++;
    }
    while (!met[c]) {
        met[c] = 1;
        c = obstacle(y, head_of(m, c));
    }
    iso_free(m->pool, met);
    uint32_t t = head_of(m, c);
    return 2 * t + mtc_started(m, t);
}

/* ---- the search ---- */

/* Adds an event to the search, unless it was reached before. */
static void reach(cycles *y, uint32_t after, uint32_t event, mtc_step step) {
    y->steps++;
    event |= y->shift;
    if (y->last == ISO_NONE && (event == y->target || (event & ~1u) == y->target)) {
        y->last = after;
        y->closing = step;
    }
    node *of = node_of(y, event);
    if (of->stamp == y->search) {
        return;
    }
    *of = (node){y->search, node_of(y, after)->depth + 1, after, step};
    y->queue[y->n_queue++] = event;
}

static void follow_session(cycles *y, uint32_t event, uint32_t t) {
    const mtc *m = y->m;
    uint32_t c = mtc_chain(m, t), from = y->session[c] == y->search ? y->high[c] : m->next[c];
    for (uint32_t u = t; u-- > from;) {
        if (mtc_in(m, u)) {
            reach(y, event, 2 * u + 1, (mtc_step){u, t, ISO_EDGE_SO, ISO_NONE, ISO_NONE});
        }
    }
    y->session[c] = y->search;
    y->high[c] = t > from ? t : from;
}

static void follow_reads(cycles *y, uint32_t event, uint32_t t, const mtc_txn *x) {
    const mtc *m = y->m;
    for (uint32_t i = 0; i < x->n_reads; i++) {
        uint32_t u = mtc_source(m, x->read[i]);
        if (u != ISO_INIT && !mtc_done(m, u)) {
            reach(y, event, 2 * u + 1, (mtc_step){u, t, ISO_EDGE_WR, m->h->op_writer[x->read[i]], x->read[i]});
        }
    }
}

static void follow_writes(cycles *y, uint32_t event, uint32_t t, const mtc_txn *x) {
    const mtc *m = y->m;
    const isolab_history *h = m->h;
    for (uint32_t i = 0; i < x->n_reads; i++) {
        uint32_t version = h->op_version[x->read[i]];
        if (mtc_overwriter(m, x->read[i]) != t) {
            continue;
        }
        for (uint32_t r = y->reader_first[version]; r < y->reader_first[version + 1]; r++) {
            uint32_t read = y->reader[r], u = h->op_txn[read];
            if (u != t) {
                reach(y, event, 2 * u, mtc_rw(m, read, t));
            }
        }
    }
}

static void follow_time(cycles *y, uint32_t event, uint32_t t) {
    const isolab_history *h = y->m->h;
    if (y->m->clock == NULL || h->txn_start[t] == ISO_NO_TIME) {
        return;
    }
    while (y->n_ended < y->n_ends && h->txn_end[y->by_end[y->n_ended]] < h->txn_start[t]) {
        uint32_t u = y->by_end[y->n_ended++];
        reach(y, event, 2 * u + 1, (mtc_step){u, t, ISO_EDGE_RT, ISO_NONE, ISO_NONE});
    }
}

/* lser: visits the events before an event in the queues of its keys. */
static void follow_queues(cycles *y, uint32_t event, uint32_t t) {
    const mtc *m = y->m;
    mtc_range range[MTC_READS];
    for (uint32_t n = m->queues == NULL ? 0 : iso_mtc_queues_before(m, t, range); n-- > 0;) {
        uint32_t x = range[n].key, from = y->queue_search[x] == y->search ? y->queue_to[x] : range[n].first;
        for (uint32_t i = from; i < range[n].end; i++) {
            uint32_t u = iso_mtc_queues_at(m, i);
            if (!mtc_done(m, u)) {
                reach(y, event, 2 * u + 1, (mtc_step){u, t, ISO_EDGE_RT, ISO_NONE, ISO_NONE});
            }
        }
        y->queue_search[x] = y->search;
        y->queue_to[x] = from > range[n].end ? from : range[n].end;
    }
}

/* Visits all events before an event: before a commit also those before the start, if it is not done. */
static void follow(cycles *y, uint32_t event) {
    uint32_t t = event / 2;
    mtc_txn x = mtc_look(y->m->h, t);
    if (event % 2 == 1) {
        follow_writes(y, event, t, &x);
    }
    if (!mtc_started(y->m, t)) {
        follow_session(y, event, t);
        follow_reads(y, event, t, &x);
        follow_time(y, event, t);
        follow_queues(y, event, t);
    }
}

static void keep(cycles *y) {
    y->n_best = 0;
    ISO_GROW(y->m->pool, y->best, y->n_best, y->room_best);
    y->best[y->n_best++] = y->closing;
    for (uint32_t e = y->last; node_of(y, e)->depth > 0; e = node_of(y, e)->after) {
        ISO_GROW(y->m->pool, y->best, y->n_best, y->room_best);
        y->best[y->n_best++] = node_of(y, e)->via;
    }
}

/* Finds the shortest cycle through an event, if it is shorter than the best one. all: instead lists the events that
 * lead to it, the nearest first, up to most_steps. */
static void search_from(cycles *y, uint32_t event, bool all) {
    uint32_t start = event | y->shift;
    y->search++;
    y->target = all ? ISO_NONE : start;
    y->n_queue = 0;
    y->last = ISO_NONE;
    y->n_ended = 0;
    *node_of(y, start) = (node){.stamp = y->search};
    y->queue[y->n_queue++] = start;
    for (uint32_t head = 0; head < y->n_queue && y->last == ISO_NONE && !(all && y->steps > y->most_steps); head++) {
        iso_tick(y->m->pool->env);
        if (y->n_best > 0 && node_of(y, y->queue[head])->depth + 1 >= y->n_best) {
            return;
        }
        follow(y, y->queue[head]);
    }
    if (y->last != ISO_NONE) {
        keep(y);
    }
}

static void prepare(cycles *y) {
    mtc *m = y->m;
    y->shift = m->level != ISO_SI;
    size_t events = 2 * (size_t)m->h->n_txns >> y->shift;
    list_readers(y);
    if (m->clock != NULL) {
        y->by_end = iso_mtc_by_end(m, &y->n_ends);
    }
    if (m->queues != NULL) {
        y->queue_search = ISO_ZNEW(m->pool, uint32_t, m->h->n_keys);
        y->queue_to = ISO_NEW(m->pool, uint32_t, m->h->n_keys);
    }
    y->node = ISO_ZNEW(m->pool, node, events);
    y->queue = ISO_NEW(m->pool, uint32_t, events);
    y->session = ISO_ZNEW(m->pool, uint32_t, m->n_chains);
    y->high = ISO_NEW(m->pool, uint32_t, m->n_chains);
}

static bool enough(const cycles *y) { return y->n_best == SHORTEST || y->steps > y->most_steps; }

/* Searches from all events that lead to an event of the first cycle: these are on that cycle and on cycles near it. */
static void search_near(cycles *y, uint32_t event) {
    mtc *m = y->m;
    uint32_t found = y->n_best;
    y->n_best = 0;
    y->most_steps = y->steps + STEPS;
    search_from(y, event, true);
    y->most_steps = y->steps + STEPS + STEPS_EACH * (uint64_t)(m->n_included - m->n_done);
    uint32_t n = y->n_queue, *near = ISO_NEW(m->pool, uint32_t, n);
    memcpy(near, y->queue, n * sizeof *near);
    y->n_best = found;
    for (uint32_t i = 0; i < n && !enough(y); i++) {
        search_from(y, near[i], false);
    }
    iso_free(m->pool, near);
}

/* Searches from the next transaction of each chain, then from the second one of each chain, and so on. */
static void search_others(cycles *y) {
    const mtc *m = y->m;
    bool more = true;
    for (uint32_t i = 0; more; i++) {
        more = false;
        for (uint32_t c = 0; c < m->n_chains; c++) {
            uint32_t t = m->next[c] + i;
            if (enough(y)) {
                return;
            }
            y->steps++;
            if (t < m->chain_txn[c + 1]) {
                more = true;
                if (mtc_in(m, t) && !mtc_started(m, t)) {
                    search_from(y, 2 * t, false);
                }
            }
        }
    }
}

void iso_mtc_cycle(mtc *m) {
    cycles y = {.m = m};
    if (m->h->n_txns > UINT32_MAX / 2) {
        iso_throw(m->pool->env, ISOLAB_E_LIMIT, "too many transactions to look for a cycle");
    }
    prepare(&y);
    uint32_t event = event_on_cycle(&y);
    search_from(&y, event, false);
    if (y.n_best == 0) {
        iso_throw(m->pool->env, ISOLAB_E_INTERNAL, "mtc found no cycle where there must be one");
    }
    search_near(&y, event);
    search_others(&y);
    iso_mtc_report(m, y.best, y.n_best);
}
