/* A first order for an execution, in which sessions take turns. See execution.h. */
#include "checkers/strong/execution.h"

#include <string.h>

#include "base/schedule.h"

/* Limit of tries, for each transaction on average: if very many sessions wait for few keys, all sessions that wait for
 * a key are woken again and again. */
#define TRIES 16

#define AWAITED (1u << 31) /* a session waits for the key */

/* Limit of the other transactions that are executed while a transaction waits for a key: one for each of this many
 * sessions, and at least two. After it the transaction continues with a stale read: the longer it waits, the more
 * transactions wait for it, and the farther it is from its right place. Without this limit 100,000 transactions on 50
 * sessions had a fifth more stale reads, and 16,000 on 25 sessions a third more, whose repair took twice as long. (If
 * starts wait too, as at si, the limit is harmful.) */
#define SESSIONS_OF_PATIENCE 2
#define LEAST_PATIENCE 40

/* Without lists, kinds are ISO_READ and ISO_WRITE: one bit. */
_Static_assert(ISO_READ == 0 && ISO_WRITE == 1, "a kind without lists is a bit");

/* A key. The next key is unpredictable, so the fields that are always needed are together in memory. */
typedef struct holding {
    uint32_t version, write, place; /* its version, the write, and the place of the writer; ISO_NONE: none */
    uint32_t left; /* number of later reads of this version, 0 if it has several writers; plus AWAITED */
} holding;

/* Sessions; if session order does not count, each transaction is one. */
typedef struct turns {
    strong_execution *x;
    const isolab_history *h;
    iso_pool pool;
    bool all; /* all transactions were executed */
    holding *key;
    uint32_t *waiting;     /* by awaited key: the first session that waits for it */
    uint32_t *readers;     /* by version: number of its reads; 0 if it has several writers */
    uint32_t *next, *end;  /* by session: its remaining transactions, [next, end) */
    iso_schedule schedule; /* of sessions; tickets are transactions that waited for a key */
    uint32_t n_sessions;
    uint32_t *awaited; /* by transaction: the first session that waits for its execution */
    uint32_t *since;   /* by session: how many transactions were executed when its next one first waited for a key;
                        * ISO_NONE: it has not waited */
    uint8_t *waits;    /* by session: it waits for a key */
    uint32_t *last;    /* by session: the place of its last transaction; ISO_NONE: none */
    uint32_t n_after;  /* number of arcs so far */
    uint64_t tries;
    bool gave_up; /* no order can be right, or the limit of tries was reached */
} turns;

static uint32_t session_of(const turns *r, uint32_t t) { return r->x->sessions ? r->h->txn_session[t] : t; }
static bool is_done(const turns *r, uint32_t t) { return t < r->next[session_of(r, t)]; }

static void push(turns *r, uint32_t s) {
    uint32_t o = r->h->txn_op[r->next[s]];
    __builtin_prefetch(&r->h->op_key[o]);
    __builtin_prefetch(&r->h->op_version[o]);
    __builtin_prefetch(&r->h->op_kind[o]);
    iso_schedule_push(&r->schedule, s);
}

static void wake(turns *r, uint32_t *list) {
    for (uint32_t s; (s = iso_schedule_take_waiting(&r->schedule, list)) != ISO_NONE;) {
        push(r, s);
    }
}

/* Counts the reads of each version. */
__attribute__((noinline)) static void count_readers(turns *r) {
    const isolab_history *h = r->h;
    const uint32_t *op_version = h->op_version;
    const uint8_t *op_kind = h->op_kind;
    uint32_t *readers = r->readers, last = h->n_ops - 1, reads = 0;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        iso_tick(r->x->pool->env);
        for (uint32_t o = h->txn_op[t], end = h->txn_counts[t] == ISO_INCLUDED ? h->txn_op[t + 1] : o; o < end; o++) {
            __builtin_prefetch(&readers[op_version[last - o > STRONG_OPS_AHEAD ? o + STRONG_OPS_AHEAD : last]], 1);
            readers[op_version[o]] += op_kind[o] ^ 1;
            reads += op_kind[o] ^ 1;
        }
    }
    for (uint32_t v = 0; !h->unique && v < h->n_versions; v++) {
        uint32_t several = h->version_writer[v] == ISO_MANY ? readers[v] : 0;
        readers[v] -= several;
        reads -= several;
    }
    r->x->after = ISO_NEW(r->x->pool, uint32_t, (size_t)h->n_txns + reads + 1);
}

/* Returns whether operations [o, end) of a transaction can be executed without stale or hindered reads. A quick test
 * usually suffices. */
static bool are_free(const isolab_history *h, const holding *key, uint32_t o, uint32_t end) {
    const uint32_t *op_key = h->op_key, *op_version = h->op_version;
    const uint8_t *op_kind = h->op_kind;
    uint32_t trouble = 0;
    for (; o < end; o++) {
        const holding *p = &key[op_key[o]];
        uint32_t writes = op_kind[o];
        trouble |= (p->left & ~AWAITED & (0 - writes)) | ((p->version ^ op_version[o]) & (writes - 1));
    }
    return trouble == 0;
}

/* Returns the transaction that a read must wait for, if its key holds another version; ISO_NONE: none. */
static uint32_t writer_to_come(turns *r, uint32_t t, uint32_t read) {
    uint32_t writer = r->h->op_writer[read];
    if (writer == ISO_INIT || writer == ISO_MANY) {
        return ISO_NONE;
    }
    uint32_t u = writer == ISO_NONE ? t : r->h->op_txn[writer];
    r->gave_up |= u == t || r->h->txn_counts[u] != ISO_INCLUDED;
    return r->gave_up || is_done(r, u) ? ISO_NONE : u;
}

/* Returns whether other transactions still have to read the version that t would overwrite. */
static bool hurts(const turns *r, uint32_t t, const holding *p) {
    uint32_t left = p->left & ~AWAITED;
    for (uint32_t o = r->h->txn_op[t]; left > 0 && o < r->h->txn_op[t + 1]; o++) {
        left -= r->h->op_version[o] == p->version && r->h->op_kind[o] == ISO_READ;
    }
    return left > 0;
}

/* Returns whether the next transaction of a session can be executed, testing each operation. If it cannot, it waits:
 * first of all for the writers of its reads. */
static bool look_closely(turns *r, uint32_t s) {
    const isolab_history *h = r->h;
    uint32_t t = r->next[s], first = h->txn_op[t];
    uint32_t blocked = ISO_NONE; /* the key */
    for (uint32_t o = first; o < h->txn_op[t + 1]; o++) {
        uint32_t key = h->op_key[o];
        const holding *p = &r->key[key];
        if (h->op_kind[o] == ISO_WRITE) {
            blocked = blocked == ISO_NONE && hurts(r, t, p) ? key : blocked;
            continue;
        }
        if (p->version == h->op_version[o]) {
            continue;
        }
        uint32_t own = iso_write_before(h, o);
        if (own != ISO_NONE) {
            r->gave_up |= h->op_version[own] != h->op_version[o];
            continue;
        }
        uint32_t u = writer_to_come(r, t, o);
        if (u != ISO_NONE) {
            iso_schedule_wait_in(&r->schedule, s, &r->awaited[u]);
            return false;
        }
        blocked = h->op_writer[o] == ISO_MANY ? key : blocked;
    }
    if (blocked == ISO_NONE) {
        return true;
    }
    if ((r->key[blocked].left & AWAITED) == 0) {
        r->key[blocked].left |= AWAITED;
        r->waiting[blocked] = ISO_NONE;
    }
    iso_schedule_wait_in(&r->schedule, s, &r->waiting[blocked]);
    r->waits[s] = 1;
    if (r->since[s] == ISO_NONE) {
        r->since[s] = r->x->n;
        r->schedule.waited[r->schedule.n_waited++] = t;
    }
    return false;
}

/* The next transaction of the session no longer waits for a key. */
static void stop_waiting(turns *r, uint32_t s) {
    uint32_t t = r->next[s];
    r->waits[s] = 0;
    for (uint32_t o = r->h->txn_op[t]; o < r->h->txn_op[t + 1]; o++) {
        uint32_t key = r->h->op_key[o];
        for (uint32_t *at = &r->waiting[key]; (r->key[key].left & AWAITED) && *at != ISO_NONE;
             at = &r->schedule.next[*at]) {
            r->tries++;
            if (*at == s) {
                *at = r->schedule.next[s];
                return;
            }
        }
    }
}

/* Returns the session that has waited longest for a key; ISO_NONE: none waits. */
static uint32_t oldest(turns *r) {
    iso_schedule *q = &r->schedule;
    while (q->first_waited < q->n_waited && is_done(r, q->waited[q->first_waited])) {
        q->first_waited++;
    }
    uint32_t s = q->first_waited == q->n_waited ? ISO_NONE : session_of(r, q->waited[q->first_waited]);
    return s != ISO_NONE && r->waits[s] ? s : ISO_NONE;
}

static uint32_t patience(const turns *r) {
    uint32_t turns_of_all = r->n_sessions / SESSIONS_OF_PATIENCE;
    return turns_of_all < LEAST_PATIENCE ? LEAST_PATIENCE : turns_of_all;
}

/* Returns the session that continues; ISO_NONE: none can. */
static uint32_t choose(turns *r) {
    uint32_t waits = oldest(r);
    if (waits == ISO_NONE || r->x->n - r->since[waits] <= patience(r)) {
        while (iso_schedule_any_ready(&r->schedule) && !r->gave_up) {
            uint32_t s = iso_schedule_pop(&r->schedule), t = r->next[s];
            iso_tick(r->x->pool->env);
            r->gave_up |= r->tries++ > TRIES * (uint64_t)r->h->n_txns;
            if (are_free(r->h, r->key, r->h->txn_op[t], r->h->txn_op[t + 1]) || look_closely(r, s)) {
                return s;
            }
        }
        waits = oldest(r);
    }
    if (waits != ISO_NONE) {
        stop_waiting(r, waits);
    }
    return waits;
}

/* Records a stale read of transaction t. */
static void note_stale(turns *r, uint32_t t, uint32_t read) {
    strong_execution *x = r->x;
    uint32_t writer = r->h->op_writer[read];
    if (writer < r->h->n_ops && r->h->op_txn[writer] != t) {
        x->after[r->n_after++] = x->place[r->h->op_txn[writer]];
    }
    iso_strong_note_stale(x, read);
}

static void wake_for(turns *r, uint32_t key) {
    r->key[key].left &= ~AWAITED;
    for (uint32_t s = r->waiting[key]; s != ISO_NONE; s = r->schedule.next[s]) {
        r->waits[s] = 0;
    }
    wake(r, &r->waiting[key]);
}

/* Executes transaction t at a place, and wakes the sessions that waited for a key. A read that is not stale, of a
 * version with one writer in another transaction, shows a transaction that t comes after. */
__attribute__((noinline)) static void execute(turns *r, uint32_t t, uint32_t place) {
    strong_execution *x = r->x;
    const uint32_t *op_key = r->h->op_key, *op_version = r->h->op_version, *readers = r->readers;
    const uint8_t *op_kind = r->h->op_kind;
    uint32_t *before = x->before, *after = x->after, n = r->n_after;
    holding *key = r->key;
    for (uint32_t o = r->h->txn_op[t], end = r->h->txn_op[t + 1]; o < end; o++) {
        holding *p = &key[op_key[o]];
        uint32_t version = op_version[o], writes = op_kind[o], mask = 0 - writes;
        uint32_t awaited = p->left & AWAITED, left = p->left ^ awaited, same = p->version == version;
        uint32_t counted = same & (left != 0) & (writes ^ 1), rest = left - counted;
        before[o] = p->write;
        after[n] = p->place;
        n += counted & (p->place < place);
        p->left = (rest ^ ((rest ^ readers[version & mask]) & mask)) | awaited;
        p->write ^= (p->write ^ o) & mask;
        p->place ^= (p->place ^ place) & mask;
        if (!(same | writes)) {
            r->n_after = n;
            note_stale(r, t, o);
            n = r->n_after;
            continue;
        }
        p->version = version;
        if (awaited && (writes || (counted && left == 1))) {
            wake_for(r, op_key[o]);
        }
    }
    r->n_after = n;
}

static void skip_excluded(turns *r, uint32_t s) {
    while (r->next[s] < r->end[s] && r->h->txn_counts[r->next[s]] != ISO_INCLUDED) {
        r->next[s]++;
    }
}

static void begin(turns *r) {
    const strong_execution *x = r->x;
    const isolab_history *h = r->h;
    iso_pool *pool = &r->pool;
    r->n_sessions = x->sessions ? h->n_sessions : h->n_txns;
    r->key = ISO_NEW(pool, holding, h->n_keys);
    r->waiting = ISO_NEW(pool, uint32_t, h->n_keys);
    r->last = ISO_NEW_NONE(pool, r->n_sessions);
    r->readers = ISO_ZNEW(pool, uint32_t, h->n_versions);
    r->next = ISO_NEW(pool, uint32_t, r->n_sessions);
    r->end = ISO_NEW(pool, uint32_t, r->n_sessions);
    iso_schedule_init(&r->schedule, pool, r->n_sessions, h->n_txns);
    r->waits = ISO_ZNEW(pool, uint8_t, r->n_sessions);
    r->since = ISO_NEW_NONE(pool, r->n_sessions);
    r->awaited = ISO_NEW_NONE(pool, h->n_txns);
    count_readers(r);
    for (uint32_t k = 0; k < h->n_keys; k++) {
        uint32_t v = x->initial[k];
        r->key[k] = (holding){v, ISO_NONE, ISO_NONE, v == ISO_NONE ? 0 : r->readers[v]};
    }
    for (uint32_t s = 0; s < r->n_sessions; s++) {
        r->next[s] = x->sessions ? h->session_txn[s] : s;
        r->end[s] = x->sessions ? h->session_txn[s + 1] : s + 1;
        skip_excluded(r, s);
        if (r->next[s] < r->end[s]) {
            push(r, s);
        }
    }
}

static void take_turns(void *arg) {
    turns *r = arg;
    strong_execution *x = r->x;
    begin(r);
    for (uint32_t s; x->n_stale <= x->most && !r->gave_up && (s = choose(r)) != ISO_NONE;) {
        uint32_t t = r->next[s], place = x->n++;
        x->txn[place] = t;
        x->place[t] = place;
        x->after_first[place] = r->n_after;
        if (r->last[s] != ISO_NONE) {
            x->after[r->n_after++] = r->last[s];
        }
        r->last[s] = place;
        execute(r, t, place);
        r->next[s]++;
        r->since[s] = ISO_NONE;
        skip_excluded(r, s);
        if (r->next[s] < r->end[s]) {
            push(r, s);
        }
        wake(r, &r->awaited[t]);
    }
    x->after_first[x->n] = r->n_after;
    r->all = !r->gave_up && x->n_stale <= x->most;
    for (uint32_t s = 0; s < r->n_sessions; s++) {
        r->all = r->all && r->next[s] == r->end[s];
    }
}

bool iso_strong_execution_first(strong_execution *x) {
    turns r = {.x = x, .h = x->h};
    iso_pool_init(&r.pool, x->pool->env);
    iso_guard_pool(&r.pool, take_turns, &r);
    return r.all;
}
