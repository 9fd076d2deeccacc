/* See json.h. */
#define _GNU_SOURCE
#include "formats/json.h"

#include <string.h>

#include "base/utf8.h"

#define DEEPEST 1000

unsigned char iso_json_space(iso_scan *s) {
    const unsigned char *p = s->at;
    while (iso_is_space(*p) || (!s->one_line && (*p == '\n' || *p == '\r'))) {
        p++;
    }
    s->at = p;
    return *p;
}

void iso_json_expect(iso_scan *s, unsigned char c, const char *what) {
    if (iso_json_space(s) != c) {
        iso_scan_expected(s, s->at, what);
    }
    s->at++;
}

bool iso_json_more(iso_scan *s, unsigned char close) {
    unsigned char c = iso_json_space(s);
    if (c != ',' && c != close) {
        iso_scan_expected(s, s->at, close == ']' ? "',' or ']'" : "',' or '}'");
    }
    s->at++;
    return c == ',';
}

void iso_json_elements(iso_scan *s, const char *what, void (*each)(void *arg), void *arg) {
    iso_json_expect(s, '[', what);
    if (iso_json_space(s) == ']') {
        s->at++;
        return;
    }
    do {
        iso_tick(s->pool->env);
        iso_json_space(s);
        each(arg);
    } while (iso_json_more(s, ']'));
}

void iso_json_members(iso_scan *s, const char *what, bool (*each)(void *arg, iso_text name), void *arg) {
    iso_json_expect(s, '{', what);
    if (iso_json_space(s) == '}') {
        s->at++;
        return;
    }
    do {
        iso_json_space(s);
        iso_text name = iso_json_string(s, "a member's name in quotes", false);
        iso_json_expect(s, ':', "':'");
        iso_json_space(s);
        if (!each(arg, name)) {
            iso_json_skip(s);
        }
    } while (iso_json_more(s, '}'));
}

void iso_json_once(const iso_scan *s, bool *seen, const char *what) {
    if (*seen) {
        iso_scan_fail(s, s->at, "expected one %s, found two", what);
    }
    *seen = true;
}

bool iso_json_word(iso_scan *s, const char *word) {
    size_t n = strlen(word);
    if ((size_t)(s->end - s->at) < n || memcmp(s->at, word, n) != 0) {
        return false;
    }
    unsigned char next = s->at[n];
    if (iso_is_digit(next) || next == '_' || ((next | 0x20) >= 'a' && (next | 0x20) <= 'z')) {
        return false;
    }
    s->at += n;
    return true;
}

static unsigned hex(const iso_scan *s, const unsigned char *p, unsigned digits) {
    unsigned n = 0;
    for (unsigned i = 0; i < digits; i++) {
        unsigned char c = p[i], letter = c | 0x20;
        if (!iso_is_digit(c) && !(letter >= 'a' && letter <= 'f')) {
            iso_scan_expected(s, p + i, "a hexadecimal digit");
        }
        n = 16 * n + (iso_is_digit(c) ? c - (unsigned)'0' : letter - 'a' + 10u);
    }
    return n;
}

/* Reads the character after a backslash at p, and moves p past it. */
static char *unescape(const iso_scan *s, const unsigned char **at, char *o, bool raw) {
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const unsigned char *p = *at + 1;
    const char *simple = *p != 0 ? strchr(from, *p) : NULL;
    if (simple != NULL) {
        *at = p + 1;
        *o = to[simple - from];
        return o + 1;
    }
    if (raw && *p == 'x') {
        unsigned byte = hex(s, p + 1, 2);
        if (byte < 0x80) {
            iso_scan_fail(s, *at, "expected \\x80 to \\xff, found a byte that has a plain form");
        }
        *at = p + 3;
        *o = (char)byte;
        return o + 1;
    }
    if (*p != 'u') {
        iso_scan_expected(s, p, "an escape (one of \"\\/bfnrtu)");
    }
    unsigned c = hex(s, p + 1, 4);
    p += 5;
    if (c >= 0xd800 && c < 0xdc00) {
        unsigned low = p[0] == '\\' && p[1] == 'u' ? hex(s, p + 2, 4) : 0;
        if (low < 0xdc00 || low >= 0xe000) {
            iso_scan_fail(s, *at, "expected the second half of a surrogate pair, found half a pair");
        }
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
        p += 6;
    } else if (c >= 0xdc00 && c < 0xe000) {
        iso_scan_fail(s, *at, "expected a character, found the second half of a surrogate pair alone");
    }
    *at = p;
    return iso_utf8_put(o, c);
}

/* After a byte that is not plain ASCII: returns where the next escape or the end of the string is. */
static const unsigned char *plain_run(const iso_scan *s, const unsigned char *p) {
    for (;;) {
        while (*p >= 0x20 && *p < 0x80 && *p != '"' && *p != '\\') {
            p++;
        }
        if (*p < 0x80) {
            return p;
        }
        unsigned n = iso_utf8_length(p, s->end);
        if (n == 0) {
            iso_scan_fail(s, p, "expected UTF-8 text, found the byte 0x%02x", *p);
        }
        p += n;
    }
}

iso_text iso_json_string(iso_scan *s, const char *what, bool raw) {
    if (*s->at != '"') {
        iso_scan_expected(s, s->at, what);
    }
    const unsigned char *p = s->at + 1;
    const unsigned char *run = plain_run(s, p);
    if (*run == '"') {
        s->at = run + 1;
        return (iso_text){(const char *)p, (size_t)(run - p)};
    }
    size_t used = 0;
    for (;;) {
        size_t n = (size_t)(run - p);
        if (used + n + 8 > s->text_room) {
            s->text_room = 2 * (used + n) + 256;
            s->text = iso_resize(s->pool, s->text, s->text_room, 1);
        }
        memcpy(s->text + used, p, n);
        used += n;
        p = run;
        if (*p == '"') {
            break;
        }
        if (*p != '\\') {
            iso_scan_expected(s, p, "the closing '\"' of a string");
        }
        used = (size_t)(unescape(s, &p, s->text + used, raw) - s->text);
        run = plain_run(s, p);
    }
    s->at = p + 1;
    return (iso_text){s->text, used};
}

static void skip_digits(iso_scan *s) {
    if (!iso_is_digit(*s->at)) {
        iso_scan_expected(s, s->at, "a digit");
    }
    while (iso_is_digit(*s->at)) {
        s->at++;
    }
}

static void skip_number(iso_scan *s) {
    s->at += *s->at == '-';
    const unsigned char *digits = s->at;
    skip_digits(s);
    if (*digits == '0' && s->at - digits > 1) {
        iso_scan_fail(s, digits, "expected a number, found a leading zero");
    }
    if (*s->at == '.') {
        s->at++;
        skip_digits(s);
    }
    if ((*s->at | 0x20) == 'e') {
        s->at++;
        s->at += *s->at == '+' || *s->at == '-';
        skip_digits(s);
    }
}

static void skip_name(iso_scan *s) {
    iso_json_space(s);
    iso_json_string(s, "a member's name in quotes", false);
    iso_json_expect(s, ':', "':'");
}

void iso_json_skip(iso_scan *s) {
    char close[DEEPEST];
    unsigned depth = 0;
    do {
        unsigned char c = iso_json_space(s);
        if (c == '[' || c == '{') {
            unsigned char end = c == '[' ? ']' : '}';
            if (depth == DEEPEST) {
                iso_scan_fail(s, s->at, "expected at most %d values inside each other, found more", DEEPEST);
            }
            s->at++;
            if (iso_json_space(s) != end) {
                close[depth++] = (char)end;
                if (end == '}') {
                    skip_name(s);
                }
                continue;
            }
            s->at++;
        } else if (c == '"') {
            iso_json_string(s, "a string", false);
        } else if (c == '-' || iso_is_digit(c)) {
            skip_number(s);
        } else if (!iso_json_word(s, "true") && !iso_json_word(s, "false") && !iso_json_word(s, "null")) {
            iso_scan_expected(s, s->at, "a JSON value");
        }
        while (depth > 0) {
            if (iso_json_more(s, (unsigned char)close[depth - 1])) {
                if (close[depth - 1] == '}') {
                    skip_name(s);
                }
                break;
            }
            depth--;
        }
    } while (depth > 0);
}

iso_atom iso_json_atom(iso_scan *s, iso_builder *b, bool nil, const char *what) {
    if (*s->at == '"') {
        iso_text t = iso_json_string(s, what, false);
        return iso_builder_string(b, t.bytes, t.length);
    }
    if (nil && iso_json_word(s, "null")) {
        return iso_atom_nil();
    }
    iso_scan_no_other(s, what);
    return iso_scan_integer(s, what);
}

void iso_json_put_escaped(FILE *out, uint32_t number) {
    if (number > 0xffff) {
        fprintf(out, "\\u%04x", 0xd800 + ((number - 0x10000) >> 10));
        number = 0xdc00 + (number & 0x3ff);
    }
    fprintf(out, "\\u%04x", number);
}

void iso_json_put_string(FILE *out, const char *bytes, uint64_t length, bool raw) {
    const unsigned char *p = (const unsigned char *)bytes, *end = p + length;
    putc_unlocked('"', out);
    while (p < end) {
        const unsigned char *run = p;
        while (run < end && *run >= 0x20 && *run < 0x7f && *run != '"' && *run != '\\') {
            run++;
        }
        fwrite_unlocked(p, 1, (size_t)(run - p), out);
        p = run;
        if (p == end) {
            break;
        }
        unsigned n = iso_utf8_length(p, end);
        if (n > 1) {
            uint32_t number = iso_utf8_number(p, n);
            if (iso_utf8_hidden(number)) {
                iso_json_put_escaped(out, number);
            } else {
                fwrite_unlocked(p, 1, n, out);
            }
            p += n;
            continue;
        }
        if (n == 0) {
            raw ? fprintf(out, "\\x%02x", *p) : fprintf(out, "\xef\xbf\xbd");
        } else if (*p == '"' || *p == '\\') {
            fprintf(out, "\\%c", *p);
        } else if (*p == '\n' || *p == '\t' || *p == '\r') {
            iso_put_text(out, *p == '\n' ? "\\n" : *p == '\t' ? "\\t" : "\\r");
        } else {
            fprintf(out, "\\u%04x", *p);
        }
        p++;
    }
    putc_unlocked('"', out);
}

void iso_json_put_atom(FILE *out, const isolab_history *h, iso_atom atom) {
    if (atom.kind == ISO_ATOM_STRING) {
        uint64_t length;
        const char *bytes = iso_string(h, atom.bits, &length);
        iso_json_put_string(out, bytes, length, false);
    } else if (atom.kind == ISO_ATOM_NIL) {
        iso_put_text(out, "null");
    } else {
        iso_put_integer(out, atom);
    }
}
