/* Tests history/suspect.h. A history for each mistake of a test, the same history without the mistake, and histories
 * that must not be suspected: the gallery and all recordings of real databases. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "explain/gallery.h"
#include "history/suspect.h"
#include "tests/guarded.h"
#include "tests/parse.h"

static const isolab_history *parsed(iso_pool *pool, const char *text) {
    parsing p = {.pool = pool, .format = iso_format_find("isolab"), .bytes = text, .size = strlen(text)};
    if (parse_bytes(&p) != ISOLAB_OK) {
        diag("%s", pool->env->error.message);
        iso_rethrow(pool->env);
    }
    return p.h;
}

/* The names of what is suspected, each with its number of places and its first place. */
static const char *suspected(iso_pool *pool, const isolab_history *h, char *buffer, size_t size) {
    iso_suspects s = iso_find_suspects(pool, h);
    size_t at = 0;
    uint32_t n = 0;
    buffer[0] = '\0';
    for (int k = 0; k < ISO_SUSPECTS; k++) {
        char a[ISO_NAME_SIZE], b[ISO_NAME_SIZE] = "-";
        if (s.of[k].places == 0) {
            continue;
        }
        n++;
        if (s.of[k].b != ISO_NONE) {
            iso_txn_text(h, s.of[k].b, b);
        }
        at += (size_t)snprintf(buffer + at, size - at, "%s%s %d %s %s", at > 0 ? "; " : "",
                               iso_suspect_name((iso_suspect_kind)k), (int)s.of[k].places,
                               iso_txn_text(h, s.of[k].a, a), b);
    }
    return s.n == n ? buffer : "a wrong number of mistakes";
}

typedef struct example {
    const char *what, *expected, *history;
} example;

static const example examples[] = {
    {"a value is read after its abort", "timeout-as-abort 1 t1 t2",
     "session A\nt1 abort @1..4: w x 1\nsession B\nt2 commit @5..6: r x 1\n"},
    {"without times the session says so", "timeout-as-abort 1 t1 t2", "session A\nt1 abort: w x 1\nt2 commit: r x 1\n"},
    {"another session may have read before the abort", "", "session A\nt1 abort: w x 1\nsession B\nt2 commit: r x 1\n"},
    {"a dirty read while the writer runs", "", "session A\nt1 abort @1..4: w x 1\nsession B\nt2 commit @3..6: r x 1\n"},
    {"an aborted reader", "", "session A\nt1 abort @1..4: w x 1\nsession B\nt2 abort @5..6: r x 1\n"},
    {"an indeterminate writer", "", "session A\nt1 maybe @1..4: w x 1\nsession B\nt2 commit @5..6: r x 1\n"},
    {"an element of an aborted append that is not the last", "timeout-as-abort 1 t1 t3",
     "session A\nt1 abort @1..4: append x 1\nt2 commit @5..6: append x 2\nsession B\nt3 commit @7..8: rl x [1 2]\n"},

    {"transactions of one session overlap", "shared-session 1 t1 t2",
     "session A\nt1 commit @1..4: w x 1\nt2 commit @3..6: r x 1\n"},
    {"they touch", "", "session A\nt1 commit @1..4: w x 1\nt2 commit @4..6: r x 1\n"},
    {"a contradiction is the clock's", "", "session A\nt1 commit @5..6: w x 1\nt2 commit @3..4: r x 1\n"},

    {"a read before its writer began", "read-before-write 1 t2 t1",
     "session A\nt1 commit @5..6: w x 1\nsession B\nt2 commit @1..2: r x 1\n"},
    {"a read while its writer runs", "", "session A\nt1 commit @2..6: w x 1\nsession B\nt2 commit @1..2: r x 1\n"},

    {"keys that begin with values of unknown origin", "left-over-value 2 t1 -",
     "session A\nt1 commit: r x 7, r y 8, w x 1\nsession B\nt2 commit: r x 1\n"},
    {"the first reader of the first key is named", "left-over-value 2 t1 -",
     "session A\nt1 commit: r x 7\nsession B\nt2 commit: r y 8, r x 7\nsession C\nt3 commit: r x 7, r y 8\n"},
    {"one such key", "", "session A\nt1 commit: r x 7, w x 1\nsession B\nt2 commit: r x 1\n"},
    {"a key that was seen empty", "", "session A\nt1 commit: r x 7, r y 8\nsession B\nt2 commit: r x nil\n"},
    {"values of unknown origin after known ones", "", "session A\nt1 commit: w x 1, w y 1\nt2 commit: r x 7, r y 8\n"},

    /* Autocommit: x was written at once, and the statement for y failed. */
    {"half transactions", "half-transaction 2 t1 t2",
     "session A\nt1 commit @1..2: w x 1, w y 1\nt3 commit @5..6: w z 1, w u 1\n"
     "session B\nt2 commit @3..4: r x 1, r y nil\nt4 commit @7..8: r z 1, r u nil\n"},
    {"a first reader of one key says nothing, a later one of both does", "half-transaction 2 t1 t3",
     "session A\nt1 commit @1..4: w x 1, w y 1\nsession B\nt2 commit @5..6: r x 1\nt3 commit @7..8: r x 1, r y nil\n"
     "session C\nt4 commit @9..10: w a 1, w b 1\nsession D\nt5 commit @11..12: r a 1\nt6 commit @13..14: r a 1, r b "
     "nil\n"},
    {"half transactions that were aborted", "half-transaction 2 t1 t2",
     "session A\nt1 abort @1..2: w x 1, w y 1\nt3 abort @5..6: w z 1, w u 1\n"
     "session B\nt2 commit @3..4: r x 1, r y nil\nt4 commit @7..8: r z 1, r u nil\n"},
    {"the other half is the value that the transaction had read", "half-transaction 2 t1 t2",
     "session C\nt0 commit @0..0: w y 9, w u 9\n"
     "session A\nt1 commit @1..2: w x 1, r y 9, w y 1\nt3 commit @5..6: w z 1, r u 9, w u 1\n"
     "session B\nt2 commit @3..4: r x 1, r y 9\nt4 commit @7..8: r z 1, r u 9\n"},
    {"the other half is what its session wrote before", "half-transaction 2 t1 t2",
     "session A\nt0 commit @0..0: w y 9, w u 9\n"
     "t1 commit @1..2: w x 1, w y 1\nt3 commit @5..6: w z 1, w u 1\n"
     "session B\nt2 commit @3..4: r x 1, r y 9\nt4 commit @7..8: r z 1, r u 9\n"},
    {"the other half is what another session wrote before", "",
     "session C\nt0 commit @0..0: w y 9, w u 9\n"
     "session A\nt1 commit @1..2: w x 1, w y 1\nt3 commit @5..6: w z 1, w u 1\n"
     "session B\nt2 commit @3..4: r x 1, r y 9\nt4 commit @7..8: r z 1, r u 9\n"},
    {"half transactions of appends", "half-transaction 2 t1 t2",
     "session A\nt1 commit @1..2: append x 1, append y 1\nt3 commit @5..6: append z 1, append u 1\n"
     "session B\nt2 commit @3..4: rl x [1], rl y []\nt4 commit @7..8: rl z [1], rl u []\n"},
    {"one of them may be an anomaly", "",
     "session A\nt1 commit @1..2: w x 1, w y 1\nsession B\nt2 commit @3..4: r x 1, r y nil\n"},
    {"the other half is seen later", "",
     "session A\nt1 commit @1..2: w x 1, w y 1\nt3 commit @5..6: w z 1, w u 1\n"
     "session B\nt2 commit @3..4: r x 1, r y nil\nt4 commit @7..8: r z 1, r u nil\nt5 commit @9..9: r y 1, r u 1\n"},
    {"the other half was overwritten by another session", "",
     "session A\nt1 commit @1..2: w x 1, w y 1\nt3 commit @5..6: w z 1, w u 1\n"
     "session C\nt5 commit @2..6: w y 5, w u 5\n"
     "session B\nt2 commit @3..4: r x 1, r y 5\nt4 commit @7..8: r z 1, r u 5\n"},
    {"fractured reads of transactions that overlap", "",
     "session A\nt1 commit @1..5: w x 1, w y 1\nt3 commit @6..9: w z 1, w u 1\n"
     "session B\nt2 commit @3..4: r x 1, r y nil\nt4 commit @7..8: r z 1, r u nil\n"},
};

static void by_hand(iso_pool *pool) {
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        char found[600];
        is(suspected(pool, parsed(pool, examples[i].history), found, sizeof found), examples[i].expected, "%s",
           examples[i].what);
    }
}

/* n sessions of `turns` transactions each; session s of turn i runs from a certain time on, for `length`. */
static const isolab_history *turns(iso_pool *pool, int n, int turns, int length) {
    static char text[20000];
    size_t at = 0;
    for (int s = 0; s < n; s++) {
        at += (size_t)snprintf(text + at, sizeof text - at, "session S%d\n", s);
        for (int i = 0; i < turns; i++) {
            int start = 10 * (i * n + s);
            at += (size_t)snprintf(text + at, sizeof text - at, "t%d commit @%d..%d: w x%d %d\n", start, start,
                                   start + length, s, i + 1);
        }
    }
    return parsed(pool, text);
}

static void sessions(iso_pool *pool) {
    char found[600];
    is(suspected(pool, turns(pool, 2, 8, 5), found, sizeof found), "split-client 1 t0 t10", "two sessions take turns");
    is(suspected(pool, turns(pool, 2, 7, 5), found, sizeof found), "", "too few turns");
    is(suspected(pool, turns(pool, 2, 8, 11), found, sizeof found), "", "transactions that overlap");
    is(suspected(pool, turns(pool, 3, 8, 5), found, sizeof found), "", "all sessions take turns: a schedule");
}

/* n values of one key, of which the first `again` are written twice. */
static const isolab_history *repeating(iso_pool *pool, int n, int again) {
    static char text[20000];
    size_t at = (size_t)snprintf(text, sizeof text, "session A\n");
    for (int i = 0; i < n; i++) {
        at += (size_t)snprintf(text + at, sizeof text - at, "a%d commit: w x %d\n", i, i + 1);
    }
    at += (size_t)snprintf(text + at, sizeof text - at, "session B\n");
    for (int i = 0; i < again; i++) {
        at += (size_t)snprintf(text + at, sizeof text - at, "b%d commit: w x %d\n", i, i + 1);
    }
    return parsed(pool, text);
}

static void repeated(iso_pool *pool) {
    char found[600];
    is(suspected(pool, repeating(pool, 20, 2), found, sizeof found), "repeated-value 2 a0 b0", "two values of twenty");
    is(suspected(pool, repeating(pool, 20, 3), found, sizeof found), "", "more than a tenth is meant");
    is(suspected(pool, repeating(pool, 19, 1), found, sizeof found), "", "too few values to judge");
    is(suspected(pool, repeating(pool, 20, 0), found, sizeof found), "", "unique values are not suspected");
}

static void gallery(iso_pool *pool) {
    char found[600], all[4000] = "";
    size_t at = 0;
    unsigned n = 0;
    for (int k = 0; k < ISO_A_KINDS; k++) {
        const iso_specimen *s = iso_gallery((iso_anomaly_kind)k);
        if (s == NULL) {
            continue;
        }
        n++;
        if (suspected(pool, parsed(pool, s->history), found, sizeof found)[0] != '\0' && at < sizeof all - 700) {
            at += (size_t)snprintf(all + at, sizeof all - at, "%s: %s\n", iso_anomaly_get((iso_anomaly_kind)k)->name,
                                   found);
        }
    }
    is(all, "", "the gallery is not suspected");
    cmp_ok(n, ">=", 30, "it has many histories");
}

static void recordings(iso_pool *pool) {
    char found[600], all[4000] = "", path[512];
    size_t at = 0;
    unsigned n = 0;
    DIR *folder = opendir("tests/histories/recorded");
    for (struct dirent *e; folder != NULL && (e = readdir(folder)) != NULL;) {
        if (strstr(e->d_name, ".jsonl") == NULL) {
            continue;
        }
        n++;
        snprintf(path, sizeof path, "tests/histories/recorded/%s", e->d_name);
        const isolab_history *h = iso_load(pool, path, NULL);
        if (suspected(pool, h, found, sizeof found)[0] != '\0' && at < sizeof all - 900) {
            at += (size_t)snprintf(all + at, sizeof all - at, "%s: %s\n", e->d_name, found);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
    is(all, "", "recordings of real databases are not suspected");
    cmp_ok(n, ">=", 60, "there are many");
}

/* The sentences name the first place, and every mistake has advice. */
static void sentences(iso_pool *pool) {
    char text[ISO_SUSPECT_SIZE];
    const isolab_history *h = parsed(pool, examples[0].history);
    iso_suspects s = iso_find_suspects(pool, h);
    is(iso_suspect_text(h, &s, ISO_SUSPECT_TIMEOUT, text),
       "t1 is logged as aborted, and t2, which began later, reads its value of key x", "a sentence");
    is(iso_suspect_text(h, &s, ISO_SUSPECT_HALF, text), "no sign of half-transaction", "of what is not suspected");
    h = turns(pool, 2, 8, 5);
    s = iso_find_suspects(pool, h);
    is(iso_suspect_text(h, &s, ISO_SUSPECT_SPLIT, text),
       "the transactions of sessions S0 and S1 take turns and never overlap, as if one client made both",
       "a sentence about sessions");
    for (int k = 0; k < ISO_SUSPECTS; k++) {
        ok(iso_suspect_advice((iso_suspect_kind)k)[0] != '\0', "advice on %s", iso_suspect_name((iso_suspect_kind)k));
    }
}

static void tests(void *arg) {
    by_hand(arg);
    sessions(arg);
    repeated(arg);
    gallery(arg);
    recordings(arg);
    sentences(arg);
}

int main(void) {
    static iso_env env;
    return run_guarded(&env, tests);
}
