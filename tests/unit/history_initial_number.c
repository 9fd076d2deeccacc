/* Tests history/initial_value.c: the number at which the registers of a history seem to begin, by hand. It is a number
 * that no transaction wrote, that first reads of several keys returned (or several reads of the only key, or 0), and no
 * first read contradicts it. */
#include <stdio.h>

#include "history/initial.h"
#include "tests/claims.h"
#include "tests/guarded.h"

static iso_env env;

static const struct {
    const char *what, *history, *found; /* the value and the number of keys; "none" */
} examples[] = {
    {"all values are written", "session\ncommit: w x 1, r x 1\n", "none"},
    {"two keys begin at 0", "session\ncommit: r x 0, w x 1\nsession\ncommit: r y 0, w y 2\n", "0 2"},
    {"two keys begin at 5", "session\ncommit: r x 5, w x 1\nsession\ncommit: r y 5, w y 2\n", "5 2"},
    {"at -1", "session\ncommit: r x -1, r y -1\n", "-1 2"},
    {"at two numbers", "session\ncommit: r x 5, w x 1\nsession\ncommit: r y 6, w y 2\n", "none"},
    {"at two numbers, the second one twice", "session\ncommit: r x 5, w x 1, r y 6, r z 6\n", "none"},
    {"one of two keys", "session\ncommit: r x 0, w y 1\n", "none"},
    {"the only key, at 0", "session\ncommit: r x 0, w x 1\n", "0 1"},
    {"the only key, at 7", "session\ncommit: r x 7, w x 1\n", "none"},
    {"the only key, at 7, twice", "session\ncommit: r x 7, w x 1\nsession\ncommit: r x 7\n", "7 1"},
    {"a key that was seen empty", "session\ncommit: r x 0, r y 0\nsession\ncommit: r z nil\n", "none"},
    {"a key that was seen empty before", "session\ncommit: r z nil, r x 0, r y 0\n", "none"},
    {"a string", "session\ncommit: r x \"a\", r y \"a\"\n", "none"},
    {"a number and a string", "session\ncommit: r x 0, r y 0, r z \"a\"\n", "none"},
    {"after a write of the session", "session\ncommit: r y 0, w x 1\ncommit: r x 0\n", "none"},
    {"after a write of another session", "session\ncommit: r y 0, w x 1\nsession\ncommit: r x 0\n", "0 2"},
    {"after a write of the session, and first in another",
     "session\ncommit: r y 0, w x 1\ncommit: r x 0\nsession\ncommit: r x 0\n", "0 2"},
    {"read twice", "session\ncommit: r y 0, r x 0\ncommit: r x 0\n", "0 2"},
    {"by a transaction that was aborted", "session\nabort: r x 0, r y 0\nsession\ncommit: r z 0, w x 1, w y 1\n",
     "none"},
    {"by aborted ones alone", "session\nabort: r x 0, r y 0\n", "none"},
    {"what was aborted has a writer", "session\nabort: w x 0, w y 0\nsession\ncommit: r x 0, r y 0\n", "none"},
    {"a history that says where it begins", "initial 3\nsession\ncommit: r x 0, r y 0\n", "none"},
};

static void tests(void *pool) {
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        uint32_t keys;
        char found[ISO_NAME_SIZE + 32], value[ISO_NAME_SIZE];
        const isolab_history *h = history_of(pool, examples[i].history);
        iso_atom number = iso_initial_number(pool, h, &keys);
        snprintf(found, sizeof found, "%s %u", iso_atom_text(h, number, value), keys);
        isolab_history taken = *h;
        taken.taken.n_txns = 1;
        ok(iso_initial_number(pool, &taken, &keys).kind == ISO_ATOM_NIL, "%s, but a transaction is the initial one",
           examples[i].what);
        is(number.kind == ISO_ATOM_NIL ? "none" : found, examples[i].found, "%s", examples[i].what);
    }
}

int main(void) { return run_guarded(&env, tests); }
