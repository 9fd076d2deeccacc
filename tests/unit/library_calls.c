/* Random sequences of calls of include/isolab.h, each in a process of its own: no sequence that keeps to the header's
 * rules may crash, hang or contradict itself. A sequence is a string of bytes, so a failing sequence is shrunk by
 * leaving bytes out, and printed as calls.
 *
 * Runs under the sanitizers in `make asan`. $ISOLAB_SEED and the seed that is printed reproduce a run. */
#define _GNU_SOURCE
#include "include/isolab.h"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.h"
#include "tests/seed.h"
#include "tests/tap.h"

#define SLOTS 3
#define MOST 160 /* bytes of a sequence */

/* What a sequence holds, and the bytes that decide what it does next. */
typedef struct play {
    const uint8_t *byte;
    size_t n, at;
    bool tell; /* print each call */
    isolab_history *history[SLOTS];
    isolab_builder *builder[SLOTS];
    isolab_options *options[SLOTS];
    isolab_result *result[SLOTS];
    int result_of[SLOTS]; /* the history that a result is of */
} play;

static uint8_t take(play *p) { return p->at < p->n ? p->byte[p->at++] : 0; }

__attribute__((format(printf, 2, 3))) static void say(const play *p, const char *format, ...) {
    if (p->tell) {
        va_list args;
        va_start(args, format);
        printf("#   ");
        vprintf(format, args);
        printf("\n");
        va_end(args);
    }
}

/* A broken promise ends the process by a signal, as a crash does. */
static void must(const play *p, bool promise, const char *what) {
    if (!promise) {
        say(p, "BROKEN: %s", what);
        fflush(stdout);
        abort();
    }
}

static void known_code(const play *p, int code) {
    must(p,
         code == ISOLAB_OK || code == ISOLAB_E_LIMIT || code == ISOLAB_E_USAGE || code == ISOLAB_E_INPUT ||
             code == ISOLAB_E_IO,
         "an error has one of the codes of the header, and is not internal");
}

static isolab_value value(play *p) {
    static const char *const words[] = {"x", "y", "", "\x1b[31m", "\xff\xfe", "a longer key with spaces", "0"};
    static const int64_t numbers[] = {0, 1, 2, 3, -1, INT64_MAX, INT64_MIN};
    uint8_t b = take(p);
    return b % 4 == 0 ? isolab_nil() : b % 4 == 1 ? isolab_text(words[b / 4 % 7]) : isolab_int(numbers[b / 4 % 7]);
}

/* ---- the calls ---- */

static void drop_results(play *p, int history) {
    for (int i = 0; i < SLOTS; i++) {
        if (p->result[i] != NULL && (history < 0 || p->result_of[i] == history)) {
            isolab_result_free(p->result[i]);
            p->result[i] = NULL;
        }
    }
}

static void set_history(play *p, int slot, isolab_history *h) {
    drop_results(p, slot); /* a history outlives its results */
    isolab_history_free(p->history[slot]);
    p->history[slot] = h;
}

static void read_bytes(play *p) {
    static const char *const text[] = {"session A\nt1 commit: w x 1, w y 1\nsession B\nt2 commit: r x 1, r y nil\n",
                                       "session A\nt1 commit @1..2: w x 1\nsession B\nt2 commit @3..4: r x nil\n",
                                       "session A\nt1 unknown: w x 1\nt2 commit: w x 1\nsession B\nt3 commit: r x 1\n",
                                       "session A\nt1 commit: append l 1\nsession B\nt2 commit: rl l [1]\n",
                                       "session A\nt1 commit: q x 1\n",
                                       "",
                                       "w(1,0,0,0)\nr(1,0,1,1)\n",
                                       "{\"session\":0,\"ops\":[[\"r\",\"x\",null]]}\n"};
    static const char *const formats[] = {NULL, "isolab", "plume", "jsonl", "no-such-format", "elle", "test", "ilb"};
    int slot = take(p) % SLOTS;
    const char *bytes = text[take(p) % 8], *format = formats[take(p) % 8];
    size_t size = strlen(bytes);
    size -= size > 0 ? take(p) % 3 * size / 3 : 0;
    isolab_error e;
    say(p, "history[%d] = isolab_read(\"%.*s\", %s)", slot, (int)size, bytes, format == NULL ? "NULL" : format);
    isolab_history *h = isolab_read(bytes, size, format, &e);
    if (h == NULL) {
        known_code(p, e.code);
        must(p, e.message[0] != '\0', "a failure has a message");
    }
    set_history(p, slot, h);
}

static void build(play *p) {
    int slot = take(p) % SLOTS;
    if (p->builder[slot] == NULL) {
        say(p, "builder[%d] = isolab_builder_new()", slot);
        p->builder[slot] = isolab_builder_new();
        return;
    }
    isolab_builder *b = p->builder[slot];
    uint8_t what = take(p);
    uint32_t number = take(p) % 6; /* also a number that does not exist */
    isolab_value list[3];
    switch (what % 8) {
    case 0: {
        isolab_error e;
        int to = take(p) % SLOTS;
        say(p, "history[%d] = isolab_builder_finish(builder[%d])", to, slot);
        isolab_history *h = isolab_builder_finish(b, &e);
        p->builder[slot] = NULL;
        if (h == NULL) {
            known_code(p, e.code);
        }
        set_history(p, to, h);
        break;
    }
    case 1:
        say(p, "isolab_builder_session(builder[%d], ...)", slot);
        isolab_builder_session(b, value(p));
        break;
    case 2:
    case 3:
        say(p, "isolab_builder_transaction(builder[%d], %u, ...)", slot, number);
        isolab_builder_transaction(b, number, value(p), (isolab_status)(take(p) % 3));
        break;
    case 4:
        say(p, "isolab_builder_times(builder[%d], %u, ...)", slot, number);
        isolab_builder_times(b, number, take(p), take(p));
        break;
    case 5:
        for (int i = 0; i < 3; i++) {
            list[i] = value(p);
        }
        say(p, "isolab_builder_list_read(builder[%d], %u, ...)", slot, number);
        isolab_builder_list_read(b, number, value(p), list, take(p) % 4);
        break;
    default:
        say(p, "isolab_builder_operation(builder[%d], %u, ...)", slot, number);
        isolab_builder_operation(b, number, (isolab_kind)(take(p) % 3), value(p), value(p));
    }
}

static void set_option(play *p) {
    static const char *const names[] = {"checker", "timeout", "memory",           "all",
                                        "limit",   "threads", "require-evidence", "no-session-order",
                                        "count",   "option",  "certificate",      "no-such-option"};
    static const char *const values[] = {"yes",   "no", "1",  "0",   "brute", "strong",
                                         "awdit", "",   "-1", "1e9", "H=no",  "2"};
    int slot = take(p) % SLOTS;
    if (p->options[slot] == NULL) {
        say(p, "options[%d] = isolab_options_new()", slot);
        p->options[slot] = isolab_options_new();
        return;
    }
    const char *name = names[take(p) % 12], *v = values[take(p) % 12];
    isolab_error e;
    say(p, "isolab_options_set(options[%d], \"%s\", \"%s\")", slot, name, v);
    known_code(p, isolab_options_set(p->options[slot], name, v, &e));
    if (take(p) % 8 == 0) {
        say(p, "isolab_options_interrupt(options[%d])", slot);
        isolab_options_interrupt(p->options[slot]);
    } else {
        isolab_options_resume(p->options[slot]);
    }
}

static void check(play *p) {
    static const char *const levels[] = {"sser", "lser",     "ser", "si",  "pc", "cc",           "ra",
                                         "rc",   "rc-plume", "g1",  "int", "ci", "no-such-level"};
    int slot = take(p) % SLOTS, of = take(p) % SLOTS, with = take(p) % (SLOTS + 1);
    const char *level = levels[take(p) % 13];
    if (p->history[of] == NULL) {
        return;
    }
    isolab_options *options = with < SLOTS ? p->options[with] : NULL;
    isolab_error e;
    say(p, "result[%d] = isolab_check(history[%d], \"%s\", options[%d])", slot, of, level, with);
    isolab_result *r = isolab_check(p->history[of], level, options, &e);
    if (r == NULL) {
        known_code(p, e.code);
    } else if (isolab_result_verdict(r) != ISOLAB_UNKNOWN) { /* the same question without options has no other answer */
        isolab_result *again = options != NULL ? NULL : isolab_check(p->history[of], level, NULL, NULL);
        must(p, again == NULL || isolab_result_verdict(again) == isolab_result_verdict(r), "a question has one answer");
        isolab_result_free(again);
    } else {
        must(p, isolab_result_reason(r)[0] != '\0', "an unknown verdict has a reason");
    }
    isolab_result_free(p->result[slot]);
    p->result[slot] = r;
    p->result_of[slot] = of;
}

static void look(play *p) {
    int slot = take(p) % SLOTS;
    const isolab_result *r = p->result[slot];
    if (r != NULL) {
        say(p, "look at result[%d]", slot);
        size_t n = isolab_result_anomalies(r);
        must(p, n == 0 || isolab_result_verdict(r) == ISOLAB_VIOLATED, "only a violation has anomalies");
        for (size_t i = 0; i <= n; i++) {
            must(p, (isolab_anomaly_name(r, i) != NULL) == (i < n), "each anomaly has a name, and no other has");
            must(p, (isolab_anomaly_words(r, i) != NULL) == (i < n), "each anomaly has words, and no other has");
            size_t txns = isolab_anomaly_transactions(r, i), edges = isolab_anomaly_edges(r, i);
            for (size_t k = 0; k <= txns; k++) {
                const isolab_txn *t = isolab_anomaly_transaction(r, i, k);
                must(p, (t != NULL) == (k < txns), "transactions are numbered");
                must(p, t == NULL || (t->name != NULL && t->session != NULL), "a transaction has names");
            }
            for (size_t k = 0; k <= edges; k++) {
                const isolab_edge *e = isolab_anomaly_edge(r, i, k);
                must(p, (e != NULL) == (k < edges), "edges are numbered");
                must(p, e == NULL || e->depth > 0 || k > 0 || strcmp(e->number, "1") == 0, "the first edge is 1");
            }
            isolab_anomaly_adya(r, i);
            isolab_anomaly_plume(r, i);
        }
        isolab_result_certificate(r);
        isolab_result_witnesses(r);
        isolab_result_checker(r);
        isolab_result_peak_memory(r);
        must(p, isolab_result_milliseconds(r) >= 0, "time does not run backwards");
    }
    const isolab_history *h = p->history[slot];
    if (h != NULL) {
        must(p, isolab_history_sessions(h) <= isolab_history_transactions(h) + SLOTS * 8, "sessions are counted");
        isolab_history_operations(h);
        isolab_history_keys(h);
        isolab_history_is_unique(h);
        isolab_history_clock(h, NULL, 0);
    }
}

static void climb(play *p) {
    int of = take(p) % SLOTS, with = take(p) % (SLOTS + 1);
    if (p->history[of] == NULL) {
        return;
    }
    isolab_error e;
    say(p, "isolab_ladder(history[%d], options[%d])", of, with);
    isolab_levels *all = isolab_ladder(p->history[of], with < SLOTS ? p->options[with] : NULL, &e);
    if (all == NULL) {
        known_code(p, e.code);
        return;
    }
    size_t n = 0;
    for (const isolab_result *r; (r = isolab_levels_result(all, n)) != NULL; n++) {
        bool unknown = isolab_result_verdict(r) == ISOLAB_UNKNOWN;
        must(p, isolab_result_was_asked(r) || unknown, "what was not asked about is not known");
        must(p, !unknown || isolab_result_reason(r)[0] != '\0', "an unknown verdict has a reason");
        must(p, !unknown || isolab_result_follows_from(r) == NULL, "and follows from nothing");
        must(p, (isolab_result_evidence_words(r) == NULL) == (isolab_result_evidence(r) == ISOLAB_NO_EVIDENCE_COUNT),
             "evidence is counted and has words, or neither");
        isolab_result_evidence_is_exact(r);
        isolab_result_is_first_only(r);
        isolab_result_rest(r);
        isolab_result_rests_on(r);
    }
    must(p, n == 12, "there are twelve levels");
    bool unknown = isolab_levels_unknown(all, 0) != NULL, broken = isolab_levels_broken_first(all, 0) != NULL;
    must(p, broken == (isolab_levels_verdict(all) == ISOLAB_VIOLATED), "a level is broken first where one is violated");
    must(p, !unknown || isolab_levels_verdict(all) != ISOLAB_SATISFIED, "what is unknown is not satisfied");
    must(p, unknown || broken || isolab_levels_strongest(all, 0) != NULL, "something is known, or not");
    isolab_levels_free(all);
}

static void save(play *p) {
    int slot = take(p) % SLOTS;
    uint8_t number = take(p);
    const char *format = isolab_format_name(number % 16);
    if (p->history[slot] != NULL) {
        isolab_error e;
        say(p, "isolab_save(history[%d], %s)", slot, format == NULL ? "NULL" : format);
        known_code(p, isolab_save(p->history[slot], "/dev/null", format, number >= 128, &e));
    }
}

static void play_all(play *p) {
    static void (*const calls[])(play *) = {read_bytes, build, build, build, build, set_option,
                                            check,      check, look,  save,  climb};
    while (p->at < p->n) {
        calls[take(p) % 11](p);
    }
    drop_results(p, -1);
    for (int i = 0; i < SLOTS; i++) {
        isolab_history_free(p->history[i]);
        isolab_builder_free(p->builder[i]);
        isolab_options_free(p->options[i]);
    }
}

/* ---- running and shrinking ---- */

static size_t sequence(uint64_t seed, uint8_t byte[MOST]) {
    iso_rng rng = {seed};
    size_t n = 1 + iso_random_below(&rng, MOST);
    for (size_t i = 0; i < n; i++) {
        byte[i] = (uint8_t)iso_random(&rng);
    }
    return n;
}

/* Plays sequences of seeds [from, to), or the bytes given, in a child. True: it ended well. */
static bool plays(uint64_t from, uint64_t to, const uint8_t *given, size_t n, bool tell) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        int none = open("/dev/null", O_WRONLY);
        if (!tell && none >= 0) {
            dup2(none, 2);
        }
        alarm(60); /* a hang ends as a failure */
        uint8_t byte[MOST];
        for (uint64_t s = from; s < to; s++) {
            play p = {.byte = given != NULL ? given : byte, .tell = tell};
            p.n = given != NULL ? n : sequence(s, byte);
            play_all(&p);
        }
        fflush(stdout);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Leaves out runs of bytes, ever shorter ones, as long as what remains still fails. */
static size_t shrink(uint8_t *byte, size_t n) {
    for (size_t run = n / 2; run > 0; run /= 2) {
        for (size_t at = 0; at + run <= n;) {
            uint8_t less[MOST];
            memcpy(less, byte, at);
            memcpy(less + at, byte + at + run, n - at - run);
            if (!plays(0, 1, less, n - run, false)) {
                n -= run;
                memcpy(byte, less, n);
            } else {
                at += run;
            }
        }
    }
    return n;
}

int main(void) {
    plan(NO_PLAN);
    uint64_t seed = seed_or(20261119);
    uint64_t rounds = getenv("ISOLAB_DEEP") != NULL ? 2000000 : getenv("ISOLAB_QUICK") != NULL ? 4000 : 20000;
    diag("seed %llu, %llu sequences", (unsigned long long)seed, (unsigned long long)rounds);
    const uint64_t batch = 500;
    uint64_t bad = UINT64_MAX;
    for (uint64_t s = seed; s < seed + rounds && bad == UINT64_MAX; s += batch) {
        if (!plays(s, s + batch, NULL, 0, false)) {
            for (uint64_t one = s; one < s + batch && bad == UINT64_MAX; one++) {
                bad = plays(one, one + 1, NULL, 0, false) ? UINT64_MAX : one;
            }
        }
    }
    ok(bad == UINT64_MAX, "no sequence of calls crashes, hangs or contradicts itself");
    if (bad != UINT64_MAX) {
        uint8_t byte[MOST];
        size_t n = sequence(bad, byte);
        diag("seed %llu fails; shrunk from %zu bytes:", (unsigned long long)bad, n);
        n = shrink(byte, n);
        plays(0, 1, byte, n, true);
    }
    /* The test must be able to fail: a sequence whose promise is broken must fail. */
    pid_t child = fork();
    if (child == 0) {
        play p = {0};
        must(&p, false, "nothing");
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ok(WIFSIGNALED(status), "a broken promise is noticed");
    return done_testing();
}
