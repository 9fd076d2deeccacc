/* Tests verify/case.c: which cases of a clausal proof `isolab-verify --explain` tells. Each row has a certificate with
 * one edge beside a cycle that could be, or another cycle, or a read; it is told if and only if that could be.
 * Operations are numbered in order from 0, transactions too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/claims.h"
#include "tests/guarded.h"
#include "tests/tap.h"

static iso_env env;

typedef struct row {
    const char *level, *lines; /* without `case` before the first one; `;` ends a line */
    bool told;
} row;

static bool is_told(iso_pool *pool, const isolab_history *h, const char *level, const char *lines) {
    char certificate[2048], *text = NULL;
    size_t size,
        n = (size_t)snprintf(certificate, sizeof certificate, "%slevel %s\nviolated\n", claim_head(pool, h), level);
    for (const char *line = lines; *line != '\0'; line += strcspn(line, ";"), line += *line == ';') {
        n += (size_t)snprintf(certificate + n, sizeof certificate - n, "case %.*s\n", (int)strcspn(line, ";"), line);
    }
    n += (size_t)snprintf(certificate + n, sizeof certificate - n, "proof\nlemma\nend\n");
    FILE *out = open_memstream(&text, &size);
    iso_verify_explain(out, pool, h, certificate, n);
    fclose(out);
    bool told = strstr(text, "this is one case of a clausal proof") != NULL;
    if (!told && strstr(text, "there is no cycle to tell") == NULL) {
        ok(false, "%s: %s", lines, text);
    }
    free(text);
    return told;
}

/* cycle: the lines of a cycle of two edges that could be; NULL: the rows are whole. */
static void each(const char *what, const char *history, const char *cycle, const row *rows, size_t n) {
    for (size_t i = 0; i < n; i++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        const isolab_history *h = history_of(&pool, history);
        char lines[512];
        snprintf(lines, sizeof lines, "%s%s%s", rows[i].lines, cycle == NULL ? "" : ";", cycle == NULL ? "" : cycle);
        ok(is_told(&pool, h, rows[i].level, lines) == rows[i].told, "%s, %.*s: `%s` is%s told", what,
           (int)strcspn(rows[i].level, "\n"), rows[i].level, rows[i].lines, rows[i].told ? "" : " not");
        iso_pool_free(&pool);
    }
}

#define EACH(what, history, cycle, rows) each(what, history, cycle, rows, sizeof(rows) / sizeof *(rows))

static const char registers[] = "session\ncommit @1..2: w x 1, r y 2\n"                         /* 0 1 */
                                "commit @3..4: w y 2, r x 1, r z nil, w z 5\n"                  /* 2 3 4 5 */
                                "session\nabort @5..6: w x 3, r x 1\n"                          /* 6 7 */
                                "commit @7..8: r z 5, w x 4, r x 4, w z 6\n"                    /* 8 9 10 11 */
                                "session\nmaybe @9..: w v 1\ncommit @10..11: r u nil, w u 9\n"; /* 12 13 14 */
static const row register_edges[] = {
    {"ser", "so 0 1", true},
    {"ser", "so 1 0", false},
    {"ser", "so 0 0", false},
    {"ser", "so 0 3", false},
    {"ser", "so 2 3", false},
    {"ser", "so init 1", true},
    {"ser", "so init 2", false},
    {"ser", "so 0 init", false},
    {"ser", "so init init", false},
    {"ser", "so 4 5", true},
    {"ser\nno-session-order", "so 0 1", false},
    {"ser\nno-session-order", "so init 1", true},
    {"sser", "rt 0 1", true},
    {"sser", "rt 1 0", false},
    {"sser", "rt 0 2", false},
    {"sser", "rt init 1", false},
    {"sser", "rt 0 init", false},
    {"sser", "rt 0 5", true},
    {"lser", "rt 0 1", true},
    {"lser", "rt 0 5", false},
    {"ser", "wr 1 0 2 1", true},
    {"ser", "wr 1 0 5 1", false},
    {"ser", "wr 1 0 1 1", false},
    {"ser", "wr 1 0 2 0", false},
    {"ser", "wr 1 0 2 7", false},
    {"ser", "wr 1 0 2 8", false},
    {"ser", "wr 1 0 2 -", false},
    {"ser", "wr 1 0 - 1", false},
    {"ser", "wr 0 1 - 4", false},
    {"ser", "wr 3 0 2 1", false},
    {"ser", "wr 1 3 2 1", false},
    {"ser", "wr 0 2 0 7", false},
    {"ser", "wr init 1 - 4", true},
    {"ser", "wr init 1 - 3", false},
    {"ser", "wr init 3 - 4", false},
    {"ser", "axiom 3 0 3 - - 0 0", true},
    {"ser", "axiom 3 1 3 - - 0 0", false},
    {"ser", "axiom 1 0 3 - - 0 0", false},
    {"ser", "axiom 2 0 3 - - 0 0", false},
    {"ser", "axiom 0 0 3 - - 0 0", false},
    {"ser", "axiom 3 0 0 - - 0 0", false},
    {"ser", "axiom 3 0 - - - 0 0", false},
    {"ser", "axiom 0 3 10 - - 0 0", false},
    {"ser", "axiom 3 init 4 - - 0 0", true},
    {"ser", "axiom 0 init 4 - - 0 0", false},
    {"ser", "axiom 3 init 3 - - 0 0", false},
    {"ser", "axiom init 0 3 - - 0 0", false},
    {"ser", "rw 1 3 3 0 0", true},
    {"ser", "rw 1 0 3 0 0", false},
    {"ser", "rw 0 3 3 0 0", false},
    {"ser", "rw 1 0 4 0 0", false},
    {"ser", "rw 1 3 4 0 0", true},
    {"ser", "rw 3 1 8 0 0", false},
    {"ser", "rw 1 init 3 0 0", false},
    {"ser", "rw 1 3 - 0 0", false},
    {"ser", "rw 1 3 5 0 0", false},
    {"ser", "rw 1 2 3 0 0", false},
    {"ser", "ww 0 3 0 9 0 0", true},
    {"ser", "ww 0 1 0 2 0 0", false},
    {"ser", "ww 0 3 3 9 0 0", false},
    {"ser", "ww 0 3 0 8 0 0", false},
    {"ser", "ww 0 3 0 10 0 0", false},
    {"ser", "ww 3 0 0 9 0 0", false},
    {"ser", "ww 0 3 - 9 0 0", false},
    {"ser", "ww 0 3 0 - 0 0", false},
    {"ser", "ww 0 2 0 6 0 0", false},
    {"ser", "list 0 1 1", false},
};

/* Two transactions wrote 1, and a transaction writes the initial value. */
static const char repeated[] = "session\ncommit: w x 1, r y 3\nsession\ncommit: w x 1, w y 3\n"     /* 0 1 2 3 */
                               "session\ncommit: r x 1, r x nil\nsession\ncommit: w x nil, w x 2\n" /* 4 5 6 7 */
                               "session\ncommit: r v nil, r x 2\nsession\ncommit: w v nil\n";       /* 8 9 10 */
static const row repeated_edges[] =
    {
        {"ser", "rw 2 0 4 0 0", true}, /* by the other one's write */
        {"ser", "rw 2 1 4 0 0", true},
        {"ser", "wr 0 2 0 4", true},
        {"ser", "wr 1 2 2 4", true},
        {"ser", "wr 3 2 6 5", false}, /* not the last write of its transaction */
        {"ser", "wr init 2 - 5", true},
        {"ser", "wr init 4 - 8", true},
        {"ser", "wr 5 4 10 8", true},
        {"ser", "rw 4 5 8 0 0", true},
        {"ser", "axiom 1 0 4 - - 0 0", true},
        {"ser", "axiom 3 0 4 - - 0 0", true},
        {"ser", "axiom 5 0 4 - - 0 0", false},
        {"ser", "axiom 3 1 0 - - 0 0", false}, /* a write, whose value another one wrote, too, is no read */
        {"ser", "wr 1 0 2 0", false},
        {"ser", "rw 0 3 0 0 0", false},
};

static const char lists[] = "session\ncommit: append x 1, append y 1\nsession\ncommit: append x 2\n"     /* 0 1 2 */
                            "session\ncommit: rl x [1 2], rl y []\nsession\ncommit: rl x [], rl y [1]\n" /* 3 4 5 6 */
                            "session\ncommit: append x 3, rl x [3]\nabort: append x 4\n";                /* 7 8 9 */
static const row list_edges[] = {
    {"ser", "list 0 1 3", true},
    {"ser", "list 1 0 3", false},
    {"ser", "list 0 1 -", false},
    {"ser", "list 0 1 0", false},
    {"int", "list 0 1 3", false},
    {"ser", "wr 1 2 2 3", true},
    {"ser", "wr 0 2 0 3", false},
    {"ser", "wr init 2 - 4", true},
    {"ser", "wr init 2 - 3", false},
    {"ser", "wr init 3 - 5", true},
    {"ser", "wr init 4 - 8", true},
    {"ser", "wr 0 3 1 6", true},
    {"ser", "rw 2 4 3 0 0", true},
    {"ser", "rw 2 1 3 0 0", false},
    {"ser", "rw 3 0 5 0 0", true},
    {"ser", "rw 3 5 5 0 0", false},
    {"ser", "axiom 0 1 3 - - 0 0", true},
    {"ser", "axiom 4 init 5 - - 0 0", true},
    {"ser", "axiom 1 init 3 - - 0 0", false},
};

/* Cycles, and premises that are no path. */
static const row cycles[] = {
    {"ser", "wr 1 0 2 1;wr 0 1 0 3;cycle 0 2", true},
    {"ser", "wr 1 0 2 1;cycle 0 1", false},
    {"ser", "wr 1 0 2 1;wr 1 0 2 1;cycle 0 2", false},
    {"ser", "wr 1 0 2 1;wr 0 1 0 3;so init 1;cycle 0 3", false},
    {"ser", "so init 1;wr 1 0 2 1;wr 0 1 0 3;cycle 1 2", true},
    {"ser", "so init 1;wr 1 0 2 1;wr 0 1 0 3;cycle 0 3", false},
    {"ser", "wr 1 0 2 1;wr 0 1 0 3;rw 1 3 3 0 2;cycle 0 2", true},
    {"ser", "wr 1 0 2 1;wr 0 1 0 3;rw 1 3 3 1 1;cycle 0 2", true},
    {"ser", "wr 1 0 2 1;wr 0 1 0 3;so 0 1;rw 1 3 3 1 2;cycle 0 2", false},
    {"ser", "wr 1 0 2 1;wr 0 1 0 3;so 0 1;rw 1 3 3 0 2;cycle 0 2", true},
    {"ser", "wr 1 0 2 1;wr 0 1 0 3;so 0 1;rw 1 3 3 0 3;cycle 0 2", false},
    {"ser", "wr 1 0 2 1;wr 0 1 0 3;so 1 0;cycle 0 2", false},
};

static const char reads[] = "session\ncommit: w x 1\nabort: w x 3, r x 3\nsession\ncommit: w x 2\n" /* 0 1 2 3 */
                            "session\ncommit: r x 1, r x 2, r y nil, r x 1\n"                       /* 4 5 6 7 */
                            "session\ncommit: r x 2\nmaybe: r x 3, r x 9\nabort: r x 9, r x 1\n";   /* 8 9 10 11 12 */
static const row offences[] = {
    {"ra", "offence non-repeatable-read 4 5", true},  {"ra", "offence non-repeatable-read 5 4", true},
    {"ra", "offence non-repeatable-read 5 7", true},  {"ra", "offence non-repeatable-read 4 7", false},
    {"ra", "offence non-repeatable-read 4 6", false}, {"ra", "offence non-repeatable-read 4 8", false},
    {"ra", "offence non-repeatable-read 4 -", false}, {"ra", "offence non-repeatable-read 4 3", false},
    {"ra", "offence non-repeatable-read 3 4", false}, {"ra", "offence aborted-read 9 1", true},
    {"ra", "offence aborted-read 4 1", false},        {"ra", "offence thin-air-read 10 -", true},
    {"ra", "offence thin-air-read 11 -", false},      {"ra", "offence thin-air-read 4 -", false},
};

/* A transaction's write and read of one key. */
static const char own[] = "session\ncommit: w x 1, r x nil\nsession\ncommit: r x 1, r y nil\n";
static const row own_offences[] = {
    {"ra", "offence non-repeatable-read 0 1", false}, {"ra", "offence non-repeatable-read 1 0", false},
    {"ra", "offence not-my-own-write 1 0", true},     {"ra", "offence not-my-own-write 3 0", false},
    {"ra", "offence future-read 1 0", false},
};

static void tests(void *pool) {
    (void)pool;
    EACH("own writes", own, NULL, own_offences);
    EACH("registers", registers, "wr 1 0 2 1;wr 0 1 0 3;cycle 1 2", register_edges);
    EACH("repeated values", repeated, "ww 0 1 0 2 0 0;ww 1 0 2 0 0 0;cycle 1 2", repeated_edges);
    EACH("lists", lists, "ww 0 1 0 2 0 0;ww 1 0 2 0 0 0;cycle 1 2", list_edges);
    EACH("cycles", registers, NULL, cycles);
    EACH("reads", reads, NULL, offences);
}

int main(void) { return run_guarded(&env, tests); }
