/* A hash index: finds the numbers of items by the hash of their contents. The items stay in the caller's arrays, so
 * one index serves any kind of key: the caller hashes, and compares the candidates that the index returns.
 *
 *   for (uint32_t at, i = iso_index_first(&index, hash, &at); i != UINT32_MAX; i = iso_index_next(&index, hash, &at)) {
 *       if (items[i] is the one) { return i; }
 *   }
 *   iso_index_add(&index, hash, n_items);
 *
 * Open addressing with linear probing, at most half full. A slot keeps 32 bits of the hash, so most other items are
 * skipped without a comparison, and the index can grow without its caller. */
#ifndef ISOLAB_BASE_INDEX_H
#define ISOLAB_BASE_INDEX_H

#include <stdint.h>

#include "base/assert.h"
#include "base/env.h"
#include "base/hash.h"

typedef struct iso_index_slot {
    uint32_t item; /* UINT32_MAX: empty */
    uint32_t hash;
} iso_index_slot;

typedef struct iso_index {
    iso_pool *pool;
    iso_index_slot *slot;
    uint32_t mask; /* number of slots minus 1 */
    uint32_t n;    /* number of items */
} iso_index;

/* Makes an index for about `expected` items; it grows when there are more. */
static inline void iso_index_init(iso_index *index, iso_pool *pool, uint32_t expected) {
    uint64_t room = 16;
    while (room < 2 * (uint64_t)expected && room < (uint64_t)1 << 31) {
        room *= 2;
    }
    *index = (iso_index){pool, iso_alloc(pool, room, sizeof(iso_index_slot)), (uint32_t)(room - 1), 0};
    for (uint64_t i = 0; i < room; i++) {
        index->slot[i].item = UINT32_MAX;
    }
}

static inline void iso_index_free(iso_index *index) { iso_free(index->pool, index->slot); }

/* Returns the first item at or after slot *at whose kept bits equal those of `hash`; UINT32_MAX: none. */
static inline uint32_t iso_index_look(const iso_index *index, uint64_t hash, uint32_t *at) {
    for (; index->slot[*at].item != UINT32_MAX; *at = (*at + 1) & index->mask) {
        if (index->slot[*at].hash == (uint32_t)(hash >> 32)) {
            return index->slot[*at].item;
        }
    }
    return UINT32_MAX;
}

/* Return the first candidate for a hash, and the next one; UINT32_MAX: no more. *at is the state of the search. */
static inline uint32_t iso_index_first(const iso_index *index, uint64_t hash, uint32_t *at) {
    *at = (uint32_t)(hash >> 32) & index->mask;
    return iso_index_look(index, hash, at);
}

static inline uint32_t iso_index_next(const iso_index *index, uint64_t hash, uint32_t *at) {
    *at = (*at + 1) & index->mask;
    return iso_index_look(index, hash, at);
}

static inline void iso_index_put(iso_index *index, uint32_t hash, uint32_t item) {
    uint32_t at = hash & index->mask;
    while (index->slot[at].item != UINT32_MAX) {
        at = (at + 1) & index->mask;
    }
    index->slot[at] = (iso_index_slot){item, hash};
}

/* Adds an item (below UINT32_MAX), even if an equal item exists. */
static inline void iso_index_add(iso_index *index, uint64_t hash, uint32_t item) {
    iso_assert(item != UINT32_MAX);
    if (index->n > index->mask / 2) {
        iso_index old = *index;
        if (old.mask == UINT32_MAX / 2) {
            iso_throw_limit(old.pool->env, ISO_LIMIT_SIZE, "more than %u items in one table", old.n);
        }
        iso_index_init(index, old.pool, old.mask + 1);
        index->n = old.n;
        for (uint64_t i = 0; i <= old.mask; i++) {
            if (old.slot[i].item != UINT32_MAX) {
                iso_index_put(index, old.slot[i].hash, old.slot[i].item);
            }
        }
        iso_index_free(&old);
    }
    iso_index_put(index, (uint32_t)(hash >> 32), item);
    index->n++;
}

#endif
