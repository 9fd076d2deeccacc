/* Numbers the versions of a history, so that operations on the same key and value have the same version. This joins
 * reads with writes and is the most expensive step of loading; resolve.h does the rest. */
#ifndef ISOLAB_HISTORY_JOIN_H
#define ISOLAB_HISTORY_JOIN_H

#include "history/resolve.h"

/* Fills n_versions, version_key, version_kind, version_bits, op_version and list_version. Versions are numbered by key
 * and value if values are dense, else in the order of their first mention. */
void iso_join(isolab_history *h, const iso_values *values);

#endif
