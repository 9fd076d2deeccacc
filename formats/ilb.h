/* `.ilb`, the binary form of a history: columns as history.h has them, so that most are used in the place where they
 * were read. Little endian. docs/model.md says what a reader may rely on.
 *
 *     a header of 32 words of 64 bits (enum below)
 *     the columns (ILB_COLUMNS), each beginning at a multiple of 64 bytes, zeros between
 *     XXH3 (64 bits) of everything before
 *
 * Nothing derived is stored: no writers of reads, no versions of operations. An operation names its key and the rank of
 * its value among the values of the key, and the values of a key are stored in strictly increasing order. So no two
 * versions can be equal, and loading resolves every read by one array access. */
#ifndef ISOLAB_FORMATS_ILB_H
#define ISOLAB_FORMATS_ILB_H

#include "formats/format.h"

#define ILB_MAGIC 0x0a1a0a0d424c4989u /* \x89 I L B \r \n \x1a \n */
#define ILB_VERSION 1
#define ILB_ORDER 0x01020304u /* has another value on a machine with the other byte order */

enum {
    ILB_WORD_MAGIC,
    ILB_WORD_VERSION, /* and ILB_ORDER in the upper half */
    ILB_WORD_SIZE,    /* of the file */
    ILB_SESSIONS,
    ILB_TXNS,
    ILB_OPS,
    ILB_KEYS,
    ILB_VERSIONS,
    ILB_LISTS, /* the number of list reads: lists are in the order of operations */
    ILB_ELEMENTS,
    ILB_STRINGS,
    ILB_STRING_BYTES,
    ILB_HAS_NAMES, /* of transactions: 0 or 1 */
    ILB_HAS_TIMES,
    ILB_KEY_WIDTH,  /* bytes of op_key: 1, 2 or 4 */
    ILB_RANK_WIDTH, /* of op_rank and list_rank */
    ILB_INITIAL_KIND,
    ILB_INITIAL_BITS,
    ILB_ORDINARY,    /* 1: no transaction is the initial one */
    ILB_ABOUT_BYTES, /* of history/about.h */
    ILB_WORDS = 32   /* the others are zero */
};

/* name, bytes of an element, number of elements; w are the words of the header */
#define ILB_COLUMNS(COLUMN)                                                                                            \
    COLUMN(session_txn, 4, w[ILB_SESSIONS] + 1)                                                                        \
    COLUMN(session_kind, 1, w[ILB_SESSIONS]) /* of its name */                                                         \
    COLUMN(session_bits, 8, w[ILB_SESSIONS])                                                                           \
    COLUMN(txn_op, 4, w[ILB_TXNS] + 1)                                                                                 \
    COLUMN(txn_status, 1, w[ILB_TXNS])                                                                                 \
    COLUMN(txn_name_kind, 1, w[ILB_HAS_NAMES] * w[ILB_TXNS])                                                           \
    COLUMN(txn_name_bits, 8, w[ILB_HAS_NAMES] * w[ILB_TXNS])                                                           \
    COLUMN(txn_start, 8, w[ILB_HAS_TIMES] * w[ILB_TXNS])                                                               \
    COLUMN(txn_end, 8, w[ILB_HAS_TIMES] * w[ILB_TXNS])                                                                 \
    COLUMN(op_kind, 1, w[ILB_OPS])                                                                                     \
    COLUMN(op_key, w[ILB_KEY_WIDTH], w[ILB_OPS])                                                                       \
    COLUMN(op_rank, w[ILB_RANK_WIDTH], w[ILB_OPS]) /* list reads: 0 */                                                 \
    COLUMN(key_kind, 1, w[ILB_KEYS])               /* keys increase: iso_ilb_before() */                               \
    COLUMN(key_bits, 8, w[ILB_KEYS])                                                                                   \
    COLUMN(key_version, 4, w[ILB_KEYS] + 1) /* the versions of key k: [key_version[k], key_version[k + 1]) */          \
    COLUMN(version_kind, 1, w[ILB_VERSIONS])                                                                           \
    COLUMN(version_bits, 8, w[ILB_VERSIONS])                                                                           \
    COLUMN(list_first, 4, w[ILB_LISTS] + 1)                                                                            \
    COLUMN(list_rank, w[ILB_RANK_WIDTH], w[ILB_ELEMENTS])                                                              \
    COLUMN(string_first, 8, w[ILB_STRINGS] + 1) /* strings increase: length, then bytes */                             \
    COLUMN(string_bytes, 1, w[ILB_STRING_BYTES])                                                                       \
    COLUMN(about, 1, w[ILB_ABOUT_BYTES])

enum {
#define COLUMN(name, size, count) ILB_##name,
    ILB_COLUMNS(COLUMN)
#undef COLUMN
        ILB_COLUMN_COUNT
};

typedef struct iso_ilb_layout {
    uint64_t at[ILB_COLUMN_COUNT], bytes[ILB_COLUMN_COUNT];
    uint64_t size; /* of the file; its last 8 bytes are the checksum */
} iso_ilb_layout;

/* Computes the places of the columns. The counts must be at most 2^40. */
static inline iso_ilb_layout iso_ilb_place(const uint64_t w[ILB_WORDS]) {
    iso_ilb_layout l;
    uint64_t at = ILB_WORDS * sizeof(uint64_t);
#define COLUMN(name, element, count)                                                                                   \
    l.at[ILB_##name] = at;                                                                                             \
    l.bytes[ILB_##name] = (element) * (count);                                                                         \
    at = (at + l.bytes[ILB_##name] + 63) / 64 * 64;
    ILB_COLUMNS(COLUMN)
#undef COLUMN
    l.size = at + sizeof(uint64_t);
    return l;
}

/* Returns whether a comes before b in the order of keys, and of the values of a key: by kind, integers by size, strings
 * by their numbers. */
static inline bool iso_ilb_before(uint8_t kind_a, uint64_t a, uint8_t kind_b, uint64_t b) {
    uint64_t sign = kind_a == ISO_ATOM_INT ? (uint64_t)1 << 63 : 0;
    return kind_a != kind_b ? kind_a < kind_b : (a ^ sign) < (b ^ sign);
}

void iso_ilb_write(const isolab_history *h, iso_sink *sink);

#endif
