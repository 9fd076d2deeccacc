/* Stages `serial` and `parts`: an order of a history of few values, by simulated annealing. With two values for each
 * key, most writes do not change what the key holds, a read has a dozen writers, and edges say nothing; but in a wrong
 * order half of the reads are stale, and an order that is nearly right has few stale reads. So the number of stale
 * reads leads to an order, although none of them alone does.
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
#include "checkers/anneal/anneal.h"

/* Moves for each transaction in the first attempt, their factor from one attempt to the next, and the number of
 * attempts. */
#define FIRST_MOVES 256
#define GROWTH 4
#define ATTEMPTS 4

/* Temperatures, in stale reads, at the begin and the end of an attempt. */
#define HOT 1.0
#define COLD 0.1
#define WARM 0.3 /* at the begin of the attempt that starts with a draft */

/* If an attempt ends with at least one stale read in this many reads, no further attempt is made: it would not end
 * without stale reads either. */
#define STALE_SHARE 5

#define END UINT32_MAX /* later than every time */

#define MOVES_A_TICK 64 /* number of moves after which the temperature changes and the time limit is checked */

/* The access of a part of a transaction to a key. At ser, a transaction has one part. At pc and si it has two, its
 * start (what it read) and its commit (its writes); part p is of transaction p / parts. */
typedef struct visit {
    uint32_t time;        /* of the part */
    uint32_t slot;        /* its number among the visits of all parts; ISO_NONE: room that is not used */
    uint32_t read, write; /* the version that it read from another transaction, and its last write; ISO_NONE: none */
    uint32_t intent;      /* of a start: the last write of its commit; ISO_NONE: none */
} visit;

typedef struct anneal {
    const iso_annealing *of;
    const isolab_history *h;
    iso_pool pool;
    uint32_t parts;           /* of a transaction: 1 or 2 */
    uint32_t *part, n;        /* the parts of the included transactions, and their number */
    uint32_t *time;           /* by part, from 1 to END - 1 */
    uint32_t *before, *after; /* by part: its neighbours in the session; ISO_NONE: none */
    uint32_t *part_slot;      /* by part: its visits are the slots [part_slot[p], part_slot[p + 1]) */
    uint32_t *of_slot, *key;  /* by slot: its part and its key */
    uint32_t *place;          /* by slot: where its visit is */
    uint32_t *initial;        /* by key: its initial version; ISO_NONE: no operation has it */
    uint32_t *key_first; /* by key: its visits by time are visit[key_first[k] .. key_first[k + 1]), unused room last */
    visit *visit;
    double width;   /* of the interval in which most moves choose a time */
    uint32_t reads; /* number of visits that read from another transaction */
    int64_t stale;  /* number of stale reads among them; at si, also of transactions that overlap and write one key */
    iso_rng rng;
    bool impossible; /* the reads of a transaction contradict each other in every order */
    bool found;      /* the result has an order without stale reads */
} anneal;

/* Returns the visit of key k by part p, the last part so far. The first call makes it. used: by key, the number of its
 * visits. */
static visit *visit_of(anneal *a, uint32_t p, uint32_t k, uint32_t *used) {
    visit *v = a->visit + a->key_first[k] + used[k];
    if (used[k] == 0 || v[-1].slot < a->part_slot[p]) {
        uint32_t slot = a->part_slot[p + 1]++;
        *v++ = (visit){.slot = slot, .read = ISO_NONE, .write = ISO_NONE, .intent = ISO_NONE};
        used[k]++;
        a->key[slot] = k;
        a->of_slot[slot] = p;
    }
    return v - 1;
}

/* Adds operation o to the visit of its key by part p of its transaction. */
static void add_visit(anneal *a, uint32_t o, uint32_t p, uint32_t *used) {
    uint32_t version = a->h->op_version[o];
    bool writes = a->h->op_kind[o] == ISO_WRITE, starts = p % a->parts == 0;
    if (!writes && !starts) {
        return;
    }
    visit *v = visit_of(a, p, a->h->op_key[o], used);
    uint32_t *own = starts && a->parts == 2 ? &v->intent : &v->write;
    if (writes) {
        *own = version;
    } else if (*own == ISO_NONE) { /* a read from another transaction */
        a->impossible |= v->read != ISO_NONE && v->read != version;
        a->reads += v->read == ISO_NONE;
        v->read = version;
    } else {
        a->impossible |= *own != version;
    }
}

/* Makes the visits of all parts, without times, and finds the neighbours of the parts. */
static void list_visits(anneal *a, uint32_t *used) {
    const isolab_history *h = a->h;
    uint32_t last = ISO_NONE;
    for (uint32_t p = 0; p < h->n_txns * a->parts; p++) {
        uint32_t t = p / a->parts;
        iso_tick_steps(a->pool.env, h->txn_op[t + 1] - h->txn_op[t] + 1);
        a->part_slot[p + 1] = a->part_slot[p];
        if (h->txn_counts[t] != ISO_INCLUDED) {
            continue;
        }
        a->part[a->n++] = p;
        for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
            add_visit(a, o, p, used);
        }
        uint32_t before = last == ISO_NONE ? ISO_NONE : last / a->parts;
        if (before == t || (before != ISO_NONE && a->of->sessions && h->txn_session[before] == h->txn_session[t])) {
            a->before[p] = last;
            a->after[last] = p;
        }
        last = p;
    }
}

static void begin(anneal *a) {
    const isolab_history *h = a->h;
    iso_pool *pool = &a->pool;
    uint32_t *used = ISO_ZNEW(pool, uint32_t, h->n_keys), parts = h->n_txns * a->parts;
    size_t room = (size_t)h->n_ops * a->parts;
    a->part = ISO_NEW(pool, uint32_t, parts);
    a->time = ISO_NEW(pool, uint32_t, parts);
    a->initial = ISO_NEW_NONE(pool, h->n_keys);
    a->key_first = ISO_ZNEW(pool, uint32_t, (size_t)h->n_keys + 1);
    a->key = ISO_NEW(pool, uint32_t, room);
    a->place = ISO_NEW(pool, uint32_t, room);
    a->of_slot = ISO_NEW(pool, uint32_t, room);
    a->part_slot = ISO_ZNEW(pool, uint32_t, (size_t)parts + 1);
    a->before = ISO_NEW_NONE(pool, parts);
    a->after = ISO_NEW_NONE(pool, parts);
    a->visit = ISO_NEW(pool, visit, room);
    for (uint32_t v = 0; v < h->n_versions; v++) {
        if (iso_version_is_initial(h, v)) {
            a->initial[h->version_key[v]] = v;
        }
    }
    for (uint32_t o = 0; o < h->n_ops; o++) { /* room for all operations of a key */
        a->key_first[h->op_key[o] + 1] += a->parts;
    }
    for (uint32_t k = 0; k < h->n_keys; k++) {
        a->key_first[k + 1] += a->key_first[k];
    }
    list_visits(a, used);
    for (uint32_t k = 0; k < h->n_keys; k++) { /* unused room is after every time */
        for (uint32_t i = a->key_first[k] + used[k]; i < a->key_first[k + 1]; i++) {
            a->visit[i] =
                (visit){.time = END, .slot = ISO_NONE, .read = ISO_NONE, .write = ISO_NONE, .intent = ISO_NONE};
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

/* At si: returns how many more pairs of transactions overlap and write the key if visit i moves before visit j. A pair
 * overlaps if each start is before the commit of the other, so it counts starts that pass commits. */
static int64_t more_overlaps(const anneal *a, uint32_t i, uint32_t j) {
    const visit *v = &a->visit[i];
    bool starts = v->intent != ISO_NONE, back = j < i;
    int64_t n = 0;
    for (uint32_t p = back ? j : i + 1; (starts || v->write != ISO_NONE) && p < (back ? i : j); p++) {
        n += (starts ? a->visit[p].write : a->visit[p].intent) != ISO_NONE;
    }
    return starts == back ? n : -n;
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
    more += a->of->level == ISO_SI ? more_overlaps(a, i, j) : 0;
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

/* Returns a random time for a part: in a third of the cases anywhere in [low, high), else near its time. */
static double propose(anneal *a, uint32_t p, double low, double high) {
    double part = iso_random_unit(&a->rng);
    switch (iso_random_below(&a->rng, 3)) {
    case 0:
        return low + (high - low) * part;
    case 1:
        return a->time[p] + (part - 0.5) * a->width;
    default:
        return a->time[p] + (part - 0.5) * a->width / 10;
    }
}

static int64_t cost(const anneal *a, uint32_t p, uint32_t to) {
    int64_t more = 0;
    for (uint32_t slot = a->part_slot[p]; slot < a->part_slot[p + 1]; slot++) {
        more += cost_of_slot(a, slot, to);
    }
    return more;
}

static void move_part(anneal *a, uint32_t p, uint32_t to) {
    for (uint32_t slot = a->part_slot[p]; slot < a->part_slot[p + 1]; slot++) {
        move_slot(a, slot, to);
    }
    a->time[p] = to;
}

/* Proposes a move of a random part, or of a whole transaction, and makes it if the temperature allows it. */
static void move(anneal *a, double temperature) {
    uint32_t p = a->part[iso_random_below(&a->rng, a->n)], last = p;
    if (a->parts == 2 && iso_random_below(&a->rng, 2) == 0) {
        p -= p % 2;
        last = p + 1;
    }
    double low = a->before[p] == ISO_NONE ? 0 : a->time[a->before[p]];
    double high = a->after[last] == ISO_NONE ? END : a->time[a->after[last]];
    double wish = floor(propose(a, p, low, high)), most = -temperature * log(1 - iso_random_unit(&a->rng));
    double length = (double)a->time[last] - a->time[p];
    if (wish <= low || wish + length >= high) {
        return;
    }
    uint32_t to = (uint32_t)wish, from = a->time[p], end = a->time[last];
    bool ahead = last != p && to > from; /* the commit moves first, as it stays after the start */
    uint32_t one = ahead ? last : p, other = ahead ? p : last;
    int64_t more = cost(a, one, ahead ? to + (end - from) : to);
    if (last != p) {
        move_part(a, one, ahead ? to + (end - from) : to);
        more += cost(a, other, ahead ? to : to + (end - from));
        if ((double)more > most) {
            move_part(a, one, ahead ? end : from);
            return;
        }
    }
    if ((double)more > most) {
        return;
    }
    move_part(a, other, ahead || last == p ? to : to + (end - from));
    a->stale += more;
}

/* Puts all visits in the order of the times, and counts the stale reads. */
static void settle(anneal *a) {
    a->stale = 0;
    for (uint32_t k = 0; k < a->h->n_keys; k++) {
        uint32_t held = a->initial[k], n = 0, open = 0; /* open: started writers */
        visit *v = a->visit + a->key_first[k];
        for (; a->key_first[k] + n < a->key_first[k + 1] && v[n].slot != ISO_NONE; n++) {
            v[n].time = a->time[a->of_slot[v[n].slot]];
        }
        qsort(v, n, sizeof *v, by_time);
        for (uint32_t i = 0; i < n; i++) {
            a->place[v[i].slot] = a->key_first[k] + i;
            a->stale += v[i].read != ISO_NONE && v[i].read != held;
            held = v[i].write != ISO_NONE ? v[i].write : held;
            open += v[i].intent != ISO_NONE;
            open -= a->parts == 2 && v[i].write != ISO_NONE;
            a->stale += a->of->level == ISO_SI && v[i].write != ISO_NONE ? open : 0;
        }
        iso_tick_steps(a->pool.env, n + 1);
    }
}

/* Spreads the transactions of each session evenly, and counts the stale reads of that order. */
static void spread(anneal *a) {
    uint32_t sessions = 0;
    for (uint32_t i = 0, end; i < a->n; i = end) {
        for (end = i + 1; end < a->n && a->before[a->part[end]] != ISO_NONE; end++) {
        }
        for (uint32_t j = i; j < end; j++) {
            uint32_t p = a->part[j];
            double at = (j - i) / a->parts + iso_random_unit(&a->rng) * (a->parts == 1 ? 1 : 0.9);
            a->time[p] = p % a->parts == 1 ? a->time[p - 1] + (uint32_t)(a->width / 100) + 1
                                           : 1 + (uint32_t)(at / ((end - i) / a->parts) * (END - 2.0));
        }
        sessions++;
    }
    a->width = (double)END / a->n * sessions;
    settle(a);
}

/* Lays the transactions out in the order of the draft. */
static void lay(anneal *a) {
    for (uint32_t i = 0; i < a->n; i++) {
        a->time[a->of->draft[i]] = 1 + (uint32_t)((i + 0.5) / a->n * (END - 2.0));
    }
    settle(a);
}

/* Makes an attempt of `moves` moves, with the temperature falling. It ends early if no read is stale. */
static void cool(anneal *a, uint64_t moves, double hot) {
    for (uint64_t i = 0; i < moves && a->stale > 0; i += MOVES_A_TICK) {
        double temperature = hot * pow(COLD / hot, (double)i / (double)moves);
        for (uint32_t j = 0; j < MOVES_A_TICK && a->stale > 0; j++) {
            move(a, temperature);
        }
        iso_tick_steps(a->pool.env, MOVES_A_TICK * 16);
    }
}

/* Executes the reads of transaction t, or only notes for its writes what its keys hold. Returns false if a read is
 * stale. */
static bool start(const isolab_history *h, uint32_t t, const uint32_t *last, uint32_t *from) {
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        uint32_t own = h->op_kind[o] == ISO_READ ? iso_write_before(h, o) : ISO_NONE;
        from[o] = own == ISO_NONE ? last[h->op_key[o]] : own;
        if (h->op_kind[o] == ISO_READ && (from[o] == ISO_INIT ? !iso_version_is_initial(h, h->op_version[o])
                                                              : h->op_version[from[o]] != h->op_version[o])) {
            return false;
        }
    }
    return true;
}

/* Executes the writes. Returns false if another transaction has written one of the keys since the start, and must not
 * (alone). */
static bool commit(const isolab_history *h, uint32_t t, uint32_t *last, const uint32_t *from, bool alone) {
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        uint32_t *write = &last[h->op_key[o]];
        if (h->op_kind[o] != ISO_WRITE) {
            continue;
        }
        if (alone && *write != from[o] && (*write == ISO_INIT || h->op_txn[*write] != t)) {
            return false;
        }
        *write = o;
    }
    return true;
}

bool iso_anneal_give_parts(const iso_annealing *s, iso_pool *pool, const uint32_t *part, uint32_t n, uint32_t parts) {
    const isolab_history *h = s->h;
    iso_result *result = s->result;
    uint32_t *last = ISO_NEW(pool, uint32_t, h->n_keys), *from = ISO_NEW_NONE(result->pool, h->n_ops);
    uint32_t *order = ISO_NEW(result->pool, uint32_t, n / parts), n_order = 0;
    for (uint32_t k = 0; k < h->n_keys; k++) {
        last[k] = ISO_INIT;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t t = part[i] / parts;
        if (part[i] % parts == 0 && !start(h, t, last, from)) {
            return false;
        }
        if (part[i] % parts == parts - 1) {
            order[n_order++] = t;
            if (!commit(h, t, last, from, s->level == ISO_SI)) {
                return false;
            }
        }
    }
    for (uint32_t o = 0; o < h->n_ops; o++) {
        from[o] = h->op_kind[o] == ISO_READ && h->op_writer[o] == ISO_MANY ? from[o] : ISO_NONE;
    }
    if (s->question->certificate) {
        result->order = order;
        result->n_order = n_order;
        result->read_from = from;
    }
    return true;
}

/* Writes the parts in the order of their times to the result. Returns whether no read is stale. */
static bool write_order(anneal *a) {
    visit *at = ISO_NEW(&a->pool, visit, a->n);
    for (uint32_t i = 0; i < a->n; i++) {
        at[i] = (visit){.time = a->time[a->part[i]], .slot = a->part[i]};
    }
    qsort(at, a->n, sizeof *at, by_time);
    for (uint32_t i = 0; i < a->n; i++) {
        a->part[i] = at[i].slot;
    }
    return iso_anneal_give_parts(a->of, &a->pool, a->part, a->n, a->parts);
}

static void anneal_history(void *arg) {
    anneal *a = arg;
    begin(a);
    if (a->impossible || a->n == 0) {
        return;
    }
    uint64_t moves = FIRST_MOVES * (uint64_t)a->n, attempts = 0;
    if (a->of->draft != NULL && a->parts == 1) {
        spread(a); /* for the width */
        lay(a);
        cool(a, moves * GROWTH, WARM);
    } else {
        spread(a);
        cool(a, moves, HOT);
    }
    while (a->stale > 0 && ++attempts < (a->parts == 1 && a->of->level != ISO_SER ? ATTEMPTS - 1 : ATTEMPTS) &&
           (uint64_t)a->stale * STALE_SHARE < a->reads) {
        moves *= GROWTH;
        spread(a);
        cool(a, moves, HOT);
    }
    a->found = a->stale == 0 && write_order(a);
    iso_result_counter(a->of->result, a->parts == 1 ? "stale" : "stale, parts", (uint64_t)a->stale);
}

bool iso_anneal_cool(iso_annealing *s, uint32_t parts) {
    anneal a = {.of = s, .h = s->h, .rng = {1}, .parts = parts};
    iso_pool_init(&a.pool, s->pool->env);
    iso_guard_pool(&a.pool, anneal_history, &a);
    return a.found;
}
