/* See scan.h. */
#define _GNU_SOURCE
#include "formats/scan.h"

#include <stdarg.h>
#include <string.h>

void iso_scan_init(iso_scan *s, const iso_source *source) {
    *s = (iso_scan){
        .pool = source->pool, .first = source->bytes, .at = source->bytes, .end = source->bytes + source->size};
}

static uint64_t line_of(const iso_scan *s, const unsigned char *at) {
    uint64_t line = 1;
    for (const unsigned char *p = s->first; (p = memchr(p, '\n', (size_t)(at - p))) != NULL; p++) {
        line++;
    }
    return line;
}

_Noreturn void iso_scan_fail(const iso_scan *s, const unsigned char *at, const char *format, ...) {
    char message[400];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    iso_throw_input(s->pool->env, line_of(s, at), (uint64_t)(at - s->first), "%s", message);
}

static bool in_word(unsigned char c) {
    return iso_is_digit(c) || c == '_' || c == '.' || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* Returns the length of a text in quotes, on one line and of at most 40 plain characters; 0: it is another. */
static size_t quoted(const unsigned char *at, const unsigned char *end) {
    size_t n = 1;
    while (n < 42 && at + n < end && at[n] >= 0x20 && at[n] < 0x7f && at[n] != '"' && at[n] != '\\') {
        n++;
    }
    return *at == '"' && n < 42 && at + n < end && at[n] == '"' ? n + 1 : 0;
}

const char *iso_scan_found(const unsigned char *at, const unsigned char *end, char out[ISO_FOUND_SIZE]) {
    if (at >= end) {
        return "the end of the file";
    }
    if (*at == '\n' || (*at == '\r' && at[1] == '\n')) {
        return "the end of the line";
    }
    size_t n = quoted(at, end);
    if (n > 0) {
        snprintf(out, ISO_FOUND_SIZE, "%.*s", (int)n, (const char *)at);
    } else if (*at < 0x20 || *at >= 0x7f) {
        snprintf(out, ISO_FOUND_SIZE, "the byte 0x%02x", *at);
    } else {
        n = 1;
        while ((*at == '-' || *at == ':' || in_word(*at)) && n < 24 && at + n < end &&
               (in_word(at[n]) || at[n] == '-')) {
            n++;
        }
        snprintf(out, ISO_FOUND_SIZE, "'%.*s'", (int)n, (const char *)at);
    }
    return out;
}

_Noreturn void iso_scan_expected(const iso_scan *s, const unsigned char *at, const char *what) {
    char found[ISO_FOUND_SIZE];
    iso_scan_fail(s, at, "expected %s, found %s", what, iso_scan_found(at, s->end, found));
}

void iso_scan_no_other(const iso_scan *s, const char *what) {
    const unsigned char *p = s->at;
    if (*p == '{' || *p == '[') {
        iso_scan_fail(s, p,
                      "expected %s, found '%c': write a key or value of several parts as one string: \"table:id\"",
                      what, *p);
    }
    bool fraction = false;
    int n = 0;
    for (; n < 40 && (in_word(p[n]) || p[n] == '-' || p[n] == '+'); n++) {
        fraction |= p[n] == '.' || (p[n] | 0x20) == 'e';
    }
    bool boolean = (n == 4 && memcmp(p, "true", 4) == 0) || (n == 5 && memcmp(p, "false", 5) == 0);
    if (boolean || (fraction && n < 40 && (iso_is_digit(*p) || (*p == '-' && iso_is_digit(p[1]))))) {
        iso_scan_fail(s, p, "expected %s, found %.*s: write it as a string: \"%.*s\"", what, n, (const char *)p, n,
                      (const char *)p);
    }
}

iso_atom iso_scan_integer(iso_scan *s, const char *what) {
    const unsigned char *from = s->at, *p = from;
    bool negative = *p == '-';
    p += negative;
    if (!iso_is_digit(*p)) {
        iso_scan_expected(s, from, what);
    }
    const unsigned char *digits = p;
    uint64_t n = 0;
    bool fits = true;
    for (; iso_is_digit(*p); p++) {
        fits &= !__builtin_mul_overflow(n, 10u, &n) && !__builtin_add_overflow(n, (uint64_t)(*p - '0'), &n);
    }
    if ((*digits == '0' && (p - digits > 1 || negative)) || (*p == '.' && p[1] != '.') || (*p | 0x20) == 'e') {
        iso_scan_fail(s, from, "expected %s, found a number that is not an integer in its plain form", what);
    }
    if (!fits || (negative && n > (uint64_t)INT64_MAX + 1)) {
        iso_scan_fail(s, from, "expected an integer of 64 bits, found %zu digits that do not fit",
                      (size_t)(p - digits));
    }
    s->at = p;
    return negative ? iso_atom_int((int64_t)(0 - n)) : iso_atom_uint(n);
}

int64_t iso_scan_signed(iso_scan *s, const char *what) {
    const unsigned char *from = s->at;
    iso_atom a = iso_scan_integer(s, what);
    if (a.kind != ISO_ATOM_INT) {
        iso_scan_fail(s, from, "expected %s of 64 signed bits, found one that is out of range", what);
    }
    return (int64_t)a.bits;
}

int64_t iso_scan_instant(iso_scan *s) {
    const unsigned char *from = s->at;
    int64_t n = iso_scan_signed(s, "an instant (nanoseconds as an integer)");
    if (n == ISO_NO_TIME) {
        iso_scan_fail(s, from, "expected an instant of 64 signed bits, found one that is out of range");
    }
    return n;
}

void iso_scan_times(const iso_scan *s, const unsigned char *at, iso_builder *b, uint32_t txn, int64_t start,
                    int64_t end) {
    if (start != ISO_NO_TIME && end != ISO_NO_TIME && end < start) {
        iso_scan_fail(
            s, at, "expected an end that is not before the start, found start %lld and end %lld: a clock ran backwards",
            (long long)start, (long long)end);
    }
    iso_builder_times(b, txn, start, end);
}

void iso_put_integer(FILE *out, iso_atom integer) {
    char digits[24], *p = digits + sizeof digits;
    bool negative = integer.kind == ISO_ATOM_INT && (int64_t)integer.bits < 0;
    uint64_t n = negative ? 0 - integer.bits : integer.bits;
    do {
        *--p = (char)('0' + n % 10);
        n /= 10;
    } while (n > 0);
    if (negative) {
        *--p = '-';
    }
    fwrite_unlocked(p, 1, (size_t)(digits + sizeof digits - p), out);
}

void iso_put_text(FILE *out, const char *text) { fputs_unlocked(text, out); }
