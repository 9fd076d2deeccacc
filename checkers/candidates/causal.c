/* The walk along an order for cc: a transaction that happens before a reader and writes its key must be before the
 * writer that the reader read from. See candidates.h.
 *
 * A clock has, for each chain, how many of its transactions happen before a transaction. Usually the order has few
 * other writers of the key between the writer and the reader, and only these are tested; if there are many, the last
 * one of each chain in the reader's clock. The path from a seen writer to the reader is searched for backwards, only
 * through transactions that have seen that writer, and uses as few choices as possible. */
#include <string.h>

#include "base/bisect.h"
#include "base/buckets.h"
#include "checkers/candidates/candidates.h"

#define CLOCK_BYTES ((uint64_t)512 << 20) /* memory for clocks: as many chains at a time as fit */
#define PASSES 4                          /* limit of passes over the choices of a transaction, as in walk.c */

typedef struct causal {
    cand *c;
    cand_search *s;
    uint32_t *before; /* by transaction: the included one before it in its session; ISO_NONE: none */
    uint32_t first_chain, n_columns;
    uint32_t *clock;                 /* rows by place - 1: for each chain of the block, how many of its transactions
                                      * happened */
    uint32_t *places_first, *places; /* by key: places of its writers in the order */

    /* a search for a path */
    uint32_t *stamp, search, *next; /* by transaction: the next one towards the reader, and the step to it */
    iso_proof_step *step;
    uint32_t *now, *later, n_now, n_later;
    iso_proof_step *way;
    uint32_t way_room;
} causal;

static uint32_t *row(const causal *x, uint32_t t) { return x->clock + (size_t)(x->c->place[t] - 1) * x->n_columns; }

static bool in_block(const causal *x, uint32_t t) { return x->c->chain[t] - x->first_chain < x->n_columns; }

/* Returns whether t2, of a chain of the block, is t3 or before it by session order and reads. */
static bool shows(const causal *x, uint32_t t3, uint32_t t2) {
    return row(x, t3)[x->c->chain[t2] - x->first_chain] >= x->c->rank[t2];
}

/* ---- paths ---- */

/* choice: the path through t needs one more choice than the current layer. */
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

/* Visits the transactions directly before u that have seen t2. */
static void step_back(causal *x, uint32_t u, uint32_t t2) {
    const cand *c = x->c;
    const isolab_history *h = c->h;
    uint32_t before = h->txn_session[u] == h->txn_session[t2] && t2 < u ? t2 : x->before[u];
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

/* Finds a path from t2 to t3 that needs the fewest choices. Returns its number of steps. */
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

/* ---- what a reader sees ---- */

/* Returns the number of entries, in an increasing row, that are less than a value. */
static uint32_t less_than(const uint32_t *numbers, uint32_t n, uint32_t value) {
    return ISO_BISECT(i, 0, n, numbers[i] < value);
}

/* Does the same chain by chain. */
static uint32_t last_of_chains(const causal *x, uint32_t key, uint32_t t3, uint32_t place) {
    const cand *c = x->c;
    uint32_t best = ISO_NONE;
    for (uint32_t g = c->group_first[key]; g < c->group_first[key + 1]; g++) {
        const uint32_t *writer = c->writer + c->group[g];
        if (!in_block(x, writer[0])) {
            continue;
        }
        uint32_t chain = c->chain[writer[0]], rank = row(x, t3)[chain - x->first_chain] + (chain != c->chain[t3]);
        uint32_t n = iso_cand_below(c, writer, c->group[g + 1] - c->group[g], rank);
        if (n > 0 && c->place[writer[n - 1]] > place) {
            place = c->place[writer[n - 1]];
            best = writer[n - 1];
        }
    }
    return best;
}

/* Returns the last writer of the key, before t3 and after `place`, that t3 sees; ISO_NONE: none. */
static uint32_t last_seen(const causal *x, uint32_t key, uint32_t t3, uint32_t place) {
    const cand *c = x->c;
    const uint32_t *places = x->places + x->places_first[key];
    uint32_t n = x->places_first[key + 1] - x->places_first[key], at = less_than(places, n, c->place[t3]);
    uint32_t between = at - less_than(places, at, place + 1);
    if (between > 4 * (uint64_t)(c->group_first[key + 1] - c->group_first[key])) {
        return last_of_chains(x, key, t3, place);
    }
    for (; between > 0; between--) {
        uint32_t t2 = c->order[places[--at] - 1];
        if (in_block(x, t2) && shows(x, t3, t2)) {
            return t2;
        }
    }
    return ISO_NONE;
}

/* ---- readers ---- */

static void see_read(causal *x, uint32_t t, uint32_t read) {
    if (x->c->chosen[read] < ISO_MANY) {
        cand_join(row(x, t), row(x, x->c->h->op_txn[x->c->chosen[read]]), x->n_columns);
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
        see_read(x, t, i);
    }
    if (in_block(x, t)) {
        mine[c->chain[t] - x->first_chain] = c->rank[t];
    }
}

/* Each choice may show more transactions to the reader, so that other choices must be younger. */
static void choose(causal *x, uint32_t t) {
    cand *c = x->c;
    bool changed = false;
    for (uint32_t i = c->read_first[t]; i < c->read_first[t + 1]; i++) {
        bool is_free = iso_cand_is_free(c, x->s, i);
        c->chosen[i] = is_free ? ISO_NONE : iso_cand_fixed(c, x->s, i);
        changed |= is_free;
    }
    for (uint32_t pass = 0; changed && pass < PASSES; pass++) {
        changed = false;
        make_row(x, t);
        for (uint32_t i = c->read_first[t]; i < c->read_first[t + 1]; i++) {
            uint32_t w = c->chosen[i], place = w == ISO_NONE ? 0 : cand_place_of(c, w);
            uint32_t t2 = iso_cand_is_free(c, x->s, i) ? last_seen(x, c->reads[i].key, t, place) : ISO_NONE;
            if (iso_cand_is_free(c, x->s, i) && (w == ISO_NONE || t2 != ISO_NONE)) {
                c->chosen[i] = iso_cand_choose(c, i, t2 == ISO_NONE ? 0 : c->place[t2]);
                changed |= w != c->chosen[i];
                see_read(x, t, i);
            }
        }
    }
}

static void judge(causal *x, uint32_t t3) {
    const cand *c = x->c;
    for (uint32_t i = c->read_first[t3]; i < c->read_first[t3 + 1]; i++) {
        if (c->chosen[i] == ISO_NONE) {
            iso_cand_miss_choice(x->s, i);
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

static void list_places(causal *x) {
    const cand *c = x->c;
    const isolab_history *h = c->h;
    iso_buckets keys = iso_buckets_new(c->pool, h->n_keys);
    for (uint32_t turn = 0; turn < 2; turn++) {
        for (uint32_t i = 0; i < c->n_order; i++) {
            for (uint32_t w = c->write_first[c->order[i]]; w < c->write_first[c->order[i] + 1]; w++) {
                if (turn == 0) {
                    iso_buckets_count(&keys, c->write_key[w]);
                } else {
                    x->places[iso_buckets_place(&keys, c->write_key[w])] = i + 1;
                }
            }
        }
        x->places = turn == 0 ? ISO_NEW(c->pool, uint32_t, iso_buckets_sum(&keys)) : x->places;
    }
    x->places_first = keys.first;
    x->before = ISO_NEW(c->pool, uint32_t, h->n_txns);
    for (uint32_t t = 0, before = ISO_NONE; t < h->n_txns; t++) {
        x->before[t] = before != ISO_NONE && h->txn_session[before] == h->txn_session[t] ? before : ISO_NONE;
        before = c->place[t] != 0 ? t : before;
    }
}

void iso_cand_walk_causal(cand *c, cand_search *s) {
    const isolab_history *h = c->h;
    causal x = {.c = c, .s = s};
    uint32_t n_columns = c->n_chains + c->n_open;
    uint64_t columns = CLOCK_BYTES / sizeof *x.clock / (h->n_txns + 1) + 1;
    columns = columns < n_columns ? columns : n_columns;
    list_places(&x);
    x.clock = ISO_NEW(c->pool, uint32_t, (size_t)c->n_order * columns);
    x.stamp = ISO_ZNEW(c->pool, uint32_t, h->n_txns);
    x.next = ISO_NEW(c->pool, uint32_t, h->n_txns);
    x.step = ISO_NEW(c->pool, iso_proof_step, h->n_txns);
    x.now = ISO_NEW(c->pool, uint32_t, h->n_txns);
    x.later = ISO_NEW(c->pool, uint32_t, h->n_txns);
    for (x.first_chain = 0; x.first_chain < n_columns; x.first_chain += x.n_columns) {
        uint32_t left = n_columns - x.first_chain;
        x.n_columns = left < columns ? left : (uint32_t)columns;
        for (uint32_t i = 0; i < c->n_order; i++) {
            iso_tick(c->pool->env);
            if (x.first_chain == 0) { /* one block has all chains, in nearly all cases */
                choose(&x, c->order[i]);
                iso_cand_done(c, c->order[i]);
            }
            make_row(&x, c->order[i]);
            judge(&x, c->order[i]);
        }
    }
    void *blocks[] = {x.before, x.clock, x.places_first, x.places, x.stamp, x.next, x.step, x.now, x.later, x.way};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        iso_free(c->pool, blocks[i]);
    }
}
