/* A first order, by executing the history, or by the times when transactions ended. See candidates.h.
 *
 * Of the two orders the one is taken in which more reads return the last value written before them: the times of
 * different clients need not agree.
 *
 * Executing: sessions take turns. A transaction that reads a value that is not written yet is parked until it is
 * written. A transaction that reads another value than the last one lets other sessions go first, for a while. */
#include <string.h>

#include "base/sort.h"
#include "checkers/candidates/candidates.h"

#define PATIENCE 2 /* number of turns */

typedef struct guess {
    cand *c;
    uint32_t *head;                  /* by session: its next transaction */
    uint32_t *current;               /* by key: the last written version; ISO_NONE: the initial one */
    uint8_t *written;                /* by version: an executed transaction wrote it */
    uint32_t *parked;                /* by version: the last stop there; ISO_NONE: none */
    uint32_t *stop_of;               /* by session: its stop; ISO_NONE: it is not parked */
    uint32_t *waited;                /* by session: number of turns in which it let others go first */
    uint32_t *queue, first, n, room; /* a ring of sessions that wait for their turn */
    struct stop {
        uint32_t session, before; /* before: the previous stop at the same version */
    } * stops;
    uint32_t n_stops, stops_room, oldest; /* no stop before `oldest` has a session that is still parked */
} guess;

static void enqueue(guess *g, uint32_t session) { g->queue[(g->first + g->n++) % g->room] = session; }

static uint32_t dequeue(guess *g) {
    uint32_t session = g->queue[g->first];
    g->first = (g->first + 1) % g->room;
    g->n--;
    return session;
}

static void park(guess *g, uint32_t session, uint32_t version) {
    ISO_GROW(g->c->pool, g->stops, g->n_stops, g->stops_room);
    g->stops[g->n_stops] = (struct stop){session, g->parked[version]};
    g->stop_of[session] = g->parked[version] = g->n_stops++;
}

static void write_version(guess *g, uint32_t key, uint32_t version) {
    g->current[key] = version;
    g->written[version] = 1;
    for (; g->parked[version] != ISO_NONE; g->parked[version] = g->stops[g->parked[version]].before) {
        uint32_t session = g->stops[g->parked[version]].session;
        if (g->stop_of[session] == g->parked[version]) { /* otherwise it was forced to continue */
            g->stop_of[session] = ISO_NONE;
            enqueue(g, session);
        }
    }
}

/* Returns a version that a read needs and that is not written yet; ISO_NONE: none. *fresh: all reads return the last
 * written values. */
static uint32_t lacks(const guess *g, uint32_t t, bool *fresh) {
    const cand *c = g->c;
    *fresh = true;
    for (uint32_t i = c->read_first[t]; i < c->read_first[t + 1]; i++) {
        const cand_read *r = &c->reads[i];
        bool initial = iso_version_is_initial(c->h, r->version);
        if (!g->written[r->version] && !initial) {
            return r->version;
        }
        *fresh &= g->current[r->key] == r->version || (initial && g->current[r->key] == ISO_NONE);
    }
    return ISO_NONE;
}

static void execute(guess *g, uint32_t t, bool writes) {
    cand *c = g->c;
    c->order[c->n_order++] = t;
    for (uint32_t i = c->write_first[t]; writes && i < c->write_first[t + 1]; i++) {
        write_version(g, c->write_key[i], c->h->op_version[c->write_op[i]]);
    }
}

/* Executes the session's next transaction, or parks it. force: executes it in any case. */
static void turn(guess *g, uint32_t session, bool force) {
    const isolab_history *h = g->c->h;
    uint32_t t = g->head[session];
    bool fresh;
    while (t < h->session_txn[session + 1] && h->txn_counts[t] == ISO_EXCLUDED) {
        t++;
    }
    g->head[session] = t;
    if (t == h->session_txn[session + 1]) {
        return;
    }
    uint32_t version = lacks(g, t, &fresh);
    if (version != ISO_NONE && !force && h->txn_counts[t] == ISO_INCLUDED) {
        park(g, session, version);
        return;
    }
    if (fresh || force || g->waited[session] >= PATIENCE) {
        execute(g, t, version == ISO_NONE || h->txn_counts[t] == ISO_INCLUDED);
        g->head[session]++;
        g->waited[session] = 0;
    } else {
        g->waited[session]++;
    }
    enqueue(g, session);
}

static void by_execution(cand *c) {
    const isolab_history *h = c->h;
    guess g = {.c = c, .room = h->n_sessions + 1};
    g.head = ISO_NEW(c->pool, uint32_t, h->n_sessions);
    g.stop_of = ISO_NEW(c->pool, uint32_t, h->n_sessions);
    g.waited = ISO_ZNEW(c->pool, uint32_t, h->n_sessions);
    g.queue = ISO_NEW(c->pool, uint32_t, g.room);
    g.current = ISO_NEW_NONE(c->pool, h->n_keys);
    g.written = ISO_ZNEW(c->pool, uint8_t, h->n_versions);
    g.parked = ISO_NEW_NONE(c->pool, h->n_versions);
    c->n_order = 0;
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        g.head[s] = h->session_txn[s];
        g.stop_of[s] = ISO_NONE;
        enqueue(&g, s);
    }
    while (g.n > 0 || g.oldest < g.n_stops) {
        iso_tick(c->pool->env);
        if (g.n > 0) {
            turn(&g, dequeue(&g), false);
        } else { /* no session can continue: the one that has waited longest must */
            uint32_t session = g.stops[g.oldest].session;
            if (g.stop_of[session] == g.oldest++) {
                g.stop_of[session] = ISO_NONE;
                turn(&g, session, true);
            }
        }
    }
    void *blocks[] = {g.head, g.stop_of, g.waited, g.queue, g.current, g.written, g.parked, g.stops};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        iso_free(c->pool, blocks[i]);
    }
}

/* Orders transactions by their ends, and by their starts if these are missing; sessions stay in order in any case. */
static void by_time(const cand *c, uint32_t *order) {
    const isolab_history *h = c->h;
    int64_t *at = ISO_NEW(c->pool, int64_t, h->n_txns);
    uint32_t *head = ISO_NEW(c->pool, uint32_t, h->n_sessions), n = 0;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        bool first = t == h->session_txn[h->txn_session[t]];
        at[t] = h->txn_end[t] != ISO_NO_TIME ? h->txn_end[t] : h->txn_start[t];
        at[t] = at[t] == ISO_NO_TIME ? (first ? INT64_MIN : at[t - 1]) : at[t];
    }
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        head[s] = h->session_txn[s];
    }
    uint32_t *sorted = iso_sorted_by(c->pool, at, h->n_txns);
    for (uint32_t i = 0; i < h->n_txns; i++) {
        for (uint32_t *t = &head[h->txn_session[sorted[i]]]; *t <= sorted[i]; ++*t) {
            if (h->txn_counts[*t] != ISO_EXCLUDED) {
                order[n++] = *t;
            }
        }
    }
    void *blocks[] = {at, head, sorted};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        iso_free(c->pool, blocks[i]);
    }
}

/* Returns the number of reads that return another value than the last one written before them. */
static uint32_t stale(const cand *c, const uint32_t *order) {
    uint32_t *current = ISO_NEW_NONE(c->pool, c->h->n_keys), n = 0;
    for (uint32_t i = 0; i < c->n_order; i++) {
        uint32_t t = order[i];
        for (uint32_t r = c->read_first[t]; r < c->read_first[t + 1]; r++) {
            uint32_t now = current[c->reads[r].key], version = c->reads[r].version;
            n += now == ISO_NONE ? !iso_version_is_initial(c->h, version) : now != version;
        }
        for (uint32_t w = c->write_first[t]; w < c->write_first[t + 1]; w++) {
            current[c->write_key[w]] = c->h->op_version[c->write_op[w]];
        }
    }
    iso_free(c->pool, current);
    return n;
}

void iso_cand_guess(cand *c) {
    by_execution(c);
    if (c->h->txn_end != NULL) {
        uint32_t *order = ISO_NEW(c->pool, uint32_t, c->h->n_txns);
        by_time(c, order);
        if (stale(c, order) < stale(c, c->order)) {
            memcpy(c->order, order, c->n_order * sizeof *order);
        }
        iso_free(c->pool, order);
    }
    for (uint32_t i = 0; i < c->n_order; i++) {
        c->place[c->order[i]] = i + 1;
    }
}
