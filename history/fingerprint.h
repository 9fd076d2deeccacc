/* A number that identifies a history; a certificate contains it (docs/certificates.md).
 *
 * It covers the structure and not the names: sessions, transactions, their status and times, and for every operation
 * its kind and which earlier operations have the same key and the same version. So the same history in another format,
 * or with renamed keys, has the same fingerprint, and transaction and operation numbers mean the same in both. One pass
 * over the operations. */
#ifndef ISOLAB_HISTORY_FINGERPRINT_H
#define ISOLAB_HISTORY_FINGERPRINT_H

#include "history/history.h"

uint64_t iso_fingerprint(const isolab_history *h, iso_pool *scratch);

#endif
