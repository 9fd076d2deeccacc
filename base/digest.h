/* The SHA-256 of an input. */
#ifndef ISOLAB_BASE_DIGEST_H
#define ISOLAB_BASE_DIGEST_H

#include "base/env.h"

/* Writes the SHA-256 of an input to hex. Of a file: of its bytes as they are (not decompressed). Of standard input
 * (`-`): copies it to a temporary file, from which descriptor 0 can then be read again. Of a folder: what
 * `sha256sum * | sha256sum` prints in it. Of a pipe or a device, which can be read only once: the empty string.
 * Throws ISOLAB_E_IO and ISOLAB_E_LIMIT. */
void iso_digest(iso_env *env, const char *path, char hex[65]);

#endif
