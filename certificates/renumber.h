/* Writes a clausal proof again with other numbers of operations (docs/certificates.md has its lines): a proof about the
 * rest of a history (history/rest.h) becomes one about the whole. Transactions and points have the same numbers in
 * both. */
#ifndef ISOLAB_CERTIFICATES_RENUMBER_H
#define ISOLAB_CERTIFICATES_RENUMBER_H

#include "checkers/result.h"

/* Calls put(arg, bytes, n) for the parts of the text. Lines that have no operations stay as they are. */
typedef void iso_renumber_put(void *arg, const char *bytes, size_t n);
void iso_renumber(const iso_part_proof *proof, iso_renumber_put *put, void *arg);

#endif
