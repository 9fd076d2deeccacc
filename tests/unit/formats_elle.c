/* Tests formats/elle.c. Jepsen's histories, as EDN and as JSON: their meaning, round trips, damage. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <string.h>

#include "base/random.h"
#include "formats/format.h"
#include "formats/text.h"
#include "tests/equal.h"
#include "tests/parse.h"
#include "tests/raw.h"
#include "tests/seed.h"
#include "tests/tap.h"

extern const iso_format iso_format_elle, iso_format_elle_json;

static char *write_text(iso_pool *pool, const iso_format *format, const isolab_history *h, size_t *size) {
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    iso_sink sink = {.pool = pool, .path = "memory", .out = out};
    format->write(h, &sink);
    fclose(out);
    return text;
}

/* A history in isolab text's words, a session a line: `0: commit: w x 1; abort: w x 2`. */
static char *words(const isolab_history *h) {
    char *text = NULL, name[ISO_NAME_SIZE];
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        fprintf(out, "%s%s:", s > 0 ? "\n" : "", iso_atom_text(h, h->session_name[s], name));
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
            fputs(t > h->session_txn[s] ? "; " : " ", out);
            iso_put_txn(out, h, t);
        }
    }
    fclose(out);
    return text;
}

typedef struct meaning {
    const char *what, *edn, *json, *words; /* json: the same history, NULL: not said */
} meaning;

static const meaning meanings[] = {
    {"an invocation and its completion",
     "{:type :invoke, :process 3, :f :txn, :value [[:w 1 2] [:r 1 nil]], :time 5, :index 0}\n"
     "{:type :ok, :process 3, :f :txn, :value [[:w 1 2] [:r 1 2]], :time 9, :index 1}\n",
     "{\"type\":\"invoke\",\"process\":3,\"f\":\"txn\",\"value\":[[\"w\",1,2],[\"r\",1,null]],\"time\":5,"
     "\"index\":0}\n"
     "{\"type\":\"ok\",\"process\":3,\"f\":\"txn\",\"value\":[[\"w\",1,2],[\"r\",1,2]],\"time\":9,\"index\":"
     "1}\n",
     "3: commit @5..9: w 1 2, r 1 2"},
    {"one vector of all",
     "[{:type :ok :process 0 :value [[:append 1 2]]} , {:type :ok :process 0 :value [[:r 1 [2]]]}]",
     "[{\"type\":\"ok\",\"process\":0,\"value\":[[\"append\",1,2]]},\n"
     " {\"type\":\"ok\",\"process\":0,\"value\":[[\"r\",1,[2]]]}]",
     "0: commit @..0: append 1 2; commit @..1: rl 1 [2]"},
    {"a list of records, several on a line",
     "(#jepsen.history.Op{:index 0, :time -1, :type :invoke, :process 1, :f :txn, :value [[:w :x 1]]} "
     "#jepsen.history.Op{:index 1, :time -1, :type :ok, :process 1, :f :txn, :value [[:w :x 1]]})",
     NULL, "1: commit: w :x 1"},
    {"comments, commas, discards and tags anywhere",
     "; a log\n,,{:type #_ :fail #_ #_ a {:b #_ c d} :ok #_[1 #_ [] \"}\" ], :process 0 ;}\n:value #foo [[:w "
     "x #bar 7]]}"
     "#_ {:type :never}",
     NULL, "0: commit @..0: w x 7"},
    {"fields that mean nothing hold anything",
     "{:type :ok :error [:timeout \"a \\\"b\\\" \\u00e9 \n\" \\newline \\} 1/2 -3.5e7M 12N ##Inf #\"a[b\\]\" "
     "#{1 2 3} true "
     "#inst \"2020\" #object[java.Foo 0x1a2b \"x\"] {:a {:b ()}}] jepsen/node {nil 1} :process 2 "
     "{:deep [[[[]]]]} 3 :value [[:w \"a b\" :c/d]]}",
     "{\"type\":\"ok\",\"error\":[\"timeout\",1.5e7,-0.25,true,false,null,{\"a\":{\"b\":[]}}],\"process\":2,"
     "\"value\":[[\"w\",\"a b\",\":c/d\"]]}",
     "2: commit @..0: w \"a b\" :c/d"},
    {"the faults of the nemesis are left out",
     "{:type :info :process :nemesis :f :start :value nil}{:type :info :process :nemesis :value {:n1 [:x "
     "#{}]}}"
     "{:type :info :process :other :value 7}{:type :ok :process 0 :value []}",
     "[{\"type\":\"info\",\"process\":\"nemesis\",\"f\":\"start\",\"value\":{\"a\":[[[[1]]]]}},"
     "{\"type\":\"info\",\"process\":\"other\"},{\"type\":\"ok\",\"process\":0,\"value\":[]}]",
     "0: commit @..0:"},
    {"what failed is aborted, what is not known is indeterminate and ends a session",
     "{:type :invoke :process 0 :value [[:w 1 1]]}{:type :fail :process 0 :value [[:w 1 1]]}"
     "{:type :invoke :process 0 :value [[:w 1 2]]}{:type :info :process 0 :value [[:w 1 2]]}"
     "{:type :invoke :process 0 :value [[:w 1 3]]}{:type :ok :process 0 :value [[:w 1 3]]}"
     "{:type :invoke :process 5 :value [[:w 1 4] [:r 1 9]]}",
     NULL, "0: abort @0..1: w 1 1; maybe @2..: w 1 2\nnil: commit @4..5: w 1 3\n5: maybe @6..: w 1 4"},
    {"results that are not known are not reads of nil",
     "{:type :invoke :process 0 :value [[:r 1 nil] [:r 2 8] [:w 1 1]]}{:type :info :process 0 :error "
     ":timeout}"
     "{:type :invoke :process 1 :value [[:r 1 nil] [:w 2 1]]}"
     "{:type :info :process 1 :value [[:r 1 nil] [:r 2 7] [:w 2 1]]}"
     "{:type :invoke :process 2 :value [[:r 1 nil]]}{:type :ok :process 2 :value [[:r 1 nil] [:r 3]]}",
     NULL, "0: maybe @0..: w 1 1\n1: maybe @2..: r 2 7, w 2 1\n2: commit @4..5: r 1 nil, r 3 nil"},
    {"nil is the empty list of a list key, before and after its first append",
     "{:type :ok :process 0 :value [[:r 1 nil] [:r 2 nil] [:append 1 5] [:r 3 []]]}",
     "{\"type\":\"ok\",\"process\":0,\"value\":[[\"r\",1,null],[\"r\",2,null],[\"append\",1,5],[\"r\",3,[]]]"
     "}",
     "0: commit @..0: rl 1 [], rl 2 [], append 1 5, rl 3 []"},
    {"single operations of older workloads",
     "{:type :invoke :process 0 :f :read :value [1 nil]}{:type :ok :process 0 :f :read :value [1 3]}"
     "{:type :ok :process 1 :f :write :value [1 3]}{:type :ok :process 2 :f :append :value [:l 3]}"
     "{:type :ok :process 3 :f :read :value [:l [3]]}{:type :ok :process 4 :f :read :value [[:r 1 3]]}",
     "{\"type\":\"invoke\",\"process\":0,\"f\":\"read\",\"value\":[1,null]}"
     "{\"type\":\"ok\",\"process\":0,\"f\":\"read\",\"value\":[1,3]}"
     "{\"type\":\"ok\",\"process\":1,\"f\":\"write\",\"value\":[1,3]}"
     "{\"type\":\"ok\",\"process\":2,\"f\":\"append\",\"value\":[\":l\",3]}"
     "{\"type\":\"ok\",\"process\":3,\"f\":\"read\",\"value\":[\":l\",[3]]}"
     "{\"type\":\"ok\",\"process\":4,\"f\":\"read\",\"value\":[[\"r\",1,3]]}",
     "0: commit @0..1: r 1 3\n1: commit @..2: w 1 3\n2: commit @..3: append :l 3\n"
     "3: commit @..4: rl :l [3]\n4: commit @..5: r 1 3"},
    {"without :process every transaction has its own session",
     "{:type :invoke :value [[:append 1 1]]}{:type :ok :value [[:append 1 1]]}{:type :ok :value [[:r 1 "
     "[1]]]}",
     "[{\"type\":\"invoke\",\"value\":[[\"append\",1,1]]},{\"type\":\"ok\",\"value\":[[\"append\",1,1]]},"
     "{\"type\":\"ok\",\"process\":null,\"value\":[[\"r\",1,[1]]]}]",
     "nil: commit @0..1: append 1 1\nnil: commit @..2: rl 1 [1]"},
    {"sessions are in the order of processes, transactions in that of the log",
     "{:type :ok :process 10 :value [[:w 1 1]]}{:type :ok :process 2 :value []}"
     "{:type :ok :process -1 :value []}{:type :ok :process 10 :value [[:w 1 2]]}",
     NULL, "-1: commit @..2:\n2: commit @..1:\n10: commit @..0: w 1 1; commit @..3: w 1 2"},
    {":index is the clock where nothing has a :time",
     "{:type :invoke :process 0 :index 100 :value []}{:type :ok :process 0 :index 207 :value []}", NULL,
     "0: commit @100..207:"},
    {"but not when two operations share one",
     "{:type :invoke :process 0 :index 1 :value []}{:type :invoke :process 1 :index 1 :value []}"
     "{:type :ok :process 0 :index 2 :value []}{:type :ok :process 1 :index 2 :value []}",
     NULL, "0: commit @0..2:\n1: commit @1..3:"},
    {":time wins over :index, and -1 and nil are no instants",
     "{:type :invoke :process 0 :index 0 :time 7 :value []}{:type :ok :process 0 :index 1 :time nil :value "
     "[]}"
     "{:type :invoke :process 0 :index 2 :time -1 :value []}{:type :ok :process 0 :index 3 :value []}",
     NULL, "0: commit @7..:; commit:"},
    {"integers of 64 bits, signed and unsigned, with and without N",
     "{:type :ok :process 0 :value [[:w -9223372036854775808 18446744073709551615] [:w +7N -0]]}", NULL,
     "0: commit @..0: w -9223372036854775808 18446744073709551615, w 7 0"},
    {"symbols and strings are the same, keywords are not",
     "{:type :ok :process 0 :value [[:w x 1] [:w \"x\" 2] [:w :x 1] [:w \":x\" 2]]}", NULL,
     "0: commit @..0: w x 1, w x 2, w :x 1, w :x 2"},
    {"keys that are strings in EDN, members that are not known in JSON",
     "{\"type\" \"ok\" \"process\" 0 \"value\" [[\"w\" 1 2]]}",
     "{\"type\" : \"ok\" , \"x\" : [ ] , \"process\" : 0 , \"value\" : [ [ \"w\" , 1 , 2 ] ] } ",
     "0: commit @..0: w 1 2"},
};

static void means(iso_env *env, const meaning *m, const iso_format *format, const char *text) {
    iso_pool pool;
    iso_pool_init(&pool, env);
    parsing j = {.pool = &pool, .format = format, .bytes = text, .size = strlen(text)};
    if (parse_bytes(&j) != ISOLAB_OK) {
        fail("%s (%s)", m->what, format->name);
        diag("%s (offset %" PRIu64 ")", env->error.message, env->error.offset);
    } else {
        char *got = words(j.h);
        is(got, m->words, "%s (%s)", m->what, format->name);
        free(got);
    }
    iso_pool_free(&pool);
}

/* The log is in the order of time, invocations first at one instant; an indeterminate transaction ends its process. */
static void writes(iso_env *env) {
    iso_pool pool;
    iso_pool_init(&pool, env);
    const char *text = "{:type :invoke :process 4 :time 0 :value [[:append :l 1] [:r :l nil]]}"
                       "{:type :ok :process 4 :time 5 :value [[:append :l 1] [:r :l [1]]]}"
                       "{:type :invoke :process 2 :time 5 :value [[:append :l 2]]}"
                       "{:type :info :process 2 :time 6 :value [[:append :l 2]]}"
                       "{:type :invoke :process 2 :time 7 :value []}{:type :fail :process 2 :value []}";
    parsing j = {.pool = &pool, .format = &iso_format_elle, .bytes = text, .size = strlen(text)};
    ok(parse_bytes(&j) == ISOLAB_OK, "a log out of order is read");
    size_t size;
    char *got = write_text(&pool, &iso_format_elle, j.h, &size);
    is(got,
       "{:index 0, :type :invoke, :process 4, :time 0, :f :txn, :value [[:append :l 1] [:r :l nil]]}\n"
       "{:index 1, :type :invoke, :process 2, :time 5, :f :txn, :value [[:append :l 2]]}\n"
       "{:index 2, :type :info, :process 2, :time -1, :f :txn, :value [[:append :l 2]]}\n"
       "{:index 3, :type :ok, :process 4, :time 5, :f :txn, :value [[:append :l 1] [:r :l [1]]]}\n"
       "{:index 4, :type :invoke, :process 1, :time 7, :f :txn, :value []}\n"
       "{:index 5, :type :fail, :process 1, :time -1, :f :txn, :value []}\n",
       "and written in the order of time");
    free(got);
    iso_pool_free(&pool);
}

/* ---- round trips ---- */

/* A random history with what Jepsen's format has: processes, times, all statuses; at times also names, sessions
 * that go on after an indeterminate transaction, and empty ones. */
static isolab_history *random_history(iso_pool *pool, iso_rng *rng) {
    raw_history r;
    raw_random(&r, rng);
    iso_builder *b = iso_builder_new(pool);
    if (iso_random_below(rng, 4) == 0) {
        iso_builder_initial(b, raw_value(b, &r, 0));
    }
    bool names = iso_random_below(rng, 8) == 0, times = iso_random_below(rng, 2) == 0;
    bool numbers = iso_random_below(rng, 2) == 0, strings = iso_random_below(rng, 8) == 0;
    uint32_t session[8];
    for (unsigned s = 0; s < r.n_sessions; s++) {
        int64_t number = iso_random_below(rng, 10) == 0 ? (int64_t)iso_random_below(rng, 9) : 3 * (int64_t)s - 2;
        session[s] = iso_builder_session(b, strings   ? iso_builder_string(b, "ab\0c", s)
                                            : numbers ? iso_atom_int(number)
                                                      : iso_atom_nil());
    }
    for (unsigned t = 0; t < r.n_txns; t++) {
        uint32_t txn = iso_builder_txn(b, session[r.session[t]], names ? iso_atom_int(t) : iso_atom_nil(), r.status[t]);
        int64_t start = (int64_t)iso_random_below(rng, 20) - 1;
        if (times) {
            bool open = iso_random_below(rng, 8) == 0 || r.status[t] == ISO_INDETERMINATE;
            iso_builder_times(b, txn, iso_random_below(rng, 8) == 0 ? ISO_NO_TIME : start,
                              open ? ISO_NO_TIME : start + (int64_t)iso_random_below(rng, 9));
        }
    }
    for (unsigned i = 0; i < r.n_ops; i++) {
        const raw_op *o = &r.op[i];
        char odd[] = {':', (char)('a' + o->key), (char)(iso_random_below(rng, 2) == 0 ? ' ' : '-'), '\0', '\x01', '"'};
        uint32_t key = iso_builder_key(b, strings ? iso_builder_string(b, odd, 2 + o->key) : raw_key(b, &r, o->key));
        if (o->kind == ISO_LIST_READ) {
            iso_atom element[RAW_ELEMENTS];
            for (unsigned e = 0; e < o->n_elements; e++) {
                element[e] = raw_value(b, &r, o->element[e]);
            }
            iso_builder_list_read(b, o->txn, key, element, o->n_elements);
        } else {
            iso_builder_op(b, o->txn, o->kind, key, raw_value(b, &r, o->value));
        }
    }
    return iso_builder_finish(b);
}

static uint64_t total(const iso_losses *losses) {
    uint64_t n = 0;
    for (int i = 0; i < ISO_LOSS_KINDS; i++) {
        n += losses->count[i];
    }
    return n;
}

typedef struct trips {
    iso_env *env;
    iso_rng rng;
    uint64_t lossless, lossy;
    char why[700];
} trips;

typedef struct made {
    iso_pool *pool;
    iso_rng *rng;
    isolab_history *h;
} made;

static void make_guarded(void *arg) {
    made *m = arg;
    m->h = random_history(m->pool, m->rng);
}

/* Histories are equal if the survey counts no loss, and a second trip loses nothing more. */
static bool trip(trips *x, const iso_format *format) {
    iso_pool pool;
    iso_pool_init(&pool, x->env);
    bool good = false;
    iso_losses losses = {{0}};
    size_t size;
    char why[600] = "";
    made m = {.pool = &pool, .rng = &x->rng};
    parsing j = {.pool = &pool, .format = format};
    if (iso_guard(x->env, make_guarded, &m) != ISOLAB_OK) {
        iso_pool_free(&pool); /* odd strings may make one key of a list and a register */
        return true;
    }
    format->survey(m.h, &losses);
    char *text = write_text(&pool, format, m.h, &size), *again = NULL;
    j.bytes = text;
    j.size = size;
    if (parse_bytes(&j) != ISOLAB_OK) {
        snprintf(why, sizeof why, "does not read its own: %s", x->env->error.message);
    } else if (total(&losses) == 0) {
        good = iso_history_equal(m.h, j.h, why, sizeof why);
        x->lossless++;
    } else {
        x->lossy++;
        memset(&losses, 0, sizeof losses);
        format->survey(j.h, &losses);
        again = write_text(&pool, format, j.h, &size);
        isolab_history *once = j.h;
        j.bytes = again;
        j.size = size;
        good = total(&losses) == 0 && parse_bytes(&j) == ISOLAB_OK && iso_history_equal(once, j.h, why, sizeof why) &&
               once->n_txns == m.h->n_txns && once->n_aborted == m.h->n_aborted &&
               once->n_indeterminate == m.h->n_indeterminate;
    }
    if (!good) {
        snprintf(x->why, sizeof x->why, "%s: %s", format->name, why);
        diag("%s\n%s", x->why, text);
    }
    free(text);
    free(again);
    iso_pool_free(&pool);
    return good;
}

static void round_trips(iso_env *env, const iso_format *format) {
    trips x = {.env = env, .rng = {seed_of_run()}};
    uint64_t seed = x.rng.state;
    unsigned rounds = raw_rounds(500, 10000, 500000);
    bool good = true;
    for (unsigned i = 0; good && i < rounds; i++) {
        good = trip(&x, format);
    }
    ok(good, "%s: %u round trips (%" PRIu64 " lossless, %" PRIu64 " lossy), ISOLAB_SEED=%" PRIu64, format->name, rounds,
       x.lossless, x.lossy, seed);
    cmp_ok(x.lossless > rounds / 10 && x.lossy > rounds / 10, "==", 1, "%s: enough of both", format->name);
}

/* ---- damage ---- */

/* One line of error with a place inside of the input, or a history; never anything else. */
static bool survives(iso_env *env, const iso_format *format, const char *bytes, size_t size) {
    iso_pool pool;
    iso_pool_init(&pool, env);
    parsing j = {.pool = &pool, .format = format, .bytes = bytes, .size = size};
    int code = parse_bytes(&j);
    iso_pool_free(&pool);
    if (code == ISOLAB_OK) {
        return true;
    }
    const isolab_error *e = &env->error;
    bool placed = e->line >= 1 && e->offset <= size;
    if (code != ISOLAB_E_INPUT || !placed || strchr(e->message, '\n') != NULL ||
        strncmp(e->message, "expected ", 9) != 0) {
        diag("%s: code %d, line %" PRIu64 ", offset %" PRIu64 " of %zu: %s", format->name, code, e->line, e->offset,
             size, e->message);
        return false;
    }
    return true;
}

static void damage(iso_env *env, const iso_format *format, const char *text) {
    size_t size = strlen(text);
    char *copy = malloc(size + 1);
    memcpy(copy, text, size + 1);
    bool good = true;
    for (size_t n = 0; good && n <= size; n++) {
        good = survives(env, format, copy, n);
    }
    ok(good, "%s: cut at every byte", format->name);
    static const unsigned char flips[] = {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xff};
    for (size_t at = 0; good && at < size; at++) {
        for (size_t f = 0; good && f < sizeof flips; f++) {
            copy[at] = (char)(text[at] ^ flips[f]);
            good = survives(env, format, copy, size);
        }
        copy[at] = '\0';
        good = good && survives(env, format, copy, size);
        copy[at] = text[at];
    }
    ok(good, "%s: every bit of every byte flipped", format->name);
    for (size_t at = 0; good && at < size; at++) {
        memmove(copy + at, text + at + 1, size - at);
        good = survives(env, format, copy, size - 1);
        memcpy(copy, text, size);
    }
    ok(good, "%s: every byte left out", format->name);
    free(copy);
}

/* Several edits at once: bytes changed, ranges left out, doubled or moved, and words of the format put in. */
static void random_damage(iso_env *env, const iso_format *format, bool json) {
    static const char *const dictionary[] = {"#_",         "#",
                                             "[",          "]",
                                             "{",          "}",
                                             "(",          ")",
                                             "\"",         "\\",
                                             ":",          "nil",
                                             ":type",      ":process",
                                             ":value",     ":f",
                                             ":read",      "[:r 1 2]",
                                             "-1",         "\"type\":",
                                             "\"value\":", "null",
                                             ",",          ";",
                                             "\n",         "99999999999999999999",
                                             "\\ud83d",    "{:type :ok}",
                                             "[[]]",       "##Inf",
                                             "#{",         "\"ok\"",
                                             ":nemesis",   "1.5e3"};
    enum { MOST = 4096 };
    iso_rng rng = {seed_of_run()};
    uint64_t seed = rng.state;
    unsigned rounds = raw_rounds(5000, 100000, 3000000);
    char *text = malloc(MOST);
    bool good = true;
    for (unsigned i = 0; good && i < rounds; i++) {
        const meaning *m = &meanings[iso_random_below(&rng, sizeof meanings / sizeof *meanings)];
        const char *from = json && m->json != NULL ? m->json : m->edn;
        size_t n = strlen(from);
        memcpy(text, from, n);
        for (uint64_t edits = 1 + iso_random_below(&rng, 8); edits > 0 && n > 0; edits--) {
            size_t at = iso_random_below(&rng, n), most = n - at < 40 ? n - at : 40;
            size_t length = 1 + iso_random_below(&rng, most);
            const char *word = dictionary[iso_random_below(&rng, sizeof dictionary / sizeof *dictionary)];
            switch (iso_random_below(&rng, 4)) {
            case 0:
                text[at] = (char)iso_random(&rng);
                break;
            case 1:
                memmove(text + at, text + at + length, n - at - length);
                n -= length;
                break;
            case 2:
                word = from + iso_random_below(&rng, strlen(from)); /* a piece of the original */
                __attribute__((fallthrough));
            default:
                length = strlen(word) < 40 ? strlen(word) : length;
                if (n + length < MOST) {
                    memmove(text + at + length, text + at, n - at);
                    memcpy(text + at, word, length);
                    n += length;
                }
            }
        }
        good = survives(env, format, text, n);
    }
    ok(good, "%s: %u times random damage, ISOLAB_SEED=%" PRIu64, format->name, rounds, seed);
    free(text);
}

/* No recursion: a million brackets, in a field without a meaning, and in a field with one. */
static void depth(iso_env *env) {
    enum { DEEP = 1000000 };
    char *text = malloc(2 * DEEP + 200);
    for (int json = 0; json < 2; json++) {
        const iso_format *format = json ? &iso_format_elle_json : &iso_format_elle;
        for (int field = 0; field < 2; field++) {
            size_t n = 0;
            n += (size_t)sprintf(text,
                                 json ? "{\"type\":\"fail\",\"process\":1,\"%s\":" : "{:type :fail :process 1 :%s ",
                                 field == 0 ? "error" : "value");
            memset(text + n, '[', DEEP);
            memset(text + n + DEEP, ']', DEEP);
            n += 2 * DEEP;
            text[n++] = '}';
            iso_pool pool;
            iso_pool_init(&pool, env);
            parsing j = {.pool = &pool, .format = format, .bytes = text, .size = n};
            int code = parse_bytes(&j);
            iso_pool_free(&pool);
            cmp_ok(code, "==", field == 0 ? ISOLAB_OK : ISOLAB_E_INPUT, "%s: a million brackets %s", format->name,
                   field == 0 ? "that mean nothing are skipped" : "as a value are refused");
        }
    }
    free(text);
}

/* ---- real data ---- */

static void real(iso_env *env, const char *folder, const char *name, uint32_t txns, uint32_t ops, uint32_t sessions,
                 bool lists) {
    char path[512];
    snprintf(path, sizeof path, "%s/elle/%s", folder, name);
    iso_pool pool;
    iso_pool_init(&pool, env);
    FILE *f = fopen(path, "rb");
    char *bytes = calloc(1, 65536);
    parsing j = {.pool = &pool, .bytes = bytes, .size = f == NULL ? 0 : fread(bytes, 1, 65536, f)};
    j.format = strstr(name, ".json") != NULL ? &iso_format_elle_json : &iso_format_elle;
    if (f == NULL) {
        tap_skip(3, "%s is not there", name);
    } else {
        iso_source source = {.pool = &pool, .path = name, .bytes = (unsigned char *)bytes, .size = j.size};
        int best = 0;
        const iso_format *found = NULL;
        for (size_t i = 0; iso_formats[i] != NULL; i++) {
            int score = iso_formats[i]->flags & ISO_FORMAT_FOLDER ? 0 : iso_formats[i]->detect(&source);
            found = score > best ? iso_formats[i] : found;
            best = score > best ? score : best;
        }
        ok(found == j.format, "%s is detected as %s", name, j.format->name);
        bool good = parse_bytes(&j) == ISOLAB_OK;
        ok(good && j.h->n_txns == txns && j.h->n_ops == ops && j.h->n_sessions == sessions && j.h->has_lists == lists,
           "%s: %u transactions, %u operations, %u sessions", name, txns, ops, sessions);
        if (!good) {
            diag("%s", env->error.message);
        }
        iso_losses losses = {{0}};
        size_t size;
        j.format->survey(j.h, &losses);
        isolab_history *h = j.h;
        char *text = write_text(&pool, j.format, h, &size), why[300] = "";
        j.bytes = text;
        j.size = size;
        bool named = h->session_name[0].kind != ISO_ATOM_NIL;
        ok(parse_bytes(&j) == ISOLAB_OK && (!named || total(&losses) == 0) &&
               iso_history_equal(h, j.h, why, sizeof why),
           "%s: and back (%s)", name, why);
        free(text);
        fclose(f);
    }
    free(bytes);
    iso_pool_free(&pool);
}

static void real_histories(iso_env *env) {
    const char *folder = getenv("ISOLAB_HISTORIES") != NULL ? getenv("ISOLAB_HISTORIES") : "../shared/histories";
    /* counted by hand in the files */
    real(env, folder, "list-append-gh-30.edn", 5, 11, 3, true);
    real(env, folder, "paper-example.edn", 4, 19, 4, true);
    real(env, folder, "paper-example.json", 4, 19, 4, true);
    real(env, folder, "rw-register.edn", 3, 3, 1, false);
    real(env, folder, "rw-register.json", 3, 3, 1, false);
    real(env, folder, "si-without-g-single.edn", 4, 8, 4, true);
}

int main(void) {
    plan(NO_PLAN);
    iso_env env;
    iso_env_init(&env);
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
        means(&env, &meanings[i], &iso_format_elle, meanings[i].edn);
        if (meanings[i].json != NULL) {
            means(&env, &meanings[i], &iso_format_elle_json, meanings[i].json);
        }
    }
    writes(&env);
    round_trips(&env, &iso_format_elle);
    round_trips(&env, &iso_format_elle_json);
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i += getenv("ISOLAB_QUICK") != NULL ? 4 : 1) {
        damage(&env, &iso_format_elle, meanings[i].edn);
        if (meanings[i].json != NULL) {
            damage(&env, &iso_format_elle_json, meanings[i].json);
        }
    }
    random_damage(&env, &iso_format_elle, false);
    random_damage(&env, &iso_format_elle_json, true);
    depth(&env);
    real_histories(&env);
    cmp_ok(env.limits->used, "==", 0, "all memory was given back");
    return done_testing();
}
