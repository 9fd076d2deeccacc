/* SHA-256 (FIPS 180-4), which names inputs by their content. */
#ifndef ISOLAB_BASE_SHA256_H
#define ISOLAB_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

/* Adds n blocks of 64 bytes to the state. */
typedef void iso_sha256_fn(uint32_t state[8], const unsigned char *blocks, size_t n);

typedef struct iso_sha256 {
    iso_sha256_fn *compress; /* uses the processor's SHA instructions if it has them: ten times as fast */
    uint32_t state[8];
    uint64_t size; /* number of bytes so far */
    unsigned char block[64];
} iso_sha256;

void iso_sha256_init(iso_sha256 *sha);
iso_sha256_fn iso_sha256_plain; /* works on every processor */
void iso_sha256_add(iso_sha256 *sha, const void *bytes, size_t size);
/* Writes the hash in lower-case hexadecimal, NUL-terminated. sha may not be used afterwards. */
void iso_sha256_hex(iso_sha256 *sha, char hex[65]);

#endif
