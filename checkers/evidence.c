/* Counting cases. See evidence.h.
 *
 * A case is a transaction t3, a key x that it reads from another transaction, and a third transaction t2 that writes x
 * and that t3 sees (or, by a commit order, may see). Cases are counted by the rule that shows t2 to t3, and the cases
 * of a level are those of its rules, so a new row of the table of levels needs no code here.
 *
 * First a sample is walked through: the first transactions of every session, in which t2 is one of them, too. In a
 * small history this is all of it, and the numbers are exact. In a large one they are lower bounds. If a level then has
 * no case, the whole history is walked through until every level has one; what can have no case is passed over.
 *
 * If a value has several writers, each counts as the one that was read from: this counts too many cases rather than too
 * few. Optional transactions count as included for the same reason. */
#include "checkers/evidence.h"

#include <string.h>

#include "base/bisect.h"
#include "base/buckets.h"

enum {
    SAMPLE = 1 << 10, /* operations of the first sample */
    EXACT = 4,        /* a history of this many samples is counted exactly */
    SESSIONS = 4,     /* the least number of sessions of a sample */
    LARGER = 8        /* the next sample has this many times the operations */
};
/* Number of steps after which a level that still has no case is given up: OFTEN times the number of operations, and
 * TOO_MANY if evidence is demanded. */
enum { OFTEN = 32, TOO_MANY = 1 << 28 };

/* The rules of visibility, by number: level.h has them in this order. */
enum { OTHER_KEY, READ_BEFORE, READ, SESSION, CAUSE, PREFIX, CONFLICT, BEFORE, RULES };
#define SEES (((ISO_SEES_OTHER_KEY) << RULES) - ISO_SEES_OTHER_KEY)
#define FROM_READS (ISO_SEES_OTHER_KEY | ISO_SEES_READ_BEFORE | ISO_SEES_READ)
#define TIMED (ISO_TIME_KEYS | ISO_TIME_ALL)

typedef struct tally {
    uint64_t operations, reads, elsewhere; /* elsewhere: reads from other sessions */
    uint64_t again, written;               /* of a key read before; not of the initial value */
    uint64_t seen[RULES];                  /* cases by rule; a rule from CAUSE on has those of the rules before it */
    uint64_t near[SESSION];                /* those among them that rule SESSION has, too */
} tally;

/* What a walk knows of a key. A field is valid only together with its stamp: the current transaction (its number among
 * the visited ones), or the session whose causal past was looked for (its number + 1). */
typedef struct key_state {
    uint32_t own_walk, own;   /* number of writes of the key by the transaction so far */
    uint32_t read_walk, seen; /* index in work.seen of the transaction's reads of the key */
    uint32_t session, past;   /* writers in the causal past */
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
    tally n;
    bool sessions;          /* session order counts */
    iso_levels wanted;      /* the levels that have no case so far */
    iso_rules wanted_rules; /* what their cases are of */
    uint64_t steps, too_many, sample;
    uint32_t share;        /* number of operations of each session that the walk looks at; UINT32_MAX: all */
    const uint32_t *until; /* by session: the end of its transactions among them; NULL: of all */
    bool ahead;            /* some transaction read from a later one of its session */
    uint64_t sure;         /* cases of READ or SESSION of transactions without ambiguous reads */

    iso_buckets rows; /* by key: the transactions among these that write it, by number */
    uint32_t *writer;
    uint32_t walk;
    key_state *key;
    txn_state *txn;

    /* one transaction: its reads from other transactions */
    seen_key *seen;
    source *sources;
    uint32_t n_seen, n_sources, seen_room, sources_room;
    uint32_t n_external; /* number of these reads */
    bool vague;          /* some read has several possible writers */

    /* rule CAUSE */
    uint32_t *past_session; /* by transaction: 1 + the session that has it in its causal past */
    uint32_t *version_past; /* repeated values: 1 + the session whose causal past has all writers of the version */
    uint32_t reached;       /* predecessors of the session's transactions before this one are in the causal past */
    uint32_t *stack;        /* transactions of the causal past that were not walked through yet */
    uint32_t n_stack, stack_room;
} weighing;

static bool included(const weighing *w, uint32_t t) { return w->h->txn_counts[t] != ISO_EXCLUDED; }

/* Returns the end of the transactions of a session that are looked at. */
static uint32_t end_of(const weighing *w, uint32_t s) {
    return w->until != NULL ? w->until[s] : w->h->session_txn[s + 1];
}

/* Returns whether t is looked at: it is included, and no load of the whole database in a sample. */
static bool looked_at(const weighing *w, uint32_t t) {
    return included(w, t) && w->h->txn_op[t + 1] - w->h->txn_op[t] <= w->share;
}

/* What the cases of a level are of: the rules that show t2; without any, one rule of single reads. */
static iso_rules rules_of(iso_level level) {
    iso_rules rules = iso_level_get(level)->rules;
    return (rules & TIMED)            ? rules & TIMED
           : (rules & SEES)           ? rules & SEES
           : (rules & ISO_RULE_ORDER) ? ISO_RULE_ORDER
                                      : rules & -rules;
}

/* Returns the number of cases by these rules, except those of time. */
static uint64_t cases_of(const tally *n, iso_rules rules) {
    if ((rules & SEES) == 0) {
        return rules & ISO_RULE_ORDER ? n->written : rules & ISO_RULE_INT ? n->reads : n->again;
    }
    int rule = 31 - __builtin_clz((rules & SEES) / ISO_SEES_OTHER_KEY);
    if (rule != SESSION) {
        return n->seen[rule];
    }
    rules &= ISO_SEES_SESSION - ISO_SEES_OTHER_KEY;
    rule = rules != 0 ? 31 - __builtin_clz(rules / ISO_SEES_OTHER_KEY) : SESSION;
    return n->seen[SESSION] + (rule < SESSION ? n->seen[rule] - n->near[rule] : 0);
}

/* Finds the wanted levels that still have no case. */
static void find_wanted(weighing *w) {
    w->wanted_rules = w->e->all_counted ? SEES : 0;
    for (iso_levels left = w->wanted; left != 0; left &= left - 1) {
        iso_rules rules = rules_of((iso_level)__builtin_ctz(left));
        bool without = cases_of(&w->n, rules) == 0;
        w->wanted &= without ? ~(iso_levels)0 : ~(left & -left);
        w->wanted_rules |= without ? rules : 0;
    }
}

/* ---- the writers of a key ---- */

/* Calls `note` for the first write of each key by each transaction that is looked at. */
static void each_writer(weighing *w, uint32_t *last, void (*note)(weighing *w, uint32_t x, uint32_t t)) {
    const isolab_history *h = w->h;
    memset(last, 0, h->n_keys * sizeof *last);
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        for (uint32_t t = h->session_txn[s]; t < end_of(w, s); t++) {
            uint32_t end = looked_at(w, t) ? h->txn_op[t + 1] : 0;
            iso_tick(w->pool->env);
            for (uint32_t o = h->txn_op[t]; o < end; o++) {
                if (iso_is_write(h->op_kind[o]) && last[h->op_key[o]] != t + 1) {
                    last[h->op_key[o]] = t + 1;
                    note(w, h->op_key[o], t);
                }
            }
        }
    }
}

static inline void count_writer(weighing *w, uint32_t x, uint32_t t) {
    (void)t;
    iso_buckets_count(&w->rows, x);
}

static inline void place_writer(weighing *w, uint32_t x, uint32_t t) { w->writer[iso_buckets_place(&w->rows, x)] = t; }

static void make_rows(weighing *w) {
    const isolab_history *h = w->h;
    uint32_t *last = ISO_NEW(w->pool, uint32_t, h->n_keys), shared = 0;
    w->rows = iso_buckets_new(w->pool, h->n_keys);
    each_writer(w, last, count_writer);
    w->writer = ISO_NEW(w->pool, uint32_t, iso_buckets_sum(&w->rows));
    each_writer(w, last, place_writer);
    for (uint32_t x = 0; x < h->n_keys; x++) {
        shared += w->rows.first[x + 1] - w->rows.first[x] > 1;
    }
    w->e->shared_keys = shared > w->e->shared_keys ? shared : w->e->shared_keys;
    iso_free(w->pool, last);
}

/* Returns the number of writers of x before transaction t, by number. */
static uint32_t before(weighing *w, uint32_t x, uint32_t t) {
    uint32_t first = w->rows.first[x], end = w->rows.first[x + 1];
    w->steps += (uint64_t)(32 - __builtin_clz(end - first + 1));
    return ISO_BISECT(i, first, end, w->writer[i] < t) - first;
}

static uint32_t n_writers(const weighing *w, uint32_t x) { return w->rows.first[x + 1] - w->rows.first[x]; }

static bool writes(weighing *w, uint32_t t, uint32_t x) {
    uint32_t i = before(w, x, t);
    return i < n_writers(w, x) && w->writer[w->rows.first[x] + i] == t;
}

/* Returns the number of writers of x that may be before t, which writes it: all except t and later ones of its
 * session. */
static uint32_t rivals(weighing *w, uint32_t t, uint32_t x) {
    uint32_t end = w->h->session_txn[w->h->txn_session[t] + 1];
    return n_writers(w, x) - 1 - (w->sessions ? before(w, x, end) - before(w, x, t) - 1 : 0);
}

/* Returns whether a read of t may have another writer than t and the one that it reads from. */
static bool contested(weighing *w, uint32_t t) {
    const isolab_history *h = w->h;
    bool any = false;
    if (w->writer == NULL) {
        make_rows(w);
    }
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1] && !any; o++) {
        uint32_t x = h->op_key[o], n = w->rows.first[x + 1] - w->rows.first[x];
        bool sure = h->op_kind[o] == ISO_READ && h->op_writer[o] < h->n_ops;
        any = !iso_is_write(h->op_kind[o]) && n > sure;
    }
    return any;
}

/* Returns whether t may have a case of a level without one, or reads that are wanted. */
static bool may_have(weighing *w, uint32_t t) {
    const isolab_history *h = w->h;
    uint32_t reads = 0, real = 0;
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        bool read = !iso_is_write(h->op_kind[o]);
        reads += read;
        real += read & (h->op_writer[o] != ISO_INIT);
    }
    bool pairs =
        (w->wanted_rules & (SEES & ~FROM_READS)) ? reads > 0 : (w->wanted_rules & SEES) && reads > 1 && real > 0;
    return ((w->wanted_rules & ISO_RULE_INT) && reads > 0) || ((w->wanted_rules & ISO_RULE_CUT) && reads > 1) ||
           (((w->wanted_rules & ISO_RULE_ORDER) || w->n.elsewhere == 0) && real > 0) ||
           (pairs && (w->until != NULL || contested(w, t)));
}

/* ---- what a transaction reads from others ---- */

/* Notes a write of this walk's transaction. Returns whether it is the first one of its key. */
static bool note_write(weighing *w, uint32_t o) {
    key_state *k = &w->key[w->h->op_key[o]];
    k->own = k->own_walk == w->walk ? k->own + 1 : 1;
    k->own_walk = w->walk;
    return k->own == 1;
}

/* Returns the transaction that a read of t reads from; ISO_INIT; ISO_MANY: there are several possible ones; ISO_NONE:
 * only t itself. The earlier writes of t must be noted. *version is the version read. */
static uint32_t source_of(const weighing *w, uint32_t t, uint32_t o, uint32_t *version) {
    const isolab_history *h = w->h;
    uint32_t from = h->op_writer[o];
    *version = h->op_version[o];
    if (h->op_kind[o] == ISO_LIST_READ) { /* the last element before the reader's own appends */
        uint32_t first = h->list_first[*version], end = h->list_first[*version + 1], x = h->op_key[o];
        uint32_t own = w->key[x].own_walk == w->walk ? w->key[x].own : 0;
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
    key_state *k = &w->key[w->h->op_key[o]];
    if (k->read_walk != w->walk) {
        ISO_GROW(w->pool, w->seen, w->n_seen, w->seen_room);
        k->read_walk = w->walk;
        k->seen = w->n_seen;
        w->seen[w->n_seen++] = (seen_key){w->h->op_key[o], o, from, ISO_NONE, 0};
        return;
    }
    seen_key *s = &w->seen[k->seen];
    w->n.again++;
    s->other = s->source != from ? s->last : s->other;
    s->source = from;
    s->last = o;
}

/* Walks through t: notes its writes, and collects its reads. */
static void collect(weighing *w, uint32_t t) {
    const isolab_history *h = w->h;
    uint32_t s = h->txn_session[t], begin = h->session_txn[s], end = h->session_txn[s + 1], version;
    w->n_seen = w->n_sources = w->n_external = 0;
    w->vague = false;
    w->walk++;
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        if (iso_is_write(h->op_kind[o])) {
            note_write(w, o);
            continue;
        }
        uint32_t from = source_of(w, t, o, &version);
        w->n.reads++;
        if (from == ISO_NONE) {
            continue;
        }
        bool real = from != ISO_INIT && from != ISO_MANY;
        w->n_external++;
        w->n.written += from != ISO_INIT;
        w->n.elsewhere += from == ISO_MANY || (real && (from < begin || from >= end));
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

/* Returns whether there is a transaction before t in so|wr. */
static bool follows(const weighing *w, uint32_t t, bool reads) {
    uint32_t begin = w->h->session_txn[w->h->txn_session[t]], earlier = t;
    while (w->sessions && !reads && earlier > begin && !included(w, earlier - 1)) {
        earlier--;
    }
    return reads || (w->sessions && earlier > begin);
}

/* ---- the rules ---- */

/* Compares t2, from which t reads, with a key that t reads and t2 writes, and counts the cases. */
static void hold_against(weighing *w, uint32_t t, const source *t2, seen_key *s) {
    bool near = t2->txn < t && t2->txn >= w->h->session_txn[w->h->txn_session[t]];
    uint32_t past_it = s->source != t2->txn ? s->last : s->other; /* the last read of the key that is not from t2 */
    if (past_it == ISO_NONE || s->tested == t2->txn + 1) {
        return;
    }
    s->tested = t2->txn + 1;
    uint32_t other_key = w->h->op_key[t2->first] != s->key ? t2->first : t2->other_key;
    bool shown[SESSION] = {
        [OTHER_KEY] = other_key != ISO_NONE && other_key < past_it, [READ_BEFORE] = t2->first < past_it, [READ] = true};
    for (int rule = 0; rule < SESSION; rule++) {
        w->n.seen[rule] += shown[rule];
        w->n.near[rule] += shown[rule] && near;
    }
}

/* Counts the transactions that t reads from, each by its own operations or by the rows of the keys. */
static void count_sources(weighing *w, uint32_t t) {
    const isolab_history *h = w->h;
    for (uint32_t i = 0; i < w->n_sources; i++) {
        const source *t2 = &w->sources[i];
        uint32_t begin = h->txn_op[t2->txn], end = looked_at(w, t2->txn) ? h->txn_op[t2->txn + 1] : begin;
        if (end - begin > 8 * w->n_seen && w->writer == NULL) {
            make_rows(w);
        }
        for (uint32_t k = 0; k < w->n_seen && end - begin > 8 * w->n_seen; k++) {
            if (writes(w, t2->txn, w->seen[k].key)) {
                hold_against(w, t, t2, &w->seen[k]);
            }
        }
        for (uint32_t o = begin; o < end && end - begin <= 8 * w->n_seen; o++) {
            const key_state *k = &w->key[h->op_key[o]];
            w->steps++;
            if (iso_is_write(h->op_kind[o]) && k->read_walk == w->walk) {
                hold_against(w, t, t2, &w->seen[k->seen]);
            }
        }
    }
}

/* Counts the cases of a key that t reads. A transaction with ambiguous reads may have read from any writer. */
static void count_key(weighing *w, uint32_t t, const seen_key *s, bool after, bool contends) {
    uint32_t session = w->h->txn_session[t], end = w->h->session_txn[session + 1], all = n_writers(w, s->key);
    uint32_t earlier = before(w, s->key, t), mine = w->key[s->key].own_walk == w->walk, sole = sole_source(s);
    uint32_t here = earlier - before(w, s->key, w->h->session_txn[session]);
    uint32_t later = w->sessions ? before(w, s->key, end) - earlier - mine : 0;
    bool out = sole != ISO_NONE && writes(w, sole, s->key), ahead = w->sessions && sole > t && sole < end;
    uint32_t n = all - mine - later - (out && !ahead);
    w->n.seen[PREFIX] += after ? n : 0;
    w->n.seen[CONFLICT] += after || contends ? n : 0;
    w->n.seen[BEFORE] += n;
    if (w->vague && w->n_external > 1) {
        for (int rule = 0; rule < SESSION; rule++) {
            w->n.seen[rule] += all - mine - out;
            w->n.near[rule] += all - mine - out;
        }
        w->n.seen[SESSION] += all - mine - out;
    } else {
        w->n.seen[SESSION] += here - (out && sole >= w->h->session_txn[session] && sole < t);
    }
}

static void look_at(weighing *w, uint32_t t) {
    const isolab_history *h = w->h;
    uint64_t written = w->n.written, cases = cases_of(&w->n, ISO_SEES_READ | ISO_SEES_SESSION);
    collect(w, t);
    if ((w->wanted_rules & SEES) == 0 || w->n_seen == 0) {
        return;
    }
    bool by_keys = w->vague || (w->wanted_rules & (SEES & ~FROM_READS)), contends = false;
    bool after = by_keys && follows(w, t, w->n.written > written);
    if (by_keys && w->writer == NULL) {
        make_rows(w);
    }
    for (uint32_t o = h->txn_op[t]; by_keys && !after && o < h->txn_op[t + 1] && !contends; o++) {
        contends = iso_is_write(h->op_kind[o]) && rivals(w, t, h->op_key[o]) > 0;
    }
    for (uint32_t i = 0; i < w->n_seen && by_keys; i++) {
        count_key(w, t, &w->seen[i], after, contends);
    }
    if (!w->vague && w->n_external > 1) {
        count_sources(w, t);
    }
    w->sure += w->vague ? 0 : cases_of(&w->n, ISO_SEES_READ | ISO_SEES_SESSION) - cases;
}

/* ---- what is in the causal past ---- */

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

/* Adds the direct predecessors of t to the causal past, and its writes if t itself is in the past. */
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
            key_state *k = &w->key[h->op_key[o]];
            if (note_write(w, o) && past) {
                k->past = k->session == session + 1 ? k->past + 1 : 1;
                k->session = session + 1;
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
    for (w->reached = w->reached < begin ? begin : w->reached; w->reached <= t; w->reached++) {
        if (included(w, w->reached)) {
            reach_before(w, w->reached, session, false);
        }
        while (w->n_stack > 0) {
            reach_before(w, w->stack[--w->n_stack], session, true);
            iso_tick(w->pool->env);
        }
    }
    tally n = w->n;
    collect(w, t);
    w->n = n; /* counted before */
    for (uint32_t i = 0; i < w->n_seen; i++) {
        const key_state *k = &w->key[w->seen[i].key];
        if (k->session == session + 1) {
            w->n.seen[CAUSE] += k->past - (sole_source(&w->seen[i]) != ISO_NONE);
        }
    }
}

/* ---- all ---- */

/* The cases of READ and SESSION are cases of the rules that show more. */
static void bound(weighing *w) {
    for (int rule = CAUSE; rule < RULES && w->sessions && !w->ahead; rule++) {
        w->n.seen[rule] = w->n.seen[rule] > w->sure ? w->n.seen[rule] : w->sure;
    }
}

/* Walks through transactions until every wanted level has a case; all: to the end. Returns whether it reached the
 * end. */
static bool walk(weighing *w, bool all, void (*visit)(weighing *w, uint32_t t)) {
    const isolab_history *h = w->h;
    w->steps = 0;
    find_wanted(w);
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        for (uint32_t t = h->session_txn[s]; t < end_of(w, s); t++) {
            w->n.operations += looked_at(w, t) ? h->txn_op[t + 1] - h->txn_op[t] : 0;
            if (!looked_at(w, t) || !(all || may_have(w, t))) {
                w->steps++;
                continue;
            }
            visit(w, t);
            if (!all) {
                bound(w);
                find_wanted(w);
                if ((w->wanted == 0 && w->n.elsewhere > 0) || w->steps > w->too_many) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* Chooses a sample of about this many operations: the first transactions of some sessions, few so that they are
 * long. */
static const uint32_t *sample(weighing *w, uint32_t operations) {
    const isolab_history *h = w->h;
    uint32_t *until = ISO_NEW(w->pool, uint32_t, h->n_sessions), total = 0;
    w->share = operations / SESSIONS + 1;
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        until[s] = h->session_txn[s];
        for (uint32_t n = 0; until[s] < h->session_txn[s + 1] && n < w->share && total < operations; until[s]++) {
            uint32_t size = h->txn_op[until[s] + 1] - h->txn_op[until[s]], cost = size <= w->share ? size + 1 : 1;
            n += cost;
            total += cost;
        }
    }
    return until;
}

/* Notes what was counted: exact numbers, or lower bounds of what may be known better. */
static void note(weighing *w, iso_levels counted) {
    iso_evidence *e = w->e;
    e->operations = w->n.operations > e->operations ? w->n.operations : e->operations;
    e->reads = w->n.reads > e->reads ? w->n.reads : e->reads;
    e->reads_elsewhere = w->n.elsewhere > e->reads_elsewhere ? w->n.elsewhere : e->reads_elsewhere;
    for (int l = 0; l < iso_n_levels; l++) {
        uint64_t cases = cases_of(&w->n, rules_of(l));
        e->cases[l] = (counted & ISO_LEVEL_BIT(l)) && cases > e->cases[l] ? cases : e->cases[l];
    }
}

/* Counts for levels whose cases are in the causal past of a session. */
static bool walk_causally(weighing *w, bool all) {
    const isolab_history *h = w->h;
    w->version_past = h->unique ? NULL : ISO_ZNEW(w->pool, uint32_t, h->n_versions);
    w->past_session = ISO_ZNEW(w->pool, uint32_t, h->n_txns);
    return walk(w, all, look_causally);
}

/* Counts in a sample of this many operations, or in the whole history, for the levels without a case. Returns whether
 * the numbers that are 0 afterwards are so in the whole history. */
static bool count(weighing *w, uint64_t operations, iso_levels causal) {
    bool whole = operations >= w->h->n_ops, all = whole && w->e->all_counted;
    iso_levels left = w->wanted;
    w->n = (tally){.reads = 0};
    w->sure = 0;
    w->writer = NULL;
    w->share = UINT32_MAX;
    w->until = whole ? NULL : sample(w, (uint32_t)operations);
    bool end = walk(w, all, look_at);
    w->e->none_elsewhere = whole && end && w->n.elsewhere == 0;
    if (!all) {
        bound(w);
    }
    find_wanted(w);
    if (whole && (left & causal & (all ? left : w->wanted))) {
        iso_levels others = w->wanted & ~causal;
        w->wanted = left & causal;
        end &= walk_causally(w, all) || all || w->wanted == 0;
        find_wanted(w);
        w->wanted |= others;
    }
    note(w, left);
    if (w->e->shared_keys == 0 && w->writer == NULL) {
        make_rows(w);
    }
    return whole && (end || w->wanted == 0);
}

static void find(void *arg) {
    weighing *w = arg;
    const isolab_history *h = w->h;
    iso_evidence *e = w->e;
    iso_levels timed = 0, causal = 0;
    for (int l = 0; l < iso_n_levels; l++) {
        timed |= rules_of(l) & TIMED ? ISO_LEVEL_BIT(l) : 0;
        causal |= 31 - __builtin_clz(rules_of(l)) == __builtin_ctz(ISO_SEES_CAUSE) ? ISO_LEVEL_BIT(l) : 0;
    }
    w->txn = ISO_ZNEW(w->pool, txn_state, h->n_txns);
    w->key = ISO_ZNEW(w->pool, key_state, h->n_keys);
    w->wanted = e->counted & ~timed & (ISO_LEVEL_BIT(iso_n_levels) - 1);
    e->all_counted = h->n_ops <= w->sample * EXACT;
    uint64_t size = e->all_counted ? h->n_ops : w->sample;
    bool known = count(w, size, causal);
    while (size < h->n_ops && (w->wanted != 0 || e->reads_elsewhere == 0 || e->shared_keys == 0)) {
        size = size * LARGER < h->n_ops / 2 ? size * LARGER : h->n_ops;
        known = count(w, size, causal);
    }
    e->counted &= known ? ~(iso_levels)0 : ~w->wanted;
    e->exact = e->counted & (e->all_counted ? ~(iso_levels)0 : w->wanted | timed);
    iso_evidence_in_time(e, w->pool, h);
}

iso_evidence iso_find_evidence(iso_pool *scratch, const isolab_history *h, iso_evidence_question question) {
    iso_evidence e = {.counted = question.levels};
    iso_pool pool;
    iso_pool_init(&pool, scratch->env);
    uint64_t often = (uint64_t)h->n_ops * OFTEN;
    weighing w = {.h = h,
                  .pool = &pool,
                  .e = &e,
                  .sessions = !question.no_session_order,
                  .sample = question.sample > 0 ? question.sample : SAMPLE,
                  .too_many = question.demand || often > TOO_MANY ? TOO_MANY : often};
    iso_guard_pool(&pool, find, &w);
    return e;
}
