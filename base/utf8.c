/* Reading bytes of unknown origin as UTF-8. See utf8.h. */
#define _GNU_SOURCE
#include "base/utf8.h"

#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

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

uint32_t iso_utf8_number(const unsigned char *p, unsigned n) {
    uint32_t number = n == 1 ? *p : *p & (0x7fu >> n);
    for (unsigned i = 1; i < n; i++) {
        number = number << 6 | (p[i] & 0x3f);
    }
    return number;
}

char *iso_utf8_put(char *to, uint32_t number) {
    if (number < 0x80) {
        *to++ = (char)number;
        return to;
    }
    unsigned more = number < 0x800 ? 1 : number < 0x10000 ? 2 : 3; /* bytes after the first one */
    *to++ = (char)((0xff00u >> (more + 1) & 0xff) | number >> 6 * more);
    while (more-- > 0) {
        *to++ = (char)(0x80 | (number >> 6 * more & 0x3f));
    }
    return to;
}

bool iso_utf8_hidden(uint32_t number) {
    static const struct {
        uint32_t from, to;
    } hidden[] = {
        {0x00, 0x1f},       {0x7f, 0x9f},       {0xad, 0xad},     /* C0, delete and C1; the soft hyphen */
        {0x34f, 0x34f},     {0x61c, 0x61c},     {0x115f, 0x1160}, /* a joiner; an Arabic mark; Hangul fillers */
        {0x17b4, 0x17b5},   {0x180b, 0x180f},                     /* Khmer vowels and Mongolian signs without width */
        {0x200b, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x206f}, /* no width; ends of lines; direction; operators */
        {0x3164, 0x3164},   {0xfdd0, 0xfdef},   {0xfeff, 0xfeff}, /* a filler; no characters; the byte order mark */
        {0xffa0, 0xffa0},   {0xfff0, 0xfffb},   {0xfffe, 0xffff}, /* a filler; annotations; no characters */
        {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},                   /* of music; tags, and selectors of variants */
    };
    for (unsigned i = 0; i < sizeof hidden / sizeof hidden[0] && number >= hidden[i].from; i++) {
        if (number <= hidden[i].to) {
            return true;
        }
    }
    return (number & 0xfffe) == 0xfffe; /* the last two numbers of each plane are not characters */
}

unsigned iso_utf8_show(const unsigned char *p, const unsigned char *end, char buffer[ISO_SHOWN_SIZE],
                       const char **shown, size_t *n) {
    unsigned length = iso_utf8_length(p, end);
    uint32_t number = length == 0 ? *p : iso_utf8_number(p, length);
    if (length != 0 && !iso_utf8_hidden(number)) {
        *shown = (const char *)p;
        *n = length;
        return length;
    }
    *shown = buffer;
    *n = (size_t)snprintf(buffer, ISO_SHOWN_SIZE, length == 0 ? "\\x{%x}" : "\\u{%x}", (unsigned)number);
    return length == 0 ? 1 : length;
}

bool iso_utf8_shown(char *to, size_t room, const char *text) {
    const unsigned char *p = (const unsigned char *)text, *end = p + strlen(text);
    size_t used = 0;
    while (p < end) {
        char buffer[ISO_SHOWN_SIZE];
        const char *shown;
        size_t n;
        unsigned length = iso_utf8_show(p, end, buffer, &shown, &n);
        if (used + n + 1 > room) {
            break;
        }
        p += length;
        memcpy(to + used, shown, n);
        used += n;
    }
    if (room > 0) {
        to[used] = '\0';
    }
    return p == end;
}

static locale_t utf8_locale; /* 0: the system has none */
static void make_locale(void) { utf8_locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0); }

static uint32_t columns_of(uint32_t number) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (number < 0x80) {
        return 1;
    }
    pthread_once(&once, make_locale);
    locale_t before = uselocale(utf8_locale);
    int columns = wcwidth((wchar_t)number);
    uselocale(before);
    return columns < 0 ? 1 : (uint32_t)columns;
}

/* Returns the columns of the character at *p, and sets *p to the next one. */
static uint32_t next_columns(const unsigned char **p, const unsigned char *end) {
    char buffer[ISO_SHOWN_SIZE];
    const char *shown;
    size_t n;
    unsigned length = iso_utf8_show(*p, end, buffer, &shown, &n);
    uint32_t columns = shown == buffer ? (uint32_t)n : columns_of(iso_utf8_number(*p, length));
    *p += length;
    return columns;
}

uint32_t iso_utf8_columns(const char *text, size_t n) {
    const unsigned char *p = (const unsigned char *)text, *end = p + n;
    uint32_t columns = 0;
    while (p < end) {
        columns += next_columns(&p, end);
    }
    return columns;
}

size_t iso_utf8_fit(const char *text, uint32_t columns) {
    const unsigned char *p = (const unsigned char *)text, *end = p + strlen(text), *fits = p;
    uint32_t used = 0;
    while (p < end && (used += next_columns(&p, end)) <= columns) {
        fits = p;
    }
    return (size_t)(fits - (const unsigned char *)text);
}
