/* Finds the writes that a read may be from, by read consistency. See candidates.h. */
#include <string.h>

#include "base/bisect.h"
#include "base/buckets.h"
#include "checkers/candidates/candidates.h"

static bool concerns(const cand *c, uint32_t t) { return c->h->txn_counts[t] != ISO_EXCLUDED; }

/* Sorts the keys that a transaction writes, each with its last write, by key. */
static void sort_writes(uint32_t *key, uint32_t *op, uint32_t n) {
    for (uint32_t gap = n / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11) {
        for (uint32_t i = gap; i < n; i++) {
            uint32_t k = key[i], o = op[i], at = i;
            for (; at >= gap && key[at - gap] > k; at -= gap) {
                key[at] = key[at - gap];
                op[at] = op[at - gap];
            }
            key[at] = k;
            op[at] = o;
        }
    }
}

/* Lists last writes: going backwards through a transaction, the first write of a key that is met is its last. */
static void list_writes(cand *c) {
    const isolab_history *h = c->h;
    uint32_t *seen = ISO_ZNEW(c->pool, uint32_t, h->n_keys),
             n = 0; /* by key: 1 + the last transaction in which it was met */
    c->write_first = ISO_NEW(c->pool, uint32_t, (size_t)h->n_txns + 1);
    c->write_key = ISO_NEW(c->pool, uint32_t, h->n_ops);
    c->write_op = ISO_NEW(c->pool, uint32_t, h->n_ops);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        iso_tick(c->pool->env);
        uint32_t first = c->write_first[t] = n;
        for (uint32_t o = h->txn_op[t + 1]; concerns(c, t) && o-- > h->txn_op[t];) {
            if (iso_is_write(h->op_kind[o]) && seen[h->op_key[o]] != t + 1) {
                seen[h->op_key[o]] = t + 1;
                c->write_key[n] = h->op_key[o];
                c->write_op[n++] = o;
            }
        }
        sort_writes(c->write_key + first, c->write_op + first, n - first);
    }
    c->write_first[h->n_txns] = n;
    iso_free(c->pool, seen);
}

/* txns: the order of the transactions; NULL: by number. */
static void fill_finals(cand *c, iso_buckets *rows, const uint32_t *txns, uint32_t n) {
    const isolab_history *h = c->h;
    for (uint32_t j = 0; j < n; j++) {
        uint32_t t = txns != NULL ? txns[j] : j;
        for (uint32_t i = c->write_first[t]; i < c->write_first[t + 1]; i++) {
            c->final_op[iso_buckets_place(rows, h->op_version[c->write_op[i]])] = c->write_op[i];
        }
    }
}

static void list_finals(cand *c) {
    const isolab_history *h = c->h;
    uint32_t n = c->write_first[h->n_txns];
    iso_buckets rows = iso_buckets_new(c->pool, h->n_versions);
    for (uint32_t i = 0; i < n; i++) {
        iso_buckets_count(&rows, h->op_version[c->write_op[i]]);
    }
    c->final_op = ISO_NEW(c->pool, uint32_t, iso_buckets_sum(&rows));
    c->final_first = rows.first;
    fill_finals(c, &rows, NULL, h->n_txns);
}

void iso_cand_sort_writers(cand *c) {
    iso_buckets rows = {c->final_first, c->h->n_versions};
    memmove(rows.first + 1, rows.first, rows.n * sizeof *rows.first); /* as before they were filled */
    fill_finals(c, &rows, c->by_chain, c->n_order);
}

uint32_t iso_cand_next_of_all(const cand *c, const cand_read *r, uint32_t *at) {
    const isolab_history *h = c->h;
    uint32_t n = c->final_first[r->version + 1] - c->final_first[r->version];
    if (r->writer == ISO_NONE) {
        return ISO_NONE;
    }
    while (*at < n) {
        uint32_t w = c->final_op[c->final_first[r->version] + (*at)++];
        if (h->op_txn[w] != h->op_txn[r->op]) {
            return w;
        }
    }
    return (*at)++ == n && iso_version_is_initial(h, r->version) ? ISO_INIT : ISO_NONE;
}

uint32_t iso_cand_next(const cand *c, const cand_read *r, uint32_t *at) {
    if (r->first_left == ISO_NONE) {
        return iso_cand_next_of_all(c, r, at);
    }
    return *at < r->n_left ? c->left_op[r->first_left + (*at)++] : ISO_NONE;
}

uint32_t iso_cand_read_of(const cand *c, uint32_t op) {
    const uint32_t *first = c->read_first + c->h->op_txn[op];
    return ISO_BISECT(r, first[0] + 1, first[1], c->reads[r].op <= op) - 1;
}

/* Returns the only write that the read can be from; ISO_MANY if there are several, or if the reader or the writer is
 * optional. */
static uint32_t only_writer(const cand *c, const cand_read *r) {
    const isolab_history *h = c->h;
    uint32_t at = 0, w = iso_cand_next(c, r, &at);
    if (w == ISO_NONE) {
        return ISO_NONE;
    }
    bool sure = cand_in(c, h->op_txn[r->op]) && (w == ISO_INIT || cand_in(c, h->op_txn[w]));
    return sure && iso_cand_next(c, r, &at) == ISO_NONE ? w : ISO_MANY;
}

/* Collects the reads. A read after an own write is left out if it returns that write; otherwise no write explains
 * it. */
static void list_reads(cand *c) {
    const isolab_history *h = c->h;
    uint32_t *own = ISO_ZNEW(c->pool, uint32_t, h->n_keys); /* by key: 1 + the last own write */
    c->read_first = ISO_NEW(c->pool, uint32_t, (size_t)h->n_txns + 1);
    c->reads = ISO_NEW(c->pool, cand_read, h->n_ops);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        iso_tick(c->pool->env);
        c->read_first[t] = c->n_reads;
        for (uint32_t o = h->txn_op[t]; concerns(c, t) && o < h->txn_op[t + 1]; o++) {
            uint32_t *mine = &own[h->op_key[o]];
            cand_read r = {o, h->op_key[o], h->op_version[o], ISO_MANY, 0, ISO_NONE, 0, false};
            if (h->op_kind[o] != ISO_READ) {
                *mine = o + 1;
            } else if (*mine <= h->txn_op[t]) {
                r.writer = only_writer(c, &r);
                c->reads[c->n_reads++] = r;
            } else if (h->op_version[*mine - 1] != r.version) {
                r.writer = ISO_NONE;
                c->reads[c->n_reads++] = r;
            }
        }
    }
    c->read_first[h->n_txns] = c->n_reads;
    iso_free(c->pool, own);
}

void iso_cand_model(cand *c) {
    list_writes(c);
    list_finals(c);
    list_reads(c);
    c->order = ISO_NEW(c->pool, uint32_t, c->h->n_txns);
    c->place = ISO_ZNEW(c->pool, uint32_t, c->h->n_txns);
    c->done_op = ISO_NEW(c->pool, uint32_t, c->final_first[c->h->n_versions]);
    c->n_done = ISO_NEW(c->pool, uint32_t, c->h->n_versions);
    c->chosen = ISO_NEW(c->pool, uint32_t, c->n_reads);
}

bool iso_cand_writes(const cand *c, uint32_t t, uint32_t key) {
    uint32_t end = c->write_first[t + 1], at = ISO_BISECT(i, c->write_first[t], end, c->write_key[i] < key);
    return at < end && c->write_key[at] == key;
}
