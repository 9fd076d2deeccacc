/* Tests include/isolab.h. The public interface: errors, building by calls, limits, many threads on one history. */
#include "include/isolab.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/tap.h"

static const char fractured[] = "session A\nt1 commit: w x 1, w y 1\nsession B\nt2 commit: r x 1, r y nil\n";

static isolab_history *text(const char *bytes, isolab_error *error) {
    return isolab_read(bytes, strlen(bytes), "isolab", error);
}

static void reads(void) {
    isolab_error e;
    isolab_history *h = text(fractured, &e);
    ok(h != NULL, "a history is read from memory");
    if (h == NULL) {
        bail_out("%s", e.message);
    }
    cmp_ok((int64_t)isolab_history_sessions(h), "==", 2, "the history has two sessions");
    cmp_ok((int64_t)isolab_history_transactions(h), "==", 2, "the history has two transactions");
    cmp_ok((int64_t)isolab_history_operations(h), "==", 4, "the history has four operations");
    cmp_ok((int64_t)isolab_history_keys(h), "==", 2, "the history has two keys");
    ok(isolab_history_is_unique(h), "the values of the history are unique");
    char words[512] = "";
    ok(isolab_history_clock(h, words, sizeof words) == 0, "no clock ran backwards");
    isolab_history *back = text("session A\nt1 commit @3..4: w x 1\nt2 commit @1..2: r x 1\n", &e);
    ok(isolab_history_clock(back, words, sizeof words) == 1 &&
           strstr(words, "t2 comes after t1, but ended (2)") != NULL,
       "%s", words);
    ok(isolab_history_clock(back, NULL, 0) == 1, "without words, too");
    isolab_history_free(back);
    isolab_history_free(h);
    isolab_history_free(NULL);

    ok(text("session A\nt1 commit: q x 1\n", &e) == NULL, "malformed input is refused");
    cmp_ok(e.code, "==", ISOLAB_E_INPUT, "reported as malformed input");
    cmp_ok((int64_t)e.line, "==", 2, "with its line");
    is(e.file, "memory", "and where it came from");
    ok(isolab_open("no/such/file", NULL, &e) == NULL && e.code == ISOLAB_E_IO, "a missing file is an I/O error");
    is(e.file, "no/such/file", "with its name");
    ok(isolab_read("", 0, "no-such-format", &e) == NULL && e.code == ISOLAB_E_USAGE, "an unknown format is refused");
    ok(isolab_read("\1\2\3", 3, NULL, NULL) == NULL, "the error may be left out");
}

/* What the reader shows of a history, as isolab text with everything that it has. */
static void looks(void) {
    isolab_error e;
    isolab_history *h = text("session A\nt1 commit @3..4: w x 1, append l 7\n\"t 2\" abort: r x not 5, rl l [7 8]\n"
                             "session 9\ncommit: r \"k\" 18446744073709551615, r x nil\n",
                             &e);
    if (h == NULL) {
        bail_out("%s", e.message);
    }
    isolab_reader *r = isolab_reader_new(h);
    ok(isolab_reader_operation(r, 0) == NULL, "a reader begins nowhere");
    const isolab_txn *t = isolab_reader_transaction(r, 1);
    ok(t->number == 1 && t->status == ISOLAB_ABORTED && t->line == 3 && t->number_in_session == 2,
       "a transaction by its number");
    is(t->name, "t 2", "with its name");
    is(t->session, "A", "and its session");
    const isolab_op *op = isolab_reader_operation(r, 0);
    ok(op->kind == ISOLAB_READ && op->is_not && op->value.number == 5 && op->elements == NULL,
       "a read that did not return 5");
    is(op->key.text, "x", "of key x");
    op = isolab_reader_operation(r, 1);
    ok(op->kind == ISOLAB_LIST_READ && op->n_elements == 2 && op->elements[0].number == 7 && !op->is_not &&
           op->elements[1].number == 8,
       "a list with its elements");
    is(op->text, "rl l [7 8]", "in isolab text");
    ok(isolab_reader_operation(r, 2) == NULL, "and no third operation");
    t = isolab_reader_transaction(r, 0);
    ok(t->start == 3 && t->end == 4 && strcmp(t->time_unit, "ns") == 0, "times");
    ok(isolab_reader_operation(r, 0)->kind == ISOLAB_WRITE && isolab_reader_operation(r, 1)->kind == ISOLAB_APPEND &&
           isolab_reader_operation(r, 1)->value.number == 7,
       "a write and an append");
    t = isolab_reader_transaction(r, 2);
    ok(t->start == ISOLAB_NO_TIME && t->id.kind == ISOLAB_NIL && t->session_number == 1, "a transaction without an id");
    is(isolab_reader_operation(r, 0)->value.text, "18446744073709551615", "a number beyond a signed one is a text");
    ok(isolab_reader_operation(r, 1)->value.kind == ISOLAB_NIL, "a read of the initial value");
    ok(isolab_reader_transaction(r, 3) == NULL && isolab_reader_operation(r, 0) == NULL, "there is no fourth");
    ok(isolab_reader_transaction(r, UINT64_MAX) == NULL, "nor one of the largest number");
    isolab_reader_free(r);
    isolab_reader_free(NULL);
    isolab_history_free(h);
}

static void checks(void) {
    isolab_error e;
    isolab_history *h = text(fractured, &e);
    isolab_result *r = isolab_check(h, "read atomic", NULL, &e);
    ok(r != NULL && isolab_result_verdict(r) == ISOLAB_VIOLATED, "a fractured read violates ra");
    cmp_ok((int64_t)isolab_result_anomalies(r), ">=", 1, "with an anomaly");
    ok(isolab_anomaly_name(r, 0) != NULL && isolab_anomaly_words(r, 0)[0] != '\0', "with a name, in words");
    ok(isolab_anomaly_name(r, 1000) == NULL, "and there is no thousandth");
    isolab_result_free(r);
    r = isolab_check(h, "ci", NULL, &e);
    ok(r != NULL && isolab_result_verdict(r) == ISOLAB_SATISFIED, "but not cut isolation");
    isolab_result_free(r);
    ok(isolab_check(h, "repeatable-read", NULL, &e) == NULL && e.code == ISOLAB_E_USAGE, "a refused level");
    like(e.message, "different levels", "the error says why");

    isolab_options *o = isolab_options_new();
    ok(isolab_options_set(o, "no-such", "1", &e) == ISOLAB_E_USAGE, "an unknown option is refused");
    ok(isolab_options_set(o, "all", "perhaps", &e) == ISOLAB_E_USAGE, "and a wrong value");
    ok(isolab_options_set(o, "checker", "nosuch", NULL) == ISOLAB_E_USAGE, "and an unknown checker");
    ok(isolab_options_set(o, "checker", "brute", &e) == ISOLAB_OK, "a known one is taken");
    ok(isolab_options_set(o, "count", "yes", &e) == ISOLAB_OK, "a flag takes `yes`");
    ok(isolab_check(h, "ci", o, &e) == NULL && e.code == ISOLAB_E_USAGE, "ci has no orders to count");
    r = isolab_check(h, "g1", o, &e);
    if (r == NULL) {
        bail_out("%s", e.message);
    }
    is(isolab_result_checker(r), "brute", "the checker named answers");
    is(isolab_result_witnesses(r), "1", "and counts: the write-read edge orders the two transactions");
    isolab_result_free(r);
    isolab_options_set(o, "checker", "auto", &e);
    isolab_options_set(o, "count", "no", &e);
    isolab_options_set(o, "certificate", "1", &e);
    r = isolab_check(h, "ra", o, &e);
    ok(isolab_result_certificate(r) != NULL && strstr(isolab_result_certificate(r), "\nviolated\n") != NULL,
       "a certificate");
    isolab_result_free(r);
    isolab_options_set(o, "checker", "brute", &e);
    isolab_options_set(o, "memory", "1", &e);
    r = isolab_check(h, "ser", o, &e);
    ok(r != NULL && isolab_result_verdict(r) == ISOLAB_UNKNOWN, "a memory limit makes the answer unknown");
    like(isolab_result_reason(r), "memory limit", "and says so");
    is(isolab_result_reason_code(r), "memory", "also by a word");
    isolab_result_free(r);
    isolab_options_free(o);
    isolab_history_free(h);
}

static void builds(void) {
    isolab_error e;
    isolab_builder *b = isolab_builder_new();
    uint32_t s = isolab_builder_session(b, isolab_nil());
    uint32_t t = isolab_builder_transaction(b, s, isolab_nil(), ISOLAB_COMMITTED);
    isolab_value list[2] = {isolab_int(1), isolab_int(2)};
    isolab_builder_operation(b, t, ISOLAB_APPEND, isolab_text("l"), list[0]);
    isolab_builder_operation(b, t, ISOLAB_APPEND, isolab_text("l"), list[1]);
    isolab_builder_list_read(b, t, isolab_text("l"), list, 2);
    isolab_builder_times(b, t, 1, 2);
    isolab_history *h = isolab_builder_finish(b, &e);
    ok(h != NULL, "lists and times");
    isolab_result *r = h != NULL ? isolab_check(h, "sser", NULL, &e) : NULL;
    ok(r != NULL && isolab_result_verdict(r) == ISOLAB_SATISFIED, "a transaction that reads its own appends");
    isolab_result_free(r);
    isolab_history_free(h);

    b = isolab_builder_new();
    isolab_builder_operation(b, 7, ISOLAB_READ, isolab_text("x"), isolab_nil());
    isolab_builder_session(b, isolab_nil());
    ok(isolab_builder_finish(b, &e) == NULL && e.code == ISOLAB_E_USAGE, "a transaction that was not made is refused");
    like(e.message, "transaction 7", "the error names the transaction");
    b = isolab_builder_new();
    isolab_builder_session(b, isolab_text(NULL));
    ok(isolab_builder_finish(b, &e) == NULL && e.code == ISOLAB_E_USAGE, "a text that is NULL is refused");
    isolab_builder_free(isolab_builder_new());
}

static void saves(void) {
    isolab_error e;
    char path[] = "/tmp/isolab-library-XXXXXX";
    int fd = mkstemp(path);
    isolab_history *h = text(fractured, &e);
    ok(isolab_save(h, path, "jsonl", 0, &e) == ISOLAB_OK, "a history is saved");
    isolab_history *again = isolab_open(path, NULL, &e);
    ok(again != NULL && isolab_history_operations(again) == 4, "and read again");
    isolab_history_free(again);
    ok(isolab_save(h, path, "no-such", 0, &e) == ISOLAB_E_USAGE, "not as an unknown format");
    ok(isolab_save(h, "no/such/folder", "jsonl", 0, &e) == ISOLAB_E_IO, "nor in a folder that does not exist");
    isolab_history_free(h);
    close(fd);
    unlink(path);
}

/* A session that reads after its own write: satisfied only where session order does not count. */
static const char backwards[] = "session A\nt1 commit: w x 1\nt2 commit: r x nil\n";
/* Five reads of values without a writer. */
static const char thin[] = "session A\nt1 commit: r a 1, r b 2, r c 3, r d 4, r e 5\n";
/* One value with two writers. */
static const char twins[] = "session A\nt1 commit: w x 1\nsession B\nt2 commit: w x 1\nt3 commit: r x 1\n";

static isolab_verdict verdict(const isolab_history *h, const char *level, const isolab_options *o) {
    isolab_error e;
    isolab_result *r = isolab_check(h, level, o, &e);
    if (r == NULL) {
        bail_out("%s", e.message);
    }
    isolab_verdict v = isolab_result_verdict(r);
    isolab_result_free(r);
    return v;
}

/* What a function that takes anomalies was told. */
typedef struct told {
    int n, good;
} told;

static void hear(void *arg, const isolab_result *found) {
    told *t = arg;
    t->n++;
    t->good += isolab_result_anomalies(found) == 1 && strcmp(isolab_anomaly_name(found, 0), "thin-air-read") == 0 &&
               strstr(isolab_anomaly_words(found, 0), "no transaction wrote") != NULL &&
               isolab_anomaly_transactions(found, 0) == 1;
}

static void options(void) {
    isolab_error e;
    isolab_options *o = isolab_options_new();
    isolab_history *h = text(backwards, &e), *five = text(thin, &e), *two = text(twins, &e);
    cmp_ok(verdict(h, "ser", o), "==", ISOLAB_VIOLATED, "with session order");
    ok(isolab_options_set(o, "no-session-order", "1", &e) == ISOLAB_OK, "which can be left out");
    cmp_ok(verdict(h, "ser", o), "==", ISOLAB_SATISFIED, "without session order the history is serializable");
    isolab_options_free(o);

    o = isolab_options_new();
    isolab_result *r = isolab_check(five, "int", o, &e);
    cmp_ok((int64_t)isolab_result_anomalies(r), "==", 1, "the first anomaly");
    is(isolab_anomaly_plume(r, 0), "TAP-a", "has Plume's name");
    ok(isolab_anomaly_adya(r, 0) == NULL, "and none of Adya's");
    ok(isolab_anomaly_plume(r, 1) == NULL && isolab_anomaly_adya(r, 1) == NULL, "what is not there has no name");
    ok(isolab_result_milliseconds(r) > 0 && isolab_result_milliseconds(r) < 60000, "it took some time");
    ok(isolab_result_peak_memory(r) > 0 && isolab_result_peak_memory(r) < 100 << 20, "and some memory");
    isolab_result_free(r);
    isolab_options_set(o, "all", "yes", &e);
    r = isolab_check(five, "int", o, &e);
    cmp_ok((int64_t)isolab_result_anomalies(r), "==", 5,
           "with `all` every one of the five thin-air reads is an anomaly");
    isolab_result_free(r);
    ok(isolab_options_set(o, "limit", "3", &e) == ISOLAB_OK, "at most three");
    r = isolab_check(five, "int", o, &e);
    cmp_ok((int64_t)isolab_result_anomalies(r), "==", 3, "with a limit of three there are three anomalies");
    isolab_result_free(r);

    told heard = {.n = 0};
    isolab_options_each(o, hear, &heard);
    r = isolab_check(five, "int", o, &e);
    ok(isolab_result_anomalies(r) == 0 && isolab_result_told(r) == 3 && heard.n == 3 &&
           isolab_result_verdict(r) == ISOLAB_VIOLATED,
       "a function that takes them is called three times, and none is kept");
    ok(heard.good == 3, "each time with one anomaly, its name, its words and its transaction");
    isolab_result_free(r);
    ok(isolab_ladder(five, o, &e) == NULL && e.code == ISOLAB_E_USAGE, "a ladder has no such function");
    isolab_options_set(o, "all", "no", &e);
    isolab_options_set(o, "limit", "0", &e);
    ok(isolab_check(five, "int", o, &e) == NULL && e.code == ISOLAB_E_USAGE, "nor has a question about one anomaly");
    isolab_options_each(o, NULL, NULL);
    r = isolab_check(five, "int", o, &e);
    ok(r != NULL && isolab_result_anomalies(r) == 1 && isolab_result_told(r) == 0, "without it all is as before");
    isolab_result_free(r);
    isolab_options_set(o, "all", "yes", &e);
    isolab_options_set(o, "limit", "3", &e);

    static const char *const wrong[][2] = {{"checker", "nosuch"},     {"all", "maybe"},        {"limit", "many"},
                                           {"threads", "4097"},       {"threads", "two"},      {"seed", "1"},
                                           {"timeout", "0"},          {"timeout", "soon"},     {"memory", "1Q"},
                                           {"no-session-order", "2"}, {"option", "no-such=1"}, {"option", "width=9"},
                                           {"option", "P=no,width=9"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        memset(&e, 0, sizeof e);
        ok(isolab_options_set(o, wrong[i][0], wrong[i][1], &e) == ISOLAB_E_USAGE && e.code == ISOLAB_E_USAGE &&
               e.message[0] != '\0',
           "%s cannot be %s", wrong[i][0], wrong[i][1]);
        ok(isolab_options_set(o, wrong[i][0], wrong[i][1], NULL) == ISOLAB_E_USAGE, "also where no one asks why");
    }
    r = isolab_check(five, "int", o, &e);
    cmp_ok((int64_t)isolab_result_anomalies(r), "==", 3, "what was refused has changed nothing");
    isolab_result_free(r);
    static const char *const right[][2] = {{"threads", "2"}, {"option", "P=no,width=4"}, {"checker", "veristrong"}};
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        ok(isolab_options_set(o, right[i][0], right[i][1], &e) == ISOLAB_OK, "%s can be %s", right[i][0], right[i][1]);
    }
    cmp_ok(verdict(two, "ser", o), "==", ISOLAB_SATISFIED, "with all of these");
    isolab_options_set(o, "checker", "awdit", &e);
    r = isolab_check(two, "cc", o, &e);
    cmp_ok(isolab_result_verdict(r), "==", ISOLAB_UNKNOWN, "a checker that cannot take a history gives no verdict");
    like(isolab_result_reason(r), "both t1 and t2", "and says why");
    is(isolab_result_reason_code(r), "refused", "also by a word");
    isolab_result_free(r);
    isolab_options_free(o);

    /* More transactions than the only checker that counts takes. */
    isolab_builder *b = isolab_builder_new();
    uint32_t s = isolab_builder_session(b, isolab_nil());
    for (int i = 0; i < 100; i++) {
        uint32_t t = isolab_builder_transaction(b, s, isolab_nil(), ISOLAB_COMMITTED);
        isolab_builder_operation(b, t, ISOLAB_WRITE, isolab_int(1), isolab_int(i));
    }
    isolab_history *hundred = isolab_builder_finish(b, &e);
    o = isolab_options_new();
    isolab_options_set(o, "count", "1", &e);
    r = isolab_check(hundred, "ser", o, &e);
    ok(r != NULL && isolab_result_verdict(r) == ISOLAB_UNKNOWN && isolab_result_checker(r) == NULL,
       "what no one can answer is unknown");
    like(isolab_result_reason(r), "at most 12 transactions, this history has 100", "with the reason");
    isolab_result_free(r);
    isolab_options_free(o);
    isolab_history_free(hundred);
    isolab_history_free(h);
    isolab_history_free(five);
    isolab_history_free(two);
}

static void misuse(void) {
    isolab_error e;
    isolab_builder *b = isolab_builder_new();
    isolab_builder_transaction(b, isolab_builder_session(b, isolab_nil()), isolab_nil(), (isolab_status)9);
    ok(isolab_builder_finish(b, &e) == NULL && e.code == ISOLAB_E_USAGE, "an unknown status is refused");
    b = isolab_builder_new();
    uint32_t t = isolab_builder_transaction(b, isolab_builder_session(b, isolab_nil()), isolab_nil(), ISOLAB_COMMITTED);
    isolab_builder_operation(b, t, (isolab_kind)9, isolab_int(1), isolab_int(1));
    isolab_builder_operation(b, t, ISOLAB_WRITE, isolab_int(1), isolab_int(1));
    ok(isolab_builder_finish(b, &e) == NULL && e.code == ISOLAB_E_USAGE, "and an unknown kind of operation");
    like(e.message, "kind of operation 9", "the first mistake is reported");

    char path[] = "/tmp/isolab-library-XXXXXX";
    close(mkstemp(path));
    isolab_history *h = text(fractured, &e);
    ok(isolab_save(h, path, "test", 0, &e) == ISOLAB_E_INPUT, "what a format cannot hold is an error");
    like(e.message, "format test cannot hold .*4 names", "that says what");
    isolab_history *none = isolab_open(path, NULL, &e);
    ok(none == NULL && e.code == ISOLAB_E_INPUT, "and nothing is written");
    ok(isolab_save(h, path, "test", 1, NULL) == ISOLAB_OK, "unless that is wanted");
    isolab_history *lossy = isolab_open(path, NULL, &e);
    ok(lossy != NULL && isolab_history_operations(lossy) >= 4, "then all that it can hold");
    isolab_history_free(lossy);
    isolab_history_free(h);
    unlink(path);

    static const int codes[] = {
        ISOLAB_OK, ISOLAB_E_LIMIT, ISOLAB_E_USAGE, ISOLAB_E_INPUT, ISOLAB_E_INTERNAL, ISOLAB_E_IO, 1234};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        bool own = isolab_code_text(codes[i])[0] != '\0';
        for (size_t k = 0; k < i; k++) {
            own &= strcmp(isolab_code_text(codes[i]), isolab_code_text(codes[k])) != 0;
        }
        ok(own, "code %d has words of its own: %s", codes[i], isolab_code_text(codes[i]));
    }
}

/* What a ladder says, the strongest level first: S, V, ? or - for what no one was asked about. */
static void rungs(const isolab_levels *all, char *out) {
    for (size_t i = 0; isolab_levels_result(all, i) != NULL; i++) {
        const isolab_result *r = isolab_levels_result(all, i);
        *out++ = !isolab_result_was_asked(r) ? '-' : "SV?"[isolab_result_verdict(r)];
    }
    *out = '\0';
}

static void ladder(void) {
    isolab_error e;
    char line[32];
    isolab_history *h = text(fractured, &e);
    isolab_options *o = isolab_options_new();
    isolab_options_set(o, "certificate", "yes", &e);
    isolab_levels *all = isolab_ladder(h, o, &e);
    rungs(all, line);
    is(line, "VVVVVVVVVSSS", "the ladder of a read of x = 1 and then of a y that its writer overwrote");
    const isolab_result *sser = isolab_levels_result(all, 0), *plume = isolab_levels_result(all, 8);
    is(isolab_result_level(sser), "sser", "begins with the strongest level");
    is(isolab_result_level(isolab_levels_result(all, 11)), "int", "and ends with the weakest one");
    ok(isolab_levels_result(all, 12) == NULL, "after which there is none");
    ok(isolab_result_follows_from(sser) != NULL && isolab_result_checker(sser) == NULL, "what follows was not asked");
    is(isolab_result_level(plume), "rc-plume", "what is broken first");
    ok(isolab_result_follows_from(plume) == NULL && isolab_result_checker(plume) != NULL,
       "the level that is broken first was asked about");
    like(isolab_result_certificate(plume), "level rc-plume\nviolated", "and has its certificate");
    ok(isolab_anomaly_words(plume, 0) != NULL, "and its anomaly");
    is(isolab_levels_broken_first(all, 0), "rc-plume", "rc-plume is one of the levels broken first");
    ok(isolab_levels_broken_first(all, 1) == NULL, "no other level is broken first");
    is(isolab_levels_strongest(all, 0), "g1", "the strongest satisfied");
    is(isolab_levels_strongest(all, 1), "ci", "and another one");
    ok(isolab_levels_strongest(all, 2) == NULL && isolab_levels_unknown(all, 0) == NULL, "and nothing is unknown");
    cmp_ok(isolab_levels_verdict(all), "==", ISOLAB_VIOLATED, "some are violated");
    isolab_levels_free(all);
    isolab_levels_free(NULL);

    isolab_options_set(o, "checker", "strong", &e);
    all = isolab_ladder(h, o, &e);
    rungs(all, line);
    is(line, "VVVVV-------", "a checker of strong levels says nothing of weak ones");
    ok(isolab_levels_strongest(all, 0) == NULL, "so no strongest one is known");
    is(isolab_levels_unknown(all, 0), "cc", "since it may be cc");
    is(isolab_levels_unknown(all, 6), "int", "or any down to int");
    ok(isolab_result_certificate(isolab_levels_result(all, 5)) == NULL, "without a certificate");
    isolab_levels_free(all);
    isolab_options_set(o, "checker", "brute", &e);
    isolab_options_set(o, "memory", "1", &e);
    all = isolab_ladder(h, o, &e);
    ok(all == NULL || isolab_levels_verdict(all) == ISOLAB_UNKNOWN, "without memory nothing is known");
    isolab_levels_free(all);
    isolab_history_free(h);

    static const char timeless[] = "session A\nt1 commit: w x 1\nsession B\nt2 commit: r x 1\n";
    h = text(timeless, &e);
    all = isolab_ladder(h, NULL, &e);
    rungs(all, line);
    is(line, "--SSSSSSSSSS", "without times no one is asked about strict serializability");
    like(isolab_result_reason(isolab_levels_result(all, 0)), "no times", "and that is why");
    is(isolab_levels_strongest(all, 0), "ser", "ser is the strongest");
    cmp_ok(isolab_levels_verdict(all), "==", ISOLAB_SATISFIED, "and all that could be asked is satisfied");
    isolab_levels_free(all);
    isolab_result *r = isolab_check(h, "sser", NULL, &e);
    cmp_ok(isolab_result_verdict(r), "==", ISOLAB_SATISFIED, "asked about by name it is ser");
    like(isolab_result_reason(r), "so this is ser", "and says so");
    isolab_result_free(r);
    isolab_history_free(h);
    isolab_options_free(o);
}

/* t3 reads x from t1 after y from t2, which also writes x: one case of rc. */
static const char tested[] = "session A\nt1 commit: r x 2, w x 1\nsession B\nt2 commit: w x 2, w y 2\n"
                             "session C\nt3 commit: r y 2, r x 1\n";

static void evidence(void) {
    isolab_error e;
    isolab_history *h = text(tested, &e),
                   *untested = text("session A\nt1 commit: w x 1\nsession B\nt2 commit: r x 1\n", &e);
    isolab_options *o = isolab_options_new();
    isolab_result *r = isolab_check(h, "rc", o, &e);
    cmp_ok((int64_t)isolab_result_evidence(r), "==", 1, "one case of rc");
    ok(isolab_result_evidence_is_exact(r), "the number of cases of rc is exact");
    like(isolab_result_evidence_words(r), "^reads of a key after", "the evidence in words");
    like(isolab_result_rests_on(r), "^3 reads, 3 from other sessions; 1 key with several writers; no times$",
         "and the rest");
    isolab_result_free(r);
    r = isolab_check(untested, "rc", o, &e);
    cmp_ok(isolab_result_verdict(r), "==", ISOLAB_SATISFIED,
           "without --require-evidence the untested history is satisfied");
    cmp_ok((int64_t)isolab_result_evidence(r), "==", 0, "without a case");
    isolab_result_free(r);
    ok(isolab_options_set(o, "require-evidence", "yes", &e) == ISOLAB_OK, "evidence is required");
    r = isolab_check(untested, "rc", o, &e);
    cmp_ok(isolab_result_verdict(r), "==", ISOLAB_UNKNOWN, "so it is unknown");
    like(isolab_result_reason(r), "^no evidence", "for that reason");
    isolab_result_free(r);
    isolab_levels *all = isolab_ladder(h, o, &e);
    is(isolab_levels_strongest(all, 0), "ser", "the ladder, with evidence");
    cmp_ok((int64_t)isolab_result_evidence(isolab_levels_result(all, 2)), "==", 1,
           "the answer about si in the ladder has its evidence");
    cmp_ok(isolab_levels_verdict(all), "==", ISOLAB_UNKNOWN, "and without, of ci");
    isolab_levels_free(all);
    isolab_history_free(untested);
    untested = text(fractured, &e);
    r = isolab_check(untested, "ra", o, &e);
    ok(isolab_result_evidence(r) == ISOLAB_NO_EVIDENCE_COUNT && isolab_result_evidence_words(r) == NULL &&
           isolab_result_rests_on(r) == NULL,
       "what is violated needs none");
    isolab_result_free(r);
    isolab_options_free(o);
    isolab_history_free(untested);
    isolab_history_free(h);
}

static void *one_thread(void *arg) {
    intptr_t wrong = 0;
    for (int i = 0; i < 200; i++) {
        isolab_result *r = isolab_check(arg, i % 2 ? "ra" : "ci", NULL, NULL);
        wrong += r == NULL || isolab_result_verdict(r) != (i % 2 ? ISOLAB_VIOLATED : ISOLAB_SATISFIED);
        isolab_result_free(r);
    }
    return (void *)wrong;
}

static void threads(void) {
    isolab_history *h = text(fractured, NULL);
    pthread_t thread[4];
    intptr_t wrong = 0;
    for (int i = 0; i < 4; i++) {
        if (pthread_create(&thread[i], NULL, one_thread, h) != 0) {
            bail_out("no thread");
        }
    }
    for (int i = 0; i < 4; i++) {
        void *one;
        pthread_join(thread[i], &one);
        wrong += (intptr_t)one;
    }
    cmp_ok(wrong, "==", 0, "four threads check one history");
    isolab_history_free(h);
}

/* Repeated values: every read may come from any of a thousand writes, which takes any solver seconds. */
static isolab_history *hard(void) {
    static const char *const key[3] = {"x", "y", "z"};
    isolab_error e;
    isolab_builder *b = isolab_builder_new();
    for (int s = 0; s < 50; s++) {
        uint32_t session = isolab_builder_session(b, isolab_nil());
        for (int i = 0; i < 20; i++) {
            uint32_t t = isolab_builder_transaction(b, session, isolab_nil(), ISOLAB_COMMITTED);
            for (int k = 0; k < 3; k++) {
                isolab_builder_operation(b, t, ISOLAB_READ, isolab_text(key[k]), isolab_int(1));
                isolab_builder_operation(b, t, ISOLAB_WRITE, isolab_text(key[k]), isolab_int(1));
            }
        }
    }
    isolab_history *h = isolab_builder_finish(b, &e);
    if (h == NULL) {
        bail_out("%s", e.message);
    }
    return h;
}

static isolab_options *the_options;

static void on_signal(int number) {
    (void)number;
    isolab_options_interrupt(the_options);
}

static void *interrupt_soon(void *arg) {
    usleep(20000);
    isolab_options_interrupt(arg);
    return NULL;
}

static void interrupted(const isolab_history *h, const isolab_options *o, const char *name) {
    isolab_error e;
    isolab_result *r = isolab_check(h, "ser", o, &e);
    ok(r != NULL && isolab_result_verdict(r) == ISOLAB_UNKNOWN, "%s ends a check as unknown", name);
    is(r != NULL ? isolab_result_reason(r) : "", "interrupted", "%s: with the reason", name);
    is(r != NULL ? isolab_result_reason_code(r) : "", "interrupted", "%s: and its code", name);
    isolab_result_free(r);
}

/* A file that takes a while to read. */
static void opens(void) {
    char path[] = "/tmp/isolab-library-XXXXXX";
    int fd = mkstemp(path);
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (out == NULL) {
        bail_out("cannot make a file in /tmp");
    }
    for (int i = 0; i < 3000000; i++) {
        fprintf(out, "w(%d,%d,%d,%d)\n", i % 1000, i + 1, i / 8 % 50, i / 8);
    }
    fclose(out);
    isolab_error e = {.code = 0};
    isolab_options *o = isolab_options_new();
    pthread_t thread;
    if (pthread_create(&thread, NULL, interrupt_soon, o) != 0) {
        bail_out("no thread");
    }
    isolab_history *h = isolab_open_with(path, NULL, o, &e);
    pthread_join(thread, NULL);
    ok(h == NULL && e.code == ISOLAB_E_LIMIT, "reading a file is interrupted by another thread");
    is(e.message, "interrupted", "which is the error");
    isolab_history_free(h);
    isolab_options_resume(o);
    isolab_options_set(o, "timeout", "0.01", NULL);
    h = isolab_open_with(path, NULL, o, &e);
    ok(h == NULL && e.code == ISOLAB_E_LIMIT, "or by its time limit: %s", e.message);
    isolab_history_free(h);
    isolab_options_free(o);
    o = isolab_options_new();
    isolab_options_set(o, "memory", "1000000", NULL);
    h = isolab_open_with(path, NULL, o, &e);
    ok(h == NULL && e.code == ISOLAB_E_LIMIT, "or by its memory limit: %s", e.message);
    isolab_history_free(h);
    isolab_options_free(o);
    h = isolab_open_with(path, NULL, NULL, &e);
    cmp_ok(h != NULL ? isolab_history_operations(h) : 0, "==", 3000000, "without limits it is read");
    isolab_history_free(h);
    unlink(path);
}

/* The verdict of si of a file that begins with its initial state, read with one option. */
static isolab_verdict read_as(const char *path, const char *name, const char *value, uint64_t taken) {
    isolab_error e = {.code = 0};
    isolab_options *o = isolab_options_new();
    ok(name == NULL || isolab_options_set(o, name, value, &e) == ISOLAB_OK, "%s", e.message);
    isolab_history *h = isolab_open_with(path, NULL, o, &e);
    isolab_options_free(o);
    if (h == NULL) {
        bail_out("%s", e.message);
    }
    cmp_ok((int64_t)isolab_history_initial_transactions(h), "==", taken, "initial transactions with %s",
           value != NULL ? value : "no option");
    isolab_result *r = isolab_check(h, "si", NULL, &e);
    isolab_verdict verdict = r != NULL ? isolab_result_verdict(r) : ISOLAB_UNKNOWN;
    isolab_result_free(r);
    isolab_history_free(h);
    return verdict;
}

static void initial(void) {
    char path[] = "/tmp/isolab-library-XXXXXX";
    int fd = mkstemp(path);
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (out == NULL) {
        bail_out("cannot make a file in /tmp");
    }
    fputs("w(1,0,0,0)\nr(1,0,1,1)\nw(1,1,1,1)\nr(1,0,2,2)\nw(1,2,2,2)\n", out);
    fclose(out);
    ok(read_as(path, NULL, NULL, 1) == ISOLAB_VIOLATED, "a lost update after the initial transaction");
    ok(read_as(path, "initial-transaction", "no", 0) == ISOLAB_SATISFIED, "and after a transaction like others");
    ok(read_as(path, "initial-transaction", "yes", 1) == ISOLAB_VIOLATED, "or by the caller's word");
    ok(read_as(path, "initial", "7", 1) == ISOLAB_VIOLATED, "another initial value besides");
    isolab_options *o = isolab_options_new();
    cmp_ok(isolab_options_set(o, "initial-transaction", "maybe", NULL), "==", ISOLAB_E_USAGE, "there are three words");
    isolab_options_free(o);
    isolab_error e;
    isolab_history *h = isolab_read("w(1,0,0,0)\nr(1,0,1,1)\n", 22, "plume", &e);
    cmp_ok(h != NULL ? (int64_t)isolab_history_initial_transactions(h) : -1, "==", 1,
           "bytes are read by the same rule");
    isolab_history_free(h);
    unlink(path);
}

static void interrupts(void) {
    isolab_history *h = hard(), *small = text(fractured, NULL);
    isolab_options *o = the_options = isolab_options_new();
    isolab_options_set(o, "checker", "sat", NULL);
    isolab_options_set(o, "timeout", "60", NULL);
    pthread_t thread;
    if (pthread_create(&thread, NULL, interrupt_soon, o) != 0) {
        bail_out("no thread");
    }
    interrupted(h, o, "another thread");
    pthread_join(thread, NULL);
    interrupted(small, o, "an interrupt before the beginning");
    isolab_options_resume(o);
    struct sigaction action = {.sa_handler = on_signal};
    struct itimerval soon = {.it_value = {.tv_usec = 20000}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &soon, NULL);
    interrupted(h, o, "a signal");
    isolab_options_resume(o);
    isolab_result *r = isolab_check(small, "ser", o, NULL);
    ok(r != NULL && isolab_result_verdict(r) == ISOLAB_VIOLATED, "after isolab_options_resume() checks run again");
    isolab_result_free(r);
    isolab_options_free(o);
    isolab_history_free(small);
    isolab_history_free(h);
}

/* Anomalies as transactions and edges. */
static void shapes(void) {
    isolab_error e;
    isolab_history *h = text("session A\nt1 commit @10..20: w z 1, w x 1\nt2 commit @30..40: r y nil\n"
                             "session B\n7 commit @50..: w y 1\nt4 abort: w q 1\n\"t 5\" commit: r x nil\n",
                             &e);
    if (h == NULL) {
        bail_out("%s", e.message);
    }
    isolab_result *r = isolab_check(h, "ser", NULL, &e);
    ok(isolab_result_verdict(r) == ISOLAB_VIOLATED, "a cycle of four transactions");
    size_t n = isolab_anomaly_edges(r, 0), cycle = 0;
    uint64_t first = ISOLAB_INITIAL, last = ISOLAB_INITIAL;
    bool closed = true, named = true, read = false;
    for (size_t i = 0; i < n; i++) {
        const isolab_edge *x = isolab_anomaly_edge(r, 0, i);
        named &= strlen(x->number) > 0 && strlen(x->text) > 0 && strstr(isolab_anomaly_words(r, 0), x->text) != NULL;
        read |= strcmp(x->kind, "rw") == 0 && x->key != NULL && strcmp(x->key, "x") == 0 && x->from_operation == 1 &&
                strcmp(x->from_name, "t 5") == 0 && strcmp(x->to_name, "t1") == 0;
        if (x->depth == 0) {
            closed &= cycle == 0 || x->from == last;
            first = cycle == 0 ? x->from : first;
            last = x->to;
            cycle++;
        }
    }
    cmp_ok((int64_t)cycle, ">=", 2, "the anomaly gives a cycle of at least two edges");
    ok(closed && first == last && first != ISOLAB_INITIAL, "those of depth 0 are a cycle");
    ok(named, "each is a step of the words");
    ok(read, "with key, operation and transactions");
    ok(isolab_anomaly_edge(r, 0, n) == NULL && isolab_anomaly_edge(r, 1000, 0) == NULL &&
           isolab_anomaly_edges(r, 1000) == 0 && isolab_anomaly_transactions(r, 1000) == 0,
       "others do not exist");
    const isolab_txn *t1 = NULL, *t3 = NULL, *t5 = NULL;
    for (size_t i = 0; i < isolab_anomaly_transactions(r, 0); i++) {
        const isolab_txn *t = isolab_anomaly_transaction(r, 0, i);
        t1 = t->number == 0 ? t : t1;
        t3 = t->number == 2 ? t : t3;
        t5 = t->number == 4 ? t : t5;
    }
    ok(t1 != NULL && t1->id.kind == ISOLAB_TEXT && strcmp(t1->id.text, "t1") == 0 && strcmp(t1->session, "A") == 0 &&
           t1->number_in_session == 1 && t1->line == 2 && t1->index == ISOLAB_NO_INDEX && t1->start == 10 &&
           t1->end == 20 && strcmp(t1->time_unit, "ns") == 0,
       "a transaction with its id, place and times");
    ok(t3 != NULL && t3->id.kind == ISOLAB_NUMBER && t3->id.number == 7 && t3->session_number == 1 && t3->start == 50 &&
           t3->end == ISOLAB_NO_TIME,
       "one whose id is a number, and which has one time");
    ok(t5 != NULL && t5->number_in_session == 3 && t5->line == 7 && t5->start == ISOLAB_NO_TIME, "one without times");
    isolab_result_free(r);
    isolab_history_free(h);
}

int main(void) {
    reads();
    looks();
    checks();
    builds();
    saves();
    options();
    misuse();
    ladder();
    evidence();
    shapes();
    threads();
    interrupts();
    opens();
    initial();
    is(isolab_version(), ISOLAB_VERSION, "the version of the header is that of the library");
    int part[3] = {0};
    sscanf(ISOLAB_VERSION, "%d.%d.%d", &part[0], &part[1], &part[2]);
    cmp_ok(ISOLAB_VERSION_NUMBER, "==", 10000 * part[0] + 100 * part[1] + part[2], "its number is that of its text");
    is(isolab_level_name(0), "int", "levels have names");
    ok(isolab_level_name(1000) == NULL && isolab_checker_name(1000) == NULL && isolab_format_name(1000) == NULL,
       "tables end");
    return done_testing();
}
