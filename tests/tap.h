/* The Test Anything Protocol, with the calls of libtap (which Debian does not package). A test program calls plan() or
 * done_testing(), and its exit status is that of exit_status().
 *
 * $ISOLAB_ONLY selects tests by their names: an extended regular expression that is searched in them. The others are
 * reported as skipped, unless they fail: no failure is hidden. What takes long asks selected() before it
 * begins. */
#ifndef ISOLAB_TESTS_TAP_H
#define ISOLAB_TESTS_TAP_H

#include <stdbool.h>
#include <stdint.h>

#define NO_PLAN (-1)

void plan(int tests);
int done_testing(void);
int exit_status(void);

/* Whether a test of this name is selected, so that what it needs must be done; skip_unselected() also reports that it
 * is not. The name that the test is then reported by may say more. */
bool selected(const char *name);
bool skip_unselected(const char *name);

void diag(const char *format, ...) __attribute__((format(printf, 1, 2)));
void skip_all(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
void bail_out(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

#define ok(test, ...) tap_ok((test) ? true : false, __FILE__, __LINE__, "" __VA_ARGS__)
#define pass(...) ok(true, "" __VA_ARGS__)
#define fail(...) ok(false, "" __VA_ARGS__)
#define is(got, expected, ...) tap_is(got, expected, true, __FILE__, __LINE__, "" __VA_ARGS__)
#define isnt(got, expected, ...) tap_is(got, expected, false, __FILE__, __LINE__, "" __VA_ARGS__)
#define cmp_ok(a, op, b, ...) tap_cmp_ok((int64_t)(a), op, (int64_t)(b), __FILE__, __LINE__, "" __VA_ARGS__)
#define cmp_mem(got, expected, n, ...) tap_cmp_mem(got, expected, n, __FILE__, __LINE__, "" __VA_ARGS__)
#define like(got, regex, ...) tap_like(true, got, regex, __FILE__, __LINE__, "" __VA_ARGS__)
#define unlike(got, regex, ...) tap_like(false, got, regex, __FILE__, __LINE__, "" __VA_ARGS__)

/* skip(test, n, "why"); ... endskip;   todo("why"); ... endtodo; */
#define skip(test, n, ...)                                                                                             \
    do {                                                                                                               \
        if (test) {                                                                                                    \
            tap_skip(n, "" __VA_ARGS__);                                                                               \
            break;                                                                                                     \
        }
#define endskip                                                                                                        \
    }                                                                                                                  \
    while (0)
#define todo(...) tap_todo("" __VA_ARGS__)
#define endtodo tap_end_todo()

bool tap_ok(bool test, const char *file, int line, const char *format, ...) __attribute__((format(printf, 4, 5)));
bool tap_is(const char *got, const char *expected, bool equal, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
bool tap_cmp_ok(int64_t a, const char *op, int64_t b, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
bool tap_cmp_mem(const void *got, const void *expected, uint64_t n, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
bool tap_like(bool matches, const char *got, const char *regex, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
void tap_skip(int n, const char *format, ...) __attribute__((format(printf, 2, 3)));
void tap_todo(const char *format, ...) __attribute__((format(printf, 1, 2)));
void tap_end_todo(void);

#endif
