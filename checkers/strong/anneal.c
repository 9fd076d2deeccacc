/* Stage `anneal`: a serial order of a history of few values, by simulated annealing. With two values for each key, most
 * writes do not change what the key holds, a read has a dozen writers, and edges say nothing; but in a wrong order half
 * of the reads are stale, and an order that is nearly right has few stale reads. So the number of stale reads leads to
 * an order, although none of them alone does.
 *
 * Each transaction has a time, at first spread evenly over its session. A move gives one transaction another time
 * between its neighbours in the session, and counts how many more reads become stale, only over the accesses of its
 * keys that it passes. The move is made if this number is at most a random bound, which on average is the temperature
 * (Metropolis). The temperature falls from HOT to COLD during an attempt; each attempt takes GROWTH times as many moves
 * as the one before.
 *
 * A move takes time in proportion to the keys of the transaction and the accesses that it passes. If no order is found,
 * the stage decides nothing. */
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "checkers/strong/execution.h"
#include "checkers/strong/strong.h"

/* Operations for each version: a history with fewer is left to `execute` and `search`, which are faster there. */
#define FEW_VALUES 4

/* Moves for each transaction in the first attempt, their factor from one attempt to the next, and the number of
 * attempts. */
#define FIRST_MOVES 256
#define GROWTH 4
#define ATTEMPTS 4

/* Temperatures, in stale reads, at the begin and the end of an attempt. */
#define HOT 1.0
#define COLD 0.1

/* If an attempt ends with at least one stale read in this many reads, no further attempt is made: it would not end
 * without stale reads either. */
#define STALE_SHARE 5

#define END UINT32_MAX /* later than every time */

#define MOVES_A_TICK 64 /* number of moves after which the temperature changes and the time limit is checked */

/* The access of a transaction to a key. */
typedef struct visit {
    uint32_t time;        /* of the transaction */
    uint32_t slot;        /* its number among the visits of all transactions; ISO_NONE: room that is not used */
    uint32_t read, write; /* the version that it read from another transaction, and its last write; ISO_NONE: none */
} visit;

typedef struct anneal {
    const strong *of;
    const isolab_history *h;
    iso_pool pool;
    uint32_t *txn, n;         /* the included transactions, and their number */
    uint32_t *time;           /* by transaction, from 1 to END - 1 */
    uint32_t *before, *after; /* by transaction: its neighbours in the session; ISO_NONE: none */
    uint32_t *txn_slot;       /* by transaction: its visits are the slots [txn_slot[t], txn_slot[t + 1]) */
    uint32_t *of_slot, *key;  /* by slot: its transaction and its key */
    uint32_t *place;          /* by slot: where its visit is */
    uint32_t *initial;        /* by key: its initial version; ISO_NONE: no operation has it */
    uint32_t *key_first; /* by key: its visits by time are visit[key_first[k] .. key_first[k + 1]), unused room last */
    visit *visit;
    double width;   /* of the interval in which most moves choose a time */
    uint32_t reads; /* number of visits that read from another transaction */
    int64_t stale;  /* number of stale reads among them */
    iso_rng rng;
    bool impossible; /* the reads of a transaction contradict each other in every order */
    bool found;      /* the result has an order without stale reads */
} anneal;

/* Adds operation o to its transaction's visit of its key; the first operation makes the visit. used: by key, the number
 * of its visits. */
static void add_visit(anneal *a, uint32_t o, uint32_t *used) {
    const isolab_history *h = a->h;
    uint32_t k = h->op_key[o], t = h->op_txn[o], version = h->op_version[o], end = a->key_first[k] + used[k];
    visit *v = used[k] > 0 ? &a->visit[end - 1] : NULL;
    if (v == NULL || v->slot < a->txn_slot[t]) {
        uint32_t slot = a->txn_slot[t + 1]++;
        v = &a->visit[end];
        used[k]++;
        *v = (visit){.slot = slot, .read = ISO_NONE, .write = ISO_NONE};
        a->key[slot] = k;
        a->of_slot[slot] = t;
    }
    if (h->op_kind[o] == ISO_WRITE) {
        v->write = version;
    } else if (v->write == ISO_NONE) { /* a read from another transaction */
        a->impossible |= v->read != ISO_NONE && v->read != version;
        a->reads += v->read == ISO_NONE;
        v->read = version;
    } else {
        a->impossible |= v->write != version;
    }
}

/* Makes the visits of all keys, without times, and finds the neighbours of all transactions. */
static void begin(anneal *a) {
    const isolab_history *h = a->h;
    iso_pool *pool = &a->pool;
    uint32_t *used = ISO_ZNEW(pool, uint32_t, h->n_keys), last = ISO_NONE;
    a->txn = ISO_NEW(pool, uint32_t, h->n_txns);
    a->time = ISO_NEW(pool, uint32_t, h->n_txns);
    a->initial = ISO_NEW_NONE(pool, h->n_keys);
    a->key_first = ISO_ZNEW(pool, uint32_t, (size_t)h->n_keys + 1);
    a->key = ISO_NEW(pool, uint32_t, h->n_ops);
    a->place = ISO_NEW(pool, uint32_t, h->n_ops);
    a->of_slot = ISO_NEW(pool, uint32_t, h->n_ops);
    a->txn_slot = ISO_ZNEW(pool, uint32_t, (size_t)h->n_txns + 1);
    a->before = ISO_NEW_NONE(pool, h->n_txns);
    a->after = ISO_NEW_NONE(pool, h->n_txns);
    a->visit = ISO_NEW(pool, visit, h->n_ops);
    for (uint32_t v = 0; v < h->n_versions; v++) {
        if (iso_version_is_initial(h, v)) {
            a->initial[h->version_key[v]] = v;
        }
    }
    for (uint32_t o = 0; o < h->n_ops; o++) { /* room for all operations of a key */
        a->key_first[h->op_key[o] + 1]++;
    }
    for (uint32_t k = 0; k < h->n_keys; k++) {
        a->key_first[k + 1] += a->key_first[k];
    }
    for (uint32_t t = 0; t < h->n_txns; t++) {
        iso_tick_steps(pool->env, h->txn_op[t + 1] - h->txn_op[t] + 1);
        a->txn_slot[t + 1] = a->txn_slot[t];
        if (h->txn_counts[t] != ISO_INCLUDED) {
            continue;
        }
        a->txn[a->n++] = t;
        for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
            add_visit(a, o, used);
        }
        if (last != ISO_NONE && a->of->sessions && h->txn_session[last] == h->txn_session[t]) {
            a->before[t] = last;
            a->after[last] = t;
        }
        last = t;
    }
    for (uint32_t k = 0; k < h->n_keys; k++) { /* unused room is after every time */
        for (uint32_t i = a->key_first[k] + used[k]; i < a->key_first[k + 1]; i++) {
            a->visit[i] = (visit){.time = END, .slot = ISO_NONE, .read = ISO_NONE, .write = ISO_NONE};
        }
    }
}

static int by_time(const void *a, const void *b) {
    const visit *x = a, *y = b;
    return x->time != y->time ? (x->time < y->time ? -1 : 1) : (x->slot > y->slot) - (x->slot < y->slot);
}

/* Returns the version that key k holds before its visit i. */
static uint32_t held_before(const anneal *a, uint32_t k, uint32_t i) {
    while (i > a->key_first[k] && a->visit[i - 1].write == ISO_NONE) {
        i--;
    }
    return i > a->key_first[k] ? a->visit[i - 1].write : a->initial[k];
}

/* Returns how many more reads are stale if key k, from its visit i until its next write, holds version `next` instead
 * of `old`. skip: a visit that is not counted. */
static int64_t more_stale(const anneal *a, uint32_t k, uint32_t i, uint32_t skip, uint32_t old, uint32_t next) {
    int64_t more = 0;
    for (uint32_t end = a->key_first[k + 1]; old != next && i < end; i++) {
        uint32_t read = a->visit[i].read;
        if (i == skip) {
            continue;
        }
        more += read == ISO_NONE ? 0 : (read != next) - (read != old);
        if (a->visit[i].write != ISO_NONE) {
            break;
        }
    }
    return more;
}

/* Returns how many more reads of its key are stale if the visit of a slot moves to the time `to`. */
static int64_t cost_of_slot(const anneal *a, uint32_t slot, uint32_t to) {
    uint32_t i = a->place[slot], j = i, k = a->key[slot], end = a->key_first[k + 1]; /* it moves before visit j */
    const visit *v = &a->visit[i];
    if (to > v->time) {
        for (j = i + 1; j < end && a->visit[j].time < to; j++) {
        }
    } else {
        for (; j > a->key_first[k] && a->visit[j - 1].time >= to; j--) {
        }
    }
    if (j == i || j == i + 1) {
        return 0;
    }
    uint32_t old = held_before(a, k, i), new = j < i ? held_before(a, k, j) : ISO_INIT;
    for (uint32_t p = j; new == ISO_INIT; p--) {
        new = p == i + 1 ? old : a->visit[p - 1].write != ISO_NONE ? a->visit[p - 1].write : ISO_INIT;
    }
    int64_t more = v->read == ISO_NONE ? 0 : (v->read != new) - (v->read != old);
    if (v->write != ISO_NONE) {
        more += more_stale(a, k, i + 1, i, v->write, old) + more_stale(a, k, j, i, new, v->write);
    }
    return more;
}

/* Moves the visit of a slot to the time `to`. */
static void move_slot(anneal *a, uint32_t slot, uint32_t to) {
    uint32_t i = a->place[slot], first = a->key_first[a->key[slot]], end = a->key_first[a->key[slot] + 1];
    visit v = a->visit[i];
    for (; i + 1 < end && a->visit[i + 1].time < to; i++) {
        a->visit[i] = a->visit[i + 1];
        a->place[a->visit[i].slot] = i;
    }
    for (; i > first && a->visit[i - 1].time >= to; i--) {
        a->visit[i] = a->visit[i - 1];
        a->place[a->visit[i].slot] = i;
    }
    v.time = to;
    a->visit[i] = v;
    a->place[slot] = i;
}

/* Returns a random time for a transaction: in a third of the cases anywhere in [low, high), else near its time. */
static double propose(anneal *a, uint32_t t, double low, double high) {
    double part = iso_random_unit(&a->rng);
    switch (iso_random_below(&a->rng, 3)) {
    case 0:
        return low + (high - low) * part;
    case 1:
        return a->time[t] + (part - 0.5) * a->width;
    default:
        return a->time[t] + (part - 0.5) * a->width / 10;
    }
}

/* Proposes a move of a random transaction, and makes it if the temperature allows it. */
static void move(anneal *a, double temperature) {
    uint32_t t = a->txn[iso_random_below(&a->rng, a->n)];
    double low = a->before[t] == ISO_NONE ? 0 : a->time[a->before[t]];
    double high = a->after[t] == ISO_NONE ? END : a->time[a->after[t]];
    double wish = floor(propose(a, t, low, high)), most = -temperature * log(1 - iso_random_unit(&a->rng));
    if (wish <= low || wish >= high) {
        return;
    }
    uint32_t to = (uint32_t)wish;
    int64_t more = 0;
    for (uint32_t slot = a->txn_slot[t]; slot < a->txn_slot[t + 1]; slot++) {
        more += cost_of_slot(a, slot, to);
    }
    if ((double)more > most) {
        return;
    }
    for (uint32_t slot = a->txn_slot[t]; slot < a->txn_slot[t + 1]; slot++) {
        move_slot(a, slot, to);
    }
    a->time[t] = to;
    a->stale += more;
}

/* Spreads the transactions of each session evenly, and counts the stale reads of that order. */
static void spread(anneal *a) {
    uint32_t sessions = 0;
    for (uint32_t i = 0, end; i < a->n; i = end) {
        for (end = i + 1; end < a->n && a->before[a->txn[end]] != ISO_NONE; end++) {
        }
        for (uint32_t j = i; j < end; j++) {
            a->time[a->txn[j]] = 1 + (uint32_t)((j - i + iso_random_unit(&a->rng)) / (end - i) * (END - 2.0));
        }
        sessions++;
    }
    a->width = (double)END / a->n * sessions;
    a->stale = 0;
    for (uint32_t k = 0; k < a->h->n_keys; k++) {
        uint32_t held = a->initial[k], n = 0;
        visit *v = a->visit + a->key_first[k];
        for (; a->key_first[k] + n < a->key_first[k + 1] && v[n].slot != ISO_NONE; n++) {
            v[n].time = a->time[a->of_slot[v[n].slot]];
        }
        qsort(v, n, sizeof *v, by_time);
        for (uint32_t i = 0; i < n; i++) {
            a->place[v[i].slot] = a->key_first[k] + i;
            a->stale += v[i].read != ISO_NONE && v[i].read != held;
            held = v[i].write != ISO_NONE ? v[i].write : held;
        }
        iso_tick_steps(a->pool.env, n + 1);
    }
}

/* Makes an attempt of `moves` moves, with the temperature falling. It ends early if no read is stale. */
static void cool(anneal *a, uint64_t moves) {
    for (uint64_t i = 0; i < moves && a->stale > 0; i += MOVES_A_TICK) {
        double temperature = HOT * pow(COLD / HOT, (double)i / (double)moves);
        for (uint32_t j = 0; j < MOVES_A_TICK && a->stale > 0; j++) {
            move(a, temperature);
        }
        iso_tick_steps(a->pool.env, MOVES_A_TICK * 16);
    }
}

/* Executes the transactions in the order of their times, and writes it to the result. Returns whether no read is
 * stale. */
static bool write_order(anneal *a) {
    const isolab_history *h = a->h;
    iso_result *result = a->of->result;
    visit *at = ISO_NEW(&a->pool, visit, a->n);
    uint32_t *last = ISO_NEW(&a->pool, uint32_t, h->n_keys), *order = ISO_NEW(result->pool, uint32_t, a->n);
    uint32_t *from = ISO_NEW_NONE(result->pool, h->n_ops);
    for (uint32_t k = 0; k < h->n_keys; k++) {
        last[k] = ISO_INIT;
    }
    for (uint32_t i = 0; i < a->n; i++) {
        at[i] = (visit){.time = a->time[a->txn[i]], .slot = a->txn[i]};
    }
    qsort(at, a->n, sizeof *at, by_time);
    for (uint32_t i = 0; i < a->n; i++) {
        uint32_t t = order[i] = at[i].slot;
        for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
            uint32_t *write = &last[h->op_key[o]];
            if (h->op_kind[o] == ISO_WRITE) {
                *write = o;
                continue;
            }
            if (*write == ISO_INIT ? !iso_version_is_initial(h, h->op_version[o])
                                   : h->op_version[*write] != h->op_version[o]) {
                return false;
            }
            from[o] = h->op_writer[o] == ISO_MANY ? *write : ISO_NONE;
        }
    }
    if (a->of->question->certificate) {
        result->order = order;
        result->n_order = a->n;
        result->read_from = from;
    }
    return true;
}

static void anneal_history(void *arg) {
    anneal *a = arg;
    begin(a);
    if (a->impossible || a->n == 0) {
        return;
    }
    uint64_t moves = FIRST_MOVES * (uint64_t)a->n, attempts = 0;
    do {
        spread(a);
        cool(a, moves);
        moves *= GROWTH;
    } while (a->stale > 0 && ++attempts < ATTEMPTS && (uint64_t)a->stale * STALE_SHARE < a->reads);
    iso_result_counter(a->of->result, "stale", (uint64_t)a->stale);
    a->found = a->stale == 0 && write_order(a);
}

isolab_verdict iso_strong_anneal(strong *s) {
    const isolab_history *h = s->h;
    bool alone = !s->options->execute; /* the option leaves out the other ones */
    if (h->unique || (!alone && h->n_ops / FEW_VALUES < h->n_versions) || iso_level_is_timed(s->level) || s->decided ||
        !iso_strong_executable(h)) {
        return ISOLAB_UNKNOWN;
    }
    s->brief = true;
    isolab_verdict verdict = alone ? ISOLAB_UNKNOWN : iso_strong_search(s);
    s->brief = false;
    if (verdict != ISOLAB_UNKNOWN) {
        return verdict;
    }
    anneal a = {.of = s, .h = h, .rng = {1}};
    iso_pool_init(&a.pool, s->pool->env);
    iso_guard_pool(&a.pool, anneal_history, &a);
    return a.found ? ISOLAB_SATISFIED : ISOLAB_UNKNOWN;
}
