/* Bytes of unknown origin as UTF-8. See utf8.h. */
#include "base/utf8.h"

#include <stdbool.h>
#include <string.h>

unsigned iso_utf8_length(const unsigned char *p, const unsigned char *end) {
    if (p >= end) {
        return 0;
    }
    if (*p < 0x80) {
        return 1;
    }
    unsigned n = *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : 2;
    if (*p < 0xc2 || *p > 0xf4 || (size_t)(end - p) < n) {
        return 0;
    }
    for (unsigned i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool overlong = (*p == 0xe0 && p[1] < 0xa0) || (*p == 0xf0 && p[1] < 0x90);
    bool surrogate = *p == 0xed && p[1] >= 0xa0;
    bool beyond = *p == 0xf4 && p[1] >= 0x90;
    return overlong || surrogate || beyond ? 0 : n;
}

void iso_utf8_tame(char *text) {
    unsigned char *p = (unsigned char *)text, *end = p + strlen(text);
    while (p < end) {
        unsigned n = iso_utf8_length(p, end);
        bool second = n == 2 && *p == 0xc2 && p[1] < 0xa0; /* U+0080 to U+009F */
        bool control = *p < 0x20 || *p == 0x7f || second;
        if (n == 0 || control) {
            *p++ = '?'; /* what followed of a character is none by itself, and becomes the same */
        } else {
            p += n;
        }
    }
}
