/* Transactions of the input that are the initial transaction (docs/model.md).
 *
 * Many tools write down how the database was filled: their files begin with a transaction that writes the initial value
 * of every key. As a transaction like all others it could stand anywhere in a commit order, and nil would be a value
 * that is written twice. So the builder recognises it and takes it out: what it wrote is nil from there on, and
 * isolab_history.taken remembers it.
 *
 * Taken by ISO_INITIAL_AUTO is the first transaction of the input that has operations and was not aborted, if
 * - it committed, only writes, and only the value that means initial in this input (of Plume text 0), or where the format has
 *   none, its customary one; where nil alone does, nothing is taken: to write nil is to delete;
 * - it is the first such one of its session;
 * - with a customary value: no other transaction reads or writes that value of a key that it did not write;
 * - no other transaction ended before it started;
 * and with it the ones that follow in its session, as long as they do the same for other keys. */
#ifndef ISOLAB_HISTORY_INITIAL_H
#define ISOLAB_HISTORY_INITIAL_H

#include "history/builder.h"

/* A history that is being built, before its transactions are numbered by sessions. The columns are the builder's and are
 * changed in place. */
typedef struct iso_unordered {
    iso_pool *pool;
    isolab_history *h;
    iso_builder *b;
    const iso_reading *how;
    iso_op_columns *ops;
    uint32_t n_txns;
    uint32_t *txn_session;
    uint8_t *txn_status, *txn_name_kind;
    uint64_t *txn_name_bits;
    int64_t *txn_start, *txn_end; /* NULL: none has times */
    uint32_t n_strings;
    uint32_t first; /* what the format says comes first; ISO_NONE: that of the first operation */
    bool forced;    /* that transaction is the initial one, whatever values it writes */
} iso_unordered;

/* The rule of a word: auto, no, yes. False: it is none of them. */
bool iso_initial_rule_of(const char *word, iso_initial_rule *rule);

/* Makes nil of how->initial, takes out what is recognised, and fills in h->taken and h->first_txn. */
void iso_initial_take(iso_unordered *u);

/* For histories that no builder made, and for ISO_INITIAL_YES: h as it is to be read; h itself where nothing changes. Throws
 * ISOLAB_E_INPUT where the initial transaction that there must be is none. */
isolab_history *iso_initial_settle(iso_pool *pool, isolab_history *h, const iso_reading *how, bool built);

/* The first transaction, in the order of the history, that has operations and was not aborted; ISO_NONE. */
uint32_t iso_initial_first(const isolab_history *h);
/* Does that transaction only write nil, or the value that means it in the format of which `initial` is (nil: none does)? Then
 * reading what is written of h may take it for the initial one: a format says that it is none, or reports a loss. */
bool iso_initial_begins(const isolab_history *h, iso_atom initial);

/* The one transaction of a session that, wherever it stands, writes the initial value of every key once, of two keys at
 * least; ISO_NONE. */
uint32_t iso_initial_alone(iso_pool *pool, const isolab_history *h);

/* `transaction 0 of session 0 is taken as the initial one: it writes 10 keys`; empty where none was taken. */
#define ISO_TAKEN_SIZE 320
const char *iso_taken_text(const isolab_history *h, char buffer[ISO_TAKEN_SIZE]);

#endif
