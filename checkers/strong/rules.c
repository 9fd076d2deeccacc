/* The writers and readers of each key, stored for the rules of saturation. See order.h. */
#include "base/bisect.h"
#include "base/clones.h"
#include "checkers/strong/order.h"

#include <string.h>

/* A key gets a table if at least one chain in this many writes it; otherwise searching its groups is cheaper. */
#define SPARSE 4

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

/* ---- the last writer in each chain ---- */

/* Visits the transactions by the rank of their commit, keeping the latest slot of each key. */
static void rank_writers(strong_last *l, iso_pool *pool, const uint32_t *rank) {
    const strong_model *m = l->m;
    uint32_t *by_rank = ISO_NEW_NONE(pool, (size_t)m->n * m->per_txn);
    for (uint32_t t = 0; t < m->n; t++) {
        by_rank[rank[strong_commit(m, t)]] = t;
    }
    uint32_t *latest = ISO_NEW_NONE(pool, m->h->n_keys);
    for (uint32_t r = 0; r < m->n * m->per_txn; r++) {
        uint32_t t = by_rank[r];
        for (uint32_t w = t == ISO_NONE ? 0 : m->write_first[t]; t != ISO_NONE && w < m->write_first[t + 1]; w++) {
            l->before[w] = latest[m->write_key[w]];
            latest[m->write_key[w]] = w;
        }
    }
    iso_free(pool, by_rank);
    iso_free(pool, latest);
}

void iso_strong_last_init(strong_last *l, const strong_model *m, iso_pool *pool, uint32_t stride, const uint32_t *rank,
                          const uint8_t *without) {
    memset(l, 0, sizeof *l);
    l->m = m;
    l->stride = stride;
    l->table = ISO_NEW(pool, uint32_t, m->h->n_keys);
    uint32_t tables = 0;
    for (uint32_t x = 0; x < m->h->n_keys; x++) {
        uint32_t groups = m->key_group[x + 1] - m->key_group[x];
        l->table[x] = !without[x] && groups >= 8 && (uint64_t)groups * SPARSE >= m->k ? tables++ : ISO_NONE;
    }
    size_t lanes = (size_t)tables * stride; /* at most SPARSE times the groups, without padding */
    l->low = ISO_ZNEW(pool, strong_count, lanes);
    l->high = ISO_NEW(pool, strong_count, lanes);
    l->at = ISO_NEW(pool, uint32_t, lanes);
    l->group = ISO_NEW(pool, uint32_t, lanes);
    memset(l->high, 0xff, lanes * sizeof *l->high);
    iso_fill_none(l->group, lanes);
    for (uint32_t x = 0; x < m->h->n_keys; x++) {
        if (l->table[x] == ISO_NONE) {
            continue;
        }
        for (uint32_t g = m->key_group[x]; g < m->key_group[x + 1]; g++) {
            size_t lane = (size_t)l->table[x] * stride + m->group_chain[g];
            l->group[lane] = g;
            l->high[lane] = (strong_count)(m->key_txn[m->group_start[g]] - m->first[m->group_chain[g]] + 1);
        }
    }
    if (tables > 0) {
        l->before = ISO_NEW(pool, uint32_t, m->write_first[m->n]);
        rank_writers(l, pool, rank);
    }
}

uint32_t iso_strong_last_in_group(const strong_model *m, uint32_t group, uint32_t count) {
    uint32_t limit = m->first[m->group_chain[group]] + count, start = m->group_start[group];
    uint32_t end = ISO_BISECT(i, start, m->group_start[group + 1], m->key_txn[i] < limit);
    return end == start ? ISO_NONE : end - 1;
}

/* Counts the lanes whose answer is out of date. */
ISO_VECTOR static uint32_t stale(const strong_count *restrict low, const strong_count *restrict high,
                                 const strong_count *restrict clock, unsigned add, unsigned shift, uint32_t stride) {
    uint32_t n = 0;
    for (uint32_t c = 0; c < stride; c += STRONG_LANES) {
        strong_count some = 0;
        for (uint32_t i = c; i < c + STRONG_LANES; i++) {
            strong_count count = (strong_count)((strong_count)(clock[i] + add) >> shift);
            some = (strong_count)(some + ((count < low[i]) | (count >= high[i])));
        }
        n += some;
    }
    return n;
}

ISO_VECTOR static uint32_t missing(const strong_count *restrict low, const strong_count *restrict clock, unsigned add,
                                   unsigned shift, uint32_t stride) {
    uint32_t n = 0;
    for (uint32_t c = 0; c < stride; c += STRONG_LANES) {
        strong_count some = 0;
        for (uint32_t i = c; i < c + STRONG_LANES; i++) {
            some = (strong_count)(some + ((strong_count)((strong_count)(clock[i] + add) >> shift) < low[i]));
        }
        n += some;
    }
    return n;
}

static void move_lane(strong_last *l, size_t lane, uint32_t chain, uint32_t count) {
    const strong_model *m = l->m;
    uint32_t group = l->group[lane], first = m->first[chain];
    uint32_t at = iso_strong_last_in_group(m, group, count);
    uint32_t next = at == ISO_NONE ? m->group_start[group] : at + 1;
    l->at[lane] = at;
    l->low[lane] = at == ISO_NONE ? 0 : (strong_count)(m->key_txn[at] - first + 1);
    l->high[lane] = next == m->group_start[group + 1] ? UINT16_MAX : (strong_count)(m->key_txn[next] - first + 1);
}

uint32_t iso_strong_last_in_lane(strong_last *l, uint32_t table, uint32_t chain, uint32_t count) {
    size_t lane = (size_t)table * l->stride + chain;
    if (count < l->low[lane] || count >= l->high[lane]) {
        move_lane(l, lane, chain, count);
    }
    return l->low[lane] == 0 ? ISO_NONE : l->at[lane];
}

void iso_strong_last_move(strong_last *l, uint32_t table, const strong_count *clock, uint32_t add, uint32_t shift) {
    size_t base = (size_t)table * l->stride;
    uint32_t left = stale(l->low + base, l->high + base, clock, add, shift, l->stride);
    for (uint32_t c = 0; left > 0; c++) {
        uint32_t count = (uint32_t)(clock[c] + add) >> shift;
        if (count < l->low[base + c] || count >= l->high[base + c]) {
            left--;
            move_lane(l, base + c, c, count);
        }
    }
}

uint32_t iso_strong_last_missing(const strong_last *l, uint32_t table, const strong_count *clock, uint32_t add,
                                 uint32_t shift) {
    return missing(l->low + (size_t)table * l->stride, clock, add, shift, l->stride);
}
