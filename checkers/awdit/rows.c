/* See rows.h. */
#include "checkers/awdit/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/clones.h"

typedef uint64_t vector __attribute__((vector_size(32), aligned(8), may_alias));

/* Number of words that are compared in one step: four vectors. */
enum { STEP = 16 };

/* Number of keys that are looked up with one branch. */
enum { TOGETHER = 8 };

/* Rows are made only if comparing keys one by one takes more than this many steps for each operation of the history. */
enum { CHEAP = 4 };

/* A row has at most this many words for each of its set bits, so all rows together are linear in the history. */
enum { SPARSEST = 2 };

/* ---- whether rows pay ---- */

static uint32_t n_reads(const iso_awdit *a, uint32_t t) { return a->reads_end[t] - a->h->txn_op[t]; }

static uint32_t n_writes(const iso_awdit *a, uint32_t t) { return a->h->txn_op[t + 1] - a->writes_first[t]; }

bool iso_awdit_is_heavy(const iso_awdit *a) {
    uint64_t steps = 0, most = (uint64_t)CHEAP * a->h->n_ops;
    for (uint32_t t3 = 0; t3 < a->h->n_txns && a->bits && a->bits != ISO_AWDIT_ALWAYS && steps <= most; t3++) {
        uint32_t n = n_reads(a, t3), search = ISO_AWDIT_SEARCH * n;
        for (uint32_t i = a->h->txn_op[t3]; i < a->reads_end[t3] && n >= ISO_AWDIT_HEAVY; i++) {
            uint32_t writes = a->source[i] != ISO_INIT ? n_writes(a, a->source[i]) : 0;
            steps += writes < search ? writes : search;
        }
    }
    return a->bits && (a->bits == ISO_AWDIT_ALWAYS || steps > most);
}

bool iso_awdit_searches(const iso_awdit *a, uint32_t few) {
    uint32_t longest = 0;
    for (uint32_t t = 0; t < a->h->n_txns; t++) {
        longest = n_writes(a, t) > longest ? n_writes(a, t) : longest;
    }
    for (uint32_t t3 = 0; t3 < a->h->n_txns; t3++) {
        uint32_t n = n_reads(a, t3), search = n <= few ? ISO_AWDIT_FEW : ISO_AWDIT_SEARCH * n;
        for (uint32_t i = a->h->txn_op[t3]; i < a->reads_end[t3] && search < longest; i++) {
            if (a->source[i] != ISO_INIT && n_writes(a, a->source[i]) > search) {
                return true;
            }
        }
    }
    return false;
}

/* ---- which keys matter ---- */

enum { INITIAL = 1, WRITTEN = 2, TWICE = 4 };

/* Returns the marks of each key: whether its initial value is read, whether a transaction writes it, and whether
 * several do. The array has a multiple of 64 marks; the ones after the last key are 0. */
static uint8_t *mark_keys(const iso_awdit *a) {
    uint8_t *mark = ISO_ZNEW(a->pool, uint8_t, ((size_t)a->h->n_keys / 64 + 1) * 64);
    for (uint32_t t = 0; t < a->h->n_txns; t++) {
        iso_tick(a->pool->env);
        for (uint32_t i = a->h->txn_op[t]; i < a->reads_end[t]; i++) {
            if (a->source[i] == ISO_INIT) {
                mark[a->key[i]] |= INITIAL;
            }
        }
        for (uint32_t i = a->writes_first[t]; i < a->h->txn_op[t + 1]; i++) {
            uint8_t *m = &mark[a->key[i]];
            *m = (uint8_t)(*m | WRITTEN | (*m & WRITTEN) << 1);
        }
    }
    return mark;
}

/* Returns a bit for each of eight marks: whether the key matters, which is TWICE, or WRITTEN and INITIAL. */
static inline uint64_t eight_matter(const uint8_t *mark) {
    uint64_t m;
    memcpy(&m, mark, sizeof m);
    uint64_t matters = (m >> 2 | (m & m >> 1)) & 0x0101010101010101u; /* the lowest bit of each byte */
    return matters * 0x0102040810204080u >> 56;
}

iso_awdit_numbers *iso_awdit_find_numbers(const iso_awdit *a, uint32_t *n_numbers) {
    uint8_t *mark = mark_keys(a);
    size_t n_words = (size_t)a->h->n_keys / 64 + 1;
    iso_awdit_numbers *numbers = ISO_NEW(a->pool, iso_awdit_numbers, n_words);
    *n_numbers = 0;
    for (size_t w = 0; w < n_words; w++) {
        uint64_t matters = 0;
        for (uint32_t i = 0; i < 64; i += 8) {
            matters |= eight_matter(mark + 64 * w + i) << i;
        }
        numbers[w] = (iso_awdit_numbers){matters, *n_numbers};
        *n_numbers += (uint32_t)__builtin_popcountll(matters);
    }
    iso_free(a->pool, mark);
    return numbers;
}

/* Writes the numbers of those of n keys that matter, and returns how many there are. */
ISO_CLONES static uint32_t number_written(const iso_awdit_numbers *numbers, const uint32_t *key, uint32_t n,
                                          uint32_t *number) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        number[kept] = iso_awdit_number_of(numbers, key[i]);
        kept += number[kept] != ISO_NONE;
    }
    return kept;
}

ISO_CLONES static void number_all(const iso_awdit_numbers *numbers, const uint32_t *key, uint32_t n, uint32_t *number) {
    for (uint32_t i = 0; i < n; i++) {
        number[i] = iso_awdit_number_of(numbers, key[i]);
    }
}

/* The header uses this function, so it cannot be one that is compiled twice itself. */
void iso_awdit_number(const iso_awdit_rows *rows, const uint32_t *key, uint32_t n, uint32_t *number) {
    number_all(rows->numbers, key, n, number);
}

/* Records the numbers of the keys that each transaction writes, and their blocks. */
static void number_writes(iso_awdit *a, iso_awdit_rows *rows) {
    rows->number = ISO_NEW(a->pool, uint32_t, a->h->n_ops);
    rows->writes_end = ISO_NEW(a->pool, uint32_t, a->h->n_txns);
    rows->blocks = ISO_ZNEW(a->pool, iso_awdit_blocks, a->h->n_txns);
    while (rows->n_numbers >> rows->shift >= 64) {
        rows->shift++;
    }
    for (uint32_t t = 0; t < a->h->n_txns; t++) {
        uint32_t first = a->writes_first[t];
        iso_tick(a->pool->env);
        rows->writes_end[t] =
            first + number_written(rows->numbers, a->key + first, n_writes(a, t), rows->number + first);
        for (uint32_t i = first; i < rows->writes_end[t]; i++) {
            iso_awdit_add_block(&rows->blocks[t], rows->number[i], rows->shift);
        }
    }
}

/* ---- rows ---- */

/* Gives a row to each transaction that sets enough of its bits, and returns the number of rows. */
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

/* few: see iso_awdit_searches(). */
static iso_awdit_rows *make_rows(iso_awdit *a, uint32_t few) {
    iso_awdit_rows *rows = ISO_ZNEW(a->pool, iso_awdit_rows, 1);
    if (a->unsorted && iso_awdit_searches(a, few)) {
        iso_awdit_sort_keys(a);
    }
    rows->numbers = iso_awdit_find_numbers(a, &rows->n_numbers);
    number_writes(a, rows);
    rows->n_words = (rows->n_numbers / 64 + STEP) / STEP * STEP;
    uint32_t n = number_rows(a, rows);
    rows->words = iso_zalloc(a->pool, n, rows->n_words * sizeof *rows->words);
    fill_rows(a, rows);
    iso_result_counter(a->result, "rows of bits", n);
    iso_result_counter(a->result, "bits of a row", rows->n_numbers);
    return rows;
}

iso_awdit_rows *iso_awdit_rows_new(iso_awdit *a) {
    if (a->heavy) {
        return make_rows(a, iso_awdit_few(a));
    }
    iso_awdit_sort_keys(a);
    return NULL;
}

iso_awdit_rows *iso_awdit_rows_seen(iso_awdit *a) { return make_rows(a, 0); }

void iso_awdit_rows_free(iso_awdit *a, iso_awdit_rows *rows) {
    if (rows != NULL) {
        iso_free(a->pool, rows->numbers);
        iso_free(a->pool, rows->number);
        iso_free(a->pool, rows->blocks);
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
    reader->blocks = (iso_awdit_blocks){0, 0};
    reader->low = UINT32_MAX;
}

/* Writes the numbers that two rows x and y share in the words [low, high) to `shared`, and returns how many there are.
 * The range is often a small part of the row, since transactions often use keys with near numbers. */
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

void iso_awdit_expect_row(const iso_awdit *a, const iso_awdit_reader *reader, uint32_t t2) {
    enum { LINE = 64, MOST = 16 * LINE };
    const iso_awdit_rows *rows = reader->rows;
    const char *at = (const char *)(rows->number + a->writes_first[t2]);
    size_t size = (rows->writes_end[t2] - a->writes_first[t2]) * sizeof *rows->number;
    if (rows->row[t2] != ISO_NONE) {
        at = (const char *)(rows->words + (size_t)rows->row[t2] * rows->n_words + reader->low);
        size = reader->low < reader->high ? (reader->high - reader->low) * sizeof *rows->words : 0;
    }
    for (size_t i = 0; i < size && i < MOST; i += LINE) {
        __builtin_prefetch(at + i);
    }
}

static inline bool has(const uint64_t *row, uint32_t number) { return row[number >> 6] >> (number & 63) & 1; }

/* Writes those of n numbers whose bits are set in a row to `shared`, and returns how many there are. */
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

/* Searches for each number of the reader in n sorted numbers, writes the ones that it finds to `shared`, and returns
 * how many there are. */
static uint32_t search(const iso_awdit_reader *reader, const uint32_t *number, uint32_t n, uint32_t *shared) {
    uint32_t n_shared = 0;
    for (uint32_t i = 0; i < reader->n_numbers; i++) {
        if (bsearch(&reader->number[i], number, n, sizeof *number, by_number) != NULL) {
            shared[n_shared++] = reader->number[i];
        }
    }
    return n_shared;
}

/* Returns the blocks in which the reader and t2 may share a number other than `known` (ISO_NONE: any number). */
static inline uint64_t common_blocks(const iso_awdit_reader *reader, uint32_t t2, uint32_t known) {
    const iso_awdit_blocks *own = &reader->blocks, *other = &reader->rows->blocks[t2];
    uint64_t both = own->any & other->any;
    return known == ISO_NONE ? both
                             : both & ~(((uint64_t)1 << (known >> reader->rows->shift)) & ~(own->twice & other->twice));
}

uint32_t iso_awdit_intersect(const iso_awdit *a, const iso_awdit_reader *reader, uint32_t t2, uint32_t known,
                             uint32_t *shared) {
    const iso_awdit_rows *rows = reader->rows;
    uint64_t common = common_blocks(reader, t2, known);
    if (common == 0) {
        return 0;
    }
    const uint32_t *number = rows->number + a->writes_first[t2];
    const uint64_t *row = rows->row[t2] == ISO_NONE ? NULL : rows->words + (size_t)rows->row[t2] * rows->n_words;
    uint32_t n = rows->writes_end[t2] - a->writes_first[t2], own = reader->n_numbers;
    if (row != NULL && own < (reader->high - reader->low) / STEP) {
        return look_up(row, reader->number, own, shared);
    }
    if (row == NULL && n > ISO_AWDIT_FEW && n > ISO_AWDIT_SEARCH * own && !a->unsorted) {
        return search(reader, number, n, shared);
    }
    uint64_t none, *word = known == ISO_NONE ? &none : &reader->words[known >> 6];
    uint64_t bit = known == ISO_NONE ? 0 : (uint64_t)1 << (known & 63);
    uint32_t first = (uint32_t)__builtin_ctzll(common), last = 63 - (uint32_t)__builtin_clzll(common);
    uint32_t low = first << rows->shift >> 6, high = (uint32_t)((uint64_t)(last + 1) << rows->shift >> 6) + 1;
    none = 0;
    low = low > reader->low ? low : reader->low;
    high = high < reader->high ? high : reader->high;
    *word ^= bit;
    uint32_t n_shared =
        row == NULL ? look_up(reader->words, number, n, shared) : compare_rows(reader->words, row, low, high, shared);
    *word ^= bit;
    return n_shared;
}
