/* Random histories with every feature that a history can have, for tests of formats. Each feature is on in about
 * half of the histories, so that every format finds some that it can hold. */
#ifndef ISOLAB_TESTS_RANDOM_HISTORY_H
#define ISOLAB_TESTS_RANDOM_HISTORY_H

#include <string.h>

#include "base/random.h"
#include "history/builder.h"

enum {
    HAS_LISTS = 1,
    HAS_STRINGS = 2,
    HAS_WILD_NUMBERS = 4, /* negative, above INT64_MAX, and 0, which may be initial where it is written down */
    HAS_ABORTED = 8,
    HAS_MAYBE = 16,
    HAS_TIMES = 32,
    HAS_NAMES = 64,
    HAS_INITIAL = 128, /* reads, and perhaps writes, of nil */
    HAS_EMPTY = 256,
    HAS_TWINS = 512, /* values written twice */
    HAS_BAD_TEXT = 1024,
    HAS_NEGATIONS = 2048, /* reads of which only is known what they did not return */
    HAS_ALL = 4095
};

static iso_atom random_string(iso_builder *b, iso_rng *rng, unsigned features) {
    static const char *const odd[] = {"",
                                      "nil",
                                      "commit",
                                      "session",
                                      "initial",
                                      ":keyword",
                                      "two words",
                                      "a,b",
                                      "12",
                                      "-3",
                                      "#no",
                                      "quote\"s",
                                      "back\\slash",
                                      "[1]",
                                      "line\nend",
                                      "tab\tcr\r",
                                      "\x01\x7f",
                                      "gr\xc3\xbc\xc3\x9f",
                                      "\xf0\x9f\x98\x80",
                                      "a.b/c-d",
                                      "t1:",
                                      "@1..2",
                                      "null",
                                      "1e3",
                                      "\xef\xbf\xbf"};
    char text[8];
    uint64_t n = iso_random_below(rng, 4);
    if (n == 0) {
        const char *s = odd[iso_random_below(rng, sizeof odd / sizeof *odd)];
        return iso_builder_string(b, s, strlen(s));
    }
    if (n == 1 && (features & HAS_BAD_TEXT)) {
        static const char *const bad[] = {"\xff", "a\x80z", "\xc3", "\xed\xa0\x80", "\xc0\xaf", "\xf4\x90\x80\x80"};
        const char *s = bad[iso_random_below(rng, sizeof bad / sizeof *bad)];
        return iso_builder_string(b, s, strlen(s));
    }
    size_t length = 1 + iso_random_below(rng, 3);
    for (size_t i = 0; i < length; i++) {
        text[i] = (char)('a' + iso_random_below(rng, 4));
    }
    if (n == 2 && iso_random_below(rng, 8) == 0) {
        text[0] = '\0'; /* strings may hold it */
    }
    return iso_builder_string(b, text, length);
}

static iso_atom random_atom(iso_builder *b, iso_rng *rng, unsigned features, uint64_t small) {
    static const int64_t wild[] = {-1, INT64_MIN, INT64_MAX, INT64_MIN + 1, -42, 4294967296, 0};
    if ((features & HAS_STRINGS) && iso_random_below(rng, 3) == 0) {
        return random_string(b, rng, features);
    }
    if ((features & HAS_WILD_NUMBERS) && iso_random_below(rng, 3) == 0) {
        uint64_t n = iso_random_below(rng, 9);
        return n < 7 ? iso_atom_int(wild[n]) : iso_atom_uint(n == 7 ? UINT64_MAX : (uint64_t)INT64_MAX + 1);
    }
    return iso_atom_uint(1 + iso_random_below(rng, small));
}

static void random_op(iso_builder *b, iso_rng *rng, unsigned features, uint32_t txn, const uint32_t *keys,
                      uint32_t n_keys, uint64_t *fresh) {
    uint32_t k = (uint32_t)iso_random_below(rng, n_keys);
    bool list = (features & HAS_LISTS) && k % 2 == 1;
    bool write = iso_random_below(rng, 2) == 0;
    iso_atom value = (features & HAS_TWINS) ? random_atom(b, rng, features, 5) : iso_atom_uint(++*fresh);
    if (!write) {
        value = random_atom(b, rng, features, *fresh + 2);
    } else if ((features & HAS_STRINGS) && !(features & HAS_TWINS) && iso_random_below(rng, 3) == 0) {
        char text[24];
        int n = snprintf(text, sizeof text, "v%llu", (unsigned long long)*fresh);
        value = iso_builder_string(b, text, (size_t)n);
    }
    bool nil = (features & HAS_INITIAL) && iso_random_below(rng, write ? 12 : 3) == 0;
    if (list && !write) {
        iso_atom elements[6];
        size_t n = (size_t)iso_random_below(rng, 7);
        for (size_t i = 0; i < n; i++) {
            elements[i] = random_atom(b, rng, features, *fresh + 2);
        }
        iso_builder_list_read(b, txn, keys[k], elements, n);
    } else if (list) {
        iso_builder_op(b, txn, ISO_APPEND, keys[k], value);
    } else {
        bool negation = !write && (features & HAS_NEGATIONS) && iso_random_below(rng, 3) == 0;
        value = nil ? iso_atom_nil() : value;
        iso_builder_op(b, txn, write ? ISO_WRITE : ISO_READ, keys[k], negation ? iso_atom_not(value) : value);
    }
}

static isolab_history *random_history(iso_pool *pool, iso_rng *rng, unsigned features) {
    iso_builder *b = iso_builder_new(pool);
    if ((features & HAS_INITIAL) && iso_random_below(rng, 2) == 0) {
        iso_builder_initial(b, iso_random_below(rng, 2) == 0 ? iso_atom_int(0) : random_atom(b, rng, features, 9));
    }
    uint32_t keys[5], n_keys = 1 + (uint32_t)iso_random_below(rng, 5);
    for (uint32_t k = 0; k < n_keys; k++) {
        iso_atom name = random_atom(b, rng, features, 1000);
        if ((features & HAS_LISTS) && k % 2 == 1) { /* a key that no register has */
            name = iso_atom_uint(2000 + k);
        }
        keys[k] = iso_builder_key(b, name);
    }
    uint64_t fresh = 0, instant = 1;
    uint32_t n_sessions =
        (features & HAS_EMPTY) ? (uint32_t)iso_random_below(rng, 4) : 1 + (uint32_t)iso_random_below(rng, 3);
    for (uint32_t s = 0; s < n_sessions; s++) {
        bool named = (features & HAS_NAMES) && iso_random_below(rng, 3) > 0;
        uint32_t session = iso_builder_session(b, named ? random_atom(b, rng, features, 9) : iso_atom_nil());
        uint32_t n_txns =
            (features & HAS_EMPTY) ? (uint32_t)iso_random_below(rng, 4) : 1 + (uint32_t)iso_random_below(rng, 3);
        for (uint32_t t = 0; t < n_txns; t++) {
            iso_status status = ISO_COMMITTED;
            uint64_t luck = iso_random_below(rng, 6);
            if (luck == 0 && (features & HAS_ABORTED)) {
                status = ISO_ABORTED;
            } else if (luck == 1 && (features & HAS_MAYBE)) {
                status = ISO_INDETERMINATE;
            }
            named = (features & HAS_NAMES) && iso_random_below(rng, 6) > 0;
            uint32_t txn =
                iso_builder_txn(b, session, named ? random_atom(b, rng, features, 1000) : iso_atom_nil(), status);
            if (features & HAS_TIMES) {
                int64_t start = (int64_t)(instant += iso_random_below(rng, 9));
                int64_t end = (int64_t)(instant += iso_random_below(rng, 9));
                bool partly = (features & HAS_WILD_NUMBERS) != 0;
                iso_builder_times(b, txn, partly && iso_random_below(rng, 4) == 0 ? ISO_NO_TIME : start,
                                  partly && iso_random_below(rng, 4) == 0 ? ISO_NO_TIME : end);
            }
            uint64_t n_ops = (features & HAS_EMPTY) ? iso_random_below(rng, 4) : 1 + iso_random_below(rng, 4);
            for (uint64_t o = 0; o < n_ops; o++) {
                random_op(b, rng, features, txn, keys, n_keys, &fresh);
            }
        }
    }
    return iso_builder_finish(b);
}

#endif
