/* Counting cases. See evidence.h.
 *
 * A case is a transaction t3, a key x that it reads from another transaction, and a third transaction t2 that writes x and
 * that t3 sees, or, from pc up, may see. All passes walk through the sessions, transaction by transaction, and end when they
 * have looked at enough and every number they count is greater than 0.
 *
 * Where a value has several writers, every one counts as the one that was read: there are rather too many cases than too
 * few. So do optional transactions. */
#include "checkers/evidence.h"

#include <string.h>

#include "base/buckets.h"

enum {
    ENOUGH = 1 << 18, /* steps after which a pass may end with lower bounds, if none of its numbers is 0 */
    LONGER = 16,      /* times as many where only reads from other sessions or shared keys are 0 */
    LARGE = 64        /* operations from which on a transaction's writes are looked up, not walked through */
};
/* Steps of a pass after which a number that still is 0 is given up. */
#define TOO_MANY ((uint64_t)1 << 28)

/* Of a key. What is stamped with a walk (through one transaction) or a session (its number + 1) means nothing for others. */
typedef struct key_state {
    uint32_t own_walk, own;   /* how often the transaction has written it so far */
    uint32_t read_walk, seen; /* the number in work.seen of the transaction's reads */
} key_state;

/* Of a key, in one pass: transactions of this session that write it. */
typedef struct key_writers {
    uint32_t session, before; /* before the one that is looked at; cc: in the causal past */
    uint32_t all;             /* from pc up: in the whole session */
    uint32_t met;             /* weak levels: in any session, at most 2 */
} key_writers;

/* The reads of one key by one transaction, from others. */
typedef struct seen_key {
    uint32_t key;
    uint32_t last, source; /* the last read, and the transaction that it reads from; ISO_INIT, ISO_MANY */
    uint32_t other;        /* the last read from another source than that; ISO_NONE: there is none */
    uint32_t tested;       /* the last source that was held against it, + 1 */
} seen_key;

/* A transaction that one reads from, and the first read of it, and the first of it of another key than that. */
typedef struct source {
    uint32_t txn, first, other_key;
} source;

typedef struct txn_state {
    uint32_t walk, number; /* read from, as this source */
    uint32_t past_session; /* cc: in the causal past of this session (+ 1) */
} txn_state;

typedef struct work {
    const isolab_history *h;
    iso_pool *pool;
    iso_evidence *e;
    bool sessions;  /* session order counts */
    uint64_t steps; /* of this pass */
    uint32_t walk;
    key_state *key;
    key_writers *writers; /* by key */
    txn_state *txn;
    uint32_t *version_past; /* cc, repeated values: the session (+ 1) whose past has all writers of the version */

    /* one transaction: what it reads from others */
    seen_key *seen;
    source *sources;
    uint32_t n_seen, n_sources, seen_room, sources_room;
    uint32_t n_external; /* reads */
    uint32_t n_elsewhere, n_again,
        n_written; /* of those: another session's, of a key for the second time, not of init */
    uint32_t n_reads;
    bool vague; /* some read has several possible writers */

    uint32_t *stack; /* cc: of the causal past, not walked through yet */
    uint32_t n_stack, stack_room;
    iso_buckets rows; /* the transactions that write a key; first NULL: not made yet */
    uint32_t *writer;
} work;

static bool takes_part(const work *w, uint32_t t) { return w->h->txn_counts[t] != ISO_OUT; }

/* ---- the writers of a key ---- */

static void make_rows(work *w) {
    const isolab_history *h = w->h;
    uint32_t *last = ISO_ZNEW(w->pool, uint32_t, h->n_keys);
    w->rows = iso_buckets_new(w->pool, h->n_keys);
    for (int fill = 0; fill < 2; fill++) {
        for (uint32_t t = 0; t < h->n_txns; t++) {
            iso_tick(w->pool->env);
            for (uint32_t o = h->txn_op[t]; takes_part(w, t) && o < h->txn_op[t + 1]; o++) {
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

static uint32_t n_writers(work *w, uint32_t x) {
    if (w->rows.first == NULL) {
        make_rows(w);
    }
    return w->rows.first[x + 1] - w->rows.first[x];
}

/* Is t one of them? By bisection. */
static bool writes(work *w, uint32_t t, uint32_t x) {
    uint32_t n = n_writers(w, x), low = w->rows.first[x], end = low + n;
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

/* Notes a write of this walk's transaction; is it the first one of its key? */
static bool note_write(work *w, uint32_t o) {
    key_state *k = &w->key[w->h->op_key[o]];
    k->own = k->own_walk == w->walk ? k->own + 1 : 1;
    k->own_walk = w->walk;
    return k->own == 1;
}

static bool has_written(const work *w, uint32_t x) { return w->key[x].own_walk == w->walk; }

/* The transaction that a read of t reads from; ISO_INIT; ISO_MANY: several may be; ISO_NONE: none but t. Writes of t
 * before it are noted. *version is what was read. */
static uint32_t source_of(const work *w, uint32_t t, uint32_t o, uint32_t *version) {
    const isolab_history *h = w->h;
    uint32_t from = h->op_writer[o];
    *version = h->op_version[o];
    if (h->op_kind[o] == ISO_LIST_READ) { /* the last element before its own appends */
        uint32_t first = h->list_first[*version], end = h->list_first[*version + 1], x = h->op_key[o];
        uint32_t own = has_written(w, x) ? w->key[x].own : 0;
        if (end - first <= own) {
            return ISO_INIT;
        }
        *version = h->list_version[end - own - 1];
        from = h->version_writer[*version];
    }
    if (from == ISO_INIT || from == ISO_MANY || from == ISO_NONE) {
        return from;
    }
    return h->op_txn[from] != t && takes_part(w, h->op_txn[from]) ? h->op_txn[from] : ISO_NONE;
}

static void add_source(work *w, uint32_t from, uint32_t o) {
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

static void add_read(work *w, uint32_t from, uint32_t o) {
    key_state *k = &w->key[w->h->op_key[o]];
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

/* Walks through t. Its writes are noted. */
static void collect(work *w, uint32_t t) {
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
        add_read(w, from, o);
        if (real) {
            add_source(w, from, o);
        }
    }
    w->steps += h->txn_op[t + 1] - h->txn_op[t] + 1;
    iso_tick(w->pool->env);
}

/* The only transaction that the key is read from; ISO_NONE: there are several, or may be, or it is init. */
static uint32_t sole_source(const seen_key *s) {
    return s->other == ISO_NONE && s->source != ISO_INIT && s->source != ISO_MANY ? s->source : ISO_NONE;
}

/* ---- weak levels ---- */

/* Holds a transaction that t reads from against a key that t reads, and the transaction writes. An earlier one of the
 * session counts for ra anyway (count_session). */
static void hold_against(work *w, uint32_t t, const source *t2, seen_key *s) {
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

static void count_read_from(work *w, uint32_t t) {
    const isolab_history *h = w->h;
    for (uint32_t i = 0; i < w->n_sources; i++) {
        const source *t2 = &w->sources[i];
        uint32_t begin = h->txn_op[t2->txn], end = h->txn_op[t2->txn + 1];
        if (end - begin > LARGE && end - begin > 8 * w->n_seen) {
            for (uint32_t k = 0; k < w->n_seen; k++) {
                if (writes(w, t2->txn, w->seen[k].key)) {
                    hold_against(w, t, t2, &w->seen[k]);
                }
            }
            continue;
        }
        w->steps += end - begin;
        for (uint32_t o = begin; o < end; o++) {
            const key_state *k = &w->key[h->op_key[o]];
            if (iso_is_write(h->op_kind[o]) && k->read_walk == w->walk) {
                hold_against(w, t, t2, &w->seen[k->seen]);
            }
        }
    }
}

/* Writers that t may have read from: any. */
static void count_vaguely(work *w) {
    for (uint32_t i = 0; i < w->n_seen && w->n_external > 1; i++) {
        uint64_t n = n_writers(w, w->seen[i].key) - has_written(w, w->seen[i].key);
        w->e->cases[ISO_RC_PLUME] += n;
        w->e->cases[ISO_RC] += n;
        w->e->cases[ISO_RA] += n;
    }
}

/* Earlier transactions of the session, but not the only one that a key is read from. */
static void count_session(work *w, uint32_t t) {
    uint32_t s = w->h->txn_session[t], begin = w->h->session_txn[s];
    for (uint32_t i = 0; i < w->n_seen; i++) {
        const key_writers *k = &w->writers[w->seen[i].key];
        uint32_t sole = sole_source(&w->seen[i]);
        if (k->session == s + 1) {
            w->e->cases[ISO_RA] += k->before - (sole != ISO_NONE && sole >= begin && sole < t);
        }
    }
}

/* t is one of the writers of this session. */
static void count_writer(key_writers *k, uint32_t session) {
    k->before = k->session == session + 1 ? k->before + 1 : 1;
    k->session = session + 1;
}

static void look_weakly(work *w, uint32_t t) {
    iso_evidence *e = w->e;
    collect(w, t);
    e->operations += w->h->txn_op[t + 1] - w->h->txn_op[t];
    e->reads += w->n_reads;
    e->reads_elsewhere += w->n_elsewhere;
    e->cases[ISO_INT] += w->n_reads;
    e->cases[ISO_CI] += w->n_again;
    e->cases[ISO_G1] += w->n_written;
    if (e->counted & (ISO_LEVEL_BIT(ISO_RC_PLUME) | ISO_LEVEL_BIT(ISO_RC) | ISO_LEVEL_BIT(ISO_RA))) {
        if (w->vague) {
            count_vaguely(w);
        } else {
            count_read_from(w, t);
        }
        if ((e->counted & ISO_LEVEL_BIT(ISO_RA)) && !(w->vague && w->n_external > 1)) {
            count_session(w, t);
        }
    }
    w->walk++;
    for (uint32_t o = w->h->txn_op[t]; o < w->h->txn_op[t + 1]; o++) {
        if (iso_is_write(w->h->op_kind[o]) && note_write(w, o)) {
            key_writers *k = &w->writers[w->h->op_key[o]];
            count_writer(k, w->h->txn_session[t]);
            e->shared_keys += k->met == 1;
            k->met += k->met < 2;
        }
    }
}

/* ---- cc ---- */

/* a is in the causal past of the session from now on. */
static void reach(work *w, uint32_t a, uint32_t session) {
    if (takes_part(w, a) && w->txn[a].past_session != session + 1) {
        w->txn[a].past_session = session + 1;
        ISO_GROW(w->pool, w->stack, w->n_stack, w->stack_room);
        w->stack[w->n_stack++] = a;
    }
}

static void reach_writers(work *w, uint32_t version, uint32_t session) {
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

/* Reaches what comes directly before t, and counts t's own writes where t is in the past itself. */
static void reach_before(work *w, uint32_t t, uint32_t session, bool past) {
    const isolab_history *h = w->h;
    uint32_t version, begin = h->session_txn[h->txn_session[t]], before = t;
    while (before > begin && !takes_part(w, before - 1)) {
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
                count_writer(&w->writers[h->op_key[o]], session);
            }
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

static void look_causally(work *w, uint32_t t) {
    uint32_t session = w->h->txn_session[t];
    reach_before(w, t, session, false);
    while (w->n_stack > 0) {
        reach_before(w, w->stack[--w->n_stack], session, true);
        iso_tick(w->pool->env);
    }
    collect(w, t);
    for (uint32_t i = 0; i < w->n_seen; i++) {
        const key_writers *k = &w->writers[w->seen[i].key];
        if (k->session == session + 1) {
            w->e->cases[ISO_CC] += k->before - (sole_source(&w->seen[i]) != ISO_NONE);
        }
    }
}

/* ---- strong levels ---- */

/* Counts the writers of each key in a session. */
static void begin_session(work *w, uint32_t s) {
    const isolab_history *h = w->h;
    for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1] && w->sessions; t++) {
        w->walk++;
        for (uint32_t o = h->txn_op[t]; takes_part(w, t) && o < h->txn_op[t + 1]; o++) {
            key_writers *k = &w->writers[h->op_key[o]];
            if (iso_is_write(h->op_kind[o]) && note_write(w, o)) {
                k->all = k->session == s + 1 ? k->all + 1 : 1;
                k->before = k->session == s + 1 ? k->before : 0;
                k->session = s + 1;
            }
        }
    }
}

/* Writers of x that may stand before t: neither t, nor a later one of its session. */
static uint64_t rivals(work *w, uint32_t t, uint32_t x) {
    const key_writers *k = &w->writers[x];
    uint32_t n = n_writers(w, x), mine = has_written(w, x);
    bool here = w->sessions && k->session == w->h->txn_session[t] + 1;
    return n - mine - (here ? k->all - k->before - mine : 0);
}

static void look_strongly(work *w, uint32_t t) {
    const isolab_history *h = w->h;
    uint32_t begin = h->session_txn[h->txn_session[t]], before = t;
    collect(w, t);
    while (before > begin && !takes_part(w, before - 1)) {
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
        w->writers[h->op_key[o]].before += iso_is_write(h->op_kind[o]) && note_write(w, o);
    }
}

/* ---- all ---- */

/* Must a pass that counts for these levels go on? */
static bool wants_more(const work *w, iso_levels levels) {
    const iso_evidence *e = w->e;
    bool more = (levels & ISO_LEVEL_BIT(ISO_INT)) && (e->reads_elsewhere == 0 || e->shared_keys == 0);
    more = w->steps < ENOUGH || (more && w->steps < LONGER * ENOUGH);
    for (int l = 0; l < ISO_LEVELS; l++) {
        more |= (levels & e->counted & ISO_LEVEL_BIT(l)) && e->cases[l] == 0;
    }
    return more;
}

/* One walk through the history, to count for these levels. Returns whether it came to the end. */
static bool pass(work *w, iso_levels levels, void (*look)(work *w, uint32_t t)) {
    const isolab_history *h = w->h;
    bool all = true;
    w->steps = 0;
    w->writers = ISO_ZNEW(w->pool, key_writers, h->n_keys);
    for (uint32_t s = 0; s < h->n_sessions && all; s++) {
        if (look == look_strongly) {
            begin_session(w, s);
        }
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1] && all; t++) {
            if (takes_part(w, t)) {
                look(w, t);
                all = w->steps < TOO_MANY && wants_more(w, levels);
            }
        }
    }
    for (int l = 0; l < ISO_LEVELS && !all; l++) {
        w->e->counted &= (levels & ISO_LEVEL_BIT(l)) && w->e->cases[l] == 0 ? ~ISO_LEVEL_BIT(l) : ~(iso_levels)0;
    }
    w->e->exact |= all ? levels : 0;
    iso_free(w->pool, w->writers);
    return all;
}

static void find(void *arg) {
    enum {
        STRONG = ISO_LEVEL_BIT(ISO_PC) | ISO_LEVEL_BIT(ISO_SI) | ISO_LEVEL_BIT(ISO_SER),
        WEAK = ISO_LEVEL_BIT(ISO_CC) - 1
    };
    work *w = arg;
    const isolab_history *h = w->h;
    iso_evidence *e = w->e;
    w->key = ISO_ZNEW(w->pool, key_state, h->n_keys);
    w->txn = ISO_ZNEW(w->pool, txn_state, h->n_txns);
    e->all_counted = pass(w, WEAK, look_weakly);
    if (e->counted & ISO_LEVEL_BIT(ISO_CC)) {
        w->version_past = h->unique ? NULL : ISO_ZNEW(w->pool, uint32_t, h->n_versions);
        pass(w, ISO_LEVEL_BIT(ISO_CC), look_causally);
    }
    if (e->counted & STRONG) {
        pass(w, STRONG, look_strongly);
    }
    iso_evidence_in_time(e, w->pool, h, (e->counted & ISO_LEVEL_BIT(ISO_SSER)) != 0);
    e->exact &= e->counted;
}

iso_evidence iso_find_evidence(iso_pool *scratch, const isolab_history *h, iso_levels levels, bool no_session_order) {
    iso_evidence e = {.counted = levels};
    iso_pool pool;
    iso_pool_init(&pool, scratch->env);
    work w = {.h = h, .pool = &pool, .e = &e, .sessions = !no_session_order};
    iso_guard_pool(&pool, find, &w);
    return e;
}
