/* Plume text (plume.c): a scanner of whole lines by vector instructions, and the writing half. */
#ifndef ISOLAB_FORMATS_PLUME_H
#define ISOLAB_FORMATS_PLUME_H

#include <string.h>

#include "formats/digits.h"
#include "formats/format.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

void iso_plume_survey(const isolab_history *h, iso_losses *losses);
void iso_plume_write(const isolab_history *h, iso_sink *sink);

/* Number of bytes that must be readable from the beginning of a line. */
#define ISO_PLUME_WINDOW 96

typedef struct iso_plume_line {
    uint64_t key, value;
    const unsigned char *tail; /* `SESSION,TXN)` */
    const unsigned char *next; /* the next line */
    unsigned tail_size, session_size, txn_size;
    bool write;
} iso_plume_line;

#if defined(__SSE2__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

static inline __m128i iso_plume_load(const unsigned char *p) {
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

/* Returns which of 16 bytes are not digits. The subtraction turns digits into the 10 smallest signed bytes. */
static inline unsigned iso_plume_marks16(__m128i x) {
    __m128i moved = _mm_sub_epi8(x, _mm_set1_epi8((char)('0' - 128)));
    return (unsigned)_mm_movemask_epi8(_mm_cmpgt_epi8(moved, _mm_set1_epi8(-119)));
}

/* Scans a whole line of at most 64 bytes. Returns false if the line is longer, malformed, or not of the common form
 * (numbers without sign and with at most 19 digits); its fields are then not valid. */
static inline bool iso_plume_scan(const unsigned char *p, iso_plume_line *line) {
    __m128i a = iso_plume_load(p), b = iso_plume_load(p + 16), feed = _mm_set1_epi8('\n');
    uint64_t ends = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(a, feed)) |
                    (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(b, feed)) << 16;
    uint64_t marks = iso_plume_marks16(a) | iso_plume_marks16(b) << 16;
    if (__builtin_expect(ends == 0, 0)) {
        __m128i c = iso_plume_load(p + 32), d = iso_plume_load(p + 48);
        uint64_t more = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(c, feed)) |
                        (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(d, feed)) << 16;
        ends = more << 32;
        marks |= (uint64_t)(iso_plume_marks16(c) | iso_plume_marks16(d) << 16) << 32;
        if (ends == 0) {
            return false;
        }
    }
    unsigned end = (unsigned)__builtin_ctzll(ends);
    line->next = p + end + 1;
    if ((marks & 3) != 3) {
        return false;
    }
    marks &= marks - 1; /* `r(` */
    marks &= marks - 1;
    if (marks == 0) {
        return false;
    }
    unsigned comma1 = (unsigned)__builtin_ctzll(marks);
    marks &= marks - 1;
    unsigned comma2 = (unsigned)__builtin_ctzll(marks | 1ull << 63);
    marks &= marks - 1;
    unsigned comma3 = (unsigned)__builtin_ctzll(marks | 1ull << 63);
    marks &= marks - 1;
    unsigned close = (unsigned)__builtin_ctzll(marks | 1ull << 63);
    unsigned after = close + 1 + (p[close + 1] == '\r');
    unsigned wrong = (unsigned)(p[1] ^ '(') | (unsigned)(p[comma1] ^ ',') | (unsigned)(p[comma2] ^ ',') |
                     (unsigned)(p[comma3] ^ ',') | (unsigned)(p[close] ^ ')') | (after ^ end);
    line->write = p[0] == 'w';
    wrong |= (unsigned)!(line->write | (p[0] == 'r'));
    unsigned key_size = comma1 - 2, value_size = comma2 - comma1 - 1;
    line->session_size = comma3 - comma2 - 1;
    line->txn_size = close - comma3 - 1;
    wrong |= (key_size - 1 > 18) | (value_size - 1 > 18) | (line->session_size - 1 > 18) | (line->txn_size - 1 > 17);
    if (__builtin_expect(wrong != 0, 0)) {
        return false;
    }
    line->tail = p + comma2 + 1;
    line->tail_size = close - comma2;
    line->key = iso_digits_number(p + 2, key_size);
    line->value = iso_digits_number(p + comma1 + 1, value_size);
    return true;
}

/* Returns whether two tails of one size are equal. It reads 16 bytes of each; longer tails are never equal. */
static inline bool iso_plume_same(const unsigned char *a, const unsigned char *b, unsigned size) {
    unsigned equal = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(iso_plume_load(a), iso_plume_load(b)));
    return size <= 16 && (~equal & ((1u << size) - 1)) == 0;
}

#else

static inline bool iso_plume_scan(const unsigned char *p, iso_plume_line *line) {
    (void)p;
    (void)line;
    return false;
}

static inline bool iso_plume_same(const unsigned char *a, const unsigned char *b, unsigned size) {
    return memcmp(a, b, size) == 0;
}

#endif

#endif
