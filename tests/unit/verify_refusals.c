/* Tests verify/verify.h. What the verifier refuses, and its words: claims by hand, each with one thing wrong. The last
 * test reads the sources of the verifier, and holds that every reason that they can give was given here. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdlib.h>

#include "tests/claims.h"
#include "tests/guarded.h"
#include "tests/refused.h"

static iso_env env;

/* ---- every reason was given ---- */

static char given[1 << 17]; /* all verdicts, a line each */

static void note(const char *verdict) {
    size_t n = strlen(given);
    snprintf(given + n, sizeof given - n, "%s\n", verdict);
}

/* Does a line match a format of printf, with anything in the place of what is formatted? */
static bool matches(const char *format, const char *line, const char *end) {
    const char *at = line;
    while (*format != '\0') {
        size_t n = strcspn(format, "%"), rest = (size_t)(end - at);
        const char *found = n == 0 ? at : memmem(at, rest, format, n);
        if (found == NULL) {
            return false;
        }
        at = found + n;
        format += n;
        if (*format == '%') {
            format += 1 + strspn(format + 1, "0123456789.lh");
            format += *format != '\0';
        }
    }
    return true;
}

static bool was_given(const char *format) {
    for (const char *line = given; *line != '\0';) {
        const char *end = line + strcspn(line, "\n");
        if (matches(format, line, end)) {
            return true;
        }
        line = end + (*end == '\n');
    }
    return false;
}

/* The text in quotes of the next call of a function that refuses, its parts joined; NULL: there is no further call. */
static char *next_reason(char **at, char *text, size_t size) {
    for (char *call; (call = strpbrk(*at, "rbdc")) != NULL;) {
        static const char *const names[] = {"refuse(", "bad(", "digits(", "count(", "number("};
        *at = call + 1;
        char *open = NULL;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            open = strncmp(call, names[i], strlen(names[i])) == 0 ? call + strlen(names[i]) : open;
        }
        if (open == NULL) {
            continue;
        }
        size_t n = 0;
        for (int depth = 1; depth > 0 && *open != '\0' && *open != '{'; open++) {
            depth += *open == '(' ? 1 : *open == ')' ? -1 : 0;
            if (*open == '"') {
                for (open++; *open != '"' && n + 1 < size; open++) {
                    text[n++] = *open;
                }
            }
        }
        text[n] = '\0';
        if (n > 0) {
            return text;
        }
    }
    return NULL;
}

static void every_reason_was_given(void) {
    static const char *const cannot[] = {
        "too many transactions for a clausal proof",            /* 2^29 of them */
        "level %s has a rule that the verifier does not know"}; /* no row of the table has */
    DIR *folder = opendir("verify");
    unsigned n = 0;
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        char path[300], text[512];
        static char source[1 << 17];
        size_t length = strlen(entry->d_name);
        if (length < 2 || strcmp(entry->d_name + length - 2, ".c") != 0 || strcmp(entry->d_name, "main.c") == 0) {
            continue;
        }
        snprintf(path, sizeof path, "verify/%s", entry->d_name);
        FILE *in = fopen(path, "r");
        source[in == NULL ? 0 : fread(source, 1, sizeof source - 1, in)] = '\0';
        if (in != NULL) {
            fclose(in);
        }
        for (char *at = source; next_reason(&at, text, sizeof text) != NULL; n++) {
            bool spared = false;
            for (size_t i = 0; i < sizeof cannot / sizeof *cannot; i++) {
                spared = spared || strcmp(text, cannot[i]) == 0;
            }
            if (!spared && !was_given(text)) {
                ok(false, "%s: the reason `%s` was given", path, text);
            }
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
    cmp_ok(n, ">", 80, "all %u reasons of the sources are given by claims of this test", n);
}

/* ---- the text of a certificate as a whole ---- */

static bool is_told(const isolab_history *h, const char *text, size_t size, const char *verdict) {
    const char *got = certificate_verdict(&env, h, text, size);
    note(got);
    if (strcmp(got, verdict) != 0) {
        diag("%s\nexpected: %s\nfound:    %s", text, verdict, got);
    }
    return strcmp(got, verdict) == 0;
}

static void heads(iso_pool *pool) {
    const isolab_history *h = history_of(pool, two);
    char text[512], print[17];
    snprintf(print, sizeof print, "%016llx", (unsigned long long)iso_fingerprint(h, pool));
    static const struct {
        const char *format, *verdict; /* the format takes the fingerprint */
    } head[] = {
        {"isolab-certificate 1\nhistory 2 2 4 %s\nlevel int\nsatisfied\nend\n", "valid"},
        {"", "line 1: expected isolab-certificate, found the end"},
        {"isolab-certificate", "line 1: expected isolab-certificate, found `isolab-certificate`"},
        {"isolab-certificate\n", "line 1: expected a space, found the end of the line"},
        {"isolab-certificate ", "line 1: expected 1, found the end"},
        {"isolab-certificate 1", "line 1: expected 1, found `1`"},
        {"isolab-certificate 1 ", "line 1: expected the end of the line, found a space"},
        {"isolab-certificate 2\n", "line 1: expected 1, found `2`"},
        {"isolab-certificate  1\n", "line 1: expected 1, found a space"},
        {"isolab-certificate\t1\n", "line 1: expected isolab-certificate, found `isolab-certificate`"},
        {"a-word-of-24-letters-abcdef-more\n", "line 1: expected isolab-certificate, found `a-word-of-24-letters-abc`"},
        {" isolab-certificate 1\n", "line 1: expected isolab-certificate, found a space"},
        {"isolab-certificate 1\n", "line 2: expected history, found the end"},
        {"isolab-certificate 1\n\n", "line 2: expected history, found the end of the line"},
        {"isolab-certificate 1\nhistory\n", "line 2: expected a space, found the end of the line"},
        {"isolab-certificate 1\nhistory x\n", "line 2: expected the number of sessions, found `x`"},
        {"isolab-certificate 1\nhistory \n", "line 2: expected the number of sessions, found the end of the line"},
        {"isolab-certificate 1\nhistory -1 2 4\n", "line 2: expected the number of sessions, found `-1`"},
        {"isolab-certificate 1\nhistory 2\n", "line 2: expected a space, found the end of the line"},
        {"isolab-certificate 1\nhistory 2 02 4\n", "line 2: expected the number of transactions, found `02`"},
        {"isolab-certificate 1\nhistory 2 2\n", "line 2: expected a space, found the end of the line"},
        {"isolab-certificate 1\nhistory 2 2 4,\n", "line 2: expected the number of operations, found `4,`"},
        {"isolab-certificate 1\nhistory 2 2 4\n", "line 2: expected a space, found the end of the line"},
        {"isolab-certificate 1\nhistory 2 2 4 0123456789abcde\n",
         "line 2: expected a fingerprint of 16 hexadecimal digits, found the end of the line"},
        {"isolab-certificate 1\nhistory 2 2 4 0123456789abcde",
         "line 2: expected a fingerprint of 16 hexadecimal digits, found the end"},
        {"isolab-certificate 1\nhistory 2 2 4 0123456789abcdefa\n", "line 2: expected the end of the line, found `a`"},
        {"isolab-certificate 1\nhistory 2 2 4 0123456789abcdeg\n",
         "line 2: expected a fingerprint of 16 hexadecimal digits, found `g`"},
        {"isolab-certificate 1\nhistory 2 2 4 0123456789ABCDEF\n",
         "line 2: expected a fingerprint of 16 hexadecimal digits, found `ABCDEF`"},
        {"isolab-certificate 1\nhistory 2 2 4 %s\n", "line 3: expected level, found the end"},
        {"isolab-certificate 1\nhistory 1 2 4 %s\nlevel int\nsatisfied\nend\n",
         "the certificate is for another history, or for this one with other initial values: it has 1 sessions, 2 "
         "transactions and 4 operations, this one has 2, 2 and 4"},
        {"isolab-certificate 1\nhistory 2 4294967279 4 %s\nlevel int\nsatisfied\nend\n",
         "the certificate is for another history, or for this one with other initial values: it has 2 sessions, "
         "4294967279 transactions and 4 operations, this one has 2, 2 "
         "and 4"},
        {"isolab-certificate 1\nhistory 2 4294967280 4 %s\nlevel int\nsatisfied\nend\n",
         "line 2: expected the number of transactions, found `4294967280`"},
        {"isolab-certificate 1\nhistory 2 2 9999999999 %s\nlevel int\nsatisfied\nend\n",
         "line 2: expected the number of operations, found `9999999999`"},
        {"isolab-certificate 1\nhistory 2 2 18446744073709551620 %s\nlevel int\nsatisfied\nend\n",
         "line 2: expected the number of operations, found `18446744073709551620`"},
        {"isolab-certificate 1\nhistory 2 3 4 %s\nlevel int\nsatisfied\nend\n",
         "the certificate is for another history, or for this one with other initial values: it has 2 sessions, 3 "
         "transactions and 4 operations, this one has 2, 2 and 4"},
        {"isolab-certificate 1\nhistory 2 2 5 %s\nlevel int\nsatisfied\nend\n",
         "the certificate is for another history, or for this one with other initial values: it has 2 sessions, 2 "
         "transactions and 5 operations, this one has 2, 2 and 4"},
        {"isolab-certificate 1\nhistory 2 2 4 %s\nlevel int\nsatisfied\n", "line 5: expected end, found the end"},
        {"isolab-certificate 1\nhistory 2 2 4 %s\nlevel int\nsatisfied\nend", "line 5: expected end, found `end`"},
        {"isolab-certificate 1\nhistory 2 2 4 %s\nlevel int\nsatisfied\nend ",
         "line 5: expected the end of the line, found a space"},
        {"isolab-certificate 1\nhistory 2 2 4 %s\nlevel int\nsatisfied\nend\n\n",
         "line 6: expected nothing after `end`, found the end of the line"},
        {"isolab-certificate 1\nhistory 2 2 4 %s\nlevel int\nsatisfied\nend\nmore\n",
         "line 6: expected nothing after `end`, found `more`"},
        {"isolab-certificate 1\nhistory 2 2 4 %s\nlevel ser\nviolated\nproof\nso 0 1\n",
         "line 7: expected end, found the end"},
        {"isolab-certificate 1\nhistory 2 2 4 %s\nlevel ser\nviolated\nproof\nso 0 1",
         "line 6: expected end, found the end"},
        {"isolab-certificate 1\nhistory 2 2 4 %s\nlevel ser\nviolated\nproof\nend",
         "line 6: expected end, found the end"},
        {"isolab-certificate 1\nhistory 2 2 4 %s\nlevel ser\nviolated\nproof",
         "line 5: expected an edge, `cycle` or `proof`, found `proof`"},
        {"isolab-certificate 1\nhistory 2 2 4 %s\nlevel ser\nviolated\nproof\nends\nend\n",
         "line 6: expected a rule in the proof"},
        {"isolab-certificate 1\nhistory 2 2 4 %s\nlevel ser\nviolated\nproof\nwr 2 0\nwr 0 2\nend\n",
         "proof, line 7: operation 0 cannot have read from that write"},
    };
    bool right = true;
    for (size_t i = 0; i < sizeof head / sizeof *head; i++) {
        int n = snprintf(text, sizeof text, head[i].format, print);
        right = is_told(h, text, (size_t)n, head[i].verdict) && right;
    }
    ok(right, "heads and ends of certificates");
    print[15] = print[15] == '0' ? '1' : '0';
    int n = snprintf(text, sizeof text, head[0].format, print);
    char verdict[256];
    snprintf(verdict, sizeof verdict,
             "the certificate is for another history, or for this one with other initial values: fingerprint %s, this "
             "one has %016llx",
             print, (unsigned long long)iso_fingerprint(h, pool));
    ok(is_told(h, text, (size_t)n, verdict), "another fingerprint");
    print[15] = '\0';
    n = snprintf(text, sizeof text, head[0].format, print);
    memcpy(strchr(text, '\n') + 15 + 15, "\0", 1); /* a zero byte for the last digit */
    ok(is_told(h, text, (size_t)n,
               "line 2: expected a fingerprint of 16 hexadecimal digits, found a control character"),
       "a fingerprint with a zero byte");
}

/* An order of 33 transactions, 16 to a line. */
static void long_order(iso_pool *pool) {
    char history[1024] = "session\n", lines[512] = "level rc\nsatisfied\norder 33\n";
    for (int t = 0; t < 33; t++) {
        snprintf(history + strlen(history), 32, "commit: w x %d\n", t);
        snprintf(lines + strlen(lines), 8, " %d%s", t, t == 15 || t == 31 || t == 32 ? "\n" : "");
    }
    const isolab_history *h = history_of(pool, history);
    is(claim_verdict(&env, h, lines), "valid", "an order of three lines");
    *strchr(strstr(lines, " 15"), '\n') = ' ';
    is(claim_verdict(&env, h, lines), "line 6: expected the end of the line, found a space",
       "17 to a line are too many");
}

/* A list read that shows an element more often than it was appended: its last element is after the end of the state.
 * (Only the address sanitizer shows that the test for the end is needed.) */
static void long_list(iso_pool *pool) {
    const isolab_history *h = history_of(pool, "session\ncommit: append x 5, append x 5\ncommit: append x 6\n"
                                               "session\ncommit: rl x [5 5 6 6]\n");
    is(claim_verdict(&env, h, "level g1\nsatisfied\norder 3\n 0 1 2\n"),
       "element 3 of list read 3 is not the element that the order puts there", "a list that is longer than the state");
}

/* A line of a proof that names more transactions than there is room for at first. */
static void long_state(iso_pool *pool) {
    enum { N = 600 };
    size_t room = 1 << 16;
    char *history = ISO_NEW(pool, char, room), *lines = ISO_NEW(pool, char, room);
    size_t n = (size_t)snprintf(history, room, "session\ncommit: rl x [0]\n");
    size_t m = (size_t)snprintf(lines, room, "level g1\nviolated\nproof commits\n");
    for (int twice = 0; twice < 2; twice++) {
        m += (size_t)snprintf(lines + m, room - m, "state 0 1");
        for (int t = 1; t <= N; t++) {
            n += twice ? 0 : (size_t)snprintf(history + n, room - n, "session\ncommit: append x %d\n", t - 1);
            m += (size_t)snprintf(lines + m, room - m, "%s %d", t == 100 ? " without" : "", t == N ? 1 : t + 1);
        }
        m += (size_t)snprintf(lines + m, room - m, "\n");
    }
    is(claim_verdict(&env, history_of(pool, history), lines), "the proof ends without a contradiction",
       "two lines that name %d transactions each", N);
}

/* No certificate goes on where it is cut off. */
static void cut_off(iso_pool *pool, const isolab_history *h, const char *lines, const char *what) {
    char text[1024];
    int n = snprintf(text, sizeof text, "%s%send\n", claim_head(pool, h), lines);
    bool good = strcmp(certificate_verdict(&env, h, text, (size_t)n), "valid") == 0;
    unsigned line = 1;
    for (int size = 0; size < n && good; size++) {
        char start[32], copy[1024];
        line += size > 0 && text[size - 1] == '\n';
        snprintf(start, sizeof start, "line %u: expected ", line);
        memcpy(copy, text, (size_t)size);
        copy[size] = '\0';
        const char *verdict = certificate_verdict(&env, h, copy, (size_t)size);
        /* a cut proof is reported at the end of the part that was read */
        good = strncmp(verdict, start, strlen(start)) == 0;
        if (!good) {
            diag("the first %d bytes: %s", size, verdict);
        }
    }
    ok(good, "%s, cut off anywhere, is malformed there", what);
}

static bool says(const isolab_history *h, const claim *c) {
    const char *verdict = claim_verdict(&env, h, c->lines);
    bool right = strcmp(verdict, c->verdict) == 0;
    note(verdict);
    if (!right) {
        diag("claimed:\n%sexpected: %s\nfound:    %s", c->lines, c->verdict, verdict);
    }
    return right;
}

/* A caller says what the certificate must be about. */
static void wanted(iso_pool *pool) {
    const isolab_history *h = history_of(pool, two);
    char text[256];
    static const struct {
        const char *level, *level_wanted, *verdict_wanted, *refusal; /* NULL: accepted */
    } want[] = {
        {"int", "int", "satisfied", NULL},
        {"int", NULL, NULL, NULL},
        {"int", "g1", NULL, "the certificate is about level int, and not about g1"},
        {"ser\nno-session-order", "ser", NULL,
         "the certificate is about level ser without session order, and not about ser"},
        {"int", NULL, "violated", "the certificate says satisfied, and not violated"},
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        int n = snprintf(text, sizeof text, "isolab-certificate 1\nhistory 2 2 4 %016llx\nlevel %s\nsatisfied\nend\n",
                         (unsigned long long)iso_fingerprint(h, pool), want[i].level);
        int code = iso_verify_claim(pool, h, text, (size_t)n, want[i].level_wanted, want[i].verdict_wanted);
        if (want[i].refusal == NULL) {
            ok(code == 0, "a certificate of what is wanted (%zu)", i);
        } else {
            note(env.error.message);
            ok(code == ISO_REFUSED && strcmp(env.error.message, want[i].refusal) == 0, "refused: %s",
               env.error.message);
        }
    }
}

static void run(void *arg) {
    iso_pool *pool = arg;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const isolab_history *h = history_of(pool, table[i].history);
        size_t right = 0;
        for (size_t k = 0; k < table[i].n; k++) {
            const claim *c = &table[i].claims[k];
            right += says(h, c);
        }
        cmp_ok(right, "==", table[i].n, "%s: each claim has its verdict", table[i].name);
    }
    heads(pool);
    wanted(pool);
    long_order(pool);
    long_list(pool);
    long_state(pool);
    cut_off(pool, history_of(pool, two), of_text[1].lines, "an order");
    cut_off(pool, history_of(pool, edges_by_hand), of_edges[0].lines, "a cycle");
    cut_off(pool, history_of(pool, cuts_by_hand), of_cuts[2].lines, "an offence");
    cut_off(pool, history_of(pool, proofs_by_hand), of_proofs[0].lines, "a proof");
    every_reason_was_given();
}

int main(void) { return run_guarded(&env, run); }
