/* Guesses the order in which things happened, by replaying the history.
 *
 * Events are replayed as all known edges allow. A commit waits while a value that it would overwrite still has readers
 * to come; for si a start waits for the commit of another writer of the same key; a read of a repeated value waits
 * until the key has this value. If all events that could be performed wait, the one that has waited longest is
 * performed anyway: there the guess is wrong, and the search (search.c) repairs it. */
#include "checkers/strong/execution.h"
#include "checkers/strong/order.h"

#include <string.h>

#include "base/schedule.h"

#define AWAITED (1u << 31)

enum { NEW, WAITED, DONE };

/* A key. The next key is unpredictable, so the fields that are always needed are together in memory. */
typedef struct place {
    uint32_t current; /* the slot of its value; ISO_NONE: the initial value */
    uint32_t left;    /* readers of that value that are not replayed yet; plus AWAITED: an event waits for the key */
} place;

/* The events that wait for a key. */
typedef struct waiters {
    uint32_t waiting; /* the first event that waits for the key's readers, or for another writer */
    uint32_t wanting; /* the first event that waits for another value of the key */
} waiters;

typedef struct replay {
    const strong_order *o;
    const strong_model *m;
    uint32_t *degree; /* by event: number of predecessors not yet replayed */
    iso_pool pool;
    iso_schedule schedule; /* of events; tickets are also events */
    uint32_t *by_rank, n;  /* the order so far */
    place *key;
    waiters *waiters;    /* by awaited key */
    uint32_t *active;    /* si, by key: number of writers that have started, and not committed */
    uint32_t *ambiguous; /* by transaction: its first ambiguous read */
    uint8_t *state;
} replay;

static void count_down(void *arg, uint32_t to, uint32_t read, uint32_t edge) {
    replay *r = arg;
    if (--r->degree[to] == 0) {
        if (r->m->per_txn == 2 && read == ISO_NONE && edge == ISO_NONE) {
            iso_schedule_push_first(&r->schedule, to); /* a transaction should end soon after it has started */
        } else {
            iso_schedule_push(&r->schedule, to);
        }
    }
}

/* Returns whether an ambiguous read sees another value than it returned. */
static bool is_stale(const replay *r, uint32_t i) {
    const strong_model *m = r->m;
    uint32_t op = m->ambiguous_op[i];
    return m->writer[op] == ISO_MANY && !strong_reads_value(m, op, r->key[m->h->op_key[op]].current);
}

/* Returns a key whose current value differs from the one that the transaction reads, among repeated values; ISO_NONE:
 * none. */
static uint32_t wants(const replay *r, uint32_t t) {
    for (uint32_t i = t < r->m->n_included ? r->ambiguous[t] : 0; t < r->m->n_included && i < r->ambiguous[t + 1];
         i++) {
        if (is_stale(r, i)) {
            return r->m->h->op_key[r->m->ambiguous_op[i]];
        }
    }
    return ISO_NONE;
}

/* Returns a key whose value the event would overwrite before all its readers, or (si) a key that the transaction of
 * this start writes while another one does; ISO_NONE: none. */
static uint32_t blocked_by(const replay *r, uint32_t event) {
    const strong_model *m = r->m;
    uint32_t t = strong_txn(m, event);
    for (uint32_t w = m->write_first[t]; w < m->write_first[t + 1]; w++) {
        uint32_t x = m->write_key[w];
        if (event != strong_commit(m, t)) {
            if (m->level == ISO_SI && r->active[x] > 0) {
                return x;
            }
            continue;
        }
        uint32_t left = r->key[x].left & ~AWAITED;
        for (uint32_t i = m->read_first[t]; m->per_txn == 1 && left == 1 && i < m->read_first[t + 1]; i++) {
            uint32_t slot = m->read_slot[i] == ISO_INIT ? ISO_NONE : m->read_slot[i];
            left -= m->read_key[i] == x && slot == r->key[x].current; /* t itself */
        }
        if (left > 0) {
            return x;
        }
    }
    return ISO_NONE;
}

/* Wakes the events in one of the key's lists. */
static void wake(replay *r, uint32_t key, uint32_t *first) {
    for (uint32_t e; (e = iso_schedule_take_waiting(&r->schedule, first)) != ISO_NONE;) {
        if (r->state[e] != DONE) {
            iso_schedule_push(&r->schedule, e);
        }
    }
    if (r->waiters[key].waiting == r->waiters[key].wanting) { /* both are empty */
        r->key[key].left &= ~AWAITED;
    }
}

static void wait_for(replay *r, uint32_t event, uint32_t key, bool for_value) {
    if ((r->key[key].left & AWAITED) == 0) {
        r->waiters[key] = (waiters){ISO_NONE, ISO_NONE};
    }
    uint32_t *first = for_value ? &r->waiters[key].wanting : &r->waiters[key].waiting;
    iso_schedule_wait_in(&r->schedule, event, first);
    r->key[key].left |= AWAITED;
    if (r->state[event] == NEW) {
        r->state[event] = WAITED;
        r->schedule.waited[r->schedule.n_waited++] = event;
    }
}

static void perform(replay *r, uint32_t event) {
    const strong_model *m = r->m;
    uint32_t t = strong_txn(m, event);
    r->state[event] = DONE;
    if (event == strong_start(m, t)) {
        for (uint32_t i = m->read_first[t]; i < m->read_first[t + 1]; i++) {
            uint32_t slot = m->read_slot[i] == ISO_INIT ? ISO_NONE : m->read_slot[i];
            uint32_t x = m->read_key[i];
            if (slot == r->key[x].current && --r->key[x].left == AWAITED) { /* otherwise it is already overwritten */
                wake(r, x, &r->waiters[x].waiting);
            }
        }
    }
    for (uint32_t w = m->write_first[t]; w < m->write_first[t + 1]; w++) {
        uint32_t x = m->write_key[w];
        if (event != strong_commit(m, t)) {
            r->active[x]++;
            continue;
        }
        uint32_t awaited = r->key[x].left & AWAITED;
        r->key[x] =
            (place){w, (m->slot_first[w + 1] - m->slot_first[w]) | awaited}; /* no reader can have come before */
        bool last = m->level == ISO_SI && --r->active[x] == 0;
        if (awaited) {
            wake(r, x, &r->waiters[x].wanting);
        }
        if (awaited && last) {
            wake(r, x, &r->waiters[x].waiting);
        }
    }
    strong_each_out(r->o, event, count_down, r);
}

/* Sessions take turns, so the next event's memory is elsewhere: prefetch it. */
static void look_ahead(const replay *r) {
    const strong_model *m = r->m;
    const iso_schedule *q = &r->schedule;
    if (q->head + STRONG_AHEAD < q->tail) {
        uint32_t t = strong_txn(m, q->ready[q->head + STRONG_AHEAD]);
        __builtin_prefetch(&m->read_slot[m->read_first[t]]);
        __builtin_prefetch(&m->read_key[m->read_first[t]]);
        __builtin_prefetch(&m->write_key[m->write_first[t]]);
        __builtin_prefetch(&m->slot_first[m->write_first[t]]);
    }
}

/* Returns the next event to perform; ISO_NONE: none can be performed. */
static uint32_t choose(replay *r) {
    iso_schedule *q = &r->schedule;
    while (iso_schedule_any_ready(q)) {
        look_ahead(r);
        uint32_t event = iso_schedule_pop(q);
        uint32_t t = strong_txn(r->m, event), wanted = event == strong_start(r->m, t) ? wants(r, t) : ISO_NONE;
        uint32_t x = wanted == ISO_NONE ? blocked_by(r, event) : wanted;
        if (x == ISO_NONE) {
            return event;
        }
        wait_for(r, event, x, wanted != ISO_NONE);
    }
    while (q->first_waited < q->n_waited && r->state[q->waited[q->first_waited]] == DONE) {
        q->first_waited++;
    }
    return q->first_waited == q->n_waited ? ISO_NONE : q->waited[q->first_waited++];
}

static void replay_events(void *arg) {
    replay *r = arg;
    const strong_order *o = r->o;
    const strong_model *m = r->m;
    iso_pool *pool = &r->pool;
    r->degree = iso_strong_degrees(o, pool);
    iso_schedule_init(&r->schedule, pool, o->n, o->n);
    r->key = ISO_NEW(pool, place, m->h->n_keys);
    r->waiters = ISO_NEW(pool, waiters, m->h->n_keys);
    r->active = m->per_txn == 2 ? ISO_ZNEW(pool, uint32_t, m->h->n_keys) : NULL;
    r->ambiguous = iso_strong_ambiguous_reads(m, pool);
    r->state = ISO_ZNEW(pool, uint8_t, o->n);
    for (uint32_t x = 0; x < m->h->n_keys; x++) {
        r->key[x] = (place){ISO_NONE, 0};
    }
    for (uint32_t i = 0; i < m->read_first[m->n]; i++) {
        r->key[m->read_key[i]].left += m->read_slot[i] == ISO_INIT;
    }
    for (uint32_t v = 0; v < o->n; v++) {
        if (r->degree[v] == 0) {
            iso_schedule_push(&r->schedule, v);
        }
    }
    for (uint32_t v; (v = choose(r)) != ISO_NONE; r->n++) {
        iso_tick(pool->env);
        r->by_rank[r->n] = v;
        perform(r, v);
    }
}

bool iso_strong_replay(const strong_order *o, iso_env *env, uint32_t *by_rank) {
    replay r = {.o = o, .m = o->m, .by_rank = by_rank};
    iso_pool_init(&r.pool, env);
    iso_guard_pool(&r.pool, replay_events, &r);
    return r.n == o->n;
}
