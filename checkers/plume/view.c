/* The checker's own arrays. O(n); see plume.h. */
#include <string.h>

#include "base/bisect.h"
#include "base/index.h"
#include "checkers/plume/plume.h"

#define MANY 64 /* from this number of reads on, those of one key from several transactions are looked up in a table */
#define FEW 16  /* up to this number of keys, a transaction's writes are searched linearly */

/* Returns the transaction that a register read reads from, if it is another one and the read does not offend. */
static uint32_t source_of(const iso_plume *p, uint32_t op, uint32_t writer) {
    const isolab_history *h = p->h;
    if ((p->dropped != NULL && iso_plume_bit(p->dropped, op)) || writer == ISO_INIT) {
        return p->dropped != NULL && iso_plume_bit(p->dropped, op) ? ISO_NONE : ISO_INIT;
    }
    return h->op_txn[writer] == h->op_txn[op] ? ISO_NONE : h->op_txn[writer];
}

static void list_reads(iso_plume *p) {
    const isolab_history *h = p->h;
    uint32_t n = 0, at = 0, room = 0;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        room += !iso_is_write(h->op_kind[o]);
    }
    p->read_first = ISO_NEW(p->pool, uint32_t, (size_t)h->n_txns + 1);
    p->read_op = ISO_NEW(p->pool, uint32_t, room);
    p->read_key = ISO_NEW(p->pool, uint32_t, room);
    p->read_from = ISO_NEW(p->pool, uint32_t, room);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        p->read_first[t] = n;
        for (uint32_t o = h->txn_op[t]; iso_plume_in(p, t) && o < h->txn_op[t + 1]; o++) {
            iso_tick(p->pool->env);
            uint32_t from = ISO_NONE;
            if (h->op_kind[o] == ISO_READ) {
                from = source_of(p, o, h->op_writer[o]);
            } else if (h->op_kind[o] == ISO_LIST_READ) {
                while (at < p->lists->n_reads && p->lists->read[at].op < o) {
                    at++;
                }
                if (at < p->lists->n_reads && p->lists->read[at].op == o) {
                    from = source_of(p, o, p->lists->read[at].writer);
                }
            }
            if (from != ISO_NONE) {
                p->read_op[n] = o;
                p->read_key[n] = h->op_key[o];
                p->read_from[n++] = from;
            }
        }
    }
    p->read_first[h->n_txns] = n;
}

/* Returns whether a read met before has this read's key and source, and else adds the read. */
static bool met_before(const iso_plume *p, iso_index *met, uint32_t r) {
    uint64_t hash = iso_mix((uint64_t)p->read_key[r] << 32 | p->read_from[r]);
    uint32_t at;
    for (uint32_t i = iso_index_first(met, hash, &at); i != UINT32_MAX; i = iso_index_next(met, hash, &at)) {
        if (p->read_key[i] == p->read_key[r] && p->read_from[i] == p->read_from[r]) {
            return true;
        }
    }
    iso_index_add(met, hash, r);
    return false;
}

/* Marks the facts of a transaction with many reads. */
static void mark_many_facts(iso_plume *p, uint32_t first, uint32_t end) {
    iso_index met;
    iso_index_init(&met, p->pool, end - first);
    for (uint32_t r = end; r-- > first;) {
        if (!met_before(p, &met, r)) {
            iso_plume_set(p->fact, r);
        }
    }
    iso_index_free(&met);
}

/* Marks the last read of each t1 -wr_x-> t3, going from the last read of a transaction to its first. */
static void mark_facts(iso_plume *p) {
    const isolab_history *h = p->h;
    uint32_t *stamp = ISO_ZNEW(p->pool, uint32_t, h->n_keys), *from = ISO_NEW(p->pool, uint32_t, h->n_keys);
    p->fact = ISO_ZNEW(p->pool, uint64_t, (size_t)p->read_first[h->n_txns] / 64 + 1);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        for (uint32_t r = p->read_first[t + 1]; r-- > p->read_first[t];) {
            uint32_t k = p->read_key[r];
            iso_tick(p->pool->env);
            bool again = stamp[k] == t + 1 && from[k] == p->read_from[r];
            if (stamp[k] == t + 1 && !again) { /* the key was read from several transactions */
                if (p->read_first[t + 1] - p->read_first[t] > MANY) {
                    mark_many_facts(p, p->read_first[t], p->read_first[t + 1]);
                    break;
                }
                for (uint32_t later = r + 1; later < p->read_first[t + 1] && !again; later++) {
                    again = p->read_key[later] == k && p->read_from[later] == p->read_from[r];
                }
            }
            stamp[k] = t + 1;
            from[k] = p->read_from[r];
            if (!again) {
                iso_plume_set(p->fact, r);
            }
        }
    }
    iso_free(p->pool, stamp);
    iso_free(p->pool, from);
}

static void list_writes(iso_plume *p) {
    const isolab_history *h = p->h;
    uint32_t *stamp = ISO_ZNEW(p->pool, uint32_t, h->n_keys), n = 0, room = 0;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        room += iso_is_write(h->op_kind[o]);
    }
    p->write_first = ISO_NEW(p->pool, uint32_t, (size_t)h->n_txns + 1);
    p->write_key = ISO_NEW(p->pool, uint32_t, room);
    iso_buckets rows = iso_buckets_new(p->pool, h->n_keys);
    p->writer_first = rows.first;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        p->write_first[t] = n;
        for (uint32_t o = h->txn_op[t]; iso_plume_in(p, t) && o < h->txn_op[t + 1]; o++) {
            iso_tick(p->pool->env);
            uint32_t k = h->op_key[o];
            if (iso_is_write(h->op_kind[o]) && stamp[k] != t + 1) {
                stamp[k] = t + 1;
                p->write_key[n++] = k;
                iso_buckets_count(&rows, k);
            }
        }
    }
    p->write_first[h->n_txns] = n;
    iso_free(p->pool, stamp);
}

static void index_writers(iso_plume *p) {
    const isolab_history *h = p->h;
    iso_buckets rows = {p->writer_first, h->n_keys}; /* counted already */
    p->writer = ISO_NEW(p->pool, uint32_t, iso_buckets_sum(&rows));
    for (uint32_t t = 0; t < h->n_txns; t++) {
        for (uint32_t i = p->write_first[t]; i < p->write_first[t + 1]; i++) {
            p->writer[iso_buckets_place(&rows, p->write_key[i])] = t;
        }
    }
}

static void index_groups(iso_plume *p) {
    const isolab_history *h = p->h;
    p->group_first = ISO_NEW(p->pool, uint32_t, (size_t)h->n_keys + 1);
    uint32_t n = 0;
    for (int pass = 0; pass < 2; pass++) { /* count, then fill */
        n = 0;
        for (uint32_t k = 0; k < h->n_keys; k++) {
            p->group_first[k] = n;
            for (uint32_t i = p->writer_first[k], last = ISO_NONE; i < p->writer_first[k + 1]; i++) {
                uint32_t s = h->txn_session[p->writer[i]];
                if (s == last) {
                    continue;
                }
                if (pass == 1) {
                    p->group[n] = i;
                    p->group_session[n] = s;
                }
                last = s;
                n++;
            }
            uint32_t groups = n - p->group_first[k];
            p->most_groups = groups > p->most_groups ? groups : p->most_groups;
        }
        if (pass == 0) {
            p->group = ISO_NEW(p->pool, uint32_t, (size_t)n + 1);
            p->group_session = ISO_NEW(p->pool, uint32_t, n);
        }
    }
    p->group_first[h->n_keys] = n;
    p->group[n] = p->writer_first[h->n_keys];
}

void iso_plume_view(iso_plume *p) {
    list_reads(p);
    mark_facts(p);
    list_writes(p);
    index_writers(p);
    index_groups(p);
    iso_plume_searches(p, p->h->n_txns + 1);
}

void iso_plume_searches(iso_plume *p, uint32_t n_nodes) {
    if (n_nodes <= p->searched) {
        return;
    }
    void *arrays[] = {p->stamp, p->parent, p->queue};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        iso_free(p->pool, arrays[i]);
    }
    p->stamp = ISO_ZNEW(p->pool, uint32_t, n_nodes);
    p->parent = ISO_NEW(p->pool, uint32_t, n_nodes);
    p->queue = ISO_NEW(p->pool, uint32_t, n_nodes);
    p->searched = n_nodes;
    p->search = 0;
}

uint32_t iso_plume_below(const iso_plume *p, uint32_t from, uint32_t to, uint32_t txn) {
    return ISO_BISECT(i, from, to, p->writer[i] < txn) - from;
}

bool iso_plume_writes(const iso_plume *p, uint32_t t, uint32_t key) {
    uint32_t first = p->write_first[t], end = p->write_first[t + 1];
    if (end - first <= FEW) {
        while (first < end && p->write_key[first] != key) {
            first++;
        }
        return first < end;
    }
    first = p->writer_first[key];
    uint32_t at = first + iso_plume_below(p, first, p->writer_first[key + 1], t);
    return at < p->writer_first[key + 1] && p->writer[at] == t;
}
