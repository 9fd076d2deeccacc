/* Tests base/print.h. Each target prints every text so that a reader gets the same text back or sees it, and no part of
 * a text becomes markup. Texts are written by hand and at random, from the characters that targets give a meaning. */
#define _GNU_SOURCE
#include "base/print.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/utf8.h"
#include "tests/guarded.h"
#include "tests/seed.h"
#include "tests/tap.h"

static const char *printed(iso_pool *pool, iso_target target, const char *text) {
    iso_printer p = {.pool = pool, .target = target};
    iso_print(&p, "%s", text);
    return iso_printed(&p);
}

static void check(iso_pool *pool, iso_target target, const char *text, const char *expected, const char *name) {
    is(printed(pool, target, text), expected, "%s", name);
}

static void by_hand(iso_pool *pool) {
    check(pool, ISO_PLAIN, "a\x1b[0m\nb\x7f\xc2\x9b\xe2\x80\xae\xe2\x80\xa8\xef\xbb\xbf\xff",
          "a\\u{1b}[0m\\u{a}b\\u{7f}\\u{9b}\\u{202e}\\u{2028}\\u{feff}\\x{ff}",
          "what is invisible is shown by its number");
    check(pool, ISO_PLAIN, "é 漢 😀 <&>\\", "é 漢 😀 <&>\\", "and the rest as it is");
    check(pool, ISO_PLAIN, "\xed\xa0\x80\xf4\x90\x80\x80\xc0\x80",
          "\\x{ed}\\x{a0}\\x{80}\\x{f4}\\x{90}\\x{80}\\x{80}\\x{c0}\\x{80}",
          "surrogates, numbers beyond and overlong forms are no characters");
    check(pool, ISO_HTML, "<a b='c' d=\"e\">&amp;", "&lt;a b=&#39;c&#39; d=&quot;e&quot;&gt;&amp;amp;", "HTML");
    check(pool, ISO_MARKDOWN, "# a", "\\# a", "Markdown: no heading");
    check(pool, ISO_MARKDOWN, "- a", "\\- a", "no list");
    check(pool, ISO_MARKDOWN, "-0.5", "-0.5", "a number is none");
    check(pool, ISO_MARKDOWN, "12) a", "12\\) a", "no numbered list");
    check(pool, ISO_MARKDOWN, "    a", "&#32;   a", "no block of code");
    check(pool, ISO_MARKDOWN, "<b> *a* _b_ `c` [d](e) ![f](g) h|i ~j~ &k;",
          "&lt;b&gt; \\*a\\* \\_b\\_ \\`c\\` \\[d\\](e) !\\[f\\](g) h\\|i \\~j\\~ &amp;k;", "nothing within a line");
    check(
        pool, ISO_LATEX, "\\input{x} 5% $a_b^c$ #1 ~ & <|>\"",
        "\\textbackslash{}input\\{x\\} 5\\% \\$a\\_b\\^{}c\\$ \\#1 \\~{} \\& \\textless{}\\textbar{}\\textgreater{}''",
        "LaTeX");
    check(pool, ISO_CSV, "a,\"b\"", "\"a,\"\"b\"\"\"", "CSV: a cell");
    check(pool, ISO_CSV, "=1+cmd", "'=1+cmd", "no formula");
    check(pool, ISO_CSV, "-0.35", "-0.35", "a number is none");
    check(pool, ISO_JSON, "a\"\\\n\x1b\xe2\x80\xae\xf0\x9f\x98\x80\xf3\xa0\x81\x81\xff",
          "\"a\\\"\\\\\\n\\u001b\\u202e\xf0\x9f\x98\x80\\udb40\\udc41\\ufffd\"", "JSON");
    check(pool, ISO_GNUPLOT, "`a` $1 @b \"c\" 'd' \\e\n%g",
          "\"\\140a\\140 \\044\\061 \\100b \\042c\\042 \\047d\\047 \\134e\\134u\\173a\\175\\045g\"", "gnuplot");
    check(pool, ISO_SHELL, "it's $(x)", "'it'\\''s $(x)'", "the shell");
    check(pool, ISO_SHELL, "", "''", "an empty word");
    check(pool, ISO_SHELL, "a/b-c.d", "a/b-c.d", "a plain word");
    check(pool, ISO_ROFF, ".so /etc/passwd", "\\&.so /etc/passwd", "roff: no request");
    check(pool, ISO_ROFF, "\\fB-", "\\efB\\-", "no font");
}

#define PRINTS(of, expected, name, ...)                                                                                \
    do {                                                                                                               \
        iso_printer p_ = {.pool = pool, .target = (of)};                                                               \
        iso_print(&p_, __VA_ARGS__);                                                                                   \
        is(iso_printed(&p_), expected, name);                                                                          \
    } while (0)

static void formats(iso_pool *pool) {
    const char *volatile nothing = NULL; /* the compiler does not see it */
    PRINTS(ISO_HTML, "<b>    &lt;|&amp;    |xy|abé|&quot;</b>%", "width counts what is shown, precision bytes",
           "<b>%5s|%-5s|%.2s|%.*s|%c</b>%%", "<", "&", "xyz", 4, "abé", '"');
    PRINTS(ISO_PLAIN, "ab ", "a character that the precision cuts is left out", "%.3s %.1s", "ab\xe2\x80\xa8",
           "\xc3\xa9");
    PRINTS(ISO_PLAIN, "-3 4000000000   2.2 7   | 00ff -1 9 +5 1.23e+03 1.000000e+300", "numbers as printf prints them",
           "%d %u %5.1f %-4d| %04x %lld %zu %+d %.3g %e", -3, 4000000000u, 2.25, 7, 255u, -1LL, (size_t)9, 5, 1234.5,
           1e300);
    PRINTS(ISO_PLAIN, "", "no text is empty", "%s%s", nothing, "");
    iso_printer m = {.pool = pool, .target = ISO_MARKDOWN};
    iso_print_lines(&m, "```\n</pre><b>\x1b\n");
    iso_print_code(&m, "a``b");
    is(iso_printed(&m), "    ```\n    </pre><b>\\u{1b}\n``` a``b ```", "code that nothing in it ends");
    iso_printer h = {.pool = pool, .target = ISO_HTML};
    iso_print_lines(&h, "<\n>");
    is(iso_printed(&h), "&lt;\n&gt;\n", "lines in HTML");
}

/* A text out of what some target takes for its own. */
static char *random_text(iso_rng *rng, char *text, size_t most) {
    static const char *const part[] = {"<",
                                       ">",
                                       "&",
                                       "\"",
                                       "'",
                                       "`",
                                       "$",
                                       "(",
                                       ")",
                                       "\\",
                                       "|",
                                       "!",
                                       "@",
                                       "#",
                                       "%",
                                       "{",
                                       "}",
                                       "[",
                                       "]",
                                       "~",
                                       "^",
                                       "_",
                                       "*",
                                       "=",
                                       "+",
                                       "-",
                                       ",",
                                       ";",
                                       ":",
                                       "\n",
                                       "\r",
                                       "\t",
                                       "\x1b",
                                       " ",
                                       "a",
                                       "0",
                                       "7",
                                       "N",
                                       "\x7f",
                                       "\xc2\x9b",
                                       "\xe2\x80\xae",
                                       "\xe2\x80\xa8",
                                       "\xff",
                                       "\xc3",
                                       "\xc3\xa9",
                                       "\xe6\xbc\xa2",
                                       "\xf0\x9f\x98\x80",
                                       "<script>",
                                       "</pre>",
                                       "]]>",
                                       "-->",
                                       "&lt;",
                                       "&#60;",
                                       "%s",
                                       "END"};
    size_t n = iso_random_below(rng, 12), used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        const char *p = part[iso_random_below(rng, sizeof part / sizeof part[0])];
        used += (size_t)snprintf(text + used, most - used, "%s", p);
    }
    return text;
}

static bool holds(const char *text, const char *allowed) { return text[strspn(text, allowed)] == '\0'; }

/* Entities turned back into characters, in a text without tags; false if a tag or a quote remains. */
static bool from_html(const char *html, char *text) {
    static const struct {
        const char *entity;
        char c;
    } known[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}};
    while (*html != '\0') {
        bool found = false;
        for (unsigned i = 0; i < 5 && !found; i++) {
            found = strncmp(html, known[i].entity, strlen(known[i].entity)) == 0;
            if (found) {
                *text++ = known[i].c;
                html += strlen(known[i].entity);
            }
        }
        if (!found && strchr("&<>\"'", *html) != NULL) {
            return false;
        }
        if (!found) {
            *text++ = *html++;
        }
    }
    *text = '\0';
    return true;
}

/* A string of gnuplot that is nothing but harmless characters and octal numbers of three digits, read back. */
static bool from_gnuplot(const char *string, char *text) {
    size_t n = strlen(string);
    bool good = n >= 2 && string[0] == '"' && string[n - 1] == '"' && strchr(string + 1, '"') == string + n - 1;
    for (size_t i = 1; good && i < n - 1; i++) {
        good = holds((char[]){string[i], '\0'},
                     "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,:;/=+-_()\\");
        unsigned c = (unsigned char)string[i];
        if (c == '\\') {
            good = good && sscanf(string + i + 1, "%3o", &c) == 1 && (string[i + 4] < '0' || string[i + 4] > '9');
            i += 3;
        }
        *text++ = (char)c;
    }
    *text = '\0';
    return good;
}

static void at_random(iso_pool *pool) {
    enum { ROUNDS = 20000 };
    iso_rng rng = {seed_of_run()};
    unsigned html = 0, json = 0, gnuplot = 0, plain = 0, twice = 0;
    diag("%d random texts, seed %llu (set ISOLAB_SEED to repeat)", ROUNDS, (unsigned long long)rng.state);
    for (int round = 0; round < ROUNDS; round++) {
        char text[256], shown[1024], back[2048];
        iso_utf8_shown(shown, sizeof shown, random_text(&rng, text, sizeof text));
        for (const unsigned char *at = (const unsigned char *)shown, *end = at + strlen(shown); at < end;) {
            unsigned n = iso_utf8_length(at, end);
            plain += n == 0 || iso_utf8_hidden(iso_utf8_number(at, n));
            at += n == 0 ? 1 : n;
        }
        plain += strcmp(printed(pool, ISO_PLAIN, text), shown) != 0;
        twice += strcmp(printed(pool, ISO_PLAIN, shown), shown) != 0;
        html += !from_html(printed(pool, ISO_HTML, text), back) || strcmp(back, shown) != 0;
        gnuplot += !from_gnuplot(printed(pool, ISO_GNUPLOT, text), back) || strcmp(back, shown) != 0;
        json_t *value = json_loads(printed(pool, ISO_JSON, text), JSON_DECODE_ANY, NULL);
        bool whole = true; /* bytes that are no characters are replaced */
        for (const unsigned char *at = (const unsigned char *)text, *end = at + strlen(text); at < end && whole; at++) {
            unsigned n = iso_utf8_length(at, end);
            whole = n > 0;
            at += n > 1 ? n - 1 : 0;
        }
        json += value == NULL || (whole && strcmp(json_string_value(value), text) != 0);
        json_decref(value);
        iso_pool_free(pool);
    }
    cmp_ok(plain, "==", 0, "nothing hidden is left in what is shown");
    cmp_ok(twice, "==", 0, "and what is shown is shown as it is");
    cmp_ok(html, "==", 0, "HTML is the text that is shown, without a tag or a quote");
    cmp_ok(gnuplot, "==", 0, "gnuplot's string is the text that is shown, and harmless");
    cmp_ok(json, "==", 0, "JSON is the text itself");
}

static void columns(void) {
    static const struct {
        const char *text;
        unsigned columns;
    } cases[] = {{"", 0},          {"abc", 3},       {"é€→", 3},   {"大阪", 4},
                 {"e\xcc\x81", 1}, {"\xc3\xa9…", 2}, {"한글😀", 6}, {"\x1b", 6}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        cmp_ok(iso_utf8_columns(cases[i].text, strlen(cases[i].text)), "==", cases[i].columns, "the columns of \"%s\"",
               cases[i].text[0] == '\x1b' ? "ESC" : cases[i].text);
    }
    cmp_ok(iso_utf8_fit("大阪x", 3), "==", 3, "one wide character fits into three columns");
    cmp_ok(iso_utf8_fit("大阪x", 5), "==", 7, "all of the text fits");
    cmp_ok(iso_utf8_fit("e\xcc\x81x", 1), "==", 3, "an accent stays with its letter");
}

/* Each character is written with the bytes that read as its number. */
static void every_character(void) {
    unsigned wrong = 0;
    for (uint32_t number = 1; number < 0x110000; number++) {
        char bytes[5] = "", *end = iso_utf8_put(bytes, number);
        const unsigned char *p = (const unsigned char *)bytes;
        unsigned n = (unsigned)(end - bytes);
        bool surrogate = number >= 0xd800 && number < 0xe000;
        wrong += !surrogate && (iso_utf8_length(p, p + n) != n || iso_utf8_number(p, n) != number);
    }
    cmp_ok(wrong, "==", 0, "every character is written as it is read");
}

static void run(void *arg) {
    iso_pool *pool = arg;
    by_hand(pool);
    formats(pool);
    columns();
    every_character();
    at_random(pool);
}

int main(void) {
    iso_env env;
    return run_guarded(&env, run);
}
