/* The fingerprint of a history. See fingerprint.h. */
#include "history/fingerprint.h"

#include <string.h>
#include <xxhash.h>

#define CHUNK 4096

typedef struct hasher {
    uint64_t digest; /* of the chunks so far: the seed of the next chunk */
    uint32_t chunk[CHUNK];
    size_t used;
} hasher;

static void flush(hasher *f) {
    f->digest = XXH3_64bits_withSeed(f->chunk, f->used * sizeof *f->chunk, f->digest);
    f->used = 0;
}

static void put(hasher *f, uint32_t number) {
    f->chunk[f->used++] = number;
    if (f->used == CHUNK) {
        flush(f);
    }
}

static void put_time(hasher *f, int64_t instant) {
    put(f, (uint32_t)instant);
    put(f, (uint32_t)((uint64_t)instant >> 32));
}

/* Numbers items in the order in which they first occur. */
typedef struct renaming {
    uint32_t *number;
    uint32_t next;
} renaming;

static renaming rename_new(iso_pool *pool, uint32_t n) {
    renaming r = {ISO_NEW_NONE(pool, n), 0};
    return r;
}

static uint32_t renamed(renaming *r, uint32_t old) {
    if (r->number[old] == ISO_NONE) {
        r->number[old] = r->next++;
    }
    return r->number[old];
}

static void put_version(hasher *f, const isolab_history *h, renaming *versions, uint32_t version) {
    if (iso_version_is_negation(h, version)) {
        put(f, ISO_MANY);
        bool nil = !iso_version_is_initial(h, version);
        version = h->version_not[version] != ISO_NONE || nil ? h->version_not[version] : version;
        if (version == ISO_NONE) { /* of nil, which no operation names */
            put(f, ISO_INIT);
            return;
        }
    }
    put(f, iso_version_is_initial(h, version) && !iso_version_is_negation(h, version) ? ISO_INIT
                                                                                      : renamed(versions, version));
}

uint64_t iso_fingerprint(const isolab_history *h, iso_pool *scratch) {
    hasher *f = ISO_NEW(scratch, hasher, 1);
    f->digest = 0;
    f->used = 0;
    for (uint32_t s = 0; s <= h->n_sessions; s++) {
        put(f, h->session_txn[s]);
    }
    for (uint32_t t = 0; t < h->n_txns; t++) {
        put(f, h->txn_op[t + 1]);
        put(f, h->txn_status[t]);
        if (h->txn_start != NULL) {
            put_time(f, h->txn_start[t]);
            put_time(f, h->txn_end[t]);
        }
    }
    renaming keys = rename_new(scratch, h->n_keys), versions = rename_new(scratch, h->n_versions);
    for (uint32_t o = 0; o < h->n_ops; o++) {
        iso_tick(scratch->env);
        put(f, h->op_kind[o]);
        put(f, renamed(&keys, h->op_key[o]));
        if (h->op_kind[o] == ISO_LIST_READ) {
            uint32_t first = h->list_first[h->op_version[o]], end = h->list_first[h->op_version[o] + 1];
            put(f, end - first);
            for (uint32_t e = first; e < end; e++) {
                put(f, renamed(&versions, h->list_version[e]));
            }
        } else {
            put_version(f, h, &versions, h->op_version[o]);
        }
    }
    flush(f);
    uint64_t digest = f->digest;
    iso_free(scratch, versions.number);
    iso_free(scratch, keys.number);
    iso_free(scratch, f);
    return digest;
}
