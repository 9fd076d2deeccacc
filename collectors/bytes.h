/* Keys and values as bytes, for stores of bytes: a key is its number, most significant byte first; a value is eight
 * bytes, a list eight for each element. Such a store appends by reading the list and writing it with one more
 * element. */
#ifndef ISOLAB_COLLECTORS_BYTES_H
#define ISOLAB_COLLECTORS_BYTES_H

#include <string.h>

#include "collectors/collector.h"

#define ISO_KEY_BYTES 4

static inline void iso_key_bytes(unsigned char bytes[ISO_KEY_BYTES], uint32_t key) {
    for (int i = 0; i < ISO_KEY_BYTES; i++) {
        bytes[i] = (unsigned char)(key >> (8 * (ISO_KEY_BYTES - 1 - i)));
    }
}

/* Fills in the result of a read from the stored bytes. */
static inline void iso_cell_from(iso_connection *c, iso_cell *cell, const void *bytes, size_t size) {
    const char *at = bytes;
    int64_t value;
    cell->n = 0;
    if (!c->db->lists) {
        memcpy(&cell->value, at, sizeof cell->value);
        return;
    }
    for (; size >= sizeof value; size -= sizeof value, at += sizeof value) {
        memcpy(&value, at, sizeof value);
        iso_cell_add(c, cell, value);
    }
}

/* Writes a key's list with one more element. did: how the list was read into `list`; if it was not, returns that. */
static inline iso_did iso_append_by_write(iso_connection *c, uint32_t key, iso_cell *list, iso_did did, int64_t value,
                                          iso_did (*put)(iso_connection *c, uint32_t key, const int64_t *values,
                                                         size_t n)) {
    if (did != ISO_DONE) {
        return did;
    }
    iso_cell_add(c, list, value);
    return put(c, key, list->list, list->n);
}

#endif
