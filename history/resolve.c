/* Finds the writers of reads, repeated values, negations, and included transactions. See resolve.h. */
#define _GNU_SOURCE
#include "history/resolve.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/buckets.h"
#include "base/clones.h"
#include "base/parts.h"
#include "history/join.h"

/* Loops over operations work in blocks, so that limits are tested once a block. Random accesses are prefetched some
 * operations ahead. */
enum { BLOCK = 4096, AHEAD = 24 };

static uint32_t block_end(iso_env *env, uint32_t begin, uint32_t end) {
    iso_tick(env);
    return end - begin < BLOCK ? end : begin + BLOCK;
}

/* What the threads share. */
typedef struct resolving {
    isolab_history *h;
    unsigned threads;
    bool clash;                   /* a version has several writers */
    uint64_t n_writes, n_written; /* of several threads: numbers of write operations, and of versions that they write */
} resolving;

/* Turns reads of nil from lists into list reads, which share one empty list at the end. */
static void empty_nil_lists(isolab_history *h, const iso_values *values) {
    uint32_t empty = ISO_NONE;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        if (h->op_kind[o] != ISO_READ || !h->key_is_list[h->op_key[o]]) {
            continue;
        }
        if (empty == ISO_NONE) {
            empty = h->n_lists++;
            h->list_first = iso_resize(h->pool, h->list_first, (size_t)h->n_lists + 1, sizeof *h->list_first);
            h->list_first[h->n_lists] = h->list_first[empty];
        }
        h->op_kind[o] = ISO_LIST_READ;
        values->bits[o] = empty;
    }
}

/* A key is a register or a list, never both. A read of nil fits both: from a list it reads the empty list. A key from
 * which only nil was read is a list if all other keys are lists. */
static void classify_keys(isolab_history *h, const iso_values *values) {
    enum { REGISTER = 1, LIST = 2 };
    h->key_is_list = ISO_ZNEW(h->pool, uint8_t, h->n_keys);
    h->has_lists = h->n_lists > 0 || memchr(h->op_kind, ISO_APPEND, h->n_ops) != NULL;
    if (!h->has_lists) {
        return;
    }
    uint8_t *seen = ISO_ZNEW(h->pool, uint8_t, h->n_keys), any = 0;
    bool nils = false;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        uint32_t key = h->op_key[o];
        bool list = h->op_kind[o] == ISO_APPEND || h->op_kind[o] == ISO_LIST_READ;
        if (h->op_kind[o] == ISO_READ && values->kind[o] == ISO_ATOM_NIL) {
            nils = true;
            continue;
        }
        seen[key] |= list ? LIST : REGISTER;
        any |= seen[key];
        if (seen[key] == (REGISTER | LIST)) {
            char name[ISO_NAME_SIZE], txn[ISO_NAME_SIZE];
            iso_throw(h->pool->env, ISOLAB_E_INPUT,
                      "transaction %s: key %s is used both as a register and as a list: expected one of the two",
                      iso_txn_text(h, h->op_txn[o], txn), iso_key_text(h, key, name));
        }
        h->key_is_list[key] = list;
    }
    for (uint32_t k = 0; k < h->n_keys; k++) {
        h->key_is_list[k] |= any == LIST && seen[k] == 0;
    }
    iso_free(h->pool, seen);
    if (h->has_lists && nils) {
        empty_nil_lists(h, values);
    }
}

/* Gives every version of nil the initial transaction as its writer. The arrays are arguments so that the loop becomes
 * vector code. */
ISO_VECTOR static void init_writers(uint32_t *restrict writer, const uint8_t *restrict kind, uint32_t n) {
    for (uint32_t v = 0; v < n; v++) {
        writer[v] = kind[v] == ISO_ATOM_NIL ? ISO_INIT : ISO_NONE;
    }
}

/* Selects the versions of a block's operations. Operations of other kinds get a dummy version after all others, and so
 * do a few operations after the block: `nowhere`. Half of all operations are reads, in an unpredictable order: a branch
 * on the kind would be mispredicted every second time, so there is none. Kinds are bits: 1 << ISO_READ. */
ISO_VECTOR static void select_versions(const isolab_history *h, uint32_t begin, uint32_t end, uint32_t kinds,
                                       uint32_t nowhere, uint32_t version[restrict BLOCK + AHEAD]) {
    const uint32_t *restrict from = h->op_version + begin, n = end - begin;
    const uint8_t *restrict kind = h->op_kind + begin;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t yes = 0 - (kinds >> kind[i] & 1);
        version[i] = (from[i] & yes) | (nowhere & ~yes);
    }
    for (uint32_t i = n; i < n + AHEAD; i++) {
        version[i] = nowhere;
    }
}

static void init_part(iso_part *part) {
    const isolab_history *h = ((const resolving *)part->arg)->h;
    uint64_t begin = iso_part_from(part, h->n_versions), end = iso_part_end(part, h->n_versions);
    init_writers(h->version_writer + begin, h->version_kind + begin, (uint32_t)(end - begin));
}

/* Each thread has a dummy entry in a cache line of its own after the writers of all versions. */
enum { LINE = 16 };

static uint32_t nowhere_of(const isolab_history *h, const iso_part *part) {
    return h->n_versions + LINE * part->number;
}

/* Sets the writer of every version that is written; other operations write to a dummy entry. Finds versions that have
 * several writers, unless two threads write one at the same time. */
static void write_part(iso_part *part) {
    resolving *x = part->arg;
    isolab_history *h = x->h;
    uint32_t *writer = h->version_writer, nowhere = nowhere_of(h, part), clashes = 0, version[BLOCK + AHEAD];
    uint32_t end = (uint32_t)iso_part_end(part, h->n_ops), writes = 0;
    for (uint32_t begin = (uint32_t)iso_part_from(part, h->n_ops), to; begin < end; begin = to) {
        to = block_end(part->pool->env, begin, end);
        select_versions(h, begin, to, 1u << ISO_WRITE | 1u << ISO_APPEND, nowhere, version);
        for (uint32_t i = 0; i < to - begin; i++) {
            __builtin_prefetch(&writer[version[i + AHEAD]], 1);
            uint32_t *w = &writer[version[i]], write = version[i] != nowhere;
            clashes |= (uint32_t)(__atomic_load_n(w, __ATOMIC_RELAXED) != ISO_NONE) & write;
            __atomic_store_n(w, begin + i, __ATOMIC_RELAXED);
            writes += write;
        }
    }
    if (clashes != 0) {
        __atomic_store_n(&x->clash, true, __ATOMIC_RELAXED);
    }
    __atomic_fetch_add(&x->n_writes, writes, __ATOMIC_RELAXED);
}

ISO_VECTOR static uint32_t count_below(const uint32_t *number, uint32_t n, uint32_t bound) {
    uint32_t below = 0;
    for (uint32_t i = 0; i < n; i++) {
        below += number[i] < bound;
    }
    return below;
}

static void count_written_part(iso_part *part) {
    resolving *x = part->arg;
    uint32_t begin = (uint32_t)iso_part_from(part, x->h->n_versions);
    uint32_t n = (uint32_t)iso_part_end(part, x->h->n_versions) - begin;
    uint32_t written = count_below(x->h->version_writer + begin, n, x->h->n_ops);
    __atomic_fetch_add(&x->n_written, written, __ATOMIC_RELAXED);
}

/* Sets the writers of all versions by their writes. Returns false if a version has several. If two threads wrote it at
 * the same time, neither may have noticed; but then fewer versions are written than there are writes. */
static bool set_writers(resolving *x) {
    iso_parts(x->h->pool, x->threads, write_part, x);
    if (x->threads > 1 && !x->clash) {
        iso_parts(x->h->pool, x->threads, count_written_part, x);
        x->clash = x->n_written < x->n_writes;
    }
    return !x->clash;
}

/* Lists the write operations of each version in order: counts them, then writes them one after another. Reads write to
 * a dummy entry after all others. This is the hottest counting sort: it selects and prefetches blocks of operations,
 * which base/buckets.h does not. */
static void list_writers(isolab_history *h) {
    uint32_t *first = h->writers_first = ISO_ZNEW(h->pool, uint32_t, (size_t)h->n_versions + 3), version[BLOCK + AHEAD];
    for (uint32_t begin = 0, end; begin < h->n_ops; begin = end) {
        end = block_end(h->pool->env, begin, h->n_ops);
        uint32_t n = end - begin;
        select_versions(h, begin, end, 1u << ISO_WRITE | 1u << ISO_APPEND, h->n_versions, version);
        for (uint32_t i = 0; i < n; i++) {
            __builtin_prefetch(&first[version[i + AHEAD] + 2], 1);
            first[version[i] + 2]++;
        }
    }
    for (uint32_t v = 0; v < h->n_versions; v++) { /* while the lists are filled, the list of v ends at first[v + 1] */
        first[v + 2] += first[v + 1];
    }
    uint32_t writes = first[h->n_versions + 1];
    h->writers_op = ISO_NEW(h->pool, uint32_t, (size_t)writes + 1);
    for (uint32_t begin = 0, end; begin < h->n_ops; begin = end) {
        end = block_end(h->pool->env, begin, h->n_ops);
        uint32_t n = end - begin;
        select_versions(h, begin, end, 1u << ISO_WRITE | 1u << ISO_APPEND, h->n_versions, version);
        for (uint32_t i = 0; i < n; i++) {
            __builtin_prefetch(&first[version[i + AHEAD] + 1], 1);
            uint32_t at = first[version[i] + 1]++;
            h->writers_op[at < writes ? at : writes] = begin + i;
        }
    }
}

/* ---- negations ---- */

static int compare_values(const void *a, const void *b, void *of) {
    const isolab_history *h = of;
    uint32_t v = *(const uint32_t *)a, w = *(const uint32_t *)b;
    uint8_t kind_v = h->version_kind[v] | ISO_ATOM_NOT, kind_w = h->version_kind[w] | ISO_ATOM_NOT;
    if (h->version_key[v] != h->version_key[w]) {
        return h->version_key[v] < h->version_key[w] ? -1 : 1;
    }
    if (kind_v != kind_w) {
        return kind_v < kind_w ? -1 : 1;
    }
    return (h->version_bits[v] > h->version_bits[w]) - (h->version_bits[v] < h->version_bits[w]);
}

/* Nearly no history has a negation, so eight kinds are tested at a time. */
static bool any_negation(const isolab_history *h) {
    uint64_t all = 0, eight;
    uint32_t v = 0;
    for (; v + 8 <= h->n_versions; v += 8) {
        memcpy(&eight, h->version_kind + v, sizeof eight);
        all |= eight;
    }
    for (; v < h->n_versions; v++) {
        all |= h->version_kind[v];
    }
    return (all & 0x0101010101010101 * ISO_ATOM_NOT) != 0;
}

/* Which versions are negations, and of what. O(versions log negations). */
static void find_negations(isolab_history *h) {
    uint32_t n = 0;
    for (uint32_t v = 0; any_negation(h) && v < h->n_versions; v++) {
        n += iso_version_is_negation(h, v);
    }
    if (n == 0) {
        return;
    }
    h->version_not = ISO_NEW_NONE(h->pool, h->n_versions);
    uint32_t *sorted = ISO_NEW(h->pool, uint32_t, n);
    n = 0;
    for (uint32_t v = 0; v < h->n_versions; v++) {
        if (iso_version_is_negation(h, v)) {
            sorted[n++] = v;
        }
    }
    qsort_r(sorted, n, sizeof *sorted, compare_values, h);
    for (uint32_t v = 0; v < h->n_versions; v++) {
        iso_tick(h->pool->env);
        uint32_t at = ISO_BISECT(i, 0, n, compare_values(&sorted[i], &v, h) < 0);
        if (at < n && sorted[at] != v && compare_values(&sorted[at], &v, h) == 0) {
            h->version_not[sorted[at]] = v;
        }
    }
    iso_free(h->pool, sorted);
}

/* Returns the write operations of each key, in order: a row for each key. */
static uint32_t *writes_of_keys(const isolab_history *h, iso_buckets *rows) {
    for (uint32_t o = 0; o < h->n_ops; o++) {
        if (iso_is_write(h->op_kind[o])) {
            iso_buckets_count(rows, h->op_key[o]);
        }
    }
    uint32_t *write = ISO_NEW(h->pool, uint32_t, iso_buckets_sum(rows));
    for (uint32_t o = 0; o < h->n_ops; o++) {
        if (iso_is_write(h->op_kind[o])) {
            write[iso_buckets_place(rows, h->op_key[o])] = o;
        }
    }
    return write;
}

/* The writers of a negation are the writes of its key of all other values. */
static void list_writers_of_negations(isolab_history *h) {
    iso_buckets keys = iso_buckets_new(h->pool, h->n_keys);
    uint32_t *key_first = keys.first, *write = writes_of_keys(h, &keys);
    uint32_t *old_first = h->writers_first, *old_op = h->writers_op;
    uint64_t n = 0;
    h->writers_first = ISO_NEW(h->pool, uint32_t, (size_t)h->n_versions + 3);
    for (int turn = 0; turn < 2; turn++) { /* counts, then lists */
        h->writers_op = turn == 0 ? NULL : ISO_NEW(h->pool, uint32_t, n + 1);
        n = 0;
        for (uint32_t v = 0; v < h->n_versions; v++) {
            iso_tick(h->pool->env);
            bool negation = iso_version_is_negation(h, v);
            uint32_t from = negation ? key_first[h->version_key[v]] : old_first[v];
            uint32_t end = negation ? key_first[h->version_key[v] + 1] : old_first[v + 1];
            const uint32_t *op = negation ? write : old_op;
            h->writers_first[v] = (uint32_t)n;
            for (uint32_t i = from; i < end; i++) {
                if (!negation || h->op_version[op[i]] != h->version_not[v]) {
                    if (turn == 1) {
                        h->writers_op[n] = op[i];
                    }
                    n++;
                }
            }
            if (n > ISO_ID_MAX) {
                iso_throw(h->pool->env, ISOLAB_E_LIMIT, "more than %u possible writers of reads that exclude a value",
                          ISO_ID_MAX);
            }
        }
    }
    h->writers_first[h->n_versions] = (uint32_t)n;
    iso_free(h->pool, old_first);
    iso_free(h->pool, old_op);
    iso_free(h->pool, key_first);
    iso_free(h->pool, write);
}

/* Removes the writes of excluded transactions from the lists: no included read may have taken them. If a version has no
 * other writer, the first one stays, so that a read of it is recognised as an aborted read. The writers of a negation
 * are the writers that stay of each value that it covers. */
static void drop_excluded(isolab_history *h) {
    uint8_t *stays = ISO_ZNEW(h->pool, uint8_t, h->n_ops);
    for (uint32_t v = 0; v < h->n_versions; v++) {
        uint32_t from = h->writers_first[v], end = h->writers_first[v + 1];
        bool any = iso_version_is_initial(h, v);
        for (uint32_t i = from; i < end && !iso_version_is_negation(h, v); i++) {
            uint32_t w = h->writers_op[i];
            stays[w] = h->txn_counts[h->op_txn[w]] != ISO_EXCLUDED;
            any |= stays[w];
        }
        if (!any && from < end && !iso_version_is_negation(h, v)) {
            stays[h->writers_op[from]] = 1;
        }
    }
    uint32_t n = 0;
    for (uint32_t v = 0, from = 0; v < h->n_versions; v++) {
        uint32_t first = n, end = h->writers_first[v + 1];
        for (uint32_t i = from; i < end; i++) {
            h->writers_op[n] = h->writers_op[i];
            n += stays[h->writers_op[i]];
        }
        h->writers_first[v] = first;
        from = end;
    }
    h->writers_first[h->n_versions] = n;
    iso_free(h->pool, stays);
}

/* Sets the writer of every version from the lists, and finds the first write of a value that was written before. */
static void find_twins(isolab_history *h) {
    for (uint32_t v = 0; v < h->n_versions; v++) {
        const uint32_t *writer = h->writers_op + h->writers_first[v];
        uint32_t n = h->writers_first[v + 1] - h->writers_first[v], initial = iso_version_is_initial(h, v);
        h->version_writer[v] = n + initial > 1 ? ISO_MANY : initial ? ISO_INIT : n == 1 ? writer[0] : ISO_NONE;
        if (n + initial > 1 && writer[1 - initial] < h->twin_b && !iso_version_is_negation(h, v)) {
            h->unique = false;
            h->twin_a = initial ? ISO_INIT : writer[0];
            h->twin_b = writer[1 - initial];
        }
    }
}

/* Marks the indeterminate writer of a read by an included or optional transaction. */
static void observe(isolab_history *h, uint32_t reader, uint32_t write, bool certain, uint32_t *stack, uint32_t *top) {
    uint32_t t = h->op_txn[write];
    if (h->txn_status[t] != ISO_INDETERMINATE) {
        return;
    }
    uint8_t to = certain && h->txn_counts[reader] == ISO_INCLUDED ? ISO_INCLUDED : ISO_OPTIONAL;
    if (h->txn_counts[t] == to || h->txn_counts[t] == ISO_INCLUDED) {
        return;
    }
    h->txn_counts[t] = to;
    stack[(*top)++] = t;
}

/* Returns whether only aborted transactions wrote the value of a write, and this is the first of their writes. A
 * negation may then be a read of it at ci, which does not ask for INT. */
static bool is_only_aborted(const isolab_history *h, uint32_t write) {
    uint32_t n, version = h->op_version[write];
    const uint32_t *writers = iso_writers(h, version, &n);
    bool aborted = !iso_version_is_initial(h, version) && writers[0] == write;
    for (uint32_t i = 0; i < n && aborted; i++) {
        aborted = h->txn_status[h->op_txn[writers[i]]] == ISO_ABORTED;
    }
    return aborted;
}

static void observe_version(isolab_history *h, uint32_t reader, uint32_t version, uint32_t *stack, uint32_t *top) {
    uint32_t n;
    const uint32_t *writers = iso_writers(h, version, &n);
    uint32_t possible = iso_version_is_initial(h, version);
    for (uint32_t i = 0; i < n; i++) {
        possible += h->txn_status[h->op_txn[writers[i]]] != ISO_ABORTED ||
                    (iso_version_is_negation(h, version) && is_only_aborted(h, writers[i]));
    }
    bool certain = possible == 1;
    for (uint32_t i = 0; i < n; i++) {
        observe(h, reader, writers[i], certain, stack, top);
    }
}

/* Decides which transactions are included, by a graph search from the committed ones along reads. A transaction is
 * pushed at most twice: as optional, then as included. */
void iso_resolve_counts(isolab_history *h) {
    h->txn_counts = h->txn_counts != NULL ? h->txn_counts : ISO_NEW(h->pool, uint8_t, h->n_txns);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        h->txn_counts[t] = h->txn_status[t] == ISO_COMMITTED ? ISO_INCLUDED : ISO_EXCLUDED;
    }
    if (h->n_indeterminate == 0) {
        return;
    }
    uint32_t *stack = ISO_NEW(h->pool, uint32_t, (size_t)h->n_committed + 2 * (size_t)h->n_indeterminate);
    uint32_t top = 0;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        if (h->txn_counts[t] == ISO_INCLUDED) {
            stack[top++] = t;
        }
    }
    while (top > 0) {
        uint32_t t = stack[--top];
        for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
            if (h->op_kind[o] == ISO_READ) {
                observe_version(h, t, h->op_version[o], stack, &top);
            } else if (h->op_kind[o] == ISO_LIST_READ) {
                uint32_t l = h->op_version[o];
                for (uint32_t e = h->list_first[l]; e < h->list_first[l + 1]; e++) {
                    observe_version(h, t, h->list_version[e], stack, &top);
                }
            }
        }
    }
    iso_free(h->pool, stack);
}

static void read_part(iso_part *part) {
    resolving *x = part->arg;
    isolab_history *h = x->h;
    const uint32_t *writer = h->version_writer;
    uint32_t version[BLOCK + AHEAD], end = (uint32_t)iso_part_end(part, h->n_ops);
    for (uint32_t begin = (uint32_t)iso_part_from(part, h->n_ops), to; begin < end; begin = to) {
        to = block_end(part->pool->env, begin, end);
        select_versions(h, begin, to, 1u << ISO_READ, h->n_versions, version);
        for (uint32_t i = 0; i < to - begin; i++) {
            __builtin_prefetch(&writer[version[i + AHEAD]]);
            h->op_writer[begin + i] = writer[version[i]];
        }
        for (uint32_t o = begin; o < to && h->has_lists; o++) {
            if (h->op_kind[o] == ISO_LIST_READ) {
                uint32_t l = h->op_version[o], last = h->list_first[l + 1];
                h->op_writer[o] = h->list_first[l] == last ? ISO_INIT : writer[h->list_version[last - 1]];
            }
        }
    }
}

/* Lists the writers of repeated values, and decides which transactions are included. Keeps no lists if no value is
 * repeated after all. */
static void list_all_writers(isolab_history *h) {
    list_writers(h);
    if (h->version_not != NULL) {
        list_writers_of_negations(h);
        h->unique = false;
    }
    iso_resolve_counts(h);
    drop_excluded(h);
    find_twins(h);
    if (h->unique) {
        iso_free(h->pool, h->writers_first);
        iso_free(h->pool, h->writers_op);
        h->writers_first = h->writers_op = NULL;
    }
}

void iso_resolve_versions(isolab_history *h, unsigned threads) {
    resolving x = {.h = h, .threads = threads};
    h->op_writer = ISO_NEW(h->pool, uint32_t, h->n_ops);
    h->version_writer = ISO_NEW(h->pool, uint32_t, (size_t)h->n_versions + LINE * (size_t)threads);
    h->unique = true;
    h->twin_a = h->twin_b = ISO_NONE;
    find_negations(h);
    iso_parts(h->pool, threads, init_part, &x);
    for (uint32_t v = 0; h->version_not != NULL && v < h->n_versions; v++) {
        h->version_writer[v] = iso_version_is_initial(h, v) ? ISO_INIT : ISO_NONE;
    }
    bool listed = !set_writers(&x) || h->version_not != NULL;
    if (listed) {
        list_all_writers(h);
    }
    h->version_writer[h->n_versions] = ISO_NONE; /* of operations that are no reads */
    iso_parts(h->pool, threads, read_part, &x);
    if (!listed) {
        iso_resolve_counts(h);
    }
}

void iso_resolve(isolab_history *h, const iso_values *values) {
    classify_keys(h, values);
    iso_join(h, values);
    iso_resolve_versions(h, values->threads);
}

ISO_VECTOR static bool any_none(const uint32_t *writer, uint32_t n) {
    uint32_t any = 0;
    for (uint32_t v = 0; v < n; v++) {
        any |= writer[v] == ISO_NONE;
    }
    return any != 0;
}

bool iso_any_unwritten(const isolab_history *h) { return any_none(h->version_writer, h->n_versions); }
