/* See rows.h. */
#include "checkers/awdit/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/clones.h"

typedef uint64_t vector __attribute__((vector_size(32), aligned(8), may_alias));

/* Number of words that are compared together: four vectors. */
enum { STEP = 16 };

/* Number of keys that are looked up together. */
enum { TOGETHER = 8 };

/* Rows are not made if walking takes fewer than this many steps for each operation of the history. */
enum { CHEAP = 4 };

/* A row has at most this many words for each of its set bits, so all rows together are linear in the history. */
enum { SPARSEST = 4 };

/* ---- are they of use? ---- */

static uint32_t n_reads(const iso_awdit *a, uint32_t t) { return a->reads_end[t] - a->h->txn_op[t]; }

static uint32_t n_writes(const iso_awdit *a, uint32_t t) { return a->h->txn_op[t + 1] - a->writes_first[t]; }

/* The bound of the steps is the sum of the walks of heavy readers. */
bool iso_awdit_is_heavy(const iso_awdit *a) {
    if (!a->bits || a->rows_always) {
        return a->bits;
    }
    uint64_t steps = 0;
    for (uint32_t t3 = 0; t3 < a->h->n_txns; t3++) {
        uint32_t n = n_reads(a, t3);
        for (uint32_t i = a->h->txn_op[t3]; i < a->reads_end[t3] && n >= ISO_AWDIT_HEAVY; i++) {
            uint32_t writes = a->source[i] != ISO_INIT ? n_writes(a, a->source[i]) : 0;
            uint64_t search = (uint64_t)ISO_AWDIT_SEARCH * n;
            steps += writes < search ? writes : search;
        }
    }
    return steps > (uint64_t)CHEAP * a->h->n_ops;
}

/* Returns whether some reader has so few reads that it would rather search in the keys that a transaction writes than
 * look at all of them. */
static bool searches(const iso_awdit *a, uint32_t few) {
    uint32_t longest = 0;
    for (uint32_t t = 0; t < a->h->n_txns; t++) {
        longest = n_writes(a, t) > longest ? n_writes(a, t) : longest;
    }
    for (uint32_t t3 = 0; t3 < a->h->n_txns; t3++) {
        uint32_t n = n_reads(a, t3), most = n <= few ? ISO_AWDIT_FEW : ISO_AWDIT_SEARCH * n;
        if (n == 0 || longest <= most) {
            continue;
        }
        if (a->level == ISO_CC) { /* any transaction may happen before t3 */
            return true;
        }
        for (uint32_t i = a->h->txn_op[t3]; i < a->reads_end[t3]; i++) {
            if (a->source[i] != ISO_INIT && n_writes(a, a->source[i]) > most) {
                return true;
            }
        }
    }
    return false;
}

/* ---- which keys matter ---- */

/* Bits by key. Together, so that each operation touches one cache line. */
typedef struct marks {
    uint64_t read, initial, written, twice;
} marks;

/* The keys that matter, and how many there are before these 64. */
typedef struct numbers {
    uint64_t matters;
    uint32_t before;
} numbers;

static numbers *mark_keys(iso_awdit *a, uint32_t few, uint32_t *n) {
    size_t n_words = (size_t)a->h->n_keys / 64 + 1;
    marks *mark = ISO_ZNEW(a->pool, marks, n_words);
    numbers *of = ISO_NEW(a->pool, numbers, n_words);
    for (uint32_t t = 0; t < a->h->n_txns; t++) {
        iso_tick(a->pool->env);
        for (uint32_t i = a->h->txn_op[t]; i < a->reads_end[t] && n_reads(a, t) > few; i++) {
            marks *m = &mark[a->key[i] >> 6];
            uint64_t bit = (uint64_t)1 << (a->key[i] & 63);
            m->read |= bit;
            m->initial |= a->source[i] == ISO_INIT ? bit : 0;
        }
        for (uint32_t i = a->writes_first[t]; i < a->h->txn_op[t + 1]; i++) {
            marks *m = &mark[a->key[i] >> 6];
            uint64_t bit = (uint64_t)1 << (a->key[i] & 63);
            m->twice |= m->written & bit;
            m->written |= bit;
        }
    }
    *n = 0;
    for (size_t w = 0; w < n_words; w++) {
        of[w] = (numbers){mark[w].read & (mark[w].twice | (mark[w].written & mark[w].initial)), *n};
        *n += (uint32_t)__builtin_popcountll(of[w].matters);
    }
    iso_free(a->pool, mark);
    return of;
}

static inline uint32_t number_of(const numbers *of, uint32_t key) {
    const numbers *n = &of[key >> 6];
    uint64_t bit = (uint64_t)1 << (key & 63);
    return n->matters & bit ? n->before + (uint32_t)__builtin_popcountll(n->matters & (bit - 1)) : ISO_NONE;
}

static void number_keys(iso_awdit *a, iso_awdit_rows *rows, uint32_t few) {
    numbers *of = mark_keys(a, few, &rows->n_numbers);
    rows->number = ISO_NEW(a->pool, uint32_t, a->h->n_ops);
    rows->writes_end = ISO_NEW(a->pool, uint32_t, a->h->n_txns);
    for (uint32_t t = 0; t < a->h->n_txns; t++) {
        uint32_t end = a->writes_first[t];
        iso_tick(a->pool->env);
        for (uint32_t i = a->h->txn_op[t]; i < a->reads_end[t] && n_reads(a, t) > few; i++) {
            rows->number[i] = number_of(of, a->key[i]);
        }
        for (uint32_t i = a->writes_first[t]; i < a->h->txn_op[t + 1]; i++) {
            uint32_t number = number_of(of, a->key[i]);
            if (number != ISO_NONE) {
                rows->number[end++] = number;
            }
        }
        rows->writes_end[t] = end;
    }
    iso_free(a->pool, of);
}

/* ---- rows ---- */

static uint32_t number_rows(const iso_awdit *a, iso_awdit_rows *rows) {
    uint32_t n = 0;
    rows->row = ISO_NEW_NONE(a->pool, a->h->n_txns);
    for (uint32_t t = 0; t < a->h->n_txns; t++) {
        uint64_t set = rows->writes_end[t] - a->writes_first[t];
        if (set >= TOGETHER && set * SPARSEST >= rows->n_words) {
            rows->row[t] = n++;
        }
    }
    return n;
}

static void fill_rows(const iso_awdit *a, iso_awdit_rows *rows) {
    for (uint32_t t = 0; t < a->h->n_txns; t++) {
        uint64_t *words = rows->words + (size_t)rows->row[t] * rows->n_words;
        iso_tick(a->pool->env);
        for (uint32_t i = a->writes_first[t]; i < rows->writes_end[t] && rows->row[t] != ISO_NONE; i++) {
            words[rows->number[i] >> 6] |= (uint64_t)1 << (rows->number[i] & 63);
        }
    }
}

iso_awdit_rows *iso_awdit_rows_new(iso_awdit *a, uint32_t few) {
    if (searches(a, few)) {
        iso_awdit_sort_keys(a);
    }
    iso_awdit_rows *rows = ISO_ZNEW(a->pool, iso_awdit_rows, 1);
    number_keys(a, rows, few);
    rows->n_words = (rows->n_numbers / 64 + STEP) / STEP * STEP;
    uint32_t n = number_rows(a, rows);
    rows->words = iso_zalloc(a->pool, n, rows->n_words * sizeof *rows->words);
    fill_rows(a, rows);
    iso_result_counter(a->result, "rows of bits", n);
    iso_result_counter(a->result, "bits of a row", rows->n_numbers);
    return rows;
}

iso_awdit_rows *iso_awdit_rows_if_heavy(iso_awdit *a) {
    if (iso_awdit_is_heavy(a)) {
        return iso_awdit_rows_new(a, iso_awdit_few(a));
    }
    iso_awdit_sort_keys(a);
    return NULL;
}

void iso_awdit_rows_free(iso_awdit *a, iso_awdit_rows *rows) {
    if (rows != NULL) {
        iso_free(a->pool, rows->number);
        iso_free(a->pool, rows->writes_end);
        iso_free(a->pool, rows->row);
        iso_free(a->pool, rows->words);
        iso_free(a->pool, rows);
    }
}

/* ---- the reader ---- */

iso_awdit_reader iso_awdit_reader_new(iso_pool *pool, const iso_awdit_rows *rows) {
    iso_awdit_reader reader = {.rows = rows};
    if (rows != NULL) {
        reader.words = ISO_ZNEW(pool, uint64_t, rows->n_words);
        reader.number = ISO_NEW(pool, uint32_t, rows->n_numbers);
    }
    return reader;
}

void iso_awdit_reader_free(iso_pool *pool, iso_awdit_reader *reader) {
    iso_free(pool, reader->words);
    iso_free(pool, reader->number);
}

void iso_awdit_reader_clear(iso_awdit_reader *reader) {
    for (uint32_t i = 0; i < reader->n_numbers; i++) {
        reader->words[reader->number[i] >> 6] = 0;
    }
    reader->n_numbers = reader->high = 0;
    reader->low = UINT32_MAX;
}

/* Compares the words [low, high) of both rows. Neighbours often have neighbouring keys, so these are few of all. */
ISO_CLONES static uint32_t compare_rows(const uint64_t *x, const uint64_t *y, uint32_t low, uint32_t high,
                                        uint32_t *shared) {
    uint32_t n = 0;
    for (uint32_t w = low / STEP * STEP; w < high; w += STEP) {
        const vector *a = (const vector *)(const void *)(x + w), *b = (const vector *)(const void *)(y + w);
        vector any = (a[0] & b[0]) | (a[1] & b[1]) | (a[2] & b[2]) | (a[3] & b[3]);
        for (uint32_t i = w; i < w + STEP && (any[0] | any[1] | any[2] | any[3]) != 0; i++) {
            for (uint64_t set = x[i] & y[i]; set != 0; set &= set - 1) {
                shared[n++] = 64 * i + (uint32_t)__builtin_ctzll(set);
            }
        }
    }
    return n;
}

static inline bool has(const uint64_t *row, uint32_t number) { return row[number >> 6] >> (number & 63) & 1; }

/* Looks n numbers up in a row. */
static uint32_t look_up(const uint64_t *row, const uint32_t *number, uint32_t n, uint32_t *shared) {
    uint32_t n_shared = 0, i = 0;
    for (; i + TOGETHER <= n; i += TOGETHER) {
        uint64_t any = 0;
        for (uint32_t j = i; j < i + TOGETHER; j++) {
            any |= row[number[j] >> 6] >> (number[j] & 63);
        }
        for (uint32_t j = i; j < i + TOGETHER && (any & 1); j++) {
            shared[n_shared] = number[j];
            n_shared += has(row, number[j]);
        }
    }
    for (; i < n; i++) {
        if (has(row, number[i])) {
            shared[n_shared++] = number[i];
        }
    }
    return n_shared;
}

static int by_number(const void *x, const void *y) {
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

/* Searches the reader's numbers in those that t2 writes. */
static uint32_t search(const iso_awdit_reader *reader, const uint32_t *number, uint32_t n, uint32_t *shared) {
    uint32_t n_shared = 0;
    for (uint32_t i = 0; i < reader->n_numbers; i++) {
        if (bsearch(&reader->number[i], number, n, sizeof *number, by_number) != NULL) {
            shared[n_shared++] = reader->number[i];
        }
    }
    return n_shared;
}

uint32_t iso_awdit_intersect(const iso_awdit *a, const iso_awdit_reader *reader, uint32_t t2, uint32_t known,
                             uint32_t *shared) {
    const iso_awdit_rows *rows = reader->rows;
    const uint32_t *number = rows->number + a->writes_first[t2];
    const uint64_t *row = rows->row[t2] == ISO_NONE ? NULL : rows->words + (size_t)rows->row[t2] * rows->n_words;
    uint32_t n = rows->writes_end[t2] - a->writes_first[t2], own = reader->n_numbers;
    if (own == 0 || n == 0) {
        return 0;
    }
    if (row != NULL && own < (reader->high - reader->low) / STEP) {
        return look_up(row, reader->number, own, shared);
    }
    if (row == NULL && n > ISO_AWDIT_FEW && n > ISO_AWDIT_SEARCH * own && !a->unsorted) {
        return search(reader, number, n, shared);
    }
    uint64_t none, *word = known == ISO_NONE ? &none : &reader->words[known >> 6];
    uint64_t bit = known == ISO_NONE ? 0 : (uint64_t)1 << (known & 63);
    none = 0;
    *word ^= bit;
    uint32_t n_shared = row == NULL ? look_up(reader->words, number, n, shared)
                                    : compare_rows(reader->words, row, reader->low, reader->high, shared);
    *word ^= bit;
    return n_shared;
}
