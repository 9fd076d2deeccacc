/* Tests explain/story.c: the sentences that tell a person what happened, for smallest histories of every kind; and the
 * places of transactions in the input. The sentences are written by hand from the histories. */
#include <stdio.h>
#include <string.h>

#include "checkers/checker.h"
#include "explain/story.h"
#include "formats/format.h"
#include "tests/guarded.h"

typedef struct tale {
    iso_level level;
    const char *history, *said;
} tale;

static const tale tales[] = {
    {ISO_SI,
     "session 0\nt8 commit: rl x [], append x 1\nsession 5\nt165 commit: rl x [], append x 2\n"
     "session 6\ncommit: rl x [1 2]\n",
     "Both t8 (session 0) and t165 (session 5) read x = [] and then appended to x: t8 appended 1 to x, t165 appended 2 "
     "to x. Neither saw the other's append, so one update is lost."},
    {ISO_SER,
     "session 0\nt8 commit: append x 5, rl x [4 5]\nsession 5\nt5 commit: rl x [4], append x 10\n"
     "session 6\nt3 commit: append x 4\n",
     "t8 (session 0) appended 5 to x and then read x = [4 5]; t5 (session 5) read x = [4] and then appended 10 to x. "
     "Neither saw the other's append, so one update is lost."},
    {ISO_SI, "session A\nt1 commit: r x nil, w x 1\nsession B\nt2 commit: r x nil, w x 2\n",
     "Both t1 (session A) and t2 (session B) read x = nil (the initial value) and then wrote x: t1 wrote x = 1, t2 "
     "wrote x = 2. Neither saw the other's write, so one update is lost."},
    {ISO_RA, "session A\nt1 commit: w x 1\nt2 commit: r x nil\n",
     "t1 wrote x = 1. Later in the same session, t2 read x = nil (the initial value): the session did not see its own "
     "earlier write."},
    {ISO_CC, "session A\nt1 commit: w x 1\nsession B\nt2 commit: r x 1\nt3 commit: r x nil\n",
     "t2 (session B) read x = 1 (written by t1). Later in the same session, t3 read x = nil (the initial value), which "
     "is older: the session went back in time."},
    {ISO_RA, "session A\nt1 commit: w x 1, w y 1\nsession B\nt2 commit: r x nil, r y 1\n",
     "t2 (session B) saw only a part of t1 (session A): it read y = 1, which t1 wrote, but read x = nil (the initial "
     "value), although t1 also wrote x = 1."},
    {ISO_CI, "session A\nt1 commit: w x 79\nsession B\nt2 commit: w x 92\nsession C\nt3 commit: r x 79, r x 92\n",
     "t3 (session C) first read x = 79 (written by t1), and then, in the same transaction, read x = 92 (written by "
     "t2)."},
    {ISO_SSER, "session A\nt1 commit @0..5000000000: w x 1\nsession B\nt2 commit @39800000000..40000000000: r x nil\n",
     "t1 (session A) wrote x = 1. t1 had ended 34.8 s before t2 (session B) began, and yet t2 read x = nil (the "
     "initial "
     "value): it did not see it."},
    {ISO_INT,
     "session A\nt3 commit: rl x [1 2 3 4 5 6 7 8 9 10 11 12]\nsession B\nt4 commit: append x 1, append x 2, "
     "append x 3, append x 4, append x 5, append x 7, append x 8, append x 9, append x 10, append x 11, append "
     "x 12\n",
     "t3 (session A) read x = [1 2 ... 5 6 7 ... 11 12], but no transaction appended the 6 (element 6 of 12)."},
    {ISO_G1,
     "session A\nt1 commit: append x 98\nsession B\nt2 commit: rl x [1 98 2 3 4 5 6 7 98 8]\nsession C\n"
     "commit: append x 1\ncommit: append x 2\ncommit: append x 3\ncommit: append x 4\ncommit: append x 5\n"
     "commit: append x 6\ncommit: append x 7\ncommit: append x 8\n",
     "t2 (session B) read x = [1 98 2 ... 7 98 8], which shows 98 twice, as elements 2 and 9 of 10; t1 (session A) "
     "appended 98 to x once."},
    {ISO_SER, "session A\n1 commit: r x nil, w y 1\nsession B\n1 commit: r y nil, w x 1\n",
     "transaction 1 of session A read x = nil (the initial value) and wrote y = 1; transaction 1 of session B read y = "
     "nil (the initial value) and wrote x = 1. Each changed what the other had read, and neither saw the other's "
     "change: had they run one after the other, the second would have seen the first."},
};

static void tell(iso_pool *pool, const tale *t) {
    char sentence[ISO_SENTENCE_SIZE];
    isolab_history *h = iso_load_bytes(pool, t->history, strlen(t->history), iso_format_find("isolab"));
    iso_result r;
    iso_result_init(&r, pool);
    const iso_question question = {.level = t->level, .limit = 1, .threads = 1};
    iso_check(iso_checker_auto(h, &question), h, &question, &r);
    if (!ok(r.n_anomalies > 0, "%s is violated", iso_level_get(t->level)->name)) {
        return;
    }
    is(iso_word_anomaly(h, &r, &r.anomalies[0], sentence), t->said, "%s", t->said);
}

static isolab_history *load(iso_pool *pool, const char *text, const char *format) {
    return iso_load_bytes(pool, text, strlen(text), iso_format_find(format));
}

/* A transaction by its number. */
static void place(const isolab_history *h, uint32_t txn, const char *expected) {
    char text[ISO_PLACE_SIZE];
    is(iso_word_place(h, txn, text), expected, "%s", expected);
}

static void places(iso_pool *pool) {
    isolab_history *h =
        load(pool, "# a comment\n\nsession A\nt1 commit @5..2000000005: w x 1\nsession B\nabort: w x 2\n", "isolab");
    place(h, 0, "line 4, session A, no. 1 in it; from 5 to 2000000005, 2 s long");
    place(h, 1, "line 6, session B, no. 1 in it; aborted");
    h = load(pool,
             "{\"session\":\"B\",\"ops\":[]}\n\n{\"session\":\"A\",\"ops\":[],\"id\":\"x\"}\n{\"session\":\"B\","
             "\"ops\":[]}\n",
             "jsonl");
    place(h, 0, "line 1, session B, no. 1 in it");
    place(h, 1, "line 4, session B, no. 2 in it");
    place(h, 2, "line 3, session A, no. 1 in it");
    h = load(pool, "r(1,0,7,1)\nw(1,2,7,1)\nw(2,2,8,5)\nr(2,2,7,2)\n", "plume");
    place(h, 0, "line 1, session 7, no. 1 in it");
    place(h, 1, "line 4, session 7, no. 2 in it");
    place(h, 2, "line 3, session 8, no. 1 in it");
    h = load(pool, "w 1 2\n-----\nr 1 2\n=====\nr 1 2\n", "test");
    place(h, 0, "line 1, session 0, no. 1 in it");
    place(h, 1, "line 3, session 0, no. 2 in it");
    place(h, 2, "line 5, session 1, no. 1 in it");
    h = load(pool,
             "{:type :invoke, :process 3, :f :txn, :value [[:w x 1]], :index 8}\n"
             "{:type :invoke, :process 1, :f :txn, :value [[:r x nil]], :index 9}\n\n"
             "{:type :ok, :process 1, :f :txn, :value [[:r x 1]], :index 11}\n"
             "{:type :ok, :process 3, :f :txn, :value [[:w x 1]], :index 10}\n",
             "elle");
    place(h, 0, "line 4, :index 11, process 1, no. 1 in it; from :index 9 to 11");
    place(h, 1, "line 5, :index 10, process 3, no. 1 in it; from :index 8 to 10");
}

static void names(iso_pool *pool) {
    char name[ISO_NAME_SIZE];
    isolab_history *h = load(pool, "session A\ncommit: w x 1\nt0 commit: w x 2\n", "isolab");
    ok(!h->names_repeat, "no id is given twice");
    is(iso_txn_text(h, 0, name), "#0", "an invented name differs from the given t0");
    h = load(pool, "session A\ncommit: w x 1\nt0 commit: w x 2\n\"#0\" commit: w x 3\n", "isolab");
    is(iso_txn_text(h, 0, name), "##0", "and from a given #0");
    h = load(pool, "session A\n1 commit: w x 1\n-9000000000000000000 commit: w x 3\n1 commit: w x 2\n", "isolab");
    ok(h->names_repeat, "a number far from the others does not hide a repetition");
    h = load(pool, "session A\n3 commit: w x 1\n1 commit: w x 3\n2 commit: w x 2\n-1 commit: w x 4\n", "isolab");
    ok(!h->names_repeat, "numbers in any order, all different");
    h = load(pool, "session A\n1 commit: w x 1\n\"1\" commit: w x 3\n", "isolab");
    ok(!h->names_repeat, "a number and a string are different ids");
    h = load(pool, "session A\na commit: w x 1\nsession B\na commit: w x 3\n", "isolab");
    ok(h->names_repeat, "a string that is given twice");
    char word[ISO_WORD_SIZE];
    is(iso_word_txn(h, 1, word), "a of session B", "its session tells which one it is");
    h = load(pool, "session A\na commit: w x 1\nb commit: w x 2\na commit: w x 3\n", "isolab");
    is(iso_word_txn(h, 0, word), "a of session A (no. 1 in it)", "or else the place in the session");
    is(iso_word_txn(h, 2, word), "a of session A (no. 3 in it)", "the later one");
    is(iso_word_txn(h, 1, word), "b of session A", "another id there needs no place");
}

static void run(void *arg) {
    iso_pool *pool = arg;
    for (size_t i = 0; i < sizeof tales / sizeof *tales; i++) {
        tell(pool, &tales[i]);
    }
    places(pool);
    names(pool);
    char span[ISO_SPAN_SIZE];
    is(iso_word_span(999, span), "999 ns", "a span of nanoseconds");
    is(iso_word_span(34800000000, span), "34.8 s", "a span of seconds");
    is(iso_word_span(UINT64_MAX, span), "213504 days", "the longest one: 2^64 ns over 86,400 s");
}

int main(void) {
    iso_env env;
    return run_guarded(&env, run);
}
