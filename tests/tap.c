/* See tap.h. The empty format that the macros allow is meant. */
#include "tests/tap.h"

#include <inttypes.h>
#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int planned = NO_PLAN, run, failed;
static int asked; /* the number of the last test of which selected() said that it is */
static char todo_why[256];

void plan(int tests) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    planned = tests;
    if (tests != NO_PLAN) {
        printf("1..%d\n", tests);
    }
}

int done_testing(void) {
    if (planned == NO_PLAN) {
        planned = run;
        printf("1..%d\n", run);
    }
    return exit_status();
}

int exit_status(void) {
    if (planned != NO_PLAN && planned != run) {
        diag("planned %d tests and ran %d", planned, run);
        return 255;
    }
    return failed > 254 ? 254 : failed;
}

bool selected(const char *name) {
    static regex_t only;
    static enum { UNREAD, NONE, GIVEN } state;
    if (state == UNREAD) {
        const char *text = getenv("ISOLAB_ONLY");
        state = text == NULL || *text == '\0' ? NONE : GIVEN;
        if (state == GIVEN && regcomp(&only, text, REG_EXTENDED | REG_NOSUB) != 0) {
            bail_out("ISOLAB_ONLY is '%s', and should be an extended regular expression", text);
        }
    }
    bool chosen = state == NONE || name == NULL || regexec(&only, name, 0, NULL, 0) == 0;
    asked = chosen ? run + 1 : asked;
    return chosen;
}

bool skip_unselected(const char *name) {
    bool skipped = !selected(name);
    if (skipped) {
        printf("ok %d - %s # SKIP not selected\n", ++run, name);
    }
    return skipped;
}

void diag(const char *format, ...) {
    va_list args;
    va_start(args, format);
    fputs("# ", stdout);
    vprintf(format, args);
    putchar('\n');
    va_end(args);
}

void skip_all(const char *format, ...) {
    va_list args;
    va_start(args, format);
    fputs("1..0 # SKIP ", stdout);
    vprintf(format, args);
    putchar('\n');
    va_end(args);
    exit(0);
}

void bail_out(const char *format, ...) {
    va_list args;
    va_start(args, format);
    fputs("Bail out!  ", stdout);
    vprintf(format, args);
    putchar('\n');
    va_end(args);
    exit(255);
}

static bool report(bool test, const char *file, int line, const char *format, va_list args) {
    char name[1024];
    vsnprintf(name, sizeof name, format, args);
    bool chosen = asked == run + 1 || selected(name);
    run++;
    printf("%sok %d%s%s", test ? "" : "not ", run, *name == '\0' ? "" : " - ", name);
    if (*todo_why != '\0') {
        printf(" # TODO %s", todo_why);
    } else if (test && !chosen) {
        fputs(" # SKIP not selected", stdout);
    }
    putchar('\n');
    if (!test) {
        failed += *todo_why == '\0';
        diag("  failed test at %s line %d", file, line);
    }
    return test;
}

#define REPORT(test)                                                                                                   \
    va_list args;                                                                                                      \
    va_start(args, format);                                                                                            \
    bool good = report((test), file, line, format, args);                                                              \
    va_end(args)

bool tap_ok(bool test, const char *file, int line, const char *format, ...) {
    REPORT(test);
    return good;
}

bool tap_is(const char *got, const char *expected, bool equal, const char *file, int line, const char *format, ...) {
    bool same = got == expected || (got != NULL && expected != NULL && strcmp(got, expected) == 0);
    REPORT(same == equal);
    if (!good) {
        diag("       got: '%s'", got == NULL ? "(null)" : got);
        diag("  %s: '%s'", equal ? "expected" : "unwanted", expected == NULL ? "(null)" : expected);
    }
    return good;
}

bool tap_cmp_ok(int64_t a, const char *op, int64_t b, const char *file, int line, const char *format, ...) {
    bool holds = strcmp(op, "==") == 0   ? a == b
                 : strcmp(op, "!=") == 0 ? a != b
                 : strcmp(op, "<") == 0  ? a < b
                 : strcmp(op, "<=") == 0 ? a <= b
                 : strcmp(op, ">") == 0  ? a > b
                 : strcmp(op, ">=") == 0 ? a >= b
                                         : (bail_out("cmp_ok: unknown operator %s", op), false);
    REPORT(holds);
    if (!good) {
        diag("  %" PRId64, a);
        diag("      %s", op);
        diag("  %" PRId64, b);
    }
    return good;
}

bool tap_cmp_mem(const void *got, const void *expected, uint64_t n, const char *file, int line, const char *format,
                 ...) {
    const unsigned char *g = got, *e = expected;
    uint64_t at = 0;
    while (at < n && g[at] == e[at]) {
        at++;
    }
    REPORT(at == n);
    if (!good) {
        diag("  differs at byte %" PRIu64 ": got 0x%02x, expected 0x%02x", at, g[at], e[at]);
    }
    return good;
}

bool tap_like(bool matches, const char *got, const char *regex, const char *file, int line, const char *format, ...) {
    regex_t compiled;
    if (regcomp(&compiled, regex, REG_EXTENDED | REG_NOSUB) != 0) {
        bail_out("like: bad regular expression %s", regex);
    }
    bool match = got != NULL && regexec(&compiled, got, 0, NULL, 0) == 0;
    regfree(&compiled);
    REPORT(match == matches);
    if (!good) {
        diag("  '%s' %s '%s'", got == NULL ? "(null)" : got, matches ? "does not match" : "matches", regex);
    }
    return good;
}

void tap_skip(int n, const char *format, ...) {
    char why[256];
    va_list args;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    for (int i = 0; i < n; i++) {
        printf("ok %d # SKIP %s\n", ++run, why);
    }
}

void tap_todo(const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(todo_why, sizeof todo_why, format, args);
    va_end(args);
}

void tap_end_todo(void) { todo_why[0] = '\0'; }
