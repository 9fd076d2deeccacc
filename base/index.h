/* A hash index: finds the numbers of things by the hash of their contents. The things themselves stay where they are, so one
 * index serves any kind of key: the caller hashes, and compares what the index offers.
 *
 *     for (uint32_t at, i = iso_index_first(&index, hash, &at); i != UINT32_MAX; i = iso_index_next(&index, hash, &at)) {
 *         if (things[i] is the one) { return i; }
 *     }
 *     iso_index_add(&index, hash, n_things);
 *
 * Open addressing with linear probing, at most half full. A slot keeps 32 bits of the hash, so most others are passed over
 * without a comparison, and growing needs no caller. */
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
    uint32_t mask; /* number of slots less 1 */
    uint32_t n;    /* items */
} iso_index;

/* For about `expected` items; it grows where there are more. */
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

/* The first item at or after slot *at whose kept hash is that of `hash`; UINT32_MAX: none. */
static inline uint32_t iso_index_look(const iso_index *index, uint64_t hash, uint32_t *at) {
    for (; index->slot[*at].item != UINT32_MAX; *at = (*at + 1) & index->mask) {
        if (index->slot[*at].hash == (uint32_t)(hash >> 32)) {
            return index->slot[*at].item;
        }
    }
    return UINT32_MAX;
}

/* The first candidate for a hash, and the next one; UINT32_MAX: no more. *at is the place of the search. */
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

/* Adds an item (below UINT32_MAX), whether or not an equal one is there. */
static inline void iso_index_add(iso_index *index, uint64_t hash, uint32_t item) {
    iso_assert(item != UINT32_MAX);
    if (index->n > index->mask / 2) {
        iso_index old = *index;
        if (old.mask == UINT32_MAX / 2) {
            iso_throw_limit(old.pool->env, ISO_LIMIT_SIZE, "more than %u things in one table", old.n);
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
