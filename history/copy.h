/* Copies parts of a finished history into a builder, to make a changed copy.
 *
 * Call iso_copy_names() first, on a new builder: it gives the builder the history's strings in the same order, so the
 * history's atoms are valid in the builder. */
#ifndef ISOLAB_HISTORY_COPY_H
#define ISOLAB_HISTORY_COPY_H

#include "history/builder.h"

void iso_copy_names(iso_builder *b, const isolab_history *h); /* strings and keys, with the same numbers */

/* Copies a transaction's name, status and times, but not its operations. Returns its number in the builder. */
uint32_t iso_copy_txn(iso_builder *b, uint32_t session, const isolab_history *h, uint32_t txn);

/* Adds operation op of the history, but with the value that operation `from`, of the same kind, wrote or read. `from`
 * may be op itself. The scratch pool holds the elements of a list read. */
void iso_copy_op(iso_pool *scratch, iso_builder *b, uint32_t txn, const isolab_history *h, uint32_t op, uint32_t from);

/* iso_copy_all() copies a whole history into a new builder; iso_copy() returns a copy of it in another pool. */
void iso_copy_all(iso_pool *scratch, iso_builder *b, const isolab_history *h);
isolab_history *iso_copy(iso_pool *pool, const isolab_history *h);

/* Returns a copy with the operations for which keeps() is true. */
typedef bool iso_copy_choice(const isolab_history *h, uint32_t op);
isolab_history *iso_copy_some(iso_pool *pool, const isolab_history *h, iso_copy_choice *keeps);
isolab_history *iso_copy_without_negations(iso_pool *pool, const isolab_history *h);

#endif
