/* Heavy transactions as rows of bits.
 *
 * Where transactions with many reads read from ones with many writes, the time of rc, ra and cc goes into one question:
 * which keys does t2 write that t3 reads? awdit.txt (section 4) shows that this question is triangle detection, which
 * fast matrix multiplication solves; here the product is taken word by word. A key matters only if two transactions
 * write it, or if one writes it and another reads its initial value. The keys that matter are numbered densely, so that
 * tables by key are small; the other keys are passed over. The numbers that the current reader reads become a row of
 * bits. So do those of each writer with many of them, and the answer is the intersection of two rows: 64 keys an
 * instruction, 256 with vectors. The row of a writer with fewer keys would be nearly empty; its numbers are looked up
 * in the row of the reader one by one. */
#ifndef ISOLAB_CHECKERS_AWDIT_ROWS_H
#define ISOLAB_CHECKERS_AWDIT_ROWS_H

#include "checkers/awdit/awdit.h"

/* A transaction with at least this many reads is heavy. */
#define ISO_AWDIT_HEAVY 64

/* For 64 keys: which of them matter, and how many do before these. */
typedef struct iso_awdit_numbers {
    uint64_t matters;
    uint32_t before;
} iso_awdit_numbers;

/* All numbers are in at most 64 blocks. Of some numbers: the blocks with any of them, and with two or more. Often two
 * transactions have no block in common, and no more has to be known. */
typedef struct iso_awdit_blocks {
    uint64_t any, twice;
} iso_awdit_blocks;

static inline void iso_awdit_add_block(iso_awdit_blocks *blocks, uint32_t number, unsigned shift) {
    uint64_t bit = (uint64_t)1 << (number >> shift);
    blocks->twice |= blocks->any & bit;
    blocks->any |= bit;
}

typedef struct iso_awdit_rows {
    iso_awdit_numbers *numbers;
    uint32_t n_numbers; /* of keys that matter */
    /* The numbers of the keys that t writes are number[i] for i in [writes_first[t], writes_end[t]). */
    uint32_t *number, *writes_end;
    uint32_t n_words;         /* of a row; a multiple of a vector */
    uint32_t *row;            /* by transaction: its row; ISO_NONE: none */
    uint64_t *words;          /* row r is words[r n_words .. (r + 1) n_words) */
    iso_awdit_blocks *blocks; /* by transaction: of the numbers that it writes */
    unsigned shift;           /* a block has 2^shift numbers */
} iso_awdit_rows;

/* What the current reader reads. */
typedef struct iso_awdit_reader {
    const iso_awdit_rows *rows; /* NULL: the history has no rows, and nothing is recorded */
    uint64_t *words;
    uint32_t *number, n_numbers; /* the numbers that are recorded */
    uint32_t low, high;          /* words that are not zero are in [low, high) */
    iso_awdit_blocks blocks;     /* of these numbers */
} iso_awdit_reader;

/* rc, ra: makes the rows, in linear time and memory. NULL: not wanted, or walking is cheap enough in this history; then
 * the keys that transactions write are sorted. */
iso_awdit_rows *iso_awdit_rows_new(iso_awdit *a);
void iso_awdit_rows_free(iso_awdit *a, iso_awdit_rows *rows);

/* Writes the numbers of n keys; ISO_NONE: a key does not matter. */
void iso_awdit_number(const iso_awdit_rows *rows, const uint32_t *key, uint32_t n, uint32_t *number);

/* Returns the number of different keys that tables by key need; rows may be NULL. */
static inline uint32_t iso_awdit_table_size(const iso_awdit *a, const iso_awdit_rows *rows) {
    return rows != NULL ? rows->n_numbers : a->h->n_keys;
}

iso_awdit_reader iso_awdit_reader_new(iso_pool *pool, const iso_awdit_rows *rows);
void iso_awdit_reader_free(iso_pool *pool, iso_awdit_reader *reader);
void iso_awdit_reader_clear(iso_awdit_reader *reader);

/* Returns the keys that it reads, or if there are rows their numbers, which are written to `numbers`. */
static inline const uint32_t *iso_awdit_keys_read(const iso_awdit_reader *reader, const uint32_t *key, uint32_t n,
                                                  uint32_t *numbers) {
    if (reader->rows == NULL) {
        return key;
    }
    iso_awdit_number(reader->rows, key, n, numbers);
    return numbers;
}

/* Records that the reader reads the key with this number, for the first time. */
static inline void iso_awdit_reader_add(iso_awdit_reader *reader, uint32_t number) {
    uint32_t word = number >> 6;
    if (reader->rows != NULL) {
        reader->words[word] |= (uint64_t)1 << (number & 63);
        reader->number[reader->n_numbers++] = number;
        iso_awdit_add_block(&reader->blocks, number, reader->rows->shift);
        reader->low = word < reader->low ? word : reader->low;
        reader->high = word < reader->high ? reader->high : word + 1;
    }
}

/* Prefetches the beginning of what t2 writes. There must be rows. */
void iso_awdit_expect_row(const iso_awdit *a, const iso_awdit_reader *reader, uint32_t t2);

/* Writes the numbers that the reader reads and t2 writes to `shared`, and returns how many there are. `known` is one
 * that the reader is known to read from t2 alone (ISO_NONE: none): it may be left out, so that nothing is found where
 * there is no other. `shared` must have room for one more than the reader has numbers. */
uint32_t iso_awdit_intersect(const iso_awdit *a, const iso_awdit_reader *reader, uint32_t t2, uint32_t known,
                             uint32_t *shared);

/* Which transactions happen before which. For ra none are listed: the sources of its reads matter. For cc, t3 has
 * txn[first[t3] .. end[t3]). */
typedef struct iso_awdit_seen {
    iso_awdit_rows *rows; /* NULL: none */
    size_t *first, *end;
    uint32_t *txn;
} iso_awdit_seen;

/* Makes them for cc, with the rows. Returns false, with nothing, if they or the rows are not wanted. order: a
 * topological order of so and wr. */
bool iso_awdit_rows_seen(iso_awdit *a, const uint32_t *order, iso_awdit_seen *seen);
/* seen.c. Lists the writers that happen before each transaction. Returns false if these are too many. */
bool iso_awdit_find_seen(iso_awdit *a, const uint32_t *order, iso_awdit_seen *seen);
void iso_awdit_free_seen(iso_awdit *a, iso_awdit_seen *seen);

#endif
