/* Resolves a history whose operations are in place: numbers the versions (join.h), finds the writer of every read,
 * finds repeated values, and decides which indeterminate transactions are included. */
#ifndef ISOLAB_HISTORY_RESOLVE_H
#define ISOLAB_HISTORY_RESOLVE_H

#include "history/history.h"

/* The values of the operations, in columns by operation. For a list read, bits is its number in h->list_first, and its
 * elements are element[list_first[l] .. list_first[l+1]). */
typedef struct iso_values {
    uint8_t *kind;
    uint64_t *bits;
    const iso_atom *element;
    unsigned threads; /* at least 1 */
} iso_values;

/* Fills the version arrays, op_version, op_writer, list_version, key_is_list, txn_counts and the flags. */
void iso_resolve(isolab_history *h, const iso_values *values);

/* The second half of iso_resolve(), for a history whose versions are already numbered: n_versions, version_key,
 * version_kind, version_bits, op_version, list_version, key_is_list and has_lists are set. threads: at least 1. */
void iso_resolve_versions(isolab_history *h, unsigned threads);

/* The last step of both: decides which transactions are included, when all writers are known. */
void iso_resolve_counts(isolab_history *h);

/* Returns whether some version has no writer: a quick test. */
bool iso_any_unwritten(const isolab_history *h);

#endif
