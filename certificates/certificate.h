/* Certificates: a result as text that isolab-verify can check without believing the checker
 * (docs/certificates.md is the exact format). Written for every level and by whatever checker; read only by
 * verify/, which shares nothing with this file. */
#ifndef ISOLAB_CERTIFICATES_CERTIFICATE_H
#define ISOLAB_CERTIFICATES_CERTIFICATE_H

#include "checkers/checker.h"

/* The certificate as text in the pool, NUL-terminated; NULL when the result has none: unknown, a satisfied
 * verdict without an order (int and ci need none), or a violated one whose anomalies carry no proof. */
char *iso_certificate_text(iso_pool *pool, const isolab_history *h, const iso_request *request,
                           const iso_result *result, size_t *size);

/* Writes it to a file, which appears when it is whole. Returns false where there is none; throws ISOLAB_E_IO. */
bool iso_certificate_save(iso_pool *pool, const isolab_history *h, const iso_request *request, const iso_result *result,
                          const char *path);

#endif
