/* See rows.h. */
#include "checkers/awdit/rows.h"

#include <string.h>

#include "base/clones.h"

typedef uint64_t vector __attribute__((vector_size(32), aligned(8), may_alias));

/* Number of words that are compared together: four vectors. */
enum { STEP = 16 };

/* The words of a reader that are not zero are looked at one by one unless at least one in this many is. */
enum { DENSE = 8 };

/* Rows are not made if walking takes fewer than this many steps for each operation of the history. */
enum { CHEAP = 4 };

/* A row has at most this many words for each of its set bits, so all rows together are linear in the history. */
enum { SPARSEST = 4 };

/* ---- which keys matter ---- */

enum { WRITTEN = 1, WRITTEN_TWICE = 2, READ_INITIAL = 4, READ_HEAVY = 8, WRITTEN_HEAVY = 16 };

static uint32_t n_reads(const iso_awdit *a, uint32_t t) { return a->reads_end[t] - a->h->txn_op[t]; }

static uint32_t n_writes(const iso_awdit *a, uint32_t t) { return a->h->txn_op[t + 1] - a->writes_first[t]; }

/* Returns an upper bound of the steps that the walks of heavy readers take. */
static uint64_t walk_steps(const iso_awdit *a) {
    uint64_t steps = 0;
    for (uint32_t t3 = 0; t3 < a->h->n_txns; t3++) {
        uint32_t n = n_reads(a, t3);
        if (!iso_awdit_in(a, t3) || n < ISO_AWDIT_HEAVY) {
            continue;
        }
        for (uint32_t i = a->h->txn_op[t3]; i < a->reads_end[t3]; i++) {
            uint32_t writes = a->source[i] != ISO_INIT ? n_writes(a, a->source[i]) : 0;
            uint64_t search = (uint64_t)ISO_AWDIT_SEARCH * n;
            steps += writes < search ? writes : search;
        }
    }
    return steps;
}

static uint8_t *mark_keys(const iso_awdit *a) {
    uint8_t *mark = ISO_ZNEW(a->pool, uint8_t, a->h->n_keys);
    for (uint32_t t = 0; t < a->h->n_txns; t++) {
        if (!iso_awdit_in(a, t)) {
            continue;
        }
        uint8_t reads = n_reads(a, t) >= ISO_AWDIT_HEAVY ? READ_HEAVY : 0;
        uint8_t writes = n_writes(a, t) >= ISO_AWDIT_HEAVY ? WRITTEN | WRITTEN_HEAVY : WRITTEN;
        for (uint32_t i = a->h->txn_op[t]; i < a->reads_end[t]; i++) {
            mark[a->key[i]] |= a->source[i] == ISO_INIT ? reads | READ_INITIAL : reads;
        }
        for (uint32_t i = a->writes_first[t]; i < a->h->txn_op[t + 1]; i++) {
            mark[a->key[i]] |= mark[a->key[i]] & WRITTEN ? writes | WRITTEN_TWICE : writes;
        }
    }
    return mark;
}

static bool matters(uint8_t mark) {
    return (mark & READ_HEAVY) && (mark & WRITTEN_HEAVY) && (mark & (WRITTEN_TWICE | READ_INITIAL));
}

static uint32_t number_keys(const iso_awdit *a, iso_awdit_rows *rows) {
    uint8_t *mark = mark_keys(a);
    uint32_t n = 0;
    rows->bit = ISO_NEW_NONE(a->pool, a->h->n_keys);
    for (uint32_t k = 0; k < a->h->n_keys; k++) {
        if (matters(mark[k])) {
            rows->bit[k] = n++;
        }
    }
    rows->key = ISO_NEW(a->pool, uint32_t, n);
    for (uint32_t k = 0; k < a->h->n_keys; k++) {
        if (rows->bit[k] != ISO_NONE) {
            rows->key[rows->bit[k]] = k;
        }
    }
    iso_free(a->pool, mark);
    return n;
}

/* ---- rows ---- */

static uint32_t number_rows(const iso_awdit *a, iso_awdit_rows *rows) {
    uint32_t n = 0;
    rows->row = ISO_NEW_NONE(a->pool, a->h->n_txns);
    for (uint32_t t = 0; t < a->h->n_txns; t++) {
        if (!iso_awdit_in(a, t) || n_writes(a, t) < ISO_AWDIT_HEAVY) {
            continue;
        }
        uint64_t set = 0;
        for (uint32_t i = a->writes_first[t]; i < a->h->txn_op[t + 1]; i++) {
            set += rows->bit[a->key[i]] != ISO_NONE;
        }
        if (set * SPARSEST >= rows->n_words) {
            rows->row[t] = n++;
        }
    }
    return n;
}

static void fill_rows(const iso_awdit *a, iso_awdit_rows *rows) {
    for (uint32_t t = 0; t < a->h->n_txns; t++) {
        if (rows->row[t] == ISO_NONE) {
            continue;
        }
        uint64_t *words = rows->words + (size_t)rows->row[t] * rows->n_words;
        for (uint32_t i = a->writes_first[t]; i < a->h->txn_op[t + 1]; i++) {
            uint32_t bit = rows->bit[a->key[i]];
            if (bit != ISO_NONE) {
                words[bit >> 6] |= (uint64_t)1 << (bit & 63);
            }
        }
    }
}

iso_awdit_rows *iso_awdit_rows_new(iso_awdit *a) {
    if (!a->bits || walk_steps(a) <= (uint64_t)CHEAP * a->h->n_ops) {
        return NULL;
    }
    iso_awdit_rows *rows = ISO_ZNEW(a->pool, iso_awdit_rows, 1);
    uint32_t n_bits = number_keys(a, rows);
    rows->n_words = (n_bits / 64 + STEP) / STEP * STEP;
    uint32_t n = number_rows(a, rows);
    rows->words = iso_zalloc(a->pool, n, rows->n_words * sizeof *rows->words);
    fill_rows(a, rows);
    iso_result_counter(a->result, "rows of bits", n);
    iso_result_counter(a->result, "bits of a row", n_bits);
    return rows;
}

/* ---- the reader ---- */

iso_awdit_reader iso_awdit_reader_new(iso_pool *pool, const iso_awdit_rows *rows) {
    iso_awdit_reader reader = {.rows = rows};
    if (rows != NULL) {
        reader.words = ISO_ZNEW(pool, uint64_t, rows->n_words);
        reader.used = ISO_NEW(pool, uint32_t, (size_t)rows->n_words + 1); /* one more: see iso_awdit_reader_add() */
    }
    return reader;
}

void iso_awdit_reader_free(iso_pool *pool, iso_awdit_reader *reader) {
    iso_free(pool, reader->words);
    iso_free(pool, reader->used);
}

void iso_awdit_reader_clear(iso_awdit_reader *reader) {
    for (uint32_t i = 0; i < reader->n_used; i++) {
        reader->words[reader->used[i]] = 0;
    }
    reader->n_used = reader->high = 0;
    reader->low = UINT32_MAX;
}

static uint32_t keys_of_word(const iso_awdit_rows *rows, uint32_t w, uint64_t set, uint32_t *keys) {
    uint32_t n = 0;
    for (; set != 0; set &= set - 1) {
        keys[n++] = rows->key[64 * w + (uint32_t)__builtin_ctzll(set)];
    }
    return n;
}

/* Compares the words [low, high) of both rows. Neighbours often have neighbouring keys, so these are few of all. */
ISO_CLONES static uint32_t intersect_all(const iso_awdit_rows *rows, const uint64_t *x, const uint64_t *y, uint32_t low,
                                         uint32_t high, uint32_t *keys) {
    uint32_t n = 0;
    for (uint32_t w = low / STEP * STEP; w < high; w += STEP) {
        const vector *a = (const vector *)(const void *)(x + w), *b = (const vector *)(const void *)(y + w);
        vector any = (a[0] & b[0]) | (a[1] & b[1]) | (a[2] & b[2]) | (a[3] & b[3]);
        if ((any[0] | any[1] | any[2] | any[3]) != 0) {
            for (uint32_t i = w; i < w + STEP; i++) {
                n += keys_of_word(rows, i, x[i] & y[i], keys + n);
            }
        }
    }
    return n;
}

uint32_t iso_awdit_intersect_row(const iso_awdit_reader *reader, uint32_t t2, uint32_t *keys) {
    const iso_awdit_rows *rows = reader->rows;
    const uint64_t *row = rows->words + (size_t)rows->row[t2] * rows->n_words;
    if (reader->n_used > 0 && reader->n_used >= (reader->high - reader->low) / DENSE) {
        return intersect_all(rows, reader->words, row, reader->low, reader->high, keys);
    }
    uint32_t n = 0;
    for (uint32_t i = 0; i < reader->n_used; i++) {
        uint32_t w = reader->used[i];
        n += keys_of_word(rows, w, reader->words[w] & row[w], keys + n);
    }
    return n;
}
