/* From 64-bit names to dense numbers, for formats that name things by integers: an array for small names, which
 * grows while the names fill it, and a hash table for the others. Names stand in the table itself: base/index.h would
 * read one place more for each name of a large file. */
#ifndef ISOLAB_FORMATS_NUMBER_MAP_H
#define ISOLAB_FORMATS_NUMBER_MAP_H

#include "history/history.h"

typedef struct iso_number_map {
    iso_pool *pool;
    uint64_t used;    /* number of names with a number, which the caller counts */
    uint32_t *direct; /* by name, for names below bound */
    uint64_t bound;
    uint64_t *name; /* the table; number ISO_NONE: free slot */
    uint32_t *number;
    uint64_t mask, hashed;
} iso_number_map;

void iso_number_map_init(iso_number_map *map, iso_pool *pool);
void iso_number_map_free(iso_number_map *map);

uint32_t *iso_number_slow(iso_number_map *map, uint64_t name);
uint32_t iso_number_hashed(const iso_number_map *map, uint64_t name);

/* Returns the place of a name's number: ISO_NONE if it has none yet; then the caller must set it at once, and count it
 * in used. */
static inline uint32_t *iso_number_of(iso_number_map *map, uint64_t name) {
    return name < map->bound ? &map->direct[name] : iso_number_slow(map, name);
}

/* Returns a name's number; ISO_NONE: it has none. */
static inline uint32_t iso_number_find(const iso_number_map *map, uint64_t name) {
    return name < map->bound ? map->direct[name] : iso_number_hashed(map, name);
}

/* Fetches the number of a small name into the cache. */
static inline void iso_number_expect(const iso_number_map *map, uint64_t name) {
    if (name < map->bound) {
        __builtin_prefetch(&map->direct[name]);
    }
}

#endif
