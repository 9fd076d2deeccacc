/* Tests history/about.h: the line that a history says about itself, and its pairs. */
#include <stdio.h>
#include <string.h>

#include "history/about.h"
#include "tests/guarded.h"

static iso_env env;

/* The pairs of a line: `name=value` or, of a number, `name#value`, each with a bar after it. */
static const char *pairs(const char *line) {
    static char text[512];
    size_t n = 0;
    text[0] = '\0';
    for (iso_about a; iso_about_next(&line, &a);) {
        n += (size_t)snprintf(text + n, sizeof text - n, "%.*s%c%.*s|", (int)a.name_size, a.name, a.number ? '#' : '=',
                              (int)a.value_size, a.value);
    }
    return text;
}

static void lines(void) {
    is(pairs(NULL), "", "no line");
    is(pairs(""), "", "an empty line");
    is(pairs(" ; ; "), "", "a line of separators");
    is(pairs("graph c5 40; nodes 40; edges 320"), "graph=c5 40|nodes#40|edges#320|", "pairs");
    is(pairs("  a 1;  b 2"), "a#1|b#2|", "several blanks");
    is(pairs("a; b"), "a=|b=|", "names without values");
    is(pairs("a;b 1"), "a=b 1|", "a semicolon without a blank ends a name, and no pair");
    is(pairs("a 0; b 01; c 10; d -1; e 1x; f 00"), "a#0|b=01|c#10|d=-1|e=1x|f=00|",
       "numbers have no zeros before them");
    is(pairs("a 123456789012345678; b 1234567890123456789"), "a#123456789012345678|b=1234567890123456789|",
       "numbers have at most 18 digits");
}

static const char *stored(iso_pool *pool, const char *line, size_t n) {
    isolab_history h = {.pool = pool};
    iso_history_about(&h, line, n);
    return h.about;
}

static void storing(iso_pool *pool) {
    char longest[ISO_ABOUT_MOST + 2];
    memset(longest, 'x', sizeof longest);
    is(stored(pool, "a 1; b 2", 5), "a 1; ", "a line of a given length");
    ok(stored(pool, "", 0) == NULL, "an empty one is not stored");
    const char *about = stored(pool, longest, ISO_ABOUT_MOST);
    ok(about != NULL && strlen(about) == ISO_ABOUT_MOST, "the longest one");
    ok(stored(pool, longest, ISO_ABOUT_MOST + 1) == NULL, "a longer one is not stored");
    is(stored(pool, " ~\xc3\xa9", 4), " ~\xc3\xa9", "all that is shown");
    ok(stored(pool, "a\x1f", 2) == NULL, "no control character at the end");
    ok(stored(pool,
              "\x01"
              "a",
              2) == NULL,
       "nor at the beginning");
    ok(stored(pool,
              "a\x7f"
              "b",
              3) == NULL,
       "nor a deleted one");
}

static void tests(void *pool) {
    lines();
    storing(pool);
}

int main(void) { return run_guarded(&env, tests); }
