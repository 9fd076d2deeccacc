/* See packing.h. */
#include "formats/packing.h"

#include <lzma.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

enum { GZIP, XZ, ZSTD };
static const iso_packing packings[] = {[GZIP] = {"gzip", ".gz", "\x1f\x8b\x08", 3},
                                       [XZ] = {"xz", ".xz", "\xfd\x37zXZ\0", 6},
                                       [ZSTD] = {"zstd", ".zst", "\x28\xb5\x2f\xfd", 4}};
enum { PACKINGS = sizeof packings / sizeof *packings };

const iso_packing *iso_packing_of_bytes(const void *bytes, size_t size) {
    for (int i = 0; i < PACKINGS; i++) {
        if (size >= packings[i].n_magic && memcmp(bytes, packings[i].magic, packings[i].n_magic) == 0) {
            return &packings[i];
        }
    }
    return NULL;
}

const iso_packing *iso_packing_of_path(const char *path) {
    size_t n = strlen(path);
    for (int i = 0; i < PACKINGS; i++) {
        size_t m = strlen(packings[i].suffix);
        if (n > m && strcmp(path + n - m, packings[i].suffix) == 0) {
            return &packings[i];
        }
    }
    return NULL;
}

size_t iso_packing_stem(const char *path) {
    const iso_packing *how = iso_packing_of_path(path);
    return strlen(path) - (how == NULL ? 0 : strlen(how->suffix));
}

static bool open_zlib(iso_packer *p) {
    enum { GZIP_ONLY = 15 + 16 }; /* the largest window, and the header of gzip */
    z_stream *z = p->stream = calloc(1, sizeof *z);
    return z != NULL &&
           (p->unpacks ? inflateInit2(z, GZIP_ONLY)
                       : deflateInit2(z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_ONLY, 8, Z_DEFAULT_STRATEGY)) == Z_OK;
}

static bool open_lzma(iso_packer *p, uint64_t memory) {
    lzma_stream *x = p->stream = calloc(1, sizeof *x);
    return x != NULL && (p->unpacks ? lzma_stream_decoder(x, memory == 0 ? UINT64_MAX : memory, 0)
                                    : lzma_easy_encoder(x, LZMA_PRESET_DEFAULT, LZMA_CHECK_CRC64)) == LZMA_OK;
}

static bool open_zstd(iso_packer *p) {
    p->stream = p->unpacks ? ZSTD_createDCtx() : (void *)ZSTD_createCCtx();
    if (p->stream != NULL && !p->unpacks) {
        ZSTD_CCtx_setParameter(p->stream, ZSTD_c_checksumFlag, 1);
    }
    return p->stream != NULL;
}

bool iso_packer_open(iso_packer *p, const iso_packing *how, bool unpacks, uint64_t memory) {
    *p = (iso_packer){.how = how, .unpacks = unpacks};
    bool good = how == &packings[GZIP] ? open_zlib(p) : how == &packings[XZ] ? open_lzma(p, memory) : open_zstd(p);
    if (!good) {
        iso_packer_close(p);
    }
    return good;
}

static void moved(iso_packer *p, size_t in, size_t out) {
    p->in = p->in == NULL ? NULL : p->in + in;
    p->n_in -= in;
    p->out += out;
    p->n_out -= out;
}

static iso_pack_state step_zlib(iso_packer *p, bool last) {
    z_stream *z = p->stream;
    uInt most = UINT32_MAX / 2, in = p->n_in < most ? (uInt)p->n_in : most,
         out = p->n_out < most ? (uInt)p->n_out : most;
    z->next_in = (Bytef *)(uintptr_t)p->in;
    z->avail_in = in;
    z->next_out = p->out;
    z->avail_out = out;
    int code = p->unpacks ? inflate(z, Z_NO_FLUSH) : deflate(z, last && in == p->n_in ? Z_FINISH : Z_NO_FLUSH);
    moved(p, in - z->avail_in, out - z->avail_out);
    if (code == Z_STREAM_END && p->unpacks) {
        inflateReset(z);
    }
    p->wrong = z->msg != NULL ? z->msg : "unknown";
    return code == Z_STREAM_END                  ? ISO_PACK_END
           : code == Z_OK || code == Z_BUF_ERROR ? ISO_PACK_MORE
           : code == Z_MEM_ERROR                 ? ISO_PACK_MEMORY
                                                 : ISO_PACK_DAMAGE;
}

static iso_pack_state step_lzma(iso_packer *p, bool last) {
    lzma_stream *x = p->stream;
    size_t in = p->n_in, out = p->n_out;
    x->next_in = p->in;
    x->avail_in = in;
    x->next_out = p->out;
    x->avail_out = out;
    lzma_ret code = lzma_code(x, !p->unpacks && last ? LZMA_FINISH : LZMA_RUN);
    moved(p, in - x->avail_in, out - x->avail_out);
    if (code == LZMA_STREAM_END && p->unpacks && lzma_stream_decoder(x, lzma_memlimit_get(x), 0) != LZMA_OK) {
        return ISO_PACK_MEMORY;
    }
    p->wrong = code == LZMA_FORMAT_ERROR    ? "no header of xz"
               : code == LZMA_OPTIONS_ERROR ? "options that liblzma does not know"
                                            : "a wrong checksum or code";
    return code == LZMA_STREAM_END                                 ? ISO_PACK_END
           : code == LZMA_OK || code == LZMA_BUF_ERROR             ? ISO_PACK_MORE
           : code == LZMA_MEM_ERROR || code == LZMA_MEMLIMIT_ERROR ? ISO_PACK_MEMORY
                                                                   : ISO_PACK_DAMAGE;
}

static iso_pack_state step_zstd(iso_packer *p, bool last) {
    ZSTD_inBuffer in = {p->in, p->n_in, 0};
    ZSTD_outBuffer out = {p->out, p->n_out, 0};
    size_t rest = p->unpacks ? ZSTD_decompressStream(p->stream, &out, &in)
                             : ZSTD_compressStream2(p->stream, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
    moved(p, in.pos, out.pos);
    if (ZSTD_isError(rest)) {
        p->wrong = ZSTD_getErrorName(rest);
        return ZSTD_getErrorCode(rest) == ZSTD_error_memory_allocation ? ISO_PACK_MEMORY : ISO_PACK_DAMAGE;
    }
    return rest == 0 && (p->unpacks || last) ? ISO_PACK_END : ISO_PACK_MORE;
}

iso_pack_state iso_packer_step(iso_packer *p, bool last) {
    return p->how == &packings[GZIP] ? step_zlib(p, last)
           : p->how == &packings[XZ] ? step_lzma(p, last)
                                     : step_zstd(p, last);
}

void iso_packer_close(iso_packer *p) {
    if (p->how == &packings[ZSTD]) {
        p->unpacks ? ZSTD_freeDCtx(p->stream) : ZSTD_freeCCtx(p->stream);
        return;
    }
    if (p->stream != NULL && p->how == &packings[GZIP]) {
        p->unpacks ? inflateEnd(p->stream) : deflateEnd(p->stream);
    } else if (p->stream != NULL) {
        lzma_end(p->stream);
    }
    free(p->stream);
    p->stream = NULL;
}
