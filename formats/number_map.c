/* See number_map.h. */
#include "formats/number_map.h"

#include <string.h>

#include "base/hash.h"

/* Limit of the array's size in proportion to the number of names. */
#define MOST_BOUND(used) (8 * (used) + 65536)

void iso_number_map_init(iso_number_map *map, iso_pool *pool) { *map = (iso_number_map){.pool = pool}; }

void iso_number_map_free(iso_number_map *map) {
    iso_free(map->pool, map->direct);
    iso_free(map->pool, map->name);
    iso_free(map->pool, map->number);
}

static uint64_t slot_of(const iso_number_map *map, uint64_t name) {
    uint64_t at = iso_mix(name) & map->mask;
    while (map->number[at] != ISO_NONE && map->name[at] != name) {
        at = (at + 1) & map->mask;
    }
    return at;
}

static void grow_table(iso_number_map *map) {
    iso_number_map old = *map;
    uint64_t room = old.name == NULL ? 64 : 2 * (old.mask + 1);
    map->name = ISO_NEW(map->pool, uint64_t, room);
    map->number = ISO_NEW_NONE(map->pool, room);
    map->mask = room - 1;
    for (uint64_t i = 0; old.name != NULL && i <= old.mask; i++) {
        if (old.number[i] != ISO_NONE) {
            uint64_t at = slot_of(map, old.name[i]);
            map->name[at] = old.name[i];
            map->number[at] = old.number[i];
        }
    }
    iso_free(map->pool, old.name);
    iso_free(map->pool, old.number);
}

/* Moves names of the table that are now below the bound to the array; they are no longer looked up in the table. */
static void grow_array(iso_number_map *map, uint64_t name) {
    uint64_t bound = map->bound == 0 ? 1024 : map->bound;
    while (bound <= name) {
        bound *= 2;
    }
    map->direct = iso_resize(map->pool, map->direct, bound, sizeof *map->direct);
    iso_fill_none(map->direct + map->bound, bound - map->bound);
    map->bound = bound;
    for (uint64_t i = 0; map->name != NULL && i <= map->mask; i++) {
        if (map->number[i] != ISO_NONE && map->name[i] < bound) {
            map->direct[map->name[i]] = map->number[i];
        }
    }
}

uint32_t *iso_number_slow(iso_number_map *map, uint64_t name) {
    if (name < MOST_BOUND(map->used)) {
        grow_array(map, name);
        return &map->direct[name];
    }
    if (map->name == NULL || 2 * map->hashed >= map->mask) {
        grow_table(map);
    }
    uint64_t at = slot_of(map, name);
    if (map->number[at] == ISO_NONE) {
        map->name[at] = name;
        map->hashed++;
    }
    return &map->number[at];
}

uint32_t iso_number_hashed(const iso_number_map *map, uint64_t name) {
    return map->name == NULL ? ISO_NONE : map->number[slot_of(map, name)];
}
