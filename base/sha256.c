/* SHA-256. See sha256.h; the names are those of FIPS 180-4, section 6.2. */
#include "base/sha256.h"

#include <stdio.h>
#include <string.h>

static const uint32_t k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static inline uint32_t rotr(uint32_t x, unsigned n) { return x >> n | x << (32 - n); }

/* Eight rounds. After them every variable is back in its place, so no variable has to be moved. */
#define ROUND(a, b, c, d, e, f, g, h, t)                                                                               \
    do {                                                                                                               \
        uint32_t t1 = h + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + (g ^ (e & (f ^ g))) + k[t] + w[t];                \
        d += t1;                                                                                                       \
        h = t1 + (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) | (c & (a | b)));                                 \
    } while (0)

static void compress_one(uint32_t state[8], const unsigned char *p) {
    uint32_t w[64];
    for (int t = 0; t < 16; t++) {
        w[t] = (uint32_t)p[4 * t] << 24 | (uint32_t)p[4 * t + 1] << 16 | (uint32_t)p[4 * t + 2] << 8 | p[4 * t + 3];
    }
    for (int t = 16; t < 64; t++) {
        uint32_t s0 = rotr(w[t - 15], 7) ^ rotr(w[t - 15], 18) ^ w[t - 15] >> 3;
        uint32_t s1 = rotr(w[t - 2], 17) ^ rotr(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (int t = 0; t < 64; t += 8) {
        ROUND(a, b, c, d, e, f, g, h, t);
        ROUND(h, a, b, c, d, e, f, g, t + 1);
        ROUND(g, h, a, b, c, d, e, f, t + 2);
        ROUND(f, g, h, a, b, c, d, e, t + 3);
        ROUND(e, f, g, h, a, b, c, d, t + 4);
        ROUND(d, e, f, g, h, a, b, c, t + 5);
        ROUND(c, d, e, f, g, h, a, b, t + 6);
        ROUND(b, c, d, e, f, g, h, a, t + 7);
    }
    const uint32_t sum[8] = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < 8; i++) {
        state[i] += sum[i];
    }
}

void iso_sha256_plain(uint32_t state[8], const unsigned char *blocks, size_t n) {
    for (size_t i = 0; i < n; i++) {
        compress_one(state, blocks + 64 * i);
    }
}

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>

/* The SHA instructions hold the state in two vectors, (f, e, b, a) and (h, g, d, c), and do two rounds each. */
__attribute__((target("sha,sse4.1"))) static void compress_x86(uint32_t state[8], const unsigned char *blocks,
                                                               size_t n) {
    const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i badc = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(const void *)state), 0xb1);
    __m128i hgfe = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(const void *)(state + 4)), 0x1b);
    __m128i feba = _mm_alignr_epi8(badc, hgfe, 8), hgdc = _mm_blend_epi16(hgfe, badc, 0xf0);
    for (; n > 0; n--, blocks += 64) {
        __m128i feba_before = feba, hgdc_before = hgdc, w[4];
#pragma GCC unroll 16
        for (int i = 0; i < 16; i++) {
            if (i < 4) {
                w[i] = _mm_loadu_si128((const __m128i *)(const void *)(blocks + 16 * i));
                w[i] = _mm_shuffle_epi8(w[i], big_endian);
            } else {
                __m128i s0 = _mm_sha256msg1_epu32(w[i % 4], w[(i + 1) % 4]);
                __m128i back7 = _mm_alignr_epi8(w[(i + 3) % 4], w[(i + 2) % 4], 4);
                w[i % 4] = _mm_sha256msg2_epu32(_mm_add_epi32(s0, back7), w[(i + 3) % 4]);
            }
            __m128i sum = _mm_add_epi32(w[i % 4], _mm_loadu_si128((const __m128i *)(const void *)(k + 4 * i)));
            hgdc = _mm_sha256rnds2_epu32(hgdc, feba, sum);
            feba = _mm_sha256rnds2_epu32(feba, hgdc, _mm_shuffle_epi32(sum, 0x0e));
        }
        feba = _mm_add_epi32(feba, feba_before);
        hgdc = _mm_add_epi32(hgdc, hgdc_before);
    }
    __m128i abef = _mm_shuffle_epi32(feba, 0x1b), ghcd = _mm_shuffle_epi32(hgdc, 0xb1);
    _mm_storeu_si128((__m128i *)(void *)state, _mm_blend_epi16(abef, ghcd, 0xf0));
    _mm_storeu_si128((__m128i *)(void *)(state + 4), _mm_alignr_epi8(ghcd, abef, 8));
}

static iso_sha256_fn *fastest(void) {
    unsigned eax, ebx, ecx, edx;
    return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (ebx & bit_SHA) != 0 ? compress_x86 : iso_sha256_plain;
}
#else
static iso_sha256_fn *fastest(void) { return iso_sha256_plain; }
#endif

void iso_sha256_init(iso_sha256 *sha) {
    static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(sha->state, first, sizeof first);
    sha->size = 0;
    sha->compress = fastest();
}

void iso_sha256_add(iso_sha256 *sha, const void *bytes, size_t size) {
    const unsigned char *p = bytes;
    while (size > 0) {
        size_t at = sha->size % 64, n = size < 64 - at ? size : 64 - at;
        if (n == 64) {
            n = size - size % 64;
            sha->compress(sha->state, p, n / 64);
        } else {
            memcpy(sha->block + at, p, n);
            if (at + n == 64) {
                sha->compress(sha->state, sha->block, 1);
            }
        }
        sha->size += n;
        p += n;
        size -= n;
    }
}

void iso_sha256_hex(iso_sha256 *sha, char hex[65]) {
    static const unsigned char padding[64] = {0x80};
    unsigned char bits[8];
    for (int i = 0; i < 8; i++) {
        bits[i] = (unsigned char)(sha->size * 8 >> (56 - 8 * i));
    }
    iso_sha256_add(sha, padding, 1 + (119 - sha->size % 64) % 64);
    iso_sha256_add(sha, bits, 8);
    for (int i = 0; i < 8; i++) {
        snprintf(hex + 8 * i, 9, "%08x", (unsigned)sha->state[i]);
    }
}
