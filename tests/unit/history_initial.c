/* Tests history/initial.h. The initial transaction: the transactions of an input that are taken as initial, in every
 * format. A history whose initial state is written out equals the history whose reads return nil. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "checkers/checker.h"
#include "formats/format.h"
#include "generators/random_small.h"
#include "history/initial.h"
#include "tests/equal.h"
#include "tests/seed.h"
#include "tests/tap.h"

static iso_env env;
static iso_pool pool;

typedef struct loading {
    const char *format, *text;
    iso_reading how;
    isolab_history *h;
} loading;

static void load_guarded(void *arg) {
    loading *l = arg;
    l->h = iso_load_bytes_as(&pool, l->text, strlen(l->text), iso_format_find(l->format), &l->how);
}

/* NULL: the reader refused, and env.error says why. */
static isolab_history *load(const char *format, const char *text, const char *initial, iso_initial_rule rule) {
    loading l = {.format = format, .text = text, .how = {.initial = initial, .rule = rule}};
    return iso_guard(&env, load_guarded, &l) == ISOLAB_OK ? l.h : NULL;
}

/* ---- by hand ---- */

#define AUTO ISO_INITIAL_AUTO
#define NO ISO_INITIAL_NO
#define YES ISO_INITIAL_YES

static const struct {
    const char *what, *format, *text, *initial;
    iso_initial_rule rule;
    unsigned taken; /* transactions */
    const char *is; /* the resulting history, as isolab text; or the message of the error */
} cases[] = {
    {"Plume text", "plume", "w(1,0,0,0)\nr(1,0,1,1)\nw(1,1,1,1)\nr(1,0,2,2)\nw(1,2,2,2)\n", NULL, AUTO, 1,
     "session\ncommit: r 1 nil, w 1 1\nsession\ncommit: r 1 nil, w 1 2\n"},
    {"unless told not to", "plume", "w(1,0,0,0)\nr(1,0,1,1)\n", NULL, NO, 0,
     "session\ncommit: w 1 nil\nsession\ncommit: r 1 nil\n"},
    {"its session goes on", "plume", "w(1,0,0,0)\nw(2,0,0,0)\nr(1,0,0,1)\nw(1,1,0,1)\nr(2,0,2,2)\n", NULL, AUTO, 1,
     "session\ncommit: r 1 nil, w 1 1\nsession\ncommit: r 2 nil\n"},
    {"another transaction also writes 0", "plume", "w(1,0,0,0)\nw(1,1,1,1)\nw(1,0,2,2)\nr(1,0,3,3)\n", NULL, AUTO, 1,
     "session\ncommit: w 1 1\nsession\ncommit: w 1 nil\nsession\ncommit: r 1 nil\n"},
    {"one transaction a key", "plume", "w(1,0,0,0)\nw(2,0,0,1)\nw(2,3,0,2)\nr(1,0,1,3)\n", NULL, AUTO, 2,
     "session\ncommit: w 2 3\nsession\ncommit: r 1 nil\n"},
    {"a second 0 of one key is a write like others", "plume", "w(1,0,0,0)\nw(2,0,0,1)\nw(1,0,0,2)\nw(3,0,0,3)\n", NULL,
     AUTO, 2, "session\ncommit: w 1 nil\ncommit: w 3 nil\n"},
    {"operations that interleave", "plume", "w(1,0,0,0)\nr(1,0,1,1)\nw(2,0,0,0)\nr(2,0,1,1)\n", NULL, AUTO, 1,
     "session\ncommit: r 1 nil, r 2 nil\n"},
    {"a transaction that also reads is none", "plume", "w(1,0,0,0)\nr(2,0,0,0)\nr(1,0,1,1)\n", NULL, AUTO, 0,
     "session\ncommit: w 1 nil, r 2 nil\nsession\ncommit: r 1 nil\n"},
    {"nor one after it that reads first", "plume", "w(1,0,0,0)\nr(3,0,0,1)\nw(2,0,0,1)\nr(1,0,1,2)\n", NULL, AUTO, 1,
     "session\ncommit: r 3 nil, w 2 nil\nsession\ncommit: r 1 nil\n"},
    {"nor a transaction that also writes another value between", "plume",
     "w(1,0,0,0)\nw(2,5,0,0)\nw(3,0,0,0)\nr(1,0,1,1)\n", NULL, AUTO, 0,
     "session\ncommit: w 1 nil, w 2 5, w 3 nil\nsession\ncommit: r 1 nil\n"},
    {"nor a transaction that also writes another value", "plume", "w(1,0,0,0)\nw(2,5,0,0)\nr(1,0,1,1)\n", NULL, AUTO, 0,
     "session\ncommit: w 1 nil, w 2 5\nsession\ncommit: r 1 nil\n"},
    {"nor a transaction that comes later", "plume", "r(1,0,1,1)\nw(1,0,0,0)\n", NULL, AUTO, 0,
     "session\ncommit: r 1 nil\nsession\ncommit: w 1 nil\n"},
    {"nor an aborted transaction", "plume", "w(1,0,0,-1)\nr(1,0,1,1)\n", NULL, AUTO, 0,
     "session\nabort: w 1 nil\nsession\ncommit: r 1 nil\n"},
    {"aborted ones before it do not count", "plume", "w(1,9,0,-1)\nw(1,0,0,0)\nr(1,0,1,1)\n", NULL, AUTO, 1,
     "session\nabort: w 1 9\nsession\ncommit: r 1 nil\n"},
    {"a history of nothing else", "plume", "w(1,0,0,0)\nw(2,0,0,0)\n", NULL, AUTO, 1, "# isolab: nothing\n"},
    {"keys that nothing else uses go with it", "plume", "w(1,0,0,0)\nw(2,0,0,0)\nr(2,0,1,1)\n", NULL, AUTO, 1,
     "session\ncommit: r 2 nil\n"},
    {"yes, of Plume text", "plume", "w(1,7,0,0)\nw(2,8,0,0)\nr(1,7,1,1)\nr(2,0,1,1)\n", NULL, YES, 1,
     "session\ncommit: r 1 nil, r 2 0\n"},
    {"yes, and it is not the first one", "plume", "r(1,0,1,1)\nw(2,3,1,1)\nw(2,0,7,7)\nw(1,0,7,7)\n", NULL, YES, 1,
     "session\ncommit: r 1 nil, w 2 3\n"},
    {"auto leaves that one alone", "plume", "r(1,0,1,1)\nw(2,3,1,1)\nw(2,0,7,7)\nw(1,0,7,7)\n", NULL, AUTO, 0,
     "session\ncommit: r 1 nil, w 2 3\nsession\ncommit: w 2 nil, w 1 nil\n"},
    {"yes, but it reads", "plume", "w(1,7,0,0)\nr(2,0,0,0)\n", NULL, YES, 0, "does more than write registers"},
    {"yes, but it writes twice", "plume", "w(1,7,0,0)\nw(1,8,0,0)\n", NULL, YES, 0, "writes two values to one key"},
    {"yes, of nothing", "isolab", "session A\n", NULL, YES, 0, "found no operations"},
    {"another value that means initial", "plume", "w(1,5,0,0)\nr(1,0,1,1)\nr(1,5,2,2)\n", "5", AUTO, 1,
     "session\ncommit: r 1 nil\nsession\ncommit: r 1 nil\n"},

    {"AWDIT's text", "test", "w 1 0\nw 2 0\n====\nr 1 0\nw 1 1\n====\nr 1 0\nw 1 2\n", NULL, AUTO, 1,
     "session\ncommit: r 1 nil, w 1 1\nsession\ncommit: r 1 nil, w 1 2\n"},
    {"and its session goes on", "test", "w 1 0\n----\nr 1 0\n====\nr 1 0\nw 1 2\n", NULL, AUTO, 1,
     "session\ncommit: r 1 nil\nsession\ncommit: r 1 nil, w 1 2\n"},
    {"0 of a key that it did not write", "test", "w 1 0\n====\nr 1 0\nw 2 0\n", NULL, AUTO, 0,
     "session\ncommit: w 1 0\nsession\ncommit: r 1 0, w 2 0\n"},
    {"0 elsewhere, where 0 is initial", "test", "w 1 0\n====\nr 1 0\nw 2 0\n", "0", AUTO, 1,
     "session\ncommit: r 1 nil, w 2 nil\n"},
    {"another value in AWDIT's text", "test", "w 1 5\nw 2 6\n====\nr 1 5\nr 2 0\n", NULL, AUTO, 0,
     "session\ncommit: w 1 5, w 2 6\nsession\ncommit: r 1 5, r 2 0\n"},
    {"yes, of AWDIT's text", "test", "w 1 5\nw 2 6\n====\nr 1 5\nr 2 0\n", NULL, YES, 1,
     "session\ncommit: r 1 nil, r 2 0\n"},
    {"yes, in the middle", "test", "r 1 0\nw 1 3\n====\nw 1 0\nw 2 0\n====\nr 2 0\n", NULL, YES, 1,
     "session\ncommit: r 1 nil, w 1 3\nsession\ncommit: r 2 nil\n"},

    {"dbcop's JSON", "dbcop-json",
     "[[{\"events\":[[\"w\",1,0]],\"committed\":true}],[{\"events\":[[\"r\",1,0],[\"w\",1,2]],\"committed\":true}]]",
     NULL, AUTO, 1, "session\ncommit: r 1 nil, w 1 2\n"},
    {"dbcop's text", "dbcop-hist", "[x:=0 y:=0]\n---\n[x==0 y:=2]\n---\n[z==0]\n", NULL, AUTO, 1,
     "session\ncommit: r x nil, w y 2\nsession\ncommit: r z nil\n"},

    {"JSON lines with a header", "jsonl",
     "{\"isolab\":1,\"initial\":0}\n{\"session\":9,\"ops\":[[\"w\",\"x\",0]]}\n{\"session\":1,\"ops\":[[\"r\",\"x\",0]]"
     "}\n",
     NULL, AUTO, 1, "session\ncommit: r x nil\n"},
    {"and a file that says no", "jsonl",
     "{\"isolab\":1,\"initial\":0,\"initial_transaction\":false}\n{\"session\":9,\"ops\":[[\"w\",\"x\",0]]}\n", NULL,
     AUTO, 0, "session\ncommit: w x nil\n"},
    {"but the caller says yes", "jsonl",
     "{\"isolab\":1,\"initial\":0,\"initial_transaction\":false}\n{\"session\":9,\"ops\":[[\"w\",\"x\",0]]}\n", NULL,
     YES, 1, "# isolab: nothing\n"},
    {"without a header 0 is a value like others", "jsonl",
     "{\"session\":9,\"ops\":[[\"w\",\"x\",0]]}\n{\"session\":1,\"ops\":[[\"r\",\"x\",0]]}\n", NULL, AUTO, 0,
     "session\ncommit: w x 0\nsession\ncommit: r x 0\n"},
    {"unless the caller says so", "jsonl",
     "{\"session\":9,\"ops\":[[\"w\",\"x\",0]]}\n{\"session\":1,\"ops\":[[\"r\",\"x\",0]]}\n", "0", AUTO, 1,
     "session\ncommit: r x nil\n"},
    {"to write null is to delete", "jsonl",
     "{\"session\":9,\"ops\":[[\"w\",\"x\",null]]}\n{\"session\":1,\"ops\":[[\"r\",\"x\",null]]}\n", NULL, AUTO, 0,
     "session\ncommit: w x nil\nsession\ncommit: r x nil\n"},
    {"a log of a register that begins at 0", "jsonl", "{\"session\":1,\"ops\":[[\"r\",\"x\",0]]}\n", "0", AUTO, 0,
     "session\ncommit: r x nil\n"},
    {"a string that means initial", "jsonl", "{\"session\":1,\"ops\":[[\"r\",\"x\",\"none\"],[\"r\",\"y\",0]]}\n",
     "none", AUTO, 0, "session\ncommit: r x nil, r y 0\n"},
    {"nothing but digits is a number", "jsonl", "{\"session\":1,\"ops\":[[\"r\",\"x\",\"12\"],[\"r\",\"y\",12]]}\n",
     "12", AUTO, 0, "session\ncommit: r x \"12\", r y nil\n"},
    {"digits with a 0 before them are a string", "jsonl",
     "{\"session\":1,\"ops\":[[\"r\",\"x\",\"012\"],[\"r\",\"y\",12]]}\n", "012", AUTO, 0,
     "session\ncommit: r x nil, r y 12\n"},
    {"the greatest number", "jsonl", "{\"session\":1,\"ops\":[[\"r\",\"x\",18446744073709551615]]}\n",
     "18446744073709551615", AUTO, 0, "session\ncommit: r x nil\n"},
    {"the least one", "jsonl", "{\"session\":1,\"ops\":[[\"r\",\"x\",-9223372036854775808]]}\n", "-9223372036854775808",
     AUTO, 0, "session\ncommit: r x nil\n"},

    {"isolab text", "isolab", "initial 0\nsession A\ncommit: w x 0\nsession B\ncommit: r x 0\n", NULL, AUTO, 1,
     "session\ncommit: r x nil\n"},
    {"which says no", "isolab", "initial 0\ninitial-transaction no\nsession A\ncommit: w x 0\n", NULL, AUTO, 0,
     "session\ncommit: w x nil\n"},
    {"a transaction may have that name", "isolab", "session A\ninitial-transaction commit: w x 0\n", NULL, AUTO, 0,
     "session\ncommit: w x 0\n"},
    {"lists are none of its business", "isolab",
     "initial 0\nsession A\ncommit: w x 0, append l 0\nsession B\ncommit: r x 0\n", NULL, AUTO, 0,
     "session\ncommit: w x nil, append l 0\nsession\ncommit: r x nil\n"},
    {"nor are elements that look like the initial value of registers", "isolab",
     "session A\ncommit: append l 0, r x 0\nsession B\ncommit: rl l [0]\n", "0", AUTO, 0,
     "session\ncommit: append l 0, r x nil\nsession\ncommit: rl l [0]\n"},
    {"times that do not contradict", "isolab",
     "initial 0\nsession A\ncommit @3..5: w x 0\nsession B\ncommit @1..3: r x 0\n", NULL, AUTO, 1,
     "session\ncommit @1..3: r x nil\n"},
    {"times that do", "isolab", "initial 0\nsession A\ncommit @3..5: w x 0\nsession B\ncommit @1..2: r x 0\n", NULL,
     AUTO, 0, "session\ncommit @3..5: w x nil\nsession\ncommit @1..2: r x nil\n"},
    {"even if the caller says yes", "isolab", "session A\ncommit @3..5: w x 7\nsession B\ncommit @1..2: r x 7\n", NULL,
     YES, 0, "started after another one had ended"},
    {"one whose outcome is not known is none", "isolab",
     "initial 0\nsession A\nmaybe: w x 0\nsession B\ncommit: r x 0\n", NULL, AUTO, 0,
     "session\nmaybe: w x nil\nsession\ncommit: r x nil\n"},
    {"yes: nil is another value then", "isolab",
     "session A\ncommit: w x 7\nsession B\ncommit: r x 7, r x nil, r y nil\n", NULL, YES, 1,
     "session\ncommit: r x nil, r x \"nil\", r y nil\n"},
    {"a value that does not occur yet", "isolab", "session A\ncommit: w x 7\nsession B\ncommit: r x \"nil\", r x nil\n",
     NULL, YES, 1, "session\ncommit: r x \"nil\", r x \"nil'\"\n"},

    {"a log", "elle",
     "{:type :invoke :process 5 :f :txn :value [[:w 1 0]]}\n{:type :ok :process 5 :f :txn :value [[:w 1 0]]}\n"
     "{:type :invoke :process 0 :f :txn :value [[:r 1 nil]]}\n{:type :ok :process 0 :f :txn :value [[:r 1 0]]}\n",
     "0", AUTO, 1, "session\ncommit @2..3: r 1 nil\n"},
    {"whose first operation failed", "elle",
     "{:type :invoke :process 0 :f :txn :value [[:w 1 3]]}\n{:type :fail :process 0 :f :txn :value [[:w 1 3]]}\n"
     "{:type :invoke :process 5 :f :txn :value [[:w 1 0]]}\n{:type :ok :process 5 :f :txn :value [[:w 1 0]]}\n",
     "0", AUTO, 0, "session\nabort @0..1: w 1 3\nsession\ncommit @2..3: w 1 nil\n"},
    {"what comes first in it, not in the order of processes", "elle",
     "{:type :invoke :process 5 :f :txn :value [[:r 1 nil]]}\n{:type :ok :process 5 :f :txn :value [[:r 1 0]]}\n"
     "{:type :invoke :process 0 :f :txn :value [[:w 1 0]]}\n{:type :ok :process 0 :f :txn :value [[:w 1 0]]}\n",
     "0", AUTO, 0, "session\ncommit @2..3: w 1 nil\nsession\ncommit @0..1: r 1 nil\n"},
};

static void try_case(size_t i) {
    const char *what = cases[i].what;
    isolab_history *h = load(cases[i].format, cases[i].text, cases[i].initial, cases[i].rule);
    if (h == NULL) {
        ok(strstr(env.error.message, cases[i].is) != NULL && env.error.code == ISOLAB_E_INPUT, "%s: refused (%s)", what,
           env.error.message);
        return;
    }
    char why[256] = "";
    isolab_history *expected = load("isolab", cases[i].is, NULL, NO);
    if (expected == NULL) {
        fail("%s: it should have been refused", what);
        return;
    }
    bool same = iso_history_equal(h, expected, why, sizeof why);
    ok(same && h->taken.n_txns == cases[i].taken && h->n_keys == expected->n_keys, "%s", what);
    if (!same || h->taken.n_txns != cases[i].taken) {
        diag("%s; %u taken", why, h->taken.n_txns);
        iso_format_find("isolab")->write(h, &(iso_sink){.pool = &pool, .path = "-", .out = stderr});
    }
}

/* ---- without memory ---- */

/* Each allocation fails once: an error, and nothing is left. */
/* The transaction that is alone in its session and writes every key. */
static void alone(void) {
    static const struct {
        const char *what, *text;
        uint32_t txn;
    } all[] = {
        {"the only one of its session", "initial 0\nsession\ncommit: w x 0, w y 0\nsession\ncommit: r x 0\n", 0},
        {"beside an aborted one",
         "initial 0\nsession\nabort: w z 5\ncommit: w x 0, w y 0, w z 0\nsession\ncommit: r x 0\n", 1},
        {"beside one without operations", "initial 0\nsession\ncommit: w x 0, w y 0\ncommit:\nsession\ncommit: r x 0\n",
         0},
        {"beside another one", "initial 0\nsession\ncommit: w x 0, w y 0\ncommit: r x 0\n", ISO_NONE},
        {"of one key", "initial 0\nsession\ncommit: w x 0\nsession\ncommit: r x 0\n", ISO_NONE},
        {"not of every key", "initial 0\nsession\ncommit: w x 0, w y 0\nsession\ncommit: r z 0\n", ISO_NONE},
        {"of a key twice", "initial 0\nsession\ncommit: w x 0, w y 0, w x 0\nsession\ncommit: r x 0\n", ISO_NONE},
        {"of another value", "initial 0\nsession\ncommit: w x 0, w y 1\nsession\ncommit: r x 0\n", ISO_NONE},
        {"in a later session", "initial 0\nsession\ncommit: r x 0\nsession\ncommit: w x 0, w y 0\n", 1},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const isolab_history *h = load("isolab", all[i].text, NULL, NO);
        ok(h != NULL && iso_initial_alone(&pool, h) == all[i].txn, "alone: %s", all[i].what);
        iso_pool_free(&pool);
    }
}

static void words(void) {
    iso_initial_rule rule = ISO_INITIAL_YES;
    ok(iso_initial_rule_of("auto", &rule) && rule == ISO_INITIAL_AUTO, "auto is a rule");
    ok(iso_initial_rule_of("no", &rule) && rule == ISO_INITIAL_NO, "no is one");
    ok(iso_initial_rule_of("yes", &rule) && rule == ISO_INITIAL_YES, "yes is one");
    ok(!iso_initial_rule_of("maybe", &rule) && !iso_initial_rule_of("", &rule) && rule == ISO_INITIAL_YES,
       "no other word is");
}

static void without_memory(const char *format, const char *text, iso_initial_rule rule) {
    bool good = true;
    int64_t n = 0;
    for (int code = ISOLAB_E_LIMIT; good && code != ISOLAB_OK; n++) {
        loading l = {.format = format, .text = text, .how = {.initial = "0", .rule = rule}};
        atomic_store(&env.limits->fail_after, n);
        code = iso_guard(&env, load_guarded, &l);
        atomic_store(&env.limits->fail_after, -1);
        good = code == ISOLAB_OK ? l.h->taken.n_txns == 1 : code == ISOLAB_E_LIMIT;
        iso_pool_free(&pool);
        good &= env.limits->used == 0;
    }
    ok(good && n > 5, "%s: any of %lld allocations may fail", format, (long long)n);
}

/* ---- at random ---- */

enum { FORMATS = 6 };
static const char *const formats[FORMATS] = {"plume", "test", "jsonl", "isolab", "dbcop-hist", "isolab"};
enum { PLUME, TEST, JSONL, ISOLAB, HIST, TIMED };

typedef struct text {
    char at[1 << 14];
    size_t used;
} text;

static void put(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(text *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->at + t->used, sizeof t->at - t->used, format, args);
    va_end(args);
    t->used += n > 0 ? (size_t)n : 0;
    if (t->used >= sizeof t->at) {
        bail_out("a history is too long");
    }
}

/* Operation number i of transaction t of session s; the initial value is 0. */
static void put_op(text *out, int format, bool write, uint32_t key, uint64_t value, uint32_t s, int t, bool first) {
    switch (format) {
    case PLUME:
        put(out, "%c(%u,%llu,%u,%d)\n", write ? 'w' : 'r', key, (unsigned long long)value, s, t);
        break;
    case TEST:
        put(out, "%c %u %llu\n", write ? 'w' : 'r', key, (unsigned long long)value);
        break;
    case JSONL:
        put(out, "%s[\"%c\",%u,%llu]", first ? "" : ",", write ? 'w' : 'r', key, (unsigned long long)value);
        break;
    case HIST:
        put(out, "%s%u%s%llu", first ? "" : " ", key, write ? ":=" : "==", (unsigned long long)value);
        break;
    default:
        put(out, "%s%c %u %llu", first ? " " : ", ", write ? 'w' : 'r', key, (unsigned long long)value);
    }
}

static void begin_txn(text *out, int format, uint32_t s, bool aborted, bool initial) {
    if (format == JSONL) {
        put(out, "{\"session\":%u,\"status\":\"%s\",\"ops\":[", s, aborted ? "aborted" : "committed");
    } else if (format == ISOLAB || format == TIMED) {
        put(out, "%s%s:", aborted ? "abort" : "commit", format != TIMED ? "" : initial ? " @1..2" : " @3..4");
    } else if (format == HIST) {
        put(out, "[");
    }
}

static void end_txn(text *out, int format, bool aborted) {
    static const char *const end[FORMATS] = {"", "----\n", "]}\n", "\n", "]", "\n"};
    put(out, "%s%s", end[format], format == HIST && aborted ? "!\n" : format == HIST ? "\n" : "");
}

static void begin_session(text *out, int format, uint32_t s) {
    if (format == ISOLAB || format == TIMED) {
        put(out, "session\n");
    } else if (s > 0 && (format == HIST || format == TEST)) {
        put(out, format == HIST ? "---\n" : "====\n");
    }
}

/* The history with its initial state written out as session 0, or without (then the initial value is nil's number). */
static const char *write_out(const isolab_history *h, int format, bool written, text *out) {
    out->used = 0;
    out->at[0] = '\0';
    put(out, "%s",
        format == JSONL                       ? "{\"isolab\":1,\"initial\":0}\n"
        : format == ISOLAB || format == TIMED ? "initial 0\n"
                                              : "");
    if (written) {
        begin_session(out, format, 0);
        begin_txn(out, format, 0, false, true);
        for (uint32_t k = 0; k < h->n_keys; k++) {
            put_op(out, format, true, k + 1, 0, 0, 0, k == 0);
        }
        end_txn(out, format, false);
    }
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        begin_session(out, format, s + written);
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
            bool aborted = h->txn_status[t] == ISO_ABORTED;
            begin_txn(out, format, s + written, aborted, false);
            for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
                put_op(out, format, h->op_kind[o] == ISO_WRITE, h->op_key[o] + 1, h->version_bits[h->op_version[o]],
                       s + written, aborted ? -1 : (int)t + 1, o == h->txn_op[t]);
            }
            end_txn(out, format, aborted);
        }
    }
    return out->at;
}

static bool satisfies(const isolab_history *h, iso_level level) {
    iso_result result;
    iso_result_init(&result, &pool);
    iso_check(iso_checker_find("brute"), h, &(iso_question){.level = level}, &result);
    if (result.verdict == ISOLAB_UNKNOWN) {
        bail_out("brute does not know: %s", result.reason);
    }
    return result.verdict == ISOLAB_SATISFIED;
}

typedef struct found {
    unsigned failures, hidden, read; /* hidden: violations that an ordinary transaction would hide */
    uint64_t seed;
} found;

static void wrong(found *f, const char *what, const char *detail, const char *input) {
    if (f->failures++ < 5) {
        diag("seed %llu: %s: %s\n%s", (unsigned long long)f->seed, what, detail, input);
    }
}

/* All formats hold it. */
static bool is_plain(const isolab_history *h) {
    bool plain = h->n_ops > 0 && h->n_aborted == 0;
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        plain &= h->session_txn[s] < h->session_txn[s + 1];
    }
    for (uint32_t t = 0; t < h->n_txns; t++) {
        plain &= h->txn_op[t] < h->txn_op[t + 1];
    }
    return plain;
}

/* The same history in every format, with its initial state as a transaction and without. */
static void compare(void *arg) {
    found *f = arg;
    static text base, input;
    iso_rng rng = {f->seed};
    iso_small_shape shape = {.txns = 4,
                             .ops = 3,
                             .keys = 2,
                             .sessions = 3,
                             .duplicates = iso_random_below(&rng, 2) == 0,
                             .aborted = iso_random_below(&rng, 3) == 0};
    isolab_history *h = iso_random_small(&pool, f->seed, &shape);
    bool plain = is_plain(h);
    isolab_history *expected = load("isolab", write_out(h, ISOLAB, false, &base), NULL, NO);
    for (int i = 0; i < FORMATS; i++) {
        if (i != ISOLAB && i != TIMED && !plain) {
            continue;
        }
        char why[256] = "refused";
        isolab_history *read = load(formats[i], write_out(h, i, true, &input), NULL, AUTO);
        if (i == TIMED) {
            isolab_history *ordinary = load(formats[i], input.at, NULL, NO);
            /* it comes first in real time, and nothing else has an order by it */
            for (int l = ISO_LSER; l <= ISO_SSER; l++) {
                if (satisfies(ordinary, (iso_level)l) != satisfies(expected, ISO_SER)) {
                    wrong(f, "not what brute says of real time", iso_level_get((iso_level)l)->name, input.at);
                }
            }
            for (int l = 0; l < ISO_LSER; l++) {
                bool without = satisfies(ordinary, (iso_level)l), with = satisfies(expected, (iso_level)l);
                f->hidden += without && !with;
                if (with && !without) {
                    wrong(f, "an initial transaction excuses", iso_level_get((iso_level)l)->name, input.at);
                }
            }
        } else if (read == NULL || !iso_history_equal(read, expected, why, sizeof why) || read->taken.n_txns != 1 ||
                   read->taken.n_keys != h->n_keys) {
            wrong(f, formats[i], read == NULL ? env.error.message : why, input.at);
        }
        f->read++;
    }
}

static void at_random(void) {
    const char *quick = getenv("ISOLAB_QUICK"), *deep = getenv("ISOLAB_DEEP");
    uint64_t first = seed_or(1);
    unsigned rounds = quick != NULL ? 200 : deep != NULL ? 100000 : 2000;
    found f = {.failures = 0};
    diag("seed %llu (set ISOLAB_SEED to repeat)", (unsigned long long)first);
    for (unsigned i = 0; i < rounds; i++) {
        f.seed = first + i;
        if (iso_guard(&env, compare, &f) != ISOLAB_OK) {
            wrong(&f, "thrown", env.error.message, "");
        }
        iso_pool_free(&pool);
    }
    cmp_ok(f.failures, "==", 0, "%u histories with a written initial state equal the histories without", f.read);
    cmp_ok(f.hidden, ">", 0, "as a transaction like others it would hide violations: %u", f.hidden);
}

/* The notes about the transactions that were taken as initial ones. */
static void texts(void) {
    static const struct {
        const char *format, *text;
        iso_initial_rule rule;
        const char *says;
    } all[] = {
        {"plume", "w(1,0,0,0)\nr(1,0,1,1)\n", AUTO,
         "transaction 0 of session 0 is taken as the initial one: it writes 1 key"},
        {"plume", "w(1,0,3,7)\nw(2,0,3,7)\nr(1,0,1,1)\n", AUTO,
         "transaction 7 of session 3 is taken as the initial one: it writes 2 keys"},
        {"plume", "w(1,0,0,4)\nw(2,0,0,5)\nr(1,0,1,6)\n", AUTO,
         "2 transactions, from transaction 4 on, of session 0 are taken as the initial one: they write 2 keys"},
        {"isolab", "initial 0\nsession\ncommit: w x 0, w y 0, w z 0\nsession\ncommit: r x 0\n", AUTO,
         "the first transaction is taken as the initial one: it writes 3 keys"},
        {"isolab", "initial 0\nsession\ncommit: r x 0, w x 3\nsession B\ncommit: w x 0, w y 0\n", YES,
         "transaction t1 of session B is taken as the initial one: it writes 2 keys"},
        {"isolab", "session A\ncommit: w x 1\n", AUTO, ""},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char said[ISO_TAKEN_SIZE];
        const isolab_history *h = load(all[i].format, all[i].text, NULL, all[i].rule);
        is(h == NULL ? env.error.message : iso_taken_text(h, said), all[i].says, "what was taken, %zu", i);
        iso_pool_free(&pool);
    }
}

int main(void) {
    plan(NO_PLAN);
    iso_env_init(&env);
    iso_pool_init(&pool, &env);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        try_case(i);
        iso_pool_free(&pool);
    }
    without_memory("plume", "w(1,0,0,0)\nw(2,0,0,0)\nr(1,0,1,1)\n", AUTO);
    without_memory("test", "w 1 0\nw 2 0\n----\nr 2 0\n====\nr 1 0\n", YES);
    without_memory("isolab", "session A\ncommit: w x 7\nsession B\ncommit: r x nil, r x 7\n", YES);
    alone();
    words();
    texts();
    at_random();
    return done_testing();
}
