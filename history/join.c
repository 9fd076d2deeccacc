/* Three ways to number versions, all exact and linear.
 *
 * - By key: if the integers of each key are dense (a counter for each key), every (key, value) has a
 *   slot of its own. A slot costs one bit: a bit vector marks the slots in use, and the number of a version
 *   is the rank of its bit. The vector for millions of versions fits a core's cache; a hash table does not.
 * - Shared: if all integers together are dense (one counter for all), a value has one slot whatever its key.
 *   The attempt fails if two keys share a value.
 * - By hash: any values. Probes go in batches, so that the cache misses of a batch overlap. (base/index.h looks up one
 *   at a time; this is the hottest loop of reading.) */
#include "history/join.h"

#include <string.h>

#include "base/bisect.h"
#include "base/clones.h"
#include "base/hash.h"
#include "base/parts.h"

enum { BLOCK = 4096, BATCH = 32, AHEAD = 24 };

/* Limit of slots for each mention of a value; each slot costs a quarter of a byte. */
#define MOST_SLOTS 16

typedef struct range {
    int64_t low, high; /* low > high: empty */
} range;

/* The slots of a key: the slot of nil, and the offset to add to an integer. */
typedef struct place {
    uint64_t nil, add;
} place;

/* 32 slots: which are in use, and how many slots before them are in use. */
typedef struct word {
    uint32_t bits, rank;
} word;

typedef struct entry {
    uint64_t bits;
    uint32_t key, version; /* version ISO_NONE: free */
} entry;

typedef struct mention {
    uint64_t hash, bits;
    uint32_t *version;
    uint32_t key;
    uint8_t kind;
} mention;

typedef struct join {
    isolab_history *h;
    iso_env *env;
    const iso_values *values;
    unsigned kinds; /* set of the kinds of atoms that occur, as bits */

    /* of a thread: its operations, and the joins of all threads, which work on ranges or words of their own */
    uint32_t begin, end;
    struct join *all;

    range *ranges;
    place *places; /* n_keys + 1 */
    uint64_t n_slots, string_slot;
    word *words;
    bool shared, clash; /* clash: two keys share a value */
    uint32_t *owner;    /* of a thread, for shared slots: the key of each version, as far as its operations tell */

    entry *table;
    uint64_t mask;
    uint32_t versions_room;
    uint32_t *nil_version; /* by key; ISO_NONE: none yet */
    bool one_kind;         /* all values except nil have one kind, so equal bits are equal values */
    mention batch[BATCH];
    unsigned n_batch;
} join;

/* Called for every mention of a value with its key, its atom, and the place for its version. */
typedef void visitor(join *j, uint32_t key, uint8_t kind, uint64_t bits, uint32_t *version);

__attribute__((always_inline)) static inline void visit_block(join *j, uint32_t begin, uint32_t end, visitor *visit) {
    isolab_history *h = j->h;
    const iso_values *v = j->values;
    for (uint32_t o = begin; o < end; o++) {
        if (h->op_kind[o] != ISO_LIST_READ) {
            visit(j, h->op_key[o], v->kind[o], v->bits[o], &h->op_version[o]);
            continue;
        }
        uint32_t l = (uint32_t)v->bits[o];
        for (uint32_t e = h->list_first[l]; e < h->list_first[l + 1]; e++) {
            visit(j, h->op_key[o], v->element[e].kind, v->element[e].bits, &h->list_version[e]);
        }
        h->op_version[o] = l;
    }
}

static uint32_t block_end(join *j, uint32_t begin) {
    iso_tick(j->env);
    return j->end - begin < BLOCK ? j->end : begin + BLOCK;
}

__attribute__((always_inline)) static inline void visit_all(join *j, visitor *visit) {
    for (uint32_t begin = j->begin, end; begin < j->end; begin = end) {
        end = block_end(j, begin);
        visit_block(j, begin, end, visit);
    }
}

/* Returns the join of a thread, for its part of the operations. */
static join *join_of(const iso_part *part) {
    const join *whole = part->arg;
    join *j = &whole->all[part->number];
    *j = *whole;
    j->env = part->pool->env;
    j->begin = (uint32_t)iso_part_from(part, whole->h->n_ops);
    j->end = (uint32_t)iso_part_end(part, whole->h->n_ops);
    return j;
}

static void make_versions(isolab_history *h, uint32_t room) {
    h->version_key = ISO_NEW(h->pool, uint32_t, room);
    h->version_kind = ISO_NEW(h->pool, uint8_t, room);
    h->version_bits = ISO_NEW(h->pool, uint64_t, room);
}

static void free_versions(isolab_history *h) {
    iso_free(h->pool, h->version_key);
    iso_free(h->pool, h->version_kind);
    iso_free(h->pool, h->version_bits);
}

/* ---- slots ---- */

static inline void measure(join *j, uint32_t key, uint8_t kind, uint64_t bits, uint32_t *version) {
    (void)version;
    j->kinds |= 1u << kind;
    if (kind == ISO_ATOM_INT) {
        range *r = &j->ranges[key];
        r->low = (int64_t)bits < r->low ? (int64_t)bits : r->low;
        r->high = (int64_t)bits > r->high ? (int64_t)bits : r->high;
    }
}

static range *make_ranges(iso_pool *pool, uint32_t n_keys) {
    range *ranges = ISO_NEW(pool, range, n_keys);
    for (uint32_t k = 0; k < n_keys; k++) {
        ranges[k] = (range){INT64_MAX, INT64_MIN};
    }
    return ranges;
}

static void measure_part(iso_part *part) {
    join *j = join_of(part);
    if (part->number > 0) {
        j->ranges = make_ranges(part->pool, j->h->n_keys);
    }
    visit_all(j, measure);
}

static void measure_all(join *j) {
    iso_part *parts = iso_parts_run(j->h->pool, j->values->threads, measure_part, j);
    for (unsigned i = 0; i < j->values->threads; i++) {
        const join *x = &j->all[i];
        j->kinds |= x->kinds;
        for (uint32_t k = 0; i > 0 && k < j->h->n_keys; k++) {
            j->ranges[k].low = x->ranges[k].low < j->ranges[k].low ? x->ranges[k].low : j->ranges[k].low;
            j->ranges[k].high = x->ranges[k].high > j->ranges[k].high ? x->ranges[k].high : j->ranges[k].high;
        }
    }
    iso_parts_free(j->h->pool, parts);
}

/* Adds the integers of a range to a number of slots. Returns false if the sum exceeds `most`. */
static bool add_range(range r, uint64_t *slots, uint64_t most) {
    if (r.low > r.high) {
        return true;
    }
    uint64_t width = (uint64_t)r.high - (uint64_t)r.low;
    if (width >= most || *slots + width + 1 > most) {
        return false;
    }
    *slots += width + 1;
    return true;
}

static bool place_by_key(join *j, uint64_t most) {
    uint32_t n = j->h->n_keys;
    uint64_t slots = 0;
    if ((j->kinds & ~(1u << ISO_ATOM_NIL | 1u << ISO_ATOM_INT)) != 0) {
        return false;
    }
    for (uint32_t k = 0; k < n; k++) {
        j->places[k].nil = slots++;
        j->places[k].add = slots - (uint64_t)j->ranges[k].low;
        if (!add_range(j->ranges[k], &slots, most)) {
            return false;
        }
    }
    j->places[n].nil = j->n_slots = slots;
    j->shared = false;
    return true;
}

static bool place_shared(join *j, uint64_t most) {
    isolab_history *h = j->h;
    range all = {INT64_MAX, INT64_MIN};
    if ((j->kinds & ~(1u << ISO_ATOM_NIL | 1u << ISO_ATOM_INT | 1u << ISO_ATOM_STRING)) != 0) {
        return false;
    }
    for (uint32_t k = 0; k < h->n_keys; k++) {
        all.low = j->ranges[k].low < all.low ? j->ranges[k].low : all.low;
        all.high = j->ranges[k].high > all.high ? j->ranges[k].high : all.high;
    }
    uint64_t slots = 0;
    if (!add_range(all, &slots, most)) {
        return false;
    }
    j->string_slot = slots;
    slots += h->n_strings;
    for (uint32_t k = 0; k < h->n_keys; k++) {
        j->places[k] = (place){slots++, 0 - (uint64_t)all.low};
    }
    j->places[h->n_keys].nil = j->n_slots = slots;
    j->shared = true;
    return slots <= most;
}

static inline uint64_t slot_of(const join *j, uint32_t key, uint8_t kind, uint64_t bits) {
    if (kind == ISO_ATOM_INT) {
        return j->places[key].add + bits;
    }
    return kind == ISO_ATOM_NIL ? j->places[key].nil : j->string_slot + bits;
}

static inline void mark(join *j, uint32_t key, uint8_t kind, uint64_t bits, uint32_t *version) {
    (void)version;
    uint64_t slot = slot_of(j, key, kind, bits);
    j->words[slot >> 5].bits |= 1u << (slot & 31);
}

/* Adds fields of 2, 4 and 8 bits in turn; the multiplication sums the bytes. */
static inline uint32_t popcount(uint32_t x) {
    x -= x >> 1 & 0x55555555u;
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    return ((x + (x >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

static inline uint32_t rank(const join *j, uint64_t slot) {
    word w = j->words[slot >> 5];
    return w.rank + popcount(w.bits & ((1u << (slot & 31)) - 1));
}

static inline void number(join *j, uint32_t key, uint8_t kind, uint64_t bits, uint32_t *version) {
    *version = rank(j, slot_of(j, key, kind, bits));
}

static void mark_part(iso_part *part) {
    join *j = join_of(part);
    if (part->number > 0) {
        j->words = ISO_ZNEW(part->pool, word, j->n_slots / 32 + 1);
    }
    visit_all(j, mark);
}

/* Marks the slots in use and ranks them. Returns their number. */
static uint32_t mark_all(join *j, uint64_t n_words) {
    iso_part *parts = iso_parts_run(j->h->pool, j->values->threads, mark_part, j);
    uint32_t n = 0;
    for (uint64_t w = 0; w < n_words; w++) {
        for (unsigned i = 1; i < j->values->threads; i++) {
            j->words[w].bits |= j->all[i].words[w].bits;
        }
        j->words[w].rank = n;
        n += popcount(j->words[w].bits);
    }
    iso_parts_free(j->h->pool, parts);
    return n;
}

/* For shared slots: sets the key of a version. Returns false if it has another key. */
static inline bool claim(uint32_t *owner, uint32_t key, uint32_t version) {
    uint32_t before = owner[version];
    owner[version] = key;
    return before == key || before == ISO_NONE;
}

/* Claims the versions of a block of operations. The column of keys is larger than a core's cache, so its lines are
 * prefetched. */
static void claim_block(join *j, uint32_t begin, uint32_t end) {
    const isolab_history *h = j->h;
    uint32_t *owner = j->owner;
    bool fine = true;
    for (uint32_t o = begin; o < end; o++) {
        __builtin_prefetch(&owner[h->op_version[o + AHEAD < end ? o + AHEAD : o]], 1);
        if (h->op_kind[o] != ISO_LIST_READ) {
            fine &= claim(owner, h->op_key[o], h->op_version[o]);
            continue;
        }
        uint32_t l = h->op_version[o];
        for (uint32_t e = h->list_first[l]; e < h->list_first[l + 1]; e++) {
            fine &= claim(owner, h->op_key[o], h->list_version[e]);
        }
    }
    j->clash |= !fine;
}

/* Numbers the versions of a thread's operations and, if slots are shared, claims them in a column of its own. */
static void number_part(iso_part *part) {
    join *j = join_of(part);
    if (j->shared) {
        j->owner = part->number == 0 ? j->h->version_key : ISO_NEW(part->pool, uint32_t, j->h->n_versions);
        iso_fill_none(j->owner, j->h->n_versions);
    }
    visit_all(j, number);
    for (uint32_t begin = j->begin, end; j->shared && begin < j->end; begin = end) {
        end = block_end(j, begin);
        claim_block(j, begin, end);
    }
}

ISO_VECTOR static bool merge_keys(uint32_t *restrict to, const uint32_t *restrict from, uint64_t n) {
    uint32_t wrong = 0;
    for (uint64_t v = 0; v < n; v++) {
        uint32_t differ = to[v] ^ from[v], both = (uint32_t)(to[v] != ISO_NONE) & (uint32_t)(from[v] != ISO_NONE);
        wrong |= differ & (0 - both);
        to[v] = to[v] < from[v] ? to[v] : from[v]; /* ISO_NONE is the largest number */
    }
    return wrong == 0;
}

/* Joins the columns of the threads, for a part of the versions. */
static void merge_part(iso_part *part) {
    join *whole = part->arg;
    uint64_t begin = iso_part_from(part, whole->h->n_versions), n = iso_part_end(part, whole->h->n_versions) - begin;
    for (unsigned i = 1; i < part->of; i++) {
        if (!merge_keys(whole->all[0].owner + begin, whole->all[i].owner + begin, n)) {
            whole->all[part->number].clash = true;
        }
    }
}

/* Numbers the versions of all operations. Returns false if two keys share a value. */
static bool number_all(join *j) {
    unsigned threads = j->values->threads;
    bool clash = false;
    iso_part *parts = iso_parts_run(j->h->pool, threads, number_part, j);
    if (j->shared && threads > 1) {
        iso_parts(j->h->pool, threads, merge_part, j);
    }
    iso_parts_free(j->h->pool, parts);
    for (unsigned i = 0; i < threads; i++) {
        clash |= j->all[i].clash;
    }
    return !clash;
}

/* Returns the key with this slot, if slots are by key, or with this slot of nil. */
static uint32_t key_of(const join *j, uint64_t slot) {
    return ISO_BISECT(key, 0, j->h->n_keys, slot >= j->places[key + 1].nil);
}

/* Sets the value of each slot in use, in the order of slots. */
static void describe_part(iso_part *part) {
    const join *j = part->arg;
    isolab_history *h = j->h;
    uint64_t n_words = j->n_slots / 32 + 1, begin = iso_part_from(part, n_words), end = iso_part_end(part, n_words);
    uint32_t v = begin < end ? j->words[begin].rank : 0, key = key_of(j, 32 * begin);
    for (uint64_t w = begin; w < end; w++) {
        for (uint32_t bits = j->words[w].bits; bits != 0; bits &= bits - 1) {
            uint64_t slot = 32 * w + (unsigned)__builtin_ctz(bits);
            while (key < h->n_keys && slot >= j->places[key + 1].nil) {
                key++;
            }
            uint64_t nil = j->places[key].nil;
            if (!j->shared) {
                h->version_key[v] = key;
            }
            if (slot == nil) {
                h->version_kind[v] = ISO_ATOM_NIL;
                h->version_bits[v] = 0;
            } else if (j->shared && slot >= j->string_slot) {
                h->version_kind[v] = ISO_ATOM_STRING;
                h->version_bits[v] = slot - j->string_slot;
            } else {
                h->version_kind[v] = ISO_ATOM_INT;
                h->version_bits[v] = slot - j->places[key].add;
            }
            v++;
        }
    }
}

/* Returns false, with nothing numbered, if two keys share a value. */
static bool number_slots(join *j) {
    isolab_history *h = j->h;
    uint64_t n_words = j->n_slots / 32 + 1;
    unsigned threads = j->values->threads;
    j->words = ISO_ZNEW(h->pool, word, n_words);
    h->n_versions = mark_all(j, n_words);
    make_versions(h, h->n_versions);
    bool done = number_all(j);
    if (done) {
        iso_parts(h->pool, threads, describe_part, j);
    } else {
        free_versions(h);
    }
    iso_free(h->pool, j->words);
    return done;
}

/* ---- hash ---- */

static uint64_t hash_version(uint32_t key, uint8_t kind, uint64_t bits) { return iso_mix2(bits + kind, key); }

static void make_table(join *j, uint64_t room) {
    j->table = ISO_NEW(j->h->pool, entry, room);
    memset(j->table, 0xff, room * sizeof *j->table); /* all entries free */
    j->mask = room - 1;
}

static void grow_table(join *j) {
    isolab_history *h = j->h;
    uint64_t room = 2 * (j->mask + 1);
    iso_free(h->pool, j->table);
    make_table(j, room);
    for (uint32_t v = 0; v < h->n_versions; v++) {
        if (h->version_kind[v] == ISO_ATOM_NIL) {
            continue;
        }
        uint64_t at = hash_version(h->version_key[v], h->version_kind[v], h->version_bits[v]) & j->mask;
        while (j->table[at].version != ISO_NONE) {
            at = (at + 1) & j->mask;
        }
        j->table[at] = (entry){h->version_bits[v], h->version_key[v], v};
    }
}

static uint32_t add_version(join *j, uint32_t key, uint8_t kind, uint64_t bits) {
    isolab_history *h = j->h;
    uint32_t v = h->n_versions;
    if (v == j->versions_room) { /* fewer versions than mentions, so all numbers fit */
        uint32_t room = v < ISO_ID_MAX / 2 ? 2 * v : ISO_ID_MAX;
        h->version_key = iso_resize(h->pool, h->version_key, room, sizeof *h->version_key);
        h->version_kind = iso_resize(h->pool, h->version_kind, room, sizeof *h->version_kind);
        h->version_bits = iso_resize(h->pool, h->version_bits, room, sizeof *h->version_bits);
        j->versions_room = room;
    }
    if (v >= ISO_ID_MAX) {
        iso_throw(h->pool->env, ISOLAB_E_INPUT, "more than %u distinct values: a history cannot hold them", ISO_ID_MAX);
    }
    h->version_key[v] = key;
    h->version_kind[v] = kind;
    h->version_bits[v] = bits;
    h->n_versions++;
    return v;
}

static void look_up(join *j, const mention *m) {
    for (uint64_t at = m->hash & j->mask;; at = (at + 1) & j->mask) {
        entry *e = &j->table[at];
        if (e->version == ISO_NONE) {
            *m->version = add_version(j, m->key, m->kind, m->bits);
            *e = (entry){m->bits, m->key, *m->version};
            if (2 * (uint64_t)j->h->n_versions > j->mask) {
                grow_table(j);
            }
            return;
        }
        if (e->bits == m->bits && e->key == m->key && (j->one_kind || j->h->version_kind[e->version] == m->kind)) {
            *m->version = e->version;
            return;
        }
    }
}

static void flush(join *j) {
    for (unsigned i = 0; i < j->n_batch; i++) {
        look_up(j, &j->batch[i]);
    }
    j->n_batch = 0;
}

static inline void probe(join *j, uint32_t key, uint8_t kind, uint64_t bits, uint32_t *version) {
    if (kind == ISO_ATOM_NIL) {
        if (j->nil_version[key] == ISO_NONE) {
            j->nil_version[key] = add_version(j, key, kind, bits);
        }
        *version = j->nil_version[key];
        return;
    }
    mention *m = &j->batch[j->n_batch++];
    *m = (mention){hash_version(key, kind, bits), bits, version, key, kind};
    __builtin_prefetch(&j->table[m->hash & j->mask], 1);
    if (j->n_batch == BATCH) {
        flush(j);
    }
}

static void number_by_hash(join *j) {
    isolab_history *h = j->h;
    uint64_t writes = 0, room = 64;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        writes += iso_is_write(h->op_kind[o]);
    }
    while (room < 2 * writes) {
        room *= 2;
    }
    unsigned kinds = j->kinds & ~(1u << ISO_ATOM_NIL);
    j->one_kind = (kinds & (kinds - 1)) == 0;
    make_table(j, room);
    j->nil_version = ISO_NEW_NONE(h->pool, h->n_keys);
    h->n_versions = 0;
    j->versions_room = (uint32_t)(writes < 64 ? 64 : writes);
    make_versions(h, j->versions_room);
    visit_all(j, probe);
    flush(j);
    iso_free(h->pool, j->table);
    iso_free(h->pool, j->nil_version);
}

void iso_join(isolab_history *h, const iso_values *values) {
    join j = {.h = h, .env = h->pool->env, .values = values, .end = h->n_ops};
    uint64_t most = MOST_SLOTS * ((uint64_t)h->n_ops + h->list_first[h->n_lists] + 1024) + h->n_strings;
    h->op_version = ISO_NEW(h->pool, uint32_t, h->n_ops);
    h->list_version = ISO_NEW(h->pool, uint32_t, h->list_first[h->n_lists]);
    j.all = ISO_NEW(h->pool, join, values->threads);
    j.ranges = make_ranges(h->pool, h->n_keys);
    j.places = ISO_NEW(h->pool, place, (size_t)h->n_keys + 1);
    measure_all(&j);
    bool done = place_by_key(&j, most) && number_slots(&j);
    done = done || (place_shared(&j, most) && number_slots(&j));
    iso_free(h->pool, j.ranges);
    iso_free(h->pool, j.places);
    iso_free(h->pool, j.all);
    if (!done) {
        number_by_hash(&j);
    }
}
