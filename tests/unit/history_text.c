/* Tests history/history.h: what is called what in texts, and how many bytes a history takes. */
#include "history/history.h"

#include <stdio.h>
#include <string.h>

#include "formats/format.h"
#include "tests/guarded.h"

static isolab_history *load(iso_pool *pool, const char *text) {
    return iso_load_bytes(pool, text, strlen(text), iso_format_find("isolab"));
}

static void operations(iso_pool *pool) {
    static const char *const text[] = {"r x nil",
                                       "w x 1",
                                       "r x 1",
                                       "append l 7",
                                       "rl l []",
                                       "rl l [7]",
                                       "rl l [7 8]",
                                       "rl l [7 8 9]",
                                       "rl l [7 8 9 4]",
                                       "rl l [7 8 9 4 5]",
                                       "rl l [7 8 9 4 5 6]",
                                       "w y text"};
    char all[600] = "session\ncommit: ", cut[64];
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i == 0 ? "" : ", ", text[i]);
    }
    strcat(all, "\n");
    const isolab_history *h = load(pool, all);
    for (uint32_t o = 0; o < h->n_ops; o++) {
        const char *expected = o == 9 ? "rl l [7 8 ... 4 5]" : o == 10 ? "rl l [7 8 ... 5 6]" : text[o];
        is(iso_op_text(h, o, cut, sizeof cut), expected, "%s", text[o]);
        bool good = true;
        for (size_t size = 1; size < sizeof cut; size++) { /* as much as there is room for */
            memset(cut, '#', sizeof cut);
            iso_op_text(h, o, cut, size);
            size_t length = strlen(expected) < size ? strlen(expected) : size - 1;
            good &= strlen(cut) == length && strncmp(cut, expected, length) == 0;
        }
        ok(good, "in a small buffer");
    }
}

static void names(iso_pool *pool) {
    char text[300], name[ISO_NAME_SIZE];
    char letters[250] = "";
    memset(letters, 'z', 240);
    snprintf(text, sizeof text, "session\ncommit: w -5 18446744073709551615\nb commit: w %s 1\n", letters);
    const isolab_history *h = load(pool, text);
    is(iso_txn_text(h, 0, name), "t0", "a transaction without a name");
    is(iso_txn_text(h, 1, name), "b", "one with a name");
    is(iso_txn_text(h, ISO_INIT, name), "init", "the initial one");
    is(iso_key_text(h, 0, name), "-5", "a negative number");
    is(iso_atom_text(h, iso_version_value(h, h->op_version[0]), name), "18446744073709551615", "a large one");
    is(iso_atom_text(h, iso_atom_nil(), name), "nil", "nil is printed as nil");
    iso_key_text(h, 1, name);
    size_t length = strlen(name);
    ok(length > 20 && length < ISO_NAME_SIZE && strspn(name, "z") == length - 3 &&
           strcmp(name + length - 3, "...") == 0,
       "a name that is too long ends in dots: %zu characters", length);
}

/* Columns of an operation: kind 1, key 4, version 4, transaction 4, writer 4 bytes; of a version: key 4, kind 1, bits
 * 8, writer 4; of a transaction: first operation 4, session 4, status 1, counts 1, name 9, times 16. */
static void bytes(iso_pool *pool) {
    static const struct {
        const char *what, *text;
        uint64_t ops, txns;
    } cases[] = {
        {"registers", "session\ncommit: w x 1, w x 2\ncommit: r x 2\n", 3 * 17 + 2 * 17, 2 * 14},
        {"a name", "session\na commit: w x 1, w x 2\ncommit: r x 2\n", 3 * 17 + 2 * 17, 2 * 23},
        {"times", "session\ncommit @1..2: w x 1, w x 2\ncommit: r x 2\n", 3 * 17 + 2 * 17, 2 * 30},
        {"a name and times", "session\na commit @1..2: w x 1, w x 2\ncommit: r x 2\n", 3 * 17 + 2 * 17, 2 * 39},
        {"two lists of one element", "session\ncommit: append x 1, rl x [1], rl x [1]\n", 3 * 17 + 17 + 4 * (3 + 2),
         14},
        {"a value written twice", "session\ncommit: w x 1\nsession\ncommit: w x 1, r x 1\n", 3 * 17 + 17 + 4 * (5 + 2),
         28},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const isolab_history *h = load(pool, cases[i].text);
        cmp_ok(iso_history_op_bytes(h), "==", cases[i].ops, "bytes of operations: %s", cases[i].what);
        cmp_ok(iso_history_txn_bytes(h), "==", cases[i].txns, "bytes of transactions");
    }
}

static void run(void *arg) {
    operations(arg);
    names(arg);
    bytes(arg);
}

int main(void) {
    iso_env env;
    return run_guarded(&env, run);
}
