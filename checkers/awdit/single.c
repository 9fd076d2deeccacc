/* cc over chains with a single writer each. For such a chain a clock needs only one bit: whether its writer happens
 * before. So a block has eight times as many columns as with bytes, and for a read of a key 64 of its writers are
 * compared at once: the writers before the reader and not before the source. */
#include <string.h>

#include "base/clones.h"
#include "checkers/awdit/cc.h"

typedef uint64_t word;

/* Whole rows are compared if the key has at least one writer of the block in this many words; otherwise single bits. */
enum { WORDS_OF_A_BIT = 4 };

typedef struct cursor {
    uint32_t n, n_words;
    uint32_t *column, *writer; /* the key's writers of this block */
    word *unordered;     /* by column: the writers that do not happen before t1 and from which no edge to t1, or to
                                  an earlier transaction of its chain, was inferred */
    uint32_t *writer_at; /* by column */
    bool few;
} cursor;

static inline bool get(const word *row, uint32_t column) { return row[column >> 6] >> (column & 63) & 1; }
static inline void set(word *row, uint32_t column) { row[column >> 6] |= (word)1 << (column & 63); }
static inline void unset(word *row, uint32_t column) { row[column >> 6] &= ~((word)1 << (column & 63)); }

static inline word *row_of(const iso_awdit_block *b, uint32_t t) { return (word *)b->clock + (size_t)t * b->stride; }

static inline bool writes_any(const iso_awdit *a, uint32_t t) { return a->writes_first[t] < a->h->txn_op[t + 1]; }

/* Returns the column of t if it is the writer of a chain of this block; else ISO_NONE. */
static inline uint32_t column_of(const iso_awdit_block *b, uint32_t t) {
    return writes_any(b->a, t) ? b->column[iso_awdit_chain(b, t)] : ISO_NONE;
}

static inline void join(word *restrict into, const word *restrict from, uint32_t stride) {
    for (uint32_t i = 0; i < stride; i++) {
        into[i] |= from[i];
    }
}

/* ComputeHB (lines 17 to 25). If the row already has a source, joining the source's row adds nothing. */
ISO_VECTOR static void happens_before(iso_awdit_block *b) {
    const iso_awdit *a = b->a;
    const isolab_history *h = a->h;
    for (uint32_t i = 0; i < a->n_order; i++) {
        iso_tick(b->pool->env);
        uint32_t t = b->order[i], first = h->session_txn[h->txn_session[t]], before = t, own = column_of(b, t);
        word *row = row_of(b, t);
        while (before > first && !iso_awdit_in(a, before - 1)) {
            before--;
        }
        if (before > first) {
            memcpy(row, row_of(b, before - 1), b->stride * sizeof *row);
        } else {
            memset(row, 0, b->stride * sizeof *row);
        }
        for (uint32_t j = h->txn_op[t]; j < a->reads_end[t]; j++) {
            uint32_t from = a->source[j], column = from == ISO_INIT ? ISO_NONE : column_of(b, from);
            if (from != ISO_INIT && (column == ISO_NONE || !get(row, column))) {
                join(row, row_of(b, from), b->stride);
            }
        }
        if (own != ISO_NONE) {
            set(row, own);
        }
    }
}

static void rewind_key(cursor *k) {
    memset(k->unordered, 0, k->n_words * sizeof *k->unordered);
    for (uint32_t i = 0; i < k->n; i++) {
        set(k->unordered, k->column[i]);
    }
}

static inline void leave_out(cursor *k, const word *row) {
    for (uint32_t w = 0; w < k->n_words; w++) {
        k->unordered[w] &= ~row[w];
    }
}

static inline void infer_column(iso_awdit_block *b, cursor *k, uint32_t column, uint32_t t1, uint32_t t3) {
    if (k->writer_at[column] != t3) { /* t3 itself is not a t2 */
        unset(k->unordered, column);
        iso_awdit_edge(&b->edges, k->writer_at[column], t1);
    }
}

/* Infers the edges for one read of t3 from t1 (lines 8 to 15). */
static inline void infer_read(iso_awdit_block *b, cursor *k, uint32_t t1, uint32_t t3) {
    const word *row = row_of(b, t3);
    if (k->few) {
        for (uint32_t i = 0; i < k->n; i++) {
            if (get(row, k->column[i]) && get(k->unordered, k->column[i])) {
                infer_column(b, k, k->column[i], t1, t3);
            }
        }
        return;
    }
    for (uint32_t w = 0; w < k->n_words; w++) {
        for (word hits = k->unordered[w] & row[w]; hits != 0; hits &= hits - 1) {
            infer_column(b, k, 64 * w + (uint32_t)__builtin_ctzll(hits), t1, t3);
        }
    }
}

/* Handles all versions of one key in the order of their writers: along the chain of t1, the set of transactions that
 * happen before it only grows. */
ISO_VECTOR static void infer_key(iso_awdit_block *b, cursor *k, uint32_t key) {
    const iso_awdit_index *x = b->index;
    uint32_t read = x->read_first[key], end = x->read_first[key + 1], chain = ISO_NONE;
    while (read < end) {
        uint32_t t1 = x->read[read].source;
        uint32_t c1 = t1 == ISO_INIT ? ISO_NONE : iso_awdit_chain(b, t1);
        if (c1 != chain || t1 == ISO_INIT) {
            chain = c1;
            rewind_key(k);
        }
        if (t1 != ISO_INIT) {
            leave_out(k, row_of(b, t1));
        }
        for (; read < end && x->read[read].source == t1; read++) {
            if (read + 4 < end) {
                __builtin_prefetch(row_of(b, x->read[read + 4].reader));
            }
            infer_read(b, k, t1, x->read[read].reader);
        }
    }
}

void iso_awdit_single_block(iso_awdit_block *b) {
    const iso_awdit_index *x = b->index;
    happens_before(b);
    cursor k = {.n_words = b->stride,
                .column = ISO_NEW(b->pool, uint32_t, x->most_groups),
                .unordered = ISO_NEW(b->pool, word, b->stride),
                .writer_at = ISO_NEW(b->pool, uint32_t, (size_t)64 * b->stride)};
    for (uint32_t key = 0; key < b->a->h->n_keys; key++) {
        iso_tick(b->pool->env);
        k.n = 0;
        for (uint32_t g = x->group_first[key]; g < x->group_first[key + 1]; g++) {
            uint32_t column = b->column[x->group_chain[g]];
            if (column != ISO_NONE) {
                k.column[k.n++] = column;
                k.writer_at[column] = x->writer[x->group[g]];
            }
        }
        k.few = (uint64_t)k.n * WORDS_OF_A_BIT < k.n_words;
        if (k.n > 0) {
            infer_key(b, &k, key);
        }
    }
    iso_free(b->pool, k.column);
    iso_free(b->pool, k.unordered);
    iso_free(b->pool, k.writer_at);
}
