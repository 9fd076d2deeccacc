/* Builds a history, operation by operation, in the order of the input.
 *
 * Sessions, transactions and keys may be added in any order and are numbered as they come; operations may be added to
 * any transaction at any time. iso_builder_finish() renumbers everything as history.h says, joins reads with writes,
 * decides which indeterminate transactions are included, and finds repeated values.
 *
 * All memory belongs to the given pool; errors are thrown in its environment. */
#ifndef ISOLAB_HISTORY_BUILDER_H
#define ISOLAB_HISTORY_BUILDER_H

#include "history/history.h"

typedef struct iso_builder iso_builder;

iso_builder *iso_builder_new(iso_pool *pool);

/* Sets the value that means "initial" besides nil (Plume text: 0). Call it before the first operation. */
void iso_builder_initial(iso_builder *b, iso_atom value);

/* How to read an input: which values are initial, and whether a transaction of the input is the initial one. */
typedef enum { ISO_INITIAL_AUTO, ISO_INITIAL_NO, ISO_INITIAL_YES } iso_initial_rule;
#define ISO_INITIAL_UNWRITTEN "unwritten"
typedef struct iso_reading {
    const char *initial; /* means initial besides those of the format: an integer or else a string; NULL: none;
                          * ISO_INITIAL_UNWRITTEN: for each key the only value that no transaction wrote */
    iso_initial_rule rule;
    bool truncated;   /* the input is cut off: what follows its last end of line is left out */
    unsigned threads; /* of reading and joining; 0 and 1: one. The history is the same for every number */
    unsigned grain;   /* least bytes of input, and least operations, that are worth a thread; 0: the usual number */
} iso_reading;

/* Returns how many threads shall read `size` bytes, or operations. */
unsigned iso_reading_threads(const iso_reading *how, uint64_t size);

/* Makes iso_builder_finish() look for the initial transaction (initial.h). Without this call it does not look. */
void iso_builder_reading(iso_builder *b, const iso_reading *how);
/* Sets a value that is initial if the first transaction writes it, for formats without another (AWDIT's text: 0). */
void iso_builder_custom(iso_builder *b, iso_atom value);
/* Sets the first transaction of the input, if it is not that of the first operation. forced: it is the initial one. */
void iso_builder_first(iso_builder *b, uint32_t txn, bool forced);
/* The input itself says that none of its transactions is the initial one. */
void iso_builder_ordinary(iso_builder *b);

/* Returns the atom of a string, which is copied and interned. */
iso_atom iso_builder_string(iso_builder *b, const char *bytes, size_t length);

uint32_t iso_builder_key(iso_builder *b, iso_atom name);     /* finds or adds a key */
uint32_t iso_builder_session(iso_builder *b, iso_atom name); /* finds or adds a session; nil: adds one */
uint32_t iso_builder_txn(iso_builder *b, uint32_t session, iso_atom name,
                         iso_status status); /* adds a transaction at the end of a session */
void iso_builder_status(iso_builder *b, uint32_t txn, iso_status status);
void iso_builder_name(iso_builder *b, uint32_t txn, iso_atom name); /* names a transaction whose name was nil */
/* Sets a transaction's times; ISO_NO_TIME: not known. Throws ISOLAB_E_INPUT if the end is before the start. */
void iso_builder_times(iso_builder *b, uint32_t txn, int64_t start, int64_t end);

/* Adds a note; ISO_NO_TIME: not known. Throws ISOLAB_E_INPUT if its end is before its start. */
void iso_builder_note(iso_builder *b, iso_atom text, int64_t start, int64_t end);

/* Sets where the input has a transaction: its line, from 1, and the index of its event in a Jepsen log. ISO_NONE: not
 * known. */
void iso_builder_place(iso_builder *b, uint32_t txn, uint64_t line, int64_t index);
void iso_builder_time_unit(iso_builder *b, iso_time_unit unit); /* what the times count, if not nanoseconds */

/* Adds an operation. kind: ISO_READ, ISO_WRITE or ISO_APPEND. A read may have the value iso_atom_not() of another one.
 * A nil value is the initial one. A list element may not be nil: that throws ISOLAB_E_INPUT. */
void iso_builder_op(iso_builder *b, uint32_t txn, iso_op_kind kind, uint32_t key, iso_atom value);
void iso_builder_list_read(iso_builder *b, uint32_t txn, uint32_t key, const iso_atom *elements, size_t n);

/* The fast interface, for formats with millions of operations: makes room for more operations after the first n. The
 * caller fills their columns, then raises n. The caller must ensure that transactions and keys exist and that the value
 * that means "initial" is stored as nil. iso_builder_op(), iso_builder_list_read() and another call of this function
 * may move the columns. */
typedef struct iso_op_columns {
    uint64_t n, room;
    uint32_t *txn, *key;
    uint8_t *kind, *value_kind;
    uint64_t *value_bits; /* of an ISO_LIST_READ: the number of the list */
} iso_op_columns;
iso_op_columns *iso_builder_room(iso_builder *b, uint64_t more);

/* The end of the input is missing: torn.h has what follows. */
void iso_builder_torn(iso_builder *b, iso_torn torn);

/* What a builder has, for a format that reads pieces of its input by a builder each. */
uint64_t iso_builder_op_count(const iso_builder *b);
uint32_t iso_builder_txn_count(const iso_builder *b);
uint32_t iso_builder_key_count(const iso_builder *b);
iso_atom iso_builder_key_name(const iso_builder *b, uint32_t key);
iso_atom iso_builder_session_name(const iso_builder *b, uint32_t session);
iso_atom iso_builder_txn_name(const iso_builder *b, uint32_t txn);
uint32_t iso_builder_txn_line(const iso_builder *b, uint32_t txn); /* ISO_NONE: not known */
uint32_t iso_builder_session_of(const iso_builder *b, uint32_t txn);
/* A piece of the input after the part that a builder has: its operations are appended. txn, key: by transaction and key
 * of the piece, what it is here. */
typedef struct iso_builder_piece {
    iso_builder *b;
    const uint32_t *txn, *key;
} iso_builder_piece;
void iso_builder_append(iso_builder *b, const iso_builder_piece *pieces, unsigned n_pieces, unsigned threads);

/* Returns the history. The builder may not be used afterwards. Throws ISOLAB_E_INPUT if a key is both a register and a
 * list. */
isolab_history *iso_builder_finish(iso_builder *b);

#endif
