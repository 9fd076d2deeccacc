/* Resolves a history whose operations are in place: numbers the versions (join.h), gives every read its writer,
 * finds duplicate values, and settles which indeterminate transactions take part. */
#ifndef ISOLAB_HISTORY_RESOLVE_H
#define ISOLAB_HISTORY_RESOLVE_H

#include "history/history.h"

/* The values of the operations, in columns by operation; of a list read, bits is its number in h->list_first,
 * and its elements are element[list_first[l] .. list_first[l+1]). */
typedef struct iso_values {
    uint8_t *kind;
    uint64_t *bits;
    const iso_atom *element;
} iso_values;

/* Fills the version arrays, op_version, op_writer, list_version, key_is_list, txn_counts and the flags. */
void iso_resolve(isolab_history *h, const iso_values *values);

/* The second half, for a history whose versions are numbered: n_versions, version_key, version_kind,
 * version_bits, op_version, list_version and key_is_list are in place, and has_lists is right. */
void iso_resolve_versions(isolab_history *h);

#endif
