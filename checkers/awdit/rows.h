/* Heavy transactions as rows of bits.
 *
 * Where heavy transactions read from heavy ones, the time of rc and ra goes into one question: which keys does t2 write
 * that t3 reads? awdit.txt (section 4) shows that this question is triangle detection, which fast matrix multiplication
 * solves; here the product is taken word by word. A key matters only if two transactions write it, or if one writes it
 * and another reads its initial value; such keys of heavy readers and heavy writers get dense numbers, the keys of a
 * heavy writer become a row of bits, the keys of the current reader become another row, and the answer is their
 * intersection: 64 keys an instruction, 256 with vectors. */
#ifndef ISOLAB_CHECKERS_AWDIT_ROWS_H
#define ISOLAB_CHECKERS_AWDIT_ROWS_H

#include "checkers/awdit/awdit.h"

/* A transaction with at least this many reads, or this many writes, is heavy. */
#define ISO_AWDIT_HEAVY 64

/* Rows of all heavy writers. */
typedef struct iso_awdit_rows {
    uint32_t n_words; /* of a row; a multiple of a vector */
    uint32_t *bit;    /* by key: its bit; ISO_NONE: the key does not matter */
    uint32_t *key;    /* by bit: its key */
    uint32_t *row;    /* by transaction: its row; ISO_NONE: none, walk over its keys instead */
    uint64_t *words;  /* row r is words[r n_words .. (r + 1) n_words) */
} iso_awdit_rows;

/* The keys of the current reader as a row. */
typedef struct iso_awdit_reader {
    const iso_awdit_rows *rows; /* NULL: the history has no rows, and nothing is recorded */
    uint64_t *words;
    uint32_t *used, n_used; /* words that are not zero */
    uint32_t low, high;     /* all of them are in [low, high) */
} iso_awdit_reader;

/* Makes the rows, in linear time and memory. NULL: not wanted, or walking is cheap enough in this history. */
iso_awdit_rows *iso_awdit_rows_new(iso_awdit *a);

iso_awdit_reader iso_awdit_reader_new(iso_pool *pool, const iso_awdit_rows *rows);
void iso_awdit_reader_free(iso_pool *pool, iso_awdit_reader *reader);
void iso_awdit_reader_clear(iso_awdit_reader *reader);

/* Records that the reader reads the key. */
static inline void iso_awdit_reader_add(iso_awdit_reader *reader, uint32_t key) {
    uint32_t bit = reader->rows != NULL ? reader->rows->bit[key] : ISO_NONE;
    if (bit != ISO_NONE) {
        uint64_t *word = &reader->words[bit >> 6];
        reader->used[reader->n_used] = bit >> 6;
        reader->n_used += *word == 0;
        reader->low = bit >> 6 < reader->low ? bit >> 6 : reader->low;
        reader->high = bit >> 6 < reader->high ? reader->high : (bit >> 6) + 1;
        *word |= (uint64_t)1 << (bit & 63);
    }
}

/* Takes the key of a read out, or puts it back: that a writer writes what the reader read from it is no news. */
static inline void iso_awdit_reader_flip(iso_awdit_reader *reader, uint32_t key) {
    uint32_t bit = reader->rows->bit[key];
    if (bit != ISO_NONE) {
        reader->words[bit >> 6] ^= (uint64_t)1 << (bit & 63);
    }
}

/* Returns whether t2 has a row. */
static inline bool iso_awdit_has_row(const iso_awdit_reader *reader, uint32_t t2) {
    return reader->rows != NULL && reader->rows->row[t2] != ISO_NONE;
}

/* Writes the keys that the reader reads and t2 writes, except keys that do not matter, to keys. t2 must have a row.
 * Returns their number. */
uint32_t iso_awdit_intersect_row(const iso_awdit_reader *reader, uint32_t t2, uint32_t *keys);

#endif
