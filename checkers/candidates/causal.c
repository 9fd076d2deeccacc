/* What cc asks of an order: whoever happens before a reader and writes its key is before the writer that it read from.
 * See candidates.h.
 *
 * Clocks say how much of each session happens before a transaction, for a block of sessions at a time. Between the writer and
 * the reader the order has few other writers of the key, mostly, and these alone are looked at; where they are many, the
 * last one of each session that the reader's clock shows. The way from one that is seen to the reader is searched for
 * backwards, among those alone who have seen it, and leans on as few choices as can be. */
#include <string.h>

#include "checkers/candidates/candidates.h"

/* Clocks take at most this much at once, or this much for each transaction. */
#define CLOCK_BYTES ((uint64_t)64 << 20)
#define CLOCK_BYTES_TXN 256

typedef struct causal {
    cand *c;
    cand_search *s;
    uint32_t *before; /* by transaction: the one before it in its session that takes part; ISO_NONE */
    uint32_t first_session, n_columns;
    uint32_t *clock;  /* rows by place - 1: of each session of the block, how many transactions happened */
    uint32_t *writer_first, *writer; /* by key: places of writers in the order */
    uint32_t *by_session;            /* the same writers in the order of their numbers */

    /* a search for a way */
    uint32_t *stamp, search, *next; /* by transaction: the one towards the reader, and how it comes there */
    iso_proof_step *step;
    uint32_t *now, *later, n_now, n_later;
    iso_proof_step *way;
    uint32_t way_room;
} causal;

static uint32_t number_in_session(const causal *x, uint32_t t) {
    return t - x->c->h->session_txn[x->c->h->txn_session[t]] + 1;
}

static uint32_t *row(const causal *x, uint32_t t) {
    return x->clock + (size_t)(x->c->place[t] - 1) * x->n_columns;
}

/* Is t2, of a session of the block, t3 or before it by session order and reads? */
static bool shows(const causal *x, uint32_t t3, uint32_t t2) {
    return row(x, t3)[x->c->h->txn_session[t2] - x->first_session] >= number_in_session(x, t2);
}

static bool in_block(const causal *x, uint32_t t) {
    return x->c->h->txn_session[t] - x->first_session < x->n_columns;
}

static void join(uint32_t *restrict to, const uint32_t *restrict from, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        to[i] = to[i] > from[i] ? to[i] : from[i];
    }
}

static void make_row(causal *x, uint32_t t) {
    const cand *c = x->c;
    uint32_t *mine = row(x, t);
    if (x->before[t] != ISO_NONE) {
        memcpy(mine, row(x, x->before[t]), x->n_columns * sizeof *mine);
    } else {
        memset(mine, 0, x->n_columns * sizeof *mine);
    }
    for (uint32_t i = c->read_first[t]; i < c->read_first[t + 1]; i++) {
        if (c->chosen[i] < ISO_MANY) {
            join(mine, row(x, c->h->op_txn[c->chosen[i]]), x->n_columns);
        }
    }
    if (in_block(x, t)) {
        mine[c->h->txn_session[t] - x->first_session] = number_in_session(x, t);
    }
}

/* ---- ways ---- */

/* by as many choices as those reached so far, or one more? */
static void reach(causal *x, uint32_t t, uint32_t next, iso_proof_step step, bool choice) {
    uint32_t waits = 2 * x->search, reached = waits + 1;
    if (x->stamp[t] == reached || (choice && x->stamp[t] == waits)) {
        return;
    }
    x->stamp[t] = choice ? waits : reached;
    x->next[t] = next;
    x->step[t] = step;
    if (choice) {
        x->later[x->n_later++] = t;
    } else {
        x->now[x->n_now++] = t;
    }
}

/* Those directly before u that have seen t2. */
static void step_back(causal *x, uint32_t u, uint32_t t2) {
    const cand *c = x->c;
    const isolab_history *h = c->h;
    uint32_t before = h->txn_session[u] == h->txn_session[t2] ? t2 : x->before[u];
    if (before != ISO_NONE && shows(x, before, t2)) {
        reach(x, before, u, (iso_proof_step){ISO_STEP_SO, u, 0}, !cand_in(c, before));
    }
    for (uint32_t i = c->read_first[u]; i < c->read_first[u + 1]; i++) {
        uint32_t w = c->chosen[i];
        if (w < ISO_MANY && shows(x, h->op_txn[w], t2)) {
            iso_proof_step step = {ISO_STEP_WR, c->reads[i].op, w};
            reach(x, h->op_txn[w], u, step, c->reads[i].writer == ISO_MANY);
        }
    }
}

/* Finds a way from t2 to t3 that leans on the fewest choices; returns how many steps it has. */
static uint32_t find_way(causal *x, uint32_t t2, uint32_t t3) {
    uint32_t n = 0, head = 0;
    x->search++;
    x->n_now = x->n_later = 0;
    x->stamp[t3] = 2 * x->search + 1;
    step_back(x, t3, t2);
    while (x->stamp[t2] != 2 * x->search + 1) {
        iso_tick(x->c->pool->env);
        if (head < x->n_now) {
            step_back(x, x->now[head++], t2);
            continue;
        }
        for (uint32_t i = 0; i < x->n_later; i++) {
            if (x->stamp[x->later[i]] == 2 * x->search) {
                x->stamp[x->later[i]]++;
                x->now[x->n_now++] = x->later[i];
            }
        }
        x->n_later = 0;
    }
    for (uint32_t u = t2; u != t3; u = x->next[u]) {
        ISO_GROW(x->c->pool, x->way, n, x->way_room);
        x->way[n++] = x->step[u];
    }
    return n;
}

/* ---- readers ---- */

/* The number of entries of a row in increasing order that are less than a value. */
static uint32_t less_than(const uint32_t *row, uint32_t n, uint32_t value) {
    uint32_t low = 0, high = n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (row[middle] < value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The last writer of the key before t3, and behind place, that t3 sees; ISO_NONE: there is none. */
static uint32_t last_seen(const causal *x, uint32_t key, uint32_t t3, uint32_t place) {
    const cand *c = x->c;
    const isolab_history *h = c->h;
    const uint32_t *writer = x->writer + x->writer_first[key], *clock = row(x, t3);
    uint32_t n = x->writer_first[key + 1] - x->writer_first[key], at = less_than(writer, n, c->place[t3]);
    uint32_t between = at - less_than(writer, at, place + 1), best = ISO_NONE;
    if (between <= 4 * (uint64_t)x->n_columns) {
        for (; between > 0; between--) {
            uint32_t t2 = c->order[writer[--at] - 1];
            if (in_block(x, t2) && shows(x, t3, t2)) {
                return t2;
            }
        }
        return ISO_NONE;
    }
    for (uint32_t k = 0; k < x->n_columns; k++) {
        uint32_t session = h->session_txn[x->first_session + k];
        uint32_t mine = h->txn_session[t3] == x->first_session + k ? t3 : session + clock[k];
        uint32_t end = less_than(x->by_session + x->writer_first[key], n, mine);
        uint32_t t2 = end > 0 ? x->by_session[x->writer_first[key] + end - 1] : ISO_NONE;
        if (t2 != ISO_NONE && t2 >= session && c->place[t2] > place &&
            (best == ISO_NONE || c->place[t2] > c->place[best])) {
            best = t2;
        }
    }
    return best;
}

static void look(causal *x, uint32_t t3) {
    const cand *c = x->c;
    for (uint32_t i = c->read_first[t3]; i < c->read_first[t3 + 1]; i++) {
        if (c->chosen[i] == ISO_NONE) {
            continue;
        }
        uint32_t t2 = last_seen(x, c->reads[i].key, t3, cand_place_of(c, c->chosen[i]));
        if (t2 != ISO_NONE) {
            uint32_t n = find_way(x, t2, t3);
            iso_cand_miss_axiom(x->s, i, t2, x->way, n);
        }
    }
}

/* ---- all of it ---- */

static void list_writers(causal *x) {
    const cand *c = x->c;
    const isolab_history *h = c->h;
    uint32_t *first = x->writer_first = ISO_ZNEW(c->pool, uint32_t, (size_t)h->n_keys + 3);
    uint32_t *other = ISO_NEW(c->pool, uint32_t, (size_t)h->n_keys + 3);
    for (uint32_t i = 0; i < c->n_order; i++) {
        for (uint32_t w = c->write_first[c->order[i]]; w < c->write_first[c->order[i] + 1]; w++) {
            first[c->write_key[w] + 2]++;
        }
    }
    for (uint32_t k = 0; k < h->n_keys; k++) { /* the list of k begins at first[k + 1] while it is filled */
        first[k + 2] += first[k + 1];
    }
    memcpy(other, first, ((size_t)h->n_keys + 3) * sizeof *other);
    x->writer = ISO_NEW(c->pool, uint32_t, first[h->n_keys + 1]);
    x->by_session = ISO_NEW(c->pool, uint32_t, first[h->n_keys + 1]);
    for (uint32_t i = 0; i < c->n_order; i++) {
        for (uint32_t w = c->write_first[c->order[i]]; w < c->write_first[c->order[i] + 1]; w++) {
            x->writer[first[c->write_key[w] + 1]++] = i + 1;
        }
    }
    x->before = ISO_NEW(c->pool, uint32_t, h->n_txns);
    for (uint32_t t = 0, before = ISO_NONE; t < h->n_txns; t++) {
        if (c->place[t] == 0) {
            continue;
        }
        x->before[t] = before != ISO_NONE && h->txn_session[before] == h->txn_session[t] ? before : ISO_NONE;
        before = t;
        for (uint32_t w = c->write_first[t]; w < c->write_first[t + 1]; w++) {
            x->by_session[other[c->write_key[w] + 1]++] = t;
        }
    }
    iso_free(c->pool, other);
}

void iso_cand_walk_causal(cand *c, cand_search *s) {
    const isolab_history *h = c->h;
    causal x = {.c = c, .s = s};
    uint64_t room = (uint64_t)CLOCK_BYTES_TXN * h->n_txns;
    uint64_t columns = (room < CLOCK_BYTES ? CLOCK_BYTES : room) / 4 / (h->n_txns + 1) + 1;
    columns = columns < h->n_sessions ? columns : h->n_sessions;
    list_writers(&x);
    x.clock = ISO_NEW(c->pool, uint32_t, (size_t)c->n_order * columns);
    x.stamp = ISO_ZNEW(c->pool, uint32_t, h->n_txns);
    x.next = ISO_NEW(c->pool, uint32_t, h->n_txns);
    x.step = ISO_NEW(c->pool, iso_proof_step, h->n_txns);
    x.now = ISO_NEW(c->pool, uint32_t, h->n_txns);
    x.later = ISO_NEW(c->pool, uint32_t, h->n_txns);
    for (x.first_session = 0; x.first_session < h->n_sessions; x.first_session += x.n_columns) {
        uint32_t left = h->n_sessions - x.first_session;
        x.n_columns = left < columns ? left : (uint32_t)columns;
        for (uint32_t i = 0; i < c->n_order; i++) {
            iso_tick(c->pool->env);
            make_row(&x, c->order[i]);
            look(&x, c->order[i]);
        }
    }
    void *blocks[] = {x.before, x.clock, x.writer_first, x.writer, x.by_session, x.stamp,
                      x.next,   x.step,  x.now,          x.later,  x.way};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        iso_free(c->pool, blocks[i]);
    }
}
