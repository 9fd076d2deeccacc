/* See lists.h. */
#include "history/lists.h"

#include <string.h>

#include "base/buckets.h"

typedef struct inference {
    const isolab_history *h;
    iso_pool *pool;
    iso_lists *l;
    iso_list_report *report;
    void *arg;
    uint32_t *first; /* by append: the first append of its transaction to the key */
    uint32_t *next;  /* by append: the next one of its transaction to the key; ISO_NONE: none */
    uint32_t *seen;  /* by version: 1 + the number of the last read that showed it */
    uint8_t *shown;  /* by append that is the first of its transaction and key: its transaction is a block */
} inference;

static void fault(inference *i, iso_list_fault_kind kind, uint32_t read, uint32_t other, uint32_t position) {
    const iso_list_read *r = &i->l->read[read];
    i->l->n_faults++;
    if (i->report != NULL) {
        iso_list_fault f = {kind, i->h->op_key[r->op], r->op, other, position};
        i->report(i->arg, &f);
    }
}

/* One pass over the operations: links the appends of a transaction to a key, and splits each list read into the appends
 * of others and those of the reader. last[k] is the reader's latest append to k; an entry before the reader's first
 * operation belongs to another transaction. */
static void sweep(inference *i) {
    const isolab_history *h = i->h;
    uint32_t *last = ISO_NEW_NONE(i->pool, h->n_keys), *previous = ISO_NEW(i->pool, uint32_t, h->n_ops);
    uint32_t room = 0;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        iso_tick(i->pool->env);
        uint32_t key = h->op_key[o], from = h->txn_op[h->op_txn[o]];
        uint32_t own = last[key] != ISO_NONE && last[key] >= from ? last[key] : ISO_NONE;
        if (h->op_kind[o] == ISO_APPEND) {
            i->first[o] = own == ISO_NONE ? o : i->first[own];
            i->next[o] = ISO_NONE;
            if (own != ISO_NONE) {
                i->next[own] = o;
            }
            previous[o] = own;
            last[key] = o;
        } else if (h->op_kind[o] == ISO_LIST_READ && h->txn_counts[h->op_txn[o]] == ISO_INCLUDED) {
            uint32_t begin = h->list_first[h->op_version[o]], end = h->list_first[h->op_version[o] + 1];
            while (own != ISO_NONE && end > begin && h->list_version[end - 1] == h->op_version[own]) {
                own = previous[own];
                end--;
            }
            if (own != ISO_NONE) {
                continue; /* some of the reader's own appends are missing: this violates read consistency */
            }
            ISO_GROW(i->pool, i->l->read, i->l->n_reads, room);
            i->l->read[i->l->n_reads++] = (iso_list_read){
                o, begin, end - begin, end == begin ? ISO_INIT : h->version_writer[h->list_version[end - 1]]};
        }
    }
    iso_free(i->pool, last);
    iso_free(i->pool, previous);
}

static void find_longest(inference *i) {
    iso_lists *l = i->l;
    l->longest = ISO_NEW_NONE(i->pool, i->h->n_keys);
    for (uint32_t r = 0; r < l->n_reads; r++) {
        uint32_t *best = &l->longest[i->h->op_key[l->read[r].op]];
        if (*best == ISO_NONE || l->read[r].length > l->read[*best].length) {
            *best = r;
        }
    }
}

static void find_duplicates(inference *i, uint32_t read) {
    const iso_list_read *r = &i->l->read[read];
    for (uint32_t e = 0; e < r->length; e++) {
        iso_tick(i->pool->env);
        uint32_t version = i->h->list_version[r->first + e];
        if (i->seen[version] == read + 1) {
            fault(i, ISO_LIST_DUPLICATE, read, i->h->version_writer[version], e);
        }
        i->seen[version] = read + 1;
    }
}

/* Every external part must be a prefix of the longest one of its key. */
static void compare(inference *i, uint32_t read) {
    const isolab_history *h = i->h;
    const iso_list_read *r = &i->l->read[read];
    uint32_t best = i->l->longest[h->op_key[r->op]];
    const iso_list_read *m = &i->l->read[best];
    if (read == best) {
        find_duplicates(i, read);
        return;
    }
    const uint32_t *a = h->list_version + r->first, *b = h->list_version + m->first;
    if (memcmp(a, b, r->length * sizeof *a) == 0) {
        return; /* the longest part has no duplicates, so its prefix has none */
    }
    uint32_t at = 0;
    while (a[at] == b[at]) {
        at++;
    }
    fault(i, ISO_LIST_INCOMPATIBLE, read, m->op, at);
    find_duplicates(i, read);
}

static uint32_t writer_at(const inference *i, const iso_list_read *r, uint32_t position) {
    return i->h->version_writer[i->h->list_version[r->first + position]];
}

static bool same_block(const inference *i, uint32_t a, uint32_t b) {
    return a < ISO_MANY && b < ISO_MANY && i->h->op_txn[a] == i->h->op_txn[b];
}

/* Splits the longest read of a key into the blocks of its transactions. If a block is cut off by the end of the read,
 * that is an intermediate read, which iso_check_int() reports. */
static void cut_blocks(inference *i, uint32_t read, uint32_t *n) {
    const isolab_history *h = i->h;
    const iso_list_read *r = &i->l->read[read];
    uint32_t before = ISO_NONE;
    for (uint32_t e = 0; e < r->length; e++) {
        uint32_t w = writer_at(i, r, e);
        bool goes_on = e > 0 && same_block(i, before, w);
        if (e > 0 && before < ISO_MANY && i->next[before] != ISO_NONE && i->next[before] != w) {
            fault(i, ISO_LIST_LOST, read, i->next[before], e);
        } else if (!goes_on && w < ISO_MANY && i->first[w] != w) {
            fault(i, ISO_LIST_LOST, read, i->first[w], e);
        }
        if (w < ISO_MANY && !i->shown[i->first[w]] && h->txn_counts[h->op_txn[w]] == ISO_INCLUDED) {
            i->shown[i->first[w]] = true;
            i->l->block_txn[(*n)++] = h->op_txn[w];
        }
        before = w;
    }
}

static void find_blocks(inference *i) {
    const isolab_history *h = i->h;
    iso_lists *l = i->l;
    uint32_t n_writers = 0, n = 0;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        n_writers += h->op_kind[o] == ISO_APPEND && i->first[o] == o && h->txn_counts[h->op_txn[o]] == ISO_INCLUDED;
    }
    l->block_first = ISO_NEW(i->pool, uint32_t, (size_t)h->n_keys + 1);
    l->block_txn = ISO_NEW(i->pool, uint32_t, n_writers);
    for (uint32_t k = 0; k < h->n_keys; k++) {
        l->block_first[k] = n;
        if (l->longest[k] != ISO_NONE) {
            cut_blocks(i, l->longest[k], &n);
        }
    }
    l->block_first[h->n_keys] = n;
}

/* Collects, by key, the writers that no block shows. A counting sort. */
static void find_rest(inference *i) {
    const isolab_history *h = i->h;
    iso_lists *l = i->l;
    iso_buckets rows = iso_buckets_new(i->pool, h->n_keys);
    l->rest_first = rows.first;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t o = 0; o < h->n_ops; o++) {
            if (h->op_kind[o] != ISO_APPEND || i->first[o] != o || i->shown[o] ||
                h->txn_counts[h->op_txn[o]] != ISO_INCLUDED) {
                continue;
            }
            if (pass == 0) {
                iso_buckets_count(&rows, h->op_key[o]);
            } else {
                l->rest_txn[iso_buckets_place(&rows, h->op_key[o])] = h->op_txn[o];
            }
        }
        if (pass == 0) {
            l->rest_txn = ISO_NEW(i->pool, uint32_t, iso_buckets_sum(&rows));
        }
    }
}

iso_lists *iso_lists_infer(const isolab_history *h, iso_pool *pool, iso_list_report *report, void *arg) {
    for (uint32_t v = 0; !h->unique && v < h->n_versions; v++) {
        if (h->key_is_list[h->version_key[v]] && h->version_writer[v] == ISO_MANY) {
            iso_throw(pool->env, ISOLAB_E_INTERNAL, "the order of lists was asked for where elements repeat");
        }
    }
    inference i = {.h = h, .pool = pool, .report = report, .arg = arg};
    i.l = ISO_ZNEW(pool, iso_lists, 1);
    i.first = ISO_NEW(pool, uint32_t, h->n_ops);
    i.next = ISO_NEW(pool, uint32_t, h->n_ops);
    i.seen = ISO_ZNEW(pool, uint32_t, h->n_versions);
    i.shown = ISO_ZNEW(pool, uint8_t, h->n_ops);
    sweep(&i);
    find_longest(&i);
    for (uint32_t r = 0; r < i.l->n_reads; r++) {
        compare(&i, r);
    }
    find_blocks(&i);
    find_rest(&i);
    iso_free(pool, i.first);
    iso_free(pool, i.next);
    iso_free(pool, i.seen);
    iso_free(pool, i.shown);
    return i.l;
}

/* ---- one read ---- */

static bool appends(const isolab_history *h, uint32_t o, uint32_t key) {
    return h->op_kind[o] == ISO_APPEND && h->op_key[o] == key;
}

/* Tests that the appends of a transaction to the key of the read are exactly the elements [e, ...). Returns an append
 * that is not in its place, or ISO_NONE; sets *e to the element after them. */
static uint32_t whole_block(const isolab_history *h, uint32_t read, const iso_list_part *p, uint32_t txn, uint32_t *e) {
    for (uint32_t o = h->txn_op[txn]; o < h->txn_op[txn + 1]; o++) {
        if (appends(h, o, h->op_key[read]) &&
            (*e >= p->length || h->list_version[p->first + (*e)++] != h->op_version[o])) {
            return o;
        }
    }
    return ISO_NONE;
}

bool iso_list_part_of(const isolab_history *h, uint32_t read, iso_list_part *p) {
    uint32_t list = h->op_version[read], end = h->list_first[list + 1], key = h->op_key[read], t = h->op_txn[read];
    *p = (iso_list_part){h->list_first[list], 0, ISO_INIT, ISO_NONE};
    for (uint32_t o = read; o-- > h->txn_op[t];) {
        if (appends(h, o, key)) {
            if (end == p->first || h->list_version[end - 1] != h->op_version[o]) {
                return false;
            }
            end--;
        }
    }
    p->length = end - p->first;
    for (uint32_t e = 0; e < p->length; e++) {
        uint32_t w = h->version_writer[h->list_version[p->first + e]];
        if (w >= h->n_ops || h->op_txn[w] == t || h->txn_counts[h->op_txn[w]] == ISO_EXCLUDED) {
            return false;
        }
        p->writer = w;
    }
    for (uint32_t o = p->writer + 1; p->writer != ISO_INIT && o < h->txn_op[h->op_txn[p->writer] + 1]; o++) {
        if (appends(h, o, key)) {
            return false; /* an intermediate read */
        }
    }
    /* First an element that is shown twice: after its block it would look like a torn block. */
    for (uint32_t e = 0; e < p->length && p->torn == ISO_NONE; e++) {
        uint32_t w = h->version_writer[h->list_version[p->first + e]];
        for (uint32_t before = 0; before < e && p->torn == ISO_NONE; before++) {
            p->torn = h->list_version[p->first + before] == h->list_version[p->first + e] ? w : ISO_NONE;
        }
    }
    for (uint32_t e = 0; e < p->length && p->torn == ISO_NONE;) {
        p->torn = whole_block(h, read, p, h->op_txn[h->version_writer[h->list_version[p->first + e]]], &e);
    }
    return true;
}
