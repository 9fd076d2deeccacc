/* Counting cases. See evidence.h.
 *
 * A case is a transaction t3, a key x that it reads from another transaction, and a third transaction t2 that writes x
 * and that t3 sees (or, from pc up, may see). Every pass walks through the sessions, transaction by transaction. It
 * ends early after enough steps, if every number that it counts is greater than 0. The first pass counts for the weak
 * levels. If it ends early, its certain cases of ra are also cases of every stronger level. The passes for stronger
 * levels run only if there is no such case.
 *
 * If a value has several writers, each counts as the one that was read from: this counts too many cases rather than too
 * few. Optional transactions count as included for the same reason. */
#include "checkers/evidence.h"

#include <string.h>

#include "base/buckets.h"

enum {
    ENOUGH = 1 << 12, /* number of steps after which a pass may end with lower bounds, if none of its numbers is 0 */
    PART = 64,        /* in a large history: the number of operations divided by this */
    PATIENCE = 8,     /* after this many times ENOUGH without a case, all writers are looked up */
    LARGE = 64        /* for a transaction with more operations, writes are looked up instead of walked through */
};
/* Number of steps after which a pass gives up a number that is still 0: OFTEN times the number of operations, and
 * TOO_MANY if evidence is demanded. */
enum { OFTEN = 32, TOO_MANY = 1 << 28 };

/* State of a key that a pass has met. A field is valid only together with its stamp: the current walk (through one
 * transaction), or the current session (its number + 1). */
typedef struct key_state {
    uint32_t own_walk, own;   /* number of writes of the key by the transaction so far */
    uint32_t read_walk, seen; /* index in work.seen of the transaction's reads of the key */
    uint32_t session, before; /* writers in this session: before the current transaction; cc: in the causal past */
    uint32_t all;             /* from pc up: in the whole session */
    uint32_t writers;         /* weak levels: in any session; at most 2 */
} key_state;

/* The reads of one key by one transaction from other transactions. */
typedef struct seen_key {
    uint32_t key;
    uint32_t last, source; /* the last read, and the transaction that it reads from; ISO_INIT or ISO_MANY */
    uint32_t other;        /* the last read from another source; ISO_NONE: none */
    uint32_t tested;       /* 1 + the last source that was compared with it */
} seen_key;

/* A transaction that the current one reads from, the first read from it, and the first read from it of another key. */
typedef struct source {
    uint32_t txn, first, other_key;
} source;

typedef struct txn_state {
    uint32_t walk, number; /* its index among the sources of this walk */
} txn_state;

typedef struct weighing {
    const isolab_history *h;
    iso_pool *pool;
    iso_evidence *e;
    bool sessions; /* session order counts */
    bool demand;   /* a number that is 0 is worth more work */
    bool pairs;    /* the cases of some level that is counted have a t2 */
    bool earlier;  /* of one of these, t2 may be an earlier transaction of the session */

    uint64_t enough, too_many; /* steps */
    bool large;                /* the history has more operations than are enough */
    iso_evidence_filter filter;
    bool ahead;    /* some transaction read from a later one of its session */
    uint64_t sure; /* number of cases of ra of transactions without ambiguous reads */

    /* one pass */
    uint64_t steps;
    bool sampling;           /* not every case need be found */
    bool skipped;            /* some cases were not looked for because of that */
    iso_levels wanted;       /* the levels that the pass counts for and that have no case so far */
    bool passed_over;        /* transactions that have no case of a wanted level were passed over */
    uint32_t tested_session; /* 1 + the session for which the next field is known */
    bool contested_session;  /* it has a contested read */
    uint32_t walk;
    uint32_t *met; /* by key: index of its state; 0: the pass has not met the key */
    key_state *key;
    uint32_t n_met, key_room;
    txn_state *txn;
    uint32_t *past_session; /* cc, by transaction: 1 + the session that has it in its causal past */
    uint32_t *version_past; /* cc, repeated values: 1 + the session whose causal past has all writers of the version */

    /* one transaction: its reads from other transactions */
    seen_key *seen;
    source *sources;
    uint32_t n_seen, n_sources, seen_room, sources_room;
    uint32_t n_external; /* number of these reads */
    uint32_t n_elsewhere, n_again,
        n_written; /* among these reads: from another session, of a key read before, not from init */
    uint32_t n_reads;
    bool vague; /* some read has several possible writers */

    uint32_t reached; /* cc: predecessors of the session's transactions before this one are in the causal past */
    uint32_t *stack;  /* cc: transactions of the causal past that were not walked through yet */
    uint32_t n_stack, stack_room;
    uint32_t *n_writers; /* by key: number of transactions that write it; NULL: not computed yet */
    iso_buckets rows;    /* by key: these transactions; first NULL: not computed yet */
    uint32_t *writer;
} weighing;

static bool included(const weighing *w, uint32_t t) { return w->h->txn_counts[t] != ISO_EXCLUDED; }

/* ---- the writers of a key ---- */

static void make_rows(weighing *w) {
    const isolab_history *h = w->h;
    uint32_t *last = ISO_ZNEW(w->pool, uint32_t, h->n_keys);
    w->rows = iso_buckets_new(w->pool, h->n_keys);
    for (int fill = 0; fill < 2; fill++) {
        for (uint32_t t = 0; t < h->n_txns; t++) {
            iso_tick(w->pool->env);
            for (uint32_t o = h->txn_op[t]; included(w, t) && o < h->txn_op[t + 1]; o++) {
                uint32_t x = h->op_key[o];
                if (!iso_is_write(h->op_kind[o]) || last[x] == t + 1) {
                    continue;
                }
                last[x] = t + 1;
                if (fill) {
                    w->writer[iso_buckets_place(&w->rows, x)] = t;
                } else {
                    iso_buckets_count(&w->rows, x);
                }
            }
        }
        if (!fill) {
            w->writer = ISO_NEW(w->pool, uint32_t, iso_buckets_sum(&w->rows));
            memset(last, 0, h->n_keys * sizeof *last);
        }
    }
    iso_free(w->pool, last);
}

static void count_writers(weighing *w) {
    const isolab_history *h = w->h;
    uint32_t *last = ISO_ZNEW(w->pool, uint32_t, h->n_keys);
    w->n_writers = ISO_ZNEW(w->pool, uint32_t, h->n_keys);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        for (uint32_t o = h->txn_op[t]; included(w, t) && o < h->txn_op[t + 1]; o++) {
            uint32_t x = h->op_key[o];
            if (iso_is_write(h->op_kind[o]) && last[x] != t + 1) {
                last[x] = t + 1;
                w->n_writers[x]++;
            }
        }
        iso_tick(w->pool->env);
    }
    iso_free(w->pool, last);
}

static uint32_t n_writers(weighing *w, uint32_t x) {
    if (w->n_writers == NULL) {
        count_writers(w);
    }
    return w->n_writers[x];
}

/* Returns whether t writes x. Binary search. */
static bool writes(weighing *w, uint32_t t, uint32_t x) {
    if (w->rows.first == NULL) {
        make_rows(w);
    }
    uint32_t low = w->rows.first[x], end = w->rows.first[x + 1];
    while (low < end) {
        uint32_t middle = low + (end - low) / 2;
        w->steps++;
        if (w->writer[middle] < t) {
            low = middle + 1;
        } else {
            end = middle;
        }
    }
    return low < w->rows.first[x + 1] && w->writer[low] == t;
}

/* ---- what a transaction reads from others ---- */

/* Returns the state of a key. The pointer is valid until the next call. */
static key_state *meet(weighing *w, uint32_t x) {
    if (w->met[x] == 0) {
        ISO_GROW(w->pool, w->key, w->n_met, w->key_room);
        w->key[w->n_met] = (key_state){.own = 0};
        w->met[x] = w->n_met++;
    }
    return &w->key[w->met[x]];
}

static const key_state *state_of(const weighing *w, uint32_t x) { return &w->key[w->met[x]]; }

/* Notes a write of this walk's transaction. Returns whether it is the first one of its key. */
static bool note_write(weighing *w, uint32_t o) {
    key_state *k = meet(w, w->h->op_key[o]);
    k->own = k->own_walk == w->walk ? k->own + 1 : 1;
    k->own_walk = w->walk;
    return k->own == 1;
}

static bool has_written(const weighing *w, uint32_t x) { return state_of(w, x)->own_walk == w->walk; }

/* Returns the transaction that a read of t reads from; ISO_INIT; ISO_MANY: there are several possible ones; ISO_NONE:
 * only t itself. The earlier writes of t must be noted. *version is the version read. */
static uint32_t source_of(const weighing *w, uint32_t t, uint32_t o, uint32_t *version) {
    const isolab_history *h = w->h;
    uint32_t from = h->op_writer[o];
    *version = h->op_version[o];
    if (h->op_kind[o] == ISO_LIST_READ) { /* the last element before the reader's own appends */
        uint32_t first = h->list_first[*version], end = h->list_first[*version + 1], x = h->op_key[o];
        uint32_t own = has_written(w, x) ? state_of(w, x)->own : 0;
        if (end - first <= own) {
            return ISO_INIT;
        }
        *version = h->list_version[end - own - 1];
        from = h->version_writer[*version];
    }
    if (from == ISO_INIT || from == ISO_MANY || from == ISO_NONE) {
        return from;
    }
    return h->op_txn[from] != t && included(w, h->op_txn[from]) ? h->op_txn[from] : ISO_NONE;
}

static void add_source(weighing *w, uint32_t from, uint32_t o) {
    txn_state *s = &w->txn[from];
    if (s->walk != w->walk) {
        ISO_GROW(w->pool, w->sources, w->n_sources, w->sources_room);
        s->walk = w->walk;
        s->number = w->n_sources;
        w->sources[w->n_sources++] = (source){from, o, ISO_NONE};
        return;
    }
    source *known = &w->sources[s->number];
    if (known->other_key == ISO_NONE && w->h->op_key[known->first] != w->h->op_key[o]) {
        known->other_key = o;
    }
}

static void add_read(weighing *w, uint32_t from, uint32_t o) {
    key_state *k = meet(w, w->h->op_key[o]);
    if (k->read_walk != w->walk) {
        ISO_GROW(w->pool, w->seen, w->n_seen, w->seen_room);
        k->read_walk = w->walk;
        k->seen = w->n_seen;
        w->seen[w->n_seen++] = (seen_key){w->h->op_key[o], o, from, ISO_NONE, 0};
        return;
    }
    seen_key *s = &w->seen[k->seen];
    w->n_again++;
    s->other = s->source != from ? s->last : s->other;
    s->source = from;
    s->last = o;
}

/* Walks through t: notes its writes, and collects its reads. */
static void collect(weighing *w, uint32_t t) {
    const isolab_history *h = w->h;
    uint32_t s = h->txn_session[t], begin = h->session_txn[s], end = h->session_txn[s + 1], version;
    w->n_seen = w->n_sources = w->n_external = w->n_elsewhere = w->n_again = w->n_written = w->n_reads = 0;
    w->vague = false;
    w->walk++;
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        if (iso_is_write(h->op_kind[o])) {
            note_write(w, o);
            continue;
        }
        uint32_t from = source_of(w, t, o, &version);
        w->n_reads++;
        if (from == ISO_NONE) {
            continue;
        }
        bool real = from != ISO_INIT && from != ISO_MANY;
        w->n_external++;
        w->n_written += from != ISO_INIT;
        w->n_elsewhere += from == ISO_MANY || (real && (from < begin || from >= end));
        w->vague |= from == ISO_MANY;
        w->ahead |= real && from > t && from < end;
        add_read(w, from, o);
        if (real) {
            add_source(w, from, o);
        }
    }
    w->steps += h->txn_op[t + 1] - h->txn_op[t] + 1;
    iso_tick(w->pool->env);
}

/* Returns the only transaction from which the key is read; ISO_NONE: several, possibly several, or init. */
static uint32_t sole_source(const seen_key *s) {
    return s->other == ISO_NONE && s->source != ISO_INIT && s->source != ISO_MANY ? s->source : ISO_NONE;
}

/* ---- weak levels ---- */

/* Compares t2, from which t reads, with a key that t reads and t2 writes, and counts the cases. If t2 is earlier in the
 * session, count_session() counts it for ra. */
static void hold_against(weighing *w, uint32_t t, const source *t2, seen_key *s) {
    iso_evidence *e = w->e;
    bool earlier = t2->txn < t && t2->txn >= w->h->session_txn[w->h->txn_session[t]];
    uint32_t past_it = s->source != t2->txn ? s->last : s->other; /* the last read of the key that is not from t2 */
    if (past_it == ISO_NONE || s->tested == t2->txn + 1) {
        return;
    }
    s->tested = t2->txn + 1;
    e->cases[ISO_RA] += !earlier;
    e->cases[ISO_RC] += t2->first < past_it;
    uint32_t other_key = w->h->op_key[t2->first] != s->key ? t2->first : t2->other_key;
    e->cases[ISO_RC_PLUME] += other_key != ISO_NONE && other_key < past_it;
}

static void count_read_from(weighing *w, uint32_t t) {
    const isolab_history *h = w->h;
    for (uint32_t i = 0; i < w->n_sources; i++) {
        const source *t2 = &w->sources[i];
        uint32_t begin = h->txn_op[t2->txn], end = h->txn_op[t2->txn + 1];
        if (end - begin > LARGE && end - begin > 8 * w->n_seen) {
            w->skipped |= w->sampling; /* other cases are enough */
            if (w->sampling || !iso_evidence_contested(&w->filter, t)) {
                continue;
            }
            for (uint32_t k = 0; k < w->n_seen; k++) {
                if (writes(w, t2->txn, w->seen[k].key)) {
                    hold_against(w, t, t2, &w->seen[k]);
                }
            }
            continue;
        }
        w->steps += end - begin;
        for (uint32_t o = begin; o < end; o++) {
            const key_state *k = state_of(w, h->op_key[o]);
            if (iso_is_write(h->op_kind[o]) && k->read_walk == w->walk) {
                hold_against(w, t, t2, &w->seen[k->seen]);
            }
        }
    }
}

/* Counts cases for a transaction with ambiguous reads: it may have read from any writer. The only transaction from
 * which a key is read does not count. */
static void count_vaguely(weighing *w) {
    for (uint32_t i = 0; i < w->n_seen && w->n_external > 1; i++) {
        uint64_t n =
            n_writers(w, w->seen[i].key) - has_written(w, w->seen[i].key) - (sole_source(&w->seen[i]) != ISO_NONE);
        w->e->cases[ISO_RC_PLUME] += n;
        w->e->cases[ISO_RC] += n;
        w->e->cases[ISO_RA] += n;
    }
}

/* Counts earlier transactions of the session that write a key, except the only one from which the key is read. */
static void count_session(weighing *w, uint32_t t) {
    uint32_t s = w->h->txn_session[t], begin = w->h->session_txn[s];
    for (uint32_t i = 0; i < w->n_seen; i++) {
        const key_state *k = state_of(w, w->seen[i].key);
        uint32_t sole = sole_source(&w->seen[i]);
        if (k->session == s + 1) {
            w->e->cases[ISO_RA] += k->before - (sole != ISO_NONE && sole >= begin && sole < t);
        }
    }
}

/* Counts t as one of the writers of this session. */
static void count_writer(key_state *k, uint32_t session) {
    k->before = k->session == session + 1 ? k->before + 1 : 1;
    k->session = session + 1;
}

/* Returns whether t can be passed over: enough steps were made, t has no case of a level that is still wanted, and t is
 * no t2 of such a case. */
static bool pass_over(weighing *w, uint32_t t) {
    bool thoroughly = w->steps >= PATIENCE * w->enough, ra = w->wanted & ISO_LEVEL_BIT(ISO_RA);
    if (!w->large || w->steps < w->enough || (ra && !thoroughly)) {
        return false;
    }
    bool without = !iso_evidence_may_have(&w->filter, t, w->wanted, thoroughly);
    if (without && ra) {
        uint32_t s = w->h->txn_session[t];
        if (w->tested_session != s + 1) {
            w->tested_session = s + 1;
            w->contested_session = iso_evidence_session_contested(&w->filter, s);
        }
        without = !w->contested_session;
    }
    w->steps += without;
    w->passed_over |= without;
    return without;
}

static void look_weakly(weighing *w, uint32_t t) {
    iso_evidence *e = w->e;
    if (pass_over(w, t)) {
        return;
    }
    collect(w, t);
    e->operations += w->h->txn_op[t + 1] - w->h->txn_op[t];
    e->reads += w->n_reads;
    e->reads_elsewhere += w->n_elsewhere;
    e->cases[ISO_INT] += w->n_reads;
    e->cases[ISO_CI] += w->n_again;
    e->cases[ISO_G1] += w->n_written;
    if (w->pairs && w->vague && w->n_external > 1) {
        count_vaguely(w);
    } else if (w->pairs) {
        uint64_t before = e->cases[ISO_RA];
        if (w->n_external > 1) {
            count_read_from(w, t);
        }
        if (w->earlier) {
            count_session(w, t);
        }
        w->sure += w->vague ? 0 : e->cases[ISO_RA] - before;
    }
    w->walk++;
    for (uint32_t o = w->h->txn_op[t]; o < w->h->txn_op[t + 1]; o++) {
        if (iso_is_write(w->h->op_kind[o]) && note_write(w, o)) {
            key_state *k = meet(w, w->h->op_key[o]);
            count_writer(k, w->h->txn_session[t]);
            e->shared_keys += k->writers == 1;
            k->writers += k->writers < 2;
        }
    }
}

/* ---- cc ---- */

/* Adds a to the causal past of the session. */
static void reach(weighing *w, uint32_t a, uint32_t session) {
    if (included(w, a) && w->past_session[a] != session + 1) {
        w->past_session[a] = session + 1;
        ISO_GROW(w->pool, w->stack, w->n_stack, w->stack_room);
        w->stack[w->n_stack++] = a;
    }
}

static void reach_writers(weighing *w, uint32_t version, uint32_t session) {
    uint32_t n;
    const uint32_t *writer = iso_writers(w->h, version, &n);
    if (w->version_past[version] == session + 1) {
        return;
    }
    w->version_past[version] = session + 1;
    w->steps += n;
    for (uint32_t i = 0; i < n; i++) {
        reach(w, w->h->op_txn[writer[i]], session);
    }
}

/* Adds the direct predecessors of t to the causal past, and counts t's writes if t itself is in the past. */
static void reach_before(weighing *w, uint32_t t, uint32_t session, bool past) {
    const isolab_history *h = w->h;
    uint32_t version, begin = h->session_txn[h->txn_session[t]], before = t;
    bool reads =
        !past || h->txn_session[t] != session || t >= w->reached; /* otherwise their writers are in the past already */
    while (before > begin && !included(w, before - 1)) {
        before--;
    }
    if (before > begin) {
        reach(w, before - 1, session);
    }
    w->steps += h->txn_op[t + 1] - h->txn_op[t] + 1;
    w->walk++;
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        if (iso_is_write(h->op_kind[o])) {
            if (note_write(w, o) && past) {
                count_writer(meet(w, h->op_key[o]), session);
            }
            continue;
        }
        if (!reads) {
            continue;
        }
        uint32_t from = source_of(w, t, o, &version);
        if (from == ISO_MANY) {
            reach_writers(w, version, session);
        } else if (from != ISO_NONE && from != ISO_INIT) {
            reach(w, from, session);
        }
    }
}

static void look_causally(weighing *w, uint32_t t) {
    uint32_t session = w->h->txn_session[t], begin = w->h->session_txn[session];
    if (!iso_evidence_contested(&w->filter, t)) {
        return;
    }
    for (w->reached = w->reached < begin ? begin : w->reached; w->reached <= t; w->reached++) {
        if (included(w, w->reached)) {
            reach_before(w, w->reached, session, false);
        }
        while (w->n_stack > 0) {
            reach_before(w, w->stack[--w->n_stack], session, true);
            iso_tick(w->pool->env);
        }
    }
    collect(w, t);
    for (uint32_t i = 0; i < w->n_seen; i++) {
        const key_state *k = state_of(w, w->seen[i].key);
        if (k->session == session + 1) {
            w->e->cases[ISO_CC] += k->before - (sole_source(&w->seen[i]) != ISO_NONE);
        }
    }
}

/* ---- strong levels ---- */

/* Counts the writers of each key in a session. */
static void begin_session(weighing *w, uint32_t s) {
    const isolab_history *h = w->h;
    for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1] && w->sessions; t++) {
        w->walk++;
        for (uint32_t o = h->txn_op[t]; included(w, t) && o < h->txn_op[t + 1]; o++) {
            if (iso_is_write(h->op_kind[o]) && note_write(w, o)) {
                key_state *k = meet(w, h->op_key[o]);
                k->all = k->session == s + 1 ? k->all + 1 : 1;
                k->before = k->session == s + 1 ? k->before : 0;
                k->session = s + 1;
            }
        }
    }
}

/* Returns the number of writers of x that may be before t: all except t and later ones of its session. */
static uint64_t rivals(weighing *w, uint32_t t, uint32_t x) {
    const key_state *k = state_of(w, x);
    uint32_t n = n_writers(w, x), mine = has_written(w, x);
    bool here = w->sessions && k->session == w->h->txn_session[t] + 1;
    return n - mine - (here ? k->all - k->before - mine : 0);
}

static void look_strongly(weighing *w, uint32_t t) {
    const isolab_history *h = w->h;
    uint32_t begin = h->session_txn[h->txn_session[t]], before = t;
    collect(w, t);
    while (before > begin && !included(w, before - 1)) {
        before--;
    }
    bool follows = w->n_written > 0 || (w->sessions && before > begin), contends = false;
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1] && !contends; o++) {
        contends = iso_is_write(h->op_kind[o]) && rivals(w, t, h->op_key[o]) > 0;
    }
    for (uint32_t i = 0; i < w->n_seen; i++) {
        uint64_t n = rivals(w, t, w->seen[i].key);
        n -= n > 0 && sole_source(&w->seen[i]) != ISO_NONE;
        w->e->cases[ISO_PC] += follows ? n : 0;
        w->e->cases[ISO_SI] += follows || contends ? n : 0;
        w->e->cases[ISO_SER] += n;
    }
    w->walk++;
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        if (iso_is_write(h->op_kind[o]) && note_write(w, o)) {
            meet(w, h->op_key[o])->before++;
        }
    }
}

/* ---- all ---- */

/* Walks through the history once and counts for these levels. Returns whether it reached the end. */
static bool pass(weighing *w, iso_levels levels, void (*look)(weighing *w, uint32_t t)) {
    const isolab_history *h = w->h;
    bool all = true;
    w->steps = 0;
    w->wanted = levels & w->e->counted;
    w->met = ISO_ZNEW(w->pool, uint32_t, h->n_keys);
    w->key[0] = (key_state){.own = 0}; /* the state of all keys that were not met */
    w->n_met = 1;
    for (uint32_t s = 0; s < h->n_sessions && all; s++) {
        if (look == look_strongly && !iso_evidence_session_contested(&w->filter, s)) {
            continue;
        }
        if (look == look_strongly) {
            begin_session(w, s);
        }
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1] && all; t++) {
            if (included(w, t)) {
                look(w, t);
                for (iso_levels left = w->wanted; left != 0; left &= left - 1) {
                    w->wanted &= w->e->cases[__builtin_ctz(left)] > 0 ? ~(left & -left) : ~(iso_levels)0;
                }
                w->sampling &= w->steps < w->enough;
                all = w->steps < w->enough || (w->steps < w->too_many && !w->skipped && w->wanted != 0);
            }
        }
    }
    iso_free(w->pool, w->met);
    return all;
}

/* Counts for these levels as far as necessary. A number that is 0 after that is exact. Returns whether all was
 * counted. */
static bool count(weighing *w, iso_levels levels, void (*look)(weighing *w, uint32_t t)) {
    iso_evidence *e = w->e, before = *e;
    bool all = pass(w, levels, look);
    if (w->skipped && (all || w->wanted != 0)) { /* again, without skipping */
        *e = before;
        w->skipped = w->sampling = false;
        w->sure = 0;
        all = pass(w, levels, look);
    }
    e->counted &= all ? ~(iso_levels)0 : ~w->wanted;
    e->exact |= !all ? 0 : w->passed_over ? w->wanted : levels;
    return all && !w->passed_over;
}

enum {
    STRONG = ISO_LEVEL_BIT(ISO_PC) | ISO_LEVEL_BIT(ISO_SI) | ISO_LEVEL_BIT(ISO_SER),
    CAUSAL = ISO_LEVEL_BIT(ISO_CC),
    WEAK = ISO_WEAK_LEVELS ^ CAUSAL
};

/* Uses the certain cases of ra as lower bounds for stronger levels. Returns whether there are any. */
static bool lower_bounds(weighing *w) {
    bool some = w->sessions && !w->ahead && w->sure > 0;
    for (int l = 0; l < iso_n_levels && some; l++) {
        w->e->cases[l] = (STRONG | CAUSAL) & ISO_LEVEL_BIT(l) ? w->sure : w->e->cases[l];
    }
    return some;
}

/* After a pass that did not count all: looks in the whole history for the numbers that are 0. */
static void count_first(weighing *w) {
    iso_evidence *e = w->e;
    bool elsewhere = true;
    e->operations = e->operations > 0 ? e->operations : iso_evidence_operations(w->h);
    e->shared_keys = e->shared_keys > 0 ? e->shared_keys : iso_evidence_shared_keys(&w->filter);
    if (e->reads_elsewhere == 0) {
        uint64_t reads = iso_evidence_reads(&w->filter, &elsewhere);
        e->reads = e->reads > reads ? e->reads : reads;
        e->reads_elsewhere = elsewhere;
    }
    e->none_elsewhere = !elsewhere && (w->h->unique || !w->h->has_lists || e->reads == 0);
}

static void find(void *arg) {
    weighing *w = arg;
    const isolab_history *h = w->h;
    iso_evidence *e = w->e;
    w->txn = ISO_ZNEW(w->pool, txn_state, h->n_txns);
    w->key_room = h->n_keys < ENOUGH ? h->n_keys + 1 : ENOUGH;
    w->key = ISO_NEW(w->pool, key_state, w->key_room);
    w->earlier = (e->counted & (ISO_LEVEL_BIT(ISO_RA) | CAUSAL | STRONG)) != 0;
    w->pairs = w->earlier || (e->counted & (ISO_LEVEL_BIT(ISO_RC_PLUME) | ISO_LEVEL_BIT(ISO_RC))) != 0;
    w->enough = h->n_ops / PART > ENOUGH ? h->n_ops / PART : ENOUGH;
    w->too_many = w->demand || w->enough * PART * OFTEN > TOO_MANY ? TOO_MANY : w->enough * PART * OFTEN;
    w->large = w->sampling = h->n_ops > w->enough;
    iso_evidence_filter_init(&w->filter, w->pool, h);
    e->all_counted = count(w, WEAK, look_weakly);
    w->sampling = false;
    bool rest = e->all_counted || !lower_bounds(w);
    if ((e->counted & CAUSAL) && rest) {
        w->version_past = h->unique ? NULL : ISO_ZNEW(w->pool, uint32_t, h->n_versions);
        w->past_session = ISO_ZNEW(w->pool, uint32_t, h->n_txns);
        count(w, CAUSAL, look_causally);
    }
    if ((e->counted & STRONG) && rest) {
        count(w, STRONG, look_strongly);
    }
    if (!e->all_counted) {
        count_first(w);
    }
    iso_evidence_in_time(e, w->pool, h);
    e->exact &= e->counted;
}

/* A case of a level is a case of every level with all its rules. So the cases of a level that has no name here are at
 * least those of the strongest named one that it implies; without any, they are not counted. */
static iso_levels named_below(iso_level level) {
    iso_levels below = 0;
    for (int l = 0; l < ISO_NAMED_LEVELS; l++) {
        below |= iso_level_has(l, ISO_SEES_OTHER_KEY) && iso_level_implies(level, l) ? ISO_LEVEL_BIT(l) : 0;
    }
    return below;
}

static void count_other(iso_evidence *e, iso_level level) {
    for (iso_levels left = named_below(level) & e->counted; left != 0; left &= left - 1) {
        uint64_t cases = e->cases[__builtin_ctz(left)];
        e->cases[level] = cases > e->cases[level] ? cases : e->cases[level];
    }
    e->counted |= e->cases[level] > 0 ? ISO_LEVEL_BIT(level) : 0;
}

iso_evidence iso_find_evidence(iso_pool *scratch, const isolab_history *h, iso_evidence_question question) {
    iso_evidence e = {.counted = question.levels & (ISO_LEVEL_BIT(ISO_NAMED_LEVELS) - 1)};
    for (int l = ISO_NAMED_LEVELS; l < iso_n_levels; l++) {
        e.counted |= (question.levels & ISO_LEVEL_BIT(l)) != 0 ? named_below(l) : 0;
    }
    iso_pool pool;
    iso_pool_init(&pool, scratch->env);
    weighing w = {.h = h, .pool = &pool, .e = &e, .sessions = !question.no_session_order, .demand = question.demand};
    iso_guard_pool(&pool, find, &w);
    for (int l = ISO_NAMED_LEVELS; l < iso_n_levels; l++) {
        if (question.levels & ISO_LEVEL_BIT(l)) {
            count_other(&e, l);
        }
    }
    e.counted &= question.levels;
    e.exact &= e.counted;
    return e;
}
