/* Jepsen's EDN: `{:index 1, :type :ok, :process 0, :f :txn, :value [[:append 3 1] [:r 4 [2]]]}`, maps that follow each
 * other, or all of them in one vector or list. Reads all of EDN and what Clojure prints beyond it (records, regular
 * expressions, any token), since ignored fields may contain anything. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <string.h>

#include "base/utf8.h"
#include "formats/elle.h"

static bool is_white(unsigned char c) { return c == ' ' || c == ',' || (c >= '\t' && c <= '\r'); }

static bool in_token(unsigned char c) {
    static const bool ends[128] = {['"'] = true, [';'] = true, ['('] = true, [')'] = true, ['['] = true,
                                   [']'] = true, ['{'] = true, ['}'] = true, [','] = true, [0x7f] = true};
    return c > 0x20 && (c >= 0x80 || !ends[c]);
}

static const unsigned char *token_end(const unsigned char *p) {
    while (in_token(*p)) {
        p++;
    }
    return p;
}

static inline void skip_white(iso_scan *s) {
    const unsigned char *p = s->at + (*s->at == ' ');
    for (;;) {
        while (is_white(*p)) {
            p++;
        }
        if (*p != ';') {
            break;
        }
        p = memchr(p, '\n', (size_t)(s->end - p));
        if (p == NULL) {
            p = s->end;
        }
    }
    s->at = p;
}

static uint64_t line_of(const iso_scan *s, const unsigned char *at) {
    uint64_t line = 1;
    for (const unsigned char *p = s->first; p < at; p++) {
        line += *p == '\n';
    }
    return line;
}

/* Ends a form in the innermost frame. Returns whether it counts; false: a #_ before it drops it. */
static bool end_form(iso_elle_lexer *l) {
    iso_elle_frame *f = &l->frame[l->depth];
    f->tag = NULL;
    if (f->discards > 0) {
        f->discards--;
        return false;
    }
    f->odd = f->close == '}' && !f->odd;
    return l->hidden == 0;
}

static void open_form(iso_elle_lexer *l, unsigned char close, bool set) {
    bool discarded = l->frame[l->depth].discards > 0;
    iso_elle_push(l, close);
    l->frame[l->depth].discarded = discarded;
    l->frame[l->depth].state = set; /* a set ends in } too, but has no keys */
    l->hidden += discarded;
}

static void check_complete(iso_elle_lexer *l) {
    const iso_elle_frame *f = &l->frame[l->depth];
    if (f->tag != NULL || f->discards > 0) {
        iso_scan_expected(&l->s, l->s.at, f->tag != NULL ? "a form after a tag" : "a form after #_");
    }
    if (f->odd && !f->state) {
        iso_scan_expected(&l->s, l->s.at, "the value of the map's last key");
    }
}

static bool close_form(iso_elle_lexer *l, unsigned char c) {
    iso_elle_frame f = l->frame[l->depth];
    if (f.close != c) {
        if (f.close == 0) {
            iso_scan_expected(&l->s, l->s.at, "an operation or the end of the file");
        }
        char what[64];
        snprintf(what, sizeof what, "'%c' for the '%c' of line %" PRIu64, f.close, *f.open, line_of(&l->s, f.open));
        iso_scan_expected(&l->s, l->s.at, what);
    }
    check_complete(l);
    l->depth--;
    l->hidden -= f.discarded;
    return end_form(l);
}

static unsigned hex4(const iso_scan *s, const unsigned char *p) {
    unsigned n = 0;
    for (int i = 0; i < 4; i++, p++) {
        unsigned char letter = *p | 0x20;
        bool digit = iso_is_digit(*p);
        if (!digit && !(letter >= 'a' && letter <= 'f')) {
            iso_scan_expected(s, p, "a hexadecimal digit");
        }
        n = 16 * n + (unsigned)(digit ? *p - '0' : letter - 'a' + 10);
    }
    return n;
}

/* Reads the character after the backslash at *at, and moves past it. */
static char *unescape(const iso_scan *s, const unsigned char **at, char *o) {
    static const char from[] = "\"\\bfnrt", to[] = "\"\\\b\f\n\r\t";
    const unsigned char *p = *at + 1;
    const char *simple = *p != 0 ? strchr(from, *p) : NULL;
    if (simple != NULL) {
        *at = p + 1;
        *o = to[simple - from];
        return o + 1;
    }
    if (*p != 'u') {
        iso_scan_expected(s, p, "an escape (one of \"\\bfnrtu)");
    }
    unsigned c = hex4(s, p + 1);
    p += 5;
    if (c >= 0xd800 && c < 0xdc00 && p[0] == '\\' && p[1] == 'u') {
        unsigned low = hex4(s, p + 2);
        if (low >= 0xdc00 && low < 0xe000) { /* Java may print only half of a pair: it is kept */
            c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
            p += 6;
        }
    }
    *at = p;
    return iso_utf8_put(o, c);
}

/* Reads a string at the cursor. It may contain any byte, including ends of lines. It is copied only if it has
 * escapes. */
static iso_text read_string(iso_scan *s) {
    const unsigned char *from = s->at, *p = from + 1;
    while (p < s->end && *p != '"' && *p != '\\') {
        p++;
    }
    if (p < s->end && *p == '"') {
        s->at = p + 1;
        return (iso_text){(const char *)from + 1, (size_t)(p - from - 1)};
    }
    size_t used = 0;
    for (p = from + 1; p < s->end && *p != '"';) {
        if (used + 8 > s->text_room) {
            s->text_room = 2 * s->text_room + 256;
            s->text = iso_resize(s->pool, s->text, s->text_room, 1);
        }
        if (*p == '\\') {
            used = (size_t)(unescape(s, &p, s->text + used) - s->text);
        } else {
            s->text[used++] = (char)*p++;
        }
    }
    if (p >= s->end) {
        iso_scan_fail(s, from, "expected the closing '\"' of this string, found the end of the file");
    }
    s->at = p + 1;
    return (iso_text){s->text, used};
}

/* Reads up to 18 digits, which is the form of most tokens of a history. */
static bool read_small_number(iso_scan *s, iso_elle_token *t) {
    const unsigned char *p = s->at, *most = p + 18;
    uint64_t n = 0;
    for (; iso_is_digit(*p) && p < most; p++) {
        n = 10 * n + (uint64_t)(*p - '0');
    }
    if (p == s->at || in_token(*p) || (*s->at == '0' && p - s->at > 1)) {
        return false;
    }
    t->kind = ELLE_INTEGER;
    t->integer = iso_atom_int((int64_t)n);
    s->at = p;
    return true;
}

/* Reads [sign] digits [N], without leading zeros, in 64 bits; anything else that begins like a number is OTHER. */
static void read_number(iso_scan *s, iso_elle_token *t) {
    const unsigned char *p = s->at, *end = token_end(p);
    s->at = end;
    t->kind = ELLE_OTHER;
    bool negative = *p == '-';
    p += negative || *p == '+';
    end -= end[-1] == 'N';
    uint64_t n = 0;
    if (p == end || (*p == '0' && end - p > 1)) {
        return;
    }
    for (; p < end; p++) {
        if (!iso_is_digit(*p) || __builtin_mul_overflow(n, 10u, &n) ||
            __builtin_add_overflow(n, (uint64_t)(*p - '0'), &n)) {
            return;
        }
    }
    if (negative && n > (uint64_t)INT64_MAX + 1) {
        return;
    }
    t->kind = ELLE_INTEGER;
    t->integer = negative ? iso_atom_int((int64_t)(0 - n)) : iso_atom_uint(n);
}

static void read_symbol(iso_scan *s, iso_elle_token *t) {
    const unsigned char *from = s->at;
    s->at = token_end(from);
    t->text = (iso_text){(const char *)from, (size_t)(s->at - from)};
    t->kind = iso_text_is(t->text, "nil")                                     ? ELLE_NIL
              : iso_text_is(t->text, "true") || iso_text_is(t->text, "false") ? ELLE_OTHER
                                                                              : ELLE_STRING;
}

/* Skips #"...": escapes are those of regular expressions, so only the closing quote matters. */
static void skip_pattern(iso_scan *s) {
    const unsigned char *p = s->at + 2;
    while (p < s->end && *p != '"') {
        p += *p == '\\' ? 2 : 1;
    }
    if (p >= s->end) {
        iso_scan_fail(s, s->at, "expected the closing '\"' of this pattern, found the end of the file");
    }
    s->at = p + 1;
}

/* Reads what follows '#': a set, a discard, a regular expression, ##Inf, or a tag. Returns whether t is a form. */
static bool read_dispatch(iso_elle_lexer *l, iso_elle_token *t) {
    iso_scan *s = &l->s;
    unsigned char c = s->at[1];
    if (c == '{') {
        s->at++;
        t->kind = ELLE_SET;
        return true;
    }
    if (c == '_') {
        s->at += 2;
        l->frame[l->depth].discards++;
        return false;
    }
    if (c == '"') {
        skip_pattern(s);
        t->kind = ELLE_OTHER;
        return true;
    }
    const unsigned char *end = token_end(s->at + 1);
    if (end == s->at + 1) {
        iso_scan_expected(s, s->at + 1, "a tag, '{' or '_' after '#'");
    }
    if (c == '#') {
        s->at = end;
        t->kind = ELLE_OTHER;
        return true;
    }
    l->frame[l->depth].tag = s->at;
    s->at = end;
    return false;
}

void iso_elle_next_edn(iso_elle_lexer *l, iso_elle_token *t) {
    iso_scan *s = &l->s;
    for (;;) {
        iso_tick(s->pool->env);
        skip_white(s);
        t->at = s->at;
        unsigned char c = *s->at;
        if (iso_is_digit(c) && read_small_number(s, t)) {
            if (end_form(l)) {
                return;
            }
            continue;
        }
        bool opens = c == '[' || c == '(' || c == '{';
        if (s->at >= s->end) {
            if (l->depth > 0) {
                close_form(l, 0);
            }
            check_complete(l);
            t->kind = ELLE_END;
            return;
        }
        if (c == ']' || c == ')' || c == '}') {
            bool counts = close_form(l, c);
            s->at++;
            t->kind = ELLE_CLOSE;
            if (counts) {
                return;
            }
            continue;
        }
        if (opens) {
            t->kind = c == '{' ? ELLE_MAP : ELLE_OPEN;
        } else if (c == '#') {
            if (!read_dispatch(l, t)) {
                continue;
            }
        } else if (c == '"') {
            t->kind = ELLE_STRING;
            t->text = read_string(s);
        } else if (c == ':') {
            s->at = token_end(s->at);
            t->kind = ELLE_KEYWORD;
            t->text = (iso_text){(const char *)t->at + 1, (size_t)(s->at - t->at - 1)};
            if (t->text.length == 0) {
                iso_scan_expected(s, s->at, "a keyword's name after ':'");
            }
        } else if (c == '\\') {
            s->at = token_end(s->at + 1 + (s->at + 1 < s->end));
            t->kind = ELLE_OTHER;
        } else if (iso_is_digit(c) || ((c == '-' || c == '+') && iso_is_digit(s->at[1]))) {
            read_number(s, t);
        } else if (in_token(c)) {
            read_symbol(s, t);
        } else {
            iso_scan_expected(s, s->at, "a form of EDN");
        }
        if (opens || t->kind == ELLE_SET) {
            open_form(l, c == '[' ? ']' : c == '(' ? ')' : '}', t->kind == ELLE_SET);
            s->at++;
            if (l->hidden == 0) {
                return;
            }
        } else if (end_form(l)) {
            return;
        }
    }
}

static isolab_history *read_edn(iso_source *source) { return iso_elle_read(source, iso_elle_next_edn, 0); }
static isolab_history *read_observed(iso_source *source) {
    return iso_elle_read(source, iso_elle_next_edn, ISO_ELLE_OBSERVES);
}
static isolab_history *read_registers(iso_source *source) {
    return iso_elle_read(source, iso_elle_next_edn, ISO_ELLE_REGISTERS);
}

static bool has_extension(const iso_source *source, const char *extension) {
    const char *found = strstr(source->path, extension);
    return found != NULL && (found[strlen(extension)] == '\0' || found[strlen(extension)] == '.');
}

/* A map or sequence that begins with the keywords of an operation. */
static int detect_edn(const iso_source *source) {
    iso_scan s = {.at = source->bytes, .end = source->bytes + source->size};
    skip_white(&s);
    size_t n = (size_t)(s.end - s.at);
    n = n < 65536 ? n : 65536;
    bool begins = *s.at == '{' || *s.at == '[' || *s.at == '(' || *s.at == '#';
    bool type = begins && memmem(s.at, n, ":type", 5) != NULL;
    bool words = type && (memmem(s.at, n, ":value", 6) != NULL || memmem(s.at, n, ":process", 8) != NULL);
    return words ? 95 : type ? 60 : has_extension(source, ".edn") ? 50 : 0;
}

static void survey_edn(const isolab_history *h, iso_losses *losses) { iso_elle_survey(h, losses, ISO_ELLE_EDN); }
static void write_edn(const isolab_history *h, iso_sink *sink) { iso_elle_write(h, sink, ISO_ELLE_EDN); }

const iso_format iso_format_elle = {
    .name = "elle",
    .summary = "Jepsen's EDN, as Elle checks it: transactions over registers or lists",
    .extensions = ".edn",
    .detect = detect_edn,
    .read = read_edn,
    .survey = survey_edn,
    .write = write_edn,
};

static int detect_nothing(const iso_source *source) {
    (void)source;
    return 0;
}

/* The log itself does not tell it from the other one: it must be named. */
const iso_format iso_format_elle_observed = {
    .name = "elle-observed",
    .summary = "Jepsen's EDN of registers, where a compare-and-set that failed saw another value",
    .extensions = ".edn",
    .detect = detect_nothing,
    .read = read_observed,
};

static void survey_calls(const isolab_history *h, iso_losses *losses) { iso_elle_survey(h, losses, ISO_ELLE_CALLS); }
static void write_calls(const isolab_history *h, iso_sink *sink) { iso_elle_write(h, sink, ISO_ELLE_CALLS); }

/* Without a compare-and-set, calls of several registers look like other operations: it must be named to be read. */
const iso_format iso_format_elle_registers = {
    .name = "elle-registers",
    .summary = "Jepsen's EDN of registers, as Knossos and Porcupine check it: reads, writes, compare-and-sets",
    .extensions = ".edn",
    .detect = detect_nothing,
    .read = read_registers,
    .survey = survey_calls,
    .write = write_calls,
};
