/* Takes what a finished history has over into a builder, for copies with something changed.
 *
 * Atoms of the history are as good in the builder once it has the history's strings in their order, which
 * iso_copy_names() sees to: call it first, on a builder that is new. */
#ifndef ISOLAB_HISTORY_COPY_H
#define ISOLAB_HISTORY_COPY_H

#include "history/builder.h"

void iso_copy_names(iso_builder *b, const isolab_history *h); /* strings and keys, with their numbers */

/* A transaction with its name, status and times, but without operations. Returns its number in the builder. */
uint32_t iso_copy_txn(iso_builder *b, uint32_t session, const isolab_history *h, uint32_t txn);

/* Operation op of the history with what operation `from`, of the same kind, wrote or read; `from` may be op itself. A
 * list that was read goes by way of the scratch pool. */
void iso_copy_op(iso_pool *scratch, iso_builder *b, uint32_t txn, const isolab_history *h, uint32_t op, uint32_t from);

/* The whole, into a builder that is new; and a copy of it in another pool. */
void iso_copy_all(iso_pool *scratch, iso_builder *b, const isolab_history *h);
isolab_history *iso_copy(iso_pool *pool, const isolab_history *h);

#endif
