/* Items, such as transactions, number the keys that they use: each item gives increasing numbers, and a key may get
 * several. iso_numbered_before() finds the last one that the current item gave to a key. A caller that uses `recent`
 * first learns for nearly every new key that the item has not met it; otherwise the numbers of a small item are
 * searched, and a large item has a table. */
#ifndef ISOLAB_BASE_NUMBERED_H
#define ISOLAB_BASE_NUMBERED_H

#include "base/assert.h"
#include "base/env.h"
#include "base/hash.h"

/* An item with more keys than this has a table. */
#define ISO_NUMBERED_LARGE 64

typedef struct iso_numbered {
    const uint32_t *key; /* by number */
    uint32_t first;      /* the first number of the current item */
    iso_recent recent;
    uint32_t *last, n_keys; /* by key: 1 + its last number; only for large items, made when needed */
    iso_pool *pool;
    bool is_large; /* the caller writes the numbers to `last`, too */
} iso_numbered;

/* Begins an item with at most `keys` keys, whose numbers begin at first. */
static inline void iso_numbered_begin(iso_numbered *n, uint32_t first, uint32_t keys) {
    iso_assert(n->pool != NULL);
    n->first = first;
    n->is_large = keys > ISO_NUMBERED_LARGE;
    if (n->is_large && n->last == NULL) {
        n->last = ISO_ZNEW(n->pool, uint32_t, n->n_keys);
    }
}

/* Returns the last number below `next` that the item gave to the key; UINT32_MAX: none. */
static inline uint32_t iso_numbered_before(const iso_numbered *n, uint32_t key, uint32_t next) {
    iso_assert(next >= n->first);
    if (n->is_large) {
        return n->last[key] > n->first ? n->last[key] - 1 : UINT32_MAX;
    }
    while (next > n->first && n->key[next - 1] != key) {
        next--;
    }
    return next > n->first ? next - 1 : UINT32_MAX;
}

#endif
