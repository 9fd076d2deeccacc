/* Finds transactions of the input that are the initial transaction (docs/model.md).
 *
 * Many tools record how the database was filled: their files begin with a transaction that writes the initial value of
 * every key. As an ordinary transaction it could have any place in a commit order, and nil would be a second initial
 * value. So the builder recognises this transaction and removes it: the values that it wrote become nil, and
 * isolab_history.taken describes it.
 *
 * ISO_INITIAL_AUTO takes the first transaction of the input that has operations and was not aborted, if
 * - it committed, only writes, and writes only the value that means initial in this format (in Plume text 0), or, if
 *   the format has none, its customary one. If only nil means initial, no transaction is taken, because writing nil
 *   deletes;
 * - it is the first transaction of its session that has operations and was not aborted;
 * - for a customary value: no other transaction reads or writes this value of a key that the transaction did not write;
 * - no other transaction ended before it started.
 *
 * It also takes the transactions that follow in its session, as long as they do the same for other keys.
 *
 * ISO_INITIAL_UNWRITTEN says that a database was filled before, which no transaction of the input shows: for each
 * register of which transactions read one value that none wrote, this value becomes nil. (If nil occurs there, too, it
 * becomes an ordinary value.) Two such values of one register remain, and with them a violation: one of them at most
 * was initial. */
#ifndef ISOLAB_HISTORY_INITIAL_H
#define ISOLAB_HISTORY_INITIAL_H

#include "history/builder.h"

/* A history under construction, before its transactions are numbered by session. The columns belong to the builder and
 * are changed in place. */
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
    int64_t *txn_start, *txn_end;   /* NULL: no transaction has times */
    uint32_t *txn_line, *txn_index; /* NULL: of none */
    uint32_t n_strings;
    uint32_t first; /* the first transaction as the format gives it; ISO_NONE: the one with the first operation */
    bool forced;    /* this transaction is the initial one, whatever values it writes */
} iso_unordered;

/* Sets the rule named by a word: auto, no or yes. Returns false if the word is none of them. */
bool iso_initial_rule_of(const char *word, iso_initial_rule *rule);

/* Turns how->initial into nil, removes the initial transaction, and fills in h->taken and h->first_txn. */
void iso_initial_take(iso_unordered *u);

/* Applies the rule of `how` to a finished history: for histories that no builder made, and for ISO_INITIAL_YES. Returns
 * h itself if nothing changes. Throws ISOLAB_E_INPUT if an initial transaction is required and no transaction can be
 * it. */
isolab_history *iso_initial_settle(iso_pool *pool, isolab_history *h, const iso_reading *how, bool built);

/* Returns the first transaction of the history that has operations and was not aborted; ISO_NONE: none. */
uint32_t iso_initial_first(const isolab_history *h);
/* Returns whether that transaction only writes nil or `initial`, the value that means initial in a format (nil: none).
 * If so, a reader of the written history may take it for the initial one, so the writer must say that it is not, or
 * report a loss. */
bool iso_initial_begins(const isolab_history *h, iso_atom initial);
/* The same for a format that leaves out operations on lists and negations. */
bool iso_initial_begins_registers(const isolab_history *h, iso_atom initial);

/* Returns the transaction that is alone in its session and writes the initial value of every key once, with at least
 * two keys; its place in the input does not matter. ISO_NONE: none. */
uint32_t iso_initial_alone(iso_pool *pool, const isolab_history *h);

/* Returns the number that seems to be the initial value of the registers, although the input does not say so; nil:
 * none. It is the first value that some session read of several keys (*n_keys), or of the only key; no transaction
 * writes it, and no other read returned nil or an unwritten value. If only one read returned it, it must be 0. */
iso_atom iso_initial_number(iso_pool *pool, const isolab_history *h, uint32_t *n_keys);

/* Writes `transaction 0 of session 0 is taken as the initial one: it writes 10 keys`, and the other things that reading
 * made of the input; the empty string if there are none. */
#define ISO_TAKEN_SIZE 560
const char *iso_taken_text(const isolab_history *h, char buffer[ISO_TAKEN_SIZE]);

#endif
