/* The commit relations: for t1 -wr_x-> t3 and a t2 that writes x, t2 is before t1 if t3 sees t2. Of each session only
 * its last writer of x that t3 sees matters, since the earlier ones precede it. So a relation has fewer edges than the
 * axiom has instances, and the same closure.
 *
 * - mono, atomic: transaction by transaction. For each t2 that t3 reads from, the smaller of two sets is walked: the
 *   keys that t2 writes, or the keys that t3 reads. O(n sqrt n).
 * - causal: key by key. The versions of a key are taken along the sessions of their writers, whose clocks only grow. So
 *   in each session the cursor at the first writer that does not reach t1 only advances, and no edge is needed if the
 *   clock of the reader is below it. O(n k) for k sessions; there is never a table of all keys and sessions. */

#include "checkers/plume/plume.h"

/* ---- mono and atomic ---- */

void iso_plume_meet(iso_plume *p, uint32_t t3) {
    if (p->met == NULL) {
        p->met = ISO_ZNEW(p->pool, uint32_t, p->h->n_txns);
        p->met_first = ISO_NEW(p->pool, uint32_t, p->h->n_txns);
        p->met_other = ISO_NEW(p->pool, uint32_t, p->h->n_txns);
    }
    for (uint32_t r = p->read_first[t3]; r < p->read_first[t3 + 1]; r++) {
        uint32_t from = p->read_from[r];
        if (from == ISO_INIT) {
            continue;
        }
        if (p->met[from] != t3 + 1) {
            p->met[from] = t3 + 1;
            p->met_first[from] = r;
            p->met_other[from] = ISO_NONE;
        } else if (p->met_other[from] == ISO_NONE && p->read_key[r] != p->read_key[p->met_first[from]]) {
            p->met_other[from] = r;
        }
    }
}

/* The facts of the current transaction, by key. */
typedef struct by_key {
    uint32_t *stamp, *head; /* by key: 1 + the last reader; that reader's last fact */
    uint32_t *next;         /* by fact, from the reader's first read on: the previous fact of its key */
    uint32_t *last;         /* by key: its last writer so far; it is in this session if its number is not below the
                             * session's first */
    iso_plume_many many;    /* of the reader, if it has many reads */
    uint32_t *group;        /* by fact, as next, for the last fact of its key: the group of that key; ISO_NONE: none */
} by_key;

static void infer_from_writer(iso_plume *p, iso_plume_cm *cm, by_key *b, uint32_t t2, uint32_t t3, uint32_t x) {
    uint32_t first = p->read_first[t3], last = b->head[x];
    uint32_t seen = p->any_key ? p->met_first[t2] : iso_plume_met_besides(p, t2, x);
    uint32_t from =
        cm->grade == ISO_PLUME_ATOMIC ? first : seen; /* no fact of `seen` itself is one of another source */
    if (from == ISO_NONE) {
        return;
    }
    if (b->many.n_groups > 0 && b->group[last - first] != ISO_NONE) {
        iso_plume_many_infer(p, cm, &b->many, b->group[last - first], t2, from);
        return;
    }
    for (uint32_t r = last; r != ISO_NONE && r >= from; r = b->next[r - first]) {
        if (p->read_from[r] != t2) {
            iso_plume_add_edge(p, cm, t2, p->read_from[r], r);
        }
    }
}

/* Makes groups of the keys of which the reader has many facts. */
static void find_groups(iso_plume *p, by_key *b, uint32_t t3) {
    uint32_t first = p->read_first[t3], end = p->read_first[t3 + 1];
    b->many.n_groups = b->many.n_facts = 0;
    for (uint32_t r = first; r < end && end - first > ISO_PLUME_MANY; r++) {
        b->group[r - first] = ISO_NONE;
        if (iso_plume_bit(p->fact, r) && b->head[p->read_key[r]] == r) {
            b->group[r - first] = iso_plume_many_add(p, &b->many, r, b->next, first);
        }
    }
}

/* Searching the other set costs a binary search for each key, as much as this many steps. */
#define SEARCH 16
#define AHEAD 6 /* number of reads whose writers are prefetched */

static void infer_from_reads(iso_plume *p, iso_plume_cm *cm, by_key *b, uint32_t t3) {
    uint32_t first = p->read_first[t3], end = p->read_first[t3 + 1];
    for (uint32_t r = first; r < end; r++) {
        uint32_t x = p->read_key[r];
        if (iso_plume_bit(p->fact, r)) {
            b->next[r - first] = b->stamp[x] == t3 + 1 ? b->head[x] : ISO_NONE;
            b->stamp[x] = t3 + 1;
            b->head[x] = r;
        }
    }
    find_groups(p, b, t3);
    iso_plume_meet(p, t3);
    for (uint32_t i = first; i < end; i++) {
        uint32_t t2 = p->read_from[i];
        if (t2 == ISO_INIT || p->met_first[t2] != i) {
            continue;
        }
        iso_tick(p->pool->env);
        if (i + AHEAD < end && p->read_from[i + AHEAD] != ISO_INIT) {
            __builtin_prefetch(p->write_key + p->write_first[p->read_from[i + AHEAD]]);
        }
        if ((p->write_first[t2 + 1] - p->write_first[t2]) / SEARCH <= end - first) {
            for (uint32_t w = p->write_first[t2]; w < p->write_first[t2 + 1]; w++) {
                if (b->stamp[p->write_key[w]] == t3 + 1) {
                    infer_from_writer(p, cm, b, t2, t3, p->write_key[w]);
                }
            }
            continue;
        }
        for (uint32_t r = first; r < end; r++) {
            if (iso_plume_bit(p->fact, r) && b->head[p->read_key[r]] == r && iso_plume_writes(p, t2, p->read_key[r])) {
                infer_from_writer(p, cm, b, t2, t3, p->read_key[r]);
            }
        }
    }
}

static void infer_from_session(iso_plume *p, iso_plume_cm *cm, const by_key *b, uint32_t t3, uint32_t start) {
    for (uint32_t r = p->read_first[t3]; r < p->read_first[t3 + 1]; r++) {
        uint32_t t2 = b->last[p->read_key[r]];
        if (iso_plume_bit(p->fact, r) && t2 != ISO_NONE && t2 >= start && t2 != p->read_from[r]) {
            iso_plume_add_edge(p, cm, t2, p->read_from[r], r);
        }
    }
}

static void infer_locally(iso_plume *p, iso_plume_cm *cm) {
    const isolab_history *h = p->h;
    uint32_t longest = 0;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        uint32_t n = p->read_first[t + 1] - p->read_first[t];
        longest = n > longest ? n : longest;
    }
    by_key b = {.stamp = ISO_ZNEW(p->pool, uint32_t, h->n_keys),
                .head = ISO_NEW(p->pool, uint32_t, h->n_keys),
                .next = ISO_NEW(p->pool, uint32_t, longest),
                .last = ISO_NEW_NONE(p->pool, h->n_keys),
                .many = {.fact = ISO_NEW(p->pool, uint32_t, longest), .place = ISO_NEW(p->pool, uint32_t, longest)},
                .group = ISO_NEW(p->pool, uint32_t, longest)};
    for (uint32_t t3 = 0; t3 < h->n_txns; t3++) {
        iso_tick(p->pool->env);
        if (cm->grade == ISO_PLUME_ATOMIC) {
            infer_from_session(p, cm, &b, t3, h->session_txn[h->txn_session[t3]]);
        }
        infer_from_reads(p, cm, &b, t3);
        for (uint32_t i = p->write_first[t3]; i < p->write_first[t3 + 1]; i++) {
            b.last[p->write_key[i]] = t3;
        }
    }
    void *arrays[] = {b.stamp, b.head, b.next, b.last, b.many.fact, b.many.place, b.many.group, b.group};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        iso_free(p->pool, arrays[i]);
    }
}

/* ---- causal ---- */

/* The facts of each key, by the transaction read from, the initial one last: two counting sorts. */
typedef struct fact_index {
    uint32_t *first, *read; /* n_keys + 1 entries */
} fact_index;

static fact_index index_facts(iso_plume *p) {
    const isolab_history *h = p->h;
    uint32_t n_reads = p->read_first[h->n_txns], n = 0;
    uint32_t *by_source = ISO_ZNEW(p->pool, uint32_t, (size_t)h->n_txns + 3);
    fact_index x = {.first = ISO_ZNEW(p->pool, uint32_t, (size_t)h->n_keys + 2)};
    for (uint32_t r = 0; r < n_reads; r++) {
        if (iso_plume_bit(p->fact, r)) {
            by_source[iso_plume_node(p, p->read_from[r]) + 2]++;
            x.first[p->read_key[r] + 2]++;
            n++;
        }
    }
    for (uint32_t s = 0; s < h->n_txns + 1; s++) {
        by_source[s + 2] += by_source[s + 1];
    }
    for (uint32_t k = 0; k < h->n_keys; k++) {
        x.first[k + 2] += x.first[k + 1];
    }
    uint32_t *sorted = ISO_NEW(p->pool, uint32_t, n);
    for (uint32_t r = 0; r < n_reads; r++) {
        if (iso_plume_bit(p->fact, r)) {
            sorted[by_source[iso_plume_node(p, p->read_from[r]) + 1]++] = r;
        }
    }
    x.read = ISO_NEW(p->pool, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        x.read[x.first[p->read_key[sorted[i]] + 1]++] = sorted[i];
    }
    iso_free(p->pool, sorted);
    iso_free(p->pool, by_source);
    return x;
}

/* The groups of one key whose sessions are in the current table, with a cursor for each. */
typedef struct cursor {
    const uint32_t *clock; /* columns of the sessions [low, low + width) */
    uint32_t low, width, n;
    uint32_t *group, *column;
    uint32_t *at;    /* the first writer of the group that does not reach t1 */
    uint32_t *until; /* 1 + that writer; UINT32_MAX: none */
    uint32_t *sent;  /* 1 + the last writer of the group from which an edge was inferred to t1 or to an earlier
                      * transaction of its session: earlier writers need no edge */
    uint32_t *hit;
} cursor;

static void move(const iso_plume *p, cursor *c, uint32_t i, uint32_t at) {
    c->at[i] = at;
    c->until[i] = at == p->group[c->group[i] + 1] ? UINT32_MAX : p->writer[at] + 1;
}

/* Finds the groups that have a writer, at or after the cursor, in a clock. */
static uint32_t compare(const cursor *c, const uint32_t *row) {
    const uint32_t *until = c->until, *column = c->column;
    uint32_t *restrict hit = c->hit, n = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        hit[n] = i;
        n += until[i] <= row[column[i]];
    }
    return n;
}

/* Returns the first writer of the group, from `at` on, that is not below a number: doubling, then binary search. */
static uint32_t skip_to(const iso_plume *p, uint32_t at, uint32_t end, uint32_t txn) {
    uint32_t step = 1;
    while (step < end - at && p->writer[at + step] < txn) {
        at += step;
        step *= 2;
    }
    uint32_t high = step < end - at ? at + step : end;
    return at + iso_plume_below(p, at, high, txn);
}

static void infer_reader(iso_plume *p, iso_plume_cm *cm, cursor *c, uint32_t r) {
    uint32_t t3 = p->h->op_txn[p->read_op[r]], t1 = p->read_from[r];
    const uint32_t *row = c->clock + (size_t)t3 * c->width;
    uint32_t n = compare(c, row);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t g = c->hit[i], end = p->group[c->group[g] + 1];
        uint32_t after = skip_to(p, c->at[g], end, row[c->column[g]]);
        if (after > c->at[g] && p->writer[after - 1] == t3) { /* t3 itself is not a t2 */
            after--;
        }
        if (after > c->at[g] && c->sent[g] < after) {
            c->sent[g] = after;
            iso_plume_add_edge(p, cm, p->writer[after - 1], t1, r);
        }
    }
}

static void rewind_cursor(const iso_plume *p, cursor *c) {
    for (uint32_t i = 0; i < c->n; i++) {
        move(p, c, i, p->group[c->group[i]]);
        c->sent[i] = 0;
    }
}

static void infer_key(iso_plume *p, iso_plume_cm *cm, cursor *c, const fact_index *x, uint32_t key) {
    const isolab_history *h = p->h;
    uint32_t session = ISO_NONE;
    for (uint32_t i = x->first[key], end = x->first[key + 1]; i < end;) {
        uint32_t t1 = p->read_from[x->read[i]];
        if (t1 == ISO_INIT || h->txn_session[t1] != session) {
            session = t1 == ISO_INIT ? ISO_NONE : h->txn_session[t1];
            rewind_cursor(p, c);
        }
        if (t1 != ISO_INIT) {
            const uint32_t *row = c->clock + (size_t)t1 * c->width;
            uint32_t n = compare(c, row);
            for (uint32_t j = 0; j < n; j++) {
                uint32_t g = c->hit[j];
                move(p, c, g, skip_to(p, c->at[g], p->group[c->group[g] + 1], row[c->column[g]]));
            }
        }
        for (; i < end && p->read_from[x->read[i]] == t1; i++) {
            if (i + 4 < end) {
                __builtin_prefetch(c->clock + (size_t)h->op_txn[p->read_op[x->read[i + 4]]] * c->width);
            }
            infer_reader(p, cm, c, x->read[i]);
        }
    }
}

static void infer_from_table(iso_plume *p, iso_plume_cm *cm, const fact_index *x, const uint32_t *clock, uint32_t low,
                             uint32_t high) {
    cursor c = {.clock = clock, .low = low, .width = high - low};
    uint32_t **arrays[] = {&c.group, &c.column, &c.at, &c.until, &c.sent, &c.hit};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = ISO_NEW(p->pool, uint32_t, (size_t)p->most_groups + 1);
    }
    for (uint32_t key = 0; key < p->h->n_keys; key++) {
        iso_tick(p->pool->env);
        c.n = 0;
        for (uint32_t g = p->group_first[key]; g < p->group_first[key + 1]; g++) {
            c.group[c.n] = g;
            c.column[c.n] = p->group_session[g] - low;
            c.n += p->group_session[g] - low < c.width;
        }
        if (c.n > 0) {
            infer_key(p, cm, &c, x, key);
        }
    }
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        iso_free(p->pool, *arrays[i]);
    }
}

/* Without clocks: a search from each reader. */
static void infer_by_search(iso_plume *p, iso_plume_cm *cm) {
    const isolab_history *h = p->h;
    uint32_t *row = ISO_NEW(p->pool, uint32_t, h->n_sessions);
    for (uint32_t t3 = 0; t3 < h->n_txns; t3++) {
        if (p->read_first[t3] < p->read_first[t3 + 1]) {
            iso_plume_search(p, t3, row);
        }
        for (uint32_t r = p->read_first[t3]; r < p->read_first[t3 + 1]; r++) {
            uint32_t x = p->read_key[r];
            for (uint32_t g = p->group_first[x]; iso_plume_bit(p->fact, r) && g < p->group_first[x + 1]; g++) {
                uint32_t first = p->group[g], n = iso_plume_below(p, first, p->group[g + 1], row[p->group_session[g]]);
                n -= n > 0 && p->writer[first + n - 1] == t3;
                if (n > 0 && p->writer[first + n - 1] != p->read_from[r]) {
                    iso_plume_add_edge(p, cm, p->writer[first + n - 1], p->read_from[r], r);
                }
            }
        }
    }
    iso_free(p->pool, row);
}

static void infer_causally(iso_plume *p, iso_plume_cm *cm) {
    if (p->mode == ISO_PLUME_SEARCH) {
        infer_by_search(p, cm);
        return;
    }
    const isolab_history *h = p->h;
    bool whole = iso_plume_clocks(p);
    fact_index x = index_facts(p);
    if (whole) {
        infer_from_table(p, cm, &x, p->clock, 0, h->n_sessions);
    } else {
        uint32_t most = iso_plume_columns(p);
        uint32_t *clock = ISO_NEW(p->pool, uint32_t, (size_t)h->n_txns * most);
        for (uint32_t low = 0; low < h->n_sessions; low += most) {
            uint32_t high = h->n_sessions - low < most ? h->n_sessions : low + most;
            iso_plume_vectors(p, clock, low, high);
            infer_from_table(p, cm, &x, clock, low, high);
        }
        iso_free(p->pool, clock);
    }
    iso_free(p->pool, x.first);
    iso_free(p->pool, x.read);
}

/* ---- lists ---- */

/* Adds the order of the blocks of the longest read, and puts every other writer after them (docs/lists.md). */
static void infer_from_lists(iso_plume *p, iso_plume_cm *cm) {
    const iso_lists *l = p->lists;
    for (uint32_t k = 0; l != NULL && k < p->h->n_keys; k++) {
        uint32_t first = l->block_first[k], end = l->block_first[k + 1];
        for (uint32_t i = first; i + 1 < end; i++) {
            iso_plume_add_edge(p, cm, l->block_txn[i], l->block_txn[i + 1], k);
        }
        for (uint32_t i = l->rest_first[k]; first < end && i < l->rest_first[k + 1]; i++) {
            iso_plume_add_edge(p, cm, l->block_txn[end - 1], l->rest_txn[i], k);
        }
    }
}

void iso_plume_commit(iso_plume *p, iso_plume_grade grade) {
    iso_plume_cm *cm = &p->cm[grade];
    *cm = (iso_plume_cm){.grade = grade};
    if (grade == ISO_PLUME_CAUSAL) {
        infer_causally(p, cm);
    } else if (grade != ISO_PLUME_NO_AXIOM) {
        infer_locally(p, cm);
    }
    cm->n_axioms = cm->n;
    infer_from_lists(p, cm);
    iso_plume_close(p, cm);
}
