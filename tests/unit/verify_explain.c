/* Tests verify/explain.c against explain/story.c: what isolab-verify tells of a certificate and its history alone is,
 * word for word, what `check` tells of the answer that the certificate was written from. All histories of tests/, the
 * gallery, and random small histories, whose answers are cycles, reads that offend, and cases of clausal proofs. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "certificates/certificate.h"
#include "checkers/checker.h"
#include "explain/gallery.h"
#include "explain/story.h"
#include "formats/format.h"
#include "generators/random_small.h"
#include "tests/agree.h"
#include "tests/claims.h"
#include "tests/guarded.h"
#include "tests/seed.h"
#include "verify/verify.h"

static iso_env env;

typedef struct seen {
    uint64_t histories, compared, differ, cycles, reads, cases, silent, without;
    const char *name;
} seen;

static const char NO_CYCLE[] =
    "    the certificate has a clausal proof: every commit order was refuted, and there is no cycle to tell\n";
static const char ONE_CASE[] = "    this is one case of a clausal proof, which refutes every commit order\n";

/* What check says of the first anomaly, of the one case that a certificate has. */
static char *said(iso_pool *pool, const isolab_history *h, const iso_result *r) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    iso_chain chain = iso_anomaly_chain(r, &r->anomalies[0]);
    chain.n_other = chain.n_cases = 0;
    iso_say_chain(out, h, &chain, 0, 0);
    fclose(out);
    char *copy = ISO_NEW(pool, char, size + 1);
    memcpy(copy, text, size + 1);
    free(text);
    return copy;
}

/* What isolab-verify says of a certificate, without the line of the verdict, and without what it says about proofs. */
static char *told(iso_pool *pool, const isolab_history *h, const char *certificate, size_t n, seen *s) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    iso_verify_explain(out, pool, h, certificate, n);
    fclose(out);
    char *copy = ISO_NEW(pool, char, size + 1), *one_case = NULL;
    strcpy(copy, strchr(text, '\n') + 1);
    free(text);
    s->silent += strcmp(copy, NO_CYCLE) == 0;
    if ((one_case = strstr(copy, ONE_CASE)) != NULL) {
        s->cases++;
        *one_case = '\0';
    }
    return copy;
}

static void compare(iso_pool *pool, const isolab_history *h, const iso_checker *checker, iso_level level, seen *s) {
    char why[512];
    iso_question question = {.level = level, .certificate = true, .limit = 1};
    checker = checker != NULL ? checker : iso_checker_auto(h, &question);
    if (checker == NULL || iso_checker_refuses(checker, h, &question, why, sizeof why) != NULL) {
        return;
    }
    iso_result r;
    iso_result_init(&r, pool);
    iso_check(checker, h, &question, &r);
    size_t size;
    char *certificate = r.verdict == ISOLAB_VIOLATED ? iso_certificate_text(pool, h, &question, &r, &size) : NULL;
    if (certificate == NULL || r.n_anomalies == 0) {
        s->without += r.verdict == ISOLAB_VIOLATED;
        return;
    }
    const iso_anomaly *a = &r.anomalies[0];
    bool named = a->n_cycle > 0 || a->op != ISO_NONE;
    char *one = said(pool, h, &r), *two = told(pool, h, certificate, size, s);
    s->compared++;
    s->cycles += a->n_cycle > 0;
    s->reads += a->n_cycle == 0 && named;
    if (strcmp(one, two) != 0 && (named || strcmp(two, NO_CYCLE) != 0) && s->differ++ < 3) {
        diag("%s, %s by %s: check says\n%sisolab-verify says\n%s", s->name, iso_level_get(level)->name, checker->name,
             one, two);
        diag("%s", certificate);
    }
}

static void compare_levels(iso_pool *pool, const isolab_history *h, const iso_checker *checker, seen *s) {
    s->histories++;
    for (int l = 0; l < iso_n_levels; l++) {
        compare(pool, h, checker, l, s);
    }
}

static void report(const seen *s, const char *what) {
    cmp_ok(s->differ, "==", 0,
           "%s: %llu histories, %llu proofs are told alike: %llu cycles, %llu reads, %llu cases of clausal proofs",
           what, (unsigned long long)s->histories, (unsigned long long)s->compared, (unsigned long long)s->cycles,
           (unsigned long long)s->reads, (unsigned long long)s->cases);
}

/* ---- histories of files ---- */

enum { LARGEST = 300000 }; /* bytes of a file */

static void visit(const char *path, seen *s) {
    struct stat st;
    if (stat(path, &st) != 0) {
        return;
    }
    if (S_ISDIR(st.st_mode)) {
        struct dirent **name;
        int n = scandir(path, &name, NULL, alphasort);
        for (int i = 0; i < n; i++) {
            char below[4096];
            snprintf(below, sizeof below, "%s/%s", path, name[i]->d_name);
            if (name[i]->d_name[0] != '.') {
                visit(below, s);
            }
            free(name[i]);
        }
        free(name);
        return;
    }
    if (st.st_size > LARGEST || strstr(path, "/README") != NULL || strstr(path, ".tsv") != NULL) {
        return;
    }
    iso_pool pool;
    iso_pool_init(&pool, &env);
    s->name = path;
    const isolab_history *h = iso_load(&pool, path, NULL);
    compare_levels(&pool, h, NULL, s);
    iso_pool_free(&pool);
}

static void files(void) {
    seen s = {.histories = 0};
    visit("tests/histories", &s);
    visit("tests/patterns", &s);
    report(&s, "files");
    ok(s.histories > 150 && s.cycles > 100 && s.reads > 20, "of many files");
    cmp_ok(s.silent, "==", 0, "a case is told of every clausal proof");
}

static void gallery(void) {
    seen s = {.histories = 0};
    for (int k = 0; k < ISO_A_KINDS; k++) {
        const iso_specimen *e = iso_gallery((iso_anomaly_kind)k);
        if (e == NULL) {
            continue;
        }
        iso_pool pool;
        iso_pool_init(&pool, &env);
        s.name = e->history;
        const isolab_history *h = iso_load_bytes(&pool, e->history, strlen(e->history), iso_format_find("isolab"));
        for (size_t c = 0; iso_checkers[c] != NULL; c++) {
            compare_levels(&pool, h, iso_checkers[c], &s);
        }
        iso_pool_free(&pool);
    }
    report(&s, "the gallery, by every checker");
    ok(s.cycles > 200 && s.reads > 100, "of many answers");
}

static void random_histories(void) {
    static const iso_small_shape shapes[] = {
        {.txns = 7, .ops = 3, .keys = 2, .sessions = 3, .times = true},
        {.txns = 6, .ops = 3, .keys = 2, .sessions = 3, .lists = true, .indeterminate = true, .aborted = true},
        {.txns = 6, .ops = 3, .keys = 2, .sessions = 3, .duplicates = true, .indeterminate = true, .times = true},
        {.txns = 6, .ops = 3, .keys = 2, .sessions = 3, .duplicates = true, .lists = true, .wild = true},
        {.txns = 8, .ops = 4, .keys = 3, .sessions = 4, .mini = true, .times = true}};
    enum { SHAPES = sizeof shapes / sizeof *shapes };
    uint64_t rounds = iso_agree_rounds(100, 800, 40000), seed = seed_or(1);
    seen s = {.histories = 0, .name = "a random history"};
    iso_pool pool;
    iso_pool_init(&pool, &env);
    for (uint64_t i = 0; i < rounds; i++) {
        const isolab_history *h = iso_random_small(&pool, seed + i, &shapes[i % SHAPES]);
        uint64_t before = s.differ;
        for (size_t c = 0; iso_checkers[c] != NULL; c++) {
            compare_levels(&pool, h, iso_checkers[c], &s);
        }
        if (before == 0 && s.differ > 0) {
            diag("seed %llu", (unsigned long long)(seed + i));
            iso_agree_print(&env, h);
        }
        iso_pool_free(&pool);
    }
    report(&s, "random histories, by every checker");
    ok(s.cases > rounds / 10, "%llu cases were told, %llu proofs have none, %llu answers no certificate",
       (unsigned long long)s.cases, (unsigned long long)s.silent, (unsigned long long)s.without);
}

/* ---- cases that cannot be ---- */

/* What is told of a case of the clausal proof that a lost update violates ser. t1 (0) reads x by operation 0 and writes
 * it by 1, t2 (1) by 2 and 3, t3 (2) writes y and was aborted. */
static bool is_told(iso_pool *pool, const char *lines) {
    static const char history[] =
        "session A\nt1 commit @1..5: r x nil, w x 1\nsession B\nt2 commit @2..6: r x nil, w x 2\n"
        "session C\nt3 abort: w y 1, w x 7\nt4 commit: w y 2, r y 3\nt5 commit: r y 2, r y nil, w z 1\n";
    const isolab_history *h = history_of(pool, history);
    const char *head = claim_head(pool, h);
    char *text = ISO_NEW(pool, char, 2048), *said = NULL;
    size_t size;
    int n = snprintf(text, 2048, "%slevel ser\nviolated\n%sproof\nrw 0 init 3\nrw 2 init 1\nlemma\nend\n", head, lines);
    const char *verdict = certificate_verdict(&env, h, text, (size_t)n);
    if (strcmp(verdict, "valid") != 0) {
        diag("%s: %s", lines, verdict);
        return false;
    }
    FILE *out = open_memstream(&said, &size);
    iso_verify_explain(out, pool, h, text, (size_t)n);
    fclose(out);
    bool told = strstr(said, ONE_CASE) != NULL;
    if (told == (strstr(said, NO_CYCLE) != NULL)) {
        diag("%s: %s", lines, said);
        told = !told;
    }
    free(said);
    return told;
}

static void impossible_cases(iso_pool *pool) {
    static const char *const good[] = {
        "case rw 0 1 0 0 0\ncase rw 1 0 2 0 0\ncase cycle 0 2\n",
        "case so init 0\ncase rw 0 1 0 0 1\ncase ww 1 0 3 1 0 0\ncase cycle 1 2\n",
        "case axiom 0 init 2 - - 0 0\ncase so init 0\ncase cycle 0 2\n",
        "case offence thin-air-read 7 -\n",
        "case offence non-repeatable-read 9 8\n",
        "case wr init 4 - 9\ncase ww 0 1 1 3 0 0\ncase ww 1 0 3 1 0 0\ncase cycle 1 2\n"};
    static const char *const bad[] = {
        "case rw 0 1 0 0 0\ncase rw 1 0 2 0 0\ncase cycle 0 1\n",
        "case rw 0 1 2 0 0\ncase rw 1 0 2 0 0\ncase cycle 0 2\n",
        "case rw 0 1 1 0 0\ncase rw 1 0 2 0 0\ncase cycle 0 2\n",
        "case rw 0 3 0 0 0\ncase so 3 0\ncase cycle 0 2\n",
        "case ww 0 1 1 6 0 0\ncase ww 1 0 3 1 0 0\ncase cycle 0 2\n",
        "case ww 0 2 1 5 0 0\ncase ww 2 0 5 1 0 0\ncase cycle 0 2\n",
        "case rt 0 1\ncase ww 1 0 3 1 0 0\ncase cycle 0 2\n",
        "case wr 0 1 1 2\ncase ww 1 0 3 1 0 0\ncase cycle 0 2\n",
        "case wr init 4 - 8\ncase ww 0 1 1 3 0 0\ncase ww 1 0 3 1 0 0\ncase cycle 1 2\n",
        "case list 0 1 0\ncase ww 1 0 3 1 0 0\ncase cycle 0 2\n",
        "case offence thin-air-read 0 -\n",
        "case so init 0\ncase so init 1\ncase rw 0 1 0 0 2\ncase ww 1 0 3 1 0 0\ncase cycle 2 2\n",
        "case axiom 0 1 0 - - 0 0\ncase ww 1 0 3 1 0 0\ncase cycle 0 2\n",
        "case offence non-repeatable-read 8 8\n"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        ok(is_told(pool, good[i]), "possible case %zu is told", i);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ok(!is_told(pool, bad[i]), "impossible case %zu is not told", i);
    }
}

static void tests(void *arg) {
    impossible_cases(arg);
    gallery();
    files();
    random_histories();
}

int main(void) { return run_guarded(&env, tests); }
