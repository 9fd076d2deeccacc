/* See random_small.h.
 *
 * Transactions are drawn in the order in which a serial store would run them, each in a random session. First all
 * operations and written values are drawn. Then the value of each read is drawn in one of several ways; every history
 * has a usual way, in which most of its reads are drawn. */
#include "generators/random_small.h"

#include <stdio.h>

#include "base/hash.h"
#include "base/random.h"
#include "history/builder.h"

typedef enum {
    CURRENT,  /* the value that a serial store would return */
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
    bool negation;
    uint32_t key, txn;
    uint32_t value; /* 0: nil; of a list read: the number of its list */
} op;

typedef struct drawing {
    iso_pool *pool;
    iso_rng rng;
    const iso_small_shape *shape;
    uint32_t n_txns, n_ops, n_keys;
    op *ops;
    uint32_t *first; /* by transaction: its first operation; n_txns + 1 entries */
    uint8_t *status;
    uint32_t *session;    /* by transaction */
    uint32_t heard[2];    /* FORK: each replica has the transactions before this one, and its own */
    bool *is_list;        /* by key */
    uint32_t n_sessions;  /* of the history, which has more sessions than are drawn: see draw_times_of_calls() */
    uint32_t *session_of; /* by transaction: its session in the history */
    int64_t *start, *end; /* NULL: no times */
    uint32_t n_lists, n_elements, elements_room, lists_room;
    uint32_t *list_first, *element; /* the elements of list l are element[list_first[l] .. list_first[l + 1]) */
} drawing;

/* Returns a random number from 0 to n - 1. */
static uint32_t below(drawing *d, uint32_t n) { return (uint32_t)iso_random_below(&d->rng, n); }
/* Returns a random number from 1 to n; 0 counts as 1. */
static uint32_t at_most(drawing *d, unsigned n) { return 1 + (n <= 1 ? 0 : below(d, n)); }
/* The same as at_most(), with larger numbers more likely. */
static uint32_t about(drawing *d, unsigned n) {
    uint32_t a = at_most(d, n), b = at_most(d, n);
    return a > b ? a : b;
}
static bool one_in(drawing *d, uint32_t n) { return below(d, n) == 0; }

static void add_op(drawing *d, uint32_t t, uint32_t key, bool write) {
    const iso_small_shape *s = d->shape;
    uint8_t kind = write ? (d->is_list[key] ? ISO_APPEND : ISO_WRITE) : (d->is_list[key] ? ISO_LIST_READ : ISO_READ);
    uint32_t value = !write                                                      ? 0
                     : s->duplicates && !(d->is_list[key] && s->unique_elements) ? 1 + below(d, 3)
                                                                                 : d->n_ops + 1;
    d->ops[d->n_ops++] = (op){.kind = kind, .key = key, .txn = t, .value = value};
}

/* Draws the operations of a mini-transaction. writes_in_8: how many of eight operations are writes, on average. */
static void draw_mini(drawing *d, uint32_t t, uint32_t writes_in_8) {
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

/* Draws a read of a key, a write of it, or both. */
static void draw_call(drawing *d, uint32_t t, uint32_t writes_in_8) {
    uint32_t key = below(d, d->n_keys), kind = below(d, 8) < writes_in_8 ? 1 + below(d, 2) : 0;
    if (kind != 1) {
        add_op(d, t, key, false);
    }
    if (kind != 0) {
        add_op(d, t, key, true);
    }
}

static void draw_ops(drawing *d, uint32_t n_sessions) {
    const iso_small_shape *s = d->shape;
    unsigned most_ops = s->mini ? 4 : s->calls ? 2 : s->ops == 0 ? 1 : s->ops;
    d->n_txns = about(d, s->txns);
    d->n_keys = at_most(d, s->keys);
    d->ops = ISO_NEW(d->pool, op, (size_t)d->n_txns * most_ops);
    d->first = ISO_NEW(d->pool, uint32_t, (size_t)d->n_txns + 1);
    d->status = ISO_NEW(d->pool, uint8_t, d->n_txns);
    d->session = ISO_NEW(d->pool, uint32_t, d->n_txns);
    d->is_list = ISO_NEW(d->pool, bool, d->n_keys);
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

/* Returns whether a read of transaction t sees transaction u. point: it sees all transactions before this one. */
static bool is_seen(const drawing *d, uint32_t u, uint32_t t, way by, uint32_t point) {
    return d->status[u] != ISO_ABORTED &&
           (u < point || (by == FORK && u < t && d->session[u] % 2 == d->session[t] % 2));
}

/* Draws the point of the reads of transaction t: they see all transactions before it. For ways that have one point for
 * each transaction. */
static uint32_t draw_point(drawing *d, uint32_t t, way by) {
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

/* Returns the last write of the key by a transaction that is not aborted, among operations [from, to); `to` if there is
 * none. */
static uint32_t last_write(const drawing *d, uint32_t key, uint32_t from, uint32_t to) {
    for (uint32_t o = to; o-- > from;) {
        if (iso_is_write(d->ops[o].kind) && d->ops[o].key == key && d->status[d->ops[o].txn] != ISO_ABORTED) {
            return o;
        }
    }
    return to;
}

/* Returns the value of a random write of the key, or 0 for nil. final: only last writes of transactions that are not
 * aborted. */
static uint32_t some_value(drawing *d, uint32_t key, bool final) {
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

/* Returns the value that read o of a register returns. */
static uint32_t read_value(drawing *d, uint32_t o, way by, uint32_t point) {
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

static void clear(drawing *d) {
    void *all[] = {d->ops,        d->first, d->status, d->session,    d->is_list,
                   d->session_of, d->start, d->end,    d->list_first, d->element};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        iso_free(d->pool, all[i]);
    }
}

/* Adds an element to the list that is read. */
static void add_element(drawing *d, uint32_t value) {
    ISO_GROW(d->pool, d->element, d->n_elements, d->elements_room);
    d->element[d->n_elements++] = value;
}

/* Adds the list that list read o returns: the state at the point, and the transaction's own appends. */
static void read_list(drawing *d, uint32_t o, way by, uint32_t point) {
    uint32_t first = d->n_elements, t = d->ops[o].txn, key = d->ops[o].key;
    for (int own = 0; own < 2; own++) {
        for (uint32_t a = own ? d->first[t] : 0; a < (own ? o : d->n_ops); a++) {
            bool seen = own || (d->ops[a].txn != t && is_seen(d, d->ops[a].txn, t, by, point));
            if (seen && d->ops[a].kind == ISO_APPEND && d->ops[a].key == key) {
                add_element(d, d->ops[a].value);
            }
        }
    }
    if (by == WILD && d->n_elements > first) {
        uint32_t i = first + below(d, d->n_elements - first), j = first + below(d, d->n_elements - first);
        uint32_t moved = d->element[i];
        d->element[i] = d->element[j];
        d->element[j] = moved;
        d->n_elements -= below(d, 2);
        if (one_in(d, 4)) {
            add_element(d, one_in(d, 2) ? 999 : some_value(d, key, false));
        }
    }
    d->ops[o].value = d->n_lists++;
    ISO_GROW(d->pool, d->list_first, d->n_lists, d->lists_room);
    d->list_first[d->n_lists] = d->n_elements;
}

/* Draws what read o returns. */
static void draw_read(drawing *d, uint32_t o, way by, uint32_t point) {
    if (d->ops[o].kind == ISO_LIST_READ) {
        read_list(d, o, by, point);
        return;
    }
    uint32_t value = read_value(d, o, by, point);
    bool negation = d->shape->negations && one_in(d, 2);
    if (negation) { /* usually of a value that the read did not return */
        uint32_t other = some_value(d, d->ops[o].key, false);
        value = other != value || one_in(d, 8) ? other : value + 1;
    }
    d->ops[o].value = value;
    d->ops[o].negation = negation;
}

static void draw_times(drawing *d, uint32_t t) {
    int64_t start = 10 * (int64_t)t + below(d, 12), end = start + below(d, 25);
    bool no_start = one_in(d, 12), no_end = one_in(d, 12) || d->status[t] == ISO_INDETERMINATE;
    no_start &= !d->shape->all_times;
    no_end &= !d->shape->all_times;
    d->start[t] = no_start ? ISO_NO_TIME : start;
    d->end[t] = no_end ? ISO_NO_TIME : end;
}

/* Draws the times of a call. The calls of a session do not overlap. An indeterminate call has no end and is the last
 * call of its session: later calls of the drawn session are in another session of the history. By drawn session: now,
 * its current session of the history; ended, the end of its last call. */
static void draw_times_of_calls(drawing *d, uint32_t t, uint32_t *now, int64_t *ended) {
    uint32_t s = d->session[t];
    int64_t start = 10 * (int64_t)t + below(d, 12);
    d->start[t] = start <= ended[s] ? ended[s] + 1 : start;
    bool indeterminate = d->status[t] == ISO_INDETERMINATE;
    ended[s] = d->start[t] + below(d, 40);
    d->end[t] = indeterminate ? ISO_NO_TIME : ended[s];
    now[s] = indeterminate ? d->n_sessions++ : now[s];
}

/* Draws what each read returns, and the times. */
static void draw_reads(drawing *d, uint32_t n_sessions) {
    const iso_small_shape *shape = d->shape;
    bool times = shape->times || shape->calls;
    int64_t *ended = ISO_ZNEW(d->pool, int64_t, n_sessions);
    uint32_t *now = ISO_NEW(d->pool, uint32_t, n_sessions);
    d->n_sessions = n_sessions;
    d->session_of = ISO_NEW(d->pool, uint32_t, d->n_txns);
    d->start = times ? ISO_NEW(d->pool, int64_t, d->n_txns) : NULL;
    d->end = times ? ISO_NEW(d->pool, int64_t, d->n_txns) : NULL;
    ISO_GROW(d->pool, d->list_first, d->n_lists, d->lists_room);
    d->list_first[0] = 0;
    for (uint32_t s = 0; s < n_sessions; s++) {
        now[s] = s;
    }
    uint32_t ways = shape->wild ? WAYS : WILD;
    way usual = shape->apart && one_in(d, 2) ? ANY : (way)below(d, ways);
    uint32_t odd_in = 4u << below(d, 6); /* one read in this many is answered in another way */
    for (uint32_t t = 0; t < d->n_txns; t++) {
        uint32_t point_of[WAYS];
        for (way by = CURRENT; by < WAYS; by++) {
            point_of[by] = by == CURRENT || by == WILD ? t : draw_point(d, t, by);
        }
        d->session_of[t] = now[d->session[t]];
        if (shape->calls) {
            draw_times_of_calls(d, t, now, ended);
        } else if (shape->times) {
            draw_times(d, t);
        }
        for (uint32_t o = d->first[t]; o < d->first[t + 1]; o++) {
            if (iso_is_write(d->ops[o].kind)) {
                continue;
            }
            way by = one_in(d, odd_in) ? (way)below(d, ways) : usual;
            if (shape->torn && d->ops[o].kind == ISO_LIST_READ && d->status[t] == ISO_INDETERMINATE && one_in(d, 2)) {
                by = WILD;
            }
            uint32_t point = by == STALE ? below(d, t + 1) : by == ANY ? below(d, d->n_txns + 1) : point_of[by];
            draw_read(d, o, by, point);
        }
    }
    iso_free(d->pool, ended);
    iso_free(d->pool, now);
}

static void draw(drawing *d) {
    uint32_t n_sessions = about(d, d->shape->sessions);
    draw_ops(d, n_sessions);
    draw_reads(d, n_sessions);
}

static void build_op(const drawing *d, iso_builder *b, uint32_t txn, uint32_t key, const op *o) {
    if (o->kind != ISO_LIST_READ) {
        iso_atom value = o->value == 0 ? iso_atom_nil() : iso_atom_int(o->value);
        iso_builder_op(b, txn, (iso_op_kind)o->kind, key, o->negation ? iso_atom_not(value) : value);
        return;
    }
    uint32_t first = d->list_first[o->value], n = d->list_first[o->value + 1] - first;
    iso_atom *element = ISO_NEW(d->pool, iso_atom, n);
    for (uint32_t e = 0; e < n; e++) {
        element[e] = iso_atom_int(d->element[first + e]);
    }
    iso_builder_list_read(b, txn, key, element, n);
    iso_free(d->pool, element);
}

isolab_history *iso_random_small(iso_pool *pool, uint64_t seed, const iso_small_shape *shape) {
    drawing d = {.pool = pool, .rng = {iso_mix(seed)}, .shape = shape};
    draw(&d);
    iso_builder *b = iso_builder_new(pool);
    uint32_t *key = ISO_NEW(pool, uint32_t, d.n_keys);
    for (uint32_t s = 0; s < d.n_sessions; s++) {
        iso_builder_session(b, iso_atom_nil());
    }
    for (uint32_t k = 0; k < d.n_keys; k++) {
        char name[16];
        int length = k < 3 ? snprintf(name, sizeof name, "%c", "xyz"[k]) : snprintf(name, sizeof name, "k%u", k);
        key[k] = iso_builder_key(b, iso_builder_string(b, name, (size_t)length));
    }
    for (uint32_t t = 0; t < d.n_txns; t++) {
        uint32_t txn = iso_builder_txn(b, d.session_of[t], iso_atom_nil(), (iso_status)d.status[t]);
        if (d.start != NULL) {
            iso_builder_times(b, txn, d.start[t], d.end[t]);
        }
        for (uint32_t o = d.first[t]; o < d.first[t + 1]; o++) {
            build_op(&d, b, txn, key[d.ops[o].key], &d.ops[o]);
        }
    }
    iso_free(pool, key);
    clear(&d);
    return iso_builder_finish(b);
}

iso_draft *iso_random_draft(iso_pool *pool, uint64_t seed, const iso_small_shape *shape, uint32_t more_ops) {
    drawing d = {.pool = pool, .rng = {iso_mix(seed)}, .shape = shape};
    draw(&d);
    iso_draft *to = iso_draft_new(pool, d.n_txns, d.n_ops + more_ops, d.start != NULL);
    to->n_sessions = d.n_sessions;
    to->n_txns = d.n_txns;
    to->n_ops = d.n_ops;
    to->n_keys = d.n_keys;
    to->unique = !shape->duplicates;
    for (uint32_t t = 0; t < d.n_txns; t++) {
        to->session[t] = d.session_of[t];
        to->status[t] = d.status[t];
        if (d.start != NULL) {
            to->start[t] = d.start[t];
            to->end[t] = d.end[t];
        }
    }
    for (uint32_t o = 0; o < d.n_ops; o++) {
        to->txn[o] = d.ops[o].txn;
        to->key[o] = d.ops[o].key;
        to->value[o] = d.ops[o].value;
        to->kind[o] = d.ops[o].kind;
    }
    to->n_lists = d.n_lists;
    to->list_first = d.list_first;
    to->element = d.element;
    d.list_first = d.element = NULL;
    clear(&d);
    return to;
}
