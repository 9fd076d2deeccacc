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

/* For 64 successive keys: the ones that matter, as bits, and how many of the keys before them matter. */
typedef struct iso_awdit_numbers {
    uint64_t matters;
    uint32_t before;
} iso_awdit_numbers;

/* The numbers are divided into at most 64 blocks of equal size. Of a set of numbers: bit b of `any` is set if block b
 * has a number of the set, bit b of `twice` if it has two or more. Two transactions without a common block share no
 * key that matters; this test often suffices. */
typedef struct iso_awdit_blocks {
    uint64_t any, twice;
} iso_awdit_blocks;

/* Adds a number to the set; a block has 2^shift numbers. */
static inline void iso_awdit_add_block(iso_awdit_blocks *blocks, uint32_t number, unsigned shift) {
    uint64_t bit = (uint64_t)1 << (number >> shift);
    blocks->twice |= blocks->any & bit;
    blocks->any |= bit;
}

typedef struct iso_awdit_rows {
    iso_awdit_numbers *numbers;
    uint32_t n_numbers; /* of keys that matter */
    /* The numbers of the keys that transaction t writes are number[i] for i in [writes_first[t], writes_end[t]). */
    uint32_t *number, *writes_end;
    uint32_t n_words;         /* of a row; a multiple of STEP (rows.c) */
    uint32_t *row;            /* by transaction: its row; ISO_NONE: none */
    uint64_t *words;          /* row r is words[r * n_words .. (r + 1) * n_words) */
    iso_awdit_blocks *blocks; /* by transaction: the blocks of the numbers that it writes */
    unsigned shift;           /* a block has 2^shift numbers */
} iso_awdit_rows;

/* The keys that the current reader reads, as a row of bits and as a list of numbers. */
typedef struct iso_awdit_reader {
    const iso_awdit_rows *rows;  /* NULL: the history has no rows, and nothing is recorded */
    uint64_t *words;             /* its row */
    uint32_t *number, n_numbers; /* the numbers of the keys that it reads, each once */
    uint32_t low, high;          /* words of its row that are not zero are in [low, high) */
    iso_awdit_blocks blocks;     /* the blocks of its numbers */
} iso_awdit_reader;

/* Returns whether the options want rows, and comparing keys one by one takes many steps in this history. */
bool iso_awdit_is_heavy(const iso_awdit *a);
/* Returns whether some transaction t3 has few reads and reads from a transaction t2 with many writes: then a binary
 * search in the keys of t2, which have to be sorted, is cheaper than visiting all of them. few: the largest number of
 * reads for which all pairs of reads are compared. */
bool iso_awdit_searches(const iso_awdit *a, uint32_t few);
/* Returns the numbers of the keys that matter, and how many there are. */
iso_awdit_numbers *iso_awdit_find_numbers(const iso_awdit *a, uint32_t *n_numbers);

/* Returns the number of a key; ISO_NONE: the key does not matter. */
static inline uint32_t iso_awdit_number_of(const iso_awdit_numbers *numbers, uint32_t key) {
    const iso_awdit_numbers *n = &numbers[key >> 6];
    uint64_t bit = (uint64_t)1 << (key & 63);
    return n->matters & bit ? n->before + (uint32_t)__builtin_popcountll(n->matters & (bit - 1)) : ISO_NONE;
}

/* rc, ra: returns the rows, made in linear time and memory. Returns NULL if the history is not heavy; then the keys
 * that each transaction writes are sorted. */
iso_awdit_rows *iso_awdit_rows_new(iso_awdit *a);
void iso_awdit_rows_free(iso_awdit *a, iso_awdit_rows *rows);

/* Writes the numbers of n keys to number[0 .. n); ISO_NONE: the key does not matter. */
void iso_awdit_number(const iso_awdit_rows *rows, const uint32_t *key, uint32_t n, uint32_t *number);

/* Returns the size of a table by key, or, if there are rows, by number; rows may be NULL. */
static inline uint32_t iso_awdit_table_size(const iso_awdit *a, const iso_awdit_rows *rows) {
    return rows != NULL ? rows->n_numbers : a->h->n_keys;
}

iso_awdit_reader iso_awdit_reader_new(iso_pool *pool, const iso_awdit_rows *rows);
void iso_awdit_reader_free(iso_pool *pool, iso_awdit_reader *reader);
void iso_awdit_reader_clear(iso_awdit_reader *reader);

/* Returns the n keys that the reader reads, or, if there are rows, `numbers`, to which it writes the numbers of these
 * keys. */
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

/* Prefetches the beginning of the row of t2, or of its numbers if it has none. There must be rows. */
void iso_awdit_expect_row(const iso_awdit *a, const iso_awdit_reader *reader, uint32_t t2);

/* Writes the numbers that the reader reads and t2 writes to `shared`, and returns how many there are. known: a number
 * that the reader is known to read from t2 alone, which may be left out of the result; ISO_NONE: none. `shared` must
 * have room for one number more than the reader has. */
uint32_t iso_awdit_intersect(const iso_awdit *a, const iso_awdit_reader *reader, uint32_t t2, uint32_t known,
                             uint32_t *shared);

/* The transactions t2 with which a reader t3 is compared. For cc: the writers that happen before t3, which are
 * txn[first[t3] .. end[t3]). For ra: the transactions from which t3 reads; first, end and txn are NULL. */
typedef struct iso_awdit_seen {
    iso_awdit_rows *rows; /* NULL: none */
    size_t *first, *end;
    uint32_t *txn;
} iso_awdit_seen;

/* cc: makes the rows. */
iso_awdit_rows *iso_awdit_rows_seen(iso_awdit *a);
/* seen.c. Lists the writers that happen before each transaction. Returns false, without a list, if there are too many.
 * order: a topological order of so and wr. */
bool iso_awdit_find_seen(iso_awdit *a, const uint32_t *order, iso_awdit_seen *seen);
void iso_awdit_free_seen(iso_awdit *a, iso_awdit_seen *seen);

/* ra.c. Infers the edges for cc from the lists. */
void iso_awdit_cc_by_seen(iso_awdit *a, iso_awdit_seen *seen);

/* rc.c, ra.c. Infer the edges of n readers alone, which ascend, without rows. Return false if a reader reads a key from
 * two transactions. */
bool iso_awdit_rc_readers(iso_awdit *a, const uint32_t *readers, uint32_t n);
bool iso_awdit_ra_readers(iso_awdit *a, const iso_awdit_seen *seen, const uint32_t *readers, uint32_t n);

/* sieve.c. Looks at the edges of some readers. EDGES: the inferred edges have a cycle. FOUND: these readers have no
 * edges. Otherwise the edges are forgotten. */
iso_awdit_answer iso_awdit_sample(iso_awdit *a);
/* Looks for edges that lead back in a topological order of so and wr. seen: for cc, else NULL. EDGES: so, wr and the
 * inferred edges, which are not all, have a cycle. FOUND: the order is a commit order; no edges are inferred. */
iso_awdit_answer iso_awdit_sieve(iso_awdit *a, const uint32_t *order, const iso_awdit_seen *seen);

#endif
