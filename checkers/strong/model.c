/* See model.h. Linear time. */
#include "checkers/strong/model.h"
#include "base/assert.h"
#include "checkers/strong/execution.h"

#include "base/bisect.h"
#include "base/numbered.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

/* Returns the first operation of a transaction; an instant has none. */
static uint32_t first_op(const strong_model *m, uint32_t t) { return t < m->n_txns ? m->h->txn_op[m->txn[t]] : 0; }

static uint32_t end_op(const strong_model *m, uint32_t t) { return t < m->n_txns ? m->h->txn_op[m->txn[t] + 1] : 0; }

static uint32_t most_txns(const strong_model *m) { return STRONG_CHAIN / m->per_txn; }

static void number_txns(strong_model *m, bool no_session_order) {
    const isolab_history *h = m->h;
    size_t most = m->timed ? 2 * (size_t)h->n_txns : h->n_txns; /* instants included */
    m->txn = ISO_NEW(m->pool, uint32_t, most);
    m->dense = ISO_NEW(m->pool, uint32_t, h->n_txns);
    m->chain = ISO_NEW(m->pool, uint32_t, most);
    size_t chains = (size_t)h->n_txns + (no_session_order ? 0 : h->n_sessions) + most / most_txns(m) + 3;
    m->first = ISO_NEW(m->pool, uint32_t, chains);
    m->goes_on = ISO_ZNEW(m->pool, uint8_t, chains);
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        uint32_t before = m->n;
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
            m->dense[t] = ISO_NONE;
            if (h->txn_counts[t] != ISO_INCLUDED) {
                continue;
            }
            if (m->n == before || no_session_order || m->n - m->first[m->k - 1] == most_txns(m)) {
                m->goes_on[m->k] = m->n != before && !no_session_order;
                m->first[m->k++] = m->n;
            }
            m->chain[m->n] = m->k - 1;
            m->dense[t] = m->n;
            m->txn[m->n++] = t;
        }
    }
    m->n_included = m->n;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        if (h->txn_counts[t] == ISO_OPTIONAL) {
            m->first[m->k++] = m->n;
            m->chain[m->n] = m->k - 1;
            m->dense[t] = m->n;
            m->txn[m->n++] = t;
        }
    }
    m->first[m->k] = m->n_txns = m->n;
    m->excluded = m->n_txns > m->n_included ? ISO_ZNEW(m->pool, uint8_t, m->n_txns) : NULL;
}

/* Adds a chain of the ends of transactions, in order, and records after which of them each transaction starts. */
static void add_instants(strong_model *m) {
    const isolab_history *h = m->h;
    if (!m->timed || h->txn_end == NULL) {
        return;
    }
    int64_t *ends = ISO_NEW(m->pool, int64_t, m->n_txns); /* ISO_NO_TIME is before all others */
    uint32_t missing = 0;
    for (uint32_t t = 0; t < m->n_txns; t++) {
        ends[t] = h->txn_end[m->txn[t]];
        missing += ends[t] == ISO_NO_TIME;
    }
    uint32_t *sorted = iso_sorted_by(m->pool, ends, m->n_txns), *by_end = sorted + missing, n = m->n_txns - missing;
    int64_t *at = ISO_NEW(m->pool, int64_t, n); /* by instant */
    for (uint32_t i = 0; i < n; i++) {
        at[i] = ends[by_end[i]];
    }
    iso_free(m->pool, ends);
    m->end = ISO_NEW_NONE(m->pool, m->n_txns);
    for (uint32_t i = 0; i < n; i++) {
        if (i % most_txns(m) == 0) {
            m->goes_on[m->k] = i > 0;
            m->first[m->k++] = m->n;
        }
        m->end[by_end[i]] = m->n;
        m->txn[m->n] = ISO_NONE;
        m->chain[m->n++] = m->k - 1;
    }
    m->first[m->k] = m->n;
    uint32_t *last = ISO_NEW(m->pool, uint32_t, m->n_txns); /* by transaction: the last instant before its start */
    for (uint32_t t = 0; t < m->n_txns; t++) {
        uint32_t before = ISO_BISECT(i, 0, n, at[i] < h->txn_start[m->txn[t]]); /* ISO_NO_TIME is before all */
        last[t] = before == 0 ? ISO_NONE : before - 1;
    }
    m->after = iso_sorted_into(m->pool, last, m->n_txns, n, &m->after_first);
    iso_free(m->pool, last);
    iso_free(m->pool, at);
    iso_free(m->pool, sorted);
}

/* Writes the slots of transaction t, from number `slots` on. Returns the next number. The processor cannot predict
 * whether an operation is a write, so there is no branch on it: all operations are stored, and the number advances only
 * after writes. */
__attribute__((noinline)) static uint32_t slots_of(const strong_model *m, iso_numbered *keys, uint32_t t,
                                                   uint32_t slots) {
    const uint32_t *op_key = m->h->op_key;
    const uint8_t *op_kind = m->h->op_kind;
    uint32_t *op_slot = m->op_slot, *write_key = m->write_key, *write_txn = m->write_txn, *slot_op = m->slot_op;
    for (uint32_t o = first_op(m, t), end = end_op(m, t); o < end; o++) {
        uint32_t key = op_key[o], write = iso_is_write(op_kind[o]), slot;
        uint32_t again = iso_recent_meet(&keys->recent, key, t + 1, write) & write;
        if (again && (slot = iso_numbered_before(keys, key, slots)) != ISO_NONE) {
            op_slot[o] = slot;
            slot_op[slot] = o;
            continue;
        }
        op_slot[o] = slots; /* for reads: not used */
        write_key[slots] = key;
        write_txn[slots] = t;
        slot_op[slots] = o;
        slots += write;
        if (keys->is_large && write) {
            keys->last[key] = slots;
        }
    }
    return slots;
}

/* Collects slots: the distinct keys that each transaction writes. */
static void collect_writes(strong_model *m) {
    const isolab_history *h = m->h;
    m->op_slot = ISO_NEW(m->pool, uint32_t, (size_t)h->n_ops + 1);
    m->op_slot[h->n_ops] = ISO_INIT; /* see take_reads() */
    m->write_first = ISO_NEW(m->pool, uint32_t, (size_t)m->n + 1);
    uint32_t slots = 0;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        m->n_writes += iso_is_write(h->op_kind[o]);
    }
    m->write_key = ISO_NEW(m->pool, uint32_t, (size_t)m->n_writes + 1);
    m->write_txn = ISO_NEW(m->pool, uint32_t, (size_t)m->n_writes + 1);
    m->slot_op = ISO_NEW(m->pool, uint32_t, (size_t)m->n_writes + 1);
    iso_numbered keys = {.key = m->write_key, .n_keys = h->n_keys, .pool = m->pool};
    for (uint32_t t = 0; t < m->n; t++) {
        m->write_first[t] = slots;
        iso_numbered_begin(&keys, slots, end_op(m, t) - first_op(m, t));
        slots = slots_of(m, &keys, t, slots);
    }
    m->write_first[m->n] = slots;
    iso_free(m->pool, keys.last);
}

static bool has_ambiguous_read(const strong_model *m, uint32_t t) {
    for (uint32_t o = first_op(m, t), end = end_op(m, t); o < end; o++) {
        if (m->writer[o] == ISO_MANY && m->h->op_kind[o] == ISO_READ) {
            return true;
        }
    }
    return false;
}

/* The rooms of the arrays of ambiguous reads, and the number of candidates so far. */
typedef struct ambiguous {
    uint32_t room, room2, slots, slots_room;
} ambiguous;

static void begin_ambiguous(strong_model *m, ambiguous *a, uint32_t op) {
    iso_assert(op < m->h->n_ops && !iso_is_write(m->h->op_kind[op]));
    m->writer[op] = ISO_MANY;
    ISO_GROW(m->pool, m->ambiguous_op, m->n_ambiguous, a->room);
    ISO_GROW(m->pool, m->candidate_first, m->n_ambiguous, a->room2);
    m->ambiguous_op[m->n_ambiguous] = op;
    m->candidate_first[m->n_ambiguous++] = a->slots;
}

static void add_candidate(strong_model *m, ambiguous *a, uint32_t slot) {
    iso_assert(m->n_ambiguous > 0 && (slot == ISO_INIT || slot < m->write_first[m->n]));
    ISO_GROW(m->pool, m->candidate, a->slots, a->slots_room);
    m->candidate[a->slots++] = slot;
}

/* Adds a list read of an optional transaction: it reads from the append of its last external element, if it has one. */
static void add_list_read(strong_model *m, ambiguous *a, uint32_t o) {
    iso_list_part part;
    begin_ambiguous(m, a, o);
    if (iso_list_part_of(m->h, o, &part)) {
        add_candidate(m, a, part.writer == ISO_INIT ? ISO_INIT : m->op_slot[part.writer]);
    }
}

/* Adds the possible writers of a read of transaction t. */
static void add_candidates(strong_model *m, ambiguous *a, uint32_t o, uint32_t t) {
    const isolab_history *h = m->h;
    uint32_t n;
    const uint32_t *writers = iso_writers(h, h->op_version[o], &n);
    for (uint32_t i = 0; i < n; i++) {
        iso_tick(m->pool->env);
        uint32_t slot = m->op_slot[writers[i]], txn = h->op_txn[writers[i]];
        if (m->dense[txn] != ISO_NONE && txn != m->txn[t] && m->slot_op[slot] == writers[i]) {
            add_candidate(m, a, slot);
        }
    }
    if (iso_version_is_initial(h, h->op_version[o])) {
        add_candidate(m, a, ISO_INIT);
    }
}

/* A read with only one possible writer, which is included, is not ambiguous. */
static void drop_certain(strong_model *m, ambiguous *a) {
    iso_assert(m->n_ambiguous > 0);
    uint32_t first = m->candidate_first[m->n_ambiguous - 1], slot = a->slots > first ? m->candidate[first] : ISO_NONE;
    if (a->slots == first + 1 && (slot == ISO_INIT || m->write_txn[slot] < m->n_included)) {
        a->slots--;
        m->writer[m->ambiguous_op[--m->n_ambiguous]] = strong_write_of(m, slot);
    }
}

/* Collects the candidates of each ambiguous read: writes of other transactions, included or optional, that are the last
 * write of their key in their transaction. */
static void collect_ambiguous(strong_model *m) {
    const isolab_history *h = m->h;
    uint32_t *last = ISO_NEW_NONE(m->pool, h->n_versions); /* by version: the last transaction that read it */
    uint32_t *wrote = ISO_NEW_NONE(m->pool, h->n_keys);    /* by key: the last transaction that wrote it */
    uint32_t *own = ISO_NEW(m->pool, uint32_t, h->n_keys); /* by key: that write */
    ambiguous a = {0};
    for (uint32_t t = 0; t < m->n; t++) {
        bool sure = t < m->n_included || t >= m->n_txns;
        m->ambiguous_first[t] = m->n_ambiguous;
        if (sure && !has_ambiguous_read(m, t)) {
            continue;
        }
        for (uint32_t o = first_op(m, t), end = end_op(m, t); o < end; o++) {
            uint32_t version = h->op_version[o], key = h->op_key[o];
            if (iso_is_write(h->op_kind[o])) {
                wrote[key] = t;
                own[key] = o;
            }
            if (h->op_kind[o] == ISO_LIST_READ && !sure) {
                add_list_read(m, &a, o);
            }
            if (h->op_kind[o] != ISO_READ || (sure && m->writer[o] != ISO_MANY)) {
                continue;
            }
            bool after_own = wrote[key] == t;
            if (after_own ? sure || iso_version_covers(h, version, h->op_version[own[key]]) : last[version] == t) {
                m->writer[o] = ISO_NONE; /* its own write, by INT; or the same as an earlier read */
                continue;
            }
            last[version] = t;
            begin_ambiguous(m, &a, o);
            if (!after_own) {
                add_candidates(m, &a, o, t);
            }
            if (sure) {
                drop_certain(m, &a);
            }
        }
    }
    ISO_GROW(m->pool, m->candidate_first, m->n_ambiguous, a.room2);
    m->candidate_first[m->n_ambiguous] = a.slots;
    m->ambiguous_first[m->n] = m->n_ambiguous;
    iso_free(m->pool, last);
    iso_free(m->pool, wrote);
    iso_free(m->pool, own);
}

/* Returns an equal read among the numbers from `first` on; `reads`: none. */
static uint32_t read_before(const strong_model *m, uint32_t first, uint32_t reads, uint32_t slot, uint32_t key) {
    uint32_t r = first;
    while (r < reads && (m->read_slot[r] != slot || m->read_key[r] != key)) {
        r++;
    }
    return r;
}

/* Two operations of a transaction may read the same write, one that says what it returned and one that does not.
 * Conclusions from the read use the one whose writer was known first. */
static void prefer(strong_model *m, uint32_t r, uint32_t op) {
    if (m->argued != NULL && m->argued[op] < m->argued[m->read_op[r]]) {
        m->read_op[r] = op;
    }
}

uint32_t iso_strong_slot_of(const strong_model *m, uint32_t t, uint32_t key) {
    iso_assert(t < m->n);
    for (uint32_t w = m->write_first[t]; w < m->write_first[t + 1]; w++) {
        if (m->write_key[w] == key) {
            return w;
        }
    }
    return ISO_NONE;
}

uint32_t iso_strong_write_of(const strong_model *m, uint32_t t, uint32_t key) {
    uint32_t w = iso_strong_slot_of(m, t, key);
    return w == ISO_NONE ? ISO_NONE : m->slot_op[w];
}

/* Lists the reads of each key's initial value. */
static void index_initial(strong_model *m) {
    uint32_t reads = m->read_first[m->n];
    iso_free(m->pool, m->init_first);
    iso_free(m->pool, m->init_read);
    uint32_t *initial = ISO_NEW(m->pool, uint32_t, reads);
    for (uint32_t r = 0; r < reads; r++) {
        initial[r] = m->read_slot[r] == ISO_INIT ? m->read_key[r] : ISO_NONE;
    }
    m->init_read = iso_sorted_into(m->pool, initial, reads, m->h->n_keys, &m->init_first);
    iso_free(m->pool, initial);
}

/* Writes the reads of transaction t, from number `reads` on. Returns the next number. It leaves out writes and reads
 * that are the same as another one (whose writer is ISO_NONE), ambiguous reads (ISO_MANY), and reads of own writes,
 * which INT handles. The processor cannot predict these cases, so there is no branch on them. */
_Static_assert((ISO_MANY | 2) == ISO_NONE && (ISO_INIT | 2) == ISO_INIT, "one bit tells none and many from the others");
__attribute__((noinline)) static uint32_t take_reads(const strong_model *m, uint32_t t, uint32_t reads) {
    uint32_t begin = first_op(m, t), end = end_op(m, t), n = end - begin, n_ops = m->h->n_ops;
    const uint32_t *op_slot = m->op_slot, *op_writer = m->writer;
    uint32_t *read_slot = m->read_slot, *read_op = m->read_op;
    for (uint32_t o = begin; o < end; o++) {
        uint32_t writer = op_writer[o], next = op_writer[o + STRONG_OPS_AHEAD < n_ops ? o + STRONG_OPS_AHEAD : o];
        __builtin_prefetch(&op_slot[next < n_ops ? next : n_ops]);
        read_slot[reads] = op_slot[writer < n_ops ? writer : n_ops];
        read_op[reads] = o;
        reads += (writer - begin >= n) & ((writer | 2) != ISO_NONE);
    }
    return reads;
}

/* Keeps the reads of transaction t, up to `end`, that differ from earlier ones. Returns where they end. */
__attribute__((noinline)) static uint32_t keep_distinct(strong_model *m, iso_numbered *keys, uint32_t t, uint32_t end) {
    const uint32_t *op_key = m->h->op_key;
    uint32_t *read_key = m->read_key, *read_slot = m->read_slot, *read_op = m->read_op, *read_txn = m->read_txn;
    uint32_t first = keys->first, reads = first;
    for (uint32_t r = first; r < end; r++) {
        uint32_t op = read_op[r], slot = read_slot[r], key = op_key[op];
        if (iso_recent_meet(&keys->recent, key, t + 1, 1) && iso_numbered_before(keys, key, reads) != ISO_NONE) {
            uint32_t same = read_before(m, first, reads, slot, key);
            if (same < reads) {
                prefer(m, same, op);
                continue;
            }
        }
        read_key[reads] = key;
        read_slot[reads] = slot;
        read_op[reads] = op;
        read_txn[reads++] = t;
        if (keys->is_large) {
            keys->last[key] = reads;
        }
    }
    return reads;
}

void iso_strong_model_reads(strong_model *m) {
    const isolab_history *h = m->h;
    uint32_t *old[] = {m->read_first, m->read_key, m->read_slot, m->read_op, m->read_txn, m->slot_first, m->slot_read};
    for (size_t i = 0; i < sizeof old / sizeof *old; i++) {
        iso_free(m->pool, old[i]);
    }
    uint32_t slots = m->write_first[m->n], most = h->n_ops - m->n_writes, reads = 0;
    m->read_first = ISO_NEW(m->pool, uint32_t, (size_t)m->n + 1);
    m->read_key = ISO_NEW(m->pool, uint32_t, (size_t)most + 1);
    m->read_slot = ISO_NEW(m->pool, uint32_t, (size_t)most + 1);
    m->read_op = ISO_NEW(m->pool, uint32_t, (size_t)most + 1);
    m->read_txn = ISO_NEW(m->pool, uint32_t, (size_t)most + 1);
    iso_numbered keys = {.key = m->read_key, .n_keys = h->n_keys, .pool = m->pool};
    for (uint32_t t = 0; t < m->n; t++) {
        m->read_first[t] = reads;
        iso_numbered_begin(&keys, reads, end_op(m, t) - first_op(m, t));
        reads = keep_distinct(m, &keys, t, take_reads(m, t, reads));
    }
    m->read_first[m->n] = reads;
    iso_free(m->pool, keys.last);
    m->slot_read = iso_sorted_into(m->pool, m->read_slot, reads, slots, &m->slot_first);
    if (m->key_first != NULL) {
        index_initial(m);
    }
}

uint32_t iso_strong_find_read(const strong_model *m, uint32_t t, uint32_t slot, uint32_t key) {
    uint32_t r = m->read_first[t];
    while (m->read_slot[r] != slot || m->read_key[r] != key) {
        r++;
    }
    return r;
}

void iso_strong_model_index(strong_model *m) {
    const isolab_history *h = m->h;
    if (m->key_first != NULL) {
        return;
    }
    uint32_t slots = m->write_first[m->n];
    m->key_slot = iso_sorted_into(m->pool, m->write_key, slots, h->n_keys, &m->key_first);
    m->key_txn = ISO_NEW(m->pool, uint32_t, slots);
    m->key_group = ISO_NEW(m->pool, uint32_t, (size_t)h->n_keys + 1);
    m->group_start = ISO_NEW(m->pool, uint32_t, (size_t)slots + 1);
    m->group_chain = ISO_NEW(m->pool, uint32_t, slots);
    uint32_t groups = 0;
    for (uint32_t x = 0; x < h->n_keys; x++) {
        m->key_group[x] = groups;
        for (uint32_t i = m->key_first[x]; i < m->key_first[x + 1]; i++) {
            uint32_t t = m->key_txn[i] = m->write_txn[m->key_slot[i]];
            if (i == m->key_first[x] || m->group_chain[groups - 1] != m->chain[t]) {
                m->group_chain[groups] = m->chain[t];
                m->group_start[groups++] = i;
            }
        }
    }
    m->key_group[h->n_keys] = groups;
    m->group_start[groups] = slots;
    m->n_groups = groups;
    index_initial(m);
}

/* Makes the writers of reads the model's, so that they can change. */
static void own_writers(strong_model *m) {
    if (m->writer == m->h->op_writer) {
        m->writer = ISO_NEW(m->pool, uint32_t, m->h->n_ops);
        memcpy(m->writer, m->h->op_writer, (size_t)m->h->n_ops * sizeof *m->writer);
    }
}

/* Asserts what model.h says about transactions, chains, and slots. */
static void check_model(const strong_model *m) {
    iso_assert(m->first[0] == 0 && m->first[m->k] == m->n);
    iso_assert(m->n_included <= m->n_txns && m->n_txns <= m->n);
    for (uint32_t t = 0; t < m->n; t++) {
        bool instant = t >= m->n_txns;
        iso_assert((m->txn[t] == ISO_NONE) == instant);
        iso_assert(instant || m->dense[m->txn[t]] == t);
        iso_assert(instant || (m->h->txn_counts[m->txn[t]] == ISO_INCLUDED) == (t < m->n_included));
        iso_assert(m->first[m->chain[t]] <= t && t < m->first[m->chain[t] + 1]);
        iso_assert(m->write_first[t] <= m->write_first[t + 1]);
        iso_assert(!instant || m->write_first[t] == m->write_first[t + 1]);
        for (uint32_t w = m->write_first[t]; w < m->write_first[t + 1]; w++) {
            iso_assert(m->write_txn[w] == t && m->op_slot[m->slot_op[w]] == w);
            iso_assert(m->h->op_key[m->slot_op[w]] == m->write_key[w] && iso_is_write(m->h->op_kind[m->slot_op[w]]));
        }
    }
    for (uint32_t c = 0; c < m->k; c++) {
        iso_assert(m->first[c] < m->first[c + 1] && m->first[c + 1] - m->first[c] <= STRONG_CHAIN);
    }
}

void iso_strong_model_build(strong_model *m, iso_pool *pool, const isolab_history *h, iso_level level, bool timed,
                            bool no_session_order, iso_list_report *report, void *arg) {
    memset(m, 0, sizeof *m);
    m->h = h;
    m->pool = pool;
    m->level = level;
    m->timed = timed;
    m->per_txn = level == ISO_PC || level == ISO_SI ? 2 : 1;
    number_txns(m, no_session_order);
    add_instants(m);
    if (m->n > ISO_ID_MAX / 2) {
        iso_throw(pool->env, ISOLAB_E_LIMIT, "more than %u transactions", ISO_ID_MAX / 2);
    }
    collect_writes(m);
    check_model(m);
    m->writer = h->op_writer;
    if (!h->unique || h->has_lists) {
        own_writers(m);
    }
    if (h->has_lists) {
        m->lists = iso_lists_infer(h, pool, report, arg);
        for (uint32_t i = 0; i < m->lists->n_reads; i++) {
            m->writer[m->lists->read[i].op] = m->lists->read[i].writer;
        }
        if (m->lists->n_faults > 0) {
            return;
        }
    }
    m->ambiguous_first = ISO_ZNEW(pool, uint32_t, (size_t)m->n + 1);
    if (!h->unique) {
        collect_ambiguous(m);
    }
    iso_strong_model_reads(m);
    if (h->has_lists) {
        iso_strong_model_index(m);
    }
}

void iso_strong_model_restrict(strong_model *m, const strong_part *part) {
    const isolab_history *h = m->h;
    own_writers(m);
    for (uint32_t o = 0; o < h->n_ops; o++) {
        if (h->op_key[o] != part->key || h->txn_start[h->op_txn[o]] > part->until) {
            m->writer[o] = ISO_NONE; /* a read without a writer constrains nothing */
        }
    }
    if (!h->unique) {
        m->n_ambiguous = 0;
        collect_ambiguous(m);
    }
    iso_strong_model_reads(m);
}
