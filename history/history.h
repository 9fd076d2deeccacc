/* A history: what the clients of a database saw (docs/model.md).
 *
 * Structure of arrays over dense 32-bit numbers. A history never changes after iso_builder_finish() has returned it. It
 * belongs to the pool in which it was built, and many threads may read it.
 *
 * - Transactions are numbered session by session: those of session s are [session_txn[s], session_txn[s+1]),
 *   in session order. So `a so b` means: same session and a < b.
 * - Operations are numbered transaction by transaction, in program order: [txn_op[t], txn_op[t+1]).
 * - A *version* is a pair of key and value. The nil value of a key is its initial version. Checkers compare version
 *   numbers, not values.
 * - A *negation* is a version that stands for all values of its key except one: it is the version of a read of which
 *   only the value is known that it did not return. No operation writes a negation; its writers are the writers of all
 *   other values, the initial transaction included.
 * - The virtual initial transaction has no number in the arrays; as the writer of a read it is ISO_INIT. */
#ifndef ISOLAB_HISTORY_HISTORY_H
#define ISOLAB_HISTORY_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/atom.h"
#include "base/env.h"

typedef enum { ISO_READ, ISO_WRITE, ISO_APPEND, ISO_LIST_READ } iso_op_kind;
typedef enum { ISO_COMMITTED, ISO_ABORTED, ISO_INDETERMINATE } iso_status;

/* Whether a transaction is included. Committed transactions are, aborted ones are not. An indeterminate transaction is
 * included when an included one reads from it. It is optional only with repeated values: an ambiguous read may have
 * read from it or from another writer, so the checker must decide. */
typedef enum { ISO_EXCLUDED, ISO_INCLUDED, ISO_OPTIONAL } iso_counts;

#define ISO_NONE UINT32_MAX          /* none; as a writer: no transaction wrote the value (thin air) */
#define ISO_INIT (UINT32_MAX - 1)    /* the virtual initial transaction */
#define ISO_MANY (UINT32_MAX - 2)    /* several writers of the same value: see iso_writers() */
#define ISO_ID_MAX (UINT32_MAX - 16) /* largest number of any item */

#define ISO_NO_TIME INT64_MIN

/* Whether the end of the input is missing (torn.h), and then whether it says that each value of a key has one
 * writer. */
typedef enum { ISO_WHOLE, ISO_TORN, ISO_TORN_UNIQUE } iso_torn;

/* The unit of times: nanoseconds, or the indices or places of events in a log without a clock. */
typedef enum { ISO_TIME_NS, ISO_TIME_INDEX, ISO_TIME_PLACE } iso_time_unit;

/* What reading made of the input besides transactions: the initial transaction (initial.h), values that
 * became initial, and the end that it left out. */
typedef struct iso_taken {
    uint32_t n_txns, n_keys; /* number of such transactions (0: none), and of keys that they wrote */
    iso_atom txn, session;   /* names of the first of them and of its session; nil: no name */
    uint32_t number;         /* its number among all transactions of the input if it was not the first; else ISO_NONE */
    uint32_t n_unwritten;    /* number of keys whose value that no transaction wrote is initial (--initial unwritten) */
    uint64_t last_line;      /* of an input that is cut off: the last line that was read; 0: it is whole */
} iso_taken;

/* Something that happened beside the transactions, such as the death of a server. Checkers ignore notes. */
typedef struct iso_note {
    int64_t start, end; /* ISO_NO_TIME: not known */
    iso_atom text;
} iso_note;

struct isolab_history {
    iso_pool *pool;

    uint32_t n_sessions, n_txns, n_ops, n_keys, n_versions, n_lists;

    /* sessions */
    uint32_t *session_txn;  /* n_sessions + 1 */
    iso_atom *session_name; /* nil: unnamed, print its number */

    /* transactions */
    uint32_t *txn_op;       /* n_txns + 1 */
    uint32_t *txn_session;  /* n_txns */
    uint8_t *txn_status;    /* iso_status */
    uint8_t *txn_counts;    /* iso_counts */
    uint8_t *txn_name_kind; /* the input's id, an atom in two columns; NULL: no transaction has one */
    uint64_t *txn_name_bits;
    int64_t *txn_start, *txn_end; /* in time_unit, ISO_NO_TIME if missing; NULL: no transaction has one */
    uint32_t *txn_line;  /* line of the input that has its results, from 1; ISO_NONE: not known. NULL: of none */
    uint32_t *txn_index; /* the same as the index of an event of a Jepsen log */

    /* operations */
    uint8_t *op_kind; /* iso_op_kind */
    uint32_t *op_key;
    uint32_t *op_version; /* of an ISO_LIST_READ: the number of its list */
    uint32_t *op_txn;
    uint32_t *op_writer; /* of a read: the write operation that it read from (of a list: that appended its last
                          * element), or ISO_INIT, ISO_NONE, ISO_MANY; of a write: ISO_NONE */

    /* list reads: their elements as versions of the key, list_version[list_first[l] .. list_first[l+1]) */
    uint32_t *list_first; /* n_lists + 1 */
    uint32_t *list_version;

    /* keys */
    iso_atom *key_name;
    uint8_t *key_is_list; /* whether the key is appended to, or read as a list */

    /* versions */
    uint32_t *version_key;
    uint8_t *version_kind; /* the value, an atom in two columns */
    uint64_t *version_bits;
    uint32_t *version_writer; /* the write operation; ISO_INIT for nil, ISO_NONE: none, ISO_MANY: several */

    uint32_t *version_not; /* by version, for negations: the version that it excludes, or ISO_NONE where no operation
                              names that value; for others ISO_NONE. NULL: there are no negations */

    /* only with repeated values or negations (else NULL): the write operations of a version that an included
     * transaction may have read, in increasing order; if only excluded transactions wrote it, the first of their
     * writes. The initial transaction, which also writes every nil version, is not listed. */
    uint32_t *writers_first; /* n_versions + 3 entries */
    uint32_t *writers_op;

    /* strings, also NUL-terminated: bytes [string_first[i], string_first[i+1] - 1) of string_bytes */
    uint32_t n_strings;
    uint64_t *string_first; /* n_strings + 1 */
    char *string_bytes;

    iso_atom initial; /* the value that meant "initial" in the input besides nil; nil: none */
    iso_atom custom;  /* the value that means "initial" if the first transaction wrote it; nil: none */
    iso_taken taken;
    uint32_t first_txn; /* the first transaction of the input that has operations and was not aborted; ISO_NONE: none */

    uint32_t n_notes;
    iso_note *notes; /* in the order of the input */

    bool unique; /* no version has two writes of transactions that are included or optional, the initial transaction
                  * being one of them, and none is a negation */
    uint32_t twin_a, twin_b; /* two such writes of one version that is no negation; twin_a may be ISO_INIT.
                                twin_b ISO_NONE: there are none */
    bool has_times, has_lists, has_strings;
    const char *about;   /* the description that the input has of itself (about.h); NULL: none */
    uint8_t torn;        /* iso_torn */
    uint32_t torn_reads; /* of a torn history: reads that were left out */
    uint8_t time_unit;   /* iso_time_unit */
    bool names_repeat;   /* two transactions have the same id */
    uint8_t name_hashes; /* invented names are `t17` (0), or `#17` with this many hashes, because an id looks like it */
    uint32_t n_committed, n_aborted, n_indeterminate;
};

static inline bool iso_is_write(uint8_t kind) { return kind == ISO_WRITE || kind == ISO_APPEND; }

/* Returns the n write operations of a version that a read may have taken: writes of excluded transactions are among
 * them only if there are no others. An initial version is also written by the initial transaction, which is not among
 * them. */
static inline const uint32_t *iso_writers(const isolab_history *h, uint32_t version, uint32_t *n) {
    if (h->writers_first != NULL) {
        *n = h->writers_first[version + 1] - h->writers_first[version];
        return h->writers_op + h->writers_first[version];
    }
    *n = h->version_writer[version] < ISO_MANY;
    return h->version_writer + version;
}

/* Return the last write of an operation's key before the operation in its transaction, and the first one after it;
 * ISO_NONE: none. Linear in the operations of the transaction. */
uint32_t iso_write_before(const isolab_history *h, uint32_t op);
uint32_t iso_write_after(const isolab_history *h, uint32_t op);

static inline iso_atom iso_version_value(const isolab_history *h, uint32_t version) {
    return (iso_atom){h->version_bits[version], h->version_kind[version]};
}

static inline bool iso_version_is_negation(const isolab_history *h, uint32_t version) {
    return (h->version_kind[version] & ISO_ATOM_NOT) != 0;
}

/* Returns whether the initial transaction writes the version: true for a negation, unless it excludes nil. */
static inline bool iso_version_is_initial(const isolab_history *h, uint32_t version) {
    uint8_t kind = h->version_kind[version];
    return kind == ISO_ATOM_NIL || kind > (ISO_ATOM_NIL | ISO_ATOM_NOT);
}

/* Returns whether some transaction, included or not, writes the initial value of a key. */
bool iso_writes_initial(const isolab_history *h);

static inline bool iso_op_is_negation(const isolab_history *h, uint32_t op) {
    return h->version_not != NULL && h->op_kind[op] == ISO_READ && iso_version_is_negation(h, h->op_version[op]);
}

/* Returns whether a read of a version may have returned what the write of another version of the same key wrote. */
static inline bool iso_version_covers(const isolab_history *h, uint32_t version, uint32_t written) {
    return version == written || (iso_version_is_negation(h, version) && h->version_not[version] != written);
}

static inline iso_atom iso_txn_name(const isolab_history *h, uint32_t txn) {
    return h->txn_name_kind == NULL ? iso_atom_nil() : (iso_atom){h->txn_name_bits[txn], h->txn_name_kind[txn]};
}

/* Removes the ends of indeterminate transactions: such an end is the time at which the client gave up, and the
 * transaction may take effect later. */
void iso_open_ends(isolab_history *h);

/* Returns whether T is before S in real time: T.end < S.start, and both are known. */
static inline bool iso_before_in_time(const isolab_history *h, uint32_t t, uint32_t s) {
    return h->txn_start != NULL && h->txn_end[t] != ISO_NO_TIME && h->txn_start[s] != ISO_NO_TIME &&
           h->txn_end[t] < h->txn_start[s];
}

/* Returns a key that both transactions access; ISO_NONE: none. O(n log n) for n operations. */
uint32_t iso_common_key(const isolab_history *h, uint32_t t, uint32_t s, iso_pool *scratch);

static inline const char *iso_string(const isolab_history *h, uint64_t number, uint64_t *length) {
    if (length != NULL) {
        *length = h->string_first[number + 1] - h->string_first[number] - 1;
    }
    return h->string_bytes + h->string_first[number];
}

/* Bytes that the history keeps for each operation and for each transaction (stats, tests). */
uint64_t iso_history_op_bytes(const isolab_history *h);
uint64_t iso_history_txn_bytes(const isolab_history *h);

/* Sets names_repeat and name_hashes. Linear, unless ids are far apart. */
void iso_history_names(isolab_history *h);

/* Names for messages: the input's id, else an invented name (`t<number>`), which is not the id of another transaction.
 * Always NUL-terminated; each function returns buffer. */
#define ISO_NAME_SIZE 96
const char *iso_txn_text(const isolab_history *h, uint32_t txn, char buffer[ISO_NAME_SIZE]);
const char *iso_key_text(const isolab_history *h, uint32_t key, char buffer[ISO_NAME_SIZE]);
const char *iso_atom_text(const isolab_history *h, iso_atom atom, char buffer[ISO_NAME_SIZE]);
/* An operation in isolab text: `r x 3`, `w x nil`, `append l 1`, `rl l [1 2 3]` (long lists are shortened). */
const char *iso_op_text(const isolab_history *h, uint32_t op, char *buffer, size_t size);

#endif
