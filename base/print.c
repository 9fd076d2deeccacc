/* Printing. See print.h. */
#define _GNU_SOURCE
#include "base/print.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/utf8.h"
#include "base/wrap.h"

/* ---- bytes as they are ---- */

static int first_failure;

int iso_print_failure(void) { return first_failure; }

static void put(void *out, const char *bytes, size_t n) {
    if (fwrite_unlocked(bytes, 1, n, out) < n && out == stdout && first_failure == 0) {
        first_failure = errno;
    }
}

static iso_wrap wrapped; /* standard output, while it has a width */

void iso_print_width(uint32_t columns) {
    if (wrapped.columns != 0) {
        iso_wrap_end(&wrapped);
    }
    wrapped = (iso_wrap){.columns = columns, .put = put, .arg = stdout};
}

static void raw(iso_printer *p, const char *bytes, size_t n) {
    if (n == 0) {
        return;
    }
    p->within = bytes[n - 1] != '\n';
    if (p->out == stdout && wrapped.columns != 0) {
        iso_wrap_add(&wrapped, bytes, n);
    } else if (p->out != NULL) {
        put(p->out, bytes, n);
    } else {
        if (p->room - p->size <= n) {
            p->room = 2 * (p->size + n) + 64;
            p->text = iso_resize(p->pool, p->text, p->room, 1);
        }
        memcpy(p->text + p->size, bytes, n);
        p->size += n;
        p->text[p->size] = '\0';
    }
}

static void word(iso_printer *p, const char *text) { raw(p, text, strlen(text)); }

const char *iso_printed(const iso_printer *p) { return p->text != NULL ? p->text : ""; }

iso_markup iso_printed_markup(const iso_printer *p) { return (iso_markup){iso_printed(p)}; }

void iso_print_markup(iso_printer *p, iso_markup markup) { word(p, markup.text); }

/* ---- text of the input, escaped for each target ---- */

/* Returns the replacement of an ASCII character; NULL: it stands for itself. */
typedef const char *replace(char c);

static const char *in_plain(char c) {
    (void)c;
    return NULL;
}

static const char *in_html(char c) {
    return c == '&'    ? "&amp;"
           : c == '<'  ? "&lt;"
           : c == '>'  ? "&gt;"
           : c == '"'  ? "&quot;"
           : c == '\'' ? "&#39;"
                       : NULL;
}

static const char *in_markdown(char c) {
    static const char special[] = "\\`*_[]|~$";
    static const char *const escaped[] = {"\\\\", "\\`", "\\*", "\\_", "\\[", "\\]", "\\|", "\\~", "\\$"};
    const char *at = strchr(special, c);
    return at != NULL ? escaped[at - special] : c == '\'' || c == '"' ? NULL : in_html(c);
}

static const char *in_latex(char c) {
    static const char special[] = "\\~^&%$#_{}<>|\"";
    static const char *const escaped[] = {
        "\\textbackslash{}", "\\~{}",           "\\^{}",       "\\&", "\\%", "\\$", "\\#", "\\_", "\\{", "\\}",
        "\\textless{}",      "\\textgreater{}", "\\textbar{}", "''"};
    const char *at = strchr(special, c);
    return at != NULL ? escaped[at - special] : NULL;
}

static const char *in_json(char c) { return c == '"' ? "\\\"" : c == '\\' ? "\\\\" : NULL; }

static const char *in_roff(char c) { return c == '\\' ? "\\e" : c == '-' ? "\\-" : NULL; }

static replace *const replacement[] = {
    [ISO_PLAIN] = in_plain,
    [ISO_HTML] = in_html,
    [ISO_LATEX] = in_latex,
};

/* Returns the number of ASCII characters at s, and before end, that stand for themselves. */
static size_t plain_run(replace *of, const unsigned char *s, const unsigned char *end) {
    size_t n = 0;
    while (s + n < end && s[n] >= 0x20 && s[n] < 0x7f && of((char)s[n]) == NULL) {
        n++;
    }
    return n;
}

static void each(iso_printer *p, replace *of, const char *s, size_t n) {
    const unsigned char *at = (const unsigned char *)s, *end = at + n;
    while (at < end) {
        char buffer[ISO_SHOWN_SIZE];
        const char *text;
        size_t run = plain_run(of, at, end), length;
        raw(p, (const char *)at, run);
        at += run;
        if (at == end) {
            return;
        }
        at += iso_utf8_show(at, end, buffer, &text, &length);
        for (size_t i = 0; i < length; i++) { /* the shown form of a hidden character may contain characters to
                                               * replace */
            const char *instead = (unsigned char)text[i] < 0x80 ? of(text[i]) : NULL;
            raw(p, instead != NULL ? instead : text + i, instead != NULL ? strlen(instead) : 1);
        }
    }
}

/* Returns whether the text would begin or underline a heading, or begin a list. */
static bool is_block(const char *s, size_t n) {
    char next = '\0';
    if (n > 1) {
        next = s[1];
    }
    return n > 0 &&
           (s[0] == '#' || s[0] == '=' || ((s[0] == '-' || s[0] == '+') && (n == 1 || next == ' ' || next == s[0])));
}

/* Returns the number of digits that would number a list item; 0: the text does not begin a numbered item. */
static size_t numbering(const char *s, size_t n) {
    size_t digits = 0;
    while (digits < n && isdigit((unsigned char)s[digits])) {
        digits++;
    }
    bool mark = digits > 0 && digits < n && (s[digits] == '.' || s[digits] == ')');
    return mark && (digits + 1 == n || s[digits + 1] == ' ') ? digits : 0;
}

/* Blocks can begin at the beginning of a line or of a list item, so the text is escaped as if it stood there. */
static void markdown(iso_printer *p, const char *s, size_t n) {
    size_t digits = numbering(s, n);
    if (is_block(s, n)) {
        raw(p, "\\", 1);
    } else if (n > 0 && s[0] == ' ' && !p->within) { /* four spaces would begin a code block */
        word(p, "&#32;");
        s++;
        n--;
    } else if (digits > 0) {
        raw(p, s, digits);
        raw(p, "\\", 1);
        s += digits;
        n -= digits;
    }
    each(p, in_markdown, s, n);
}

/* Escapes a word that would begin a roff request. */
static void roff(iso_printer *p, const char *s, size_t n) {
    if (n > 0 && !p->within && (s[0] == '.' || s[0] == '\'')) {
        word(p, "\\&");
    }
    each(p, in_roff, s, n);
}

static bool is_number(const char *s, size_t n) {
    size_t digits = 0;
    for (size_t i = 0; i < n; i++) {
        digits += isdigit((unsigned char)s[i]) != 0;
        if (strchr("0123456789.eE+-", s[i]) == NULL || s[i] == '\0') {
            return false;
        }
    }
    return digits > 0 && (isdigit((unsigned char)s[0]) || (n > 1 && isdigit((unsigned char)s[1])));
}

/* Spreadsheets take a cell that begins with one of these characters for a formula; an apostrophe prevents that. */
static void csv(iso_printer *p, const char *s, size_t n) {
    bool formula = n > 0 && s[0] != '\0' && strchr("=+-@", s[0]) != NULL && !is_number(s, n), quote = false;
    for (size_t i = 0; i < n; i++) {
        quote |= s[i] == ',' || s[i] == '"' || s[i] == ';';
    }
    word(p, quote ? "\"" : "");
    word(p, formula ? "'" : "");
    while (n > 0) {
        const char *at = memchr(s, '"', n);
        size_t before = at != NULL ? (size_t)(at - s) + 1 : n;
        each(p, in_plain, s, before);
        word(p, at != NULL ? "\"" : "");
        s += before;
        n -= before;
    }
    word(p, quote ? "\"" : "");
}

/* A number above FFFF becomes a surrogate pair. */
/* In a script of a page nothing may begin or end markup. */
static const char *in_json_page(char c) {
    return c == '<' ? "\\u003c" : c == '>' ? "\\u003e" : c == '&' ? "\\u0026" : in_json(c);
}

static void json(iso_printer *p, const char *s, size_t n) {
    const char *(*escape)(char) = p->target == ISO_JSON_PAGE ? in_json_page : in_json;
    const unsigned char *at = (const unsigned char *)s, *end = at + n;
    raw(p, "\"", 1);
    while (at < end) {
        char text[16];
        size_t run = plain_run(escape, at, end);
        raw(p, (const char *)at, run);
        at += run;
        if (at == end) {
            break;
        }
        unsigned length = iso_utf8_length(at, end);
        uint32_t number = length == 0 ? 0xfffd : iso_utf8_number(at, length);
        if (length == 1 && escape((char)number) != NULL) {
            snprintf(text, sizeof text, "%s", escape((char)number));
        } else if (number == '\n') {
            snprintf(text, sizeof text, "\\n");
        } else if (length != 0 && !iso_utf8_hidden(number)) {
            snprintf(text, sizeof text, "%.*s", (int)length, (const char *)at);
        } else if (number > 0xffff) {
            snprintf(text, sizeof text, "\\u%04x\\u%04x", 0xd800 + ((number - 0x10000) >> 10),
                     0xdc00 + (number & 0x3ff));
        } else {
            snprintf(text, sizeof text, "\\u%04x", number);
        }
        word(p, text);
        at += length == 0 ? 1 : length;
    }
    raw(p, "\"", 1);
}

/* gnuplot expands backticks and @macros in a line before it parses strings. So every byte except harmless ones is
 * written in octal, and also a digit after such a byte, which gnuplot would read as part of the octal number. */
static void gnuplot(iso_printer *p, const char *s, size_t n) {
    const unsigned char *at = (const unsigned char *)s, *end = at + n;
    bool after = false;
    raw(p, "\"", 1);
    while (at < end) {
        char buffer[ISO_SHOWN_SIZE];
        const char *text;
        size_t length;
        at += iso_utf8_show(at, end, buffer, &text, &length);
        for (size_t i = 0; i < length; i++) {
            char octal[8];
            unsigned char c = (unsigned char)text[i];
            bool plain = c < 0x80 && (isalnum(c) || strchr(" .,:;/=+-_()", c) != NULL) && !(after && isdigit(c));
            snprintf(octal, sizeof octal, plain ? "%c" : "\\%03o", c);
            word(p, octal);
            after = !plain;
        }
    }
    raw(p, "\"", 1);
}

static void shell(iso_printer *p, const char *s, size_t n) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
    bool quote = n == 0;
    for (size_t i = 0; i < n && !quote; i++) {
        quote = memchr(plain, s[i], sizeof plain - 1) == NULL;
    }
    word(p, quote ? "'" : "");
    for (size_t i = 0; i < n; i++) {
        if (s[i] == '\'') {
            word(p, "'\\''");
        } else {
            raw(p, s + i, 1);
        }
    }
    word(p, quote ? "'" : "");
}

const char *iso_shell_word(iso_pool *pool, const char *text) {
    iso_printer p = {.pool = pool, .target = ISO_SHELL};
    iso_print(&p, "%s", text);
    return iso_printed(&p);
}

static void foreign(iso_printer *p, const char *s, size_t n) {
    switch (p->target) {
    case ISO_MARKDOWN:
        markdown(p, s, n);
        break;
    case ISO_CSV:
        csv(p, s, n);
        break;
    case ISO_JSON:
    case ISO_JSON_PAGE:
        json(p, s, n);
        break;
    case ISO_GNUPLOT:
        gnuplot(p, s, n);
        break;
    case ISO_SHELL:
        shell(p, s, n);
        break;
    case ISO_ROFF:
        roff(p, s, n);
        break;
    case ISO_PLAIN:
    case ISO_HTML:
    case ISO_LATEX:
        each(p, replacement[p->target], s, n);
    }
}

void iso_print_lines(iso_printer *p, const char *text) {
    while (*text != '\0') {
        size_t n = strcspn(text, "\n");
        if (p->target == ISO_MARKDOWN) {
            raw(p, "    ", 4);
            each(p, in_plain, text, n);
        } else {
            foreign(p, text, n);
        }
        raw(p, "\n", 1);
        text += n + (text[n] == '\n');
    }
}

/* Markdown: the delimiter has more backticks than any run of backticks in the text. */
void iso_print_code(iso_printer *p, const char *text) {
    size_t most = 0, n = 0;
    for (const char *at = text; *at != '\0'; at++) {
        n = *at == '`' ? n + 1 : 0;
        most = n > most ? n : most;
    }
    bool marked = p->target == ISO_MARKDOWN;
    for (size_t i = 0; marked && i <= most; i++) {
        raw(p, "`", 1);
    }
    word(p, marked && most > 0 ? " " : "");
    if (marked) {
        each(p, in_plain, text, strlen(text));
    } else {
        foreign(p, text, strlen(text));
    }
    word(p, marked && most > 0 ? " " : "");
    for (size_t i = 0; marked && i <= most; i++) {
        raw(p, "`", 1);
    }
}

/* ---- formats ---- */

/* One conversion of a format, for example `%-*.3lu`. */
typedef struct conversion {
    char flags[8];
    int width, precision; /* negative: not given */
    char length[3], kind;
} conversion;

static const char *parse(conversion *c, const char *at, va_list *args) {
    *c = (conversion){.width = -1, .precision = -1};
    size_t flags = strspn(at, "-+ #0");
    memcpy(c->flags, at, flags < sizeof c->flags - 1 ? flags : sizeof c->flags - 1);
    at += flags;
    for (int part = 0; part < 2; part++) {
        int *number = part == 0 ? &c->width : &c->precision;
        if (part == 1 && *at++ != '.') {
            at--;
            break;
        }
        if (*at == '*') {
            *number = va_arg(*args, int);
            at++;
            continue;
        }
        for (*number = part == 0 && !isdigit((unsigned char)*at) ? -1 : 0; isdigit((unsigned char)*at); at++) {
            *number = 10 * *number + (*at - '0');
        }
    }
    size_t length = strspn(at, "hlzjt");
    memcpy(c->length, at, length < sizeof c->length - 1 ? length : sizeof c->length - 1);
    at += length;
    c->kind = *at;
    return at + 1;
}

static void spaces(iso_printer *p, size_t n) {
    while (n-- > 0) {
        raw(p, " ", 1);
    }
}

static void text_argument(iso_printer *p, const conversion *c, const char *s, size_t n) {
    size_t columns = c->width > 0 ? iso_utf8_columns(s, n) : 0;
    size_t missing = c->width > 0 && columns < (size_t)c->width ? (size_t)c->width - columns : 0;
    bool left = strchr(c->flags, '-') != NULL;
    spaces(p, left ? 0 : missing);
    foreign(p, s, n);
    spaces(p, left ? missing : 0);
}

/* Returns the number of bytes of a text within the precision, without a character that the precision would cut. */
static size_t length_of(const char *s, int precision) {
    size_t n = precision < 0 ? strlen(s) : strnlen(s, (size_t)precision);
    for (size_t back = 1; precision >= 0 && n == (size_t)precision && back <= 3 && back <= n; back++) {
        unsigned char c = (unsigned char)s[n - back];
        if (c >= 0xc0) {
            return (c >= 0xf0 ? 4u : c >= 0xe0 ? 3u : 2u) > back ? n - back : n;
        }
        if (c < 0x80) {
            break;
        }
    }
    return n;
}

static void number_argument(iso_printer *p, const conversion *c, va_list *args) {
    char text[512], format[32];
    snprintf(format, sizeof format, "%%%s*.*%s%c", c->flags, strchr("diuxXoc", c->kind) != NULL ? "j" : "", c->kind);
    int width = c->width < 0 ? 0 : c->width;
    bool is_signed = c->kind == 'd' || c->kind == 'i';
    if (strchr("fFeEgG", c->kind) != NULL) {
        snprintf(text, sizeof text, format, width, c->precision, va_arg(*args, double));
    } else if (strcmp(c->length, "ll") == 0 || c->length[0] == 'j' || c->length[0] == 'l' || c->length[0] == 'z' ||
               c->length[0] == 't') {
        /* all of these types have 64 bits on the platforms of isolab */
        uint64_t bits = va_arg(*args, uint64_t);
        is_signed ? snprintf(text, sizeof text, format, width, c->precision, (intmax_t)(int64_t)bits)
                  : snprintf(text, sizeof text, format, width, c->precision, (uintmax_t)bits);
    } else {
        unsigned bits = va_arg(*args, unsigned);
        is_signed ? snprintf(text, sizeof text, format, width, c->precision, (intmax_t)(int)bits)
                  : snprintf(text, sizeof text, format, width, c->precision, (uintmax_t)bits);
    }
    word(p, text);
}

void iso_print_format(iso_printer *p, const char *format, ...) {
    va_list args;
    va_start(args, format);
    while (*format != '\0') {
        size_t literal = strcspn(format, "%");
        raw(p, format, literal);
        format += literal;
        if (*format == '\0') {
            break;
        }
        conversion c;
        format = parse(&c, format + 1, &args);
        if (c.kind == '%') {
            raw(p, "%", 1);
        } else if (c.kind == 's') {
            const char *s = va_arg(args, const char *);
            s = s != NULL ? s : "";
            text_argument(p, &c, s, length_of(s, c.precision));
        } else if (c.kind == 'c') {
            char one = (char)va_arg(args, int);
            text_argument(p, &c, &one, 1);
        } else {
            number_argument(p, &c, &args);
        }
    }
    va_end(args);
}
