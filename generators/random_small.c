/* See random_small.h.
 *
 * Transactions are made in the order in which a serial store would run them, each in a random session. First all
 * operations and written values are drawn. Then each read gets its value in one of several ways; every history has a
 * usual way. */
#include "generators/random_small.h"

#include <stdio.h>

#include "base/hash.h"
#include "base/random.h"
#include "history/builder.h"

typedef enum {
    CURRENT,  /* the value that a serial store returns */
    PREFIX,   /* the state at a point that is drawn for each transaction, not before the point of its session's last
               * one: pc */
    FORK,     /* two replicas that receive each other's transactions late, with each session at one of them: cc */
    SNAPSHOT, /* the state at one earlier point, drawn for each transaction */
    STALE,    /* the state at an earlier point, drawn for each read */
    ANY,      /* any final write of the key, also of a later transaction */
    WILD,     /* any value of the key, or a value without a writer */
    WAYS
} way;

typedef struct op {
    uint8_t kind;
    uint32_t key, txn;
    uint32_t value; /* 0: nil */
} op;

typedef struct draft {
    iso_pool *pool;
    iso_rng rng;
    const iso_small_shape *shape;
    uint32_t n_txns, n_ops, n_keys;
    op *ops;
    uint32_t *first; /* by transaction: its first operation; n_txns + 1 entries */
    uint8_t *status;
    uint32_t *session; /* by transaction */
    uint32_t heard[2]; /* FORK: each replica has the transactions before this one, and its own */
    bool *is_list;
    iso_atom *element; /* space for a list read */
} draft;

static uint32_t below(draft *d, uint32_t n) { return (uint32_t)iso_random_below(&d->rng, n); }
static uint32_t at_most(draft *d, unsigned n) { return 1 + (n <= 1 ? 0 : below(d, n)); }
/* Draws like below(), but larger numbers are more likely. */
static uint32_t about(draft *d, unsigned n) {
    uint32_t a = at_most(d, n), b = at_most(d, n);
    return a > b ? a : b;
}
static bool one_in(draft *d, uint32_t n) { return below(d, n) == 0; }

static void add_op(draft *d, uint32_t t, uint32_t key, bool write) {
    const iso_small_shape *s = d->shape;
    uint8_t kind = write ? (d->is_list[key] ? ISO_APPEND : ISO_WRITE) : (d->is_list[key] ? ISO_LIST_READ : ISO_READ);
    uint32_t value = !write                                                      ? 0
                     : s->duplicates && !(d->is_list[key] && s->unique_elements) ? 1 + below(d, 3)
                                                                                 : d->n_ops + 1;
    d->ops[d->n_ops++] = (op){kind, key, t, value};
}

/* Reads and writes in any order that the rules of mini-transactions allow. */
static void draw_mini(draft *d, uint32_t t, uint32_t writes_in_8) {
    uint32_t key[2], reads = 0, writes = 0;
    do {
        if (reads > 0 && writes < 2 && below(d, 8) < writes_in_8) {
            add_op(d, t, key[below(d, reads)], true);
            writes++;
        } else if (reads < 2) {
            key[reads] = below(d, d->n_keys);
            add_op(d, t, key[reads++], false);
        }
    } while (reads + writes < 4 && !one_in(d, 4));
}

static void draw_call(draft *d, uint32_t t, uint32_t writes_in_8) {
    uint32_t key = below(d, d->n_keys), kind = below(d, 8) < writes_in_8 ? 1 + below(d, 2) : 0;
    if (kind != 1) {
        add_op(d, t, key, false);
    }
    if (kind != 0) {
        add_op(d, t, key, true);
    }
}

static void draw_ops(draft *d, uint32_t n_sessions) {
    const iso_small_shape *s = d->shape;
    unsigned most_ops = s->mini ? 4 : s->calls ? 2 : s->ops == 0 ? 1 : s->ops;
    d->n_txns = about(d, s->txns);
    d->n_keys = at_most(d, s->keys);
    d->ops = ISO_NEW(d->pool, op, (size_t)d->n_txns * most_ops);
    d->first = ISO_NEW(d->pool, uint32_t, (size_t)d->n_txns + 1);
    d->status = ISO_NEW(d->pool, uint8_t, d->n_txns);
    d->session = ISO_NEW(d->pool, uint32_t, d->n_txns);
    d->is_list = ISO_NEW(d->pool, bool, d->n_keys);
    d->element = ISO_NEW(d->pool, iso_atom, (size_t)d->n_txns * most_ops + 2);
    for (uint32_t k = 0; k < d->n_keys; k++) {
        d->is_list[k] = s->only_lists || (s->lists && one_in(d, 2));
    }
    uint32_t writes_in_8 = 1 + below(d, 6);
    for (uint32_t t = 0; t < d->n_txns; t++) {
        d->first[t] = d->n_ops;
        d->session[t] = below(d, n_sessions);
        d->status[t] = s->aborted && one_in(d, 6)         ? ISO_ABORTED
                       : s->indeterminate && one_in(d, 4) ? ISO_INDETERMINATE
                                                          : ISO_COMMITTED;
        if (s->empty && one_in(d, 5)) {
            continue;
        }
        if (s->mini) {
            draw_mini(d, t, writes_in_8);
            continue;
        } else if (s->calls) {
            draw_call(d, t, writes_in_8);
            continue;
        }
        bool writer = s->apart && (t == 0 || one_in(d, 2));
        for (uint32_t n = about(d, writer ? (most_ops + 1) / 2 : most_ops); n > 0; n--) {
            uint32_t key = below(d, d->n_keys);
            add_op(d, t, key, s->apart ? writer : below(d, 8) < writes_in_8);
        }
    }
    d->first[d->n_txns] = d->n_ops;
}

/* Returns whether a reader in t, which sees all transactions before the point, sees transaction u. */
static bool is_seen(const draft *d, uint32_t u, uint32_t t, way by, uint32_t point) {
    return d->status[u] != ISO_ABORTED &&
           (u < point || (by == FORK && u < t && d->session[u] % 2 == d->session[t] % 2));
}

/* Draws the point of t's reads, for ways that have one point for each transaction. */
static uint32_t draw_point(draft *d, uint32_t t, way by) {
    uint32_t from = by == FORK ? d->heard[d->session[t] % 2] : 0;
    for (uint32_t u = t; by == PREFIX && u-- > 0;) {
        if (d->session[u] == d->session[t]) {
            from = u + 1;
            break;
        }
    }
    uint32_t point = from + below(d, t + 1 - from);
    if (by == FORK) {
        point = one_in(d, 4) ? point : from;
        d->heard[d->session[t] % 2] = point;
    }
    return point;
}

/* Returns the last write of the key among operations [from, to); to: none. Aborted transactions do not count. */
static uint32_t last_write(const draft *d, uint32_t key, uint32_t from, uint32_t to) {
    for (uint32_t o = to; o-- > from;) {
        if (iso_is_write(d->ops[o].kind) && d->ops[o].key == key && d->status[d->ops[o].txn] != ISO_ABORTED) {
            return o;
        }
    }
    return to;
}

/* Returns the value of a random write of the key, or 0 for nil. final: only last writes of transactions that are not
 * aborted. */
static uint32_t some_value(draft *d, uint32_t key, bool final) {
    uint32_t value = 0, n = 1;
    for (uint32_t t = 0; t < d->n_txns; t++) {
        uint32_t last = last_write(d, key, d->first[t], d->first[t + 1]);
        for (uint32_t o = d->first[t]; o < d->first[t + 1]; o++) {
            bool fits = final ? o == last : iso_is_write(d->ops[o].kind) && d->ops[o].key == key;
            if (fits && one_in(d, ++n)) {
                value = d->ops[o].value;
            }
        }
    }
    return value;
}

static uint32_t read_value(draft *d, uint32_t o, way by, uint32_t point) {
    uint32_t key = d->ops[o].key, start = d->first[d->ops[o].txn];
    if (by == WILD) {
        return one_in(d, 8) ? 999 : some_value(d, key, false);
    }
    for (uint32_t own = o; own-- > start;) {
        if (d->ops[own].kind == ISO_WRITE && d->ops[own].key == key) {
            return d->ops[own].value;
        }
    }
    if (by == ANY) {
        return some_value(d, key, true);
    }
    for (uint32_t w = start; w-- > 0;) {
        if (d->ops[w].kind == ISO_WRITE && d->ops[w].key == key &&
            is_seen(d, d->ops[w].txn, d->ops[o].txn, by, point)) {
            return d->ops[w].value;
        }
    }
    return 0;
}

/* Writes the elements that a list read returns: the state at the point, and own appends. Returns their number. */
static uint32_t read_list(draft *d, uint32_t o, way by, uint32_t point) {
    uint32_t n = 0, t = d->ops[o].txn, key = d->ops[o].key;
    for (int own = 0; own < 2; own++) {
        for (uint32_t a = own ? d->first[t] : 0; a < (own ? o : d->n_ops); a++) {
            bool seen = own || (d->ops[a].txn != t && is_seen(d, d->ops[a].txn, t, by, point));
            if (seen && d->ops[a].kind == ISO_APPEND && d->ops[a].key == key) {
                d->element[n++] = iso_atom_int(d->ops[a].value);
            }
        }
    }
    if (by == WILD && n > 0) {
        uint32_t i = below(d, n), j = below(d, n);
        iso_atom moved = d->element[i];
        d->element[i] = d->element[j];
        d->element[j] = moved;
        n -= below(d, 2);
        if (one_in(d, 4)) {
            d->element[n++] = iso_atom_int(one_in(d, 2) ? 999 : some_value(d, key, false));
        }
    }
    return n;
}

static void add_read(draft *d, iso_builder *b, uint32_t o, uint32_t txn, uint32_t key, way by, uint32_t point) {
    if (d->ops[o].kind == ISO_LIST_READ) {
        uint32_t n = read_list(d, o, by, point);
        iso_builder_list_read(b, txn, key, d->element, n);
    } else {
        uint32_t value = read_value(d, o, by, point);
        bool negation = d->shape->negations && one_in(d, 2);
        if (negation) { /* usually of a value that the read did not return */
            uint32_t other = some_value(d, d->ops[o].key, false);
            value = other != value || one_in(d, 8) ? other : value + 1;
        }
        iso_atom atom = value == 0 ? iso_atom_nil() : iso_atom_int(value);
        iso_builder_op(b, txn, ISO_READ, key, negation ? iso_atom_not(atom) : atom);
    }
}

static void add_times(draft *d, iso_builder *b, uint32_t t, uint32_t txn) {
    int64_t start = 10 * (int64_t)t + below(d, 12), end = start + below(d, 25);
    bool no_start = one_in(d, 12), no_end = one_in(d, 12) || d->status[t] == ISO_INDETERMINATE;
    no_start &= !d->shape->all_times;
    no_end &= !d->shape->all_times;
    iso_builder_times(b, txn, no_start ? ISO_NO_TIME : start, no_end ? ISO_NO_TIME : end);
}

/* Calls of one session follow each other; one that may have happened is its last one, and open to the end. */
static void add_times_of_calls(draft *d, iso_builder *b, uint32_t t, uint32_t txn, int64_t *ended) {
    int64_t start = 10 * (int64_t)t + below(d, 12);
    start = start <= *ended ? *ended + 1 : start;
    bool open = d->status[t] == ISO_INDETERMINATE;
    *ended = start + below(d, 40);
    iso_builder_times(b, txn, start, open ? ISO_NO_TIME : *ended);
}

isolab_history *iso_random_small(iso_pool *pool, uint64_t seed, const iso_small_shape *shape) {
    draft d = {.pool = pool, .rng = {iso_mix(seed)}, .shape = shape};
    uint32_t n_sessions = about(&d, shape->sessions);
    draw_ops(&d, n_sessions);
    iso_builder *b = iso_builder_new(pool);
    int64_t *ended = ISO_ZNEW(pool, int64_t, n_sessions);
    uint32_t *session = ISO_NEW(pool, uint32_t, n_sessions), *key = ISO_NEW(pool, uint32_t, d.n_keys);
    for (uint32_t s = 0; s < n_sessions; s++) {
        session[s] = iso_builder_session(b, iso_atom_nil());
    }
    for (uint32_t k = 0; k < d.n_keys; k++) {
        char name[16];
        int length = k < 3 ? snprintf(name, sizeof name, "%c", "xyz"[k]) : snprintf(name, sizeof name, "k%u", k);
        key[k] = iso_builder_key(b, iso_builder_string(b, name, (size_t)length));
    }
    uint32_t ways = shape->wild ? WAYS : WILD;
    way usual = shape->apart && one_in(&d, 2) ? ANY : (way)below(&d, ways);
    uint32_t odd_in = 4u << below(&d, 6); /* one read in this many is answered in another way */
    for (uint32_t t = 0; t < d.n_txns; t++) {
        uint32_t txn = iso_builder_txn(b, session[d.session[t]], iso_atom_nil(), (iso_status)d.status[t]);
        uint32_t point_of[WAYS];
        for (way by = CURRENT; by < WAYS; by++) {
            point_of[by] = by == CURRENT || by == WILD ? t : draw_point(&d, t, by);
        }
        if (shape->calls) {
            add_times_of_calls(&d, b, t, txn, &ended[d.session[t]]);
            session[d.session[t]] =
                d.status[t] == ISO_INDETERMINATE ? iso_builder_session(b, iso_atom_nil()) : session[d.session[t]];
        } else if (shape->times) {
            add_times(&d, b, t, txn);
        }
        for (uint32_t o = d.first[t]; o < d.first[t + 1]; o++) {
            uint32_t k = key[d.ops[o].key];
            if (iso_is_write(d.ops[o].kind)) {
                iso_builder_op(b, txn, (iso_op_kind)d.ops[o].kind, k, iso_atom_int(d.ops[o].value));
                continue;
            }
            way by = one_in(&d, odd_in) ? (way)below(&d, ways) : usual;
            if (shape->torn && d.ops[o].kind == ISO_LIST_READ && d.status[t] == ISO_INDETERMINATE && one_in(&d, 2)) {
                by = WILD;
            }
            uint32_t point = by == STALE ? below(&d, t + 1) : by == ANY ? below(&d, d.n_txns + 1) : point_of[by];
            add_read(&d, b, o, txn, k, by, point);
        }
    }
    iso_free(pool, d.ops);
    iso_free(pool, d.first);
    iso_free(pool, d.status);
    iso_free(pool, d.session);
    iso_free(pool, d.is_list);
    iso_free(pool, d.element);
    iso_free(pool, ended);
    iso_free(pool, session);
    iso_free(pool, key);
    return iso_builder_finish(b);
}
