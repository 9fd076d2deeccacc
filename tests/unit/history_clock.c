/* Tests history/clock.h: times of a session that contradict its order. A transaction is a place if it ends before an
 * earlier one of its session began, or else begins before an earlier one ended; the one shown is the first, or the
 * first that is a contradiction. */
#include <stdio.h>
#include <string.h>

#include "history/clock.h"
#include "tests/claims.h"
#include "tests/guarded.h"

static iso_env env;

static const struct {
    const char *what, *history;
    uint64_t places, contradictions;
    const char *text;
} examples[] = {
    {"no times", "session\na commit: w x 1\nb commit: w x 2\n", 0, 0, "no clock ran backwards in a session"},
    {"they touch", "session\na commit @1..2: w x 1\nb commit @2..3: w x 2\n", 0, 0,
     "no clock ran backwards in a session"},
    {"they overlap", "session\na commit @1..3: w x 1\nb commit @2..4: w x 2\n", 1, 0,
     "a clock ran backwards, or its times were mixed up: in session 0, b comes after a, but began (2) before a ended "
     "(3); 1 such place"},
    {"the first of two overlaps is shown",
     "session A\na commit @1..3: w x 1\nb commit @2..4: w x 2\nc commit @3..5: w x 3\n", 2, 0,
     "a clock ran backwards, or its times were mixed up: in session A, b comes after a, but began (2) before a ended "
     "(3); the first of 2 such places"},
    {"the second ends when the first begins", "session\na commit @3..4: w x 1\nb commit @2..3: w x 2\n", 1, 0,
     "a clock ran backwards, or its times were mixed up: in session 0, b comes after a, but began (2) before a ended "
     "(4); 1 such place"},
    {"the second is over before", "session A\na commit @3..4: w x 1\nb commit @1..2: w x 2\n", 1, 1,
     "a clock ran backwards, or its times were mixed up: in session A, b comes after a, but ended (2) before a began "
     "(3); 1 such place"},
    {"a contradiction is shown before an overlap",
     "session A\na commit @1..3: w x 1\nb commit @2..4: w x 2\nc commit @0..1: w x 3\nd commit @0..1: w x 4\n", 3, 2,
     "a clock ran backwards, or its times were mixed up: in session A, c comes after b, but ended (1) before b began "
     "(2); the first of 3 such places"},
    {"what begins last, and what ends last, is far before",
     "session A\na commit @1..9: w x 1\nb commit @9..9: w x 2\nc commit @9..9: w x 3\nd commit @8..9: w x 4\n", 1, 0,
     "a clock ran backwards, or its times were mixed up: in session A, d comes after a, but began (8) before a ended "
     "(9); 1 such place"},
    {"the first of equal starts is named",
     "session A\na commit @5..6: w x 1\nb commit @5..6: w x 2\n"
     "c commit @1..2: w x 3\n",
     2, 1,
     "a clock ran backwards, or its times were mixed up: in session A, c comes after a, but ended (2) before a began "
     "(5); the first of 2 such places"},
    {"unknown times say nothing",
     "session A\na commit @..: w x 1\nb commit @..6: w x 2\nc commit @7..: w x 3\n"
     "d commit @7..8: w x 4\n",
     0, 0, "no clock ran backwards in a session"},
    {"an unknown end, and an earlier start", "session A\na commit @4..: w x 1\nb commit @..3: w x 2\n", 1, 1,
     "a clock ran backwards, or its times were mixed up: in session A, b comes after a, but ended (3) before a began "
     "(4); 1 such place"},
    {"an unknown start, and an earlier end", "session A\na commit @..4: w x 1\nb commit @3..: w x 2\n", 1, 0,
     "a clock ran backwards, or its times were mixed up: in session A, b comes after a, but began (3) before a ended "
     "(4); 1 such place"},
    {"sessions do not matter to each other",
     "session A\na commit @5..6: w x 1\nsession B\nb commit @1..2: w x 2\nc commit @1..2: w x 2\n", 1, 0,
     "a clock ran backwards, or its times were mixed up: in session B, c comes after b, but began (1) before b ended "
     "(2); 1 such place"},
};

static void tests(void *pool) {
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const isolab_history *h = history_of(pool, examples[i].history);
        iso_clock c = iso_clock_of(h);
        char text[ISO_CLOCK_SIZE];
        ok(c.places == examples[i].places && c.contradictions == examples[i].contradictions,
           "%s: %d places, %d of them contradictions", examples[i].what, (int)c.places, (int)c.contradictions);
        is(iso_clock_text(h, &c, text), examples[i].text, "%s: in words", examples[i].what);
    }
}

int main(void) { return run_guarded(&env, tests); }
