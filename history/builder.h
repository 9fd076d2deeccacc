/* Builds a history, operation by operation, in the order of the input.
 *
 * Sessions, transactions and keys are made in any order and numbered as they come; operations may be added
 * to any transaction at any time. iso_builder_finish() renumbers everything as history.h says, joins reads
 * with writes, settles the indeterminate transactions and finds duplicate values.
 *
 * All memory is of the pool given; errors are thrown in its environment.
 */
#ifndef ISOLAB_HISTORY_BUILDER_H
#define ISOLAB_HISTORY_BUILDER_H

#include "history/history.h"

typedef struct iso_builder iso_builder;

iso_builder *iso_builder_new(iso_pool *pool);

/* A value that means "initial" besides nil (Plume text: 0). Set it before the first operation. */
void iso_builder_initial(iso_builder *b, iso_atom value);

/* How an input is read: which values are initial, and whether a transaction of the input is the initial one. */
typedef enum { ISO_INITIAL_AUTO, ISO_INITIAL_NO, ISO_INITIAL_YES } iso_initial_rule;
typedef struct iso_reading {
    const char
        *initial; /* a value that means initial besides those of the format: an integer, else a string; NULL: none */
    iso_initial_rule rule;
} iso_reading;

/* Makes iso_builder_finish() look for the initial transaction (initial.h). Without this call it does not. */
void iso_builder_reading(iso_builder *b, const iso_reading *how);
/* A value that is initial where the first transaction writes it, for formats that have no other (AWDIT's text: 0). */
void iso_builder_custom(iso_builder *b, iso_atom value);
/* The first transaction of the input, where that is not the one of the first operation. forced: it is the initial one. */
void iso_builder_first(iso_builder *b, uint32_t txn, bool forced);
/* The input says itself that no transaction of it is the initial one. */
void iso_builder_ordinary(iso_builder *b);

/* Strings are copied and interned. */
iso_atom iso_builder_string(iso_builder *b, const char *bytes, size_t length);

uint32_t iso_builder_key(iso_builder *b, iso_atom name);     /* found or made */
uint32_t iso_builder_session(iso_builder *b, iso_atom name); /* found or made; nil: a new one */
uint32_t iso_builder_txn(iso_builder *b, uint32_t session, iso_atom name, iso_status status); /* new, last */
void iso_builder_status(iso_builder *b, uint32_t txn, iso_status status);
void iso_builder_name(iso_builder *b, uint32_t txn, iso_atom name); /* where it was nil */
/* ISO_NO_TIME: not known. Throws ISOLAB_E_INPUT where the end is before the start. */
void iso_builder_times(iso_builder *b, uint32_t txn, int64_t start, int64_t end);

/* kind: ISO_READ, ISO_WRITE or ISO_APPEND. A nil value is the initial one, and no element of a list: that throws
 * ISOLAB_E_INPUT. */
void iso_builder_op(iso_builder *b, uint32_t txn, iso_op_kind kind, uint32_t key, iso_atom value);
void iso_builder_list_read(iso_builder *b, uint32_t txn, uint32_t key, const iso_atom *elements, size_t n);

/* The fast way in, for formats that make millions of operations: room for more of them after the first n, whose
 * columns the caller fills before it raises n. Then it is the caller's duty that transactions and keys exist and
 * that the value which means "initial" is nil. iso_builder_op(), iso_builder_list_read() and asking again may move
 * the columns. */
typedef struct iso_op_columns {
    uint64_t n, room;
    uint32_t *txn, *key;
    uint8_t *kind, *value_kind;
    uint64_t *value_bits; /* ISO_LIST_READ: the number of the list */
} iso_op_columns;
iso_op_columns *iso_builder_room(iso_builder *b, uint64_t more);

uint64_t iso_builder_op_count(const iso_builder *b);
uint32_t iso_builder_session_of(const iso_builder *b, uint32_t txn);
/* The number, in the order of the input, of the first operation of a transaction that has one. Linear: for
 * messages of error. */
uint64_t iso_builder_first_op(const iso_builder *b, uint32_t txn);

/* The builder may not be used afterwards. Throws ISOLAB_E_INPUT where a key is both a register and a list. */
isolab_history *iso_builder_finish(iso_builder *b);

#endif
