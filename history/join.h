/* Numbers the versions of a history: which operations speak of the same key and value. This is the join of
 * reads with writes, and the dearest step of loading; resolve.h does the rest. */
#ifndef ISOLAB_HISTORY_JOIN_H
#define ISOLAB_HISTORY_JOIN_H

#include "history/resolve.h"

/* Fills n_versions, version_key, version_kind, version_bits, op_version and list_version. The order of the
 * numbers is that of key and value where values are dense, else that of the first mention. */
void iso_join(isolab_history *h, const iso_values *values);

#endif
