/* Checks a commit order against the rules of a level (docs/levels.md). Every rule says: if t3 reads x from t1 and may
 * see t2, which also writes x, then t2 is before t1. The order is total, so the levels differ only in which t2 must be
 * compared:
 *   what t3 reads from, its session   per pair, the smaller side: O(n sqrt n)
 *   causes                            see causal.c
 *   a prefix of the order             only the next writer of x after t1: O(n) */
#include <stdlib.h>
#include <string.h>

#include "verify/verify.h"

static bool outside(const iso_verifier *v, uint32_t o) {
    return !iso_is_write(v->h->op_kind[o]) && iso_source_txn(v, o) != v->h->op_txn[o];
}

/* The latest start among the transactions so far, and whose it is. */
typedef struct latest {
    int64_t start;
    uint32_t txn;
} latest;

/* Checks the next transaction against the latest start. */
static void follows_in_time(const iso_verifier *v, const latest *so_far, uint32_t t) {
    if (v->h->txn_end[t] != ISO_NO_TIME && v->h->txn_end[t] < so_far->start) {
        iso_refuse(v, "transaction %u ended before %u started, and comes after it", t, so_far->txn);
    }
}

static void note_start(const iso_verifier *v, latest *so_far, uint32_t t) {
    if (v->h->txn_start[t] > so_far->start) {
        *so_far = (latest){v->h->txn_start[t], t};
    }
}

static void contains_time(const iso_verifier *v) {
    latest so_far = {ISO_NO_TIME, 0};
    for (uint32_t i = 0; i < v->claim->n_order; i++) {
        follows_in_time(v, &so_far, v->claim->order[i]);
        note_start(v, &so_far, v->claim->order[i]);
    }
}

/* lser: the same, for the transactions that access a key, for each key. A transaction never ends before it starts, so
 * it does not contradict itself. */
static void contains_time_of_keys(const iso_verifier *v) {
    const isolab_history *h = v->h;
    latest *so_far = ISO_NEW(v->pool, latest, h->n_keys);
    for (uint32_t x = 0; x < h->n_keys; x++) {
        so_far[x] = (latest){ISO_NO_TIME, 0};
    }
    for (uint32_t i = 0; i < v->claim->n_order; i++) {
        uint32_t t = v->claim->order[i];
        iso_tick(v->pool->env);
        for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
            follows_in_time(v, &so_far[h->op_key[o]], t);
            note_start(v, &so_far[h->op_key[o]], t);
        }
    }
    iso_free(v->pool, so_far);
}

/* Checks that the order contains session order and write-read order; for lser and sser also real-time order. */
static void contains(const iso_verifier *v) {
    const isolab_history *h = v->h;
    for (uint32_t s = 0; v->sessions && s < h->n_sessions; s++) {
        uint32_t before = ISO_INIT;
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
            if (v->in[t]) {
                if (iso_place(v, before) > v->place[t]) {
                    iso_refuse(v, "transactions %u and %u of one session are in the wrong order", before, t);
                }
                before = t;
            }
        }
    }
    for (uint32_t o = 0; o < h->n_ops; o++) {
        uint32_t t = h->op_txn[o];
        if (v->in[t] && outside(v, o) && iso_place(v, iso_source_txn(v, o)) > v->place[t]) {
            iso_refuse(v, "transaction %u comes before %u, from which its operation %u reads", t, iso_source_txn(v, o),
                       o);
        }
    }
    if (h->txn_start != NULL && iso_asks(v, ISO_TIME_ALL)) {
        contains_time(v);
    } else if (h->txn_start != NULL && iso_asks(v, ISO_TIME_KEYS)) {
        contains_time_of_keys(v);
    }
}

/* ---- what t3 reads from, and its session: pairs of a reader and a transaction that it reads from ---- */

/* A read from another transaction. */
typedef struct outer_read {
    uint32_t key, op;
    uint32_t earliest; /* the first place of the writers of this read and of the reader's later reads of the key */
} outer_read;

typedef struct pairs {
    const iso_verifier *v;
    uint32_t *first, *key; /* the keys that each transaction writes, sorted: key[first[t] .. first[t + 1]) */
    outer_read *read;      /* the outer reads of the current reader, by key, then in program order */
    uint32_t n_reads;
    uint32_t *met;        /* by writer: 1 + the last reader that read from it */
    uint32_t *first_read; /* by writer: the first read from it by that reader */
} pairs;

static int by_number(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static int by_key_and_op(const void *a, const void *b) {
    const outer_read *x = a, *y = b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : (x->op > y->op) - (x->op < y->op);
}

static void list_keys(pairs *p) {
    const isolab_history *h = p->v->h;
    p->first = ISO_NEW(p->v->pool, uint32_t, (size_t)h->n_txns + 1);
    p->key = ISO_NEW(p->v->pool, uint32_t, h->n_ops);
    uint32_t n = 0;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        uint32_t first = p->first[t] = n;
        for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
            if (iso_is_write(h->op_kind[o])) {
                p->key[n++] = h->op_key[o];
            }
        }
        qsort(p->key + first, n - first, sizeof *p->key, by_number);
        uint32_t kept = first;
        for (uint32_t i = first; i < n; i++) {
            if (i == first || p->key[i] != p->key[i - 1]) {
                p->key[kept++] = p->key[i];
            }
        }
        n = kept;
    }
    p->first[h->n_txns] = n;
}

static void list_reads(pairs *p, uint32_t t3) {
    const isolab_history *h = p->v->h;
    p->n_reads = 0;
    for (uint32_t o = h->txn_op[t3]; o < h->txn_op[t3 + 1]; o++) {
        if (outside(p->v, o)) {
            p->read[p->n_reads++] = (outer_read){h->op_key[o], o, iso_place(p->v, iso_source_txn(p->v, o))};
        }
    }
    qsort(p->read, p->n_reads, sizeof *p->read, by_key_and_op);
    for (uint32_t i = p->n_reads; i-- > 1;) {
        if (p->read[i].key == p->read[i - 1].key && p->read[i].earliest < p->read[i - 1].earliest) {
            p->read[i - 1].earliest = p->read[i].earliest;
        }
    }
}

static bool writes(const pairs *p, uint32_t t, uint32_t key) {
    return bsearch(&key, p->key + p->first[t], p->first[t + 1] - p->first[t], sizeof key, by_number) != NULL;
}

/* Returns the number of the first read of the key at or after an operation. */
static uint32_t find_read(const pairs *p, uint32_t key, uint32_t op) {
    uint32_t low = 0, high = p->n_reads;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const outer_read *r = &p->read[middle];
        if (r->key < key || (r->key == key && r->op < op)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* t2 is seen by the reads of `key` from operation op on, so their writers may not be before it. */
static void compare(const pairs *p, uint32_t t2, uint32_t key, uint32_t op) {
    iso_tick(p->v->pool->env);
    uint32_t i = find_read(p, key, op);
    if (i < p->n_reads && p->read[i].key == key && p->read[i].earliest < p->v->place[t2]) {
        iso_refuse(p->v, "read %u (or a later one of its key) reads from before transaction %u, which it sees",
                   p->read[i].op, t2);
    }
}

/* Does the same for every key that t2 writes, except `but`. Walks over the smaller of the two sides. */
static void compare_all(const pairs *p, uint32_t t2, uint32_t op, uint32_t but) {
    uint32_t n_keys = p->first[t2 + 1] - p->first[t2];
    if (n_keys <= p->n_reads) {
        for (uint32_t i = p->first[t2]; i < p->first[t2 + 1]; i++) {
            if (p->key[i] != but) {
                compare(p, t2, p->key[i], op);
            }
        }
        return;
    }
    for (uint32_t i = 0; i < p->n_reads; i++) {
        if ((i == 0 || p->read[i].key != p->read[i - 1].key) && p->read[i].key != but &&
            writes(p, t2, p->read[i].key)) {
            compare(p, t2, p->read[i].key, op);
        }
    }
}

/* Each transaction is seen after the first read from it. plume: for the key of that read, it is seen only after
 * the first read from it of another key. */
static void check_rc(pairs *p, uint32_t t3, bool plume) {
    const isolab_history *h = p->v->h;
    for (uint32_t o = h->txn_op[t3]; o < h->txn_op[t3 + 1]; o++) {
        uint32_t t2 = outside(p->v, o) ? iso_source_txn(p->v, o) : ISO_INIT;
        if (t2 == ISO_INIT) {
            continue;
        }
        if (p->met[t2] != t3 + 1) {
            p->met[t2] = t3 + 1;
            p->first_read[t2] = o;
            compare_all(p, t2, o + 1, plume ? h->op_key[o] : ISO_NONE);
        } else if (plume && h->op_key[p->first_read[t2]] != h->op_key[o]) {
            compare(p, t2, h->op_key[p->first_read[t2]], o + 1);
        }
    }
}

/* session_write: by key, the last transaction so far that writes it. */
static void check_session(const pairs *p, uint32_t t3, const uint32_t *session_write) {
    const isolab_history *h = p->v->h;
    uint32_t first = h->session_txn[h->txn_session[t3]];
    for (uint32_t o = h->txn_op[t3]; o < h->txn_op[t3 + 1]; o++) {
        uint32_t t2 = session_write[h->op_key[o]];
        if (t2 != ISO_NONE && t2 >= first && outside(p->v, o) &&
            iso_place(p->v, t2) > iso_place(p->v, iso_source_txn(p->v, o))) {
            iso_refuse(p->v, "read %u reads from before transaction %u of its own session", o, t2);
        }
    }
}

static void check_ra(pairs *p, uint32_t t3) {
    const isolab_history *h = p->v->h;
    for (uint32_t o = h->txn_op[t3]; o < h->txn_op[t3 + 1]; o++) {
        uint32_t t1 = outside(p->v, o) ? iso_source_txn(p->v, o) : ISO_INIT;
        if (t1 != ISO_INIT && p->met[t1] != t3 + 1) {
            p->met[t1] = t3 + 1;
            compare_all(p, t1, 0, ISO_NONE);
        }
    }
}

static void check_pairs(const iso_verifier *v) {
    const isolab_history *h = v->h;
    pairs p = {.v = v};
    list_keys(&p);
    p.met = ISO_ZNEW(v->pool, uint32_t, h->n_txns);
    p.first_read = ISO_NEW(v->pool, uint32_t, h->n_txns);
    uint32_t *session_write = ISO_NEW_NONE(v->pool, h->n_keys);
    uint32_t longest = 0;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        uint32_t n = h->txn_op[t + 1] - h->txn_op[t];
        longest = n > longest ? n : longest;
    }
    p.read = ISO_NEW(v->pool, outer_read, longest);
    for (uint32_t t3 = 0; t3 < h->n_txns; t3++) {
        iso_tick(v->pool->env);
        if (!v->in[t3]) {
            continue;
        }
        list_reads(&p, t3);
        if (v->sessions && iso_asks(v, ISO_SEES_SESSION)) {
            check_session(&p, t3, session_write);
            for (uint32_t i = p.first[t3]; i < p.first[t3 + 1]; i++) {
                session_write[p.key[i]] = t3;
            }
        }
        if (iso_asks(v, ISO_SEES_READ)) {
            check_ra(&p, t3);
        } else if (iso_asks(v, ISO_SEES_OTHER_KEY)) {
            check_rc(&p, t3, !iso_asks(v, ISO_SEES_READ_BEFORE));
        }
    }
}

/* ---- prefixes: t3 sees all transactions up to a point of the order ---- */

/* after[o]: the place of the key's next writer after the transaction of write o. first[key]: the place of its first
 * writer. UINT32_MAX: none. */
static void next_writers(const iso_verifier *v, uint32_t *after, uint32_t *first) {
    const isolab_history *h = v->h;
    iso_fill_none(first, h->n_keys);
    for (uint32_t i = v->claim->n_order; i-- > 0;) {
        uint32_t t = v->claim->order[i];
        for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
            after[o] = first[h->op_key[o]];
        }
        for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
            if (iso_is_write(h->op_kind[o])) {
                first[h->op_key[o]] = i + 1;
            }
        }
    }
}

/* Returns the place up to which t sees all transactions. last: by key, the place of its latest writer before t. */
static uint32_t snapshot(const iso_verifier *v, uint32_t t, uint32_t session_before, const uint32_t *last) {
    const isolab_history *h = v->h;
    if (iso_asks(v, ISO_SEES_BEFORE)) {
        return v->place[t] - 1;
    }
    uint32_t point = v->sessions ? iso_place(v, session_before) : 0;
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        uint32_t p = 0;
        if (outside(v, o)) {
            p = iso_place(v, iso_source_txn(v, o));
        } else if (iso_is_write(h->op_kind[o]) && iso_asks(v, ISO_SEES_CONFLICT)) {
            p = last[h->op_key[o]];
        }
        point = p > point ? p : point;
    }
    return point;
}

static void check_points(const iso_verifier *v) {
    const isolab_history *h = v->h;
    uint32_t *after = ISO_NEW(v->pool, uint32_t, h->n_ops);
    uint32_t *first = ISO_NEW(v->pool, uint32_t, h->n_keys);
    next_writers(v, after, first);
    uint32_t *last = ISO_ZNEW(v->pool, uint32_t, h->n_keys);
    uint32_t *session_before = ISO_NEW(v->pool, uint32_t, h->n_sessions);
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        session_before[s] = ISO_INIT;
    }
    for (uint32_t i = 0; i < v->claim->n_order; i++) {
        iso_tick(v->pool->env);
        uint32_t t = v->claim->order[i];
        uint32_t point = snapshot(v, t, session_before[h->txn_session[t]], last);
        for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
            if (outside(v, o)) {
                uint32_t next = v->source[o] == ISO_INIT ? first[h->op_key[o]] : after[v->source[o]];
                if (next <= point) {
                    iso_refuse(v, "read %u misses a write of transaction %u, which its transaction sees", o,
                               v->claim->order[next - 1]);
                }
            }
        }
        for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
            if (iso_is_write(h->op_kind[o])) {
                last[h->op_key[o]] = i + 1;
            }
        }
        session_before[h->txn_session[t]] = t;
    }
}

void iso_verify_order(const iso_verifier *v) {
    contains(v);
    if (iso_asks(v, ISO_SEES_PREFIX)) {
        check_points(v);
    } else if (iso_asks(v, ISO_SEES_CAUSE)) {
        iso_verify_causal(v);
    } else if (iso_asks(v, ISO_SEES_OTHER_KEY) || iso_asks(v, ISO_SEES_SESSION)) {
        check_pairs(v);
    }
}
