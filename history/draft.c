/* See draft.h.
 *
 * A builder hashes names, joins values in several ways, and uses threads; for ten operations its steps take longer than
 * their work. So a draft of unique register values is turned into a history directly, in one block of memory. */
#include "history/draft.h"

#include <string.h>

#include "history/builder.h"
#include "history/resolve.h"

/* The unused rest of a block that holds an object and its columns. */
typedef struct space {
    char *at;
} space;

/* Returns the bytes of a column, a multiple of 8. size: of an element, in bytes. */
static size_t wide(size_t count, size_t size) { return (count * size + 7) / 8 * 8; }

/* Takes a column from the space. */
static void *part(space *s, size_t count, size_t size) {
    void *begin = s->at;
    s->at += wide(count, size);
    return begin;
}

#define PART(s, type, count) ((type *)part((s), (count), sizeof(type)))

iso_draft *iso_draft_new(iso_pool *pool, uint32_t txns, uint32_t ops, bool times) {
    size_t bytes = wide(1, sizeof(iso_draft)) + wide(txns, 4) + wide(txns, 1) + 2 * wide(times ? txns : 0, 8) +
                   3 * wide(ops, 4) + wide(ops, 1);
    space s = {iso_alloc(pool, bytes, 1)};
    iso_draft *d = PART(&s, iso_draft, 1);
    *d = (iso_draft){.pool = pool, .room = ops};
    d->start = times ? PART(&s, int64_t, txns) : NULL;
    d->end = times ? PART(&s, int64_t, txns) : NULL;
    d->session = PART(&s, uint32_t, txns);
    d->txn = PART(&s, uint32_t, ops);
    d->key = PART(&s, uint32_t, ops);
    d->value = PART(&s, uint32_t, ops);
    d->status = PART(&s, uint8_t, txns);
    d->kind = PART(&s, uint8_t, ops);
    return d;
}

iso_draft *iso_draft_of(iso_pool *pool, const isolab_history *h, uint32_t more_ops) {
    iso_draft *d = iso_draft_new(pool, h->n_txns, h->n_ops + more_ops, h->txn_start != NULL);
    d->n_sessions = h->n_sessions;
    d->n_txns = h->n_txns;
    d->n_ops = h->n_ops;
    d->n_keys = h->n_keys;
    d->unique = h->unique;
    memcpy(d->session, h->txn_session, h->n_txns * sizeof *d->session);
    memcpy(d->status, h->txn_status, h->n_txns);
    memcpy(d->txn, h->op_txn, h->n_ops * sizeof *d->txn);
    memcpy(d->key, h->op_key, h->n_ops * sizeof *d->key);
    memcpy(d->kind, h->op_kind, h->n_ops);
    for (uint32_t t = 0; h->txn_start != NULL && t < h->n_txns; t++) {
        d->start[t] = h->txn_start[t];
        d->end[t] = h->txn_end[t];
    }
    for (uint32_t o = 0; o < h->n_ops; o++) {
        uint32_t v = h->op_version[o];
        d->value[o] = h->op_kind[o] == ISO_LIST_READ ? v : iso_version_is_initial(h, v) ? 0 : v + 1;
    }
    d->n_lists = h->n_lists;
    if (h->n_lists > 0) {
        uint32_t n = h->list_first[h->n_lists];
        d->list_first = memcpy(ISO_NEW(pool, uint32_t, (size_t)h->n_lists + 1), h->list_first,
                               ((size_t)h->n_lists + 1) * sizeof *d->list_first);
        d->element = ISO_NEW(pool, uint32_t, n);
        for (uint32_t e = 0; e < n; e++) {
            d->element[e] = h->list_version[e] + 1;
        }
    }
    return d;
}

iso_draft *iso_draft_copy(iso_pool *pool, const iso_draft *d) {
    iso_draft *to = iso_draft_new(pool, d->n_txns, d->room, d->start != NULL);
    iso_draft columns = *to;
    *to = *d; /* lists do not change */
    to->pool = pool;
    to->session = memcpy(columns.session, d->session, d->n_txns * sizeof *d->session);
    to->status = memcpy(columns.status, d->status, d->n_txns);
    to->txn = memcpy(columns.txn, d->txn, d->n_ops * sizeof *d->txn);
    to->key = memcpy(columns.key, d->key, d->n_ops * sizeof *d->key);
    to->value = memcpy(columns.value, d->value, d->n_ops * sizeof *d->value);
    to->kind = memcpy(columns.kind, d->kind, d->n_ops);
    if (d->start != NULL) {
        to->start = memcpy(columns.start, d->start, d->n_txns * sizeof *d->start);
        to->end = memcpy(columns.end, d->end, d->n_txns * sizeof *d->end);
    }
    return to;
}

/* Moves the operations from number `from` on, so that the first of them gets the number `to`. */
static void move_ops(iso_draft *d, uint32_t from, uint32_t to) {
    size_t rest = d->n_ops - from;
    memmove(d->txn + to, d->txn + from, rest * sizeof *d->txn);
    memmove(d->key + to, d->key + from, rest * sizeof *d->key);
    memmove(d->value + to, d->value + from, rest * sizeof *d->value);
    memmove(d->kind + to, d->kind + from, rest);
    d->n_ops = d->n_ops + to - from;
}

void iso_draft_repeat(iso_draft *d, uint32_t op, uint32_t at) {
    move_ops(d, at, at + 1);
    d->txn[at] = d->txn[op];
    d->key[at] = d->key[op];
    d->value[at] = d->value[op];
    d->kind[at] = d->kind[op];
}

void iso_draft_remove(iso_draft *d, uint32_t op) { move_ops(d, op + 1, op); }

/* --- by a builder --- */

static isolab_history *built(iso_pool *pool, const iso_draft *d) {
    iso_builder *b = iso_builder_new(pool);
    uint32_t o = 0, *session = ISO_NEW_NONE(pool, d->n_sessions);
    for (uint32_t t = 0; t < d->n_txns; t++) {
        uint32_t *its = &session[d->session[t]];
        iso_tick(pool->env);
        *its = *its == ISO_NONE ? iso_builder_session(b, iso_atom_nil()) : *its;
        uint32_t txn = iso_builder_txn(b, *its, iso_atom_nil(), (iso_status)d->status[t]);
        if (d->start != NULL) {
            iso_builder_times(b, txn, d->start[t], d->end[t]);
        }
        for (; o < d->n_ops && d->txn[o] == t; o++) {
            uint32_t key = iso_builder_key(b, iso_atom_uint((uint64_t)d->key[o] + 1)), v = d->value[o];
            if (d->kind[o] != ISO_LIST_READ) {
                iso_builder_op(b, txn, (iso_op_kind)d->kind[o], key, v == 0 ? iso_atom_nil() : iso_atom_uint(v));
                continue;
            }
            uint32_t first = d->list_first[v], n = d->list_first[v + 1] - first;
            iso_atom *element = ISO_NEW(pool, iso_atom, n);
            for (uint32_t e = 0; e < n; e++) {
                element[e] = iso_atom_uint(d->element[first + e]);
            }
            iso_builder_list_read(b, txn, key, element, n);
            iso_free(pool, element);
        }
    }
    iso_free(pool, session);
    return iso_builder_finish(b);
}

/* --- directly --- */

enum { MOST_TXNS = 256, MOST_WORDS = 1024, PADDING = 16 };

/* The numbers of sessions, transactions, keys and versions in the history. */
typedef struct plan {
    uint32_t session[MOST_TXNS], txn[MOST_TXNS]; /* by number in the draft: the number in the history */
    uint32_t key[MOST_TXNS];                     /* the same; ISO_NONE: no operation has the key */
    uint32_t first[MOST_TXNS + 1];               /* by transaction of the draft: its first operation */
    uint32_t key_of[MOST_TXNS];                  /* by key of the history: its number in the draft */
    uint32_t n_sessions, n_keys, n_versions;     /* of the history */
    uint32_t words; /* words of bits for each key of the history: a bit is set if an operation has the value */
    uint64_t bits[MOST_WORDS]; /* by key and value / 64 */
    uint32_t rank[MOST_WORDS]; /* by word of bits: the number of bits that are set in the words before it */
} plan;

/* Numbers keys and marks values. Returns false if there are too many, or if the draft has lists. */
static bool plan_values(const iso_draft *d, plan *p) {
    uint32_t most = 0;
    memset(p->key, 0xff, d->n_keys * sizeof *p->key);
    for (uint32_t o = 0; o < d->n_ops; o++) {
        if (d->kind[o] > ISO_WRITE) {
            return false;
        }
        most = d->value[o] > most ? d->value[o] : most;
        if (p->key[d->key[o]] == ISO_NONE) {
            p->key_of[p->n_keys] = d->key[o];
            p->key[d->key[o]] = p->n_keys++;
        }
    }
    p->words = most / 64 + 1;
    if (p->words > MOST_WORDS / (p->n_keys + 1)) {
        return false;
    }
    memset(p->bits, 0, p->n_keys * p->words * sizeof *p->bits);
    for (uint32_t o = 0; o < d->n_ops; o++) {
        p->bits[p->key[d->key[o]] * p->words + d->value[o] / 64] |= (uint64_t)1 << d->value[o] % 64;
    }
    for (uint32_t w = 0; w < p->n_keys * p->words; w++) {
        p->rank[w] = p->n_versions;
        p->n_versions += p->bits[w] != 0 ? (uint32_t)__builtin_popcountll(p->bits[w]) : 0;
    }
    return true;
}

/* Numbers sessions in the order in which they occur, and transactions by session. */
static void plan_txns(const iso_draft *d, plan *p) {
    uint32_t next[MOST_TXNS] = {0};
    memset(p->session, 0xff, d->n_sessions * sizeof *p->session);
    for (uint32_t t = 0; t < d->n_txns; t++) {
        uint32_t *session = &p->session[d->session[t]];
        *session = *session == ISO_NONE ? p->n_sessions++ : *session;
        next[*session]++;
    }
    for (uint32_t s = 0, n = 0; s < p->n_sessions; s++) {
        uint32_t its = next[s];
        next[s] = n;
        n += its;
    }
    for (uint32_t t = 0; t < d->n_txns; t++) {
        p->txn[t] = next[p->session[d->session[t]]]++;
    }
    for (uint32_t t = 0, o = 0; t <= d->n_txns; t++) {
        for (; o < d->n_ops && d->txn[o] < t; o++) {
        }
        p->first[t] = o;
    }
}

static isolab_history *allocate(iso_pool *pool, const iso_draft *d, const plan *p) {
    size_t txns = d->n_txns, ops = d->n_ops, versions = p->n_versions, times = d->start != NULL ? txns : 0;
    size_t bytes = wide(1, sizeof(isolab_history)) + wide(p->n_sessions + 1, 4) +
                   wide(p->n_sessions + p->n_keys, sizeof(iso_atom)) + wide(txns + 1, 4) + wide(txns, 4) +
                   2 * wide(txns, 1) + 2 * wide(times, 8) + wide(ops, 1) + 4 * wide(ops, 4) + wide(p->n_keys, 1) +
                   wide(versions, 1) + wide(versions, 8) + wide(versions, 4) + wide(versions + PADDING, 4) +
                   2 * wide(1, 4);
    space s = {iso_alloc(pool, bytes, 1)};
    isolab_history *h = PART(&s, isolab_history, 1);
    *h = (isolab_history){.pool = pool};
    h->txn_start = times > 0 ? PART(&s, int64_t, times) : NULL;
    h->txn_end = times > 0 ? PART(&s, int64_t, times) : NULL;
    h->version_bits = PART(&s, uint64_t, versions);
    h->session_name = PART(&s, iso_atom, p->n_sessions);
    h->key_name = PART(&s, iso_atom, p->n_keys);
    h->session_txn = PART(&s, uint32_t, p->n_sessions + 1);
    h->txn_op = PART(&s, uint32_t, txns + 1);
    h->txn_session = PART(&s, uint32_t, txns);
    h->op_key = PART(&s, uint32_t, ops);
    h->op_version = PART(&s, uint32_t, ops);
    h->op_txn = PART(&s, uint32_t, ops);
    h->op_writer = PART(&s, uint32_t, ops);
    h->version_key = PART(&s, uint32_t, versions);
    h->version_writer = PART(&s, uint32_t, versions + PADDING);
    h->list_first = PART(&s, uint32_t, 1);
    h->list_version = PART(&s, uint32_t, 1);
    h->txn_status = PART(&s, uint8_t, txns);
    h->txn_counts = PART(&s, uint8_t, txns);
    h->op_kind = PART(&s, uint8_t, ops);
    h->key_is_list = PART(&s, uint8_t, p->n_keys);
    h->version_kind = PART(&s, uint8_t, versions);
    memset(h->session_txn, 0, (p->n_sessions + 1) * sizeof *h->session_txn);
    memset(h->key_is_list, 0, p->n_keys);
    h->txn_op[0] = h->list_first[0] = 0;
    return h;
}

static void place_txns(isolab_history *h, const iso_draft *d, const plan *p) {
    uint32_t count[3] = {0, 0, 0};
    h->n_sessions = p->n_sessions;
    h->n_txns = d->n_txns;
    h->first_txn = h->twin_a = h->twin_b = ISO_NONE;
    for (uint32_t t = 0; t < d->n_txns; t++) {
        uint32_t to = p->txn[t];
        count[d->status[t]]++;
        h->txn_session[to] = p->session[d->session[t]];
        h->session_txn[h->txn_session[to] + 1]++;
        h->txn_status[to] = d->status[t];
        h->txn_op[to + 1] = p->first[t + 1] - p->first[t];
        if (d->start != NULL) {
            h->txn_start[to] = d->start[t];
            h->txn_end[to] = d->end[t];
            h->has_times |= d->start[t] != ISO_NO_TIME || d->end[t] != ISO_NO_TIME;
        }
    }
    h->n_committed = count[ISO_COMMITTED];
    h->n_aborted = count[ISO_ABORTED];
    h->n_indeterminate = count[ISO_INDETERMINATE];
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        h->session_txn[s + 1] += h->session_txn[s];
        h->session_name[s] = iso_atom_nil();
    }
    for (uint32_t t = 0; t < h->n_txns; t++) {
        h->txn_op[t + 1] += h->txn_op[t];
    }
    if (h->has_times) {
        iso_open_ends(h);
    } else {
        h->txn_start = h->txn_end = NULL;
    }
}

static void place_ops(isolab_history *h, const iso_draft *d, const plan *p) {
    h->n_ops = d->n_ops;
    for (uint32_t t = 0; t < d->n_txns; t++) {
        uint32_t to = h->txn_op[p->txn[t]];
        for (uint32_t o = p->first[t]; o < p->first[t + 1]; o++, to++) {
            uint32_t key = p->key[d->key[o]], word = key * p->words + d->value[o] / 64;
            uint64_t before = p->bits[word] & (((uint64_t)1 << d->value[o] % 64) - 1);
            h->op_txn[to] = p->txn[t];
            h->op_key[to] = key;
            h->op_kind[to] = d->kind[o];
            h->op_version[to] = p->rank[word] + (uint32_t)__builtin_popcountll(before);
        }
    }
}

static void place_versions(isolab_history *h, const plan *p) {
    h->n_keys = p->n_keys;
    h->n_versions = p->n_versions;
    for (uint32_t key = 0, v = 0; key < p->n_keys; key++) {
        h->key_name[key] = iso_atom_uint((uint64_t)p->key_of[key] + 1);
        for (uint32_t w = 0; w < p->words; w++) {
            for (uint64_t bits = p->bits[key * p->words + w]; bits != 0; bits &= bits - 1, v++) {
                uint64_t value = 64 * (uint64_t)w + (unsigned)__builtin_ctzll(bits);
                h->version_key[v] = key;
                h->version_kind[v] = value == 0 ? ISO_ATOM_NIL : ISO_ATOM_INT;
                h->version_bits[v] = value;
                h->version_writer[v] = value == 0 ? ISO_INIT : ISO_NONE;
            }
        }
    }
}

/* Finds the writer that each read reads from. Returns false if a value has two writers, or if the initial value is
 * written. */
static bool find_writers(isolab_history *h) {
    for (uint32_t o = 0; o < h->n_ops; o++) {
        uint32_t *writer = &h->version_writer[h->op_version[o]];
        if (h->op_kind[o] == ISO_WRITE && *writer != ISO_NONE) {
            return false;
        }
        *writer = h->op_kind[o] == ISO_WRITE ? o : *writer;
    }
    for (uint32_t o = 0; o < h->n_ops; o++) {
        h->op_writer[o] = h->op_kind[o] == ISO_WRITE ? ISO_NONE : h->version_writer[h->op_version[o]];
    }
    h->unique = true;
    iso_resolve_counts(h);
    return true;
}

isolab_history *iso_draft_history(iso_pool *pool, const iso_draft *d) {
    plan p;
    p.n_sessions = p.n_keys = p.n_versions = 0;
    bool small = d->n_txns <= MOST_TXNS && d->n_sessions <= MOST_TXNS && d->n_keys <= MOST_TXNS;
    if (!small || !plan_values(d, &p)) {
        return built(pool, d);
    }
    plan_txns(d, &p);
    isolab_history *h = allocate(pool, d, &p);
    place_txns(h, d, &p);
    place_ops(h, d, &p);
    place_versions(h, &p);
    if (!find_writers(h)) {
        iso_free(pool, h);
        return built(pool, d);
    }
    return h;
}
