/* See rules.h. */
#include "checkers/strong/rules.h"

#include <string.h>

void iso_strong_rules_init(strong_rules *r, const strong_model *m, iso_pool *pool, const strong_point *at,
                           uint32_t few_writers) {
    uint32_t n_keys = m->h->n_keys;
    memset(r, 0, sizeof *r);
    r->m = m;
    r->at = at;
    r->chains = ISO_ZNEW(pool, uint64_t, n_keys);
    r->flat = ISO_NEW(pool, uint8_t, n_keys);
    r->writer = ISO_NEW(pool, strong_point, m->key_first[n_keys]);
    for (uint32_t x = 0; x < n_keys; x++) {
        uint32_t begin = m->key_first[x], end = m->key_first[x + 1];
        r->flat[x] = end - begin <= few_writers;
        for (uint32_t g = m->key_group[x]; end - begin > 1 && g < m->key_group[x + 1]; g++) {
            r->chains[x] |= (uint64_t)1 << (m->group_chain[g] % 64);
        }
        for (uint32_t i = begin; r->flat[x] && i < end; i++) {
            r->writer[i] = at[strong_commit(m, m->key_txn[i])];
        }
    }
    iso_strong_rules_reads(r, pool);
}

void iso_strong_rules_reads(strong_rules *r, iso_pool *pool) {
    const strong_model *m = r->m;
    uint32_t n_keys = m->h->n_keys, reads = m->read_first[m->n], n = 0;
    iso_free(pool, r->source);
    iso_free(pool, r->pair_first);
    iso_free(pool, r->pair);
    iso_free(pool, r->pair_read);
    r->source = ISO_NEW_NONE(pool, reads);
    r->pair_first = ISO_NEW(pool, uint32_t, (size_t)n_keys + 1);
    r->pair = ISO_NEW(pool, strong_pair, reads);
    r->pair_read = ISO_NEW(pool, uint32_t, reads);
    for (uint32_t x = 0; x < n_keys; x++) {
        r->pair_first[x] = n;
        for (uint32_t at = m->key_first[x]; r->chains[x] != 0 && at < m->key_first[x + 1]; at++) {
            uint32_t slot = m->key_slot[at];
            strong_point writer = r->at[strong_written(m, m->key_txn[at])];
            for (uint32_t i = m->slot_first[slot]; i < m->slot_first[slot + 1]; i++) {
                uint32_t read = m->slot_read[i];
                r->source[read] = at;
                if (r->flat[x]) {
                    r->pair_read[n] = read;
                    r->pair[n++] = (strong_pair){writer, r->at[strong_start(m, m->read_txn[read])]};
                }
            }
        }
    }
    r->pair_first[n_keys] = n;
}
