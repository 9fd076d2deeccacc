/* A number that tells one history from another: what a certificate is tied to (docs/certificates.md).
 *
 * It covers the shape and not the names: sessions, transactions, their status and instants, and for every
 * operation its kind and which earlier operations have its key and its version. So the same history in
 * another format, or with its keys renamed, has the same fingerprint; transaction and operation numbers
 * mean the same in both. One pass over the operations. */
#ifndef ISOLAB_HISTORY_FINGERPRINT_H
#define ISOLAB_HISTORY_FINGERPRINT_H

#include "history/history.h"

uint64_t iso_fingerprint(const isolab_history *h, iso_pool *scratch);

#endif
