/* See strong_replay.h. */
#include "checkers/strong_replay.h"

#include <string.h>

enum { NEW, WAITED, DONE };

typedef struct replay {
    const strong_order *o;
    const strong_model *m;
    uint32_t here;
    uint32_t *degree;            /* by transaction: predecessors not yet replayed */
    uint32_t *ready, head, tail; /* a ring of transactions that may be tried; each is in it at most once */
    uint32_t *current;           /* by key: the slot of its value; ISO_NONE: the initial value */
    uint32_t *left;    /* by slot, then by key for initial values: readers not yet replayed */
    uint32_t *waiting; /* by key: the first transaction that waits for its readers */
    uint32_t *next;    /* by transaction: the next one that waits for the same key */
    uint8_t *state;
    uint32_t *waited, w_head, w_tail; /* those that ever waited, oldest first */
    uint32_t forced;
} replay;

static void count_before(void *arg, uint32_t to, uint32_t read, uint32_t edge) {
    (void)read, (void)edge;
    replay *r = arg;
    r->degree[to / r->m->per_txn] += to / r->m->per_txn != r->here;
}

static void push(replay *r, uint32_t t) {
    r->ready[r->tail] = t;
    r->tail = r->tail == r->m->n ? 0 : r->tail + 1; /* one place more than transactions */
}

static void count_down(void *arg, uint32_t to, uint32_t read, uint32_t edge) {
    (void)read, (void)edge;
    replay *r = arg;
    uint32_t t = to / r->m->per_txn;
    if (t != r->here && --r->degree[t] == 0) {
        push(r, t);
    }
}

static void each_successor(replay *r, uint32_t t, strong_edge_fn *fn) {
    r->here = t;
    for (uint32_t i = 0; i < r->m->per_txn; i++) {
        strong_each_out(r->o, t * r->m->per_txn + i, fn, r);
    }
}

static uint32_t *readers_left(replay *r, uint32_t slot, uint32_t key) {
    return slot == ISO_NONE ? r->left + r->m->write_first[r->m->n] + key : r->left + slot;
}

/* A key whose value transaction t would overwrite under its readers; ISO_NONE. */
static uint32_t blocked_by(replay *r, uint32_t t) {
    const strong_model *m = r->m;
    for (uint32_t w = m->write_first[t]; w < m->write_first[t + 1]; w++) {
        uint32_t x = m->write_key[w], left = *readers_left(r, r->current[x], x);
        for (uint32_t i = m->read_first[t]; left == 1 && i < m->read_first[t + 1]; i++) { /* perhaps t itself */
            uint32_t slot = m->read_slot[i] == ISO_INIT ? ISO_NONE : m->read_slot[i];
            left -= m->read_key[i] == x && slot == r->current[x];
        }
        if (left > 0) {
            return x;
        }
    }
    return ISO_NONE;
}

static void perform(replay *r, uint32_t t) {
    const strong_model *m = r->m;
    r->state[t] = DONE;
    for (uint32_t i = m->read_first[t]; i < m->read_first[t + 1]; i++) {
        uint32_t slot = m->read_slot[i] == ISO_INIT ? ISO_NONE : m->read_slot[i], x = m->read_key[i];
        if (--*readers_left(r, slot, x) == 0 && slot == r->current[x]) {
            for (uint32_t u = r->waiting[x]; u != ISO_NONE; u = r->next[u]) {
                if (r->state[u] != DONE) {
                    push(r, u);
                }
            }
            r->waiting[x] = ISO_NONE;
        }
    }
    for (uint32_t w = m->write_first[t]; w < m->write_first[t + 1]; w++) {
        r->current[m->write_key[w]] = w;
    }
    each_successor(r, t, count_down);
}

/* The next transaction to perform; ISO_NONE: none is left that could. */
static uint32_t choose(replay *r) {
    while (r->head != r->tail) {
        uint32_t t = r->ready[r->head];
        r->head = r->head == r->m->n ? 0 : r->head + 1;
        uint32_t x = blocked_by(r, t);
        if (x == ISO_NONE) {
            return t;
        }
        r->next[t] = r->waiting[x];
        r->waiting[x] = t;
        if (r->state[t] == NEW) {
            r->state[t] = WAITED;
            r->waited[r->w_tail++] = t;
        }
    }
    while (r->w_head < r->w_tail && r->state[r->waited[r->w_head]] == DONE) {
        r->w_head++;
    }
    if (r->w_head == r->w_tail) {
        return ISO_NONE;
    }
    r->forced++;
    return r->waited[r->w_head++];
}

bool strong_replay(const strong_order *o, iso_pool *scratch, uint32_t *by_rank, uint32_t *forced) {
    const strong_model *m = o->m;
    uint32_t slots = m->write_first[m->n], n = 0;
    replay r = {.o = o, .m = m};
    r.degree = ISO_ZNEW(scratch, uint32_t, m->n);
    r.ready = ISO_NEW(scratch, uint32_t, (size_t)m->n + 1);
    r.current = ISO_NEW(scratch, uint32_t, m->h->n_keys);
    r.left = ISO_ZNEW(scratch, uint32_t, (size_t)slots + m->h->n_keys);
    r.waiting = ISO_NEW(scratch, uint32_t, m->h->n_keys);
    r.next = ISO_NEW(scratch, uint32_t, m->n);
    r.state = ISO_ZNEW(scratch, uint8_t, m->n);
    r.waited = ISO_NEW(scratch, uint32_t, m->n);
    memset(r.current, 0xff, (size_t)m->h->n_keys * sizeof *r.current);
    memset(r.waiting, 0xff, (size_t)m->h->n_keys * sizeof *r.waiting);
    for (uint32_t w = 0; w < slots; w++) {
        r.left[w] = m->slot_first[w + 1] - m->slot_first[w];
    }
    for (uint32_t x = 0; x < m->h->n_keys; x++) {
        r.left[slots + x] = m->init_first[x + 1] - m->init_first[x];
    }
    for (uint32_t t = 0; t < m->n; t++) {
        each_successor(&r, t, count_before);
    }
    for (uint32_t t = 0; t < m->n; t++) {
        if (r.degree[t] == 0) {
            push(&r, t);
        }
    }
    for (uint32_t t; (t = choose(&r)) != ISO_NONE;) {
        iso_tick(scratch->env);
        perform(&r, t);
        for (uint32_t i = 0; i < m->per_txn; i++) {
            by_rank[n++] = t * m->per_txn + i;
        }
    }
    *forced = r.forced;
    iso_free(scratch, r.degree);
    iso_free(scratch, r.ready);
    iso_free(scratch, r.current);
    iso_free(scratch, r.left);
    iso_free(scratch, r.waiting);
    iso_free(scratch, r.next);
    iso_free(scratch, r.state);
    iso_free(scratch, r.waited);
    return n == o->n;
}
