/* cc (awdit.txt, algorithm 3): if t3 reads x from t1, and t2 writes x and happens before t3, then t2 is before t1. Of
 * each session only its last writer of x that happens before t3 matters, since its earlier writers precede it.
 *
 * The paper's algorithm, reordered so that it fits in memory and cache:
 * - Many short sessions are joined to fewer chains, and transactions that happen before few others are handled one by
 *   one (chains.c). k is the number of chains.
 * - A clock entry is a place in a chain, as narrow as the longest chain allows (one bit if the chain has a single
 *   writer: single.c), and only for chains with a writer. Clocks are computed for a block of chains at a time, for all
 *   transactions, and then discarded: the edges from one chain do not depend on the other chains. So memory is bounded
 *   for any number of sessions.
 * - Then each key is handled by itself. The readers of one version share t1. A writer that happens before t1 needs no
 *   edge, so for each chain it is enough to know the first writer of x that does not happen before t1, and to compare
 *   it with the reader's clock; usually no edge is needed. These positions advance along the chain of t1 as its clocks
 *   grow (lastWrite of the paper, by version instead of by reader). The state is that of one key.
 *
 * O(n k) time, as in the paper. */
#include <string.h>

#include "base/buckets.h"
#include "base/clones.h"
#include "checkers/awdit/cc.h"

enum { AHEAD = 8 }; /* number of reads by which clocks are prefetched */

#define CLOCK uint8_t
#define NAME(x) x##_8
#include "checkers/awdit/clock.inc"
#undef CLOCK
#undef NAME
#define CLOCK uint16_t
#define NAME(x) x##_16
#include "checkers/awdit/clock.inc"
#undef CLOCK
#undef NAME
#define CLOCK uint32_t
#define NAME(x) x##_32
#include "checkers/awdit/clock.inc"
#undef CLOCK
#undef NAME

/* Limit of the memory for clocks at one time, in bytes: in all, or for each transaction if that is more. */
#define CLOCK_BYTES ((uint64_t)64 << 20)
#define CLOCK_BYTES_TXN 256

/* ---- the index ---- */

/* Returns, by write (a->key), its place in x->writer; NULL: no key has enough groups for strands. */
static uint32_t *index_writers(const iso_awdit *a, iso_awdit_index *x) {
    const isolab_history *h = a->h;
    uint32_t *where = x->chains.n < ISO_AWDIT_GROUPS ? NULL : ISO_NEW(a->pool, uint32_t, h->n_ops);
    iso_buckets keys = iso_buckets_new(a->pool, h->n_keys);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        for (uint32_t i = a->writes_first[t]; i < h->txn_op[t + 1]; i++) {
            iso_buckets_count(&keys, a->key[i]);
        }
    }
    uint32_t n = iso_buckets_sum(&keys);
    x->writer_first = keys.first;
    x->writer = ISO_NEW(a->pool, uint32_t, n);
    x->place = ISO_NEW(a->pool, uint32_t, n);
    for (uint32_t i = 0; i < x->chains.n_txns; i++) {
        uint32_t t = x->chains.txns[i];
        for (uint32_t j = a->writes_first[t]; j < h->txn_op[t + 1]; j++) {
            uint32_t at = iso_buckets_place(&keys, a->key[j]);
            x->writer[at] = t;
            x->place[at] = x->chains.place[t];
            if (where != NULL) {
                where[j] = at;
            }
        }
    }
    return where;
}

static void index_order(const iso_awdit *a, iso_awdit_index *x, const uint32_t *order, const uint32_t *where) {
    const isolab_history *h = a->h;
    uint32_t *at = ISO_NEW(a->pool, uint32_t, h->n_keys);
    x->ordered = ISO_NEW(a->pool, uint32_t, x->writer_first[h->n_keys]);
    memcpy(at, x->writer_first, h->n_keys * sizeof *at);
    for (uint32_t i = 0; i < a->n_order; i++) {
        for (uint32_t t = order[i], j = a->writes_first[t]; j < h->txn_op[t + 1]; j++) {
            x->ordered[at[a->key[j]]++] = where[j];
        }
    }
    for (uint32_t k = 0; k < h->n_keys; k++) {
        uint32_t n = x->writer_first[k + 1] - x->writer_first[k];
        x->most_writers = n > x->most_writers ? n : x->most_writers;
    }
    iso_free(a->pool, at);
}

/* Returns whether strands are worth an index: enough writers write keys with enough groups. */
static bool index_groups(const iso_awdit *a, iso_awdit_index *x) {
    const isolab_history *h = a->h;
    x->group_first = ISO_NEW(a->pool, uint32_t, (size_t)h->n_keys + 1);
    uint32_t n = 0;
    uint64_t wide = 0;                     /* number of writers, in both passes */
    for (int pass = 0; pass < 2; pass++) { /* count, then fill */
        n = 0;
        for (uint32_t k = 0; k < h->n_keys; k++) {
            x->group_first[k] = n;
            uint32_t chain = ISO_NONE;
            for (uint32_t i = x->writer_first[k]; i < x->writer_first[k + 1]; i++) {
                uint32_t c = x->chains.of[x->writer[i]];
                if (c == chain) {
                    continue;
                }
                chain = c;
                if (pass == 1) {
                    x->group[n] = i;
                    x->group_chain[n] = c;
                }
                n++;
            }
            uint32_t groups = n - x->group_first[k];
            x->most_groups = groups > x->most_groups ? groups : x->most_groups;
            wide += groups < ISO_AWDIT_GROUPS ? 0 : x->writer_first[k + 1] - x->writer_first[k];
        }
        if (pass == 0) {
            x->group = ISO_NEW(a->pool, uint32_t, (size_t)n + 1);
            x->group_chain = ISO_NEW(a->pool, uint32_t, n);
        }
    }
    x->group_first[h->n_keys] = n;
    x->group[n] = x->writer_first[h->n_keys];
    return wide / 2 >= x->writer_first[h->n_keys] / ISO_AWDIT_WIDE;
}

/* Sorts reads by source, then (stable) by key: two counting sorts. In the first, the initial transaction has number
 * n_txns; the second takes the sources in the order of the chains. */
static void index_reads(const iso_awdit *a, iso_awdit_index *x) {
    const isolab_history *h = a->h;
    uint32_t n_sources = h->n_txns + 1;
    iso_buckets sources = iso_buckets_new(a->pool, n_sources), keys = iso_buckets_new(a->pool, h->n_keys);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        for (uint32_t i = h->txn_op[t]; i < a->reads_end[t]; i++) {
            iso_buckets_count(&sources, a->source[i] == ISO_INIT ? h->n_txns : a->source[i]);
            iso_buckets_count(&keys, a->key[i]);
        }
    }
    uint32_t n = iso_buckets_sum(&sources);
    iso_buckets_sum(&keys);
    x->read_first = keys.first;
    typedef struct read {
        uint32_t key, reader;
    } read;
    read *by_source = ISO_NEW(a->pool, read, n);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        for (uint32_t i = h->txn_op[t]; i < a->reads_end[t]; i++) {
            uint32_t at = iso_buckets_place(&sources, a->source[i] == ISO_INIT ? h->n_txns : a->source[i]);
            by_source[at] = (read){a->key[i], t};
        }
    }
    for (uint32_t k = 0; k < h->n_keys; k++) {
        uint32_t reads = x->read_first[k + 2] - x->read_first[k + 1];
        x->most_reads = reads > x->most_reads ? reads : x->most_reads;
    }
    x->read = ISO_NEW(a->pool, iso_awdit_read, n);
    for (uint32_t i = 0; i <= x->chains.n_txns; i++) { /* the last round is for the initial transaction */
        uint32_t t1 = i < x->chains.n_txns ? x->chains.txns[i] : ISO_INIT, at1 = t1 == ISO_INIT ? h->n_txns : t1;
        for (uint32_t j = sources.first[at1]; j < sources.first[at1 + 1]; j++) {
            x->read[iso_buckets_place(&keys, by_source[j].key)] = (iso_awdit_read){t1, by_source[j].reader};
        }
    }
    iso_free(a->pool, by_source);
    iso_free(a->pool, sources.first);
}

/* ---- blocks ---- */

uint32_t iso_awdit_entry_bits(const iso_awdit *a, uint32_t writers, uint32_t size) {
    return a->bits && writers == 1 ? 1 : size <= UINT8_MAX ? 8 : size <= UINT16_MAX ? 16 : 32;
}

enum { ROW_BITS = 512 }; /* rows are whole numbers of 64 bytes */

/* The chains with one width. */
typedef struct batch {
    const iso_awdit_index *index;
    const uint32_t *order, *chains;
    uint32_t bits;
    uint64_t room; /* bytes for the clocks of one block, or of one part with bits */
} batch;

static void set_columns(const iso_awdit_block *b, const uint32_t *chains, uint64_t n) {
    iso_fill_none(b->column, b->index->chains.n);
    for (uint32_t i = 0; i < n; i++) {
        b->column[chains[i]] = i;
    }
}

/* Makes a block for as many of n chains as there is room for. Returns the number of its chains. */
static uint64_t make_block(iso_awdit_block *b, const batch *w, uint64_t n) {
    uint64_t most = w->room * 8 / b->a->h->n_txns / w->bits, step = ROW_BITS / w->bits;
    most = most < step ? step : most / step * step;
    uint64_t widest = n < most ? n + step : most;
    b->index = w->index;
    b->order = w->order;
    b->column = ISO_NEW(b->pool, uint32_t, w->index->chains.n);
    b->clock = iso_alloc(b->pool, b->a->h->n_txns, (widest * w->bits + 7) / 8);
    return most;
}

static void free_block(iso_awdit_block *b) {
    iso_free(b->pool, b->clock);
    iso_free(b->pool, b->column);
}

/* Chains with a single writer each: every thread has blocks of its own, for a part of the chains. */
static void run_single(iso_awdit_part *p) {
    const batch *w = p->arg;
    iso_awdit_block b = {.a = p->a, .pool = p->pool, .edges = p->edges};
    uint64_t most = make_block(&b, w, p->end - p->first);
    for (uint64_t i = p->first; i < p->end; i += most) {
        uint64_t n = p->end - i < most ? p->end - i : most;
        b.stride = (uint32_t)((n + ROW_BITS - 1) / ROW_BITS * (ROW_BITS / 64));
        set_columns(&b, w->chains + i, n);
        iso_awdit_single_block(&b);
    }
    free_block(&b);
    p->edges = b.edges;
}

/* A block that the threads share: first each computes some columns of all clocks, in cache lines of its own, then each
 * infers the edges for some keys. */
typedef struct shared_block {
    iso_awdit_block b;
    uint32_t bits;
} shared_block;

static void compute_columns(iso_awdit_part *p) {
    const shared_block *x = p->arg;
    iso_awdit_block b = x->b;
    b.pool = p->pool;
    b.from = p->first;
    b.end = p->end;
    (x->bits == 8 ? happens_before_8 : x->bits == 16 ? happens_before_16 : happens_before_32)(&b);
}

static void infer_part(iso_awdit_part *p) {
    const shared_block *x = p->arg;
    iso_awdit_block b = x->b;
    b.pool = p->pool;
    b.edges = p->edges;
    (x->bits == 8 ? infer_keys_8 : x->bits == 16 ? infer_keys_16 : infer_keys_32)(&b, p->first, p->end);
    p->edges = b.edges;
}

/* Returns the first key of part i of n, which have about the same number of writers and reads. */
static uint32_t first_key(const iso_awdit *a, const iso_awdit_index *x, unsigned i, unsigned n) {
    uint32_t low = 0, high = a->h->n_keys;
    uint64_t goal = ((uint64_t)x->writer_first[high] + x->read_first[high]) * i / n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if ((uint64_t)x->writer_first[middle] + x->read_first[middle] < goal) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return i == n ? a->h->n_keys : low;
}

static void run_shared(iso_awdit *a, const batch *w, uint32_t n_chains) {
    shared_block x = {.b = {.a = a, .pool = a->pool}, .bits = w->bits};
    iso_awdit_part *parts = ISO_ZNEW(a->pool, iso_awdit_part, a->threads);
    uint32_t most = (uint32_t)make_block(&x.b, w, n_chains), step = ROW_BITS / w->bits;
    for (uint32_t i = 0; i<n_chains; i = n_chains - i> most ? i + most : n_chains) {
        uint32_t n = n_chains - i < most ? n_chains - i : most, lines = (n + step - 1) / step;
        unsigned threads = a->threads < lines ? a->threads : lines;
        x.b.stride = lines * step;
        set_columns(&x.b, w->chains + i, n);
        for (unsigned p = 0; p < a->threads; p++) {
            parts[p] = (iso_awdit_part){.first = lines * p / threads * step, .end = lines * (p + 1) / threads * step};
            parts[p].arg = &x;
        }
        iso_awdit_run(a, parts, threads, compute_columns);
        for (unsigned p = 0; p < a->threads; p++) {
            parts[p] = (iso_awdit_part){.first = first_key(a, w->index, p, a->threads),
                                        .end = first_key(a, w->index, p + 1, a->threads)};
            parts[p].arg = &x;
        }
        iso_awdit_run(a, parts, a->threads, infer_part);
    }
    free_block(&x.b);
    iso_free(a->pool, parts);
}

static void run_width(iso_awdit *a, batch *w, uint32_t n) {
    w->room = (uint64_t)CLOCK_BYTES_TXN * a->h->n_txns;
    w->room = w->room < CLOCK_BYTES ? CLOCK_BYTES : w->room;
    if (w->bits > 1) {
        run_shared(a, w, n);
        return;
    }
    unsigned threads = a->threads < n ? a->threads : n;
    w->room /= threads;
    iso_awdit_part *parts = ISO_ZNEW(a->pool, iso_awdit_part, threads);
    for (unsigned i = 0; i < threads; i++) {
        parts[i].first = (uint32_t)((uint64_t)n * i / threads);
        parts[i].end = (uint32_t)((uint64_t)n * (i + 1) / threads);
        parts[i].arg = w;
    }
    iso_awdit_run(a, parts, threads, run_single);
    iso_free(a->pool, parts);
}

/* Returns, by chain, the number of its transactions that write; 0: the chain is light and needs no column. */
static uint32_t *count_writers(const iso_awdit *a, const iso_awdit_index *x) {
    uint32_t *writers = ISO_ZNEW(a->pool, uint32_t, x->chains.n);
    for (uint32_t i = 0; i < x->chains.n_txns; i++) {
        uint32_t t = x->chains.txns[i], c = x->chains.of[t];
        writers[c] += c < x->chains.n_heavy && a->writes_first[t] < a->h->txn_op[t + 1];
    }
    return writers;
}

/* Sorts edges by one end into other arrays. */
static void sort_by(const iso_awdit *a, const uint32_t *by, const iso_awdit_edges *e, uint32_t *from, uint32_t *to) {
    uint32_t last = a->h->n_txns; /* the row of the initial transaction */
    iso_buckets rows = iso_buckets_new(a->pool, last + 1);
    for (uint32_t i = 0; i < e->n; i++) {
        iso_buckets_count(&rows, by[i] == ISO_INIT ? last : by[i]);
    }
    iso_buckets_sum(&rows);
    for (uint32_t i = 0; i < e->n; i++) {
        uint32_t place = iso_buckets_place(&rows, by[i] == ISO_INIT ? last : by[i]);
        from[place] = e->from[i];
        to[place] = e->to[i];
    }
    iso_free(a->pool, rows.first);
}

/* Sorts the edges: their order depends on blocks and threads, and the result must not. */
static void sort_edges(iso_awdit *a) {
    iso_awdit_edges *e = &a->edges;
    uint32_t *from = ISO_NEW(a->pool, uint32_t, e->n), *to = ISO_NEW(a->pool, uint32_t, e->n);
    sort_by(a, e->to, e, from, to);
    iso_awdit_edges half = {.from = from, .to = to, .n = e->n};
    sort_by(a, from, &half, e->from, e->to);
    iso_free(a->pool, to);
    iso_free(a->pool, from);
}

void iso_awdit_cc(iso_awdit *a, const uint32_t *order) {
    iso_awdit_index x = {.chains = iso_awdit_find_chains(a, order)};
    uint32_t *where = index_writers(a, &x);
    if (index_groups(a, &x) && where != NULL) {
        index_order(a, &x, order, where);
    }
    iso_free(a->pool, where);
    index_reads(a, &x);
    iso_result_counter(a->result, "chains", x.chains.n_heavy);
    iso_result_counter(a->result, "light transactions", x.chains.n - x.chains.n_heavy);
    uint32_t *writers = count_writers(a, &x);
    uint32_t *chains = ISO_NEW(a->pool, uint32_t, x.chains.n);
    static const uint32_t widths[] = {32, 16, 8, 1};
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        uint32_t n = 0;
        for (uint32_t c = 0; c < x.chains.n; c++) {
            if (writers[c] > 0 && iso_awdit_entry_bits(a, writers[c], x.chains.size[c]) == widths[w]) {
                chains[n++] = c;
            }
        }
        if (n > 0) {
            run_width(a, &(batch){.index = &x, .order = order, .chains = chains, .bits = widths[w]}, n);
        }
    }
    sort_edges(a);
    iso_free(a->pool, writers);
    iso_free(a->pool, chains);
    iso_awdit_free_chains(a, &x.chains);
    iso_free(a->pool, x.read);
    uint32_t *arrays[] = {x.writer_first, x.writer,      x.place,      x.group_first,
                          x.group,        x.group_chain, x.read_first, x.ordered};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        iso_free(a->pool, arrays[i]);
    }
}
