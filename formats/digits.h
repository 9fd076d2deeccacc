/* Decimal digits, eight at a time: as the bytes of a word instead of one after the other. Little-endian machines only
 * (ISO_DIGITS); others read digits one by one. */
#ifndef ISOLAB_FORMATS_DIGITS_H
#define ISOLAB_FORMATS_DIGITS_H

#include <stdint.h>
#include <string.h>

#define ISO_DIGITS (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

static inline uint64_t iso_digits_word(const unsigned char *p) {
    uint64_t word;
    memcpy(&word, p, 8);
    return word;
}

/* Returns a number of 1 to 8 digits at p; reads 8 bytes. The digits are bytes of a word: the first one moves to the
 * place that it has in a number of 8 digits; then neighbours, pairs and quadruples are added with their weights at
 * once. */
static inline uint64_t iso_digits_eight(const unsigned char *p, unsigned n) {
    uint64_t x = (iso_digits_word(p) ^ 0x3030303030303030u) << (64 - 8 * n);
    x = x * 10 + (x >> 8);
    uint64_t high = (x & 0x000000ff000000ffu) * (100 + (1000000ull << 32));
    uint64_t low = (x >> 16 & 0x000000ff000000ffu) * (1 + (10000ull << 32));
    return (high + low) >> 32;
}

/* Returns a number of 1 to 19 digits, which fits in 64 bits. */
static inline uint64_t iso_digits_number(const unsigned char *p, unsigned n) {
    if (n <= 8) {
        return iso_digits_eight(p, n);
    }
    if (n <= 16) {
        return iso_digits_eight(p, n - 8) * 100000000 + iso_digits_eight(p + n - 8, 8);
    }
    uint64_t high = iso_digits_eight(p, n - 16) * 100000000 + iso_digits_eight(p + n - 16, 8);
    return high * 100000000 + iso_digits_eight(p + n - 8, 8);
}

/* Returns how many of the 8 bytes at p are digits before the first other byte. */
static inline unsigned iso_digits_count(const unsigned char *p) {
    uint64_t x = iso_digits_word(p) ^ 0x3030303030303030u; /* a digit is a byte below 10 */
    uint64_t others = (((x & 0x7f7f7f7f7f7f7f7fu) + 0x7676767676767676u) | x) & 0x8080808080808080u;
    return others == 0 ? 8 : (unsigned)__builtin_ctzll(others) / 8;
}

#endif
