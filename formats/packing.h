/* Compressed bytes: gzip, xz and zstd. One stream for all of them, which is driven as zlib's is: the caller sets where
 * the bytes come from and go to, and calls iso_packer_step() until it says that the end is reached.
 *
 * The libraries allocate by malloc(). What they need to decompress is bounded: gzip 64 KB, zstd 128 MB, and xz what
 * --memory leaves free. */
#ifndef ISOLAB_FORMATS_PACKING_H
#define ISOLAB_FORMATS_PACKING_H

#include "base/env.h"

typedef struct iso_packing {
    const char *name, *suffix; /* `gzip`, `.gz` */
    const char *magic;         /* its first bytes */
    unsigned n_magic;
} iso_packing;

/* Return how bytes are compressed, by their beginning, or a file that will be written, by its name; NULL: they are
 * not. */
const iso_packing *iso_packing_of_bytes(const void *bytes, size_t size);
const iso_packing *iso_packing_of_path(const char *path);
size_t iso_packing_stem(const char *path); /* the length of a name without .gz, .xz or .zst */

typedef struct iso_packer {
    const iso_packing *how;
    bool unpacks;
    const unsigned char *in;
    unsigned char *out;
    size_t n_in, n_out; /* how many bytes are there to read, and how many may be written */
    const char *wrong;  /* what the library says about damage */
    void *stream;       /* of the library */
} iso_packer;

typedef enum {
    ISO_PACK_MORE, /* it needs more input, or more room */
    ISO_PACK_END,  /* a compressed stream ends here; another one may follow, which the next step begins */
    ISO_PACK_DAMAGE,
    ISO_PACK_MEMORY /* the library has too little of it */
} iso_pack_state;

/* Begins. memory: limit in bytes of what decompression takes; 0 = none. Returns false if there is no memory. */
bool iso_packer_open(iso_packer *p, const iso_packing *how, bool unpacks, uint64_t memory);
/* Reads and writes as much as it can, and moves in and out. last: no input follows; packing ends. */
iso_pack_state iso_packer_step(iso_packer *p, bool last);
void iso_packer_close(iso_packer *p);

#endif
