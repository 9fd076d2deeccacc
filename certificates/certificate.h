/* Certificates: a result as text that isolab-verify can check without trusting the checker (docs/certificates.md has
 * the exact format). Written for every level and every checker; read only by verify/, which shares no code with this
 * file. */
#ifndef ISOLAB_CERTIFICATES_CERTIFICATE_H
#define ISOLAB_CERTIFICATES_CERTIFICATE_H

#include "checkers/checker.h"

/* Returns the certificate as text in the pool, NUL-terminated. NULL if the result has no proof: an unknown verdict, a
 * satisfied verdict without an order (int and ci need none), or a violated one whose anomalies carry no proof. */
char *iso_certificate_text(iso_pool *pool, const isolab_history *h, const iso_question *question,
                           const iso_result *result, size_t *size);

/* Returns the certificate of one anomaly; ISO_NONE: of the verdict. */
char *iso_certificate_of(iso_pool *pool, const isolab_history *h, const iso_question *question,
                         const iso_result *result, uint32_t anomaly, size_t *size);

/* Writes the certificate to a file, which appears only when it is complete. Returns false if the result has no proof.
 * Throws ISOLAB_E_IO. */
bool iso_certificate_save(iso_pool *pool, const isolab_history *h, const iso_question *question,
                          const iso_result *result, uint32_t anomaly, const char *path);

#endif
